/*
 * bench_host_call [CASE CALLS]: what a warm call costs the host, on the null device of
 * tests/support/clspy.h, which runs nothing. The first OpenCL device lends its answers
 * and its compiler.
 *
 * Without arguments, a line for each case: its name, the nanoseconds of a call where
 * OpenCL's calls return at once, and per call the calls of OpenCL, what is taken from the
 * heap and what objects OpenCL makes. The cases take turns, so their times compare. With
 * a case, makes that many calls and prints nothing, for tools/bench/host-instructions,
 * which has them counted by callgrind.
 *
 * The folds: a built-in one, one of a few short texts, and one with long texts and an
 * argument, all of which a call must recognise.
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

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };

static const clfold_fold affine = {
    .name = "affine",
    .components = "float a; float b",
    .combine = "{ a.a * b.a, a.b * b.a + b.b }",
    .identity = "{ 1, 0 }",
};

static const cl_uint mask = (1 << 24) - 1;
static const clfold_arg modulus[] = { CLFOLD_VALUE("uint", mask, mask) };
static const clfold_fold generator = {
    .name = "generator",
    .components = "uint factor; uint step",
    .combine = "{ MASKED(a.factor * b.factor), NEXT(a.step, b.factor, b.step) }",
    .identity = "{ 1, 0 }",
    .source =
        "/* Steps of a linear congruential generator, x -> factor * x + step modulo a\n"
        " * power of two, which is mask + 1. Two steps in a row are a step, too, so a\n"
        " * scan of n equal steps lets each work-item begin at its own place of one\n"
        " * sequence. Macros read the same for scalars and for vectors of 16 items. */\n"
        "#define MASKED(x) ((x) & mask)\n"
        "#define NEXT(x, factor, step) MASKED((x) * (factor) + (step))\n",
    .args = modulus,
    .num_args = 1,
};

static const struct bench_case {
    const char *name;
    call_function call;
    const clfold_fold *fold;
    size_t count;
} cases[] = {
    { "reduce", clfold_reduce, &sum, MANY },
    { "reduce-text", clfold_reduce, &affine, MANY },
    { "reduce-long-text", clfold_reduce, &generator, MANY },
    { "reduce-few", clfold_reduce, &sum, FEW },
    { "inclusive-scan", clfold_inclusive_scan, &sum, MANY },
    { "inclusive-scan-text", clfold_inclusive_scan, &affine, MANY },
    { "inclusive-scan-long-text", clfold_inclusive_scan, &generator, MANY },
    { "inclusive-scan-few", clfold_inclusive_scan, &sum, FEW },
    { "exclusive-scan", clfold_exclusive_scan, &sum, MANY },
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
    const size_t bytes = MANY * sizeof(cl_float2);
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
    clfold_status status = CLFOLD_OK;

    for (size_t i = 0; i < calls && status == CLFOLD_OK; ++i) {
        status = one->call(bench->clfold, bench->queue, one->fold, bench->in, 0,
                           bench->out, 0, one->count, 0, NULL, NULL);
    }
    return status == CLFOLD_OK || complain(one->name, clfold_last_error());
}

/* What a warm call takes, beside its time. */
struct needs {
    double calls, blocks, objects;
};

static bool count_needs(const struct bench *bench, const struct bench_case *one,
                        struct needs *needs)
{
    if (!make_calls(bench, one, WARM)) {
        return false;
    }
    const uint64_t calls = clspy_calls(NULL), objects = clspy_calls("clCreate*");
    const uint64_t blocks = malloc_spy_calls();
    if (!make_calls(bench, one, BATCH)) {
        return false;
    }
    needs->blocks = (double)(malloc_spy_calls() - blocks) / BATCH;
    needs->calls = (double)(clspy_calls(NULL) - calls) / BATCH;
    needs->objects = (double)(clspy_calls("clCreate*") - objects) / BATCH;
    return true;
}

/* Nanoseconds of a call in each batch, with OpenCL's calls as short as can be. */
static bool time_all(const struct bench *bench, double ns[NUM_CASES][BATCHES])
{
    bool good = true;

    clspy_hollow(true);
    for (size_t k = 0; k < NUM_CASES * BATCHES && good; ++k) {
        const size_t i = k % NUM_CASES;
        const double begin = clock_now();
        good = make_calls(bench, &cases[i], BATCH);
        ns[i][k / NUM_CASES] = (clock_now() - begin) * 1e9 / BATCH;
    }
    clspy_hollow(false);
    return good;
}

static bool print_all(const struct bench *bench)
{
    struct needs needs[NUM_CASES];
    double ns[NUM_CASES][BATCHES];
    bool good = true;

    for (size_t i = 0; i < NUM_CASES && good; ++i) {
        good = count_needs(bench, &cases[i], &needs[i]);
    }
    good = good && time_all(bench, ns);
    for (size_t i = 0; i < NUM_CASES && good; ++i) {
        printf("%s\t%.0f\t%g\t%g\t%g\n", cases[i].name, clock_median(ns[i], BATCHES),
               needs[i].calls, needs[i].blocks, needs[i].objects);
    }
    return good;
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
    if (good) {
        good = only ? make_calls(&bench, only, calls) : print_all(&bench);
    }
    close_bench(&bench);
    return !good;
}
