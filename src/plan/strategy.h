/* The functions of a family of algorithms that plan.c calls, see reduce_plan.c,
 * scan_plan.c, serial_plan.c and map_plan.c. */
#ifndef CLFOLD_PLAN_STRATEGY_H
#define CLFOLD_PLAN_STRATEGY_H

#include "plan/plan.h"

struct strategy {
    /* Bytes of an element, as a policy's tile_bytes counts them. */
    size_t (*element)(const struct monoid *monoid);
    /* The algorithm by policy and count; NULL: of a family that is only named. */
    enum algorithm (*choose)(const struct job *job);
    /* Rejects a named algorithm that cannot do the job, or takes a simpler one; NULL: can
     * do any. */
    clfold_status (*check)(struct job *job, const struct site *site);
    /* The tile and the rest of the shape; the algorithm is set. */
    void (*shape)(struct shape *shape, const struct job *job,
                  const struct policy *policy);
    /* The rest of the plan; the shape, the count and sizes are set. */
    void (*plan)(struct plan *plan, const struct job *job, const struct policy *policy);
    /* The kernel of launch `number`; NULL: there is one. */
    uint32_t (*kernel)(const struct plan *plan, uint32_t number);
    /* The numbers, groups and bytes of launch `number`; `work` false: on nothing. The
     * kernel, one group, and the numbers that are members of the plan are set. */
    void (*launch)(const struct plan *plan, uint32_t number, bool work,
                   struct launch *launch);
};

extern const struct strategy clfold_reduce_strategy, clfold_scan_strategy,
    clfold_serial_strategy, clfold_map_strategy;

/* The launches that come first by offsets, see mark_plan.c: how many there are, and the
 * numbers, groups and bytes of kernel 0, 1, ..., as `launch` above. */
void clfold_marks_init(struct marks *marks, const struct job *job, uint32_t group_size);
void clfold_marks_launch(const struct marks *marks, uint32_t kernel, bool work,
                         struct launch *launch);

/* Runs, or bundles of lanes, that a group takes, where there are that many: one where
 * work-items must not run for long. */
void clfold_set_groups(struct plan *plan, const struct job *job, uint64_t bundles,
                       uint64_t groups);

/* The numbers that say how the elements of a launch are cut. */
void clfold_launch_cut(struct launch *launch, const struct cut *cut, bool work);

/* Elements of `size` bytes from one line of the output to the next. */
uint64_t clfold_line_elements(uint64_t size);

#endif
