/* Settings that tests and benches force. In production a context's and a job's are NULL.
 */
#ifndef CLFOLD_PLAN_DEBUG_H
#define CLFOLD_PLAN_DEBUG_H

#include "plan/memory.h"
#include "plan/policy.h"

/* A member that is 0 changes nothing. */
struct debug {
    /* Replace the policy's numbers, for all candidates; other kinds of tile are left out.
     */
    enum tile_kind tile;
    uint32_t tile_elements, group_size, max_groups;
    uint32_t ahead;          /* elements, where the compiler can ask for them */
    uint64_t stream_bytes;   /* of output, where the compiler can store past the caches */
    uint32_t anchor, window; /* of scans */
    uint32_t spins;          /* 1 and the bound */
    /* of look-back's memory */
    enum memory_tier tier; /* as if the probe had said so */
    uint8_t probes;        /* tries of a tier; known devices too */
    /* Text after memory.cl of each tier, while it is probed; NULL: none. */
    const char *broken[CLFOLD_MEMORY_TIERS];
    uint32_t first_epoch; /* of words that are made from now on */
    cl_mem trace;         /* of look-back: a clfold_tile_trace for each tile */
};

/* Never NULL. */
static inline const struct debug *clfold_debug(const struct debug *debug)
{
    static const struct debug none;

    return debug ? debug : &none;
}

/* Forces a policy's numbers. `element`: bytes of one, as tile_bytes counts them;
 * `in_size`: bytes of one in the input. False: another kind of tile is forced. */
bool clfold_debug_apply(const struct debug *debug, struct policy *policy, size_t element,
                        size_t in_size);

#endif
