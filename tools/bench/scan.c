/*
 * bench_scan [DEVICE]: the scans' strategies on the device of `clfold --device`, 2^26
 * items, next to a copy kernel that stores past the caches, all in turn in one run.
 * Prints the median and range of seven runs, GB/s of what a scan must read and write,
 * that as a share of the copy, and the bytes that the strategy moves as a multiple of the
 * input's.
 *
 * Elements are small whole numbers, and a flag stands at every 64th of (value, flag).
 * Results are not checked here: the tests do.
 */
#include "device.h"

#include "../clfold/clock.h"
#include "ops/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 26, RUNS = 7, ITEM = 16 };

/* A group of one work-item copies 1024 vectors. */
static const char copy_text[] =
    "kernel void copy(global const uint16 *in, global uint16 *out, ulong num)\n"
    "{\n"
    "    const ulong first = get_group_id(0) * 1024;\n"
    "    for (ulong i = first; i < min(first + 1024, num); ++i)\n"
    "#ifdef __clang__\n"
    "        __builtin_nontemporal_store(in[i], out + i);\n"
    "#else\n"
    "        out[i] = in[i];\n"
    "#endif\n"
    "}\n";

#define LOOKBACK "scan_lookback"

static const struct bench_case {
    const char *name, *algorithm; /* NULL: the copy */
    clfold_fold fold;
    enum tile_kind tile;
    size_t in_size, out_size, in_offset, out_offset;
    bool exclusive, in_place;
} cases[] = {
    { .name = "copy", .in_size = 4, .out_size = 4 },
#define SCAN(n, a, o, t, i, bytes_in, bytes_out)                                         \
    .name = n, .algorithm = a, .fold = { .op = o, .type = t, .in = i },                  \
    .in_size = bytes_in, .out_size = bytes_out
#define ADD_F32(n, a) SCAN(n, a, CLFOLD_ADD, CLFOLD_F32, 0, 4, 4)
    { ADD_F32("add f32", "scan_single_group") },
    { ADD_F32("add f32", "scan_then_propagate") },
    { ADD_F32("add f32", "reduce_then_scan") },
    { ADD_F32("add f32", "scan_chained") },
    { ADD_F32("add f32", LOOKBACK) },
    { ADD_F32("add f32, exclusive", LOOKBACK), .exclusive = true },
    { ADD_F32("add f32, offsets 3, 7", LOOKBACK), .in_offset = 3, .out_offset = 7 },
    { SCAN("add i32", LOOKBACK, CLFOLD_ADD, CLFOLD_I32, 0, 4, 4) },
    { SCAN("add i32, in place", LOOKBACK, CLFOLD_ADD, CLFOLD_I32, 0, 4, 4),
      .in_place = true },
    { SCAN("add i64", LOOKBACK, CLFOLD_ADD, CLFOLD_I64, 0, 8, 8) },
    { SCAN("add f64", LOOKBACK, CLFOLD_ADD, CLFOLD_F64, 0, 8, 8) },
    { SCAN("add u8 into u32", LOOKBACK, CLFOLD_ADD, CLFOLD_U32, CLFOLD_U8, 1, 4) },
    { SCAN("max f32", LOOKBACK, CLFOLD_MAX, CLFOLD_F32, 0, 4, 4) },
/* By text, as a user writes it. */
#define TEXT(n, a, bytes, ...)                                                           \
    .name = n, .algorithm = a, .fold = { __VA_ARGS__ }, .in_size = bytes,                \
    .out_size = bytes
#define SEGMENTED                                                                        \
    .components = "float v; float f",                                                    \
    .combine = "{ pick(truth(b.f), b.v, a.v + b.v), pick(truth(b.f), b.f, a.f) }",       \
    .identity = "{ -0.0f, 0 }", .cuts = "b.f != 0"
    { TEXT("(value, flag) f32", "reduce_then_scan", 8, SEGMENTED) },
    { TEXT("(value, flag) f32", LOOKBACK, 8, SEGMENTED) },
    { TEXT("a + b of f32", LOOKBACK, 4, .type = CLFOLD_F32, .combine = "a + b",
           .identity = "-0.0f", .flags = CLFOLD_COMMUTATIVE) },
    { TEXT("add f32, compensated", LOOKBACK, 4, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .accuracy = CLFOLD_COMPENSATED) },
    { SCAN("affine f32", LOOKBACK, CLFOLD_AFFINE, CLFOLD_F32, 0, 8, 8) },
    { SCAN("matrix-2x2 f32", LOOKBACK, CLFOLD_MATRIX_2X2, CLFOLD_F32, 0, 16, 16) },
    { TEXT("struct, fmin and fmax", LOOKBACK, 16, .type_name = "struct box",
           .type_size = 16, .combine = "join(a, b)",
           .source = "struct box { float x, y, z, w; };\n"
                     "struct box join(struct box a, struct box b)\n"
                     "{\n"
                     "    struct box r = { fmin(a.x, b.x), fmin(a.y, b.y),\n"
                     "                     fmax(a.z, b.z), fmax(a.w, b.w) };\n"
                     "    return r;\n"
                     "}\n") },
    { ADD_F32("add f32, tile_group", "reduce_then_scan"), .tile = TILE_GROUP },
    { ADD_F32("add f32, tile_group", LOOKBACK), .tile = TILE_GROUP },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

struct bench {
    struct bench_device device;
    cl_kernel copy;
    cl_mem in, out;
    double seconds[NUM_CASES][RUNS];
};

static bool fill(const struct bench *bench, size_t bytes)
{
    size_t num = bytes / sizeof(cl_float);
    cl_float *values = malloc(bytes);
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    if (values) {
        for (size_t i = 0; i < num; ++i) {
            /* Odd ones are flags, where they are that. */
            values[i] = i % 2 == 0 ? (cl_float)(i * 2654435761u % 201) - 100
                                   : (cl_float)(i % 128 == 1);
        }
        status = clEnqueueWriteBuffer(bench->device.session.queue, bench->in, CL_TRUE, 0,
                                      bytes, values, 0, NULL, NULL);
        free(values);
    }
    return status == CL_SUCCESS || bench_complain(&bench->device, "the data", status);
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;
    const size_t bytes = (size_t)COUNT * ITEM + 64;
    const cl_ulong num = COUNT / 16;
    cl_int status;

    bench->in = bench_buffer(device, bytes);
    bench->out = bench_buffer(device, bytes);
    if (!bench->in || !bench->out || !fill(bench, bytes)) {
        return false;
    }
    bench->copy = bench_kernel(device, copy_text, "copy");
    if (!bench->copy) {
        return false;
    }
    if ((status = clSetKernelArg(bench->copy, 0, sizeof(cl_mem), &bench->in)) ||
        (status = clSetKernelArg(bench->copy, 1, sizeof(cl_mem), &bench->out)) ||
        (status = clSetKernelArg(bench->copy, 2, sizeof(num), &num))) {
        return bench_complain(device, "the copy", status);
    }
    return true;
}

static void close_bench(void *user)
{
    struct bench *bench = user;

    if (bench->copy) {
        clReleaseKernel(bench->copy);
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
}

/* The context keeps the pointer. */
static void choose_tile(struct bench *bench, const struct bench_case *scan)
{
    static struct debug tile;

    tile.tile = scan->tile;
    clfold_context_override(bench->device.session.context, &tile);
}

static clfold_status enqueue(struct bench *bench, const struct bench_case *scan)
{
    const size_t global = COUNT / 16 / 1024, local = 1;
    cl_command_queue queue = bench->device.session.queue;
    cl_mem in = scan->in_place ? bench->out : bench->in;
    clfold_fold fold = scan->fold;

    fold.algorithm = scan->algorithm;
    if (!scan->algorithm) {
        return clEnqueueNDRangeKernel(queue, bench->copy, 1, NULL, &global, &local, 0,
                                      NULL, NULL);
    }
    choose_tile(bench, scan);
    return scan->exclusive
               ? clfold_exclusive_scan(bench->device.session.context, queue, &fold, in,
                                       scan->in_offset, bench->out, scan->out_offset,
                                       COUNT, 0, NULL, NULL)
               : clfold_inclusive_scan(bench->device.session.context, queue, &fold, in,
                                       scan->in_offset, bench->out, scan->out_offset,
                                       COUNT, 0, NULL, NULL);
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    for (size_t i = 0; i < NUM_CASES; ++i) {
        const double begin = clock_now();
        clfold_status status = enqueue(bench, &cases[i]);
        if (status || (status = clFinish(bench->device.session.queue))) {
            return bench_complain(&bench->device, cases[i].name, status);
        }
        if (run >= 0) {
            bench->seconds[i][run] = clock_now() - begin;
        }
    }
    return true;
}

/* The bytes, from clfold_explain. */
static double multiple_of(struct bench *bench, const struct bench_case *scan)
{
    clfold_fold fold = scan->fold;
    clfold_report report;

    fold.algorithm = scan->algorithm;
    choose_tile(bench, scan);
    if (!scan->algorithm ||
        clfold_explain(bench->device.session.context, CLFOLD_INCLUSIVE_SCAN, &fold, COUNT,
                       NULL, &report)) {
        return 0;
    }
    return (double)(report.bytes_read + report.bytes_written) /
           ((double)COUNT * (double)scan->in_size);
}

static void print_all(void *user)
{
    struct bench *bench = user;
    double copy = 0;

    printf("%s, %s, driver %s; 2^26 items, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->device.caps.driver, RUNS);
    printf("%-24s %-20s %8s  %15s %7s %6s %6s\n", "scan", "algorithm", "ms", "range",
           "GB/s", "share", "n");
    for (size_t i = 0; i < NUM_CASES; ++i) {
        const struct bench_case *scan = &cases[i];
        double *seconds = bench->seconds[i], median = clock_median(seconds, RUNS);
        double gbps =
            (double)COUNT * (double)(scan->in_size + scan->out_size) / median / 1e9;
        double multiple = multiple_of(bench, scan);
        copy = i == 0 ? gbps : copy;
        printf("%-24s %-20s %8.2f  %6.2f - %6.2f %7.1f %6.2f ", scan->name,
               scan->algorithm ? scan->algorithm : "", median * 1e3, seconds[0] * 1e3,
               seconds[RUNS - 1] * 1e3, gbps, gbps / copy);
        printf(multiple > 0 ? "%6.2f\n" : "     -\n", multiple);
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_scan" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
