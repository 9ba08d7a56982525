/* How a reduction is done: find its program, set arguments, launch. */
#include "ops/reduce.h"

#include "ops/chain.h"
#include "plan/assemble.h"
#include "plan/scalar.h"

#include <string.h>

/* ---- Finding the program ----------------------------------------------------------- */

/* The kernels of reduce_tiles.cl, in the order of their names. */
enum { KERNEL_SINGLE, KERNEL_TILES, KERNEL_PARTIALS, NUM_KERNELS };

static const char *const tile_kernels[NUM_KERNELS] = {
    [KERNEL_SINGLE] = "clfold_reduce_single",
    [KERNEL_TILES] = "clfold_reduce_tiles",
    [KERNEL_PARTIALS] = "clfold_reduce_partials",
};

/* Each rung is one kernel, and a program of its own. */
static const char *const rung_kernels[] = {
    "clfold_reduce0", "clfold_reduce1", "clfold_reduce2", "clfold_reduce3",
    "clfold_reduce4", "clfold_reduce5", "clfold_reduce6",
};

/* The numbers that change the program's text. No padding: it is hashed as bytes. */
struct reduce_key {
    uint32_t operation, algorithm, in, cell, num_scalars, num_components;
    uint32_t commutative, has_identity, stage_limit;
    uint32_t tile, tile_elements, group_size;
    struct {
        uint32_t result, item, stage, load, scalar;
    } components[CLFOLD_MAX_COMPONENTS];
};

/* The key's strings are the monoid's, its numbers go to `numbers`. */
static void make_key(struct key *key, struct reduce_key *numbers,
                     const struct monoid *monoid, const struct reduce_shape *shape)
{
    *numbers = (struct reduce_key){
        .operation = CLFOLD_REDUCE,
        .algorithm = shape->algorithm,
        .in = monoid->in,
        .cell = monoid->cell,
        .num_scalars = monoid->num_scalars,
        .num_components = monoid->num_components,
        .commutative = monoid->commutative,
        .has_identity = monoid->has_identity,
        .stage_limit = (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit
                                                                   : UINT32_MAX),
        .tile = shape->tile.kind,
        .tile_elements = shape->tile.elements,
        .group_size = shape->tile.group_size,
    };
    clfold_key_init(key);
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const struct component *component = &monoid->components[k];
        numbers->components[k].result = component->result;
        numbers->components[k].item = component->item;
        numbers->components[k].stage = component->stage;
        numbers->components[k].load = component->load;
        numbers->components[k].scalar = component->scalar;
        clfold_key_add_string(key, component->name);
        clfold_key_add_string(key, component->combine);
        clfold_key_add_string(key, component->identity);
    }
    clfold_key_add(key, numbers, sizeof(*numbers));
}

struct text_data {
    const struct monoid *monoid;
    const struct reduce_shape *shape;
};

static void assemble(struct text *text, const void *data)
{
    const struct text_data *of = data;

    clfold_assemble_reduce(text, of->monoid, of->shape);
}

clfold_status clfold_reduce_find(clfold_context *context, const struct site *site,
                                 enum reduce_algorithm algorithm,
                                 const struct monoid *monoid, uint64_t count,
                                 struct reduce_plan *plan, struct program **program)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    uint32_t num = clfold_reduce_shapes(algorithm, &context->caps.facts, monoid,
                                        &context->override, policies, shapes);
    clfold_status status = CLFOLD_ERROR_BUILD;
    bool found = true;

    *program = NULL;
    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        struct key key;
        struct reduce_key numbers;
        struct text_data data = { monoid, &shapes[i] };
        struct recipe recipe = { assemble, &data, tile_kernels, NUM_KERNELS };

        if (algorithm != REDUCE_TILES) {
            recipe.names = &rung_kernels[algorithm - REDUCE_0];
            recipe.num_kernels = 1;
        }
        make_key(&key, &numbers, monoid, &shapes[i]);
        status = clfold_cache_find(&context->cache, site, &key, &recipe, program, &found);
        if (status == CLFOLD_OK) {
            clfold_reduce_plan_init(plan, monoid, &policies[i], &shapes[i], count);
        }
    }
    clfold_cache_count(&context->cache, found && status == CLFOLD_OK);
    if (status == CLFOLD_ERROR_BUILD && *program) {
        clfold_program_error(*program, site);
    }
    return status;
}

void clfold_reduce_foresee(clfold_context *context, enum reduce_algorithm algorithm,
                           const struct monoid *monoid, uint64_t count,
                           struct reduce_plan *plan, uint32_t *dropped)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    uint32_t num = clfold_reduce_shapes(algorithm, &context->caps.facts, monoid,
                                        &context->override, policies, shapes);
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

/* ---- Arguments --------------------------------------------------------------------- */

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

/* What clfold_finish in result.cl takes. */
static void set_result(struct args *args, const struct reduce_call *call)
{
    const unsigned char *init = call->init;
    size_t cell = clfold_scalar(call->monoid->cell)->size;

    set_mem(args, call->out);
    set_ulong(args, call->out_offset);
    set_uint(args, init != NULL);
    for (uint32_t k = 0; k < call->monoid->num_components; ++k) {
        const struct component *component = &call->monoid->components[k];
        size_t size = clfold_scalar(component->result)->size;
        unsigned char value[sizeof(cl_ulong)] = { 0 };
        if (init) {
            memcpy(value, init + k * cell, size);
        }
        set(args, size, value);
    }
}

static clfold_status set_tile_args(const struct site *site, uint32_t kernel,
                                   cl_kernel object, const struct reduce_call *call,
                                   const struct reduce_plan *plan, cl_mem partials)
{
    struct args args = { .kernel = object };

    if (kernel == KERNEL_PARTIALS) {
        set_mem(&args, partials);
        set_uint(&args, call->count > 0 ? (uint32_t)plan->num_groups : 0);
    } else {
        set_mem(&args, call->in);
        set_ulong(&args, call->in_offset);
        set_ulong(&args, call->count);
    }
    if (kernel == KERNEL_TILES) {
        set_ulong(&args, plan->items * plan->shape.tile.group_size);
        set_mem(&args, partials);
    } else {
        set_result(&args, call);
    }
    return args.status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(site, args.status, "clSetKernelArg");
}

/* Launch `pass` of a rung. Passes take turns in two areas of scratch:
 *
 *   in -> 0 ... num_groups - 1 -> num_groups ... -> 0 ... -> out
 */
static clfold_status set_rung_args(const struct site *site, cl_kernel object,
                                   const struct reduce_call *call,
                                   const struct reduce_plan *plan, cl_mem scratch,
                                   uint32_t pass, uint64_t count)
{
    struct args args = { .kernel = object };

    set_mem(&args, call->in);
    set_ulong(&args, call->in_offset);
    set_mem(&args, scratch);
    set_ulong(&args, pass % 2 == 0 ? plan->num_groups : 0);
    set_ulong(&args, pass % 2 == 0 ? 0 : plan->num_groups);
    set_uint(&args, pass == 0);
    set_ulong(&args, count);
    set_result(&args, call);
    return args.status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(site, args.status, "clSetKernelArg");
}

/* ---- Launching --------------------------------------------------------------------- */

static clfold_status launch_tiles(struct chain *chain, const struct reduce_call *call,
                                  const struct reduce_plan *plan,
                                  const struct kernels *kernels, cl_mem scratch,
                                  bool wants_event)
{
    uint32_t first = plan->num_launches == 1 ? KERNEL_SINGLE : KERNEL_TILES;
    cl_kernel partials = kernels->kernels[KERNEL_PARTIALS];
    size_t group_size = plan->shape.tile.group_size;
    clfold_status status;

    if ((status = set_tile_args(chain->site, first, kernels->kernels[first], call, plan,
                                scratch))) {
        return status;
    }
    if (first == KERNEL_SINGLE) {
        return clfold_chain_launch(chain, kernels->kernels[first], group_size, 1,
                                   wants_event);
    }
    if ((status = set_tile_args(chain->site, KERNEL_PARTIALS, partials, call, plan,
                                scratch)) ||
        (status = clfold_chain_launch(chain, kernels->kernels[first], group_size,
                                      plan->num_groups, false))) {
        return status;
    }
    return clfold_chain_launch(chain, partials, group_size, 1, wants_event);
}

/* OpenCL takes a kernel's arguments when it is enqueued, so one object serves all. */
static clfold_status launch_rung(struct chain *chain, const struct reduce_call *call,
                                 const struct reduce_plan *plan,
                                 const struct kernels *kernels, cl_mem scratch,
                                 bool wants_event)
{
    cl_kernel kernel = kernels->kernels[0];
    uint64_t count = call->count, num_groups;
    clfold_status status = CLFOLD_OK;

    for (uint32_t pass = 0; status == CLFOLD_OK && pass < plan->num_launches; ++pass) {
        num_groups = clfold_reduce_groups(plan, pass, count);
        status = set_rung_args(chain->site, kernel, call, plan, scratch, pass, count);
        if (status == CLFOLD_OK) {
            status = clfold_chain_launch(chain, kernel, plan->shape.tile.group_size,
                                         num_groups,
                                         wants_event && pass + 1 == plan->num_launches);
        }
        count = num_groups;
    }
    return status;
}

static clfold_status launch_all(struct chain *chain, const struct reduce_call *call,
                                const struct reduce_plan *plan,
                                const struct kernels *kernels, cl_mem scratch,
                                bool wants_event)
{
    return plan->shape.algorithm == REDUCE_TILES
               ? launch_tiles(chain, call, plan, kernels, scratch, wants_event)
               : launch_rung(chain, call, plan, kernels, scratch, wants_event);
}

/* With partials in scratch between the launches. */
static clfold_status launch_with_scratch(clfold_context *context, struct chain *chain,
                                         const struct reduce_call *call,
                                         const struct reduce_plan *plan,
                                         const struct kernels *kernels, bool wants_event)
{
    struct block *block = NULL;
    clfold_status status, given;

    status = clfold_scratch_lend(&context->scratch, chain->site, call->queue,
                                 call->in_order, plan->scratch_bytes, &block);
    if (status) {
        return status;
    }
    /* The limit wants the newest also when a later launch fails. */
    chain->wants_events = context->scratch.limit > 0;
    status = launch_all(chain, call, plan, kernels, block->mem, wants_event);
    given = clfold_scratch_give(&context->scratch, chain->site, block, chain->last);
    return status ? status : given;
}

clfold_status clfold_reduce_enqueue(clfold_context *context, const struct site *site,
                                    const struct reduce_call *call, cl_event *event)
{
    struct chain chain = {
        .site = site,
        .queue = call->queue,
        .in_order = call->in_order,
        .num_wait = call->num_wait,
        .wait = call->wait,
        .behind_all = call->behind_all,
    };
    struct reduce_plan plan;
    struct program *program;
    struct kernels *kernels;
    clfold_status status;

    if ((status = clfold_reduce_find(context, site, call->algorithm, call->monoid,
                                     call->count, &plan, &program)) ||
        (status = clfold_program_take(&context->cache, site, program, &kernels))) {
        return status;
    }
    status =
        plan.scratch_bytes > 0
            ? launch_with_scratch(context, &chain, call, &plan, kernels, event != NULL)
            : launch_all(&chain, call, &plan, kernels, NULL, event != NULL);
    clfold_program_give(&context->cache, program, kernels);
    if (event && status == CLFOLD_OK) {
        *event = chain.last;
    } else {
        clfold_chain_finish(&chain);
    }
    return status;
}

clfold_status clfold_reduce_rehearse(const struct site *site,
                                     const struct reduce_call *call,
                                     const struct reduce_plan *plan,
                                     const struct kernels *kernels, cl_mem scratch)
{
    struct chain chain = { .site = site, .queue = call->queue, .in_order = true };
    uint32_t num = plan->shape.algorithm == REDUCE_TILES ? NUM_KERNELS : 1;
    clfold_status status = CLFOLD_OK;

    for (uint32_t k = 0; status == CLFOLD_OK && k < num; ++k) {
        cl_kernel kernel = kernels->kernels[k];
        status = plan->shape.algorithm == REDUCE_TILES
                     ? set_tile_args(site, k, kernel, call, plan, scratch)
                     : set_rung_args(site, kernel, call, plan, scratch, 0, 0);
        if (status == CLFOLD_OK) {
            status = clfold_chain_launch(&chain, kernel, plan->shape.tile.group_size, 1,
                                         false);
        }
    }
    if (status == CLFOLD_OK) {
        status = clFinish(call->queue);
        status =
            status == CL_SUCCESS ? CLFOLD_OK : clfold_fail_call(site, status, "clFinish");
    }
    return status;
}
