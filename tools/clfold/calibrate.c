/* clfold predict --calibrate: a device's file, by measuring the device. */
#include "bench.h"
#include "buffer.h"
#include "clock.h"
#include "commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* All take n.x steps, and a chase's step needs what the one before has found. Neighbours
 * of the chase through `in` are far from each other. */
static const char kernels[] =
    "#define I get_local_id(0)\n"
    "#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n"
    "#define KERNEL(name) kernel void name(global uint *in, uint2 n)\n"
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
    "}\n";

enum { STEPS = 20000, RUNS = 15, GROUP = 256, LAUNCHES = 64, BYTES = 256 << 20 };

struct calibration {
    struct bench bench;
    cl_program program;
    cl_mem in;
    void *host;
    cl_int error; /* the first one; nothing is done after it */
};

/* Launches of one of the kernels above, or without a name `size` bytes from the host: the
 * median of the runs after the first, in seconds. */
static double time_runs(struct calibration *c, const char *name, size_t groups,
                        size_t size, cl_uint steps, int launches)
{
    const cl_command_queue queue = c->bench.session.queue;
    const cl_uint n[2] = { steps, 0 };
    const size_t global = groups * size;
    double seconds[RUNS + 1] = { 0 };
    cl_kernel kernel = NULL;

    if (name && !c->error && (kernel = clCreateKernel(c->program, name, &c->error))) {
        c->error = clSetKernelArg(kernel, 0, sizeof(c->in), &c->in) |
                   clSetKernelArg(kernel, 1, sizeof(n), n);
    }
    for (int run = 0; !c->error && run <= RUNS; run++) {
        const double begin = clock_now();
        for (int i = 0; !c->error && i < launches; i++) {
            c->error = kernel ? clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global,
                                                       &size, 0, NULL, NULL)
                              : clEnqueueWriteBuffer(queue, c->in, CL_TRUE, 0, size,
                                                     c->host, 0, NULL, NULL);
        }
        c->error = c->error ? c->error : clFinish(queue);
        seconds[run] = clock_now() - begin;
    }
    if (kernel) {
        clReleaseKernel(kernel);
    }
    return clock_median(seconds + 1, RUNS);
}

static double time_step(struct calibration *c, const char *name, size_t groups,
                        size_t size)
{
    const double none = time_runs(c, name, groups, size, 0, 1);

    return (time_runs(c, name, groups, size, STEPS, 1) - none) / STEPS;
}

/* ns that 256 MiB take to be read, or to be read and written, by the bench's kernels. */
static bool time_memory(struct calibration *c, clfold_operation operation,
                        double *seconds, struct message *message)
{
    struct bench *const bench = &c->bench;
    struct bench_row row = { .one = { operation, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 },
                             .count = BYTES / 4,
                             .is_limit = true };
    const bool done = bench_roofline_open(&bench->roofline, &bench->session,
                                          operation != CLFOLD_REDUCE, message) &&
                      bench_measure(bench, &row, message);

    bench_roofline_close(&bench->roofline);
    *seconds = (double)bench_bytes(&row.one, row.count) / row.opencl_gbps * 1e-9;
    return done;
}

static double ask(const struct calibration *c, cl_device_info what)
{
    cl_ulong value = 0; /* some answers are shorter, of little-endian hosts */

    clGetDeviceInfo(c->bench.session.device->id, what, sizeof(value), &value, NULL);
    return (double)value;
}

static bool measure(struct calibration *c, struct message *message)
{
    const bool is_cpu = c->bench.session.device->type & CL_DEVICE_TYPE_CPU;
    const double units = ask(c, CL_DEVICE_MAX_COMPUTE_UNITS);
    const double clock = fmax(ask(c, CL_DEVICE_MAX_CLOCK_FREQUENCY), 1) * 1e-3;
    const size_t groups = 4 * (size_t)units;
    const double items = 4 * GROUP * 1e-9; /* of a unit; ns */
    double read = 0, copy = 0;

    if (!time_memory(c, CLFOLD_REDUCE, &read, message) ||
        !time_memory(c, CLFOLD_INCLUSIVE_SCAN, &copy, message)) {
        return false;
    }
    const double call = time_runs(c, "regions", 1, 1, 0, 1);
    const double calls = time_runs(c, "regions", 1, 1, 0, LAUNCHES);
    const double word = time_runs(c, NULL, 0, 4, 0, 1);
    const double link = time_runs(c, NULL, 0, BYTES, 0, 1) - word;
    const double operation = time_step(c, "loop", groups, GROUP) / items / 6;
    const double turn = time_step(c, "regions", groups, GROUP) / items;
    time_runs(c, "fill", BYTES / 4 / GROUP, GROUP, BYTES / 4, 1);
    const double hertz = clock * 1e9;
    const struct {
        enum { ANY, CPU, GPU } what;
        const char *name;
        double value;
        const char *source;
    } rows[] = {
        { ANY, "units", units, "queried" },
        { ANY, "clock", clock, "queried" },
        { ANY, "width", is_cpu ? 16 : 32, "nominal assumed" },
        { ANY, "banks", 32, "nominal assumed" },
        { ANY, "bandwidth", BYTES / (read - call) * 1e-9, "measured reading" },
        { ANY, "store_bandwidth", BYTES / (copy - read) * 1e-9, "measured copying" },
        { ANY, "call", call * 1e6, "measured an empty kernel" },
        { ANY, "launch", (calls - call) / (LAUNCHES - 1) * 1e6, "measured in a row" },
        { ANY, "link", BYTES / link * 1e-9, "measured writing 256 MiB" },
        { ANY, "link_latency", word * 1e6, "measured writing 4 bytes" },
        { CPU, "operation", operation, "measured a sixth of a loop's turn" },
        { CPU, "region", fmax(turn - 2 * operation, 0), "measured less a turn" },
        { GPU, "l2", ask(c, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE), "queried" },
        { GPU, "local", ask(c, CL_DEVICE_LOCAL_MEM_SIZE), "queried" },
        { GPU, "sub_groups", 64, "nominal assumed" },
        { GPU, "latency", hertz * time_step(c, "chase", 1, 1), "measured in 256 MiB" },
        { GPU, "l2_latency", hertz * time_step(c, "atomics", 1, 1), "measured atomics" },
        { GPU, "local_latency", hertz * time_step(c, "local_chase", 1, GROUP),
          "measured" },
        { GPU, "barrier", hertz * time_step(c, "regions", 1, GROUP), "measured" },
    };
    if (c->error) {
        return device_refuse(message, "measuring", c->error);
    }
    printf("name %s\n", c->bench.session.device_name);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].what != (is_cpu ? GPU : CPU)) {
            printf("%s %.4g %s\n", rows[i].name, rows[i].value, rows[i].source);
        }
    }
    return true;
}

bool calibrate(const struct options *options, struct message *message)
{
    struct calibration *const c = calloc(1, sizeof(*c));
    const char *text = kernels;
    struct session *const session = &c->bench.session;
    bool done = session_open(session, options->predict.device, false, message) &&
                buffer_create(session, &c->in, CL_MEM_READ_WRITE, BYTES, message);

    c->host = calloc(BYTES, 1);
    c->bench.seconds = 2;
    if (done) {
        c->program = clCreateProgramWithSource(session->cl, 1, &text, NULL, &c->error);
        c->error = c->error ? c->error
                            : clBuildProgram(c->program, 1, &session->device->id, NULL,
                                             NULL, NULL);
        done = measure(c, message);
    }
    if (c->program) {
        clReleaseProgram(c->program);
    }
    buffer_release(&c->in, 1);
    session_close(session);
    free(c->host);
    free(c);
    return done;
}
