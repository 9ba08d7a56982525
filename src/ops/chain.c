#include "ops/chain.h"

clfold_status clfold_chain_launch(struct chain *chain, cl_kernel kernel,
                                  size_t group_size, uint64_t num_groups,
                                  bool wants_event)
{
    size_t global = (size_t)num_groups * group_size;
    cl_uint num_wait = chain->num_wait;
    const cl_event *wait = chain->wait;
    cl_event event = NULL;
    cl_int status;

    if (chain->started) {
        num_wait = chain->last && !chain->in_order ? 1 : 0;
        wait = num_wait ? &chain->last : NULL;
    }
    /* A barrier holds back later commands too, so it comes last before the launch. */
    if (!chain->started && chain->behind_all && !chain->in_order &&
        (status = clEnqueueBarrierWithWaitList(chain->queue, 0, NULL, NULL))) {
        return clfold_fail_call(chain->site, status, "clEnqueueBarrierWithWaitList");
    }
    chain->started = true;
    wants_event |= chain->wants_events || !chain->in_order;
    status = clEnqueueNDRangeKernel(chain->queue, kernel, 1, NULL, &global, &group_size,
                                    num_wait, wait, wants_event ? &event : NULL);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(chain->site, status, "clEnqueueNDRangeKernel");
    }
    clfold_chain_finish(chain);
    chain->last = event;
    return CLFOLD_OK;
}

void clfold_chain_finish(struct chain *chain)
{
    CLFOLD_RELEASE(chain->site->log, Event, chain->last);
    chain->last = NULL;
}
