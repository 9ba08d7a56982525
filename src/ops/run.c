/* Running a plan: scratch, arguments, launches. Any plan, whatever it does. */
#include "ops/chain.h"
#include "ops/internal.h"
#include "ops/request.h"

/* ---- Arguments --------------------------------------------------------------------- */

/* CLFOLD_TRACE_PARAMS; `any` replaces buffers that are NULL. */
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

static void set_total(struct args *args, const struct request *request)
{
    const clfold_place *total = &request->total;

    clfold_args_uint(args, total->mem != NULL);
    clfold_args_place(args, total->mem, total->offset, request->out);
}

/* Look-back always has scratch. */
static uint64_t words_of(const struct plan *plan, const struct block *scratch)
{
    return scratch
               ? clfold_memory_capacity(clfold_memory(plan->shape.tier), scratch->size)
               : 0;
}

/* Bits of offsets lie in scratch. */
static void set_heads(struct args *args, const struct request *request,
                      const struct lent *lent)
{
    const struct block *bits = lent->of[LENT_HEADS];

    clfold_args_heads(args, request->job.monoid, bits ? bits->mem : request->heads.mem,
                      bits ? 0 : request->heads.offset, &request->part,
                      request->job.count, &request->init, request->out);
}

static void set_argument(struct args *args, const struct argument *argument,
                         const struct request *request, const struct plan *plan,
                         const struct lent *lent)
{
    const bool is_lifted = request->job.monoid->heads != 0;
    const struct heads *heads = &request->heads;
    const struct block *scratch = lent->of[LENT_SCRATCH];
    cl_mem mem = scratch ? scratch->mem : request->out;

    switch (argument->kind) {
    case ARG_NUMBER:
        clfold_args_ulong(args, argument->value);
        break;
    case ARG_WORD:
        clfold_args_uint(args, (uint32_t)argument->value);
        break;
    case ARG_IN:
        clfold_args_mem(args, request->in);
        clfold_args_ulong(args, request->in_offset);
        break;
    case ARG_OUT:
        clfold_args_mem(args, request->out);
        clfold_args_ulong(args, request->out_offset);
        break;
    case ARG_SCRATCH:
        clfold_args_mem(args, mem);
        break;
    case ARG_WORDS:
        clfold_args_ulong(args, words_of(plan, scratch));
        break;
    case ARG_INIT:
        clfold_args_init(args, request->job.monoid,
                         is_lifted ? &request->carry : &request->init, request->out);
        break;
    case ARG_HAS_INIT:
        clfold_args_uint(args,
                         clfold_has_init(is_lifted ? &request->carry : &request->init));
        break;
    case ARG_TOTAL:
        set_total(args, request);
        break;
    case ARG_TRACE:
        set_trace(args, request->trace, mem);
        break;
    case ARG_OFFSETS:
        clfold_args_place(args, heads->mem, heads->offset, request->out);
        break;
    case ARG_BAD:
        clfold_args_place(args, heads->bad.mem, heads->bad.offset, request->out);
        break;
    }
}

/* Whose value a driver may reject; the counts of a launch are nobody's. */
static const char *argument_call(enum argument_kind kind)
{
    switch (kind) {
    case ARG_IN:
        return "in: clSetKernelArg";
    case ARG_OUT:
        return "out: clSetKernelArg";
    case ARG_SCRATCH:
        return "scratch: clSetKernelArg";
    case ARG_INIT:
        return "init: clSetKernelArg";
    case ARG_TOTAL:
        return "total: clSetKernelArg";
    case ARG_OFFSETS:
        return "segments: clSetKernelArg";
    case ARG_BAD:
        return "bad_out: clSetKernelArg";
    default:
        return "clSetKernelArg";
    }
}

static clfold_status set_arguments(const struct site *site, struct kernels *kernels,
                                   const struct launch *launch,
                                   const struct request *request, const struct plan *plan,
                                   const struct lent *lent)
{
    struct args args = clfold_args(kernels, launch->kernel);

    for (uint32_t i = 0; i < launch->num_arguments; ++i) {
        set_argument(&args, &launch->arguments[i], request, plan, lent);
        if (args.status != CL_SUCCESS) {
            return clfold_fail_call(site, args.status,
                                    argument_call(launch->arguments[i].kind));
        }
    }
    clfold_args_with(&args, request->job.monoid, request->args, request->num_args,
                     request->in_offset,
                     !request->job.monoid->in_part ? request->job.count
                     : request->part.whole > 0     ? request->part.whole
                                                   : UINT64_MAX,
                     &request->job.segments);
    clfold_args_part(&args, request->job.monoid, request->part.first,
                     &request->part.carry_out, request->out);
    set_heads(&args, request, lent);
    if (args.status != CL_SUCCESS && args.rejected && args.rejected->value) {
        return clfold_fail(site, args.status,
                           "args: %s of type %s, %zu bytes: clSetKernelArg failed",
                           args.rejected->name, args.rejected->type, args.rejected->size);
    }
    return args.status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(site, args.status, "args: clSetKernelArg");
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
        .kernel = clfold_kernel_name(request->job.monoid, plan->shape.algorithm,
                                     launch->kernel),
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

    for (uint32_t i = 0; status == CLFOLD_OK && i < num; ++i) {
        bool is_last = i + 1 == num;
        clfold_plan_launch(plan, i, &launch);
        if ((status =
                 set_arguments(chain->site, kernels, &launch, request, plan, lent)) ||
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

    for (uint32_t k = 0; kernels->kernels[k]; ++k) {
        clfold_plan_rehearsal(plan, k, &launch);
        if ((status = set_arguments(site, kernels, &launch, request, plan, lent)) ||
            (status = clfold_chain_launch(&chain, kernels->kernels[k],
                                          plan->shape.tile.group_size, 1, false))) {
            return status;
        }
    }
    status = clFinish(request->queue);
    return status == CL_SUCCESS ? CLFOLD_OK : clfold_fail_call(site, status, "clFinish");
}
