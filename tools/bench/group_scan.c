/*
 * bench_group_scan [N]: how fast each scan inside a work-group is, alone, on OpenCL
 * device number N (0): 2^22 items of 4 bytes, each group scanning its own. Prints the
 * medians of seven runs, all in turn, and GB/s of what is read and written. The results
 * are compared with a loop before anything is timed.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "base/system.h"
#include "device/caps.h"
#include "plan/assemble.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1 << 22, RUNS = 7, MAX_DEVICES = 64, MAX_CASES = 16 };

struct bench_case {
    clfold_type type;
    enum group_scan kind;
    uint32_t group_size;
    cl_program program;
    cl_kernel kernel;
    double seconds[RUNS];
};

struct bench {
    struct caps caps;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem in, out;
    struct bench_case cases[MAX_CASES];
    size_t num_cases;
};

static bool complain(const char *what, cl_int status)
{
    fprintf(stderr, "bench_group_scan: %s: %s\n", what, clfold_status_name(status));
    return false;
}

/* Counts devices over platforms in the order that OpenCL lists them. */
static bool find_device(struct bench *bench, unsigned long number)
{
    cl_platform_id platforms[MAX_DEVICES];
    cl_uint num_platforms = 0;

    if (clGetPlatformIDs(MAX_DEVICES, platforms, &num_platforms) != CL_SUCCESS) {
        return false;
    }
    for (cl_uint p = 0; p < num_platforms && p < MAX_DEVICES; ++p) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint num = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices,
                           &num) != CL_SUCCESS) {
            continue;
        }
        if (number < num && number < MAX_DEVICES) {
            bench->device = devices[number];
            return true;
        }
        number -= number < num ? number : num;
    }
    return false;
}

static bool open_device(struct bench *bench)
{
    const struct site site = { NULL, "bench_group_scan" };
    const size_t bytes = COUNT * sizeof(cl_int);
    cl_int status;

    if (clfold_caps_init(&bench->caps, &site, bench->device)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return false;
    }
    bench->context = clCreateContext(NULL, 1, &bench->device, NULL, NULL, &status);
    if (!bench->context) {
        return complain("clCreateContext", status);
    }
    bench->queue = clCreateCommandQueue(bench->context, bench->device, 0, &status);
    if (!bench->queue) {
        return complain("clCreateCommandQueue", status);
    }
    bench->in = clCreateBuffer(bench->context, CL_MEM_READ_ONLY, bytes, NULL, &status);
    if (!bench->in) {
        return complain("clCreateBuffer", status);
    }
    bench->out = clCreateBuffer(bench->context, CL_MEM_WRITE_ONLY, bytes, NULL, &status);
    return bench->out || complain("clCreateBuffer", status);
}

static void close_device(struct bench *bench)
{
    for (size_t i = 0; i < bench->num_cases; ++i) {
        if (bench->cases[i].kernel) {
            clReleaseKernel(bench->cases[i].kernel);
        }
        if (bench->cases[i].program) {
            clReleaseProgram(bench->cases[i].program);
        }
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
    if (bench->queue) {
        clReleaseCommandQueue(bench->queue);
    }
    if (bench->context) {
        clReleaseContext(bench->context);
    }
}

static bool build(struct bench *bench, struct bench_case *scan)
{
    const struct site site = { NULL, "bench_group_scan" };
    const cl_ulong count = COUNT;
    struct monoid monoid;
    struct text text = { 0 };
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    if (clfold_monoid_init(&monoid, &site, CLFOLD_ADD, scan->type, scan->type)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return false;
    }
    clfold_assemble_group_scan(&text, &monoid, scan->kind, scan->group_size);
    if (!text.failed) {
        scan->program = clCreateProgramWithSource(
            bench->context, 1, (const char *[]){ text.bytes }, NULL, &status);
    }
    clfold_text_finish(&text);
    if (!scan->program || (status = clBuildProgram(scan->program, 1, &bench->device,
                                                   bench->caps.options, NULL, NULL))) {
        return complain("the program", status);
    }
    scan->kernel = clCreateKernel(scan->program, "clfold_group_scans", &status);
    if (!scan->kernel ||
        (status = clSetKernelArg(scan->kernel, 0, sizeof(cl_mem), &bench->in)) ||
        (status = clSetKernelArg(scan->kernel, 1, sizeof(cl_mem), &bench->out)) ||
        (status = clSetKernelArg(scan->kernel, 2, sizeof(count), &count))) {
        return complain("the kernel", status);
    }
    return true;
}

/* COUNT is a multiple of each group size. */
static bool launch(struct bench *bench, const struct bench_case *scan)
{
    const size_t global = COUNT, local = scan->group_size;
    cl_int status = clEnqueueNDRangeKernel(bench->queue, scan->kernel, 1, NULL, &global,
                                           &local, 0, NULL, NULL);

    if (status || (status = clFinish(bench->queue))) {
        return complain("the launch", status);
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
    if ((status = clEnqueueReadBuffer(bench->queue, bench->out, CL_TRUE, 0, bytes, items,
                                      0, NULL, NULL))) {
        return complain("clEnqueueReadBuffer", status);
    }
    if (!is_right(items, scan)) {
        fprintf(stderr, "bench_group_scan: %s in groups of %u: a wrong result\n",
                clfold_group_scan_name(scan->kind), scan->group_size);
        return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_cases(struct bench *bench)
{
    for (size_t i = 0; i < bench->num_cases; ++i) {
        struct bench_case *scan = &bench->cases[i];
        qsort(scan->seconds, RUNS, sizeof(double), compare);
        const double median = scan->seconds[RUNS / 2];
        printf("%-5s %-14s %5u  %9.3f  %7.2f\n", scan->type == CLFOLD_F32 ? "f32" : "i32",
               clfold_group_scan_name(scan->kind), scan->group_size, median * 1e3,
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
    if ((status = clEnqueueWriteBuffer(bench->queue, bench->in, CL_TRUE, 0, bytes, items,
                                       0, NULL, NULL))) {
        return complain("clEnqueueWriteBuffer", status);
    }
    for (int kind = GROUP_SCAN_HILLIS_STEELE; kind <= GROUP_SCAN_SUB_GROUP; ++kind) {
        for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
            if ((kind == GROUP_SCAN_SUB_GROUP && !bench->caps.facts.sub_groups) ||
                groups[g] > bench->caps.facts.max_group_size) {
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
            const uint64_t begin = clfold_clock_ns();
            if (!launch(bench, &bench->cases[i])) {
                return false;
            }
            bench->cases[i].seconds[run] = (double)(clfold_clock_ns() - begin) / 1e9;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    struct bench bench = { 0 };
    void *items = malloc(COUNT * sizeof(cl_int));
    char *end = argc > 1 ? argv[1] : "";
    const unsigned long number = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    bool good = false;

    if (argc > 2 || *end != '\0' || (argc == 2 && !isdigit((unsigned char)*argv[1]))) {
        fprintf(stderr, "usage: bench_group_scan [N], N: the number of a device\n");
        free(items);
        return 2;
    }
    if (!items) {
        fprintf(stderr, "bench_group_scan: out of memory\n");
    } else if (!find_device(&bench, number)) {
        fprintf(stderr, "bench_group_scan: there is no OpenCL device %lu\n", number);
    } else {
        good = open_device(&bench) && run_type(&bench, CLFOLD_I32, items) &&
               run_type(&bench, CLFOLD_F32, items);
    }
    if (good) {
        printf("%s, 2^22 items, sub-groups: %s\n", bench.caps.name,
               bench.caps.facts.sub_groups ? "yes" : "no");
        printf("type  scan           group  median ms     GB/s\n");
        print_cases(&bench);
    }
    close_device(&bench);
    free(items);
    return good ? 0 : 1;
}
