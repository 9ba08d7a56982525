/* Tuning files: what a row changes and what it does not, right results by tuned tiles,
 * files that are refused, the environment variable, and clfold_tune. */
#define CLFOLD_EXPERIMENTAL
#include "device.h"
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/replace.h"
#include "ops/internal.h"

#include <unistd.h>

#define COUNT  5000 /* of the class from 2^11 to 2^13 */
#define MARGIN 3
#define FIRST  "clfold tuning 2\n"
#define ROWS   "2^11..2^13 "

static struct device device;
static cl_mem in, out;
static cl_int values[COUNT + MARGIN];
static char key[CLFOLD_DEVICE_KEY];
static char folder[] = "clfold-tune-XXXXXX";
static char file[64];

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };

/* ---- Files and contexts ------------------------------------------------------------ */

/* The whole file: its first line, and rows for this device. */
static void write_list(const char *const *rows)
{
    struct text text = { 0 };

    clfold_text_print(&text, FIRST);
    for (; *rows; ++rows) {
        clfold_text_print(&text, "%s on %s\n", *rows, key);
    }
    assert_int_equal(clfold_file_replace(file, text.bytes, text.length), 0);
    clfold_text_finish(&text);
}
#define write_rows(...) write_list((const char *const[]){ __VA_ARGS__, NULL })

static void write_bytes(const char *bytes)
{
    assert_int_equal(clfold_file_replace(file, bytes, strlen(bytes)), 0);
}

static void assert_file(const char *bytes)
{
    char *found;
    size_t length;

    assert_int_equal(clfold_file_read(file, 1 << 20, &found, &length), 0);
    assert_string_equal(found, bytes);
    clfold_free(found);
}

struct journal {
    int warnings, errors;
    char last[4096];
};

static void keep(void *user, int level, const char *message)
{
    struct journal *journal = user;

    journal->warnings += level == CLFOLD_LOG_WARNING;
    journal->errors += level == CLFOLD_LOG_ERROR;
    snprintf(journal->last, sizeof(journal->last), "%s", message);
}

static clfold_context *open_with(const char *name, struct journal *journal)
{
    const clfold_context_params params = { .tuning_file = name,
                                           .log = keep,
                                           .user = journal };
    clfold_context *ctx = NULL;

    *journal = (struct journal){ 0 };
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    return ctx;
}

/* Without a file, and with small buffers to tune with. */
static clfold_context *open_to_tune(struct journal *journal)
{
    const struct plan_override small = { .tune_bytes = 4 << 20 };
    clfold_context *ctx = open_with("", journal);

    clfold_context_override(ctx, &small);
    return ctx;
}

static clfold_report explain(clfold_context *ctx, clfold_operation operation,
                             const clfold_fold *fold, size_t count)
{
    clfold_report report;

    assert_ok(clfold_explain(ctx, operation, fold, count, &report));
    return report;
}

static bool is_tuned(clfold_context *ctx, clfold_operation operation,
                     const clfold_fold *fold, size_t count)
{
    const char *policy = explain(ctx, operation, fold, count).policy;

    return policy && strcmp(policy, "tuned") == 0;
}

/* ---- Rows -------------------------------------------------------------------------- */

/* A row serves its fold and class, and nothing else. */
static void test_serves(void **state)
{
    const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 };
    const clfold_fold least = { .op = CLFOLD_MIN, .type = CLFOLD_I32 };
    struct journal journal;
    clfold_fold rung = sum;
    clfold_report report;

    (void)state;
    write_rows("reduce add i32:i32 " ROWS "tile=tile_vector tile_bytes=512 groups=3",
               "inclusive_scan add i32:i32 " ROWS "tile=tile_vector tile_bytes=256",
               "reduce max i32:i32 " ROWS "tile=tile_group tile_bytes=2048 group_size=2");
    clfold_context *ctx = open_with(file, &journal);
    assert_int_equal(journal.warnings + journal.errors, 0);
    report = explain(ctx, CLFOLD_REDUCE, &sum, COUNT);
    assert_non_null(strstr(report.reason, "tile_vector by the tuning file"));
    assert_int_equal(report.tile, 128);
    assert_int_equal(report.group_size, 1);
    assert_true(report.num_groups <= (device.ends_loops ? 10 : 3));
    report = explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT);
    assert_non_null(strstr(report.reason, "tile_vector by the tuning file"));
    assert_int_equal(report.tile, 64);

    assert_true(is_tuned(ctx, CLFOLD_REDUCE, &sum, 1 << 11));
    assert_true(is_tuned(ctx, CLFOLD_REDUCE, &sum, (1 << 13) - 1));
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, (1 << 11) - 1));
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, 1 << 13));
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, 0));
    assert_false(is_tuned(ctx, CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT));
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &wide, COUNT));
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &least, COUNT));
    rung.algorithm = "reduce_tiles";
    assert_true(is_tuned(ctx, CLFOLD_REDUCE, &rung, COUNT));
    rung.algorithm = "reduce6";
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &rung, COUNT));
    rung.algorithm = "reduce_then_scan";
    assert_int_equal(explain(ctx, CLFOLD_INCLUSIVE_SCAN, &rung, COUNT).tile, 64);
    clfold_context_destroy(&ctx);
}

/* Of other devices, drivers and versions: nothing changes, and nothing is said. */
static void test_foreign_rows(void **state)
{
    struct journal journal;
    struct text text = { 0 };

    (void)state;
    clfold_text_print(&text, FIRST "reduce add i32:i32 " ROWS "groups=1 on %s0\n", key);
    clfold_text_print(&text, "reduce add i32:i32 " ROWS "groups=1 on %.*s\n",
                      (int)strlen(key) - 1, key);
    clfold_text_print(&text, "reduce add i32:i32 " ROWS "groups=1 on clfold 9%s\n",
                      key + strlen("clfold "));
    assert_int_equal(clfold_file_replace(file, text.bytes, text.length), 0);
    clfold_text_finish(&text);
    clfold_context *ctx = open_with(file, &journal);
    assert_int_equal(journal.warnings + journal.errors, 0);
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, COUNT));
    clfold_context_destroy(&ctx);
}

static void read_out(cl_int *results, size_t first, size_t num)
{
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 4 * first, 4 * num,
                                         results, 0, NULL, NULL),
                     CL_SUCCESS);
}

/* A reduction and both scans of a run, against the host's. */
static void check_results(clfold_context *ctx, size_t offset, size_t count)
{
    static cl_int results[COUNT + MARGIN];
    cl_uint total = 0, found = 0;

    assert_ok(clfold_inclusive_scan(ctx, device.queue, &sum, in, offset, out, offset,
                                    count, 0, NULL, NULL));
    read_out(results, offset, count);
    for (size_t i = 0; i < count; ++i) {
        total += (cl_uint)values[offset + i];
        if ((cl_uint)results[i] != total) {
            fail_msg("inclusive, %zu from %zu: item %zu", count, offset, i);
        }
    }
    assert_ok(clfold_exclusive_scan(ctx, device.queue, &sum, in, offset, out,
                                    MARGIN - offset, count, 0, NULL, NULL));
    read_out(results, MARGIN - offset, count);
    for (size_t i = 0; i < count; ++i) {
        if ((cl_uint)results[i] != found) {
            fail_msg("exclusive, %zu from %zu: item %zu", count, offset, i);
        }
        found += (cl_uint)values[offset + i];
    }
    assert_ok(clfold_reduce(ctx, device.queue, &sum, in, offset, out, offset, count, 0,
                            NULL, NULL));
    read_out(results, offset, 1);
    if ((cl_uint)results[0] != total) {
        fail_msg("reduction, %zu from %zu", count, offset);
    }
}

/* Tiles of both kinds, of sizes that no policy has, at odd places. */
static void test_results(void **state)
{
    static const struct {
        const char *reduce, *scan;
    } rows[] = {
        { "tile=tile_vector tile_bytes=256 groups=7 lane_bytes=0",
          "tile=tile_vector tile_bytes=256 groups=5 anchor=3" },
        { "tile=tile_vector tile_bytes=1004 groups=1",
          "tile=tile_vector tile_bytes=1004 groups=1 anchor=1" },
        { "tile=tile_group tile_bytes=516 group_size=7 groups=5 lane_bytes=0",
          "tile=tile_group tile_bytes=516 group_size=7 groups=3 anchor=2" },
        { "tile=tile_group tile_bytes=67108864 group_size=1 groups=1048576",
          "tile=tile_group tile_bytes=67108864 group_size=1 groups=1048576" },
        { "tile=tile_vector tile_bytes=67108864 lane_bytes=67108864",
          "tile=tile_vector tile_bytes=67108864 anchor=64" },
    };
    static const size_t counts[] = { 2048, 3001, COUNT };

    (void)state;
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); ++r) {
        char reduce[256], inclusive[256], exclusive[256];
        struct journal journal;
        snprintf(reduce, sizeof(reduce), "reduce add i32:i32 " ROWS "%s", rows[r].reduce);
        snprintf(inclusive, sizeof(inclusive), "inclusive_scan add i32:i32 " ROWS "%s",
                 rows[r].scan);
        snprintf(exclusive, sizeof(exclusive), "exclusive_scan add i32:i32 " ROWS "%s",
                 rows[r].scan);
        write_rows(reduce, inclusive, exclusive);
        clfold_context *ctx = open_with(file, &journal);
        assert_true(is_tuned(ctx, CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT));
        for (size_t c = 0; c < 3; ++c) {
            for (size_t offset = 0; offset <= MARGIN; offset += MARGIN) {
                check_results(ctx, offset, counts[c]);
            }
        }
        /* the next class is the policy's, in the same context */
        check_results(ctx, 1, 2047);
        assert_int_equal(journal.warnings + journal.errors, 0);
        clfold_context_destroy(&ctx);
    }
}

/* By look-back and by passes: tuned tiles are the same for both, so bits are. */
static void test_same_bits(void **state)
{
    static cl_float first[COUNT], second[COUNT];
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    struct journal journal;
    clfold_status status;

    (void)state;
    write_rows("inclusive_scan add f32:f32 " ROWS "tile_bytes=1028 anchor=4 groups=9");
    clfold_context *ctx = open_with(file, &journal);
    fold.algorithm = "reduce_then_scan";
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, in, 0, out, 0, COUNT, 0,
                                    NULL, NULL));
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(first),
                                         first, 0, NULL, NULL),
                     CL_SUCCESS);
    fold.algorithm = "scan_lookback";
    status = clfold_inclusive_scan(ctx, device.queue, &fold, in, 0, out, 0, COUNT, 0,
                                   NULL, NULL);
    if (status != CLFOLD_ERROR_UNSUPPORTED) {
        assert_int_equal(status, CLFOLD_OK);
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0,
                                             sizeof(second), second, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_memory_equal(first, second, sizeof(first));
    }
    clfold_context_destroy(&ctx);
}

/* ---- Files that do not serve ------------------------------------------------------- */

static void assert_ignored(const char *name, const char *words)
{
    struct journal journal;
    clfold_context *ctx = open_with(name, &journal);

    assert_int_equal(journal.warnings, 1);
    assert_int_equal(journal.errors, 0);
    if (!strstr(journal.last, words) || !strstr(journal.last, name)) {
        fail_msg("\"%s\" does not say \"%s\" of %s", journal.last, words, name);
    }
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, COUNT));
    check_results(ctx, 1, 2500);
    clfold_context_destroy(&ctx);
}

static void test_ignored(void **state)
{
    size_t most;
    char row[128];

    (void)state;
    write_bytes("no tuning at all\n");
    assert_ignored(file, "is ignored: it does not begin with \"clfold tuning 2\"");
    write_bytes("clfold tuning 1\n");
    assert_ignored(file, "is ignored: it is of another version than 2");
    write_rows("reduce add i32:i32 " ROWS "prefetch=4096");
    assert_ignored(file, "is ignored: line 2: prefetch is no number of a reduction");
    write_rows("reduce add i32:i32 " ROWS "tile_bytes=512",
               "reduce min i32:i32 " ROWS "tile_bytes=0");
    assert_ignored(file, "is ignored: line 3: tile_bytes 0 is less than 256");
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                     sizeof(most), &most, NULL),
                     CL_SUCCESS);
    snprintf(row, sizeof(row), "reduce add i32:i32 " ROWS "group_size=%zu", most + 1);
    write_rows(row);
    assert_ignored(file, most < 65536 ? "the device's most" : "is more than 65536");
    assert_ignored(folder, "cannot be read: Is a directory");
    assert_ignored("clfold-no-such-file", "cannot be read: No such file or directory");
}

/* A row serves counts of its class only, in what is prepared for smaller ones too. */
static void test_prepared(void **state)
{
    const size_t large = 1 << 20; /* of the class from 2^19 to 2^21 */
    struct journal journal;
    clfold_context *ctx;
    clfold_stats before, after;
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4096, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    write_rows("inclusive_scan add i32:i32 2^19..2^21 tile_bytes=4096");
    ctx = open_with(file, &journal);
    assert_true(is_tuned(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, large));
    assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, large));
    assert_ok(clfold_context_stats(ctx, &before));
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &sum, mem, 0, mem, 0, 100, 0, NULL,
                                    NULL));
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(after.builds, before.builds);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clfold_context_destroy(&ctx);
    clReleaseMemObject(mem);
}

/* The variable names a file where the caller names none. */
static void test_environment(void **state)
{
    struct journal journal;
    clfold_context *ctx;

    (void)state;
    write_rows("reduce add i32:i32 " ROWS "tile_bytes=512");
    assert_int_equal(setenv("CLFOLD_TUNING", file, 1), 0);
    ctx = open_with(NULL, &journal);
    assert_true(is_tuned(ctx, CLFOLD_REDUCE, &sum, COUNT));
    clfold_context_destroy(&ctx);
    ctx = open_with("", &journal);
    assert_false(is_tuned(ctx, CLFOLD_REDUCE, &sum, COUNT));
    assert_int_equal(journal.warnings, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(setenv("CLFOLD_TUNING", "clfold-no-such-file", 1), 0);
    ctx = open_with(file, &journal);
    assert_true(is_tuned(ctx, CLFOLD_REDUCE, &sum, COUNT));
    assert_int_equal(journal.warnings, 0);
    clfold_context_destroy(&ctx);
    ctx = open_with(NULL, &journal);
    assert_int_equal(journal.warnings, 1);
    clfold_context_destroy(&ctx);
    assert_int_equal(setenv("CLFOLD_TUNING", "", 1), 0);
    ctx = open_with(NULL, &journal);
    assert_int_equal(journal.warnings, 0);
    clfold_context_destroy(&ctx);
    assert_int_equal(unsetenv("CLFOLD_TUNING"), 0);
}

/* ---- clfold_tune ------------------------------------------------------------------- */

#define STRANGER "reduce add i32:i32 " ROWS "groups=1 on clfold 100; a; b; c\n"

/* Results are the default's, and the row that is given back is the one that won. */
static void test_search(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_to_tune(&journal);
    const struct tuned_numbers older = { .set = 1u << TUNED_GROUPS,
                                         .values = { [TUNED_GROUPS] = 1 } };

    (void)state;
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        struct tune_request request = { .queue = device.queue,
                                        .operation = o,
                                        .fold = &sum,
                                        .count = COUNT,
                                        .seconds = 1e-6,
                                        .previous = &older };
        const struct tuned_numbers *row;
        struct tune_result result;
        assert_ok(clfold_tune_fits(ctx, &request));
        assert_ok(clfold_tune_fold(ctx, &request, &result));
        assert_int_equal(result.outcome, TUNE_UNDECIDED);
        assert_false(clfold_tune_row(&result, &row));
        request.seconds = 1;
        assert_ok(clfold_tune_fold(ctx, &request, &result));
        assert_true(result.outcome != TUNE_FAILED);
        assert_int_equal(result.wrong, 0);
        assert_true(result.default_seconds > 0);
        assert_int_equal(clfold_tune_row(&result, &row),
                         result.outcome != TUNE_UNDECIDED || result.previous_tried);
        assert_ptr_equal(row, result.outcome == TUNE_BETTER ? &result.numbers : NULL);
        assert_false(is_tuned(ctx, o, &sum, COUNT));
    }
    clfold_context_destroy(&ctx);
}

/* A row of the fold's, and nothing else. */
static void write_old_row(char bytes[1024])
{
    snprintf(bytes, 1024,
             FIRST "reduce add i32:i32 " ROWS "tile_bytes=256 groups=1 on %s\n", key);
    write_bytes(bytes);
}

/* What it writes loads, whatever it found; rows of others stay. */
static void test_tune(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_to_tune(&journal), *next;
    char *bytes;
    size_t length;

    (void)state;
    write_bytes(FIRST STRANGER);
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        assert_ok(clfold_tune(ctx, device.queue, o, &sum, COUNT, 1, file));
        assert_int_equal(clfold_file_read(file, 1 << 20, &bytes, &length), 0);
        assert_memory_equal(bytes, FIRST STRANGER, sizeof(FIRST STRANGER) - 1);
        clfold_free(bytes);
        next = open_with(file, &journal);
        assert_int_equal(journal.warnings + journal.errors, 0);
        check_results(next, 1, COUNT - 1);
        clfold_context_destroy(&next);
    }
    /* a file that is not there is made */
    assert_int_equal(unlink(file), 0);
    assert_ok(clfold_tune(ctx, device.queue, CLFOLD_REDUCE, &sum, COUNT, 1e-6, file));
    assert_file(FIRST);
    clfold_context_destroy(&ctx);
}

/* With no time to try it an older row stays, and else goes unless it wins. */
static void test_older_row(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_to_tune(&journal);
    char old[1024];

    (void)state;
    write_old_row(old);
    assert_ok(clfold_tune(ctx, device.queue, CLFOLD_REDUCE, &sum, COUNT, 1e-6, file));
    assert_file(old);
    clfold_context_destroy(&ctx);
}

static void write_meanwhile(void *user, int level, const char *message)
{
    (void)level;
    if (strncmp(message, "tuned ", 6) == 0) {
        write_old_row(user);
    }
}

/* So does one that another process writes during the search. */
static void test_row_meanwhile(void **state)
{
    char old[1024] = "";
    const clfold_context_params params = { .tuning_file = "",
                                           .log = write_meanwhile,
                                           .user = old,
                                           .log_level = CLFOLD_LOG_INFO };
    clfold_context *ctx = NULL;

    (void)state;
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    write_bytes(FIRST);
    assert_ok(clfold_tune(ctx, device.queue, CLFOLD_REDUCE, &sum, COUNT, 1e-6, file));
    assert_true(strlen(old) > 0);
    assert_file(old);
    clfold_context_destroy(&ctx);
}

/* Whatever was there goes when the default is the best, or when it was all that there
 * was time to try and did not win. */
static void test_row(void **state)
{
    static const struct {
        enum tune_outcome outcome;
        bool previous_tried, decided;
    } cases[] = {
        { TUNE_UNDECIDED, false, false }, { TUNE_UNDECIDED, true, true },
        { TUNE_DEFAULT, false, true },    { TUNE_DEFAULT, true, true },
        { TUNE_BETTER, false, true },     { TUNE_BETTER, true, true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const struct tune_result result = { .outcome = cases[i].outcome,
                                            .previous_tried = cases[i].previous_tried };
        const struct tuned_numbers *row;
        assert_int_equal(clfold_tune_row(&result, &row), cases[i].decided);
        assert_ptr_equal(row, result.outcome == TUNE_BETTER ? &result.numbers : NULL);
    }
}

static void test_refused(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_with("", &journal);
    clfold_fold fold = sum;
    const size_t most = (size_t)1 << 50;

    (void)state;
    write_bytes(FIRST);
#define refuse(status, words, ...)                                                       \
    assert_refused(clfold_tune(__VA_ARGS__), CLFOLD_ERROR_##status, words)
    refuse(ARGUMENT, "context is NULL", NULL, device.queue, 1, &sum, COUNT, 1, file);
    refuse(ARGUMENT, "queue is NULL", ctx, NULL, 1, &sum, COUNT, 1, file);
    refuse(ARGUMENT, "fold is NULL", ctx, device.queue, 1, NULL, COUNT, 1, file);
    refuse(ARGUMENT, "file is NULL", ctx, device.queue, 1, &sum, COUNT, 1, NULL);
    refuse(ARGUMENT, "file is empty", ctx, device.queue, 1, &sum, COUNT, 1, "");
    refuse(ARGUMENT, "count is 0", ctx, device.queue, 1, &sum, 0, 1, file);
    refuse(ARGUMENT, "seconds 0 is not", ctx, device.queue, 1, &sum, COUNT, 0, file);
    refuse(ARGUMENT, "seconds -1 is not", ctx, device.queue, 1, &sum, COUNT, -1, file);
    refuse(ARGUMENT, "nan is not", ctx, device.queue, 1, &sum, COUNT, 0.0 / 0.0, file);
    refuse(ARGUMENT, "operation 0", ctx, device.queue, 0, &sum, COUNT, 1, file);
    refuse(UNSUPPORTED, "operation 4 is not in this version", ctx, device.queue,
           CLFOLD_SELECT, &sum, COUNT, 1, file);
    refuse(RANGE, "takes buffers of", ctx, device.queue, 1, &sum, most, 1, file);
    const struct tune_request request = { .queue = device.queue,
                                          .operation = CLFOLD_REDUCE,
                                          .fold = &sum,
                                          .count = most,
                                          .seconds = 1 };
    assert_refused(clfold_tune_fits(ctx, &request), CLFOLD_ERROR_RANGE,
                   "takes buffers of");
    fold.algorithm = "reduce_tiles";
    refuse(UNSUPPORTED, "algorithm", ctx, device.queue, 1, &fold, COUNT, 1, file);
    fold.algorithm = NULL;
    fold.init_at.mem = out;
    refuse(UNSUPPORTED, "init_at", ctx, device.queue, 1, &fold, COUNT, 1, file);
    fold = (clfold_fold){ .op = CLFOLD_ADD, .type = CLFOLD_I32, .total_at = { out, 0 } };
    refuse(UNSUPPORTED, "total_at", ctx, device.queue, 2, &fold, COUNT, 1, file);
    assert_file(FIRST);
    refuse(ARGUMENT, "cannot be written: Is a directory", ctx, device.queue, 1, &sum,
           COUNT, 1, folder);
    refuse(ARGUMENT, "cannot be written: No such file", ctx, device.queue, 1, &sum, COUNT,
           1, "clfold-no-such-folder/file");
    write_bytes("somebody's text\n");
    refuse(DATA, "it does not begin with", ctx, device.queue, 1, &sum, COUNT, 1, file);
    assert_file("somebody's text\n");
    clfold_context_destroy(&ctx);
}

/* Made-up elements are such that no order of combining them rounds, so every type can be
 * tuned: the default's result is the same twice, and by another tile. */
static void test_types(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_to_tune(&journal);

    (void)state;
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; op += CLFOLD_MIN_MAX - 1) {
            const clfold_fold fold = { .op = op, .type = type };
            struct tune_result result;
            const struct tune_request request = { .queue = device.queue,
                                                  .operation = CLFOLD_REDUCE,
                                                  .fold = &fold,
                                                  .count = 100000,
                                                  .seconds = 0.2 };
            if (!device_has(&device, type)) {
                continue;
            }
            assert_ok(clfold_tune_fold(ctx, &request, &result));
            assert_int_equal(result.wrong, 0);
        }
    }
    clfold_context_destroy(&ctx);
}

/* ---- The group --------------------------------------------------------------------- */

static cl_mem buffer(void)
{
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(values), NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

static int open_device(void **state)
{
    struct journal journal;
    clfold_context *ctx;

    (void)state;
    device_init(&device);
    unsetenv("CLFOLD_TUNING");
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(file, sizeof(file), "%s/tuning", folder);
    in = buffer();
    out = buffer();
    /* floats too, of moderate size */
    for (size_t i = 0; i < COUNT + MARGIN; ++i) {
        const cl_float value = 1 / (cl_float)(i + 1);
        memcpy(&values[i], &value, sizeof(value));
    }
    ctx = open_with("", &journal);
    clfold_context_key(ctx, key);
    clfold_context_destroy(&ctx);
    return clEnqueueWriteBuffer(device.queue, in, CL_TRUE, 0, sizeof(values), values, 0,
                                NULL, NULL);
}

static int close_device(void **state)
{
    (void)state;
    unlink(file);
    rmdir(folder);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    device_finish(&device);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_serves),        cmocka_unit_test(test_foreign_rows),
        cmocka_unit_test(test_results),       cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_ignored),       cmocka_unit_test(test_prepared),
        cmocka_unit_test(test_environment),   cmocka_unit_test(test_search),
        cmocka_unit_test(test_tune),          cmocka_unit_test(test_older_row),
        cmocka_unit_test(test_row_meanwhile), cmocka_unit_test(test_row),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_types),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("tune", tests, open_device, close_device);
}
