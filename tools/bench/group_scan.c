/*
 * bench_group_scan [DEVICE]: how fast each scan inside a work-group is, alone, on the
 * device of `clfold --device`: 2^22 items of 4 bytes, each group scanning its own.
 * Prints the medians of seven runs, all in turn, and GB/s of what is read and written.
 * The results are compared with a loop before anything is timed.
 */
#include "device.h"

#include "../../tests/support/group_scans.h"
#include "../clfold/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 22, RUNS = 7, MAX_CASES = 16 };

struct bench_case {
    clfold_type type;
    enum group_scan kind;
    uint32_t group_size;
    cl_kernel kernel;
    double seconds[RUNS];
};

struct bench {
    struct bench_device device;
    cl_mem in, out;
    struct bench_case cases[MAX_CASES];
    size_t num_cases;
};

static void close_device(struct bench *bench)
{
    for (size_t i = 0; i < bench->num_cases; ++i) {
        if (bench->cases[i].kernel) {
            clReleaseKernel(bench->cases[i].kernel);
        }
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
    session_close(&bench->device.session);
}

static bool build(struct bench *bench, struct bench_case *scan)
{
    const struct site site = { NULL, "bench_group_scan" };
    const cl_ulong count = COUNT;
    struct monoid monoid;
    struct text text = { 0 };
    cl_int status;

    if (clfold_monoid_init(&monoid, &site, CLFOLD_ADD, scan->type, scan->type)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return false;
    }
    assemble_group_scan(&text, &monoid, scan->kind, scan->group_size);
    if (!text.failed) {
        scan->kernel = bench_kernel(&bench->device, text.bytes, "clfold_group_scans");
    }
    clfold_text_finish(&text);
    if (!scan->kernel) {
        return false;
    }
    if ((status = clSetKernelArg(scan->kernel, 0, sizeof(cl_mem), &bench->in)) ||
        (status = clSetKernelArg(scan->kernel, 1, sizeof(cl_mem), &bench->out)) ||
        (status = clSetKernelArg(scan->kernel, 2, sizeof(count), &count))) {
        return bench_complain(&bench->device, "the kernel", status);
    }
    return true;
}

/* COUNT is a multiple of each group size. */
static bool launch(struct bench *bench, const struct bench_case *scan)
{
    const size_t global = COUNT, local = scan->group_size;
    cl_int status = clEnqueueNDRangeKernel(bench->device.session.queue, scan->kernel, 1,
                                           NULL, &global, &local, 0, NULL, NULL);

    if (status || (status = clFinish(bench->device.session.queue))) {
        return bench_complain(&bench->device, "the launch", status);
    }
    return true;
}

/* Small whole numbers, whose sums are exact in either type. */
static int value_of(size_t i)
{
    return (int)(i * 2654435761u % 201) - 100;
}

static void fill(void *items, clfold_type type)
{
    for (size_t i = 0; i < COUNT; ++i) {
        if (type == CLFOLD_F32) {
            ((cl_float *)items)[i] = (cl_float)value_of(i);
        } else {
            ((cl_int *)items)[i] = value_of(i);
        }
    }
}

static bool is_right(const void *items, const struct bench_case *scan)
{
    int total = 0;

    for (size_t i = 0; i < COUNT; ++i) {
        total = i % scan->group_size == 0 ? value_of(i) : total + value_of(i);
        if (scan->type == CLFOLD_F32 ? ((const cl_float *)items)[i] != (cl_float)total
                                     : ((const cl_int *)items)[i] != total) {
            return false;
        }
    }
    return true;
}

static bool check(struct bench *bench, const struct bench_case *scan, void *items)
{
    const size_t bytes = COUNT * sizeof(cl_int);
    cl_int status;

    if (!launch(bench, scan)) {
        return false;
    }
    if ((status = clEnqueueReadBuffer(bench->device.session.queue, bench->out, CL_TRUE, 0,
                                      bytes, items, 0, NULL, NULL))) {
        return bench_complain(&bench->device, "clEnqueueReadBuffer", status);
    }
    if (!is_right(items, scan)) {
        fprintf(stderr, "bench_group_scan: %s in groups of %u: a wrong result\n",
                group_scan_name(scan->kind), scan->group_size);
        return false;
    }
    return true;
}

static void print_cases(struct bench *bench)
{
    for (size_t i = 0; i < bench->num_cases; ++i) {
        struct bench_case *scan = &bench->cases[i];
        const double median = clock_median(scan->seconds, RUNS);
        printf("%-5s %-14s %5u  %9.3f  %7.2f\n", scan->type == CLFOLD_F32 ? "f32" : "i32",
               group_scan_name(scan->kind), scan->group_size, median * 1e3,
               2.0 * COUNT * sizeof(cl_int) / median / 1e9);
    }
}

/* One type: build and check all that the device can do, then time them in turn. */
static bool run_type(struct bench *bench, clfold_type type, void *items)
{
    const uint32_t groups[] = { 64, 256 };
    const size_t bytes = COUNT * sizeof(cl_int);
    const size_t first = bench->num_cases;
    cl_int status;

    fill(items, type);
    if ((status = clEnqueueWriteBuffer(bench->device.session.queue, bench->in, CL_TRUE, 0,
                                       bytes, items, 0, NULL, NULL))) {
        return bench_complain(&bench->device, "clEnqueueWriteBuffer", status);
    }
    for (uint32_t kind = GROUP_SCAN_RAKING; kind <= GROUP_SCAN_BLELLOCH; ++kind) {
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
            if ((kind == GROUP_SCAN_SUB_GROUP && !bench->device.caps.facts.sub_groups) ||
                groups[g] > bench->device.caps.facts.max_group_size) {
                continue;
            }
            struct bench_case *scan = &bench->cases[bench->num_cases++];
            *scan = (struct bench_case){ .type = type,
                                         .kind = (enum group_scan)kind,
                                         .group_size = groups[g] };
            if (!build(bench, scan) || !check(bench, scan, items)) {
                return false;
            }
        }
    }
    for (size_t run = 0; run < RUNS; ++run) {
        for (size_t i = first; i < bench->num_cases; ++i) {
            const double begin = clock_now();
            if (!launch(bench, &bench->cases[i])) {
                return false;
            }
            bench->cases[i].seconds[run] = clock_now() - begin;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bench bench = { .device.who = "bench_group_scan" };
    int status = bench_device_open(&bench.device, argc, argv);
    void *items = NULL;

    if (status == 0) {
        items = malloc(COUNT * sizeof(cl_int));
        bench.in = bench_buffer(&bench.device, COUNT * sizeof(cl_int));
        bench.out = bench_buffer(&bench.device, COUNT * sizeof(cl_int));
        status = !items || !bench.in || !bench.out ||
                 !run_type(&bench, CLFOLD_I32, items) ||
                 !run_type(&bench, CLFOLD_F32, items);
    }
    if (status == 0) {
        printf("%s, 2^22 items, sub-groups: %s\n", bench.device.caps.name,
               bench.device.caps.facts.sub_groups ? "yes" : "no");
        printf("type  scan           group  median ms     GB/s\n");
        print_cases(&bench);
    }
    close_device(&bench);
    free(items);
    return status;
}
