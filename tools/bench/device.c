#include "device.h"

#include "../clfold/buffer.h"

#include <stdio.h>

bool bench_complain(const struct bench_device *device, const char *what, cl_int status)
{
    fprintf(stderr, "%s: %s: %s\n", device->who, what, clfold_status_name(status));
    return false;
}

int bench_device_open(struct bench_device *device, int argc, char **argv)
{
    const struct site site = { NULL, device->who };
    struct message message;

    if (argc > 2) {
        fprintf(stderr, "usage: %s [N], N: a device, as clfold --device\n", device->who);
        return 2;
    }
    if (!session_open(&device->session, argc == 2 ? argv[1] : "0", false, &message)) {
        fprintf(stderr, "%s: %s\n", device->who, message.text);
        return 1;
    }
    if (clfold_caps_init(&device->caps, &site, device->session.device->id)) {
        fprintf(stderr, "%s\n", clfold_last_error());
        return 1;
    }
    return 0;
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
    session_close(&device->session);
    return status;
}

cl_mem bench_buffer(const struct bench_device *device, size_t bytes)
{
    const cl_uint zero = 0;
    struct message message;
    cl_int status;
    cl_mem mem;

    if (!buffer_create(&device->session, &mem, CL_MEM_READ_WRITE, bytes, &message)) {
        fprintf(stderr, "%s: %s\n", device->who, message.text);
        return NULL;
    }
    status = clEnqueueFillBuffer(device->session.queue, mem, &zero, sizeof(zero), 0,
                                 bytes, 0, NULL, NULL);
    if (status || (status = clFinish(device->session.queue))) {
        bench_complain(device, "clEnqueueFillBuffer", status);
        clReleaseMemObject(mem);
        return NULL;
    }
    return mem;
}

cl_kernel bench_kernel(const struct bench_device *device, const char *text,
                       const char *name)
{
    cl_kernel kernel = NULL;
    cl_int status;
    cl_program program =
        clCreateProgramWithSource(device->session.cl, 1, &text, NULL, &status);

    if (program && !(status = clBuildProgram(program, 1, &device->session.device->id,
                                             device->caps.options, NULL, NULL))) {
        kernel = clCreateKernel(program, name, &status);
    }
    if (!kernel) {
        bench_complain(device, name, status);
    }
    if (program) {
        clReleaseProgram(program);
    }
    return kernel;
}

/* A group of one work-item copies 1024 vectors. */
static const char copy_text[] =
    "kernel void copy(global const float16 *in, global float16 *out)\n"
    "{\n"
    "    const ulong first = get_group_id(0) * 1024;\n"
    "    for (uint i = 0; i < 1024; ++i)\n"
    "#ifdef __clang__\n"
    "        __builtin_nontemporal_store(in[first + i], out + first + i);\n"
    "#else\n"
    "        out[first + i] = in[first + i];\n"
    "#endif\n"
    "}\n";

cl_kernel bench_copy_kernel(const struct bench_device *device, cl_mem in, cl_mem out)
{
    cl_kernel copy = bench_kernel(device, copy_text, "copy");
    cl_int status;

    if (copy && ((status = clSetKernelArg(copy, 0, sizeof(in), &in)) ||
                 (status = clSetKernelArg(copy, 1, sizeof(out), &out)))) {
        bench_complain(device, "the copy", status);
        clReleaseKernel(copy);
        copy = NULL;
    }
    return copy;
}

cl_int bench_enqueue_copy(cl_command_queue queue, cl_kernel copy, size_t count)
{
    const size_t global = count / 16 / 1024, local = 1;

    return clEnqueueNDRangeKernel(queue, copy, 1, NULL, &global, &local, 0, NULL, NULL);
}
