/* Plans without a device: a job as a call would make it. */
#ifndef CLFOLD_TESTS_PLANS_H
#define CLFOLD_TESTS_PLANS_H

#include "plan/debug.h"
#include "plan/plan.h"

static inline struct job job_of(clfold_operation operation, enum algorithm algorithm,
                                const struct monoid *monoid,
                                const struct device_facts *device,
                                const struct debug *debug)
{
    return (struct job){ .operation = operation,
                         .algorithm = algorithm,
                         .monoid = monoid,
                         .device = device,
                         .debug = debug };
}

static inline uint32_t candidates_of(clfold_operation operation, enum algorithm algorithm,
                                     const struct monoid *monoid,
                                     const struct device_facts *device,
                                     const struct debug *debug,
                                     struct candidate candidates[CLFOLD_MAX_CANDIDATES])
{
    const struct job job = job_of(operation, algorithm, monoid, device, debug);

    return clfold_plan_candidates(&job, candidates);
}

/* Of `count` elements. */
static inline struct plan plan_of(struct job job, const struct candidate *candidate,
                                  uint64_t count)
{
    struct plan plan;

    job.count = count;
    clfold_plan_init(&plan, &job, candidate);
    return plan;
}

#endif
