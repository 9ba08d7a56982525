/* Runs a plan. */
#ifndef CLFOLD_OPS_RUN_H
#define CLFOLD_OPS_RUN_H

#include "ops/program.h"

/* Blocks that a call is lent, or NULL: the algorithm's scratch, what stages hand over,
 * and what a rehearsal writes. */
enum { LENT_SCRATCH, LENT_HANDED, LENT_RESULT, NUM_LENT };
struct lent {
    struct block *of[NUM_LENT];
};

/* Enqueues all launches of the plan. *event, if asked for, is the last one's, and the
 * caller's. */
clfold_status clfold_run(const struct request *request, const struct planned *planned,
                         cl_event *event);

/* Runs each kernel of the plan on nothing, with one group, in an order that a call would
 * never take. Blocks. */
clfold_status clfold_run_rehearsal(const struct request *request,
                                   const struct planned *planned,
                                   const struct lent *lent);

/* Lends blocks of these sizes, or all or none, the scratch of that kind, to the queue or
 * as clfold_scratch_lend says; and takes them back, in use until the event, or NULL. */
clfold_status clfold_lend(const struct request *request, cl_command_queue queue,
                          enum scratch_kind kind, const size_t sizes[NUM_LENT],
                          struct lent *lent);
clfold_status clfold_give_back(const struct request *request, const struct lent *lent,
                               cl_event last);

#endif
