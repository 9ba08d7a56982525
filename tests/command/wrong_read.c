/*
 * For LD_PRELOAD: an OpenCL whose every third read of a buffer has a wrong bit, so that a
 * test sees what a program does about a wrong result. With CLFOLD_TEST_FOLDED=5 no bit is
 * wrong, but in a trace's records tile 5 has folded tiles 4 and 2 for others. Kernels and
 * the library's contexts come late by as many milliseconds as CLFOLD_TEST_LATE says, if
 * it is set. With CLFOLD_TEST_CLOCK the clock runs twice as fast every two seconds, so
 * that everything seems to become slower.
 */
#include <clfold/experimental.h>

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* The function that this one stands before. */
#define REAL(function)                                                                   \
    __typeof__(function) *real;                                                          \
    *(void **)&real = dlsym(RTLD_NEXT, #function)

static void plant_folded(clfold_tile_trace *tiles, size_t size, const char *number)
{
    const size_t tile = strtoul(number, NULL, 10);

    if (size % sizeof(*tiles) == 0 && size / sizeof(*tiles) > tile) {
        tiles[tile].fallbacks = 2;
        tiles[tile].folded = 1 << 0 | 1 << 2; /* tile - 1, and tile - 3 */
    }
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t size, void *out, cl_uint num_wait,
                           const cl_event *wait, cl_event *event)
{
    static int reads;
    REAL(clEnqueueReadBuffer);
    const cl_int error =
        real(queue, buffer, blocking, offset, size, out, num_wait, wait, event);
    const char *const folded = getenv("CLFOLD_TEST_FOLDED");
    if (error == CL_SUCCESS && folded) {
        plant_folded(out, size, folded);
    } else if (error == CL_SUCCESS && blocking && size > 0 && ++reads % 3 == 0) {
        *(unsigned char *)out ^= 1;
    }
    return error;
}

static void be_late(void)
{
    const char *const late = getenv("CLFOLD_TEST_LATE");

    if (late) {
        const long ms = strtol(late, NULL, 10);
        const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
        nanosleep(&time, NULL);
    }
}

cl_int clRetainContext(cl_context context)
{
    REAL(clRetainContext);
    be_late();
    return real(context);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                              cl_uint dimensions, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint num_wait,
                              const cl_event *wait, cl_event *event)
{
    REAL(clEnqueueNDRangeKernel);
    be_late();
    return real(queue, kernel, dimensions, offset, global, local, num_wait, wait, event);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static double first;
    REAL(clock_gettime);
    const int error = real(clock, time);
    if (error == 0 && clock == CLOCK_MONOTONIC && getenv("CLFOLD_TEST_CLOCK")) {
        const double now = (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
        first = first > 0 ? first : now;
        const double shown = exp2((now - first) / 2);
        time->tv_sec = (time_t)shown;
        time->tv_nsec = (long)((shown - (double)time->tv_sec) * 1e9);
    }
    return error;
}
