/*
 * An OpenCL layer, which the loader puts before each driver. For each clBuildProgram it
 * adds a line to the file that CLFOLD_TEST_BUILDS names, "source 151.3 145.2": what the
 * program is made of, the milliseconds that the call took, and those of the processor.
 * tests/run_devices.py reads them.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <CL/cl_layer.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const struct _cl_icd_dispatch *driver;

static double ms(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static cl_int CL_API_CALL build_program(cl_program program, cl_uint num,
                                        const cl_device_id *devices, const char *options,
                                        void(CL_CALLBACK *then)(cl_program, void *),
                                        void *user)
{
    const char *path = getenv("CLFOLD_TEST_BUILDS");
    const double began = ms(CLOCK_MONOTONIC), used = ms(CLOCK_THREAD_CPUTIME_ID);
    const cl_int status =
        driver->clBuildProgram(program, num, devices, options, then, user);
    const double took = ms(CLOCK_MONOTONIC) - began;
    const double cpu = ms(CLOCK_THREAD_CPUTIME_ID) - used;
    const int file = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;

    if (file >= 0) {
        size_t source = 0;
        driver->clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &source);
        dprintf(file, "%s %.1f %.1f\n", source > 1 ? "source" : "binary", took, cpu);
        close(file);
    }
    return status;
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size,
                                               void *value, size_t *needed)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;

    if (what != CL_LAYER_API_VERSION || (value && size < sizeof(version))) {
        return CL_INVALID_VALUE;
    }
    if (value) {
        memcpy(value, &version, sizeof(version));
    }
    if (needed) {
        *needed = sizeof(version);
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num,
                                            const struct _cl_icd_dispatch *target,
                                            cl_uint *num_own,
                                            const struct _cl_icd_dispatch **layer)
{
    static struct _cl_icd_dispatch own = { .clBuildProgram = build_program };

    (void)num;
    driver = target;
    *num_own = sizeof(own) / sizeof(own.clGetPlatformIDs);
    *layer = &own;
    return CL_SUCCESS;
}
