/*
 * The state of a call: its arguments, then what the steps found. Every step takes one:
 *
 *   clfold_request_fold     checks the fold, interns it, chooses the algorithm
 *   clfold_request_check    checks the rest: queue, waits, buffers, init, total
 *   clfold_request_find     plans, finds or builds the programs
 *   clfold_run              lends scratch, sets arguments, enqueues
 */
#ifndef CLFOLD_OPS_STATE_H
#define CLFOLD_OPS_STATE_H

#include "ops/context.h"

/* What is put in front of the first element: a host value of the result's form, or a
 * result or a carry in device memory, or neither. */
struct init {
    const void *value;
    clfold_place at;
    bool is_carry;
};

static inline bool clfold_has_init(const struct init *init)
{
    return init->value || init->at.mem;
}

struct request {
    const struct site *site;
    clfold_context *context;
    struct job job;
    uint64_t bits;                   /* of facets that are given, and of the call */
    clfold_place places[NUM_PLACES]; /* those that are given */
    struct interned *fold;           /* whose monoid the job has */
    const clfold_arg *args;          /* the fold's */
    size_t num_args;
    cl_mem trace;     /* of look-back, or NULL */
    const char *name; /* the fold's, or "" */
    uint64_t number;  /* of the call on its context, from 1 */
    bool named;       /* the algorithm, so that no other may replace it */
    cl_command_queue queue;
    bool in_order;
    bool behind_all; /* waits for all commands that the queue has, in order or not */
    bool to_host;    /* `out` is clfold's own, and is set after the checks */
    cl_mem in, out;
    size_t in_offset, out_offset;
    struct init init;
    uint64_t first, whole; /* of a part; zeros: this is the whole */
    struct init carry; /* in front of the part, if its fold is lifted; else it is init */
    cl_uint num_wait;
    const cl_event *wait;
    /* found out about a look-back */
    enum obstacle obstacle; /* another algorithm took its place */
    bool unproven;          /* its memory is only what the device offers */
};

static inline bool clfold_given(const struct request *request, enum facet facet)
{
    return clfold_has(request->bits, (int)facet);
}

#endif
