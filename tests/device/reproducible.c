/*
 * Reproducible sums have the bits of a model on the host, whatever cuts and orders the
 * elements: by every algorithm and tile, at every offset, in any order. The model is made
 * of exact sums, and the same on every device, so results of all devices are the same.
 */
#define CLFOLD_EXPERIMENTAL
#include "binned_model.h"
#include "exact.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/context.h"
#include "ops/internal.h"

#include <float.h>
#include <math.h>

#define MOST 5000

static const struct pair pairs[] = {
    { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 }, { CLFOLD_F16, CLFOLD_F32 },
    { CLFOLD_I32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 }, { CLFOLD_F64, CLFOLD_F32 },
};

/* All but the policy's. */
static const char *const names[] = { "serial",  "reduce0", "reduce1", "reduce2",
                                     "reduce3", "reduce4", "reduce5", "reduce6" };
#define NUM_NAMES (sizeof(names) / sizeof(names[0]))

/* The third tile has blocks as long as they get; see binned_vector.cl. */
static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5 },
    { .tile = TILE_VECTOR, .tile_elements = 4900, .max_groups = 1 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 500, .group_size = 5, .max_groups = 4 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

/* ---- Data -------------------------------------------------------------------------- */

static unsigned char elements[MOST * 8];
static double values[MOST + 1]; /* of the elements, as they are folded, and of init */

static void put(struct pair pair, size_t i, double x)
{
    unsigned char *at = elements + i * size_of(pair.in);
    double most = pair.in == CLFOLD_I32 ? 2e9 : pair.in == CLFOLD_F16 ? 6e4 : INFINITY;
    struct number number = { .real = fabs(x) > most ? copysign(most, x) : x };

    number.integer = pair.in == CLFOLD_I32 ? (uint64_t)(int64_t)number.real : 0;
    write_number(pair.in, number, at);
    values[i] = (double)convert_number(pair, read_number(pair.in, at)).real;
}

static double draw(uint64_t *state, int least, int binades)
{
    double fraction = 1 + ldexp((double)(next_random(state) >> 12), -52);
    int exponent = least + (int)(next_random(state) % (unsigned)binades);

    return ldexp(next_random(state) % 2 ? fraction : -fraction, exponent);
}

enum kind {
    NARROW,       /* numbers of one size */
    FULL,         /* whose first parts are as large as they get */
    WIDE,         /* of every size */
    CANCELLING,   /* pairs that cancel but for one number */
    ASCENDING,    /* each greater than all before, so that bins change */
    TIED,         /* sums half-way between floats, with or without a rest far below */
    TINY,         /* normal and subnormal ones, up to bin 2 */
    HIDDEN,       /* subnormal ones among others of bin 2, which cancel */
    SUBNORMAL,    /* nothing else */
    UNDERFLOWING, /* whose sum is subnormal */
    ZEROS,        /* of both signs */
    HUGE_ONES,    /* whose plain sum overflows on the way */
    OVERFLOWING,
    INFINITE,
    OPPOSED, /* infinities of both signs */
    NOT_A_NUMBER,
    KINDS
};

static double draw_kind(struct pair pair, enum kind kind, size_t i, size_t count,
                        uint64_t *state)
{
    const struct bins bins = bins_of(pair.type);
    double most = pair.type == CLFOLD_F32 ? (double)FLT_MAX : DBL_MAX;
    bool first = i == count / 3, second = i == count / 2;

    switch (kind) {
    case FULL:
        return ldexp(2 - ldexp((double)(next_random(state) % 8), -bins.bits),
                     (bins.bias / bins.bits + 1) * bins.bits - 1 - bins.bias);
    case WIDE:
        return draw(state, 1 - bins.bias, 2 * bins.bias - 20);
    case CANCELLING:
        return i % 2            ? -values[i - 1]
               : i + 1 == count ? draw(state, -8, 1)
                                : draw(state, 0, 30);
    case ASCENDING:
        return draw(state, (int)(i * (size_t)bins.bias / count), 1);
    case TIED:
        return i == 0   ? 1 + (double)(count % 2) * ldexp(1, 1 - bins.digits)
               : i == 1 ? ldexp(1, -bins.digits)
               : second ? ldexp((double)(count % 3) - 1, -bins.digits - bins.bits / 2)
                        : 0;
    case TINY:
        return draw(state, 1 - bins.bias - bins.digits / 2,
                    bins.bits * (1 + (int)(count % 3)));
    case HIDDEN:
        return i % 4 == 0   ? draw(state, 2 * bins.bits + 5 - bins.bias, 9)
               : i % 4 == 1 ? -values[i - 1]
                            : ldexp(1.5, -bins.bias);
    case UNDERFLOWING:
        return i > 1 ? 0
                     : ldexp(i == 0 ? 1.5 : -1.25, 1 - bins.bias) * (count % 2 ? -1 : 1);
    case SUBNORMAL:
        return draw(state, 1 - bins.bias - bins.digits + 1, bins.digits - 1);
    case ZEROS:
        return next_random(state) % 2 ? 0.0 : -0.0;
    case HUGE_ONES:
        return i % 2 ? -values[i - 1] : i % 4 ? -most : most;
    case OVERFLOWING:
        return most / 2;
    case INFINITE:
        return first ? -(double)INFINITY : draw(state, 0, 9);
    case OPPOSED:
        return first ? -(double)INFINITY : second ? (double)INFINITY : draw(state, 0, 9);
    case NOT_A_NUMBER:
        return second ? (double)NAN : draw(state, 0, 9);
    default:
        return draw(state, 0, 1);
    }
}

static void swap_elements(struct pair pair, size_t i, size_t k)
{
    size_t size = size_of(pair.in);
    double value = values[i];
    unsigned char element[8];

    memcpy(element, elements + i * size, size);
    memmove(elements + i * size, elements + k * size, size);
    memcpy(elements + k * size, element, size);
    values[i] = values[k];
    values[k] = value;
}

static void shuffle(struct pair pair, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; --i) {
        swap_elements(pair, i - 1, next_random(state) % i);
    }
}

static void fill_kind(struct pair pair, enum kind kind, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; ++i) {
        put(pair, i, draw_kind(pair, kind, i, count, state));
    }
}

/* ---- One call ---------------------------------------------------------------------- */

struct trial {
    struct pair pair;
    enum kind kind;
    size_t count, in_offset;
    bool has_init, to_host;
    const char *algorithm;
    enum tile_kind tile; /* for messages */
};

static clfold_fold fold_of(const struct trial *trial, const void *init)
{
    return (clfold_fold){ .op = CLFOLD_ADD,
                          .type = trial->pair.type,
                          .in = trial->pair.in,
                          .accuracy = CLFOLD_REPRODUCIBLE,
                          .algorithm = trial->algorithm,
                          .init = trial->has_init ? init : NULL,
                          .init_size = trial->has_init ? size_of(trial->pair.type) : 0 };
}

/* Writes the result's bits; all bytes beside it must stay. */
static clfold_status run(const struct trial *trial, clfold_fold *fold,
                         unsigned char result[8])
{
    size_t in_size = size_of(trial->pair.in), size = size_of(trial->pair.type);
    cl_mem in = coloured_buffer((trial->count + 8) * in_size), out = coloured_buffer(64);
    unsigned char found[64];
    clfold_status status;

    write_buffer(in, trial->in_offset * in_size, trial->count * in_size, elements);
    if (trial->to_host) {
        status = clfold_reduce_host(ctx, device.queue, fold, in, trial->in_offset,
                                    trial->count, result, size);
    } else {
        status = call_operation(CLFOLD_REDUCE, fold, in, trial->in_offset, out, 2,
                                trial->count);
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(found),
                                             found, 0, NULL, NULL),
                         CL_SUCCESS);
        memcpy(result, found + 2 * size, size);
        for (size_t i = 0; i < sizeof(found); ++i) {
            assert_true(i / size == 2 || found[i] == COLOUR);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return status;
}

static void expect(const struct trial *trial, const struct model *model,
                   const unsigned char result[8])
{
    size_t size = size_of(trial->pair.type);
    double is = as_double(trial->pair.type, result);
    /* Of all NaNs the usual one; of both zeros the positive one. */
    float short_one = isnan(model->result) ? NAN : (float)model->result;
    double long_one = isnan(model->result) ? (double)NAN : model->result;
    const void *bits = trial->pair.type == CLFOLD_F32 ? (const void *)&short_one
                                                      : (const void *)&long_one;

    if (memcmp(result, bits, size) != 0) {
        fail_msg("%s: %s into %s, kind %u, %zu by %s from %zu%s: %.17g instead of %.17g",
                 clfold_tile_name(trial->tile), name_of(trial->pair.in),
                 name_of(trial->pair.type), trial->kind, trial->count,
                 trial->algorithm ? trial->algorithm : "policy", trial->in_offset,
                 trial->has_init ? ", with init" : "", is, model->result);
    }
    if (isfinite(is) && is != 0 &&
        !(fabs(exact_error(&model->exact, is)) <= model->bound)) {
        fail_msg("%s, kind %u, %zu: %.17g is off by %g, and %g is the bound",
                 name_of(trial->pair.type), trial->kind, trial->count, is,
                 exact_error(&model->exact, is), model->bound);
    }
}

/* ---- All of them ------------------------------------------------------------------- */

static double init_of(struct pair pair)
{
    return pair.type == CLFOLD_F32 ? 0.1f : 0.1;
}

/* The same elements in several orders. Returns how many plain sums differ from the first
 * order's. */
static unsigned check_orders(struct trial trial, unsigned turn)
{
    uint64_t state = turn + 1;
    unsigned char result[8], plain[2][8], init[8];
    unsigned num = 0;
    struct model model;

    write_number(trial.pair.type, (struct number){ .real = init_of(trial.pair) }, init);
    fill_kind(trial.pair, trial.kind, trial.count, &state);
    values[trial.count] = init_of(trial.pair);
    model = model_of(trial.pair.type, values, trial.count + trial.has_init);
    for (int order = 0; order < 3; ++order) {
        clfold_fold fold = fold_of(&trial, init);
        trial.in_offset = (turn + (unsigned)order) % 8;
        assert_ok(run(&trial, &fold, result));
        expect(&trial, &model, result);
        fold.accuracy = CLFOLD_DETERMINISTIC;
        if (trial.kind == WIDE || trial.kind == NARROW) {
            assert_ok(run(&trial, &fold, plain[order > 0]));
            num += order > 0 && memcmp(plain[0], plain[1], size_of(trial.pair.type)) != 0;
        }
        shuffle(trial.pair, trial.count, &state);
    }
    return num;
}

static unsigned check_kinds(struct trial trial, unsigned turn)
{
    static const size_t counts[] = { 1000, 1, 4097, 0, 63, 64, 65, 2, 17, 2048, 4999 };
    unsigned num = 0;

    for (trial.kind = 0; trial.kind < KINDS; ++trial.kind) {
        /* Integers and halves have no such elements. */
        bool is_whole = trial.pair.in == CLFOLD_I32 || trial.pair.in == CLFOLD_F16;
        if (is_whole && trial.kind != NARROW && trial.kind != WIDE) {
            continue;
        }
        for (size_t c = 0; c < 3; ++c, ++turn) {
            trial.count = counts[(turn + 4 * c) % (sizeof(counts) / sizeof(counts[0]))];
            trial.has_init = turn % 4 == 1;
            trial.to_host = turn % 5 == 1;
            num += check_orders(trial, turn);
        }
    }
    return num;
}

/* Builds take most of the time, so most pairs meet two tiles, and f32 every other
 * algorithm. */
static void check_pair(struct pair pair)
{
    bool is_main = pair.in == pair.type;
    unsigned turn = pair.in + pair.type, differ = 0;
    size_t step = pair.type == CLFOLD_F32 ? 2 : 1;

    for (size_t t = 0; t < NUM_TILES; ++t) {
        if (!is_main && t != 1 + pair.in % 4 && t != 1 + pair.type % 2) {
            continue;
        }
        if (!policy_has_tile(tiles[t].tile)) {
            continue;
        }
        struct trial trial = { .pair = pair, .tile = tiles[t].tile };
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        differ += check_kinds(trial, turn += 7);
        for (size_t a = 0; is_main && t + 1 == NUM_TILES && a < NUM_NAMES; a += step) {
            trial.algorithm = names[a];
            differ += check_kinds(trial, turn += 7);
        }
    }
    clfold_context_override(ctx, NULL);
    /* The data tell sums that depend on the order. */
    assert_true(!is_main || differ > 10);
}

static void check_type(clfold_type type)
{
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if (pairs[i].type == type && (device.has_f64 || pairs[i].in != CLFOLD_F64)) {
            check_pair(pairs[i]);
        }
    }
}

static void test_f32(void **state)
{
    (void)state;
    check_type(CLFOLD_F32);
}

static void test_f64(void **state)
{
    (void)state;
    if (!device.has_f64) {
        skip();
    }
    check_type(CLFOLD_F64);
}

/* ---- Checks of each call ----------------------------------------------------------- */

static void test_verified(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };
    clfold_context *plain = ctx;
    struct trial trial = { .pair = pairs[0], .count = MOST };

    (void)state;
    assert_ok(device_context(&ctx, &device, &params));
    for (trial.kind = 0; trial.kind < KINDS; ++trial.kind) {
        check_orders(trial, trial.kind);
    }
    clfold_context_destroy(&ctx);
    ctx = plain;
}

/* ---- What is not there ------------------------------------------------------------- */

static void test_refused(void **state)
{
    clfold_fold sum = { .op = CLFOLD_ADD,
                        .type = CLFOLD_F32,
                        .accuracy = CLFOLD_REPRODUCIBLE };
    clfold_report report;

    (void)state;
    for (clfold_operation o = CLFOLD_INCLUSIVE_SCAN; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        assert_refused(clfold_explain(ctx, o, &sum, 9, NULL, &report),
                       CLFOLD_ERROR_UNSUPPORTED, "for reductions, but the operation is");
    }
    assert_ok(clfold_prepare(ctx, CLFOLD_REDUCE, &sum, 9, NULL));
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &sum, 9, NULL, &report));
    assert_string_equal(report.algorithm, "reduce_tiles");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_verified),
        cmocka_unit_test(test_refused),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("reproducible", tests, open_context,
                                       close_context);
}
