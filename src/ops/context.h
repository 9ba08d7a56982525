/* The context's inside. */
#ifndef CLFOLD_OPS_CONTEXT_H
#define CLFOLD_OPS_CONTEXT_H

#include "device/cache.h"
#include "device/caps.h"
#include "device/scratch.h"
#include "plan/reduce_plan.h"

#include <stdatomic.h>

struct clfold_context {
    struct log log;
    cl_context context;
    cl_device_id device;
    struct caps caps;
    struct cache cache;
    struct scratch scratch;
    struct plan_override override; /* tests and benches only */
    uint32_t verify_every;
    _Atomic uint64_t calls;
    _Atomic uint64_t verifiable; /* of those, one in verify_every is checked */
};

#endif
