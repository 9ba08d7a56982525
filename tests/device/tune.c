/* Tuning files: what a row changes and what it does not, right results by tuned tiles,
 * files that are rejected, the environment variable, and the row of a call. Which keys
 * are a device's: unit/tuning.c. */
#include <clfold/experimental.h>
#include "calls.h"
#include "lookback.h"
#include "test.h"
#include "trial.h"
#include "write_file.h"

#include "base/memory.h"
#include "base/text.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <unistd.h>

#define COUNT  5000 /* of the class from 2^11 to 2^13 */
#define MARGIN 3
#define FIRST  "clfold tuning 5\n"
#define ROWS   "4 2^11..2^13 "
#define TEXT   1024

static cl_mem whole, out; /* `whole`: of floats that are whole numbers */
static char key[512];
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
    write_file(file, text.bytes, text.length);
    clfold_text_finish(&text);
}
#define write_rows(...) write_list((const char *const[]){ __VA_ARGS__, NULL })

static void write_bytes(const char *bytes)
{
    write_file(file, bytes, strlen(bytes));
}

static struct journal {
    int warnings, errors;
    char last[4096];
} journal;

static void keep(void *user, int level, const char *message)
{
    (void)user;
    journal.warnings += level == CLFOLD_LOG_WARNING;
    journal.errors += level == CLFOLD_LOG_ERROR;
    snprintf(journal.last, sizeof(journal.last), "%s", message);
}

/* Makes `ctx` a context with that file. */
static void open_with(const char *name)
{
    const clfold_context_params params = { .tuning_file = name, .log = keep };

    clfold_context_destroy(&ctx);
    journal = (struct journal){ 0 };
    assert_ok(device_context(&ctx, &device, &params));
}

static clfold_report explain(clfold_operation operation, const clfold_fold *fold,
                             size_t count)
{
    clfold_report report;

    assert_ok(clfold_explain(ctx, operation, fold, count, NULL, &report));
    return report;
}

static bool is_tuned(clfold_operation operation, const clfold_fold *fold, size_t count)
{
    const char *policy = explain(operation, fold, count).policy;

    return policy && strcmp(policy, "tuned") == 0;
}

/* ---- Rows -------------------------------------------------------------------------- */

/* A row serves its operation, size and class, and nothing else. */
static void test_serves(void **state)
{
    const clfold_fold wide = { .op = CLFOLD_ADD, .type = CLFOLD_I64 };
    const clfold_fold least = { .op = CLFOLD_MIN, .type = CLFOLD_F32, .load = "x + 1" };
    const clfold_fold some = { .type = CLFOLD_I32, .keep = "x > 3" };
    clfold_fold rung = sum;
    clfold_report report;

    write_rows("reduce " ROWS "tile=tile_vector tile_bytes=512 groups=3",
               "scan " ROWS "tile=tile_vector tile_bytes=256",
               "map " ROWS "tile=tile_group tile_bytes=2048 group_size=2");
    open_with(file);
    assert_int_equal(journal.warnings + journal.errors, 0);
    report = explain(CLFOLD_REDUCE, &sum, COUNT);
    assert_non_null(strstr(report.reason, "tile_vector by the tuning file"));
    assert_int_equal(report.tile, 128);
    assert_true(report.num_groups <= (device.ends_loops ? 10 : 3));
    for (clfold_operation o = CLFOLD_INCLUSIVE_SCAN; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        report = explain(o, &sum, COUNT);
        assert_non_null(strstr(report.reason, "tile_vector by the tuning file"));
        assert_int_equal(report.tile, 64);
    }
    assert_true(is_tuned(CLFOLD_REDUCE, &sum, 1 << 11));
    assert_true(is_tuned(CLFOLD_REDUCE, &sum, (1 << 13) - 1));
    assert_true(is_tuned(CLFOLD_REDUCE, &least, COUNT));
    assert_false(is_tuned(CLFOLD_REDUCE, &sum, (1 << 11) - 1));
    assert_false(is_tuned(CLFOLD_REDUCE, &sum, 1 << 13));
    assert_false(is_tuned(CLFOLD_INCLUSIVE_SCAN, &wide, COUNT));
    assert_false(is_tuned(CLFOLD_SELECT, &some, COUNT));
    rung.algorithm = "reduce_tiles";
    assert_true(is_tuned(CLFOLD_REDUCE, &rung, COUNT));
    rung.algorithm = "reduce6";
    assert_false(is_tuned(CLFOLD_REDUCE, &rung, COUNT));
    /* The same tile for all scans, and so the same bits. */
    for (size_t k = 0; k < SCAN_ALGORITHMS; ++k) {
        rung.algorithm = scan_algorithms[k];
        if (!may_look_back(rung.algorithm) || device.is_known) {
            report = explain(CLFOLD_INCLUSIVE_SCAN, &rung, COUNT);
            assert_int_equal(report.tile, strcmp(rung.algorithm, "serial") ? 64 : 0);
        }
    }
}

/* The library's own rows come after a file's. */
static void test_own(void **state)
{
    const struct tuned_numbers numbers = { .set = 1 << TUNED_TILE_BYTES,
                                           .values[TUNED_TILE_BYTES] = 768,
                                           .is_own = true };
    struct tuning_row rows[] = { { { CLFOLD_REDUCE, 4, 6 }, numbers, 1 },
                                 { { CLFOLD_INCLUSIVE_SCAN, 4, 6 }, numbers, 1 } };
    clfold_tuning_row row;

    write_rows("scan " ROWS "tile_bytes=512");
    open_with(file);
    const struct tuning own = ctx->own;
    ctx->own = (struct tuning){ rows, 2 };
    assert_string_equal(explain(CLFOLD_REDUCE, &sum, COUNT).policy, "measured");
    assert_string_equal(explain(CLFOLD_INCLUSIVE_SCAN, &sum, COUNT).policy, "tuned");
    assert_ok(clfold_explain_tuning(ctx, CLFOLD_REDUCE, &sum, COUNT, &row));
    assert_int_equal(row.tile_bytes, 768);
    assert_ok(clfold_explain_tuning(ctx, CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT, &row));
    assert_int_equal(row.tile_bytes, 512);
    ctx->own = own;
}

/* A reduction and both scans. */
static void check_results(size_t offset, size_t count)
{
    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        const struct trial trial = { .op = CLFOLD_ADD,
                                     .pair = { CLFOLD_I32, CLFOLD_I32 },
                                     .operation = o,
                                     .count = count,
                                     .in_offset = offset,
                                     .out_offset = o == CLFOLD_EXCLUSIVE_SCAN
                                                       ? MARGIN - offset
                                                       : offset };
        assert_true(trial_check(&trial, NULL));
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

    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); ++r) {
        char reduce[256], scan[256];
        if (strstr(rows[r].scan, "tile_group") && !device_has_groups()) {
            continue;
        }
        snprintf(reduce, sizeof(reduce), "reduce " ROWS "%s", rows[r].reduce);
        snprintf(scan, sizeof(scan), "scan " ROWS "%s", rows[r].scan);
        write_rows(reduce, scan);
        open_with(file);
        for (size_t c = 0; c < 3; ++c) {
            for (size_t offset = 0; offset <= MARGIN; offset += MARGIN) {
                check_results(offset, counts[c]);
            }
        }
        /* by the trials' plan, too */
        assert_true(is_tuned(CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT));
        /* the next class is the policy's, in the same context */
        check_results(1, 2047);
        assert_int_equal(journal.warnings + journal.errors, 0);
    }
}

/* ---- Accuracy, segments, maps, selects --------------------------------------------- */

static const clfold_segments rows_of_5 = { .by = CLFOLD_BY_LENGTH, .length = 5 };
static const clfold_segments rows_of_1500 = { .by = CLFOLD_BY_LENGTH, .length = 1500 };
static const clfold_segments ten_columns = { .by = CLFOLD_BY_COLUMNS,
                                             .columns = 10,
                                             .length = COUNT / 10 };
static clfold_segments by_flags = { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 };

/* Elements of 4 bytes, folded as such, and as items that are much wider. */
#define SUM(...)                                                                         \
    {                                                                                    \
        .op = CLFOLD_ADD, .type = CLFOLD_F32, __VA_ARGS__                                \
    }
static const struct other {
    unsigned call;
    clfold_fold fold;
} others[] = {
    { CALL_REDUCE, SUM(.accuracy = CLFOLD_COMPENSATED) },
    { CALL_REDUCE, SUM(.segments = &rows_of_5) },
    { CALL_REDUCE, SUM(.accuracy = CLFOLD_REPRODUCIBLE, .segments = &ten_columns) },
    { CALL_REDUCE, SUM(.segments = &by_flags) },
    { CALL_REDUCE,
      { .components = "ulong a; ulong b; ulong c; ulong d",
        .in = CLFOLD_F32,
        .load = "{ i, i + 1, i + 2, i + 3 }",
        .combine = "{ a.a + b.a, a.b + b.b, a.c, b.d }" } },
    { CALL_INCLUSIVE_SCAN, SUM(.accuracy = CLFOLD_COMPENSATED) },
    { CALL_EXCLUSIVE_SCAN, SUM(.segments = &rows_of_1500) },
    { CALL_INCLUSIVE_SCAN, SUM(.segments = &ten_columns) },
    { CALL_INCLUSIVE_SCAN, SUM(.segments = &by_flags) },
    { CALL_MAP, { .type = CLFOLD_F32, .result = "2 * x" } },
    { CALL_MAP, { .type = CLFOLD_F32, .result = "2 * x", .out = CLFOLD_I32 } },
    { CALL_SELECT, { .type = CLFOLD_F32 } },
};
#define NUM_OTHERS (sizeof(others) / sizeof(others[0]))

/* Rows serve all of these. That any tile gives right results: trials.c. */
static void test_others(void **state)
{
    static const char *const tiles[] = { "tile=tile_vector tile_bytes=256 groups=3",
                                         "tile=tile_item tile_bytes=4096 groups=7" };

    for (int t = 0; t < 2; ++t) {
        char rows[4][256];
        for (int i = 0; i < 4; ++i) {
            snprintf(rows[i], sizeof(rows[i]), "%s " ROWS "%s",
                     (const char *[]){ "reduce", "scan", "map", "select" }[i], tiles[t]);
        }
        write_rows(rows[0], rows[1], rows[2], rows[3]);
        open_with(file);
        assert_int_equal(journal.warnings + journal.errors, 0);
        for (size_t i = 0; i < NUM_OTHERS; ++i) {
            const clfold_operation operation = call_rows[others[i].call].operation;
            const clfold_fold fold = fold_for(operation, &others[i].fold);
            /* lanes of rusticl's are no vectors, and only CPUs have the other tile */
            assert_true(is_tuned(operation, &fold, COUNT) || device.is_rusticl ||
                        !ctx->caps.facts.cpu);
        }
    }
}

/* ---- Files that do not serve ------------------------------------------------------- */

static void assert_ignored(const char *name, const char *words)
{
    open_with(name);

    assert_int_equal(journal.warnings, 1);
    assert_int_equal(journal.errors, 0);
    if (!strstr(journal.last, words) || !strstr(journal.last, name)) {
        fail_msg("\"%s\" does not say \"%s\" of %s", journal.last, words, name);
    }
    assert_false(is_tuned(CLFOLD_REDUCE, &sum, COUNT));
    check_results(1, 2500);
}

static void test_ignored(void **state)
{
    write_bytes("clfold tuning 4\nreduce add i32:i32 2^11..2^13 groups=1 on x\n");
    assert_ignored(file, "is ignored: its version is not 5; remove it and run clfold "
                         "tune again");
    write_rows("reduce " ROWS "tile_bytes=512", "reduce " ROWS "tile_bytes=0");
    assert_ignored(file, "is ignored: line 3: tile_bytes 0 is not from 256");
    write_rows("reduce " ROWS "group_size=65536", "reduce " ROWS "group_size=65537");
    assert_ignored(file, "is not from 1 to");
    assert_ignored(folder, "cannot be read: Is a directory");
    assert_ignored("clfold-no-such-file", "cannot be read: No such file or directory");
}

/* A row serves counts of its class only, in what is prepared for smaller ones too. */
static void test_prepared(void **state)
{
    const size_t large = 1 << 20; /* of the class from 2^19 to 2^21 */
    clfold_stats before, after;

    write_rows("scan 4 2^19..2^21 tile_bytes=4096", "scan 4 2^7..2^9 tile_bytes=512");
    open_with(file);
    assert_true(is_tuned(CLFOLD_INCLUSIVE_SCAN, &sum, large));
    assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, large, NULL));
    assert_ok(clfold_context_stats(ctx, &before));
    for (size_t count = 100; count <= 200; count += 100) {
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &sum, whole, 0, out, 0, count));
    }
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(after.builds, before.builds);
    assert_int_equal(after.disk_hits, before.disk_hits);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
}

/* The variable names a file where the caller names none. */
static void test_environment(void **state)
{
    static const char missing[] = "clfold-no-such-file";
    const struct {
        const char *variable, *name;
        bool tuned, warns;
    } cases[] = {
        { file, NULL, true, false },    { file, "", false, false },
        { missing, file, true, false }, { missing, NULL, false, true },
        { "", NULL, false, false },
    };

    write_rows("reduce " ROWS "tile_bytes=512");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        assert_int_equal(setenv("CLFOLD_TUNING", cases[i].variable, 1), 0);
        open_with(cases[i].name);
        assert_int_equal(is_tuned(CLFOLD_REDUCE, &sum, COUNT), cases[i].tuned);
        assert_int_equal(journal.warnings, cases[i].warns);
    }
    assert_int_equal(unsetenv("CLFOLD_TUNING"), 0);
}

/* ---- clfold_explain_tuning --------------------------------------------------------- */

static clfold_tuning_row row_of(clfold_operation operation, const clfold_fold *fold,
                                size_t count)
{
    clfold_tuning_row row;

    assert_ok(clfold_explain_tuning(ctx, operation, fold, count, &row));
    return row;
}

/* What a row leaves out is the library's own, of the row's tile. */
static void test_completed(void **state)
{
    static const char *const tiles[] = { "tile_vector", "tile_group" };
    char text[128];

    for (int i = 0; i < 2; ++i) {
        snprintf(text, sizeof(text), "scan " ROWS "anchor=3 tile=%s", tiles[i]);
        write_rows(text);
        open_with(file);
        const clfold_tuning_row row = row_of(CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT);
        assert_string_equal(row.tile, tiles[i]);
        assert_int_equal(row.anchor, 3);
        assert_true(row.tile_bytes > 0 && row.groups > 0);
        assert_int_equal(row.group_size == 1, i == 0);
        assert_int_equal(row.count_class, 6);
        assert_int_not_equal(row_of(CLFOLD_INCLUSIVE_SCAN, &sum, 3).anchor, 3);
    }
}

/* ---- The group --------------------------------------------------------------------- */

static int open_device(void **state)
{
    static cl_float floats[COUNT + MARGIN];

    device_init(&device);
    unsetenv("CLFOLD_TUNING");
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(file, sizeof(file), "%s/tuning", folder);
    for (size_t i = 0; i < COUNT + MARGIN; ++i) {
        floats[i] = (cl_float)(i % 13) - 5;
    }
    whole = copied_buffer(floats, sizeof(floats));
    out = coloured_buffer(sizeof(floats));
    by_flags.mem = whole;
    open_with("");
    snprintf(key, sizeof(key), "%s", row_of(CLFOLD_REDUCE, &sum, 1).device);
    return 0;
}

static int close_device(void **state)
{
    unlink(file);
    rmdir(folder);
    clReleaseMemObject(whole);
    clReleaseMemObject(out);
    return close_context(state);
}

TEST_MAIN("tune", open_device, close_device, cmocka_unit_test(test_serves),
          cmocka_unit_test(test_own), cmocka_unit_test(test_results),
          cmocka_unit_test(test_ignored), cmocka_unit_test(test_prepared),
          cmocka_unit_test(test_environment), cmocka_unit_test(test_completed),
          cmocka_unit_test(test_others))
