/*
 * bench_small [DEVICE]: from enqueue to finish of calls on few i32, on the device of
 * `clfold --device`, next to an empty kernel of one work-item, the least time that any
 * call takes. All in turn; prints medians in microseconds, and as multiples of the empty
 * kernel's. The results are checked before anything is timed.
 */
#include "device.h"

#include "../clfold/clock.h"

#include <clfold/clfold.h>

#include <stdio.h>

enum { RUNS = 501, MOST = 4096 };

static const size_t counts[] = { 1, 16, 64, 256, 1024, MOST };
#define NUM_COUNTS (sizeof(counts) / sizeof(counts[0]))

typedef clfold_status (*call_function)(clfold_context *, cl_command_queue,
                                       const clfold_fold *, cl_mem, size_t, cl_mem,
                                       size_t, size_t, cl_uint, const cl_event *,
                                       cl_event *);

static const struct bench_call {
    const char *name;
    call_function call;
} calls[] = {
    { "reduce", clfold_reduce },
    { "inclusive_scan", clfold_inclusive_scan },
    { "exclusive_scan", clfold_exclusive_scan },
};
#define NUM_CALLS (sizeof(calls) / sizeof(calls[0]))

struct bench {
    struct bench_device device;
    cl_kernel empty;
    cl_mem in, out;
    double empty_seconds[RUNS], seconds[NUM_CALLS][NUM_COUNTS][RUNS];
};

static cl_int value_of(size_t i)
{
    return (cl_int)(i * 2654435761u % 201) - 100;
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;
    cl_int values[MOST];
    cl_int status;

    bench->in = bench_buffer(device, sizeof(values));
    bench->out = bench_buffer(device, sizeof(values));
    if (!bench->in || !bench->out) {
        return false;
    }
    for (size_t i = 0; i < MOST; ++i) {
        values[i] = value_of(i);
    }
    status = clEnqueueWriteBuffer(device->session.queue, bench->in, CL_TRUE, 0,
                                  sizeof(values), values, 0, NULL, NULL);
    if (status != CL_SUCCESS) {
        return bench_complain(device, "the data", status);
    }
    bench->empty = bench_kernel(device, "kernel void empty(void) {}", "empty");
    return bench->empty;
}

static void close_bench(void *user)
{
    struct bench *bench = user;

    if (bench->empty) {
        clReleaseKernel(bench->empty);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
}

/* Below 0: it failed. */
static double time_empty(struct bench *bench)
{
    const struct bench_device *device = &bench->device;
    const size_t one = 1;
    const double begin = clock_now();
    cl_int status = clEnqueueNDRangeKernel(device->session.queue, bench->empty, 1, NULL,
                                           &one, &one, 0, NULL, NULL);

    if (status == CL_SUCCESS) {
        status = clFinish(device->session.queue);
    }
    if (status != CL_SUCCESS) {
        bench_complain(device, "the empty kernel", status);
        return -1;
    }
    return clock_now() - begin;
}

static double time_call(struct bench *bench, const struct bench_call *one, size_t count)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    const double begin = clock_now();
    clfold_status status =
        one->call(bench->device.session.context, bench->device.session.queue, &sum,
                  bench->in, 0, bench->out, 0, count, 0, NULL, NULL);

    if (status != CLFOLD_OK) {
        fprintf(stderr, "%s: %s\n", bench->device.who, clfold_last_error());
        return -1;
    }
    if ((status = clFinish(bench->device.session.queue))) {
        bench_complain(&bench->device, one->name, status);
        return -1;
    }
    return clock_now() - begin;
}

/* The result's last item, which all others but an exclusive scan's own are part of. */
static bool check(struct bench *bench, const struct bench_call *one, size_t count)
{
    const size_t last = one->call == clfold_reduce ? 0 : count - 1;
    const size_t terms = count - (one->call == clfold_exclusive_scan);
    cl_int found, total = 0;
    cl_int status =
        clEnqueueReadBuffer(bench->device.session.queue, bench->out, CL_TRUE,
                            last * sizeof(found), sizeof(found), &found, 0, NULL, NULL);

    if (status != CL_SUCCESS) {
        return bench_complain(&bench->device, "clEnqueueReadBuffer", status);
    }
    for (size_t i = 0; i < terms; ++i) {
        total += value_of(i);
    }
    if (found != total) {
        fprintf(stderr, "%s: %s of %zu: %d instead of %d\n", bench->device.who, one->name,
                count, found, total);
    }
    return found == total;
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;
    double seconds = time_empty(bench);

    if (run >= 0) {
        bench->empty_seconds[run] = seconds;
    }
    for (size_t i = 0; i < NUM_CALLS && seconds >= 0; ++i) {
        for (size_t j = 0; j < NUM_COUNTS && seconds >= 0; ++j) {
            seconds = time_call(bench, &calls[i], counts[j]);
            if (run >= 0) {
                bench->seconds[i][j][run] = seconds;
            } else if (seconds >= 0 && !check(bench, &calls[i], counts[j])) {
                return false;
            }
        }
    }
    return seconds >= 0;
}

static void print_all(void *user)
{
    struct bench *bench = user;
    const double empty = clock_median(bench->empty_seconds, RUNS);

    printf("%s, %s, driver %s; i32, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->device.caps.driver, RUNS);
    printf("%-16s %6s %9s %8s\n", "call", "count", "us", "of empty");
    printf("%-16s %6s %9.2f %8.2f\n", "an empty kernel", "", empty * 1e6, 1.0);
    for (size_t i = 0; i < NUM_CALLS; ++i) {
        for (size_t j = 0; j < NUM_COUNTS; ++j) {
            const double median = clock_median(bench->seconds[i][j], RUNS);
            printf("%-16s %6zu %9.2f %8.2f\n", calls[i].name, counts[j], median * 1e6,
                   median / empty);
        }
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    static struct bench bench = { .device.who = "bench_small" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
