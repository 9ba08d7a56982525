/* The first steps of a call: its fold, its checks, its plan and program. */
#include "ops/request.h"

#include "base/platform.h"
#include "ops/check.h"
#include "ops/program.h"
#include "ops/run.h"
#include "ops/segments.h"
#include "plan/debug.h"
#include "plan/scalar.h"

/* ---- The fold ---------------------------------------------------------------------- */

static const struct operation *operation_of(const struct request *request)
{
    return clfold_operation_row(request->job.operation);
}

clfold_status clfold_request_choose(struct request *request, struct interned *fold,
                                    const char *algorithm)
{
    const clfold_context *context = request->context;
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
    clfold_status status = clfold_plan_choose(job, request->site, algorithm);
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
    request->site = site;
    request->context = context;
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
    if ((fold->segments && (status = clfold_segments_set(request, fold->segments))) ||
        (status = clfold_request_choose(request, found, fold->algorithm))) {
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
    enum overlap with_in;  /* how `out` may overlap `in` */
    enum overlap with_out; /* how a result may overlap what it is made of */
};

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
static enum overlap overlap_of(const struct request *request, const struct spans *spans,
                               int a, int b)
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

    for (size_t i = 0; i < CLFOLD_LENGTH(pairs); ++i) {
        if (pairs[i].a == a && pairs[i].b == b && (is_one || !pairs[i].if_one)) {
            return pairs[i].allowed;
        }
    }
    return b == OUT ? spans->with_in
           : a == OUT && b == FACET_INIT_AT && !operation_of(request)->writes_each
               ? spans->with_out
               : OVERLAP_NONE;
}

/* Checks a span, alone and with those before it: none is written that another reads or
 * writes. */
static clfold_status check_span(const struct request *request, struct spans *spans,
                                int facet, struct span given)
{
    const struct site *site = request->site;
    const clfold_context *context = request->context;
    struct span *span = &spans->of[spans->num];
    const bool is_written = given.denied == CL_MEM_READ_ONLY;
    clfold_status status;

    *span = given;
    spans->facets[spans->num] = facet;
    if (!span->mem && span->offset != 0 && facet < NUM_PLACES && facet != FACET_HEADS) {
        return REJECT(site, "%s: mem is NULL, but offset is %zu", span->name,
                      span->offset);
    }
    if ((status = clfold_check_span(site, context, span))) {
        return status;
    }
    for (int i = 0; i < spans->num; ++i) {
        const struct span *other = &spans->of[i];
        if ((is_written || other->denied == CL_MEM_READ_ONLY) &&
            (status = clfold_check_overlap(
                 site, is_written ? other : span, is_written ? span : other,
                 overlap_of(request, spans, spans->facets[i], facet)))) {
            return status;
        }
    }
    ++spans->num;
    return is_written
               ? clfold_check_buffers(site, context, request->args, request->num_args,
                                      (size_t)request->job.count, span)
               : CLFOLD_OK;
}

/* Whether something stands in front of the first element. */
static bool has_start(const struct request *request)
{
    return request->job.monoid->has_identity || clfold_has_init(&request->init);
}

/* The place of a total has a value. */
static clfold_status check_total(const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;

    if (!clfold_given(request, FACET_TOTAL_OUT) ||
        (request->job.count > 0 && !clfold_given(request, FACET_COUNT_AT)) ||
        has_start(request) || clfold_has_init(&request->carry)) {
        return CLFOLD_OK;
    }
    return clfold_fail(request->site,
                       clfold_given(request, FACET_COUNT_AT) ? CLFOLD_ERROR_ARGUMENT
                                                             : CLFOLD_ERROR_EMPTY,
                       "%s, so total_out has no value: %s has neither identity nor init",
                       clfold_given(request, FACET_COUNT_AT) ? "count_at may hold 0"
                                                             : "count is 0",
                       monoid->name);
}

/* A reduction of no elements needs a result. */
static clfold_status check_empty(const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
    const struct segments *segments = &request->job.segments;
    const bool by_offsets = request->job.use.offsets != 0;

    if (operation_of(request)->writes_each) {
        return CLFOLD_OK;
    }
    if (by_offsets && monoid->loads.segment &&
        clfold_platform_miscopies(request->job.device->platform)) {
        return UNSUPPORTED(request->site,
                           "load uses segment or rank, which this driver gets wrong in "
                           "reductions by offsets");
    }
    if (has_start(request)) {
        return CLFOLD_OK;
    }
    if ((by_offsets || clfold_given(request, FACET_COUNT_AT)) && !segments->found) {
        return REJECT(request->site, "%s, and %s has neither identity nor init",
                      by_offsets ? "segments by offsets may be empty"
                                 : "count_at may hold 0",
                      monoid->name);
    }
    if (request->job.count > 0 || segments->rows.width > 0 || by_offsets) {
        return CLFOLD_OK;
    }
    return clfold_fail(request->site, CLFOLD_ERROR_EMPTY,
                       "count is 0, and %s has neither identity nor init", monoid->name);
}

/* The first item of an exclusive scan depends on no element. */
static clfold_status check_first(const struct request *request)
{
    return has_start(request) || !operation_of(request)->exclusive
               ? CLFOLD_OK
               : REJECT(request->site,
                        "an exclusive scan by %s, which has no identity, needs init",
                        request->job.monoid->name);
}

/* Whether elements are read that may have been written, where a call is in place. */
static bool reads_others(const struct monoid *monoid)
{
    return monoid->loads.in || monoid->writes.in || monoid->stores;
}

/* A result of a reduction belongs to no element. */
static clfold_status check_writes(const struct request *request)
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
        return REJECT(request->site,
                      "%s uses %s, but what a reduction writes belongs to no element",
                      field, used);
    }
    if ((writes->prev || monoid->keeps.prev) && !clfold_monoid_counts(monoid) &&
        operation_of(request)->family == FAMILY_SCAN &&
        !operation_of(request)->exclusive && !has_start(request)) {
        return REJECT(request->site,
                      "%s uses prev, of which the first element has none: %s has neither "
                      "identity nor init",
                      writes->prev ? field : "keep", monoid->name);
    }
    if (request->job.use.offsets && !operation_of(request)->writes_each &&
        request->job.count + request->job.segments.num_offsets >
            clfold_most_places(request->job.device)) {
        return UNSUPPORTED(request->site,
                           "count %llu and %llu offsets are more than the %llu that "
                           "this device takes at once",
                           (unsigned long long)request->job.count,
                           (unsigned long long)request->job.segments.num_offsets,
                           (unsigned long long)clfold_most_places(request->job.device));
    }
    if ((monoid->lifted && clfold_monoid_uses_segment(monoid)) ||
        (request->job.segments.found && !monoid->keep && monoid->loads.segment)) {
        return REJECT(request->site,
                      "%s uses segment or rank, which segments by %s do not have",
                      monoid->loads.segment ? "load" : field,
                      clfold_way_name(request->job.segments.by));
    }
    return CLFOLD_OK;
}

clfold_status clfold_request_check(struct request *request)
{
    const struct site *site = request->site;
    const clfold_context *context = request->context;
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
    const char *apart = operation_of(request)->apart;
    struct span out = clfold_span_out(monoid, request->out, request->out_offset, results);
    struct span in = clfold_span_in(monoid, request->in, request->in_offset,
                                    !reads    ? 0
                                    : repeats ? request->job.segments.num - 1
                                              : count);
    struct spans spans; /* is large, and set as it is needed */
    clfold_status status;

    spans.num = 0;
    spans.with_out = overlap;
    spans.with_in = !writes_each                    ? overlap
                    : reads_others(monoid) || apart ? OVERLAP_NONE
                                                    : OVERLAP_ELEMENTS;
    out.counted = results == count ? NULL : "results";
    in.counted = repeats ? "segments" : NULL;
    out.advice = in.advice = apart;
    if ((status =
             clfold_check_queue(site, context, request->queue, &request->in_order)) ||
        (status = clfold_check_wait(site, context, request->num_wait, request->wait)) ||
        (status = check_span(request, &spans, IN, in)) ||
        (!request->to_host && (status = check_span(request, &spans, OUT, out)))) {
        return status;
    }
    for (int f = 0; request->bits >> f << f & FACET_PLACES; ++f) {
        if (clfold_given(request, (enum facet)f) &&
            (status = check_span(request, &spans, f, span_of(request, f, &out)))) {
            return status;
        }
    }
    if ((request->to_host &&
         (status = clfold_check_buffers(site, context, request->args, request->num_args,
                                        count, NULL))) ||
        (status = check_total(request)) || (status = clfold_part_check(request)) ||
        (status = check_writes(request)) || (status = check_first(request))) {
        return status;
    }
    request->job.in_place = writes_each && clfold_span_same(&spans.of[0], &spans.of[1]);
    return check_empty(request);
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

static enum obstacle obstacle_in(const struct planned *planned)
{
    return planned->plan.num_stages > 0 ? clfold_plan_main(&planned->plan)->obstacle
                                        : OBSTACLE_NONE;
}

/* Fetches the device's memory guarantees. If OpenCL fails here, an unnamed scan falls
 * back to reduce_then_scan. */
static clfold_status fetch_findings(struct request *request, bool may_probe,
                                    struct findings *findings)
{
    const char *failed = NULL;
    bool known = true;
    cl_int status;

    *findings = (struct findings){ 0 };
    if (request->job.algorithm == REDUCE_TILES) {
        request->job.verdict = clfold_context_settled(request->context, may_probe);
    }
    if (!clfold_looks_back(request->job.algorithm)) {
        return CLFOLD_OK;
    }
    status =
        clfold_context_findings(request->context, may_probe, findings, &known, &failed);
    if (status && request->named) {
        return clfold_fail_call(request->site, status, failed);
    }
    if (status) {
        give_up(request, OBSTACLE_PROBE);
        return CLFOLD_OK;
    }
    request->trace =
        request->trace ? request->trace : clfold_debug(request->context->debug)->trace;
    request->unproven = !known;
    request->job.verdict = findings->verdict;
    request->job.traced |= request->trace != NULL;
    return CLFOLD_OK;
}

static clfold_status refuse(const struct request *request, const struct planned *planned)
{
    bool is_none = obstacle_in(planned) == OBSTACLE_TIER;
    char reasons[CLFOLD_VERDICT_SIZE] = "";

    if (is_none) {
        clfold_verdict_reasons(reasons, &planned->findings);
    }
    return UNSUPPORTED(request->site, "algorithm \"%s\": %s%s%s",
                       clfold_algorithm_name(request->job.algorithm),
                       clfold_obstacle_text(obstacle_in(planned)), is_none ? ": " : "",
                       reasons);
}

/* Plans before it builds: a call that is rejected has no program. Does not report
 * CLFOLD_ERROR_BUILD. Without a candidate the plan has no stage. */
static clfold_status find_one(const struct request *request, bool may_build,
                              struct planned *planned)
{
    struct candidate all[CLFOLD_MAX_CANDIDATES];
    enum program_state state;
    uint32_t num;
    clfold_status status =
        clfold_plan_candidates(&request->job, request->site, all, &num);

    if (status) {
        planned->plan.num_stages = 0;
        return status;
    }
    state = clfold_program_foresee(request, all, num, planned);
    if (obstacle_in(planned)) {
        return CLFOLD_OK;
    }
    if (may_build && state == PROGRAM_EMPTY) {
        return clfold_program_choose(request, all + planned->dropped,
                                     num - planned->dropped, planned);
    }
    /* One hit or miss a call: the algorithm that replaces a look-back is counted. */
    if (may_build && (state == PROGRAM_READY || !is_free(request))) {
        clfold_cache_count(&request->context->cache, state == PROGRAM_READY);
    }
    return state == PROGRAM_FAILED ? CLFOLD_ERROR_BUILD : CLFOLD_OK;
}

/* Does so by another algorithm where a look-back meets an obstacle, or rejects the call,
 * if it was named. */
static clfold_status find(struct request *request, bool may_build,
                          struct planned *planned)
{
    enum obstacle met;
    clfold_status status = fetch_findings(request, may_build, &planned->findings);

    planned->failed = NULL;
    if (status) {
        return status;
    }
    status = find_one(request, may_build, planned);
    met = obstacle_in(planned);
    if (!met && status == CLFOLD_ERROR_BUILD) {
        met = OBSTACLE_BUILD;
    }
    if (is_free(request) && met) {
        give_up(request, met);
        status = find_one(request, may_build, planned);
    }
    return obstacle_in(planned) ? refuse(request, planned) : status;
}

clfold_status clfold_request_find(struct request *request, struct planned *planned)
{
    clfold_status status = find(request, true, planned);

    return status != CLFOLD_ERROR_BUILD ? status
           : planned->failed ? clfold_program_error(planned->failed, request->site)
                             : clfold_fail(request->site, CLFOLD_ERROR_BUILD,
                                           "no tile can run it: %s", request->fold->why);
}

clfold_status clfold_request_foresee(struct request *request, struct planned *planned)
{
    clfold_status status = check_empty(request);

    status = status ? status : find(request, false, planned);
    return status == CLFOLD_ERROR_BUILD ? CLFOLD_OK : status;
}

clfold_status clfold_request_run(struct request *request, cl_event *event)
{
    struct planned planned;
    clfold_status status = clfold_request_find(request, &planned);

    return status ? status : clfold_run(request, &planned, event);
}
