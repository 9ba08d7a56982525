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

/* What has been called so far. */
struct tally {
    uint64_t args, launches, events, retained, allocs;
    uint64_t others; /* which make something or wait */
    clfold_stats stats;
    struct clspy_live live;
};

static struct tally count(void)
{
    struct tally tally = {
        .args = clspy_calls("clSetKernelArg"),
        .launches = clspy_calls("clEnqueueNDRangeKernel"),
        .retained = clspy_calls("clRetainEvent"),
        .allocs = alloc_spy_calls(),
        .live = clspy_live(),
    };

    tally.events =
        clspy_calls("clGetEventInfo") + tally.retained + clspy_calls("clReleaseEvent");
    tally.others = clspy_calls(NULL) - clspy_calls("clGetCommandQueueInfo") -
                   clspy_calls("clGetMemObjectInfo") - tally.args - tally.launches -
                   tally.events;
    assert_ok(clfold_context_stats(ctx, &tally.stats));
    return tally;
}

/* `own`: calls of the test's that make or wait. */
static void assert_nothing_made(const struct tally *before, const struct tally *after,
                                uint64_t own)
{
    if (after->allocs != before->allocs || after->others != before->others + own) {
        fail_msg("%s: %llu allocations, and %llu calls that make or wait", call_name,
                 (unsigned long long)(after->allocs - before->allocs),
                 (unsigned long long)(after->others - before->others - own));
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

/* Calls that wait for one gate, so that all are under way at once. */
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

/* In order nothing is waited for, so the calls are all under way at once. Out of order
 * those that are have a block each; the next time the blocks are there. */
static clfold_status take_warm(clfold_operation operation, const struct call *call)
{
    const bool disorder = call->queue == device.disorder;
    const clfold_segments *const segments = call->fold->segments;
    clfold_report report;
    clfold_status status = warm_up(operation, call);
    unsigned blocks = 0;

    if (status) {
        return status;
    }
    assert_ok(clfold_explain(ctx, operation, call->fold, call->count, NULL, &report));
    struct tally before = count(), after;
    for (int i = 0; i < MOST_IN_FLIGHT; ++i) {
        assert_ok(forward_alone(operation, call));
        assert_int_equal(disorder ? clFinish(call->queue) : CL_SUCCESS, CL_SUCCESS);
    }
    after = count();
    assert_nothing_made(&before, &after, disorder ? MOST_IN_FLIGHT : 0);
    assert_string_equal(clspy_leaks(&before.live), "");
    assert_int_equal(after.launches - before.launches,
                     MOST_IN_FLIGHT * report.num_launches);
    assert_int_equal(after.stats.hits - before.stats.hits, MOST_IN_FLIGHT);
    if (disorder) {
        const uint64_t one = before.stats.scratch_bytes;
        enqueue_behind(operation, call);
        before = count();
        assert_int_equal(before.stats.scratch_bytes, MOST_IN_FLIGHT * one);
        enqueue_behind(operation, call);
        after = count();
        /* The gate, its status, and clFinish. */
        assert_nothing_made(&before, &after, 3);
        assert_string_equal(clspy_leaks(&before.live), "");
        return forward(operation, call);
    }
    assert_int_equal(after.events, before.events);
    before = after;
    status = forward(operation, call);
    after = count();
    assert_nothing_made(&before, &after, 0);
    /* Each call takes all that there are: what heads say has one more. */
    for (const struct block *b = ctx->scratch.blocks; b; b = b->next) {
        ++blocks;
    }
    assert_true(blocks <= (segments && segments->by < CLFOLD_BY_LENGTH) + 1u);
    assert_int_equal(blocks > 0, report.scratch_bytes > 0);
    assert_int_equal(after.retained - before.retained, blocks);
    assert_int_equal(after.live.count[CLSPY_EVENT],
                     before.live.count[CLSPY_EVENT] + 1 + blocks);
    return status;
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

static void test_warm(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * num_calls; ++i) {
        if (i % 2 == 0 || device.disorder) {
            take(&calls[i / 2], take_warm, i % 2);
        }
    }
}

static void test_scalars(void **state)
{
    const struct named_trial few = { "few", { .operation = CLFOLD_REDUCE, INTS(16) } };

    (void)state;
    take(&few, take_scalars, false);
}

TEST_MAIN("warm", fixture_init, fixture_finish, cmocka_unit_test(test_warm),
          cmocka_unit_test(test_scalars))
