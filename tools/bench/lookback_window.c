/*
 * bench_lookback_window [DEVICE]: look-back with windows of 1, 8, 16 and 32 tiles on the
 * device of `clfold --device`, tile_group, 2^24 f32, in turn in one run. Prints for each
 * the median and range of the scan's times, and of seven traces, whose program is
 * slower, the mean polls of a tile, which are looks at windows, the same of tiles that
 * folded no other one, since a wait that ends so is thousands of polls, the mean depth,
 * and the fallbacks of a trace.
 *
 * A window is looked at by a sub-group, so a device without them has none but 1.
 */
#include <clfold/experimental.h>
#include "device.h"

#include "../clfold/clock.h"
#include "ops/internal.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 24, RUNS = 7 };

static const uint32_t windows[] = { 1, 8, 16, 32 };
#define NUM_WINDOWS (sizeof(windows) / sizeof(windows[0]))

static const clfold_fold fold = { .op = CLFOLD_ADD,
                                  .type = CLFOLD_F32,
                                  .algorithm = "scan_lookback" };

struct bench {
    struct bench_device device;
    cl_mem in, out;
    clfold_tile_trace *tiles;
    size_t num_tiles;
    double seconds[NUM_WINDOWS][RUNS];
    double polls[NUM_WINDOWS], depth[NUM_WINDOWS], fallbacks[NUM_WINDOWS];
    double calm[NUM_WINDOWS], calm_polls[NUM_WINDOWS]; /* tiles without fallbacks */
};

static void choose(struct bench *bench, uint32_t window)
{
    static struct debug override = { .tile = TILE_GROUP };

    override.window = window;
    clfold_context_override(bench->device.session.context, &override);
}

static clfold_status trace(struct bench *bench)
{
    return clfold_trace(bench->device.session.context, bench->device.session.queue, &fold,
                        bench->in, 0, bench->out, 0, COUNT, bench->tiles,
                        bench->tiles ? bench->num_tiles : 0, &bench->num_tiles);
}

static clfold_status scan(struct bench *bench)
{
    const clfold_status status =
        clfold_inclusive_scan(bench->device.session.context, bench->device.session.queue,
                              &fold, bench->in, 0, bench->out, 0, COUNT, 0, NULL, NULL);

    return status ? status : clFinish(bench->device.session.queue);
}

static bool open_bench(void *user)
{
    struct bench *bench = user;
    const size_t bytes = (size_t)COUNT * sizeof(cl_float);

    if (!bench->device.caps.facts.sub_groups) {
        fprintf(stderr, "%s: the device has no sub-groups\n", bench->device.who);
        return false;
    }
    /* Zeros do: nothing depends on the values. */
    bench->in = bench_buffer(&bench->device, bytes);
    bench->out = bench_buffer(&bench->device, bytes);
    if (!bench->in || !bench->out) {
        return false;
    }
    choose(bench, 1);
    if (trace(bench) != CLFOLD_OK) {
        fprintf(stderr, "%s: %s\n", bench->device.who, clfold_last_error());
        return false;
    }
    bench->tiles = calloc(bench->num_tiles, sizeof(*bench->tiles));
    return bench->tiles ||
           bench_complain(&bench->device, "the records", CL_OUT_OF_HOST_MEMORY);
}

static void close_bench(void *user)
{
    struct bench *bench = user;

    free(bench->tiles);
    if (bench->in) {
        clReleaseMemObject(bench->in);
    }
    if (bench->out) {
        clReleaseMemObject(bench->out);
    }
}

static void add_records(struct bench *bench, size_t window)
{
    for (size_t i = 0; i < bench->num_tiles; ++i) {
        bench->polls[window] += bench->tiles[i].polls;
        bench->depth[window] += bench->tiles[i].depth;
        bench->fallbacks[window] += bench->tiles[i].fallbacks;
        if (bench->tiles[i].fallbacks == 0) {
            bench->calm[window] += 1;
            bench->calm_polls[window] += bench->tiles[i].polls;
        }
    }
}

static bool run_all(void *user, int run)
{
    struct bench *bench = user;

    for (size_t i = 0; i < NUM_WINDOWS; ++i) {
        choose(bench, windows[i]);
        const double begin = clock_now();
        const clfold_status status = scan(bench);
        const double end = clock_now();
        if (status != CLFOLD_OK || trace(bench) != CLFOLD_OK) {
            fprintf(stderr, "%s: %s\n", bench->device.who, clfold_last_error());
            return false;
        }
        if (run >= 0) {
            bench->seconds[i][run] = end - begin;
            add_records(bench, i);
        }
    }
    return true;
}

static void print_all(void *user)
{
    struct bench *bench = user;
    const double records = (double)bench->num_tiles * RUNS;

    printf("%s, %s; 2^24 f32, %zu tiles, medians of %d\n", bench->device.caps.platform,
           bench->device.caps.name, bench->num_tiles, RUNS);
    printf("%6s %8s  %15s %12s %14s %10s %10s\n", "window", "ms", "range", "polls a tile",
           "if none folded", "depth", "fallbacks");
    for (size_t i = 0; i < NUM_WINDOWS; ++i) {
        double *seconds = bench->seconds[i], median = clock_median(seconds, RUNS);
        printf("%6u %8.2f  %6.2f - %6.2f %12.3f %14.3f %10.3f %10.1f\n", windows[i],
               median * 1e3, seconds[0] * 1e3, seconds[RUNS - 1] * 1e3,
               bench->polls[i] / records, bench->calm_polls[i] / bench->calm[i],
               bench->depth[i] / records, bench->fallbacks[i] / RUNS);
    }
}

int main(int argc, char **argv)
{
    const struct bench_steps steps = { open_bench, run_all, print_all, close_bench };
    struct bench bench = { .device.who = "bench_lookback_window" };

    return bench_main(&bench, &steps, RUNS, argc, argv);
}
