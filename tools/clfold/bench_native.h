/*
 * Loops on all cores, without OpenCL, that do nothing but read memory, or read it and
 * write: what a kernel that only moves bytes is held against on a CPU.
 */
#ifndef CLFOLD_COMMAND_BENCH_NATIVE_H
#define CLFOLD_COMMAND_BENCH_NATIVE_H

#include "bench_ways.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether there are such loops: not where the compiler lacks OpenMP. */
bool bench_native_has(enum bench_way way);

/* Threads are there between these two only: OpenMP's wait for work in a loop, which takes
 * the cores from all else. */
void bench_native_begin(void);
void bench_native_end(void);

/* `bytes` are a multiple of 64, and both memories begin at one. Returns what it has read,
 * put together, so that no compiler drops the loop. */
uint64_t bench_native_read(enum bench_way way, const void *in, size_t bytes);
/* Writes `times` as many bytes as it reads. */
void bench_native_copy(enum bench_way way, const void *in, void *out, size_t bytes,
                       size_t times);

#endif
