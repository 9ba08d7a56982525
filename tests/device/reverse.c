/*
 * Scans from the right: the segments and ranks that texts see. That they give what a
 * serial loop gives, and the float bits of scans of the reversed elements: trials.c.
 */
#include "subjects_of_text.h"
#include "test.h"

#define NUM(list) (sizeof(list) / sizeof((list)[0]))

/* Of element i of rows or columns. */
struct place {
    size_t segment, rank;
};

static struct place place_of(size_t i, size_t width, size_t length)
{
    const size_t block = i / (width * length), rest = i % (width * length);

    return (struct place){ block * width + rest % width, rest / width };
}

static void test_segment_and_rank(void **state)
{
    enum { COUNT = 16 * 5 * 40 };
    static cl_uint values[COUNT], found[COUNT];
    static const char *const names[] = { NULL, "scan_lanes", "reduce_then_scan" };
    const size_t widths[] = { 1, 5, 16 };
    cl_mem in, out = coloured_buffer(sizeof(found));

    (void)state;
    for (cl_uint i = 0; i < COUNT; ++i) {
        values[i] = i * 2654435761u;
    }
    in = copied_buffer(values, sizeof(values));
    for (size_t k = 0; k < NUM(widths) * NUM(names) * NUM_TRIAL_TILES; ++k) {
        const size_t width = widths[k % NUM(widths)], length = width > 1 ? 20 : 33;
        const size_t count = width > 1 ? COUNT : COUNT - 5;
        const struct debug *plan = &trial_tiles[k / NUM(widths) / NUM(names)];
        const clfold_segments segments = { .by = width > 1 ? CLFOLD_BY_COLUMNS
                                                           : CLFOLD_BY_LENGTH,
                                           .columns = width > 1 ? width : 0,
                                           .length = length };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_U32,
                                   .flags = CLFOLD_REVERSE,
                                   .segments = &segments,
                                   .algorithm = names[k / NUM(widths) % NUM(names)],
                                   .load = "(x ^ in[i]) + to_u32(segment * 1000 + rank)",
                                   .result =
                                       "item * 7 + to_u32(segment + 3 * rank) + x" };
        if (!policy_has_tile(plan->tile) || (width > 1 && k / NUM(widths) % 3 == 2)) {
            continue;
        }
        clfold_context_override(ctx, plan);
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, in, 0, out, 0, count));
        load_buffer(out, 0, count * 4, found);
        for (size_t i = 0; i < count; ++i) {
            const struct place p = place_of(i, width, length);
            cl_uint item = 0;
            for (size_t r = p.rank, e = i; r < length && e < count; ++r, e += width) {
                item += (cl_uint)(p.segment * 1000 + r);
            }
            assert_int_equal(found[i],
                             item * 7 + (cl_uint)(p.segment + 3 * p.rank) + values[i]);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

TEST_MAIN("reverse", open_context, close_context, cmocka_unit_test(test_segment_and_rank))
