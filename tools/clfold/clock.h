/* Time, for all tools. */
#ifndef CLFOLD_COMMAND_CLOCK_H
#define CLFOLD_COMMAND_CLOCK_H

#include <time.h>

/* Seconds since some moment. */
static inline double clock_now(void)
{
    struct timespec time = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
