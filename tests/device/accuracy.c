/*
 * Sums that are promised more than a plain sum: in every operation, by every algorithm,
 * on every tile, against sums without rounding, on data that cancel.
 */
#define CLFOLD_EXPERIMENTAL
#include "exact.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"
#include "ops/internal.h"

#include <float.h>
#include <math.h>

#define MOST 5000
#define ZONE 16 /* elements on either side of the results */

static const struct pair pairs[] = {
    { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 }, { CLFOLD_F16, CLFOLD_F32 },
    { CLFOLD_I32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 }, { CLFOLD_F64, CLFOLD_F32 },
};
#define NUM_PAIRS_HERE (sizeof(pairs) / sizeof(pairs[0]))

static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_VECTOR, .tile_elements = 256, .max_groups = 3, .anchor = 1 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP,
      .tile_elements = 100,
      .group_size = 6,
      .max_groups = 4,
      .anchor = 3 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

/* ---- Data -------------------------------------------------------------------------- */

/* How far magnitudes spread, and to how many bits a number and another one cancel: from
 * sums with a condition number of a few thousand to ones past 1 / u^2. */
struct spread {
    int binades, bits;
};
static const struct spread narrow[] = { { 1, 9 }, { 10, 14 }, { 20, 24 }, { 30, 60 } };
static const struct spread wide[] = { { 1, 30 }, { 60, 40 }, { 100, 70 }, { 300, 99 } };
static const struct spread halves[] = { { 1, 5 }, { 8, 8 }, { 12, 99 }, { 4, 9 } };
#define NUM_SPREADS 4

static unsigned char elements[MOST * 8], found[(MOST + 2 * ZONE) * 8];
static double values[MOST]; /* of the elements, as they are folded */

static void put(struct pair pair, size_t i, double x)
{
    unsigned char *at = elements + i * size_of(pair.in);
    struct number number = { .real = x, .integer = (uint64_t)(int64_t)x };

    write_number(pair.in, number, at);
    values[i] = (double)convert_number(pair, read_number(pair.in, at)).real;
}

static double draw(uint64_t *state, int binades)
{
    double fraction = 1 + ldexp((double)(next_random(state) >> 12), -52);

    return ldexp(fraction, (int)(next_random(state) % (unsigned)binades));
}

/* Pairs that almost cancel, in a random order. */
static void fill_cancelling(struct pair pair, size_t count, struct spread spread,
                            uint64_t seed)
{
    uint64_t state = seed;

    for (size_t i = 0; i < count; ++i) {
        double x = draw(&state, spread.binades), y = draw(&state, 1);
        put(pair, i, i % 2 ? -values[i - 1] + ldexp(values[i - 1] * y, -spread.bits) : x);
    }
    for (size_t i = count; i > 1; --i) {
        size_t k = next_random(&state) % i, size = size_of(pair.in);
        double value = values[i - 1];
        unsigned char element[8];
        memcpy(element, elements + (i - 1) * size, size);
        memmove(elements + (i - 1) * size, elements + k * size, size);
        memcpy(elements + k * size, element, size);
        values[i - 1] = values[k];
        values[k] = value;
    }
}

/* ---- One call ---------------------------------------------------------------------- */

struct trial {
    struct pair pair;
    clfold_operation operation;
    size_t count, in_offset, out_offset;
    bool in_place, has_init, to_host;
    uint32_t accuracy;
    size_t width, length; /* of segments; 0: there are none */
    const char *algorithm;
    enum tile_kind tile; /* for messages */
};

static bool is_scan(const struct trial *trial)
{
    return trial->operation != CLFOLD_REDUCE;
}

/* An init that is large beside the sum. */
static double init_of(struct pair pair)
{
    return pair.in == CLFOLD_F16 ? 100.125 : 12345.0625;
}

static size_t room_of(const struct trial *trial)
{
    size_t in = size_of(trial->pair.in), out = size_of(trial->pair.type);

    return (trial->count + 2 * ZONE) * (in > out ? in : out);
}

/* Reads back results, and the total of a scan after them. */
static clfold_status run(const struct trial *trial, unsigned char total[8])
{
    size_t in_size = size_of(trial->pair.in), size = size_of(trial->pair.type);
    cl_mem in = coloured_buffer(room_of(trial));
    cl_mem out = trial->in_place ? in : coloured_buffer(room_of(trial)),
           last = coloured_buffer(16);
    unsigned char init[8];
    const clfold_segments segments = {
        .by = trial->width == 1 ? CLFOLD_BY_LENGTH : CLFOLD_BY_STRIDE,
        .num = trial->width == 1 ? trial->length : trial->width,
        .length = trial->width == 1 ? 0 : trial->length,
    };
    clfold_fold fold = { .op = CLFOLD_ADD,
                         .type = trial->pair.type,
                         .in = trial->pair.in,
                         .accuracy = trial->accuracy,
                         .segments = trial->width > 0 ? &segments : NULL,
                         .algorithm = trial->algorithm };
    clfold_status status;

    write_number(trial->pair.type, (struct number){ .real = init_of(trial->pair) }, init);
    if (trial->has_init) {
        fold.init = init;
        fold.init_size = size;
    }
    if (is_scan(trial)) {
        fold.total_at = (clfold_place){ last, 1 };
    }
    write_buffer(in, trial->in_offset * in_size, trial->count * in_size, elements);
    if (trial->to_host) {
        memset(found, COLOUR, room_of(trial));
        status = clfold_reduce_host(ctx, device.queue, &fold, in, trial->in_offset,
                                    trial->count, found + trial->out_offset * size, size);
    } else {
        status = call_operation(trial->operation, &fold, in, trial->in_offset, out,
                                trial->out_offset, trial->count);
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0,
                                             room_of(trial), found, 0, NULL, NULL),
                         CL_SUCCESS);
    }
    assert_int_equal(clEnqueueReadBuffer(device.queue, last, CL_TRUE, size, size, total,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseMemObject(in);
    clReleaseMemObject(last);
    if (!trial->in_place) {
        clReleaseMemObject(out);
    }
    return status;
}

static void explain(const struct trial *trial, const char *what, size_t i, double is,
                    double error, double bound)
{
    fail_msg("%s: accuracy %u of %s into %s, operation %u of %zu, %zu by %zu, by %s, "
             "from %zu to %zu%s%s: %s %zu is %.17g, off by %g, and %g is the bound",
             clfold_tile_name(trial->tile), trial->accuracy, name_of(trial->pair.in),
             name_of(trial->pair.type), trial->operation, trial->count, trial->length,
             trial->width, trial->algorithm ? trial->algorithm : "policy",
             trial->in_offset, trial->out_offset, trial->has_init ? ", with init" : "",
             trial->in_place ? ", in place" : "", what, i, is, error, bound);
}

/* Additions from an element to the result, at most; see tiles. */
static double depth_of(const struct trial *trial)
{
    bool is_serial = trial->algorithm && strcmp(trial->algorithm, "serial") == 0;

    return is_serial ? (double)trial->count + 1 : 300;
}

/* What clfold.h promises of a sum with this sum of magnitudes. */
static double bound_of(const struct trial *trial, double sum, double magnitude)
{
    double u = trial->pair.type == CLFOLD_F32 ? ldexp(1, -24) : ldexp(1, -53);
    double lost = depth_of(trial) * u;

    return (u * fabs(sum) + 2 * lost * lost * magnitude) * (1 + 1e-6) + DBL_MIN;
}

/* Of `length` elements, `width` apart, whose fold is result s of a reduction; `total`
 * may be NULL. */
static double compare_one(const struct trial *trial, size_t first, size_t width,
                          size_t length, size_t s, const unsigned char *total,
                          bool must_fit)
{
    size_t size = size_of(trial->pair.type);
    struct exact sum = { { 0 } };
    double magnitude = 0, worst = 0;

    if (trial->has_init) {
        exact_add(&sum, init_of(trial->pair));
        magnitude += init_of(trial->pair);
    }
    for (size_t k = 0; k <= length; ++k) {
        size_t i = first + k * width;
        bool last = k == length;
        bool is_item = trial->operation == CLFOLD_EXCLUSIVE_SCAN && !last;
        if (!last && !is_item) {
            exact_add(&sum, values[i]);
            magnitude += fabs(values[i]);
            is_item = is_scan(trial);
        }
        if (is_item || (last && (!is_scan(trial) || total))) {
            const unsigned char *at =
                last && is_scan(trial)
                    ? total
                    : found + (trial->out_offset + (last ? s : i)) * size;
            double is = as_double(trial->pair.type, at), error = exact_error(&sum, is);
            double bound = bound_of(trial, exact_value(&sum), magnitude);
            if (must_fit && !(fabs(error) <= bound)) {
                explain(trial, last ? "total" : "item", last ? s : i, is, error, bound);
            }
            worst = fmax(worst, fabs(error) / bound);
        }
        if (!last && trial->operation == CLFOLD_EXCLUSIVE_SCAN) {
            exact_add(&sum, values[i]);
            magnitude += fabs(values[i]);
        }
    }
    return worst;
}

static size_t num_segments(const struct trial *trial)
{
    return trial->width == 0 ? 1 : (trial->count + trial->length - 1) / trial->length;
}

/* By how many bounds the worst result is off. */
static double compare(const struct trial *trial, const unsigned char total[8],
                      bool must_fit)
{
    size_t size = size_of(trial->pair.type), segments = num_segments(trial);
    size_t num = is_scan(trial) ? trial->count : segments;
    double worst = 0;

    for (size_t s = 0; s < segments; ++s) {
        size_t width = trial->width > 0 ? trial->width : 1;
        size_t length = trial->width > 0 ? trial->length : trial->count;
        size_t first = s / width * width * length + s % width;
        if (trial->count - first < length) {
            length = trial->count - first;
        }
        worst = fmax(worst, compare_one(trial, first, width, length, s,
                                        s + 1 == segments ? total : NULL, must_fit));
    }
    for (size_t i = 0; must_fit && !trial->in_place && i < room_of(trial); ++i) {
        bool is_result =
            i >= trial->out_offset * size && i < (trial->out_offset + num) * size;
        if (!is_result && found[i] != COLOUR) {
            explain(trial, "byte", i, found[i], 0, 0);
        }
    }
    return worst;
}

/* ---- All of them ------------------------------------------------------------------- */

static bool has_pair(struct pair pair)
{
    return device.has_f64 || (pair.in != CLFOLD_F64 && pair.type != CLFOLD_F64);
}

static void fill_spread(struct pair pair, size_t count, size_t k, uint64_t seed)
{
    bool is_wide = pair.in == CLFOLD_F64 && pair.type == CLFOLD_F64;

    fill_cancelling(pair, count,
                    is_wide                 ? wide[k]
                    : pair.in == CLFOLD_F16 ? halves[k]
                                            : narrow[k],
                    seed);
}

/* What a call of an algorithm gives; the worst of all plain sums, in bounds. */
static double check_counts(struct trial trial, unsigned turn)
{
    static const size_t counts[] = { 1000, 1, 99, 17, 48, 0, 4999 };
    unsigned char total[8];
    double plain = 0;

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c, ++turn) {
        trial.count = counts[c];
        trial.in_offset = turn % 3;
        trial.out_offset = turn % 4;
        trial.has_init = turn % 3 == 1;
        trial.to_host = !is_scan(&trial) && turn % 5 == 1;
        trial.in_place = is_scan(&trial) && turn % 5 == 2 &&
                         size_of(trial.pair.in) == size_of(trial.pair.type);
        trial.out_offset = trial.in_place ? trial.in_offset : trial.out_offset;
        fill_spread(trial.pair, trial.count, turn % NUM_SPREADS, turn);
        trial.accuracy = CLFOLD_COMPENSATED;
        clfold_status status = run(&trial, total);
        if (status == CLFOLD_ERROR_UNSUPPORTED && trial.algorithm &&
            (trial.in_place || strcmp(trial.algorithm, "scan_then_propagate") == 0 ||
             strstr(clfold_last_error(), "stops work-items") ||
             strstr(clfold_last_error(), "no memory tier"))) {
            continue;
        }
        assert_ok(status);
        compare(&trial, total, true);
        trial.accuracy = CLFOLD_DETERMINISTIC;
        assert_ok(run(&trial, total));
        plain = fmax(plain, compare(&trial, total, false));
    }
    return plain;
}

/* Builds take most of the time, so most pairs meet two tiles. */
static void check_pair(struct pair pair)
{
    bool is_main = pair.in == CLFOLD_F32 && pair.type == CLFOLD_F32;
    unsigned turn = pair.in + pair.type;
    double plain = 0;

    for (size_t t = 0; t < NUM_TILES; ++t) {
        if (!is_main && t != 1 + pair.in % 4 && t != 1 + pair.type % 2) {
            continue;
        }
        if (!policy_has_tile(tiles[t].tile)) {
            continue;
        }
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
            struct trial trial = { .pair = pair, .operation = o, .tile = tiles[t].tile };
            plain = fmax(plain, check_counts(trial, ++turn));
            for (uint32_t a = 0;
                 is_main && t % 3 == 1 && clfold_operation_algorithm(o, a); ++a) {
                trial.algorithm = clfold_operation_algorithm(o, a);
                plain = fmax(plain, check_counts(trial, turn + a));
            }
        }
    }
    clfold_context_override(ctx, NULL);
    /* The data tell plain sums from others; halves are so short that plain sums of them
     * in a wider type are nearly exact. */
    assert_true(pair.in == CLFOLD_F16 || plain > 10);
}

/* Rows and columns by one way, NULL for the policy's; the last row may be short. The
 * worst of all plain sums, in bounds, which are for the policy's alone: builds take most
 * of the time. */
static double check_segments(struct trial trial, const char *family, unsigned turn)
{
    static const struct {
        size_t count, width, length;
        const char *family;
    } shapes[] = {
        { 1000, 1, 3, "lanes" },   { 999, 1, 300, "lanes" }, { 4900, 2, 350, "lanes" },
        { 4998, 34, 49, "lanes" }, { 4992, 16, 2, "lanes" }, { 4999, 1, 100, "rows" },
        { 4999, 1, 4999, "rows" }, { 4999, 1, 64, NULL },    { 4998, 98, 51, NULL },
    };
    char algorithm[32];
    unsigned char total[8];
    double plain = 0;

    snprintf(algorithm, sizeof(algorithm), "%s_%s", is_scan(&trial) ? "scan" : "reduce",
             family ? family : "");
    trial.algorithm = family ? algorithm : NULL;
    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k, ++turn) {
        if (!family != !shapes[k].family ||
            (family && strcmp(family, shapes[k].family) != 0)) {
            continue;
        }
        trial.count = shapes[k].count;
        trial.width = shapes[k].width;
        trial.length = shapes[k].length;
        trial.has_init = turn % 3 == 1;
        trial.in_place = is_scan(&trial) && turn % 2 == 0;
        trial.in_offset = turn % 3;
        trial.out_offset = trial.in_place ? trial.in_offset : turn % 4;
        fill_spread(trial.pair, trial.count, turn % NUM_SPREADS, turn);
        trial.accuracy = CLFOLD_COMPENSATED;
        assert_ok(run(&trial, total));
        compare(&trial, total, true);
        if (!family) {
            trial.accuracy = CLFOLD_DETERMINISTIC;
            assert_ok(run(&trial, total));
            plain = fmax(plain, compare(&trial, total, false));
        }
    }
    return plain;
}

static void test_segments(void **state)
{
    double plain = 0;

    (void)state;
    for (unsigned t = 0; t < NUM_TILES; ++t) {
        if (!policy_has_tile(tiles[t].tile) ||
            (tiles[t].tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform))) {
            continue; /* lanes are no vectors there */
        }
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
            const struct trial trial = { .pair = pairs[has_pair(pairs[1]) && t % 3 == 1],
                                         .operation = o,
                                         .tile = tiles[t].tile };
            if (t == 0) {
                plain = fmax(plain, check_segments(trial, NULL, o));
            } else {
                check_segments(trial, "lanes", t + o);
            }
            if (t > 0 && (t + o) % 3 == 0) {
                check_segments(trial, "rows", t + o);
            }
        }
    }
    clfold_context_override(ctx, NULL);
    assert_true(plain > 10);
}

static void test_compensated(void **state)
{
    struct pair pair = pairs[(uintptr_t)*state];

    if (!has_pair(pair)) {
        skip();
    }
    check_pair(pair);
}

/* ---- Values that are not numbers, and zeros ---------------------------------------- */

/* The same class, and the same bits but for a NaN's. */
static void compare_plain(const struct trial *trial, const unsigned char *plain,
                          const unsigned char *other, size_t num)
{
    size_t size = size_of(trial->pair.type);

    for (size_t i = 0; i < num; ++i) {
        if (!same_result(CLFOLD_ADD, trial->pair.type, plain + i * size,
                         other + i * size)) {
            explain(trial, "special item", i,
                    as_double(trial->pair.type, other + i * size),
                    as_double(trial->pair.type, plain + i * size), 0);
        }
    }
}

static void fill_special(struct pair pair, size_t count, unsigned kind)
{
    for (size_t i = 0; i < count; ++i) {
        double x = kind == 0 ? -0.0 : (double)(i % 7) - 3;
        x = kind == 2 && i == count / 2   ? (double)INFINITY
            : kind == 3 && i == count / 3 ? -(double)INFINITY
            : kind == 3 && i == count / 2 ? (double)INFINITY
            : kind == 4 && i == count / 2 ? (double)NAN
            : kind == 5 && i % 2 == 0     ? -0.0
            : kind == 5                   ? 0.0
                                          : x;
        put(pair, i, x);
    }
}

static void check_special(struct trial trial)
{
    static unsigned char plain[sizeof(found)];
    unsigned char total[2][8];

    for (unsigned kind = 0; kind < 6; ++kind) {
        for (trial.count = 1; trial.count < 400; trial.count += 133) {
            trial.out_offset = kind % 3;
            size_t size = size_of(trial.pair.type), at = trial.out_offset * size;
            size_t num = is_scan(&trial) ? trial.count : 1;
            fill_special(trial.pair, trial.count, kind);
            trial.accuracy = CLFOLD_DETERMINISTIC;
            assert_ok(run(&trial, total[0]));
            memcpy(plain, found, sizeof(found));
            trial.accuracy = CLFOLD_COMPENSATED;
            assert_ok(run(&trial, total[1]));
            compare_plain(&trial, plain + at, found + at, num);
            if (is_scan(&trial)) {
                compare_plain(&trial, total[0], total[1], 1);
            }
        }
    }
}

static void test_specials(void **state)
{
    (void)state;
    for (size_t t = 0; t < NUM_TILES; ++t) {
        if (!policy_has_tile(tiles[t].tile)) {
            continue;
        }
        clfold_context_override(ctx, t > 0 ? &tiles[t] : NULL);
        for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
            struct pair pair = pairs[has_pair(pairs[1]) && t % 2 ? 1 : 0];
            check_special(
                (struct trial){ .pair = pair, .operation = o, .tile = tiles[t].tile });
        }
    }
    clfold_context_override(ctx, NULL);
}

/* ---- What is not there ------------------------------------------------------------- */

static void test_refused(void **state)
{
    const struct {
        clfold_fold fold;
        const char *words;
    } all[] = {
        { { .op = CLFOLD_ADD, .type = CLFOLD_I32 }, "f32 and f64, but type is i32" },
        { { .op = CLFOLD_ADD, .type = CLFOLD_F16 }, "f32 and f64, but type is f16" },
        { { .op = CLFOLD_MUL, .type = CLFOLD_F32 }, "sums, but op is mul" },
        { { .op = CLFOLD_MAX, .type = CLFOLD_I32 }, "sums, but op is max" },
        { { .combine = "a + b", .type = CLFOLD_F32 }, "sums, but op is combine" },
        { { .op = CLFOLD_MIN, .type = CLFOLD_F32, .load = "x * x" },
          "sums, but op is min" },
        { { .op = CLFOLD_ADD, .type = CLFOLD_U32, .in = CLFOLD_F32, .load = "to_u32(x)" },
          "f32 and f64, but type is u32" },
    };
    clfold_report report;

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        for (uint32_t a = CLFOLD_COMPENSATED; a <= CLFOLD_REPRODUCIBLE; ++a) {
            clfold_fold fold = all[i].fold;
            fold.accuracy = a;
            assert_refused(clfold_explain(ctx, CLFOLD_REDUCE, &fold, 9, NULL, &report),
                           CLFOLD_ERROR_UNSUPPORTED, all[i].words);
        }
    }
    const clfold_fold sum = { .op = CLFOLD_ADD,
                              .type = CLFOLD_F32,
                              .accuracy = CLFOLD_COMPENSATED,
                              .algorithm = "scan_then_propagate" };
    assert_refused(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &sum, 9, NULL, &report),
                   CLFOLD_ERROR_UNSUPPORTED, "error terms");
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_PAIRS_HERE + 3] = { cmocka_unit_test(test_specials),
                                                    cmocka_unit_test(test_refused),
                                                    cmocka_unit_test(test_segments) };
    char names[NUM_PAIRS_HERE][40];

    for (size_t i = 0; i < NUM_PAIRS_HERE; ++i) {
        snprintf(names[i], sizeof(names[i]), "compensated %s into %s",
                 name_of(pairs[i].in), name_of(pairs[i].type));
        tests[3 + i] = (struct CMUnitTest){ .name = names[i],
                                            .test_func = test_compensated,
                                            .initial_state = (void *)(uintptr_t)i };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("accuracy", tests, open_context, close_context);
}
