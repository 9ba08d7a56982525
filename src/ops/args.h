/*
 * Kernel arguments. A kernel object keeps them from one launch to the next, and a scalar
 * that it has already is not set again: some drivers take as long for each as the
 * launch's own work (Intel's CPU runtime 2026.22, AMD EPYC, 2026-11-22: 38 ns each of 13,
 * by host clock). Memory objects always are, since a handle comes again for another
 * object.
 */
#ifndef CLFOLD_OPS_ARGS_H
#define CLFOLD_OPS_ARGS_H

#include "base/error.h"
#include "device/cache.h"

#include <stdbool.h>

struct request;

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

/* Sets all that the launch's kernel takes. */
clfold_status clfold_set_arguments(const struct site *site, struct kernels *kernels,
                                   const struct launch *launch,
                                   const struct request *request);

#endif
