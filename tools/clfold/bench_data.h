/*
 * The elements of `clfold bench`, pseudo-random, and what the host makes of them. Element
 * i is a function of i, so pieces are made and checked in any memory.
 *
 * Floats are such that no order of adding them rounds: multiples of 1/4 of either sign,
 * whose sums stay small (a sum of n of them is near the square root of n). So every
 * result is checked exactly.
 */
#ifndef CLFOLD_COMMAND_BENCH_DATA_H
#define CLFOLD_COMMAND_BENCH_DATA_H

#include "bench_cases.h"

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_CHUNK = 1024 };

/* Elements as wide as they come: an integer in `bits`, its sign extended. */
struct bench_chunk {
    uint64_t bits[BENCH_CHUNK];
    double reals[BENCH_CHUNK];
};

struct bench_data {
    struct bench_case one;
    uint64_t count, index; /* elements in all, and of them folded */
    uint64_t bits, least_index;
    double real;
    uint64_t num_wrong, first_wrong; /* results of a scan */
    struct bench_chunk elements, results;
};

/* Writes elements first .. first + num - 1 of `count`. */
void bench_data_make(const struct bench_case *one, uint64_t count, uint64_t first,
                     size_t num, void *to);

void bench_data_begin(struct bench_data *data, const struct bench_case *one,
                      uint64_t count);

/* Folds the next elements; `results`, unless it is NULL, is what a scan made of them. */
void bench_data_next(struct bench_data *data, const void *results, size_t num);

/* Whether a reduction has given what the host has folded. */
bool bench_data_agrees(struct bench_data *data, const void *result);

#endif
