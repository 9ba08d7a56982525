/* The host's side of a trial: its data, and the serial loop. */
#include "trial_run.h"

#include <clfold/experimental.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Data -------------------------------------------------------------------------- */

static void fill_words(const struct subject *s, unsigned char *data, size_t bytes,
                       uint64_t seed)
{
    const size_t word = s->word ? s->word : 4;
    const uint64_t spread = (uint64_t)s->most - s->least + 1;

    for (size_t i = 0; i < bytes; i += word) {
        cl_uint x = s->least + (cl_uint)((next_random(&seed) >> 32) % spread);
        cl_float real = (cl_float)(cl_int)x;
        memcpy(data + i, s->is_real ? (void *)&real : &x,
               word < bytes - i ? word : bytes - i);
    }
}

void subject_fill(const struct subject *s, unsigned char *elements, size_t count,
                  uint64_t seed)
{
    if (s->fill) {
        s->fill(elements, count, seed);
    } else {
        fill_words(s, elements, count * (s->in_size ? s->in_size : s->size), seed);
    }
}

static void fill_subject(const struct trial *trial, unsigned char *data,
                         unsigned char *init)
{
    const struct subject *s = trial->subject;

    if (!trial->elements) {
        subject_fill(s, data, trial->count, trial->seed);
    }
    if (s->fill_init) {
        s->fill_init(init, ~trial->seed);
    } else if (s->fill && trial->init && !trial->init_value) {
        fprintf(stderr, "%s has no init\n", s->fold.name);
        abort();
    } else {
        fill_words(s, init, s->size, trial->seed);
    }
}

void run_fill(struct run *run)
{
    const struct trial *trial = run->trial;
    unsigned char *data = store_at(&run->in, run->in.before, 0);
    unsigned char *init = store_at(&run->init, run->init.before, 0);

    if (trial->subject) {
        fill_subject(trial, data, init);
    } else {
        poison_fold(run->in.before, trial->op, trial->pair,
                    run->in.bytes / run->in.element);
        if (trial->accuracy) {
            run->data =
                sum_data_of(trial->pair, trial->accuracy, trial->count, trial->seed);
            fill_sum(&run->data, data, init, trial->seed);
        } else if (run_rounds(trial)) {
            fill(data, trial->pair.in, trial->count, FILL_ROUNDING, trial->seed);
            fill(init, trial->pair.type, 1, FILL_ROUNDING, ~trial->seed);
        } else {
            fill_fold(data, trial->op, trial->pair, trial->count,
                      trial->nan ? FILL_NAN : 0, trial->seed);
            fill_init(init, trial->op, trial->pair, data, trial->count, trial->seed);
        }
    }
    if (trial->elements) {
        memcpy(data, trial->elements, trial->count * run->in_size);
    }
    if (trial->init_value) {
        memcpy(init, trial->init_value, run->item);
    }
    for (size_t i = 0; trial->mirrored && i < trial->count / 2; ++i) {
        unsigned char *a = data + i * run->in_size, x[MAX_ITEM];
        unsigned char *b = data + (trial->count - 1 - i) * run->in_size;
        memcpy(x, a, run->in_size);
        memcpy(a, b, run->in_size);
        memcpy(b, x, run->in_size);
    }
}

/* ---- Segments ---------------------------------------------------------------------- */

size_t run_most_heads(const struct trial *trial)
{
    return trial->by == CLFOLD_BY_OFFSETS ? 3 * trial->count + trial->empty + 8
                                          : trial->count;
}

static bool draw_start(const struct trial *trial, size_t i, uint64_t *seed)
{
    const uint64_t bits = next_random(seed) >> 20;

    return i == 0 || trial->cut == CUT_EVERYWHERE ||
           (trial->cut == CUT_MIXED && bits % 40 == 0) ||
           (trial->cut == CUT_OFTEN && bits % 4 == 0) ||
           (trial->cut == CUT_AT_TILES && (i + 1) % 16 < 3 && bits % 3 > 0);
}

size_t next_length(struct lengths *lengths)
{
    const size_t bits = (size_t)(next_random(&lengths->seed) >> 20);
    const size_t all[] = { 0,
                           bits % 4,
                           1,
                           bits / 3 % 9 * 16 + bits % 3,
                           (lengths->most + 1) >> bits % 16,
                           bits % 40 };

    if (lengths->left == 0) {
        lengths->law = bits / 64 % (sizeof(all) / sizeof(all[0]));
        lengths->left = 1 + (bits >> 10) % 4 * (bits >> 20) % 90;
    }
    --lengths->left;
    return all[lengths->law];
}

/* How many segments start at each element, empty ones too. */
static void draw_starts(struct run *run, uint64_t seed)
{
    struct lengths lengths = { .seed = seed, .most = run->trial->count };

    memset(run->starts, 0, run->trial->count);
    for (size_t i = 0; i < run->trial->count; i += next_length(&lengths)) {
        if (run->starts[i] < UINT8_MAX) {
            ++run->starts[i];
        }
    }
}

/* The next flag, key or offset. */
static void put_head(struct run *run, uint64_t value)
{
    write_number(run->trial->head_type, (struct number){ value, (long double)value },
                 store_at(&run->heads, run->heads.before, run->num_heads++));
}

static uint64_t offset_of(const struct run *run, size_t s)
{
    return read_number(run->trial->head_type, store_at(&run->heads, run->heads.before, s))
        .integer;
}

/* Each start but perhaps the first, some twice, ten times or as often as the trial has
 * empty segments, and wrong ones; and what they say, in any order: all below the count
 * are starts. */
static void cut_by_offsets(struct run *run, uint64_t seed)
{
    const struct trial *trial = run->trial;
    const size_t count = trial->count, most = run_most_heads(trial);
    uint64_t value = 0;

    for (size_t i = 0; i <= count; ++i) {
        const uint64_t bits = next_random(&seed) >> 20;
        const bool is_end = i == 0 || i == count;
        size_t times = trial->cut == CUT_DRAWN        ? run->starts[i]
                       : bits % 7 == 0                ? 2
                       : bits % 53 == 0 && count > 99 ? 10
                                                      : 1;
        times = is_end ? bits % 3 : run->starts[i] ? times : 0;
        times += i == count / 2 ? trial->empty : 0;
        times += i == count && run->num_heads == 0;
        for (size_t k = 0; k < times && run->num_heads < most; ++k) {
            put_head(run, i);
        }
        if (trial->bad && times > 0 && bits % 5 == 0 && run->num_heads < most) {
            put_head(run, bits % 4 ? bits / 8 % (count + 99) : ~bits);
        }
    }
    if (trial->num_at && trial->seed % 8 == 0) {
        run->num_heads = 1;
    }
    memset(run->starts, 0, count);
    run->wrong[0] = ~(cl_ulong)0;
    for (size_t k = 0; k < run->num_heads; ++k) {
        const uint64_t before = value;
        value = offset_of(run, k);
        run->starts[value < count ? value : 0] = 1;
        if ((value > count || value < before) && run->wrong[0] == ~(cl_ulong)0) {
            run->wrong[0] = k;
            run->wrong[1] = value;
        }
    }
}

void run_cut(struct run *run)
{
    const struct trial *trial = run->trial;
    const unsigned wide = size_of(trial->head_type) > 1 ? 8 : 0;
    uint64_t seed = trial->seed + 5;
    unsigned key = 1;

    for (size_t i = 0; i < trial->count; ++i) {
        run->starts[i] = draw_start(trial, i, &seed);
    }
    if (trial->cut == CUT_DRAWN) {
        draw_starts(run, seed);
    }
    if (trial->by == CLFOLD_BY_OFFSETS) {
        cut_by_offsets(run, seed);
        return;
    }
    for (size_t i = 0; i < trial->count; ++i) {
        const unsigned bits = (unsigned)(next_random(&seed) >> 40);
        /* Also of the upper bytes alone. */
        const unsigned flag = (1 + bits % 99) << (bits % 2 ? wide : 0);
        if (trial->by == CLFOLD_BY_FLAGS) {
            put_head(run, i == 0 ? bits % 2 : run->starts[i] ? flag : 0);
        } else {
            key = run->starts[i] ? (key + 1 + bits % 5) % 7 : key;
            put_head(run, key * 4 + (trial->loose ? bits % 4 : 0));
        }
    }
}

/* Where the segment ends that begins at `first`. */
static size_t end_of(const struct run *run, size_t first)
{
    size_t end = first + 1;

    while (end < run->trial->count && !run->starts[end]) {
        ++end;
    }
    return end;
}

/* ---- The loop on the host ---------------------------------------------------------- */

/* The items of the `length` elements in run->row, the total, and, for a reduction, that
 * alone. Returns false where there is nothing to fold. */
static bool fold_operator(struct run *run, size_t length, const void *init)
{
    const struct trial *trial = run->trial;

    if (trial_reduces(trial)) {
        return oracle_fold(trial->op, trial->pair, run->row, length, init, run->last,
                           &run->last_magnitude);
    }
    if (!oracle_scan(trial->op, trial->pair, trial->operation == CLFOLD_EXCLUSIVE_SCAN,
                     run->row, length, init, run->items, trial->total ? run->last : NULL,
                     run->own_magnitudes)) {
        return false;
    }
    /* The total has the magnitude of all, which an exclusive scan has no item of. */
    if (trial->total && run_rounds(trial)) {
        oracle_fold(trial->op, trial->pair, run->row, length, init, run->last,
                    &run->last_magnitude);
    }
    return true;
}

/* An index counts from in_offset, not in its segment. */
static void move_index(const struct run *run, size_t first, size_t width,
                       unsigned char *item)
{
    for (size_t k = 0; is_arg(run->trial->op) && k < run->item;
         k += sizeof(clfold_indexed)) {
        clfold_indexed value;
        memcpy(&value, item + k, sizeof(value));
        value.index = first + value.index * width;
        memcpy(item + k, &value, sizeof(value));
    }
}

/* What is written for an item. */
static void put(const struct run *run, const void *item, const void *prev, size_t i,
                unsigned char *out)
{
    const struct subject *s = run->trial->subject;
    const size_t n = run->trial->count;

    if (s && s->write) {
        s->write(out, item, prev, store_at(&run->in, run->in.before, 0), i, n);
    } else {
        memcpy(out, item, run->item);
    }
}

/* And where. */
static void give(struct run *run, const void *item, const void *prev, size_t i, size_t to)
{
    const struct subject *s = run->trial->subject;

    to =
        s && s->place && !trial_reduces(run->trial) ? s->place(i, run->trial->count) : to;
    put(run, item, prev, i, run->expected + to * run->result);
}

/* What is folded for element i. */
static void load_one(const struct run *run, size_t i, unsigned char *x)
{
    const struct subject *s = run->trial->subject;
    const unsigned char *data = store_at(&run->in, run->in.before, 0);

    if (s->load) {
        s->load(x, data, i, run->trial->count);
    } else {
        memcpy(x, data + i * run->in_size, run->in_size);
    }
}

/* Element k in the order of the scan, of a segment. */
static size_t nth_of(const struct trial *trial, size_t k, size_t first, size_t width,
                     size_t length)
{
    return first + (trial->reverse ? length - 1 - k : k) * width;
}

/* A sum that is promised more than a plain one. */
static bool expect_sum(struct run *run, size_t first, size_t width, size_t length,
                       size_t to, const void *init)
{
    const struct trial *trial = run->trial;
    const clfold_type type = trial->pair.type;
    const bool is_scan = !trial_reduces(trial);
    double *values = malloc((length + 1) * sizeof(*values));
    struct prefix prefix = { .any = false };
    size_t num = 0;

    if (!values) {
        return false;
    }
    if (init) {
        values[num++] = as_double(type, init);
        prefix_add(&prefix, values[0], type);
    }
    for (size_t k = 0; k < length; ++k) {
        const size_t i = nth_of(trial, k, first, width, length);
        const struct number x =
            read_number(trial->pair.in, store_at(&run->in, run->in.before, i));
        if (trial->operation == CLFOLD_EXCLUSIVE_SCAN) {
            run->sums[i] = prefix;
        }
        values[num++] = (double)convert_number(trial->pair, x).real;
        prefix_add(&prefix, values[num - 1], type);
        if (trial->operation == CLFOLD_INCLUSIVE_SCAN) {
            run->sums[i] = prefix;
        }
    }
    if (trial->accuracy == CLFOLD_REPRODUCIBLE) {
        const struct model model = model_of(type, values, num);
        const double sum = isnan(model.result) ? (double)NAN : model.result;
        if (isfinite(sum) && sum != 0 &&
            !(fabs(exact_error(&model.exact, sum)) <= model.bound)) {
            fprintf(stderr, "the model of a reproducible sum is off\n");
            abort();
        }
        write_number(type, (struct number){ 0, (long double)sum },
                     run->expected + to * run->result);
    } else if (!is_scan) {
        run->sums[to] = prefix;
    } else if (!trial->by || !trial->reverse || first == 0) {
        run->sums[run->num] = prefix;
    }
    free(values);
    return true;
}

static bool expect_operator(struct run *run, size_t first, size_t width, size_t length,
                            size_t to, const void *init)
{
    const unsigned char *data = store_at(&run->in, run->in.before, 0);

    for (size_t k = 0; k < length; ++k) {
        memcpy(run->row + k * run->in_size,
               data + nth_of(run->trial, k, first, width, length) * run->in_size,
               run->in_size);
    }
    if (!fold_operator(run, length, init)) {
        return false;
    }
    for (size_t k = 0; !trial_reduces(run->trial) && k < length; ++k) {
        const size_t i = nth_of(run->trial, k, first, width, length);
        run->magnitudes[i] = run->own_magnitudes[k];
        move_index(run, first, width, run->items + k * run->item);
        give(run, run->items + k * run->item, NULL, i, i);
    }
    if (trial_reduces(run->trial) || run->trial->total) {
        move_index(run, first, width, run->last);
    }
    if (trial_reduces(run->trial)) {
        run->magnitudes[to] = run->last_magnitude;
        give(run, run->last, NULL, to, to);
    }
    return true;
}

static bool expect_subject(struct run *run, size_t first, size_t width, size_t length,
                           size_t to, const void *init)
{
    const struct trial *trial = run->trial;
    const struct subject *s = trial->subject;
    unsigned char total[MAX_ITEM] = { 0 }, next[MAX_ITEM], x[MAX_ITEM];
    bool any = init || s->identity;

    if (!any && !s->is_map &&
        (trial->operation == CLFOLD_EXCLUSIVE_SCAN ||
         (length == 0 && (trial_reduces(trial) || trial->total)))) {
        return false;
    }
    if (any) {
        memcpy(total, init ? init : s->identity, s->size);
    }
    for (size_t k = 0; k < length; ++k) {
        const size_t i = nth_of(trial, k, first, width, length);
        load_one(run, i, x);
        if (any && !s->is_map) {
            s->combine(next, total, x);
        } else {
            memcpy(next, x, s->size);
        }
        if (s->is_map) {
            give(run, next, next, i, i);
        } else if (!trial_reduces(trial)) {
            give(run, trial->operation == CLFOLD_EXCLUSIVE_SCAN ? total : next, total, i,
                 i);
        }
        memcpy(total, next, s->size);
        any = true;
    }
    if (trial_reduces(trial)) {
        give(run, total, total, to, to);
    }
    if (any) {
        memcpy(run->last, total, s->size);
    }
    return true;
}

/* ---- What is kept ------------------------------------------------------------------ */

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

/* Results in order, what is written of the others, and lengths of runs. */
static bool expect_select(struct run *run, const unsigned char *init)
{
    const struct trial *trial = run->trial;
    const struct subject *s = trial->subject;
    const struct condition *condition = trial->condition;
    const unsigned char *data = store_at(&run->in, run->in.before, 0);
    const unsigned char *start = init ? init : s->identity;
    unsigned char item[MAX_ITEM], prev[MAX_ITEM], x[MAX_ITEM];
    size_t num = 0;

    level = trial->level;
    first_of_part = trial->first;
    if (start) {
        memcpy(item, start, s->size);
    }
    for (size_t i = 0; i < trial->count; ++i) {
        load_one(run, i, x);
        memcpy(prev, condition->scans && (start || i > 0) ? item : x, s->size);
        if (condition->scans && (i > 0 || init)) {
            s->combine(item, prev, x);
        } else {
            memcpy(item, x, s->size);
        }
        if (condition->keeps_item ? condition->keeps_item(item, prev, data, i)
                                  : condition->keeps(data, i, trial->count)) {
            put(run, item, prev, i, run->expected + num * run->result);
            run->want_lengths[num++] = 0;
        } else if (trial->rest) {
            put(run, item, prev, i, run->want_rest + (i - num) * run->result);
        }
        run->want_lengths[num > 0 ? num - 1 : 0] += num > 0;
    }
    run->num = run->num_found = num;
    return true;
}

bool run_expect(struct run *run)
{
    const struct trial *trial = run->trial;
    const size_t width = trial->width, length = trial->length;
    const void *init = trial->init ? store_at(&run->init, run->init.before, 0) : NULL;
    bool (*expect_one)(struct run *, size_t, size_t, size_t, size_t, const void *) =
        trial->subject    ? expect_subject
        : trial->accuracy ? expect_sum
                          : expect_operator;
    const bool has_start =
        init || (trial->subject ? trial->subject->identity != NULL : !is_arg(trial->op));
    bool any = true;

    if (trial->count_at && !has_start && !trial_finds(trial) &&
        (trial_reduces(trial) || trial->total)) {
        return false;
    }
    if (trial->unknown) {
        return true;
    }
    if (trial_selects(trial)) {
        return expect_select(run, init);
    }
    if (trial->expected) {
        memcpy(run->expected, trial->expected, run->num * run->result);
        return true;
    }
    if (trial->by && trial->operation == CLFOLD_MAP) {
        const size_t first = (size_t)offset_of(run, 0);
        const size_t end = (size_t)offset_of(run, run->num_heads - 1);
        memset(run->expected, COLOUR, run->num * run->result);
        return expect_one(run, first, 1, end - first, 0, init);
    }
    if (trial_finds(trial)) {
        for (size_t s = 0, first = 0; s < run->num; ++s) {
            const size_t end = end_of(run, first);
            run->want_lengths[s] = end - first;
            memcpy(run->want_keys + s * run->heads.element,
                   store_at(&run->heads, run->heads.before, first), run->heads.element);
            expect_one(run, first, 1, end - first, s, init);
            first = end;
        }
        return true;
    }
    if (trial->by && trial_reduces(trial)) {
        for (size_t s = 0; s < run->num; ++s) {
            const size_t first = (size_t)offset_of(run, s);
            const size_t end = (size_t)offset_of(run, s + 1);
            any &= expect_one(run, first, 1, end - first, s, init);
        }
        return any && has_start;
    }
    if (trial->by && trial->count > 0) {
        unsigned char total[MAX_ITEM]; /* of the first segment */
        double magnitude = 0;
        for (size_t first = 0, end; first < trial->count; first = end) {
            end = end_of(run, first);
            any &= expect_one(run, first, 1, end - first, 0, init);
            if (first == 0) {
                memcpy(total, run->last, sizeof(total));
                magnitude = run->last_magnitude;
            }
        }
        if (trial->reverse) {
            memcpy(run->last, total, sizeof(total));
            run->last_magnitude = magnitude;
        }
        return any;
    }
    if (width == 0 || trial->count == 0) {
        return expect_one(run, 0, 1, trial->count, 0, init) || width > 0;
    }
    for (size_t s = 0; s * length < trial->count; ++s) {
        const size_t first = s / width * width * length + s % width;
        const size_t rest = trial->count - first;
        any &= expect_one(run, first, width, width == 1 && rest < length ? rest : length,
                          s, init);
    }
    return any;
}
