/* clfold_reduce and clfold_reduce_host: every check, then the call. */
#include "ops/reduce.h"

#include "ops/check.h"
#include "ops/internal.h"
#include "ops/read.h"
#include "plan/scalar.h"

#include <string.h>

/* What both forms of the call are refused for; `out`: where the result goes, or NULL. */
static clfold_status check(const clfold_context *context, const struct site *site,
                           struct reduce_call *call, struct span *out)
{
    struct span in = clfold_span_in(call->monoid, call->in, call->in_offset, call->count);
    clfold_status status;

    if ((status = clfold_check_queue(site, context, call->queue, &call->in_order)) ||
        (status = clfold_check_wait(site, context, call->num_wait, call->wait)) ||
        (status = clfold_check_span(site, context, &in)) ||
        (out && (status = clfold_check_span(site, context, out))) ||
        (out && (status = clfold_check_overlap(site, &in, out, OVERLAP_PLACE))) ||
        (status = clfold_check_init(site, context, call->monoid, &call->init, out,
                                    OVERLAP_PLACE))) {
        return status;
    }
    if (call->count == 0 && !call->monoid->has_identity &&
        !clfold_has_init(&call->init)) {
        return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                           "count is 0, and %s has neither identity nor init",
                           call->monoid->name);
    }
    return CLFOLD_OK;
}

/* The call, checked. `op` 0: a monoid that only the device can fold. */
static clfold_status run(clfold_context *context, const struct site *site,
                         const struct reduce_call *call, clfold_op op, cl_event *event)
{
    atomic_fetch_add(&context->calls, 1);
    if (op && context->verify_every &&
        (atomic_fetch_add(&context->verifiable, 1) + 1) % context->verify_every == 0) {
        return clfold_reduce_verify(context, site, call, op, event);
    }
    return clfold_reduce_enqueue(context, site, call, event);
}

/* Checks everything but the fold, and enqueues. */
static clfold_status reduce(clfold_context *context, const struct site *site,
                            struct reduce_call *call, clfold_op op, cl_event *event)
{
    struct span out = clfold_span_result(call->monoid, "out", "out_offset", call->out,
                                         call->out_offset, 1, CL_MEM_READ_ONLY);
    clfold_status status = check(context, site, call, &out);

    if (status) {
        return status;
    }
    return run(context, site, call, op, event);
}

clfold_status clfold_reduce(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
                            const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_reduce");
    struct monoid monoid;
    enum reduce_algorithm algorithm;
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    if ((status = clfold_check_fold(&site, context, CLFOLD_REDUCE, fold, &monoid)) ||
        (status =
             clfold_check_reduce(&site, context, &monoid, fold->algorithm, &algorithm))) {
        return status;
    }
    struct reduce_call call = {
        .monoid = &monoid,
        .algorithm = algorithm,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
        .count = count,
        .init = { .value = fold->init, .at = fold->init_at },
        .num_wait = num_wait,
        .wait = wait,
    };
    return reduce(context, &site, &call, fold->op, event);
}

clfold_status clfold_reduce_monoid(clfold_context *context, cl_command_queue queue,
                                   const struct monoid *monoid, const char *algorithm,
                                   cl_mem in, size_t in_offset, cl_mem out,
                                   size_t out_offset, size_t count, const void *init,
                                   cl_uint num_wait, const cl_event *wait,
                                   cl_event *event)
{
    struct site site = clfold_site(context, NULL, monoid->name);
    clfold_status status;
    struct reduce_call call = {
        .monoid = monoid,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
        .count = count,
        .init = { .value = init },
        .num_wait = num_wait,
        .wait = wait,
    };

    if (event) {
        *event = NULL;
    }
    if ((status =
             clfold_check_reduce(&site, context, monoid, algorithm, &call.algorithm))) {
        return status;
    }
    return reduce(context, &site, &call, 0, event);
}

/* The result lies in scratch until it is read. *reduced is the caller's to release, or
 * NULL. */
static clfold_status reduce_and_read(clfold_context *context, const struct site *site,
                                     const struct reduce_call *call, clfold_op op,
                                     cl_event *reduced, void *result, size_t size)
{
    unsigned char bytes[sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS];
    clfold_status status = run(context, site, call, op, reduced);

    if (status) {
        return status;
    }
    status = clfold_read(site, call->queue, call->out, 0, size, bytes, 1, reduced);
    if (status == CLFOLD_OK) {
        memcpy(result, bytes, size);
    }
    return status;
}

clfold_status clfold_reduce_host(clfold_context *context, cl_command_queue queue,
                                 const clfold_fold *fold, cl_mem in, size_t in_offset,
                                 size_t count, void *result, size_t result_size)
{
    struct site site = clfold_site(context, fold, "clfold_reduce_host");
    struct monoid monoid;
    enum reduce_algorithm algorithm;
    struct block *block;
    cl_event reduced = NULL;
    clfold_status status;

    if ((status = clfold_check_fold(&site, context, CLFOLD_REDUCE, fold, &monoid)) ||
        (status =
             clfold_check_reduce(&site, context, &monoid, fold->algorithm, &algorithm))) {
        return status;
    }
    if (!result) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "result is NULL");
    }
    if (result_size != clfold_monoid_out_size(&monoid)) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT,
                           "result_size %zu bytes is not the %zu of %s, %s", result_size,
                           clfold_monoid_out_size(&monoid), monoid.name,
                           clfold_type_name(fold->type));
    }
    struct reduce_call call = {
        .monoid = &monoid,
        .algorithm = algorithm,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .count = count,
        .init = { .value = fold->init, .at = fold->init_at },
        .behind_all = true,
    };
    if ((status = check(context, &site, &call, NULL)) ||
        (status = clfold_scratch_lend(&context->scratch, &site, queue, call.in_order,
                                      SCRATCH_PLAIN, result_size, &block))) {
        return status;
    }
    call.out = block->mem;
    status =
        reduce_and_read(context, &site, &call, fold->op, &reduced, result, result_size);
    if (reduced) {
        clfold_log_call(site.log, clReleaseEvent(reduced), "clReleaseEvent");
    }
    if (status) {
        clfold_scratch_drop(&context->scratch, site.log, block);
        return status;
    }
    /* The result is read, so nothing uses the block any more. */
    return clfold_scratch_give(&context->scratch, &site, block, NULL);
}
