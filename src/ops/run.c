/* Running a plan: scratch, arguments, launches. Any plan, whatever it does. */
#include "ops/chain.h"
#include "ops/internal.h"
#include "ops/request.h"

/* ---- Arguments --------------------------------------------------------------------- */

/* What all launches of a call have. */
static void begin(struct launch *launch, const struct request *request,
                  const struct plan *plan, const struct lent *lent)
{
    const struct monoid *monoid = request->job.monoid;
    const struct block *scratch = lent->of[LENT_SCRATCH], *bits = lent->of[LENT_HEADS];

    *launch = (struct launch){
        .in = request->in,
        .in_offset = request->in_offset,
        .out = request->out,
        .out_offset = request->out_offset,
        .scratch = scratch ? scratch->mem : request->out,
        .turn = scratch && scratch->turn,
        .call_first = request->first,
        .call_segments =
            request->job.use.offsets ? request->job.segments.num_offsets - 1 : 0,
    };
    clfold_launch_bind(launch, request->bits, request->places);
    launch->has_key_at &= request->first > 0;
    launch->capacity =
        clfold_looks_back(plan->shape.algorithm) && scratch
            ? clfold_memory_capacity(clfold_memory(plan->shape.tier), scratch->size)
            : 0;
    launch->has_init = clfold_has_init(monoid->lifted ? &request->carry : &request->init);
    launch->call_count = request->job.count;
    launch->n = !clfold_given(request, FACET_PART) ? request->job.count
                : request->whole > 0               ? request->whole
                                                   : UINT64_MAX;
    launch->segments = clfold_segments_or_one(request->job.segments.given);
    launch->bits = launch->counts = bits ? bits->mem : request->out;
    launch->bits_at = plan->marks.bits_at;
    if (monoid->keeps_scan && bits) {
        launch->heads = launch->offsets = bits->mem;
        launch->heads_at = plan->marks.flags_at;
        launch->offsets_at = plan->marks.offsets_at;
    } else if (request->job.use.found && bits) {
        /* How many segments there are, and their offsets. */
        launch->num_at = launch->offsets = bits->mem;
        launch->num_index = 0;
        launch->offsets_at = plan->marks.offsets_at;
    } else if (bits) {
        launch->heads = bits->mem;
        launch->heads_at = 0;
    }
    launch->trace = request->trace;
}

/* ---- Launches ---------------------------------------------------------------------- */

static void report(const clfold_context *context, const struct request *request,
                   const struct plan *plan, uint32_t number, const struct launch *launch,
                   cl_event event)
{
    const clfold_launch launched = {
        .call = request->number,
        .operation = request->job.operation,
        .index = number,
        .num_launches = clfold_plan_num_launches(plan),
        .fold = request->name,
        .kernel = clfold_kernel_name(request->job.monoid, &plan->shape, launch->kernel),
        .event = event,
        .bytes_read = launch->bytes_read,
        .bytes_written = launch->bytes_written,
    };

    context->on_launch(context->log.user, &launched);
}

/* OpenCL takes a kernel's arguments when it is enqueued, so one object serves all. */
static clfold_status launch_all(const clfold_context *context, struct chain *chain,
                                const struct request *request, const struct plan *plan,
                                struct kernels *kernels, const struct lent *lent,
                                bool wants_event)
{
    const uint32_t num = clfold_plan_num_launches(plan);
    clfold_status status = CLFOLD_OK;
    struct launch launch;

    begin(&launch, request, plan, lent);
    for (uint32_t i = 0; status == CLFOLD_OK && i < num; ++i) {
        bool is_last = i + 1 == num;
        clfold_plan_launch(plan, i, &launch);
        /* A second scan may begin with the carry whose place this one takes. */
        launch.has_carry = clfold_given(request, FACET_CARRY_OUT) &&
                           (launch.is_placed || plan->num_once > 0);
        if ((status = clfold_set_arguments(chain->site, kernels, &launch, request)) ||
            (status = clfold_chain_launch(chain, kernels->kernels[launch.kernel],
                                          plan->shape.tile.group_size, launch.num_groups,
                                          wants_event && is_last))) {
            return status;
        }
        if (context->on_launch) {
            report(context, request, plan, i, &launch, chain->last);
        }
    }
    return status;
}

clfold_status clfold_lend(clfold_context *context, const struct site *site,
                          cl_command_queue queue, bool in_order, enum scratch_kind kind,
                          const size_t sizes[NUM_LENT], struct lent *lent)
{
    clfold_status status = CLFOLD_OK;

    *lent = (struct lent){ { NULL } };
    for (int b = 0; status == CLFOLD_OK && b < NUM_LENT; ++b) {
        if (sizes[b] > 0) {
            status = clfold_scratch_lend(&context->scratch, site, queue, in_order,
                                         b == LENT_SCRATCH ? kind : SCRATCH_PLAIN,
                                         sizes[b], &lent->of[b]);
        }
    }
    if (status) {
        clfold_give_back(context, site, lent, NULL);
    }
    return status;
}

clfold_status clfold_give_back(clfold_context *context, const struct site *site,
                               const struct lent *lent, cl_event last)
{
    clfold_status status = CLFOLD_OK, given;

    for (int b = 0; b < NUM_LENT; ++b) {
        if (lent->of[b]) {
            given = clfold_scratch_give(&context->scratch, site, lent->of[b], last);
            status = status ? status : given;
        }
    }
    return status;
}

static clfold_status launch_with_scratch(clfold_context *context, struct chain *chain,
                                         const struct request *request,
                                         const struct plan *plan, struct kernels *kernels,
                                         bool wants_event)
{
    const size_t sizes[NUM_LENT] = { plan->scratch_bytes, plan->marks.bytes };
    struct lent lent;
    clfold_status status, given;

    status = clfold_lend(context, chain->site, chain->queue, chain->in_order,
                         plan->scratch_kind, sizes, &lent);
    if (status) {
        return status;
    }
    /* Under a limit the newest event is needed even if a later launch fails. */
    chain->wants_events |=
        plan->scratch_bytes + plan->marks.bytes > 0 && context->scratch.limit > 0;
    status = launch_all(context, chain, request, plan, kernels, &lent, wants_event);
    given = clfold_give_back(context, chain->site, &lent, chain->last);
    return status ? status : given;
}

clfold_status clfold_run(const struct request *request, const struct site *site,
                         clfold_context *context, const struct plan *plan,
                         struct program *program, cl_event *event)
{
    struct chain chain = {
        .site = site,
        .queue = request->queue,
        .in_order = request->in_order,
        .num_wait = request->num_wait,
        .wait = request->wait,
        .behind_all = request->behind_all,
        .wants_events = context->on_launch != NULL,
    };
    struct kernels *kernels;
    clfold_status status = clfold_program_take(&context->cache, site, program, &kernels);

    if (status) {
        return status;
    }
    status = launch_with_scratch(context, &chain, request, plan, kernels, event != NULL);
    clfold_program_give(&context->cache, program, kernels);
    if (event && status == CLFOLD_OK) {
        *event = chain.last;
    } else {
        clfold_chain_finish(&chain);
    }
    return status;
}

clfold_status clfold_run_rehearsal(const struct request *request, const struct site *site,
                                   const struct plan *plan, struct kernels *kernels,
                                   const struct lent *lent)
{
    struct chain chain = { .site = site, .queue = request->queue, .in_order = true };
    struct launch launch;
    clfold_status status;

    begin(&launch, request, plan, lent);
    for (uint32_t k = 0; kernels->kernels[k]; ++k) {
        clfold_plan_rehearsal(plan, k, &launch);
        if ((status = clfold_set_arguments(site, kernels, &launch, request)) ||
            (status = clfold_chain_launch(&chain, kernels->kernels[k],
                                          plan->shape.tile.group_size, 1, false))) {
            return status;
        }
    }
    return clfold_fail_call(site, clFinish(request->queue), "clFinish");
}
