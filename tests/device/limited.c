/* Devices that stop work-items in long loops, as rusticl on llvmpipe: what is reserved
 * there, and calls that take long. That they give right results: trials.c, which treats
 * every device as such a one. */
#include <clfold/experimental.h>
#include "one_context.h"
#include "trial.h"
#include "test.h"

#include "ops/context.h"

static uint64_t most_elements; /* of the device itself */

/* Reductions of so few that the last launches have many partials to fold; by small tiles
 * and by the rung that folds in sequence. And scans of so few that a launch scans some
 * tiles, and takes the prefixes of some; but by look-back, which takes one launch, or is
 * rejected. */
static const struct {
    clfold_operation operation;
    uint64_t most_elements;
    const char *algorithm;
    struct debug plan;
} ways[] = {
#define REDUCE CLFOLD_REDUCE, 64
    { REDUCE, NULL, { .tile = TILE_VECTOR, .tile_elements = 64 } },
    { REDUCE, NULL, { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8 } },
    { REDUCE, "reduce6", { .group_size = 2, .max_groups = 3 } },
#define SCAN CLFOLD_INCLUSIVE_SCAN, 32
    { SCAN, "scan_single_group", { .tile = TILE_VECTOR, .tile_elements = 32 } },
    { SCAN,
      "serial",
      { .tile = TILE_VECTOR, .tile_elements = 16, .anchor = 4, .max_groups = 9 } },
    { SCAN,
      "scan_then_propagate",
      { .tile = TILE_GROUP, .tile_elements = 32, .group_size = 8, .max_groups = 9 } },
    { SCAN,
      "reduce_then_scan",
      { .tile = TILE_GROUP, .tile_elements = 36, .group_size = 6, .anchor = 3 } },
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
    ctx->caps.facts.most_elements = 64;
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
    const size_t size = 200000, items = 30011;
    cl_mem in = coloured_buffer((5 + size) * 4), out = coloured_buffer(64);

    (void)state;
    for (size_t w = 0; w < NUM_WAYS; ++w) {
        const clfold_operation operation = ways[w].operation;
        const bool scans = operation != CLFOLD_REDUCE; /* in place */
        const size_t most = scans ? items : size;
        const clfold_fold fold = { .op = CLFOLD_MAX,
                                   .type = CLFOLD_I32,
                                   .algorithm = ways[w].algorithm };
        clfold_context *const usual = ctx;
        clfold_stats before, after;
        assert_ok(clfold_context_create(&ctx, device.context, device.id, NULL));
        ctx->caps.facts.most_elements = ways[w].most_elements;
        clfold_context_override(ctx, &ways[w].plan);
        assert_ok(clfold_prepare(ctx, operation, &fold, most, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        for (size_t count = most; count > 0; count /= 3) {
            assert_ok(
                call_operation(operation, &fold, in, 5, scans ? in : out, 5, count));
            assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        }
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        clfold_context_destroy(&ctx);
        ctx = usual;
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
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

    (void)state;
    ctx->caps.facts.most_elements = most_elements;
    for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); ++i) {
        const struct trial sum = { .op = CLFOLD_ADD,
                                   .pair = { CLFOLD_U8, CLFOLD_U64 },
                                   .operation = CLFOLD_REDUCE,
                                   .algorithm = longs[i].algorithm,
                                   .plan = longs[i].plan,
                                   .count = (1 << 24) + 3 };
        trial_check(&sum, NULL);
    }
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
          cmocka_unit_test(test_long), cmocka_unit_test(test_long_scans))
