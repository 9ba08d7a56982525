/* clfold_prepare and clfold_explain: a call beforehand. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "base/size.h"
#include "ops/check.h"
#include "ops/reduce.h"

#include <stdio.h>
#include <string.h>

/* Reserves what clfold_reduce_host takes as well, a block for its result. */
static clfold_status prepare_on(clfold_context *context, const struct site *site,
                                cl_command_queue queue, const struct monoid *monoid,
                                const struct reduce_plan *plan,
                                const struct kernels *kernels)
{
    struct block *result, *partials = NULL;
    clfold_status status, given;

    status = clfold_scratch_lend(&context->scratch, site, NULL, true,
                                 clfold_monoid_out_size(monoid), &result);
    if (status) {
        return status;
    }
    if (plan->scratch_most > 0) {
        status = clfold_scratch_lend(&context->scratch, site, NULL, true,
                                     plan->scratch_most, &partials);
    }
    if (status == CLFOLD_OK) {
        struct reduce_call call = {
            .monoid = monoid,
            .queue = queue,
            .in = result->mem,
            .out = result->mem,
        };
        /* On some drivers (PoCL) the real compilation happens at a kernel's first launch
         * with its group size. */
        status = clfold_reduce_rehearse(site, &call, plan, kernels,
                                        partials ? partials->mem : result->mem);
    }
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, result);
        if (partials) {
            clfold_scratch_drop(&context->scratch, site->log, partials);
        }
        return status;
    }
    given = partials ? clfold_scratch_give(&context->scratch, site, partials, NULL)
                     : CLFOLD_OK;
    status = clfold_scratch_give(&context->scratch, site, result, NULL);
    return status ? status : given;
}

static clfold_status check_count(const struct site *site, const struct monoid *monoid,
                                 size_t count)
{
    size_t bytes;

    if (!clfold_size_mul(count, clfold_monoid_in_size(monoid), &bytes)) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "count %zu of %zu bytes each overflows", count,
                           clfold_monoid_in_size(monoid));
    }
    return CLFOLD_OK;
}

clfold_status clfold_prepare(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count)
{
    struct site site = clfold_site(context, fold, "clfold_prepare");
    struct monoid monoid;
    enum reduce_algorithm algorithm;
    struct reduce_plan plan;
    struct program *program;
    struct kernels *kernels;
    cl_int status;

    if ((status = clfold_check_fold(&site, context, operation, fold, &monoid)) ||
        (status =
             clfold_check_reduce(&site, context, &monoid, fold->algorithm, &algorithm)) ||
        (status = check_count(&site, &monoid, count))) {
        return status;
    }
    atomic_fetch_add(&context->calls, 1);
    if ((status = clfold_reduce_find(context, &site, algorithm, &monoid, count, &plan,
                                     &program)) ||
        (status = clfold_program_take(&context->cache, &site, program, &kernels))) {
        return status;
    }
    cl_command_queue queue =
        clCreateCommandQueue(context->context, context->device, 0, &status);
    if (status == CL_SUCCESS) {
        status = prepare_on(context, &site, queue, &monoid, &plan, kernels);
        clfold_log_call(&context->log, clReleaseCommandQueue(queue),
                        "clReleaseCommandQueue");
    } else {
        clfold_fail_call(&site, status, "clCreateCommandQueue");
    }
    clfold_program_give(&context->cache, program, kernels);
    return status;
}

/* Brent's rule in numbers, or why a rung takes as many groups as it does. */
static void give_reason(const struct reduce_plan *plan, bool dropped, char *to,
                        size_t size)
{
    const struct grid *grid = &plan->grid;
    const char *tile = clfold_tile_name(plan->shape.tile.kind);
    const char *why = dropped ? ", since the tile before it does not build here" : "";

    if (!plan->has_grid) {
        snprintf(to, size,
                 "asked for by name: %llu item%s a work-item, so every launch leaves a "
                 "partial for each group of %u until one is left",
                 (unsigned long long)plan->items, plan->items == 1 ? "" : "s",
                 plan->shape.tile.group_size);
        return;
    }
    snprintf(to, size,
             "%s by policy \"%s\"%s: %llu lanes fill the device, one is not started for "
             "less than %llu items; so %llu group%s of lanes with %llu items each, %s",
             tile, plan->row, why, (unsigned long long)grid->saturating,
             (unsigned long long)grid->least, (unsigned long long)grid->groups,
             grid->groups == 1 ? "" : "s", (unsigned long long)grid->items,
             plan->num_launches == 1 ? "in one launch"
                                     : "and a launch that folds their partials");
}

clfold_status clfold_explain(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count, clfold_report *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain");
    struct monoid monoid;
    enum reduce_algorithm algorithm;
    struct reduce_plan plan;
    uint32_t dropped;
    clfold_status status;

    if ((status = clfold_check_fold(&site, context, operation, fold, &monoid)) ||
        (status =
             clfold_check_reduce(&site, context, &monoid, fold->algorithm, &algorithm)) ||
        (status = check_count(&site, &monoid, count))) {
        return status;
    }
    if (!out) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "out is NULL");
    }
    clfold_reduce_foresee(context, algorithm, &monoid, count, &plan, &dropped);
    *out = (clfold_report){
        .algorithm = clfold_reduce_name(algorithm),
        .tile = plan.shape.tile.elements,
        .group_size = plan.shape.tile.group_size,
        .num_groups = (size_t)plan.num_groups,
        .num_launches = plan.num_launches,
        .scratch_bytes = plan.scratch_bytes,
        .bytes_read = plan.bytes_read,
        .bytes_written = plan.bytes_written,
        .items = (size_t)plan.items,
    };
    give_reason(&plan, dropped > 0, out->reason, sizeof(out->reason));
    return CLFOLD_OK;
}
