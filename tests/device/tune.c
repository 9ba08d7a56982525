/* Tuning files: what a row changes and what it does not, right results by tuned tiles,
 * files that are rejected, the environment variable, and the row of a call as text. */
#include <clfold/experimental.h>
#include "calls.h"
#include "device.h"
#include "write_file.h"

#include "base/memory.h"
#include "base/text.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <unistd.h>

#define COUNT  5000 /* of the class from 2^11 to 2^13 */
#define MARGIN 3
#define FIRST  "clfold tuning 4\n"
#define ROWS   "2^11..2^13 "
#define TEXT   1024

static struct device device;
static cl_mem in, out, whole; /* `whole`: of floats */
static cl_int values[COUNT + MARGIN];
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
    assert_ok(device_context(&ctx, &device, &params));
    return ctx;
}

static clfold_report explain(clfold_context *ctx, clfold_operation operation,
                             const clfold_fold *fold, size_t count)
{
    clfold_report report;

    assert_ok(clfold_explain(ctx, operation, fold, count, NULL, &report));
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
    write_file(file, text.bytes, text.length);
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
        if (strstr(rows[r].scan, "tile_group") && !device_has_groups()) {
            continue;
        }
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

/* ---- Accuracy, segments, maps ------------------------------------------------------ */

static const clfold_segments rows_of_5 = { .by = CLFOLD_BY_LENGTH, .length = 5 };
static const clfold_segments rows_of_1500 = { .by = CLFOLD_BY_LENGTH, .length = 1500 };
static const clfold_segments ten_columns = { .by = CLFOLD_BY_COLUMNS,
                                             .columns = 10,
                                             .length = COUNT / 10 };

static const struct other {
    const char *row;
    unsigned call;
    uint32_t accuracy;
    const clfold_segments *segments;
} others[] = {
    { "reduce add f32:f32 compensated " ROWS, CALL_REDUCE, CLFOLD_COMPENSATED, NULL },
    { "reduce add f32:f32 reproducible " ROWS, CALL_REDUCE, CLFOLD_REPRODUCIBLE, NULL },
    { "inclusive_scan add f32:f32 compensated " ROWS, CALL_INCLUSIVE_SCAN,
      CLFOLD_COMPENSATED, NULL },
    { "reduce add f32:f32 short-rows 2^1..2^3 " ROWS, CALL_REDUCE, 0, &rows_of_5 },
    { "exclusive_scan add f32:f32 rows 2^9..2^11 " ROWS, CALL_EXCLUSIVE_SCAN, 0,
      &rows_of_1500 },
    { "reduce add f32:f32 reproducible columns 2^7..2^9 " ROWS, CALL_REDUCE,
      CLFOLD_REPRODUCIBLE, &ten_columns },
    { "inclusive_scan add f32:f32 columns 2^7..2^9 " ROWS, CALL_INCLUSIVE_SCAN, 0,
      &ten_columns },
    { "map f32:f32 " ROWS, CALL_MAP, 0, NULL },
    { "map f32:i32 " ROWS, CALL_MAP, 0, NULL },
};
#define NUM_OTHERS (sizeof(others) / sizeof(others[0]))

static clfold_fold fold_of(const struct other *other)
{
    const bool is_map = other->call == CALL_MAP;

    return (clfold_fold){ .op = is_map ? 0 : CLFOLD_ADD,
                          .type = CLFOLD_F32,
                          .result = is_map ? "2 * x" : NULL,
                          .out = strstr(other->row, ":i32") ? CLFOLD_I32 : 0,
                          .accuracy = other->accuracy,
                          .segments = other->segments };
}

static bool serves(clfold_context *ctx, const struct other *other)
{
    const clfold_fold fold = fold_of(other);

    return is_tuned(ctx, call_rows[other->call].operation, &fold, COUNT);
}

/* Lanes are no vectors on some devices, which have no such tile then; CPUs alone have
 * TILE_ITEM. */
static bool has_tile(clfold_context *ctx, const struct other *other, bool is_vector)
{
    const clfold_fold fold = fold_of(other);
    const clfold_report report =
        explain(ctx, call_rows[other->call].operation, &fold, COUNT);

    return is_vector ? !device.is_rusticl || !strstr(report.algorithm, "_lanes")
                     : ctx->caps.facts.cpu;
}

/* All of `out` after the call. */
static void run_other(clfold_context *ctx, const struct other *other, cl_int *results)
{
    const clfold_fold fold = fold_of(other);

    assert_int_equal(clEnqueueWriteBuffer(device.queue, out, CL_TRUE, 0, sizeof(values),
                                          values, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_ok(call_rows[other->call].make(&(struct call){ .context = ctx,
                                                          .queue = device.queue,
                                                          .fold = &fold,
                                                          .in = whole,
                                                          .out = out,
                                                          .out_offset = MARGIN,
                                                          .count = COUNT }));
    read_out(results, 0, COUNT + MARGIN);
}

/* Rows serve what they name and nothing else, and change no result: sums are whole. */
static void test_others(void **state)
{
    static const char *const numbers[] = { "tile=tile_vector tile_bytes=512 groups=3",
                                           "tile=tile_item tile_bytes=4096 groups=7" };
    static cl_int right[COUNT + MARGIN], results[COUNT + MARGIN];
    struct journal journal;
    clfold_context *plain = open_with("", &journal);

    (void)state;
    for (size_t i = 0; i < NUM_OTHERS * 2; ++i) {
        const struct other *other = &others[i / 2];
        const bool has = has_tile(plain, other, i % 2 == 0);
        char row[256];
        snprintf(row, sizeof(row), "%s%s", other->row, numbers[i % 2]);
        write_rows(row);
        clfold_context *ctx = open_with(file, &journal);
        if (journal.warnings + journal.errors > 0) {
            fail_msg("%s: %s", row, journal.last);
        }
        for (size_t k = 0; k < NUM_OTHERS; ++k) {
            if (serves(ctx, &others[k]) != (has && &others[k] == other)) {
                fail_msg("%s serves %s or does not", row, others[k].row);
            }
        }
        run_other(plain, other, right);
        run_other(ctx, other, results);
        if (memcmp(right, results, sizeof(right)) != 0) {
            fail_msg("%s: results differ", row);
        }
        clfold_context_destroy(&ctx);
    }
    clfold_context_destroy(&plain);
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
    assert_ignored(file, "is ignored: it does not begin with \"clfold tuning 4\"");
    write_bytes("clfold tuning 1\n");
    assert_ignored(file, "is ignored: its version is not 4");
    write_rows("reduce add i32:i32 " ROWS "stream_bytes=4096");
    assert_ignored(file,
                   "is ignored: line 2: stream_bytes does not apply to a reduction");
    write_rows("reduce add i32:i32 " ROWS "tile_bytes=512",
               "reduce min i32:i32 " ROWS "tile_bytes=0");
    assert_ignored(file, "is ignored: line 3: tile_bytes 0 is less than 256");
    assert_int_equal(clGetDeviceInfo(device.id, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                     sizeof(most), &most, NULL),
                     CL_SUCCESS);
    snprintf(row, sizeof(row), "reduce add i32:i32 " ROWS "group_size=%zu", most + 1);
    write_rows(row);
    assert_ignored(file, most < 65536 ? "the device's limit" : "is more than 65536");
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
    assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, large, NULL));
    assert_ok(clfold_context_stats(ctx, &before));
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &sum, mem, 0, mem, 0, 100, 0, NULL,
                                    NULL));
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(after.builds, before.builds);
    assert_int_equal(after.disk_hits, before.disk_hits);
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

/* ---- clfold_tuning_text ------------------------------------------------------------ */

static void text_of(clfold_context *ctx, clfold_operation operation,
                    const clfold_fold *fold, size_t count, char text[TEXT])
{
    assert_ok(clfold_tuning_text(ctx, operation, fold, count, text, TEXT));
}

/* The default's numbers as a row change nothing but whose they are. */
static void test_same_plan(void **state)
{
    static const size_t counts[] = { 0, 1, COUNT, (size_t)1 << 40 };
    const clfold_fold folds[] = {
        sum,
        { .op = CLFOLD_MAX, .type = CLFOLD_F32 },
        { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 }
    };
    struct journal journal;

    (void)state;
    for (int i = 0; i < 3 * 3 * 4; ++i) {
        const clfold_operation operation = CLFOLD_REDUCE + (clfold_operation)i % 3;
        const clfold_fold *const fold = &folds[i / 3 % 3];
        const size_t count = counts[i / 9];
        char text[TEXT], again[TEXT];
        clfold_context *ctx = open_with("", &journal);
        const clfold_report by_default = explain(ctx, operation, fold, count);
        text_of(ctx, operation, fold, count, text);
        clfold_context_destroy(&ctx);
        write_bytes(text);
        ctx = open_with(file, &journal);
        assert_int_equal(journal.warnings + journal.errors, 0);
        assert_true(is_tuned(ctx, operation, fold, count));
        const clfold_report report = explain(ctx, operation, fold, count);
        assert_int_equal(report.tile, by_default.tile);
        assert_int_equal(report.group_size, by_default.group_size);
        assert_int_equal(report.num_groups, by_default.num_groups);
        assert_int_equal(report.items, by_default.items);
        text_of(ctx, operation, fold, count, again);
        assert_string_equal(again, text);
        clfold_context_destroy(&ctx);
    }
}

/* What a row leaves out is the library's own, of the row's tile. */
static void test_completed(void **state)
{
    static const char *const tiles[] = { "tile=tile_vector", "tile=tile_group" };
    struct journal journal;
    char text[TEXT], row[128];

    (void)state;
    for (int i = 0; i < 2; ++i) {
        snprintf(row, sizeof(row), "exclusive_scan add i32:i32 " ROWS "anchor=3 %s",
                 tiles[i]);
        write_rows(row);
        clfold_context *ctx = open_with(file, &journal);
        text_of(ctx, CLFOLD_EXCLUSIVE_SCAN, &sum, COUNT, text);
        snprintf(row, sizeof(row), FIRST "exclusive_scan add i32:i32 " ROWS "%s ",
                 tiles[i]);
        assert_memory_equal(text, row, strlen(row));
        assert_non_null(strstr(text, " anchor=3 "));
        assert_non_null(strstr(text, " tile_bytes="));
        assert_int_equal(strstr(text, " group_size=1 ") != NULL, i == 0);
        text_of(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, COUNT, text);
        assert_null(strstr(text, " anchor=3 "));
        clfold_context_destroy(&ctx);
    }
}

static void test_text_refused(void **state)
{
    struct journal journal;
    clfold_context *ctx = open_with("", &journal);
    const clfold_segments way = { .by = 99 };
    const clfold_fold wrong = { .op = CLFOLD_ADD };
    const clfold_fold loaded = { .op = CLFOLD_ADD, .type = CLFOLD_I32, .load = "x + 1" };
    const clfold_fold cut = { .op = CLFOLD_ADD, .type = CLFOLD_I32, .segments = &way };
    const clfold_fold pairs = { .components = "long b; float a",
                                .result = "item.a",
                                .out = CLFOLD_F32 };
    const clfold_fold own = { .source = "typedef struct { float a, b; } own;",
                              .type_name = "own",
                              .type_size = 8,
                              .result = "item.a",
                              .out = CLFOLD_F32 };
    const struct debug no_tile = { .tile = (enum tile_kind)(TILE_ITEM + 1) };
    char text[TEXT], other[TEXT] = "mine";
    size_t size;

    (void)state;
    text_of(ctx, CLFOLD_REDUCE, &sum, COUNT, text);
    size = strlen(text) + 1;
#define refuse(status, words, ...)                                                       \
    assert_refused(clfold_tuning_text(__VA_ARGS__), CLFOLD_ERROR_##status, words)
    refuse(ARGUMENT, "context is NULL", NULL, 1, &sum, COUNT, other, TEXT);
    refuse(ARGUMENT, "fold is NULL", ctx, 1, NULL, COUNT, other, TEXT);
    refuse(ARGUMENT, "text is NULL", ctx, 1, &sum, COUNT, NULL, TEXT);
    refuse(ARGUMENT, "operation 0", ctx, 0, &sum, COUNT, other, TEXT);
    refuse(ARGUMENT, "type", ctx, 1, &wrong, COUNT, other, TEXT);
    refuse(ARGUMENT, "operation 6", ctx, 6, &sum, COUNT, other, TEXT);
    refuse(UNSUPPORTED, "without a load, a result", ctx, 1, &loaded, COUNT, other, TEXT);
    refuse(UNSUPPORTED, "a number to a number", ctx, CLFOLD_MAP, &pairs, COUNT, other,
           TEXT);
    refuse(UNSUPPORTED, "a number to a number", ctx, CLFOLD_MAP, &own, COUNT, other,
           TEXT);
    refuse(ARGUMENT, "segments: by 99", ctx, 1, &cut, COUNT, other, TEXT);
    refuse(RANGE, "overflows", ctx, 1, &sum, SIZE_MAX, other, TEXT);
    refuse(RANGE, "is less than the", ctx, 1, &sum, COUNT, other, size - 1);
    refuse(RANGE, "size 0 is less", ctx, 1, &sum, COUNT, other, 0);
    clfold_context_override(ctx, &no_tile);
    refuse(UNSUPPORTED, "has no work-group for add", ctx, 1, &sum, COUNT, other, TEXT);
    clfold_context_override(ctx, NULL);
    assert_string_equal(other, "mine");
    assert_ok(clfold_tuning_text(ctx, 1, &sum, COUNT, other, size));
    assert_string_equal(other, text);
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
    static cl_float floats[COUNT + MARGIN];
    struct journal journal;
    char text[TEXT];
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
    whole = buffer();
    /* floats too, of moderate size */
    for (size_t i = 0; i < COUNT + MARGIN; ++i) {
        const cl_float value = 1 / (cl_float)(i + 1);
        memcpy(&values[i], &value, sizeof(value));
    }
    ctx = open_with("", &journal);
    assert_ok(clfold_tuning_text(ctx, CLFOLD_REDUCE, &sum, 1, text, TEXT));
    snprintf(key, sizeof(key), "%.*s", (int)strcspn(strstr(text, " on ") + 4, "\n"),
             strstr(text, " on ") + 4);
    clfold_context_destroy(&ctx);
    for (size_t i = 0; i < COUNT + MARGIN; ++i) {
        floats[i] = (cl_float)(i % 13) - 5;
    }
    return clEnqueueWriteBuffer(device.queue, in, CL_TRUE, 0, sizeof(values), values, 0,
                                NULL, NULL) ||
           clEnqueueWriteBuffer(device.queue, whole, CL_TRUE, 0, sizeof(floats), floats,
                                0, NULL, NULL);
}

static int close_device(void **state)
{
    (void)state;
    unlink(file);
    rmdir(folder);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(whole);
    device_finish(&device);
    return 0;
}

TEST_MAIN("tune", open_device, close_device, cmocka_unit_test(test_serves),
          cmocka_unit_test(test_foreign_rows), cmocka_unit_test(test_results),
          cmocka_unit_test(test_same_bits), cmocka_unit_test(test_ignored),
          cmocka_unit_test(test_prepared), cmocka_unit_test(test_environment),
          cmocka_unit_test(test_same_plan), cmocka_unit_test(test_completed),
          cmocka_unit_test(test_text_refused), cmocka_unit_test(test_others))
