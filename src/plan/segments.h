/*
 * Runs as cl/segments.cl draws them: a whole input, rows, or columns that lie side by
 * side in blocks, cut into what one group or lane folds at a time. The folds of a
 * launch's runs are the next one's elements.
 */
#ifndef CLFOLD_PLAN_SEGMENTS_H
#define CLFOLD_PLAN_SEGMENTS_H

#include "base/size.h"

/* In elements. */
struct rows {
    uint64_t width;  /* from one of its elements to the next; 1: rows; 0: no segments */
    uint64_t length; /* of each, but for the last row of a count that ends inside it */
};

/* Without segments all elements are one. */
static inline struct rows clfold_segments_or_one(struct rows segments)
{
    return segments.width > 0 ? segments : (struct rows){ 1, UINT64_MAX };
}

/* How `count` elements are cut into runs. */
struct cut {
    uint64_t count;
    struct rows segments;
    uint64_t num_segments;
    uint64_t lead;     /* elements that the first run of a whole input lacks */
    uint64_t run;      /* elements, at most */
    uint64_t runs;     /* of a segment, at least 1 */
    uint64_t num_runs; /* of all */
};

/* A whole input, segments.width 0, is one row, even if it is empty. */
static inline struct cut clfold_cut(uint64_t count, struct rows segments, uint64_t run,
                                    uint64_t lead)
{
    bool is_whole = segments.width == 0;
    struct rows s = is_whole ? (struct rows){ 1, count > 0 ? count : 1 } : segments;
    uint64_t product = s.length * s.width, block = product > 0 ? product : 1;
    uint64_t rest = count % block;
    struct cut cut = { .count = count, .segments = s, .lead = lead, .run = run };

    /* A rest is a row's. */
    cut.runs = clfold_div_up(s.length + lead, run);
    cut.num_segments = is_whole ? 1 : count / block * s.width + (rest > 0);
    cut.num_runs = count / block * cut.runs * s.width + clfold_div_up(rest, run);
    return cut;
}

/* The same of the folds of the runs. */
static inline struct cut clfold_cut_again(const struct cut *cut, uint64_t run)
{
    return clfold_cut(cut->num_runs, (struct rows){ cut->segments.width, cut->runs }, run,
                      0);
}

static inline uint64_t clfold_num_segments(uint64_t count, struct rows segments)
{
    return clfold_cut(count, segments, segments.length > 0 ? segments.length : 1, 0)
        .num_segments;
}

#endif
