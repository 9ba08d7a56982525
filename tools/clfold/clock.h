/* The clock, and an order of seconds for qsort. */
#ifndef CLFOLD_COMMAND_CLOCK_H
#define CLFOLD_COMMAND_CLOCK_H

#include <stdlib.h>
#include <time.h>

/* Seconds since some moment. */
static inline double clock_now(void)
{
    struct timespec time = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline int clock_compare(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

#endif
