/* The calls that users make: each fills in a request and sends it down the road. */
#include <clfold/experimental.h>
#include "ops/check.h"
#include "ops/internal.h"
#include "ops/read.h"
#include "ops/request.h"
#include "plan/scalar.h"

#include <string.h>

/* A checked request, on its way. One in verify_every of those that can be is verified. */
static clfold_status run(struct request *request, const struct site *site,
                         clfold_context *context, cl_event *event)
{
    request->number = atomic_fetch_add(&context->calls, 1) + 1;
    if (context->verify_every && clfold_request_verifiable(request) &&
        (atomic_fetch_add(&context->verifiable, 1) + 1) % context->verify_every == 0) {
        return clfold_request_verify(request, site, context, event);
    }
    return clfold_request_run(request, site, context, event);
}

clfold_status clfold_call(struct request *request, const struct site *site,
                          clfold_context *context, const clfold_fold *fold,
                          cl_event *event)
{
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    if ((status = clfold_request_fold(request, site, context, fold))) {
        return status;
    }
    status = clfold_request_check(request, site, context);
    if (status == CLFOLD_OK) {
        status = run(request, site, context, event);
    }
    clfold_request_finish(request, context);
    return status;
}

static const char *const names[] = {
    [CLFOLD_REDUCE] = "clfold_reduce",
    [CLFOLD_INCLUSIVE_SCAN] = "clfold_inclusive_scan",
    [CLFOLD_EXCLUSIVE_SCAN] = "clfold_exclusive_scan",
    [CLFOLD_MAP] = "clfold_map",
    [CLFOLD_SELECT] = "clfold_select",
};

static struct request request_of(clfold_operation operation, cl_command_queue queue,
                                 cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t count, cl_uint num_wait,
                                 const cl_event *wait)
{
    return (struct request){
        .job = { .operation = operation, .count = count },
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
        .num_wait = num_wait,
        .wait = wait,
    };
}

static clfold_status call(clfold_operation operation, clfold_context *context,
                          cl_command_queue queue, const clfold_fold *fold, cl_mem in,
                          size_t in_offset, cl_mem out, size_t out_offset, size_t count,
                          cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, fold, names[operation]);
    struct request request = request_of(operation, queue, in, in_offset, out, out_offset,
                                        count, num_wait, wait);

    return clfold_call(&request, &site, context, fold, event);
}

clfold_status clfold_reduce(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
                            const cl_event *wait, cl_event *event)
{
    return call(CLFOLD_REDUCE, context, queue, fold, in, in_offset, out, out_offset,
                count, num_wait, wait, event);
}

clfold_status clfold_inclusive_scan(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event)
{
    return call(CLFOLD_INCLUSIVE_SCAN, context, queue, fold, in, in_offset, out,
                out_offset, count, num_wait, wait, event);
}

clfold_status clfold_exclusive_scan(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event)
{
    return call(CLFOLD_EXCLUSIVE_SCAN, context, queue, fold, in, in_offset, out,
                out_offset, count, num_wait, wait, event);
}

clfold_status clfold_map(clfold_context *context, cl_command_queue queue,
                         const clfold_fold *fold, cl_mem in, size_t in_offset, cl_mem out,
                         size_t out_offset, size_t count, cl_uint num_wait,
                         const cl_event *wait, cl_event *event)
{
    return call(CLFOLD_MAP, context, queue, fold, in, in_offset, out, out_offset, count,
                num_wait, wait, event);
}

clfold_status clfold_select(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
                            const cl_event *wait, cl_event *event)
{
    return call(CLFOLD_SELECT, context, queue, fold, in, in_offset, out, out_offset,
                count, num_wait, wait, event);
}

clfold_status clfold_check_call(clfold_context *context, clfold_operation operation,
                                cl_command_queue queue, const clfold_fold *fold,
                                cl_mem in, size_t in_offset, cl_mem out,
                                size_t out_offset, size_t count, cl_uint num_wait,
                                const cl_event *wait)
{
    const bool is_known = clfold_operation_row(operation) != NULL;
    struct site site =
        clfold_site(context, fold, is_known ? names[operation] : "clfold_check_call");
    struct request request = request_of(operation, queue, in, in_offset, out, out_offset,
                                        count, num_wait, wait);
    clfold_status status;

    if ((status = clfold_request_fold(&request, &site, context, fold))) {
        return status;
    }
    status = clfold_request_check(&request, &site, context);
    clfold_request_finish(&request, context);
    return status;
}

/* ---- To the host ------------------------------------------------------------------- */

/* The result lies in scratch until it is read. *reduced is the caller's to release, or
 * NULL. */
static clfold_status reduce_and_read(struct request *request, const struct site *site,
                                     clfold_context *context, cl_event *reduced,
                                     void *result, size_t size)
{
    unsigned char bytes[CLFOLD_MAX_TYPE_SIZE];
    clfold_status status = run(request, site, context, reduced);

    if (status) {
        return status;
    }
    status = clfold_read(site, request->queue, request->out, 0, size, bytes, 1, reduced);
    if (status == CLFOLD_OK) {
        memcpy(result, bytes, size);
    }
    return status;
}

static clfold_status reduce_to_host(struct request *request, const struct site *site,
                                    clfold_context *context, void *result,
                                    size_t result_size)
{
    const struct monoid *monoid = request->job.monoid;
    struct block *block;
    cl_event reduced = NULL;
    clfold_status status;

    if (!result) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "result is NULL");
    }
    if (result_size != clfold_monoid_written_size(monoid)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "result_size is %zu bytes, but %s of %s%s%s needs %zu",
                           result_size, monoid->name, clfold_monoid_form(monoid),
                           monoid->out ? ", written as " : "",
                           monoid->out ? clfold_scalar_name(monoid->out) : "",
                           clfold_monoid_written_size(monoid));
    }
    request->to_host = true;
    if ((status = clfold_request_check(request, site, context)) ||
        (status = clfold_scratch_lend(&context->scratch, site, request->queue,
                                      request->in_order, SCRATCH_PLAIN, result_size,
                                      &block))) {
        return status;
    }
    request->out = block->mem;
    status = reduce_and_read(request, site, context, &reduced, result, result_size);
    if (reduced) {
        clfold_log_call(site->log, clReleaseEvent(reduced), "clReleaseEvent");
    }
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, block);
        return status;
    }
    /* The result is read, so nothing uses the block any more. */
    return clfold_scratch_give(&context->scratch, site, block, NULL);
}

clfold_status clfold_reduce_host(clfold_context *context, cl_command_queue queue,
                                 const clfold_fold *fold, cl_mem in, size_t in_offset,
                                 size_t count, void *result, size_t result_size)
{
    struct site site = clfold_site(context, fold, "clfold_reduce_host");
    struct request request = {
        .job = { .operation = CLFOLD_REDUCE, .count = count },
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .behind_all = true,
    };
    clfold_status status;

    if ((status = clfold_request_fold(&request, &site, context, fold))) {
        return status;
    }
    status = fold->segments
                 ? clfold_fail(&site, CLFOLD_ERROR_UNSUPPORTED,
                               "segments have a result each: clfold_reduce_host has room "
                               "for one")
                 : reduce_to_host(&request, &site, context, result, result_size);
    clfold_request_finish(&request, context);
    return status;
}
