#include "ops/chain.h"

/* The caller's events and the scratch's one are joined by a marker: a wait list is an
 * array, and the caller's is not ours to extend. */
static clfold_status launch_first(struct chain *chain, cl_kernel kernel, size_t global,
                                  size_t local, cl_event *event)
{
    cl_event both[2] = { chain->after, NULL };
    cl_int status;

    if (!chain->after) {
        return clEnqueueNDRangeKernel(chain->queue, kernel, 1, NULL, &global, &local,
                                      chain->num_wait, chain->wait, event);
    }
    if (chain->num_wait > 0) {
        status = clEnqueueMarkerWithWaitList(chain->queue, chain->num_wait, chain->wait,
                                             &both[1]);
        if (status != CL_SUCCESS) {
            return status;
        }
    }
    status = clEnqueueNDRangeKernel(chain->queue, kernel, 1, NULL, &global, &local,
                                    both[1] ? 2 : 1, both, event);
    if (both[1]) {
        clfold_log_call(chain->site->log, clReleaseEvent(both[1]), "clReleaseEvent");
    }
    return status;
}

clfold_status clfold_chain_launch(struct chain *chain, cl_kernel kernel,
                                  size_t group_size, uint64_t num_groups,
                                  bool wants_event)
{
    size_t global = (size_t)num_groups * group_size;
    cl_event event = NULL;
    cl_event *to = wants_event || !chain->in_order ? &event : NULL;
    cl_int status;

    if (chain->started) {
        status = clEnqueueNDRangeKernel(chain->queue, kernel, 1, NULL, &global,
                                        &group_size, chain->last ? 1 : 0,
                                        chain->last ? &chain->last : NULL, to);
    } else {
        status = launch_first(chain, kernel, global, group_size, to);
    }
    if (status != CL_SUCCESS) {
        return clfold_fail_call(chain->site, status, "clEnqueueNDRangeKernel");
    }
    chain->started = true;
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
