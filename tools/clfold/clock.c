#include "clock.h"

#include <time.h>

double clock_now(void)
{
    struct timespec time = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
