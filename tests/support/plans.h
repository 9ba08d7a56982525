/* Plans without a device: a job as a call would make it. */
#ifndef CLFOLD_TESTS_PLANS_H
#define CLFOLD_TESTS_PLANS_H

#include "plan/debug.h"
#include "plan/plan.h"
#include "plan/tuning.h"

#include <stdlib.h>

static inline void numbers_put(struct tuned_numbers *numbers, enum tuned which,
                               uint64_t value)
{
    numbers->set |= UINT32_C(1) << which;
    numbers->values[which] = value;
}

/* One of the operations that the algorithm does. */
static inline clfold_operation operation_of(enum algorithm algorithm)
{
    clfold_operation operation = CLFOLD_REDUCE;

    while (!clfold_algorithm_serves(algorithm, clfold_operation_row(operation)->family)) {
        ++operation;
    }
    return operation;
}

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

/* How many there are; ends the program if there is none. */
static inline uint32_t job_candidates(const struct job *job,
                                      struct candidate candidates[CLFOLD_MAX_CANDIDATES])
{
    const struct site site = { NULL, "job_candidates" };
    uint32_t num;

    if (clfold_plan_candidates(job, &site, candidates, &num)) {
        abort();
    }
    return num;
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

/* The algorithm's stage of it. */
static inline struct stage stage_of(struct job job, const struct candidate *candidate,
                                    uint64_t count)
{
    const struct plan plan = plan_of(job, candidate, count);

    return *clfold_plan_main(&plan);
}

static inline void stage_bytes(const struct stage *stage, uint64_t *bytes_read,
                               uint64_t *bytes_written)
{
    const struct plan plan = { .num_stages = 1, .stages = { *stage } };

    clfold_plan_bytes(&plan, bytes_read, bytes_written);
}

#endif
