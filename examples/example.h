/*
 * What every example needs besides clfold: a device and its queue, buffers, the bytes of
 * a file, and a message for each call that fails. Plain OpenCL 1.2, to copy and change.
 *
 * The line that builds an example is in the comment at its top; run it in this folder.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300 /* what the headers declare; any device will do */
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct example {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

/* Whether an OpenCL call succeeded. If not, says which call failed, and how. */
static inline bool opencl_ok(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: %s\n", call, clfold_status_name(status));
    }
    return status == CL_SUCCESS;
}

/* The same for a clfold call, on the thread that made it. The sentence names the argument
 * that was wrong. */
static inline bool clfold_ok(clfold_status status)
{
    if (status != CLFOLD_OK) {
        fprintf(stderr, "%s\n", clfold_last_error());
    }
    return status == CLFOLD_OK;
}

/* Ends the program with its usage unless its command line is right. */
static inline void example_usage(bool is_right, const char *usage)
{
    if (!is_right) {
        fprintf(stderr, "usage: %s\n", usage);
        exit(EXIT_FAILURE);
    }
}

/* A whole number from 1 on; 0 if the text is not one. */
static inline size_t example_number(const char *text)
{
    char *end;
    const unsigned long number = strtoul(text, &end, 10);

    return *text >= '0' && *text <= '9' && *end == '\0' ? number : 0;
}

/* OpenCL's release functions do not take NULL; these do. */
#define EXAMPLE_RELEASE(name, type, release)                                             \
    static inline void name(type object)                                                 \
    {                                                                                    \
        if (object) {                                                                    \
            release(object);                                                             \
        }                                                                                \
    }
EXAMPLE_RELEASE(example_release, cl_mem, clReleaseMemObject)
EXAMPLE_RELEASE(example_release_event, cl_event, clReleaseEvent)
EXAMPLE_RELEASE(example_release_kernel, cl_kernel, clReleaseKernel)
EXAMPLE_RELEASE(example_release_program, cl_program, clReleaseProgram)
EXAMPLE_RELEASE(example_release_queue, cl_command_queue, clReleaseCommandQueue)
EXAMPLE_RELEASE(example_release_context, cl_context, clReleaseContext)

/* The first GPU of all platforms, else the first device; NULL if there is none. */
static inline cl_device_id example_device(void)
{
    const cl_device_type types[] = { CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL };
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint num = 0;

    if (clGetPlatformIDs(16, platforms, &num) != CL_SUCCESS) {
        num = 0;
    }
    num = num < 16 ? num : 16;
    for (cl_uint i = 0; !device && i < 2 * num; ++i) {
        if (clGetDeviceIDs(platforms[i % num], types[i / num], 1, &device, NULL)) {
            device = NULL;
        }
    }
    return device;
}

static inline void example_close(struct example *e)
{
    example_release_queue(e->queue);
    example_release_context(e->context);
    *e = (struct example){ 0 };
}

/* A device's context and queue. On failure `queue` is NULL, and there is nothing to
 * close. */
static inline struct example example_open_on(cl_device_id device)
{
    struct example e = { .device = device };
    cl_int status;

    if (!e.device) {
        fprintf(stderr, "there is no OpenCL device\n");
        return e;
    }
    e.context = clCreateContext(NULL, 1, &e.device, NULL, NULL, &status);
    if (opencl_ok(status, "clCreateContext")) {
        e.queue = clCreateCommandQueue(e.context, e.device, 0, &status);
        if (!opencl_ok(status, "clCreateCommandQueue")) {
            example_close(&e); /* all is NULL again */
        }
    }
    return e;
}

static inline struct example example_open(void)
{
    return example_open_on(example_device());
}

/* A buffer of `bytes` bytes, with a copy of `data` unless that is NULL. NULL on failure.
 * OpenCL has no empty buffers: for 0 bytes it has one that nothing uses. */
static inline cl_mem example_buffer(const struct example *e, size_t bytes, void *data)
{
    void *const from = bytes > 0 ? data : NULL;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (from ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int status;
    cl_mem mem = clCreateBuffer(e->context, flags, bytes > 0 ? bytes : 1, from, &status);

    return opencl_ok(status, "clCreateBuffer") ? mem : NULL;
}

/* Builds OpenCL C; NULL on failure, after the compiler's log. */
static inline cl_program example_program(const struct example *e, const char *source)
{
    char log[4096] = "";
    cl_int status;
    cl_program program = clCreateProgramWithSource(e->context, 1, &source, NULL, &status);

    if (opencl_ok(status, "clCreateProgramWithSource") &&
        !opencl_ok(clBuildProgram(program, 1, &e->device, "", NULL, NULL),
                   "clBuildProgram")) {
        clGetProgramBuildInfo(program, e->device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1,
                              log, NULL);
        fprintf(stderr, "%s\n", log);
        clReleaseProgram(program);
        program = NULL;
    }
    return program;
}

/* Copies a buffer to the host once the queue has done all before; blocks. OpenCL rejects
 * copies of 0 bytes: of these there is the wait, since PoCL 6.0 dies where a process ends
 * before its queue. */
static inline bool example_fetch(const struct example *e, cl_mem mem, size_t bytes,
                                 void *data)
{
    return bytes == 0 ? opencl_ok(clFinish(e->queue), "clFinish")
                      : opencl_ok(clEnqueueReadBuffer(e->queue, mem, CL_TRUE, 0, bytes,
                                                      data, 0, NULL, NULL),
                                  "clEnqueueReadBuffer");
}

/* `num` elements of `size` bytes, all 0, to be freed. NULL on failure. */
static inline void *example_zeros(size_t num, size_t size)
{
    void *const data = calloc(num > 0 ? num : 1, size);

    if (!data) {
        fprintf(stderr, "there is no memory for %zu elements of %zu bytes\n", num, size);
    }
    return data;
}

/* All bytes of a file and a NUL after them, to be freed, and how many they are without
 * it. NULL on failure. */
static inline unsigned char *example_read(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    unsigned char *data = NULL, *more = NULL;
    size_t room = 1 << 16, num = 0;

    while (file && (more = realloc(data, room))) {
        data = more;
        num += fread(data + num, 1, room - num, file);
        if (num < room) {
            data[num] = '\0';
            break;
        }
        room *= 2;
    }
    if (!more || ferror(file)) {
        perror(path);
        free(data);
        data = NULL;
    }
    if (file) {
        fclose(file);
    }
    *size = data ? num : 0;
    return data;
}

#endif
