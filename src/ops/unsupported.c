/* Calls of later versions: each fails with a sentence that names it. */
#include "ops/check.h"

/* Their parameters are unused. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

static clfold_status unsupported(const clfold_context *context, const char *function,
                                 cl_event *event)
{
    struct site site = clfold_site(context, NULL, function);

    if (event) {
        *event = NULL;
    }
    return clfold_fail(&site, CLFOLD_ERROR_UNSUPPORTED, "not in this version");
}

clfold_status clfold_select(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, cl_mem num, size_t num_offset,
                            size_t count, cl_uint num_wait, const cl_event *wait,
                            cl_event *event)
{
    return unsupported(context, "clfold_select", event);
}

clfold_status clfold_partition(clfold_context *context, cl_command_queue queue,
                               const clfold_fold *fold, cl_mem in, size_t in_offset,
                               cl_mem out, size_t out_offset, cl_mem rest,
                               size_t rest_offset, cl_mem num, size_t num_offset,
                               size_t count, cl_uint num_wait, const cl_event *wait,
                               cl_event *event)
{
    return unsupported(context, "clfold_partition", event);
}

clfold_status clfold_unique(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, cl_mem num, size_t num_offset,
                            size_t count, cl_uint num_wait, const cl_event *wait,
                            cl_event *event)
{
    return unsupported(context, "clfold_unique", event);
}

clfold_status clfold_run_length_encode(clfold_context *context, cl_command_queue queue,
                                       const clfold_fold *fold, cl_mem in,
                                       size_t in_offset, cl_mem values,
                                       size_t values_offset, cl_mem lengths,
                                       size_t lengths_offset, cl_mem num,
                                       size_t num_offset, size_t count, cl_uint num_wait,
                                       const cl_event *wait, cl_event *event)
{
    return unsupported(context, "clfold_run_length_encode", event);
}

clfold_status clfold_run_length_decode(clfold_context *context, cl_command_queue queue,
                                       const clfold_fold *fold, cl_mem values,
                                       size_t values_offset, cl_mem lengths,
                                       size_t lengths_offset, cl_mem out,
                                       size_t out_offset, size_t capacity, size_t count,
                                       cl_uint num_wait, const cl_event *wait,
                                       cl_event *event)
{
    return unsupported(context, "clfold_run_length_decode", event);
}
