/* How a scan is done: find its program, set arguments, launch. */
#include "ops/scan.h"

#include "ops/internal.h"
#include "plan/assemble.h"

/* ---- Finding the program ----------------------------------------------------------- */

/* The kernels of each strategy, in the order of their launches. */
static const char *const single_kernels[] = { "clfold_scan_single_group" };
static const char *const propagate_kernels[] = {
    "clfold_scan_locals",
    "clfold_scan_prefixes",
    "clfold_scan_propagate",
};
static const char *const reduce_kernels[] = {
    "clfold_scan_aggregates",
    "clfold_scan_prefixes",
    "clfold_scan_tiles",
};

static const char *const lookback_kernels[] = { "clfold_scan_lookback" };

static const struct {
    const char *const *names;
    uint32_t num;
} kernels_of[CLFOLD_SCAN_ALGORITHMS] = {
    [SCAN_SINGLE_GROUP] = { single_kernels, 1 },
    [SCAN_THEN_PROPAGATE] = { propagate_kernels, 3 },
    [REDUCE_THEN_SCAN] = { reduce_kernels, 3 },
    [SCAN_LOOKBACK] = { lookback_kernels, 1 },
    [SCAN_CHAINED] = { lookback_kernels, 1 },
};

enum { FIRST, PREFIXES, LAST };

struct text_data {
    const struct monoid *monoid;
    const struct scan_shape *shape;
};

static void assemble(struct text *text, const void *data)
{
    const struct text_data *of = data;

    clfold_assemble_scan(text, of->monoid, of->shape);
}

/* The candidates, with what their programs are made of. */
struct candidates {
    struct scan_policy policies[CLFOLD_MAX_CANDIDATES];
    struct scan_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct text_data data[CLFOLD_MAX_CANDIDATES];
    struct program_spec specs[CLFOLD_MAX_CANDIDATES];
};

static uint32_t make_candidates(struct candidates *of, const clfold_context *context,
                                const struct scan_call *call)
{
    clfold_operation operation =
        call->exclusive ? CLFOLD_EXCLUSIVE_SCAN : CLFOLD_INCLUSIVE_SCAN;
    struct plan_override override =
        clfold_context_plan(context, operation, call->monoid, call->count);

    override.trace = call->trace;
    uint32_t num = clfold_scan_shapes(call->algorithm, call->exclusive,
                                      &context->caps.facts, call->monoid, &call->verdict,
                                      &override, of->policies, of->shapes);

    for (uint32_t i = 0; i < num; ++i) {
        const struct scan_shape *shape = &of->shapes[i];
        of->data[i] = (struct text_data){ call->monoid, shape };
        of->specs[i] = (struct program_spec){
            .monoid = call->monoid,
            .tile = shape->tile,
            .operation = operation,
            .algorithm = call->algorithm,
            .variant = { shape->anchor,
                         shape->builtins + 2u * shape->prefetch + 4u * shape->stream +
                             8u * (uint32_t)shape->group_scan,
                         (uint32_t)shape->tier + 8u * shape->fences +
                             16u * shape->traced + 32u * shape->window },
            .assemble = assemble,
            .data = &of->data[i],
            .names = kernels_of[call->algorithm].names,
            .num_kernels = kernels_of[call->algorithm].num,
        };
    }
    return num;
}

static void make_plan(struct scan_plan *plan, const clfold_context *context,
                      const struct scan_call *call, const struct candidates *of,
                      uint32_t chosen)
{
    clfold_scan_plan_init(plan, call->monoid, &context->caps.facts, &of->policies[chosen],
                          &of->shapes[chosen], &call->verdict, &context->override,
                          call->out_offset, call->count);
}

/* Whether a look-back may become another strategy. */
static bool is_free(const struct scan_call *call)
{
    return clfold_scan_looks_back(call->algorithm) && !call->named;
}

static void give_up(struct scan_call *call, const char *why)
{
    call->algorithm = REDUCE_THEN_SCAN;
    call->given_up = why;
}

/* On what a look-back relies. An error of OpenCL's keeps nobody from another strategy. */
static clfold_status rely(clfold_context *context, const struct site *site,
                          struct scan_call *call, bool may_probe,
                          struct findings *findings)
{
    const char *failed = NULL;
    bool known = true;
    cl_int status = CL_SUCCESS;

    *findings = (struct findings){ 0 };
    if (clfold_scan_looks_back(call->algorithm)) {
        status = clfold_context_findings(context, may_probe, findings, &known, &failed);
    }
    if (status && call->named) {
        return clfold_fail_call(site, status, failed);
    }
    if (status) {
        give_up(call, "the probe of its memory failed");
    } else if (clfold_scan_looks_back(call->algorithm)) {
        call->verdict = findings->verdict;
        call->unproven = !known;
        call->trace = call->trace ? call->trace : context->override.trace;
    }
    return CLFOLD_OK;
}

/* Why a look-back cannot be, or NULL. */
static const char *refusal(const struct scan_call *call, const struct scan_plan *plan)
{
    return clfold_scan_looks_back(call->algorithm) && call->in_place &&
                   !call->verdict.fences
               ? "in place it needs acquire and release of device scope"
               : plan->refused;
}

static clfold_status refuse(const struct site *site, const struct scan_call *call,
                            const char *why, const struct findings *findings)
{
    bool is_none = findings->verdict.tier == MEMORY_NONE;
    char reasons[CLFOLD_VERDICT_SIZE] = "";

    if (is_none) {
        clfold_verdict_reasons(reasons, findings);
    }
    return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED, "algorithm \"%s\": %s%s%s",
                       clfold_scan_name(call->algorithm), why, is_none ? ": " : "",
                       reasons);
}

/* Plans before it builds: what is refused has no program. CLFOLD_ERROR_BUILD is not told
 * yet. */
static clfold_status find_one(clfold_context *context, const struct site *site,
                              const struct scan_call *call, struct scan_plan *plan,
                              struct program **program, const char **refused)
{
    struct candidates of;
    uint32_t num = make_candidates(&of, context, call), dropped = 0;
    bool fails;
    uint32_t i = clfold_program_foresee(context, of.specs, num, program, &fails);
    clfold_status status;

    make_plan(plan, context, call, &of, i);
    *refused = refusal(call, plan);
    if (*refused) {
        return CLFOLD_OK;
    }
    /* One hit or miss a call: what takes a free look-back's place is counted. */
    if (*program) {
        if (!fails || !is_free(call)) {
            clfold_cache_count(&context->cache, !fails);
        }
        return fails ? CLFOLD_ERROR_BUILD : CLFOLD_OK;
    }
    status =
        clfold_program_choose(context, site, of.specs + i, num - i, &dropped, program);
    /* Tiles that do not build give way to others, of which there may be too many. */
    if (status == CLFOLD_OK && dropped > 0) {
        make_plan(plan, context, call, &of, i + dropped);
        *refused = refusal(call, plan);
    }
    return status;
}

#define NOT_BUILT "its programs do not build"

clfold_status clfold_scan_find(clfold_context *context, const struct site *site,
                               struct scan_call *call, struct scan_plan *plan,
                               struct program **program)
{
    struct findings findings;
    const char *refused;
    clfold_status status;

    if ((status = rely(context, site, call, true, &findings))) {
        return status;
    }
    status = find_one(context, site, call, plan, program, &refused);
    if (is_free(call) && (status == CLFOLD_ERROR_BUILD || refused)) {
        give_up(call, refused ? refused : NOT_BUILT);
        status = find_one(context, site, call, plan, program, &refused);
    }
    if (refused) {
        return refuse(site, call, refused, &findings);
    }
    return status == CLFOLD_ERROR_BUILD ? clfold_program_error(*program, site) : status;
}

clfold_status clfold_scan_foresee(clfold_context *context, const struct site *site,
                                  struct scan_call *call, struct scan_plan *plan,
                                  uint32_t *dropped, struct findings *findings)
{
    struct candidates of;
    struct program *program;
    const char *refused;
    clfold_status status = rely(context, site, call, false, findings);

    while (status == CLFOLD_OK) {
        bool fails;
        uint32_t num = make_candidates(&of, context, call);
        *dropped = clfold_program_foresee(context, of.specs, num, &program, &fails);
        make_plan(plan, context, call, &of, *dropped);
        refused = refusal(call, plan);
        if (!is_free(call) || !(refused || fails)) {
            return refused ? refuse(site, call, refused, findings) : CLFOLD_OK;
        }
        give_up(call, refused ? refused : NOT_BUILT);
    }
    return status;
}

enum scratch_kind clfold_scan_scratch(const struct scan_plan *plan)
{
    return !clfold_scan_looks_back(plan->shape.algorithm)     ? SCRATCH_PLAIN
           : clfold_memory(plan->shape.tier)->word_bits == 64 ? SCRATCH_WORDS_64
                                                              : SCRATCH_WORDS_32;
}

/* ---- Arguments: the parameters of scan_tiles.cl, and each kernel's own ------------- */

static void set_tiles(struct args *args, const struct scan_call *call,
                      const struct scan_plan *plan)
{
    clfold_args_ulong(args, call->count);
    clfold_args_ulong(args, plan->lead);
    clfold_args_ulong(args, plan->num_tiles);
    clfold_args_ulong(args, plan->run);
}

static void set_scan(struct args *args, const struct scan_call *call,
                     const struct scan_plan *plan)
{
    clfold_args_mem(args, call->in);
    clfold_args_ulong(args, call->in_offset);
    set_tiles(args, call, plan);
}

static void set_out(struct args *args, const struct scan_call *call,
                    const struct scan_plan *plan)
{
    clfold_args_mem(args, call->out);
    clfold_args_ulong(args, call->out_offset);
    clfold_args_uint(args, plan->streams);
}

/* The total and init. */
static void set_ends(struct args *args, const struct scan_call *call)
{
    clfold_args_uint(args, call->total.mem != NULL);
    clfold_args_mem(args, call->total.mem ? call->total.mem : call->out);
    clfold_args_ulong(args, call->total.offset);
    clfold_args_init(args, call->monoid, &call->init, call->out);
}

static clfold_status set_single(const struct site *site, struct kernels *kernels,
                                const struct scan_call *call,
                                const struct scan_plan *plan, cl_mem state,
                                uint64_t first)
{
    struct args args = clfold_args(kernels, FIRST);

    set_scan(&args, call, plan);
    clfold_args_ulong(&args, first);
    clfold_args_mem(&args, state ? state : call->out);
    set_out(&args, call, plan);
    set_ends(&args, call);
    return clfold_args_status(&args, site);
}

/* The launches over all tiles, in front of the prefixes or behind them. */
static clfold_status set_pass(const struct site *site, struct kernels *kernels,
                              uint32_t pass, const struct scan_call *call,
                              const struct scan_plan *plan, cl_mem items)
{
    struct args args = clfold_args(kernels, pass);
    bool propagates = plan->shape.algorithm == SCAN_THEN_PROPAGATE;

    if (pass == LAST && propagates) {
        set_tiles(&args, call, plan);
    } else {
        set_scan(&args, call, plan);
    }
    clfold_args_mem(&args, items);
    if (pass == LAST || propagates) {
        set_out(&args, call, plan);
    }
    if (pass == LAST) {
        clfold_args_uint(&args, clfold_has_init(&call->init));
    }
    return clfold_args_status(&args, site);
}

/* `any` stands for what there is not. */
static void set_trace(struct args *args, const struct scan_trace *trace, cl_mem any)
{
    clfold_args_uint(args, trace->block_every);
    clfold_args_uint(args, trace->seed);
    clfold_args_uint(args, trace->holds != NULL);
    clfold_args_mem(args, trace->holds ? trace->holds : any);
    clfold_args_mem(args, trace->tiles);
    clfold_args_mem(args, trace->folded ? trace->folded : any);
    clfold_args_ulong(args, trace->folded ? trace->folded_room : 0);
}

static clfold_status set_lookback(const struct site *site, struct kernels *kernels,
                                  const struct scan_call *call,
                                  const struct scan_plan *plan, const struct block *words)
{
    struct args args = clfold_args(kernels, FIRST);

    set_scan(&args, call, plan);
    clfold_args_mem(&args, words->mem);
    clfold_args_ulong(
        &args, clfold_memory_capacity(clfold_memory(plan->shape.tier), words->size));
    clfold_args_uint(&args, plan->spins);
    clfold_args_uint(&args, call->in_place);
    /* In place stores keep to the caches: those past them heed no fence. */
    clfold_args_mem(&args, call->out);
    clfold_args_ulong(&args, call->out_offset);
    clfold_args_uint(&args, plan->streams && !call->in_place);
    set_ends(&args, call);
    if (plan->shape.traced) {
        set_trace(&args, call->trace, words->mem);
    }
    return clfold_args_status(&args, site);
}

static clfold_status set_prefixes(const struct site *site, struct kernels *kernels,
                                  const struct scan_call *call,
                                  const struct scan_plan *plan, cl_mem items,
                                  uint64_t first)
{
    struct args args = clfold_args(kernels, PREFIXES);

    clfold_args_mem(&args, items);
    clfold_args_ulong(&args, plan->num_tiles);
    clfold_args_ulong(&args, first);
    clfold_args_ulong(&args, plan->launch_blocks);
    set_ends(&args, call);
    return clfold_args_status(&args, site);
}

/* ---- Launching --------------------------------------------------------------------- */

/* OpenCL takes a kernel's arguments when it is enqueued, so one object serves all. */
static clfold_status launch_single(struct chain *chain, const struct scan_call *call,
                                   const struct scan_plan *plan, struct kernels *kernels,
                                   cl_mem state, bool wants_event)
{
    clfold_status status = CLFOLD_OK;

    for (uint32_t i = 0; status == CLFOLD_OK && i < plan->num_launches; ++i) {
        status = set_single(chain->site, kernels, call, plan, state, i * plan->run);
        if (status == CLFOLD_OK) {
            status = clfold_chain_launch(chain, kernels->kernels[FIRST],
                                         plan->shape.tile.group_size, 1,
                                         wants_event && i + 1 == plan->num_launches);
        }
    }
    return status;
}

static clfold_status launch_lookback(struct chain *chain, const struct scan_call *call,
                                     const struct scan_plan *plan,
                                     struct kernels *kernels, const struct block *words,
                                     bool wants_event)
{
    clfold_status status = set_lookback(chain->site, kernels, call, plan, words);

    return status ? status
                  : clfold_chain_launch(chain, kernels->kernels[FIRST],
                                        plan->shape.tile.group_size, plan->num_groups,
                                        wants_event);
}

static clfold_status launch_passes(struct chain *chain, const struct scan_call *call,
                                   const struct scan_plan *plan, struct kernels *kernels,
                                   cl_mem items, bool wants_event)
{
    const cl_kernel *of = kernels->kernels;
    const struct site *site = chain->site;
    size_t size = plan->shape.tile.group_size;
    clfold_status status;

    if ((status = set_pass(site, kernels, FIRST, call, plan, items)) ||
        (status = set_pass(site, kernels, LAST, call, plan, items)) ||
        (status = set_prefixes(site, kernels, call, plan, items, 0)) ||
        (status = clfold_chain_launch(chain, of[FIRST], size, plan->num_groups, false))) {
        return status;
    }
    for (uint64_t b = 0; b < plan->blocks; b += plan->launch_blocks) {
        if ((status = set_prefixes(site, kernels, call, plan, items, b)) ||
            (status = clfold_chain_launch(chain, of[PREFIXES], size, 1, false))) {
            return status;
        }
    }
    return clfold_chain_launch(chain, of[LAST], size, plan->num_groups, wants_event);
}

static clfold_status launch_all(struct chain *chain, const void *of_call,
                                const void *of_plan, struct kernels *kernels,
                                const struct block *scratch, bool wants_event)
{
    const struct scan_call *call = of_call;
    const struct scan_plan *plan = of_plan;
    cl_mem mem = scratch ? scratch->mem : NULL;

    /* Look-back always has scratch. */
    return scratch && clfold_scan_looks_back(plan->shape.algorithm)
               ? launch_lookback(chain, call, plan, kernels, scratch, wants_event)
           : plan->shape.algorithm == SCAN_SINGLE_GROUP
               ? launch_single(chain, call, plan, kernels, mem, wants_event)
               : launch_passes(chain, call, plan, kernels, mem, wants_event);
}

clfold_status clfold_scan_enqueue(clfold_context *context, const struct site *site,
                                  struct scan_call *call, cl_event *event)
{
    struct chain chain = {
        .site = site,
        .queue = call->queue,
        .in_order = call->in_order,
        .num_wait = call->num_wait,
        .wait = call->wait,
    };
    struct scan_plan plan = { 0 };
    struct program *program;
    clfold_status status = clfold_scan_find(context, site, call, &plan, &program);

    if (status) {
        return status;
    }
    const struct launches launches = { launch_all, call, &plan,
                                       clfold_scan_scratch(&plan), plan.scratch_bytes };
    return clfold_program_launch(context, program, &chain, &launches, event);
}

/* Sets the arguments of kernel k, by the algorithm. */
static clfold_status set_kernel(const struct site *site, struct kernels *kernels,
                                uint32_t k, const struct scan_call *call,
                                const struct scan_plan *plan, const struct block *scratch)
{
    return clfold_scan_looks_back(plan->shape.algorithm)
               ? set_lookback(site, kernels, call, plan, scratch)
           : plan->shape.algorithm == SCAN_SINGLE_GROUP
               ? set_single(site, kernels, call, plan, scratch->mem, 0)
           : k == PREFIXES ? set_prefixes(site, kernels, call, plan, scratch->mem, 0)
                           : set_pass(site, kernels, k, call, plan, scratch->mem);
}

clfold_status clfold_scan_rehearse(const struct site *site, const struct scan_call *call,
                                   const struct scan_plan *plan, struct kernels *kernels,
                                   const struct block *scratch)
{
    struct chain chain = { .site = site, .queue = call->queue, .in_order = true };
    struct scan_plan nothing = *plan;
    uint32_t num = kernels_of[plan->shape.algorithm].num;
    clfold_status status = CLFOLD_OK;

    nothing.num_tiles = 0;
    for (uint32_t k = 0; status == CLFOLD_OK && k < num; ++k) {
        status = set_kernel(site, kernels, k, call, &nothing, scratch);
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
