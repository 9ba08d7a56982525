/* clfold_prepare and clfold_explain: a call ahead of time. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "ops/check.h"
#include "ops/part.h"
#include "ops/request.h"
#include "plan/reason.h"

static clfold_status begin(struct request *request, const struct site *site,
                           clfold_context *context, clfold_operation operation,
                           const clfold_fold *fold, size_t count,
                           const clfold_placement *placement)
{
    static const clfold_placement none;
    const clfold_placement *at = placement ? placement : &none;
    clfold_status status;

    *request = (struct request){
        .job = { .operation = operation, .count = count },
        .in_offset = at->in_offset,
        .out_offset = at->out_offset,
    };
    if ((status = CHECK_RESERVED(site, "placement", at)) ||
        (status = clfold_request_fold(request, site, context, fold))) {
        return status;
    }
    request->job.in_place = at->in_place && clfold_operation_row(operation)->writes_each;
    if ((status = clfold_facets_check(site, request->bits | (uint64_t)(at->in_place != 0)
                                                                << TRAIT_IN_PLACE)) ||
        (status = clfold_check_count(site, request->job.monoid, count)) ||
        (status = clfold_part_check(request, site))) {
        clfold_request_finish(request, context);
    }
    return status;
}

/* ---- clfold_prepare ---------------------------------------------------------------- */

/* Runs each kernel on nothing: on some drivers (PoCL) the real compilation happens at its
 * first launch with its group size. Reserves what clfold_reduce_host takes as well, a
 * block for its result. */
static clfold_status rehearse(clfold_context *context, const struct site *site,
                              struct request *request, const struct plan *plan,
                              struct kernels *kernels)
{
    const size_t most = plan->scratch_most, item = plan->item_size;
    const size_t sizes[NUM_LENT] = { most > 0 && most < item ? item : most,
                                     plan->marks.bytes, plan->out_size };
    struct lent lent;
    clfold_status status =
        clfold_lend(context, site, NULL, true, plan->scratch_kind, sizes, &lent);

    if (status) {
        return status;
    }
    request->in = request->out = lent.of[LENT_RESULT]->mem;
    request->bits &= ~FACET_PLACES;
    request->init = request->carry = (struct init){ 0 };
    request->first = request->whole = 0;
    status = clfold_run_rehearsal(request, site, plan, kernels, &lent);
    for (int b = 0; status && b < NUM_LENT; ++b) {
        if (lent.of[b]) {
            clfold_scratch_drop(&context->scratch, site->log, lent.of[b]);
        }
    }
    return status ? status : clfold_give_back(context, site, &lent, NULL);
}

static clfold_status prepare(clfold_context *context, const struct site *site,
                             const struct request *asked)
{
    struct request request = *asked;
    struct program *program;
    struct kernels *kernels;
    struct plan plan;
    clfold_status status;

    if ((status = clfold_request_find(&request, site, context, &plan, &program)) ||
        (status = clfold_program_take(&context->cache, site, program, &kernels))) {
        return status;
    }
    status = rehearse(context, site, &request, &plan, kernels);
    clfold_program_give(&context->cache, program, kernels);
    return status;
}

/* Prepares the call's algorithm, and unless it was named those of smaller counts, and by
 * other rows of tuning: each at the greatest of its counts by halves. */
static clfold_status prepare_all(clfold_context *context, const struct site *site,
                                 struct request *request)
{
    struct job *job = &request->job;
    const struct tuned_numbers *row = job->tuned;
    uint32_t done = 1u << job->algorithm;
    clfold_status status = prepare(context, site, request);

    while (status == CLFOLD_OK && !request->named && job->count > 1) {
        job->count /= 2;
        if (job->segments.rows.width == 1 && job->segments.rows.length > job->count) {
            job->segments.rows.length = job->count;
        }
        status = clfold_request_choose(request, site, context, request->fold, NULL);
        if (status == CLFOLD_OK && (!(done >> job->algorithm & 1) || job->tuned != row)) {
            done = (job->tuned != row ? 0 : done) | 1u << job->algorithm;
            row = job->tuned;
            status = prepare(context, site, request);
        }
    }
    return status;
}

clfold_status clfold_prepare(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count,
                             const clfold_placement *placement)
{
    struct site site = clfold_site(context, fold, "clfold_prepare");
    struct request request;
    cl_int status;

    if ((status = begin(&request, &site, context, operation, fold, count, placement))) {
        return status;
    }
    atomic_fetch_add(&context->calls, 1);
    request.queue = clCreateCommandQueue(context->context, context->device, 0, &status);
    if (status != CL_SUCCESS) {
        status = clfold_fail_call(&site, status, "clCreateCommandQueue");
    } else {
        status = prepare_all(context, &site, &request);
        clfold_cache_save(&context->cache, &context->log, request.fold);
        clfold_log_call(&context->log, clReleaseCommandQueue(request.queue),
                        "clReleaseCommandQueue");
    }
    clfold_request_finish(&request, context);
    return status;
}

/* ---- clfold_explain ---------------------------------------------------------------- */

/* The policy's choice where the caller named an algorithm. */
static clfold_status foresee_policy(clfold_context *context, const struct site *site,
                                    const struct request *asked,
                                    enum algorithm *algorithm)
{
    struct request request = *asked;
    struct findings findings;
    struct plan plan;
    uint32_t dropped;
    clfold_status status;

    request.named = false;
    if ((status = clfold_plan_choose(&request.job, site, NULL)) ||
        (status = clfold_request_foresee(&request, site, context, &plan, &dropped,
                                         &findings))) {
        return status;
    }
    *algorithm = request.job.algorithm;
    return CLFOLD_OK;
}

static void report(const struct plan *plan, struct reason *reason, clfold_report *out)
{
    const struct algorithm_row *row = clfold_algorithm_row(plan->shape.algorithm);
    const struct tile_shape *tile = &plan->shape.tile;

    *out = (clfold_report){
        .algorithm = row->name,
        .tile = tile->elements,
        .group_size = tile->group_size,
        .num_groups = (size_t)plan->num_groups,
        .num_launches = clfold_plan_num_launches(plan),
        .scratch_bytes = plan->scratch_bytes + plan->marks.bytes,
        .items = (size_t)plan->items,
        .policy = tile->kind == TILE_NONE ? NULL : plan->row,
    };
    clfold_plan_bytes(plan, &out->bytes_read, &out->bytes_written);
    reason->moved = out->bytes_read + out->bytes_written;
    clfold_reason(out->reason, reason);
}

/* Why the best tile is not used, if it is not. */
static const char *why_dropped(const struct request *request, uint32_t dropped)
{
    const struct interned *fold = request->fold;

    if (fold->monoid.type_name && fold->monoid.is_scalar) {
        return "its type has no vectors";
    }
    if (fold->monoid.is_scalar) {
        return "it is CLFOLD_PARTIAL";
    }
    return dropped == 0                                  ? NULL
           : atomic_load(&fold->widths) == WIDTHS_DIFFER ? fold->why
                                                         : "a better one does not build";
}

static clfold_status explain(clfold_context *context, const struct site *site,
                             struct request *request, const clfold_fold *fold,
                             clfold_report *out)
{
    struct findings findings;
    struct plan plan;
    uint32_t dropped;
    clfold_status status;

    if (!out) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "out is NULL");
    }
    if ((status = clfold_request_check_empty(request, site)) ||
        (status = clfold_request_foresee(request, site, context, &plan, &dropped,
                                         &findings))) {
        return status;
    }
    struct reason reason = {
        .plan = &plan,
        .monoid = request->job.monoid,
        .chooser = fold->algorithm  ? CHOSEN_BY_NAME
                   : request->named ? CHOSEN_BY_VARIABLE
                                    : CHOSEN_BY_POLICY,
        .policy = request->job.algorithm,
        .dropped = why_dropped(request, dropped),
        .obstacle = request->obstacle,
        .unproven = request->unproven,
        .findings = &findings,
    };
    if (request->named &&
        (status = foresee_policy(context, site, request, &reason.policy))) {
        return status;
    }
    report(&plan, &reason, out);
    out->widths = atomic_load(&request->fold->widths);
    return CLFOLD_OK;
}

clfold_status clfold_explain(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count,
                             const clfold_placement *placement, clfold_report *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain");
    struct request request;
    clfold_status status =
        begin(&request, &site, context, operation, fold, count, placement);

    if (status == CLFOLD_OK) {
        status = explain(context, &site, &request, fold, out);
        clfold_request_finish(&request, context);
    }
    return status;
}
