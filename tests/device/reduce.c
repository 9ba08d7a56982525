/* Tests for reductions only: sums that round, the sum of -0 alone, host data that is not
 * aligned, elements of several components, and operators without identity. For the rest
 * see sizes.c and cover.c. */
#include "one_context.h"
#include "trial.h"
#include "test.h"

static const struct debug policy_tiles[] = { { .tile = TILE_VECTOR },
                                             { .tile = TILE_GROUP } };

static const struct debug small_tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 300, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
    { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 },
    { .tile_elements = 50, .max_groups = 5 }, /* the policy's: CPUs fold items in runs */
};

/* ---- Floats ------------------------------------------------------------------------ */

/* Sums that round: within the bound of their tree of the exact sum, and the same bits on
 * every run, on both kinds of queue. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t p = 4; p < NUM_PAIRS; ++p) {
            /* Tiles of 16384 floats, 64 lanes or work-items: no path is longer. */
            struct trial fold = { .operation = CLFOLD_REDUCE,
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
            trial_check(&fold, result);
            for (int run = 0; run < 12; ++run) {
                fold.disorder = run % 2;
                trial_check(&fold, again);
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
        struct trial fold = { .operation = CLFOLD_REDUCE,
                              .op = CLFOLD_ADD,
                              .pair = { CLFOLD_F32, CLFOLD_F32 },
                              .plan = policy_tiles[k % 2],
                              .count = 100003,
                              .in_offset = k / 2,
                              .host = true,
                              .depth = 16384.0 / 64 + 32 + 64 };
        cl_float first, result;
        trial_check(&fold, &first);
        for (size_t s = 1; s < sizeof(shifts) / sizeof(shifts[0]); ++s) {
            fold.in_shift = shifts[s];
            trial_check(&fold, &result);
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

/* ---- Operators that keep order, or have no identity -------------------------------- */

/* Affine maps compose in order: two components over integers that wrap, where any
 * grouping is exact and any reordering shows. */
static void test_affine(void **state)
{
    (void)state;
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
        /* Partials folded by the last group, where memory has fences, and by a launch. */
        for (size_t i = 0; i < 2 * sizeof(counts) / sizeof(counts[0]); ++i) {
            const size_t c = i / 2;
            struct trial fold = { .operation = CLFOLD_REDUCE,
                                  .subject = &affine,
                                  .init = c % 4 ? INIT_HOST : INIT_NONE,
                                  .plan = *plan,
                                  .count = counts[c],
                                  .in_offset = c % 5,
                                  .out_offset = c % 3,
                                  .seed = c };
            fold.plan.tier = i % 2 ? MEMORY_LEGACY_64 : MEMORY_NONE;
            fold.count_at = w % 2;
            fold.spare = fold.count_at ? c % 5 * tile + c % 3 : 0;
            trial_check(&fold, NULL);
        }
    }
}

static void take_first(void *out, const void *a, const void *b)
{
    (void)b;
    memcpy(out, a, sizeof(cl_int));
}

/* An operator without identity: only a fold without elements and init is rejected, since
 * no lane outside the input is ever combined. The last is partial. */
static void test_no_identity(void **state)
{
    static struct subject first = {
        .fold = { .name = "first", .type = CLFOLD_I32, .combine = "a" },
        .size = sizeof(cl_int),
        .combine = take_first,
        .least = 77,
        .most = 1077,
    };

    (void)state;
    for (size_t k = 0; k < 4 * 3; ++k) {
        const struct trial fold = { .operation = CLFOLD_REDUCE,
                                    .subject = &first,
                                    .plan = small_tiles[k / 3],
                                    .count = k % 3 ? 0 : 1000,
                                    .init = k % 3 == 1 ? INIT_HOST : INIT_NONE,
                                    .in_offset = k / 3 };
        first.fold.flags = k / 3 == 3 ? CLFOLD_PARTIAL : 0;
        trial_check(&fold, NULL);
    }
}

TEST_MAIN("reduce", open_context, close_context, cmocka_unit_test(test_rounding),
          cmocka_unit_test(test_misaligned), cmocka_unit_test(test_negative_zero),
          cmocka_unit_test(test_affine), cmocka_unit_test(test_no_identity))
