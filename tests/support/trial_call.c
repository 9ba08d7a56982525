/* A trial's call: its fold, and how it is made: whole, in parts, or by ranks. */
#include <clfold/experimental.h>
#include "lookback.h"
#include "subjects_of_text.h"
#include "trial_run.h"

#include "plan/operation.h"

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

clfold_status run_call(struct run *run, const char **failed)
{
    static struct debug plan; /* which the context keeps */
    const struct trial *trial = run->trial;
    const struct store *out = run_out(run);
    cl_command_queue queue = trial->disorder && !trial->parts && device.disorder
                                 ? device.disorder
                                 : device.queue;
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
    for (size_t k = 0; k < run->num_stores; ++k) {
        if ((status = store_download(run->stores[k], queue))) {
            return status;
        }
    }
    *failed = NULL;
    return CLFOLD_OK;
}
