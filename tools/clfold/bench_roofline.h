/*
 * Kernels that only read memory, or copy it: as fast as an OpenCL program can be on a
 * device. They move 64 bytes at a time.
 */
#ifndef CLFOLD_COMMAND_BENCH_ROOFLINE_H
#define CLFOLD_COMMAND_BENCH_ROOFLINE_H

#include "bench_ways.h"
#include "session.h"

#include <stdbool.h>
#include <stddef.h>

struct bench_roofline {
    bool is_cpu;
    size_t times;             /* bytes written for each that is read; 0: it only reads */
    size_t lanes, group_size; /* of a device that is not a CPU */
    cl_program program;
    cl_kernel kernels[BENCH_WAYS]; /* NULL: not that way on this device */
};

/* On failure there is nothing to close. */
bool bench_roofline_open(struct bench_roofline *roofline, const struct session *session,
                         size_t times, struct message *message);
/* A zeroed one too. */
void bench_roofline_close(struct bench_roofline *roofline);

bool bench_roofline_has(const struct bench_roofline *roofline, enum bench_way way);

/* The bytes that the kernels leave in `sink`, by the bytes of input. */
size_t bench_roofline_sink(const struct bench_roofline *roofline, size_t bytes);

/* bytes: of input, a multiple of 64. `out` of a roofline that only reads is not used, and
 * `sink` of one that copies. */
cl_int bench_roofline_enqueue(const struct bench_roofline *roofline, enum bench_way way,
                              cl_command_queue queue, cl_mem in, cl_mem out, cl_mem sink,
                              size_t bytes);

#endif
