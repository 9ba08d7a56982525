#include "trial_run.h"

#include "calls.h"
#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#include "plan/monoid.h"
#include "plan/operation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE 64 /* elements on either side */
#define LINE 64 /* bytes, of which host memory begins past a multiple */

/* ---- Sizes and words --------------------------------------------------------------- */

static bool is_scan(const struct trial *trial)
{
    return trial->operation == CLFOLD_INCLUSIVE_SCAN ||
           trial->operation == CLFOLD_EXCLUSIVE_SCAN;
}

size_t trial_element_size(const struct trial *trial)
{
    const struct subject *s = trial->subject;

    return !s ? size_of(trial->pair.in) : s->in_size ? s->in_size : s->size;
}

static size_t item_size(const struct trial *trial)
{
    return trial->subject ? trial->subject->size
                          : result_size(trial->op, trial->pair.type);
}

size_t trial_result_size(const struct trial *trial)
{
    const struct subject *s = trial->subject;

    return s && s->out_size ? s->out_size : item_size(trial);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many segments there are to be found, and the bound that the call gives. */
static void count_found(struct run *run)
{
    const struct trial *trial = run->trial;
    size_t bounds[NUM_BOUNDS];

    for (size_t i = 0; i < trial->count; ++i) {
        run->num_found += run->starts[i] != 0;
    }
    bounds[BOUND_NONE] = 0;
    bounds[BOUND_BELOW] = run->num_found / 3;
    bounds[BOUND_AT] = run->num_found;
    bounds[BOUND_ABOVE] = run->num_found + 1 + trial->seed % 50;
    run->bound = bounds[trial->bound];
    run->room = trial->count + trial->spare;
    run->room = run->bound > 0 ? least(run->bound, run->room) : run->room;
}

static size_t num_results(const struct run *run)
{
    const struct trial *trial = run->trial;
    const size_t block = trial->length * trial->width;

    return !trial_reduces(trial) ? trial->count
           : run_finds(trial)    ? least(run->num_found, run->room)
           : trial->by           ? run->num_heads - 1
           : block == 0          ? 1
                                 : (trial->count + block - 1) / block * trial->width;
}

void trial_print(const struct trial *trial, char *text, size_t size)
{
    static const char *const inits[] = { "", ", init", ", init_at" };
    static const char *const totals[] = { "", ", total apart", ", total behind" };
    const size_t zone = trial->zones ? ZONE : 0;
    char fold[96], place[128], segments[64] = "", memory[64] = "", bound[64] = "";

    snprintf(fold, sizeof(fold), "%s", trial->subject ? trial->subject->fold.name : "");
    if (!trial->subject) {
        snprintf(fold, sizeof(fold), "%s %s into %s", name_of_op(trial->op),
                 name_of(trial->pair.in), name_of(trial->pair.type));
    }
    if (trial->by) {
        snprintf(segments, sizeof(segments), ", segments by %s, %s, cut %d%s",
                 clfold_way_name(trial->by), name_of(trial->head_type), trial->cut,
                 trial->bound    ? ", bounded"
                 : trial->bad    ? ", some wrong"
                 : trial->loose  ? ", by equal"
                 : trial->num_at ? ", num_at"
                                 : "");
    }
    if (trial->width > 0) {
        snprintf(segments, sizeof(segments), ", segments of %zu by %zu", trial->length,
                 trial->width);
    }
    if (trial->count_at) {
        snprintf(bound, sizeof(bound), ", count_at of at most %zu",
                 trial->count + trial->spare);
    }
    snprintf(place, sizeof(place),
             trial->in_place ? "in place at %zu" : "from %zu to %zu",
             trial->in_offset + zone, trial->out_offset + zone);
    if (trial->host) {
        snprintf(memory, sizeof(memory), ", in memory of the host, %zu and %zu past",
                 trial->in_shift, trial->out_shift);
    }
    snprintf(
        text, size,
        "%s%s of %zu%s, %s%s, by %s, %s of %u, %u work-items, at most %u groups, anchor "
        "%u, %s%s%s%s%s%s (seed %llu)",
        trial->reverse ? "reverse " : "", clfold_operation_row(trial->operation)->name,
        trial->count, bound, fold, segments,
        trial->algorithm ? trial->algorithm : "policy",
        clfold_tile_name(trial->plan.tile), trial->plan.tile_elements,
        trial->plan.group_size, trial->plan.max_groups, trial->plan.anchor, place, memory,
        inits[trial->init], totals[trial->total], trial->disorder ? ", out of order" : "",
        trial->nan ? ", with NaN" : "", (unsigned long long)trial->seed);
}

/* "`trial`: `what`" */
static enum trial_end explain(const struct trial *trial, const char *what, char *why,
                              size_t why_size)
{
    char text[640];

    trial_print(trial, text, sizeof(text));
    snprintf(why, why_size, "%s: %s", text, what);
    return TRIAL_WRONG;
}

/* ---- Buffers ----------------------------------------------------------------------- */

static bool store_init(struct store *store, size_t element, size_t front, size_t num)
{
    store->element = element;
    store->front = front;
    store->bytes = (front + num) * element;
    store->before = malloc(store->bytes + 1);
    store->after = malloc(store->bytes + 1);
    if (!store->before || !store->after) {
        return false;
    }
    memset(store->before, COLOUR, store->bytes);
    return true;
}

static bool store_upload(struct store *store, cl_mem_flags flags, bool host, size_t shift)
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
        memset(store->host, COLOUR, bytes);
        from = memcpy(store->host + shift, store->before, store->bytes);
    }
    if (store->bytes == 0) { /* no buffer is so small */
        store->mem = clCreateBuffer(device.context, flags, 1, NULL, &status);
        return status == CL_SUCCESS;
    }
    flags |= host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
    store->mem = clCreateBuffer(device.context, flags, store->bytes, from, &status);
    return status == CL_SUCCESS;
}

static cl_int store_download(const struct store *store, cl_command_queue queue)
{
    return store->mem && store->bytes > 0
               ? clEnqueueReadBuffer(queue, store->mem, CL_TRUE, 0, store->bytes,
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
        kept = kept && store->host[beside] == COLOUR;
    }
    return kept;
}

/* ---- The run ----------------------------------------------------------------------- */

/* How many segments there are, or more than the call says. Offsets that are not there
 * are of segments that would show: of all elements, or past the end. */
static void put_number(struct run *run)
{
    const struct trial *trial = run->trial;
    const bool is_more = trial->more == 0 && trial->seed % 3 == 0;
    const cl_ulong number = is_more              ? ~trial->seed
                            : run->num_heads > 0 ? run->num_heads - 1
                                                 : 0;

    memcpy(store_at(&run->number, run->number.before, 0), &number, sizeof(number));
    for (size_t k = 0; k < trial->more && trial->seed % 2; ++k) {
        memset(store_at(&run->heads, run->heads.before, run->num_heads + k), 0,
               run->heads.element);
    }
}

/* How many elements there are, or more than the call says. */
static void put_count(struct run *run)
{
    const struct trial *trial = run->trial;
    const bool is_more = trial->spare == 0 && trial->seed % 3 == 0;
    const cl_ulong count = is_more ? ~trial->seed : trial->count;

    memcpy(store_at(&run->counted, run->counted.before, 0), &count, sizeof(count));
}

size_t trial_spare(const struct trial *trial)
{
    uint64_t seed = trial->seed + 11;
    const size_t bits = (size_t)(next_random(&seed) >> 20);
    const size_t spare = bits % 4 ? (bits >> 8) % 3000 >> bits / 4 % 12 : 0;
    const size_t most = trial->count < MOST_ELEMENTS ? MOST_ELEMENTS - trial->count : 0;

    return !trial->count_at ? 0 : spare < most ? spare : most;
}

static bool run_init(struct run *run, const struct trial *trial)
{
    const size_t more = trial->zones ? ZONE : 0;
    const size_t behind = trial->tight ? trial->total == TOTAL_BEHIND : 1 + ZONE;
    const cl_mem_flags read = trial->in_place ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY;
    bool made;

    *run = (struct run){ .trial = trial,
                         .in_size = trial_element_size(trial),
                         .item = item_size(trial),
                         .result = trial_result_size(trial) };
    if (trial->by) {
        run->starts = calloc(trial->count + 1, 1);
        if (!run->starts ||
            !store_init(&run->heads, size_of(trial->head_type), 5,
                        run_most_heads(trial) + trial->more + trial->spare + 3)) {
            return false;
        }
        run_cut(run);
    }
    if (run_finds(trial)) {
        count_found(run);
    }
    run->num = num_results(run);
    run->expected = malloc((run->num + 1) * run->result);
    run->want_lengths = malloc((run->num + 1) * sizeof(cl_ulong));
    run->want_keys = malloc((run->num + 1) * sizeof(cl_ulong));
    run->row = malloc(trial->count * run->in_size + 1);
    run->items = malloc((trial->count + 1) * run->item);
    run->magnitudes = malloc((trial->count + 1) * sizeof(*run->magnitudes));
    if (!run->expected || !run->want_lengths || !run->want_keys || !run->row ||
        !run->items || !run->magnitudes ||
        !store_init(&run->in, run->in_size, trial->in_offset + more,
                    trial->count + trial->spare +
                        (trial->in_place || !trial->tight ? behind : 0)) ||
        !store_init(&run->out, run->result, trial->out_offset + more,
                    (run_finds(trial) ? run->room : run->num) + trial->more +
                        trial->spare + behind) ||
        !store_init(&run->keys, trial->by ? run->heads.element : 1, 3, run->room + 4) ||
        !store_init(&run->lengths, sizeof(cl_ulong), 2, run->room + 5) ||
        !store_init(&run->told, sizeof(cl_ulong), 1, 2) ||
        !store_init(&run->init, run->item, 1, 1) ||
        !store_init(&run->total, run->item, 2, 1) ||
        !store_init(&run->number, sizeof(cl_ulong), 1, 1) ||
        !store_init(&run->counted, sizeof(cl_ulong), 2, 1) ||
        !store_init(&run->bad, sizeof(cl_ulong), 3, 3)) {
        return false;
    }
    run_fill(run);
    put_number(run);
    put_count(run);
    made = store_upload(&run->in, read, trial->host, trial->in_shift);
    if (!trial->in_place) {
        made = made &&
               store_upload(&run->out, CL_MEM_READ_WRITE, trial->host, trial->out_shift);
    }
    if (trial->init == INIT_DEVICE) {
        made = made && store_upload(&run->init, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->total == TOTAL_APART) {
        made = made && store_upload(&run->total, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->by) {
        made = made && store_upload(&run->heads, CL_MEM_READ_ONLY, false, 0);
    }
    if (trial->num_at) {
        made = made && store_upload(&run->number, CL_MEM_READ_ONLY, false, 0);
    }
    if (trial->lists && trial->by == CLFOLD_BY_KEYS) {
        made = made && store_upload(&run->keys, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->lists) {
        made = made && store_upload(&run->lengths, CL_MEM_READ_WRITE, false, 0) &&
               store_upload(&run->told, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->count_at) {
        made = made && store_upload(&run->counted, CL_MEM_READ_ONLY, false, 0);
    }
    if (trial->tells) {
        made = made && store_upload(&run->bad, CL_MEM_READ_WRITE, false, 0);
    }
    return made;
}

static void run_finish(struct run *run)
{
    store_finish(&run->in);
    store_finish(&run->out);
    store_finish(&run->init);
    store_finish(&run->total);
    store_finish(&run->heads);
    store_finish(&run->number);
    store_finish(&run->counted);
    store_finish(&run->bad);
    store_finish(&run->keys);
    store_finish(&run->lengths);
    store_finish(&run->told);
    free(run->want_lengths);
    free(run->want_keys);
    free(run->starts);
    free(run->expected);
    free(run->row);
    free(run->items);
    free(run->magnitudes);
}

static const struct store *out_of(const struct run *run)
{
    return run->trial->in_place ? &run->in : &run->out;
}

/* ---- The call ---------------------------------------------------------------------- */

static void set_fold(clfold_fold *fold, clfold_segments *segments, const struct run *run)
{
    static const cl_float four = 4;
    static const clfold_arg divisor[] = { CLFOLD_VALUE("float", four, four) };
    const struct trial *trial = run->trial;
    const struct store *out = out_of(run);

    if (trial->subject) {
        *fold = trial->subject->fold;
    } else {
        *fold = (clfold_fold){ .op = trial->op,
                               .type = trial->pair.type,
                               .in = trial->pair.in };
    }
    fold->algorithm = trial->algorithm;
    fold->flags |= trial->reverse ? CLFOLD_REVERSE : 0;
    *segments = trial->width == 1
                    ? (clfold_segments){ .by = CLFOLD_BY_LENGTH, .length = trial->length }
                    : (clfold_segments){ .by = CLFOLD_BY_COLUMNS,
                                         .columns = trial->width,
                                         .length = trial->length };
    if (trial->by) {
        *segments = (clfold_segments){ .by = trial->by,
                                       .type = trial->head_type,
                                       .mem = run->heads.mem,
                                       .offset = run->heads.front };
        segments->num = trial->by == CLFOLD_BY_OFFSETS ? run->num_heads - 1 + trial->more
                                                       : run->bound;
        segments->num_at =
            (clfold_place){ run->number.mem, trial->num_at ? run->number.front : 0 };
        if (trial->loose && fold->num_args > 0) {
            fold->equal = "floor(a / 4.0f) == floor(b / 4.0f)";
        } else if (trial->loose) {
            fold->equal = "floor(a / four) == floor(b / four)";
            fold->args = divisor;
            fold->num_args = 1;
        }
        if (trial->lists) {
            fold->keys_out =
                (clfold_place){ run->keys.mem,
                                trial->by == CLFOLD_BY_KEYS ? run->keys.front : 0 };
            fold->lengths_out = (clfold_place){ run->lengths.mem, run->lengths.front };
            fold->num_out = (clfold_place){ run->told.mem, run->told.front };
        }
        fold->bad_out = (clfold_place){ run->bad.mem, trial->tells ? run->bad.front : 0 };
    }
    fold->count_at =
        (clfold_place){ run->counted.mem, trial->count_at ? run->counted.front : 0 };
    fold->segments = trial->width > 0 || trial->by ? segments : NULL;
    if (trial->init == INIT_HOST) {
        fold->init = store_at(&run->init, run->init.before, 0);
        fold->init_size = run->item;
    } else if (trial->init == INIT_DEVICE) {
        fold->init_at = (clfold_place){ run->init.mem, run->init.front };
    }
    if (trial->total == TOTAL_APART) {
        fold->total_out = (clfold_place){ run->total.mem, run->total.front };
    } else if (trial->total == TOTAL_BEHIND) {
        fold->total_out =
            (clfold_place){ out->mem, out->front + trial->count + trial->spare };
    }
}

/* *failed gets what failed, if the library did not. */
static clfold_status enqueue(struct run *run, const char **failed)
{
    static struct debug plan; /* which the context keeps */
    const struct trial *trial = run->trial;
    const struct store *out = out_of(run);
    cl_command_queue queue =
        trial->disorder && device.disorder ? device.disorder : device.queue;
    clfold_segments segments;
    clfold_fold fold;
    cl_event event = NULL;
    clfold_status status = CLFOLD_OK;

    set_fold(&fold, &segments, run);
    plan = is_scan(trial) && may_look_back(trial->algorithm)
               ? with_tier(&device, trial->plan)
               : trial->plan;
    clfold_context_override(ctx, &plan);
    for (int again = 0; again < 2; ++again) {
        const struct call call = { .context = ctx,
                                   .queue = queue,
                                   .fold = &fold,
                                   .in = run->in.mem,
                                   .in_offset = run->in.front,
                                   .out = out->mem,
                                   .out_offset = out->front,
                                   .count = trial->count + trial->spare,
                                   .event = &event };
        for_calls(row, HAS_OUT)
        {
            status = row->operation == trial->operation ? row->make(&call) : status;
        }
        if (!is_scan(trial) || trial->may_refuse ||
            !is_due_refusal(&device, fold.algorithm, &plan, trial->in_place, status)) {
            break;
        }
        fold.algorithm = LOOKBACK_INSTEAD;
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
        (status = store_download(&run->init, queue)) ||
        (status = store_download(&run->heads, queue)) ||
        (status = store_download(&run->number, queue)) ||
        (status = store_download(&run->counted, queue)) ||
        (status = store_download(&run->bad, queue)) ||
        (status = store_download(&run->keys, queue)) ||
        (status = store_download(&run->lengths, queue)) ||
        (status = store_download(&run->told, queue)) ||
        (status = store_download(&run->total, queue))) {
        return status;
    }
    *failed = NULL;
    return CLFOLD_OK;
}

/* ---- Comparing --------------------------------------------------------------------- */

static bool is_right(const struct trial *trial, const void *wanted, const void *found,
                     size_t size, double magnitude)
{
    const struct subject *s = trial->subject;

    if (trial->depth > 0) {
        double error = fabs(as_double(trial->pair.type, found) -
                            as_double(trial->pair.type, wanted));
        return error <= rounding_bound(trial->pair.type, trial->depth, magnitude);
    }
    if (!s) {
        return same_result(trial->op, trial->pair.type, wanted, found);
    }
    return s->same && size == s->size ? s->same(wanted, found)
                                      : memcmp(wanted, found, size) == 0;
}

static void print_value(const struct trial *trial, const unsigned char *value,
                        size_t size, char *text, size_t room)
{
    if (!trial->subject) {
        print_result(trial->op, trial->pair.type, value, text, room);
    } else if (trial->subject->print) {
        trial->subject->print(value, text, room);
    } else {
        text[0] = '\0';
        for (size_t i = 0; i < size && 2 * i + 2 < room; ++i) {
            snprintf(text + 2 * i, room - 2 * i, "%02x", value[i]);
        }
    }
}

/* `i` is the result's number, or past them, of the total. */
static bool compare_value(const struct run *run, const unsigned char *wanted,
                          const unsigned char *found, size_t i, char *why,
                          size_t why_size)
{
    const size_t size = i < run->num ? run->result : run->item;
    const double magnitude = i < run->num && !trial_reduces(run->trial)
                                 ? run->magnitudes[i]
                                 : run->last_magnitude;
    char is[160], should[160], name[48] = "the total", what[480];

    if (is_right(run->trial, wanted, found, size, magnitude)) {
        return true;
    }
    if (i < run->num) {
        snprintf(name, sizeof(name), "result %zu", i);
    }
    print_value(run->trial, found, size, is, sizeof(is));
    print_value(run->trial, wanted, size, should, sizeof(should));
    snprintf(what, sizeof(what), "%s is %s instead of %s%s", name, is, should,
             strcmp(is, should) == 0 ? ", in bytes that this does not show" : "");
    explain(run->trial, what, why, why_size);
    return false;
}

static const unsigned char *total_of(const struct run *run)
{
    const struct store *out = out_of(run);

    return run->trial->total == TOTAL_APART
               ? store_at(&run->total, run->total.after, 0)
               : store_at(out, out->after, run->trial->count + run->trial->spare);
}

static bool is_list_right(const struct run *run)
{
    const cl_ulong num = run->num_found;

    return (!run->keys.mem ||
            memcmp(store_at(&run->keys, run->keys.after, 0), run->want_keys,
                   run->num * run->keys.element) == 0) &&
           (!run->lengths.mem ||
            (memcmp(store_at(&run->lengths, run->lengths.after, 0), run->want_lengths,
                    run->num * sizeof(cl_ulong)) == 0 &&
             memcmp(store_at(&run->told, run->told.after, 0), &num, sizeof(num)) == 0));
}

static enum trial_end compare(const struct run *run, char *why, size_t why_size)
{
    const struct trial *trial = run->trial;
    const struct store *out = out_of(run);
    const unsigned char *results = store_at(out, out->after, 0);
    const bool is_behind = trial->total == TOTAL_BEHIND;
    const size_t spare = is_behind ? trial->spare : 0;
    const size_t num = trial->unknown && run_finds(trial) ? run->room : run->num;

    if (!trial->unknown) {
        for (size_t i = 0; i < run->num; ++i) {
            if (!compare_value(run, run->expected + i * run->result,
                               results + i * run->result, i, why, why_size)) {
                return TRIAL_WRONG;
            }
        }
        if (trial->total && !trial->expected &&
            !compare_value(run, run->last, total_of(run), run->num, why, why_size)) {
            return TRIAL_WRONG;
        }
    }
    if (!store_kept(out, 0, num + spare + is_behind) ||
        memcmp(store_at(out, out->before, num), store_at(out, out->after, num),
               spare * run->result) != 0) {
        return explain(trial, "wrote beside its results", why, why_size);
    }
    if (!store_kept(&run->init, 0, 0) ||
        !store_kept(&run->total, 0, trial->total == TOTAL_APART)) {
        return explain(trial, "wrote beside its total, or to init", why, why_size);
    }
    if ((!trial->in_place && !store_kept(&run->in, 0, 0)) ||
        !store_kept(&run->heads, 0, 0) || !store_kept(&run->number, 0, 0) ||
        !store_kept(&run->counted, 0, 0)) {
        return explain(trial, "wrote to its input", why, why_size);
    }
    if (!store_kept(&run->keys, 0, num) || !store_kept(&run->lengths, 0, num) ||
        !store_kept(&run->told, 0, 1)) {
        return explain(trial, "wrote beside its lists of segments", why, why_size);
    }
    if (!trial->unknown && !is_list_right(run)) {
        return explain(trial, "gives other keys, lengths or another number of segments",
                       why, why_size);
    }
    if (!store_kept(&run->bad, 0, 2) || (trial->tells && !trial->unknown &&
                                         memcmp(store_at(&run->bad, run->bad.after, 0),
                                                run->wrong, sizeof(run->wrong)))) {
        return explain(trial, "told another wrong offset", why, why_size);
    }
    return TRIAL_RIGHT;
}

/* Compilers whose vectors differ, as rusticl's do for keys of two sizes. */
static bool is_refused(const struct trial *trial, clfold_status status)
{
    return trial->may_refuse &&
           (status == CLFOLD_ERROR_UNSUPPORTED ||
            (status == CLFOLD_ERROR_BUILD && trial->plan.tile == TILE_VECTOR &&
             strstr(clfold_last_error(), " gives ")));
}

static clfold_status wanted_status(const struct run *run, bool any)
{
    const struct trial *trial = run->trial;

    return !any ? trial->operation == CLFOLD_EXCLUSIVE_SCAN ||
                          (trial_reduces(trial) && trial->by) || trial->count_at
                      ? CLFOLD_ERROR_ARGUMENT
                      : CLFOLD_ERROR_EMPTY
           : run->item > 64 && trial->count + trial->spare > 0 && trial->algorithm &&
                   is_scan(trial) && may_look_back(trial->algorithm)
               ? CLFOLD_ERROR_UNSUPPORTED
               : CLFOLD_OK;
}

enum trial_end trial_run(const struct trial *trial, void *results, char *why,
                         size_t why_size)
{
    struct run run;
    enum trial_end end;

    if (!run_init(&run, trial)) {
        run_finish(&run);
        return explain(trial, "no memory for its buffers", why, why_size);
    }
    const bool any = run_expect(&run);
    const clfold_status wanted = wanted_status(&run, any);
    const char *failed = NULL;
    clfold_status status = enqueue(&run, &failed);
    if (status != wanted && (failed || !is_refused(trial, status))) {
        char what[512];
        snprintf(what, sizeof(what), "%s: %s", clfold_status_name(status),
                 failed ? failed : clfold_last_error());
        end = explain(trial, what, why, why_size);
    } else if (status) {
        end = any ? TRIAL_REFUSED : TRIAL_RIGHT;
    } else {
        end = compare(&run, why, why_size);
    }
    if (results && end == TRIAL_RIGHT && any) {
        const struct store *out = out_of(&run);
        memcpy(results, store_at(out, out->after, 0), run.num * run.result);
        if (trial->total) {
            memcpy((unsigned char *)results + run.num * run.result, total_of(&run),
                   run.item);
        }
    }
    run_finish(&run);
    return end;
}

bool trial_check(const struct trial *trial, void *results)
{
    char why[1024];
    const enum trial_end end = trial_run(trial, results, why, sizeof(why));

    if (end == TRIAL_WRONG) {
        fail_msg("%s", why);
    }
    return end == TRIAL_RIGHT;
}
