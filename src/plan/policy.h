/*
 * Policies: which tile a device folds with, and its numbers. A pure table, searched from
 * the exact device to a row that fits all.
 */
#ifndef CLFOLD_PLAN_POLICY_H
#define CLFOLD_PLAN_POLICY_H

#include "plan/operation.h"

#include <stddef.h>

enum tile_kind { TILE_NONE, TILE_VECTOR, TILE_GROUP, TILE_ITEM };

/* Whether a tile is one work-item's. */
static inline bool clfold_tile_is_lone(enum tile_kind kind)
{
    return kind == TILE_VECTOR || kind == TILE_ITEM;
}

/* Of an enum tile_kind: "tile_vector", as its file in cl/; "work-group" for none. */
const char *clfold_tile_name(uint32_t kind);

/* How a work-group scans an item for each work-item: CLFOLD_GROUP_SCAN of group_scan.cl.
 * Local memory: at most two items for each work-item. */
enum group_scan {
    GROUP_SCAN_RAKING = 1,
    GROUP_SCAN_SUB_GROUP /* only where the device has sub-groups */
};

/* Facts that a policy may depend on. Tiles and anchors, which float bits depend on, must
 * not depend on `units`: on some drivers they change with the number of workers. */
struct device_facts {
    bool cpu;
    const char *vendor, *name;
    uint32_t units;         /* compute units; 0: unknown */
    size_t max_group_size;  /* work-items */
    size_t local_memory;    /* bytes */
    const char *platform;   /* its name; NULL: unknown */
    bool sub_groups;        /* in the language that programs are built as */
    uint64_t most_elements; /* that a work-item may take in one launch; 0: any number */
    uint64_t cache_bytes;   /* of the one cache that OpenCL reports; 0: unknown */
};

/* Numbers are 64 bits wide, so that tuning reads and writes them in one way. */
struct policy {
    enum tile_kind tile;
    uint64_t tile_bytes; /* of input; of a scan, of input or output, whichever is wider */
    uint64_t group_size; /* work-items */
    uint64_t groups;     /* that fill the device; most plans have no more */
    uint64_t ahead_bytes; /* of input, that are asked for before they are folded, by
                             __builtin_prefetch; 0: none. What a scan does not fold ahead
                             is asked for while the tile before it is scanned. */
    size_t ahead_element; /* of no larger elements; bytes */
    const char *row;      /* the row's name, for people */
    /* reductions */
    uint64_t lane_bytes;  /* of input: a lane is not worth starting for less */
    uint64_t apart_bytes; /* of input: above, partials have a launch of their own; 0:
                             never */
    /* scans */
    uint64_t least_run;    /* tiles a group takes at least, where groups are enough */
    uint64_t anchor;       /* tiles from one anchor to the next, see scan_tiles.cl */
    uint64_t single_bytes; /* up to here one group is as fast */
    uint64_t stream_bytes; /* of output: from here on past the caches; 0: never */
    bool lasting;          /* look-back: `groups` of them go from tile to tile; else each
                              tile has a group of its own */
    uint32_t spins;  /* looks at a tile that is not there, where groups run fairly */
    uint32_t window; /* tiles looked at at once, at most; 0: as many as kernels can */
};

/* The policies for a device and elements of that size, best first: a program that does
 * not build drops to the next. Returns how many there are, at least one. */
#define CLFOLD_MAX_CANDIDATES 3
uint32_t clfold_policies(const struct device_facts *device, enum family family,
                         size_t element, struct policy candidates[CLFOLD_MAX_CANDIDATES]);

/* Makes groups and tiles no larger than rows of so many bytes ask for. */
void clfold_policies_fit(enum family family, uint64_t bytes, struct policy policies[],
                         uint32_t num);

/* The policy for the reduction ladder, which has no tile. */
struct policy clfold_policy_ladder(const struct device_facts *device);

#endif
