#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "peer_opencl.h"

#include "../clfold/device.h"

#include <clfold/clfold.h>

#include <stdlib.h>

static void require(cl_int status, const char *call)
{
    if (status != CL_SUCCESS) {
        peer_fail("%s: %s", call, clfold_status_name(status));
    }
}

/* As `clfold --device` does. */
static cl_device_id select_device(const char *selector)
{
    struct device_list list;
    struct message message = { 0 };

    if (!device_list_init(&list, &message)) {
        peer_fail("%s", message.text);
    }
    const struct device *device = device_select(&list, selector, &message);
    if (!device) {
        peer_end("no_device", "%s", message.text);
    }
    const cl_device_id id = device->id;
    peer_runs_on(device->name ? device->name : "", (int)(device - list.devices));
    device_list_finish(&list);
    return id;
}

void peer_opencl_open(struct peer_opencl *opencl, const struct peer_job *job,
                      const void *data)
{
    cl_int status;

    opencl->job = job;
    opencl->device = select_device(job->device);
    opencl->context = clCreateContext(NULL, 1, &opencl->device, NULL, NULL, &status);
    require(status, "clCreateContext");
    opencl->queue = clCreateCommandQueue(opencl->context, opencl->device, 0, &status);
    require(status, "clCreateCommandQueue");
    opencl->sets = calloc(job->sets, sizeof(*opencl->sets));
    if (!opencl->sets) {
        peer_fail("no memory for %zu sets", job->sets);
    }
    for (size_t i = 0; i < job->sets; i++) {
        struct peer_set *const set = &opencl->sets[i];
        const cl_uint zero = 0;
        set->in = clCreateBuffer(opencl->context, CL_MEM_READ_ONLY, job->in_bytes, NULL,
                                 &status);
        require(status, "clCreateBuffer");
        set->out = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, job->out_bytes,
                                  NULL, &status);
        require(status, "clCreateBuffer");
        require(clEnqueueWriteBuffer(opencl->queue, set->in, CL_TRUE, 0, job->in_bytes,
                                     data, 0, NULL, NULL),
                "clEnqueueWriteBuffer");
        /* Every page is touched. */
        require(clEnqueueFillBuffer(opencl->queue, set->out, &zero, sizeof(zero), 0,
                                    job->out_bytes, 0, NULL, NULL),
                "clEnqueueFillBuffer");
    }
    peer_opencl_finish(opencl);
}

void peer_opencl_read(const struct peer_opencl *opencl, size_t set, void *to)
{
    require(clEnqueueReadBuffer(opencl->queue, opencl->sets[set].out, CL_TRUE, 0,
                                opencl->job->out_bytes, to, 0, NULL, NULL),
            "clEnqueueReadBuffer");
}

void peer_opencl_finish(const struct peer_opencl *opencl)
{
    require(clFinish(opencl->queue), "clFinish");
}

void peer_opencl_close(struct peer_opencl *opencl)
{
    for (size_t i = 0; i < opencl->job->sets; i++) {
        clReleaseMemObject(opencl->sets[i].in);
        clReleaseMemObject(opencl->sets[i].out);
    }
    free(opencl->sets);
    clReleaseCommandQueue(opencl->queue);
    clReleaseContext(opencl->context);
}
