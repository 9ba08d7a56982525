/* Queues, events and scratch, of every operation: order without an in-order queue, wait
 * lists, many calls in flight, failed waits, and the owner of each block. */
#include "calls.h"
#include "lookback.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/context.h"

#include <time.h>

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

/* One launch, and words that keep their meaning from one call to the next. */
static const struct way look_back = { CALL_INCLUSIVE_SCAN, "scan_lookback",
                                      "scan_lookback" };

/* ---- Tasks ------------------------------------------------------------------------- */

/* A way on data of its own. */
struct task {
    const struct way *way;
    clfold_context *context;
    const char *algorithm;
    size_t count, num_results;
    cl_mem in, out; /* ints */
    cl_int values[COUNT], expected[COUNT];
};

/* What an output is before it is written. */
static cl_int blank[COUNT];

static cl_mem buffer(const cl_int *values)
{
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       COUNT * sizeof(*values), (void *)(uintptr_t)values, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

static cl_event gate_create(void)
{
    cl_int status;
    cl_event gate = clCreateUserEvent(device.context, &status);

    assert_int_equal(status, CL_SUCCESS);
    return gate;
}

static void gate_open(cl_event gate)
{
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(gate);
}

/* Returns how many results there are. */
static size_t expect(const struct way *way, const cl_int *values, size_t count,
                     cl_int *expected)
{
    const struct call_row *row = &call_rows[way->call];
    const struct pair pair = { CLFOLD_I32, CLFOLD_I32 };

    if (row->has & HAS_ITEMS) {
        oracle_scan(CLFOLD_ADD, pair, row->has & HAS_FIRST, values, count, NULL, expected,
                    NULL, NULL);
        return count;
    }
    oracle_fold(CLFOLD_ADD, pair, values, count, NULL, expected, NULL);
    return 1;
}

static struct task *task_create(const struct way *way, size_t count, uint64_t seed)
{
    struct task *task = malloc(sizeof(*task));

    assert_non_null(task);
    task->way = way;
    task->context = ctx;
    task->algorithm = way->algorithm;
    task->count = count;
    fill(task->values, CLFOLD_I32, COUNT, FILL_EXACT, seed);
    task->num_results = expect(way, task->values, count, task->expected);
    task->in = buffer(task->values);
    task->out = buffer(blank);
    return task;
}

static void task_destroy(struct task *task)
{
    clReleaseMemObject(task->in);
    clReleaseMemObject(task->out);
    free(task);
}

static clfold_status task_call(const struct task *task, cl_command_queue queue,
                               const cl_event *wait, cl_event *event)
{
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_I32,
                               .algorithm = task->algorithm };
    const struct call call = { .context = task->context,
                               .queue = queue,
                               .fold = &fold,
                               .in = task->in,
                               .out = task->out,
                               .count = task->count,
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
    assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0,
                                         (num + !num) * sizeof(*found), found, 0, NULL,
                                         NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < num; ++i) {
        if (found[i] != expected[i]) {
            fail_msg("item %zu is %d instead of %d", i, found[i], expected[i]);
        }
    }
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
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    clReleaseEvent(event);
    assert_done(task, device.queue);
}

/* The sum of a task's elements, on the host. */
static void assert_sums(const struct task *task, cl_command_queue queue)
{
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    const struct way way = { .call = CALL_REDUCE };
    cl_int result = 0, expected;

    expect(&way, task->values, task->count, &expected);
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

/* NVIDIA's driver holds all commands of a queue behind one that waits: seen by two of
 * plain OpenCL, of which the second has a second to end. */
static void need_overtaking(void)
{
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
    const cl_char none = 0;
    cl_event event = NULL;
    cl_int state = CL_QUEUED, status;

    need_disorder();
    cl_event gate = gate_create();
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 2, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(device.disorder, mem, &none, 1, 0, 1, 1, &gate, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clEnqueueFillBuffer(device.disorder, mem, &none, 1, 1, 1, 0, NULL, &event),
        CL_SUCCESS);
    assert_int_equal(clFlush(device.disorder), CL_SUCCESS);
    for (int i = 0; i < 100 && state != CL_COMPLETE; ++i) {
        nanosleep(&pause, NULL);
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
                       NULL);
    }
    gate_open(gate);
    assert_int_equal(clFinish(device.disorder), CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    if (state != CL_COMPLETE) {
        print_message("%s: no command passes one that waits\n", device.name);
        skip();
    }
}

/* ---- Order and events -------------------------------------------------------------- */

/* Each command waits for the one before it by events alone: a write, a call on its data,
 * and another in place on the result. */
static void test_out_of_order(void **state)
{
    static cl_int twice[COUNT];

    (void)state;
    need_disorder();
    for (size_t round = 0; round < 3 * NUM_WAYS * NUM_WAYS; ++round) {
        const struct way *second = &ways[round / NUM_WAYS % NUM_WAYS];
        struct task *task = task_create(&ways[round % NUM_WAYS], COUNT, round);
        struct task again = { .way = second,
                              .context = ctx,
                              .algorithm = second->algorithm,
                              .count = task->num_results,
                              .in = task->out,
                              .out = task->out };
        cl_event written, once, done;
        /* What is in the buffer until the write has been. */
        assert_int_equal(clEnqueueWriteBuffer(device.disorder, task->in, CL_TRUE, 0,
                                              sizeof(blank), blank, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clEnqueueWriteBuffer(device.disorder, task->in, CL_FALSE, 0,
                                              sizeof(task->values), task->values, 0, NULL,
                                              &written),
                         CL_SUCCESS);
        assert_ok(task_call(task, device.disorder, &written, &once));
        assert_ok(task_call(&again, device.disorder, &once, &done));
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        assert_holds(device.disorder, task->out, twice,
                     expect(second, task->expected, task->num_results, twice));
        clReleaseEvent(written);
        clReleaseEvent(once);
        clReleaseEvent(done);
        task_destroy(task);
    }
}

/* The event of a call completes when its last kernel has, also for count 0. By policy an
 * exclusive scan is one program more, and nothing else. */
static void test_event(void **state)
{
    const size_t counts[] = { 0, 1, COUNT };

    (void)state;
    for (size_t i = 0; i < 3 * 3 * NUM_WAYS; ++i) {
        const struct way *way = &ways[i / 9];
        const char *const algorithms[] = { way->algorithm, way->simpler, NULL };
        const char *algorithm = algorithms[i / 3 % 3];
        if (!algorithm && way->call == CALL_EXCLUSIVE_SCAN) {
            continue;
        }
        struct task *task = task_create(way, counts[i % 3], i);
        cl_event event = NULL;
        cl_int execution = CL_QUEUED;
        task->algorithm = algorithm;
        assert_ok(task_call(task, device.queue, NULL, &event));
        assert_non_null(event);
        assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
        assert_int_equal(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                        sizeof(execution), &execution, NULL),
                         CL_SUCCESS);
        assert_int_equal(execution, CL_COMPLETE);
        assert_done(task, device.queue);
        clReleaseEvent(event);
        task_destroy(task);
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
    struct task *task = task_create(way, COUNT, 8);
    cl_event event = NULL, gate = gate_create();
    cl_int status, execution = CL_QUEUED;

    task->algorithm = device.is_pocl ? way->simpler : way->algorithm;
    assert_ok(task_call(task, queue, &gate, &event));
    assert_int_equal(clSetUserEventStatus(gate, -42), CL_SUCCESS);
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
    task_destroy(task);
}

static void test_failed_wait(void **state)
{
    (void)state;
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        failed_wait(&ways[i], device.queue);
        if (device.disorder && device.is_pocl) {
            failed_wait(&ways[i], device.disorder);
        }
    }
}

/* Intel's queue in order drops only the first kernel of a call whose wait failed: those
 * after it run on what other calls have left. PoCL aborts, see failed_wait. */
static void test_stale_scratch(void **state)
{
    enum { NUM = 1 << 18 };
    static cl_int values[NUM];

    (void)state;
    for (cl_int i = 0; i < NUM; ++i) {
        values[i] = i / 64;
    }
    cl_mem in = copied_buffer(values, sizeof(values)), out = coloured_buffer(4 * NUM);
    const clfold_segments keys = { .by = CLFOLD_BY_KEYS, .type = CLFOLD_I32, .mem = in };
    const clfold_fold folds[] = {
        { .op = CLFOLD_ADD, .type = CLFOLD_I32, .segments = &keys },
        { .type = CLFOLD_I32, .algorithm = "reduce_then_scan" },
    };
    for (size_t k = 0; k < 9; ++k) {
        cl_event gate = gate_create();
        struct call call = {
            .context = ctx, .queue = device.queue, .in = in, .out = out
        };
        call.fold = &folds[k % 2];
        call.count = NUM;
        call.num_wait = device.is_intel && k % 2;
        call.wait = call.num_wait ? &gate : NULL;
        assert_ok(call_rows[k % 2 ? CALL_SELECT : CALL_REDUCE].make(&call));
        clSetUserEventStatus(gate, -42);
        clFinish(device.queue);
        clReleaseEvent(gate);
    }
    assert_holds(device.queue, out, (cl_int[]){ 0, 64, 128 }, 3);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- Counts on the device ---------------------------------------------------------- */

/* Writes what is kept of the first `count` values, and returns how many: see calls.h. */
static size_t select_some(const cl_int *values, size_t count, cl_int *kept)
{
    size_t num = 0;

    for (size_t i = 0; i < count; ++i) {
        if (i % 3 > 0) {
            kept[num++] = values[i];
        }
    }
    return num;
}

/* A select of as many elements as a command writes that is held back until all calls are
 * made, and calls that take as many as it keeps: all wait by events alone. */
static void counted(cl_command_queue queue, cl_ulong count, uint64_t seed)
{
    static const struct way takers[] = {
        { .call = CALL_REDUCE, .algorithm = "reduce_tiles" },
        { .call = CALL_REDUCE, .algorithm = "reduce6" },
        { .call = CALL_INCLUSIVE_SCAN, .algorithm = "reduce_then_scan" },
        { .call = CALL_INCLUSIVE_SCAN },
        { .call = CALL_EXCLUSIVE_SCAN, .algorithm = "scan_single_group" },
        { .call = CALL_EXCLUSIVE_SCAN, .algorithm = "scan_then_propagate" },
        { .call = CALL_MAP },
        { .call = CALL_SELECT, .algorithm = "reduce_then_scan" },
    };
    enum { TAKERS = sizeof(takers) / sizeof(takers[0]) };
    static cl_int values[COUNT], kept[COUNT], wanted[COUNT];
    cl_mem numbers = buffer(blank), in, picked = buffer(blank), outs[TAKERS];
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    cl_event written = NULL, selected = NULL, done[TAKERS], gate = gate_create();

    fill(values, CLFOLD_I32, COUNT, FILL_EXACT, seed);
    in = buffer(values);
    assert_int_equal(clEnqueueWriteBuffer(queue, numbers, CL_FALSE, sizeof(count),
                                          sizeof(count), &count, 1, &gate, &written),
                     CL_SUCCESS);
    for (size_t k = 0; k <= TAKERS; ++k) {
        const struct way *way = k > 0 ? &takers[k - 1] : &takers[TAKERS - 1];
        const struct call call = { .context = ctx,
                                   .queue = queue,
                                   .fold = &fold,
                                   .in = k > 0 ? picked : in,
                                   .out = k > 0 ? outs[k - 1] = buffer(blank) : picked,
                                   .count = COUNT,
                                   .num_wait = 1,
                                   .wait = k > 0 ? &selected : &written,
                                   .event = k > 0 ? &done[k - 1] : &selected };
        fold.algorithm = way->algorithm;
        fold.count_at = (clfold_place){ numbers, k > 0 ? 3 : 1 };
        fold.num_out = (clfold_place){ k > 0 ? NULL : numbers, k > 0 ? 0 : 3 };
        assert_ok(call_rows[way->call].make(&call));
    }
    gate_open(gate);
    assert_int_equal(clWaitForEvents(TAKERS, done), CL_SUCCESS);
    const size_t num = select_some(values, count < COUNT ? count : COUNT, kept);
    for (size_t k = 0; k < TAKERS; ++k) {
        memcpy(wanted, blank, sizeof(wanted));
        if (takers[k].call == CALL_MAP) {
            memcpy(wanted, kept, num * sizeof(*kept));
        } else if (takers[k].call == CALL_SELECT) {
            select_some(kept, num, wanted);
        } else {
            expect(&takers[k], kept, num, wanted);
        }
        assert_holds(device.queue, outs[k], wanted, COUNT);
        clReleaseEvent(done[k]);
        clReleaseMemObject(outs[k]);
    }
    clReleaseEvent(written);
    clReleaseEvent(selected);
    clReleaseMemObject(numbers);
    clReleaseMemObject(picked);
    clReleaseMemObject(in);
}

/* A select, a scan of what it keeps, a map of that, and sums of the map's runs of equal
 * keys, each of as many elements as the call before it has found: held back until all are
 * made, so no host can have read a count. */
static void chained(cl_command_queue queue, cl_ulong count, uint64_t seed)
{
    enum { KEPT, SUMS, KEYS, RUNS, RUN_KEYS, STEPS };
    static cl_int values[COUNT], wanted[STEPS][COUNT];
    static const struct way scan = { .call = CALL_INCLUSIVE_SCAN };
    static const struct way reduce = { .call = CALL_REDUCE };
    cl_mem numbers = buffer(blank), in, mem[STEPS];
    cl_event written = NULL, done[4], gate = gate_create();
    const size_t most = count < COUNT ? count : COUNT;
    size_t num_runs = 0;

    fill(values, CLFOLD_I32, COUNT, FILL_EXACT, seed);
    in = buffer(values);
    for (int k = 0; k < STEPS; ++k) {
        mem[k] = buffer(blank);
        memcpy(wanted[k], blank, sizeof(blank));
    }
    const clfold_segments runs = { .by = CLFOLD_BY_KEYS,
                                   .type = CLFOLD_I32,
                                   .mem = mem[KEYS] };
    const clfold_place counts[] = { { numbers, 1 }, { numbers, 3 }, { numbers, 5 } };
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_I32,
                              .count_at = counts[1] };
    clfold_fold pick = sum, key = sum, fold = sum;
    pick.count_at = counts[0];
    pick.num_out = counts[1];
    key.op = 0;
    key.result = "x >> 6";
    fold.segments = &runs;
    fold.keys_out.mem = mem[RUN_KEYS];
    fold.num_out = counts[2];
    const struct {
        unsigned call;
        const clfold_fold *fold;
        cl_mem in, out;
    } steps[] = { { CALL_SELECT, &pick, in, mem[KEPT] },
                  { CALL_INCLUSIVE_SCAN, &sum, mem[KEPT], mem[SUMS] },
                  { CALL_MAP, &key, mem[SUMS], mem[KEYS] },
                  { CALL_REDUCE, &fold, mem[KEPT], mem[RUNS] } };
    assert_int_equal(clEnqueueWriteBuffer(queue, numbers, CL_FALSE, sizeof(count),
                                          sizeof(count), &count, 1, &gate, &written),
                     CL_SUCCESS);
    for (size_t k = 0; k < 4; ++k) {
        const struct call call = { .context = ctx,
                                   .queue = queue,
                                   .fold = steps[k].fold,
                                   .in = steps[k].in,
                                   .out = steps[k].out,
                                   .count = COUNT,
                                   .num_wait = 1,
                                   .wait = k > 0 ? &done[k - 1] : &written,
                                   .event = &done[k] };
        assert_ok(call_rows[steps[k].call].make(&call));
    }
    gate_open(gate);
    assert_int_equal(clWaitForEvents(1, &done[3]), CL_SUCCESS);
    const size_t num = select_some(values, most, wanted[KEPT]);
    expect(&scan, wanted[KEPT], num, wanted[SUMS]);
    for (size_t i = 0, first = 0; i < num; ++i) {
        wanted[KEYS][i] = wanted[SUMS][i] >> 6;
        if (i == 0 || wanted[KEYS][i] != wanted[KEYS][i - 1]) {
            wanted[RUN_KEYS][num_runs++] = wanted[KEYS][i];
            first = i;
        }
        expect(&reduce, wanted[KEPT] + first, i + 1 - first, &wanted[RUNS][num_runs - 1]);
    }
    for (int k = 0; k < STEPS; ++k) {
        assert_holds(device.queue, mem[k], wanted[k], COUNT);
        clReleaseMemObject(mem[k]);
    }
    for (int k = 0; k < 4; ++k) {
        clReleaseEvent(done[k]);
    }
    clReleaseEvent(written);
    clReleaseMemObject(numbers);
    clReleaseMemObject(in);
}

/* What clfold_prepare has built, a call with a count in memory does not build. */
static void test_prepared(void **state)
{
    const cl_ulong count = 1000;
    clfold_stats before, after;
    clfold_report report;

    (void)state;
    for_calls(row, HAS_OUT)
    {
        clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
        cl_mem in = buffer(blank), out = buffer(blank), mem = buffer(blank);
        const struct call call = { .context = ctx,
                                   .queue = device.queue,
                                   .fold = &fold,
                                   .in = in,
                                   .out = out,
                                   .count = SMALL };
        assert_int_equal(clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0,
                                              sizeof(count), &count, 0, NULL, NULL),
                         CL_SUCCESS);
        fold.count_at.mem = mem;
        const clfold_fold own = fold_for(row->operation, &fold);
        assert_ok(clfold_explain(ctx, row->operation, &own, SMALL, NULL, &report));
        assert_non_null(strstr(report.reason, "; the count is a bound"));
        assert_ok(clfold_prepare(ctx, row->operation, &own, SMALL, NULL));
        assert_ok(clfold_context_stats(ctx, &before));
        assert_ok(row->make(&call));
        assert_ok(clfold_context_stats(ctx, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
        clReleaseMemObject(mem);
    }
}

static void test_counted(void **state)
{
    const cl_ulong counts[] = { 0, 1, 1536, 40001, COUNT, UINT64_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); ++i) {
        counted(device.queue, counts[i], i);
        chained(device.queue, counts[i], i);
        if (device.disorder) {
            counted(device.disorder, counts[i], i);
            chained(device.disorder, counts[i], i);
        }
    }
}

/* clfold_reduce_host runs after all that the queue holds, whatever its kind. */
static void test_host_result_is_last(void **state)
{
    cl_command_queue queues[] = { device.queue, device.disorder };
    struct task *tasks[] = { task_create(&ways[0], COUNT, 9),
                             task_create(&ways[0], COUNT, 10) };

    (void)state;
    for (size_t i = 0; i < 20 && queues[i / 10]; ++i) {
        struct task *task = tasks[i % 2];
        clEnqueueWriteBuffer(queues[i / 10], tasks[0]->in, CL_FALSE, 0,
                             sizeof(task->values), task->values, 0, NULL, NULL);
        struct task there = { .count = COUNT, .in = tasks[0]->in };
        memcpy(there.values, task->values, sizeof(there.values));
        assert_sums(&there, queues[i / 10]);
    }
    task_destroy(tasks[0]);
    task_destroy(tasks[1]);
}

/* ---- Scratch ----------------------------------------------------------------------- */

/* What one call after the other needs: where memory has fences, a reduction has a
 * counter, in a block that serves no other calls. */
static size_t kept(void)
{
    return clfold_context_settled(ctx, false).fences ? 2 * BLOCK : BLOCK;
}

/* Calls in flight that wait for a user event, all at once, do not share scratch; on an
 * in-order queue they do, one after the other. The second of each way is in place. */
static void calls_in_flight(cl_command_queue queue, bool in_order)
{
    enum { CALLS = 3 * NUM_WAYS };
    struct task *tasks[CALLS];
    cl_event events[CALLS], gate = gate_create();

    clfold_context_trim(ctx);
    for (size_t i = 0; i < CALLS; ++i) {
        tasks[i] = task_create(&ways[i % NUM_WAYS], COUNT, i);
        if (i / NUM_WAYS == 1) {
            clReleaseMemObject(tasks[i]->out);
            clRetainMemObject(tasks[i]->in);
            tasks[i]->out = tasks[i]->in;
        }
        assert_ok(task_call(tasks[i], queue, &gate, &events[i]));
    }
    assert_int_equal(scratch_bytes(ctx), in_order ? kept() : CALLS * BLOCK);
    gate_open(gate);
    assert_int_equal(clWaitForEvents(CALLS, events), CL_SUCCESS);
    for (size_t i = 0; i < CALLS; ++i) {
        assert_done(tasks[i], queue);
        clReleaseEvent(events[i]);
        task_destroy(tasks[i]);
    }
}

static void test_in_flight_in_order(void **state)
{
    (void)state;
    calls_in_flight(device.queue, true);
}

static void test_in_flight_out_of_order(void **state)
{
    (void)state;
    need_disorder();
    calls_in_flight(device.disorder, false);
    /* All are complete: the next calls make no new block. */
    uint64_t before = scratch_bytes(ctx);
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        struct task *task = task_create(&ways[i], COUNT, 99);
        assert_does(task, device.disorder);
        assert_sums(task, device.disorder);
        task_destroy(task);
    }
    assert_int_equal(scratch_bytes(ctx), before);
}

/* However many calls are in flight, none waits for another: calls that name no event end
 * while all before them are held back, and their blocks serve again. */
static void test_held_calls(void **state)
{
    enum { HELD = 40, LENGTH = 60 * NUM_WAYS };
    struct task *held[HELD], *others[NUM_WAYS];

    (void)state;
    need_overtaking();
    cl_event gate = gate_create();
    clfold_context_trim(ctx);
    for (size_t i = 0; i < HELD; ++i) {
        held[i] = task_create(&ways[i % NUM_WAYS], COUNT, i);
        assert_ok(task_call(held[i], device.disorder, &gate, NULL));
    }
    assert_int_equal(scratch_bytes(ctx), HELD * BLOCK);
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        others[i] = task_create(&ways[i], SMALL, HELD + i);
    }
    for (size_t i = 0; i < LENGTH; ++i) {
        assert_does(others[i % NUM_WAYS], device.disorder);
    }
    assert_true(scratch_bytes(ctx) <= 2 * HELD * BLOCK);
    assert_holds(device.queue, held[0]->out, blank, COUNT);
    gate_open(gate);
    assert_sums(held[0], device.disorder);
    for (size_t i = 0; i < HELD; ++i) {
        assert_done(held[i], device.disorder);
        task_destroy(held[i]);
    }
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        task_destroy(others[i]);
    }
}

/* This number of calls is in flight at any time, each waiting for its own event, and the
 * oldest ends before the next one starts: blocks are used again, however many calls
 * follow. */
static void test_steady_flight(void **state)
{
    enum { DEPTH = 40, LENGTH = 400 };
    struct task *tasks[DEPTH];
    cl_event gates[DEPTH], events[DEPTH];

    (void)state;
    need_disorder();
    clfold_context_trim(ctx);
    for (size_t i = 0; i < DEPTH; ++i) {
        tasks[i] = task_create(&ways[i % NUM_WAYS], SMALL, i);
    }
    for (size_t i = 0; i < LENGTH + DEPTH; ++i) {
        const size_t k = i % DEPTH;
        if (i >= DEPTH) {
            gate_open(gates[k]);
            assert_int_equal(clWaitForEvents(1, &events[k]), CL_SUCCESS);
            clReleaseEvent(events[k]);
            assert_done(tasks[k], device.queue);
        }
        if (i < LENGTH) {
            gates[k] = gate_create();
            assert_int_equal(clEnqueueWriteBuffer(device.queue, tasks[k]->out, CL_TRUE, 0,
                                                  SMALL * sizeof(*blank), blank, 0, NULL,
                                                  NULL),
                             CL_SUCCESS);
            assert_ok(task_call(tasks[k], device.disorder, &gates[k], &events[k]));
        }
    }
    assert_true(scratch_bytes(ctx) <= 2 * DEPTH * BLOCK);
    for (size_t i = 0; i < DEPTH; ++i) {
        task_destroy(tasks[i]);
    }
}

/* Two queues never meet in one block. */
static void test_two_queues(void **state)
{
    cl_command_queue queues[] = { device.queue, device_queue(&device, 0) };
    struct task *tasks[2 * NUM_WAYS];

    (void)state;
    assert_non_null(queues[1]);
    clfold_context_trim(ctx);
    for (size_t i = 0; i < 2 * NUM_WAYS; ++i) {
        tasks[i] = task_create(&ways[i / 2], COUNT, i);
    }
    for (size_t i = 0; i < 40 * NUM_WAYS; ++i) {
        assert_ok(task_call(tasks[i % (2 * NUM_WAYS)], queues[i % 2], NULL, NULL));
    }
    assert_int_equal(scratch_bytes(ctx), 2 * kept());
    for (size_t i = 0; i < 2 * NUM_WAYS; ++i) {
        assert_done(tasks[i], queues[i % 2]);
        task_destroy(tasks[i]);
    }
    clReleaseCommandQueue(queues[1]);
}

/* A queue that its owner released stays with the context until trim, and its scratch too.
 */
static void test_queue_is_retained(void **state)
{
    cl_command_queue other = device_queue(&device, 0);
    struct task *task = task_create(&ways[0], COUNT, 7);
    cl_uint held = 0, left = 0;

    (void)state;
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
    task_destroy(task);
}

/* ---- A limit of scratch ------------------------------------------------------------ */

static clfold_context *limited_create(size_t limit)
{
    const clfold_context_params params = { .scratch_limit = limit };
    clfold_context *limited = NULL;

    assert_ok(device_context(&limited, &device, &params));
    clfold_context_override(limited, &tiles);
    return limited;
}

/* A call that cannot fit fails before it has changed anything. */
static void test_no_scratch(void **state)
{
    clfold_context *limited = limited_create(16);

    (void)state;
    for (size_t i = 0; i < NUM_WAYS; ++i) {
        struct task *task = task_create(&ways[i], COUNT, i);
        cl_event event = (cl_event)&device;
        task->context = limited;
        assert_refused(task_call(task, device.queue, NULL, &event),
                       CL_MEM_OBJECT_ALLOCATION_FAILURE, "scratch_limit is 16");
        assert_null(event);
        assert_holds(device.queue, task->out, blank, COUNT);
        task_destroy(task);
    }
    clfold_context_destroy(&limited);
}

/* Scratch for one queue's block, and not for two: nothing makes room that a command still
 * uses, on an in-order queue as well. Calls of a second queue are rejected while those of
 * the first are held back; idle blocks give way. */
static void test_scratch_limit(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    cl_command_queue other = device_queue(&device, 0);
    struct task *tasks[3];
    clfold_report report;
    char words[64];
    cl_event gate = gate_create();

    (void)state;
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, COUNT, NULL, &report));
    size_t limit = report.scratch_bytes / 4 * 7;
    clfold_context *limited = limited_create(limit);
    for (size_t i = 0; i < 3; ++i) {
        tasks[i] = task_create(&ways[0], COUNT, i);
        tasks[i]->context = limited;
    }
    snprintf(words, sizeof(words), "scratch_limit is %zu", limit);
    assert_ok(task_call(tasks[0], device.queue, &gate, NULL));
    for (int i = 0; i < 3; ++i) {
        assert_refused(task_call(tasks[1], other, NULL, NULL),
                       CL_MEM_OBJECT_ALLOCATION_FAILURE, words);
        /* The queue's own block serves again: it keeps order. */
        assert_ok(task_call(tasks[2], device.queue, NULL, NULL));
        /* Nor does a trim. */
        clfold_context_trim(limited);
    }
    assert_in_range(scratch_bytes(limited), 1, limit);
    gate_open(gate);
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    for (int round = 0; round < 4; ++round) {
        assert_does(tasks[1], round % 2 ? device.queue : other);
        assert_in_range(scratch_bytes(limited), 1, limit);
    }
    for (size_t i = 0; i < 3; ++i) {
        assert_done(tasks[i], device.queue);
        task_destroy(tasks[i]);
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

/* Calls in flight that wait for a user event, on one queue and on two: each has words of
 * its own that no other call increments, and on an in-order queue the same ones. */
static void test_lookback_in_flight(void **state)
{
    enum { CALLS = 8 };
    const bool looks = begin_look_back();
    cl_command_queue other = device_queue(&device, 0);
    cl_command_queue queues[] = { device.queue, other,
                                  device.disorder ? device.disorder : other };

    (void)state;
    assert_non_null(other);
    for (size_t round = 0; looks && round < 6; ++round) {
        struct task *tasks[CALLS];
        cl_event events[CALLS], gate = gate_create();
        for (size_t i = 0; i < CALLS; ++i) {
            size_t q = round % 3 == 0 ? 0 : round % 3 == 1 ? i % 2 : 2;
            tasks[i] = task_create(&look_back, COUNT, 100 * round + i);
            assert_ok(task_call(tasks[i], queues[q], &gate, &events[i]));
        }
        gate_open(gate);
        assert_int_equal(clWaitForEvents(CALLS, events), CL_SUCCESS);
        for (size_t i = 0; i < CALLS; ++i) {
            assert_done(tasks[i], device.queue);
            clReleaseEvent(events[i]);
            task_destroy(tasks[i]);
        }
    }
    clReleaseCommandQueue(other);
    clfold_context_override(ctx, &tiles);
}

/* What the failed call had of words is dropped, and where its event later reads complete
 * nothing may be left of it. */
static void test_lookback_failed_wait(void **state)
{
    (void)state;
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

/* A way for each call that is enqueued, but for maps, which take no scratch. */
static void test_ways(void **state)
{
    (void)state;
    for_calls(row, HAS_OUT | HAS_OPERATOR)
    {
        size_t found = 0;
        for (size_t i = 0; i < NUM_WAYS; ++i) {
            found += row == &call_rows[ways[i].call];
        }
        assert_int_equal(found, 1);
    }
}

TEST_MAIN("queues", open_device, close_context, cmocka_unit_test(test_ways),
          cmocka_unit_test(test_out_of_order), cmocka_unit_test(test_event),
          cmocka_unit_test(test_failed_wait), cmocka_unit_test(test_stale_scratch),
          cmocka_unit_test(test_counted), cmocka_unit_test(test_prepared),
          cmocka_unit_test(test_host_result_is_last),
          cmocka_unit_test(test_in_flight_in_order),
          cmocka_unit_test(test_in_flight_out_of_order),
          cmocka_unit_test(test_held_calls), cmocka_unit_test(test_steady_flight),
          cmocka_unit_test(test_two_queues), cmocka_unit_test(test_queue_is_retained),
          cmocka_unit_test(test_no_scratch), cmocka_unit_test(test_scratch_limit),
          cmocka_unit_test(test_lookback_in_flight),
          cmocka_unit_test(test_lookback_failed_wait))
