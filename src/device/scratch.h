/*
 * Device memory that is lent to one call at a time.
 *
 * A block belongs to a queue, once it has served it:
 *
 *   in-order queue       a block that is not lent is free at once, since whatever the
 *                        queue still runs comes before what is enqueued next
 *   out-of-order queue   a block is free when the last event of its last call is complete
 *
 * Otherwise another block is made, or rejected under a limit: a call never waits for a
 * block that its caller did not name. Only blocks that no command uses make room under a
 * limit, so calls pass their last event on in-order queues too, if they have one. Another
 * queue takes another block. A block retains its queue.
 *
 * Words of look-back keep their meaning from one call to the next (cl/descriptor.cl), and
 * so does a counter: such a block starts zeroed, serves nothing else, and is dropped once
 * a call that used it has failed, since its state is unknown then.
 */
#ifndef CLFOLD_DEVICE_SCRATCH_H
#define CLFOLD_DEVICE_SCRATCH_H

#include "base/error.h"
#include "base/system.h"
#include "plan/memory.h"

struct block {
    cl_mem mem;
    size_t size;
    enum scratch_kind kind;
    cl_command_queue queue; /* NULL: reserved, for the first that comes */
    cl_event last;          /* of the last call that used it, if it was told; or NULL */
    bool lent;
    bool turn; /* of its two counters: each loan takes the other one */
    struct block *next;
};

struct scratch {
    struct lock lock;
    cl_context context;
    uint64_t limit, held; /* bytes; limit 0: none */
    struct block *blocks;
    uint32_t first_epoch; /* that words begin with: 0, but for tests */
};

/* False: the system has no room for a lock. A zeroed scratch can be finished. */
static inline bool clfold_scratch_init(struct scratch *scratch, cl_context context,
                                       uint64_t limit)
{
    *scratch = (struct scratch){ .context = context, .limit = limit };
    return clfold_lock_init(&scratch->lock);
}

void clfold_scratch_finish(struct scratch *scratch, const struct log *log);

/* Lends a block of at least `size` bytes to a call on `queue`, or with NULL to one that
 * ends before it gives the block back. */
clfold_status clfold_scratch_lend(struct scratch *scratch, const struct site *site,
                                  cl_command_queue queue, bool in_order,
                                  enum scratch_kind kind, size_t size,
                                  struct block **out);

/* Ends the loan, also when it fails. `last` is the event of the last command that uses
 * the block, which is retained; it must be given for an out-of-order queue, and under a
 * limit, unless nothing was enqueued. */
clfold_status clfold_scratch_give(struct scratch *scratch, const struct site *site,
                                  struct block *block, cl_event last);

/* Ends the loan of a block that commands may still use for an unknown time: releases it,
 * which takes effect once they are done. */
void clfold_scratch_drop(struct scratch *scratch, const struct log *log,
                         struct block *block);

/* Releases what is not lent; under a limit what no command uses, since OpenCL would keep
 * the memory and nobody would count it. */
void clfold_scratch_trim(struct scratch *scratch, const struct log *log);

uint64_t clfold_scratch_held(struct scratch *scratch);

#endif
