/* A reduction whose arguments are checked. */
#ifndef CLFOLD_OPS_REDUCE_H
#define CLFOLD_OPS_REDUCE_H

#include "device/cache.h"
#include "ops/args.h"
#include "ops/context.h"

struct reduce_call {
    const struct monoid *monoid;
    enum reduce_algorithm algorithm;
    cl_command_queue queue;
    bool in_order;
    cl_mem in;
    size_t in_offset;
    cl_mem out;
    size_t out_offset;
    size_t count;
    struct init init;
    cl_uint num_wait;
    const cl_event *wait;
    bool behind_all; /* that the queue holds, on an out-of-order queue as well */
};

/* Finds or builds the program and plans the call. A program that does not build drops to
 * the next candidate; with none left the last one's failure is the call's. */
clfold_status clfold_reduce_find(clfold_context *context, const struct site *site,
                                 enum reduce_algorithm algorithm,
                                 const struct monoid *monoid, uint64_t count,
                                 struct reduce_plan *plan, struct program **program);

/* The same without building. *dropped is how many candidates are known not to build. */
void clfold_reduce_foresee(clfold_context *context, enum reduce_algorithm algorithm,
                           const struct monoid *monoid, uint64_t count,
                           struct reduce_plan *plan, uint32_t *dropped);

/* Enqueues the call. *event may be NULL. */
clfold_status clfold_reduce_enqueue(clfold_context *context, const struct site *site,
                                    const struct reduce_call *call, cl_event *event);

/* Runs each kernel of the plan on nothing, with one group, in an order that a call would
 * never take. Blocks. */
clfold_status clfold_reduce_rehearse(const struct site *site,
                                     const struct reduce_call *call,
                                     const struct reduce_plan *plan,
                                     struct kernels *kernels,
                                     const struct block *scratch);

/* The call with the host's check of its result, and so blocking. */
clfold_status clfold_reduce_verify(clfold_context *context, const struct site *site,
                                   const struct reduce_call *call, clfold_op op,
                                   cl_event *event);

#endif
