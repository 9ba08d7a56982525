/*
 * bench_segments [DEVICE]: rows, columns and segments by offsets of 2^26 f32 on the
 * device of `clfold --device`, all in turn in one run: reductions next to one of all
 * elements, scans next to a copy kernel that stores past the caches. Prints the median
 * and range of seven runs, 10^9 elements a second, GB/s of what a call must read and
 * write, by offsets of what it must read, and that as a share of its limit.
 *
 * Results are not checked here: the tests do.
 */
#include "device.h"

#include "../clfold/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 26, RUNS = 7 };

/* ---- Lengths of segments: of number i, by u, which is from 0 to below 1 ---- */

static size_t uniform_0_3(size_t i, double u)
{
    (void)i;
    return (size_t)(4 * u);
}

static size_t uniform_1_127(size_t i, double u)
{
    (void)i;
    return 1 + (size_t)(127 * u);
}

static size_t uniform_1_2000(size_t i, double u)
{
    (void)i;
    return 1 + (size_t)(2000 * u);
}

static size_t geometric_8(size_t i, double u)
{
    (void)i;
    return 1 + (size_t)(log(1 - u) / log(1 - 1.0 / 8));
}

static size_t pareto(size_t i, double u)
{
    const double length = 1 / (1 - u);

    (void)i;
    return length < 1e6 ? (size_t)length : (size_t)1e6;
}

/* One of 10^7 elements among 10^6 short ones, and after these 10^7 empty ones. */
enum { SHORT = 1000000, LONG = 10000000, MIXED = 1 + SHORT + LONG };
static size_t mixed(size_t i, double u)
{
    return i == SHORT / 2 ? LONG : i <= SHORT ? uniform_0_3(i, u) : 0;
}

enum { LIMIT_COPY, LIMIT_READ, WHOLE, ROWS, COLUMNS, OFFSETS, MAPS };

static const struct bench_case {
    const char *name;
    int kind;
    bool scans;
    /* From OFFSETS on: most segments, or 0; of each, unless length_of is. */
    size_t width, length;
    clfold_op op;
    const char *result; /* what is written for an item; NULL: the item */
    clfold_type out;    /* 0: f32 */
    uint32_t accuracy;
    size_t (*length_of)(size_t i, double u);
    const char *load;
    uint32_t flags;
} cases[] = {
    { .name = "copy", .kind = LIMIT_COPY, .scans = true },
    { .name = "reduce all", .kind = LIMIT_READ, .op = CLFOLD_ADD },
#define ROWS_OF(n) "rows of " #n, ROWS
    { ROWS_OF(3), false, 1, 3, .op = CLFOLD_ADD },
    { ROWS_OF(4), false, 1, 4, .op = CLFOLD_ADD },
    { ROWS_OF(16), false, 1, 16, .op = CLFOLD_ADD },
    { ROWS_OF(63), false, 1, 63, .op = CLFOLD_ADD },
    { ROWS_OF(64), false, 1, 64, .op = CLFOLD_ADD },
    { ROWS_OF(256), false, 1, 256, .op = CLFOLD_ADD },
    { ROWS_OF(1000), false, 1, 1000, .op = CLFOLD_ADD },
    { ROWS_OF(10000), false, 1, 10000, .op = CLFOLD_ADD },
    { ROWS_OF(16777216), false, 1, 1 << 24, .op = CLFOLD_ADD },
    { "columns of 4096 x 4096", COLUMNS, false, 4096, 4096, .op = CLFOLD_ADD },
    { "columns of 65536 x 1024", COLUMNS, false, 1024, 65536, .op = CLFOLD_ADD },
    { "columns of 64 x 2^20", COLUMNS, false, 1 << 20, 64, .op = CLFOLD_ADD },
    { "columns of 2^25 x 2", COLUMNS, false, 2, 1 << 25, .op = CLFOLD_ADD },
    { ROWS_OF(3), true, 1, 3, .op = CLFOLD_ADD },
    { ROWS_OF(64), true, 1, 64, .op = CLFOLD_ADD },
    { ROWS_OF(10000), true, 1, 10000, .op = CLFOLD_ADD },
    { ROWS_OF(16777216), true, 1, 1 << 24, .op = CLFOLD_ADD },
    { "columns of 4096 x 4096", COLUMNS, true, 4096, 4096, .op = CLFOLD_ADD },
    { "item - x, rows of 3", ROWS, true, 1, 3, .op = CLFOLD_ADD, .result = "item - x" },
    { "item - x, rows of 10000", ROWS, true, 1, 10000, .op = CLFOLD_ADD,
      .result = "item - x" },
    { "item - x, columns of 4096 x 4096", COLUMNS, true, 4096, 4096, .op = CLFOLD_ADD,
      .result = "item - x" },
    { "prev, columns of 4096 x 4096", COLUMNS, true, 4096, 4096, .op = CLFOLD_ADD,
      .result = "prev" },
    { "flags, rows of 3", ROWS, true, 1, 3, .op = CLFOLD_ADD,
      .result = "to_u8(item > 0 ? 1 : 0)", .out = CLFOLD_U8 },
    { "flags, columns of 4096 x 4096", COLUMNS, true, 4096, 4096, .op = CLFOLD_ADD,
      .result = "to_u8(item > 0 ? 1 : 0)", .out = CLFOLD_U8 },
    { "max, rows of 3", ROWS, false, 1, 3, .op = CLFOLD_MAX },
    { "arg-min, rows of 3", ROWS, false, 1, 3, .op = CLFOLD_ARG_MIN },
    { "arg-min, columns of 4096 x 4096", COLUMNS, false, 4096, 4096,
      .op = CLFOLD_ARG_MIN },
#define ACCURATE(name, kind, width, length)                                              \
    { name, kind, false, width, length, .op = CLFOLD_ADD },                              \
        { "compensated, as above",       kind, false, width, length, .op = CLFOLD_ADD,   \
          .accuracy = CLFOLD_COMPENSATED },                                              \
    {                                                                                    \
        "reproducible, as above", kind, false, width, length,                            \
            .op = CLFOLD_ADD, .accuracy = CLFOLD_REPRODUCIBLE                            \
    }
    ACCURATE("rows of 3", ROWS, 1, 3),
    ACCURATE("rows of 63", ROWS, 1, 63),
    ACCURATE("rows of 256", ROWS, 1, 256),
    ACCURATE("rows of 4096", ROWS, 1, 4096),
    ACCURATE("columns of 4096 x 4096", COLUMNS, 4096, 4096),
    ACCURATE("columns of 64 x 2^20", COLUMNS, 1 << 20, 64),
#define BY_OFFSETS(name, width, length, length_of)                                       \
    {                                                                                    \
        "offsets, " name, OFFSETS, false, width, length, CLFOLD_ADD, NULL, 0, 0,         \
            length_of, NULL, 0                                                           \
    }
    BY_OFFSETS("3 each", 0, 3, NULL),
    BY_OFFSETS("0 to 3", 0, 0, uniform_0_3),
    BY_OFFSETS("geometric, mean 8", 0, 0, geometric_8),
    BY_OFFSETS("1 to 127", 0, 0, uniform_1_127),
    BY_OFFSETS("64 each", 0, 64, NULL),
    BY_OFFSETS("1000 each", 0, 1000, NULL),
    BY_OFFSETS("1 to 2000", 0, 0, uniform_1_2000),
    BY_OFFSETS("Pareto 1, up to 10^6", 0, 0, pareto),
    BY_OFFSETS("10^7, 0 to 3, empty", MIXED, 0, mixed),
    BY_OFFSETS("its 0 to 3", SHORT, 0, uniform_0_3),
    BY_OFFSETS("its 10^7", 1, LONG, NULL),
    BY_OFFSETS("its empty ones", LONG, 0, NULL),
#define FROM_RIGHT(name, ...)                                                            \
    { name, __VA_ARGS__, .op = CLFOLD_ADD },                                             \
    {                                                                                    \
        "from the right, as above", __VA_ARGS__, .op = CLFOLD_ADD,                       \
                                                 .flags = CLFOLD_REVERSE                 \
    }
    FROM_RIGHT("all", WHOLE, true),
    FROM_RIGHT("rows of 64", ROWS, true, 1, 64),
    FROM_RIGHT("columns of 4096 x 4096", COLUMNS, true, 4096, 4096),
    FROM_RIGHT("offsets, 64 each", OFFSETS, true, 0, 64),
    { "offsets, in[segment], 4 each", MAPS, true, 0, 4, .load = "in[segment]" },
    { "offsets, in[segment], 100 each", MAPS, true, 0, 100, .load = "in[segment]" },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

struct bench {
    struct bench_device device;
    cl_kernel copy;
    cl_mem in, out;
    clfold_segments by_offsets[NUM_CASES];
    size_t counts[NUM_CASES];
    double seconds[NUM_CASES][RUNS];
};

static bool fill(const struct bench *bench)
{
    cl_float *values = malloc(COUNT * sizeof(*values));
    cl_int status = CL_OUT_OF_HOST_MEMORY;

    if (values) {
        for (size_t i = 0; i < COUNT; ++i) {
            values[i] = (cl_float)(i * 2654435761u % 201) - 100;
        }
        status = clEnqueueWriteBuffer(bench->device.session.queue, bench->in, CL_TRUE, 0,
                                      COUNT * sizeof(*values), values, 0, NULL, NULL);
        free(values);
    }
    return status == CL_SUCCESS || bench_complain(&bench->device, "the data", status);
}

/* As many segments as COUNT elements have, or the case. */
static bool make_offsets(struct bench *bench, size_t number, cl_uint *offsets)
{
    const struct bench_case *one = &cases[number];
    const size_t most = one->width > 0 ? one->width : COUNT;
    cl_ulong random = 1;
    size_t num = 0;
    cl_int status;
    cl_mem mem;

    for (offsets[0] = 0; num < most; ++num) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double u = (double)(random >> 11) / 9007199254740992.0;
        const size_t length = one->length_of ? one->length_of(num, u) : one->length;
        if (offsets[num] + length > COUNT) {
            break;
        }
        offsets[num + 1] = (cl_uint)(offsets[num] + length);
    }
    mem = bench_buffer(&bench->device, (num + 1) * sizeof(*offsets));
    bench->counts[number] = offsets[num];
    bench->by_offsets[number] = (clfold_segments){
        .by = CLFOLD_BY_OFFSETS, .type = CLFOLD_U32, .mem = mem, .num = num
    };
    if (!mem) {
        return false;
    }
    status = clEnqueueWriteBuffer(bench->device.session.queue, mem, CL_TRUE, 0,
                                  (num + 1) * sizeof(*offsets), offsets, 0, NULL, NULL);
    return status == CL_SUCCESS || bench_complain(&bench->device, "the offsets", status);
}

static bool make_all_offsets(struct bench *bench)
{
    cl_uint *offsets = malloc((COUNT + 1) * sizeof(*offsets));
    bool done = true;

    if (!offsets) {
        return bench_complain(&bench->device, "the offsets", CL_OUT_OF_HOST_MEMORY);
    }
    for (size_t i = 0; done && i < NUM_CASES; ++i) {
        done = cases[i].kind < OFFSETS || make_offsets(bench, i, offsets);
    }
    free(offsets);
    return done;
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;

    bench->in = bench_buffer(device, COUNT * sizeof(cl_float));
    bench->out = bench_buffer(device, COUNT * sizeof(cl_ulong));
    if (!bench->in || !bench->out || !fill(bench) || !make_all_offsets(bench) ||
        !(bench->copy = bench_copy_kernel(device, bench->in, bench->out))) {
        return false;
    }
    return true;
}

static void close_bench(void *user)
{
    struct bench *bench = user;

    if (bench->copy) {
        clReleaseKernel(bench->copy);
    }
    for (size_t i = 0; i < NUM_CASES; ++i) {
        if (bench->by_offsets[i].mem) {
            clReleaseMemObject(bench->by_offsets[i].mem);
        }
    }
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
}

/* Whole segments. */
static size_t count_of(const struct bench *bench, size_t number)
{
    const struct bench_case *one = &cases[number];
    size_t block = one->width * one->length;

    return one->kind >= OFFSETS ? bench->counts[number]
           : block > 0          ? COUNT / block * block
                                : COUNT;
}

static clfold_status enqueue(const struct bench *bench, size_t number)
{
    const struct bench_case *one = &cases[number];
    cl_command_queue queue = bench->device.session.queue;
    const clfold_segments segments = {
        .by = one->kind == ROWS ? CLFOLD_BY_LENGTH : CLFOLD_BY_COLUMNS,
        .length = one->length,
        .columns = one->kind == ROWS ? 0 : one->width,
    };
    const clfold_fold fold = {
        .op = one->op,
        .load = one->load,
        .type = CLFOLD_F32,
        .out = one->out,
        .result = one->result,
        .accuracy = one->accuracy,
        .flags = one->flags,
        .segments = one->kind >= OFFSETS ? &bench->by_offsets[number]
                    : one->kind >= ROWS  ? &segments
                                         : NULL,
    };

    if (one->kind == LIMIT_COPY) {
        return bench_enqueue_copy(queue, bench->copy, COUNT);
    }
    return (one->kind == MAPS ? clfold_map
            : one->scans      ? clfold_inclusive_scan
                         : clfold_reduce)(bench->device.session.context, queue, &fold,
                                          bench->in, 0, bench->out, 0,
                                          count_of(bench, number), 0, NULL, NULL);
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    for (size_t i = 0; i < NUM_CASES; ++i) {
        const double begin = clock_now();
        clfold_status status = enqueue(bench, i);
        if (status || (status = clFinish(bench->device.session.queue))) {
            return bench_complain(&bench->device, cases[i].name, status);
        }
        if (run >= 0) {
            bench->seconds[i][run] = clock_now() - begin;
        }
    }
    return true;
}

/* What must be read and written; by offsets, read. */
static double bytes_of(const struct bench *bench, size_t number)
{
    const struct bench_case *one = &cases[number];
    size_t count = count_of(bench, number), size = one->op == CLFOLD_ARG_MIN ? 16
                                                   : one->out == CLFOLD_U8   ? 1
                                                                             : 4;
    size_t results = one->kind == MAPS      ? count + bench->by_offsets[number].num + 1
                     : one->scans           ? count
                     : one->kind == OFFSETS ? bench->by_offsets[number].num + 1
                     : one->kind >= ROWS    ? count / one->length
                                            : 1;

    if (one->kind == MAPS) {
        count = bench->by_offsets[number].num; /* values */
    }
    return (double)count * sizeof(cl_float) + (double)(results * size);
}

static void print_all(void *user)
{
    struct bench *bench = user;
    double limits[2] = { 0 };

    printf("%s, %s, driver %s; 2^26 f32, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->device.caps.driver, RUNS);
    printf("%-8s %-34s %8s  %15s %8s %7s %6s\n", "", "sum unless said", "ms", "range",
           "Gitem/s", "GB/s", "share");
    for (size_t i = 0; i < NUM_CASES; ++i) {
        const struct bench_case *one = &cases[i];
        double *seconds = bench->seconds[i], median = clock_median(seconds, RUNS);
        double gbps = bytes_of(bench, i) / median / 1e9;
        if (one->kind < WHOLE) {
            limits[one->kind] = gbps;
        }
        printf("%-8s %-34s %8.2f  %6.2f - %6.2f %8.2f %7.1f %6.2f\n",
               one->kind < WHOLE   ? "limit"
               : one->kind == MAPS ? "map"
               : one->scans        ? "scan"
                                   : "reduce",
               one->name, median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3,
               (double)count_of(bench, i) / median / 1e9, gbps,
               gbps / limits[one->scans ? LIMIT_COPY : LIMIT_READ]);
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_segments" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
