/* clfold_inclusive_scan and clfold_exclusive_scan: every check, then the call. */
#include "ops/scan.h"

#include "ops/check.h"
#include "ops/internal.h"

/* Where the total goes, which nothing else of the call may be, but for init. */
static clfold_status check_total(const clfold_context *context, const struct site *site,
                                 const struct scan_call *call, const struct span *in,
                                 const struct span *out)
{
    struct span total =
        clfold_span_result(call->monoid, "total_at", "total_at.offset", call->total.mem,
                           call->total.offset, 1, CL_MEM_READ_ONLY);
    clfold_status status;

    if (!call->total.mem && call->total.offset != 0) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "total_at: mem is NULL, but offset is %zu",
                           call->total.offset);
    }
    if (!call->total.mem) {
        return CLFOLD_OK;
    }
    if ((status = clfold_check_span(site, context, &total)) ||
        (status = clfold_check_overlap(site, in, &total, OVERLAP_NONE)) ||
        (status = clfold_check_overlap(site, out, &total, OVERLAP_NONE)) ||
        (status = clfold_check_init(site, context, call->monoid, &call->init, &total,
                                    OVERLAP_ELEMENTS))) {
        return status;
    }
    if (call->count == 0 && !call->monoid->has_identity &&
        !clfold_has_init(&call->init)) {
        return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                           "count is 0, and total_at wants the fold of nothing by %s, "
                           "which has neither identity nor init",
                           call->monoid->name);
    }
    return CLFOLD_OK;
}

/* Checks everything but the fold, and enqueues. */
static clfold_status scan(clfold_context *context, const struct site *site,
                          struct scan_call *call, cl_event *event)
{
    struct span in = clfold_span_in(call->monoid, call->in, call->in_offset, call->count);
    struct span out = clfold_span_result(call->monoid, "out", "out_offset", call->out,
                                         call->out_offset, call->count, CL_MEM_READ_ONLY);
    clfold_status status;

    if ((status = clfold_check_queue(site, context, call->queue, &call->in_order)) ||
        (status = clfold_check_wait(site, context, call->num_wait, call->wait)) ||
        (status = clfold_check_span(site, context, &in)) ||
        (status = clfold_check_span(site, context, &out)) ||
        (status = clfold_check_overlap(site, &in, &out, OVERLAP_ELEMENTS)) ||
        (status = clfold_check_init(site, context, call->monoid, &call->init, &out,
                                    OVERLAP_NONE)) ||
        (status = check_total(context, site, call, &in, &out))) {
        return status;
    }
    if (call->exclusive && !call->monoid->has_identity && !clfold_has_init(&call->init)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "an exclusive scan by %s, which has no identity, needs init",
                           call->monoid->name);
    }
    atomic_fetch_add(&context->calls, 1);
    call->in_place = clfold_span_same(&in, &out);
    return clfold_scan_enqueue(context, site, call, event);
}

clfold_status clfold_scan_fold(clfold_context *context, const struct site *site,
                               const clfold_fold *fold, const struct scan_call *asked,
                               cl_event *event)
{
    struct scan_call call = *asked;
    struct monoid monoid;
    const char *algorithm;
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    if ((status = clfold_check_fold(site, context,
                                    call.exclusive ? CLFOLD_EXCLUSIVE_SCAN
                                                   : CLFOLD_INCLUSIVE_SCAN,
                                    fold, &monoid))) {
        return status;
    }
    algorithm = fold->algorithm ? fold->algorithm : context->scan;
    if ((status = clfold_scan_choose(&call.algorithm, site, algorithm, &monoid,
                                     &context->caps.facts, call.count))) {
        return status;
    }
    call.monoid = &monoid;
    call.named = algorithm != NULL;
    call.init = (struct init){ .value = fold->init, .at = fold->init_at };
    call.total = fold->total_at;
    return scan(context, site, &call, event);
}

clfold_status clfold_inclusive_scan(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_inclusive_scan");
    struct scan_call call = { .queue = queue,
                              .in = in,
                              .in_offset = in_offset,
                              .out = out,
                              .out_offset = out_offset,
                              .count = count,
                              .num_wait = num_wait,
                              .wait = wait };

    return clfold_scan_fold(context, &site, fold, &call, event);
}

clfold_status clfold_exclusive_scan(clfold_context *context, cl_command_queue queue,
                                    const clfold_fold *fold, cl_mem in, size_t in_offset,
                                    cl_mem out, size_t out_offset, size_t count,
                                    cl_uint num_wait, const cl_event *wait,
                                    cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_exclusive_scan");
    struct scan_call call = { .exclusive = true,
                              .queue = queue,
                              .in = in,
                              .in_offset = in_offset,
                              .out = out,
                              .out_offset = out_offset,
                              .count = count,
                              .num_wait = num_wait,
                              .wait = wait };

    return clfold_scan_fold(context, &site, fold, &call, event);
}

clfold_status clfold_scan_monoid(clfold_context *context, cl_command_queue queue,
                                 const struct monoid *monoid, const char *algorithm,
                                 bool exclusive, cl_mem in, size_t in_offset, cl_mem out,
                                 size_t out_offset, size_t count, const void *init,
                                 cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, NULL, monoid->name);
    struct scan_call call = { .monoid = monoid,
                              .exclusive = exclusive,
                              .queue = queue,
                              .in = in,
                              .in_offset = in_offset,
                              .out = out,
                              .out_offset = out_offset,
                              .count = count,
                              .init = { .value = init },
                              .num_wait = num_wait,
                              .wait = wait };
    clfold_status status;

    algorithm = algorithm ? algorithm : context->scan;
    call.named = algorithm != NULL;
    if (event) {
        *event = NULL;
    }
    if ((status = clfold_scan_choose(&call.algorithm, &site, algorithm, monoid,
                                     &context->caps.facts, count))) {
        return status;
    }
    return scan(context, &site, &call, event);
}
