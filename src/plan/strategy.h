/* The functions of a family of algorithms that plan.c calls, see reduce_plan.c,
 * scan_plan.c, serial_plan.c, map_plan.c and heads_plan.c. */
#ifndef CLFOLD_PLAN_STRATEGY_H
#define CLFOLD_PLAN_STRATEGY_H

#include "plan/job.h"

struct handed;
struct stage;

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
    void (*plan)(struct stage *stage, const struct job *job, const struct policy *policy);
    /* The kernel of launch `number`; NULL: as its number, up to the last. */
    uint32_t (*kernel)(const struct stage *stage, uint32_t number);
    /* The numbers, groups and bytes of launch `number`. The kernel, the numbers that are
     * members of the stage, and the groups and bytes of a launch that takes each element
     * once are set; NULL: that is all. */
    void (*launch)(const struct stage *stage, uint32_t number, struct launch *launch);
};

extern const struct strategy clfold_reduce_strategy, clfold_scan_strategy,
    clfold_serial_strategy, clfold_map_strategy, clfold_heads_strategy;

/* The shape of a stage about heads, beside one of that shape; and what it gives to others
 * and gets from them: heads_plan.c. */
struct shape clfold_heads_shape(enum algorithm algorithm, const struct job *job,
                                const struct shape *main);
void clfold_plan_hand(struct handed *handed, const struct stage *stage);

/* Elements of `size` bytes from one line of the output to the next. */
uint64_t clfold_line_elements(uint64_t size);

#endif
