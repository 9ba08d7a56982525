/*
 * bench_host_call [CASE CALLS]: what a warm call costs the host, on the null device of
 * tests/support/clspy.h, which runs nothing. The first OpenCL device lends its answers
 * and its compiler.
 *
 * Without arguments, a line for each case: its name, the nanoseconds of a call where
 * OpenCL's calls return at once, and per call the calls of OpenCL, what is taken from the
 * heap and what objects OpenCL makes. With a case, makes that many calls and prints
 * nothing, for tools/bench/host-instructions, which has them counted by callgrind.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "clspy.h"
#include "malloc_spy.h"

#include "../clfold/clock.h"

#include <clfold/clfold.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 16, BATCH = 4000, BATCHES = 9, MANY = 1 << 20, FEW = 100 };

typedef clfold_status (*call_function)(clfold_context *, cl_command_queue,
                                       const clfold_fold *, cl_mem, size_t, cl_mem,
                                       size_t, size_t, cl_uint, const cl_event *,
                                       cl_event *);

static const struct bench_case {
    const char *name;
    call_function call;
    size_t count;
} cases[] = {
    { "reduce", clfold_reduce, MANY },
    { "reduce-few", clfold_reduce, FEW },
    { "inclusive-scan", clfold_inclusive_scan, MANY },
    { "inclusive-scan-few", clfold_inclusive_scan, FEW },
    { "exclusive-scan", clfold_exclusive_scan, MANY },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

struct bench {
    cl_context context;
    cl_command_queue queue;
    cl_mem in, out;
    clfold_context *clfold;
};

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "bench_host_call: %s: %s\n", what, why);
    return false;
}

static bool open_bench(struct bench *bench)
{
    const size_t bytes = MANY * sizeof(cl_int);
    cl_platform_id platform;
    cl_device_id device;
    cl_int status = clGetPlatformIDs(1, &platform, NULL);

    if (status == CL_SUCCESS) {
        status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    }
    if (status == CL_SUCCESS) {
        bench->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    }
    if (status == CL_SUCCESS) {
        bench->queue = clCreateCommandQueue(bench->context, device, 0, &status);
    }
    if (status == CL_SUCCESS) {
        bench->in =
            clCreateBuffer(bench->context, CL_MEM_READ_ONLY, bytes, NULL, &status);
    }
    if (status == CL_SUCCESS) {
        bench->out =
            clCreateBuffer(bench->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    }
    if (status != CL_SUCCESS) {
        return complain("the first OpenCL device", clfold_status_name(status));
    }
    clspy_null_device(true);
    if (clfold_context_create(&bench->clfold, bench->context, device, NULL)) {
        return complain("the context", clfold_last_error());
    }
    return true;
}

static void close_bench(struct bench *bench)
{
    clfold_context_destroy(&bench->clfold);
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->queue) {
        clReleaseCommandQueue(bench->queue);
    }
    if (bench->context) {
        clReleaseContext(bench->context);
    }
}

static bool make_calls(const struct bench *bench, const struct bench_case *one,
                       size_t calls)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    clfold_status status = CLFOLD_OK;

    for (size_t i = 0; i < calls && status == CLFOLD_OK; ++i) {
        status = one->call(bench->clfold, bench->queue, &sum, bench->in, 0, bench->out, 0,
                           one->count, 0, NULL, NULL);
    }
    return status == CLFOLD_OK || complain(one->name, clfold_last_error());
}

/* The median of some batches, with OpenCL's calls as short as can be. */
static bool time_case(const struct bench *bench, const struct bench_case *one, double *ns)
{
    double batches[BATCHES];
    bool good = true;

    clspy_hollow(true);
    for (int i = 0; i < BATCHES && good; ++i) {
        const double begin = clock_now();
        good = make_calls(bench, one, BATCH);
        batches[i] = (clock_now() - begin) * 1e9 / BATCH;
    }
    clspy_hollow(false);
    if (good) {
        *ns = clock_median(batches, BATCHES);
    }
    return good;
}

static bool print_case(const struct bench *bench, const struct bench_case *one)
{
    double ns;

    if (!make_calls(bench, one, WARM)) {
        return false;
    }
    const uint64_t calls = clspy_calls(NULL), objects = clspy_calls("clCreate*");
    const uint64_t blocks = malloc_spy_calls();
    if (!make_calls(bench, one, BATCH)) {
        return false;
    }
    const double new_blocks = (double)(malloc_spy_calls() - blocks) / BATCH;
    const double new_calls = (double)(clspy_calls(NULL) - calls) / BATCH;
    const double new_objects = (double)(clspy_calls("clCreate*") - objects) / BATCH;
    if (!time_case(bench, one, &ns)) {
        return false;
    }
    printf("%s\t%.0f\t%g\t%g\t%g\n", one->name, ns, new_calls, new_blocks, new_objects);
    return true;
}

static const struct bench_case *find_case(const char *name)
{
    for (size_t i = 0; i < NUM_CASES; ++i) {
        if (strcmp(cases[i].name, name) == 0) {
            return &cases[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct bench_case *only = argc == 3 ? find_case(argv[1]) : NULL;
    char *end = argc == 3 ? argv[2] : "";
    const unsigned long calls = argc == 3 ? strtoul(argv[2], &end, 10) : 0;
    struct bench bench = { 0 };

    if (argc != 1 && (!only || calls == 0 || *end != '\0')) {
        fprintf(stderr, "usage: bench_host_call [CASE CALLS]\n");
        return 2;
    }
    bool good = open_bench(&bench);
    if (good && only) {
        good = make_calls(&bench, only, calls);
    }
    for (size_t i = 0; good && !only && i < NUM_CASES; ++i) {
        good = print_case(&bench, &cases[i]);
    }
    close_bench(&bench);
    return !good;
}
