/* clfold_reduce and clfold_reduce_host: check, find the program, enqueue. */
#include "ops/reduce.h"

#include "ops/check.h"
#include "ops/internal.h"
#include "plan/assemble.h"
#include "plan/scalar.h"

#include <string.h>

/* ---- Finding the program ----------------------------------------------------------- */

static const char *const kernel_names[] = {
    [REDUCE_SINGLE] = "clfold_reduce_single",
    [REDUCE_TILES] = "clfold_reduce_tiles",
    [REDUCE_PARTIALS] = "clfold_reduce_partials",
};

/* The numbers that change the program's text. No padding: it is hashed as bytes. */
struct reduce_key {
    uint32_t operation, in, num_components, commutative, has_identity, stage_limit;
    uint32_t tile, tile_elements, group_size;
    uint32_t types[CLFOLD_MAX_COMPONENTS], stages[CLFOLD_MAX_COMPONENTS];
};

/* The key's strings are the monoid's, its numbers go to `numbers`. */
static void make_key(struct key *key, struct reduce_key *numbers,
                     const struct monoid *monoid, const struct tile_shape *shape)
{
    *numbers = (struct reduce_key){
        .operation = CLFOLD_REDUCE,
        .in = monoid->in,
        .num_components = monoid->num_components,
        .commutative = monoid->commutative,
        .has_identity = monoid->has_identity,
        .stage_limit = (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit
                                                                   : UINT32_MAX),
        .tile = shape->kind,
        .tile_elements = shape->elements,
        .group_size = shape->group_size,
    };
    clfold_key_init(key);
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const struct component *component = &monoid->components[k];
        numbers->types[k] = component->type;
        numbers->stages[k] = component->stage;
        clfold_key_add_string(key, component->name);
        clfold_key_add_string(key, component->combine);
        clfold_key_add_string(key, component->identity);
    }
    clfold_key_add(key, numbers, sizeof(*numbers));
}

struct text_data {
    const struct monoid *monoid;
    const struct tile_shape *shape;
};

static void assemble(struct text *text, const void *data)
{
    const struct text_data *of = data;

    clfold_assemble_reduce(text, of->monoid, of->shape);
}

clfold_status clfold_reduce_find(clfold_context *context, const struct site *site,
                                 const struct monoid *monoid, uint64_t count,
                                 struct reduce_plan *plan, struct program **program)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct tile_shape shapes[CLFOLD_MAX_CANDIDATES];
    uint32_t num = clfold_reduce_shapes(&context->caps.facts, monoid, &context->override,
                                        policies, shapes);
    clfold_status status = CLFOLD_ERROR_BUILD;

    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        struct key key;
        struct reduce_key numbers;
        struct text_data data = { monoid, &shapes[i] };
        struct recipe recipe = { assemble, &data, kernel_names, REDUCE_KERNELS };

        make_key(&key, &numbers, monoid, &shapes[i]);
        status = clfold_cache_find(&context->cache, site, &key, &recipe, program);
        if (status == CLFOLD_OK) {
            clfold_reduce_plan_init(plan, monoid, &policies[i], &shapes[i], count);
        }
    }
    return status;
}

void clfold_reduce_foresee(clfold_context *context, const struct monoid *monoid,
                           uint64_t count, struct reduce_plan *plan, uint32_t *dropped)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct tile_shape shapes[CLFOLD_MAX_CANDIDATES];
    uint32_t num = clfold_reduce_shapes(&context->caps.facts, monoid, &context->override,
                                        policies, shapes);
    uint32_t i = 0;

    for (; i + 1 < num; ++i) {
        struct key key;
        struct reduce_key numbers;

        make_key(&key, &numbers, monoid, &shapes[i]);
        if (!clfold_cache_has_failed(&context->cache, &key)) {
            break;
        }
    }
    *dropped = i;
    clfold_reduce_plan_init(plan, monoid, &policies[i], &shapes[i], count);
}

/* ---- Enqueuing --------------------------------------------------------------------- */

/* Sets arguments one after the other; the first failure stays. */
struct args {
    cl_kernel kernel;
    cl_uint index;
    cl_int status;
};

static void set(struct args *args, size_t size, const void *value)
{
    if (args->status == CL_SUCCESS) {
        args->status = clSetKernelArg(args->kernel, args->index++, size, value);
    }
}

static void set_mem(struct args *args, cl_mem mem)
{
    set(args, sizeof(mem), &mem);
}

static void set_ulong(struct args *args, uint64_t value)
{
    cl_ulong argument = value;

    set(args, sizeof(argument), &argument);
}

static void set_uint(struct args *args, uint32_t value)
{
    cl_uint argument = value;

    set(args, sizeof(argument), &argument);
}

/* What clfold_finish in reduce_tiles.cl takes. */
static void set_finish(struct args *args, const struct reduce_call *call)
{
    static const cl_ulong nothing = 0;
    const unsigned char *init = call->init;

    set_mem(args, call->out);
    set_ulong(args, call->out_offset);
    set_uint(args, init != NULL);
    for (uint32_t k = 0; k < call->monoid->num_components; ++k) {
        size_t size = clfold_scalar(call->monoid->components[k].type)->size;
        set(args, size, init ? init : (const unsigned char *)&nothing);
        init = init ? init + size : NULL;
    }
}

clfold_status clfold_reduce_set_args(const struct site *site, enum reduce_kernel kernel,
                                     cl_kernel object, const struct reduce_call *call,
                                     const struct reduce_plan *plan, cl_mem partials)
{
    struct args args = { .kernel = object };

    switch (kernel) {
    case REDUCE_SINGLE:
        set_mem(&args, call->in);
        set_ulong(&args, call->in_offset);
        set_ulong(&args, call->count);
        set_finish(&args, call);
        break;
    case REDUCE_TILES:
        set_mem(&args, call->in);
        set_ulong(&args, call->in_offset);
        set_ulong(&args, call->count);
        set_ulong(&args, plan->tiles_per_group);
        set_mem(&args, partials);
        break;
    default:
        set_mem(&args, partials);
        set_uint(&args, call->count > 0 ? plan->num_groups : 0);
        set_finish(&args, call);
    }
    return args.status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(site, args.status, "clSetKernelArg");
}

/* One kernel of so many groups. *event may be NULL. */
static clfold_status launch(const struct site *site, cl_command_queue queue,
                            cl_kernel kernel, const struct reduce_plan *plan,
                            uint32_t num_groups, cl_uint num_wait, const cl_event *wait,
                            cl_event *event)
{
    size_t local = plan->shape.group_size;
    size_t global = num_groups * local;
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local,
                                           num_wait, wait, event);

    if (status != CL_SUCCESS) {
        if (event) {
            *event = NULL;
        }
        return clfold_fail_call(site, status, "clEnqueueNDRangeKernel");
    }
    return CLFOLD_OK;
}

/* A scratch block that an earlier call of the out-of-order queue still uses must be
 * waited for besides the caller's events: a marker turns those into one. */
static clfold_status launch_after(const struct site *site, const struct reduce_call *call,
                                  cl_kernel kernel, const struct reduce_plan *plan,
                                  cl_event last, cl_event *event)
{
    cl_event both[2] = { last, NULL };
    clfold_status status;

    if (!last) {
        return launch(site, call->queue, kernel, plan, plan->num_groups, call->num_wait,
                      call->wait, event);
    }
    if (call->num_wait > 0) {
        status = clEnqueueMarkerWithWaitList(call->queue, call->num_wait, call->wait,
                                             &both[1]);
        if (status != CL_SUCCESS) {
            return clfold_fail_call(site, status, "clEnqueueMarkerWithWaitList");
        }
    }
    status = launch(site, call->queue, kernel, plan, plan->num_groups, both[1] ? 2 : 1,
                    both, event);
    if (both[1]) {
        clfold_log_call(site->log, clReleaseEvent(both[1]), "clReleaseEvent");
    }
    return status;
}

/* Two launches with partials in scratch between them. */
static clfold_status enqueue_tiles(clfold_context *context, const struct site *site,
                                   const struct reduce_call *call,
                                   const struct reduce_plan *plan,
                                   const struct kernels *kernels, cl_event *event)
{
    cl_kernel tiles = kernels->kernels[REDUCE_TILES];
    cl_kernel partials = kernels->kernels[REDUCE_PARTIALS];
    cl_event first = NULL, second = NULL;
    struct block *block = NULL;
    clfold_status status, given;

    status = clfold_scratch_lend(&context->scratch, site, call->queue, call->in_order,
                                 plan->scratch_bytes, &block);
    if (status) {
        return status;
    }
    status = clfold_reduce_set_args(site, REDUCE_TILES, tiles, call, plan, block->mem);
    if (status == CLFOLD_OK) {
        status = clfold_reduce_set_args(site, REDUCE_PARTIALS, partials, call, plan,
                                        block->mem);
    }
    if (status == CLFOLD_OK) {
        status = launch_after(site, call, tiles, plan, block->last,
                              call->in_order ? NULL : &first);
    }
    if (status == CLFOLD_OK) {
        status = launch(site, call->queue, partials, plan, 1, first ? 1 : 0,
                        first ? &first : NULL, event || !call->in_order ? &second : NULL);
    }
    given = clfold_scratch_give(&context->scratch, site, block,
                                call->in_order ? NULL : (second ? second : first));
    status = status ? status : given;
    if (first) {
        clfold_log_call(site->log, clReleaseEvent(first), "clReleaseEvent");
    }
    if (second && (status || !event)) {
        clfold_log_call(site->log, clReleaseEvent(second), "clReleaseEvent");
    } else if (event) {
        *event = second;
    }
    return status;
}

clfold_status clfold_reduce_enqueue(clfold_context *context, const struct site *site,
                                    const struct reduce_call *call, cl_event *event)
{
    struct reduce_plan plan;
    struct program *program;
    struct kernels *kernels;
    clfold_status status;

    if ((status = clfold_reduce_find(context, site, call->monoid, call->count, &plan,
                                     &program)) ||
        (status = clfold_program_take(&context->cache, site, program, &kernels))) {
        return status;
    }
    if (plan.num_launches == 1) {
        cl_kernel single = kernels->kernels[REDUCE_SINGLE];
        status = clfold_reduce_set_args(site, REDUCE_SINGLE, single, call, &plan, NULL);
        if (status == CLFOLD_OK) {
            status = launch(site, call->queue, single, &plan, 1, call->num_wait,
                            call->wait, event);
        }
    } else {
        status = enqueue_tiles(context, site, call, &plan, kernels, event);
    }
    clfold_program_give(&context->cache, program, kernels);
    return status;
}

/* ---- The calls --------------------------------------------------------------------- */

/* Checks everything but the fold, and enqueues. `op` 0: a monoid that only the device can
 * fold. */
static clfold_status reduce(clfold_context *context, const struct site *site,
                            struct reduce_call *call, clfold_op op, cl_event *event)
{
    const char *type = clfold_type_name(call->monoid->components[0].type);
    struct span in = {
        .name = "in",
        .offset_name = "in_offset",
        .mem = call->in,
        .offset = call->in_offset,
        .count = call->count,
        .size = clfold_monoid_in_size(call->monoid),
        .type = clfold_type_name(call->monoid->in),
        .denied = CL_MEM_WRITE_ONLY,
    };
    struct span out = {
        .name = "out",
        .offset_name = "out_offset",
        .mem = call->out,
        .offset = call->out_offset,
        .count = 1,
        .size = clfold_monoid_out_size(call->monoid),
        .type = type,
        .denied = CL_MEM_READ_ONLY,
    };
    cl_mem in_root, out_root;
    size_t in_begin, out_begin;
    clfold_status status;

    if ((status = clfold_check_queue(site, context, call->queue, &call->in_order)) ||
        (status = clfold_check_wait(site, call->num_wait, call->wait)) ||
        (status = clfold_check_span(site, context, &in, &in_root, &in_begin)) ||
        (status = clfold_check_span(site, context, &out, &out_root, &out_begin)) ||
        (status = clfold_check_overlap(site, &in, in_root, in_begin, &out, out_root,
                                       out_begin))) {
        return status;
    }
    if (call->count == 0 && !call->monoid->has_identity && !call->init) {
        return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                           "count is 0, and %s has neither identity nor init",
                           call->monoid->name);
    }
    uint64_t number = atomic_fetch_add(&context->calls, 1) + 1;
    if (op && context->verify_every && number % context->verify_every == 0) {
        return clfold_reduce_verify(context, site, call, op, event);
    }
    return clfold_reduce_enqueue(context, site, call, event);
}

clfold_status clfold_reduce(clfold_context *context, cl_command_queue queue,
                            const clfold_fold *fold, cl_mem in, size_t in_offset,
                            cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,
                            const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, fold, "clfold_reduce");
    struct monoid monoid;
    clfold_status status;

    if (event) {
        *event = NULL;
    }
    if ((status = clfold_check_fold(&site, context, CLFOLD_REDUCE, fold, &monoid))) {
        return status;
    }
    struct reduce_call call = {
        .monoid = &monoid,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
        .count = count,
        .init = fold->init,
        .num_wait = num_wait,
        .wait = wait,
    };
    return reduce(context, &site, &call, fold->op, event);
}

clfold_status clfold_reduce_monoid(clfold_context *context, cl_command_queue queue,
                                   const struct monoid *monoid, cl_mem in,
                                   size_t in_offset, cl_mem out, size_t out_offset,
                                   size_t count, const void *init, cl_uint num_wait,
                                   const cl_event *wait, cl_event *event)
{
    struct site site = clfold_site(context, NULL, monoid->name);
    struct reduce_call call = {
        .monoid = monoid,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
        .count = count,
        .init = init,
        .num_wait = num_wait,
        .wait = wait,
    };

    if (event) {
        *event = NULL;
    }
    return reduce(context, &site, &call, 0, event);
}

/* The result lies in scratch until it is read. On an out-of-order queue a barrier puts
 * the call behind all that the queue holds. *reduced is the caller's to release, or NULL.
 */
static clfold_status reduce_and_read(clfold_context *context, const struct site *site,
                                     const struct reduce_call *call, clfold_op op,
                                     cl_event *reduced, void *result, size_t size)
{
    unsigned char bytes[sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS];
    struct reduce_call last = *call;
    cl_event barrier = NULL;
    clfold_status status = CLFOLD_OK;

    if (!call->in_order) {
        status = clEnqueueBarrierWithWaitList(call->queue, 0, NULL, &barrier);
        if (status != CL_SUCCESS) {
            return clfold_fail_call(site, status, "clEnqueueBarrierWithWaitList");
        }
        last.num_wait = 1;
        last.wait = &barrier;
    }
    status = reduce(context, site, &last, op, reduced);
    if (barrier) {
        clfold_log_call(site->log, clReleaseEvent(barrier), "clReleaseEvent");
    }
    if (status) {
        return status;
    }
    status = clEnqueueReadBuffer(call->queue, call->out, CL_TRUE, 0, size, bytes, 1,
                                 reduced, NULL);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "clEnqueueReadBuffer");
    }
    memcpy(result, bytes, size);
    return CLFOLD_OK;
}

clfold_status clfold_reduce_host(clfold_context *context, cl_command_queue queue,
                                 const clfold_fold *fold, cl_mem in, size_t in_offset,
                                 size_t count, void *result, size_t result_size)
{
    struct site site = clfold_site(context, fold, "clfold_reduce_host");
    struct monoid monoid;
    struct block *block;
    cl_event reduced = NULL;
    clfold_status status;

    if ((status = clfold_check_fold(&site, context, CLFOLD_REDUCE, fold, &monoid))) {
        return status;
    }
    if (!result) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT, "result is NULL");
    }
    if (result_size != clfold_monoid_out_size(&monoid)) {
        return clfold_fail(&site, CLFOLD_ERROR_ARGUMENT,
                           "result_size %zu bytes is not the %zu of %s", result_size,
                           clfold_monoid_out_size(&monoid), clfold_type_name(fold->type));
    }
    struct reduce_call call = {
        .monoid = &monoid,
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .count = count,
        .init = fold->init,
    };
    if ((status = clfold_check_queue(&site, context, queue, &call.in_order)) ||
        (status = clfold_scratch_lend(&context->scratch, &site, queue, call.in_order,
                                      result_size, &block))) {
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
