/*
 * The state of a call: its arguments, then what the steps found. Every step takes one:
 *
 *   clfold_request_fold     checks the fold, interns it, chooses the algorithm
 *   clfold_request_check    checks the rest: queue, waits, buffers, init, total
 *   clfold_request_find     plans, finds or builds the program
 *   clfold_run              lends scratch, sets arguments, enqueues
 */
#ifndef CLFOLD_OPS_REQUEST_H
#define CLFOLD_OPS_REQUEST_H

#include "ops/args.h"
#include "ops/context.h"
#include "plan/facet.h"

/* Blocks that a call is lent, or NULL: the algorithm's scratch, bits of offsets, and what
 * a rehearsal writes. */
enum { LENT_SCRATCH, LENT_HEADS, LENT_RESULT, NUM_LENT };
struct lent {
    struct block *of[NUM_LENT];
};

struct request {
    struct job job;
    uint64_t bits;                   /* of facets that are given, and of the call */
    clfold_place places[NUM_PLACES]; /* those that are given */
    struct interned *fold;           /* whose monoid the job has */
    const clfold_arg *args;          /* the fold's */
    size_t num_args;
    cl_mem trace;     /* of look-back, or NULL */
    const char *name; /* the fold's, or "" */
    uint64_t number;  /* of the call on its context, from 1 */
    bool named;       /* the algorithm, so that no other may replace it */
    cl_command_queue queue;
    bool in_order;
    bool behind_all; /* waits for all commands that the queue has, in order or not */
    bool to_host;    /* `out` is clfold's own, and is set after the checks */
    cl_mem in, out;
    size_t in_offset, out_offset;
    struct init init;
    uint64_t first, whole; /* of a part; zeros: this is the whole */
    struct init carry; /* in front of the part, if its fold is lifted; else it is init */
    cl_uint num_wait;
    const cl_event *wait;
    /* found out about a look-back */
    enum obstacle obstacle; /* another algorithm took its place */
    bool unproven;          /* its memory is only what the device offers */
};

/* The operation and the count are set. On success the request holds the fold, until
 * clfold_request_finish. */
clfold_status clfold_request_fold(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_fold *fold);

/* The same for a fold that is interned, by the algorithm of that name or NULL. */
clfold_status clfold_request_choose(struct request *request, const struct site *site,
                                    const clfold_context *context, struct interned *fold,
                                    const char *algorithm);

static inline bool clfold_given(const struct request *request, enum facet facet)
{
    return clfold_has(request->bits, (int)facet);
}

/* Ends the hold, and drops what is past the context's max_programs. */
void clfold_request_finish(const struct request *request, clfold_context *context);

clfold_status clfold_request_check(struct request *request, const struct site *site,
                                   const clfold_context *context);

/* A check that clfold_prepare makes too: a reduction of no elements needs a result. */
clfold_status clfold_request_check_empty(const struct request *request,
                                         const struct site *site);

/*
 * Plans the call, and finds or builds its program. A program that does not build drops to
 * the next candidate; with none left the last one's failure is the call's. Look-back
 * needs the device's memory guarantees: the first one probes the device, if nothing is
 * known of it yet. If look-back is impossible, another algorithm takes its place, or the
 * call is rejected if the caller named it.
 */
clfold_status clfold_request_find(struct request *request, const struct site *site,
                                  clfold_context *context, struct plan *plan,
                                  struct program **program);

/* The same without building or probing, from known facts. *dropped is the number of
 * candidates that failed to build. */
clfold_status clfold_request_foresee(struct request *request, const struct site *site,
                                     clfold_context *context, struct plan *plan,
                                     uint32_t *dropped, struct findings *findings);

/* Enqueues all launches of the plan. *event, if asked for, is the last one's, and the
 * caller's. */
clfold_status clfold_run(const struct request *request, const struct site *site,
                         clfold_context *context, const struct plan *plan,
                         struct program *program, cl_event *event);

/* Runs each kernel of the plan on nothing, with one group, in an order that a call would
 * never take. Blocks. */
clfold_status clfold_run_rehearsal(const struct request *request, const struct site *site,
                                   const struct plan *plan, struct kernels *kernels,
                                   const struct lent *lent);

/* Lends blocks of these sizes, or all or none, the scratch of that kind; and takes them
 * back, in use until the event, or NULL. */
clfold_status clfold_lend(clfold_context *context, const struct site *site,
                          cl_command_queue queue, bool in_order, enum scratch_kind kind,
                          const size_t sizes[NUM_LENT], struct lent *lent);
clfold_status clfold_give_back(clfold_context *context, const struct site *site,
                               const struct lent *lent, cl_event last);

/* Checks a call of a built-in fold, of which operation, count, queue, buffers, offsets
 * and waits are given, and sends it on. */
clfold_status clfold_call(struct request *request, const struct site *site,
                          clfold_context *context, const clfold_fold *fold,
                          cl_event *event);

/* Finds and runs. */
clfold_status clfold_request_run(struct request *request, const struct site *site,
                                 clfold_context *context, cl_event *event);

/* Whether verify_every counts the call: a reduction whose result has known scalars, which
 * rounding does not hide. */
bool clfold_request_verifiable(const struct request *request);

/* The same with a check of the result. Blocks. */
clfold_status clfold_request_verify(struct request *request, const struct site *site,
                                    clfold_context *context, cl_event *event);

#endif
