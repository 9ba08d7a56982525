/*
 * bench_select [DEVICE]: selects of 2^26 f32 on the device of `clfold --device`, all in
 * turn in one run, next to a map and to a copy kernel that stores past the caches. Prints
 * the median and range of seven runs, 10^9 elements a second, GB/s of what a call must
 * read and write, and that as a share of the copy.
 *
 * Elements are kept at random places, and runs have geometric lengths of the mean that is
 * named. Fields are those of 2^26 bytes: one in 14 is a comma, and one in 60 a quote.
 * Results are not checked here: the tests do.
 */
#include "device.h"

#include "../clfold/clock.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 26, RUNS = 7 };

enum data { NO_RUNS, MEAN_4, MEAN_1000, TEXT, NUM_DATA };
static const double means[TEXT] = { 1, 4, 1000 };

static const struct bench_case {
    const char *name;
    enum { COPY, MAP, SELECT, PARTITION, FIELDS, UNIQUE, LENGTHS } kind;
    enum data data;
    const char *text; /* `keep` or `same` */
} cases[] = {
    { "copy", COPY, NO_RUNS, NULL },
    { "map", MAP, NO_RUNS, NULL },
    { "select, 1 % kept", SELECT, NO_RUNS, "x < 0.01f" },
    { "select, 50 % kept", SELECT, NO_RUNS, "x < 0.5f" },
    { "select, 99 % kept", SELECT, NO_RUNS, "x < 0.99f" },
    { "partition, 50 % kept", PARTITION, NO_RUNS, "x < 0.5f" },
    { "unique, runs of 1", UNIQUE, NO_RUNS, "a == b" },
    { "unique, runs of 4", UNIQUE, MEAN_4, "a == b" },
    { "unique, runs of 1000", UNIQUE, MEAN_1000, "a == b" },
    { "run lengths, runs of 1", LENGTHS, NO_RUNS, "a == b" },
    { "run lengths, runs of 4", LENGTHS, MEAN_4, "a == b" },
    { "run lengths, runs of 1000", LENGTHS, MEAN_1000, "a == b" },
    { "fields of a CSV text", FIELDS, TEXT, "(x == to_u8(44)) & (item == to_u8(0))" },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

struct bench {
    struct bench_device device;
    cl_kernel copy;
    cl_mem in[NUM_DATA], out, more, num; /* more: the others, or lengths */
    cl_ulong kept[NUM_CASES];
    double seconds[NUM_CASES][RUNS];
};

static double draw(cl_ulong *random) /* from 0 to below 1 */
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (double)(*random >> 40) / 16777216.0;
}

/* Numbers from 0 to below 1, of which one in `mean` is a new one; or a text. */
static bool fill(const struct bench *bench, cl_mem mem, enum data data)
{
    cl_float *values = malloc(COUNT * sizeof(*values)), value = 0;
    unsigned char *text = (unsigned char *)values;
    cl_int status = CL_OUT_OF_HOST_MEMORY;
    cl_ulong random = 1;

    if (values) {
        for (size_t i = 0; i < COUNT; ++i) {
            const double drawn = draw(&random);
            if (data == TEXT) {
                text[i] = drawn < 1.0 / 14 ? ',' : drawn > 1 - 1.0 / 60 ? '"' : 'a';
                continue;
            }
            value = drawn * means[data] < 1 ? (cl_float)draw(&random) : value;
            values[i] = value;
        }
        status = clEnqueueWriteBuffer(bench->device.session.queue, mem, CL_TRUE, 0,
                                      COUNT * (data == TEXT ? 1 : sizeof(*values)),
                                      values, 0, NULL, NULL);
        free(values);
    }
    return status == CL_SUCCESS || bench_complain(&bench->device, "the data", status);
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;

    for (size_t i = 0; i < NUM_DATA; ++i) {
        bench->in[i] = bench_buffer(device, COUNT * sizeof(cl_float));
        if (!bench->in[i] || !fill(bench, bench->in[i], (enum data)i)) {
            return false;
        }
    }
    bench->out = bench_buffer(device, COUNT * sizeof(cl_float));
    bench->more = bench_buffer(device, COUNT * sizeof(cl_ulong));
    bench->num = bench_buffer(device, sizeof(cl_ulong));
    return bench->out && bench->more && bench->num &&
           (bench->copy = bench_copy_kernel(device, bench->in[0], bench->out));
}

static void close_bench(void *user)
{
    struct bench *bench = user;
    const cl_mem all[] = { bench->in[0], bench->in[1], bench->in[2], bench->in[3],
                           bench->out,   bench->more,  bench->num };

    if (bench->copy) {
        clReleaseKernel(bench->copy);
    }
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (all[i]) {
            clReleaseMemObject(all[i]);
        }
    }
}

static clfold_status enqueue(const struct bench *bench, const struct bench_case *one)
{
    const struct session *session = &bench->device.session;
    clfold_fold fold = { .type = CLFOLD_F32 };

    if (one->kind == COPY) {
        return bench_enqueue_copy(session->queue, bench->copy, COUNT);
    }
    if (one->kind >= SELECT) {
        *(one->kind < UNIQUE ? &fold.keep : &fold.same) = one->text;
        fold.num_out.mem = bench->num;
    }
    if (one->kind == FIELDS) {
        fold.op = CLFOLD_BIT_XOR;
        fold.type = fold.in = CLFOLD_U8;
        fold.load = "to_u8(x == to_u8(34)) & to_u8(1)";
        fold.out = CLFOLD_U32;
        fold.result = "to_u32(i)";
    }
    fold.rest_out.mem = one->kind == PARTITION ? bench->more : NULL;
    fold.lengths_out.mem = one->kind == LENGTHS ? bench->more : NULL;
    return (one->kind == MAP ? clfold_map : clfold_select)(
        session->context, session->queue, &fold, bench->in[one->data], 0, bench->out, 0,
        COUNT, 0, NULL, NULL);
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;
    cl_command_queue queue = bench->device.session.queue;

    for (size_t i = 0; i < NUM_CASES; ++i) {
        const double begin = clock_now();
        clfold_status status = enqueue(bench, &cases[i]);
        if (status || (status = clFinish(queue))) {
            return bench_complain(&bench->device, cases[i].name, status);
        }
        if (run >= 0) {
            bench->seconds[i][run] = clock_now() - begin;
        }
        bench->kept[i] = COUNT;
        if (cases[i].kind >= SELECT &&
            (status = clEnqueueReadBuffer(queue, bench->num, CL_TRUE, 0, sizeof(cl_ulong),
                                          &bench->kept[i], 0, NULL, NULL))) {
            return bench_complain(&bench->device, "the number kept", status);
        }
    }
    return true;
}

/* What must be read and written. */
static double bytes_of(const struct bench *bench, size_t number)
{
    const double kept = (double)bench->kept[number], size = sizeof(cl_float);
    const double read = cases[number].kind == FIELDS ? 1 : size;
    const double written = cases[number].kind == PARTITION ? COUNT * size
                           : cases[number].kind == LENGTHS
                               ? kept * (size + sizeof(cl_ulong))
                               : kept * size;

    return COUNT * read + written;
}

static void print_all(void *user)
{
    struct bench *bench = user;
    double limit = 0;

    printf("%s, %s, driver %s; 2^26 f32, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->device.caps.driver, RUNS);
    printf("%-26s %10s %8s  %15s %8s %7s %6s\n", "", "kept", "ms", "range", "Gitem/s",
           "GB/s", "share");
    for (size_t i = 0; i < NUM_CASES; ++i) {
        double *seconds = bench->seconds[i], median = clock_median(seconds, RUNS);
        double gbps = bytes_of(bench, i) / median / 1e9;
        limit = i == 0 ? gbps : limit;
        printf("%-26s %10llu %8.2f  %6.2f - %6.2f %8.2f %7.1f %6.2f\n", cases[i].name,
               (unsigned long long)bench->kept[i], median * 1e3, seconds[0] * 1e3,
               seconds[RUNS - 1] * 1e3, COUNT / median / 1e9, gbps, gbps / limit);
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_select" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
