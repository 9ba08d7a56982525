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

/* The fourth is "copy driver" where there are no quarters; the last four are not of every
 * compiler. */
static const char *names[] = { "empty",           "read plain",
                               "copy plain",      "read quarters",
                               "read prefetched", "copy prefetched",
                               "copy streamed",   "copy streamed_prefetched" };
static size_t num_names = 4;
static cl_program programs[MOST_TIMES + 1]; /* by how often a copy writes an element */
static struct call {
    cl_kernel kernel; /* NULL: the driver's copy */
    const char *name;
} calls[LAB_CALLS];
static size_t in, out, bytes, global, local = 1;
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
                 num_names > 4 ? " -DHAS_BUILTINS" : "");
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
    num_names = clfold_platform_builtins(platform) ? 8 : 4;
    free(platform);
    names[3] = lab_opencl.is_cpu ? names[3] : "copy driver";
    lab_put_calls(names, num_names);
}

/* A work-item of a CPU reads a 256th of all, so that many cores have a piece each, but 8
 * to 256 KiB. Reading 256 MiB, PoCL 3.1 on two cores, 2026-11-22: 79 to 80 GB/s by pieces
 * of 16 KiB, 83 to 84 by 64, 82 to 86 by 256, 80 to 83 by larger ones. Others have as
 * many work-items as a large unit holds, on each. */
static void choose_sizes(void)
{
    const cl_device_id id = lab_opencl.device->id;
    size_t limit = 1;
    cl_uint units = 1;

    in = lab_in("in");
    out = lab_out("out");
    num = (lab_data.in[in].size + LINE - 1) / LINE;
    bytes = num * LINE;
    piece = num / 256 < 128 ? 128 : num / 256 < 4096 ? num / 256 : 4096;
    global = (num + piece - 1) / piece;
    if (!lab_opencl.is_cpu) {
        clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(limit), &limit, NULL);
        clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
        num = bytes / sizeof(cl_uint4);
        local = limit < 256 ? limit : 256;
        global = num < (size_t)units * 2048 ? num : (size_t)units * 2048;
        global = (global + local - 1) / local * local;
    }
    if (sink) {
        clReleaseMemObject(sink);
    }
    sink = lab_opencl_memory.create(global * sizeof(cl_uint));
}

/* empty, read WAY, or copy WAY [TIMES] */
static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    struct call *const call = &calls[id];
    size_t times;
    const size_t number = lab_find_call(names, num_names, num_words, words, &times);
    cl_int status = CL_SUCCESS;

    (void)tuning;
    if (number == num_names) {
        return false;
    }
    const bool is_driver = strcmp(names[number], "copy driver") == 0;
    if (times > (is_driver ? 1 : MOST_TIMES)) {
        return lab_refuse("%s writes an element less often", names[number]);
    }
    if (call->kernel) {
        clReleaseKernel(call->kernel);
    }
    *call = (struct call){ NULL, names[number] };
    if (!is_driver) {
        char kernel[64];
        snprintf(kernel, sizeof(kernel), "%s%s%s", words[0], num_words > 1 ? "_" : "",
                 num_words > 1 ? words[1] : "");
        call->kernel = clCreateKernel(build(times), kernel, &status);
    }
    lab_opencl_require(status, "clCreateKernel");
    return true;
}

static void make_call(unsigned id, size_t set)
{
    static const size_t one = 1;
    const struct call *const call = &calls[id];
    const struct lab_set *const arrays = &lab_data.sets[set];
    const cl_mem from = arrays->in[in], to = *call->name == 'r' ? sink : arrays->out[out];
    const cl_command_queue queue = lab_opencl.queue;
    const bool is_empty = *call->name == 'e';
    cl_int status;

    if (!call->kernel) {
        status = clEnqueueCopyBuffer(queue, from, to, 0, 0, bytes, 0, NULL, NULL);
    } else {
        if (!is_empty) {
            clSetKernelArg(call->kernel, 0, sizeof(from), &from);
            clSetKernelArg(call->kernel, 1, sizeof(to), &to);
            clSetKernelArg(call->kernel, 2, sizeof(num), &num);
            clSetKernelArg(call->kernel, 3, sizeof(piece), &piece);
        }
        status = clEnqueueNDRangeKernel(queue, call->kernel, 1, NULL,
                                        is_empty ? &one : &global,
                                        is_empty ? &one : &local, 0, NULL, NULL);
    }
    lab_opencl_require(status, "a call of the roofline");
    lab_opencl_require(clFinish(queue), "clFinish");
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "roofline",
        .call = open_call,
        .make = make_call,
        .memory = &lab_opencl_memory,
        .open = open_roofline,
        .data = choose_sizes,
    };

    return lab_main(argc, argv, &program);
}
