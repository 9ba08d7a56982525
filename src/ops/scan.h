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
    bool exclusive;
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

/* As the functions of the same names in reduce.h. */
clfold_status clfold_scan_find(clfold_context *context, const struct site *site,
                               const struct scan_call *call, struct scan_plan *plan,
                               struct program **program);
void clfold_scan_foresee(clfold_context *context, const struct scan_call *call,
                         struct scan_plan *plan, uint32_t *dropped);
clfold_status clfold_scan_enqueue(clfold_context *context, const struct site *site,
                                  const struct scan_call *call, cl_event *event);
clfold_status clfold_scan_rehearse(const struct site *site, const struct scan_call *call,
                                   const struct scan_plan *plan,
                                   const struct kernels *kernels, cl_mem scratch);

#endif
