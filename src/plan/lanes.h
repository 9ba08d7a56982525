/* Reductions and scans by lanes: columns, and rows that are short for a tile. */
#ifndef CLFOLD_PLAN_LANES_H
#define CLFOLD_PLAN_LANES_H

#include "plan/job.h"

/* Whether an algorithm is by lanes. */
bool clfold_by_lanes(enum algorithm algorithm);

/* Whether there are segments that should go by lanes. */
bool clfold_suits_lanes(const struct job *job);

/* The tile; an element has that many bytes. */
void clfold_shape_lanes(struct shape *shape, const struct job *job,
                        const struct policy *policy, size_t element);

/* Elements of a run, so that that many groups have lanes; `forced`: of any length. */
uint64_t clfold_lane_run(const struct job *job, const struct shape *shape,
                         uint64_t groups, bool forced);

/* Bundles of runs, whose first ones clfold_bundle_first() in cl/lane_items.cl gives. */
struct lines {
    uint64_t line, part, bundles;
};

struct lines clfold_lines(const struct shape *shape, const struct cut *cut,
                          const struct job *job);

#endif
