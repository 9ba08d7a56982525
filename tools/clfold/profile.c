#include "profile.h"

#include "device.h"

#include <inttypes.h>
#include <stdio.h>

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

static bool print_kernel(const struct profiled *profiled, struct message *message)
{
    const uint64_t bytes = profiled->bytes_read + profiled->bytes_written;
    cl_ulong start = 0, end = 0;
    cl_int error = clGetEventProfilingInfo(profiled->event, CL_PROFILING_COMMAND_START,
                                           sizeof(start), &start, NULL);

    if (error == CL_SUCCESS) {
        error = clGetEventProfilingInfo(profiled->event, CL_PROFILING_COMMAND_END,
                                        sizeof(end), &end, NULL);
    }
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clGetEventProfilingInfo", error);
    }
    const double nanoseconds = end > start ? (double)(end - start) : 0;
    fprintf(stderr, "%-26s %12.1f %8.2f %14" PRIu64 " %14" PRIu64 "\n", profiled->kernel,
            nanoseconds / 1e3, nanoseconds > 0 ? (double)bytes / nanoseconds : 0,
            profiled->bytes_read, profiled->bytes_written);
    return true;
}

bool profile_print(const struct profile *profile, struct message *message)
{
    const size_t num = profile->num < PROFILE_MOST ? profile->num : PROFILE_MOST;
    bool done = true;

    fprintf(stderr, "%-26s %12s %8s %14s %14s\n", "kernel", "us", "GB/s", "bytes read",
            "bytes written");
    for (size_t i = 0; done && i < num; i++) {
        done = print_kernel(&profile->kernels[i], message);
    }
    if (done && profile->num > num) {
        fprintf(stderr, "and %zu more kernels\n", profile->num - num);
    }
    return done;
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
