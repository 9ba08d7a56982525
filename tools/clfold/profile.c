#include "profile.h"

#include "device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void profile_add(struct profile *profile, const clfold_launch *launch)
{
    const size_t i = profile->num++;

    if (i < PROFILE_MOST) {
        const bool retained = clRetainEvent(launch->event) == CL_SUCCESS;
        profile->kernels[i] = (struct profiled){
            .kernel = launch->kernel,
            .bytes_read = launch->bytes_read,
            .bytes_written = launch->bytes_written,
            .event = retained ? launch->event : NULL,
        };
    }
}

static bool read_time(cl_event event, double *nanoseconds, struct message *message)
{
    cl_ulong start = 0, end = 0;
    cl_int error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
                                           sizeof(start), &start, NULL);

    if (error == CL_SUCCESS) {
        error = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end),
                                        &end, NULL);
    }
    *nanoseconds = end > start ? (double)(end - start) : 0;
    return error == CL_SUCCESS ||
           device_refuse(message, "clGetEventProfilingInfo", error);
}

bool profile_sum(struct profile *profile, struct message *message)
{
    double nanoseconds;
    size_t place = 0;

    for (size_t i = 0; i < profile->num && i < PROFILE_MOST; i++, place++) {
        const struct profiled *const kernel = &profile->kernels[i];
        while (place < profile->num_sums &&
               strcmp(profile->sums[place].kernel, kernel->kernel) != 0) {
            place++;
        }
        if (!read_time(kernel->event, &nanoseconds, message)) {
            return false;
        }
        if (place == PROFILE_MOST) {
            break;
        }
        struct profile_sum *const sum = &profile->sums[place];
        profile->num_sums += place == profile->num_sums;
        sum->kernel = kernel->kernel;
        sum->bytes_read += kernel->bytes_read;
        sum->bytes_written += kernel->bytes_written;
        sum->nanoseconds += nanoseconds;
    }
    if (profile->num > PROFILE_MOST) {
        profile->num_more = profile->num - PROFILE_MOST;
    }
    return true;
}

void profile_print(const struct profile *profile)
{
    fprintf(stderr, "%-26s %12s %8s %14s %14s\n", "kernel", "us", "GB/s", "bytes read",
            "bytes written");
    for (size_t i = 0; i < profile->num_sums; i++) {
        const struct profile_sum *const sum = &profile->sums[i];
        const double bytes = (double)(sum->bytes_read + sum->bytes_written);
        fprintf(stderr, "%-26s %12.1f %8.2f %14" PRIu64 " %14" PRIu64 "\n", sum->kernel,
                sum->nanoseconds / 1e3,
                sum->nanoseconds > 0 ? bytes / sum->nanoseconds : 0, sum->bytes_read,
                sum->bytes_written);
    }
    if (profile->num_more > 0) {
        fprintf(stderr, "and %zu more kernels\n", profile->num_more);
    }
}

void profile_clear(struct profile *profile)
{
    for (size_t i = 0; i < profile->num && i < PROFILE_MOST; i++) {
        if (profile->kernels[i].event) {
            clReleaseEvent(profile->kernels[i].event);
        }
    }
    profile->num = 0;
}
