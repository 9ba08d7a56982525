#include "ops/part.h"

#include <clfold/experimental.h>

void clfold_part_set(struct request *request, const clfold_part *part, bool is_lifted)
{
    const bool has_carry = part->first > 0 && request->places[FACET_CARRY_AT].mem;
    const struct init carry = { .at = part->carry_at, .is_carry = true };

    request->first = part->first;
    request->whole = part->whole;
    if (has_carry) {
        request->carry = carry;
    }
    if (part->first > 0 && !is_lifted) {
        request->init = request->carry;
        request->bits &= ~FACET_BIT(FACET_INIT_AT);
    }
}

/* What the texts use. */
static clfold_status check_texts(const struct request *request, const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes,
                      *keeps = &monoid->keeps;

    if (loads->in || writes->in || keeps->in) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "part: %s uses in, but a part does not have the other "
                           "elements",
                           loads->in    ? "load"
                           : writes->in ? "result"
                                        : "keep");
    }
    if (request->whole == 0 && (loads->n || writes->n || keeps->n)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "part: whole is 0, but %s uses n",
                           loads->n    ? "load"
                           : writes->n ? "result"
                                       : "keep");
    }
    return CLFOLD_OK;
}

/* Where the part lies. */
static clfold_status check_range(const struct request *request, const struct site *site)
{
    const struct rows *rows = &request->job.segments.given;
    const uint64_t first = request->first, whole = request->whole;
    const uint64_t count = request->job.count, end = first + count;
    const uint64_t block = rows->width * rows->length;

    if (end < count || (whole > 0 && end > whole)) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "part: first %llu + count %llu is past the whole of %llu",
                           (unsigned long long)first, (unsigned long long)count,
                           (unsigned long long)whole);
    }
    if (rows->width > 0 && (first % block > 0 || (count % block > 0 && end != whole))) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "part: first %llu and count %llu cut a row or column",
                           (unsigned long long)first, (unsigned long long)count);
    }
    return CLFOLD_OK;
}

clfold_status clfold_part_check(const struct request *request, const struct site *site)
{
    clfold_status status;

    if (!clfold_given(request, FACET_PART)) {
        return CLFOLD_OK;
    }
    status = check_texts(request, site);
    return status ? status : check_range(request, site);
}

static clfold_status check_carries(struct request *request, const struct site *site,
                                   const clfold_context *context)
{
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
clfold_status clfold_fold_carries(clfold_context *context, cl_command_queue queue,
                                  const clfold_fold *fold, cl_mem in, size_t in_offset,
                                  cl_mem out, size_t out_offset, size_t count,
                                  cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_fold_carries");
    const clfold_part part = { .carry_out = { out, out_offset } };
    clfold_fold of_carries = fold ? *fold : (clfold_fold){ 0 };
    struct request request = {
        .job = { .operation = CLFOLD_REDUCE, .count = count, .of_carries = true },
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .num_wait = num_wait,
        .wait = wait,
    };
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    of_carries.part = &part;
    of_carries.algorithm = "serial";
    of_carries.init = NULL;
    of_carries.init_size = 0;
    clfold_facets_clear(&of_carries);
    if (fold && fold->segments) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT,
                           "segments are given, but their carries go from part to part");
    }
    if ((status =
             clfold_request_fold(&request, &site, context, fold ? &of_carries : NULL))) {
        return status;
    }
    if ((status = check_carries(&request, &site, context)) == CLFOLD_OK) {
        request.number = atomic_fetch_add(&context->calls, 1) + 1;
        status = clfold_request_run(&request, &site, context, event);
    }
    clfold_request_finish(&request, context);
    return status;
}
