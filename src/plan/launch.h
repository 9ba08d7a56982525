/*
 * A launch, and what it gives to the parameters of its kernel. Both sides agree by name:
 * signatures in cl/ say what a kernel takes, in any order, tools/embed makes a list of
 * each, and a name that struct launch lacks does not compile.
 */
#ifndef CLFOLD_PLAN_LAUNCH_H
#define CLFOLD_PLAN_LAUNCH_H

#include "plan/segments.h"

#include <clfold/clfold.h>

struct launch {
    uint32_t kernel; /* of the algorithm's */
    uint64_t num_groups;
    uint64_t bytes_read, bytes_written;
    /* Of the call: src/ops/run.c. */
    cl_mem in, out, total_out;
    cl_mem offsets, bad; /* of segments */
    cl_mem bits, counts; /* of heads that are found, with their offsets in one buffer */
    cl_mem keys;         /* of segments, that are written */
    uint64_t bits_at, keys_at, has_keys;
    union {
        cl_mem scratch, partials, items, state, words;
    };
    cl_mem trace; /* NULL: nothing is traced */
    uint64_t in_offset, out_offset, total_index, offsets_at, bad_out;
    uint64_t has_init, has_total;
    uint64_t capacity; /* of the scratch, in words */
    uint64_t turn;     /* of its two counters */
    /* Of CLFOLD_WITH: see clfold_own_params. */
    cl_mem rest, lengths; /* of a select */
    uint64_t rest_at, has_rest, lengths_at, has_lengths;
    uint64_t has_places; /* of a scan: those of what is kept are known */
    cl_mem heads, num_at, count_at, carry_out, key_at, key_out;
    uint64_t n, call_first, call_count, call_segments, near;
    uint64_t heads_at, num_index, count_index, carry_index, key_at_index, key_out_index;
    uint64_t has_carry, has_key_at, has_key_out;
    struct rows segments; /* without any, one of all elements */
    /* Of the launch, from here on: the plan's. */
    uint64_t unit; /* elements that one of the launch's is the fold of, at most */
    uint64_t count, width, length, runs, run, lead; /* how it is cut: segments.h */
    uint64_t num_runs, num_segments;
    uint64_t each, first, num; /* what a group, or a launch, takes */
    uint64_t ahead, stream, spins, in_place;
    uint64_t first_block, num_blocks;
    uint64_t line, part;                         /* of runs: lane_items.cl */
    uint64_t from, to, is_first, is_last, joins; /* of partials */
    uint64_t num_words;
    /* Of the probe. */
    cl_mem reports;
    uint64_t rounds, looks, looks_heard;
};

enum param_kind {
    PARAM_NONE, /* ends a list */
    PARAM_BUFFER,
    PARAM_ULONG,
    PARAM_UINT,
    PARAM_INIT, /* CLFOLD_INIT_PARAMS */
    PARAM_WITH  /* CLFOLD_WITH */
};

struct param {
    uint8_t kind;
    uint8_t is_traced; /* only of a program that traces */
    uint16_t offset;   /* in struct launch, of a buffer or a number, and */
    const char *name;  /* its name there */
};

#define CLFOLD_TYPE_BUFFER cl_mem
#define CLFOLD_TYPE_ULONG  uint64_t
#define CLFOLD_TYPE_UINT   uint64_t
#define CLFOLD_PARAM(kind, name, is_traced)                                              \
    _Generic(((struct launch *)0)->name, CLFOLD_TYPE_##kind                              \
             : PARAM_##kind),                                                            \
        is_traced, offsetof(struct launch, name), #name

struct clfold_kernel {
    const char *name; /* "clfold_reduce_tiles" */
    const struct param *params;
};

/* Of all kernels in cl/; ends with a name of NULL. */
extern const struct clfold_kernel clfold_kernels[];

/* The parameters of the kernel of that name, or NULL. */
const struct param *clfold_kernel_params(const char *name);

#endif
