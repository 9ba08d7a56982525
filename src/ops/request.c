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

clfold_status clfold_request_fold(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_fold *fold)
{
    struct interned *found;
    clfold_status status =
        clfold_check_fold(site, context, request->job.operation, request->job.of_carries,
                          fold, &request->bits, &found);

    if (status) {
        return status;
    }
    request->name = fold->name;
    for (uint64_t left = request->bits & FACET_PLACES, f = 0; left; left >>= 1, ++f) {
        if (left & 1) {
            request->places[f] = *clfold_facet_place(fold, (enum facet)f);
        }
    }
    request->init =
        (struct init){ .value = fold->init, .at = request->places[FACET_INIT_AT] };
    if (fold->part) {
        clfold_part_set(request, fold->part, found->monoid.lifted);
    }
    request->job.use = clfold_use_of(fold, &found->monoid, request->bits);
    request->args = fold->args;
    request->num_args = fold->num_args;
    if ((fold->segments &&
         (status = clfold_segments_set(request, site, context, fold->segments))) ||
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

/* The buffers of a call: in, out if it is the caller's, and the places that are given. */
#define IN  NUM_PLACES
#define OUT (NUM_PLACES + 1)
struct spans {
    struct span of[NUM_PLACES + 2];
    int facets[NUM_PLACES + 2]; /* or IN, OUT */
    int num;
};

static struct span *add(struct spans *spans, int facet, struct span span)
{
    spans->facets[spans->num] = facet;
    spans->of[spans->num] = span;
    return &spans->of[spans->num++];
}

/* A place with what it holds, and how much; `out` is what the call writes. */
static struct span span_of(const struct request *request, int facet,
                           const struct span *out)
{
    const struct place_row *row = &clfold_place_rows[facet];
    const struct monoid *monoid = request->job.monoid;
    const struct scalar *key = clfold_scalar(request->job.segments.type);
    const cl_mem_flags denied = row->is_written ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY;
    const size_t count = row->many == MANY_RESULTS ? out->count
                         : row->many == MANY_HEADS ? request->job.segments.num
                                                   : row->many;
    struct span span = clfold_span_result(monoid, row->name, row->offset_name,
                                          &request->places[facet], count, denied);

    if (row->holds == HOLDS_OUT) {
        span.size = out->size;
        span.type = out->type;
        span.op = out->op;
    } else if (row->holds != HOLDS_RESULT) {
        span.op = NULL;
        span.size = row->holds == HOLDS_NUMBER  ? sizeof(cl_ulong)
                    : row->holds == HOLDS_CARRY ? clfold_monoid_carry_size(monoid)
                    : key                       ? key->size
                                                : 1;
        span.type = row->holds == HOLDS_NUMBER ? "u64"
                    : row->holds == HOLDS_CARRY
                        ? CARRIES
                        : clfold_scalar_name(request->job.segments.type);
    }
    span.counted =
        row->many == MANY_RESULTS ? out->counted
        : row->many == MANY_HEADS && request->job.segments.by == CLFOLD_BY_OFFSETS
            ? "offsets"
            : NULL;
    return span;
}

/* Where places may be one: a carry takes the place of the one before, and what is written
 * last that of an init, of which there is one. */
static enum overlap overlap_of(const struct request *request, int a, int b,
                               enum overlap with_out)
{
    static const struct {
        int a, b;
        enum overlap allowed;
        bool if_one;
    } pairs[] = {
        { FACET_CARRY_OUT, FACET_CARRY_AT, OVERLAP_PLACE, false },
        { FACET_INIT_AT, FACET_TOTAL_OUT, OVERLAP_ELEMENTS, true },
        { FACET_INIT_AT, FACET_CARRY_OUT, OVERLAP_ELEMENTS, true },
    };
    const bool is_one =
        request->job.segments.rows.width == 0 && !request->job.segments.type;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if (pairs[i].a == a && pairs[i].b == b && (is_one || !pairs[i].if_one)) {
            return pairs[i].allowed;
        }
    }
    return a == OUT && b == FACET_INIT_AT && !operation_of(request)->writes_each
               ? with_out
               : OVERLAP_NONE;
}

/* Checks the last of the spans, alone and with those before it: none is written that
 * another reads or writes. `with_out`: how a result may overlap what it is made of. */
static clfold_status check_last(const struct request *request, const struct site *site,
                                const clfold_context *context, struct spans *spans,
                                enum overlap with_in, enum overlap with_out)
{
    const int last = spans->num - 1, facet = spans->facets[last];
    struct span *span = &spans->of[last];
    const bool is_written = span->denied == CL_MEM_READ_ONLY;
    clfold_status status;

    if (!span->mem && span->offset != 0 && facet < NUM_PLACES && facet != FACET_HEADS) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s: mem is NULL, but offset is %zu", span->name,
                           span->offset);
    }
    if ((status = clfold_check_span(site, context, span))) {
        return status;
    }
    for (int i = 0; i < last; ++i) {
        const struct span *other = &spans->of[i];
        const enum overlap allowed =
            facet == OUT ? with_in
                         : overlap_of(request, spans->facets[i], facet, with_out);
        if ((is_written || other->denied == CL_MEM_READ_ONLY) &&
            (status = clfold_check_overlap(site, is_written ? other : span,
                                           is_written ? span : other, allowed))) {
            return status;
        }
    }
    return is_written
               ? clfold_check_buffers(site, context, request->args, request->num_args,
                                      (size_t)request->job.count, span)
               : CLFOLD_OK;
}

/* The place of a total has a value. */
static clfold_status check_total(const struct request *request, const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;

    if (!clfold_given(request, FACET_TOTAL_OUT) ||
        (request->job.count > 0 && !clfold_given(request, FACET_COUNT_AT)) ||
        monoid->has_identity || clfold_has_init(&request->init) ||
        clfold_has_init(&request->carry)) {
        return CLFOLD_OK;
    }
    return clfold_fail(site,
                       clfold_given(request, FACET_COUNT_AT) ? CLFOLD_ERROR_ARGUMENT
                                                             : CLFOLD_ERROR_EMPTY,
                       "%s, so total_out has no value: %s has neither identity nor init",
                       clfold_given(request, FACET_COUNT_AT) ? "count_at may hold 0"
                                                             : "count is 0",
                       monoid->name);
}

clfold_status clfold_request_check_empty(const struct request *request,
                                         const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;

    if (request->job.use.offsets && !operation_of(request)->writes_each &&
        monoid->loads.segment &&
        clfold_platform_miscopies(request->job.device->platform)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "load uses segment or rank, which this driver gets wrong in "
                           "reductions by offsets");
    }
    if ((request->job.use.offsets || clfold_given(request, FACET_COUNT_AT)) &&
        !request->job.use.found && !operation_of(request)->writes_each &&
        !monoid->has_identity && !clfold_has_init(&request->init)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s, and %s has neither identity nor init",
                           request->job.use.offsets ? "segments by offsets may be empty"
                                                    : "count_at may hold 0",
                           monoid->name);
    }
    if (operation_of(request)->writes_each || request->job.count > 0 ||
        request->job.segments.rows.width > 0 || request->job.use.offsets ||
        monoid->has_identity || clfold_has_init(&request->init)) {
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
    if (request->job.use.offsets && !operation_of(request)->writes_each &&
        request->job.count + request->job.segments.num_offsets >
            clfold_most_places(request->job.device)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "count %llu and %llu offsets are more than the %llu that "
                           "this device takes at once",
                           (unsigned long long)request->job.count,
                           (unsigned long long)request->job.segments.num_offsets,
                           (unsigned long long)clfold_most_places(request->job.device));
    }
    if ((monoid->lifted && clfold_monoid_uses_segment(monoid)) ||
        (request->job.use.found && !monoid->keep && monoid->loads.segment)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "%s uses segment or rank, which segments by %s do not have",
                           monoid->loads.segment ? "load" : field,
                           clfold_way_name(request->job.segments.by));
    }
    return CLFOLD_OK;
}

clfold_status clfold_request_check(struct request *request, const struct site *site,
                                   const clfold_context *context)
{
    const struct monoid *monoid = request->job.monoid;
    const struct rows *segments = &request->job.segments.rows;
    bool writes_each = operation_of(request)->writes_each;
    size_t count = (size_t)request->job.count;
    bool reads = clfold_monoid_reads_in(monoid);
    size_t results = writes_each ? count
                     : request->job.use.offsets
                         ? (size_t)request->job.segments.num_offsets - 1
                     : segments->width > 0 ? (size_t)clfold_num_segments(count, *segments)
                                           : 1;
    /* One result is written when all elements and init are read; of several the first is
     * written before. */
    enum overlap overlap =
        segments->width > 0 || request->job.use.offsets ? OVERLAP_NONE : OVERLAP_PLACE;
    /* What a map by offsets repeats is as much as there are segments. */
    bool repeats = writes_each && request->job.use.offsets && monoid->load &&
                   clfold_monoid_uses_segment(monoid) && !monoid->loads.x &&
                   !monoid->writes.x;
    const bool selects = operation_of(request)->selects;
    const enum overlap with_in = !writes_each                      ? overlap
                                 : reads_others(monoid) || selects ? OVERLAP_NONE
                                                                   : OVERLAP_ELEMENTS;
    struct spans spans;
    spans.num = 0; /* the rest is large, and set as it is needed */
    struct span *in = add(&spans, IN,
                          clfold_span_in(monoid, request->in, request->in_offset,
                                         !reads    ? 0
                                         : repeats ? request->job.segments.num - 1
                                                   : count));
    struct span out = clfold_span_out(monoid, request->out, request->out_offset, results);
    out.counted = results == count ? NULL : "results";
    in->counted = repeats ? "segments" : NULL;
    clfold_status status;

    if (selects) {
        out.advice = in->advice =
            ": a select cannot be in place, as a group that is late reads its elements "
            "when others have written";
    }

    if ((status =
             clfold_check_queue(site, context, request->queue, &request->in_order)) ||
        (status = clfold_check_wait(site, context, request->num_wait, request->wait)) ||
        (status = check_last(request, site, context, &spans, with_in, overlap)) ||
        (!request->to_host &&
         (add(&spans, OUT, out),
          status = check_last(request, site, context, &spans, with_in, overlap)))) {
        return status;
    }
    for (int f = 0; request->bits >> f << f & FACET_PLACES; ++f) {
        if (clfold_given(request, (enum facet)f)) {
            add(&spans, f, span_of(request, f, &out));
            if ((status = check_last(request, site, context, &spans, with_in, overlap))) {
                return status;
            }
        }
    }
    if ((request->to_host &&
         (status = clfold_check_buffers(site, context, request->args, request->num_args,
                                        count, NULL))) ||
        (status = check_total(request, site)) ||
        (status = clfold_part_check(request, site)) ||
        (status = check_writes(request, site)) || (status = check_first(request, site))) {
        return status;
    }
    request->job.in_place = writes_each && clfold_span_same(&spans.of[0], &spans.of[1]);
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
