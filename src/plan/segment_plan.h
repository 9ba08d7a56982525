/* What reductions and scans of segments share. */
#ifndef CLFOLD_PLAN_SEGMENT_PLAN_H
#define CLFOLD_PLAN_SEGMENT_PLAN_H

#include "plan/segments.h"
#include "plan/strategy.h"

/* Of both strategies: rows that are long enough for a tile go by tiles. */
enum algorithm clfold_segments_choose(const struct job *job);

/* Of both strategies: rejects columns for an algorithm that takes rows. */
clfold_status clfold_segments_check(struct job *job, const struct site *site);

/* The tile of an algorithm by lanes; an element has that many bytes. */
void clfold_shape_lanes(struct shape *shape, const struct job *job,
                        const struct policy *policy, size_t element);

/* Elements of a run, so that that many groups have lanes; `forced`: of any length. */
uint64_t clfold_lane_run(const struct job *job, const struct shape *shape,
                         uint64_t groups, bool forced);

/* Bundles that a group takes. */
uint64_t clfold_bundles_each(const struct job *job, uint64_t bundles, uint64_t groups);

/* The numbers of CLFOLD_CUT_PARAMS, and that of runs. */
void clfold_launch_cut(struct launch *launch, const struct cut *cut, bool work);

#endif
