/* Devices that stop work-items in long loops, as rusticl on llvmpipe: what is reserved
 * there. That they give right results: trials.c, which treats every device as such a one,
 * and has calls that take long in pinned.txt. */
#include <clfold/experimental.h>
#include "one_context.h"
#include "test.h"

#include "ops/context.h"
#include "ops/internal.h"

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
        cl_int result;
        assert_ok(clfold_context_create(&ctx, device.context, device.id, NULL));
        ctx->caps.facts.most_elements = ways[w].most_elements;
        clfold_context_override(ctx, &ways[w].plan);
        assert_ok(clfold_prepare(ctx, operation, &fold, most, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        for (size_t count = most; count > 0; count /= 3) {
            assert_ok(
                call_operation(operation, &fold, in, 5, scans ? in : out, 5, count));
            if (!scans) {
                assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 5, count,
                                             &result, sizeof(result)));
            }
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

static int open_device(void **state)
{
    int status = open_context(state);

    most_elements = status ? 0 : ctx->caps.facts.most_elements;
    return status;
}

TEST_MAIN("limited", open_device, close_context, cmocka_unit_test(test_device),
          cmocka_unit_test(test_explain_lookback), cmocka_unit_test(test_prepared))
