/* A program on an OpenCL device: what its struct lab_program has of this. */
#ifndef CLFOLD_LAB_OPENCL_H
#define CLFOLD_LAB_OPENCL_H

#include "../clfold/device.h"
#include "program.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lab_opencl {
    const struct device *device;
    bool is_cpu;
    cl_context context;
    cl_command_queue queue, profiled; /* in order; the second one keeps times */
    struct lab_buffers { /* whole lines of 64 bytes; the last ones are NULL */
        cl_mem in[LAB_ARRAYS + 1], out[LAB_ARRAYS + 1];
    } * sets;
};
extern struct lab_opencl lab_opencl;

/* Selects the device as `clfold --device` does, and tells it by lab_runs_on. */
void lab_opencl_open(const char *selector);
void lab_opencl_data(const struct lab_data *data);
void lab_opencl_spoil(size_t set, unsigned char byte);
void lab_opencl_read(size_t set, size_t out, void *to);
void lab_opencl_close(void);

/* Fails unless it is CL_SUCCESS. */
void lab_opencl_require(cl_int status, const char *call);
/* The caller's. The bytes are zeros. */
cl_mem lab_opencl_create(size_t bytes);
/* Waits for the profiled queue and releases the events, each its own reference. */
double lab_opencl_seconds(cl_event first, cl_event last);

#ifdef __cplusplus
}
#endif

#endif
