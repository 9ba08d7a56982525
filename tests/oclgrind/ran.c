/* Stands between a program and Oclgrind: "calls: ran KERNEL" on stdout for each kernel
 * that is launched, once; and no buffer is released where Oclgrind looks for what is
 * uninitialized: for a buffer in the place of a smaller one it keeps the smaller's notes,
 * and takes what is beyond them for that. */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KERNELS 32

static char kernels[MAX_KERNELS][64];
static size_t num_kernels;

static void note_kernel(const char *name)
{
    for (size_t i = 0; i < num_kernels; ++i) {
        if (strcmp(kernels[i], name) == 0) {
            return;
        }
    }
    if (num_kernels == MAX_KERNELS) {
        fprintf(stderr, "calls: more than %d kernels\n", MAX_KERNELS);
        exit(1);
    }
    strcpy(kernels[num_kernels++], name);
    printf("calls: ran %s\n", name);
}

typedef cl_int enqueue_function(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                                const size_t *offset, const size_t *global,
                                const size_t *local, cl_uint num_wait,
                                const cl_event *wait, cl_event *event);

CL_API_ENTRY cl_int CL_API_CALL
clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                       const size_t *offset, const size_t *global, const size_t *local,
                       cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    char name[sizeof(kernels[0])];
    enqueue_function *next;
    void *symbol = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");

    memcpy(&next, &symbol, sizeof(next));
    if (clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL) !=
        CL_SUCCESS) {
        fprintf(stderr, "calls: a kernel has no name\n");
        exit(1);
    }
    note_kernel(name);
    return next(queue, kernel, dims, offset, global, local, num_wait, wait, event);
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseMemObject(cl_mem mem)
{
    cl_int (*next)(cl_mem);
    void *symbol = dlsym(RTLD_NEXT, "clReleaseMemObject");

    memcpy(&next, &symbol, sizeof(next));
    return getenv("OCLGRIND_UNINITIALIZED") ? CL_SUCCESS : next(mem);
}
