/* Reductions of segments by offsets, in pieces of elements and ends: cl/offsets.cl. */
#ifndef CLFOLD_PLAN_PIECES_H
#define CLFOLD_PLAN_PIECES_H

#include "plan/plan.h"

void clfold_plan_pieces(struct plan *plan, const struct job *job,
                        const struct policy *policy);

/* Elements and ends that a call may have. */
uint64_t clfold_most_places(const struct device_facts *device);

/* Launch `number` of the two; `work` false: on nothing. */
void clfold_launch_pieces(const struct plan *plan, uint32_t number, bool work,
                          struct launch *launch);

#endif
