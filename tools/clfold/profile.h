/* The kernels of a call, as clfold reports them, and the times of their events. */
#ifndef CLFOLD_COMMAND_PROFILE_H
#define CLFOLD_COMMAND_PROFILE_H

#include "message.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

/* More kernels than these are counted, and not shown. */
#define PROFILE_MOST 32

struct profile {
    size_t num; /* kernels of the call */
    struct profiled {
        const char *kernel;
        uint64_t bytes_read, bytes_written;
        cl_event event;
    } kernels[PROFILE_MOST];
};

/* Takes one kernel; the queue must have profiling enabled. */
void profile_add(struct profile *profile, const clfold_launch *launch);

/* Prints a line a kernel on standard error, once the call is complete. */
bool profile_print(const struct profile *profile, struct message *message);

/* Releases what was taken; a zeroed profile too. */
void profile_clear(struct profile *profile);

#endif
