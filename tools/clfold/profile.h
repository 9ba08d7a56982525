/* The kernels of calls, as clfold reports them, and the times of their events. */
#ifndef CLFOLD_COMMAND_PROFILE_H
#define CLFOLD_COMMAND_PROFILE_H

#include "message.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

/* More kernels than these are counted, and not shown. */
#define PROFILE_MOST 32

struct profile {
    size_t num; /* kernels of the last call */
    struct profiled {
        const char *kernel;
        uint64_t bytes_read, bytes_written;
        cl_event event;
    } kernels[PROFILE_MOST];
    size_t num_sums, num_more; /* kernels of all calls that count; not shown */
    struct profile_sum {
        const char *kernel;
        uint64_t bytes_read, bytes_written;
        double nanoseconds;
    } sums[PROFILE_MOST];
};

/* Takes one kernel; the queue must have profiling enabled. */
void profile_add(struct profile *profile, const clfold_launch *launch);

/* Adds the last call, which is complete, to the sums: its kernels in order, each to the
 * next one of its name. */
bool profile_sum(struct profile *profile, struct message *message);

/* Prints a line a kernel on standard error. */
void profile_print(const struct profile *profile);

/* Forgets the last call; of a zeroed profile too. */
void profile_clear(struct profile *profile);

#endif
