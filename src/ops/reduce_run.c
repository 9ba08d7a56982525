/* How a reduction is done: find its program, set arguments, launch. */
#include "ops/reduce.h"

#include "ops/chain.h"
#include "ops/program.h"
#include "plan/assemble.h"

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

struct text_data {
    const struct monoid *monoid;
    const struct reduce_shape *shape;
};

static void assemble(struct text *text, const void *data)
{
    const struct text_data *of = data;

    clfold_assemble_reduce(text, of->monoid, of->shape);
}

/* The candidates, with what their programs are made of. */
struct candidates {
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct text_data data[CLFOLD_MAX_CANDIDATES];
    struct program_spec specs[CLFOLD_MAX_CANDIDATES];
};

static uint32_t make_candidates(struct candidates *of, const clfold_context *context,
                                enum reduce_algorithm algorithm,
                                const struct monoid *monoid, uint64_t count)
{
    const struct plan_override override =
        clfold_context_plan(context, CLFOLD_REDUCE, monoid, count);
    uint32_t num = clfold_reduce_shapes(algorithm, &context->caps.facts, monoid,
                                        &override, of->policies, of->shapes);
    bool is_rung = algorithm != REDUCE_TILES;

    for (uint32_t i = 0; i < num; ++i) {
        of->data[i] = (struct text_data){ monoid, &of->shapes[i] };
        of->specs[i] = (struct program_spec){
            .monoid = monoid,
            .tile = of->shapes[i].tile,
            .operation = CLFOLD_REDUCE,
            .algorithm = algorithm,
            .assemble = assemble,
            .data = &of->data[i],
            .names = is_rung ? &rung_kernels[algorithm - REDUCE_0] : tile_kernels,
            .num_kernels = is_rung ? 1 : NUM_KERNELS,
        };
    }
    return num;
}

clfold_status clfold_reduce_find(clfold_context *context, const struct site *site,
                                 enum reduce_algorithm algorithm,
                                 const struct monoid *monoid, uint64_t count,
                                 struct reduce_plan *plan, struct program **program)
{
    struct candidates of;
    uint32_t num = make_candidates(&of, context, algorithm, monoid, count), chosen;
    clfold_status status =
        clfold_program_choose(context, site, of.specs, num, &chosen, program);

    if (status == CLFOLD_ERROR_BUILD) {
        return clfold_program_error(*program, site);
    }
    if (status == CLFOLD_OK) {
        clfold_reduce_plan_init(plan, monoid, &context->caps.facts, &of.policies[chosen],
                                &of.shapes[chosen], count);
    }
    return status;
}

void clfold_reduce_foresee(clfold_context *context, enum reduce_algorithm algorithm,
                           const struct monoid *monoid, uint64_t count,
                           struct reduce_plan *plan, uint32_t *dropped)
{
    struct candidates of;
    uint32_t num = make_candidates(&of, context, algorithm, monoid, count);
    struct program *program;
    bool fails;
    uint32_t i = clfold_program_foresee(context, of.specs, num, &program, &fails);

    *dropped = i;
    clfold_reduce_plan_init(plan, monoid, &context->caps.facts, &of.policies[i],
                            &of.shapes[i], count);
}

/* ---- Arguments --------------------------------------------------------------------- */

/* What the kernels that write the result take. */
static void set_result(struct args *args, const struct reduce_call *call)
{
    clfold_args_mem(args, call->out);
    clfold_args_ulong(args, call->out_offset);
    clfold_args_init(args, call->monoid, &call->init, call->out);
}

/* Launch `pass` of reduce_tiles. Of the partials it takes turns in two areas of scratch:
 *
 *   in -> 0 ... num_groups - 1 -> num_groups ... -> 0 ... -> out
 */
static clfold_status set_tile_args(const struct site *site, struct kernels *kernels,
                                   uint32_t kernel, const struct reduce_call *call,
                                   const struct reduce_plan *plan,
                                   const struct block *scratch, uint32_t pass,
                                   uint64_t count)
{
    struct args args = clfold_args(kernels, kernel);

    if (kernel == KERNEL_PARTIALS) {
        clfold_args_mem(&args, scratch ? scratch->mem : NULL);
        clfold_args_ulong(&args, pass % 2 == 0 ? plan->num_groups : 0);
        clfold_args_ulong(&args, pass % 2 == 0 ? 0 : plan->num_groups);
        clfold_args_ulong(&args, count);
        clfold_args_ulong(&args, plan->partials);
    } else {
        clfold_args_mem(&args, call->in);
        clfold_args_ulong(&args, call->in_offset);
        clfold_args_ulong(&args, count);
    }
    if (kernel == KERNEL_TILES) {
        clfold_args_ulong(&args, plan->items * plan->shape.tile.group_size);
        clfold_args_mem(&args, scratch ? scratch->mem : NULL);
    } else {
        set_result(&args, call);
    }
    return clfold_args_status(&args, site);
}

/* Launch `pass` of a rung, in turns as well. */
static clfold_status set_rung_args(const struct site *site, struct kernels *kernels,
                                   const struct reduce_call *call,
                                   const struct reduce_plan *plan,
                                   const struct block *scratch, uint32_t pass,
                                   uint64_t count)
{
    struct args args = clfold_args(kernels, 0);

    clfold_args_mem(&args, call->in);
    clfold_args_ulong(&args, call->in_offset);
    clfold_args_mem(&args, scratch ? scratch->mem : NULL);
    clfold_args_ulong(&args, pass % 2 == 0 ? plan->num_groups : 0);
    clfold_args_ulong(&args, pass % 2 == 0 ? 0 : plan->num_groups);
    clfold_args_uint(&args, pass == 0);
    clfold_args_ulong(&args, count);
    set_result(&args, call);
    return clfold_args_status(&args, site);
}

/* ---- Launching --------------------------------------------------------------------- */

/* Of the program's kernels. */
static uint32_t kernel_of(const struct reduce_plan *plan, uint32_t pass)
{
    if (plan->shape.algorithm != REDUCE_TILES) {
        return 0;
    }
    return pass > 0                  ? KERNEL_PARTIALS
           : plan->num_launches == 1 ? KERNEL_SINGLE
                                     : KERNEL_TILES;
}

static clfold_status set_args(const struct site *site, struct kernels *kernels,
                              uint32_t kernel, const struct reduce_call *call,
                              const struct reduce_plan *plan, const struct block *scratch,
                              uint32_t pass, uint64_t count)
{
    return plan->shape.algorithm == REDUCE_TILES
               ? set_tile_args(site, kernels, kernel, call, plan, scratch, pass, count)
               : set_rung_args(site, kernels, call, plan, scratch, pass, count);
}

/* OpenCL takes a kernel's arguments when it is enqueued, so one object serves all. */
static clfold_status launch_all(struct chain *chain, const void *of_call,
                                const void *of_plan, struct kernels *kernels,
                                const struct block *scratch, bool wants_event)
{
    const struct reduce_call *call = of_call;
    const struct reduce_plan *plan = of_plan;

    uint64_t count = call->count, num_groups;
    clfold_status status = CLFOLD_OK;

    for (uint32_t pass = 0; status == CLFOLD_OK && pass < plan->num_launches; ++pass) {
        uint32_t k = kernel_of(plan, pass);
        num_groups = clfold_reduce_groups(plan, pass, count);
        status = set_args(chain->site, kernels, k, call, plan, scratch, pass, count);
        if (status == CLFOLD_OK) {
            status = clfold_chain_launch(chain, kernels->kernels[k],
                                         plan->shape.tile.group_size, num_groups,
                                         wants_event && pass + 1 == plan->num_launches);
        }
        count = num_groups;
    }
    return status;
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
    clfold_status status = clfold_reduce_find(context, site, call->algorithm,
                                              call->monoid, call->count, &plan, &program);

    if (status) {
        return status;
    }
    const struct launches launches = { launch_all, call, &plan, SCRATCH_PLAIN,
                                       plan.scratch_bytes };
    return clfold_program_launch(context, program, &chain, &launches, event);
}

clfold_status clfold_reduce_rehearse(const struct site *site,
                                     const struct reduce_call *call,
                                     const struct reduce_plan *plan,
                                     struct kernels *kernels, const struct block *scratch)
{
    struct chain chain = { .site = site, .queue = call->queue, .in_order = true };
    uint32_t num = plan->shape.algorithm == REDUCE_TILES ? NUM_KERNELS : 1;
    clfold_status status = CLFOLD_OK;

    for (uint32_t k = 0; status == CLFOLD_OK && k < num; ++k) {
        status = set_args(site, kernels, k, call, plan, scratch, 0, 0);
        if (status == CLFOLD_OK) {
            status = clfold_chain_launch(&chain, kernels->kernels[k],
                                         plan->shape.tile.group_size, 1, false);
        }
    }
    if (status == CLFOLD_OK) {
        status = clFinish(call->queue);
        status =
            status == CL_SUCCESS ? CLFOLD_OK : clfold_fail_call(site, status, "clFinish");
    }
    return status;
}
