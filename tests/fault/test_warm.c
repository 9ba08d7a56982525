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

static const char *call_name;

/* Calls of each function since `before`. */
struct tally {
    uint64_t args, launches, asked, retained, released, allocs;
    uint64_t others; /* which make something or wait */
    clfold_stats stats;
};

static struct tally count(void)
{
    struct tally tally = {
        .args = clspy_calls("clSetKernelArg"),
        .launches = clspy_calls("clEnqueueNDRangeKernel"),
        .asked = clspy_calls("clGetEventInfo"),
        .retained = clspy_calls("clRetainEvent"),
        .released = clspy_calls("clReleaseEvent"),
        .allocs = alloc_spy_calls(),
    };

    tally.others = clspy_calls(NULL) - clspy_calls("clGetCommandQueueInfo") -
                   clspy_calls("clGetMemObjectInfo") - tally.args - tally.launches -
                   tally.asked - tally.retained - tally.released;
    assert_ok(clfold_context_stats(ctx, &tally.stats));
    return tally;
}

static void assert_nothing_made(const struct tally *before, const struct tally *after)
{
    if (after->allocs != before->allocs || after->others != before->others) {
        fail_msg("%s: %llu allocations, and %llu calls that make or wait", call_name,
                 (unsigned long long)(after->allocs - before->allocs),
                 (unsigned long long)(after->others - before->others));
    }
    assert_int_equal(after->stats.builds, before->stats.builds);
    assert_int_equal(after->stats.misses, before->stats.misses);
    assert_int_equal(after->stats.scratch_bytes, before->stats.scratch_bytes);
}

/* Makes the call until it is warm. Returns the status of the first time. */
static clfold_status warm_up(clfold_operation operation, const struct call *call)
{
    for (int i = 0; i < 2; ++i) {
        const clfold_status status = forward_alone(operation, call);
        if (status) {
            return status;
        }
        assert_int_equal(clFinish(call->queue), CL_SUCCESS);
    }
    return CLFOLD_OK;
}

/* In order nothing is waited for, so the calls are all under way at once. */
static clfold_status take_in_order(clfold_operation operation, const struct call *call)
{
    clfold_report report;
    clfold_status status = warm_up(operation, call);

    if (status) {
        return status;
    }
    struct clspy_live live = clspy_live();
    struct tally before = count(), after;
    assert_ok(clfold_explain(ctx, operation, call->fold, call->count, NULL, &report));
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(forward_alone(operation, call));
    }
    after = count();
    assert_nothing_made(&before, &after);
    assert_string_equal(clspy_leaks(&live), "");
    assert_int_equal(after.launches - before.launches,
                     MOST_IN_FLIGHT * report.num_launches);
    assert_int_equal(after.stats.hits - before.stats.hits, MOST_IN_FLIGHT);
    assert_int_equal(after.asked + after.retained + after.released,
                     before.asked + before.retained + before.released);

    before = after;
    status = forward(operation, call);
    after = count();
    assert_nothing_made(&before, &after);
    /* Each call takes all that there are: what heads say has one more. */
    unsigned blocks = 0;
    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        ++blocks;
    }
    const clfold_segments *const segments = call->fold->segments;
    assert_true(blocks <= (segments && segments->by < CLFOLD_BY_LENGTH) + 1u);
    assert_int_equal(blocks > 0, report.scratch_bytes > 0);
    assert_int_equal(after.retained - before.retained, blocks);
    assert_int_equal(clspy_live().count[CLSPY_EVENT],
                     live.count[CLSPY_EVENT] + 1 + blocks);
    return status;
}

static void enqueue_behind(clfold_operation operation, const struct call *call)
{
    struct call waits = *call;
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    waits.num_wait = 1;
    waits.wait = &gate;
    waits.event = NULL;
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(forward(operation, &waits));
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clReleaseEvent(gate), CL_SUCCESS);
    assert_int_equal(clFinish(call->queue), CL_SUCCESS);
}

/* Calls under way have a block each; the next time the blocks are there. */
static clfold_status take_out_of_order(clfold_operation operation,
                                       const struct call *call)
{
    const clfold_status status = warm_up(operation, call);

    if (status) {
        return status;
    }
    struct clspy_live live = clspy_live();
    struct tally before = count(), after;
    uint64_t one = before.stats.scratch_bytes;
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(forward_alone(operation, call));
        assert_int_equal(clFinish(call->queue), CL_SUCCESS);
        before.others += 1; /* the test's own */
    }
    after = count();
    assert_nothing_made(&before, &after);
    assert_string_equal(clspy_leaks(&live), "");

    enqueue_behind(operation, call);
    assert_ok(clfold_context_stats(ctx, &after.stats));
    assert_int_equal(after.stats.scratch_bytes, MOST_IN_FLIGHT * one);
    live = clspy_live();
    before = count();
    enqueue_behind(operation, call);
    before.others += 3; /* the test's own: clCreateUserEvent, its status, clFinish */
    after = count();
    assert_nothing_made(&before, &after);
    assert_string_equal(clspy_leaks(&live), "");
    return forward(operation, call);
}

/* Memory objects are set for every launch; a scalar that stays is not, one that changes
 * is. */
static clfold_status take_scalars(clfold_operation operation, const struct call *call)
{
    struct call other = *call;

    assert_ok(warm_up(operation, call));
    struct tally before = count(), after;
    assert_ok(forward_alone(operation, call));
    after = count();
    const uint64_t same = after.args - before.args;
    other.count += 1;
    assert_ok(forward_alone(operation, &other));
    before = count();
    assert_true(before.args - after.args > same);
    /* A handle comes again for another object, so of in, out and init none is spared. */
    assert_true(same >= 3);
    return forward(operation, call);
}

static void take(const struct named_trial *call, takes_call *taken, bool disorder)
{
    struct trial trial = call->trial;

    trial.disorder = disorder;
    call_name = call->name;
    assert_ok(context_open(&ctx, NULL));
    on_call = taken;
    trial_check(&trial, NULL);
    on_call = NULL;
    clfold_context_destroy(&ctx);
}

static void test_in_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < num_calls; ++i) {
        take(&calls[i], take_in_order, false);
    }
}

static void test_out_of_order(void **state)
{
    (void)state;
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    for (size_t i = 0; i < num_calls; ++i) {
        take(&calls[i], take_out_of_order, true);
    }
}

static void test_scalars(void **state)
{
    const struct named_trial few = { "few", { .operation = CLFOLD_REDUCE, INTS(16) } };

    (void)state;
    take(&few, take_scalars, false);
}

TEST_MAIN("warm", fixture_init, fixture_finish, cmocka_unit_test(test_in_order),
          cmocka_unit_test(test_out_of_order), cmocka_unit_test(test_scalars))
