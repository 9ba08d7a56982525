/*
 * bench_folds [DEVICE]: reductions and the strategies of scans, built in and by text, on
 * the device of `clfold --device`, 2^26 items, next to kernels that only read or copy
 * 2^28 bytes, all in turn in one run. The fastest reader is the roofline of reductions;
 * of scans and maps it is the fastest copy, or the fastest reader if they read much more
 * than they write. Prints the median and range of seven runs, GB/s of what must be read
 * and written, that as a share of the roofline, 10^9 items a second, and the bytes that
 * the strategy moves as a multiple of the input's.
 *
 * Results are not checked here: the tests do. But no fold of the data grows out of the
 * normal numbers, or shrinks: arithmetic on subnormals would be measured instead.
 */
#include "device.h"

#include "../clfold/bench_roofline.h"
#include "../clfold/clock.h"
#include "../clfold/machine.h"
#include "ops/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 26, RUNS = 7, ITEM = 16, ROOFLINE_BYTES = COUNT * 4 };

#define LOOKBACK "scan_lookback"

static const struct bench_case {
    const char *name, *algorithm; /* NULL: by policy */
    clfold_operation operation;   /* 0: an inclusive scan */
    clfold_fold fold;
    enum tile_kind tile;
    size_t in_size, out_size, in_offset, out_offset; /* out_size 0: nothing to speak of */
    bool in_place;
    uint32_t by; /* segments by CLFOLD_BY_FLAGS of u8, keys or offsets of u32 */
} cases[] = {
#define REDUCE(n, bytes, ...)                                                            \
    {                                                                                    \
        .name = n, .operation = CLFOLD_REDUCE, .fold = { __VA_ARGS__ }, .in_size = bytes \
    }
#define SCAN(n, a, o, t, i, bytes_in, bytes_out)                                         \
    .name = n, .algorithm = a, .fold = { .op = o, .type = t, .in = i },                  \
    .in_size = bytes_in, .out_size = bytes_out
#define ADD_F32(n, a) SCAN(n, a, CLFOLD_ADD, CLFOLD_F32, 0, 4, 4)
    { ADD_F32("add f32", "scan_single_group") },
    { ADD_F32("add f32", "scan_then_propagate") },
    { ADD_F32("add f32", "reduce_then_scan") },
    { ADD_F32("add f32", "scan_chained") },
    { ADD_F32("add f32", LOOKBACK) },
    { ADD_F32("add f32, exclusive", LOOKBACK), .operation = CLFOLD_EXCLUSIVE_SCAN },
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
#define SUM .type = CLFOLD_F32, .combine = "a + b", .identity = "-0.0f"
#define SEGMENTED                                                                        \
    .components = "float v; float f",                                                    \
    .combine = "{ pick(truth(b.f), b.v, a.v + b.v), pick(truth(b.f), b.f, a.f) }",       \
    .identity = "{ -0.0f, 0 }"
/* With it a reduction reads the end of its input only. */
#define CUTS .cuts = "b.f != 0"
#define BOX                                                                              \
    .type_name = "struct box", .type_size = 16, .combine = "join(a, b)",                 \
    .source = "struct box { float x, y, z, w; };\n"                                      \
              "struct box join(struct box a, struct box b)\n"                            \
              "{\n"                                                                      \
              "    struct box r = { fmin(a.x, b.x), fmin(a.y, b.y),\n"                   \
              "                     fmax(a.z, b.z), fmax(a.w, b.w) };\n"                 \
              "    return r;\n"                                                          \
              "}\n"
    { TEXT("(value, flag) f32", "reduce_then_scan", 8, SEGMENTED, CUTS) },
    { TEXT("(value, flag) f32", LOOKBACK, 8, SEGMENTED, CUTS) },
    { TEXT("a + b, commutative", LOOKBACK, 4, SUM, .flags = CLFOLD_COMMUTATIVE) },
    { TEXT("a + b", LOOKBACK, 4, SUM) },
    { SCAN("affine f32", LOOKBACK, CLFOLD_AFFINE, CLFOLD_F32, 0, 8, 8) },
    { SCAN("matrix-2x2 f32", LOOKBACK, CLFOLD_MATRIX_2X2, CLFOLD_F32, 0, 16, 16) },
    { TEXT("struct, fmin and fmax", LOOKBACK, 16, BOX) },
    { TEXT("add f32, compensated", LOOKBACK, 4, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .accuracy = CLFOLD_COMPENSATED) },
    REDUCE("add f32", 4, .op = CLFOLD_ADD, .type = CLFOLD_F32),
    REDUCE("add f32, compensated", 4, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .accuracy = CLFOLD_COMPENSATED),
    REDUCE("add f32, reproducible", 4, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .accuracy = CLFOLD_REPRODUCIBLE),
    REDUCE("a + b, commutative", 4, SUM, .flags = CLFOLD_COMMUTATIVE),
    REDUCE("a + b", 4, SUM),
    REDUCE("moments f32", 4, .op = CLFOLD_MOMENTS, .type = CLFOLD_F32),
    REDUCE("affine f32", 8, .op = CLFOLD_AFFINE, .type = CLFOLD_F32),
    REDUCE("matrix-2x2 f32", 16, .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_F32),
    REDUCE("(value, flag) f32", 8, SEGMENTED),
    REDUCE("struct, fmin and fmax", 16, BOX),
    /* Loads; y is a second input. */
    REDUCE("x * y, add f32", 8, .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * y",
           .num_args = 1),
    REDUCE("x * y, compensated", 8, .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * y",
           .num_args = 1, .accuracy = CLFOLD_COMPENSATED),
    REDUCE("x * y, reproducible", 8, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .load = "x * y", .num_args = 1, .accuracy = CLFOLD_REPRODUCIBLE),
    REDUCE("x * x, add f32", 4, .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * x"),
    REDUCE("x > 0, add f32 into u64", 4, .op = CLFOLD_ADD, .type = CLFOLD_U64,
           .in = CLFOLD_F32, .load = "to_u64(x > 0 ? 1 : 0)"),
    { .name = "x * x, add f32",
      .algorithm = LOOKBACK,
      .in_size = 4,
      .out_size = 4,
      .fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * x" } },
    /* Results. */
    { TEXT("item / (i + 1), add f32", LOOKBACK, 4, .op = CLFOLD_ADD, .type = CLFOLD_F32,
           .result = "item / to_f32(i + 1)") },
    { .name = "item.b of affine, f32",
      .algorithm = LOOKBACK,
      .in_size = 4,
      .out_size = 4,
      .fold = { .op = CLFOLD_AFFINE,
                .type = CLFOLD_F32,
                .in = CLFOLD_F32,
                .load = "{ 0.9f, 0.1f * x }",
                .out = CLFOLD_F32,
                .result = "item.b" } },
#define MAP(n, in, out, ...)                                                             \
    {                                                                                    \
        .name = n, .operation = CLFOLD_MAP, .fold = { __VA_ARGS__ }, .in_size = in,      \
        .out_size = out                                                                  \
    }
    MAP("map 2 x + 1, f32", 4, 4, .type = CLFOLD_F32, .result = "2 * x + 1"),
    MAP("map f32 to u8", 4, 1, .type = CLFOLD_F32, .out = CLFOLD_U8,
        .result = "to_u8(x > 0 ? 1 : 0)"),
    MAP("map x * y, f32", 8, 4, .type = CLFOLD_F32, .result = "x * y", .num_args = 1),
/* Segments of 100 elements; `in_size` has what says where they start. */
#define BY(n, how, bytes, ...)                                                           \
    {                                                                                    \
        .name = n, .algorithm = LOOKBACK, .fold = { __VA_ARGS__ }, .in_size = bytes,     \
        .out_size = 4, .by = how                                                         \
    }
    BY("add f32 by u8 flags", CLFOLD_BY_FLAGS, 5, .op = CLFOLD_ADD, .type = CLFOLD_F32),
    BY("add f32 by u32 keys", CLFOLD_BY_KEYS, 8, .op = CLFOLD_ADD, .type = CLFOLD_F32),
    BY("add f32 by u32 offsets", CLFOLD_BY_OFFSETS, 4, .op = CLFOLD_ADD,
       .type = CLFOLD_F32),
    BY("max f32 by u8 flags", CLFOLD_BY_FLAGS, 5, .op = CLFOLD_MAX, .type = CLFOLD_F32),
    { .name = "affine f32 by u8 flags",
      .algorithm = LOOKBACK,
      .fold = { .op = CLFOLD_AFFINE, .type = CLFOLD_F32 },
      .in_size = 9,
      .out_size = 8,
      .by = CLFOLD_BY_FLAGS },
    { ADD_F32("add f32, tile_group", "reduce_then_scan"), .tile = TILE_GROUP },
    { ADD_F32("add f32, tile_group", LOOKBACK), .tile = TILE_GROUP },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

/* What the device's memory allows, by the bytes written for each that is read. */
enum { READ, COPY, ROOFLINES };
static const char *const roofline_names[ROOFLINES] = { "read", "copy" };

struct bench {
    struct bench_device device;
    struct bench_roofline rooflines[ROOFLINES];
    cl_mem in, out, sink, heads;
    double limits[ROOFLINES][BENCH_WAYS][RUNS];
    double seconds[NUM_CASES][RUNS];
};

/*
 * Scalars in turn: 1 or -1 without a pattern, then 0, but 1 at every 128th place. Pairs
 * are so a value and a flag at every 64th, or a map v -> +-v + y; and a row of four is a
 * matrix that turns ones into ones.
 */
static bool fill(const struct bench *bench, size_t bytes)
{
    size_t num = bytes / sizeof(cl_float);
    cl_float *values = malloc(bytes);
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    if (values) {
        for (size_t i = 0; i < num; ++i) {
            values[i] = i % 2 == 1 ? (cl_float)(i % 128 == 127)
                                   : 1 - 2 * (cl_float)(i * 2654435761u >> 20 & 1);
        }
        status = clEnqueueWriteBuffer(bench->device.session.queue, bench->in, CL_TRUE, 0,
                                      bytes, values, 0, NULL, NULL);
        free(values);
    }
    return status == CL_SUCCESS || bench_complain(&bench->device, "the data", status);
}

enum { SEGMENT = 100, NUM_SEGMENTS = COUNT / SEGMENT };

/* Keys, offsets and flags, one after the other. */
static clfold_segments segments_of(const struct bench *bench, uint32_t by)
{
    static const clfold_type types[] = { 0, CLFOLD_U8, CLFOLD_U32, CLFOLD_U32 };

    return (clfold_segments){ .by = by,
                              .type = types[by],
                              .mem = bench->heads,
                              .offset = by == CLFOLD_BY_OFFSETS ? COUNT
                                        : by == CLFOLD_BY_FLAGS
                                            ? 4 * (size_t)(COUNT + NUM_SEGMENTS + 1)
                                            : 0,
                              .num = by == CLFOLD_BY_OFFSETS ? NUM_SEGMENTS : 0 };
}

static bool fill_heads(struct bench *bench)
{
    const size_t num = COUNT + NUM_SEGMENTS + 1, bytes = 4 * num + COUNT;
    cl_uint *values = malloc(bytes);
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    bench->heads = bench_buffer(&bench->device, bytes);
    if (values && bench->heads) {
        cl_uchar *flags = (cl_uchar *)(values + num);
        for (size_t i = 0; i < COUNT; ++i) {
            values[i] = (cl_uint)(i / SEGMENT);
            flags[i] = i % SEGMENT == 0;
        }
        for (size_t i = 0; i <= NUM_SEGMENTS; ++i) {
            values[COUNT + i] = (cl_uint)(i * SEGMENT);
        }
        status = clEnqueueWriteBuffer(bench->device.session.queue, bench->heads, CL_TRUE,
                                      0, bytes, values, 0, NULL, NULL);
    }
    free(values);
    return status == CL_SUCCESS || bench_complain(&bench->device, "the data", status);
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;
    const size_t bytes = (size_t)COUNT * ITEM + 64;
    struct message message;

    for (size_t i = 0; i < ROOFLINES; ++i) {
        if (!bench_roofline_open(&bench->rooflines[i], &device->session, i, &message)) {
            fprintf(stderr, "%s: %s\n", device->who, message.text);
            return false;
        }
    }
    bench->in = bench_buffer(device, bytes);
    bench->out = bench_buffer(device, bytes);
    /* It is a stream as well. */
    bench->sink = bench_buffer(
        device,
        bench_roofline_sink(&bench->rooflines[READ], ROOFLINE_BYTES) + ROOFLINE_BYTES);
    return bench->in && bench->out && bench->sink && fill(bench, bytes) &&
           fill_heads(bench);
}

static void close_bench(void *user)
{
    struct bench *bench = user;
    const cl_mem all[] = { bench->in, bench->out, bench->sink, bench->heads };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (all[i]) {
            clReleaseMemObject(all[i]);
        }
    }
    for (size_t i = 0; i < ROOFLINES; ++i) {
        bench_roofline_close(&bench->rooflines[i]);
    }
}

/* The context keeps the pointer. */
static void choose_tile(struct bench *bench, const struct bench_case *one)
{
    static struct debug tile;

    tile.tile = one->tile;
    clfold_context_override(bench->device.session.context, &tile);
}

static clfold_status enqueue(struct bench *bench, const struct bench_case *one)
{
    cl_command_queue queue = bench->device.session.queue;
    clfold_context *context = bench->device.session.context;
    cl_mem in = one->in_place ? bench->out : bench->in;
    const clfold_arg y = CLFOLD_STREAM(CLFOLD_F32, y, bench->sink, 0);
    const clfold_segments segments = segments_of(bench, one->by);
    clfold_fold fold = one->fold;

    fold.algorithm = one->algorithm;
    fold.args = fold.num_args > 0 ? &y : NULL;
    fold.segments = one->by ? &segments : NULL;
    choose_tile(bench, one);
    switch (one->operation) {
    case CLFOLD_MAP:
        return clfold_map(context, queue, &fold, in, one->in_offset, bench->out,
                          one->out_offset, COUNT, 0, NULL, NULL);
    case CLFOLD_REDUCE:
        return clfold_reduce(context, queue, &fold, in, one->in_offset, bench->out,
                             one->out_offset, COUNT, 0, NULL, NULL);
    case CLFOLD_EXCLUSIVE_SCAN:
        return clfold_exclusive_scan(context, queue, &fold, in, one->in_offset,
                                     bench->out, one->out_offset, COUNT, 0, NULL, NULL);
    default:
        return clfold_inclusive_scan(context, queue, &fold, in, one->in_offset,
                                     bench->out, one->out_offset, COUNT, 0, NULL, NULL);
    }
}

static bool run_limits(struct bench *bench, int run)
{
    cl_command_queue queue = bench->device.session.queue;

    for (size_t k = 0; k < (size_t)ROOFLINES * BENCH_WAYS; ++k) {
        const struct bench_roofline *roofline = &bench->rooflines[k / BENCH_WAYS];
        const enum bench_way way = (enum bench_way)(k % BENCH_WAYS);
        if (!bench_roofline_has(roofline, way)) {
            continue;
        }
        const double begin = clock_now();
        cl_int status = bench_roofline_enqueue(roofline, way, queue, bench->in,
                                               bench->out, bench->sink, ROOFLINE_BYTES);
        if (status || (status = clFinish(queue))) {
            return bench_complain(&bench->device, roofline_names[k / BENCH_WAYS], status);
        }
        if (run >= 0) {
            bench->limits[k / BENCH_WAYS][way][run] = clock_now() - begin;
        }
    }
    return true;
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    if (!run_limits(bench, run)) {
        return false;
    }
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

/* Prints it too: GB/s of the fastest way. */
static double limit_of(struct bench *bench, size_t roofline)
{
    double best = 0;

    for (size_t way = 0; way < BENCH_WAYS; ++way) {
        double *seconds = bench->limits[roofline][way];
        const double median = clock_median(seconds, RUNS);
        const double gbps = ROOFLINE_BYTES * (1.0 + (double)roofline) / median / 1e9;
        if (bench_roofline_has(&bench->rooflines[roofline], (enum bench_way)way)) {
            printf("%-46s %8.2f  %6.2f - %6.2f %7.1f\n", roofline_names[roofline],
                   median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3, gbps);
            best = gbps > best ? gbps : best;
        }
    }
    return best;
}

/* GB/s that memory allows a call, at most: what it moves may not be faster than a copy,
 * nor what it reads faster than reading alone. A map may write less than it reads. */
static double limit_for(const struct bench_case *one, const double limits[ROOFLINES])
{
    const double read = (double)one->in_size, all = read + (double)one->out_size;
    const double by_read = limits[READ] * all / read;

    if (one->operation == CLFOLD_REDUCE) {
        return limits[READ];
    }
    return by_read < limits[COPY] ? by_read : limits[COPY];
}

static void print_case(struct bench *bench, const struct bench_case *one,
                       double seconds[RUNS], double limit)
{
    const double median = clock_median(seconds, RUNS);
    const double gbps = COUNT * (double)(one->in_size + one->out_size) / median / 1e9;
    const clfold_arg y = CLFOLD_STREAM(CLFOLD_F32, y, bench->sink, 0);
    const clfold_segments segments = segments_of(bench, one->by);
    clfold_fold fold = one->fold;
    clfold_report report;

    fold.algorithm = one->algorithm;
    fold.args = fold.num_args > 0 ? &y : NULL;
    fold.segments = one->by ? &segments : NULL;
    choose_tile(bench, one);
    if (clfold_explain(bench->device.session.context,
                       one->operation ? one->operation : CLFOLD_INCLUSIVE_SCAN, &fold,
                       COUNT, NULL, &report)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return;
    }
    printf("%-25s %-20s %8.2f  %6.2f - %6.2f %7.1f %6.2f %8.2f %6.2f\n", one->name,
           report.algorithm, median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3,
           gbps, gbps / limit, COUNT / median / 1e9,
           (double)(report.bytes_read + report.bytes_written) /
               ((double)COUNT * (double)one->in_size));
}

static void print_all(void *user)
{
    struct bench *bench = user;
    struct text machine = { 0 };
    double limits[ROOFLINES];

    machine_print(&machine, "");
    printf("%s, %s, driver %s; %s; 2^26 items, medians of %d\n",
           bench->device.caps.platform, bench->device.caps.name,
           bench->device.caps.driver, machine.bytes ? machine.bytes : "", RUNS);
    clfold_text_finish(&machine);
    printf("%-25s %-20s %8s  %15s %7s %6s %8s %6s\n", "fold", "algorithm", "ms", "range",
           "GB/s", "share", "Gitem/s", "n");
    for (size_t i = 0; i < ROOFLINES; ++i) {
        limits[i] = limit_of(bench, i);
    }
    for (size_t i = 0; i < NUM_CASES; ++i) {
        print_case(bench, &cases[i], bench->seconds[i], limit_for(&cases[i], limits));
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_folds" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
