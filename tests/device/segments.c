/*
 * Rows and columns: totals, scans in place, what texts see, and what prepare builds. That
 * they give what a serial loop gives: trials.c. What a call rejects: rejections.c.
 */
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#define MOST 6000

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8, .max_groups = 4 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

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

TEST_MAIN("segments", open_context, close_context, cmocka_unit_test(test_totals),
          cmocka_unit_test(test_in_place), cmocka_unit_test(test_names),
          cmocka_unit_test(test_prepare))
