#include "prefix_check.h"

#include "lookback.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE 64 /* elements on either side */
#define LINE 64 /* bytes, of which host memory begins past a multiple */

/*
 * A buffer, what it held before, and what after:
 *
 *   front elements | count elements, or one more | ZONE elements, unless it is tight
 *
 * Over memory of the host it has LINE bytes at the end as well, so that `shift` fits.
 */
struct store {
    unsigned char *before, *after, *host;
    size_t element, front, bytes, shift;
    cl_mem mem;
};

struct run {
    struct store in, out, init, total;
    unsigned char *expected; /* items, and the total */
    double *magnitudes;
    size_t num, result; /* items, and bytes of one */
};

void prefix_print(const struct prefix_case *scan, char *text, size_t size)
{
    static const char *const inits[] = { "", ", init", ", init_at" };
    static const char *const totals[] = { "", ", total apart", ", total behind" };
    char place[96], memory[64] = "";

    snprintf(place, sizeof(place), scan->in_place ? "in place at %zu" : "from %zu to %zu",
             scan->in_offset + (scan->zones ? ZONE : 0),
             scan->out_offset + (scan->zones ? ZONE : 0));
    if (scan->host) {
        snprintf(memory, sizeof(memory), ", in memory of the host, %zu and %zu past",
                 scan->in_shift, scan->out_shift);
    }
    snprintf(
        text, size,
        "%s %s of %zu %s into %s by %s, %s of %u, %u work-items, anchor %u, %s%s%s%s%s "
        "(seed %llu)",
        scan->reduces     ? "reduced"
        : scan->exclusive ? "exclusive"
                          : "inclusive",
        name_of_op(scan->op), scan->count, name_of(scan->pair.in),
        name_of(scan->pair.type), scan->algorithm ? scan->algorithm : "policy",
        clfold_tile_name(scan->plan.tile), scan->plan.tile_elements,
        scan->plan.group_size, scan->plan.anchor, place, memory, inits[scan->init],
        totals[scan->total], scan->nan ? ", with NaN" : "",
        (unsigned long long)scan->seed);
}

/* "`scan`: `what`" */
static bool explain(const struct prefix_case *scan, const char *what, char *why,
                    size_t why_size)
{
    char subject[384];

    prefix_print(scan, subject, sizeof(subject));
    snprintf(why, why_size, "%s: %s", subject, what);
    return false;
}

/* ---- Buffers ----------------------------------------------------------------------- */

static bool store_init(struct store *store, size_t element, size_t front, size_t num)
{
    store->element = element;
    store->front = front;
    store->bytes = (front + num) * element;
    store->before = malloc(store->bytes);
    store->after = malloc(store->bytes);
    if (!store->before || !store->after) {
        return false;
    }
    memset(store->before, 0xa5, store->bytes);
    return true;
}

static unsigned char *at(const struct store *store, unsigned char *bytes, size_t index)
{
    return bytes + (store->front + index) * store->element;
}

static bool store_upload(struct store *store, const struct device *device,
                         cl_mem_flags flags, bool host, size_t shift)
{
    void *from = store->before;
    cl_int status;

    if (host) {
        size_t bytes = (store->bytes + 2 * LINE) / LINE * LINE;
        store->host = aligned_alloc(LINE, bytes);
        if (!store->host) {
            return false;
        }
        store->shift = shift;
        memset(store->host, 0xa5, bytes);
        from = memcpy(store->host + shift, store->before, store->bytes);
    }
    flags |= host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    store->mem = clCreateBuffer(device->context, flags, store->bytes, from, &status);
    return status == CL_SUCCESS;
}

static cl_int store_download(const struct store *store, cl_command_queue queue)
{
    return store->mem ? clEnqueueReadBuffer(queue, store->mem, CL_TRUE, 0, store->bytes,
                                            store->after, 0, NULL, NULL)
                      : CL_SUCCESS;
}

static void store_finish(struct store *store)
{
    if (store->mem) {
        clReleaseMemObject(store->mem);
    }
    free(store->host);
    free(store->before);
    free(store->after);
}

/* All but the `count` elements from `from` on is as it was, and so are the bytes beside a
 * buffer over memory of the host. */
static bool store_kept(const struct store *store, size_t from, size_t count)
{
    if (!store->mem) {
        return true;
    }
    size_t begin = (store->front + from) * store->element;
    size_t end = begin + count * store->element;
    bool kept = memcmp(store->before, store->after, begin) == 0 &&
                memcmp(store->before + end, store->after + end, store->bytes - end) == 0;

    for (size_t i = 0; store->host && i < LINE; ++i) {
        size_t beside = i < store->shift ? i : i + store->bytes;
        kept = kept && store->host[beside] == 0xa5;
    }
    return kept;
}

/* ---- The run ----------------------------------------------------------------------- */

static void fill_data(const struct prefix_case *scan, struct run *run)
{
    unsigned char *data = at(&run->in, run->in.before, 0);
    unsigned char *init = at(&run->init, run->init.before, 0);

    poison_fold(run->in.before, scan->op, scan->pair, run->in.bytes / run->in.element);
    if (scan->depth > 0) {
        fill(data, scan->pair.in, scan->count, FILL_ROUNDING, scan->seed);
        fill(init, scan->pair.type, 1, FILL_ROUNDING, ~scan->seed);
    } else {
        fill_fold(data, scan->op, scan->pair, scan->count, scan->nan ? FILL_NAN : 0,
                  scan->seed);
        fill_init(init, scan->op, scan->pair, data, scan->count, scan->seed);
    }
}

static bool run_init(struct run *run, const struct device *device,
                     const struct prefix_case *scan)
{
    size_t more = scan->zones ? ZONE : 0;
    size_t in = size_of(scan->pair.in);
    size_t behind = scan->tight ? scan->total == TOTAL_BEHIND : 1 + ZONE;
    bool made = true;

    run->result = result_size(scan->op, scan->pair.type);
    run->num = scan->reduces ? 1 : scan->count;
    run->expected = malloc((scan->count + 1) * run->result);
    run->magnitudes = malloc((scan->count + 1) * sizeof(*run->magnitudes));
    if (!run->expected || !run->magnitudes ||
        !store_init(&run->in, in, scan->in_offset + more,
                    scan->count + (scan->in_place || !scan->tight ? behind : 0)) ||
        !store_init(&run->out, run->result, scan->out_offset + more, run->num + behind) ||
        !store_init(&run->init, run->result, 1, 1) ||
        !store_init(&run->total, run->result, 2, 1)) {
        return false;
    }
    fill_data(scan, run);
    made = store_upload(&run->in, device,
                        scan->in_place ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, scan->host,
                        scan->in_shift);
    if (!scan->in_place) {
        made = made && store_upload(&run->out, device, CL_MEM_READ_WRITE, scan->host,
                                    scan->out_shift);
    }
    if (scan->init == INIT_DEVICE) {
        made = made && store_upload(&run->init, device, CL_MEM_READ_WRITE, false, 0);
    }
    if (scan->total == TOTAL_APART) {
        made = made && store_upload(&run->total, device, CL_MEM_READ_WRITE, false, 0);
    }
    return made;
}

static void run_finish(struct run *run)
{
    store_finish(&run->in);
    store_finish(&run->out);
    store_finish(&run->init);
    store_finish(&run->total);
    free(run->expected);
    free(run->magnitudes);
}

static const struct store *out_of(const struct prefix_case *scan, const struct run *run)
{
    return scan->in_place ? &run->in : &run->out;
}

/* *failed gets what failed, if the library did not. */
static clfold_status enqueue(clfold_context *context, const struct device *device,
                             cl_command_queue queue, const struct prefix_case *scan,
                             struct run *run, const char **failed)
{
    static struct debug plan; /* which the context keeps */
    const struct store *out = out_of(scan, run);
    clfold_fold call = {
        .op = scan->op,
        .type = scan->pair.type,
        .in = scan->pair.in,
        .algorithm = scan->algorithm,
    };
    cl_event event = NULL;
    clfold_status status;

    if (scan->init == INIT_HOST) {
        call.init = at(&run->init, run->init.before, 0);
        call.init_size = run->result;
    } else if (scan->init == INIT_DEVICE) {
        call.init_at = (clfold_place){ run->init.mem, run->init.front };
    }
    if (scan->total == TOTAL_APART) {
        call.total_at = (clfold_place){ run->total.mem, run->total.front };
    } else if (scan->total == TOTAL_BEHIND) {
        call.total_at = (clfold_place){ out->mem, out->front + scan->count };
    }
    plan = !scan->reduces && may_look_back(scan->algorithm)
               ? with_tier(device, scan->plan)
               : scan->plan;
    clfold_context_override(context, &plan);
    for (int again = 0; again < 2; ++again) {
        status = (scan->reduces     ? clfold_reduce
                  : scan->exclusive ? clfold_exclusive_scan
                                    : clfold_inclusive_scan)(
            context, queue, &call, run->in.mem, run->in.front, out->mem, out->front,
            scan->count, 0, NULL, &event);
        if (scan->reduces ||
            !is_due_refusal(device, call.algorithm, &plan, scan->in_place, status)) {
            break;
        }
        call.algorithm = LOOKBACK_INSTEAD;
    }
    if (status) {
        return status;
    }
    *failed = "clWaitForEvents";
    status = clWaitForEvents(1, &event);
    clReleaseEvent(event);
    if (status) {
        return status;
    }
    *failed = "clEnqueueReadBuffer";
    if ((status = store_download(&run->in, queue)) ||
        (status = store_download(&run->out, queue)) ||
        (status = store_download(&run->init, queue))) {
        return status;
    }
    return store_download(&run->total, queue);
}

/* ---- Comparing --------------------------------------------------------------------- */

static bool is_right(const struct prefix_case *scan, const struct run *run, size_t i,
                     const unsigned char *found)
{
    const unsigned char *wanted = run->expected + i * run->result;
    clfold_type type = scan->pair.type;

    if (scan->depth > 0) {
        double error = fabs(as_double(type, found) - as_double(type, wanted));
        return error <= rounding_bound(type, scan->depth, run->magnitudes[i]);
    }
    return same_result(scan->op, type, wanted, found);
}

static bool compare_item(const struct prefix_case *scan, const struct run *run, size_t i,
                         const unsigned char *found, char *why, size_t why_size)
{
    const unsigned char *wanted = run->expected + i * run->result;
    char is[160], should[160], name[48] = "the total", what[480];

    if (is_right(scan, run, i, found)) {
        return true;
    }
    if (i < run->num) {
        snprintf(name, sizeof(name), "item %zu", i);
    }
    print_result(scan->op, scan->pair.type, found, is, sizeof(is));
    print_result(scan->op, scan->pair.type, wanted, should, sizeof(should));
    snprintf(what, sizeof(what), "%s is %s instead of %s%s", name, is, should,
             strcmp(is, should) == 0 ? ", in bytes that this does not show" : "");
    return explain(scan, what, why, why_size);
}

static const unsigned char *total_of(const struct prefix_case *scan,
                                     const struct run *run)
{
    const struct store *out = out_of(scan, run);

    return scan->total == TOTAL_APART ? at(&run->total, run->total.after, 0)
                                      : at(out, out->after, scan->count);
}

static bool compare(const struct prefix_case *scan, const struct run *run, char *why,
                    size_t why_size)
{
    const struct store *out = out_of(scan, run);
    const unsigned char *items = at(out, out->after, 0);
    size_t written = run->num + (scan->total == TOTAL_BEHIND);

    if (scan->depth > 0 || memcmp(items, run->expected, run->num * run->result) != 0) {
        for (size_t i = 0; i < run->num; ++i) {
            if (!compare_item(scan, run, i, items + i * run->result, why, why_size)) {
                return false;
            }
        }
    }
    if (scan->total &&
        !compare_item(scan, run, scan->count, total_of(scan, run), why, why_size)) {
        return false;
    }
    if (!store_kept(out, 0, written)) {
        return explain(scan, "wrote beside its results", why, why_size);
    }
    if (!store_kept(&run->init, 0, 0) ||
        !store_kept(&run->total, 0, scan->total == TOTAL_APART)) {
        return explain(scan, "wrote beside its total, or to init", why, why_size);
    }
    if (!scan->in_place && !store_kept(&run->in, 0, 0)) {
        return explain(scan, "wrote to its input", why, why_size);
    }
    return true;
}

/* Of the total the magnitude is that of all, which an exclusive scan has no item of. */
static bool expect(const struct prefix_case *scan, struct run *run)
{
    unsigned char *data = at(&run->in, run->in.before, 0);
    const void *init = scan->init ? at(&run->init, run->init.before, 0) : NULL;
    unsigned char *total = run->expected + scan->count * run->result;

    if (scan->reduces) {
        return oracle_fold(scan->op, scan->pair, data, scan->count, init, run->expected,
                           run->magnitudes);
    }
    if (!oracle_scan(scan->op, scan->pair, scan->exclusive, data, scan->count, init,
                     run->expected, scan->total ? total : NULL, run->magnitudes)) {
        return false;
    }
    if (scan->total && scan->depth > 0) {
        oracle_fold(scan->op, scan->pair, data, scan->count, init, total,
                    &run->magnitudes[scan->count]);
    }
    return true;
}

bool prefix_check(clfold_context *context, const struct device *device,
                  cl_command_queue queue, const struct prefix_case *scan, void *results,
                  char *why, size_t why_size)
{
    struct run run = { 0 };
    bool right;

    if (!run_init(&run, device, scan)) {
        run_finish(&run);
        return explain(scan, "no memory for its buffers", why, why_size);
    }
    bool any = expect(scan, &run);
    clfold_status wanted = any               ? CLFOLD_OK
                           : scan->exclusive ? CLFOLD_ERROR_ARGUMENT
                                             : CLFOLD_ERROR_EMPTY;
    const char *failed = NULL;
    clfold_status status = enqueue(context, device, queue, scan, &run, &failed);
    if (status != wanted) {
        char what[512];
        snprintf(what, sizeof(what), "%s: %s", clfold_status_name(status),
                 failed ? failed : clfold_last_error());
        right = explain(scan, what, why, why_size);
    } else {
        right = !any || compare(scan, &run, why, why_size);
    }
    if (results && right && any) {
        const struct store *out = out_of(scan, &run);
        memcpy(results, at(out, out->after, 0), run.num * run.result);
        if (scan->total) {
            memcpy((unsigned char *)results + run.num * run.result, total_of(scan, &run),
                   run.result);
        }
    }
    run_finish(&run);
    return right;
}
