/*
 * Kernel arguments, set one after the other; the first failure stays.
 *
 * A kernel object keeps its arguments from one launch to the next, and a scalar that it
 * has already is not set again: some drivers take as long for each as the launch's own
 * work (Intel's CPU runtime 2026.22, AMD EPYC, 2026-11-22: 38 ns each of 13, by host
 * clock). Memory objects always are, since a handle comes again for another object.
 */
#ifndef CLFOLD_OPS_ARGS_H
#define CLFOLD_OPS_ARGS_H

#include "base/error.h"
#include "device/cache.h"
#include "plan/monoid.h"

#include <CL/cl.h>

#include <stdbool.h>

struct args {
    cl_kernel kernel;
    struct scalars *scalars; /* of that kernel */
    cl_uint index;
    cl_int status;
    const clfold_arg *rejected; /* the fold's own argument that failed; NULL: another */
};

static inline struct args clfold_args(struct kernels *kernels, uint32_t k)
{
    return (struct args){ .kernel = kernels->kernels[k],
                          .scalars = &kernels->scalars[k] };
}

void clfold_args_mem(struct args *args, cl_mem mem);
void clfold_args_ulong(struct args *args, uint64_t value);
void clfold_args_uint(struct args *args, uint32_t value);

/* A buffer, or `any` if there is none, and its offset in elements. */
void clfold_args_place(struct args *args, cl_mem mem, size_t offset, cl_mem any);

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

/* CLFOLD_WITH: a fold's own arguments, and for a load where the input begins, the number
 * of elements, and how segments lie. */
void clfold_args_with(struct args *args, const struct monoid *monoid,
                      const clfold_arg *user, size_t num, uint64_t in_offset,
                      uint64_t count, const struct segments *segments);

/* More of it, of a part of a larger call. */
void clfold_args_part(struct args *args, const struct monoid *monoid, uint64_t first,
                      const clfold_place *carry_out, cl_mem any);

/* The rest of it, CLFOLD_HEAD_PARAMS, of a lifted fold: flags, keys or bits from
 * `offset` on, and init, which is put before each segment. */
void clfold_args_heads(struct args *args, const struct monoid *monoid, cl_mem heads,
                       size_t offset, const clfold_part *part, uint64_t count,
                       const struct init *init, cl_mem any);

/* CLFOLD_INIT_PARAMS of result.cl; `any` stands where there is no buffer. */
void clfold_args_init(struct args *args, const struct monoid *monoid,
                      const struct init *init, cl_mem any);

#endif
