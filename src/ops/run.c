/* Running a plan: scratch, arguments, launches. Any plan, whatever it does. */
#include "ops/chain.h"
#include "ops/run.h"

/* ---- Arguments --------------------------------------------------------------------- */

/* Members of struct launch that stages hand over, and where these are in their memory. */
#define MEMBER(name) offsetof(struct launch, name)
static const struct {
    size_t mem, at;
} roles[NUM_ROLES] = {
    [ROLE_HEADS] = { MEMBER(heads), MEMBER(heads_at) },
    [ROLE_OFFSETS] = { MEMBER(offsets), MEMBER(offsets_at) },
    [ROLE_NUM] = { MEMBER(num_at), MEMBER(num_index) },
    [ROLE_BITS] = { MEMBER(bits), MEMBER(bits_at) },
    [ROLE_COUNTS] = { MEMBER(counts), 0 },
};

static void bind_handed(struct launch *launch, const struct handed *handed, cl_mem mem)
{
    char *const members = (char *)launch;

    for (uint32_t r = 0; handed->roles >> r; ++r) {
        if (handed->roles >> r & 1) {
            *(cl_mem *)(void *)(members + roles[r].mem) = mem;
            if (roles[r].at) {
                *(uint64_t *)(void *)(members + roles[r].at) = handed->at[r];
            }
        }
    }
}

/* ---- Launches ---------------------------------------------------------------------- */

/* A call whose launches are enqueued, or rehearsed: then it has none. */
struct running {
    const struct request *request;
    const struct planned *planned;
    struct kernels *kernels[CLFOLD_MAX_STAGES];
    struct chain chain;
    struct launch launch;
    uint32_t index, num; /* of its launches */
    bool wants_event;
};

/* What all launches of a call have. */
static void begin(struct running *run, const struct lent *lent)
{
    const struct request *request = run->request;
    const struct plan *plan = &run->planned->plan;
    const struct shape *main = &clfold_plan_main(plan)->shape;
    const struct block *scratch = lent->of[LENT_SCRATCH], *handed = lent->of[LENT_HANDED];
    const uint64_t count = request->job.count;
    struct launch *launch = &run->launch;

    *launch = (struct launch){
        .in = request->in,
        .in_offset = request->in_offset,
        .out = request->out,
        .out_offset = request->out_offset,
        .scratch = scratch ? scratch->mem : request->out,
        .capacity = clfold_looks_back(main->algorithm) && scratch
                        ? clfold_memory_capacity(clfold_memory(main->tier), scratch->size)
                        : 0,
        .turn = scratch && scratch->turn,
        .has_init = clfold_has_init(request->job.monoid->lifted ? &request->carry
                                                                : &request->init),
        .n = !clfold_given(request, FACET_PART) ? count
             : request->whole > 0               ? request->whole
                                                : UINT64_MAX,
        .call_first = request->first,
        .call_count = count,
        .call_segments =
            request->job.use.offsets ? request->job.segments.num_offsets - 1 : 0,
        .segments = clfold_segments_or_one(request->job.segments.given),
        .bits = request->out,
        .counts = request->out,
        .trace = request->trace,
    };
    clfold_launch_bind(launch, request->bits, request->places);
    launch->has_key_at &= request->first > 0;
    bind_handed(launch, &plan->handed, handed ? handed->mem : request->out);
}

static void report(const struct running *run, const char *kernel)
{
    const clfold_context *context = run->request->context;
    const clfold_launch launched = {
        .call = run->request->number,
        .operation = run->request->job.operation,
        .index = run->index,
        .num_launches = run->num,
        .fold = run->request->name,
        .kernel = kernel,
        .event = run->chain.last,
        .bytes_read = run->launch.bytes_read,
        .bytes_written = run->launch.bytes_written,
    };

    context->on_launch(context->log.user, &launched);
}

/* OpenCL takes a kernel's arguments when it is enqueued, so one object serves all. */
static clfold_status run_stage(struct running *run, const struct stage *stage,
                               struct kernels *kernels)
{
    const struct algorithm_row *row = clfold_algorithm_row(stage->shape.algorithm);
    const uint32_t first = run->num > 0 ? stage->first_launch : 0;
    const uint32_t stop = run->num > 0 ? stage->num_launches : row->num_kernels;
    struct launch *launch = &run->launch;
    clfold_status status;

    for (uint32_t i = first; i < stop; ++i, ++run->index) {
        if (run->num > 0) {
            clfold_stage_launch(stage, i, launch);
        } else {
            clfold_stage_rehearsal(stage, i, launch);
        }
        launch->has_carry =
            stage->has_carry && clfold_given(run->request, FACET_CARRY_OUT);
        if ((status =
                 clfold_chain_launch(&run->chain, kernels, launch,
                                     run->wants_event && run->index + 1 == run->num))) {
            return status;
        }
        if (run->num > 0 && run->request->context->on_launch) {
            report(run, row->kernels[launch->kernel]);
        }
    }
    return CLFOLD_OK;
}

static clfold_status run_stages(struct running *run, const struct lent *lent)
{
    const struct plan *plan = &run->planned->plan;
    clfold_status status = CLFOLD_OK;

    begin(run, lent);
    for (uint32_t s = 0; status == CLFOLD_OK && s < plan->num_stages; ++s) {
        status = run_stage(run, &plan->stages[s], run->kernels[s]);
    }
    return status;
}

clfold_status clfold_lend(const struct request *request, cl_command_queue queue,
                          enum scratch_kind kind, const size_t sizes[NUM_LENT],
                          struct lent *lent)
{
    clfold_status status = CLFOLD_OK;

    *lent = (struct lent){ { NULL } };
    for (int b = 0; status == CLFOLD_OK && b < NUM_LENT; ++b) {
        if (sizes[b] > 0) {
            status = clfold_scratch_lend(
                &request->context->scratch, request->site, queue, request->in_order,
                b == LENT_SCRATCH ? kind : SCRATCH_PLAIN, sizes[b], &lent->of[b]);
        }
    }
    if (status) {
        clfold_give_back(request, lent, NULL);
    }
    return status;
}

clfold_status clfold_give_back(const struct request *request, const struct lent *lent,
                               cl_event last)
{
    clfold_status status = CLFOLD_OK, given;

    for (int b = 0; b < NUM_LENT; ++b) {
        if (lent->of[b]) {
            given = clfold_scratch_give(&request->context->scratch, request->site,
                                        lent->of[b], last);
            status = status ? status : given;
        }
    }
    return status;
}

static clfold_status run_with_scratch(struct running *run)
{
    const struct request *request = run->request;
    const struct stage *main = clfold_plan_main(&run->planned->plan);
    const size_t sizes[NUM_LENT] = { main->scratch_bytes,
                                     run->planned->plan.handed.bytes };
    struct lent lent;
    clfold_status status, given;

    if ((status =
             clfold_lend(request, request->queue, main->scratch_kind, sizes, &lent))) {
        return status;
    }
    /* Under a limit the newest event is needed even if a later launch fails. */
    run->chain.wants_events |=
        sizes[0] + sizes[1] > 0 && request->context->scratch.limit > 0;
    status = run_stages(run, &lent);
    given = clfold_give_back(request, &lent, run->chain.last);
    return status ? status : given;
}

/* `lent` is a rehearsal's. */
static clfold_status run_all(struct running *run, const struct lent *lent)
{
    const struct planned *planned = run->planned;
    struct cache *cache = &run->request->context->cache;
    clfold_status status = CLFOLD_OK;

    for (uint32_t s = 0; status == CLFOLD_OK && s < planned->plan.num_stages; ++s) {
        status = clfold_program_take(cache, run->request->site, planned->programs[s],
                                     &run->kernels[s]);
    }
    if (status == CLFOLD_OK) {
        status = lent ? run_stages(run, lent) : run_with_scratch(run);
    }
    for (uint32_t s = 0; s < planned->plan.num_stages; ++s) {
        if (run->kernels[s]) {
            clfold_program_give(cache, planned->programs[s], run->kernels[s]);
        }
    }
    return status;
}

clfold_status clfold_run(const struct request *request, const struct planned *planned,
                         cl_event *event)
{
    struct running run = {
        .request = request,
        .planned = planned,
        .chain = { request, .wants_events = request->context->on_launch != NULL },
        .num = clfold_plan_num_launches(&planned->plan),
        .wants_event = event != NULL,
    };
    clfold_status status = run_all(&run, NULL);

    if (event && status == CLFOLD_OK) {
        *event = run.chain.last;
    } else {
        clfold_chain_finish(&run.chain);
    }
    return status;
}

clfold_status clfold_run_rehearsal(const struct request *request,
                                   const struct planned *planned, const struct lent *lent)
{
    struct running run = { request, planned, .chain = { request } };
    clfold_status status = run_all(&run, lent);

    return status ? status
                  : clfold_fail_call(request->site, clFinish(request->queue), "clFinish");
}
