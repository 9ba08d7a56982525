/*
 * Calls of the library against a serial loop on the host, see trial.h: those by lot, and
 * those that once came out wrong.
 *
 *   CLFOLD_TEST_SEED      draws other calls; CLFOLD_TEST_PROGRAMS other programs
 *   CLFOLD_TEST_SECONDS   how long calls are drawn; else NUM_PROGRAMS programs
 */
#include <clfold/experimental.h>
#include "clspy.h"
#include "cover.h"
#include "lookback.h"
#include "random_fold.h"
#include "subjects_of_text.h"
#include "test.h"
#include "trial_text.h"

#include "ops/context.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__ /* which takes several times as long */
#define NUM_PROGRAMS 8
#define NUM_CALLS    100
#else
#define NUM_PROGRAMS 40  /* by lot */
#define NUM_CALLS    300 /* of each */
#endif
/* On Oclgrind, which is slow. */
#define FEW_PROGRAMS 10
#define FEW_CALLS    12
#define SAMPLE       2000
#define MOST_COVER   600
#define PARTS        4
#define MOST_DRAWN   200000 /* until one has the words that are wanted */
#define MOST_WRONG   3      /* programs, of which the first wrong call is shown */
#define SHORT_LOOP   8      /* elements */
#define NUM_VARIED   8      /* programs run in another way */

static uint64_t number_of(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

/* Scratch that is one word again and again, of any magnitude, before each launch, as if
 * the launches before had not run. */
static void spoil(void)
{
    static uint64_t random = 1;

    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        const uint64_t bits = next_random(&random) >> 40, drawn = next_random(&random);
        const cl_ulong word = (bits & 64 ? drawn : UINT64_MAX) >> bits % 64;
        assert_true(!b->lent ||
                    clEnqueueFillBuffer(device.queue, b->mem, &word, sizeof(word), 0,
                                        b->size / sizeof(word) * sizeof(word), 0, NULL,
                                        NULL) == CL_SUCCESS);
    }
}

static size_t num_wrong;
static bool spoils; /* each call is made twice, first with spoilt scratch */

/* Shows a wrong call as it is, and as a line that is as plain as it gets. */
static void show(const struct trial *trial, const char *why)
{
    const struct random_fold *fold = random_fold_of(trial->subject);
    struct trial least = *trial;
    struct text text = { 0 };
    char line[900], again[1200] = "";

    print_message("wrong%s: %s\n", spoils ? " with spoilt scratch" : "", why);
    if (getenv("CLFOLD_TEST_MUTANT")) { /* which may hang or crash in its next call */
        fflush(NULL);
        _exit(1);
    }
    if (fold) {
        random_fold_print(fold, &text);
        print_message("%s\n", text.bytes);
        clfold_text_finish(&text);
    }
    if (trial->condition) {
        print_message("keep %s\n", trial->condition->text);
    }
    if (!spoils) {
        trial_shrink(&least, 10);
        trial_print(&least, line, sizeof(line));
        trial_run(&least, NULL, again, sizeof(again));
        print_message("to be pinned: %s\nit says: %s\n", line, again);
    }
}

static enum trial_end check(const struct trial *trial)
{
    struct trial spoilt = *trial;
    char why[1200];
    enum trial_end end = TRIAL_RIGHT;

    /* PoCL's groups may hang by what they read. */
    if (spoils && trial->count > 0 &&
        !(device.is_pocl && policy_tile(trial->plan.tile) == TILE_GROUP)) {
        spoilt.unknown = spoilt.zones = true;
        spoilt.disorder = false;
        clspy_before_launch(spoil);
        end = trial_run(&spoilt, NULL, why, sizeof(why));
        clspy_before_launch(NULL);
    }
    if (end != TRIAL_WRONG) {
        end = trial_run(trial, NULL, why, sizeof(why));
    }
    if (end == TRIAL_WRONG) {
        ++num_wrong;
        show(trial, why);
    }
    return end;
}

/* ---- Programs ---------------------------------------------------------------------- */

static uint64_t programs_seed, calls_seed;
static const char *wanted = ""; /* words that programs have */

static bool is_wanted(const struct trial *program)
{
    char line[900] = " ", words[900], one[128], *rest = NULL;
    bool has = true;

    trial_print(program, line + 1, sizeof(line) - 2);
    strcat(line, " ");
    snprintf(words, sizeof(words), "%s", wanted);
    for (char *word = strtok_r(words, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        snprintf(one, sizeof(one), " %s ", word);
        has = has && strstr(line, one);
    }
    return has;
}

static struct trial draw_one(uint64_t *seed)
{
    struct trial program;
    size_t num = 0;

    do {
        if (num++ == MOST_DRAWN) {
            fprintf(stderr, "none of %d random programs has %s\n", MOST_DRAWN, wanted);
            exit(2); /* which finds no mutant: it was called wrongly */
        }
        draw_program(&program, seed);
    } while (!is_wanted(&program));
    return program;
}

/* Stops at the first wrong call. Returns how many calls gave right results. */
static size_t check_calls(const struct trial *program, size_t num)
{
    struct trial trial;
    char line[900];

    if (getenv("CLFOLD_TEST_SHOW")) {
        trial_print(program, line, sizeof(line));
        print_message("%s\n", line);
    }
    enum trial_end end = TRIAL_RIGHT;
    size_t num_made = 0;

    for (size_t c = 0; end != TRIAL_WRONG && c < num; ++c) {
        draw_call(&trial, program, &calls_seed);
        end = check(&trial);
        num_made += end == TRIAL_RIGHT;
    }
    return num_made;
}

/* Fails if a call was wrong, or most of the `num` calls of each program were refused. */
static void report(size_t num_programs, size_t num, size_t num_made)
{
    print_message("%zu programs, %zu calls, %zu wrong\n", num_programs, num_made,
                  num_wrong);
    assert_int_equal(num_wrong, 0);
    assert_true(num_made > num_programs * num / 2);
}

/* Calls of each program, or a `share`th of them. Rusticl is slow. */
static size_t num_calls(size_t share)
{
    return is_simulated() ? FEW_CALLS : NUM_CALLS / share / (device.is_rusticl ? 3 : 1);
}

static void test_random(void **state)
{
    const uint64_t seconds = number_of("CLFOLD_TEST_SECONDS", 0);
    const size_t most = is_simulated() ? FEW_PROGRAMS : NUM_PROGRAMS;
    const time_t start = time(NULL);
    size_t num = 0, num_made = 0;
    struct trial program;

    num_wrong = 0;
    while (num_wrong < MOST_WRONG &&
           (seconds ? (uint64_t)(time(NULL) - start) < seconds : num < most)) {
        /* One in ten is another in each commit. */
        program = draw_one(num % 10 == 9 ? &calls_seed : &programs_seed);
        num_made += check_calls(&program, num_calls(1));
        ++num;
    }
    report(num, num_calls(1), num_made);
}

/* A part of the cover: each fourth of its programs. */
static void test_cover(void **state)
{
    static uint64_t seeds[MOST_COVER];
    const size_t part = (size_t)(uintptr_t)*state;
    const size_t num = cover_programs(1, SAMPLE, seeds, MOST_COVER);
    size_t num_made = 0, num_run = 0;
    struct trial program;

    num_wrong = 0;
    assert_true(num > 0);
    for (size_t i = part; i < num && num_wrong < MOST_WRONG; i += PARTS) {
        draw_program(&program, &seeds[i]);
        if (device_takes(&device, i / PARTS) && is_wanted(&program)) {
            num_made += check_calls(&program, num_calls(4));
            ++num_run;
        }
    }
    report(num_run, num_calls(4), num_made);
}

/* ---- Other ways -------------------------------------------------------------------- */

static void check_varied(bool with_spoilt)
{
    size_t num = 0;

    num_wrong = 0;
    spoils = with_spoilt;
    for (size_t k = 0; k < NUM_VARIED && num_wrong < MOST_WRONG; ++k) {
        const struct trial program = draw_one(&programs_seed);
        num += check_calls(&program, num_calls(4));
    }
    report(NUM_VARIED, num_calls(4), num);
}

/* Whatever scratch holds before a launch, nothing beside the call's buffers changes. */
static void test_with_spoilt_scratch(void **state)
{
    check_varied(true);
}

/* As on devices that stop work-items in long loops. */
static void test_with_short_loops(void **state)
{
    const uint64_t most = ctx->caps.facts.most_elements;

    ctx->caps.facts.most_elements = SHORT_LOOP;
    check_varied(false);
    ctx->caps.facts.most_elements = most;
}

/* Each call is verified, and none of these may be found wrong. */
static void test_with_verification(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };
    clfold_context *const plain = ctx;

    assert_ok(device_context(&ctx, &device, &params));
    check_varied(false);
    clfold_context_destroy(&ctx);
    ctx = plain;
}

/* By one work-item: the oracle of folds by text. */
static void test_with_serial(void **state)
{
    const char *const all = wanted;

    wanted = "algorithm=serial";
    check_varied(false);
    wanted = all;
}

/* ---- Lines ------------------------------------------------------------------------- */

static void check_line(const char *line)
{
    struct trial trial;
    const char *wrong = trial_read(&trial, line);

    if (wrong) {
        fail_msg("%s: %s", line, wrong);
    }
    if (!trial_is_valid(&trial)) {
        fail_msg("%s: there is no such call", line);
    }
    const char *why = left_out(&trial);
    if (why) {
        print_message("left out: %s: %s\n", line, why);
    } else if (check(&trial) == TRIAL_WRONG) {
        fail_msg("%s", line);
    }
}

static void test_line(void **state)
{
    check_line(*state);
}

static void test_pinned(void **state)
{
    FILE *file = fopen(SOURCE_ROOT "/tests/device/pinned.txt", "r");
    char line[900];
    size_t num = 0;

    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        if (line[0] != '#' && line[0] != '\n') {
            check_line(line);
            ++num;
        }
    }
    fclose(file);
    assert_true(num > 0);
}

/* ---- The tests --------------------------------------------------------------------- */

static int set_up(void **state)
{
    const int failed = open_context(state);

    if (!failed) {
        subject_args_init();
        /* Few are simulated, and those are the same for each commit. */
        calls_seed = is_simulated() ? 1 : number_of("CLFOLD_TEST_SEED", 1);
        programs_seed =
            is_simulated() ? 1 : number_of("CLFOLD_TEST_PROGRAMS", calls_seed);
        print_message("seed %llu, of programs %llu\n", (unsigned long long)calls_seed,
                      (unsigned long long)programs_seed);
    }
    return failed;
}

static int tear_down(void **state)
{
    subject_args_finish();
    return close_context(state);
}

#define PART(k)                                                                          \
    {                                                                                    \
        .name = "cover " #k, .test_func = test_cover, .initial_state = (void *)((k)-1)   \
    }

/* trials [TEST] [WORD=VALUE...]: with words random programs that have them all; words
 * with a seed are one call. A comma parts words as well. */
int main(int argc, char **argv)
{
    static char line[1024], test[128];
    const struct CMUnitTest of_line = { .name = "line",
                                        .test_func = test_line,
                                        .initial_state = line };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_random),
        PART(1),
        PART(2),
        PART(3),
        PART(4),
        cmocka_unit_test(test_with_spoilt_scratch),
        cmocka_unit_test(test_with_short_loops),
        cmocka_unit_test(test_with_verification),
        cmocka_unit_test(test_with_serial),
    };

    device_no_vectors();
    for (int k = 1; k < argc; ++k) {
        for (char *word = strtok(argv[k], ", "); word; word = strtok(NULL, ", ")) {
            char *to = strchr(word, '=') ? line : test;
            const size_t size = to == line ? sizeof(line) : sizeof(test);
            snprintf(to + strlen(to), size - strlen(to), "%s%s", *to ? " " : "", word);
        }
    }
    wanted = line;
    if (strstr(line, "seed=")) {
        return _cmocka_run_group_tests("trials", &of_line, 1, set_up, tear_down);
    }
    if (*line && !*test) {
        strcpy(test, "test_random");
    }
    cmocka_set_test_filter(*test ? test : NULL);
    return cmocka_run_group_tests_name("trials", tests, set_up, tear_down);
}
