/*
 * A warm call: nothing is allocated, built or made but the caller's event, and OpenCL is
 * asked about nothing but the arguments.
 *
 *   in order        one block of scratch serves all calls, also while they run
 *   out of order    a block for each call that is under way, made once; the block keeps
 *                   the event of the last call that used it
 */
#include "alloc_spy.h"
#include "clspy.h"
#include "fixture.h"

#include "ops/context.h"

#define MOST_IN_FLIGHT 4

struct warm {
    const char *name;
    clfold_operation operation;
    const char *algorithm;
    size_t count;
    const char *combine; /* NULL: the built-in add */
    const char *result;
    const clfold_fold *fold; /* NULL: `sum` */
};

static const struct warm calls[] = {
    { "reduce, nothing", CLFOLD_REDUCE, NULL, .count = 0 },
    { "reduce, one launch", CLFOLD_REDUCE, NULL, .count = 16 },
    { "reduce", CLFOLD_REDUCE, NULL, .count = COUNT },
    { "reduce, a rung", CLFOLD_REDUCE, "reduce6", .count = COUNT },
    { "scan, nothing", CLFOLD_INCLUSIVE_SCAN, NULL, .count = 0 },
    { "scan, few", CLFOLD_INCLUSIVE_SCAN, NULL, .count = 16 },
    { "exclusive scan, few", CLFOLD_EXCLUSIVE_SCAN, NULL, .count = 16 },
    { "scan_single_group", CLFOLD_INCLUSIVE_SCAN, "scan_single_group", .count = COUNT },
    { "reduce_then_scan", CLFOLD_INCLUSIVE_SCAN, "reduce_then_scan", .count = COUNT },
    { "scan_then_propagate", CLFOLD_EXCLUSIVE_SCAN, "scan_then_propagate",
      .count = COUNT },
    { "scan_lookback", CLFOLD_INCLUSIVE_SCAN, "scan_lookback", .count = COUNT },
    { "exclusive scan_lookback", CLFOLD_EXCLUSIVE_SCAN, "scan_lookback", .count = COUNT },
    { "reduce_lanes", CLFOLD_REDUCE, "reduce_lanes", .count = COUNT },
    { "scan_lanes", CLFOLD_EXCLUSIVE_SCAN, "scan_lanes", .count = COUNT },
    { "reduce by a text", CLFOLD_REDUCE, NULL, COUNT, .combine = "a + b + 0 * m" },
    { "scan by a text", CLFOLD_INCLUSIVE_SCAN, NULL, COUNT, .combine = "a + b + 0 * m" },
    { "scan with a result", CLFOLD_INCLUSIVE_SCAN, NULL, COUNT, .result = "item - x" },
    { "scan_lookback with a result", CLFOLD_INCLUSIVE_SCAN, "scan_lookback", COUNT,
      .result = "item - prev" },
    { "scan_lanes with a result", CLFOLD_INCLUSIVE_SCAN, "scan_lanes", COUNT,
      .result = "item - prev" },
    { "compensated sum", CLFOLD_REDUCE, NULL, COUNT, .fold = &compensated },
    { "compensated scan", CLFOLD_INCLUSIVE_SCAN, "scan_lookback", COUNT,
      .fold = &compensated },
    { "scan by offsets", CLFOLD_EXCLUSIVE_SCAN, NULL, COUNT, .fold = &by_offsets },
    { "reproducible sum", CLFOLD_REDUCE, NULL, COUNT, .fold = &reproducible },
    { "reproducible reduce_lanes", CLFOLD_REDUCE, "reduce_lanes", COUNT,
      .fold = &reproducible },
    { "map", CLFOLD_MAP, NULL, COUNT, .result = "2 * item" },
    { "map, nothing", CLFOLD_MAP, NULL, 0, .result = "2 * item" },
};
#define NUM_CALLS (sizeof(calls) / sizeof(calls[0]))

static clfold_fold fold_of(const struct warm *warm)
{
    static const cl_long value = 7;
    static const clfold_arg args[] = { CLFOLD_VALUE("long", m, value) };
    clfold_fold fold = warm->fold ? *warm->fold : sum;

    if (warm->combine) {
        fold.op = 0;
        fold.combine = warm->combine;
        fold.identity = "0";
        fold.args = args;
        fold.num_args = 1;
    }
    fold.op = warm->operation == CLFOLD_MAP ? 0 : fold.op;
    fold.result = warm->result ? warm->result : fold.result;
    fold.algorithm = warm->algorithm;
    fold.segments = fold.segments ? fold.segments : segments_for(warm->algorithm);
    return fold;
}

static clfold_status make(clfold_context *ctx, cl_command_queue queue,
                          const struct warm *warm, const cl_event *wait, cl_event *event)
{
    const clfold_fold fold = fold_of(warm);

    return make_call(ctx, queue, warm->operation, &fold, warm->count, wait, event);
}

/* Calls of each function since `before`. */
struct tally {
    uint64_t all, checks, args, launches, asked, retained, released, allocs;
    clfold_stats stats;
};

static struct tally count(clfold_context *ctx)
{
    struct tally tally = {
        .all = clspy_calls(NULL),
        .checks =
            clspy_calls("clGetCommandQueueInfo") + clspy_calls("clGetMemObjectInfo"),
        .args = clspy_calls("clSetKernelArg"),
        .launches = clspy_calls("clEnqueueNDRangeKernel"),
        .asked = clspy_calls("clGetEventInfo"),
        .retained = clspy_calls("clRetainEvent"),
        .released = clspy_calls("clReleaseEvent"),
        .allocs = alloc_spy_calls(),
    };

    assert_ok(clfold_context_stats(ctx, &tally.stats));
    return tally;
}

static void assert_nothing_made(const struct warm *warm, const struct tally *before,
                                const struct tally *after)
{
    uint64_t known = after->checks + after->args + after->launches + after->asked +
                     after->retained + after->released - before->checks - before->args -
                     before->launches - before->asked - before->retained -
                     before->released;

    if (after->allocs != before->allocs || after->all - before->all != known) {
        fail_msg("%s: %llu allocations, and %llu calls that make or wait", warm->name,
                 (unsigned long long)(after->allocs - before->allocs),
                 (unsigned long long)(after->all - before->all - known));
    }
    assert_int_equal(after->stats.builds, before->stats.builds);
    assert_int_equal(after->stats.misses, before->stats.misses);
    assert_int_equal(after->stats.scratch_bytes, before->stats.scratch_bytes);
}

static clfold_context *open_warm(cl_command_queue queue, const struct warm *warm)
{
    clfold_context *ctx = NULL;

    assert_ok(context_open(&ctx, NULL));
    for (int i = 0; i < 2; ++i) {
        assert_ok(make(ctx, queue, warm, NULL, NULL));
        assert_int_equal(clFinish(queue), CL_SUCCESS);
    }
    return ctx;
}

static bool has(const struct warm *warm)
{
    clfold_context *ctx = NULL;

    assert_ok(context_open(&ctx, NULL));
    clfold_status status = make(ctx, device.queue, warm, NULL, NULL);
    clfold_context_destroy(&ctx);
    if (status == CLFOLD_ERROR_UNSUPPORTED) {
        print_message("%s: %s\n", warm->name, clfold_last_error());
    } else {
        assert_int_equal(status, CLFOLD_OK);
    }
    return status == CLFOLD_OK;
}

/* In order nothing is waited for, so the calls are all under way at once. */
static void check_in_order(const struct warm *warm)
{
    clfold_context *ctx = open_warm(device.queue, warm);
    struct clspy_live live = clspy_live();
    struct tally before = count(ctx), after;
    const clfold_fold fold = fold_of(warm);
    clfold_report report;

    assert_ok(clfold_explain(ctx, warm->operation, &fold, warm->count, NULL, &report));
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(make(ctx, device.queue, warm, NULL, NULL));
    }
    after = count(ctx);
    assert_nothing_made(warm, &before, &after);
    assert_string_equal(clspy_leaks(&live), "");
    assert_int_equal(after.launches - before.launches,
                     MOST_IN_FLIGHT * report.num_launches);
    assert_int_equal(after.stats.hits - before.stats.hits, MOST_IN_FLIGHT);
    assert_int_equal(after.asked + after.retained + after.released,
                     before.asked + before.retained + before.released);

    cl_event event = NULL;
    before = after;
    assert_ok(make(ctx, device.queue, warm, NULL, &event));
    after = count(ctx);
    assert_nothing_made(warm, &before, &after);
    /* Each call takes all that there are: offsets one more, for their bits. */
    unsigned blocks = 0;
    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        ++blocks;
    }
    assert_true(blocks <= (warm->fold == &by_offsets) + 1);
    assert_int_equal(blocks > 0, report.scratch_bytes > 0);
    assert_int_equal(after.retained - before.retained, blocks);
    assert_int_equal(clspy_live().count[CLSPY_EVENT],
                     live.count[CLSPY_EVENT] + 1 + blocks);
    assert_int_equal(clReleaseEvent(event), CL_SUCCESS);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clfold_context_destroy(&ctx);
}

static void enqueue_behind(clfold_context *ctx, const struct warm *warm)
{
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(make(ctx, device.disorder, warm, &gate, NULL));
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clReleaseEvent(gate), CL_SUCCESS);
    assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
}

/* Calls under way have a block each; the next time the blocks are there. */
static void check_out_of_order(const struct warm *warm)
{
    clfold_context *ctx = open_warm(device.disorder, warm);
    struct clspy_live live = clspy_live();
    struct tally before = count(ctx), after;
    uint64_t one = before.stats.scratch_bytes;

    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(make(ctx, device.disorder, warm, NULL, NULL));
        assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
        before.all += 1; /* the test's own */
    }
    after = count(ctx);
    assert_nothing_made(warm, &before, &after);
    assert_string_equal(clspy_leaks(&live), "");

    enqueue_behind(ctx, warm);
    assert_ok(clfold_context_stats(ctx, &after.stats));
    assert_int_equal(after.stats.scratch_bytes, MOST_IN_FLIGHT * one);
    live = clspy_live();
    before = count(ctx);
    enqueue_behind(ctx, warm);
    before.all += 3; /* the test's own: clCreateUserEvent, its status, clFinish */
    after = count(ctx);
    assert_nothing_made(warm, &before, &after);
    assert_string_equal(clspy_leaks(&live), "");
    clfold_context_destroy(&ctx);
}

static void test_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_CALLS; ++i) {
        if (has(&calls[i])) {
            check_in_order(&calls[i]);
        }
    }
}

static void test_out_of_order(void **state)
{
    (void)state;
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    for (size_t i = 0; i < NUM_CALLS; ++i) {
        if (has(&calls[i])) {
            check_out_of_order(&calls[i]);
        }
    }
}

/* Memory objects are set for every launch; a scalar that stays is not, one that changes
 * is. */
static void test_scalars(void **state)
{
    clfold_context *ctx = open_warm(device.queue, &calls[1]);
    struct warm other = calls[1];
    struct tally before, after;

    (void)state;
    other.count = 17;
    before = count(ctx);
    assert_ok(make(ctx, device.queue, &calls[1], NULL, NULL));
    after = count(ctx);
    const uint64_t same = after.args - before.args;
    assert_ok(make(ctx, device.queue, &other, NULL, NULL));
    before = count(ctx);
    assert_true(before.args - after.args > same);
    /* A handle comes again for another object, so of in, out and init none is spared. */
    assert_true(same >= 3);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    clfold_context_destroy(&ctx);
}

TEST_MAIN("warm", fixture_init, fixture_finish, cmocka_unit_test(test_in_order),
          cmocka_unit_test(test_out_of_order), cmocka_unit_test(test_scalars))
