/*
 * Rows and columns of built-in operators, by every algorithm on every tile, against the
 * oracle's fold of each. Operators of the caller's: folds.c. What a call rejects:
 * test_rejected, here.
 */
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#define MOST 6000

/* ---- All of them ------------------------------------------------------------------- */

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8, .max_groups = 4 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static const struct {
    clfold_op op;
    struct pair pair;
} folds[] = {
    { CLFOLD_ADD, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U64 } },
    { CLFOLD_ARG_MIN, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_MIN_MAX, { CLFOLD_I16, CLFOLD_I16 } },
    { CLFOLD_MAX, { CLFOLD_F32, CLFOLD_F32 } },
    { CLFOLD_ARG_MIN_MAX, { CLFOLD_I64, CLFOLD_I64 } },
    { CLFOLD_LOGICAL_OR, { CLFOLD_I8, CLFOLD_U32 } },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

/* Boundaries of vectors, tiles, bundles and runs; of lengths and of numbers. */
static const size_t sizes[] = { 1,  2,  3,  4,  5,  15,  16,  17,
                                48, 63, 64, 65, 80, 127, 257, 1009 };
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

/* Each third input offset has an init from the host, each fourth one in device memory. An
 * index would take part in ties, and so has no exclusive scan. */
static void check(struct trial trial)
{
    const bool is_scan = trial.operation != CLFOLD_REDUCE;
    const size_t result = trial_result_size(&trial);

    trial.init = is_arg(trial.op) || trial.in_offset < 3 ? INIT_NONE
                 : trial.in_offset == 3                  ? INIT_HOST
                                                         : INIT_DEVICE;
    if (is_scan) {
        trial.total = TOTAL_APART;
        trial.in_place = trial.out_offset == 2 && trial_element_size(&trial) == result;
    }
    trial_check(&trial, NULL);
}

static void check_sizes(struct trial trial)
{
    for (size_t i = 0; i < NUM_SIZES * NUM_SIZES; ++i) {
        const size_t length = sizes[i % NUM_SIZES], num = sizes[i / NUM_SIZES];
        if (length * num > MOST) {
            continue;
        }
        trial.seed = i;
        trial.in_offset = i % 5;
        trial.out_offset = i % 3;
        trial.length = length;
        /* Rows, the last of which may be short; columns, in one block or two. */
        trial.width = 1;
        trial.count = length * num - (length > 1 ? i % (length - 1) : 0);
        check(trial);
        if (trial.algorithm && !strstr(trial.algorithm, "lanes")) {
            continue;
        }
        trial.width = num;
        trial.count = length * num * (length * num * 2 > MOST ? 1 : 1 + i % 2);
        if (num > 1) {
            check(trial);
        }
    }
}

/* `operation` 0: a scan. */
static void check_all(clfold_operation operation, const char *const algorithms[3])
{
    for (size_t k = 0; k < NUM_FOLDS * NUM_TILES * 3; ++k) {
        const size_t f = k / 3 / NUM_TILES, t = k / 3 % NUM_TILES, a = k % 3;
        if (!policy_has_tile(tiles[t].tile) ||
            (tiles[t].tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform))) {
            continue; /* lanes are no vectors there */
        }
        /* Builds take most of the time: other folds than the first in turn. */
        if (((f == 0 && t > 0) || (f + t) % 3 == a) && device_takes(&device, k)) {
            const bool exclusive = (f + t + a) % 2 && !is_arg(folds[f].op);
            check_sizes(
                (struct trial){ .operation = operation ? operation : scan_of(exclusive),
                                .op = folds[f].op,
                                .pair = folds[f].pair,
                                .algorithm = algorithms[a],
                                .plan = tiles[t] });
        }
    }
}

static void test_reduce(void **state)
{
    const char *const algorithms[] = { NULL, "reduce_lanes", "reduce_tiles" };

    (void)state;
    check_all(CLFOLD_REDUCE, algorithms);
}

static void test_scan(void **state)
{
    const char *const algorithms[] = { NULL, "scan_lanes", "scan_lookback" };

    (void)state;
    check_all(0, algorithms);
}

/* ---- Totals ------------------------------------------------------------------------ */

/* The total is the last item, whatever the operator rounds, though another launch folds
 * what is before its run. */
static void test_totals(void **state)
{
    static const size_t widths[] = { 1, 2, 3, 7, 12, 16, 17, 40, 300 };
    enum { COUNT = 1 << 18 };
    static float values[COUNT];
    cl_mem in, out;

    (void)state;
    clfold_context_override(ctx, NULL);
    for (size_t i = 0; i < COUNT; ++i) {
        values[i] = (float)(i * 2654435761u % 16777213) * 0x1p-20f - 8;
    }
    in = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values) + 4);
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); ++w) {
        const size_t width = widths[w], count = COUNT / width * width;
        const clfold_segments segments = { .by = width > 1 ? CLFOLD_BY_COLUMNS
                                                           : CLFOLD_BY_LENGTH,
                                           .length = count / width,
                                           .columns = width > 1 ? width : 0 };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_F32,
                                   .segments = &segments,
                                   .algorithm = "scan_lanes",
                                   .total_out = { out, COUNT } };
        cl_uint last, total;
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, in, 0, out, 0, count));
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, (count - 1) * 4,
                                             4, &last, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE,
                                             (size_t)COUNT * 4, 4, &total, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(last, total);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* In place as apart, though a row's last vector has elements that are written already. */
static void test_in_place(void **state)
{
    static const size_t widths[] = { 1, 3, 16, 17, 33, 300 };
    enum { COUNT = 1 << 14 };
    static cl_int values[COUNT], expected[COUNT], found[COUNT];
    cl_mem in, out;

    (void)state;
    clfold_context_override(ctx, NULL);
    for (cl_int i = 0; i < COUNT; ++i) {
        values[i] = i * 7919 % 1009 - 500;
    }
    in = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values));
    for (size_t w = 0; w < 2 * sizeof(widths) / sizeof(widths[0]); ++w) {
        const clfold_operation o = CLFOLD_INCLUSIVE_SCAN + (clfold_operation)(w % 2);
        const size_t width = widths[w / 2], count = COUNT / width * width;
        const clfold_segments segments = { .by = CLFOLD_BY_COLUMNS,
                                           .length = count / width,
                                           .columns = width };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_I32,
                                   .segments = &segments,
                                   .result = "item - 2 * x" };
        write_buffer(in, 0, sizeof(values), values);
        assert_ok(call_operation(o, &fold, in, 0, out, 0, count));
        assert_ok(call_operation(o, &fold, in, 0, in, 0, count));
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, count * 4,
                                             expected, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clEnqueueReadBuffer(device.queue, in, CL_TRUE, 0, count * 4,
                                             found, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_memory_equal(expected, found, count * 4);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- Names of texts ---------------------------------------------------------------- */

/* What a text makes of an element is a number of its segment and rank. */
#define NAMED "segment * 4099 + rank"

static cl_ulong named(size_t segment, size_t rank)
{
    return (cl_ulong)segment * 4099 + rank;
}

static const struct {
    clfold_operation operation;
    clfold_fold fold;
} name_cases[] = {
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = NAMED } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "0 * in[i] + " NAMED } },
    { CLFOLD_INCLUSIVE_SCAN, { .op = CLFOLD_ADD, .type = CLFOLD_U64, .load = NAMED } },
    { CLFOLD_EXCLUSIVE_SCAN,
      { .op = CLFOLD_ADD, .type = CLFOLD_U64, .load = "1", .result = "item + " NAMED } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD,
        .type = CLFOLD_U64,
        .load = NAMED,
        .result = "item + segment" } },
};
#define NUM_NAME_CASES (sizeof(name_cases) / sizeof(name_cases[0]))

/* The results of case k; returns how many. Without segments `width` is 0. */
static size_t expect_names(cl_ulong *results, size_t k, size_t width, size_t length,
                           size_t count)
{
    static cl_ulong sums[MOST];
    size_t most = 0;

    memset(sums, 0, sizeof(sums));
    for (size_t i = 0; i < count; ++i) {
        const size_t block = width ? i / (width * length) : 0;
        const size_t rest = width ? i % (width * length) : 0;
        const size_t segment = width ? block * width + rest % width : 0;
        const size_t rank = width ? rest / width : i;
        const cl_ulong value = named(segment, rank);
        sums[segment] += value;
        most = segment > most ? segment : most;
        results[i] = name_cases[k].operation == CLFOLD_MAP              ? value
                     : name_cases[k].operation == CLFOLD_INCLUSIVE_SCAN ? sums[segment]
                                                                        : rank + value;
    }
    if (name_cases[k].operation != CLFOLD_REDUCE) {
        return count;
    }
    for (size_t s = 0; s <= most; ++s) {
        results[s] = sums[s] + s;
    }
    return most + 1;
}

static void check_names(size_t k, size_t width, size_t length, size_t count)
{
    static cl_ulong expected[MOST], found[MOST];
    const clfold_segments segments = { .by = width > 1 ? CLFOLD_BY_COLUMNS
                                                       : CLFOLD_BY_LENGTH,
                                       .length = length,
                                       .columns = width > 1 ? width : 0 };
    clfold_fold fold = name_cases[k].fold;
    const size_t num = expect_names(expected, k, width, length, count);
    cl_mem in = coloured_buffer((count + 3) * 8), out = coloured_buffer((num + 2) * 8);

    fold.segments = width ? &segments : NULL;
    assert_ok(call_operation(name_cases[k].operation, &fold, in, 3, out, 2, count));
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 16, num * 8, found,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < num; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("case %zu, width %zu, length %zu, result %zu: %llu, not %llu", k,
                     width, length, i, (unsigned long long)found[i],
                     (unsigned long long)expected[i]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_names(void **state)
{
    static const size_t lengths[] = { 1, 3, 15, 16, 17, 100, 1500 };
    static const size_t widths[] = { 1, 2, 5, 15, 16, 17, 33 };

    (void)state;
    for (size_t k = 0; k < NUM_NAME_CASES * NUM_TILES; ++k) {
        const size_t c = k / NUM_TILES, t = k % NUM_TILES;
        if (!policy_has_tile(tiles[t].tile) ||
            (tiles[t].tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform)) ||
            (t > 0 && (c + t) % 2)) {
            continue;
        }
        clfold_context_override(ctx, &tiles[t]);
        check_names(c, 0, 0, 1000);
        for (size_t l = 0; l < 7; ++l) {
            for (size_t w = 0; w < 7; ++w) {
                const size_t block = lengths[l] * widths[w];
                if (block <= MOST) {
                    check_names(c, widths[w], lengths[l],
                                widths[w] > 1 ? block * (MOST / block > 2 ? 3 : 1)
                                              : MOST / block * block - lengths[l] / 2);
                }
            }
        }
        clfold_context_override(ctx, NULL);
    }
}

static void test_rejected_names(void **state)
{
    const cl_uint two[] = { 0, 4 };
    cl_mem heads = copied_buffer(two, sizeof(two)), mem = coloured_buffer(64);
    const clfold_segments ways[] = {
        { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8, .mem = heads },
        { .by = CLFOLD_BY_KEYS, .type = CLFOLD_U8, .mem = heads },
        { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .mem = heads, .num = 1 },
    };
    const clfold_fold reduced = { .op = CLFOLD_ADD,
                                  .type = CLFOLD_U32,
                                  .result = "item + rank" };
    const clfold_arg arg = CLFOLD_VALUE("uint", rank, two[0]);
    const clfold_fold taken = {
        .op = CLFOLD_ADD, .type = CLFOLD_U32, .load = "x", .args = &arg, .num_args = 1
    };

    (void)state;
    for (size_t i = 0; i < 3; ++i) {
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_U32,
                                   .load = i % 2 ? NULL : "x + rank",
                                   .result = i % 2 ? "item + segment" : NULL,
                                   .segments = &ways[i] };
        assert_refused(
            call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, mem, 0, mem, 0, 4),
            CLFOLD_ERROR_ARGUMENT,
            i % 2 ? "result uses segment or rank, which segments by keys do not have"
                  : "load uses segment or rank, which segments by");
    }
    assert_refused(call_operation(CLFOLD_REDUCE, &reduced, mem, 0, heads, 0, 4),
                   CLFOLD_ERROR_ARGUMENT, "result uses rank, but what a reduction");
    assert_refused(call_operation(CLFOLD_REDUCE, &taken, mem, 0, heads, 0, 4),
                   CLFOLD_ERROR_ARGUMENT, "the name rank is reserved");
    clReleaseMemObject(heads);
    clReleaseMemObject(mem);
}

/* ---- What is rejected -------------------------------------------------------------- */

static void test_rejected(void **state)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4000, NULL, &status);
    const struct {
        clfold_segments segments;
        size_t count;
        clfold_status status;
        const char *words;
    } cases[] = {
        { { .by = 0, .num = 3 }, 12, CLFOLD_ERROR_ARGUMENT, "by 0" },
        { { .by = 6, .num = 3 }, 12, CLFOLD_ERROR_ARGUMENT, "by 6" },
        { { .by = CLFOLD_BY_OFFSETS }, 12, CLFOLD_ERROR_ARGUMENT, "of the offsets" },
        { { .by = CLFOLD_BY_LENGTH }, 12, CLFOLD_ERROR_ARGUMENT, "length is 0" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .columns = 2 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "columns is given" },
        { { .by = CLFOLD_BY_COLUMNS, .length = 3 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "columns is 0" },
        { { .by = CLFOLD_BY_COLUMNS, .columns = 3 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "length is 0" },
        { { .by = CLFOLD_BY_COLUMNS, .columns = 3, .length = 5 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "count 12 is not a multiple" },
        { { .by = CLFOLD_BY_COLUMNS, .columns = SIZE_MAX, .length = SIZE_MAX },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "count 12 is not a multiple" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .num = 2 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "num is given" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .type = CLFOLD_U32 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "type is given" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .mem = mem },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "mem is given" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .offset = 7 },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "mem is given" },
        { { .by = CLFOLD_BY_LENGTH, .length = 3, .reserved = { 0, 1 } },
          12,
          CLFOLD_ERROR_ARGUMENT,
          "segments: reserved[1]" },
        /* 500 results of the input's first half would overwrite its second. */
        { { .by = CLFOLD_BY_LENGTH, .length = 1 },
          500,
          CLFOLD_ERROR_OVERLAP,
          "overlaps" },
        { { .by = CLFOLD_BY_LENGTH, .length = 1 }, 1000, CLFOLD_ERROR_RANGE, "out" },
    };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .columns = 3,
                                      .length = 4 };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    cl_uint result;

    (void)state;
    clfold_context_override(ctx, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        fold.segments = &cases[i].segments;
        assert_refused(clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400,
                                     cases[i].count, 0, NULL, NULL),
                       cases[i].status, cases[i].words);
    }
    fold.segments = &columns;
    fold.algorithm = "reduce_tiles";
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_UNSUPPORTED, "does not take columns");
    fold.algorithm = "reduce_tiles";
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_UNSUPPORTED, "reduce_tiles");
    fold.algorithm = NULL;
    /* The first result would overwrite what other segments read. */
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 0, 12, 0, NULL, NULL),
        CLFOLD_ERROR_OVERLAP, "out");
    fold.init_at = (clfold_place){ mem, 401 };
    assert_refused(
        clfold_reduce(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0, NULL, NULL),
        CLFOLD_ERROR_OVERLAP, "init_at");
    fold.init_at = (clfold_place){ NULL, 0 };
    /* A total is the last segment's, and init is every segment's. */
    fold.total_out = fold.init_at = (clfold_place){ mem, 900 };
    assert_refused(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12,
                                         0, NULL, NULL),
                   CLFOLD_ERROR_OVERLAP, "total_out");
    fold.segments = NULL;
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12, 0,
                                    NULL, NULL));
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    fold.segments = &columns;
    fold.total_out = (clfold_place){ mem, 411 };
    assert_refused(clfold_inclusive_scan(ctx, device.queue, &fold, mem, 0, mem, 400, 12,
                                         0, NULL, NULL),
                   CLFOLD_ERROR_OVERLAP, "total_out");
    fold.total_out = fold.init_at = (clfold_place){ NULL, 0 };
    assert_refused(
        clfold_reduce_host(ctx, device.queue, &fold, mem, 0, 12, &result, sizeof(result)),
        CLFOLD_ERROR_UNSUPPORTED, "segments");
    /* No segment has no result, so none needs an identity. */
    fold.op = CLFOLD_ARG_MIN;
    assert_ok(
        clfold_reduce(ctx, device.queue, &fold, NULL, 0, NULL, 0, 0, 0, NULL, NULL));
    clReleaseMemObject(mem);
}

/* ---- Ahead of time ----------------------------------------------------------------- */

/* A call after clfold_prepare builds nothing and needs no more scratch, also on fewer
 * elements; explain says what it does. */
static void test_prepare(void **state)
{
    static const struct {
        clfold_segments segments;
        const char *words; /* of the reason */
        size_t count;
    } all[] = {
        /* First, as no other builds then what its short rows take, nor what many rows and
         * few take. */
        { { .by = CLFOLD_BY_LENGTH, .length = 70000 }, "row", 16 * 70000 },
        { { .by = CLFOLD_BY_LENGTH, .length = 3 }, "row", 10000 },
        { { .by = CLFOLD_BY_COLUMNS, .columns = 2, .length = 5000 }, "column", 10000 },
    };
    cl_mem in = coloured_buffer(16 * 280000), out = coloured_buffer(16 * 280000);

    (void)state;
    clfold_context_override(ctx, NULL);
    for (size_t i = 0; i < 9; ++i) {
        const clfold_operation o = CLFOLD_REDUCE + (clfold_operation)(i / 3);
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_I32,
                                   .segments = &all[i % 3].segments };
        const bool is_scan = o != CLFOLD_REDUCE;
        clfold_stats before, after;
        clfold_report report;
        /* Nothing is left of other calls. */
        assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        clfold_context_trim(ctx);
        assert_ok(clfold_prepare(ctx, o, &fold, all[i % 3].count, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        /* Columns come as a whole. */
        for (size_t count = all[i % 3].count; count > 0;
             count = i % 3 == 2 ? 0 : count / 16 * 15) {
            assert_ok(call_operation(o, &fold, in, 0, out, 0, count));
            count = i % 3 == 0 && count < 70000 ? count / 16 : count;
        }
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.disk_hits, after.disk_hits);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        assert_ok(clfold_explain(ctx, o, &fold, all[i % 3].count, NULL, &report));
        assert_true(report.bytes_read >= 40000);
        assert_true(report.bytes_written >= (is_scan ? 40000 : 4));
        assert_non_null(strstr(report.algorithm, is_scan ? "scan" : "reduce_"));
        assert_non_null(strstr(report.reason, all[i % 3].words));
        assert_true(report.num_launches == 1 || report.scratch_bytes > 0);
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

TEST_MAIN("segments", open_context, close_context, cmocka_unit_test(test_reduce),
          cmocka_unit_test(test_scan), cmocka_unit_test(test_totals),
          cmocka_unit_test(test_in_place), cmocka_unit_test(test_names),
          cmocka_unit_test(test_rejected_names), cmocka_unit_test(test_rejected),
          cmocka_unit_test(test_prepare))
