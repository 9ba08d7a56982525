#include "bench_roofline.h"

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>

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
    "#define FOLD(v) FOLD8((v).lo ^ (v).hi)\n"
    "#define FOLD8(v) FOLD4((v).lo ^ (v).hi)\n"
    "#else\n"
    "#define VECTOR uint4\n"
    "#define FIRST get_global_id(0)\n"
    "#define END num\n"
    "#define STEP get_global_size(0)\n"
    "#define FOLD(v) FOLD4(v)\n"
    "#endif\n"
    "#define FOLD4(v) ((v).x ^ (v).y ^ (v).z ^ (v).w)\n"
    "\n"
    "#define NOTHING(p)\n"
    "#define PREFETCH(p) __builtin_prefetch((const void *)(ulong)((p) + AHEAD), 0, 3)\n"
    "#define STORE(v, p) (*(p) = (v))\n"
    "#define STREAM(v, p) __builtin_nontemporal_store(v, p)\n"
    "\n"
    "#define READ(name, TYPE, PARTS, REST, FETCH) \\\n"
    "kernel void name(global const TYPE *in, global uint *sink, ulong num, \\\n"
    "                 ulong piece) \\\n"
    "{ \\\n"
    "    const ulong end = PARTS * END, step = STEP; \\\n"
    "    TYPE a = 0, b = 0, c = 0, d = 0; \\\n"
    "    ulong i = PARTS * FIRST; \\\n"
    "    for (; i + 3 * step < end; i += 4 * step) { \\\n"
    "        FETCH(in + i); \\\n"
    "        FETCH(in + i + 1); \\\n"
    "        FETCH(in + i + 2); \\\n"
    "        FETCH(in + i + 3); \\\n"
    "        a ^= in[i]; \\\n"
    "        b ^= in[i + step]; \\\n"
    "        c ^= in[i + 2 * step]; \\\n"
    "        d ^= in[i + 3 * step]; \\\n"
    "    } \\\n"
    "    for (; i < end; i += step) { \\\n"
    "        a ^= in[i]; \\\n"
    "    } \\\n"
    "    a ^= b ^ c ^ d; \\\n"
    "    sink[get_global_id(0)] = REST(a); \\\n"
    "}\n"
    "\n"
    "#define COPY(name, FETCH, PUT) \\\n"
    "kernel void name(global const VECTOR *in, global VECTOR *out, ulong num, \\\n"
    "                 ulong piece) \\\n"
    "{ \\\n"
    "    const ulong end = END, step = STEP; \\\n"
    "    for (ulong i = FIRST; i < end; i += step) { \\\n"
    "        FETCH(in + i); \\\n"
    "        const VECTOR v = in[i]; \\\n"
    "        for (uint j = 0; j < TIMES; ++j) { \\\n"
    "            PUT(v, out + PLACE(i, j)); \\\n"
    "        } \\\n"
    "    } \\\n"
    "}\n"
    "\n"
    "#ifdef IS_CPU\n"
    "#define PLACE(i, j) ((i) * TIMES + (j))\n"
    "#else\n"
    "#define PLACE(i, j) ((i) + (j) * num)\n"
    "#endif\n"
    "\n"
    "#if TIMES == 0\n"
    "READ(plain, VECTOR, 1, FOLD, NOTHING)\n"
    "#ifdef IS_CPU\n"
    "READ(quarters, uint4, 4, FOLD4, NOTHING)\n"
    "#endif\n"
    "#else\n"
    "COPY(plain, NOTHING, STORE)\n"
    "#endif\n"
    "#ifdef HAS_BUILTINS\n"
    "#if TIMES == 0\n"
    "READ(prefetched, VECTOR, 1, FOLD, PREFETCH)\n"
    "#else\n"
    "COPY(prefetched, PREFETCH, STORE)\n"
    "COPY(streamed, NOTHING, STREAM)\n"
    "COPY(streamed_prefetched, PREFETCH, STREAM)\n"
    "#endif\n"
    "#endif\n";

/* As the program has them. */
static const struct {
    const char *kernel;
    bool reads, copies, builtin, cpu;
} ways[BENCH_WAYS] = {
    [WAY_PLAIN] = { "plain", .reads = true, .copies = true },
    [WAY_PREFETCHED] = { "prefetched", .reads = true, .copies = true, .builtin = true },
    [WAY_STREAMED] = { "streamed", .copies = true, .builtin = true },
    [WAY_STREAMED_PREFETCHED] = { "streamed_prefetched", .copies = true,
                                  .builtin = true },
    [WAY_QUARTERS] = { "quarters", .reads = true, .cpu = true },
};

enum { LINE = 64, CPU_AHEAD = 64 };

static bool look_at(struct bench_roofline *roofline, const struct session *session,
                    struct message *message)
{
    cl_device_id device = session->device->id;
    size_t group_size = 0;
    cl_uint units = 1;

    const cl_int error = clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE,
                                         sizeof(group_size), &group_size, NULL);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clGetDeviceInfo", error);
    }
    roofline->is_cpu = (session->device->type & CL_DEVICE_TYPE_CPU) != 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    /* As many as a large unit holds. */
    roofline->lanes = (size_t)units * 2048;
    roofline->group_size = group_size < 256 ? group_size : 256;
    return true;
}

static bool has_builtins(cl_platform_id platform)
{
    char *const name = platform_text(platform, CL_PLATFORM_NAME);
    const bool has = clfold_platform_builtins(name);

    free(name);
    return has;
}

static bool build(struct bench_roofline *roofline, const struct session *session,
                  struct message *message)
{
    cl_device_id device = session->device->id;
    const bool builtins = has_builtins(session->device->platform);
    const char *source = text;
    char options[128];
    cl_int error;

    snprintf(options, sizeof(options), "-DTIMES=%zu -DAHEAD=%d%s%s", roofline->times,
             CPU_AHEAD, roofline->is_cpu ? " -DIS_CPU" : "",
             builtins ? " -DHAS_BUILTINS" : "");
    roofline->program = clCreateProgramWithSource(session->cl, 1, &source, NULL, &error);
    if (!roofline->program) {
        return device_refuse(message, "clCreateProgramWithSource", error);
    }
    error = clBuildProgram(roofline->program, 1, &device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "building the roofline's kernels", error);
    }
    for (int way = 0; way < BENCH_WAYS; way++) {
        const bool wanted = (roofline->times ? ways[way].copies : ways[way].reads) &&
                            (builtins || !ways[way].builtin) &&
                            (roofline->is_cpu || !ways[way].cpu);
        if (wanted) {
            roofline->kernels[way] =
                clCreateKernel(roofline->program, ways[way].kernel, &error);
            if (!roofline->kernels[way]) {
                return device_refuse(message, "clCreateKernel", error);
            }
        }
    }
    return true;
}

bool bench_roofline_open(struct bench_roofline *roofline, const struct session *session,
                         size_t times, struct message *message)
{
    *roofline = (struct bench_roofline){ .times = times };
    if (look_at(roofline, session, message) && build(roofline, session, message)) {
        return true;
    }
    bench_roofline_close(roofline);
    return false;
}

void bench_roofline_close(struct bench_roofline *roofline)
{
    for (int way = 0; way < BENCH_WAYS; way++) {
        if (roofline->kernels[way]) {
            clReleaseKernel(roofline->kernels[way]);
        }
    }
    if (roofline->program) {
        clReleaseProgram(roofline->program);
    }
    *roofline = (struct bench_roofline){ 0 };
}

bool bench_roofline_has(const struct bench_roofline *roofline, enum bench_way way)
{
    if (way == WAY_DRIVER) {
        return !roofline->is_cpu && roofline->times == 1;
    }
    return roofline->kernels[way] != NULL;
}

/* Lines that a work-item of a CPU reads: a 256th of all, so that many cores have a piece
 * each, but 8 to 256 KiB. Reading 256 MiB, PoCL 3.1 on two cores, 2026-11-22: 79 to 80
 * GB/s by pieces of 16 KiB, 83 to 84 by 64, 82 to 86 by 256, 80 to 83 by larger ones. */
static size_t piece_of(size_t bytes)
{
    const size_t least = 8 * 1024, most = 256 * 1024;
    const size_t share = bytes / 256;

    return (share < least ? least : share > most ? most : share) / LINE;
}

static size_t work_items(const struct bench_roofline *roofline, size_t bytes)
{
    const size_t vectors = bytes / sizeof(cl_uint4);

    if (roofline->is_cpu) {
        return (bytes / LINE - 1) / piece_of(bytes) + 1;
    }
    const size_t wanted = vectors < roofline->lanes ? vectors : roofline->lanes;
    return ((wanted - 1) / roofline->group_size + 1) * roofline->group_size;
}

size_t bench_roofline_sink(const struct bench_roofline *roofline, size_t bytes)
{
    return work_items(roofline, bytes) * sizeof(cl_uint);
}

cl_int bench_roofline_enqueue(const struct bench_roofline *roofline, enum bench_way way,
                              cl_command_queue queue, cl_mem in, cl_mem out, cl_mem sink,
                              size_t bytes)
{
    const cl_kernel kernel = roofline->kernels[way];
    const cl_ulong num = bytes / (roofline->is_cpu ? LINE : sizeof(cl_uint4));
    const cl_ulong piece = piece_of(bytes);
    const size_t global = work_items(roofline, bytes);
    const size_t local = roofline->is_cpu ? 1 : roofline->group_size;
    const cl_mem to = roofline->times ? out : sink;
    cl_int error;

    if (way == WAY_DRIVER) {
        return clEnqueueCopyBuffer(queue, in, out, 0, 0, bytes, 0, NULL, NULL);
    }
    if ((error = clSetKernelArg(kernel, 0, sizeof(in), &in)) ||
        (error = clSetKernelArg(kernel, 1, sizeof(to), &to)) ||
        (error = clSetKernelArg(kernel, 2, sizeof(num), &num)) ||
        (error = clSetKernelArg(kernel, 3, sizeof(piece), &piece))) {
        return error;
    }
    return clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}
