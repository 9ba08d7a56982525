/* The first steps of a call: its fold, its checks, its plan and program. */
#include "ops/request.h"

#include "base/platform.h"
#include "ops/check.h"
#include "ops/program.h"
#include "ops/part.h"
#include "ops/segments.h"
#include "plan/debug.h"
#include "plan/pieces.h"
#include "plan/scalar.h"

/* ---- The fold ---------------------------------------------------------------------- */

static const struct operation *operation_of(const struct request *request)
{
    return clfold_operation_row(request->job.operation);
}

clfold_status clfold_request_choose(struct request *request, const struct site *site,
                                    const clfold_context *context, struct interned *fold,
                                    const char *algorithm)
{
    struct job *job = &request->job;

    if (!algorithm && operation_of(request)->family == FAMILY_SCAN && context->scan &&
        context->scan->takes & clfold_kind_of(job) &&
        (context->scan->selects || !operation_of(request)->selects)) {
        algorithm = context->scan->name;
    }
    request->name = request->name ? request->name : "";
    request->named = algorithm != NULL;
    request->fold = fold;
    job->monoid = &fold->monoid;
    job->device = &context->caps.facts;
    job->debug = context->debug;
    job->out_offset = request->out_offset;
    clfold_status status = clfold_plan_choose(job, site, algorithm);
    if (status == CLFOLD_OK) {
        job->tuned = clfold_context_row(context, job);
    }
    return status;
}

/* Whether num_out is written, with how many are kept, or segments there are; else there
 * is a total. */
static bool writes_num(const struct monoid *monoid)
{
    return monoid->keep || monoid->found;
}

/* The offsets that a reduction by flags or keys finds, of as many segments as there may
 * be: each has an element. */
static void set_found(struct job *job, size_t num, bool lists)
{
    const uint64_t most = num > 0 && num < job->count ? num : job->count;

    job->num_offsets = most + 1;
    job->offsets = job->count < UINT32_MAX ? CLFOLD_U32 : CLFOLD_U64;
    job->lists = lists;
}

clfold_status clfold_request_fold(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_fold *fold)
{
    struct interned *found;
    clfold_status status = clfold_check_fold(site, context, request->job.operation,
                                             request->job.of_carries, fold, &found);

    if (status) {
        return status;
    }
    request->name = fold->name;
    request->init = (struct init){ .value = fold->init, .at = fold->init_at };
    request->total = writes_num(&found->monoid) ? fold->num_out : fold->total_out;
    request->keys = fold->keys_out;
    request->rest = fold->rest_out;
    request->lengths = fold->lengths_out;
    request->count_at = fold->count_at;
    if (fold->part) {
        clfold_part_set(request, fold->part, found->monoid.heads != 0);
    }
    if (fold->segments && fold->segments->by <= CLFOLD_BY_OFFSETS) {
        const clfold_segments *segments = fold->segments;
        bool are_offsets = segments->by == CLFOLD_BY_OFFSETS;
        request->heads =
            (struct heads){ segments->by,
                            segments->mem,
                            segments->type,
                            segments->offset,
                            are_offsets ? segments->num + 1 : (size_t)request->job.count,
                            segments->num_at,
                            fold->bad_out };
        request->job.num_offsets = are_offsets ? request->heads.num : 0;
        request->job.offsets = found->monoid.heads ? 0 : segments->type;
        request->job.finds_bad = fold->bad_out.mem != NULL;
        if (found->monoid.found) {
            set_found(&request->job, segments->num,
                      fold->keys_out.mem || fold->lengths_out.mem);
        }
        if (are_offsets && segments->num == 0 && request->job.count > 0 &&
            !atomic_exchange(&context->has_no_num, true)) {
            clfold_log(site->log, CLFOLD_LOG_WARNING,
                       "%s: segments: num is 0, so there are no segments (logged once)",
                       site->who);
        }
    }
    request->args = fold->args;
    request->num_args = fold->num_args;
    if ((status = clfold_check_segments(site, fold->segments, request->job.count,
                                        &request->segments, &request->job.segments)) ||
        (status =
             clfold_request_choose(request, site, context, found, fold->algorithm))) {
        clfold_folds_give(found);
    }
    return status;
}

void clfold_request_finish(const struct request *request, clfold_context *context)
{
    if (request->fold->is_user) {
        clfold_folds_give(request->fold);
        clfold_context_shrink(context, context->max_programs);
    }
}

/* ---- The checks -------------------------------------------------------------------- */

/* Flags, keys or offsets, or none. */
static struct span span_of_heads(const struct request *request)
{
    const struct scalar *type = clfold_scalar(request->heads.type);

    struct span span =
        clfold_span_place("segments: mem", "offset",
                          &(clfold_place){ request->heads.mem, request->heads.offset },
                          type ? request->heads.num : 0, type ? type->size : 1,
                          clfold_scalar_name(request->heads.type), CL_MEM_WRITE_ONLY);

    span.counted = request->heads.by == CLFOLD_BY_OFFSETS ? "offsets" : NULL;
    return span;
}

/* Counts and indices. */
static struct span span_of_numbers(const char *name, const char *offset_name,
                                   const clfold_place *place, size_t count,
                                   cl_mem_flags denied)
{
    return clfold_span_place(name, offset_name, place, count, sizeof(cl_ulong), "u64",
                             denied);
}

/* What a call writes besides `out`, or reads besides `in`, if it has a place. What is
 * written may overlap only init, where `with_init` says so. */
static clfold_status check_place(const struct request *request, const struct site *site,
                                 const clfold_context *context, const struct span *in,
                                 const struct span *out, const struct span *heads,
                                 struct span *place, enum overlap with_init)
{
    const bool is_written = place->denied == CL_MEM_READ_ONLY;
    clfold_status status;

    if (!place->mem && place->offset != 0) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s: mem is NULL, but offset is %zu", place->name,
                           place->offset);
    }
    if (!place->mem) {
        place->count = 0;
        return CLFOLD_OK;
    }
    if ((status = clfold_check_span(site, context, place)) ||
        (status = clfold_check_overlap(site, is_written ? out : place,
                                       is_written ? place : out, OVERLAP_NONE)) ||
        !is_written) {
        return status;
    }
    if ((status = clfold_check_overlap(site, in, place, OVERLAP_NONE)) ||
        (status = clfold_check_overlap(site, heads, place, OVERLAP_NONE)) ||
        (status = clfold_check_init(site, context, request->job.monoid, &request->init,
                                    place, with_init))) {
        return status;
    }
    return clfold_check_buffers(site, context, request->args, request->num_args,
                                (size_t)request->job.count, place);
}

/* A place that is written, for elements as `like` has them, as many as results. */
static struct span span_like(const struct span *like, const char *name,
                             const char *offset_name, const clfold_place *place,
                             const struct span *out)
{
    struct span span = *like;

    span.name = name;
    span.offset_name = offset_name;
    span.mem = place->mem;
    span.offset = place->offset;
    span.count = out->count;
    span.counted = out->counted;
    span.denied = CL_MEM_READ_ONLY;
    return span;
}

/* The places of the total, of offsets, of the count, of what a select writes besides, and
 * of a part: none is written that another reads or writes, but for a carry that takes the
 * place of the one before. */
static clfold_status check_places(const struct request *request, const struct site *site,
                                  const clfold_context *context, const struct span *in,
                                  const struct span *out, const struct span *heads)
{
    enum {
        TOTAL,
        BAD,
        NUM,
        COUNT,
        REST,
        LENGTHS,
        KEYS,
        CARRY_OUT,
        KEY_OUT,
        CARRY_AT,
        KEY_AT
    };
    const struct monoid *monoid = request->job.monoid;
    const clfold_place *at = &request->total;
    const bool is_one = request->job.segments.width == 0 && !request->heads.type;
    const int num = monoid->in_part ? KEY_AT + 1 : KEYS + 1;
    struct span places[KEY_AT + 1] = {
        writes_num(monoid)
            ? span_of_numbers("num_out", "num_out.offset", at, 1, CL_MEM_READ_ONLY)
            : clfold_span_result(monoid, "total_out", "total_out.offset", at->mem,
                                 at->offset, 1, CL_MEM_READ_ONLY),
        span_of_numbers("bad_out", "bad_out.offset", &request->heads.bad, 2,
                        CL_MEM_READ_ONLY),
        span_of_numbers("segments: num_at", "num_at.offset", &request->heads.num_at, 1,
                        CL_MEM_WRITE_ONLY),
        span_of_numbers("count_at", "count_at.offset", &request->count_at, 1,
                        CL_MEM_WRITE_ONLY),
        span_like(out, "rest_out", "rest_out.offset", &request->rest, out),
        span_of_numbers("lengths_out", "lengths_out.offset", &request->lengths,
                        out->count, CL_MEM_READ_ONLY),
        span_like(heads, "keys_out", "keys_out.offset", &request->keys, out),
    };
    clfold_status status = CLFOLD_OK;

    if (monoid->in_part) {
        clfold_part_spans(request, &places[CARRY_OUT]);
    }
    for (int i = 0; i < num && status == CLFOLD_OK; ++i) {
        const bool may_be_init =
            is_one && ((i == TOTAL && !writes_num(monoid)) || i == CARRY_OUT);
        status = check_place(request, site, context, in, out, heads, &places[i],
                             may_be_init ? OVERLAP_ELEMENTS : OVERLAP_NONE);
        for (int k = 0; k < i && status == CLFOLD_OK; ++k) {
            const bool goes_on = i == CARRY_AT && k == CARRY_OUT;
            if ((places[i].denied | places[k].denied) & CL_MEM_READ_ONLY) {
                status = clfold_check_overlap(site, &places[i], &places[k],
                                              goes_on ? OVERLAP_PLACE : OVERLAP_NONE);
            }
        }
    }
    if (status) {
        return status;
    }
    if (at->mem && (request->job.count == 0 || monoid->count_at) &&
        !monoid->has_identity && !writes_num(monoid) &&
        !clfold_has_init(&request->init) && !clfold_has_init(&request->carry)) {
        return clfold_fail(
            site, monoid->count_at ? CLFOLD_ERROR_ARGUMENT : CLFOLD_ERROR_EMPTY,
            "%s, so total_out has no value: %s has neither identity nor init",
            monoid->count_at ? "count_at may hold 0" : "count is 0", monoid->name);
    }
    return CLFOLD_OK;
}

clfold_status clfold_request_check_empty(const struct request *request,
                                         const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;

    if (request->job.offsets && !operation_of(request)->writes_each &&
        monoid->loads.segment &&
        clfold_platform_miscopies(request->job.device->platform)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "load uses segment or rank, which this driver gets wrong in "
                           "reductions by offsets");
    }
    if ((request->job.offsets || monoid->count_at) && !monoid->found &&
        !operation_of(request)->writes_each && !monoid->has_identity &&
        !clfold_has_init(&request->init)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s, and %s has neither identity nor init",
                           request->job.offsets ? "segments by offsets may be empty"
                                                : "count_at may hold 0",
                           monoid->name);
    }
    if (operation_of(request)->writes_each || request->job.count > 0 ||
        request->job.segments.width > 0 || request->job.offsets || monoid->has_identity ||
        clfold_has_init(&request->init)) {
        return CLFOLD_OK;
    }
    return clfold_fail(site, CLFOLD_ERROR_EMPTY,
                       "count is 0, and %s has neither identity nor init", monoid->name);
}

/* The first item of an exclusive scan depends on no element. */
static clfold_status check_first(const struct request *request, const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;

    if (!operation_of(request)->exclusive || monoid->has_identity ||
        clfold_has_init(&request->init)) {
        return CLFOLD_OK;
    }
    return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                       "an exclusive scan by %s, which has no identity, needs init",
                       monoid->name);
}

/* Whether elements are read that may have been written, where a call is in place. */
static bool reads_others(const struct monoid *monoid)
{
    return monoid->loads.in || monoid->writes.in || monoid->stores;
}

/* A result of a reduction belongs to no element. */
static clfold_status check_writes(const struct request *request, const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;
    const struct uses *writes = &monoid->writes;
    const char *field = monoid->stores ? "store" : "result";
    const char *used = writes->x      ? "x"
                       : writes->in   ? "in"
                       : writes->prev ? "prev"
                       : writes->rank ? "rank"
                                      : NULL;

    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        if (!used && monoid->arg_elements[i] && writes->args & 1u << i) {
            used = monoid->arg_names[i];
        }
    }
    if (!operation_of(request)->writes_each && used) {
        return clfold_fail(
            site, CLFOLD_ERROR_ARGUMENT,
            "%s uses %s, but what a reduction writes belongs to no element", field, used);
    }
    if ((writes->prev || monoid->keeps.prev) && !clfold_monoid_counts(monoid) &&
        operation_of(request)->family == FAMILY_SCAN &&
        !operation_of(request)->exclusive && !monoid->has_identity &&
        !clfold_has_init(&request->init)) {
        return clfold_fail(
            site, CLFOLD_ERROR_ARGUMENT,
            "%s uses prev, of which the first element has none: %s has neither "
            "identity nor init",
            writes->prev ? field : "keep", monoid->name);
    }
    if (request->job.offsets && !operation_of(request)->writes_each &&
        request->job.count + request->job.num_offsets >
            clfold_most_places(request->job.device)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "count %llu and %llu offsets are more than the %llu that "
                           "this device takes at once",
                           (unsigned long long)request->job.count,
                           (unsigned long long)request->job.num_offsets,
                           (unsigned long long)clfold_most_places(request->job.device));
    }
    if ((monoid->heads && clfold_monoid_uses_segment(monoid)) ||
        (monoid->found && !monoid->keep && monoid->loads.segment)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s uses segment or rank, which segments by %s do not have",
                           monoid->loads.segment ? "load" : field,
                           clfold_way_name(request->heads.by));
    }
    return CLFOLD_OK;
}

clfold_status clfold_request_check(struct request *request, const struct site *site,
                                   const clfold_context *context)
{
    const struct monoid *monoid = request->job.monoid;
    const struct segments *segments = &request->job.segments;
    bool writes_each = operation_of(request)->writes_each;
    size_t count = (size_t)request->job.count;
    bool reads = clfold_monoid_reads_in(monoid);
    size_t results = writes_each            ? count
                     : request->job.offsets ? (size_t)request->job.num_offsets - 1
                     : segments->width > 0 ? (size_t)clfold_num_segments(count, *segments)
                                           : 1;
    /* One result is written when all elements and init are read; of several the first is
     * written before. */
    enum overlap overlap =
        segments->width > 0 || request->job.offsets ? OVERLAP_NONE : OVERLAP_PLACE;
    /* What a map by offsets repeats is as much as there are segments. */
    bool repeats = writes_each && request->job.offsets && monoid->load &&
                   clfold_monoid_uses_segment(monoid) && !monoid->loads.x &&
                   !monoid->writes.x;
    struct span in = clfold_span_in(monoid, request->in, request->in_offset,
                                    !reads    ? 0
                                    : repeats ? request->heads.num - 1
                                              : count);
    struct span out = clfold_span_out(monoid, request->out, request->out_offset, results);
    struct span heads = span_of_heads(request);
    out.counted = results == count ? NULL : "results";
    in.counted = repeats ? "segments" : NULL;
    bool has_out = !request->to_host;
    const bool selects = operation_of(request)->selects;
    clfold_status status;

    if (selects) {
        out.advice = in.advice =
            ": a select cannot be in place, as a group that is late reads its elements "
            "when others have written";
    }

    if ((status =
             clfold_check_queue(site, context, request->queue, &request->in_order)) ||
        (status = clfold_check_wait(site, context, request->num_wait, request->wait)) ||
        (status = clfold_check_span(site, context, &in)) ||
        (has_out && (status = clfold_check_span(site, context, &out))) ||
        (has_out && (status = clfold_check_overlap(site, &in, &out,
                                                   !writes_each ? overlap
                                                   : reads_others(monoid) || selects
                                                       ? OVERLAP_NONE
                                                       : OVERLAP_ELEMENTS))) ||
        (status = clfold_check_init(site, context, monoid, &request->init,
                                    has_out ? &out : NULL,
                                    writes_each ? OVERLAP_NONE : overlap)) ||
        (status = clfold_check_buffers(site, context, request->args, request->num_args,
                                       count, has_out ? &out : NULL)) ||
        (status = clfold_check_span(site, context, &heads)) ||
        (status = clfold_check_overlap(site, &heads, &out, OVERLAP_NONE)) ||
        (status = check_places(request, site, context, &in, &out, &heads)) ||
        (status = clfold_part_check(request, site)) ||
        (status = check_writes(request, site)) || (status = check_first(request, site))) {
        return status;
    }
    request->job.in_place = writes_each && clfold_span_same(&in, &out);
    return clfold_request_check_empty(request, site);
}

/* ---- The plan and the program ------------------------------------------------------ */

/* Whether a look-back may become another algorithm. */
static bool is_free(const struct request *request)
{
    return clfold_looks_back(request->job.algorithm) && !request->named;
}

static void give_up(struct request *request, enum obstacle obstacle)
{
    request->job.algorithm = REDUCE_THEN_SCAN;
    request->obstacle = obstacle;
}

/* The obstacle of a plan, or of its program. */
static enum obstacle obstacle_of(const struct plan *plan, bool fails)
{
    return plan->obstacle ? plan->obstacle : fails ? OBSTACLE_BUILD : OBSTACLE_NONE;
}

/* Fetches the device's memory guarantees. If OpenCL fails here, an unnamed scan falls
 * back to reduce_then_scan. */
static clfold_status fetch_findings(struct request *request, const struct site *site,
                                    clfold_context *context, bool may_probe,
                                    struct findings *findings)
{
    const char *failed = NULL;
    bool known = true;
    cl_int status;

    *findings = (struct findings){ 0 };
    if (request->job.algorithm == REDUCE_TILES) {
        request->job.verdict = clfold_context_settled(context, may_probe);
    }
    if (!clfold_looks_back(request->job.algorithm)) {
        return CLFOLD_OK;
    }
    status = clfold_context_findings(context, may_probe, findings, &known, &failed);
    if (status && request->named) {
        return clfold_fail_call(site, status, failed);
    }
    if (status) {
        give_up(request, OBSTACLE_PROBE);
        return CLFOLD_OK;
    }
    request->trace =
        request->trace ? request->trace : clfold_debug(context->debug)->trace;
    request->unproven = !known;
    request->job.verdict = findings->verdict;
    request->job.traced |= request->trace != NULL;
    return CLFOLD_OK;
}

static clfold_status refuse(const struct request *request, const struct site *site,
                            const struct plan *plan, const struct findings *findings)
{
    bool is_none = plan->obstacle == OBSTACLE_TIER;
    char reasons[CLFOLD_VERDICT_SIZE] = "";

    if (is_none) {
        clfold_verdict_reasons(reasons, findings);
    }
    return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED, "algorithm \"%s\": %s%s%s",
                       clfold_algorithm_name(request->job.algorithm),
                       clfold_obstacle_text(plan->obstacle), is_none ? ": " : "",
                       reasons);
}

/* Plans before it builds: a call that is rejected has no program. Does not report
 * CLFOLD_ERROR_BUILD. Without a candidate the plan is zeroed. */
static clfold_status find_one(const struct request *request, const struct site *site,
                              clfold_context *context, struct plan *plan,
                              struct program **program)
{
    const struct job *job = &request->job;
    struct candidate all[CLFOLD_MAX_CANDIDATES];
    uint32_t num, i, dropped = 0;
    bool fails;
    clfold_status status = clfold_plan_candidates(job, site, all, &num);

    if (status) {
        *plan = (struct plan){ 0 };
        *program = NULL;
        return status;
    }
    i = clfold_program_foresee(context, request->fold, all, num, program, &fails);
    clfold_plan_init(plan, job, &all[i]);
    if (plan->obstacle) {
        return CLFOLD_OK;
    }
    /* One hit or miss a call: the algorithm that replaces a look-back is counted. */
    if (*program || fails) {
        if (!fails || !is_free(request)) {
            clfold_cache_count(&context->cache, !fails);
        }
        return fails ? CLFOLD_ERROR_BUILD : CLFOLD_OK;
    }
    status = clfold_program_choose(context, site, request, all + i, num - i, &dropped,
                                   program);
    /* Tiles that do not build are replaced by others, which may be too many. */
    if (status == CLFOLD_OK && dropped > 0) {
        clfold_plan_init(plan, job, &all[i + dropped]);
    }
    return status;
}

clfold_status clfold_request_find(struct request *request, const struct site *site,
                                  clfold_context *context, struct plan *plan,
                                  struct program **program)
{
    struct findings findings;
    enum obstacle met;
    clfold_status status = fetch_findings(request, site, context, true, &findings);

    if (status) {
        return status;
    }
    status = find_one(request, site, context, plan, program);
    met = obstacle_of(plan, status == CLFOLD_ERROR_BUILD);
    if (is_free(request) && met) {
        give_up(request, met);
        status = find_one(request, site, context, plan, program);
    }
    if (plan->obstacle) {
        return refuse(request, site, plan, &findings);
    }
    if (status != CLFOLD_ERROR_BUILD) {
        return status;
    }
    return *program ? clfold_program_error(*program, site)
                    : clfold_fail(site, CLFOLD_ERROR_BUILD, "no tile can run it: %s",
                                  request->fold->why);
}

clfold_status clfold_request_foresee(struct request *request, const struct site *site,
                                     clfold_context *context, struct plan *plan,
                                     uint32_t *dropped, struct findings *findings)
{
    const struct job *job = &request->job;
    struct candidate all[CLFOLD_MAX_CANDIDATES];
    struct program *program;
    clfold_status status = fetch_findings(request, site, context, false, findings);

    while (status == CLFOLD_OK) {
        enum obstacle met;
        bool fails;
        uint32_t num;
        if ((status = clfold_plan_candidates(job, site, all, &num))) {
            break;
        }
        *dropped =
            clfold_program_foresee(context, request->fold, all, num, &program, &fails);
        clfold_plan_init(plan, job, &all[*dropped]);
        met = obstacle_of(plan, fails);
        if (!is_free(request) || !met) {
            return plan->obstacle ? refuse(request, site, plan, findings) : CLFOLD_OK;
        }
        give_up(request, met);
    }
    return status;
}

clfold_status clfold_request_run(struct request *request, const struct site *site,
                                 clfold_context *context, cl_event *event)
{
    struct program *program;
    struct plan plan;
    clfold_status status = clfold_request_find(request, site, context, &plan, &program);

    return status ? status : clfold_run(request, site, context, &plan, program, event);
}
