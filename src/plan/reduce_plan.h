/*
 * The plan of a reduction: pure arithmetic from monoid, policy and count.
 *
 * Its shape goes into the program's text; the rest goes into kernel arguments and launch
 * sizes, so one program serves every count.
 */
#ifndef CLFOLD_PLAN_REDUCE_PLAN_H
#define CLFOLD_PLAN_REDUCE_PLAN_H

#include "plan/grid.h"
#include "plan/memory.h"
#include "plan/monoid.h"
#include "plan/policy.h"

/* As named by clfold_fold.algorithm: reduce_tiles, and the rungs of reduce_ladder.cl. */
enum reduce_algorithm { REDUCE_TILES, REDUCE_0, REDUCE_6 = REDUCE_0 + 6 };
#define CLFOLD_REDUCE_ALGORITHMS (REDUCE_6 + 1)

/* "reduce_tiles", "reduce0"; static. */
const char *clfold_reduce_name(enum reduce_algorithm algorithm);

/* What takes the place of the policy's choice. `tuned` changes the first candidate; the
 * rest is for tests and benches, and goes before: what is not zero holds for all of them,
 * and a forced tile kind is the only candidate. */
struct plan_override {
    const struct tuned_numbers *tuned; /* of a tuning file, see tuning.h; NULL: none */
    enum tile_kind tile;
    uint32_t tile_elements, group_size, max_groups;
    /* Of scans. */
    uint32_t anchor, window;
    enum memory_tier tier;          /* as if the probe had said so */
    uint32_t spins;                 /* 1 and the bound */
    uint32_t first_epoch;           /* of words that are made from now on */
    const struct scan_trace *trace; /* of look-back, see ops/internal.h */
    uint8_t probes; /* tries of a tier; known devices too; 0: as it is without tests */
    uint64_t tune_bytes;                 /* of clfold_tune's buffers */
    uint8_t broken[CLFOLD_MEMORY_TIERS]; /* while it is probed: CLFOLD_BROKEN of each */
};

struct tile_shape {
    enum tile_kind kind; /* TILE_NONE: a rung */
    uint32_t elements;   /* a tile */
    uint32_t group_size; /* work-items */
};

struct reduce_shape {
    enum reduce_algorithm algorithm;
    struct tile_shape tile;
};

struct reduce_plan {
    struct reduce_shape shape;
    const char *row; /* of the policy */
    bool has_grid;   /* reduce_tiles and reduce6, which fold many items in sequence */
    struct grid grid;
    uint64_t items;        /* a work-item folds, in the first launch */
    uint64_t partials;     /* that a group folds in later launches, at most; has_grid */
    uint64_t num_groups;   /* of the first launch; 1: there is no second one */
    uint32_t num_launches; /* has_grid: at most 2, unless the device limits rounds */
    size_t scratch_bytes;  /* for the partials */
    size_t scratch_most;   /* for those of any count up to this one */
    uint64_t bytes_read, bytes_written;
};

/* The algorithm of a name, NULL: by policy. Refuses what is unknown, and what the rung
 * cannot do: rungs 2 to 6 reorder, and all need two work-items a group. */
clfold_status clfold_reduce_choose(enum reduce_algorithm *algorithm,
                                   const struct site *site, const char *name,
                                   const struct monoid *monoid,
                                   const struct device_facts *device,
                                   const struct plan_override *override);

/* The candidates for a device, best first; returns how many. */
uint32_t clfold_reduce_shapes(enum reduce_algorithm algorithm,
                              const struct device_facts *device,
                              const struct monoid *monoid,
                              const struct plan_override *override,
                              struct policy policies[CLFOLD_MAX_CANDIDATES],
                              struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES]);

/* `policy` and `shape` as clfold_reduce_shapes gave them, side by side. */
void clfold_reduce_plan_init(struct reduce_plan *plan, const struct monoid *monoid,
                             const struct device_facts *device,
                             const struct policy *policy,
                             const struct reduce_shape *shape, uint64_t count);

/* The groups of launch `pass`, which folds `count` elements or partials. */
uint64_t clfold_reduce_groups(const struct reduce_plan *plan, uint32_t pass,
                              uint64_t count);

#endif
