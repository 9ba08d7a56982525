/* Sixteen threads on one context: cold and warm calls, on queues of their own and on
 * shared ones, with trims and statistics in between. */
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16
#define ROUNDS  30
#define COUNT   20000

static cl_mem in;
static cl_int values[COUNT];
static cl_long totals[COUNT + 1]; /* of the first i */
static _Atomic int failures;

static void *work(void *argument)
{
    size_t me = (size_t)(uintptr_t)argument;
    uint64_t random = me;
    /* Every fourth thread has the shared queue. */
    cl_command_queue own = me % 4 ? device_queue(&device, 0) : NULL;
    cl_command_queue queue = own ? own : device.queue;

    for (int round = 0; round < ROUNDS; ++round) {
        size_t count = next_random(&random) % COUNT;
        clfold_stats stats;
        const bool is_wide = me % 2;
        const clfold_fold sum = { .op = CLFOLD_ADD,
                                  .type = is_wide ? CLFOLD_I64 : CLFOLD_I32,
                                  .in = CLFOLD_I32 };
        union {
            cl_long wide;
            cl_int narrow;
        } result = { -1 };
        failures += clfold_reduce_host(ctx, queue, &sum, in, 0, count, &result,
                                       is_wide ? 8 : 4) != CLFOLD_OK ||
                    (is_wide ? result.wide != totals[count]
                             : result.narrow != (cl_int)(cl_uint)(cl_ulong)totals[count]);
        if (round % 7 == 0) {
            clfold_context_trim(ctx);
        }
        if (clfold_context_stats(ctx, &stats)) {
            ++failures;
        }
        /* A failure of one thread is not another's. */
        if (round % 5 == 0) {
            const clfold_fold fold = { .op = 100 + (clfold_op)me, .type = CLFOLD_I32 };
            char words[32];
            snprintf(words, sizeof(words), "op %zu ", 100 + me);
            if (clfold_reduce_host(ctx, queue, &fold, in, 0, 1, &stats, 4) !=
                    CLFOLD_ERROR_ARGUMENT ||
                !strstr(clfold_last_error(), words)) {
                ++failures;
            }
        }
    }
    if (own) {
        clReleaseCommandQueue(own);
    }
    return NULL;
}

/* Calls that are waited for only at the end, while their own and other threads give
 * scratch back. */
static void *work_ahead(void *argument)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    uint64_t random = (size_t)(uintptr_t)argument;
    cl_command_queue queue = device_queue(&device, 0);
    cl_int status, results[ROUNDS];
    cl_event read = NULL;
    size_t counts[ROUNDS];
    cl_mem out =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(results), NULL, &status);

    for (size_t i = 0; i < ROUNDS; ++i) {
        counts[i] = next_random(&random) % COUNT;
        failures += clfold_reduce(ctx, queue, &sum, in, 0, out, i, counts[i], 0, NULL,
                                  NULL) != CLFOLD_OK;
        if (i % 7 == 6) {
            clfold_context_trim(ctx);
        }
    }
    /* By its event: another thread may flush this queue, see src/ops/chain.c. */
    failures += clEnqueueReadBuffer(queue, out, CL_FALSE, 0, sizeof(results), results, 0,
                                    NULL, &read) != CL_SUCCESS;
    failures += clWaitForEvents(1, &read) != CL_SUCCESS;
    clReleaseEvent(read);
    for (size_t i = 0; i < ROUNDS; ++i) {
        failures += results[i] != (cl_int)(cl_uint)(cl_ulong)totals[counts[i]];
    }
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    return NULL;
}

/* Scans of both kinds in place of a copy of the thread's own, cold and warm. */
static void *work_scanning(void *argument)
{
    const char *const algorithms[] = { "reduce_then_scan", "scan_then_propagate",
                                       "scan_single_group" };
    size_t me = (size_t)(uintptr_t)argument;
    uint64_t random = me;
    cl_command_queue own = me % 4 ? device_queue(&device, 0) : NULL;
    cl_command_queue queue = own ? own : device.queue;
    cl_int *results = malloc(sizeof(values)), status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(values), NULL, &status);

    for (size_t round = 0; results && round < ROUNDS; ++round) {
        const clfold_fold sum = { .op = CLFOLD_ADD,
                                  .type = CLFOLD_I32,
                                  .algorithm = algorithms[(me + round) % 3] };
        size_t count = next_random(&random) % COUNT, exclusive = round % 2;
        cl_event written = NULL, scanned = NULL, read = NULL;
        failures += clEnqueueWriteBuffer(queue, mem, CL_FALSE, 0, sizeof(values), values,
                                         0, NULL, &written) != CL_SUCCESS;
        failures += (exclusive ? clfold_exclusive_scan : clfold_inclusive_scan)(
                        ctx, queue, &sum, mem, 0, mem, 0, count, 1, &written, &scanned) !=
                    CLFOLD_OK;
        /* By its event: see src/ops/chain.c. */
        failures += clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, sizeof(values), results,
                                        1, &scanned, &read) != CL_SUCCESS;
        failures += clWaitForEvents(1, &read) != CL_SUCCESS;
        for (size_t i = 0; i < COUNT; ++i) {
            cl_long total = totals[i + 1 - exclusive];
            failures +=
                results[i] != (i < count ? (cl_int)(cl_uint)(cl_ulong)total : values[i]);
        }
        clReleaseEvent(written);
        clReleaseEvent(scanned);
        clReleaseEvent(read);
        if (round % 7 == 6) {
            clfold_context_trim(ctx);
        }
    }
    failures += !results;
    clReleaseMemObject(mem);
    free(results);
    if (own) {
        clReleaseCommandQueue(own);
    }
    return NULL;
}

static void run_threads(void *(*start)(void *))
{
    const struct debug many = { .tile_elements = 500, .max_groups = 20 };
    pthread_t threads[THREADS];

    clfold_context_override(ctx, &many);
    failures = 0;
    for (size_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, start, (void *)(uintptr_t)i),
                         0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(failures, 0);
}

static void test_threads_ahead(void **state)
{
    (void)state;
    run_threads(work_ahead);
}

/* One program for each kind and algorithm, whoever came first. */
static void test_threads_scanning(void **state)
{
    clfold_stats before, after;

    (void)state;
    assert_ok(clfold_context_stats(ctx, &before));
    run_threads(work_scanning);
    assert_ok(clfold_context_stats(ctx, &after));
    assert_int_equal(after.builds - before.builds, 6);
    assert_int_equal(after.calls - before.calls, THREADS * ROUNDS);
}

static void test_threads(void **state)
{
    clfold_stats stats;

    (void)state;
    run_threads(work);
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.builds, 2);
    assert_int_equal(stats.calls, THREADS * ROUNDS);
    assert_int_equal(stats.hits + stats.misses, THREADS * ROUNDS);
}

static int open_device(void **state)
{
    (void)state;
    device_init(&device);
    fill(values, CLFOLD_I32, COUNT, FILL_EXACT, 3);
    for (size_t i = 0; i < COUNT; ++i) {
        totals[i + 1] = totals[i] + values[i];
    }
    in = copied_buffer(values, sizeof(values));
    return clfold_context_create(&ctx, device.context, device.id, NULL);
}

static int close_device(void **state)
{
    clReleaseMemObject(in);
    return close_context(state);
}

TEST_MAIN("threads", open_device, close_device, cmocka_unit_test(test_threads),
          cmocka_unit_test(test_threads_ahead), cmocka_unit_test(test_threads_scanning))
