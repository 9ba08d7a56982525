#include "bench_stats.h"

#include "clock.h"

static const uint64_t mebibyte = UINT64_C(1) << 20;

/* Interpolates between two of the sorted values. */
static double at(const double *sorted, size_t num, double share)
{
    const double place = share * (double)(num - 1);
    const size_t below = (size_t)place;
    const size_t above = below + 1 < num ? below + 1 : below;

    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

struct bench_figure bench_figure_of(double *seconds, size_t num)
{
    const double median = clock_median(seconds, num);
    const double low = at(seconds, num, 0.25), high = at(seconds, num, 0.75);

    return (struct bench_figure){ .median = median,
                                  .low = low,
                                  .high = high,
                                  .spread = median > 0 ? (high - low) / median : 0,
                                  .runs = num };
}

struct bench_sets bench_choose_sets(uint64_t set_bytes, uint64_t memory)
{
    const uint64_t held = memory / set_bytes;
    uint64_t wanted = (512 * mebibyte - 1) / set_bytes + 1;

    if (wanted == 1 && set_bytes < 1024 * mebibyte) {
        wanted = 2;
    }
    if (wanted > BENCH_MOST_SETS) {
        wanted = BENCH_MOST_SETS;
    }
    return (struct bench_sets){ (size_t)(held < wanted ? held : wanted), held < wanted };
}

bool bench_roofline_is_native(double opencl_gbps, double native_gbps, uint64_t bytes)
{
    return bytes >= BENCH_JUDGED_BYTES && opencl_gbps < native_gbps;
}

bool bench_roofline_is_broken(double opencl_gbps, double native_gbps, uint64_t bytes)
{
    return bytes >= BENCH_JUDGED_BYTES && opencl_gbps < 0.9 * native_gbps;
}

bool bench_memory_moved(double begin_gbps, double end_gbps)
{
    return begin_gbps > 1.15 * end_gbps || end_gbps > 1.15 * begin_gbps;
}
