/* The search of `clfold tune` on a device: by other numbers results are the default's. */
#include <clfold/experimental.h>
#include "tune_run.h"

#include "tune_file.h"

#include "test.h"

#include <unistd.h>

static struct session session;
static char folder[] = "clfold-tune-XXXXXX";
static char path[64];
static struct tune_buffers buffers;

static struct tune_result run(clfold_operation operation, const clfold_fold *fold,
                              size_t count, double seconds, clfold_context *older)
{
    const struct tune_request request = { .session = &session,
                                          .path = path,
                                          .older = older,
                                          .operation = operation,
                                          .fold = fold,
                                          .count = count,
                                          .bytes = 4 << 20,
                                          .buffers = &buffers,
                                          .left = seconds,
                                          .share = 1 };
    struct tune_result result = { 0 };
    struct message message;

    if (!tune_run(&request, &result, &message)) {
        fail_msg("%s", message.text);
    }
    assert_int_not_equal(result.outcome, TUNE_FAILED);
    assert_int_equal(result.wrong, 0);
    assert_true(result.default_seconds > 0);
    assert_true(tuned_have(&result.policy, TUNED_TILE_BYTES));
    assert_int_equal(result.outcome == TUNE_BETTER, result.numbers.set != 0);
    return result;
}

/* A context that has loaded a row for the calls, which has these numbers. */
static void open_tuned(struct tune_context *context, const clfold_tuning_row *row,
                       const char *numbers)
{
    char calls[TUNE_CALLS];
    struct message message;
    FILE *const file = fopen(path, "w");

    assert_non_null(file);
    tune_row_calls(calls, row);
    fprintf(file, TUNE_FIRST "%s %s on %s\n", calls, numbers, row->device);
    assert_int_equal(fclose(file), 0);
    assert_true(tune_context_open(context, &session, path, &message));
    assert_int_equal(unlink(path), 0);
}

static const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 100 };
static const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                         .columns = 50,
                                         .length = 200 };
static const struct {
    clfold_operation operation;
    clfold_fold fold;
} folds[] = {
    { CLFOLD_REDUCE, { .op = CLFOLD_ADD, .type = CLFOLD_I32 } },
    { CLFOLD_INCLUSIVE_SCAN, { .op = CLFOLD_ADD, .type = CLFOLD_I32 } },
    { CLFOLD_MAP, { .type = CLFOLD_F32 } },
    { CLFOLD_MAP, { .type = CLFOLD_F32, .out = CLFOLD_U8, .result = "to_u8(x)" } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD, .type = CLFOLD_F32, .accuracy = CLFOLD_REPRODUCIBLE } },
    { CLFOLD_INCLUSIVE_SCAN,
      { .op = CLFOLD_ADD,
        .type = CLFOLD_F32,
        .accuracy = CLFOLD_COMPENSATED,
        .segments = &rows } },
    { CLFOLD_REDUCE, { .op = CLFOLD_ADD, .type = CLFOLD_F32, .segments = &rows } },
    { CLFOLD_REDUCE, { .op = CLFOLD_MAX, .type = CLFOLD_I32, .segments = &columns } },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

/* The library takes every number that the command writes: the default's as a row change
 * nothing but whose they are. */
static void words(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_FOLDS; i++) {
        char text[TUNED_TEXT];
        struct tune_context context;
        struct tuned_numbers numbers;
        clfold_tuning_row row, again;
        clfold_report plain, tuned;
        struct message message;
        assert_true(tune_context_row(session.context, folds[i].operation, &folds[i].fold,
                                     10000, &row, &message));
        tuned_of_row(&numbers, &row);
        tuned_print(text, &numbers);
        open_tuned(&context, &row, text);
        assert_true(tune_context_serves(context.clfold, folds[i].operation,
                                        &folds[i].fold, 10000));
        assert_true(tune_context_row(context.clfold, folds[i].operation, &folds[i].fold,
                                     10000, &again, &message));
        assert_memory_equal(&again, &row, sizeof(row));
        assert_ok(clfold_explain(session.context, folds[i].operation, &folds[i].fold,
                                 10000, NULL, &plain));
        assert_ok(clfold_explain(context.clfold, folds[i].operation, &folds[i].fold,
                                 10000, NULL, &tuned));
        assert_int_equal(tuned.tile, plain.tile);
        assert_int_equal(tuned.num_groups, plain.num_groups);
        assert_int_equal(tuned.items, plain.items);
        tune_context_close(&context);
    }
}

/* Results are the same by all numbers, of each kind of fold. */
static void kinds(void **state)
{
    size_t tried = 0;

    (void)state;
    for (size_t i = 2; i < NUM_FOLDS; i++) {
        const struct tune_result first =
            run(folds[i].operation, &folds[i].fold, 10000, 1e-6, NULL);
        const struct tune_result result =
            run(folds[i].operation, &folds[i].fold, 10000, 2 * first.enough, NULL);
        tried += result.tried > 0;
    }
    /* rusticl's lanes leave nothing to choose */
    assert_true(tried + 1 >= NUM_FOLDS - 2);
}

static void searches(void **state)
{
    const clfold_fold sum = clfold_builtin(CLFOLD_ADD, CLFOLD_I32);
    const size_t count = 5000;

    (void)state;
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_INCLUSIVE_SCAN; o++) {
        struct tune_context older;
        clfold_tuning_row row;
        struct message message;
        struct tune_result result = run(o, &sum, count, 1e-6, NULL);
        assert_int_equal(result.outcome, TUNE_UNDECIDED);
        assert_true(tune_context_row(session.context, o, &sum, count, &row, &message));
        open_tuned(&older, &row, "groups=3");
        result = run(o, &sum, count, 1e-6, older.clfold);
        assert_int_equal(result.outcome, TUNE_UNDECIDED);
        assert_false(result.previous_tried);
        result = run(o, &sum, count, 2 * result.enough + 1, older.clfold);
        assert_true(result.previous_tried);
        assert_true(result.tried > 0);
        tune_context_close(&older);
    }
}

static int open_session(void **state)
{
    struct message message;

    (void)state;
    unsetenv("CLFOLD_TUNING");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/tuning", folder);
    if (!session_open(&session, getenv("CLFOLD_TEST_DEVICE"), false, &message)) {
        print_error("%s\n", message.text);
        return -1;
    }
    return 0;
}

/* No candidate's file is left. */
static int close_session(void **state)
{
    (void)state;
    tune_buffers_close(&buffers);
    session_close(&session);
    return rmdir(folder);
}

TEST_MAIN("tune_run", open_session, close_session, cmocka_unit_test(words),
          cmocka_unit_test(searches), cmocka_unit_test(kinds))
