/*
 * For LD_PRELOAD: an OpenCL whose every third read of a buffer has a wrong bit, so that a
 * test sees what a program does about a wrong result.
 */
#include <CL/cl.h>

#include <dlfcn.h>

typedef cl_int (*read_function)(cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *,
                                cl_uint, const cl_event *, cl_event *);

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                           size_t offset, size_t size, void *out, cl_uint num_wait,
                           const cl_event *wait, cl_event *event)
{
    static int reads;
    read_function real;

    *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueReadBuffer");
    const cl_int error =
        real(queue, buffer, blocking, offset, size, out, num_wait, wait, event);
    if (error == CL_SUCCESS && blocking && size > 0 && ++reads % 3 == 0) {
        *(unsigned char *)out ^= 1;
    }
    return error;
}
