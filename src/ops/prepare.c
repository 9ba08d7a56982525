/* clfold_prepare and clfold_explain: a call beforehand. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "ops/check.h"
#include "ops/reduce.h"
#include "ops/scan.h"

#include <stdio.h>

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

/* Brent's rule in numbers, or why a rung takes as many groups as it does. */
static void give_reduce_reason(const struct reduce_plan *plan, bool dropped, char *to,
                               size_t size)
{
    const struct grid *grid = &plan->grid;
    const char *tile = clfold_tile_name(plan->shape.tile.kind);
    const char *why = dropped ? ", since the tile before it does not build here" : "";
    char launches[64] = "in one launch";

    if (!plan->has_grid) {
        snprintf(to, size,
                 "asked for by name: %llu item%s a work-item, so every launch leaves a "
                 "partial for each group of %u until one is left",
                 (unsigned long long)plan->items, plan->items == 1 ? "" : "s",
                 plan->shape.tile.group_size);
        return;
    }
    if (plan->num_launches == 2) {
        snprintf(launches, sizeof(launches), "and a launch that folds their partials");
    } else if (plan->num_launches > 2) {
        snprintf(launches, sizeof(launches), "and %u launches that fold their partials",
                 plan->num_launches - 1);
    }
    snprintf(to, size,
             "%s by policy \"%s\"%s: %llu lanes fill the device, one is not started for "
             "less than %llu items; so %llu group%s of lanes with %llu item%s each, %s%s",
             tile, plan->row, why, (unsigned long long)grid->saturating,
             (unsigned long long)grid->least, (unsigned long long)grid->groups,
             grid->groups == 1 ? "" : "s", (unsigned long long)grid->items,
             grid->items == 1 ? "" : "s", grid->cut ? "the most at once here, " : "",
             launches);
}

static void report_reduce(const struct rehearsal *of, bool dropped, clfold_report *out)
{
    const struct reduce_plan *plan = &of->reduce;

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
    };
    give_reduce_reason(plan, dropped, out->reason, sizeof(out->reason));
}

/* Bytes are told as multiples of the input's, so that a copy is 2 where types agree. */
static void report_scan(const struct rehearsal *of, bool dropped, bool named,
                        clfold_report *out)
{
    static const char *const what[CLFOLD_SCAN_ALGORITHMS] = {
        [SCAN_SINGLE_GROUP] = "one group takes all tiles in turn, in one launch",
        [SCAN_THEN_PROPAGATE] = "tiles are scanned, and their prefixes put in front",
        [REDUCE_THEN_SCAN] = "tiles are folded, then scanned behind their prefixes",
        [SCAN_LOOKBACK] = "one launch, whose tiles look back for their prefixes",
        [SCAN_CHAINED] = "one launch, whose tiles wait for the one before them",
    };
    const struct scan_plan *plan = &of->scan;
    const struct tile_shape *tile = &plan->shape.tile;
    bool looks_back = clfold_scan_looks_back(of->call.algorithm);
    double n = (double)of->call.count * (double)clfold_monoid_in_size(&of->monoid);
    double bytes = (double)plan->bytes_read + (double)plan->bytes_written;
    char window[32] = "";

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
    };
    if (plan->shape.window > 1) {
        snprintf(window, sizeof(window), ", %u at a time", plan->shape.window);
    }
    snprintf(out->reason, sizeof(out->reason),
             "%s: %s%s%s; %s by policy \"%s\"%s; bytes moved: %.2f times the input's",
             named                                     ? "asked for by name"
             : of->call.algorithm == SCAN_SINGLE_GROUP ? "the count is small"
                                                       : "the count is large",
             what[of->call.algorithm], window,
             looks_back && of->call.unproven ? ", if a probe finds memory for it" : "",
             clfold_tile_name(tile->kind), plan->row,
             dropped ? ", since the tile before it does not build here" : "",
             n > 0 ? bytes / n : 0.0);
}

clfold_status clfold_explain(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count, clfold_report *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain");
    struct rehearsal of;
    uint32_t dropped;
    clfold_status status;

    if ((status = check(&of, &site, context, operation, fold, count))) {
        return status;
    }
    if (!out) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "out is NULL");
    }
    if (!is_scan(&of)) {
        if (count == 0 && !of.monoid.has_identity && !fold->init && !fold->init_at.mem) {
            return clfold_fail(&site, CLFOLD_ERROR_EMPTY,
                               "count is 0, and %s has neither identity nor init",
                               of.monoid.name);
        }
        clfold_reduce_foresee(context, of.algorithm, &of.monoid, count, &of.reduce,
                              &dropped);
        report_reduce(&of, dropped > 0, out);
        return CLFOLD_OK;
    }
    if ((status = clfold_scan_foresee(context, &site, &of.call, &of.scan, &dropped))) {
        return status;
    }
    report_scan(&of, dropped > 0, of.call.named, out);
    return CLFOLD_OK;
}
