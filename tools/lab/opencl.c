/* clCreateCommandQueue, since devices of OpenCL 1.2 have no other */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "opencl.h"

#include "../clfold/device.h"

#include <clfold/clfold.h>

#include <stdlib.h>

enum { LINE = 64 };

struct lab_opencl lab_opencl;
static struct device_list list;
static const struct lab_data *all;
static size_t num_sets;

void lab_opencl_require(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        lab_fail("%s: %s", call, clfold_status_name(status));
    }
}

static cl_command_queue create_queue(cl_command_queue_properties properties)
{
    cl_int status;
    const cl_command_queue queue =
        clCreateCommandQueue(lab_opencl.context, lab_opencl.id, properties, &status);

    lab_opencl_require(status, "clCreateCommandQueue");
    return queue;
}

void lab_opencl_open(const char *selector)
{
    struct message message = { .text = "" };
    cl_int status;

    if (!device_list_init(&list, &message)) {
        lab_fail("%s", message.text);
    }
    const struct device *const device = device_select(&list, selector, &message);
    if (!device) {
        lab_end("no_device", "%s", message.text);
    }
    char *const driver = device_text(device->id, CL_DRIVER_VERSION),
                *const platform = platform_text(device->platform, CL_PLATFORM_NAME);
    lab_opencl = (struct lab_opencl){ .device = device,
                                      .id = device->id,
                                      .is_cpu = device->type & CL_DEVICE_TYPE_CPU };
    lab_opencl.context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    lab_opencl_require(status, "clCreateContext");
    lab_opencl.queue = create_queue(0);
    lab_opencl.profiled = create_queue(CL_QUEUE_PROFILING_ENABLE);
    lab_runs_on(device->name ? device->name : "", (int)(device - list.devices),
                platform ? platform : "", driver ? driver : "", lab_opencl.is_cpu);
    free(driver);
    free(platform);
}

static void fill(cl_mem mem, unsigned char byte)
{
    const cl_uint pattern = byte * 0x01010101U;
    size_t bytes;

    lab_opencl_require(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL),
                       "clGetMemObjectInfo");
    lab_opencl_require(clEnqueueFillBuffer(lab_opencl.queue, mem, &pattern,
                                           sizeof(pattern), 0, bytes, 0, NULL, NULL),
                       "clEnqueueFillBuffer");
    lab_opencl_require(clFinish(lab_opencl.queue), "clFinish");
}

cl_mem lab_opencl_create(size_t bytes)
{
    const size_t size = bytes == 0 ? LINE : (bytes - 1) / LINE * LINE + LINE;
    cl_int status;
    const cl_mem mem =
        clCreateBuffer(lab_opencl.context, CL_MEM_READ_WRITE, size, NULL, &status);

    lab_opencl_require(status, "clCreateBuffer");
    fill(mem, 0);
    return mem;
}

static void drop_sets(void)
{
    for (size_t i = 0; i < num_sets * LAB_ARRAYS; i++) {
        const struct lab_buffers *const set = &lab_opencl.sets[i / LAB_ARRAYS];
        if (set->in[i % LAB_ARRAYS]) {
            clReleaseMemObject(set->in[i % LAB_ARRAYS]);
        }
        if (set->out[i % LAB_ARRAYS]) {
            clReleaseMemObject(set->out[i % LAB_ARRAYS]);
        }
    }
    free(lab_opencl.sets);
}

void lab_opencl_data(const struct lab_data *data)
{
    drop_sets();
    lab_opencl.sets = calloc(data->sets, sizeof(*lab_opencl.sets));
    num_sets = lab_opencl.sets ? data->sets : 0;
    all = data;
    for (size_t i = 0; i < num_sets; i++) {
        struct lab_buffers *const set = &lab_opencl.sets[i];
        for (size_t k = 0; k < data->num_in; k++) {
            const size_t size = data->in[k].size;
            set->in[k] = lab_opencl_create(size);
            lab_opencl_require(
                size == 0 ? CL_SUCCESS
                          : clEnqueueWriteBuffer(lab_opencl.queue, set->in[k], CL_TRUE, 0,
                                                 size, data->in[k].bytes, 0, NULL, NULL),
                "clEnqueueWriteBuffer");
        }
        for (size_t k = 0; k < data->num_out; k++) {
            set->out[k] = lab_opencl_create(data->out[k].size);
        }
    }
}

void lab_opencl_spoil(size_t set, unsigned char byte)
{
    for (size_t k = 0; k < all->num_out; k++) {
        fill(lab_opencl.sets[set].out[k], byte);
    }
}

void lab_opencl_read(size_t set, size_t out, void *to)
{
    const size_t size = all->out[out].size;

    lab_opencl_require(
        size == 0 ? CL_SUCCESS
                  : clEnqueueReadBuffer(lab_opencl.queue, lab_opencl.sets[set].out[out],
                                        CL_TRUE, 0, size, to, 0, NULL, NULL),
        "clEnqueueReadBuffer");
}

double lab_opencl_seconds(cl_event first, cl_event last)
{
    cl_ulong begin = 0, end = 0;

    lab_opencl_require(clFinish(lab_opencl.profiled), "clFinish");
    const bool told =
        !clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof(begin), &begin,
                                 NULL) &&
        !clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
    clReleaseEvent(first);
    if (last != first) {
        clReleaseEvent(last);
    }
    return told && end >= begin ? (double)(end - begin) * 1e-9 : -1;
}

void lab_opencl_close(void)
{
    drop_sets();
    clReleaseCommandQueue(lab_opencl.profiled);
    clReleaseCommandQueue(lab_opencl.queue);
    clReleaseContext(lab_opencl.context);
    device_list_finish(&list);
}
