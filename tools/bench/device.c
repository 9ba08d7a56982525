#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEVICES = 64 };

bool bench_complain(const struct bench_device *device, const char *what, cl_int status)
{
    fprintf(stderr, "%s: %s: %s\n", device->who, what, clfold_status_name(status));
    return false;
}

/* Counts devices over platforms in the order that OpenCL lists them. */
static bool find_device(struct bench_device *device, unsigned long number)
{
    cl_platform_id platforms[MAX_DEVICES];
    cl_uint num_platforms = 0;

    if (clGetPlatformIDs(MAX_DEVICES, platforms, &num_platforms) != CL_SUCCESS) {
        return false;
    }
    for (cl_uint p = 0; p < num_platforms && p < MAX_DEVICES; ++p) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint num = 0;
        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices,
                           &num) != CL_SUCCESS) {
            continue;
        }
        if (number < num && number < MAX_DEVICES) {
            device->id = devices[number];
            return true;
        }
        number -= number < num ? number : num;
    }
    return false;
}

int bench_device_open(struct bench_device *device, int argc, char **argv)
{
    const struct site site = { NULL, device->who };
    char *end = argc > 1 ? argv[1] : "";
    unsigned long number = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    cl_int status;

    if (argc > 2 || *end != '\0' || (argc == 2 && !isdigit((unsigned char)*argv[1]))) {
        fprintf(stderr, "usage: %s [N], N: the number of a device\n", device->who);
        return 2;
    }
    if (!find_device(device, number)) {
        fprintf(stderr, "%s: there is no OpenCL device %lu\n", device->who, number);
        return 1;
    }
    if (clfold_caps_init(&device->caps, &site, device->id)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return 1;
    }
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    if (!device->context) {
        return bench_complain(device, "clCreateContext", status) + 1;
    }
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    return device->queue ? 0 : bench_complain(device, "clCreateCommandQueue", status) + 1;
}

void bench_device_close(struct bench_device *device)
{
    if (device->queue) {
        clReleaseCommandQueue(device->queue);
    }
    if (device->context) {
        clReleaseContext(device->context);
    }
}

int bench_main(void *bench, const struct bench_steps *steps, int runs, int argc,
               char **argv)
{
    struct bench_device *device = bench;
    int status = bench_device_open(device, argc, argv);

    if (status == 0) {
        bool good = steps->open(bench);
        for (int run = -1; good && run < runs; ++run) {
            good = steps->run(bench, run);
        }
        if (good) {
            steps->print(bench);
        }
        status = !good;
    }
    steps->close(bench);
    bench_device_close(device);
    return status;
}

cl_mem bench_buffer(const struct bench_device *device, size_t bytes)
{
    const cl_uint zero = 0;
    cl_int status;
    cl_mem mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE, bytes, NULL, &status);

    if (!mem) {
        bench_complain(device, "clCreateBuffer", status);
        return NULL;
    }
    status = clEnqueueFillBuffer(device->queue, mem, &zero, sizeof(zero), 0, bytes, 0,
                                 NULL, NULL);
    if (status == CL_SUCCESS) {
        status = clFinish(device->queue);
    }
    if (status != CL_SUCCESS) {
        bench_complain(device, "clEnqueueFillBuffer", status);
        clReleaseMemObject(mem);
        return NULL;
    }
    return mem;
}
