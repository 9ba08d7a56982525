/*
 * Two that are timed in turns, so that noise of the machine meets both alike. What counts
 * are the ratios within rounds:
 *
 *   round      0     1     2
 *   turns     a b   b a   a b      ratio: a's seconds over b's, b's speed over a's
 */
#ifndef CLFOLD_COMMAND_PAIR_H
#define CLFOLD_COMMAND_PAIR_H

#include <stdbool.h>
#include <stddef.h>

enum { PAIR_MOST = 101 };

struct pair {
    double a[PAIR_MOST], b[PAIR_MOST]; /* seconds */
    size_t num;                        /* rounds */
};

/* The seconds of one turn, of a or of b; false: it failed. */
typedef bool pair_time(void *user, bool is_b, double *seconds);

/* One round more, which does not count if one of them fails. */
bool pair_round(struct pair *pair, pair_time *time, void *user);

/* The median of the ratios, and the bounds that the median of endless rounds is between
 * in 19 of 20 cases, whatever the noise: between ratios so far from the middle that no
 * more than chance is beyond them. Few rounds make them wide. */
struct pair_ratio {
    double median, low, high;
};

/* Of one round or more. */
struct pair_ratio pair_ratio(const struct pair *pair);

#endif
