/* A reduction whose arguments are checked. */
#ifndef CLFOLD_OPS_REDUCE_H
#define CLFOLD_OPS_REDUCE_H

#include "device/cache.h"
#include "ops/context.h"

/* The kernels of cl/reduce_tiles.cl, in the order of their names. */
enum reduce_kernel { REDUCE_SINGLE, REDUCE_TILES, REDUCE_PARTIALS, REDUCE_KERNELS };

struct reduce_call {
    const struct monoid *monoid;
    cl_command_queue queue;
    bool in_order;
    cl_mem in;
    size_t in_offset;
    cl_mem out;
    size_t out_offset;
    size_t count;
    const void *init; /* components side by side; NULL: none */
    cl_uint num_wait;
    const cl_event *wait;
};

/* Finds or builds the program and plans the call. A program that does not build drops to
 * the next candidate; with none left the last one's failure is the call's. */
clfold_status clfold_reduce_find(clfold_context *context, const struct site *site,
                                 const struct monoid *monoid, uint64_t count,
                                 struct reduce_plan *plan, struct program **program);

/* The same without building. *dropped is how many candidates are known not to build. */
void clfold_reduce_foresee(clfold_context *context, const struct monoid *monoid,
                           uint64_t count, struct reduce_plan *plan, uint32_t *dropped);

/* Sets the arguments of `kernel`; memory that a kernel does not use may be NULL. */
clfold_status clfold_reduce_set_args(const struct site *site, enum reduce_kernel kernel,
                                     cl_kernel object, const struct reduce_call *call,
                                     const struct reduce_plan *plan, cl_mem partials);

/* Enqueues the call. *event may be NULL. */
clfold_status clfold_reduce_enqueue(clfold_context *context, const struct site *site,
                                    const struct reduce_call *call, cl_event *event);

/* The call with the host's check of its result, and so blocking. */
clfold_status clfold_reduce_verify(clfold_context *context, const struct site *site,
                                   const struct reduce_call *call, clfold_op op,
                                   cl_event *event);

#endif
