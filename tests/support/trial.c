#include "trial_run.h"

#include <clfold/experimental.h>

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

/* Of a select the most; run_expect() knows better. */
static size_t num_results(const struct run *run)
{
    const struct trial *trial = run->trial;
    const size_t block = trial->length * trial->width;

    return !trial_reduces(trial) ? trial->count
           : trial_finds(trial)  ? least(run->num_found, run->room)
           : trial->by           ? run->num_heads - 1
           : block == 0          ? 1
                                 : (trial->count + block - 1) / block * trial->width;
}

/* "`trial`: `what`" */
static enum trial_end explain(const struct trial *trial, const char *what, char *why,
                              size_t why_size)
{
    char text[800];

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
    if (trial_finds(trial)) {
        count_found(run);
    } else if (trial_selects(trial)) {
        run->room = trial->count + trial->spare;
    }
    run->num = num_results(run);
    run->expected = malloc((run->num + 1) * run->result);
    run->want_lengths = malloc((run->num + 1) * sizeof(cl_ulong));
    run->want_keys = malloc((run->num + 1) * sizeof(cl_ulong));
    run->want_rest = malloc((run->num + 1) * run->result);
    run->row = malloc(trial->count * run->in_size + 1);
    run->items = malloc((trial->count + 1) * run->item);
    run->magnitudes = malloc((trial->count + run->num + 1) * sizeof(*run->magnitudes));
    run->own_magnitudes = malloc((trial->count + 1) * sizeof(*run->own_magnitudes));
    if (trial->accuracy == CLFOLD_COMPENSATED) {
        run->sums = malloc((run->num + 1) * sizeof(*run->sums));
    }
    if (!run->expected || !run->want_lengths || !run->want_keys || !run->want_rest ||
        !run->row || !run->items || !run->magnitudes || !run->own_magnitudes ||
        (trial->accuracy == CLFOLD_COMPENSATED && !run->sums) ||
        !store_init(&run->in, run->in_size, trial->in_offset + more,
                    trial->count + trial->spare +
                        (trial->in_place || !trial->tight ? behind : 0)) ||
        !store_init(&run->out, run->result, trial->out_offset + more,
                    (trial_finds(trial) ? run->room : run->num) + trial->more +
                        trial->spare + behind) ||
        !store_init(&run->keys, trial->by ? run->heads.element : 1, 3, run->room + 4) ||
        !store_init(&run->lengths, sizeof(cl_ulong), 2, run->room + 5) ||
        !store_init(&run->told, sizeof(cl_ulong), 1, 2) ||
        !store_init(&run->rest, run->result, 5, trial->rest ? run->room + 3 : 0) ||
        !store_init(&run->carries, 2 * MAX_ITEM, 1, MOST_CUTS + 2) ||
        !store_init(&run->last_keys, run->heads.element + !trial->by, 1, 3) ||
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
        made = made && store_upload(&run->lengths, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->lists || trial_selects(trial)) {
        made = made && store_upload(&run->told, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->rest) {
        made = made && store_upload(&run->rest, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->parts) {
        made = made && store_upload(&run->carries, CL_MEM_READ_WRITE, false, 0) &&
               store_upload(&run->last_keys, CL_MEM_READ_WRITE, false, 0);
    }
    if (trial->count_at) {
        made = made && store_upload(&run->counted, CL_MEM_READ_ONLY, false, 0);
    }
    if (trial->tells) {
        made = made && store_upload(&run->bad, CL_MEM_READ_WRITE, false, 0);
    }
    return made;
}

/* The stores of a run, of which some may have no buffer. */
#define NUM_STORES 14
static void list_stores(struct run *run, struct store *stores[NUM_STORES])
{
    struct store *const all[NUM_STORES] = { &run->in,        &run->out,     &run->init,
                                            &run->total,     &run->heads,   &run->told,
                                            &run->rest,      &run->carries, &run->bad,
                                            &run->last_keys, &run->keys,    &run->lengths,
                                            &run->number,    &run->counted };

    memcpy(stores, all, sizeof(all));
}

static void run_finish(struct run *run)
{
    struct store *stores[NUM_STORES];

    list_stores(run, stores);
    for (size_t k = 0; k < NUM_STORES; ++k) {
        store_finish(stores[k]);
    }
    free(run->want_lengths);
    free(run->want_keys);
    free(run->want_rest);
    free(run->starts);
    free(run->expected);
    free(run->row);
    free(run->items);
    free(run->magnitudes);
    free(run->own_magnitudes);
    free(run->sums);
}

const struct store *run_out(const struct run *run)
{
    return run->trial->in_place ? &run->in : &run->out;
}

/* ---- The call ---------------------------------------------------------------------- */

/* The fold with its condition, and without its operator unless that scans. */
static void set_select(clfold_fold *fold, const struct run *run)
{
    static clfold_arg args[NUM_ARGS + 1];
    static clfold_part part;
    const struct trial *trial = run->trial;

    if (!trial->condition->scans) {
        fold->op = 0;
        fold->combine = fold->identity = fold->cuts = NULL;
        fold->flags &= ~(uint32_t)CLFOLD_COMMUTATIVE;
    }
    *(trial->condition->are_runs ? &fold->same : &fold->keep) = trial->condition->text;
    fold->num_out = (clfold_place){ run->told.mem, run->told.front };
    fold->lengths_out =
        (clfold_place){ run->lengths.mem, run->lengths.mem ? run->lengths.front : 0 };
    fold->rest_out = (clfold_place){ run->rest.mem, run->rest.mem ? run->rest.front : 0 };
    part = (clfold_part){ .first = trial->first };
    fold->part = trial->first > 0 ? &part : NULL;
    if (fold->num_args > 0) {
        memcpy(args, fold->args, fold->num_args * sizeof(*args));
    }
    args[fold->num_args] = (clfold_arg)CLFOLD_VALUE("ulong", level, trial->level);
    fold->num_args += 1;
    fold->args = args;
}

static void set_fold(clfold_fold *fold, clfold_segments *segments, const struct run *run)
{
    static const cl_float four = 4;
    static const clfold_arg divisor[] = { CLFOLD_VALUE("float", four, four) };
    const struct trial *trial = run->trial;
    const struct store *out = run_out(run);

    if (trial->subject) {
        *fold = trial->subject->fold;
    } else {
        *fold = (clfold_fold){ .op = trial->op,
                               .type = trial->pair.type,
                               .in = trial->pair.in,
                               .accuracy = trial->accuracy };
    }
    if (trial_selects(trial)) {
        set_select(fold, run);
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
        if (trial->loose && !fold->source && trial->head_type % 2) {
            fold->source = "bool alike(float a, float b)\n"
                           "{\n    return floor(a / 4.0f) == floor(b / 4.0f);\n}";
            fold->equal = "alike(a,\n b)";
        } else if (trial->loose && fold->num_args > 0) {
            fold->equal = "floor(a / 4.0f) == floor(b / 4.0f)";
        } else if (trial->loose) {
            fold->equal = CLFOLD_HERE "floor(a / four) == floor(b / four) // of fours";
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

/* Which rank gets a reduction's result; past the last: all. */
static size_t root_of(const struct trial *trial)
{
    return trial->seed % (trial->parts + 1);
}

static clfold_status enqueue_call(const struct trial *trial, const struct call *call)
{
    clfold_status status = CLFOLD_OK;

    if (trial_ranks) {
        return trial_ranks->make(call, trial->operation, root_of(trial));
    }
    if (trial_selects(trial)) { /* the row's has a condition of its own */
        return clfold_select(call->context, call->queue, call->fold, call->in,
                             call->in_offset, call->out, call->out_offset, call->count, 0,
                             NULL, call->event);
    }
    for_calls(row, HAS_OUT)
    {
        status = row->operation == trial->operation ? row->make(call) : status;
    }
    return status;
}

/* Where parts end: anywhere, all at one place, or a few elements from an end. */
static void draw_cuts(const struct trial *trial, size_t cuts[MOST_CUTS + 1])
{
    const size_t count = trial->count;
    uint64_t seed = trial->seed + 3;
    const size_t way = draw(&seed, 4);

    cuts[0] = 0;
    for (size_t k = 1; k < trial->parts; ++k) {
        const size_t few = least(draw(&seed, 12), count), any = draw(&seed, count + 1);
        const size_t cut = way == 0   ? any
                           : way == 1 ? (k <= trial->parts / 2 ? 0 : count)
                           : way == 2 ? few
                                      : count - few;
        size_t at = k;
        for (; cuts[at - 1] > cut; --at) {
            cuts[at] = cuts[at - 1];
        }
        cuts[at] = cut;
    }
    cuts[trial->parts] = count;
}

/* A copy of a stream's next `count` elements, in their place. */
static cl_mem own_stream(const clfold_arg *stream, size_t count)
{
    const size_t size = size_of(stream->element), at = stream->offset * size;
    size_t bytes = 0;

    clGetMemObjectInfo(stream->mem, CL_MEM_SIZE, sizeof(bytes), &bytes, NULL);
    cl_mem own = coloured_buffer(bytes);
    if (count > 0) {
        clEnqueueCopyBuffer(device.queue, stream->mem, own, at, at, count * size, 0, NULL,
                            NULL);
    }
    return own;
}

/* The call of elements from `first` on. Where it has none, its streams and keys are at
 * their ends, as nothing is known of those before. */
static clfold_status enqueue_part(const struct trial *trial, const struct call *whole,
                                  const clfold_part *part, size_t first, size_t count)
{
    const size_t at = count > 0 ? first : trial->count;
    struct call call = *whole;
    clfold_fold fold = *whole->fold;
    clfold_segments segments;
    clfold_arg args[NUM_ARGS];

    if (fold.segments) {
        segments = *fold.segments;
        segments.offset += trial->by == CLFOLD_BY_OFFSETS ? 0 : at;
        fold.segments = &segments;
    }
    for (size_t a = 0; a < fold.num_args; ++a) {
        args[a] = fold.args[a];
        args[a].offset += args[a].element ? at : 0;
        if (args[a].element && trial_ranks) {
            args[a].mem = own_stream(&args[a], count);
        }
    }
    fold.args = fold.num_args > 0 ? args : NULL;
    fold.part = part;
    call.fold = &fold;
    call.in_offset += first;
    call.out_offset += trial_reduces(trial) ? 0 : first;
    call.count = count;
    const clfold_status status = enqueue_call(trial, &call);
    for (size_t a = 0; a < fold.num_args; ++a) {
        if (args[a].element && trial_ranks) {
            clReleaseMemObject(args[a].mem);
        }
    }
    return status;
}

/* A reduction's parts that know nothing of each other. Their carries make one, perhaps in
 * the place of the first, of which a part of no elements makes the result. */
static clfold_status enqueue_apart(const struct run *run, const struct call *whole,
                                   const size_t cuts[MOST_CUTS + 1])
{
    const struct trial *trial = run->trial;
    const cl_mem carries = run->carries.mem;
    const size_t front = run->carries.front;
    struct call call = *whole;
    clfold_part part = { .whole = trial->count };
    clfold_status status = CLFOLD_OK;
    size_t num = 0;

    call.event = NULL;
    for (size_t k = 0; !status && k < trial->parts; ++k) {
        part.first = cuts[k];
        part.carry_out = (clfold_place){ carries, front + num };
        if (cuts[k + 1] > cuts[k]) {
            status = enqueue_part(trial, &call, &part, cuts[k], cuts[k + 1] - cuts[k]);
            ++num;
        }
    }
    const size_t to = front + (trial->seed & 2 ? num : 0);
    status = status
                 ? status
                 : clfold_fold_carries(whole->context, whole->queue, whole->fold, carries,
                                       front, carries, to, num, 0, NULL, NULL);
    part = (clfold_part){ .first = trial->count,
                          .whole = trial->count,
                          .carry_at = { carries, to } };
    return status ? status : enqueue_part(trial, whole, &part, trial->count, 0);
}

/* On a queue in order each part takes the carry from where the one before left it. Any
 * may be of no elements, but for the first ones where that would be a fold of nothing. */
static clfold_status enqueue_parts(struct run *run, const struct call *whole)
{
    const struct trial *trial = run->trial;
    const bool by_keys = trial->by == CLFOLD_BY_KEYS;
    const bool needs_any = trial_reduces(trial) || trial->total;
    size_t cuts[MOST_CUTS + 1];
    clfold_layout layout;
    clfold_status status = clfold_fold_layout(whole->fold, &layout);

    run->carries.element = layout.carry_size;
    draw_cuts(trial, cuts);
    if (!status && trial_reduces(trial) && trial->seed & 1) {
        return enqueue_apart(run, whole, cuts);
    }
    for (size_t k = 0; !status && k < trial->parts; ++k) {
        const clfold_part part = {
            .first = cuts[k],
            .whole = trial->count,
            .carry_at = { run->carries.mem, run->carries.front + k % 2 },
            .carry_out = { run->carries.mem, run->carries.front + !(k % 2) },
            .key_at = { by_keys ? run->last_keys.mem : NULL,
                        by_keys ? run->last_keys.front + k % 2 : 0 },
            .key_out = { by_keys ? run->last_keys.mem : NULL,
                         by_keys ? run->last_keys.front + !(k % 2) : 0 },
        };
        struct call call = *whole;
        call.event = k + 1 == trial->parts ? whole->event : NULL;
        if (cuts[k + 1] > 0 || !needs_any) {
            status = enqueue_part(trial, &call, &part, cuts[k], cuts[k + 1] - cuts[k]);
        }
    }
    return status;
}

/* ---- Ranks ------------------------------------------------------------------------- */

const struct ranks *trial_ranks;

/* Nobody else's elements, nor what belongs to them. */
static void hide_others(struct store *store, size_t begin, size_t end, size_t count)
{
    memset(store_at(store, store->before, 0), COLOUR, begin * store->element);
    memset(store_at(store, store->before, end), COLOUR, (count - end) * store->element);
    write_buffer(store->mem, 0, store->bytes, store->before);
}

/* The total up to the rank's last element, where it has a result's form. */
static void set_total(struct run *run, size_t end)
{
    const struct trial *trial = run->trial;
    const struct subject *s = trial->subject;
    const bool is_item = !s || !(s->out_size || s->write);
    const bool is_exclusive = trial->operation == CLFOLD_EXCLUSIVE_SCAN;

    run->has_total = trial->total && end > 0;
    if (end < trial->count) {
        run->want_total = end == 0 || !is_item ? NULL
                          : !is_exclusive      ? run->expected + (end - 1) * run->result
                          : trial->by          ? NULL
                                               : run->expected + end * run->result;
    }
}

static clfold_status enqueue_of_rank(struct run *run, const struct call *whole)
{
    const struct trial *trial = run->trial;
    const size_t rank = trial_ranks->rank, root = root_of(trial);
    const bool is_root = root == rank || root == trial->parts;
    struct call call = *whole;
    size_t cuts[MOST_CUTS + 1];

    draw_cuts(trial, cuts);
    run->begin = trial_reduces(trial) ? 0 : cuts[rank];
    run->end = trial_reduces(trial) ? is_root : cuts[rank + 1];
    call.out = trial_reduces(trial) && !is_root ? NULL : call.out;
    set_total(run, cuts[rank + 1]);
    hide_others(&run->in, cuts[rank], cuts[rank + 1], trial->count);
    if (trial->by) {
        hide_others(&run->heads, cuts[rank], cuts[rank + 1], trial->count);
    }
    return enqueue_part(trial, &call, NULL, cuts[rank], cuts[rank + 1] - cuts[rank]);
}

/* *failed gets what failed, if the library did not. */
static clfold_status enqueue(struct run *run, const char **failed)
{
    static struct debug plan; /* which the context keeps */
    const struct trial *trial = run->trial;
    const struct store *out = run_out(run);
    cl_command_queue queue = trial->disorder && !trial->parts && device.disorder
                                 ? device.disorder
                                 : device.queue;
    struct store *stores[NUM_STORES];
    clfold_segments segments;
    clfold_fold fold;
    cl_event event = NULL;
    clfold_status status = CLFOLD_OK;

    set_fold(&fold, &segments, run);
    plan = (trial_scans(trial) || trial_selects(trial)) && may_look_back(trial->algorithm)
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
        status = trial_ranks    ? enqueue_of_rank(run, &call)
                 : trial->parts ? enqueue_parts(run, &call)
                                : enqueue_call(trial, &call);
        if (!trial_scans(trial) || trial->may_refuse ||
            !is_due_refusal(&device, fold.algorithm, &plan, trial->in_place, status)) {
            break;
        }
        fold.algorithm = LOOKBACK_INSTEAD;
    }
    if (status) {
        return status;
    }
    if (run_rounds(trial)) {
        clfold_explain(ctx, trial->operation, &fold, trial->count + trial->spare, NULL,
                       &run->report);
    }
    *failed = "clWaitForEvents";
    status = clWaitForEvents(1, &event);
    clReleaseEvent(event);
    if (status) {
        return status;
    }
    *failed = "clEnqueueReadBuffer";
    list_stores(run, stores);
    for (size_t k = 0; k < NUM_STORES; ++k) {
        if ((status = store_download(stores[k], queue))) {
            return status;
        }
    }
    *failed = NULL;
    return CLFOLD_OK;
}

/* ---- Comparing --------------------------------------------------------------------- */

static bool is_right(const struct run *run, const void *wanted, const void *found,
                     size_t size, double magnitude)
{
    const struct trial *trial = run->trial;
    const struct subject *s = trial->subject;

    if (trial->accuracy) {
        return memcmp(wanted, found, size) == 0;
    }
    if (run_rounds(trial)) {
        double error = fabs(as_double(trial->pair.type, found) -
                            as_double(trial->pair.type, wanted));
        return error <= rounding_bound(trial->pair.type, run_depth(run), magnitude);
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
    const double magnitude = i < run->num ? run->magnitudes[i] : run->last_magnitude;
    char is[160], should[160], name[48] = "the total", what[480];

    if (run->sums ? prefix_agrees(&run->sums[i], &run->data, run_depth(run),
                                  as_double(run->trial->pair.type, found))
                  : is_right(run, wanted, found, size, magnitude)) {
        return true;
    }
    if (i < run->num) {
        snprintf(name, sizeof(name), "result %zu", i);
    }
    print_value(run->trial, found, size, is, sizeof(is));
    if (run->sums) {
        snprintf(should, sizeof(should), "%.17g within %g, %.9g by plain ones",
                 exact_value(&run->sums[i].exact),
                 prefix_bound(&run->sums[i], run->data.pair.type, run_depth(run)),
                 run->sums[i].plain);
    } else {
        print_value(run->trial, wanted, size, should, sizeof(should));
    }
    snprintf(what, sizeof(what), "%s is %s instead of %s%s", name, is, should,
             strcmp(is, should) == 0 ? ", in bytes that this does not show" : "");
    explain(run->trial, what, why, why_size);
    return false;
}

const unsigned char *run_total(const struct run *run)
{
    const struct store *out = run_out(run);

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
            memcmp(store_at(&run->lengths, run->lengths.after, 0), run->want_lengths,
                   run->num * sizeof(cl_ulong)) == 0) &&
           (!run->told.mem ||
            memcmp(store_at(&run->told, run->told.after, 0), &num, sizeof(num)) == 0);
}

static enum trial_end compare(const struct run *run, char *why, size_t why_size)
{
    const struct trial *trial = run->trial;
    const struct store *out = run_out(run);
    const unsigned char *results = store_at(out, out->after, 0);
    const bool is_behind = trial->total == TOTAL_BEHIND;
    const size_t spare = is_behind ? trial->spare : 0;
    const bool is_bound = trial_finds(trial) || trial_selects(trial);
    const size_t num = trial->unknown && is_bound ? run->room : run->end;
    const size_t others = !trial->rest     ? 0
                          : trial->unknown ? run->room
                                           : trial->count - run->num;

    if (!trial->unknown) {
        for (size_t i = run->begin; i < run->end; ++i) {
            if (!compare_value(run, run->expected + i * run->result,
                               results + i * run->result, i, why, why_size)) {
                return TRIAL_WRONG;
            }
        }
        if (run->has_total && run->want_total && !trial->expected &&
            !compare_value(run, run->want_total, run_total(run), run->num, why,
                           why_size)) {
            return TRIAL_WRONG;
        }
    }
    if (!store_kept(out, run->begin, num - run->begin + spare + is_behind) ||
        memcmp(store_at(out, out->before, num), store_at(out, out->after, num),
               spare * run->result) != 0) {
        return explain(trial, "wrote beside its results", why, why_size);
    }
    if (!store_kept(&run->init, 0, 0) || !store_kept(&run->total, 0, run->has_total)) {
        return explain(trial, "wrote beside its total, or to init", why, why_size);
    }
    if ((!trial->in_place && !store_kept(&run->in, 0, 0)) ||
        !store_kept(&run->heads, 0, 0) || !store_kept(&run->number, 0, 0) ||
        !store_kept(&run->counted, 0, 0)) {
        return explain(trial, "wrote to its input", why, why_size);
    }
    if (!store_kept(&run->keys, 0, num) || !store_kept(&run->lengths, 0, num) ||
        !store_kept(&run->told, 0, 1) ||
        !store_kept(&run->carries, 0, trial->parts + 1) ||
        !store_kept(&run->last_keys, 0, 2) || !store_kept(&run->rest, 0, others)) {
        return explain(trial, "wrote beside its lists of segments, its rest or carries",
                       why, why_size);
    }
    if (!trial->unknown && !is_list_right(run)) {
        return explain(trial, "gives other keys, lengths or another number of segments",
                       why, why_size);
    }
    for (size_t i = 0; !trial->unknown && i < others; ++i) {
        if (!is_right(run, run->want_rest + i * run->result,
                      store_at(&run->rest, run->rest.after, i), run->result, 0)) {
            return explain(trial, "writes another rest", why, why_size);
        }
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
    const bool is_long =
        trial_selects(trial) && trial->condition->scans && trial->subject->size > 64;

    return ((trial->may_refuse || is_long) && status == CLFOLD_ERROR_UNSUPPORTED) ||
           (trial->may_refuse && status == CLFOLD_ERROR_BUILD &&
            trial->plan.tile == TILE_VECTOR && strstr(clfold_last_error(), " gives ")) ||
           (trial_selects(trial) &&
            is_due_refusal(&device, trial->algorithm, &trial->plan, false, status));
}

static clfold_status wanted_status(const struct run *run, bool any)
{
    const struct trial *trial = run->trial;

    return !any ? trial->operation == CLFOLD_EXCLUSIVE_SCAN ||
                          (trial_reduces(trial) && trial->by) || trial->count_at
                      ? CLFOLD_ERROR_ARGUMENT
                      : CLFOLD_ERROR_EMPTY
           : run->item > 64 && trial->count + trial->spare > 0 && trial->algorithm &&
                   trial_scans(trial) && may_look_back(trial->algorithm)
               ? CLFOLD_ERROR_UNSUPPORTED
               : CLFOLD_OK;
}

/* A select's that its fold allows: a store has one place, and a quotient is not defined
 * for the others; a part has no elements before it, and its texts here have no whole. */
static struct trial allowed(const struct trial *wanted)
{
    struct trial trial = *wanted;
    const struct subject *s = trial.subject;

    if (trial_selects(&trial)) {
        const struct condition *condition = trial.condition;
        const bool may_have_init = condition->scans && (!s->fill || s->fill_init);
        trial.rest &= !s->fold.store && !(s->fold.flags & CLFOLD_PARTIAL);
        trial.lists &= condition->are_runs;
        trial.init = may_have_init ? trial.init : INIT_NONE;
        if (s->load || s->write || s->fold.store || trial.init ||
            !(condition->are_runs || condition->keeps == keep_by_index.keeps)) {
            trial.first = 0;
        }
    }
    return trial;
}

/* By the trial's twin, if it has one and both have tiles of one size. */
static enum trial_end compare_bits(const struct run *run, char *why, size_t why_size)
{
    struct trial other;
    struct run twin;
    const char *failed = NULL;
    char text[800], what[900];
    enum trial_end end = TRIAL_RIGHT;
    size_t at = 0;

    if (!trial_twin(run->trial, &other)) {
        return TRIAL_RIGHT;
    }
    trial_print(&other, text, sizeof(text));
    if (!run_init(&twin, &other) || enqueue(&twin, &failed)) {
        snprintf(what, sizeof(what), "failed otherwise: %s: %s", text,
                 failed ? failed : clfold_last_error());
        end = explain(run->trial, what, why, why_size);
    } else if (run->report.tile == twin.report.tile && !run_same_bits(run, &twin, &at)) {
        snprintf(what, sizeof(what), "result %zu has other bits than of %s", at, text);
        end = explain(run->trial, what, why, why_size);
    }
    run_finish(&twin);
    return end;
}

enum trial_end trial_run(const struct trial *asked, void *results, char *why,
                         size_t why_size)
{
    const struct trial made = allowed(asked), *trial = &made;
    struct run run;
    enum trial_end end;

    if (!run_init(&run, trial)) {
        run_finish(&run);
        return explain(trial, "no memory for its buffers", why, why_size);
    }
    const bool any = run_expect(&run);
    run.end = run.num;
    run.want_total = run.last;
    run.has_total = trial->total != TOTAL_NONE;
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
    if (end == TRIAL_RIGHT && any && !status && trial->rounds) {
        end = compare_bits(&run, why, why_size);
    }
    if (results && end == TRIAL_RIGHT && any) {
        const struct store *out = run_out(&run);
        memcpy(results, store_at(out, out->after, 0), run.num * run.result);
        if (trial->total) {
            memcpy((unsigned char *)results + run.num * run.result, run_total(&run),
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
