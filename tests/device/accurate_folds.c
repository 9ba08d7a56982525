/*
 * Sums of either accuracy of what a load gives, of rows and columns, and with results,
 * against sums without rounding, on data that cancel: compensated ones are within their
 * bound, reproducible ones have the bits of the model, whatever cuts them.
 */
#define CLFOLD_EXPERIMENTAL
#include "binned_model.h"
#include "exact.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <float.h>
#include <math.h>

#define MOST 15000
#define ZONE 8 /* elements on either side of the results */

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
    { .tile = TILE_VECTOR, .tile_elements = 256, .max_groups = 3, .anchor = 1 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

/* What is folded of x, of the element before it and of a stream y. */
enum loaded { NO_LOAD, ITSELF, PRODUCT, CONVERTED, NEIGHBOUR };

/* For a sum in F32 and in F64. */
static const char *const load_texts[][2] = {
    [ITSELF] = { "x", "x" },
    [PRODUCT] = { "x * y", "x * y" },
    [CONVERTED] = { "to_f32(x) * y", "to_f64(x) * y" },
    [NEIGHBOUR] = { "i > 0 ? x - in[i - 1] : x", "i > 0 ? x - in[i - 1] : x" },
};

/* What is written of a sum: it, its opposite, it and its double, it in F64, or by a
 * statement, from the end. */
enum form { PLAIN, NEGATED, TWICE, WIDENED, STORED };

static const struct accurate_case {
    struct pair pair;
    enum loaded load;
    enum form form;
} cases[] = {
    { { CLFOLD_F32, CLFOLD_F32 }, PRODUCT, PLAIN },
    { { CLFOLD_F64, CLFOLD_F64 }, PRODUCT, NEGATED },
    { { CLFOLD_F32, CLFOLD_F32 }, NO_LOAD, TWICE },
    { { CLFOLD_F32, CLFOLD_F32 }, NO_LOAD, PLAIN },
    { { CLFOLD_F16, CLFOLD_F32 }, PRODUCT, STORED },
    { { CLFOLD_U8, CLFOLD_F32 }, CONVERTED, WIDENED },
    { { CLFOLD_F32, CLFOLD_F64 }, CONVERTED, TWICE },
    { { CLFOLD_F32, CLFOLD_F32 }, NEIGHBOUR, NEGATED },
    { { CLFOLD_F64, CLFOLD_F64 }, NO_LOAD, PLAIN },
    { { CLFOLD_U8, CLFOLD_F64 }, CONVERTED, PLAIN },
    { { CLFOLD_F16, CLFOLD_F32 }, ITSELF, NEGATED },
    { { CLFOLD_F64, CLFOLD_F64 }, NEIGHBOUR, STORED },
};
#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

/* Segments, 0: none; the last row may be short, and lanes be few or a multiple of 16. */
static const struct shape_case {
    size_t count, width, length;
} shapes[] = {
    { 1000, 0, 0 },      { 1, 0, 0 },       { 4999, 0, 0 },   { 900, 1, 1 },
    { 1000, 1, 3 },      { 2011, 1, 64 },   { 4999, 1, 48 },  { 3500, 1, 1000 },
    { 15000, 1, 10000 }, { 4998, 34, 49 },  { 4900, 2, 350 }, { 5120, 256, 10 },
    { 12000, 40, 300 },  { 4999, 1, 5000 },
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* ---- Data -------------------------------------------------------------------------- */

enum kind { CANCELLING, SPREAD, ASCENDING, TINY, SPECIAL, KINDS };

static unsigned char elements[MOST * 8], stream[MOST * 8], found[(MOST + 2 * ZONE) * 16];
static double values[MOST + 1]; /* what is folded, and init */

/* x, rounded to `type`. */
static double put(clfold_type type, unsigned char *data, size_t i, double x)
{
    unsigned char *at = data + i * size_of(type);
    struct number number = { .real = x, .integer = (uint64_t)(int64_t)x };

    write_number(type, number, at);
    return type == CLFOLD_U8 ? (double)*at : (double)read_number(type, at).real;
}

static double draw(uint64_t *state, int binades)
{
    double fraction = 1 + ldexp((double)(next_random(state) >> 12), -52);
    int exponent = (int)(next_random(state) % (unsigned)(2 * binades + 1)) - binades;

    return ldexp(next_random(state) % 2 ? fraction : -fraction, exponent);
}

/* One product, difference or element, rounded to the sum's type. */
static double load_one(const struct accurate_case *one, double x, double before, double y)
{
    bool is_short = one->pair.type == CLFOLD_F32;

    switch (one->load) {
    case PRODUCT:
    case CONVERTED:
        return is_short ? (double)((float)x * (float)y) : x * y;
    case NEIGHBOUR:
        return is_short ? (double)((float)x - (float)before) : x - before;
    default:
        return x;
    }
}

/* Pairs of elements that almost cancel, or numbers of all sizes. What bytes and halves
 * cannot hold is in y. */
static void fill_kind(const struct accurate_case *one, enum kind kind, size_t count,
                      uint64_t *state)
{
    clfold_type in = one->pair.in;
    bool is_byte = in == CLFOLD_U8, is_double = in == CLFOLD_F64;
    int binades = in == CLFOLD_F16 ? 5 : is_double ? 200 : 20;
    int least = one->pair.type == CLFOLD_F32 ? -126 : -1022;
    double x = 0, y = 0;

    for (size_t i = 0; i < count; ++i) {
        double before = x, near = 1 + ldexp(draw(state, 1), is_double ? -40 : -15);
        bool repeats = kind == CANCELLING && i % 2 == 1;
        x = repeats ? -before * near : draw(state, kind == SPREAD ? binades : 3);
        y = !repeats ? draw(state, kind == SPREAD ? 30 : 3) : is_byte ? -y * near : y;
        if (kind == ASCENDING) {
            int exponent = (int)(i * (in == CLFOLD_F16 ? 10 : 60) / count);
            x = ldexp(x, exponent);
            y = ldexp(y, exponent / 2);
        } else if (kind == TINY && in == one->pair.type) {
            x = ldexp(x, least / 2);
            y = ldexp(y, least - least / 2);
        } else if (kind == SPECIAL && !is_byte && i == count / 3) {
            x = (double)INFINITY;
        } else if (kind == SPECIAL && !is_byte && i == count / 2) {
            x = count % 2 ? (double)NAN : -(double)INFINITY;
        }
        x = is_byte ? repeats ? before : floor(fabs(x)) : x;
        x = put(in, elements, i, x);
        y = put(one->pair.type, stream, i, y);
        values[i] = load_one(one, x, before, y);
    }
}

/* ---- One call ---------------------------------------------------------------------- */

struct trial {
    struct accurate_case of;
    struct shape_case shape;
    clfold_operation operation;
    uint32_t accuracy;
    enum kind kind;
    size_t in_offset, out_offset;
    bool has_init;
    enum tile_kind tile; /* for messages */
};

static bool is_scan(const struct trial *trial)
{
    return trial->operation != CLFOLD_REDUCE;
}

static double init_of(const struct trial *trial)
{
    return trial->kind == TINY ? 0 : 12345.0625;
}

static size_t num_segments(const struct trial *trial)
{
    size_t length = trial->shape.length;

    return length > 0 ? (trial->shape.count + length - 1) / length : 1;
}

static size_t num_results(const struct trial *trial)
{
    return is_scan(trial) ? trial->shape.count : num_segments(trial);
}

/* Scalars of what is written for a sum, and their type. */
static size_t num_scalars(const struct trial *trial)
{
    return trial->of.form == TWICE ? 2 : 1;
}

static clfold_type out_type(const struct trial *trial)
{
    return trial->of.form == WIDENED ? CLFOLD_F64 : trial->of.pair.type;
}

static void run(const struct trial *trial)
{
    static const char *const results[] = {
        [NEGATED] = "-item", [TWICE] = "{ item, 2 * item }", [STORED] = NULL
    };
    const struct accurate_case *of = &trial->of;
    const struct shape_case *shape = &trial->shape;
    size_t size = size_of(of->pair.type), in_size = size_of(of->pair.in);
    cl_ulong last = num_results(trial) - 1;
    cl_mem in = coloured_buffer((shape->count + ZONE) * in_size);
    cl_mem y = coloured_buffer((shape->count + ZONE) * size);
    cl_mem out = coloured_buffer(sizeof(found));
    const clfold_segments segments = {
        .by = shape->width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = shape->width == 1 ? shape->length : shape->width,
        .length = shape->width == 1 ? 0 : shape->length,
    };
    const clfold_arg args[] = { CLFOLD_STREAM(of->pair.type, y, y, 3),
                                CLFOLD_VALUE("ulong", last, last) };
    bool has_text = of->load != NO_LOAD || (of->form != PLAIN && of->form != WIDENED);
    unsigned char init[8];
    const clfold_fold fold = {
        .op = CLFOLD_ADD,
        .type = of->pair.type,
        .in = of->pair.in,
        .accuracy = trial->accuracy,
        .load = load_texts[of->load][of->pair.type == CLFOLD_F64],
        .result = of->form < STORED ? results[of->form] : NULL,
        .store = of->form == STORED ? "out[last - i] = item;" : NULL,
        .out = of->form == WIDENED ? CLFOLD_F64 : 0,
        .out_scalars = of->form == TWICE ? 2 : 0,
        .args = has_text ? args : NULL,
        .num_args = has_text ? 2 : 0,
        .segments = shape->width > 0 ? &segments : NULL,
        .init = trial->has_init ? init : NULL,
        .init_size = trial->has_init ? size : 0,
    };

    write_number(of->pair.type, (struct number){ .real = init_of(trial) }, init);
    write_buffer(in, trial->in_offset * in_size, shape->count * in_size, elements);
    write_buffer(y, 3 * size, shape->count * size, stream);
    assert_ok(call_operation(trial->operation, &fold, in, trial->in_offset, out,
                             trial->out_offset, shape->count));
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(found),
                                         found, 0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(y);
    clReleaseMemObject(out);
}

/* ---- What must come out ------------------------------------------------------------ */

static void explain(const struct trial *trial, size_t i, double is, double expected,
                    double bound)
{
    fail_msg(
        "%s: accuracy %u of %s into %s, operation %u, load %u, form %u, kind %u, "
        "%zu elements, %zu by %zu%s: result %zu is %.17g instead of %.17g, within %g",
        clfold_tile_name(trial->tile), trial->accuracy, name_of(trial->of.pair.in),
        name_of(trial->of.pair.type), trial->operation, trial->of.load, trial->of.form,
        trial->kind, trial->shape.count, trial->shape.length, trial->shape.width,
        trial->has_init ? ", with init" : "", i, is, expected, bound);
}

/* The sum that result i was made of. */
static double read_sum(const struct trial *trial, size_t i)
{
    clfold_type type = out_type(trial);
    size_t place = trial->of.form == STORED ? num_results(trial) - 1 - i : i;
    size_t num = num_scalars(trial);
    const unsigned char *at = found + (trial->out_offset + place) * num * size_of(type);
    double is = as_double(type, at);

    if (num == 2 && !isnan(is) && as_double(type, at + size_of(type)) != 2 * is) {
        explain(trial, i, as_double(type, at + size_of(type)), 2 * is, 0);
    }
    return trial->of.form == NEGATED ? -is : is;
}

/* Additions from an element to the result, at most: lanes fold their runs from the left.
 */
static double bound_of(const struct trial *trial, double sum, double magnitude)
{
    double u = trial->of.pair.type == CLFOLD_F32 ? ldexp(1, -24) : ldexp(1, -53);
    double lost = (300.0 + (double)trial->shape.length) * u;

    return (u * fabs(sum) + 2 * lost * lost * magnitude) * (1 + 1e-6) + DBL_MIN;
}

/* By how many bounds result i is off. */
static double check_bound(const struct trial *trial, const struct exact *sum,
                          double magnitude, size_t i)
{
    double is = read_sum(trial, i), error = exact_error(sum, is);
    double bound = bound_of(trial, exact_value(sum), magnitude);

    if (trial->accuracy == CLFOLD_COMPENSATED && !(fabs(error) <= bound)) {
        explain(trial, i, is, exact_value(sum), bound);
    }
    return fabs(error) / bound;
}

/* A segment of `length` elements, `width` apart; its items too where it is scanned. */
static double check_sums(const struct trial *trial, size_t first, size_t width,
                         size_t length, size_t s)
{
    struct exact sum = { { 0 } };
    double magnitude = 0, worst = 0;

    if (trial->has_init) {
        exact_add(&sum, init_of(trial));
        magnitude = init_of(trial);
    }
    for (size_t k = 0; k < length; ++k) {
        size_t i = first + k * width;
        if (trial->operation == CLFOLD_EXCLUSIVE_SCAN) {
            worst = fmax(worst, check_bound(trial, &sum, magnitude, i));
        }
        exact_add(&sum, values[i]);
        magnitude += fabs(values[i]);
        if (trial->operation == CLFOLD_INCLUSIVE_SCAN) {
            worst = fmax(worst, check_bound(trial, &sum, magnitude, i));
        }
    }
    return is_scan(trial) ? worst : check_bound(trial, &sum, magnitude, s);
}

static void check_bits(const struct trial *trial, size_t first, size_t width,
                       size_t length, size_t s)
{
    static double own[MOST + 1];
    double is = read_sum(trial, s);
    struct model model;

    for (size_t k = 0; k < length; ++k) {
        own[k] = values[first + k * width];
    }
    own[length] = init_of(trial);
    model = model_of(trial->of.pair.type, own, length + trial->has_init);
    if (memcmp(&is, &model.result, sizeof(is)) != 0 &&
        !(isnan(is) && isnan(model.result))) {
        explain(trial, s, is, model.result, 0);
    }
}

static void check_zones(const struct trial *trial)
{
    size_t size = num_scalars(trial) * size_of(out_type(trial));
    size_t first = trial->out_offset * size;

    for (size_t i = 0; i < sizeof(found); ++i) {
        bool is_result = i >= first && i < first + num_results(trial) * size;
        if (!is_result && found[i] != COLOUR) {
            explain(trial, i, found[i], COLOUR, 0);
        }
    }
}

/* By how many bounds the worst sum is off. */
static double compare(const struct trial *trial)
{
    size_t count = trial->shape.count;
    size_t width = trial->shape.width > 0 ? trial->shape.width : 1;
    double worst = 0;

    check_zones(trial);
    for (size_t s = 0; s < num_segments(trial); ++s) {
        size_t length = trial->shape.length > 0 ? trial->shape.length : count;
        size_t first = s / width * width * length + s % width;
        length = count - first < length ? count - first : length;
        if (trial->accuracy == CLFOLD_REPRODUCIBLE) {
            check_bits(trial, first, width, length, s);
        } else {
            worst = fmax(worst, check_sums(trial, first, width, length, s));
        }
    }
    return worst;
}

/* ---- All of them ------------------------------------------------------------------- */

static bool has_case(const struct accurate_case *one)
{
    return device.has_f64 || (one->pair.in != CLFOLD_F64 &&
                              one->pair.type != CLFOLD_F64 && one->form != WIDENED);
}

/* Scans of segments take no results yet. */
static bool has_scan(const struct trial *trial)
{
    return trial->accuracy == CLFOLD_COMPENSATED &&
           (trial->shape.width == 0 || trial->of.form == PLAIN);
}

/* The worst of all plain sums, in bounds. */
static double check_shapes(struct trial trial, unsigned turn)
{
    double plain = 0;

    for (size_t k = 0; k < NUM_SHAPES; ++k, ++turn) {
        uint64_t state = turn + 1;
        trial.shape = shapes[k];
        trial.in_offset = turn % 3;
        trial.out_offset = turn % 4;
        trial.has_init = turn % 3 == 1;
        trial.kind = turn % (trial.accuracy == CLFOLD_REPRODUCIBLE ? KINDS : TINY);
        fill_kind(&trial.of, trial.kind, trial.shape.count, &state);
        run(&trial);
        compare(&trial);
        if (trial.of.load == PRODUCT && trial.of.form == PLAIN && !trial.tile &&
            trial.accuracy == CLFOLD_COMPENSATED) {
            struct trial other = trial;
            other.accuracy = CLFOLD_DETERMINISTIC;
            run(&other);
            plain = fmax(plain, compare(&other));
        }
        if (has_scan(&trial) && trial.shape.count > 1000) {
            trial.operation = turn % 2 ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_EXCLUSIVE_SCAN;
            run(&trial);
            compare(&trial);
            trial.operation = CLFOLD_REDUCE;
        }
    }
    return plain;
}

/* Builds take most of the time: a case meets the policy's tile or another one, and the
 * first few meet both. */
static void check_accuracy(uint32_t accuracy)
{
    double plain = 0;

    for (size_t c = 0; c < NUM_CASES; ++c) {
        for (size_t t = 0; has_case(&cases[c]) && t < NUM_TILES; ++t) {
            if (t != (c + accuracy) % NUM_TILES && (t > 0 || c > 3) &&
                (c != 0 || t % 4 != 1)) {
                continue;
            }
            if (!policy_has_tile(tiles[t].tile) ||
                (tiles[t].tile == TILE_VECTOR &&
                 clfold_platform_miscopies(ctx->caps.facts.platform))) {
                continue; /* lanes are no vectors there */
            }
            const struct trial trial = { .of = cases[c],
                                         .operation = CLFOLD_REDUCE,
                                         .accuracy = accuracy,
                                         .tile = tiles[t].tile };
            clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
            plain = fmax(plain, check_shapes(trial, (unsigned)(c * 3 + t)));
        }
    }
    clfold_context_override(ctx, NULL);
    /* The data tell plain sums from others. */
    assert_true(accuracy != CLFOLD_COMPENSATED || plain > 10);
}

/* Columns so long that the parts of the greatest numbers that there are in a bin do not
 * fit into 32 bits; see binned_vector_lanes.cl. */
static void test_long_columns(void **state)
{
    static const struct debug one = { .tile_elements = 16, .max_groups = 1 };
    enum { WIDTH = 16, LENGTH = 17000 };
    static float data[WIDTH * LENGTH];
    static double column[LENGTH];
    const clfold_segments segments = { .by = CLFOLD_BY_STRIDE,
                                       .num = WIDTH,
                                       .length = LENGTH };
    const clfold_fold fold = { .op = CLFOLD_ADD,
                               .type = CLFOLD_F32,
                               .accuracy = CLFOLD_REPRODUCIBLE,
                               .segments = &segments };
    float results[WIDTH];
    cl_mem in, out = coloured_buffer(sizeof(results));

    (void)state;
    for (size_t i = 0; i < WIDTH * LENGTH; ++i) {
        data[i] = ldexpf(2 - ldexpf(1, -18), 18 * 8 - 1 - 127);
        column[i / WIDTH] = (double)data[i];
    }
    in = copied_buffer(data, sizeof(data));
    clfold_context_override(ctx, &one);
    assert_ok(call_operation(CLFOLD_REDUCE, &fold, in, 0, out, 0, WIDTH * LENGTH));
    clfold_context_override(ctx, NULL);
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(results),
                                         results, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < WIDTH; ++i) {
        assert_true((double)results[i] == model_of(CLFOLD_F32, column, LENGTH).result);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Texts that each device rounds in its own way have one sum there, by any algorithm. The
 * last one is another number in vectors, by less than widths may differ in plain sums. */
static void test_own_rounding(void **state)
{
    static const struct debug items = { .tile = TILE_ITEM, .tile_elements = 50 };
    const int ways = policy_has_tile(TILE_ITEM) ? 3 : 2;
    static const char *const texts[] = { "exp(x)", "x / 3 + sqrt(fabs(x))",
                                         "x * (sizeof(x) > 8 ? 1.0000002f : 1.0f)" };
    const struct accurate_case plain = { { CLFOLD_F32, CLFOLD_F32 }, NO_LOAD, PLAIN };
    cl_mem in = coloured_buffer(MOST * 4);
    uint64_t seed = 9;

    (void)state;
    fill_kind(&plain, CANCELLING, MOST, &seed);
    write_buffer(in, 0, sizeof(float) * MOST, elements);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        float results[3];
        for (int way = 0; way < ways; ++way) {
            const clfold_fold fold = { .op = CLFOLD_ADD,
                                       .type = CLFOLD_F32,
                                       .accuracy = CLFOLD_REPRODUCIBLE,
                                       .load = texts[i],
                                       .algorithm = way == 1 ? "serial" : NULL };
            clfold_context_override(ctx, way == 2 ? &items : NULL);
            assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, MOST - 3,
                                         &results[way], sizeof(float)));
            assert_memory_equal(&results[way], &results[0], sizeof(float));
        }
    }
    clfold_context_override(ctx, NULL);
    clReleaseMemObject(in);
}

static void test_compensated(void **state)
{
    (void)state;
    check_accuracy(CLFOLD_COMPENSATED);
}

static void test_reproducible(void **state)
{
    (void)state;
    check_accuracy(CLFOLD_REPRODUCIBLE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compensated),
        cmocka_unit_test(test_reproducible),
        cmocka_unit_test(test_long_columns),
        cmocka_unit_test(test_own_rounding),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("accurate_folds", tests, open_context,
                                       close_context);
}
