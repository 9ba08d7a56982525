#include "ladder_counts.h"

#include <stdbool.h>

enum { WIDTH = 32, BANKS = 32 };

/* Whether work-item `item` acts in the step of this stride, and on which pair: *left and
 * *left + stride. For a group that is no power of two each tree has its guard. */
static bool acts(enum tree tree, size_t group_size, size_t stride, size_t item,
                 size_t *left)
{
    switch (tree) {
    case TREE_NEIGHBOURS:
        *left = item;
        return item % (2 * stride) == 0 && item + stride < group_size;
    case TREE_PACKED:
        *left = 2 * stride * item;
        return *left + stride < group_size;
    case TREE_HALVES:
        break;
    }
    *left = item;
    return item < stride && item + stride < group_size;
}

/* How many turns the banks need to serve one access of a sub-group: the most words that
 * one bank is asked for. No two work-items ask for the same word here. */
static size_t turns_of(const size_t *words, size_t count)
{
    size_t asked[BANKS] = { 0 }, most = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t turns = ++asked[words[i] % BANKS];
        most = turns > most ? turns : most;
    }
    return most;
}

static void play_sub_group(struct ladder_counts *counts, enum tree tree,
                           size_t group_size, size_t stride, size_t first)
{
    const size_t end = first + WIDTH < group_size ? first + WIDTH : group_size;
    size_t left[WIDTH], right[WIDTH], active = 0;

    for (size_t item = first; item < end; item++) {
        if (acts(tree, group_size, stride, item, &left[active])) {
            right[active] = left[active] + stride;
            active++;
        }
    }
    if (active == 0) {
        return;
    }
    /* x[left] is read and written, x[right] read. A lane that the group does not fill
     * idles as one that the guard holds back. */
    const size_t turns = 2 * turns_of(left, active) + turns_of(right, active);
    counts->combines += active;
    counts->busy++;
    counts->mixed += active < WIDTH;
    counts->cycles += turns;
    counts->replays += turns - 3;
}

struct ladder_counts ladder_counts_play(enum tree tree, size_t group_size)
{
    struct ladder_counts counts = { .barriers = 1 };
    size_t rounded = 1; /* up to a power of two */

    while (rounded < group_size) {
        rounded *= 2;
    }
    for (size_t reach = 1; reach < rounded; reach *= 2) {
        const size_t stride = tree == TREE_HALVES ? rounded / (2 * reach) : reach;
        for (size_t first = 0; first < group_size; first += WIDTH) {
            play_sub_group(&counts, tree, group_size, stride, first);
        }
        counts.steps++;
        counts.barriers++;
    }
    return counts;
}
