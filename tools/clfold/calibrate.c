/* clfold predict --calibrate: a device's file, by measuring the device. */
#include "buffer.h"
#include "clock.h"
#include "commands.h"
#include "session.h"

#include "base/platform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All take n.x steps, and a chase's step needs what the one before has found. Neighbours
 * of the chase through `in` are far from each other. What moves memory has n.x vectors to
 * a group. */
static const char kernels[] =
    "#define I get_local_id(0)\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define KERNEL(name) kernel void name(global uint *in, uint2 n, global uint *out)\n"
    "#define STEPS for (uint i = 0; i < n.x; ++i)\n"
    "#define CHASE(next) STEPS n.y = next; if (n.y == ~0u) in[0] = 0;\n"
    "KERNEL(fill) { in[get_global_id(0)] = (get_global_id(0) + 1296097) % n.x; }\n"
    "KERNEL(chase) { CHASE(in[n.y]) }\n"
    "KERNEL(atomics) { CHASE(atomic_or(in + n.y % 2, 0)) }\n"
    "KERNEL(local_chase) {\n"
    "    local uint y[256]; y[I] = (I + 33) % 256; BARRIER; CHASE(y[n.y])\n"
    "}\n"
    "KERNEL(regions) {\n"
    "    local uint y[256]; y[I] = I;\n"
    "    STEPS { if (I < n.y) y[I] += i; BARRIER; }\n"
    "    if (y[I] == ~0u) in[0] = 0;\n"
    "}\n"
    "KERNEL(loop) {\n"
    "    const ulong end = n.x * 256ul; uint v = 0;\n"
    "    for (ulong i = I; i < end; i += 256) {\n"
    "        v += in[i]; if (i + 256 < end) v += in[i + 256];\n"
    "    }\n"
    "    if (v == 1) in[0] = 0;\n"
    "}\n"
    "#ifdef HAS_BUILTINS\n"
    "#define STORE(from, to) __builtin_nontemporal_store(*(from), to)\n"
    "#else\n"
    "#define STORE(from, to) *(to) = *(from)\n"
    "#endif\n"
    "#define MOVE(name, PUT) KERNEL(name) { "
    "    global V *from = (global V *)in + (ulong)get_group_id(0) * n.x; "
    "    global V *to = (global V *)out + (ulong)get_group_id(0) * n.x; "
    "    V v = 0; "
    "    for (uint i = I; i < n.x; i += get_local_size(0)) PUT; "
    "    if (n.y) *to = v; "
    "}\n"
    "MOVE(read, v ^= from[i])\n"
    "MOVE(copy, STORE(from + i, to + i))\n"
    "KERNEL(lone) {\n"
    "    uint16 v = n.y;\n"
    "    STEPS v += ((global uint16 *)in)[i % 128];\n"
    "    if (any(v == 1)) in[0] = 0;\n"
    "}\n";

enum {
    STEPS = 20000,
    RUNS = 21,
    GROUP = 256,
    LAUNCHES = 64,
    BYTES = 256 << 20,
    PIECE = 256 << 10,
    LINKED = 64 << 20
};

static char host[LINKED];

struct calibration {
    struct session session;
    bool is_cpu;
    cl_program program;
    cl_mem buffers[2];
    cl_int error; /* the first one; no kernel is launched after it */
};

/* Launches of one of the kernels above, or without a name `size` bytes from the host:
 * seconds of the run that so many are faster than, but for the first. */
static double time_runs(struct calibration *c, const char *name, size_t groups,
                        size_t size, cl_uint steps, int launches, int rank)
{
    const cl_command_queue queue = c->session.queue;
    const cl_uint n[2] = { steps, 0 };
    const size_t global = groups * size;
    double seconds[RUNS + 1] = { 0 };
    cl_kernel kernel = NULL;

    if (name && !c->error && (kernel = clCreateKernel(c->program, name, &c->error))) {
        c->error = clSetKernelArg(kernel, 0, sizeof(cl_mem), &c->buffers[0]) |
                   clSetKernelArg(kernel, 1, sizeof(n), n) |
                   clSetKernelArg(kernel, 2, sizeof(cl_mem), &c->buffers[1]);
    }
    for (int run = 0; !c->error && run <= RUNS; run++) {
        const double begin = clock_now();
        for (int i = 0; !c->error && i < launches; i++) {
            c->error = kernel ? clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
                                                       &size, 0, NULL, NULL)
                              : clEnqueueWriteBuffer(queue, c->buffers[0], CL_TRUE, 0,
                                                     size, host, 0, NULL, NULL);
        }
        c->error = c->error ? c->error : clFinish(queue);
        seconds[run] = clock_now() - begin;
    }
    if (kernel) {
        clReleaseKernel(kernel);
    }
    qsort(seconds + 1, RUNS, sizeof(double), clock_compare);
    return seconds[1 + rank];
}

/* The fastest run is the one that no other program lengthens. */
static double time_step(struct calibration *c, const char *name, size_t groups,
                        size_t size)
{
    const double none = time_runs(c, name, groups, size, 0, 1, 0);

    return (time_runs(c, name, groups, size, STEPS, 1, 0) - none) / STEPS;
}

/* Seconds in which a kernel moves BYTES: half of what both buffers take. Work-items of a
 * CPU have a piece each, and others share one. */
static double time_memory(struct calibration *c, const char *name)
{
    const size_t size = c->is_cpu ? 1 : GROUP;
    const cl_uint steps = PIECE / (c->is_cpu ? 64u : 16u); /* bytes of V */

    return time_runs(c, name, BYTES / PIECE, size, steps, 1, RUNS / 2) -
           time_runs(c, "regions", 1, 1, 0, 1, RUNS / 2);
}

static double ask(const struct calibration *c, cl_device_info what)
{
    cl_ulong value = 0; /* some answers are shorter, of little-endian hosts */

    clGetDeviceInfo(c->session.device->id, what, sizeof(value), &value, NULL);
    return (double)value;
}

static void measure(struct calibration *c)
{
    const double units = ask(c, CL_DEVICE_MAX_COMPUTE_UNITS);
    const double hertz = fmax(ask(c, CL_DEVICE_MAX_CLOCK_FREQUENCY), 1) * 1e6;
    const size_t groups = 4 * (size_t)units;
    const double items = 4 * GROUP * 1e-9; /* of a unit; ns */
    /* the copy comes first, since it writes every page */
    const double copy = time_memory(c, "copy");
    const double read = time_memory(c, "read");
    const double store = fmax(copy - read, copy / 8); /* the memory's speed moves */
    const double call = time_runs(c, "regions", 1, 1, 0, 1, RUNS / 2);
    const double calls = time_runs(c, "regions", 1, 1, 0, LAUNCHES, RUNS / 2);
    const double word = time_runs(c, NULL, 0, 4, 0, 1, RUNS / 2);
    const double link = time_runs(c, NULL, 0, LINKED, 0, 1, RUNS / 2) - word;
    const double operation = fmax(time_step(c, "loop", groups, GROUP) / items / 6, 0);
    const double turn = time_step(c, "regions", groups, GROUP) / items;
    time_runs(c, "fill", BYTES / 4 / GROUP, GROUP, BYTES / 4, 1, 0);
    const struct {
        enum { ANY, CPU, GPU } what;
        const char *name;
        double value;
        const char *source;
    } rows[] = {
        { ANY, "units", units, "queried" },
        { ANY, "clock", hertz * 1e-9, "queried" },
        { CPU, "width", 16, "nominal lanes of 4 bytes" },
        { GPU, "width", 32, "nominal assumed" },
        { ANY, "banks", 32, "nominal assumed" },
        { ANY, "bandwidth", BYTES / read * 1e-9, "measured reading" },
        { ANY, "store_bandwidth", BYTES / store * 1e-9, "measured copying" },
        { ANY, "call", call * 1e6, "measured an empty kernel" },
        { ANY, "launch", (calls - call) / (LAUNCHES - 1) * 1e6, "measured in a row" },
        { ANY, "link", LINKED / link * 1e-9, "measured writing 64 MiB" },
        { ANY, "link_latency", word * 1e6, "measured writing 4 bytes" },
        { CPU, "operation", operation, "measured a sixth of a loop's turn" },
        { CPU, "lone_operation", time_step(c, "lone", groups, 1) / 4e-9 / 6, "measured" },
        { CPU, "region", fmax(turn - 2 * operation, 0), "measured less a turn" },
        { GPU, "l2", ask(c, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), "queried" },
        { GPU, "local", ask(c, CL_DEVICE_LOCAL_MEM_SIZE), "queried of a group" },
        { GPU, "sub_groups", 64, "nominal assumed" },
        { GPU, "latency", hertz * time_step(c, "chase", 1, 1), "measured in 256 MiB" },
        { GPU, "l2_latency", hertz * time_step(c, "atomics", 1, 1), "measured atomics" },
        { GPU, "local_latency", hertz * time_step(c, "local_chase", 1, 256), "measured" },
        { GPU, "barrier", hertz * time_step(c, "regions", 1, GROUP), "measured" },
    };

    if (c->error) {
        return;
    }
    printf("name %s\n", c->session.device_name);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].what != (c->is_cpu ? GPU : CPU)) {
            const int digits = *rows[i].source == 'q' ? 10 : 4; /* queried */
            printf("%s %.*g %s\n", rows[i].name, digits, rows[i].value, rows[i].source);
        }
    }
}

bool calibrate(const struct options *options, struct message *message)
{
    struct calibration c = { .error = CL_SUCCESS };
    struct session *const session = &c.session;
    const char *text = kernels;
    char words[64];
    bool done = session_open(session, options->predict.device, false, message);

    for (int i = 0; i < 2; i++) {
        done = done &&
               buffer_create(session, &c.buffers[i], CL_MEM_READ_WRITE, BYTES, message);
    }
    if (done) {
        char *const platform = platform_text(session->device->platform, CL_PLATFORM_NAME);
        c.is_cpu = (session->device->type & CL_DEVICE_TYPE_CPU) != 0;
        memset(host, 1, sizeof(host)); /* pages of its own */
        snprintf(words, sizeof(words), "-DV=uint%d%s", c.is_cpu ? 16 : 4,
                 clfold_platform_builtins(platform) ? " -DHAS_BUILTINS" : "");
        free(platform);
        c.program = clCreateProgramWithSource(session->cl, 1, &text, NULL, &c.error);
    }
    if (c.program) {
        c.error = clBuildProgram(c.program, 1, &session->device->id, words, NULL, NULL);
        measure(&c);
        clReleaseProgram(c.program);
    }
    buffer_release(c.buffers, 2);
    session_close(session);
    return done && (!c.error || device_refuse(message, "measuring", c.error));
}
