/*
 * For LD_PRELOAD: an OpenCL whose devices take at most as many bytes in one buffer as
 * CLFOLD_TEST_LIMIT says, and have as many as CLFOLD_TEST_MEMORY, if it is set. Builds
 * take CLFOLD_TEST_BUILD seconds more; before rename CLFOLD_TEST_RENAME comes SIGTERM.
 */
#include <CL/cl.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The function that this one stands before. */
#define REAL(function)                                                                   \
    __typeof__(function) *real;                                                          \
    *(void **)&real = dlsym(RTLD_NEXT, #function)

static cl_ulong number(const char *name)
{
    const char *const text = getenv(name);

    return text ? strtoull(text, NULL, 10) : 0;
}

static cl_ulong limit(void)
{
    return number("CLFOLD_TEST_LIMIT");
}

cl_int clBuildProgram(cl_program program, cl_uint num, const cl_device_id *devices,
                      const char *options, void (*notify)(cl_program, void *), void *user)
{
    REAL(clBuildProgram);
    sleep((unsigned)number("CLFOLD_TEST_BUILD"));
    return real(program, num, devices, options, notify, user);
}

int renameat(int from, const char *old, int to, const char *new)
{
    static cl_ulong num;
    REAL(renameat);
    if (++num == number("CLFOLD_TEST_RENAME")) {
        kill(getpid(), SIGTERM);
        usleep(100000); /* another thread takes it, if this one does not */
    }
    return real(from, old, to, new);
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info name, size_t size, void *value,
                       size_t *size_out)
{
    REAL(clGetDeviceInfo);
    const cl_int error = real(device, name, size, value, size_out);
    if (name == CL_DEVICE_MAX_MEM_ALLOC_SIZE && error == CL_SUCCESS && value) {
        memcpy(value, &(cl_ulong){ limit() }, sizeof(cl_ulong));
    }
    const cl_ulong memory = number("CLFOLD_TEST_MEMORY");
    if (name == CL_DEVICE_GLOBAL_MEM_SIZE && error == CL_SUCCESS && value && memory > 0) {
        memcpy(value, &memory, sizeof(memory));
    }
    return error;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host,
                      cl_int *error)
{
    REAL(clCreateBuffer);
    if (size <= limit()) {
        return real(context, flags, size, host, error);
    }
    *error = CL_INVALID_BUFFER_SIZE;
    return NULL;
}
