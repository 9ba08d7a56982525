/* Calls in parts, beside trials: sums of floats, where a part is in the whole, carries.
 * And where an element is, as texts see it from the right. */
#include <clfold/experimental.h>

#include "one_context.h"
#include "rounded_subjects.h"
#include "test.h"

#define U32    .op = CLFOLD_ADD, .type = CLFOLD_U32
#define AFFINE .components = "uint a; uint b", .combine = "{ a.a * b.a, a.b * b.a + b.b }"

/* Bytes that nobody has written. */
static void assert_coloured(cl_mem mem, size_t offset, size_t size)
{
    unsigned char bytes[256];

    assert_true(size <= sizeof(bytes));
    load_buffer(mem, offset, size, bytes);
    for (size_t i = 0; i < size; ++i) {
        assert_int_equal(bytes[i], COLOUR);
    }
}

static void test_rounded(void **state)
{
    for (size_t k = 0; k < 4 * NUM_ROUNDED; ++k) {
        const struct trial trial = rounded_trial(k % NUM_ROUNDED, 5, k);
        assert_true(trial_check(&trial, NULL));
    }
}

/* Maps, and scans of rows and columns, know where they are in the whole; also a part that
 * is shorter than a row, which is the last, short row. */
static void test_places(void **state)
{
    enum { MOST = 200 };
    static const struct {
        clfold_segments segments;
        size_t cuts[4];
    } cases[] = {
        { { .by = CLFOLD_BY_LENGTH, .length = 10 }, { 0, 120, MOST, MOST } },
        { { .by = CLFOLD_BY_COLUMNS, .length = 5, .columns = 4 },
          { 0, 120, MOST, MOST } },
        { { .by = CLFOLD_BY_LENGTH, .length = 30 }, { 0, 90, 120, 130 } },
    };

    for (size_t k = 0; k < 2 * sizeof(cases) / sizeof(cases[0]); ++k) {
        const clfold_operation operation = k % 2 ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_MAP;
        const size_t *const cuts = cases[k / 2].cuts;
        cl_uint once[MOST], cut[MOST];
        clfold_fold fold = { .op = k % 2 ? CLFOLD_ADD : 0,
                             .type = CLFOLD_U32,
                             .load = "to_u32(i + 1000 * segment + 100000 * rank + n)",
                             .segments = &cases[k / 2].segments };
        cl_mem in = coloured_buffer(sizeof(once)), out = coloured_buffer(sizeof(once));
        assert_ok(call_operation(operation, &fold, in, 0, out, 0, cuts[3]));
        load_buffer(out, 0, sizeof(once), once);
        memset(cut, COLOUR, sizeof(cut));
        write_buffer(out, 0, sizeof(cut), cut);
        for (size_t c = 0; c < 3; ++c) {
            const clfold_part part = { .first = cuts[c], .whole = cuts[3] };
            fold.part = &part;
            assert_ok(call_operation(operation, &fold, in, cuts[c], out, cuts[c],
                                     cuts[c + 1] - cuts[c]));
        }
        load_buffer(out, 0, sizeof(cut), cut);
        assert_memory_equal(once, cut, sizeof(once));
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
}

/* Scans from the right see the same segments, ranks and elements. */
static void test_reverse(void **state)
{
    enum { COUNT = 16 * 5 * 40 };
    static cl_uint values[COUNT], found[COUNT];
    static const char *const names[] = { NULL, "scan_lanes", "reduce_then_scan" };
    static const size_t widths[] = { 1, 5, 16 };
    cl_mem in, out = coloured_buffer(sizeof(found));

    for (cl_uint i = 0; i < COUNT; ++i) {
        values[i] = i * 2654435761u;
    }
    in = copied_buffer(values, sizeof(values));
    for (size_t k = 0; k < 3 * 3 * NUM_TRIAL_TILES; ++k) {
        const size_t width = widths[k % 3], length = width > 1 ? 20 : 33;
        const size_t count = width > 1 ? COUNT : COUNT - 5;
        const struct debug *plan = &trial_tiles[k / 9];
        const clfold_segments segments = { .by = width > 1 ? CLFOLD_BY_COLUMNS
                                                           : CLFOLD_BY_LENGTH,
                                           .columns = width > 1 ? width : 0,
                                           .length = length };
        const clfold_fold fold = { U32,
                                   .flags = CLFOLD_REVERSE,
                                   .segments = &segments,
                                   .algorithm = names[k / 3 % 3],
                                   .load = "(x ^ in[i]) + to_u32(segment * 1000 + rank)",
                                   .result =
                                       "item * 7 + to_u32(segment + 3 * rank) + x" };
        if (!policy_has_tile(plan->tile) || (width > 1 && k / 3 % 3 == 2)) {
            continue;
        }
        clfold_context_override(ctx, plan);
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, in, 0, out, 0, count));
        load_buffer(out, 0, count * 4, found);
        for (size_t i = count; i-- > 0;) {
            const size_t rest = i % (width * length), rank = rest / width;
            const size_t segment = i / (width * length) * width + rest % width;
            static cl_uint items[COUNT];
            const bool is_last = rank + 1 == length || i + width >= count;
            items[i] =
                (cl_uint)(segment * 1000 + rank) + (is_last ? 0 : items[i + width]);
            assert_int_equal(found[i],
                             items[i] * 7 + (cl_uint)(segment + 3 * rank) + values[i]);
        }
    }
    clfold_context_override(ctx, NULL);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Neither prepare nor an empty part writes what it should not. */
static void test_prepared(void **state)
{
    static const char *const algorithms[] = { "serial", "scan_single_group",
                                              "reduce_then_scan" };
    static const cl_uchar same[8];
    static const cl_uint data[16] = { 3, 5, 7, 9 };
    cl_mem spare = coloured_buffer(64), keys = copied_buffer(same, sizeof(same));
    cl_mem data_mem = copied_buffer(data, sizeof(data));
    const clfold_segments by_keys = { .by = CLFOLD_BY_KEYS,
                                      .type = CLFOLD_U8,
                                      .mem = keys };
    clfold_part part = { .first = 6,
                         .carry_at = { spare, 1 },
                         .carry_out = { spare, 2 },
                         .key_at = { spare, 12 },
                         .key_out = { spare, 13 } };
    clfold_fold fold = { U32, .segments = &by_keys, .part = &part };

    for (int k = 0; k < 3; ++k) {
        fold.algorithm = algorithms[k];
        assert_ok(clfold_prepare(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1000, NULL));
        assert_coloured(spare, 0, 64);
    }
    /* An empty part that nothing stands before has no carry. */
    part = (clfold_part){ .carry_out = { spare, 2 } };
    fold = (clfold_fold){ U32, .part = &part };
    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, NULL, 0, data_mem, 2, 0));
    assert_coloured(spare, 0, 64);
    /* A carry is what an empty part has, also without an identity. */
    fold = (clfold_fold){ AFFINE, .segments = &by_keys, .part = &part };
    part = (clfold_part){ .first = 6, .carry_at = { data_mem, 1 } };
    fold.total_out = (clfold_place){ spare, 0 };
    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, NULL, 0, spare, 2, 0));
    clReleaseMemObject(spare);
    clReleaseMemObject(keys);
    clReleaseMemObject(data_mem);
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
    load_buffer(place, 0, 8, &num_found);
    assert_int_equal(num_found, num);
    load_buffer(out, 0, num * 4, found);
    assert_memory_equal(found, kept, num * 4);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(place);
    clReleaseMemObject(carries);
}

TEST_MAIN("parts", open_context, close_context, cmocka_unit_test(test_rounded),
          cmocka_unit_test(test_places), cmocka_unit_test(test_reverse),
          cmocka_unit_test(test_prepared), cmocka_unit_test(test_carries_of_select))
