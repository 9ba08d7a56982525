/* Arithmetic on sizes that says when it overflows, and the length of an array. */
#ifndef CLFOLD_BASE_SIZE_H
#define CLFOLD_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLFOLD_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static inline bool clfold_size_add(size_t a, size_t b, size_t *total)
{
    *total = a + b;
    return a <= SIZE_MAX - b;
}

static inline bool clfold_size_mul(size_t a, size_t b, size_t *product)
{
    *product = a * b;
    return b == 0 || a <= SIZE_MAX / b;
}

/* The least multiple of `step` that is not below `size`. */
static inline size_t clfold_size_round_up(size_t size, size_t step)
{
    return (size + step - 1) / step * step;
}

static inline uint64_t clfold_div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

static inline uint64_t clfold_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
