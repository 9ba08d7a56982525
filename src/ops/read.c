#include "ops/read.h"

/* Waits for the read's own event as well: where threads share a queue and another one
 * flushes it, rusticl (Mesa 22.3) returns from a blocking read too early. */
clfold_status clfold_read(const struct site *site, cl_command_queue queue, cl_mem mem,
                          size_t offset, size_t size, void *host, cl_uint num_wait,
                          const cl_event *wait)
{
    cl_event done = NULL;
    cl_int status = clEnqueueReadBuffer(queue, mem, CL_TRUE, offset, size, host, num_wait,
                                        wait, &done);

    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clEnqueueReadBuffer");
    }
    status = clWaitForEvents(1, &done);
    CLFOLD_RELEASE(site->log, Event, done);
    return clfold_fail_call(site, status, "clWaitForEvents");
}
