/* clfold_prepare and clfold_explain: a call beforehand. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, for 1.2 devices */
#include "ops/check.h"
#include "ops/reduce.h"

#include <stdio.h>
#include <string.h>

/* Runs each kernel on nothing, in an order that a call would never take: on some drivers
 * (PoCL) the real compilation happens at a kernel's first launch with its group size. */
static clfold_status launch_all(const struct site *site, cl_command_queue queue,
                                const struct reduce_plan *plan,
                                const struct kernels *kernels,
                                const struct reduce_call *call, cl_mem scratch)
{
    size_t size = plan->shape.group_size;
    cl_int status = CL_SUCCESS;

    for (enum reduce_kernel k = 0; k < REDUCE_KERNELS; ++k) {
        cl_kernel kernel = kernels->kernels[k];
        status = clfold_reduce_set_args(site, k, kernel, call, plan, scratch);
        if (status) {
            return status;
        }
        status =
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
        if (status != CL_SUCCESS) {
            return clfold_fail_call(site, status, "clEnqueueNDRangeKernel");
        }
    }
    status = clFinish(queue);
    return status == CL_SUCCESS ? CLFOLD_OK : clfold_fail_call(site, status, "clFinish");
}

static clfold_status prepare_on(clfold_context *context, const struct site *site,
                                cl_command_queue queue, const struct monoid *monoid,
                                const struct reduce_plan *plan,
                                const struct kernels *kernels)
{
    size_t least = clfold_monoid_out_size(monoid);
    struct block *block;
    clfold_status status;

    status = clfold_scratch_lend(
        &context->scratch, site, NULL, true,
        plan->scratch_bytes > least ? plan->scratch_bytes : least, &block);
    if (status) {
        return status;
    }
    struct reduce_call call = {
        .monoid = monoid,
        .queue = queue,
        .in = block->mem,
        .out = block->mem,
    };
    status = launch_all(site, queue, plan, kernels, &call, block->mem);
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, block);
        return status;
    }
    return clfold_scratch_give(&context->scratch, site, block, NULL);
}

clfold_status clfold_prepare(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count)
{
    struct site site = clfold_site(context, fold, "clfold_prepare");
    struct monoid monoid;
    struct reduce_plan plan;
    struct program *program;
    struct kernels *kernels;
    cl_int status;

    if ((status = clfold_check_fold(&site, context, operation, fold, &monoid))) {
        return status;
    }
    atomic_fetch_add(&context->calls, 1);
    if ((status = clfold_reduce_find(context, &site, &monoid, count, &plan, &program)) ||
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

clfold_status clfold_explain(clfold_context *context, clfold_operation operation,
                             const clfold_fold *fold, size_t count, clfold_report *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain");
    struct monoid monoid;
    struct reduce_plan plan;
    uint32_t dropped;
    clfold_status status;

    if ((status = clfold_check_fold(&site, context, operation, fold, &monoid))) {
        return status;
    }
    if (!out) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "out is NULL");
    }
    clfold_reduce_foresee(context, &monoid, count, &plan, &dropped);
    *out = (clfold_report){
        .algorithm = plan.algorithm,
        .tile = plan.shape.elements,
        .group_size = plan.shape.group_size,
        .num_groups = plan.num_groups,
        .num_launches = plan.num_launches,
        .scratch_bytes = plan.scratch_bytes,
        .bytes_read = plan.bytes_read,
        .bytes_written = plan.bytes_written,
    };
    snprintf(out->reason, sizeof(out->reason),
             "%s by policy \"%s\"%s: %llu tiles of %u elements, %llu a group, %s",
             clfold_tile_name(plan.shape.kind), plan.row,
             dropped ? ", since the tile before it does not build here" : "",
             (unsigned long long)plan.num_tiles, plan.shape.elements,
             (unsigned long long)plan.tiles_per_group,
             plan.num_launches == 1 ? "few enough for one launch"
                                    : "partials folded by a second launch");
    return CLFOLD_OK;
}
