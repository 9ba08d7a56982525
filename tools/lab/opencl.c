/* clCreateCommandQueue, since devices of OpenCL 1.2 have no other */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "opencl.h"

#include <clfold/clfold.h>

#include <stdlib.h>

/* Whole lines, one at least, which lab_allocate has room for as well. */
#define ROOM(bytes) ((((bytes) - ((bytes) > 0)) | 63) + 1)

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

void lab_opencl_open(const char *selector)
{
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
    char *const driver = device_text(id, CL_DRIVER_VERSION), *const platform =
                                                                 platform_text(
                                                                     o->device->platform,
                                                                     CL_PLATFORM_NAME);
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

static void fill(cl_mem mem, size_t bytes, unsigned char byte)
{
    const cl_uint pattern = byte * 0x01010101U;

    lab_opencl_require(clEnqueueFillBuffer(lab_opencl.queue, mem, &pattern,
                                           sizeof(pattern), 0, ROOM(bytes), 0, NULL,
                                           NULL),
                       "clEnqueueFillBuffer");
    lab_opencl_require(clFinish(lab_opencl.queue), "clFinish");
}

cl_mem lab_opencl_create(size_t bytes)
{
    cl_int error;
    const cl_mem mem =
        clCreateBuffer(lab_opencl.context, CL_MEM_READ_WRITE, ROOM(bytes), NULL, &error);

    lab_opencl_require(error, "clCreateBuffer");
    fill(mem, bytes, 0);
    return mem;
}

static void drop_sets(void)
{
    for (size_t i = 0; i < num_sets * LAB_ARRAYS; i++) {
        const struct lab_buffers *const set = &lab_opencl.sets[i / LAB_ARRAYS];
        const cl_mem mems[] = { set->in[i % LAB_ARRAYS], set->out[i % LAB_ARRAYS] };
        for (int k = 0; k < 2; k++) {
            if (mems[k]) {
                clReleaseMemObject(mems[k]);
            }
        }
    }
    free(lab_opencl.sets);
}

void lab_opencl_data(const struct lab_data *data)
{
    drop_sets();
    all = data;
    num_sets = data->sets;
    lab_opencl.sets = lab_allocate(num_sets * sizeof(*lab_opencl.sets));
    for (size_t i = 0; i < num_sets; i++) {
        struct lab_buffers *const set = &lab_opencl.sets[i];
        for (size_t k = 0; k < data->num_in; k++) {
            const struct lab_array *const in = &data->in[k];
            set->in[k] = lab_opencl_create(in->size);
            lab_opencl_require(clEnqueueWriteBuffer(lab_opencl.queue, set->in[k], CL_TRUE,
                                                    0, ROOM(in->size), in->bytes, 0, NULL,
                                                    NULL),
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
        fill(lab_opencl.sets[set].out[k], all->out[k].size, byte);
    }
}

void lab_opencl_read(size_t set, size_t out, void *to)
{
    lab_opencl_require(clEnqueueReadBuffer(lab_opencl.queue,
                                           lab_opencl.sets[set].out[out], CL_TRUE, 0,
                                           ROOM(all->out[out].size), to, 0, NULL, NULL),
                       "clEnqueueReadBuffer");
}

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

void lab_opencl_close(void)
{
    drop_sets();
    clReleaseCommandQueue(lab_opencl.profiled);
    clReleaseCommandQueue(lab_opencl.queue);
    clReleaseContext(lab_opencl.context);
    device_list_finish(&list);
}
