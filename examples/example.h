/* What every example needs around its one idea: a device, a queue, a buffer. */
#ifndef CLFOLD_EXAMPLE_H
#define CLFOLD_EXAMPLE_H

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include <clfold/clfold.h>

#include <stdio.h>
#include <stdlib.h>

#define EXIT_SKIP 77 /* nothing was wrong, but there is no device */

struct example {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
};

/* The first device of the first platform. Ends the program where there is none. */
static inline struct example example_open(void)
{
    struct example e = { 0 };
    cl_platform_id platform;

    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &e.device, NULL) != CL_SUCCESS) {
        fprintf(stderr, "no OpenCL device\n");
        exit(EXIT_SKIP);
    }
    e.context = clCreateContext(NULL, 1, &e.device, NULL, NULL, NULL);
    e.queue = e.context ? clCreateCommandQueue(e.context, e.device, 0, NULL) : NULL;
    if (!e.queue) {
        fprintf(stderr, "the OpenCL device gives no queue\n");
        exit(EXIT_FAILURE);
    }
    return e;
}

static inline void example_close(struct example *e)
{
    clReleaseCommandQueue(e->queue);
    clReleaseContext(e->context);
}

static inline cl_mem example_buffer(const struct example *e, size_t bytes, void *data)
{
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem mem = clCreateBuffer(e->context, flags, bytes, data, NULL);

    if (!mem) {
        fprintf(stderr, "no buffer of %zu bytes\n", bytes);
        exit(EXIT_FAILURE);
    }
    return mem;
}

#endif
