/* clfold_prepare and clfold_explain: a call ahead of time. */
#include "ops/chain.h"
#include "ops/check.h"
#include "ops/request.h"
#include "ops/run.h"
#include "ops/segments.h"
#include "plan/assemble.h"
#include "plan/reason.h"
#include <clfold/experimental.h>

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
        (status = clfold_part_check(request))) {
        clfold_request_finish(request, context);
    }
    return status;
}

/* ---- clfold_prepare ---------------------------------------------------------------- */

/* Runs each kernel on nothing: on some drivers (PoCL) the real compilation happens at its
 * first launch with its group size. Reserves what clfold_reduce_host takes as well, a
 * block for its result. */
static clfold_status rehearse(struct request *request, const struct planned *planned)
{
    const struct stage *main = clfold_plan_main(&planned->plan);
    const size_t most = main->scratch_most, item = main->item_size;
    const size_t sizes[NUM_LENT] = { most > 0 && most < item ? item : most,
                                     planned->plan.handed.bytes, main->out_size };
    struct lent lent;
    clfold_status status = clfold_lend(request, NULL, main->scratch_kind, sizes, &lent);

    if (status) {
        return status;
    }
    request->in = request->out = lent.of[LENT_RESULT]->mem;
    request->bits &= ~FACET_PLACES;
    request->init = request->carry = (struct init){ 0 };
    request->first = request->whole = 0;
    status = clfold_run_rehearsal(request, planned, &lent);
    for (int b = 0; status && b < NUM_LENT; ++b) {
        if (lent.of[b]) {
            clfold_scratch_drop(&request->context->scratch, request->site->log,
                                lent.of[b]);
        }
    }
    return status ? status : clfold_give_back(request, &lent, NULL);
}

static clfold_status prepare(const struct request *asked)
{
    struct request request = *asked;
    struct planned planned;
    clfold_status status = clfold_request_find(&request, &planned);

    return status ? status : rehearse(&request, &planned);
}

/* Prepares the call's algorithm, and unless it was named those of smaller counts, and by
 * other rows of tuning: each at the greatest of its counts by halves. */
static clfold_status prepare_all(struct request *request)
{
    struct job *job = &request->job;
    const struct tuned_numbers *row = job->tuned;
    uint32_t done = 1u << job->algorithm;
    clfold_status status = prepare(request);

    while (status == CLFOLD_OK && !request->named && job->count > 1) {
        job->count /= 2;
        if (job->segments.rows.width == 1 && job->segments.rows.length > job->count) {
            job->segments.rows.length = job->count;
        }
        status = clfold_request_choose(request, request->fold, NULL);
        if (status == CLFOLD_OK && (!(done >> job->algorithm & 1) || job->tuned != row)) {
            done = (job->tuned != row ? 0 : done) | 1u << job->algorithm;
            row = job->tuned;
            status = prepare(request);
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
    clfold_status status =
        begin(&request, &site, context, operation, fold, count, placement);

    if (status) {
        return status;
    }
    atomic_fetch_add(&context->calls, 1);
    if ((status = clfold_own_queue(&request)) == CLFOLD_OK) {
        status = prepare_all(&request);
        clfold_cache_save(&context->cache, &context->log, request.fold);
        clfold_cache_save(&context->cache, &context->log, context->shared);
        CLFOLD_RELEASE(&context->log, CommandQueue, request.queue);
    }
    clfold_request_finish(&request, context);
    return status;
}

/* ---- clfold_explain ---------------------------------------------------------------- */

/* The policy's choice where the caller named an algorithm. */
static clfold_status foresee_policy(const struct request *asked,
                                    enum algorithm *algorithm)
{
    struct request request = *asked;
    struct planned planned;
    clfold_status status;

    request.named = false;
    if ((status = clfold_plan_choose(&request.job, request.site, NULL)) ||
        (status = clfold_request_foresee(&request, &planned))) {
        return status;
    }
    *algorithm = request.job.algorithm;
    return CLFOLD_OK;
}

static void report(const struct plan *plan, struct reason *reason, clfold_report *out)
{
    const struct stage *main = clfold_plan_main(plan);
    const struct algorithm_row *row = clfold_algorithm_row(main->shape.algorithm);
    const struct tile_shape *tile = &main->shape.tile;

    *out = (clfold_report){
        .algorithm = row->name,
        .tile = tile->elements,
        .group_size = tile->group_size,
        .num_groups = (size_t)main->num_groups,
        .num_launches = clfold_plan_num_launches(plan),
        .scratch_bytes = main->scratch_bytes + plan->handed.bytes,
        .items = (size_t)main->items,
        .policy = tile->kind == TILE_NONE ? NULL : main->row,
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

static clfold_status explain(struct request *request, const clfold_fold *fold,
                             clfold_report *out)
{
    struct planned planned;
    clfold_status status;

    if (!out) {
        return REJECT(request->site, "out is NULL");
    }
    if ((status = clfold_request_foresee(request, &planned))) {
        return status;
    }
    struct reason reason = {
        .plan = &planned.plan,
        .monoid = request->job.monoid,
        .operation = request->job.operation,
        .by = request->job.segments.by,
        .chooser = fold->algorithm  ? CHOSEN_BY_NAME
                   : request->named ? CHOSEN_BY_VARIABLE
                                    : CHOSEN_BY_POLICY,
        .policy = request->job.algorithm,
        .dropped = why_dropped(request, planned.dropped),
        .obstacle = request->obstacle,
        .unproven = request->unproven,
        .findings = &planned.findings,
    };
    if (request->named && (status = foresee_policy(request, &reason.policy))) {
        return status;
    }
    report(&planned.plan, &reason, out);
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
        status = explain(&request, fold, out);
        clfold_request_finish(&request, context);
    }
    return status;
}

static clfold_status explain_text(struct request *request, uint32_t number, char *text,
                                  size_t size, size_t *needed)
{
    struct text whole = { 0 };
    struct planned planned;
    clfold_status status = clfold_request_foresee(request, &planned);

    if (status) {
        return status;
    }
    if (number >= planned.plan.num_stages) {
        return clfold_fail(request->site, CLFOLD_ERROR_RANGE,
                           "stage %u is not one of the call, which has %u", number,
                           planned.plan.num_stages);
    }
    const struct stage *stage = &planned.plan.stages[number];
    clfold_assemble(&whole, &clfold_program_fold(request, stage)->monoid, &stage->shape);
    return clfold_hand_text(request->site, &whole, text, size, needed);
}

clfold_status clfold_explain_text(clfold_context *context, clfold_operation operation,
                                  const clfold_fold *fold, size_t count,
                                  const clfold_placement *placement, uint32_t stage,
                                  char *text, size_t size, size_t *needed)
{
    struct site site = clfold_site(context, fold, "clfold_explain_text");
    struct request request;
    clfold_status status =
        begin(&request, &site, context, operation, fold, count, placement);

    if (status == CLFOLD_OK) {
        status = explain_text(&request, stage, text, size, needed);
        clfold_request_finish(&request, context);
    }
    return status;
}
