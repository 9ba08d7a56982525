/* clfold_prepare and clfold_explain: a call beforehand. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "ops/check.h"
#include "ops/reduce.h"
#include "ops/scan.h"
#include "plan/reason.h"

/* A call beforehand: what it would be, of either kind. */
struct rehearsal {
    clfold_operation operation;
    struct monoid monoid;
    enum reduce_algorithm algorithm; /* of a reduction */
    struct reduce_plan reduce;
    struct scan_call call; /* of a scan */
    struct scan_plan scan;
};

static bool is_scan(const struct rehearsal *of)
{
    return of->operation != CLFOLD_REDUCE;
}

static clfold_status check(struct rehearsal *of, const struct site *site,
                           clfold_context *context, clfold_operation operation,
                           const clfold_fold *fold, size_t count)
{
    const char *algorithm;
    clfold_status status;

    *of = (struct rehearsal){ .operation = operation };
    if ((status = clfold_check_fold(site, context, operation, fold, &of->monoid)) ||
        (status = clfold_check_count(site, &of->monoid, count))) {
        return status;
    }
    if (!is_scan(of)) {
        return clfold_check_reduce(site, context, &of->monoid, fold->algorithm,
                                   &of->algorithm);
    }
    algorithm = fold->algorithm ? fold->algorithm : context->scan;
    of->call = (struct scan_call){
        .monoid = &of->monoid,
        .named = algorithm != NULL,
        .exclusive = operation == CLFOLD_EXCLUSIVE_SCAN,
        .count = count,
        .init = { .value = fold->init, .at = fold->init_at },
    };
    return clfold_scan_choose(&of->call.algorithm, site, algorithm, &of->monoid,
                              &context->caps.facts, count);
}

/* ---- clfold_prepare ---------------------------------------------------------------- */

/* Runs each kernel on nothing. On some drivers (PoCL) the real compilation happens at its
 * first launch with its group size. */
static clfold_status rehearse(const struct rehearsal *of, const struct site *site,
                              cl_command_queue queue, struct kernels *kernels, cl_mem any,
                              const struct block *scratch)
{
    if (is_scan(of)) {
        struct scan_call call = of->call;
        call.queue = queue;
        call.in = any;
        call.out = any;
        call.init = (struct init){ 0 };
        return clfold_scan_rehearse(site, &call, &of->scan, kernels, scratch);
    }
    struct reduce_call call = {
        .monoid = &of->monoid,
        .queue = queue,
        .in = any,
        .out = any,
    };
    return clfold_reduce_rehearse(site, &call, &of->reduce, kernels, scratch);
}

/* Reserves what clfold_reduce_host takes as well, a block for its result. */
static clfold_status prepare_on(clfold_context *context, const struct site *site,
                                cl_command_queue queue, const struct rehearsal *of,
                                struct kernels *kernels)
{
    size_t size = is_scan(of) ? of->scan.scratch_most : of->reduce.scratch_most;
    enum scratch_kind kind = is_scan(of) ? clfold_scan_scratch(&of->scan) : SCRATCH_PLAIN;
    size_t item = clfold_monoid_item_size(&of->monoid);
    struct block *result, *scratch = NULL;
    clfold_status status, given;

    status = clfold_scratch_lend(&context->scratch, site, NULL, true, SCRATCH_PLAIN,
                                 clfold_monoid_out_size(&of->monoid), &result);
    if (status) {
        return status;
    }
    if (size > 0) {
        status = clfold_scratch_lend(&context->scratch, site, NULL, true, kind,
                                     size > item ? size : item, &scratch);
    }
    if (status == CLFOLD_OK) {
        status =
            rehearse(of, site, queue, kernels, result->mem, scratch ? scratch : result);
    }
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, result);
        if (scratch) {
            clfold_scratch_drop(&context->scratch, site->log, scratch);
        }
        return status;
    }
    given =
        scratch ? clfold_scratch_give(&context->scratch, site, scratch, NULL) : CLFOLD_OK;
    status = clfold_scratch_give(&context->scratch, site, result, NULL);
    return status ? status : given;
}

static clfold_status find(clfold_context *context, const struct site *site,
                          struct rehearsal *of, size_t count, struct program **program)
{
    return is_scan(of) ? clfold_scan_find(context, site, &of->call, &of->scan, program)
                       : clfold_reduce_find(context, site, of->algorithm, &of->monoid,
                                            count, &of->reduce, program);
}

static clfold_status prepare_program(clfold_context *context, const struct site *site,
                                     cl_command_queue queue, struct rehearsal *of,
                                     size_t count)
{
    struct program *program;
    struct kernels *kernels;
    clfold_status status;

    if ((status = find(context, site, of, count, &program)) ||
        (status = clfold_program_take(&context->cache, site, program, &kernels))) {
        return status;
    }
    status = prepare_on(context, site, queue, of, kernels);
    clfold_program_give(&context->cache, program, kernels);
    return status;
}

clfold_status clfold_prepare(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count)
{
    struct site site = clfold_site(context, fold, "clfold_prepare");
    struct rehearsal of;
    cl_int status;

    if ((status = check(&of, &site, context, operation, fold, count))) {
        return status;
    }
    atomic_fetch_add(&context->calls, 1);
    cl_command_queue queue =
        clCreateCommandQueue(context->context, context->device, 0, &status);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(&site, status, "clCreateCommandQueue");
    }
    status = prepare_program(context, &site, queue, &of, count);
    /* What small counts take, which are up to `count` as well. */
    if (status == CLFOLD_OK && is_scan(&of) && !of.call.named &&
        of.call.algorithm != SCAN_SINGLE_GROUP) {
        of.call.algorithm = SCAN_SINGLE_GROUP;
        of.call.count = 1;
        status = prepare_program(context, &site, queue, &of, 1);
    }
    clfold_log_call(&context->log, clReleaseCommandQueue(queue), "clReleaseCommandQueue");
    return status;
}

/* ---- clfold_explain ---------------------------------------------------------------- */

static void report_reduce(const struct rehearsal *of, bool dropped, bool named,
                          clfold_report *out)
{
    const struct reduce_plan *plan = &of->reduce;
    const struct reduce_reason reason = {
        .plan = plan,
        .monoid = &of->monoid,
        .chooser = named ? CHOSEN_BY_NAME : CHOSEN_BY_POLICY,
        .dropped = dropped,
    };

    *out = (clfold_report){
        .algorithm = clfold_reduce_name(of->algorithm),
        .tile = plan->shape.tile.elements,
        .group_size = plan->shape.tile.group_size,
        .num_groups = (size_t)plan->num_groups,
        .num_launches = plan->num_launches,
        .scratch_bytes = plan->scratch_bytes,
        .bytes_read = plan->bytes_read,
        .bytes_written = plan->bytes_written,
        .items = (size_t)plan->items,
        .policy = of->algorithm == REDUCE_TILES ? plan->row : NULL,
    };
    clfold_reduce_reason(out->reason, &reason);
}

static clfold_status explain_reduce(clfold_context *context, const struct site *site,
                                    struct rehearsal *of, const clfold_fold *fold,
                                    size_t count, clfold_report *out)
{
    uint32_t dropped;

    if (count == 0 && !of->monoid.has_identity && !fold->init && !fold->init_at.mem) {
        return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                           "count is 0, and %s has neither identity nor init",
                           of->monoid.name);
    }
    clfold_reduce_foresee(context, of->algorithm, &of->monoid, count, &of->reduce,
                          &dropped);
    report_reduce(of, dropped > 0, fold->algorithm != NULL, out);
    return CLFOLD_OK;
}

static void report_scan(const struct rehearsal *of, const struct scan_reason *reason,
                        clfold_report *out)
{
    const struct scan_plan *plan = &of->scan;
    const struct tile_shape *tile = &plan->shape.tile;

    *out = (clfold_report){
        .algorithm = clfold_scan_name(of->call.algorithm),
        .tile = tile->elements,
        .group_size = tile->group_size,
        .num_groups = (size_t)plan->num_groups,
        .num_launches = plan->num_launches,
        .scratch_bytes = plan->scratch_bytes,
        .bytes_read = plan->bytes_read,
        .bytes_written = plan->bytes_written,
        .items = (size_t)(plan->run * (tile->elements / tile->group_size)),
        .policy = plan->row,
    };
    clfold_scan_reason(out->reason, reason);
}

/* What the policy takes where the caller named an algorithm. */
static clfold_status foresee_policy(clfold_context *context, const struct site *site,
                                    const struct rehearsal *of,
                                    enum scan_algorithm *algorithm)
{
    struct scan_call call = of->call;
    struct findings findings;
    struct scan_plan plan;
    uint32_t dropped;
    clfold_status status;

    call.named = false;
    if ((status = clfold_scan_choose(&call.algorithm, site, NULL, &of->monoid,
                                     &context->caps.facts, call.count)) ||
        (status =
             clfold_scan_foresee(context, site, &call, &plan, &dropped, &findings))) {
        return status;
    }
    *algorithm = call.algorithm;
    return CLFOLD_OK;
}

static clfold_status explain_scan(clfold_context *context, const struct site *site,
                                  struct rehearsal *of, const clfold_fold *fold,
                                  clfold_report *out)
{
    enum scan_algorithm policy;
    struct findings findings;
    uint32_t dropped;
    clfold_status status;

    if ((status = clfold_scan_foresee(context, site, &of->call, &of->scan, &dropped,
                                      &findings))) {
        return status;
    }
    policy = of->call.algorithm;
    if (of->call.named && (status = foresee_policy(context, site, of, &policy))) {
        return status;
    }
    const struct scan_reason reason = {
        .plan = &of->scan,
        .monoid = &of->monoid,
        .count = of->call.count,
        .chooser = fold->algorithm  ? CHOSEN_BY_NAME
                   : of->call.named ? CHOSEN_BY_VARIABLE
                                    : CHOSEN_BY_POLICY,
        .policy = policy,
        .dropped = dropped > 0,
        .given_up = of->call.given_up,
        .unproven = of->call.unproven,
        .findings = &findings,
    };
    report_scan(of, &reason, out);
    return CLFOLD_OK;
}

clfold_status clfold_explain(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count, clfold_report *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain");
    struct rehearsal of;
    clfold_status status;

    if ((status = check(&of, &site, context, operation, fold, count))) {
        return status;
    }
    if (!out) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "out is NULL");
    }
    return is_scan(&of) ? explain_scan(context, &site, &of, fold, out)
                        : explain_reduce(context, &site, &of, fold, count, out);
}
