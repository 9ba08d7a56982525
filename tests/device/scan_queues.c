/* Scans on queues of both kinds: order by events alone, calls in flight, failed waits,
 * and who holds which scratch. How scratch is lent as such: queues.c. */
#include "lookback.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "device/scratch.h"
#include "ops/internal.h"

#define COUNT 50000
#define CALLS 8

static const struct pair pair = { CLFOLD_I32, CLFOLD_I32 };

/* Each takes three launches and scratch. */
static const clfold_fold sums[] = {
    { .op = CLFOLD_ADD, .type = CLFOLD_I32, .algorithm = "reduce_then_scan" },
    { .op = CLFOLD_ADD, .type = CLFOLD_I32, .algorithm = "scan_then_propagate" },
};

/* One launch, and words that keep their meaning from one call to the next. */
static const clfold_fold looks_back = { .op = CLFOLD_ADD,
                                        .type = CLFOLD_I32,
                                        .algorithm = "scan_lookback" };

/* 49 totals a call: less than the smallest block of scratch. */
static const struct debug tiles = { .tile = TILE_VECTOR,
                                    .tile_elements = 1024,
                                    .max_groups = 10 };

struct input {
    cl_mem mem;
    cl_int values[COUNT], sums[COUNT]; /* inclusive */
};

static struct input *input_create(uint64_t seed)
{
    struct input *input = malloc(sizeof(*input));
    cl_int status;

    assert_non_null(input);
    fill(input->values, CLFOLD_I32, COUNT, FILL_EXACT, seed);
    oracle_scan(CLFOLD_ADD, pair, false, input->values, COUNT, NULL, input->sums, NULL,
                NULL);
    input->mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(input->values), input->values, &status);
    assert_int_equal(status, CL_SUCCESS);
    return input;
}

static void input_destroy(struct input *input)
{
    clReleaseMemObject(input->mem);
    free(input);
}

static cl_mem output_create(void)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, COUNT * sizeof(cl_int),
                                NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

static void assert_holds(cl_command_queue queue, cl_mem mem, const cl_int *expected)
{
    static cl_int found[COUNT];

    assert_int_equal(
        clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(found), found, 0, NULL, NULL),
        CL_SUCCESS);
    for (size_t i = 0; i < COUNT; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("item %zu is %d instead of %d", i, found[i], expected[i]);
        }
    }
}

static uint64_t scratch_bytes(void)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(ctx, &stats));
    return stats.scratch_bytes;
}

/* Each command waits for what came before it by events alone: a write, a scan of it, a
 * scan of that in place. */
static void test_out_of_order(void **state)
{
    static cl_int twice[COUNT];

    (void)state;
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    for (size_t round = 0; round < 20; ++round) {
        struct input *input = input_create(round), *other = input_create(round + 100);
        cl_mem out = output_create();
        cl_event written, once, again;
        /* What is in the buffer until the write has been. */
        assert_int_equal(clEnqueueWriteBuffer(device.disorder, input->mem, CL_TRUE, 0,
                                              sizeof(other->values), other->values, 0,
                                              NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
        assert_int_equal(clEnqueueWriteBuffer(device.disorder, input->mem, CL_FALSE, 0,
                                              sizeof(input->values), input->values, 0,
                                              NULL, &written),
                         CL_SUCCESS);
        assert_ok(clfold_inclusive_scan(ctx, device.disorder, &sums[round % 2],
                                        input->mem, 0, out, 0, COUNT, 1, &written,
                                        &once));
        assert_ok(clfold_exclusive_scan(ctx, device.disorder, &sums[round / 2 % 2], out,
                                        0, out, 0, COUNT, 1, &once, &again));
        assert_int_equal(clWaitForEvents(1, &again), CL_SUCCESS);
        oracle_scan(CLFOLD_ADD, pair, true, input->sums, COUNT, NULL, twice, NULL, NULL);
        assert_holds(device.disorder, out, twice);
        clReleaseEvent(written);
        clReleaseEvent(once);
        clReleaseEvent(again);
        clReleaseMemObject(out);
        input_destroy(other);
        input_destroy(input);
    }
}

/* The event of a call completes when its last kernel has, also for count 0. */
static void test_event(void **state)
{
    const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                       "reduce_then_scan", NULL };
    struct input *input = input_create(1);
    const size_t counts[] = { 0, 1, COUNT };

    (void)state;
    for (size_t i = 0; i < 3 * 4; ++i) {
        cl_mem out = output_create();
        clfold_fold fold = sums[0];
        cl_event event = NULL;
        cl_int execution = CL_QUEUED, last = 0;
        size_t count = counts[i % 3];
        fold.algorithm = algorithms[i / 3];
        assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, input->mem, 0, out, 0,
                                        count, 0, NULL, &event));
        assert_non_null(event);
        assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
        assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                        sizeof(execution), &execution, NULL),
                         CL_SUCCESS);
        assert_int_equal(execution, CL_COMPLETE);
        if (count > 0) {
            assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE,
                                                 (count - 1) * sizeof(last), sizeof(last),
                                                 &last, 0, NULL, NULL),
                             CL_SUCCESS);
            assert_int_equal(last, input->sums[count - 1]);
        }
        clReleaseEvent(event);
        clReleaseMemObject(out);
    }
    input_destroy(input);
}

/* Calls in flight behind a user event, all at once, do not share scratch; on an in-order
 * queue they do, one after the other. */
static void calls_in_flight(cl_command_queue queue, bool in_order)
{
    struct input *inputs[CALLS];
    cl_mem outs[CALLS];
    cl_event events[CALLS];
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    clfold_context_trim(ctx);
    for (size_t i = 0; i < CALLS; ++i) {
        inputs[i] = input_create(i);
        outs[i] = i % 3 == 0 ? inputs[i]->mem : output_create();
    }
    for (size_t i = 0; i < CALLS; ++i) {
        assert_ok(clfold_inclusive_scan(ctx, queue, &sums[i % 2], inputs[i]->mem, 0,
                                        outs[i], 0, COUNT, 1, &gate, &events[i]));
    }
    assert_int_equal(scratch_bytes(), in_order ? 4096 : CALLS * 4096);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(CALLS, events), CL_SUCCESS);
    for (size_t i = 0; i < CALLS; ++i) {
        assert_holds(queue, outs[i], inputs[i]->sums);
        clReleaseEvent(events[i]);
        if (outs[i] != inputs[i]->mem) {
            clReleaseMemObject(outs[i]);
        }
        input_destroy(inputs[i]);
    }
    clReleaseEvent(gate);
}

static void test_in_flight_in_order(void **state)
{
    (void)state;
    calls_in_flight(device.queue, true);
}

static void test_in_flight_out_of_order(void **state)
{
    (void)state;
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    calls_in_flight(device.disorder, false);
    /* All are complete: the next call makes no new block. */
    uint64_t before = scratch_bytes();
    struct input *input = input_create(99);
    cl_event event;
    assert_ok(clfold_inclusive_scan(ctx, device.disorder, &sums[0], input->mem, 0,
                                    input->mem, 0, COUNT, 0, NULL, &event));
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    assert_holds(device.disorder, input->mem, input->sums);
    assert_int_equal(scratch_bytes(), before);
    clReleaseEvent(event);
    input_destroy(input);
}

/* However many calls are in flight, none waits for another: one that names no event ends
 * while all before it are held back. */
static void test_no_call_waits(void **state)
{
    enum { HELD = 30 };

    (void)state;
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
    struct input *input = input_create(3), *own = input_create(4);
    cl_mem held = output_create(), out = output_create();
    cl_event last = NULL;
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    clfold_context_trim(ctx);
    for (size_t i = 0; i < HELD; ++i) {
        assert_ok(clfold_inclusive_scan(ctx, device.disorder, &sums[i % 2], input->mem, 0,
                                        held, 0, COUNT, 1, &gate, NULL));
    }
    assert_int_equal(scratch_bytes(), HELD * 4096);
    assert_ok(clfold_inclusive_scan(ctx, device.disorder, &sums[0], own->mem, 0, out, 0,
                                    COUNT, 0, NULL, &last));
    assert_int_equal(clWaitForEvents(1, &last), CL_SUCCESS);
    assert_holds(device.queue, out, own->sums);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
    clReleaseEvent(last);
    clReleaseEvent(gate);
    clReleaseMemObject(held);
    clReleaseMemObject(out);
    input_destroy(input);
    input_destroy(own);
}

/* Scans and reductions on two queues in turn. */
static void test_two_queues(void **state)
{
    cl_command_queue other = device_queue(&device, 0);
    struct input *inputs[2] = { input_create(5), input_create(6) };
    cl_mem outs[2] = { output_create(), output_create() };

    (void)state;
    assert_non_null(other);
    clfold_context_trim(ctx);
    for (size_t i = 0; i < 60; ++i) {
        assert_ok(clfold_inclusive_scan(ctx, i % 2 ? other : device.queue,
                                        &sums[i / 2 % 2], inputs[i % 2]->mem, 0,
                                        outs[i % 2], 0, COUNT, 0, NULL, NULL));
    }
    assert_int_equal(scratch_bytes(), 2 * 4096);
    assert_holds(device.queue, outs[0], inputs[0]->sums);
    assert_holds(other, outs[1], inputs[1]->sums);
    clReleaseCommandQueue(other);
    for (size_t i = 0; i < 2; ++i) {
        clReleaseMemObject(outs[i]);
        input_destroy(inputs[i]);
    }
}

/*
 * A wait event that fails. On PoCL our event fails, nothing runs, and the next calls are
 * right. Quirk of Intel's runtime: the event later reads complete, and an out-of-order
 * queue crashes at clFinish; so there an in-order queue only, and only the next calls
 * count.
 *
 * PoCL 3.1 aborts, in plain OpenCL as well, where the failure goes on to a command whose
 * event nobody holds ("PTHREAD ERROR in pocl_update_event_failed"); so there the call
 * that fails is one launch.
 */
static void failed_wait(cl_command_queue queue)
{
    struct input *input = input_create(8);
    cl_int before[COUNT];
    cl_mem out = output_create();
    cl_event event = NULL;
    cl_int status, execution = CL_QUEUED;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    memset(before, 0x77, sizeof(before));
    clEnqueueWriteBuffer(queue, out, CL_TRUE, 0, sizeof(before), before, 0, NULL, NULL);
    clfold_fold fails = sums[0];
    if (device.is_pocl) {
        fails.algorithm = "scan_single_group";
    }
    assert_ok(clfold_inclusive_scan(ctx, queue, &fails, input->mem, 0, out, 0, COUNT, 1,
                                    &gate, &event));
    assert_int_equal(clSetUserEventStatus(gate, -42), CL_SUCCESS);
    status = clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(execution),
                   &execution, NULL);
    if (device.is_pocl) {
        assert_true(execution < 0);
        assert_int_not_equal(status, CL_SUCCESS);
        assert_holds(queue, out, before);
    } else {
        print_message("quirk: %s: after a failed wait the event reads %d\n", device.name,
                      execution);
    }
    clReleaseEvent(event);
    clReleaseEvent(gate);
    for (size_t i = 0; i < 3; ++i) {
        assert_ok(clfold_inclusive_scan(ctx, queue, &sums[i % 2], input->mem, 0, out, 0,
                                        COUNT, 0, NULL, &event));
        assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
        assert_holds(queue, out, input->sums);
        clReleaseEvent(event);
    }
    clReleaseMemObject(out);
    input_destroy(input);
}

static void test_failed_wait(void **state)
{
    (void)state;
    failed_wait(device.queue);
    if (device.disorder && device.is_pocl) {
        failed_wait(device.disorder);
    }
}

/* ---- Look-back --------------------------------------------------------------------- */

/* False: look-back is refused. */
static bool can_look_back(clfold_fold *fold)
{
    static struct debug plan;
    clfold_report report;

    plan = with_tier(&device, tiles);
    plan.tile_elements = 4096;
    clfold_context_override(ctx, &plan);
    *fold = looks_back;
    if (plan.tier == MEMORY_NONE ||
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, fold, COUNT, &report)) {
        print_message("%s does not look back over %d elements\n", device.name, COUNT);
        assert_false(device.is_known);
        return false;
    }
    return true;
}

/* Calls in flight behind a user event, on one queue and on two: each has words of its own
 * that nobody else counts up, and on an in-order queue the same ones. */
static void test_lookback_in_flight(void **state)
{
    cl_command_queue other = device_queue(&device, 0);
    cl_command_queue queues[] = { device.queue, other, device.disorder };
    clfold_fold fold;
    cl_int status;

    (void)state;
    assert_non_null(other);
    for (size_t round = 0; can_look_back(&fold) && round < 6; ++round) {
        struct input *inputs[CALLS];
        cl_mem outs[CALLS];
        cl_event events[CALLS];
        cl_event gate = clCreateUserEvent(device.context, &status);
        assert_int_equal(status, CL_SUCCESS);
        for (size_t i = 0; i < CALLS; ++i) {
            size_t q = round % 3 == 0 ? 0 : round % 3 == 1 ? i % 2 : 2;
            inputs[i] = input_create(100 * round + i);
            outs[i] = output_create();
            assert_ok(clfold_inclusive_scan(ctx, queues[q] ? queues[q] : other, &fold,
                                            inputs[i]->mem, 0, outs[i], 0, COUNT, 1,
                                            &gate, &events[i]));
        }
        assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        assert_int_equal(clWaitForEvents(CALLS, events), CL_SUCCESS);
        for (size_t i = 0; i < CALLS; ++i) {
            assert_holds(device.queue, outs[i], inputs[i]->sums);
            clReleaseEvent(events[i]);
            clReleaseMemObject(outs[i]);
            input_destroy(inputs[i]);
        }
        clReleaseEvent(gate);
    }
    clReleaseCommandQueue(other);
    clfold_context_override(ctx, &tiles);
}

/* As failed_wait has it, where look-back is one launch. What the failed call had of words
 * is dropped, and where its event later reads complete nothing may be left of it. */
static void test_lookback_failed_wait(void **state)
{
    clfold_fold fold;

    (void)state;
    if (!can_look_back(&fold)) {
        skip();
    }
    struct input *input = input_create(8);
    cl_mem out = output_create();
    for (size_t round = 0; round < 4; ++round) {
        cl_event event = NULL;
        cl_int status;
        cl_event gate = clCreateUserEvent(device.context, &status);
        assert_int_equal(status, CL_SUCCESS);
        assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, input->mem, 0, out, 0,
                                        COUNT, 1, &gate, &event));
        assert_int_equal(clSetUserEventStatus(gate, -42), CL_SUCCESS);
        clWaitForEvents(1, &event);
        clReleaseEvent(event);
        clReleaseEvent(gate);
        for (size_t i = 0; i < 3; ++i) {
            assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, input->mem, 0, out,
                                            0, COUNT, 0, NULL, &event));
            assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
            assert_holds(device.queue, out, input->sums);
            clReleaseEvent(event);
        }
    }
    clReleaseMemObject(out);
    input_destroy(input);
    clfold_context_override(ctx, &tiles);
}

/* A call whose scratch does not fit fails before it has changed anything. */
static void test_scratch_limit(void **state)
{
    const clfold_context_params params = { .scratch_limit = 16 };
    struct input *input = input_create(10);
    clfold_context *limited = NULL;

    (void)state;
    assert_ok(clfold_context_create(&limited, device.context, device.id, &params));
    clfold_context_override(limited, &tiles);
    for (size_t i = 0; i < 2; ++i) {
        cl_event event = (cl_event)&params;
        assert_refused(clfold_inclusive_scan(limited, device.queue, &sums[i], input->mem,
                                             0, input->mem, 0, COUNT, 0, NULL, &event),
                       CL_MEM_OBJECT_ALLOCATION_FAILURE, "scratch_limit is 16");
        assert_null(event);
    }
    assert_holds(device.queue, input->mem, input->values);
    clfold_context_destroy(&limited);
    input_destroy(input);
}

static int open_device(void **state)
{
    int status = open_context(state);

    if (status == 0) {
        clfold_context_override(ctx, &tiles);
    }
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_event),
        cmocka_unit_test(test_in_flight_in_order),
        cmocka_unit_test(test_in_flight_out_of_order),
        cmocka_unit_test(test_no_call_waits),
        cmocka_unit_test(test_two_queues),
        cmocka_unit_test(test_failed_wait),
        cmocka_unit_test(test_lookback_in_flight),
        cmocka_unit_test(test_lookback_failed_wait),
        cmocka_unit_test(test_scratch_limit),
    };

    return cmocka_run_group_tests_name("scan_queues", tests, open_device, close_context);
}
