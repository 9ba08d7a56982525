/*
 * Sums that are promised more than a plain sum, of what a load gives and with results,
 * against sums without rounding: in whole scans and reductions, by every algorithm, on
 * every tile. Compensated ones are within their bound, on data that cancel; reproducible
 * ones have the bits of the model. Without texts, in segments, verified: trials.c.
 */
#include <clfold/experimental.h>
#include "pairwise.h"
#include "sums.h"
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#include <float.h>
#include <math.h>

#define MOST 5000

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

/* Of reductions, where a rung is one of the ladder, in turn, and of scans. */
enum way {
    BY_POLICY,
    BY_SERIAL,
    BY_RUNG,
    BY_OTHER_RUNG,
    BY_LOOKBACK,
    BY_TOTALS,
    NUM_WAYS
};
static const char *const ways[NUM_WAYS][2] = {
    [BY_SERIAL] = { "serial", "serial" },
    [BY_RUNG] = { "reduce", "scan_single_group" },
    [BY_OTHER_RUNG] = { "reduce", "scan_chained" },
    [BY_LOOKBACK] = { NULL, "scan_lookback" },
    [BY_TOTALS] = { NULL, "reduce_then_scan" },
};

struct sum {
    bool is_exact; /* reproducible */
    enum loaded load;
    enum form form;
    struct sum_data data;
    double init; /* if trial.init says so */
    struct trial trial;
};

/* Elements that cannot be of any size, whatever else they are multiplied by. */
static bool is_coarse(const struct sum *sum)
{
    const clfold_type in = sum->data.pair.in;

    return sum->load < PRODUCT && (!is_float(in) || in == CLFOLD_F16);
}

static clfold_type out_type(const struct sum *sum)
{
    return sum->form == WIDENED ? CLFOLD_F64 : sum->data.pair.type;
}

static size_t out_size(const struct sum *sum)
{
    return (sum->form == TWICE ? 2 : 1) * size_of(out_type(sum));
}

/* ---- Data -------------------------------------------------------------------------- */

static unsigned char elements[MOST * 8], stream[MOST * 8], found[(MOST + 1) * 16];
static double drawn[MOST], values[MOST + 1]; /* what is folded, and init */

/* One product, difference or element, rounded to the sum's type. */
static double load_one(const struct sum *sum, double x, double before, double y)
{
    const double value = sum->load == NEIGHBOUR ? x - before
                         : sum->load >= PRODUCT ? x * y
                                                : x;

    /* Doubles hold products of floats and round other numbers to floats once. */
    return sum->data.pair.type == CLFOLD_F32 ? (double)(float)value : value;
}

/* Elements of which the load gives about what is drawn: factors of half its exponent. */
static void put_elements(const struct sum *sum, uint64_t *state)
{
    const struct pair pair = sum->data.pair;
    double x = 0, y;
    int exponent;

    for (size_t i = 0; i < sum->data.count; ++i) {
        const double wanted = drawn[i], before = x;
        frexp(isfinite(wanted) ? wanted : 1, &exponent);
        y = draw_term(state, exponent / 2, 1);
        x = wanted;
        if (sum->load == NEIGHBOUR) {
            x += isfinite(before) ? before : 0;
        } else if (pair.in == CLFOLD_U8 && sum->load == CONVERTED) {
            x = (double)(1 + next_random(state) % 255);
            y = wanted / x;
        } else if (pair.in == CLFOLD_F16 && sum->load == PRODUCT) {
            x = put_term(CLFOLD_F16, elements, i, draw_term(state, 0, 5));
            y = wanted / x;
        } else if (sum->load >= PRODUCT) {
            x /= y;
        }
        x = put_term(pair.in, elements, i, x);
        y = put_term(pair.type, stream, i, y);
        values[i] = load_one(
            sum, sum->load >= PRODUCT && pair.type == CLFOLD_F32 ? (double)(float)x : x,
            before, y);
    }
}

/* ---- One call ---------------------------------------------------------------------- */

static void run(struct sum *sum)
{
    const struct pair pair = sum->data.pair;
    const size_t size = size_of(pair.type), count = sum->data.count;
    const cl_ulong last = trial_reduces(&sum->trial) ? 0 : count - 1;
    const bool has_text = sum->load || (sum->form != PLAIN && sum->form != WIDENED);
    cl_mem y = has_text ? coloured_buffer((count + 8) * size) : NULL;
    const clfold_arg args[] = { CLFOLD_STREAM(pair.type, y, y, 3),
                                CLFOLD_VALUE("ulong", last, last) };
    unsigned char init[8];
    const struct subject subject = {
        .fold = { .name = "sum",
                  .op = CLFOLD_ADD,
                  .type = pair.type,
                  .in = pair.in,
                  .accuracy = sum->is_exact ? CLFOLD_REPRODUCIBLE : CLFOLD_COMPENSATED,
                  .load = load_texts[sum->load][pair.type == CLFOLD_F64],
                  .result = result_texts[sum->form],
                  .store = sum->form == STORED ? "out[last - i] = item;" : NULL,
                  .out = sum->form == WIDENED ? CLFOLD_F64 : 0,
                  .out_scalars = sum->form == TWICE ? 2 : 0,
                  .args = has_text ? args : NULL,
                  .num_args = has_text ? 2 : 0 },
        .size = size,
        .in_size = size_of(pair.in),
        .out_size = out_size(sum),
    };

    write_number(pair.type, (struct number){ 0, (long double)sum->init }, init);
    if (has_text) {
        write_buffer(y, 3 * size, count * size, stream);
    }
    sum->trial.subject = &subject;
    sum->trial.elements = elements;
    sum->trial.init_value = init;
    sum->trial.unknown = true;
    assert_true(trial_check(&sum->trial, found));
    sum->trial.subject = NULL;
    if (y) {
        clReleaseMemObject(y);
    }
}

/* ---- What must come out ------------------------------------------------------------ */

static void explain(const struct sum *sum, size_t i, double is, double expected,
                    double bound)
{
    char call[512];

    trial_print(&sum->trial, call, sizeof(call));
    fail_msg("%s, %s, %s into %s, load %d, form %d, kind %d: result %zu is %.17g instead "
             "of %.17g, within %g",
             call, sum->is_exact ? "reproducible" : "compensated",
             name_of(sum->data.pair.in), name_of(sum->data.pair.type), (int)sum->load,
             (int)sum->form, (int)sum->data.kind, i, is, expected, bound);
}

/* The sum that result i was made of; past them, the total. */
static double read_sum(const struct sum *sum, size_t i)
{
    const clfold_type type = out_type(sum);
    const size_t num = trial_reduces(&sum->trial) ? 1 : sum->data.count;
    const unsigned char *at =
        found + (sum->form == STORED ? num - 1 - i : i) * out_size(sum);
    double is, twice;

    if (i >= num) {
        return as_double(sum->data.pair.type, found + num * out_size(sum));
    }
    is = as_double(type, at);
    twice = type == CLFOLD_F32 ? (double)(float)(2 * is) : 2 * is;
    if (sum->form == TWICE && !isnan(is) &&
        as_double(type, at + size_of(type)) != twice) {
        explain(sum, i, as_double(type, at + size_of(type)), twice, 0);
    }
    return sum->form == NEGATED ? -is : is;
}

static void check_prefix(const struct sum *sum, const struct prefix *prefix, size_t i)
{
    /* Additions from an element to the result, at most, see tiles. */
    const double depth =
        (trial_is_by(&sum->trial, "serial") ? (double)sum->data.count : 300) +
        sum->trial.plan.tile_elements / 8.;
    const double is = read_sum(sum, i);
    struct sum_data data = sum->data;

    /* What a load makes of exact ones rounds. */
    data.kind = sum->load >= PRODUCT && data.kind <= ZEROS ? CANCELLING : data.kind;
    if (!prefix_agrees(prefix, &data, depth, is)) {
        explain(sum, i, is,
                isfinite(prefix->plain) ? exact_value(&prefix->exact) : prefix->plain,
                prefix_bound(prefix, data.pair.type, depth));
    }
}

/* By how many bounds a plain sum is off, as if it had been added up in 300 steps. */
static double check_bound(const struct sum *sum)
{
    const clfold_type type = sum->data.pair.type;
    struct prefix prefix = { .any = false };

    if (sum->trial.init) {
        prefix_add(&prefix, sum->init, type);
    }
    for (size_t i = 0; i < sum->data.count; ++i) {
        if (sum->trial.operation == CLFOLD_EXCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
        prefix_add(&prefix, values[i], type);
        if (sum->trial.operation == CLFOLD_INCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
    }
    check_prefix(sum, &prefix, trial_reduces(&sum->trial) ? 0 : sum->data.count);
    return fabs(exact_error(&prefix.exact, isfinite(prefix.plain) ? prefix.plain : 0)) /
           prefix_bound(&prefix, type, 300);
}

/* The model's bits, whose NaN is the usual one. */
static void check_bits(const struct sum *sum)
{
    const double is = read_sum(sum, 0);
    struct model model;

    values[sum->data.count] = sum->init;
    model = model_of(sum->data.pair.type, values,
                     sum->data.count + (sum->trial.init != INIT_NONE));
    if (!(memcmp(&is, &model.result, sizeof(is)) == 0 ||
          (isnan(is) && isnan(model.result)))) {
        explain(sum, 0, is, model.result, 0);
    }
    if (isfinite(is) && is != 0 &&
        !(fabs(exact_error(&model.exact, is)) <= model.bound)) {
        explain(sum, 0, is, model.sum, model.bound);
    }
}

/* ---- All of them ------------------------------------------------------------------- */

/* One program with every kind of data, and counts around the ends of tiles. By how many
 * bounds the worst plain sum is off. */
static double check_kinds(struct sum sum, unsigned turn)
{
    static const size_t counts[] = {
        1000, 1, 4097, 0, 63, 64, 65, 2, 17, 2048, 4999, 48
    };
    const unsigned num = sum.is_exact ? NUM_KINDS : 16;
    struct trial *const trial = &sum.trial;
    double worst = 0;

    for (unsigned k = 0; k < num; ++k, ++turn) {
        uint64_t state = turn + 1;
        sum.data.kind = sum.is_exact ? (enum sum_kind)k
                        : k % 2      ? (enum sum_kind)(k / 2)
                                     : CANCELLING;
        sum.data.spread = turn % 4;
        sum.data.count = counts[(turn + k) % (sizeof(counts) / sizeof(counts[0]))];
        if (is_coarse(&sum) && (sum.data.kind > ZEROS || sum.data.kind == ASCENDING)) {
            continue;
        }
        draw_terms(&sum.data, drawn, &state);
        if (sum.data.kind == CANCELLING) {
            shuffle_terms(drawn, sum.data.count, &state);
        }
        put_elements(&sum, &state);
        sum.init = sum_init(&sum.data);
        trial->count = sum.data.count;
        trial->init = (enum init_from)(turn % 4 == 1 ? INIT_HOST + turn / 4 % 2 : 0);
        trial->total = trial_reduces(trial) ? TOTAL_NONE : TOTAL_APART;
        trial->in_place = !trial_reduces(trial) && turn % 3 == 2 &&
                          sum.load != NEIGHBOUR && sum.form != STORED &&
                          size_of(sum.data.pair.in) == out_size(&sum);
        trial->in_offset = turn % 8;
        trial->out_offset = trial->in_place ? trial->in_offset : turn % 4;
        run(&sum);
        if (sum.is_exact) {
            check_bits(&sum);
        } else {
            worst = fmax(worst, check_bound(&sum));
        }
    }
    return worst;
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
    const bool has_tile = way != BY_SERIAL && (scans || way < BY_RUNG);
    const bool is_like = pair.in == pair.type || pair.in == CLFOLD_F16;

    (void)user;
    return (form != WIDENED || (pair.type != CLFOLD_F64 && device.has_f64)) &&
           (device.has_f64 || (pair.in != CLFOLD_F64 && pair.type != CLFOLD_F64)) &&
           (load == NO_LOAD || is_like == (load != CONVERTED)) &&
           (load != NEIGHBOUR || pair.in == pair.type) &&
           (has_tile || row->level[TILE] == 0) && policy_has_tile(tile->tile) &&
           /* Lanes are no vectors there. */
           !(tile->tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform)) &&
           (scans || way <= BY_OTHER_RUNG);
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
    double plain[NUM_PAIRS_HERE] = { 0 };
    unsigned rungs = 0;

    assert_true(num > 0);
    for (size_t r = 0; r < num; ++r) {
        const uint8_t *level = rows[r].level;
        const enum promise promise = (enum promise)level[PROMISE];
        const bool is_scan = promise == PREFIXES || promise == PREFIXES_BEFORE;
        const char *const algorithm = ways[level[WAY]][is_scan];
        char rung[] = "reduce0";
        struct sum sum = {
            .is_exact = promise == REPRODUCIBLE,
            .data = { .pair = pairs[level[PAIR]], .is_exact = promise == REPRODUCIBLE },
            .load = (enum loaded)level[LOAD],
            .form = (enum form)level[FORM],
            .trial = { .operation = is_scan ? CLFOLD_REDUCE + promise : CLFOLD_REDUCE,
                       .algorithm = algorithm,
                       .plan = *tile_of(level[TILE]) }
        };
        if (promise < first || promise > last) {
            continue;
        }
        const int num_calls = !is_scan && level[WAY] >= BY_RUNG ? 4 : 1;
        for (int k = 0; k < num_calls; ++k) {
            if (num_calls > 1) {
                rung[6] = (char)('0' + rungs++ % 7);
                sum.trial.algorithm = rung;
            }
            plain[level[PAIR]] = fmax(plain[level[PAIR]], check_kinds(sum, (unsigned)r));
        }
    }
    /* The data tell plain sums from others. */
    for (size_t p = 0; p < NUM_PAIRS_HERE && device.has_f64; ++p) {
        assert_true(first == REPRODUCIBLE || plain[p] > 10);
    }
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
    const struct trial trial = { .op = CLFOLD_ADD,
                                 .pair = pairs[0],
                                 .operation = CLFOLD_REDUCE,
                                 .count = 272000,
                                 .width = 16,
                                 .length = 17000,
                                 .plan = { .tile_elements = 16, .max_groups = 1 },
                                 .rounds = true,
                                 .accuracy = CLFOLD_REPRODUCIBLE,
                                 .seed = FULL };

    (void)state;
    trial_check(&trial, NULL);
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

TEST_MAIN("accuracy", open_context, close_context, cmocka_unit_test(test_compensated),
          cmocka_unit_test(test_reproducible), cmocka_unit_test(test_long_columns),
          cmocka_unit_test(test_own_rounding))
