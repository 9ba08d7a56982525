/* The state of `clfold bench`, its results, and their output. */
#ifndef CLFOLD_COMMAND_BENCH_H
#define CLFOLD_COMMAND_BENCH_H

#include "bench_cases.h"
#include "bench_data.h"
#include "bench_roofline.h"
#include "bench_stats.h"
#include "pair.h"
#include "session.h"
#include "tune_file.h"

#include "base/text.h"

#include <stdio.h>

enum { FEWEST_RUNS = 5, MOST_RUNS = PAIR_MOST };

/* One case at one count. */
struct bench_row {
    struct bench_case one;
    size_t count;
    bool is_limit; /* nothing but its roofline is measured */
    const char *algorithm;
    const char *policy; /* the name of its row */
    struct bench_figure figure;
    bool has_against; /* the tuning file has a row, of which the next two are */
    double against_seconds;
    struct pair_ratio against; /* the seconds above over the file's */
    double event_seconds;      /* 0: the device does not report it, nor the following */
    double opencl_gbps, native_gbps, roofline_gbps;
    const char *roofline; /* "prefetched", "native streamed" */
    bool broken;          /* the one of kernels */
    struct bench_sets sets;
    uint64_t set_bytes;
    bool ok;
    char wrong[160]; /* what is, if it is not ok */
};

struct bench {
    struct session session;
    struct tune_context against; /* without a context if no file is named */
    cl_command_queue profiling;  /* a queue that does, or NULL */
    char *driver;
    struct text machine; /* without bytes: unknown */
    double seconds;
    struct bench_case cases[BENCH_MOST_CASES];
    size_t num_cases;
    size_t counts[BENCH_MOST_COUNTS], num_counts;
    struct bench_row *rows; /* by case, then by count */
    struct bench_data data;
    struct bench_roofline roofline; /* of the case at hand */
    /* The memory's limits of reading and of copying, each at the start and at the end. */
    bool has_memory, memory_moved;
    struct bench_row memory[2][2];
};

double bench_gbps(const struct bench_row *row);
const char *bench_way_name(enum bench_way way);

/* ---- bench_buffers.c ---- */

struct bench_buffers {
    struct bench_sets sets;
    size_t in_bytes, out_bytes; /* of one: multiples of 64, of which the end is unused */
    size_t result_bytes;        /* of a reduction, from one set's result to the next's */
    cl_mem in[BENCH_MOST_SETS];
    cl_mem out[BENCH_MOST_SETS]; /* of a scan */
    cl_mem results, sink;        /* of a reduction, and of what only reads */
};

/* Whether one set fits the device; a case that does not is rejected before anything is
 * measured.
 */
bool bench_buffers_check(const struct bench *bench, const struct bench_case *one,
                         size_t count, struct message *message);

/* Buffers with the case's elements in each. Every page of every set is written here, so
 * that no timed round is the first to touch one. Close them on failure too. */
bool bench_buffers_open(struct bench_buffers *buffers, const struct bench *bench,
                        const struct bench_case *one, size_t count,
                        struct message *message);
void bench_buffers_close(struct bench_buffers *buffers);

/* Overwrites the results with what no fold gives, so that only what a call writes can be
 * right: all results of a reduction, or the output of a scan's first `num_sets` sets. */
bool bench_buffers_spoil(const struct bench_buffers *buffers, const struct bench *bench,
                         size_t num_sets, struct message *message);

/* ---- bench_check.c ---- */

/* Compares the results of all sets that were `used`, or the first one's of a scan. */
bool bench_check(struct bench *bench, const struct bench_buffers *buffers,
                 const bool used[BENCH_MOST_SETS], struct bench_row *row,
                 struct message *message);

/* ---- bench_time.c ---- */

/* row->one, row->count and row->is_limit are given. */
bool bench_measure(struct bench *bench, struct bench_row *row, struct message *message);

/* ---- bench_print.c ---- */

void bench_print_head(const struct bench *bench);
void bench_print_row(const struct bench *bench, const struct bench_row *row);
bool bench_print_json(const struct bench *bench, const struct bench_row *row,
                      struct message *message);

/* The memory's limits, if there are any, as a line and as the last one of JSON. */
void bench_print_memory(const struct bench *bench, FILE *stream);
bool bench_print_memory_json(const struct bench *bench, struct message *message);

/* `user` is a struct bench. */
bool bench_draw(const void *user, FILE *svg, struct message *message);

#endif
