/* The calls that users make: each fills in a request and sends it down the road. */
#include <clfold/experimental.h>
#include "ops/chain.h"
#include "ops/check.h"
#include "ops/request.h"
#include "plan/scalar.h"

#include <string.h>

/* A checked request, on its way. One in verify_every of those that can be is verified. */
static clfold_status run(struct request *request, cl_event *event)
{
    clfold_context *context = request->context;

    request->number = atomic_fetch_add(&context->calls, 1) + 1;
    if (context->verify_every && clfold_request_verifiable(request) &&
        (atomic_fetch_add(&context->verifiable, 1) + 1) % context->verify_every == 0) {
        return clfold_request_verify(request, event);
    }
    return clfold_request_run(request, event);
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
    status = clfold_request_check(request);
    if (status == CLFOLD_OK) {
        status = run(request, event);
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
#define CALL(function, kind)                                                             \
    clfold_status function(clfold_context *context, PARAMS, cl_event *event)             \
    {                                                                                    \
        struct site site = clfold_site(context, fold, names[kind]);                      \
        struct request request = REQUEST(kind);                                          \
                                                                                         \
        return clfold_call(&request, &site, context, fold, event);                       \
    }

CALL(clfold_reduce, CLFOLD_REDUCE)
CALL(clfold_inclusive_scan, CLFOLD_INCLUSIVE_SCAN)
CALL(clfold_exclusive_scan, CLFOLD_EXCLUSIVE_SCAN)
CALL(clfold_map, CLFOLD_MAP)
CALL(clfold_select, CLFOLD_SELECT)

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
    status = clfold_request_check(&request);
    clfold_request_finish(&request, context);
    return status;
}

/* ---- To the host ------------------------------------------------------------------- */

static clfold_status reduce_to_host(struct request *request, void *result,
                                    size_t result_size)
{
    const struct site *site = request->site;
    struct scratch *scratch = &request->context->scratch;
    const struct monoid *monoid = request->job.monoid;
    unsigned char bytes[CLFOLD_MAX_TYPE_SIZE];
    struct block *block;
    cl_event reduced = NULL;
    clfold_status status;

    if (!result) {
        return REJECT(site, "result is NULL");
    }
    if (result_size != clfold_monoid_written_size(monoid)) {
        return REJECT(site, "result_size is %zu bytes, but %s of %s%s%s needs %zu",
                      result_size, monoid->name, clfold_monoid_form(monoid),
                      monoid->out ? ", written as " : "",
                      monoid->out ? clfold_scalar_name(monoid->out) : "",
                      clfold_monoid_written_size(monoid));
    }
    request->to_host = true;
    if ((status = clfold_request_check(request)) ||
        (status = clfold_scratch_lend(scratch, site, request->queue, request->in_order,
                                      SCRATCH_PLAIN, result_size, &block))) {
        return status;
    }
    /* The result lies in scratch until it is read. */
    request->out = block->mem;
    status = run(request, &reduced);
    if (status == CLFOLD_OK) {
        status = clfold_read(request, request->out, 0, result_size, bytes, &reduced);
    }
    CLFOLD_RELEASE(site->log, Event, reduced);
    if (status) {
        clfold_scratch_drop(scratch, site->log, block);
        return status;
    }
    memcpy(result, bytes, result_size);
    /* Nothing uses the block any more. */
    return clfold_scratch_give(scratch, site, block, NULL);
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
                 ? UNSUPPORTED(&site,
                               "segments have a result each: clfold_reduce_host has room "
                               "for one")
                 : reduce_to_host(&request, result, result_size);
    clfold_request_finish(&request, context);
    return status;
}

/* ---- Carries of parts -------------------------------------------------------------- */

static clfold_status check_carries(struct request *request)
{
    const struct site *site = request->site;
    const clfold_context *context = request->context;
    const size_t size = clfold_monoid_carry_size(request->job.monoid);
    const clfold_place at = { request->in, request->in_offset };
    struct span in = clfold_span_place("in", "in_offset", &at, (size_t)request->job.count,
                                       size, CARRIES, CL_MEM_WRITE_ONLY);
    struct span out =
        clfold_span_place("out", "out_offset", &request->places[FACET_CARRY_OUT], 1, size,
                          CARRIES, CL_MEM_READ_ONLY);
    clfold_status status;

    if (in.count == 0) {
        return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                           "count is 0, and no carries make one");
    }
    if ((status =
             clfold_check_queue(site, context, request->queue, &request->in_order)) ||
        (status = clfold_check_wait(site, context, request->num_wait, request->wait)) ||
        (status = clfold_check_span(site, context, &in)) ||
        (status = clfold_check_span(site, context, &out)) ||
        (status = clfold_check_overlap(site, &in, &out, OVERLAP_PLACE))) {
        return status;
    }
    return clfold_check_buffers(site, context, request->args, request->num_args, 0, &out);
}

/* A reduction whose elements are carries, by one work-item, as these are few. */
clfold_status clfold_fold_carries(clfold_context *context, PARAMS, cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_fold_carries");
    const clfold_part part = { .carry_out = { out, out_offset } };
    clfold_fold of_carries = fold ? *fold : (clfold_fold){ 0 };
    struct request request = REQUEST(CLFOLD_REDUCE);
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    request.job.of_carries = true;
    request.out_offset = 0; /* the part's place has one */
    of_carries.part = &part;
    of_carries.algorithm = "serial";
    of_carries.init = NULL;
    of_carries.init_size = 0;
    clfold_facets_clear(&of_carries);
    if (fold && fold->segments) {
        return REJECT(&site,
                      "segments are given, but their carries go from part to part");
    }
    if ((status =
             clfold_request_fold(&request, &site, context, fold ? &of_carries : NULL))) {
        return status;
    }
    if ((status = check_carries(&request)) == CLFOLD_OK) {
        request.number = atomic_fetch_add(&context->calls, 1) + 1;
        status = clfold_request_run(&request, event);
    }
    clfold_request_finish(&request, context);
    return status;
}
