/*
 * Segments: totals, scans in place, what texts see of them, what prepare builds, and
 * offsets far past the end. That calls give what a serial loop gives, and the same float
 * bits by any number of groups: trials.c. What a call rejects: rejections.c.
 */
#include "subjects_of_text.h"
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#define MOST      6000
#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- Totals ------------------------------------------------------------------------ */

/* The total is the last item, whatever the operator rounds, though another launch folds
 * what is before its run. */
static void test_totals(void **state)
{
    static const size_t widths[] = { 1, 2, 3, 7, 12, 16, 17, 40, 300 };
    enum { COUNT = 1 << 18 };
    static float results[COUNT + 1];

    for (size_t w = 0; w < NUM(widths); ++w) {
        const struct trial trial = { .op = CLFOLD_ADD,
                                     .pair = { CLFOLD_F32, CLFOLD_F32 },
                                     .operation = CLFOLD_INCLUSIVE_SCAN,
                                     .algorithm = "scan_lanes",
                                     .count = COUNT / widths[w] * widths[w],
                                     .width = widths[w],
                                     .length = COUNT / widths[w],
                                     .rounds = true,
                                     .total = TOTAL_APART,
                                     .seed = w };
        trial_check(&trial, results);
        assert_memory_equal(&results[trial.count], &results[trial.count - 1], 4);
    }
}

static void write_less(void *out, const void *item, const void *prev,
                       const unsigned char *e, size_t i, size_t n)
{
    const cl_uint result = u32_of(item, 0) - 2 * u32_of(e, i);

    (void)prev, (void)n;
    memcpy(out, &result, sizeof(result));
}

/* A text that sees the element in place, where a row's last vector has elements that are
 * written already. */
static void test_in_place(void **state)
{
    static const size_t widths[] = { 1, 3, 16, 17, 33, 300 };
    const struct subject subject = SUBJECT(
        FOLD(.name = "less", SUM, .result = "item - 2 * x"), .size = 4, .identity = zeros,
        .combine = add_u32, WORDS, .write = write_less, .writes_of_element = true);

    for (size_t w = 0; w < 2 * NUM(widths); ++w) {
        const size_t width = widths[w / 2], count = MOST / width * width;
        const struct trial trial = { .subject = &subject,
                                     .operation = scan_of(w % 2),
                                     .count = count,
                                     .width = width,
                                     .length = count / width,
                                     .in_place = true,
                                     .seed = w };
        trial_check(&trial, NULL);
    }
}

/* ---- Names of texts ---------------------------------------------------------------- */

/* What texts make of an element's segment and its place there. */
#define NAMED "segment * 4099 + rank"

/* Of which segments, as a bit mask: none, rows and columns, offsets. */
enum { OF_NONE = 1, OF_ROWS = 2, OF_OFFSETS = 4, OF_ALL = 7 };

static const struct {
    clfold_operation operation;
    int of;
    const char *load, *result;
} name_cases[] = {
    { CLFOLD_MAP, OF_ALL, NAMED, NULL },
    { CLFOLD_MAP, OF_NONE | OF_ROWS, "0 * in[i] + " NAMED, NULL },
    { CLFOLD_MAP, OF_OFFSETS, "in[segment] + rank", NULL }, /* which has as many */
    { CLFOLD_MAP, OF_OFFSETS, "1", NAMED },
    { CLFOLD_MAP, OF_OFFSETS, "segment", NULL },
    { CLFOLD_MAP, OF_OFFSETS, "x + i", NULL },
    { CLFOLD_INCLUSIVE_SCAN, OF_NONE | OF_ROWS, NAMED, NULL },
    { CLFOLD_EXCLUSIVE_SCAN, OF_NONE | OF_ROWS, "1", "item + " NAMED },
    { CLFOLD_REDUCE, OF_ALL, NAMED, "item + segment" },
    { CLFOLD_REDUCE, OF_OFFSETS, "x * segment + rank", NULL },
    { CLFOLD_REDUCE, OF_OFFSETS, "in[i] ^ rank", NULL },
};

#define READS_SEGMENT 2 /* the cases that are not alike */
#define ADDS_SEGMENT  8

static cl_ulong element(size_t i)
{
    return (cl_ulong)i * 13 + 5;
}

/* The segment of each element and its place there; NOWHERE is in none. */
#define NOWHERE SIZE_MAX
static struct spot {
    size_t segment, rank;
} spots[MOST];

/* What case c folds of an element, and the addend of its result. */
static cl_ulong named(size_t c, size_t i, struct spot at)
{
    const cl_ulong name = (cl_ulong)at.segment * 4099 + at.rank;
    const cl_ulong values[] = { name,
                                name,
                                element(at.segment) + at.rank,
                                name,
                                at.segment,
                                element(i) + i,
                                name,
                                1,
                                name,
                                element(i) * at.segment + at.rank,
                                element(i) ^ at.rank };

    return values[c];
}

/* Case c on `count` elements in `num` segments; `in` has `num_in`. */
static void check_names(size_t c, const clfold_segments *segments, size_t num,
                        size_t num_in, size_t count)
{
    static cl_ulong elements[2 * MOST], sums[2 * MOST], expected[2 * MOST],
        found[2 * MOST];
    const clfold_operation operation = name_cases[c].operation;
    const clfold_fold fold = { .op = operation == CLFOLD_MAP ? 0 : CLFOLD_ADD,
                               .type = CLFOLD_U64,
                               .load = name_cases[c].load,
                               .result = name_cases[c].result,
                               .segments = segments->by ? segments : NULL };

    memset(expected, COLOUR, sizeof(expected));
    memset(sums, 0, sizeof(sums));
    for (size_t i = 0; i < count; ++i) {
        const struct spot at = spots[i];
        if (at.segment != NOWHERE) {
            const cl_ulong value = named(c, i, at), before = sums[at.segment];
            sums[at.segment] += value;
            expected[2 + i] = operation == CLFOLD_MAP ? value
                              : operation == CLFOLD_INCLUSIVE_SCAN
                                  ? before + value
                                  : before + named(0, i, at);
        }
    }
    if (operation == CLFOLD_REDUCE) {
        memset(expected, COLOUR, sizeof(expected));
    }
    for (size_t s = 0; operation == CLFOLD_REDUCE && s < num; ++s) {
        expected[2 + s] = sums[s] + (c == ADDS_SEGMENT ? s : 0);
    }
    for (size_t i = 0; i < num_in; ++i) {
        elements[3 + i] = element(i);
    }
    cl_mem in = copied_buffer(elements, (3 + num_in) * 8);
    cl_mem out = coloured_buffer(sizeof(expected));
    assert_ok(call_operation(operation, &fold, in, 3, out, 2, count));
    load_buffer(out, 0, sizeof(found), found);
    for (size_t i = 0; i < 2 * MOST; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("case %zu, segments by %s, length %zu, count %zu, result %zu: %llu, "
                     "not %llu",
                     c, segments->by ? clfold_way_name(segments->by) : "none",
                     (size_t)segments->length, count, i, (unsigned long long)found[i],
                     (unsigned long long)expected[i]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Rows are of width 1; without segments the width is 0. */
static void check_rows(size_t c, size_t width, size_t length, size_t count)
{
    const clfold_segments segments = { .by = width > 1    ? CLFOLD_BY_COLUMNS
                                             : width == 1 ? CLFOLD_BY_LENGTH
                                                          : 0,
                                       .length = length,
                                       .columns = width > 1 ? width : 0 };
    const size_t block = width * length;
    size_t num = 1;

    for (size_t i = 0; i < count; ++i) {
        const size_t rest = width ? i % block : i;
        spots[i].segment = width ? i / block * width + rest % width : 0;
        spots[i].rank = width ? rest / width : i;
        num = spots[i].segment >= num ? spots[i].segment + 1 : num;
    }
    check_names(c, &segments, num, count, count);
}

/* Segments of 0 to `longest` elements, with many empty ones in a row, or by next_length()
 * for 0; some elements are before the first offset or past the last. With num_at the call
 * mostly says more segments than there are. */
static void check_offsets(size_t c, size_t count, size_t longest, bool num_at,
                          uint64_t seed)
{
    static uint64_t offsets[2 * MOST + 1];
    static cl_uint narrow[2 * MOST + 1];
    const bool is_wide = c % 2 == 0;
    const size_t end = count - count / 7, more = num_at ? seed % 5 * 70 : 0;
    struct lengths lengths = { .seed = seed, .most = count };
    size_t num = 0, at = count > 20 ? draw(&seed, 20) : 0;

    for (size_t i = 0; i < count; ++i) {
        spots[i].segment = NOWHERE;
    }
    for (offsets[0] = at; at < end && num < 5000; offsets[++num] = at) {
        const size_t length = longest == 0      ? next_length(&lengths)
                              : num % 350 < 300 ? 0
                                                : draw(&seed, longest + 1);
        for (size_t rank = 0; rank < length && at < end; ++rank) {
            spots[at++] = (struct spot){ num, rank };
        }
    }
    const cl_ulong number[] = { 0, more > 0 ? num : num + seed };
    for (size_t s = 0; s <= num + more; ++s) {
        offsets[s] = s > num ? seed % 2 * count : offsets[s];
        narrow[s] = (cl_uint)offsets[s];
    }
    const clfold_segments segments = {
        .by = CLFOLD_BY_OFFSETS,
        .type = is_wide ? CLFOLD_U64 : CLFOLD_U32,
        .num = num + more,
        .mem = copied_buffer(is_wide ? (void *)offsets : (void *)narrow,
                             (num + more + 1) * (is_wide ? 8 : 4)),
        .num_at = { num_at ? copied_buffer(number, sizeof(number)) : NULL, num_at },
    };
    check_names(c, &segments, num, c == READS_SEGMENT ? num + more : count, count);
    if (num_at) {
        clReleaseMemObject(segments.num_at.mem);
    }
    clReleaseMemObject(segments.mem);
}

static void check_case(size_t c, bool num_at)
{
    static const size_t lengths[] = { 1, 3, 15, 16, 17, 100, 1500 };
    static const size_t widths[] = { 1, 2, 5, 15, 16, 17, 33 };
    static const size_t counts[] = { 0, 1, 17, 1000, 5000 };
    static const size_t longest[] = { 1, 4, 20, 900, 0, 0 };

    if (name_cases[c].of & OF_NONE) {
        check_rows(c, 0, 0, 1000);
    }
    for (size_t k = 0; name_cases[c].of & OF_ROWS && k < NUM(lengths) * NUM(widths);
         ++k) {
        const size_t length = lengths[k / 7], width = widths[k % 7],
                     block = length * width;
        if (block <= MOST) {
            check_rows(c, width, length,
                       width > 1 ? block * (MOST / block > 2 ? 3 : 1)
                                 : MOST / block * block - length / 2);
        }
    }
    for (size_t k = 0; name_cases[c].of & OF_OFFSETS && k < NUM(counts) * NUM(longest);
         ++k) {
        check_offsets(c, counts[k % 5], longest[k / 5], num_at, c * 400 + k + 1);
    }
}

static void test_names(void **state)
{
    const bool miscopies = clfold_platform_miscopies(ctx->caps.facts.platform);

    for (size_t k = 0; k < NUM(name_cases) * NUM_TRIAL_TILES; ++k) {
        const size_t c = k / NUM_TRIAL_TILES, t = k % NUM_TRIAL_TILES;
        if (policy_has_tile(trial_tiles[t].tile) && (t == 0 || (c + t) % 2 == 0) &&
            !(miscopies && (trial_tiles[t].tile == TILE_VECTOR ||
                            (name_cases[c].operation == CLFOLD_REDUCE &&
                             name_cases[c].of & OF_OFFSETS)))) {
            clfold_context_override(ctx, &trial_tiles[t]);
            check_case(c, t > 0);
        }
    }
    clfold_context_override(ctx, NULL);
}

/* Offsets past the end, of which sums with 16 and more overflow: nothing is written, but
 * that the first one is wrong. */
static void test_far(void **state)
{
    static const uint64_t offsets[] = { UINT64_MAX, UINT64_MAX };
    static unsigned char found[8192];
    cl_mem in = coloured_buffer(8192), out = coloured_buffer(8192);
    cl_mem bad = coloured_buffer(16);
    cl_ulong told[2];
    const clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                       .type = CLFOLD_U64,
                                       .mem = copied_buffer(offsets, sizeof(offsets)),
                                       .num = 1 };
    const clfold_fold fold = {
        .type = CLFOLD_U32, .load = "rank", .segments = &segments, .bad_out = { bad, 0 }
    };

    for (size_t t = 0; t < NUM_TRIAL_TILES; ++t) {
        if (policy_has_tile(trial_tiles[t].tile)) {
            clfold_context_override(ctx, &trial_tiles[t]);
            assert_ok(call_operation(CLFOLD_MAP, &fold, in, 0, out, 500, 1000));
            load_buffer(out, 0, sizeof(found), found);
            for (size_t i = 0; i < sizeof(found); ++i) {
                assert_int_equal(found[i], COLOUR);
            }
            load_buffer(bad, 0, sizeof(told), told);
            assert_true(told[0] == 0 && told[1] == UINT64_MAX);
        }
    }
    clfold_context_override(ctx, NULL);
    clReleaseMemObject(bad);
    clReleaseMemObject(segments.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* How many segments there are is written behind a gate that opens when all calls are
 * made: none waits for it on the host. */
static void test_unread(void **state)
{
    static const cl_uint offsets[] = { 0, 3, 3, 7, 90, 90, 90 };
    static const cl_ulong three = 3;
    cl_mem mem = copied_buffer(offsets, sizeof(offsets)), in = coloured_buffer(400);
    const clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                       .type = CLFOLD_U32,
                                       .mem = mem,
                                       .num = NUM(offsets) - 1,
                                       .num_at = { coloured_buffer(16), 1 } };
    const clfold_fold folds[] = {
        { .op = CLFOLD_ADD, .type = CLFOLD_U32, .load = "1", .segments = &segments },
        { .type = CLFOLD_U32, .load = "segment + 1", .segments = &segments },
    };
    static const cl_uint expected[][8] = { { 3, 0, 4 }, { 1, 1, 1, 3, 3, 3, 3 } };
    static const size_t num[] = { 3, 7 };
    cl_command_queue queue = device.disorder ? device.disorder : device.queue;
    cl_mem outs[] = { coloured_buffer(800), coloured_buffer(800) };
    cl_event written, done[2];
    clfold_report report;
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(clEnqueueWriteBuffer(queue, segments.num_at.mem, CL_FALSE, 8, 8,
                                          &three, 1, &gate, &written),
                     CL_SUCCESS);
    assert_ok(clfold_reduce(ctx, queue, &folds[0], in, 0, outs[0], 1, 100, 1, &written,
                            &done[0]));
    assert_ok(
        clfold_map(ctx, queue, &folds[1], in, 0, outs[1], 1, 100, 1, &written, &done[1]));
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    for (size_t k = 0; k < 2; ++k) {
        cl_uint found[100], wanted[100];
        memset(wanted, COLOUR, sizeof(wanted));
        memcpy(wanted + 1, expected[k], num[k] * sizeof(cl_uint));
        assert_int_equal(clEnqueueReadBuffer(queue, outs[k], CL_TRUE, 0, sizeof(found),
                                             found, 1, &done[k], NULL),
                         CL_SUCCESS);
        assert_memory_equal(found, wanted, sizeof(found));
        clReleaseEvent(done[k]);
        clReleaseMemObject(outs[k]);
    }
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &folds[0], 100, NULL, &report));
    assert_non_null(strstr(report.reason, "6 segments by offsets, in "));
    clReleaseEvent(written);
    clReleaseEvent(gate);
    clReleaseMemObject(segments.num_at.mem);
    clReleaseMemObject(in);
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
          cmocka_unit_test(test_far), cmocka_unit_test(test_unread),
          cmocka_unit_test(test_prepare))
