/* Sixteen threads on one context: cold and warm calls, on queues of their own and on
 * shared ones, with trims and statistics in between. */
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/internal.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16
#define ROUNDS  60
#define COUNT   20000

static cl_mem in;
static cl_int values[COUNT];
static cl_long totals[COUNT + 1]; /* of the first i */
static _Atomic int failures;

static cl_int narrow(cl_long total)
{
    return (cl_int)(cl_uint)(cl_ulong)total;
}

/* Every fourth thread has the shared queue. */
struct worker {
    size_t me;
    uint64_t random;
    cl_command_queue queue;
    cl_mem mem;
    cl_int results[COUNT];
};

/* By an event of its own: another thread may flush this queue, see src/ops/chain.c. */
static void read_results(struct worker *worker, size_t num, const cl_event *after)
{
    cl_event read = NULL;

    failures +=
        clEnqueueReadBuffer(worker->queue, worker->mem, CL_FALSE, 0, num * sizeof(cl_int),
                            worker->results, after != NULL, after, &read) != CL_SUCCESS;
    failures += clWaitForEvents(1, &read) != CL_SUCCESS;
    clReleaseEvent(read);
}

static void reduce_once(struct worker *worker, size_t round)
{
    const size_t count = next_random(&worker->random) % COUNT;
    const bool is_wide = worker->me % 2;
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = is_wide ? CLFOLD_I64 : CLFOLD_I32,
                              .in = CLFOLD_I32 };
    const clfold_fold fold = { .op = 100 + (clfold_op)worker->me, .type = CLFOLD_I32 };
    char words[32];
    union {
        cl_long wide;
        cl_int narrow;
    } result = { -1 };

    failures +=
        clfold_reduce_host(ctx, worker->queue, &sum, in, 0, count, &result,
                           is_wide ? 8 : 4) != CLFOLD_OK ||
        (is_wide ? result.wide != totals[count] : result.narrow != narrow(totals[count]));
    /* A failure of one thread is not another's. */
    snprintf(words, sizeof(words), "op %zu ", 100 + worker->me);
    failures += round % 5 == 0 &&
                (clfold_reduce_host(ctx, worker->queue, &fold, in, 0, 1, &result, 4) !=
                     CLFOLD_ERROR_ARGUMENT ||
                 !strstr(clfold_last_error(), words));
}

/* Calls that are waited for only after the last, while other threads give scratch
 * back. */
static void reduce_ahead(struct worker *worker, size_t round)
{
    static size_t counts[THREADS][ROUNDS];
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    size_t *const own = counts[worker->me];

    own[round] = next_random(&worker->random) % COUNT;
    failures += clfold_reduce(ctx, worker->queue, &sum, in, 0, worker->mem, round,
                              own[round], 0, NULL, NULL) != CLFOLD_OK;
    if (round == ROUNDS - 1) {
        read_results(worker, ROUNDS, NULL);
        for (size_t i = 0; i < ROUNDS; ++i) {
            failures += worker->results[i] != narrow(totals[own[i]]);
        }
    }
}

/* Scans of both kinds in place of a copy of the thread's own. */
static void scan_once(struct worker *worker, size_t round)
{
    static const char *const algorithms[] = { "reduce_then_scan", "scan_then_propagate",
                                              "scan_single_group" };
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_I32,
                              .algorithm = algorithms[(worker->me / 3 + round) % 3] };
    const size_t count = next_random(&worker->random) % COUNT, exclusive = round % 2;
    cl_event written = NULL, scanned = NULL;

    failures +=
        clEnqueueWriteBuffer(worker->queue, worker->mem, CL_FALSE, 0, sizeof(values),
                             values, 0, NULL, &written) != CL_SUCCESS;
    failures += (exclusive ? clfold_exclusive_scan : clfold_inclusive_scan)(
                    ctx, worker->queue, &sum, worker->mem, 0, worker->mem, 0, count, 1,
                    &written, &scanned) != CLFOLD_OK;
    read_results(worker, COUNT, &scanned);
    for (size_t i = 0; i < COUNT; ++i) {
        failures += worker->results[i] !=
                    (i < count ? narrow(totals[i + 1 - exclusive]) : values[i]);
    }
    clReleaseEvent(written);
    clReleaseEvent(scanned);
}

static void *work(void *argument)
{
    void (*const kinds[])(struct worker *, size_t) = { reduce_once, reduce_ahead,
                                                       scan_once };
    struct worker *const worker = argument;
    clfold_stats stats;

    for (size_t round = 0; round < ROUNDS; ++round) {
        kinds[worker->me % 3](worker, round);
        if (round % 7 == 6) {
            clfold_context_trim(ctx);
        }
        failures += clfold_context_stats(ctx, &stats) != CLFOLD_OK;
    }
    return NULL;
}

/* One program for each kind, type and algorithm, whoever came first. */
static void test_threads(void **state)
{
    static struct worker workers[THREADS];
    const struct debug many = { .tile_elements = 500, .max_groups = 20 };
    pthread_t threads[THREADS];
    clfold_stats stats;

    clfold_context_override(ctx, &many);
    for (size_t i = 0; i < THREADS; ++i) {
        workers[i] =
            (struct worker){ .me = i,
                             .random = i,
                             .queue = i % 4 ? device_queue(&device, 0) : device.queue,
                             .mem = coloured_buffer(sizeof(values)) };
    }
    assert_int_equal(clFinish(device.queue), CL_SUCCESS);
    for (size_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        clReleaseMemObject(workers[i].mem);
        if (i % 4) {
            clReleaseCommandQueue(workers[i].queue);
        }
    }
    assert_int_equal(failures, 0);
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.builds, 2 + 6);
    assert_int_equal(stats.calls, THREADS * ROUNDS);
    assert_int_equal(stats.hits + stats.misses, THREADS * ROUNDS);
}

static int open_device(void **state)
{
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

TEST_MAIN("threads", open_device, close_device, cmocka_unit_test(test_threads))
