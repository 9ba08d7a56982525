/* clCreateCommandQueue, since devices of OpenCL 1.2 have no other */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "opencl.h"

#include <clfold/clfold.h>

#include <stdlib.h>

struct lab_opencl lab_opencl;

void lab_opencl_require(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        lab_fail("%s: %s", call, clfold_status_name(status));
    }
}

void lab_opencl_open(const char *selector)
{
    static struct device_list list;
    struct message message = { .text = "" };
    struct lab_opencl *const o = &lab_opencl;
    cl_int error[3];

    if (!device_list_init(&list, &message)) {
        lab_fail("%s", message.text);
    }
    o->device = device_select(&list, selector, &message);
    if (!o->device) {
        lab_end("no_device", "%s", message.text);
    }
    const cl_device_id id = o->device->id;
    char *const driver = device_text(id, CL_DRIVER_VERSION);
    char *const platform = platform_text(o->device->platform, CL_PLATFORM_NAME);
    o->is_cpu = o->device->type & CL_DEVICE_TYPE_CPU;
    o->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error[0]);
    lab_opencl_require(error[0], "clCreateContext");
    o->queue = clCreateCommandQueue(o->context, id, 0, &error[1]);
    o->profiled =
        clCreateCommandQueue(o->context, id, CL_QUEUE_PROFILING_ENABLE, &error[2]);
    lab_opencl_require(error[1] ? error[1] : error[2], "clCreateCommandQueue");
    lab_runs_on(o->device->name ? o->device->name : "", (int)(o->device - list.devices),
                platform ? platform : "", driver ? driver : "", o->is_cpu);
    free(driver);
    free(platform);
}

static void *create(size_t bytes)
{
    cl_int error;
    const cl_mem mem = clCreateBuffer(lab_opencl.context, CL_MEM_READ_WRITE,
                                      (bytes | 63) + 1, NULL, &error);

    lab_opencl_require(error, "clCreateBuffer");
    return mem;
}

static void release(void *mem)
{
    clReleaseMemObject(mem);
}

static void write_buffer(void *mem, const void *from, size_t bytes)
{
    lab_opencl_require(clEnqueueWriteBuffer(lab_opencl.queue, mem, CL_TRUE, 0, bytes,
                                            from, 0, NULL, NULL),
                       "clEnqueueWriteBuffer");
}

static void read_buffer(void *to, const void *mem, size_t bytes)
{
    lab_opencl_require(clEnqueueReadBuffer(lab_opencl.queue, (cl_mem)(uintptr_t)mem,
                                           CL_TRUE, 0, bytes, to, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
}

const struct lab_memory lab_opencl_memory = { create, release, write_buffer,
                                              read_buffer };

double lab_opencl_seconds(cl_event first, cl_event last)
{
    cl_ulong begin = 0, end = 0;

    lab_opencl_require(clFinish(lab_opencl.profiled), "clFinish");
    (void)clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof(begin),
                                  &begin, NULL);
    (void)clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof(end), &end,
                                  NULL);
    clReleaseEvent(first);
    clReleaseEvent(last);
    return end > begin ? (double)(end - begin) * 1e-9 : -1;
}
