/* Devices that stop work-items in long loops, as rusticl on llvmpipe: what is reserved
 * there, and calls that take long. That they give right results: trials.c, which treats
 * every device as such a one. */
#include <clfold/experimental.h>
#include "one_context.h"
#include "trial.h"
#include "test.h"

#include "ops/context.h"

/* So few that the last launches of a fold have many partials to fold. */
#define FEW 64

static uint64_t most_elements; /* of the device itself */

/* Small tiles, and the rung that folds in sequence. */
static const struct {
    const char *algorithm;
    struct debug plan;
} ways[] = {
    { NULL, { .tile = TILE_VECTOR, .tile_elements = 64 } },
    { NULL, { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8 } },
    { "reduce6", { .group_size = 2, .max_groups = 3 } },
};
#define NUM_WAYS (sizeof(ways) / sizeof(ways[0]))

/* What is known of the device that this is for. */
static void test_device(void **state)
{
    (void)state;
    assert_int_equal(most_elements, device.ends_loops ? 512 : 0);
}

/* No scan looks back there, and nothing is probed. */
static void test_explain_lookback(void **state)
{
    clfold_lookback known;

    (void)state;
    ctx->caps.facts.most_elements = FEW;
    for (cl_bool probe = CL_FALSE; probe <= CL_TRUE; ++probe) {
        assert_ok(clfold_explain_lookback(ctx, probe, &known));
        assert_string_equal(known.tier, "none");
        assert_string_equal(known.why, "the device stops work-items that run long loops");
        assert_null(known.dropped[0]);
    }
    ctx->caps.facts.most_elements = most_elements;
}

/* What is reserved for a count serves every smaller one. */
static void test_prepared(void **state)
{
    const size_t size = 200000;
    cl_int status;
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY, size * 4, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t w = 0; w < NUM_WAYS; ++w) {
        const clfold_fold fold = { .op = CLFOLD_MAX,
                                   .type = CLFOLD_I32,
                                   .algorithm = ways[w].algorithm };
        clfold_context *own;
        clfold_stats before, after;
        cl_int result;
        assert_ok(clfold_context_create(&own, device.context, device.id, NULL));
        own->caps.facts.most_elements = FEW;
        clfold_context_override(own, &ways[w].plan);
        assert_ok(clfold_prepare(own, CLFOLD_REDUCE, &fold, size, NULL));
        assert_ok(clfold_context_stats(own, &before));
        for (size_t count = size; count > 0; count /= 3) {
            assert_ok(clfold_reduce_host(own, device.queue, &fold, in, 0, count, &result,
                                         sizeof(result)));
        }
        assert_ok(clfold_context_stats(own, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        clfold_context_destroy(&own);
    }
    clReleaseMemObject(in);
}

/* One group is asked for, whose work-items would go through 130,000 rounds and more. */
static void test_long(void **state)
{
    const struct {
        const char *algorithm;
        struct debug plan;
    } longs[] = {
        { NULL, { .tile = TILE_VECTOR, .max_groups = 1 } },
        { NULL, { .tile = TILE_VECTOR, .tile_elements = 1u << 30, .max_groups = 1 } },
        { NULL, { .tile = TILE_GROUP, .group_size = 16, .max_groups = 1 } },
        { NULL,
          { .tile = TILE_GROUP,
            .tile_elements = 16,
            .group_size = 1024,
            .max_groups = 1 } },
        { "reduce6", { .group_size = 64, .max_groups = 1 } },
    };
    const size_t count = (1 << 24) + 3;
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };
    unsigned char *bytes = malloc(count);
    cl_ulong expected = 0;
    cl_int status;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < count; ++i) {
        bytes[i] = (unsigned char)(i * 7 % 251 + 1);
        expected += bytes[i];
    }
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               count, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    ctx->caps.facts.most_elements = most_elements;
    for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); ++i) {
        clfold_fold fold = sum;
        cl_ulong result = 0;
        fold.algorithm = longs[i].algorithm;
        clfold_context_override(ctx, &longs[i].plan);
        assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, count, &result,
                                     sizeof(result)));
        assert_int_equal(result, expected);
    }
    clReleaseMemObject(in);
    free(bytes);
}

/* ---- Scans ------------------------------------------------------------------------- */

/* So few that a launch scans some tiles, and takes the prefixes of some. */
#define FEW_OF_SCANS 32
#define MANY_TILES   30011 /* elements */

static const struct debug few_tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 32 },
    { .tile = TILE_VECTOR, .tile_elements = 16, .anchor = 4, .max_groups = 9 },
    { .tile = TILE_GROUP, .tile_elements = 32, .group_size = 8, .max_groups = 9 },
    { .tile = TILE_GROUP, .tile_elements = 36, .group_size = 6, .anchor = 3 },
};
/* Of scan_algorithms. Look-back takes one launch, or is rejected. */
#define MANY_LAUNCHES 4

/* As for reductions. */
static void test_prepared_scans(void **state)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                                (MANY_TILES + 5) * sizeof(cl_int), NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t k = 0; k < MANY_LAUNCHES; ++k) {
        const clfold_fold fold = { .op = CLFOLD_MAX,
                                   .type = CLFOLD_I32,
                                   .algorithm = scan_algorithms[k] };
        clfold_context *own;
        clfold_stats before, after;
        assert_ok(clfold_context_create(&own, device.context, device.id, NULL));
        own->caps.facts.most_elements = FEW_OF_SCANS;
        clfold_context_override(own, &few_tiles[k]);
        assert_ok(clfold_prepare(own, CLFOLD_INCLUSIVE_SCAN, &fold, MANY_TILES, NULL));
        assert_ok(clfold_context_stats(own, &before));
        for (size_t count = MANY_TILES; count > 0; count /= 3) {
            assert_ok(clfold_inclusive_scan(own, device.queue, &fold, mem, 5, mem, 5,
                                            count, 0, NULL, NULL));
            assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        }
        assert_ok(clfold_context_stats(own, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        clfold_context_destroy(&own);
    }
    clReleaseMemObject(mem);
}

/* Items that are stored one by one, on a device that ends loops: the launches over tiles
 * by a group each, and by one for all. */
static void test_long_scans(void **state)
{
    struct trial scan = { .op = CLFOLD_ARG_MIN_MAX,
                          .pair = { CLFOLD_F32, CLFOLD_F32 },
                          .operation = CLFOLD_INCLUSIVE_SCAN,
                          .count = 1 << 19 };

    (void)state;
    if (most_elements == 0) {
        print_message("%s ends no work-item\n", device.name);
        skip();
    }
    ctx->caps.facts.most_elements = most_elements;
    scan.algorithm = "scan_single_group";
    trial_check(&scan, NULL);
    scan.algorithm = "reduce_then_scan";
    scan.plan.max_groups = 1;
    trial_check(&scan, NULL);
}

static int open_device(void **state)
{
    int status = open_context(state);

    most_elements = status ? 0 : ctx->caps.facts.most_elements;
    return status;
}

TEST_MAIN("limited", open_device, close_context, cmocka_unit_test(test_device),
          cmocka_unit_test(test_explain_lookback), cmocka_unit_test(test_prepared),
          cmocka_unit_test(test_long), cmocka_unit_test(test_prepared_scans),
          cmocka_unit_test(test_long_scans))
