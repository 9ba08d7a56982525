#include "select_trial.h"

#include "lookback.h"
#include "subjects_of_text.h"
#include "test.h"

#define FRONT 3 /* elements of `in` before the first, and results in front of `out` */

static cl_ulong level;       /* of the trial that runs, and */
static size_t first_of_part; /* elements of the whole input before */

static bool keeps_by_index(const unsigned char *e, size_t i, size_t n)
{
    (void)e, (void)n;
    return ((cl_ulong)(first_of_part + i) * 2654435761ul >> 16 & 255) < level;
}

const struct condition keep_by_index = { "(i * 2654435761ul >> 16 & 255) < level",
                                         .keeps = keeps_by_index };
const struct condition scan_by_index = { "(i * 2654435761ul >> 16 & 255) < level",
                                         .keeps = keeps_by_index, .scans = true };

static size_t in_size_of(const struct subject *s)
{
    return s->in_size ? s->in_size : s->size;
}

static size_t out_size_of(const struct subject *s)
{
    return s->out_size ? s->out_size : s->size;
}

/* ---- The loop ---------------------------------------------------------------------- */

/* What is folded for element i. */
static void load_one(const struct subject *s, const unsigned char *elements, size_t i,
                     size_t n, unsigned char *item)
{
    if (s->load) {
        s->load(item, elements, i, n);
    } else {
        memcpy(item, elements + i * in_size_of(s), s->size);
    }
}

/* The items up to an element, and before it. */
struct items {
    unsigned char item[MAX_ITEM], prev[MAX_ITEM];
    bool has; /* else there is none before the first element */
};

static void begin_items(struct items *items, const struct select_trial *trial,
                        const unsigned char *elements)
{
    const struct subject *s = trial->subject;

    items->has = trial->init || s->identity;
    if (trial->init) {
        memcpy(items->item, elements - s->size, s->size);
    } else if (s->identity) {
        memcpy(items->item, s->identity, s->size);
    }
}

static void next_item(struct items *items, const struct select_trial *trial,
                      const unsigned char *elements, size_t i)
{
    const struct subject *s = trial->subject;
    unsigned char x[MAX_ITEM];

    load_one(s, elements, i, trial->count, x);
    memcpy(items->prev, trial->condition.scans && items->has ? items->item : x, s->size);
    if (trial->condition.scans && items->has && (i > 0 || trial->init)) {
        s->combine(items->item, items->prev, x);
    } else {
        memcpy(items->item, x, s->size);
    }
    items->has = true;
}

static bool is_kept(const struct select_trial *trial, const struct items *items,
                    const unsigned char *elements, size_t i)
{
    const struct condition *condition = &trial->condition;

    return condition->keeps_item
               ? condition->keeps_item(items->item, items->prev, elements, i)
               : condition->keeps(elements, i, trial->count);
}

/* What is written for element i. */
static void write_one(const struct subject *s, const struct items *items,
                      const unsigned char *elements, size_t i, size_t n,
                      unsigned char *to)
{
    if (s->write) {
        s->write(to, items->item, items->prev, elements, i, n);
    } else {
        memcpy(to, items->item, s->size);
    }
}

/* Results in order, what is written of the others, and lengths of runs; returns how many
 * are kept. */
static size_t expect(const struct select_trial *trial, const unsigned char *elements,
                     unsigned char *results, unsigned char *rest, cl_ulong *lengths)
{
    const size_t size = out_size_of(trial->subject), count = trial->count;
    size_t kept = 0, start = 0;
    struct items items;

    begin_items(&items, trial, elements);
    for (size_t i = 0; i < count; ++i) {
        next_item(&items, trial, elements, i);
        const bool keeps = is_kept(trial, &items, elements, i);
        if (keeps || rest) {
            write_one(trial->subject, &items, elements, i, count,
                      keeps ? results + kept * size : rest + (i - kept) * size);
        }
        if (keeps && kept > 0) {
            lengths[kept - 1] = i - start;
        }
        start = keeps ? i : start;
        kept += keeps;
    }
    if (kept > 0) {
        lengths[kept - 1] = count - start;
    }
    return kept;
}

/* ---- Buffers ----------------------------------------------------------------------- */

/* Results that begin `front` elements in, of which there must be `num`. */
struct output {
    const char *name;
    size_t size, front, num, bytes;
    unsigned char *expected;
    cl_mem mem;
};

static void *must_have(void *memory)
{
    if (!memory) {
        fail_msg("no memory for a select");
    }
    return memory;
}

static struct output make_output(const struct select_trial *trial, const char *name,
                                 size_t size, size_t front, size_t count)
{
    struct output output = { .name = name, .size = size, .front = front };

    output.bytes = (front + count + trial->spare + (trial->tight ? 0 : FRONT)) * size;
    output.expected = must_have(malloc(count * size + 1));
    output.mem = coloured_buffer(output.bytes > 0 ? output.bytes : size);
    return output;
}

static void drop_output(struct output *output)
{
    free(output->expected);
    clReleaseMemObject(output->mem);
}

__attribute__((format(printf, 4, 5))) static bool
explain(const struct select_trial *trial, char *why, size_t why_size, const char *format,
        ...)
{
    char what[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    snprintf(why, why_size,
             "select of %zu, %s, %s \"%s\", by %s, %s of %u, %u work-items, at most %u "
             "groups, from %zu to %zu, part from %zu, level %u%s%s%s%s%s (seed %llu): %s",
             trial->count, trial->subject->fold.name,
             trial->condition.are_runs ? "same" : "keep", trial->condition.text,
             trial->algorithm ? trial->algorithm : "policy",
             clfold_tile_name(trial->plan.tile), trial->plan.tile_elements,
             trial->plan.group_size, trial->plan.max_groups, trial->in_offset,
             trial->out_offset, trial->first, (unsigned)trial->level,
             trial->init ? ", init" : "", trial->rest ? ", rest" : "",
             trial->lengths ? ", lengths" : "", trial->count_at ? ", counted" : "",
             trial->disorder ? ", out of order" : "", (unsigned long long)trial->seed,
             what);
    return false;
}

static bool is_output_right(const struct select_trial *trial, const struct output *output,
                            char *why, size_t why_size)
{
    const struct subject *s = trial->subject;
    const size_t size = output->size, begin = output->front * size;
    const size_t end = begin + output->num * size;
    const bool are_items = s->same && size == s->size;
    unsigned char *found = must_have(malloc(output->bytes + 1));
    bool right = true;

    assert_int_equal(output->bytes == 0
                         ? CL_SUCCESS
                         : clEnqueueReadBuffer(device.queue, output->mem, CL_TRUE, 0,
                                               output->bytes, found, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; right && !trial->unknown && i < output->num; ++i) {
        const unsigned char *want = output->expected + i * size;
        const unsigned char *is = found + begin + i * size;
        if (are_items ? !s->same(want, is) : memcmp(want, is, size) != 0) {
            right = explain(trial, why, why_size, "%s %zu of %zu differs", output->name,
                            i, output->num);
        }
    }
    for (size_t b = 0; right && b < output->bytes; ++b) {
        if ((b < begin || b >= end) && found[b] != COLOUR) {
            right = explain(trial, why, why_size,
                            "byte %zu changed beside each %s, of which there are %zu", b,
                            output->name, output->num);
        }
    }
    free(found);
    return right;
}

/* ---- The call ---------------------------------------------------------------------- */

struct outputs {
    struct output out, rest, lengths, num;
};

/* The true count at index 1; where the call has no spare, memory may say more. */
static clfold_place count_place(const struct select_trial *trial)
{
    const cl_ulong counts[] = { 77, trial->spare > 0 ? trial->count
                                                     : trial->count + trial->seed % 99 };

    return trial->count_at ? (clfold_place){ copied_buffer(counts, sizeof(counts)), 1 }
                           : (clfold_place){ 0 };
}

static clfold_status call(const struct select_trial *trial, const struct outputs *to,
                          const unsigned char *elements, cl_mem in)
{
    static struct debug plan; /* which the context keeps */
    const struct subject *s = trial->subject;
    clfold_arg args[NUM_ARGS + 1];
    const clfold_part part = { .first = trial->first };
    clfold_fold fold = s->fold;
    cl_event done = NULL;

    if (!trial->condition.scans) {
        fold.op = 0;
        fold.combine = fold.identity = fold.cuts = NULL;
        fold.flags &= ~(uint32_t)CLFOLD_COMMUTATIVE;
    }
    if (trial->init) {
        fold.init = elements - s->size;
        fold.init_size = s->size;
    }
    *(trial->condition.are_runs ? &fold.same : &fold.keep) = trial->condition.text;
    if (trial->lengths) {
        fold.lengths_out = (clfold_place){ to->lengths.mem, to->lengths.front };
    }
    if (trial->rest) {
        fold.rest_out = (clfold_place){ to->rest.mem, to->rest.front };
    }
    fold.num_out = (clfold_place){ to->num.mem, to->num.front };
    fold.count_at = count_place(trial);
    fold.part = trial->first > 0 ? &part : NULL;
    fold.algorithm = trial->algorithm;
    if (fold.num_args > 0) {
        memcpy(args, fold.args, fold.num_args * sizeof(*args));
    }
    args[fold.num_args] = (clfold_arg)CLFOLD_VALUE("ulong", level, level);
    fold.num_args += 1;
    fold.args = args;
    plan =
        may_look_back(trial->algorithm) ? with_tier(&device, trial->plan) : trial->plan;
    clfold_context_override(ctx, &plan);
    const clfold_status status = clfold_select(
        ctx, trial->disorder && device.disorder ? device.disorder : device.queue, &fold,
        in, FRONT + trial->in_offset, to->out.mem, to->out.front,
        trial->count + trial->spare, 0, NULL, &done);
    if (status == CLFOLD_OK) {
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        clReleaseEvent(done);
    }
    if (fold.count_at.mem) {
        clReleaseMemObject(fold.count_at.mem);
    }
    return status;
}

static bool is_refused(const struct select_trial *trial, clfold_status status)
{
    const bool is_long = trial->condition.scans && trial->subject->size > 64;

    return ((trial->may_refuse || is_long) && status == CLFOLD_ERROR_UNSUPPORTED) ||
           is_due_refusal(&device, trial->algorithm, &trial->plan, false, status);
}

static enum trial_end check_call(const struct select_trial *trial, struct outputs *to,
                                 const unsigned char *elements, cl_mem in, char *why,
                                 size_t why_size)
{
    const clfold_status status = call(trial, to, elements, in);
    enum trial_end end = status ? TRIAL_REFUSED : TRIAL_RIGHT;

    if (status && !is_refused(trial, status)) {
        explain(trial, why, why_size, "%s", clfold_last_error());
        return TRIAL_WRONG;
    }
    if (!status) {
        const cl_ulong kept =
            expect(trial, elements, to->out.expected,
                   trial->rest ? to->rest.expected : NULL, (void *)to->lengths.expected);
        memcpy(to->num.expected, &kept, sizeof(kept));
        to->num.num = 1;
        to->out.num = trial->unknown ? trial->count : kept;
        to->rest.num = trial->rest ? trial->count - (trial->unknown ? 0 : kept) : 0;
        to->lengths.num = trial->lengths ? to->out.num : 0;
    }
    return is_output_right(trial, &to->num, why, why_size) &&
                   is_output_right(trial, &to->out, why, why_size) &&
                   is_output_right(trial, &to->rest, why, why_size) &&
                   is_output_right(trial, &to->lengths, why, why_size)
               ? end
               : TRIAL_WRONG;
}

enum trial_end select_trial_run(const struct select_trial *wanted, char *why,
                                size_t why_size)
{
    struct select_trial trial = *wanted;
    const struct subject *s = trial.subject;
    const size_t in_size = in_size_of(s), out_size = out_size_of(s);
    const size_t first = FRONT + trial.in_offset;
    const size_t num_in = first + trial.count + trial.spare + (trial.tight ? 0 : FRONT);
    unsigned char *elements = must_have(malloc(num_in * in_size));

    level = trial.level;
    /* A store has one place, and a quotient is not defined for the others. */
    trial.rest &= !s->fold.store && !(s->fold.flags & CLFOLD_PARTIAL);
    trial.lengths &= trial.condition.are_runs;
    trial.init &= trial.condition.scans && !s->load && !s->in_size;
    /* A part has no elements before it, and its texts here have no whole. */
    if (s->load || s->write || s->fold.store || trial.init ||
        !(trial.condition.are_runs || trial.condition.keeps == keeps_by_index)) {
        trial.first = 0;
    }
    first_of_part = trial.first;
    subject_fill(s, elements, num_in, trial.seed);
    cl_mem in = copied_buffer(elements, num_in * in_size);
    struct outputs to = {
        make_output(&trial, "result", out_size, FRONT + trial.out_offset, trial.count),
        make_output(&trial, "other", out_size, FRONT + 2 * trial.in_offset, trial.count),
        make_output(&trial, "length", sizeof(cl_ulong), trial.out_offset, trial.count),
        make_output(&trial, "number", sizeof(cl_ulong), 1, 1),
    };
    assert_int_equal(clFinish(device.queue), CL_SUCCESS); /* it colours buffers */
    const enum trial_end end =
        check_call(&trial, &to, elements + first * in_size, in, why, why_size);
    drop_output(&to.out);
    drop_output(&to.rest);
    drop_output(&to.lengths);
    drop_output(&to.num);
    clReleaseMemObject(in);
    free(elements);
    return end;
}
