/*
 * The launches of one call, one after the other on any kind of queue: on an out-of-order
 * queue events order them.
 *
 *   in order        wait list -> launch    launch    launch -> event, where wanted
 *   out of order    wait list -> launch -> launch -> launch -> event
 */
#ifndef CLFOLD_OPS_CHAIN_H
#define CLFOLD_OPS_CHAIN_H

#include "ops/state.h"

struct chain {
    const struct request *request;
    bool wants_events; /* of every launch, on an in-order queue too */
    bool started;
    cl_event last; /* the newest launch's; NULL: none, or none was wanted */
};

/* Sets all that the launch's kernel takes, and enqueues it after the chain's launches so
 * far. On an in-order queue `wants_event` says whether to make one. */
clfold_status clfold_chain_launch(struct chain *chain, struct kernels *kernels,
                                  const struct launch *launch, bool wants_event);

/* Releases the last event. */
static inline void clfold_chain_finish(struct chain *chain)
{
    CLFOLD_RELEASE(chain->request->site->log, Event, chain->last);
    chain->last = NULL;
}

/* Gives the call an in-order queue of its own, on which nothing waits; to be released. */
clfold_status clfold_own_queue(struct request *request);

/* A read that blocks, after the event, or NULL: offset and size are in bytes. */
clfold_status clfold_read(const struct request *request, cl_mem mem, size_t offset,
                          size_t size, void *host, const cl_event *wait);

#endif
