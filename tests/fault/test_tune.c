/*
 * Every OpenCL call and every allocation of `clfold tune` fails once. Either the command
 * fails with one sentence that names the error, and the tuning file stays as it was, or
 * it works without: a candidate that fails only loses, and the library tolerates some
 * failures. Nothing leaks, and no other file is left.
 *
 * The clock counts OpenCL calls, and nothing runs. So each run makes the same calls, and
 * numbers that take fewer launches are faster.
 */
#include <clfold/experimental.h>
#include "sweep.h"
#include "write_file.h"

#include "commands.h"
#include "tune_file.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* Another device's row, which stays. */
#define STRANGER "reduce 4 2^11..2^13 groups=7 on another device\n"

struct scenario {
    const char *name;
    clfold_op op;
    size_t count;
    double seconds; /* OpenCL calls */
    bool has_file;  /* with a row of one group: one launch, where the default's are two */
    /* Of calls, and of allocations: how many there must be, and how many of them may fail
     * without the command. */
    uint64_t least[2], most_tolerated[2];
    const char *calls[11]; /* that must have failed the command */
};

static char folder[] = "clfold-tune-XXXXXX", path[64], older[2 * TUNE_LINE];

/* clock.h's, by an argument of the compiler. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){ .tv_sec = (time_t)clspy_calls(NULL) };
    return 0;
}

static bool tune(const struct scenario *scenario, struct message *message)
{
    const struct options options = {
        .action = ACTION_TUNE,
        .op = scenario->op,
        .types = { 1, { { CLFOLD_I32, CLFOLD_I32 } } },
        .device = getenv("CLFOLD_TEST_DEVICE"),
        .file = path,
        .count = scenario->count,
        .seconds = scenario->seconds,
    };
    const int own = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);

    fflush(stdout);
    dup2(nowhere, STDOUT_FILENO);
    const bool done = command_tune(&options, message);
    fflush(stdout);
    dup2(own, STDOUT_FILENO);
    close(own);
    close(nowhere);
    return done;
}

/* ---- After a run ------------------------------------------------------------------- */

static void assert_files(const struct scenario *scenario, const char *failed, bool done)
{
    DIR *const entries = opendir(folder);
    const bool is_whole = strcmp(failed, "nothing") == 0;
    const char *const wanted = !done ? older : is_whole ? " groups=1 " : STRANGER;
    size_t length;
    char *text;

    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "tuning") != 0) {
            fail_msg("%s: after %s failed, %s is left", scenario->name, failed,
                     entry->d_name);
        }
    }
    closedir(entries);
    const int error = clfold_file_read(path, TUNE_FILE, &text, &length);
    if (scenario->has_file ? error != 0 || !strstr(text, wanted) : error != ENOENT) {
        fail_msg("%s: after %s failed, the file is \"%s\"", scenario->name, failed,
                 error ? strerror(error) : text);
    }
    clfold_free(text);
}

/* It names the code; of the command's own allocations it says "memory". */
static void assert_sentence(const struct scenario *scenario,
                            const struct clspy_shot *shot, const char *text)
{
    const char *const code = clfold_status_name(shot->code);
    const bool is_alloc = strcmp(shot->function, "clfold_alloc") == 0;

    if ((!strstr(text, code) && !(is_alloc && strstr(text, "memory"))) ||
        strchr(text, '\n')) {
        fail_msg("%s: after %s failed with %s, the sentence is \"%s\"", scenario->name,
                 shot->function, code, text);
    }
}

/* Queries of devices that are listed, and optional ones. */
static bool is_optional(const struct clspy_shot *shot)
{
    return strcmp(shot->function, "clGetDeviceInfo") == 0 &&
           (shot->param == CL_DEVICE_TYPE || shot->param == CL_DEVICE_NAME ||
            shot->param == CL_DEVICE_DOUBLE_FP_CONFIG ||
            shot->param == CL_DEVICE_MAX_NUM_SUB_GROUPS);
}

/* What the command or the library does without, or may be a candidate's. */
static bool is_tolerated(const struct scenario *scenario, const struct clspy_shot *shot)
{
    const char *const function = shot->function;
    const bool is_launch = strcmp(function, "clEnqueueNDRangeKernel") == 0;

    return is_optional(shot) || strncmp(function, "clRelease", 9) == 0 ||
           shot->code == CL_BUILD_PROGRAM_FAILURE || /* the other tile takes over */
           (scenario->has_file && (is_launch || strncmp(function, "clEnqueue", 9) != 0));
}

/* ---- The sweep --------------------------------------------------------------------- */

static const struct scenario *swept;
static uint64_t tolerated;

/* Without a name where the command has worked. */
static struct clspy_shot shoot_once(enum way way, uint64_t number)
{
    const struct scenario *const scenario = swept;
    struct message message = { 0 };

    if (scenario->has_file) {
        write_file(path, older, strlen(older));
    } else {
        unlink(path);
    }
    fault_arm(way, number);
    const bool done = tune(scenario, &message);
    struct clspy_shot shot = fault_disarm(way);
    if (!done && !shot.fired) {
        fail_msg("%s: %s", scenario->name, message.text);
    }
    if (!done) {
        assert_sentence(scenario, &shot, message.text);
    } else if (shot.fired && way == OF_CALLS && !is_tolerated(scenario, &shot)) {
        fail_msg("%s: %s failed with %s (asked for 0x%x), and nobody said so",
                 scenario->name, shot.function, clfold_status_name(shot.code),
                 shot.param);
    }
    assert_files(scenario, shot.fired ? shot.function : "nothing", done);
    tolerated += done && shot.fired;
    shot.function = done ? "" : shot.function;
    return shot;
}

static void sweep_scenario(const struct scenario *scenario, enum way way)
{
    swept = scenario;
    tolerated = 0;
    sweep(scenario->name, way, shoot_once, scenario->least[way], 0,
          way == OF_CALLS ? scenario->calls : NULL);
    print_message("%llu of them tolerated\n", (unsigned long long)tolerated);
    assert_true(tolerated <= scenario->most_tolerated[way]);
}

static void sweep_calls(void **state)
{
    sweep_scenario(*state, OF_CALLS);
}

static void sweep_allocs(void **state)
{
    sweep_scenario(*state, OF_ALLOCATIONS);
}

/* The first has three folds, and for each an allocation without which the other tile is
 * not tried. In the second, half of a duel's calls have the default's numbers, and fail
 * the command. */
static const struct scenario scenarios[] = {
    { .name = "no time to try others",
      .op = CLFOLD_ADD,
      .count = 4096,
      .seconds = 1,
      .least = { 400, 60 },
      .most_tolerated = { 80, 3 },
      .calls = { "clGetPlatformIDs", "clGetDeviceIDs", "clCreateContext",
                 "clCreateCommandQueue", "clCreateBuffer", "clEnqueueWriteBuffer",
                 "clEnqueueCopyBuffer", "clEnqueueFillBuffer", "clCreateKernel",
                 "clFinish" } },
    { .name = "candidates",
      .op = CLFOLD_ARG_MAX,
      .count = 1 << 22, /* whose partials have a launch */
      .seconds = 1300,
      .has_file = true,
      .least = { 1000, 60 },
      .most_tolerated = { 540, 14 },
      .calls = { "clCreateContext", "clEnqueueNDRangeKernel", "clEnqueueReadBuffer",
                 "clFinish" } },
};

static int make_older(void **state)
{
    const clfold_fold fold = clfold_builtin(CLFOLD_ARG_MAX, CLFOLD_I32);
    struct session session;
    struct message message;
    clfold_tuning_row row;
    char calls[TUNE_CALLS];

    (void)state;
    unsetenv("CLFOLD_TUNING");
    clspy_keep_binaries(); /* each run has contexts of its own, which build anew */
    clspy_null_device(true);
    const bool done =
        session_open(&session, getenv("CLFOLD_TEST_DEVICE"), false, &message) &&
        tune_context_row(session.context, CLFOLD_REDUCE, &fold, 1 << 22, &row, &message);
    session_close(&session);
    if (!done || !mkdtemp(folder)) {
        print_error("%s\n", message.text);
        return -1;
    }
    snprintf(path, sizeof(path), "%s/tuning", folder);
    tune_row_calls(calls, &row);
    snprintf(older, sizeof(older), TUNE_FIRST STRANGER "%s groups=1 on %s\n", calls,
             row.device);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(int argc, char **argv)
{
    void *const no_time = (void *)(uintptr_t)&scenarios[0];
    void *const candidates = (void *)(uintptr_t)&scenarios[1];
    const struct CMUnitTest tests[] = {
        { "calls: no time", sweep_calls, NULL, NULL, no_time },
        { "allocations: no time", sweep_allocs, NULL, NULL, no_time },
        { "calls: candidates", sweep_calls, NULL, NULL, candidates },
        { "allocations: candidates", sweep_allocs, NULL, NULL, candidates },
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("tune", tests, make_older, remove_folder);
}
