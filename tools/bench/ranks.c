/*
 * mpirun -n N bench_ranks [DEVICE]: running sums of 2^24 and of 2^12 f32 a rank, on
 * the device of `clfold --device`, all ways in turn in one run:
 *
 *     clfold_mpi_inclusive_scan    each part is folded, and then scanned with a carry
 *     propagate                    scanned, and then a map adds what is before the part
 *     by hand                      read, two loops on the host around MPI_Exscan, written
 *
 * Prints the median and range of RUNS runs, each the time of the slowest rank, in
 * milliseconds. The first run is not counted: there the ways must have the same results.
 * tools/bench/ranks.py does the same with numpy and mpi4py.
 */
#include "device.h"

#include "../clfold/clock.h"

#include <clfold/mpi.h>

#include <stdio.h>

enum { MOST = 1 << 24, RUNS = 21 };

static const size_t counts[] = { MOST, 1 << 12 };
#define NUM_COUNTS (sizeof(counts) / sizeof(counts[0]))

struct bench {
    struct bench_device device;
    cl_mem in, out, total;
    float *host;
    int rank, ranks;
    double seconds[3][NUM_COUNTS][RUNS];
};

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

/* All sums are exact. */
static float value_of(size_t i)
{
    return i % 1024 == 0 ? 1 : 0;
}

static int scan(struct bench *bench, size_t count)
{
    return clfold_mpi_inclusive_scan(bench->device.session.context, MPI_COMM_WORLD,
                                     bench->device.session.queue, &sum, bench->in, 0,
                                     bench->out, 0, count, 0, NULL, NULL);
}

/* What all ranks before this one have. */
static cl_float sum_before(const struct bench *bench, cl_float mine)
{
    cl_float before = 0;

    MPI_Exscan(&mine, &before, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return bench->rank > 0 ? before : 0;
}

static int propagate(struct bench *bench, size_t count)
{
    clfold_context *const context = bench->device.session.context;
    const cl_command_queue queue = bench->device.session.queue;
    clfold_fold scan = sum;
    cl_float total = 0;
    int status;

    scan.total_out.mem = bench->total;
    status = clfold_inclusive_scan(context, queue, &scan, bench->in, 0, bench->out, 0,
                                   count, 0, NULL, NULL);
    if (!status) {
        status = clEnqueueReadBuffer(queue, bench->total, CL_TRUE, 0, sizeof(total),
                                     &total, 0, NULL, NULL);
    }
    const cl_float before = sum_before(bench, total);
    const clfold_arg arg = CLFOLD_VALUE("float", before, before);
    const clfold_fold add = {
        .type = CLFOLD_F32, .result = "x + before", .args = &arg, .num_args = 1
    };
    return status ? status
                  : clfold_map(context, queue, &add, bench->out, 0, bench->out, 0, count,
                               0, NULL, NULL);
}

static int by_hand(struct bench *bench, size_t count)
{
    const cl_command_queue queue = bench->device.session.queue;
    float total = 0;
    int status = clEnqueueReadBuffer(queue, bench->in, CL_TRUE, 0, count * sizeof(float),
                                     bench->host, 0, NULL, NULL);

    for (size_t i = 0; i < count; ++i) {
        total += bench->host[i];
        bench->host[i] = total;
    }
    const float before = sum_before(bench, total);
    for (size_t i = 0; i < count; ++i) {
        bench->host[i] += before;
    }
    return status
               ? status
               : clEnqueueWriteBuffer(queue, bench->out, CL_TRUE, 0,
                                      count * sizeof(float), bench->host, 0, NULL, NULL);
}

static const struct {
    const char *name;
    int (*run)(struct bench *bench, size_t count);
} ways[] = { { "clfold_mpi_inclusive_scan", scan },
             { "propagate", propagate },
             { "by hand", by_hand } };
#define NUM_WAYS (sizeof(ways) / sizeof(ways[0]))

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;
    const size_t bytes = MOST * sizeof(float);
    cl_int status;

    bench->in = bench_buffer(device, bytes);
    bench->out = bench_buffer(device, bytes);
    bench->total = bench_buffer(device, sizeof(cl_float));
    bench->host = malloc(bytes);
    if (!bench->in || !bench->out || !bench->total || !bench->host) {
        return false;
    }
    for (size_t i = 0; i < MOST; ++i) {
        bench->host[i] = value_of(i);
    }
    status = clEnqueueWriteBuffer(device->session.queue, bench->in, CL_TRUE, 0, bytes,
                                  bench->host, 0, NULL, NULL);
    return !status || bench_complain(device, "the data", status);
}

static void close_bench(void *user)
{
    struct bench *bench = user;
    const cl_mem mems[] = { bench->in, bench->out, bench->total };

    for (size_t k = 0; k < 3; ++k) {
        if (mems[k]) {
            clReleaseMemObject(mems[k]);
        }
    }
    free(bench->host);
}

/* The last result of each rank tells all that are before it. */
static bool check(struct bench *bench, const char *name, size_t count)
{
    float found = 0, expected = 0;
    cl_int status = clEnqueueReadBuffer(bench->device.session.queue, bench->out, CL_TRUE,
                                        (count - 1) * sizeof(found), sizeof(found),
                                        &found, 0, NULL, NULL);

    for (size_t i = 0; i < count; ++i) {
        expected += value_of(i);
    }
    expected *= (float)(bench->rank + 1);
    if (!status && found != expected) {
        fprintf(stderr, "%s: %s of %zu: %g instead of %g\n", bench->device.who, name,
                count, (double)found, (double)expected);
        return false;
    }
    return !status || bench_complain(&bench->device, "clEnqueueReadBuffer", status);
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    for (size_t k = 0; k < NUM_WAYS * NUM_COUNTS; ++k) {
        const size_t way = k % NUM_WAYS, size = k / NUM_WAYS;
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = clock_now();
        const int status = ways[way].run(bench, counts[size]);
        clFinish(bench->device.session.queue);
        double seconds = clock_now() - begin;
        if (status) {
            return bench_complain(&bench->device, ways[way].name, status);
        }
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (run >= 0) {
            bench->seconds[way][size][run] = seconds;
        } else if (!check(bench, ways[way].name, counts[size])) {
            return false;
        }
    }
    return true;
}

static void print_all(void *user)
{
    struct bench *bench = user;

    for (size_t k = 0; bench->rank == 0 && k < NUM_WAYS * NUM_COUNTS; ++k) {
        double *const seconds = bench->seconds[k % NUM_WAYS][k / NUM_WAYS];
        const double median = 1e3 * clock_median(seconds, RUNS);
        printf("%d ranks, %8zu f32 each: %-26s %9.3f ms (%.3f to %.3f)\n", bench->ranks,
               counts[k / NUM_WAYS], ways[k % NUM_WAYS].name, median, 1e3 * seconds[0],
               1e3 * seconds[RUNS - 1]);
    }
}

int main(int argc, char **argv)
{
    static struct bench bench = { .device.who = "bench_ranks" };
    static const struct bench_steps steps = { open_bench, run_all, print_all,
                                              close_bench };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    const int status = bench_main(&bench, &steps, RUNS, argc, argv);
    if (status != 0) {
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    MPI_Finalize();
    return status;
}
