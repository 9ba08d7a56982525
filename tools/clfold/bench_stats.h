/* The arithmetic of `clfold bench`: medians, how many buffers, what a roofline is. */
#ifndef CLFOLD_COMMAND_BENCH_STATS_H
#define CLFOLD_COMMAND_BENCH_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_figure {
    double median, low, high; /* seconds; low and high: the first quartile, the third */
    double spread;            /* from low to high, as a share of the median */
    size_t runs;
};

/* Sorts the times, of which there is at least one. */
struct bench_figure bench_figure_of(double *seconds, size_t num);

enum { BENCH_MOST_SETS = 128 };

struct bench_sets {
    size_t num;
    bool few; /* since memory is short */
};

/*
 * How many sets of buffers take turns, so that none is still in a cache when its turn
 * comes again: 512 MiB of them in all, 128 at most, and one where it has 1 GiB itself. No
 * more than `memory` bytes hold; 0 where that is less than one.
 */
struct bench_sets bench_choose_sets(uint64_t set_bytes, uint64_t memory);

/* Whether native loops are the roofline, which they are where they are faster, and
 * whether kernels that only read or copy are so much slower that something is wrong with
 * them. With fewer bytes the launch is most of the time, and all are kernels. */
enum { BENCH_JUDGED_BYTES = 32 * 1024 * 1024 };
bool bench_roofline_is_native(double opencl_gbps, double native_gbps, uint64_t bytes);
bool bench_roofline_is_broken(double opencl_gbps, double native_gbps, uint64_t bytes);

/* Whether the memory's speed is another one, by more than 15 %. */
bool bench_memory_moved(double begin_gbps, double end_gbps);

#endif
