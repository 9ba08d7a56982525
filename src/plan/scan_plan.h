/*
 * The plan of a scan: pure arithmetic from monoid, policy and count, as reduce_plan.h has
 * it for reductions.
 */
#ifndef CLFOLD_PLAN_SCAN_PLAN_H
#define CLFOLD_PLAN_SCAN_PLAN_H

#include "plan/memory.h"
#include "plan/monoid.h"
#include "plan/policy.h"
#include "plan/reduce_plan.h"

/* As named by clfold_fold.algorithm. */
enum scan_algorithm {
    SCAN_SINGLE_GROUP,
    SCAN_THEN_PROPAGATE,
    REDUCE_THEN_SCAN,
    SCAN_LOOKBACK,
    SCAN_CHAINED
};
#define CLFOLD_SCAN_ALGORITHMS (SCAN_CHAINED + 1)

/* Whether groups hand words to each other. */
static inline bool clfold_scan_looks_back(enum scan_algorithm algorithm)
{
    return algorithm >= SCAN_LOOKBACK;
}

/* "scan_single_group"; static. */
const char *clfold_scan_name(enum scan_algorithm algorithm);

/* What the program's text depends on, beside the monoid. */
struct scan_shape {
    enum scan_algorithm algorithm;
    bool exclusive;
    bool builtins;              /* those of clang are known to work; tile_vector */
    bool prefetch, stream;      /* tiles ahead, and past the caches: two of them */
    uint32_t anchor;            /* tiles from one anchor to the next */
    enum group_scan group_scan; /* of tile_group */
    enum memory_tier tier;      /* of look-back */
    bool fences;                /* so that it can be in place */
    uint32_t window;            /* tiles that it looks at at once */
    bool traced;
    struct tile_shape tile;
};

struct scan_plan {
    struct scan_shape shape;
    const char *row;        /* of the policy */
    uint64_t lead;          /* elements that the first tile lacks */
    uint64_t num_tiles;     /* 0: nothing to scan */
    uint64_t run;           /* tiles a group; single group: a launch */
    uint64_t num_groups;    /* of the launches over tiles */
    uint64_t blocks;        /* of tiles, each with an anchor */
    uint64_t launch_blocks; /* that one launch turns into prefixes */
    uint32_t num_launches;
    uint32_t spins;       /* looks at a tile that is not there, at most */
    bool streams;         /* results go past the caches */
    size_t scratch_bytes; /* for items a tile and the like, or descriptors */
    size_t scratch_most;  /* for those of any count up to this one */
    uint64_t bytes_read, bytes_written;
    const char *refused; /* look-back: why it cannot be; NULL: it can */
};

/* Whether it is an algorithm's name. */
bool clfold_scan_named(const char *name, enum scan_algorithm *algorithm);

/* The algorithm of a name; NULL: by policy and count, and by look-back where that can be
 * had, which is not asked here. */
clfold_status clfold_scan_choose(enum scan_algorithm *algorithm, const struct site *site,
                                 const char *name, const struct monoid *monoid,
                                 const struct device_facts *device, uint64_t count);

/* The candidates for a device, best first; returns how many. */
uint32_t clfold_scan_shapes(enum scan_algorithm algorithm, bool exclusive,
                            const struct device_facts *device,
                            const struct monoid *monoid, const struct verdict *verdict,
                            const struct plan_override *override,
                            struct scan_policy policies[CLFOLD_MAX_CANDIDATES],
                            struct scan_shape shapes[CLFOLD_MAX_CANDIDATES]);

/* `policy` and `shape` as clfold_scan_shapes gave them, side by side. */
void clfold_scan_plan_init(struct scan_plan *plan, const struct monoid *monoid,
                           const struct device_facts *device,
                           const struct scan_policy *policy,
                           const struct scan_shape *shape, const struct verdict *verdict,
                           const struct plan_override *override, uint64_t out_offset,
                           uint64_t count);

#endif
