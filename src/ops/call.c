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

/* What calls take between the context and the event. */
#define PARAMS                                                                           \
    cl_command_queue queue, const clfold_fold *fold, cl_mem in, size_t in_offset,        \
        cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,                   \
        const cl_event *wait
#define REQUEST(kind)                                                                    \
    {                                                                                    \
        .job = { .operation = (kind), .count = count }, .queue = queue, .in = in,        \
        .in_offset = in_offset, .out = out, .out_offset = out_offset,                    \
        .num_wait = num_wait, .wait = wait,                                              \
    }
#define CALL(kind)                                                                       \
    struct site site = clfold_site(context, fold, names[kind]);                          \
    struct request request = REQUEST(kind);                                              \
                                                                                         \
    return clfold_call(&request, &site, context, fold, event)

clfold_status clfold_reduce(clfold_context *context, PARAMS, cl_event *event)
{
    CALL(CLFOLD_REDUCE);
}

clfold_status clfold_inclusive_scan(clfold_context *context, PARAMS, cl_event *event)
{
    CALL(CLFOLD_INCLUSIVE_SCAN);
}

clfold_status clfold_exclusive_scan(clfold_context *context, PARAMS, cl_event *event)
{
    CALL(CLFOLD_EXCLUSIVE_SCAN);
}

clfold_status clfold_map(clfold_context *context, PARAMS, cl_event *event)
{
    CALL(CLFOLD_MAP);
}

clfold_status clfold_select(clfold_context *context, PARAMS, cl_event *event)
{
    CALL(CLFOLD_SELECT);
}

clfold_status clfold_check_call(clfold_context *context, clfold_operation operation,
                                PARAMS)
{
    const bool is_known = clfold_operation_row(operation) != NULL;
    struct site site =
        clfold_site(context, fold, is_known ? names[operation] : "clfold_check_call");
    struct request request = REQUEST(operation);
    clfold_status status;

    if ((status = clfold_request_fold(&request, &site, context, fold))) {
        return status;
    }
    status = clfold_request_check(&request, &site, context);
    clfold_request_finish(&request, context);
    return status;
}

/* ---- To the host ------------------------------------------------------------------- */

static clfold_status reduce_to_host(struct request *request, const struct site *site,
                                    clfold_context *context, void *result,
                                    size_t result_size)
{
    const struct monoid *monoid = request->job.monoid;
    unsigned char bytes[CLFOLD_MAX_TYPE_SIZE];
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
    /* The result lies in scratch until it is read. */
    request->out = block->mem;
    status = run(request, site, context, &reduced);
    if (status == CLFOLD_OK) {
        status = clfold_read(site, request->queue, request->out, 0, result_size, bytes, 1,
                             &reduced);
    }
    CLFOLD_RELEASE(site->log, Event, reduced);
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, block);
        return status;
    }
    memcpy(result, bytes, result_size);
    /* Nothing uses the block any more. */
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
