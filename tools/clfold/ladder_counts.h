/*
 * What one work-group does in the tree of a rung, counted as its work-items would do it
 * on a device with sub-groups of 32 and a local memory of 32 banks of 4 bytes.
 */
#ifndef CLFOLD_COMMAND_LADDER_COUNTS_H
#define CLFOLD_COMMAND_LADDER_COUNTS_H

#include <stddef.h>

enum tree {
    TREE_NEIGHBOURS, /* reduce0: work-item l acts when 2s divides l */
    TREE_PACKED,     /* reduce1: the same pairs, by the first work-items */
    TREE_HALVES      /* reduce2 to reduce6: x[l] with x[l + s], s = half the rest */
};

struct ladder_counts {
    size_t steps;
    size_t barriers; /* one after the load, and one a step */
    size_t combines;
    size_t busy;    /* sub-group-steps with work */
    size_t mixed;   /* of these, with an idle work-item in them */
    size_t replays; /* turns of a local access beyond its first */
    size_t cycles;  /* turns of all local accesses: three a combine */
};

struct ladder_counts ladder_counts_play(enum tree tree, size_t group_size);

#endif
