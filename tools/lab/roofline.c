/* Kernels that only read memory or copy it, 64 bytes at a time: as fast as an OpenCL
 * program can be on a device. And an empty one, for what a launch takes. */
#include "opencl.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, MOST_TIMES = 32 };

/*
 *   on CPUs      |aaaa...|bbbb...|cccc...|   a work-item a group, each with its own piece
 *   elsewhere    |abcdabcd...            |   work-items side by side, so that their loads
 *                                            become one
 *
 * A non-temporal load is like any other on x86, so only stores have two kinds. A prefetch
 * never faults, so those past the end do no harm. Quarters of lines take four loads, so
 * that a core has fewer lines under way; some read faster then, see docs/performance.md.
 */
static const char text[] =
    "#ifdef IS_CPU\n"
    "#define VECTOR uint16\n"
    "#define FIRST (get_group_id(0) * piece)\n"
    "#define END min(FIRST + piece, num)\n"
    "#define STEP 1\n"
    "#define PLACE(i, j) ((i) * TIMES + (j))\n"
    "#define FOLD(v) FOLD8((v).lo ^ (v).hi)\n"
    "#define FOLD8(v) FOLD4((v).lo ^ (v).hi)\n"
    "#else\n"
    "#define VECTOR uint4\n"
    "#define FIRST get_global_id(0)\n"
    "#define END num\n"
    "#define STEP get_global_size(0)\n"
    "#define PLACE(i, j) ((i) + (j) * num)\n"
    "#define FOLD(v) FOLD4(v)\n"
    "#endif\n"
    "#define FOLD4(v) ((v).x ^ (v).y ^ (v).z ^ (v).w)\n"
    "#define NOTHING(p)\n"
    "#define PREFETCH(p) __builtin_prefetch((const void *)(ulong)((p) + 64), 0, 3)\n"
    "#define STORE(v, p) (*(p) = (v))\n"
    "#define STREAM(v, p) __builtin_nontemporal_store(v, p)\n"
    "#define READ(name, TYPE, PARTS, REST, FETCH) "
    "kernel void name(global const TYPE *in, global uint *sink, ulong num, ulong piece) "
    "{ "
    "    const ulong end = PARTS * END, step = STEP; "
    "    TYPE a = 0, b = 0, c = 0, d = 0; "
    "    ulong i = PARTS * FIRST; "
    "    for (; i + 3 * step < end; i += 4 * step) { "
    "        FETCH(in + i); FETCH(in + i + 1); FETCH(in + i + 2); FETCH(in + i + 3); "
    "        a ^= in[i], b ^= in[i + step]; "
    "        c ^= in[i + 2 * step], d ^= in[i + 3 * step]; "
    "    } "
    "    for (; i < end; i += step) a ^= in[i]; "
    "    sink[get_global_id(0)] = REST(a ^ b ^ c ^ d); "
    "}\n"
    "#define COPY(name, FETCH, PUT) "
    "kernel void name(global const VECTOR *in, global VECTOR *out, ulong num, ulong "
    "piece) "
    "{ "
    "    const ulong end = END, step = STEP; "
    "    for (ulong i = FIRST; i < end; i += step) { "
    "        FETCH(in + i); "
    "        const VECTOR v = in[i]; "
    "        for (uint j = 0; j < TIMES; ++j) PUT(v, out + PLACE(i, j)); "
    "    } "
    "}\n"
    "kernel void empty(void) { }\n"
    "READ(read_plain, VECTOR, 1, FOLD, NOTHING)\n"
    "COPY(copy_plain, NOTHING, STORE)\n"
    "#ifdef IS_CPU\n"
    "READ(read_quarters, uint4, 4, FOLD4, NOTHING)\n"
    "#endif\n"
    "#ifdef HAS_BUILTINS\n"
    "READ(read_prefetched, VECTOR, 1, FOLD, PREFETCH)\n"
    "COPY(copy_prefetched, PREFETCH, STORE)\n"
    "COPY(copy_streamed, NOTHING, STREAM)\n"
    "COPY(copy_streamed_prefetched, PREFETCH, STREAM)\n"
    "#endif\n";

static cl_program programs[MOST_TIMES + 1]; /* by how often a copy writes an element */
static bool has_builtins;
static struct call {
    cl_kernel kernel; /* NULL: the driver's copy */
    bool is_empty, reads;
} calls[LAB_CALLS];
static size_t in, out, bytes, room, global, local = 1;
static cl_ulong num, piece; /* vectors, and those of a piece */
static cl_mem sink;         /* of reads */

static cl_program build(size_t times)
{
    char options[128];
    const char *source = text;
    cl_int status = CL_SUCCESS;

    if (!programs[times]) {
        snprintf(options, sizeof(options), "-DTIMES=%zu%s%s", times,
                 lab_opencl.is_cpu ? " -DIS_CPU" : "",
                 has_builtins ? " -DHAS_BUILTINS" : "");
        programs[times] =
            clCreateProgramWithSource(lab_opencl.context, 1, &source, NULL, &status);
        lab_opencl_require(status, "clCreateProgramWithSource");
        status = clBuildProgram(programs[times], 0, NULL, options, NULL, NULL);
        lab_opencl_require(status, "clBuildProgram");
    }
    return programs[times];
}

static void open_roofline(const char *device)
{
    lab_opencl_open(device);
    char *const platform = platform_text(lab_opencl.device->platform, CL_PLATFORM_NAME);
    has_builtins = clfold_platform_builtins(platform);
    free(platform);
}

/* The last are those that not every compiler can have. */
static const char *has(size_t index)
{
    static const char *const names[] = { "empty",           "read plain",
                                         "copy plain",      "read quarters",
                                         "read prefetched", "copy prefetched",
                                         "copy streamed",   "copy streamed_prefetched" };

    return index == 3 && !lab_opencl.is_cpu ? "copy driver"
           : index < (has_builtins ? 8 : 4) ? names[index]
                                            : NULL;
}

static void close_calls(void)
{
    for (int id = 0; id < LAB_CALLS; id++) {
        if (calls[id].kernel) {
            clReleaseKernel(calls[id].kernel);
            calls[id].kernel = NULL;
        }
    }
    if (sink) {
        clReleaseMemObject(sink);
    }
}

/* A work-item of a CPU reads a 256th of all, so that many cores have a piece each, but 8
 * to 256 KiB. Reading 256 MiB, PoCL 3.1 on two cores, 2026-11-22: 79 to 80 GB/s by pieces
 * of 16 KiB, 83 to 84 by 64, 82 to 86 by 256, 80 to 83 by larger ones. Others have as
 * many work-items as a large unit holds, on each. */
static void make_data(const struct lab_data *data)
{
    const cl_device_id id = lab_opencl.device->id;
    const struct lab_array *const source = lab_in(data, "in"), *const result =
                                                                   lab_out(data, "out");
    size_t limit = 1;
    cl_uint units = 1;

    if (!source || source->size == 0) {
        lab_fail("data: there is no in");
    }
    close_calls();
    lab_opencl_data(data);
    in = (size_t)(source - data->in);
    out = result ? (size_t)(result - data->out) : LAB_ARRAYS;
    room = result ? (result->size + LINE - 1) / LINE : 0; /* lines */
    num = (source->size - 1) / LINE + 1;
    bytes = num * LINE;
    piece = num / 256 < 128 ? 128 : num / 256 < 4096 ? num / 256 : 4096;
    global = (num - 1) / piece + 1;
    if (!lab_opencl.is_cpu) {
        clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL);
        clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
        num = bytes / sizeof(cl_uint4);
        local = limit < 256 ? limit : 256;
        global = num < (size_t)units * 2048 ? num : (size_t)units * 2048;
        global = ((global - 1) / local + 1) * local;
    }
    sink = lab_opencl_create(global * sizeof(cl_uint));
}

/* empty, read WAY, or copy WAY [TIMES] */
static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    const bool copies = strcmp(words[0], "copy") == 0;
    const size_t times = num_words == 3 && copies ? strtoul(words[2], NULL, 10) : 1;
    struct call call = { NULL, strcmp(words[0], "empty") == 0,
                         strcmp(words[0], "read") == 0 };
    char name[64];
    cl_int status = CL_SUCCESS;

    (void)tuning;
    snprintf(name, sizeof(name), num_words > 1 ? "%s_%s" : "%s", words[0], words[1]);
    if (times < 1 || times > MOST_TIMES || num_words > 2 + copies ||
        (copies && room / times < bytes / LINE)) {
        return lab_refuse("there is no %s of that data", name);
    }
    if (strcmp(name, "copy_driver") != 0) {
        call.kernel = clCreateKernel(build(times), name, &status);
    }
    if (calls[id].kernel) {
        clReleaseKernel(calls[id].kernel);
    }
    calls[id] = call;
    if (call.kernel && !call.is_empty) {
        lab_opencl_require(clSetKernelArg(call.kernel, 2, sizeof(num), &num), name);
        lab_opencl_require(clSetKernelArg(call.kernel, 3, sizeof(piece), &piece), name);
    }
    return status == CL_SUCCESS || lab_refuse("there is no kernel %s", name);
}

static void enqueue(unsigned id, size_t set, cl_command_queue queue, cl_event *event)
{
    static const size_t one = 1;
    const struct call *const call = &calls[id];
    const struct lab_buffers *const buffers = &lab_opencl.sets[set];
    const cl_mem *const to = call->reads ? &sink : &buffers->out[out];
    cl_int status = CL_SUCCESS;

    if (!call->kernel) {
        status =
            clEnqueueCopyBuffer(queue, buffers->in[in], *to, 0, 0, bytes, 0, NULL, event);
    } else {
        if (!call->is_empty) {
            clSetKernelArg(call->kernel, 0, sizeof(cl_mem), &buffers->in[in]);
            clSetKernelArg(call->kernel, 1, sizeof(cl_mem), to);
        }
        status = clEnqueueNDRangeKernel(queue, call->kernel, 1, NULL,
                                        call->is_empty ? &one : &global,
                                        call->is_empty ? &one : &local, 0, NULL, event);
    }
    lab_opencl_require(status, "a call of the roofline");
}

static void make_call(unsigned id, size_t set)
{
    enqueue(id, set, lab_opencl.queue, NULL);
    lab_opencl_require(clFinish(lab_opencl.queue), "clFinish");
}

static double time_call(unsigned id, size_t set)
{
    cl_event event;

    enqueue(id, set, lab_opencl.profiled, &event);
    clRetainEvent(event);
    return lab_opencl_seconds(event, event);
}

static void close_roofline(void)
{
    close_calls();
    for (size_t times = 1; times <= MOST_TIMES; times++) {
        if (programs[times]) {
            clReleaseProgram(programs[times]);
        }
    }
    lab_opencl_close();
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "roofline",
        .open = open_roofline,
        .has = has,
        .data = make_data,
        .call = open_call,
        .make = make_call,
        .time = time_call,
        .spoil = lab_opencl_spoil,
        .read = lab_opencl_read,
        .close = close_roofline,
    };

    return lab_main(argc, argv, &program);
}
