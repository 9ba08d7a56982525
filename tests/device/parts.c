/*
 * Calls in parts: whatever the cuts, they give what one call gives. Bits are compared,
 * but for sums of floats that round, whose bits depend on the cuts.
 */
#include <clfold/experimental.h>

#include "one_context.h"
#include "part_subjects.h"
#include "test.h"

#define COUNT PART_COUNT
#define MOST  PART_BYTES

#define U32    .op = CLFOLD_ADD, .type = CLFOLD_U32
#define AFFINE .components = "uint a; uint b", .combine = "{ a.a * b.a, a.b * b.a + b.b }"

static unsigned char whole[COUNT * MOST], parts[COUNT * MOST];

/* Bytes that nobody has written. */
static void assert_coloured(cl_mem mem, size_t offset, size_t size)
{
    unsigned char bytes[4 * MOST];

    assert_true(size <= sizeof(bytes));
    clEnqueueReadBuffer(device.queue, mem, CL_TRUE, offset, size, bytes, 0, NULL, NULL);
    for (size_t i = 0; i < size; ++i) {
        assert_int_equal(bytes[i], COLOUR);
    }
}

/* The parts in turn, some of them empty. */
static void run_parts(const struct part_subject *subject, clfold_operation operation,
                      struct part_call *call, cl_mem out)
{
    const bool writes_each = operation != CLFOLD_REDUCE;
    const bool by_keys = (subject->is & BY_KEYS) != 0;
    const size_t size = call->layout.carry_size;
    cl_mem carries = coloured_buffer(size * 4), keys = coloured_buffer(4);

    for (size_t first = 0, k = 0; first < COUNT || k < 3; ++k) {
        const size_t left = COUNT - first;
        const size_t most = k % 3 == 0 ? 40 : k % 3 == 1 ? 1 : 3000;
        size_t count = first == 0 && k == 0 ? 0 : part_random((uint32_t)most + 1);
        count = count < left ? count : left;
        const clfold_part part = { .first = first,
                                   .whole = COUNT,
                                   .carry_at = { carries, k % 2 ? 1 : 2 },
                                   .carry_out = { carries, k % 2 ? 2 : 1 },
                                   .key_at = { by_keys ? keys : NULL, by_keys && k % 2 },
                                   .key_out = { by_keys ? keys : NULL,
                                                by_keys && k % 2 == 0 } };
        call->fold.part = &part;
        part_call_move(call, first, count);
        if (count == 0 && first == 0 && !writes_each) {
            continue; /* a reduction of nothing */
        }
        clfold_status status = call_operation(operation, &call->fold, call->in, first,
                                              out, writes_each ? first : 0, count);
        if (status) {
            fail_msg("%s: %s", subject->name, clfold_last_error());
        }
        if (first == 0 && count == 0 && !(subject->is & (WITH_INIT | WITH_INIT_AT))) {
            assert_coloured(carries, 0, 4 * size); /* there is none yet */
        }
        first += count;
    }
    /* Nothing is written beside the two carries. */
    assert_coloured(carries, 0, size);
    assert_coloured(carries, 3 * size, size);
    clReleaseMemObject(carries);
    clReleaseMemObject(keys);
}

/* The same bytes, or floats that are near. */
static void assert_same(const struct part_subject *subject, const unsigned char *a,
                        const unsigned char *b, size_t size)
{
    const size_t i = part_difference(subject, a, b, size);

    if (i < size) {
        fail_msg("%s: byte %zu of %zu differs", subject->name, i, size);
    }
}

static void check(const struct part_subject *subject, clfold_operation operation,
                  const char *algorithm)
{
    const size_t num = operation == CLFOLD_REDUCE ? 1 : COUNT;
    struct part_call call;

    part_data_fill(subject);
    part_call_open(&call, subject, 0, COUNT);
    call.fold.algorithm = algorithm;
    const size_t size = call.layout.out_size;
    assert_true(call.layout.carry_size > 0);
    cl_mem out = coloured_buffer(num * size);
    assert_ok(call_operation(operation, &call.fold, call.in, 0, out, 0, COUNT));
    clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, num * size, whole, 0, NULL, NULL);
    clReleaseMemObject(out);
    out = coloured_buffer(num * size);
    run_parts(subject, operation, &call, out);
    clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, num * size, parts, 0, NULL, NULL);
    assert_same(subject, whole, parts, num * size);
    clReleaseMemObject(out);
    part_call_close(&call);
}

static void test_parts(void **state)
{
    static const char *const algorithms[] = { NULL, "scan_single_group",
                                              "reduce_then_scan", "scan_lookback" };

    (void)state;
    for (size_t s = 0; s < num_part_subjects; ++s) {
        const struct part_subject *subject = &part_subjects[s];
        const bool excludes = part_subject_has(subject, CLFOLD_EXCLUSIVE_SCAN);
        /* Built-in operators take turns, but for sums. */
        const bool is_both = subject->fold.op <= CLFOLD_ADD;
        if (part_subject_has(subject, CLFOLD_REDUCE)) {
            check(subject, CLFOLD_REDUCE, NULL);
        }
        if (part_subject_has(subject, CLFOLD_INCLUSIVE_SCAN) &&
            (is_both || !excludes || s % 2 != 0)) {
            check(subject, CLFOLD_INCLUSIVE_SCAN,
                  device.ends_loops ? NULL : algorithms[s % 4]);
        }
        if (excludes && (is_both || s % 2 == 0)) {
            check(subject, CLFOLD_EXCLUSIVE_SCAN,
                  device.ends_loops ? NULL : algorithms[(s + 1) % 4]);
        }
    }
}

/* Maps, and scans of rows and columns, know where they are in the whole. */
static void test_places(void **state)
{
    const clfold_segments segments[] = {
        { .by = CLFOLD_BY_LENGTH, .length = 10 },
        { .by = CLFOLD_BY_COLUMNS, .length = 5, .columns = 4 },
    };
    static const clfold_operation operations[] = { CLFOLD_MAP, CLFOLD_INCLUSIVE_SCAN };

    (void)state;
    for (size_t k = 0; k < 4; ++k) {
        const bool is_map = k % 2 == 0;
        cl_uint once[200], cut[200];
        clfold_fold fold = { .op = is_map ? 0 : CLFOLD_ADD,
                             .type = CLFOLD_U32,
                             .load = "to_u32(i + 1000 * segment + 100000 * rank + n)",
                             .segments = &segments[k / 2] };
        cl_mem in = coloured_buffer(sizeof(once)), out = coloured_buffer(sizeof(once));
        assert_ok(call_operation(operations[k % 2], &fold, in, 0, out, 0, 200));
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(once), once, 0, NULL,
                            NULL);
        for (size_t first = 0; first < 200; first += first == 0 ? 120 : 80) {
            const clfold_part part = { .first = first, .whole = 200 };
            fold.part = &part;
            assert_ok(call_operation(operations[k % 2], &fold, in, first, out, first,
                                     first == 0 ? 120 : 80));
        }
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(cut), cut, 0, NULL,
                            NULL);
        assert_memory_equal(once, cut, sizeof(once));
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
}

/* A part that is shorter than a row is the last, short row, and has its number. */
static void test_last_row(void **state)
{
    enum { LENGTH = 30, WHOLE = 130 };
    static const size_t cuts[] = { 0, 90, 120, WHOLE };
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = LENGTH };
    clfold_fold fold = { .type = CLFOLD_U32,
                         .load = "to_u32(1000 * segment + rank)",
                         .segments = &rows };
    cl_mem mem = coloured_buffer(WHOLE * sizeof(cl_uint));
    cl_uint told[WHOLE];

    (void)state;
    for (int k = 0; k < 3; ++k) {
        const size_t first = cuts[k], count = cuts[k + 1] - first;
        const clfold_part part = { .first = first, .whole = WHOLE };
        fold.part = &part;
        assert_ok(call_operation(CLFOLD_MAP, &fold, mem, first, mem, first, count));
    }
    clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(told), told, 0, NULL, NULL);
    for (cl_uint i = 0; i < WHOLE; ++i) {
        assert_int_equal(told[i], 1000 * (i / LENGTH) + i % LENGTH);
    }
    for (int k = 0; k < 2; ++k) {
        /* It does not end the whole, or begins inside a row. */
        const clfold_part part = { .first = k == 0 ? 120 : 100,
                                   .whole = k == 0 ? 0 : 110 };
        fold.part = &part;
        assert_refused(call_operation(CLFOLD_MAP, &fold, mem, 0, mem, 0, 10),
                       CLFOLD_ERROR_ARGUMENT, "cut a row or column");
    }
    clReleaseMemObject(mem);
}

/* Neither prepare nor an empty part writes what it should not, and prepare refuses what
 * the call would. */
static void test_prepared(void **state)
{
    static const char *const algorithms[] = { "serial", "scan_single_group",
                                              "reduce_then_scan" };
    static const cl_uchar same[8];
    cl_mem spare = coloured_buffer(64), keys = copied_buffer(same, sizeof(same));
    cl_mem data_mem = copied_buffer(whole, 64);
    const clfold_segments by_keys = { .by = CLFOLD_BY_KEYS,
                                      .type = CLFOLD_U8,
                                      .mem = keys };
    clfold_part part = { .first = 6,
                         .carry_at = { spare, 1 },
                         .carry_out = { spare, 2 },
                         .key_at = { spare, 12 },
                         .key_out = { spare, 13 } };
    clfold_fold fold = { U32, .segments = &by_keys, .part = &part };

    (void)state;
    for (int k = 0; k < 3; ++k) {
        fold.algorithm = algorithms[k];
        assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1000, NULL));
        assert_coloured(spare, 0, 64);
    }
    fold.algorithm = NULL;
    fold.load = "in[i]";
    assert_refused(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 8, NULL),
                   CLFOLD_ERROR_ARGUMENT, "part: load uses in");
    /* A carry is what an empty part has, also without an identity. */
    fold = (clfold_fold){ AFFINE, .segments = &by_keys, .part = &part };
    part = (clfold_part){ .first = 6, .carry_at = { data_mem, 1 } };
    fold.total_out = (clfold_place){ spare, 0 };
    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, NULL, 0, spare, 2, 0));
    clReleaseMemObject(spare);
    clReleaseMemObject(keys);
    clReleaseMemObject(data_mem);
}

/* Parts that know nothing of each other; their carries make one, of which a part of no
 * elements makes the result. */
static void check_carries(const struct part_subject *subject)
{
    enum { PARTS = 6 };
    static const size_t cuts[PARTS + 1] = { 0, 1, 17, 1000, 1003, 4000, COUNT };
    struct part_call call;
    unsigned char once[MOST], folded[MOST];

    part_data_fill(subject);
    part_call_open(&call, subject, 0, COUNT);
    const clfold_layout layout = call.layout;
    clfold_fold fold = call.fold;
    cl_mem in = call.in;
    cl_mem out = coloured_buffer(2 * layout.out_size);
    cl_mem carries = coloured_buffer((PARTS + 3) * layout.carry_size);
    assert_ok(call_operation(CLFOLD_REDUCE, &fold, in, 0, out, 0, COUNT));
    for (int k = 0; k < PARTS; ++k) {
        const clfold_part part = { .first = cuts[k],
                                   .whole = COUNT,
                                   .carry_out = { carries, 1 + (size_t)k } };
        fold.part = &part;
        part_call_move(&call, cuts[k], cuts[k + 1] - cuts[k]);
        assert_ok(call_operation(CLFOLD_REDUCE, &fold, in, cuts[k], out, 1,
                                 cuts[k + 1] - cuts[k]));
    }
    assert_ok(clfold_fold_carries(ctx, device.queue, &fold, carries, 1, carries,
                                  PARTS + 1, PARTS, 0, NULL, NULL));
    /* the first three to their own place */
    assert_ok(clfold_fold_carries(ctx, device.queue, &fold, carries, 1, carries, 1, 3, 0,
                                  NULL, NULL));
    for (int k = 0; k < 2; ++k) {
        const size_t first = k == 0 ? COUNT : cuts[3];
        const clfold_part part = { .first = first,
                                   .whole = COUNT,
                                   .carry_at = { carries, k == 0 ? PARTS + 1 : 1 } };
        fold.part = &part;
        part_call_move(&call, first, COUNT - first);
        assert_ok(call_operation(CLFOLD_REDUCE, &fold, in, first, out, 1, COUNT - first));
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, layout.out_size, once, 0, NULL,
                            NULL);
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, layout.out_size, layout.out_size,
                            folded, 0, NULL, NULL);
        assert_same(subject, once, folded, layout.out_size);
    }
    assert_coloured(carries, 0, layout.carry_size);
    assert_coloured(carries, (PARTS + 2) * layout.carry_size, layout.carry_size);
    part_call_close(&call);
    clReleaseMemObject(out);
    clReleaseMemObject(carries);
}

static void test_carries(void **state)
{
    (void)state;
    for (size_t s = 0; s < num_part_subjects; ++s) {
        if (part_subject_has(&part_subjects[s], CLFOLD_REDUCE)) {
            check_carries(&part_subjects[s]);
        }
    }
}

/* Of a select that scans, with a stream that its keep alone uses. What clfold_prepare has
 * built for one part, the next does not build. */
static void test_carries_of_select(void **state)
{
    enum { PARTS = 3, EACH = 1000 };
    static cl_uint x[PARTS * EACH], kept[PARTS * EACH];
    cl_uint found[EACH], sum = 0, num = 0;
    cl_ulong num_found;
    clfold_stats before, after;

    (void)state;
    for (cl_uint i = 0; i < PARTS * EACH; ++i) {
        x[i] = i * 7 % 31;
        sum += x[i];
        if (i >= 2 * EACH && (sum & x[i])) {
            kept[num++] = sum;
        }
    }
    const cl_mem in = copied_buffer(x, sizeof(x)), out = coloured_buffer(sizeof(found)),
                 place = coloured_buffer(32), carries = coloured_buffer(PARTS * 64);
    for (int k = 0; k < PARTS; ++k) {
        const clfold_part part = { .first = (uint64_t)k * EACH,
                                   .carry_at = { k == 2 ? carries : NULL, 0 },
                                   .carry_out = { carries, (size_t)k } };
        const clfold_arg stream = CLFOLD_STREAM(CLFOLD_U32, w, in, (size_t)k * EACH);
        clfold_fold fold = { U32, .keep = "item & w", .args = &stream, .num_args = 1 };
        fold.num_out.mem = place;
        fold.part = &part;
        if (k == 0) {
            assert_ok(clfold_prepare(ctx, CLFOLD_SELECT, &fold, EACH, NULL));
            assert_ok(clfold_context_stats(ctx, &before));
        } else if (k == 2) {
            assert_ok(clfold_fold_carries(ctx, device.queue, &fold, carries, 0, carries,
                                          0, 2, 0, NULL, NULL));
        }
        assert_ok(
            call_operation(CLFOLD_SELECT, &fold, in, (size_t)k * EACH, out, 0, EACH));
        if (k == 1) {
            assert_ok(clfold_context_stats(ctx, &after));
            assert_int_equal(after.builds, before.builds);
        }
    }
    clEnqueueReadBuffer(device.queue, place, CL_TRUE, 0, 8, &num_found, 0, NULL, NULL);
    assert_int_equal(num_found, num);
    clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, num * 4, found, 0, NULL, NULL);
    assert_memory_equal(found, kept, num * 4);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(place);
    clReleaseMemObject(carries);
}

static void test_carries_rejected(void **state)
{
    const clfold_segments flags = { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 };
    cl_mem mem = coloured_buffer(40);
    const struct {
        clfold_fold fold;
        size_t in_offset, out_offset, count;
        clfold_status status;
        const char *words;
    } cases[] = {
        { { U32 }, 0, 5, 0, CLFOLD_ERROR_EMPTY, "count is 0" },
        { { U32 }, 2, 0, 9, CLFOLD_ERROR_RANGE, "in" },
        { { U32 }, 0, 10, 3, CLFOLD_ERROR_RANGE, "out" },
        { { U32 }, 0, 1, 3, CLFOLD_ERROR_OVERLAP, "out" },
        { { U32, .segments = &flags }, 0, 5, 3, CLFOLD_ERROR_ARGUMENT, "segments are" },
        { { .type = CLFOLD_U32, .keep = "x" }, 0, 5, 3, CLFOLD_ERROR_ARGUMENT, "keep" },
        { { .op = 99, .type = CLFOLD_U32 }, 0, 5, 3, CLFOLD_ERROR_ARGUMENT, "op" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        assert_refused(clfold_fold_carries(ctx, device.queue, &cases[i].fold, mem,
                                           cases[i].in_offset, mem, cases[i].out_offset,
                                           cases[i].count, 0, NULL, NULL),
                       cases[i].status, cases[i].words);
    }
    assert_refused(
        clfold_fold_carries(ctx, device.queue, NULL, mem, 0, mem, 5, 3, 0, NULL, NULL),
        CLFOLD_ERROR_ARGUMENT, "fold is NULL");
    clReleaseMemObject(mem);
}

static void test_rejected(void **state)
{
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 3 };
    cl_mem mem = coloured_buffer(400), spare = coloured_buffer(64);
    const clfold_segments keys = { .by = CLFOLD_BY_KEYS,
                                   .type = CLFOLD_U32,
                                   .mem = spare };
    const struct {
        clfold_operation operation;
        clfold_fold fold;
        clfold_part part;
        clfold_status status;
        const char *words;
    } cases[] = {
        { CLFOLD_REDUCE,
          { U32 },
          { .first = 5, .whole = 12 },
          CLFOLD_ERROR_RANGE,
          "part: first 5 + count 8 is past the whole of 12" },
        { CLFOLD_REDUCE,
          { U32 },
          { .first = UINT64_MAX - 3 },
          CLFOLD_ERROR_RANGE,
          "is past the whole" },
        { CLFOLD_REDUCE,
          { U32 },
          { .reserved = { 1 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: reserved" },
        { CLFOLD_REDUCE,
          { U32, .load = "x + n" },
          { .first = 5 },
          CLFOLD_ERROR_ARGUMENT,
          "part: whole is 0, but load uses n" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32, .load = "in[i]" },
          { .first = 5 },
          CLFOLD_ERROR_ARGUMENT,
          "part: load uses in, but a part does not have" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .store = "out[i] = item;" },
          { .first = 5 },
          CLFOLD_ERROR_ARGUMENT,
          "store is given, but a part does not have" },
        { CLFOLD_REDUCE,
          { U32, .segments = &rows },
          { .first = 6 },
          CLFOLD_ERROR_UNSUPPORTED,
          "part is given, but a reduction of segments has none" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &rows },
          { .first = 5 },
          CLFOLD_ERROR_ARGUMENT,
          "part: first 5 and count 8 cut a row or column" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &rows },
          { .first = 6, .whole = 14, .carry_out = { spare, 0 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: carry_out is given, but rows and columns are not cut" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32 },
          { .first = 6, .key_out = { spare, 0 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: key_out is given, but there are no segments by keys" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &keys },
          { .first = 6, .key_at = { spare, 16 } },
          CLFOLD_ERROR_RANGE,
          "part: key_at" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &keys },
          { .first = 6, .key_at = { spare, 9 }, .key_out = { spare, 9 } },
          CLFOLD_ERROR_OVERLAP,
          "part: key_at" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32 },
          { .carry_at = { spare, 0 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: carry_at is given, but a map carries nothing" },
        { CLFOLD_REDUCE,
          { U32 },
          { .carry_out = { spare, 16 } },
          CLFOLD_ERROR_RANGE,
          "part: carry_out" },
        { CLFOLD_REDUCE,
          { U32 },
          { .first = 1, .carry_at = { spare, 16 } },
          CLFOLD_ERROR_RANGE,
          "part: carry_at" },
        { CLFOLD_REDUCE,
          { U32 },
          { .carry_out = { NULL, 1 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: carry_out: mem is NULL, but offset is 1" },
        { CLFOLD_REDUCE,
          { U32 },
          { .carry_out = { mem, 3 } },
          CLFOLD_ERROR_OVERLAP,
          "part: carry_out" },
        { CLFOLD_REDUCE,
          { U32 },
          { .first = 1, .carry_at = { mem, 50 } },
          CLFOLD_ERROR_OVERLAP,
          "part: carry_at" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .total_out = { spare, 3 } },
          { .carry_out = { spare, 3 } },
          CLFOLD_ERROR_OVERLAP,
          "part: carry_out" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .total_out = { spare, 3 } },
          { .first = 1, .carry_at = { spare, 3 } },
          CLFOLD_ERROR_OVERLAP,
          "part: carry_at" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &keys },
          { .first = 1, .carry_out = { spare, 12 }, .key_at = { spare, 12 } },
          CLFOLD_ERROR_OVERLAP,
          "part: key_at" },
        { CLFOLD_INCLUSIVE_SCAN,
          { U32, .segments = &keys },
          { .first = 1, .carry_at = { spare, 12 }, .key_out = { spare, 12 } },
          CLFOLD_ERROR_OVERLAP,
          "part: carry_at" },
        { CLFOLD_REDUCE,
          { U32 },
          { .first = 1, .carry_at = { NULL, 1 } },
          CLFOLD_ERROR_ARGUMENT,
          "part: carry_at: mem is NULL, but offset is 1" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        clfold_fold fold = cases[i].fold;
        fold.part = &cases[i].part;
        assert_refused(call_operation(cases[i].operation, &fold, mem, 0, mem, 50, 8),
                       cases[i].status, cases[i].words);
    }
    clReleaseMemObject(mem);
    clReleaseMemObject(spare);
}

TEST_MAIN("parts", open_context, close_context, cmocka_unit_test(test_parts),
          cmocka_unit_test(test_places), cmocka_unit_test(test_last_row),
          cmocka_unit_test(test_prepared), cmocka_unit_test(test_carries),
          cmocka_unit_test(test_carries_of_select),
          cmocka_unit_test(test_carries_rejected), cmocka_unit_test(test_rejected))
