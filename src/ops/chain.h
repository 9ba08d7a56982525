/*
 * The launches of one call, one after the other on any kind of queue: on an out-of-order
 * queue events order them.
 *
 *   in order        wait list -> launch    launch    launch -> event, where wanted
 *   out of order    wait list -> launch -> launch -> launch -> event
 */
#ifndef CLFOLD_OPS_CHAIN_H
#define CLFOLD_OPS_CHAIN_H

#include "base/error.h"

#include <CL/cl.h>

#include <stdbool.h>

struct chain {
    const struct site *site;
    cl_command_queue queue;
    bool in_order;
    cl_uint num_wait;
    const cl_event *wait; /* the caller's */
    bool behind_all;      /* the first launch waits for all that the queue holds */
    bool wants_events;    /* of every launch, on an in-order queue too */
    bool started;
    cl_event last; /* the newest launch's; NULL: none, or none was wanted */
};

/* Enqueues `num_groups` groups after the chain's launches so far. On an in-order queue
 * `wants_event` says whether to make one. */
clfold_status clfold_chain_launch(struct chain *chain, cl_kernel kernel,
                                  size_t group_size, uint64_t num_groups,
                                  bool wants_event);

/* Releases the last event. */
void clfold_chain_finish(struct chain *chain);

#endif
