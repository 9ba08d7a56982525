/* A program on an OpenCL device: what its struct lab_program has of this. */
#ifndef CLFOLD_LAB_OPENCL_H
#define CLFOLD_LAB_OPENCL_H

#include "../clfold/device.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

extern struct lab_opencl {
    const struct device *device;
    bool is_cpu;
    cl_context context;
    cl_command_queue queue, profiled; /* in order; the second one keeps times */
} lab_opencl;

/* Selects the device as `clfold --device` does, and tells it by lab_runs_on. */
void lab_opencl_open(const char *selector);
extern const struct lab_memory lab_opencl_memory; /* of cl_mem */

/* Fails unless it is CL_SUCCESS. */
void lab_opencl_require(cl_int status, const char *call);
/* Waits for the profiled queue and releases the events, each its own reference. */
double lab_opencl_seconds(cl_event first, cl_event last);

#ifdef __cplusplus
}
#endif

#endif
