/* The search of tune_search.h on a device. */
#include "ops/check.h"
#include "ops/tune.h"
#include "ops/tune_data.h"

/* A search under way. Calls go to a context of its own, so that those of other threads
 * keep their plans, and what was only tried is forgotten with it. */
struct tuning_run {
    const struct site *site;
    clfold_context *context; /* the search's own */
    struct log log;          /* the caller's */
    struct tune_space space;
    struct tune_data data;
    clfold_operation operation;
    clfold_fold fold;
    size_t count, next; /* call of the data */
    bool has_hash;
    uint64_t hash; /* of the default's results */
    clfold_status status;
    double begin, seconds;
    const struct tune_request *request;
};

/* ---- The search's world ------------------------------------------------------------ */

static double now(void *user)
{
    (void)user;
    return (double)clfold_clock_ns() * 1e-9;
}

/* What fails with the default's numbers fails the search; others are only dropped. */
static void use(struct tuning_run *run, const struct tuned_numbers *numbers)
{
    const struct log silent = { 0 };

    run->context->override.tuned = numbers->set ? numbers : NULL;
    run->context->log = numbers->set ? silent : run->log;
}

static clfold_status call(const struct tuning_run *run, size_t number)
{
    const struct tune_data *data = &run->data;
    size_t in = number * data->in_stride, out = number * data->out_stride;
    clfold_context *context = run->context;
    clfold_status status =
        run->operation == CLFOLD_REDUCE
            ? clfold_reduce(context, data->queue, &run->fold, data->in, in, data->out,
                            out, run->count, 0, NULL, NULL)
        : run->operation == CLFOLD_INCLUSIVE_SCAN
            ? clfold_inclusive_scan(context, data->queue, &run->fold, data->in, in,
                                    data->out, out, run->count, 0, NULL, NULL)
            : clfold_exclusive_scan(context, data->queue, &run->fold, data->in, in,
                                    data->out, out, run->count, 0, NULL, NULL);

    if (status == CLFOLD_OK) {
        status = clFinish(data->queue);
        status = status == CL_SUCCESS ? CLFOLD_OK
                                      : clfold_fail_call(run->site, status, "clFinish");
    }
    return status;
}

static bool explain(struct tuning_run *run, const struct tuned_numbers *numbers,
                    clfold_report *report)
{
    use(run, numbers);
    return clfold_explain(run->context, run->operation, &run->fold, run->count, report) ==
           CLFOLD_OK;
}

/* Numbers that a report tells nothing of. */
static bool differ(const struct tuning_run *run, const struct tuned_numbers *a,
                   const struct tuned_numbers *b)
{
    static const enum tuned silent[] = { TUNED_ANCHOR, TUNED_PREFETCH,
                                         TUNED_STREAM_BYTES };
    const struct tuned_numbers *of_a = a->set ? a : &run->space.policy;
    const struct tuned_numbers *of_b = b->set ? b : &run->space.policy;
    bool others = false;

    for (int i = 0; i < 3; ++i) {
        others = others || of_a->values[silent[i]] != of_b->values[silent[i]];
    }
    return others;
}

static bool is_same(struct tuning_run *run, const struct tuned_numbers *a,
                    const struct tuned_numbers *b)
{
    clfold_report of_a, of_b;

    return explain(run, a, &of_a) && explain(run, b, &of_b) && !differ(run, a, b) &&
           of_a.tile == of_b.tile && of_a.group_size == of_b.group_size &&
           of_a.num_groups == of_b.num_groups && of_a.items == of_b.items &&
           of_a.num_launches == of_b.num_launches;
}

/* The first call builds the program. */
static bool prepare(void *user, const struct tuned_numbers *numbers,
                    const struct tuned_numbers *than)
{
    struct tuning_run *run = user;
    double part = (now(NULL) - run->begin) / run->seconds;

    if (run->request->step) {
        run->request->step(run->request->user, part < 1 ? part : 1);
    }
    if (than && is_same(run, numbers, than)) {
        return false;
    }
    use(run, numbers);
    run->status = call(run, 0);
    return run->status == CLFOLD_OK;
}

static double time_call(void *user, const struct tuned_numbers *numbers)
{
    struct tuning_run *run = user;
    size_t number = run->next;
    double begin;

    run->next = (run->next + 1) % run->data.calls;
    use(run, numbers);
    begin = now(NULL);
    run->status = call(run, number);
    return run->status == CLFOLD_OK ? now(NULL) - begin : -1;
}

static clfold_status hash(struct tuning_run *run, const struct tuned_numbers *numbers,
                          uint64_t *of)
{
    clfold_status status;

    use(run, numbers);
    if ((status = clfold_tune_data_spoil(&run->data)) || (status = call(run, 0))) {
        return status;
    }
    return clfold_tune_data_hash(&run->data, of);
}

/* Elements are such that floats agree in every bit as well. */
static bool check(void *user, const struct tuned_numbers *numbers)
{
    const struct tuned_numbers none = { 0 };
    struct tuning_run *run = user;
    uint64_t of = 0;

    run->has_hash = run->has_hash || hash(run, &none, &run->hash) == CLFOLD_OK;
    return run->has_hash && hash(run, numbers, &of) == CLFOLD_OK && of == run->hash;
}

/* ---- The search -------------------------------------------------------------------- */

/* What the parent knows of the device's memory need not be found out again. */
static void inherit(clfold_context *own, clfold_context *parent)
{
    struct knowledge *of = &parent->knowledge;

    clfold_lock_take(&of->lock);
    if (of->known) {
        own->knowledge.findings = of->findings;
        own->knowledge.known = true;
        own->knowledge.loaded = true;
    }
    clfold_lock_give(&of->lock);
    own->override = parent->override;
    own->override.tuned = NULL;
    own->scan = parent->scan;
}

static clfold_status open_context(struct tuning_run *run, clfold_context *parent)
{
    const clfold_context_params params = {
        .log = parent->log.write,
        .user = parent->log.user,
        .log_level = parent->log.level,
        .tuning_file = "", /* whatever the environment says */
        .scratch_limit = parent->scratch.limit,
        .load_verdict = parent->load_verdict,
        .save_verdict = parent->save_verdict,
    };
    clfold_status status =
        clfold_context_create(&run->context, parent->context, parent->device, &params);

    run->log = parent->log;
    if (status == CLFOLD_OK) {
        inherit(run->context, parent);
    }
    return status;
}

/* The candidates' numbers; returns how many there are. */
static uint32_t list_candidates(const struct device_facts *device, enum family family,
                                struct tuned_numbers numbers[CLFOLD_MAX_CANDIDATES])
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    uint32_t num = clfold_policies(device, family, policies);

    for (uint32_t i = 0; i < num; ++i) {
        clfold_numbers_of(&numbers[i], family, &policies[i]);
        /* A policy's group may be larger than the device's. */
        uint64_t *size = &numbers[i].values[TUNED_GROUP_SIZE];
        *size = *size < device->max_group_size ? *size : device->max_group_size;
    }
    return num;
}

/* What a row leaves out is the policy's, of the tile that the row names. */
static struct tuned_numbers complete(const struct tuned_numbers *row,
                                     const struct tuned_numbers *of, uint32_t num)
{
    struct tuned_numbers whole;
    uint32_t i = 0;

    while (i + 1 < num && clfold_numbers_have(row, TUNED_TILE) &&
           of[i].values[TUNED_TILE] != row->values[TUNED_TILE]) {
        ++i;
    }
    whole = of[i];
    for (int k = 0; k < CLFOLD_TUNED; ++k) {
        if (clfold_numbers_have(row, (enum tuned)k)) {
            clfold_numbers_put(&whole, (enum tuned)k, row->values[k]);
        }
    }
    return whole;
}

static clfold_status search(struct tuning_run *run, const struct monoid *monoid,
                            struct tune_result *result)
{
    const struct tune_world world = { run, now, prepare, time_call, check };
    struct tuned_numbers candidates[CLFOLD_MAX_CANDIDATES], previous;
    const struct tuned_numbers *row = run->request->previous;
    uint32_t num = list_candidates(run->space.device, run->space.family, candidates);
    uint64_t c = clfold_count_class(run->count);
    uint64_t size = clfold_monoid_out_size(monoid);
    double before = now(NULL) - run->begin;

    /* Nobody has so much that these would overflow. */
    run->space.least_bytes = size * (c > 0 ? UINT64_C(1) << (2 * c - 1) : 0);
    run->space.most_bytes = size * (UINT64_C(1) << (2 * c + 1));
    run->space.policy = candidates[0];
    if (row) {
        previous = complete(row, candidates, num);
    }
    clfold_tune_search(result, &world, &run->space, row ? &previous : NULL,
                       candidates + 1, num - 1, run->seconds - before);
    result->enough += before;
    return result->outcome == TUNE_FAILED ? run->status : CLFOLD_OK;
}

static clfold_status measure(struct tuning_run *run, clfold_context *parent,
                             cl_command_queue queue, const struct monoid *monoid,
                             struct tune_result *result)
{
    clfold_status status;

    if ((status = clFinish(queue)) != CL_SUCCESS) {
        return clfold_fail_call(run->site, status, "clFinish");
    }
    if ((status = open_context(run, parent))) {
        return status;
    }
    status = clfold_tune_data_init(&run->data, run->site, parent, queue, run->operation,
                                   monoid, run->count);
    if (status == CLFOLD_OK) {
        status = search(run, monoid, result);
        clfold_tune_data_finish(&run->data);
    }
    run->context->log = run->log;
    clfold_context_destroy(&run->context);
    return status;
}

clfold_status clfold_tune_check(const struct site *site, clfold_context *context,
                                const struct tune_request *of,
                                const struct monoid **monoid)
{
    const struct interned *fold;
    bool in_order;
    clfold_status status;

    if ((status = clfold_check_fold(site, context, of->operation, of->fold, &fold)) ||
        (status = clfold_check_queue(site, context, of->queue, &in_order)) ||
        (status = clfold_check_count(site, &fold->monoid, of->count))) {
        return status;
    }
    *monoid = &fold->monoid;
    if (of->count == 0) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "count is 0: there is nothing to time");
    }
    if (!(of->seconds > 0) || of->seconds > 1e9) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "seconds %g is not above 0 and below 1e9", of->seconds);
    }
    const struct later later[] = {
        { of->fold->algorithm != NULL, "a row serves all algorithms, and algorithm" },
        { of->fold->init_at.mem != NULL,
          "clfold_tune has buffers of its own, and init_at" },
        { of->fold->total_at.mem != NULL,
          "clfold_tune has buffers of its own, and total_at" },
    };
    return clfold_check_later(site, "fold", later, sizeof(later) / sizeof(later[0]));
}

clfold_status clfold_tune_fits(clfold_context *context,
                               const struct tune_request *request)
{
    struct site site = clfold_site(context, request->fold, "clfold_tune");
    struct tune_data data;
    const struct monoid *monoid;
    clfold_status status = clfold_tune_check(&site, context, request, &monoid);

    return status ? status
                  : clfold_tune_data_lay_out(&data, &site, context, request->operation,
                                             monoid, request->count);
}

static void report(const clfold_context *context, const struct tuning_fold *fold,
                   const struct tune_result *result)
{
    char of[CLFOLD_TUNING_FOLD], with[CLFOLD_TUNING_NUMBERS] = "the default";
    bool better = result->outcome == TUNE_BETTER;

    clfold_tuning_print_fold(of, fold);
    if (better) {
        clfold_tuning_print_numbers(with, &result->numbers);
    }
    clfold_log(&context->log, CLFOLD_LOG_INFO,
               "tuned %s: %s; tried %u, %u of them wrong; %.3g ms, the default %.3g ms",
               of, with, result->tried, result->wrong,
               1e3 * (better ? result->tuned_seconds : result->default_seconds),
               1e3 * result->default_seconds);
}

clfold_status clfold_tune_fold(clfold_context *context,
                               const struct tune_request *request,
                               struct tune_result *result)
{
    struct site site = clfold_site(context, request->fold, "clfold_tune");
    const struct monoid *monoid;
    clfold_status status = clfold_tune_check(&site, context, request, &monoid);

    if (status) {
        return status;
    }
    struct tuning_run run = {
        .site = &site,
        .operation = request->operation,
        .fold = *request->fold,
        .count = request->count,
        .begin = now(NULL),
        .seconds = request->seconds,
        .request = request,
        .space = { .family = clfold_operation_row(request->operation)->family,
                   .device = &context->caps.facts },
    };
    atomic_fetch_add(&context->calls, 1);
    status = measure(&run, context, request->queue, monoid, result);
    if (status == CLFOLD_OK) {
        const struct tuning_fold fold =
            clfold_tuning_fold(request->operation, monoid, request->count);
        report(context, &fold, result);
    }
    return status;
}

/* An older row may be all that there was time for, and not even make a call. */
bool clfold_tune_row(const struct tune_result *result, const struct tuned_numbers **row)
{
    *row = result->outcome == TUNE_BETTER ? &result->numbers : NULL;
    return result->outcome != TUNE_UNDECIDED || result->previous_tried;
}
