/*
 * Segments as cl/segments.cl draws them: rows, or columns that lie side by side in
 * blocks. Each launch cuts them into runs, whose folds are the next one's elements.
 */
#ifndef CLFOLD_PLAN_SEGMENTS_H
#define CLFOLD_PLAN_SEGMENTS_H

#include "base/size.h"

/* In elements. */
struct segments {
    uint64_t width;  /* from one of its elements to the next; 1: rows; 0: no segments */
    uint64_t length; /* of each, but for the last row of a count that ends inside it */
};

/* Without segments all elements are one. */
static inline struct segments clfold_segments_or_one(struct segments segments)
{
    return segments.width > 0 ? segments : (struct segments){ 1, UINT64_MAX };
}

/* How `count` elements are cut into runs. */
struct cut {
    uint64_t count;
    struct segments segments;
    uint64_t run;      /* elements, at most */
    uint64_t runs;     /* of a segment */
    uint64_t num_runs; /* of all */
};

static inline struct cut clfold_cut(uint64_t count, struct segments segments,
                                    uint64_t run)
{
    uint64_t block = segments.length * segments.width;
    struct cut cut = { count, segments, run, clfold_div_up(segments.length, run), 0 };

    /* A rest is a row's. */
    cut.num_runs =
        count / block * cut.runs * segments.width + clfold_div_up(count % block, run);
    return cut;
}

/* The same of the folds of the runs. */
static inline struct cut clfold_cut_again(const struct cut *cut, uint64_t run)
{
    return clfold_cut(cut->num_runs, (struct segments){ cut->segments.width, cut->runs },
                      run);
}

static inline uint64_t clfold_num_segments(uint64_t count, struct segments segments)
{
    return clfold_cut(count, segments, segments.length).num_runs;
}

#endif
