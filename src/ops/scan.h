/* A scan whose arguments are checked. */
#ifndef CLFOLD_OPS_SCAN_H
#define CLFOLD_OPS_SCAN_H

#include "ops/args.h"
#include "ops/chain.h"
#include "ops/program.h"
#include "plan/scan_plan.h"

struct scan_call {
    const struct monoid *monoid;
    enum scan_algorithm algorithm;
    bool named;             /* by the caller, so that nothing else will do */
    struct verdict verdict; /* of look-back */
    bool unproven;          /* that is only what the device offers */
    const char *given_up;   /* look-back, that nobody named: why; or NULL */
    const struct scan_trace *trace;
    bool exclusive;
    bool in_place;
    cl_command_queue queue;
    bool in_order;
    cl_mem in;
    size_t in_offset;
    cl_mem out;
    size_t out_offset;
    size_t count;
    struct init init;
    clfold_place total;
    cl_uint num_wait;
    const cl_event *wait;
};

/* Checks a call of which queue, buffers, offsets, count, kind and waits are given, and
 * enqueues it. */
clfold_status clfold_scan_fold(clfold_context *context, const struct site *site,
                               const clfold_fold *fold, const struct scan_call *asked,
                               cl_event *event);

/* What its scratch is used for. */
enum scratch_kind clfold_scan_scratch(const struct scan_plan *plan);

/*
 * As the functions of the same names in reduce.h. On what a look-back relies is settled
 * here: the first call probes the device, if nothing is known of it yet, and one that is
 * only foreseen does not, and tells what is known. A look-back that cannot be becomes
 * another strategy, or is refused where the caller named it.
 */
clfold_status clfold_scan_find(clfold_context *context, const struct site *site,
                               struct scan_call *call, struct scan_plan *plan,
                               struct program **program);
clfold_status clfold_scan_foresee(clfold_context *context, const struct site *site,
                                  struct scan_call *call, struct scan_plan *plan,
                                  uint32_t *dropped, struct findings *findings);
clfold_status clfold_scan_enqueue(clfold_context *context, const struct site *site,
                                  struct scan_call *call, cl_event *event);
clfold_status clfold_scan_rehearse(const struct site *site, const struct scan_call *call,
                                   const struct scan_plan *plan, struct kernels *kernels,
                                   const struct block *scratch);

#endif
