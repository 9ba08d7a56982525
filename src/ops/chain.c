#include "ops/chain.h"

/* A barrier holds back later commands too, so it comes last before the launch. */
static clfold_status begin(struct chain *chain)
{
    chain->started = true;
    if (!chain->behind_all || chain->in_order) {
        return CLFOLD_OK;
    }
    return clfold_fail_call(chain->site,
                            clEnqueueBarrierWithWaitList(chain->queue, 0, NULL, NULL),
                            "clEnqueueBarrierWithWaitList");
}

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
    } else if ((status = begin(chain))) {
        return status;
    }
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
    if (chain->last) {
        clfold_log_call(chain->site->log, clReleaseEvent(chain->last), "clReleaseEvent");
        chain->last = NULL;
    }
}
