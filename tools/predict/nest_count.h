/*
 * What the launches of a nest do, counted sub-group by sub-group.
 *
 * Values are linear in the index of a group and in the counter of a loop, or that index
 * is bent (see nest.h) and each of its values is counted. So where the first and the last
 * of many groups take the same sides of all conditions, all between them do; and where
 * two at a distance of P touch the same places of lines of 128 bytes, all repeat after P.
 * P groups are counted and multiplied, and likewise the turns of a loop:
 *
 *   groups    0 1 2 3 4 5 6 7 ... 4094 | 4095        alike | an edge
 *   counted   0 1                      | 4095        P = 2
 *
 * The result is exact, and its cost does not grow with the number of groups.
 */
#ifndef CLFOLD_PREDICT_NEST_COUNT_H
#define CLFOLD_PREDICT_NEST_COUNT_H

#include "nest.h"

enum {
    NEST_MOST_LANES = 64,
    NEST_SECTOR = 32,
    NEST_LINE = 128,
    NEST_MOST_LAUNCHES = 4096
};

/* The part of a device that counts depend on. */
struct nest_lanes {
    int width; /* of a sub-group: up to NEST_MOST_LANES */
    int banks; /* of local memory, 4 bytes wide, up to 64 */
    int cache; /* bytes of L1, whole lines, LRU, of each group alone; 0: none */
};

/* By sub-groups, but for those that say items, which are work-items. */
enum count_cell {
    COUNT_SUB_GROUPS,
    COUNT_BARRIERS,
    COUNT_BARRIER_ITEMS,
    COUNT_BARRIER_MARKS, /* a sum that tells which barriers */
    COUNT_BRANCHES,      /* conditions met */
    COUNT_ENTERED,       /* blocks of them with a work-item in it */
    COUNT_DIVERGENT,     /* and one that is not */
    COUNT_TURNS,         /* of loops */
    COUNT_ROUNDS, /* of global loads that wait for each other, in first sub-groups */
    COUNT_LOCAL_ROUNDS,
    COUNT_OPS, /* of each class */
    COUNT_OP_ITEMS = COUNT_OPS + OP_CLASSES,
    COUNT_CELLS = COUNT_OP_ITEMS + OP_CLASSES
};

enum access_cell {
    ACCESS_REQUESTS, /* of sub-groups */
    ACCESS_ITEMS,    /* work-items in them */
    ACCESS_BYTES,    /* that these ask for */
    ACCESS_SECTORS,  /* of 32 bytes; local: none, and no lines */
    ACCESS_LINES,    /* of 128 */
    ACCESS_PASSES,   /* L1 takes 4 lines and 16 sectors in one; the banks a word each */
    ACCESS_EXTRA,    /* passes of the banks beyond the first of as many work-items */
    ACCESS_CELLS
};

struct nest_launch {
    int kernel;
    uint64_t groups[NEST_DIMS], size[NEST_DIMS];
    uint64_t num_groups, num_items; /* in all; work-items of a group */
    uint64_t local_bytes;
    int64_t facts[NEST_FACTS];            /* NEST_NONE: not told */
    int64_t strides[NEST_MOST_ACCESSES];  /* bytes from work-item 0 to 1 */
    int bytes[NEST_MOST_ARRAYS];          /* of an element */
    uint64_t footprint[NEST_MOST_ARRAYS]; /* bytes of global arrays it has; else 0 */
    uint64_t looked_up, missed; /* lines, by the loads of the group in the middle */
    uint64_t all[COUNT_CELLS];
    uint64_t accesses[NEST_MOST_ACCESSES][ACCESS_CELLS];
};

struct nest_counts {
    int num;
    struct nest_launch *launches;
    struct {
        uint64_t bytes, times;
    } transfers[NEST_MOST_TRANSFERS];
};

/* A parameter's value in place of the text's. */
struct nest_setting {
    const char *name;
    int64_t value;
};

/* Counts the launches, one after the other. *counts is to be finished, done or not. */
bool nest_count(struct nest_counts *counts, const struct nest *nest,
                const struct nest_lanes *lanes, const struct nest_setting *settings,
                int num_settings, struct nest_error *error);
void nest_counts_finish(struct nest_counts *counts);

/* What the kernel of a launch is told, or else `other`. */
double nest_told(const struct nest_launch *launch, enum nest_fact fact, double other);

/* The sum of a cell over accesses to arrays that are local or not, loads or stores. */
uint64_t nest_accesses(const struct nest *nest, const struct nest_launch *launch,
                       bool is_local, bool is_store, enum access_cell cell);
/* Of loads and stores. */
uint64_t nest_all_accesses(const struct nest *nest, const struct nest_launch *launch,
                           bool is_local, enum access_cell cell);

#endif
