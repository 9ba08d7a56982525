/* Tests for reductions only: sums that round, the sum of -0 alone, host data that is not
 * aligned, elements of several components, and operators without identity. For the rest
 * see sizes.c and cover.c. */
#include "every_text.h"
#include "one_context.h"
#include "order_check.h"
#include "prefix_check.h"
#include "test.h"

static const struct debug policy_tiles[] = { { .tile = TILE_VECTOR },
                                             { .tile = TILE_GROUP } };

static const struct debug small_tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 300, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
    { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 },
};

static void check(const struct prefix_case *fold, bool disorder, void *result)
{
    char why[1024];

    if (!prefix_check(ctx, &device,
                      disorder && device.disorder ? device.disorder : device.queue, fold,
                      result, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

static void check_order(const struct order_case *fold)
{
    char why[1024];

    if (!order_check(ctx, &device, fold, NULL, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

/* ---- Floats ------------------------------------------------------------------------ */

/* Sums that round: within the bound of their tree of the exact sum, and the same bits on
 * every run, on both kinds of queue. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t p = 4; p < NUM_PAIRS; ++p) {
            /* Tiles of 16384 floats, 64 lanes or work-items: no path is longer. */
            const struct prefix_case fold = { .reduces = true,
                                              .op = CLFOLD_ADD,
                                              .pair = all_pairs[p],
                                              .plan = policy_tiles[w],
                                              .count = 150001,
                                              .in_offset = 3,
                                              .zones = true,
                                              .depth = 16384.0 / 64 + 32 + 64 };
            unsigned char result[8], again[8];
            if (!device_folds(&device, fold.pair.in, fold.pair.type)) {
                continue;
            }
            check(&fold, false, result);
            for (int run = 0; run < 12; ++run) {
                check(&fold, run % 2, again);
                assert_memory_equal(result, again, size_of(fold.pair.type));
            }
        }
    }
}

/* Buffers that start 4, 8 and 20 bytes past a multiple of 64: the bits of an aligned one.
 */
static void test_misaligned(void **state)
{
    const size_t shifts[] = { 0, 4, 8, 20 };

    (void)state;
    for (size_t k = 0; k < 2 * 3; ++k) {
        struct prefix_case fold = { .reduces = true,
                                    .op = CLFOLD_ADD,
                                    .pair = { CLFOLD_F32, CLFOLD_F32 },
                                    .plan = policy_tiles[k % 2],
                                    .count = 100003,
                                    .in_offset = k / 2,
                                    .host = true,
                                    .depth = 16384.0 / 64 + 32 + 64 };
        cl_float first, result;
        check(&fold, false, &first);
        for (size_t s = 1; s < sizeof(shifts) / sizeof(shifts[0]); ++s) {
            fold.in_shift = shifts[s];
            check(&fold, false, &result);
            assert_memory_equal(&first, &result, sizeof(result));
        }
    }
}

/* The sum of -0 alone is -0: no identity enters a fold that has elements. */
static void test_negative_zero(void **state)
{
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float zeros[40];
    cl_int status;

    (void)state;
    for (size_t i = 0; i < 40; ++i) {
        zeros[i] = -0.0f;
    }
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               sizeof(zeros), zeros, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t w = 0; w < 2; ++w) {
        cl_float result = 1;
        clfold_context_override(ctx, &policy_tiles[w]);
        assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, 40, &result,
                                     sizeof(result)));
        assert_memory_equal(&result, zeros, sizeof(result));
    }
    clReleaseMemObject(in);
}

/* ---- Operators in the internal form ------------------------------------------------ */

static struct value compose(struct value a, struct value b)
{
    return (struct value){ { a.parts[0] * b.parts[0],
                             a.parts[1] * b.parts[0] + b.parts[1] } };
}

/* Affine maps x -> a x + b compose in order: two components over integers that wrap,
 * where any grouping is exact and any reordering shows. */
static void test_affine(void **state)
{
    enum { MOST = 9 * 8192 + 1 };
    static struct value maps[MOST];
    const struct monoid affine = affine_monoid(CLFOLD_I32);
    const struct value init = { { 3, (cl_uint)-5 } };
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < MOST; ++i) {
        uint64_t bits = next_random(&random);
        maps[i] = (struct value){ { (cl_uint)bits | 1, (cl_uint)(bits >> 32) } };
    }
    /* The policy's vector, and of the small ones those with a rest or with long runs. */
    for (size_t w = 0; w < 4; ++w) {
        const struct debug *plan = w == 0 ? &policy_tiles[0] : &small_tiles[w - 1];
        size_t tile = plan->tile_elements ? plan->tile_elements : 64 * 1024 / 8;
        const size_t counts[] = {
            0,        1,           2,    3,        15,       16,       17,
            33,       64,          129,  257,      511,      1023,     1025,
            2003,     tile - 1,    tile, tile + 1, 2 * tile, 3 * tile, 9 * tile - 1,
            9 * tile, 9 * tile + 1
        };
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            const struct order_case fold = { .monoid = &affine,
                                             .reduces = true,
                                             .combine = compose,
                                             .scalars = maps,
                                             .values = maps,
                                             .init = c % 4 ? &init : NULL,
                                             .plan = *plan,
                                             .count = counts[c],
                                             .in_offset = c % 5,
                                             .out_offset = c % 3 };
            check_order(&fold);
        }
    }
}

static struct value first_of(struct value a, struct value b)
{
    (void)b;
    return a;
}

/* An operator without identity: only a fold without elements and init is rejected, since
 * no lane outside the input is ever combined. */
static void test_no_identity(void **state)
{
    const struct monoid first = {
        .name = "first",
        .in = CLFOLD_I32,
        .type = CLFOLD_I32,
        .cell = CLFOLD_I32,
        .num_scalars = 1,
        .num_components = 1,
        .stage_limit = UINT64_MAX,
        .components = { { "v", CLFOLD_I32, CLFOLD_I32, CLFOLD_I32, LOAD_PLAIN, "a",
                          NULL } },
    };
    static struct value elements[1000];
    const struct value init = { { 9 } };
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 8, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (cl_uint i = 0; i < 1000; ++i) {
        elements[i].parts[0] = i + 77;
    }
    for (size_t w = 0; w < 3; ++w) {
        struct order_case fold = { .monoid = &first,
                                   .reduces = true,
                                   .combine = first_of,
                                   .scalars = elements,
                                   .values = elements,
                                   .plan = small_tiles[w],
                                   .count = 1000,
                                   .in_offset = w };
        check_order(&fold);
        fold.count = 0;
        fold.init = &init;
        check_order(&fold);
        clfold_context_override(ctx, &small_tiles[w]);
        assert_refused(clfold_reduce_monoid(ctx, device.queue, &first, NULL, mem, 0, mem,
                                            1, 0, NULL, 0, NULL, NULL),
                       CLFOLD_ERROR_EMPTY, "first");
    }
    clReleaseMemObject(mem);
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounding),      cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_negative_zero), cmocka_unit_test(test_affine),
        cmocka_unit_test(test_no_identity),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("reduce", tests, open_context, close_context);
}
