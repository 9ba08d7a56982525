/*
 * bench_lookback_blocked [DEVICE]: look-back on the device of `clfold --device` where
 * every m-th tile is never published by its own group and no group waits for it, next to
 * reduce_then_scan in the same run: 2^24 f32. Prints for each the median and range of
 * seven runs, the time as a multiple of reduce_then_scan's, and how many tiles a run
 * folded for others.
 *
 * The blocked scans' program is the one of tests, which also writes records.
 */
#include "../../tests/support/held_up.h"
#include "device.h"

#include "../clfold/clock.h"
#include "ops/internal.h"

#include <stdio.h>

enum { COUNT = 1 << 24, RUNS = 7, MOST_TILES = COUNT / 1024 };

/* 0: none is blocked. */
static const struct bench_case {
    const char *algorithm;
    uint32_t block_every;
} cases[] = {
    { "reduce_then_scan", 0 }, { "scan_lookback", 0 }, { "scan_lookback", 4 },
    { "scan_lookback", 3 },    { "scan_lookback", 2 }, { "scan_chained", 2 },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

struct bench {
    struct bench_device device;
    cl_mem in, out, trace;
    double seconds[NUM_CASES][RUNS], num_folded[NUM_CASES];
};

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const struct bench_device *device = &bench->device;

    /* Zeros do: nothing depends on the values. */
    bench->in = bench_buffer(device, (size_t)COUNT * sizeof(cl_float));
    bench->out = bench_buffer(device, (size_t)COUNT * sizeof(cl_float));
    bench->trace = bench_buffer(device, (1 + MOST_TILES) * sizeof(clfold_tile_trace));
    return bench->in && bench->out && bench->trace;
}

static void close_bench(void *user)
{
    struct bench *bench = user;
    const cl_mem mems[] = { bench->in, bench->out, bench->trace };

    for (size_t i = 0; i < sizeof(mems) / sizeof(mems[0]); ++i) {
        if (mems[i]) {
            clReleaseMemObject(mems[i]);
        }
    }
}

/* The time of one scan; below 0: it failed. */
static double scan(struct bench *bench, const struct bench_case *one)
{
    const struct held_up head = { .block_every = one->block_every,
                                  .num_tiles = MOST_TILES };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .algorithm = one->algorithm };
    const bool blocked = one->block_every > 0;
    const struct debug plan = { .spins = blocked ? 1 : 0,
                                .trace = blocked ? bench->trace : NULL };
    double begin;
    clfold_status status =
        clEnqueueWriteBuffer(bench->device.session.queue, bench->trace, CL_TRUE, 0,
                             sizeof(head), &head, 0, NULL, NULL);

    clfold_context_override(bench->device.session.context, &plan);
    begin = clock_now();
    if (status == CLFOLD_OK) {
        status = clfold_inclusive_scan(bench->device.session.context,
                                       bench->device.session.queue, &fold, bench->in, 0,
                                       bench->out, 0, COUNT, 0, NULL, NULL);
    }
    if (status == CLFOLD_OK) {
        status = clFinish(bench->device.session.queue);
    }
    if (status) {
        bench_complain(&bench->device, one->algorithm, status);
        return -1;
    }
    return clock_now() - begin;
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    for (size_t i = 0; i < NUM_CASES; ++i) {
        const double seconds = scan(bench, &cases[i]);
        struct held_up head = { 0 };
        cl_int status = CL_SUCCESS;
        if (seconds >= 0 && cases[i].block_every > 0) {
            status = clEnqueueReadBuffer(bench->device.session.queue, bench->trace,
                                         CL_TRUE, 0, sizeof(head), &head, 0, NULL, NULL);
        }
        if (seconds < 0 || status) {
            return seconds >= 0 && bench_complain(&bench->device, "the count", status);
        }
        if (run >= 0) {
            bench->seconds[i][run] = seconds;
            bench->num_folded[i] += (double)head.num_folded / RUNS;
        }
    }
    return true;
}

static void print_all(void *user)
{
    struct bench *bench = user;
    double base = 0;

    printf("%s, %s, driver %s; 2^24 f32, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->device.caps.driver, RUNS);
    printf("%-18s %8s %8s  %15s %7s %8s\n", "algorithm", "blocked", "ms", "range",
           "times", "folded");
    for (size_t i = 0; i < NUM_CASES; ++i) {
        double *seconds = bench->seconds[i], median = clock_median(seconds, RUNS);
        char blocked[16] = "none";
        base = i == 0 ? median : base;
        if (cases[i].block_every > 0) {
            snprintf(blocked, sizeof(blocked), "1 in %u", cases[i].block_every);
        }
        printf("%-18s %8s %8.2f  %6.2f - %6.2f %7.2f %8.1f\n", cases[i].algorithm,
               blocked, median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3,
               median / base, bench->num_folded[i]);
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_lookback_blocked" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
