/*
 * Sums that are promised more than a plain sum, of what a load gives and with results,
 * against sums without rounding: in whole scans and reductions, by every algorithm, on
 * every tile. Compensated ones are within their bound, on data that cancel; reproducible
 * ones have the bits of the model. Without texts, in segments, verified: trials.c.
 */
#include <clfold/experimental.h>
#include "sums.h"
#include "test.h"
#include "trial.h"

#include "base/platform.h"
#include "ops/context.h"

#include <float.h>
#include <math.h>

#define MOST         5000
#define NUM_PROGRAMS 45 /* of each accuracy */
#define NUM_CALLS    12 /* of each program */
#define COUNT_OF(a)  (sizeof(a) / sizeof((a)[0]))

/* ---- Programs ---------------------------------------------------------------------- */

/* What is folded of an element x and of a stream y, for a sum in F32 and in F64. */
static const struct load_text {
    clfold_type in; /* 0: as the sum */
    const char *texts[2];
} loads[] = {
    { 0, { NULL, NULL } },
    { 0, { "x * y", "x * y" } },
    { CLFOLD_F16, { "x * y", "to_f64(x) * y" } },
    { CLFOLD_U8, { "to_f32(x) * y", "to_f64(x) * y" } },
};

/* What is written of a sum: it, its opposite, it twice, it in F64, or by a statement,
 * from the end. */
static const struct form {
    const char *result, *store;
    uint32_t scalars; /* 0: one */
    clfold_type out;  /* 0: as the sum */
} forms[] = {
    { 0 },
    { .result = "-item" },
    { .result = "{ item, item }", .scalars = 2 },
    { .out = CLFOLD_F64 },
    { .store = "out[last - i] = item;" },
};

/* Beside trial_tiles; the second has blocks as long as they get: binned_numbers.cl. */
static const struct debug vectors[] = {
    { .tile = TILE_VECTOR, .tile_elements = 256, .max_groups = 3, .anchor = 1 },
    { .tile = TILE_VECTOR, .tile_elements = 4900, .max_groups = 1, .anchor = 4 },
};

/* Of reductions, and of scans; the first two take tiles, and of scans all but these. */
static const char *const reductions[] = { NULL,      NULL,      "serial",  "reduce0",
                                          "reduce1", "reduce2", "reduce3", "reduce4",
                                          "reduce5", "reduce6" };
static const char *const scans[] = { NULL,
                                     NULL,
                                     "serial",
                                     "scan_single_group",
                                     "scan_chained",
                                     "scan_lookback",
                                     "reduce_then_scan" };

struct sum {
    clfold_type type;
    uint32_t accuracy;
    const struct load_text *load;
    const struct form *form;
    struct sum_data data;
    struct trial trial;
};

static clfold_type in_type(const struct sum *sum)
{
    return sum->load->in ? sum->load->in : sum->type;
}

static clfold_type out_type(const struct sum *sum)
{
    return sum->form->out ? sum->form->out : sum->type;
}

static size_t out_size(const struct sum *sum)
{
    return (sum->form->scalars ? 2 : 1) * size_of(out_type(sum));
}

static void draw_sum(struct sum *sum, uint32_t accuracy, uint64_t *seed)
{
    const size_t tile = draw(seed, NUM_TRIAL_TILES + COUNT_OF(vectors));
    struct trial *trial = &sum->trial;
    const bool reduces = accuracy == CLFOLD_REPRODUCIBLE || draw(seed, 3) == 0;

    *sum =
        (struct sum){ .type = draw(seed, 2) && device.has_f64 ? CLFOLD_F64 : CLFOLD_F32,
                      .accuracy = accuracy,
                      .load = &loads[draw(seed, COUNT_OF(loads))],
                      .form = &forms[draw(seed, COUNT_OF(forms))] };
    sum->form = sum->form->out && !device.has_f64 ? forms : sum->form;
    trial->operation = reduces ? CLFOLD_REDUCE : scan_of(draw(seed, 2));
    trial->algorithm = reduces ? reductions[draw(seed, COUNT_OF(reductions))]
                               : scans[draw(seed, COUNT_OF(scans))];
    if (trial->algorithm && (reduces || trial_is_by(trial, "serial"))) {
        return;
    }
    trial->plan =
        tile < NUM_TRIAL_TILES ? trial_tiles[tile] : vectors[tile - NUM_TRIAL_TILES];
    /* Lanes are no vectors there. */
    if (!policy_has_tile(trial->plan.tile) ||
        (trial->plan.tile == TILE_VECTOR &&
         clfold_platform_miscopies(ctx->caps.facts.platform))) {
        trial->plan = trial_tiles[0];
    }
}

/* ---- Calls ------------------------------------------------------------------------- */

static unsigned char wanted[MOST * 8], elements[MOST * 8], stream[MOST * 8];
static unsigned char found[(MOST + 1) * 16];
static double values[MOST + 1]; /* what is folded, and init */

/* Elements of which the load gives about what is wanted: factors of half its exponent.
 * What it gives is rounded to the sum's type. */
static void fill_elements(struct sum *sum, unsigned char *init, uint64_t seed)
{
    const clfold_type in = in_type(sum);
    const size_t count = sum->trial.count, size = size_of(sum->type);

    sum->data =
        sum_data_of((struct pair){ sum->type, sum->type }, sum->accuracy, count, seed);
    fill_sum(&sum->data, wanted, init, seed);
    for (size_t i = 0; i < count; ++i) {
        const double value = as_double(sum->type, wanted + i * size);
        int exponent = 0;
        double x = (double)(1 + draw(&seed, 255)), y;
        if (!sum->load->texts[0]) {
            values[i] = put_term(in, elements, i, value);
            continue;
        }
        frexp(isfinite(value) ? value : 1, &exponent);
        if (is_float(in)) {
            x = draw_term(&seed, in == CLFOLD_F16 ? 0 : exponent / 2, 1);
        }
        x = put_term(in, elements, i, x);
        y = put_term(sum->type, stream, i, value / x);
        /* Doubles hold products of floats. */
        values[i] = sum->type == CLFOLD_F32 ? (double)(float)(x * y) : x * y;
    }
    values[count] = as_double(sum->type, init);
    /* Products of sums that were exact round. */
    sum->data.kind =
        sum->load->texts[0] && sum->data.kind == WHOLE ? NARROW : sum->data.kind;
}

static void run(struct sum *sum, const unsigned char *init)
{
    const size_t size = size_of(sum->type), count = sum->trial.count;
    const cl_ulong last = trial_reduces(&sum->trial) ? 0 : count - 1;
    const bool has_text = sum->load->texts[0] || sum->form->result || sum->form->store;
    cl_mem y = has_text ? coloured_buffer((count + 8) * size) : NULL;
    const clfold_arg args[] = { CLFOLD_STREAM(sum->type, y, y, 3),
                                CLFOLD_VALUE("ulong", last, last) };
    const struct subject subject = {
        .fold = { .name = "sum",
                  .op = CLFOLD_ADD,
                  .type = sum->type,
                  .in = in_type(sum),
                  .accuracy = sum->accuracy,
                  .load = sum->load->texts[sum->type == CLFOLD_F64],
                  .result = sum->form->result,
                  .store = sum->form->store,
                  .out = sum->form->out,
                  .out_scalars = sum->form->scalars,
                  .args = has_text ? args : NULL,
                  .num_args = has_text ? 2 : 0 },
        .size = size,
        .in_size = size_of(in_type(sum)),
        .out_size = out_size(sum),
    };

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
    fail_msg("%s, accuracy %u, %s into %s, load %zu, form %zu, kind %d: result %zu is "
             "%.17g instead of %.17g, within %g",
             call, sum->accuracy, name_of(in_type(sum)), name_of(sum->type),
             (size_t)(sum->load - loads), (size_t)(sum->form - forms),
             (int)sum->data.kind, i, is, expected, bound);
}

/* The sum that result i was made of; past them, the total. */
static double read_sum(const struct sum *sum, size_t i)
{
    const size_t num = trial_reduces(&sum->trial) ? 1 : sum->trial.count;
    const size_t size = size_of(out_type(sum));
    const unsigned char *at =
        found + (sum->form->store && i < num ? num - 1 - i : i) * out_size(sum);
    const double is = as_double(i < num ? out_type(sum) : sum->type, at);

    if (i < num && sum->form->scalars && memcmp(at, at + size, size) != 0) {
        explain(sum, i, as_double(sum->type, at + size), is, 0);
    }
    return i < num && sum->form == &forms[1] ? -is : is;
}

static void check_prefix(const struct sum *sum, const struct prefix *prefix, size_t i)
{
    /* Additions from an element to the result, at most, see tiles. */
    const double depth =
        (trial_is_by(&sum->trial, "serial") ? (double)sum->trial.count : 300) +
        sum->trial.plan.tile_elements / 8.;
    const double is = read_sum(sum, i);

    if (!prefix_agrees(prefix, &sum->data, depth, is)) {
        explain(sum, i, is,
                isfinite(prefix->plain) ? exact_value(&prefix->exact) : prefix->plain,
                prefix_bound(prefix, sum->type, depth));
    }
}

/* By how many bounds a plain sum is off, as if it had been added up in 300 steps. */
static double check_bound(const struct sum *sum)
{
    struct prefix prefix = { .any = false };
    const size_t count = sum->trial.count;

    if (sum->trial.init) {
        prefix_add(&prefix, values[count], sum->type);
    }
    for (size_t i = 0; i < count; ++i) {
        if (sum->trial.operation == CLFOLD_EXCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
        prefix_add(&prefix, values[i], sum->type);
        if (sum->trial.operation == CLFOLD_INCLUSIVE_SCAN) {
            check_prefix(sum, &prefix, i);
        }
    }
    check_prefix(sum, &prefix, trial_reduces(&sum->trial) ? 0 : count);
    return fabs(exact_error(&prefix.exact, isfinite(prefix.plain) ? prefix.plain : 0)) /
           prefix_bound(&prefix, sum->type, 300);
}

/* The model's bits, whose NaN is the usual one. Returns whether a plain sum rounds. */
static bool check_bits(const struct sum *sum)
{
    const double is = read_sum(sum, 0);
    const size_t num = sum->trial.count + (sum->trial.init != INIT_NONE);
    const struct model model = model_of(sum->type, values, num);
    struct prefix sums = { 0 };

    if (!(memcmp(&is, &model.result, sizeof(is)) == 0 ||
          (isnan(is) && isnan(model.result)))) {
        explain(sum, 0, is, model.result, 0);
    }
    for (size_t i = 0; i < num; ++i) {
        prefix_add(&sums, values[i], sum->type);
    }
    return isfinite(is) && is != sums.plain;
}

/* ---- All of them ------------------------------------------------------------------- */

static void check_accuracy(uint32_t accuracy)
{
    uint64_t seed = accuracy;
    double plain = 0;
    int num_rounded = 0;

    for (int k = 0; k < NUM_PROGRAMS * NUM_CALLS; ++k) {
        static struct sum sum;
        struct trial *const trial = &sum.trial;
        unsigned char init[8];
        if (k % NUM_CALLS == 0) {
            draw_sum(&sum, accuracy, &seed);
        }
        trial->count = draw(&seed, MOST) >> draw(&seed, 12);
        trial->init = (enum init_from)draw(&seed, INIT_DEVICE + 1);
        trial->total = trial_reduces(trial) ? TOTAL_NONE : TOTAL_APART;
        trial->in_offset = draw(&seed, 8);
        trial->out_offset = draw(&seed, 4);
        fill_elements(&sum, init, next_random(&seed) >> 20);
        run(&sum, init);
        if (accuracy == CLFOLD_REPRODUCIBLE) {
            num_rounded += check_bits(&sum);
        } else {
            plain = fmax(plain, check_bound(&sum));
        }
    }
    /* The data tell plain sums from others. */
    assert_true(accuracy == CLFOLD_REPRODUCIBLE ? num_rounded > 10 : plain > 10);
    clfold_context_override(ctx, NULL);
}

static void test_compensated(void **state)
{
    check_accuracy(CLFOLD_COMPENSATED);
}

static void test_reproducible(void **state)
{
    check_accuracy(CLFOLD_REPRODUCIBLE);
}

/* Columns so long that the parts of the greatest numbers that there are in a bin do not
 * fit into 32 bits; see binned_numbers.cl. */
static void test_long_columns(void **state)
{
    const struct trial trial = { .op = CLFOLD_ADD,
                                 .pair = { CLFOLD_F32, CLFOLD_F32 },
                                 .operation = CLFOLD_REDUCE,
                                 .count = 272000,
                                 .width = 16,
                                 .length = 17000,
                                 .plan = { .tile_elements = 16, .max_groups = 1 },
                                 .rounds = true,
                                 .accuracy = CLFOLD_REPRODUCIBLE,
                                 .seed = FULL };

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
