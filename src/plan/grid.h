/*
 * How many groups, and how many items for each of their work-items.
 *
 * Brent's theorem (1974): P processors do S operations whose longest chain is D in at
 * most S / P + D steps. A tree over n items alone has D = log2 n, so with P = n / log2 n
 * processors each may fold log2 n items in sequence first, for nothing. More processors
 * than the device runs at once are an illusion: below that number the logarithm decides,
 * above it n does.
 */
#ifndef CLFOLD_PLAN_GRID_H
#define CLFOLD_PLAN_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* All at least 1, the last two at least 0. The groups are the policy's constant: the
 * number of compute units changes with a driver's workers, and float bits depend on the
 * grid. */
struct grid_rule {
    uint64_t full;        /* groups that fill the device */
    uint64_t lanes;       /* work-items a group, or the lanes of a lone one */
    uint64_t vector;      /* items are a multiple of it */
    uint64_t least_items; /* a lane is not worth starting for fewer */
    uint64_t most_items;  /* a lane must not fold more at once; 0: any number */
};

struct grid {
    uint64_t saturating; /* lanes that fill the device */
    uint64_t least;      /* items a lane folds if lanes are plenty */
    uint64_t items;      /* a lane: groups * lanes * items >= count */
    /* At least 1, and no more than fill the device unless most_items wants it. None is
     * without an item, unless count is 0. */
    uint64_t groups;
    bool cut; /* most_items decides */
};

void clfold_grid_init(struct grid *grid, const struct grid_rule *rule, uint64_t count);

#endif
