/*
 * Sums that are promised more than a plain sum, against sums without rounding: in every
 * operation, by every algorithm, on every tile, of what a load gives, of segments, and
 * with results. Compensated ones are within their bound, on data that cancel;
 * reproducible ones have the bits of the model, whatever cuts and orders the elements.
 */
#include <clfold/experimental.h>
#include "lookback.h"
#include "pairwise.h"
#include "sums.h"
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#include <float.h>
#include <math.h>

#define MOST 272000

/* ---- Sums -------------------------------------------------------------------------- */

enum factor { PROMISE, PAIR, LOAD, FORM, TILE, WAY, NUM_FACTORS };

enum promise { SUM, PREFIXES, PREFIXES_BEFORE, REPRODUCIBLE, NUM_PROMISES };

static const struct pair pairs[] = {
    { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 }, { CLFOLD_F16, CLFOLD_F32 },
    { CLFOLD_I32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 }, { CLFOLD_F64, CLFOLD_F32 },
    { CLFOLD_U8, CLFOLD_F32 },  { CLFOLD_U8, CLFOLD_F64 },
};
#define NUM_PAIRS_HERE (sizeof(pairs) / sizeof(pairs[0]))

/* What is folded of x, of the element before it and of a stream y. */
enum loaded { NO_LOAD, ITSELF, PRODUCT, CONVERTED, NEIGHBOUR, NUM_LOADS };

/* For a sum in F32 and in F64. */
static const char *const load_texts[NUM_LOADS][2] = {
    [ITSELF] = { "x", "x" },
    [PRODUCT] = { "x * y", "x * y" },
    [CONVERTED] = { "to_f32(x) * y", "to_f64(x) * y" },
    [NEIGHBOUR] = { "i > 0 ? x - in[i - 1] : x", "i > 0 ? x - in[i - 1] : x" },
};

/* What is written of a sum: it, its opposite, it and its double, it in F64, or by a
 * statement, from the end. */
enum form { PLAIN, NEGATED, TWICE, WIDENED, STORED, NUM_FORMS };

static const char *const result_texts[NUM_FORMS] = {
    [NEGATED] = "-item", [TWICE] = "{ item, 2 * item }"
};

/* Beside trial_tiles; the second has blocks as long as they get: binned_numbers.cl. */
static const struct debug vectors[] = {
    { .tile = TILE_VECTOR, .tile_elements = 256, .max_groups = 3, .anchor = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 4900, .max_groups = 1, .anchor = 4 },
};
#define NUM_TILES (NUM_TRIAL_TILES + sizeof(vectors) / sizeof(vectors[0]))

static const struct debug *tile_of(uint8_t level)
{
    return level < NUM_TRIAL_TILES ? &trial_tiles[level]
                                   : &vectors[level - NUM_TRIAL_TILES];
}

/* Algorithms: any rung of the ladder, in turn; and with segments the last three. */
enum way {
    BY_POLICY,
    BY_SERIAL,
    BY_RUNGS,
    BY_MORE_RUNGS,
    BY_SINGLE_GROUP,
    BY_TOTALS,
    BY_LOOKBACK,
    BY_CHAIN,
    BY_SEGMENTS,
    BY_LANES,
    BY_ROWS,
    NUM_WAYS
};
static const char *const ways[NUM_WAYS][2] = {
    [BY_SERIAL] = { "serial", "serial" },
    [BY_SINGLE_GROUP] = { NULL, "scan_single_group" },
    [BY_TOTALS] = { NULL, "reduce_then_scan" },
    [BY_LOOKBACK] = { NULL, "scan_lookback" },
    [BY_CHAIN] = { NULL, "scan_chained" },
    [BY_LANES] = { "reduce_lanes", "scan_lanes" },
    [BY_ROWS] = { "reduce_tiles", "scan_lookback" },
};

struct sum {
    enum promise promise;
    struct pair pair;
    enum loaded load;
    enum form form;
    enum sum_kind kind;
    unsigned spread; /* of numbers that cancel */
    double init;     /* if trial.init says so */
    struct trial trial;
};

static bool is_exact(const struct sum *sum)
{
    return sum->promise == REPRODUCIBLE;
}

static bool is_scan(const struct sum *sum)
{
    return !trial_reduces(&sum->trial);
}

/* Elements that cannot be of any size, whatever else they are multiplied by. */
static bool is_coarse(const struct sum *sum)
{
    return sum->load < PRODUCT && (!is_float(sum->pair.in) || sum->pair.in == CLFOLD_F16);
}

static clfold_type out_type(const struct sum *sum)
{
    return sum->form == WIDENED ? CLFOLD_F64 : sum->pair.type;
}

static size_t out_size(const struct sum *sum)
{
    return (sum->form == TWICE ? 2 : 1) * size_of(out_type(sum));
}

static size_t num_segments(const struct sum *sum)
{
    const size_t length = sum->trial.length;

    return length > 0 ? (sum->trial.count + length - 1) / length : 1;
}

static size_t num_results(const struct sum *sum)
{
    return is_scan(sum) ? sum->trial.count : num_segments(sum);
}

/* ---- Data -------------------------------------------------------------------------- */

static unsigned char elements[MOST * 8], stream[MOST * 8], found[(MOST + 1) * 16];
static double drawn[MOST], values[MOST + 1]; /* what is folded, and init */

static struct sum_data data_of(const struct sum *sum)
{
    return (struct sum_data){ .pair = sum->pair,
                              .count = sum->trial.count,
                              .kind = sum->kind,
                              .spread = sum->spread,
                              .is_exact = is_exact(sum) };
}

/* One product, difference or element, rounded to the sum's type. */
static double load_one(const struct sum *sum, double x, double before, double y)
{
    const bool is_short = sum->pair.type == CLFOLD_F32;

    switch (sum->load) {
    case PRODUCT:
    case CONVERTED:
        return is_short ? (double)((float)x * (float)y) : x * y;
    case NEIGHBOUR:
        return is_short ? (double)((float)x - (float)before) : x - before;
    default:
        return is_short ? (double)(float)x : x;
    }
}

/* Elements of which the load gives about what is drawn: factors of half its exponent. */
static void put_elements(const struct sum *sum, uint64_t *state)
{
    double x = 0, y;
    int exponent;

    for (size_t i = 0; i < sum->trial.count; ++i) {
        const double wanted = drawn[i], before = x;
        frexp(isfinite(wanted) ? wanted : 1, &exponent);
        y = draw_term(state, exponent / 2, 1);
        x = wanted;
        if (sum->load == NEIGHBOUR) {
            x += isfinite(before) ? before : 0;
        } else if (sum->pair.in == CLFOLD_U8 && sum->load == CONVERTED) {
            x = (double)(1 + next_random(state) % 255);
            y = wanted / x;
        } else if (sum->pair.in == CLFOLD_F16 && sum->load == PRODUCT) {
            x = put_term(CLFOLD_F16, elements, i, draw_term(state, 0, 5));
            y = wanted / x;
        } else if (sum->load >= PRODUCT) {
            x /= y;
        }
        x = put_term(sum->pair.in, elements, i, x);
        y = put_term(sum->pair.type, stream, i, y);
        values[i] = load_one(sum, x, before, y);
    }
}

/* ---- One call ---------------------------------------------------------------------- */

static void print_sum(const struct sum *sum, char *text, size_t size)
{
    snprintf(text, size, "%s %s into %s, load %d, form %d, kind %d",
             is_exact(sum) ? "reproducible" : "compensated", name_of(sum->pair.in),
             name_of(sum->pair.type), (int)sum->load, (int)sum->form, (int)sum->kind);
}

/* Some reductions to memory of the host as well, which must have the same bits. */
static void check_host(const struct sum *sum, const clfold_fold *fold)
{
    unsigned char result[16];
    cl_mem in = copied_buffer(elements, sizeof(elements));

    assert_ok(clfold_reduce_host(ctx, device.queue, fold, in, 0, sum->trial.count, result,
                                 out_size(sum)));
    assert_memory_equal(result, found, out_size(sum));
    clReleaseMemObject(in);
}

static void run(struct sum *sum)
{
    const size_t size = size_of(sum->pair.type);
    const cl_ulong last = num_results(sum) - 1;
    const bool has_text = sum->load || (sum->form != PLAIN && sum->form != WIDENED);
    cl_mem y = has_text ? coloured_buffer((sum->trial.count + 8) * size) : NULL;
    const clfold_arg args[] = { CLFOLD_STREAM(sum->pair.type, y, y, 3),
                                CLFOLD_VALUE("ulong", last, last) };
    char name[96];
    unsigned char init[8];
    struct subject subject = {
        .fold = { .name = name,
                  .op = CLFOLD_ADD,
                  .type = sum->pair.type,
                  .in = sum->pair.in,
                  .accuracy = is_exact(sum) ? CLFOLD_REPRODUCIBLE : CLFOLD_COMPENSATED,
                  .load = load_texts[sum->load][sum->pair.type == CLFOLD_F64],
                  .result = result_texts[sum->form],
                  .store = sum->form == STORED ? "out[last - i] = item;" : NULL,
                  .out = sum->form == WIDENED ? CLFOLD_F64 : 0,
                  .out_scalars = sum->form == TWICE ? 2 : 0,
                  .args = has_text ? args : NULL,
                  .num_args = has_text ? 2 : 0 },
        .size = size,
        .in_size = size_of(sum->pair.in),
        .out_size = out_size(sum),
    };

    print_sum(sum, name, sizeof(name));
    write_number(sum->pair.type, (struct number){ 0, (long double)sum->init }, init);
    if (has_text) {
        write_buffer(y, 3 * size, sum->trial.count * size, stream);
    }
    sum->trial.subject = &subject;
    sum->trial.elements = elements;
    sum->trial.init_value = init;
    sum->trial.unknown = true;
    assert_true(trial_check(&sum->trial, found));
    if (!is_scan(sum) && !sum->trial.width && !sum->trial.init &&
        sum->trial.count % 2 == 0) {
        subject.fold.algorithm = sum->trial.algorithm;
        check_host(sum, &subject.fold);
    }
    sum->trial.subject = NULL;
    if (y) {
        clReleaseMemObject(y);
    }
}

/* ---- What must come out ------------------------------------------------------------ */

static void explain(const struct sum *sum, size_t i, double is, double expected,
                    double bound)
{
    char fold[96], call[512];
    const struct subject subject = { .fold = { .name = fold } };
    struct trial trial = sum->trial;

    trial.subject = &subject;
    print_sum(sum, fold, sizeof(fold));
    trial_print(&trial, call, sizeof(call));
    fail_msg("%s: result %zu is %.17g instead of %.17g, within %g", call, i, is, expected,
             bound);
}

/* The sum that result i was made of; past them, the total. */
static double read_sum(const struct sum *sum, size_t i)
{
    const clfold_type type = out_type(sum);
    const size_t num = num_results(sum);
    const unsigned char *at =
        found + (sum->form == STORED ? num - 1 - i : i) * out_size(sum);
    double is, twice;

    if (i >= num) {
        return as_double(sum->pair.type, found + num * out_size(sum));
    }
    is = as_double(type, at);
    twice = type == CLFOLD_F32 ? (double)(float)(2 * is) : 2 * is;
    if (sum->form == TWICE && !isnan(is) &&
        as_double(type, at + size_of(type)) != twice) {
        explain(sum, i, as_double(type, at + size_of(type)), twice, 0);
    }
    return sum->form == NEGATED ? -is : is;
}

/* Additions from an element to the result, at most, see tiles; lanes fold their runs from
 * the left. */
static double depth_of(const struct sum *sum)
{
    const struct trial *trial = &sum->trial;
    const bool is_serial = trial_is_by(trial, "serial");
    const bool by_tiles = trial->algorithm && !strstr(trial->algorithm, "_lanes");

    return (is_serial ? (double)trial->count : 300) +
           (by_tiles ? 0 : (double)trial->length) + trial->plan.tile_elements / 8.;
}

static void check_prefix(const struct sum *sum, const struct prefix *prefix, size_t i)
{
    const double is = read_sum(sum, i);
    struct sum_data data = data_of(sum);

    /* What a load makes of exact ones rounds. */
    data.kind = sum->load >= PRODUCT && data.kind <= ZEROS ? CANCELLING : data.kind;
    if (!prefix_agrees(prefix, &data, depth_of(sum), is)) {
        explain(sum, i, is,
                isfinite(prefix->plain) ? exact_value(&prefix->exact) : prefix->plain,
                prefix_bound(prefix, sum->pair.type, depth_of(sum)));
    }
}

/* A segment of `length` elements, `width` apart; its items too where it is scanned. By
 * how many bounds a plain sum is off. */
static double check_bound(const struct sum *sum, size_t first, size_t width,
                          size_t length, size_t s)
{
    struct prefix prefix = { .any = false };

    if (sum->trial.init) {
        prefix_add(&prefix, sum->init, sum->pair.type);
    }
    for (size_t k = 0, i = first; k < length; ++k, i += width) {
        if (sum->trial.operation == CLFOLD_EXCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
        prefix_add(&prefix, values[i], sum->pair.type);
        if (sum->trial.operation == CLFOLD_INCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
    }
    if (!is_scan(sum) || (sum->trial.total && s + 1 == num_segments(sum))) {
        check_prefix(sum, &prefix, is_scan(sum) ? num_results(sum) : s);
    }
    return fabs(exact_error(&prefix.exact, isfinite(prefix.plain) ? prefix.plain : 0)) /
           prefix_bound(&prefix, sum->pair.type, depth_of(sum));
}

/* The model's bits, whose NaN is the usual one. */
static void check_bits(const struct sum *sum, size_t first, size_t width, size_t length,
                       size_t s)
{
    static double own[MOST + 1];
    const double is = read_sum(sum, s);
    const size_t size = size_of(sum->pair.type);
    unsigned char bits[8];
    struct model model;
    bool same;

    for (size_t k = 0; k < length; ++k) {
        own[k] = values[first + k * width];
    }
    own[length] = sum->init;
    model = model_of(sum->pair.type, own, length + (sum->trial.init != INIT_NONE));
    model.result = isnan(model.result) ? (double)NAN : model.result;
    write_number(sum->pair.type, (struct number){ 0, (long double)model.result }, bits);
    same = sum->form == PLAIN ? memcmp(bits, found + s * size, size) == 0
                              : memcmp(&is, &model.result, sizeof(is)) == 0 ||
                                    (isnan(is) && isnan(model.result));
    if (!same || (isfinite(is) && is != 0 &&
                  !(fabs(exact_error(&model.exact, is)) <= model.bound))) {
        explain(sum, s, is, model.result, same ? model.bound : 0);
    }
}

/* By how many bounds the worst plain sum is off. */
static double compare(const struct sum *sum)
{
    const size_t count = sum->trial.count;
    const size_t width = sum->trial.width ? sum->trial.width : 1;
    double worst = 0;

    for (size_t s = 0; s < num_segments(sum); ++s) {
        size_t length = sum->trial.length > 0 ? sum->trial.length : count;
        size_t first = s / width * width * length + s % width;
        length = count - first < length ? count - first : length;
        if (is_exact(sum)) {
            check_bits(sum, first, width, length, s);
        } else {
            worst = fmax(worst, check_bound(sum, first, width, length, s));
        }
    }
    return worst;
}

/* ---- All of them ------------------------------------------------------------------- */

/* How much the data tell: the worst plain sum, in bounds, and how many plain sums depend
 * on the order. */
struct shown {
    double plain;
    unsigned orders;
};

static void check_kind(struct sum *sum, unsigned turn, struct shown *shown)
{
    uint64_t state = turn + 1;
    const bool orders = is_exact(sum) && (sum->kind < WHOLE || sum->kind == WIDE);
    const struct sum_data data = data_of(sum);
    double sums[2] = { 0, 0 };

    draw_terms(&data, drawn, &state);
    for (unsigned order = 0; order < 1u + orders; ++order) {
        if (order > 0 || sum->kind == CANCELLING) {
            shuffle_terms(drawn, data.count, &state);
        }
        put_elements(sum, &state);
        sum->trial.in_offset = (turn + order) % 8;
        sum->trial.out_offset = sum->trial.in_place ? sum->trial.in_offset : turn % 4;
        run(sum);
        shown->plain = fmax(shown->plain, compare(sum));
        for (size_t i = 0; i < sum->trial.count; ++i) {
            sums[order] += values[i];
            sums[order] =
                sum->pair.type == CLFOLD_F32 ? (double)(float)sums[order] : sums[order];
        }
    }
    shown->orders += orders && sums[0] != sums[1];
}

/* One program with every kind of data, and counts around the ends of tiles; or rows and
 * columns, of which the last row may be short, and lanes be few or a multiple of 16. */
static void check_kinds(struct sum sum, enum way way, unsigned turn, struct shown *shown)
{
    static const size_t counts[] = {
        1000, 1, 4097, 0, 63, 64, 65, 2, 17, 2048, 4999, 48
    };
    static const struct {
        size_t count, width, length;
    } shapes[] = {
        { 1000, 1, 3 },      { 999, 1, 300 },    { 4900, 2, 350 },  { 4998, 34, 49 },
        { 15000, 1, 10000 }, { 4992, 16, 2 },    { 900, 1, 1 },     { 3500, 1, 1000 },
        { 5120, 256, 10 },   { 12000, 40, 300 }, { 4999, 1, 4999 }, { 2011, 1, 64 },
        { 4999, 1, 5000 },   { 4999, 1, 100 },   { 4998, 98, 51 },  { 4999, 1, 48 },
    };
    const unsigned num = is_exact(&sum) ? NUM_KINDS : 16;

    for (unsigned k = 0; k < num; ++k, ++turn) {
        struct trial *trial = &sum.trial;
        sum.kind = is_exact(&sum) ? (enum sum_kind)k
                   : k % 2        ? (enum sum_kind)(k / 2)
                                  : CANCELLING;
        sum.spread = turn % 4;
        trial->count = counts[(turn + k) % (sizeof(counts) / sizeof(counts[0]))];
        if (way >= BY_SEGMENTS) {
            const size_t shape = (turn + k) % 16;
            trial->count = shapes[shape].count;
            trial->width = shapes[shape].width;
            trial->length = shapes[shape].length;
        }
        if ((is_coarse(&sum) && (sum.kind > ZEROS || sum.kind == ASCENDING)) ||
            (way == BY_ROWS && trial->width > 1)) {
            continue;
        }
        const struct sum_data data = data_of(&sum);
        sum.init = sum_init(&data);
        trial->init = (enum init_from)(turn % 4 == 1 ? INIT_HOST + turn / 4 % 2 : 0);
        trial->total = is_scan(&sum) ? TOTAL_APART : TOTAL_NONE;
        trial->in_place = is_scan(&sum) && turn % 3 == 2 && sum.load != NEIGHBOUR &&
                          sum.form != STORED && size_of(sum.pair.in) == out_size(&sum);
        check_kind(&sum, turn, shown);
    }
}

static bool is_allowed(const void *user, const struct row *row)
{
    const struct pair pair = pairs[row->level[PAIR]];
    const enum loaded load = (enum loaded)row->level[LOAD];
    const enum form form = (enum form)row->level[FORM];
    const enum way way = (enum way)row->level[WAY];
    const struct debug *tile = tile_of(row->level[TILE]);
    const bool scans =
        row->level[PROMISE] == PREFIXES || row->level[PROMISE] == PREFIXES_BEFORE;
    const bool has_tile = way == BY_POLICY || way >= BY_SINGLE_GROUP;

    (void)user;
    if ((form == WIDENED && (pair.type == CLFOLD_F64 || !device.has_f64)) ||
        (!device.has_f64 && (pair.in == CLFOLD_F64 || pair.type == CLFOLD_F64)) ||
        (load == ITSELF && pair.in != pair.type && pair.in != CLFOLD_F16) ||
        (load == PRODUCT && pair.in != pair.type && pair.in != CLFOLD_F16) ||
        (load == CONVERTED && (pair.in == pair.type || pair.in == CLFOLD_F16)) ||
        (load == NEIGHBOUR && pair.in != pair.type)) {
        return false;
    }
    if ((!has_tile && row->level[TILE] > 0) || !policy_has_tile(tile->tile) ||
        (tile->tile == TILE_VECTOR &&
         clfold_platform_miscopies(ctx->caps.facts.platform))) {
        return false; /* lanes are no vectors there */
    }
    /* Scans of segments take no results yet. */
    return scans ? way != BY_RUNGS && way != BY_MORE_RUNGS &&
                       (way < BY_SEGMENTS || form == PLAIN)
                 : way < BY_SINGLE_GROUP || way > BY_CHAIN;
}

static void check_promises(enum promise first, enum promise last)
{
    const struct factors factors = {
        .num = NUM_FACTORS,
        .levels = { [PROMISE] = NUM_PROMISES,
                    [PAIR] = NUM_PAIRS_HERE,
                    [LOAD] = NUM_LOADS,
                    [FORM] = NUM_FORMS,
                    [TILE] = NUM_TILES,
                    [WAY] = NUM_WAYS },
        .allowed = is_allowed,
    };
    static struct row rows[400];
    static struct pairs wanted;
    const size_t num = pairwise(&factors, rows, 400, &wanted);
    struct shown shown[NUM_PAIRS_HERE] = { { 0, 0 } };
    unsigned rungs = 0, orders = 0;

    assert_true(num > 0);
    for (size_t r = 0; r < num; ++r) {
        const uint8_t *level = rows[r].level;
        const enum way way = (enum way)level[WAY];
        char rung[] = "reduce0";
        struct sum sum = {
            .promise = (enum promise)level[PROMISE],
            .pair = pairs[level[PAIR]],
            .load = (enum loaded)level[LOAD],
            .form = (enum form)level[FORM],
            .trial = { .operation = level[PROMISE] == REPRODUCIBLE
                                        ? CLFOLD_REDUCE
                                        : CLFOLD_REDUCE + level[PROMISE],
                       .plan = *tile_of(level[TILE]) },
        };
        if (sum.promise < first || sum.promise > last) {
            continue;
        }
        sum.trial.algorithm = ways[way][is_scan(&sum)];
        if (way == BY_RUNGS || way == BY_MORE_RUNGS) {
            rung[6] = (char)('0' + rungs++ % 7);
            sum.trial.algorithm = rung;
        }
        check_kinds(sum, way, (unsigned)r, &shown[level[PAIR]]);
    }
    /* The data tell plain sums from others, and those that depend on the order. */
    for (size_t p = 0; p < NUM_PAIRS_HERE && device.has_f64; ++p) {
        assert_true(first == REPRODUCIBLE || shown[p].plain > 10);
        orders += shown[p].orders;
    }
    assert_true(first != REPRODUCIBLE || !device.has_f64 || orders > 10);
    assert_true(rungs >= 7 || !device.has_f64);
    clfold_context_override(ctx, NULL);
}

static void test_compensated(void **state)
{
    (void)state;
    check_promises(SUM, PREFIXES_BEFORE);
}

static void test_reproducible(void **state)
{
    (void)state;
    check_promises(REPRODUCIBLE, REPRODUCIBLE);
}

/* Columns so long that the parts of the greatest numbers that there are in a bin do not
 * fit into 32 bits; see binned_numbers.cl. */
static void test_long_columns(void **state)
{
    struct shown shown = { 0, 0 };
    struct sum sum = { .promise = REPRODUCIBLE,
                       .pair = pairs[0],
                       .kind = FULL,
                       .trial = { .operation = CLFOLD_REDUCE,
                                  .count = MOST,
                                  .width = 16,
                                  .length = 17000,
                                  .plan = { .tile_elements = 16, .max_groups = 1 } } };

    (void)state;
    check_kind(&sum, 0, &shown);
    clfold_context_override(ctx, NULL);
}

/* Texts that each device rounds in its own way have one sum there, by any algorithm. The
 * last one is another number in vectors, by less than widths may differ in plain sums. */
static void test_own_rounding(void **state)
{
    static const struct debug plans[] = { [2] = { .tile = TILE_ITEM,
                                                  .tile_elements = 50 } };
    static const char *const texts[] = { "exp(x)", "x / 3 + sqrt(fabs(x))",
                                         "x * (sizeof(x) > 8 ? 1.0000002f : 1.0f)" };
    const int num = policy_has_tile(TILE_ITEM) ? 3 : 2;
    float data[4997], results[3];
    uint64_t seed = 9;

    (void)state;
    for (size_t i = 0; i < 4997; ++i) {
        data[i] = (float)draw_term(&seed, -3, 6);
    }
    for (int k = 0; k < 3 * num; ++k) {
        const int way = k % num;
        const struct subject subject = { .fold = { .name = "own rounding",
                                                   .op = CLFOLD_ADD,
                                                   .type = CLFOLD_F32,
                                                   .accuracy = CLFOLD_REPRODUCIBLE,
                                                   .load = texts[k / num] },
                                         .size = sizeof(float) };
        const struct trial trial = { .subject = &subject,
                                     .operation = CLFOLD_REDUCE,
                                     .algorithm = way == 1 ? "serial" : NULL,
                                     .plan = plans[way],
                                     .count = 4997,
                                     .elements = data,
                                     .unknown = true };
        assert_true(trial_check(&trial, &results[way]));
        assert_memory_equal(&results[way], &results[0], sizeof(float));
    }
}

static void test_verified_sums(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };
    const struct sum sum = { .promise = REPRODUCIBLE,
                             .pair = pairs[0],
                             .trial = { .operation = CLFOLD_REDUCE } };
    clfold_context *plain = ctx;
    struct shown shown = { 0, 0 };

    (void)state;
    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    check_kinds(sum, BY_POLICY, 0, &shown);
    clfold_context_destroy(&ctx);
    ctx = plain;
}

TEST_MAIN("accuracy", open_context, close_context, cmocka_unit_test(test_compensated),
          cmocka_unit_test(test_reproducible), cmocka_unit_test(test_long_columns),
          cmocka_unit_test(test_own_rounding), cmocka_unit_test(test_verified_sums))
