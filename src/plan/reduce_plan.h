/*
 * The plan of a reduction: pure arithmetic from monoid, policy and count.
 *
 * Its shape goes into the program's text; the rest goes into kernel arguments and launch
 * sizes, so one program serves every count.
 */
#ifndef CLFOLD_PLAN_REDUCE_PLAN_H
#define CLFOLD_PLAN_REDUCE_PLAN_H

#include "plan/monoid.h"
#include "plan/policy.h"

/* For tests and benches: what is not zero takes the place of the policy's choice. A
 * forced tile kind is the only candidate. */
struct plan_override {
    enum tile_kind tile;
    uint32_t tile_elements, group_size, max_groups;
};

struct tile_shape {
    enum tile_kind kind;
    uint32_t elements;   /* a tile */
    uint32_t group_size; /* work-items */
};

struct reduce_plan {
    const char *algorithm; /* "reduce_tiles" */
    const char *row;       /* of the policy */
    struct tile_shape shape;
    uint64_t num_tiles;
    uint64_t tiles_per_group;
    uint32_t num_groups;   /* of the first launch; 1: there is no second one */
    uint32_t num_launches; /* 1 or 2 */
    size_t scratch_bytes;  /* for the partials */
    uint64_t bytes_read, bytes_written;
};

/* The candidates for a device, best first; returns how many. */
uint32_t clfold_reduce_shapes(const struct device_facts *device,
                              const struct monoid *monoid,
                              const struct plan_override *override,
                              struct policy policies[CLFOLD_MAX_CANDIDATES],
                              struct tile_shape shapes[CLFOLD_MAX_CANDIDATES]);

/* `policy` and `shape` as clfold_reduce_shapes gave them, side by side. */
void clfold_reduce_plan_init(struct reduce_plan *plan, const struct monoid *monoid,
                             const struct policy *policy, const struct tile_shape *shape,
                             uint64_t count);

#endif
