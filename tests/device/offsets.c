/*
 * Reductions by offsets, and by flags and keys, which become offsets: what texts see of
 * their segments, and offsets far past the end. That they give what a serial loop gives,
 * and the same float bits by any number of groups: trials.c.
 */
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* ---- What texts see ---------------------------------------------------------------- */

#define MOST  5000
#define EMPTY 300

/* Offsets of segments of 0 to `longest` elements, with many empty ones in a row, or by
 * next_length() for 0, that end `rest` before the count; returns how many segments there
 * are. */
static size_t draw_offsets(uint64_t *offsets, size_t count, size_t rest, size_t longest,
                           uint64_t *seed)
{
    size_t num = 0, end = count > 20 ? (size_t)draw(seed, 20) : 0;
    struct lengths lengths = { .seed = *seed, .most = count };

    offsets[0] = end;
    while (end < count - rest && num < MOST) {
        size_t length = longest == 0                 ? next_length(&lengths)
                        : num % (EMPTY + 50) < EMPTY ? 0
                                                     : draw(seed, longest + 1);
        length = length < count - rest - end ? length : count - rest - end;
        end += length;
        offsets[++num] = end;
    }
    return num;
}

/* Maps, of which `in` has an element for each segment, and sums, whose loads see the
 * segment of each element and its place there. */
static const struct {
    clfold_operation operation;
    clfold_fold fold;
} name_cases[] = {
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "in[segment] + rank" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "1", .result = "segment * 77 + rank" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "segment" } },
    { CLFOLD_MAP, { .type = CLFOLD_U64, .load = "x + i" } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD, .type = CLFOLD_U64, .load = "x * segment + rank" } },
    { CLFOLD_REDUCE,
      { .op = CLFOLD_ADD,
        .type = CLFOLD_U64,
        .load = "in[i] ^ rank",
        .result = "item + segment" } },
};

static cl_ulong element(size_t i)
{
    return (cl_ulong)i * 13 + 5;
}

static cl_ulong named(size_t c, size_t i, size_t segment, size_t rank)
{
    const cl_ulong values[] = {
        element(segment) + rank, segment * 77 + rank,         segment,
        element(i) + i,          element(i) * segment + rank, element(i) ^ rank
    };

    return values[c];
}

/* Case c on `count` elements of which some are past the last offset; with num_at the call
 * mostly says more segments than there are. */
static void check_names(size_t c, size_t count, size_t longest, clfold_type type,
                        bool num_at, uint64_t seed)
{
    static uint64_t offsets[2 * MOST + 1];
    static cl_uint narrow[2 * MOST + 1];
    static cl_ulong elements[2 * MOST], expected[2 * MOST], found[2 * MOST];
    const bool is_map = name_cases[c].operation == CLFOLD_MAP;
    const size_t num = draw_offsets(offsets, count, count / 7, longest, &seed);
    const size_t more = num_at ? seed % 5 * 70 : 0;
    /* A map's `in` ends with the segments, where its texts do not use x. */
    const size_t num_in = c == 0 ? num + more : count;
    const cl_ulong number[] = { 0, more > 0 ? num : num + seed };
    const bool is_wide = type == CLFOLD_U64;
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS,
                                 .type = type,
                                 .num = num + more };
    clfold_fold fold = name_cases[c].fold;

    memset(expected, COLOUR, sizeof(expected));
    for (size_t i = 0; i < num_in; ++i) {
        elements[i] = element(i);
    }
    for (size_t s = 0; s <= num + more; ++s) {
        offsets[s] = s > num ? seed % 2 * count : offsets[s];
        narrow[s] = (cl_uint)offsets[s];
    }
    for (size_t s = 0; s < num; ++s) {
        cl_ulong sum = 0;
        for (size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
            sum += named(c, i, s, i - offsets[s]);
            if (is_map) {
                expected[i] = named(c, i, s, i - offsets[s]);
            }
        }
        if (!is_map) {
            expected[s] = sum + (c == 5 ? s : 0);
        }
    }
    cl_mem in = copied_buffer(elements, (num_in > 0 ? num_in : 1) * 8);
    cl_mem out = coloured_buffer(sizeof(expected));
    segments.mem = copied_buffer(is_wide ? (void *)offsets : (void *)narrow,
                                 (num + more + 1) * (is_wide ? 8 : 4));
    segments.num_at =
        (clfold_place){ num_at ? copied_buffer(number, sizeof(number)) : NULL, num_at };
    fold.segments = &segments;
    assert_ok(call_operation(name_cases[c].operation, &fold, in, 0, out, 0, count));
    load_buffer(out, 0, sizeof(found), found);
    for (size_t i = 0; i < 2 * MOST; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("case %zu, count %zu, %zu segments, result %zu: %llu, not %llu", c,
                     count, num, i, (unsigned long long)found[i],
                     (unsigned long long)expected[i]);
        }
    }
    if (num_at) {
        clReleaseMemObject(segments.num_at.mem);
    }
    clReleaseMemObject(segments.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_names(void **state)
{
    static const size_t counts[] = { 0, 1, 17, 1000, MOST },
                        lengths[] = { 1, 4, 20, 900, 0, 0 };

    (void)state;
    for (size_t k = 0; k < NUM(name_cases) * NUM_TRIAL_TILES; ++k) {
        const size_t c = k / NUM_TRIAL_TILES, t = k % NUM_TRIAL_TILES;
        if (!policy_has_tile(trial_tiles[t].tile) || (t > 0 && (c + t) % 2) ||
            (name_cases[c].operation == CLFOLD_REDUCE &&
             clfold_platform_miscopies(ctx->caps.facts.platform))) {
            continue;
        }
        clfold_context_override(ctx, &trial_tiles[t]);
        for (size_t i = 0; i < NUM(counts) * NUM(lengths); ++i) {
            check_names(c, counts[i % NUM(counts)], lengths[i / NUM(counts)],
                        c % 2 ? CLFOLD_U32 : CLFOLD_U64, t > 0, k * 100 + i + 1);
        }
        clfold_context_override(ctx, NULL);
    }
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

    (void)state;
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
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    (void)state;
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
    clReleaseEvent(written);
    clReleaseEvent(gate);
    clReleaseMemObject(segments.num_at.mem);
    clReleaseMemObject(in);
    clReleaseMemObject(mem);
}

/* ---- What is told ------------------------------------------------------------------ */

static void test_report(void **state)
{
    clfold_segments segments = { .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .num = 9 };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .segments = &segments };
    clfold_report report;

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_offsets");
    assert_int_equal(report.num_launches, 2);
    assert_non_null(strstr(report.reason, "9 segments by offsets, in "));
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL));
    segments = (clfold_segments){ .by = CLFOLD_BY_KEYS, .type = CLFOLD_U16, .num = 7 };
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_offsets");
    assert_int_equal(report.num_launches, 5);
    assert_true(report.bytes_read >= (1 << 20) * (4 + 2));
    assert_non_null(strstr(report.reason, "up to 7 segments by keys, in "));
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &fold, 1 << 20, NULL));
}

TEST_MAIN("offsets", open_context, close_context, cmocka_unit_test(test_names),
          cmocka_unit_test(test_far), cmocka_unit_test(test_unread),
          cmocka_unit_test(test_report))
