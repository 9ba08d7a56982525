/* Trials whose parts are those of ranks: all forms of folds, however the array is cut.
 * All ranks draw the same. */
#include "ranks.h"
#include "rounded_subjects.h"
#include "subjects_of_text.h"
#include "trial_text.h"

static clfold_status make(const struct call *call, clfold_operation operation,
                          size_t root)
{
    const int kind = operation == CLFOLD_INCLUSIVE_SCAN   ? INCLUSIVE
                     : operation == CLFOLD_EXCLUSIVE_SCAN ? EXCLUSIVE
                     : root == (size_t)num_ranks          ? ALLREDUCE
                                                          : REDUCE;
    struct rank_call mine = rank_call(kind, call->fold, call->in, call->out, call->count);

    mine.root = (int)root;
    mine.in_offset = call->in_offset;
    mine.out_offset = call->out_offset;
    mine.event = call->event;
    return make_rank_call(&mine);
}

static void check(const struct trial *trial)
{
    char why[1200];
    const struct ranks ranks = { (size_t)rank, make };

    trial_ranks = &ranks;
    const enum trial_end end = trial_run(trial, NULL, why, sizeof(why));
    trial_ranks = NULL;
    assert_all(end != TRIAL_WRONG, "%s", why);
}

/* Calls of a program, one in eight of no elements, whose total nobody writes; with
 * `most` all are of few elements, in short segments. */
static void check_calls(const struct trial *program, size_t num, size_t most,
                        uint64_t *seed)
{
    struct trial trial;

    for (size_t k = 0; k < num; ++k) {
        draw_call(&trial, program, seed);
        if (most > 0) {
            trial.count = draw(seed, most + 1);
            trial.cut = CUT_OFTEN;
        }
        trial.parts = (size_t)num_ranks;
        trial.total = trial.total ? TOTAL_APART : TOTAL_NONE;
        if (k % 8 == 7) {
            trial.count = trial.total = 0;
        }
        check(&trial);
    }
}

/* Three ranks make more where the compiler is quick; sums that round take turns. Programs
 * are the same on any number of ranks, so they are built once. */
void test_subjects(void)
{
    const bool is_all = num_ranks == 3 && (device.is_intel || test_level() == LEVEL_FULL);
    uint64_t seed = 1;
    struct trial program;

    subject_args_init();
    for (int k = 0; k < (is_all ? 40 : 10); ++k) {
        do {
            draw_program(&program, &seed);
        } while (!program.parts || program.by == CLFOLD_BY_OFFSETS);
        check_calls(&program, 40, 0, &seed);
    }
    subject_args_finish();
    for (size_t k = 0; k < NUM_ROUNDED; ++k) {
        if (is_all || (k + (size_t)num_ranks) % 4 == 0) {
            const struct trial trial = rounded_trial(k, (size_t)num_ranks, k);
            check(&trial);
        }
    }
    clfold_context_override(ctx, NULL);
}

/* Parts of at most 2 elements, so that segments span several, keys meet across empty
 * ones, and heads are often a part's first element. */
void test_heads(void)
{
    uint64_t seed = 1;

    for (int k = 0; k < 4; ++k) {
        const struct trial program = { .op = CLFOLD_ADD,
                                       .pair = { CLFOLD_U32, CLFOLD_U32 },
                                       .operation = scan_of(k / 2),
                                       .by = k % 2 ? CLFOLD_BY_KEYS : CLFOLD_BY_FLAGS,
                                       .head_type = CLFOLD_U8,
                                       .parts = 1 };
        check_calls(&program, 60, 2 * (size_t)num_ranks, &seed);
    }
}
