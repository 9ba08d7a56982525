/* Queues, events and scratch, of every operation: order without an in-order queue, wait
 * lists, many calls in flight, failed waits, and the owner of each block. */
#include "calls.h"
#include "lookback.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/context.h"

#include <time.h>

#define assert_cl(call) assert_int_equal(call, CL_SUCCESS)

#define COUNT 50000
#define SMALL 2048 /* two tiles */

/* At most 49 partials a call: less than the smallest block of scratch. */
static const struct debug tiles = { .tile = TILE_VECTOR,
                                    .tile_elements = 1024,
                                    .max_groups = 10 };
#define BLOCK 4096

/* A call by an algorithm of several launches, which take scratch. */
struct way {
    unsigned call;
    const char *algorithm, *simpler; /* the latter in one launch, if there is one */
};
static const struct way ways[] = {
    { CALL_REDUCE, "reduce_tiles", "reduce_tiles" },
    { CALL_INCLUSIVE_SCAN, "reduce_then_scan", "scan_single_group" },
    { CALL_EXCLUSIVE_SCAN, "scan_then_propagate", "scan_single_group" },
};
#define NUM_WAYS (sizeof(ways) / sizeof(ways[0]))
_Static_assert(NUM_CALLS == 6,
               "a way for each, but for those by the host, maps, selects");

/* One launch, and words that keep their meaning from one call to the next. */
static const struct way look_back = { CALL_INCLUSIVE_SCAN, "scan_lookback",
                                      "scan_lookback" };

/* ---- Tasks ------------------------------------------------------------------------- */

/* A way on data of its own. Each test makes those that it uses, from the first on. */
#define MOST_TASKS 48
static struct task {
    const struct way *way;
    clfold_context *context;
    const char *algorithm;
    size_t count, num_results;
    clfold_place count_at, num_out; /* if one is given, the count is at most COUNT */
    cl_mem in, out;                 /* ints */
    cl_int values[COUNT], expected[COUNT];
} tasks[MOST_TASKS];

/* What an output is before it is written. */
static cl_int blank[COUNT];

static cl_event gate_create(void)
{
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_cl(status);
    return gate;
}

static void gate_open(cl_event gate)
{
    assert_cl(clSetUserEventStatus(gate, CL_COMPLETE));
    clReleaseEvent(gate);
}

/* Returns how many results there are; a select's is in calls.h. */
static size_t expect(const struct way *way, const cl_int *values, size_t count,
                     cl_int *expected)
{
    const struct call_row *row = &call_rows[way->call];
    const struct pair pair = { CLFOLD_I32, CLFOLD_I32 };
    size_t num = 0;

    if (way->call == CALL_MAP || way->call == CALL_SELECT) {
        for (size_t i = 0; i < count; ++i) {
            if (way->call == CALL_MAP || i % 3 > 0) {
                expected[num++] = values[i];
            }
        }
        return num;
    }
    if (row->has & HAS_ITEMS) {
        oracle_scan(CLFOLD_ADD, pair, row->has & HAS_FIRST, values, count, NULL, expected,
                    NULL, NULL);
        return count;
    }
    oracle_fold(CLFOLD_ADD, pair, values, count, NULL, expected, NULL);
    return 1;
}

static void task_clear(struct task *task)
{
    if (task->in) {
        clReleaseMemObject(task->in);
        clReleaseMemObject(task->out);
    }
}

static struct task *task_make(size_t i, const struct way *way, size_t count,
                              uint64_t seed)
{
    struct task *task = &tasks[i];

    assert_true(i < MOST_TASKS);
    task_clear(task);
    task->way = way;
    task->context = ctx;
    task->algorithm = way->algorithm;
    task->count = count;
    task->count_at = task->num_out = (clfold_place){ NULL, 0 };
    memcpy(task->expected, blank, sizeof(blank));
    fill(task->values, CLFOLD_I32, COUNT, FILL_EXACT, seed);
    task->num_results = expect(way, task->values, count, task->expected);
    task->in = copied_buffer(task->values, sizeof(blank));
    task->out = copied_buffer(blank, sizeof(blank));
    return task;
}

/* One of each way by turns. */
static void tasks_make(size_t first, size_t num, size_t count)
{
    for (size_t i = first; i < first + num; ++i) {
        task_make(i, &ways[i % NUM_WAYS], count, i);
    }
}

static clfold_status task_call(const struct task *task, cl_command_queue queue,
                               const cl_event *wait, cl_event *event)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_I32,
                               .algorithm = task->algorithm,
                               .count_at = task->count_at,
                               .num_out = task->num_out };
    const struct call call = { .context = task->context,
                               .queue = queue,
                               .fold = &fold,
                               .in = task->in,
                               .out = task->out,
                               .count = task->count_at.mem ? COUNT : task->count,
                               .num_wait = wait ? 1 : 0,
                               .wait = wait,
                               .event = event };

    return call_rows[task->way->call].make(&call);
}

static void assert_holds(cl_command_queue queue, cl_mem mem, const cl_int *expected,
                         size_t num)
{
    static cl_int found[COUNT];

    /* At least one: PoCL 6.0 and 7.1 reject reads of none. */
    assert_cl(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, (num + !num) * sizeof(*found),
                                  found, 0, NULL, NULL));
    assert_memory_equal(found, expected, num * sizeof(*found));
}

static void assert_done(const struct task *task, cl_command_queue queue)
{
    assert_holds(queue, task->out, task->expected, task->num_results);
}

/* From the call to its end. The result is read by a queue that holds nothing back, since
 * a blocking read may wait for all of its queue. */
static void assert_does(const struct task *task, cl_command_queue queue)
{
    cl_event event;

    assert_ok(task_call(task, queue, NULL, &event));
    assert_cl(clWaitForEvents(1, &event));
    clReleaseEvent(event);
    assert_done(task, device.queue);
}

/* The sum of a task's elements, on the host. */
static void assert_sums(const struct task *task, cl_command_queue queue)
{
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    cl_int result = 0, expected;

    expect(&ways[0], task->values, task->count, &expected);
    assert_ok(clfold_reduce_host(ctx, queue, &fold, task->in, 0, task->count, &result,
                                 sizeof(result)));
    assert_int_equal(result, expected);
}

static uint64_t scratch_bytes(clfold_context *context)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(context, &stats));
    return stats.scratch_bytes;
}

/* Called before anything is made: skip() comes back no more. */
static void need_disorder(void)
{
    if (!device.disorder) {
        print_message("%s has no out-of-order queue\n", device.name);
        skip();
    }
}

/* Whether a command passes one that waits, which none does on NVIDIA's driver: seen by
 * two of plain OpenCL, of which the second has a second to end. */
static bool overtakes(void)
{
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
    const cl_char none = 0;
    cl_event event = NULL;
    cl_int state = CL_QUEUED;

    cl_event gate = gate_create();
    cl_mem mem = copied_buffer(blank, 2);
    assert_cl(clEnqueueFillBuffer(device.disorder, mem, &none, 1, 0, 1, 1, &gate, NULL));
    assert_cl(clEnqueueFillBuffer(device.disorder, mem, &none, 1, 1, 1, 0, NULL, &event));
    assert_cl(clFlush(device.disorder));
    for (int i = 0; i < 100 && state != CL_COMPLETE; ++i) {
        nanosleep(&pause, NULL);
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
                       NULL);
    }
    gate_open(gate);
    assert_cl(clFinish(device.disorder));
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    return state == CL_COMPLETE;
}

/* ---- Order and events -------------------------------------------------------------- */

/* Each command waits for the one before it by events alone: a write, a call on its data,
 * and another in place on the result. */
static void test_out_of_order(void **state)
{
    static cl_int twice[COUNT];

    need_disorder();
    for (size_t round = 0; round < 3 * NUM_WAYS * NUM_WAYS; ++round) {
        const struct way *second = &ways[round / NUM_WAYS % NUM_WAYS];
        struct task *task = task_make(0, &ways[round % NUM_WAYS], COUNT, round);
        struct task again = { .way = second,
                              .context = ctx,
                              .algorithm = second->algorithm,
                              .count = task->num_results,
                              .in = task->out,
                              .out = task->out };
        cl_event written, once, done;
        /* What is in the buffer until the write has been. */
        write_buffer(task->in, 0, sizeof(blank), blank);
        assert_cl(clEnqueueWriteBuffer(device.disorder, task->in, CL_FALSE, 0,
                                       sizeof(task->values), task->values, 0, NULL,
                                       &written));
        assert_ok(task_call(task, device.disorder, &written, &once));
        assert_ok(task_call(&again, device.disorder, &once, &done));
        assert_cl(clWaitForEvents(1, &done));
        assert_holds(device.disorder, task->out, twice,
                     expect(second, task->expected, task->num_results, twice));
        clReleaseEvent(written);
        clReleaseEvent(once);
        clReleaseEvent(done);
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
 * that fails is the simpler one. On rusticl of Mesa 25.0 all that follows in the queue
 * fails, so the next calls are in another.
 */
static void failed_wait(const struct way *way, cl_command_queue next)
{
    const bool is_lost = device.is_rusticl && !device.ends_loops;
    cl_command_queue queue = is_lost ? device_queue(&device, 0) : next;
    struct task *task = task_make(0, way, COUNT, 8);
    cl_event event = NULL, gate = gate_create();
    cl_int status, execution = CL_QUEUED;

    task->algorithm = device.is_pocl ? way->simpler : way->algorithm;
    assert_ok(task_call(task, queue, &gate, &event));
    assert_cl(clSetUserEventStatus(gate, -42));
    status = clWaitForEvents(1, &event);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(execution),
                   &execution, NULL);
    if (device.is_pocl) {
        assert_true(execution < 0);
        assert_int_not_equal(status, CL_SUCCESS);
        assert_holds(queue, task->out, blank, COUNT);
    } else {
        print_message("quirk: %s: after a failed wait the event reads %d\n", device.name,
                      execution);
    }
    clReleaseEvent(event);
    clReleaseEvent(gate);
    task->algorithm = way->algorithm;
    for (int i = 0; i < 3; ++i) {
        assert_does(task, next);
        assert_sums(task, next);
    }
    if (is_lost) {
        clReleaseCommandQueue(queue);
    }
}

static void test_failed_wait(void **state)
{
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        failed_wait(&ways[i], device.queue);
        if (device.disorder && device.is_pocl) {
            failed_wait(&ways[i], device.disorder);
        }
    }
}

/* ---- Counts on the device ---------------------------------------------------------- */

/*
 * Calls of as many elements as the first of them keeps, which is of as many as a command
 * writes that is held back until all are made: all wait by events alone, and no host can
 * have read a count.
 */
static const struct way counted_ways[] = {
    { .call = CALL_SELECT },
    { CALL_REDUCE, "reduce_tiles", NULL },
    { CALL_REDUCE, "reduce6", NULL },
    { CALL_INCLUSIVE_SCAN, "reduce_then_scan", NULL },
    { CALL_EXCLUSIVE_SCAN, "scan_single_group", NULL },
    { CALL_EXCLUSIVE_SCAN, "scan_then_propagate", NULL },
    { .call = CALL_MAP },
    { CALL_SELECT, "reduce_then_scan", NULL },
};
enum { COUNTED = sizeof(counted_ways) / sizeof(counted_ways[0]) };

/* What clfold_prepare has built, a call with a count in memory does not build. */
static void call_prepared(const struct task *task, cl_command_queue queue,
                          const cl_event *wait, cl_event *event)
{
    const clfold_operation operation = call_rows[task->way->call].operation;
    const clfold_fold own = { .op = CLFOLD_ADD,
                              .type = CLFOLD_I32,
                              .algorithm = task->algorithm,
                              .count_at = task->count_at,
                              .num_out = task->num_out };
    const clfold_fold fold = fold_for(operation, &own);
    clfold_stats before, after;
    clfold_report report;

    assert_ok(clfold_explain(ctx, operation, &fold, COUNT, NULL, &report));
    assert_non_null(strstr(report.reason, "; the count is a bound"));
    assert_ok(clfold_prepare(ctx, operation, &fold, COUNT, NULL));
    assert_ok(clfold_context_stats(ctx, &before));
    assert_ok(task_call(task, queue, wait, event));
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(before.builds, after.builds);
}

static void counted(cl_command_queue queue, cl_ulong count, uint64_t seed)
{
    cl_event written, done[COUNTED], gate = gate_create();
    cl_mem numbers = copied_buffer(blank, 4 * sizeof(count));

    assert_cl(clEnqueueWriteBuffer(queue, numbers, CL_FALSE, sizeof(count), sizeof(count),
                                   &count, 1, &gate, &written));
    for (size_t k = 0; k < COUNTED; ++k) {
        struct task *task =
            task_make(k, &counted_ways[k], count < COUNT ? count : COUNT, seed);
        task->count_at = (clfold_place){ numbers, k == 0 ? 1 : 3 };
        if (k == 0) {
            task->num_out = (clfold_place){ numbers, 3 };
        } else {
            clReleaseMemObject(task->in);
            clRetainMemObject(tasks[0].out);
            task->in = tasks[0].out;
            memcpy(task->expected, blank, sizeof(blank));
            expect(task->way, tasks[0].expected, tasks[0].num_results, task->expected);
        }
        call_prepared(task, queue, k == 0 ? &written : &done[0], &done[k]);
    }
    gate_open(gate);
    assert_cl(clWaitForEvents(COUNTED, done));
    for (size_t k = 0; k < COUNTED; ++k) {
        assert_holds(device.queue, tasks[k].out, tasks[k].expected, COUNT);
        clReleaseEvent(done[k]);
    }
    clReleaseEvent(written);
    clReleaseMemObject(numbers);
}

static void test_counted(void **state)
{
    const cl_ulong counts[] = { 0, 1, 1536, 40001, COUNT, UINT64_MAX };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        counted(device.queue, counts[i], i);
        if (device.disorder) {
            counted(device.disorder, counts[i], i);
        }
    }
}

/* clfold_reduce_host runs after all that the queue holds, whatever its kind. */
static void test_host_result_is_last(void **state)
{
    cl_command_queue queues[] = { device.queue, device.disorder };

    for (size_t i = 0; i < 20 && queues[i / 10]; ++i) {
        struct task *task = task_make(0, &ways[0], COUNT, 9);
        fill(task->values, CLFOLD_I32, COUNT, FILL_EXACT, 10 + i);
        clEnqueueWriteBuffer(queues[i / 10], task->in, CL_FALSE, 0, sizeof(task->values),
                             task->values, 0, NULL, NULL);
        assert_sums(task, queues[i / 10]);
    }
}

/* ---- Scratch ----------------------------------------------------------------------- */

/* What one call after the other needs: where memory has fences, a reduction has a
 * counter, in a block that serves no other calls. */
static size_t kept(void)
{
    return clfold_context_settled(ctx, false).fences ? 2 * BLOCK : BLOCK;
}

/* Calls in flight that wait for a user event, all at once, by turns on two queues. */
struct flight {
    const struct way *ways;
    size_t num_ways, num;
    cl_command_queue queues[2];
    bool in_place;  /* one of each way, the second */
    size_t scratch; /* that they take in all; 0: any */
};
#define MOST_CALLS 12

static void check_flight(const struct flight *flight, uint64_t seed)
{
    cl_event events[MOST_CALLS], gate = gate_create();

    for (size_t i = 0; i < flight->num; ++i) {
        const struct way *way = &flight->ways[i % flight->num_ways];
        struct task *task = task_make(i, way, COUNT, seed + i);
        if (flight->in_place && i / flight->num_ways == 1) {
            clReleaseMemObject(task->out);
            clRetainMemObject(task->in);
            task->out = task->in;
        }
        assert_ok(task_call(task, flight->queues[i % 2], &gate, &events[i]));
    }
    const uint64_t scratch = scratch_bytes(ctx);
    gate_open(gate);
    assert_cl(clWaitForEvents((cl_uint)flight->num, events));
    for (size_t i = 0; i < flight->num; ++i) {
        assert_done(&tasks[i], device.queue);
        clReleaseEvent(events[i]);
    }
    assert_int_equal(scratch, flight->scratch ? flight->scratch : scratch);
}

/* The calls of a queue in order share scratch, one after the other; two queues never meet
 * in one block. */
static void test_two_queues(void **state)
{
    cl_command_queue other = device_queue(&device, 0);
    const struct flight flight = { ways, NUM_WAYS,  MOST_CALLS, { device.queue, other },
                                   true, 2 * kept() };

    assert_non_null(other);
    clfold_context_trim(ctx);
    for (uint64_t round = 0; round < 10; ++round) {
        check_flight(&flight, round);
    }
    clReleaseCommandQueue(other);
}

/* However many calls are in flight, none waits for another, and blocks are used again:
 * some name no event and are held back to the end; of the others, which wait for an
 * event each, the oldest ends before the next one starts. */
static void test_held_calls(void **state)
{
    enum { HELD = 20, DEPTH = 20, LENGTH = 300 };
    cl_event gates[DEPTH], events[DEPTH];

    need_disorder();
    const size_t held = overtakes() ? HELD : 0;
    cl_event gate = gate_create();
    clfold_context_trim(ctx);
    tasks_make(0, held, COUNT);
    tasks_make(held, DEPTH, SMALL);
    for (size_t i = 0; i < held; ++i) {
        assert_ok(task_call(&tasks[i], device.disorder, &gate, NULL));
    }
    assert_int_equal(scratch_bytes(ctx), held * BLOCK);
    for (size_t i = 0; i < LENGTH + DEPTH; ++i) {
        const size_t k = i % DEPTH;
        const struct task *task = &tasks[held + k];
        if (i >= DEPTH) {
            gate_open(gates[k]);
            assert_cl(clWaitForEvents(1, &events[k]));
            clReleaseEvent(events[k]);
            assert_done(task, device.queue);
        }
        if (i < LENGTH) {
            gates[k] = gate_create();
            write_buffer(task->out, 0, SMALL * sizeof(*blank), blank);
            assert_ok(task_call(task, device.disorder, &gates[k], &events[k]));
        }
    }
    assert_true(scratch_bytes(ctx) <= 2 * (held + DEPTH) * BLOCK);
    if (held > 0) {
        assert_holds(device.queue, tasks[0].out, blank, COUNT);
    }
    gate_open(gate);
    assert_sums(&tasks[0], device.disorder);
    for (size_t i = 0; i < held; ++i) {
        assert_done(&tasks[i], device.disorder);
    }
}

/* A queue that its owner released stays with the context until trim, and its scratch too.
 */
static void test_queue_is_retained(void **state)
{
    cl_command_queue other = device_queue(&device, 0);
    const struct task *task = task_make(0, &ways[0], COUNT, 7);
    cl_uint held = 0, left = 0;

    assert_non_null(other);
    clfold_context_trim(ctx);
    assert_int_equal(scratch_bytes(ctx), 0);
    assert_sums(task, other);
    /* One block for the partials, one for the result. */
    assert_int_equal(scratch_bytes(ctx), 2 * BLOCK);
    clGetCommandQueueInfo(other, CL_QUEUE_REFERENCE_COUNT, sizeof(held), &held, NULL);
    clfold_context_trim(ctx);
    assert_int_equal(scratch_bytes(ctx), 0);
    clGetCommandQueueInfo(other, CL_QUEUE_REFERENCE_COUNT, sizeof(left), &left, NULL);
    assert_true(left < held);
    clReleaseCommandQueue(other);
}

/* ---- A limit of scratch ------------------------------------------------------------ */

/* Scratch for one queue's block, and not for two: nothing makes room that a command still
 * uses, on an in-order queue as well. Calls of a second queue are rejected while those of
 * the first are held back; idle blocks give way. */
static void test_scratch_limit(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    cl_command_queue other = device_queue(&device, 0);
    clfold_report report;
    char words[64];
    cl_event gate = gate_create();

    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &report));
    size_t limit = report.scratch_bytes / 4 * 7;
    const clfold_context_params params = { .scratch_limit = limit };
    clfold_context *limited = NULL;
    assert_ok(device_context(&limited, &device, &params));
    clfold_context_override(limited, &tiles);
    for (size_t i = 0; i < 3; ++i) {
        task_make(i, &ways[0], COUNT, i)->context = limited;
    }
    snprintf(words, sizeof(words), "scratch_limit is %zu", limit);
    assert_ok(task_call(&tasks[0], device.queue, &gate, NULL));
    for (int i = 0; i < 3; ++i) {
        cl_event event = (cl_event)&device;
        assert_refused(task_call(&tasks[1], other, NULL, &event),
                       CL_MEM_OBJECT_ALLOCATION_FAILURE, words);
        assert_null(event);
        assert_holds(other, tasks[1].out, blank, COUNT);
        /* The queue's own block serves again: it keeps order. */
        assert_ok(task_call(&tasks[2], device.queue, NULL, NULL));
        /* Nor does a trim. */
        clfold_context_trim(limited);
    }
    assert_in_range(scratch_bytes(limited), 1, limit);
    gate_open(gate);
    assert_cl(clFinish(device.queue));
    for (int round = 0; round < 4; ++round) {
        assert_does(&tasks[1], round % 2 ? device.queue : other);
        assert_in_range(scratch_bytes(limited), 1, limit);
    }
    for (size_t i = 0; i < 3; ++i) {
        assert_done(&tasks[i], device.queue);
    }
    clfold_context_trim(limited);
    assert_int_equal(scratch_bytes(limited), 0);
    clfold_context_destroy(&limited);
    clReleaseCommandQueue(other);
}

/* ---- Look-back --------------------------------------------------------------------- */

/* False: look-back is rejected. */
static bool begin_look_back(void)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_I32,
                               .algorithm = look_back.algorithm };
    static struct debug plan;
    clfold_report report;

    plan = with_tier(&device, tiles);
    plan.tile_elements = 4096;
    clfold_context_override(ctx, &plan);
    if (plan.tier == MEMORY_NONE ||
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, COUNT, NULL, &report)) {
        print_message("%s does not look back over %d elements\n", device.name, COUNT);
        assert_false(device.is_known);
        return false;
    }
    return true;
}

/* On one queue and on two: each has words of its own that no other call increments, and
 * on an in-order queue the same ones. */
static void test_lookback_in_flight(void **state)
{
    const bool looks = begin_look_back();
    cl_command_queue other = device_queue(&device, 0);
    cl_command_queue last = device.disorder ? device.disorder : other;
    struct flight flight = { .ways = &look_back, .num_ways = 1, .num = 8 };

    assert_non_null(other);
    for (size_t round = 0; looks && round < 6; ++round) {
        flight.queues[0] = round % 3 < 2 ? device.queue : last;
        flight.queues[1] = round % 3 == 1 ? other : flight.queues[0];
        check_flight(&flight, 100 * round);
    }
    clReleaseCommandQueue(other);
    clfold_context_override(ctx, &tiles);
}

/* What the failed call had of words is dropped, and where its event later reads complete
 * nothing may be left of it. */
static void test_lookback_failed_wait(void **state)
{
    for (int round = 0; begin_look_back() && round < 4; ++round) {
        failed_wait(&look_back, device.queue);
    }
    clfold_context_override(ctx, &tiles);
}

static int open_device(void **state)
{
    int status = open_context(state);

    memset(blank, 0x77, sizeof(blank));
    if (status == 0) {
        clfold_context_override(ctx, &tiles);
    }
    return status;
}

static int close_device(void **state)
{
    for (size_t i = 0; i < MOST_TASKS; ++i) {
        task_clear(&tasks[i]);
    }
    return close_context(state);
}

TEST_MAIN("queues", open_device, close_device, cmocka_unit_test(test_out_of_order),
          cmocka_unit_test(test_failed_wait), cmocka_unit_test(test_counted),
          cmocka_unit_test(test_host_result_is_last), cmocka_unit_test(test_held_calls),
          cmocka_unit_test(test_two_queues), cmocka_unit_test(test_queue_is_retained),
          cmocka_unit_test(test_scratch_limit), cmocka_unit_test(test_lookback_in_flight),
          cmocka_unit_test(test_lookback_failed_wait))
