/*
 * CLFOLD_MOMENTS against exact sums: the count exactly, mean and m2 within the bounds
 * that the header states, for reductions and for every prefix of a scan. The data break
 * the formula of sums alone, m2 = Q - S^2 / n.
 *
 * Elements are whole multiples of 2^-SCALE, so their sums are whole numbers for GMP. Of n
 * elements with sum S and sum of squares Q, n mean = S and n m2 = n Q - S^2.
 */
#include <clfold/experimental.h>
#include "lookback.h"
#include "test.h"
#include "trial.h"

#include <gmp.h>
#include <math.h>

#define SCALE  300
#define MOST   ((1u << 21) + 3)
#define RESULT 24 /* bytes at most */

/* ---- Exact sums -------------------------------------------------------------------- */

struct moments {
    uint64_t count;
    double mean, m2;
};

/* Of elements, and of an init. */
struct sums {
    uint64_t count;
    mpz_t sum, squares;
    double greatest; /* of |x| */
};

static mpz_t x, y; /* for one computation */

static void set_scaled(mpz_t z, double real)
{
    double scaled = ldexp(real, SCALE);

    assert_true(isfinite(scaled) && scaled == trunc(scaled));
    mpz_set_d(z, scaled);
}

static void sums_add(struct sums *sums, uint64_t count, double mean, double m2)
{
    sums->count += count;
    set_scaled(x, mean);
    mpz_mul(y, x, x);
    mpz_addmul_ui(sums->sum, x, count);
    mpz_addmul_ui(sums->squares, y, count);
    set_scaled(x, m2);
    mpz_mul_2exp(x, x, SCALE);
    mpz_add(sums->squares, sums->squares, x);
    sums->greatest = fmax(sums->greatest, fabs(mean));
}

/* z / 2^scale, rounded once. */
static double real_of(const mpz_t z, long scale)
{
    long exponent;
    double fraction = mpz_get_d_2exp(&exponent, z);

    return ldexp(fraction, (int)(exponent - scale));
}

/* The shares of the header's bounds that the errors are. */
struct shares {
    double mean, m2;
};

/* 0 where both the error and the bound are. */
static double share(double error, double bound)
{
    return error == 0 ? 0 : error / bound;
}

/* `depth`: merges that an element goes through at most. */
static struct shares shares_of(const struct moments *found, const struct sums *sums,
                               clfold_type type, double depth)
{
    double n = (double)sums->count, u = type == CLFOLD_F32 ? 0x1p-24 : 0x1p-53;
    double mean_error, m2, m2_error, e;

    set_scaled(x, found->mean);
    mpz_mul_ui(x, x, sums->count);
    mpz_sub(x, x, sums->sum);
    mean_error = fabs(real_of(x, SCALE)) / n;
    mpz_mul_ui(x, sums->squares, sums->count);
    mpz_submul(x, sums->sum, sums->sum);
    m2 = real_of(x, 2 * SCALE) / n;
    set_scaled(y, found->m2);
    mpz_mul_2exp(y, y, SCALE);
    mpz_mul_ui(y, y, sums->count);
    mpz_sub(y, y, x);
    m2_error = fabs(real_of(y, 2 * SCALE)) / n;
    /* Equal elements. */
    if (m2 == 0) {
        return (struct shares){ share(mean_error, 0), share(m2_error, 0) };
    }
    e = depth * u * sums->greatest / sqrt(m2 / n);
    return (struct shares){ share(mean_error, depth * u * sums->greatest),
                            share(m2_error, (4 * e + e * e) * m2) };
}

/* ---- Data -------------------------------------------------------------------------- */

enum data { FAR, EQUAL, SIGNS, RANGE, OUTLIER, CREEP, NUM_DATA };
static const char *const data_names[] = { "far",   "equal",   "signs",
                                          "range", "outlier", "creep" };

/* CREEP: each f32 lies so little above the mean that a mean of all before it, rounded,
 * never moves: the worst that can happen to a left fold. */
static double draw_term(enum data data, size_t i, size_t count, uint64_t *random)
{
    uint64_t bits = next_random(random);
    double noise = (double)(bits >> 11) * 0x1p-52 - 1;

    switch (data) {
    case FAR:
        return 1e6 + noise;
    case EQUAL:
        return 1234.1;
    case SIGNS:
        return 100 * noise;
    case RANGE:
        return ldexp(noise, (int)(bits % 64) - 32);
    case OUTLIER:
        return i == count / 3 ? 1e7 : noise;
    default:
        return 0x1p20 + 0x1p-3 * floor((double)i / 2);
    }
}

static unsigned char elements[MOST * 8];
static double values[MOST]; /* what they are as fold.type */

static void fill_moments(struct pair pair, enum data data, size_t count)
{
    uint64_t random = count;

    for (size_t i = 0; i < count; ++i) {
        double real = draw_term(data, i, count, &random);
        void *at = elements + i * size_of(pair.in);
        real = pair.in == CLFOLD_F16 ? fmod(real, 2048) : real;
        write_number(pair.in, (struct number){ (uint64_t)(int64_t)real, real }, at);
        values[i] = (double)convert_number(pair, read_number(pair.in, at)).real;
    }
}

/* ---- One call ---------------------------------------------------------------------- */

/* A count that 32 bits do not hold. */
static const struct moments init = { (1ull << 33) + 5, 1000.5, 3e12 };

static size_t result_bytes(clfold_type type)
{
    return sizeof(cl_ulong) + 2 * size_of(type);
}

static void write_moments(clfold_type type, const struct moments *m, unsigned char *at)
{
    memcpy(at, &m->count, sizeof(m->count));
    write_number(type, (struct number){ .real = m->mean }, at + 8);
    write_number(type, (struct number){ .real = m->m2 }, at + 8 + size_of(type));
}

static struct moments read_moments(clfold_type type, const unsigned char *at)
{
    struct moments m;

    memcpy(&m.count, at, sizeof(m.count));
    m.mean = as_double(type, at + 8);
    m.m2 = as_double(type, at + 8 + size_of(type));
    return m;
}

/* D of the header for `count` elements, or its root where the mean can follow its
 * elements, which it cannot if init counts for so much more. */
static double depth_of(const clfold_report *report, const struct trial *trial,
                       enum data data, size_t count)
{
    double tile = (double)report->tile;
    double depth =
        64 + (strcmp(report->algorithm, "serial") == 0 ? (double)count
              : report->tile == 0                      ? (double)report->items
              : trial->plan.tile == TILE_ITEM          ? tile / 4 + (double)count / tile
                                              : tile / 16 + (double)count / tile);

    return data == CREEP || trial->init ? depth : sqrt(depth);
}

/* Result i, or past them the total, raises the greatest shares of the bounds. */
static void compare(const struct trial *trial, size_t i, const unsigned char *at,
                    const struct sums *sums, double depth, struct shares *most)
{
    const clfold_type type = trial->subject->fold.type;
    const struct moments found = read_moments(type, at);
    struct shares shares = { 0, 0 };

    if (sums->count > 0) {
        shares = shares_of(&found, sums, type, depth);
    }
    if (found.count != sums->count || !(shares.mean <= 1) || !(shares.m2 <= 1)) {
        char text[512];
        trial_print(trial, text, sizeof(text));
        fail_msg("%s: result %zu is { %llu, %.17g, %.17g }, count should be %llu, "
                 "and the errors are %.3g and %.3g of their bounds",
                 text, i, (unsigned long long)found.count, found.mean, found.m2,
                 (unsigned long long)sums->count, shares.mean, shares.m2);
    }
    most->mean = fmax(most->mean, shares.mean);
    most->m2 = fmax(most->m2, shares.m2);
}

/* Each result in turn, of many some, and the total. */
static struct shares compare_all(const struct trial *trial, enum data data,
                                 const clfold_report *report,
                                 const unsigned char *results)
{
    const bool before = trial->operation == CLFOLD_EXCLUSIVE_SCAN;
    const size_t size = trial->subject->size;
    struct shares most = { 0, 0 };
    struct sums sums = { 0 };

    mpz_inits(sums.sum, sums.squares, NULL);
    if (trial->init) {
        sums_add(&sums, init.count, init.mean, init.m2);
    }
    for (size_t i = 0; i < trial->count; ++i) {
        const bool is_checked = !trial_reduces(trial) && (i < 20000 || i % 61 == 0);
        const double depth = depth_of(report, trial, data, i + 1);
        if (before && is_checked) {
            compare(trial, i, results + i * size, &sums, depth, &most);
        }
        sums_add(&sums, 1, values[i], 0);
        if (!before && is_checked) {
            compare(trial, i, results + i * size, &sums, depth, &most);
        }
    }
    compare(trial, trial->count,
            results + (trial_reduces(trial) ? 0 : trial->count * size), &sums,
            depth_of(report, trial, data, trial->count), &most);
    mpz_clears(sums.sum, sums.squares, NULL);
    return most;
}

static struct shares run(struct trial trial, struct pair pair, enum data data)
{
    static unsigned char results[((size_t)MOST + 1) * RESULT];
    unsigned char first[RESULT];
    const struct subject subject = { .fold = { .name = data_names[data],
                                               .op = CLFOLD_MOMENTS,
                                               .type = pair.type,
                                               .in = pair.in },
                                     .size = result_bytes(pair.type),
                                     .in_size = size_of(pair.in) };
    clfold_fold fold = subject.fold;
    clfold_report report;

    fill_moments(pair, data, trial.count);
    write_moments(pair.type, &init, first);
    trial.subject = &subject;
    trial.elements = elements;
    trial.init_value = first;
    trial.total = trial_reduces(&trial) ? TOTAL_NONE : TOTAL_APART;
    trial.unknown = true;
    assert_true(trial_check(&trial, results));
    fold.algorithm = trial.algorithm;
    if (clfold_explain(ctx, trial.operation, &fold, trial.count, NULL, &report)) {
        fold.algorithm = LOOKBACK_INSTEAD;
        assert_ok(
            clfold_explain(ctx, trial.operation, &fold, trial.count, NULL, &report));
    }
    clfold_context_override(ctx, NULL);
    return compare_all(&trial, data, &report, results);
}

/* ---- The tests --------------------------------------------------------------------- */

/* Elements of f32 and f64 most of all, then such as are converted, some with rounding. */
static const struct pair pairs[] = {
    { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 }, { CLFOLD_F32, CLFOLD_F32 },
    { CLFOLD_U8, CLFOLD_F32 },  { CLFOLD_F32, CLFOLD_F64 }, { CLFOLD_F32, CLFOLD_F32 },
    { CLFOLD_I32, CLFOLD_F32 }, { CLFOLD_F64, CLFOLD_F64 }, { CLFOLD_F16, CLFOLD_F32 },
    { CLFOLD_I64, CLFOLD_F64 }, { CLFOLD_F32, CLFOLD_F32 },
};
#define NUM_PAIRS_HERE (sizeof(pairs) / sizeof(pairs[0]))

/* The policy's, and of each kind one or two sizes in turn. */
static const struct debug tiles[][2] = {
    { { 0 }, { 0 } },
    { { .tile = TILE_VECTOR, .tile_elements = 336, .max_groups = 5, .anchor = 4 },
      { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5, .anchor = 4 } },
    { { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
      { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 } },
    { { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
      { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 } },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

/* PoCL 3.1's compiler dies of some look-backs over a group's tiles, see lookback.c. */
static bool kills_compiler(const struct debug *plan, const char *algorithm)
{
    return device.is_pocl && policy_tile(plan->tile) == TILE_GROUP &&
           may_look_back(algorithm);
}

/* One program with every kind of data, around the ends of tiles. */
static void run_program(struct trial trial, struct pair pair, size_t turn)
{
    size_t tile = trial.plan.tile_elements ? trial.plan.tile_elements : 256;
    const size_t counts[] = { 1,        2,        tile - 1,     tile,
                              tile + 1, 2 * tile, 5 * tile + 3, 10007 };

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
        trial.count = counts[c];
        trial.in_offset = c % 3;
        trial.out_offset = turn % 4;
        trial.init = (turn + c) % 3 == 0 ? INIT_HOST + c % 2 : INIT_NONE;
        run(trial, pair, (enum data)((turn + c) % NUM_DATA));
    }
}

/* Each tile by each algorithm, scans in one direction, with a pair of types in turn that
 * the device has. */
static void test_call(clfold_operation operation)
{
    size_t turn = operation;
    const char *algorithm;

    for (uint32_t a = 0; (algorithm = clfold_operation_algorithm(operation, a)); ++a) {
        bool has_tile = strncmp(algorithm, "reduce", 6) != 0 ||
                        strchr("0123456", algorithm[6]) == NULL;
        has_tile &= strcmp(algorithm, "serial") != 0;
        for (size_t t = 0; t < (has_tile ? NUM_TILES : 1); ++t) {
            const struct trial trial = { .operation = operation,
                                         .algorithm = algorithm,
                                         .plan = tiles[t][(a + t / 2) % 2] };
            const bool is_other = operation == scan_of((a + t) % 2);
            struct pair pair;
            if (kills_compiler(&trial.plan, algorithm) ||
                !policy_has_tile(trial.plan.tile) ||
                (is_other && operation != CLFOLD_REDUCE)) {
                continue;
            }
            do {
                pair = pairs[turn++ % NUM_PAIRS_HERE];
            } while (!device_folds(&device, pair.in, pair.type));
            run_program(trial, pair, turn);
        }
    }
}

static void test_reduce(void **state)
{
    (void)state;
    test_call(CLFOLD_REDUCE);
}

static void test_scan(void **state)
{
    (void)state;
    test_call(CLFOLD_INCLUSIVE_SCAN);
    test_call(CLFOLD_EXCLUSIVE_SCAN);
}

static const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 };

/* Counts that 16 bits do not hold, in one tile, and one that takes many. */
static void test_large(void **state)
{
    static const struct debug large = { .tile = TILE_VECTOR, .tile_elements = 1 << 17 };

    (void)state;
    for (int turn = 0; turn < 4; ++turn) {
        const struct trial trial = { .operation =
                                         turn % 2 ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_REDUCE,
                                     .plan = turn > 1 ? large : (struct debug){ 0 },
                                     .count = MOST };
        const struct shares shares = run(trial, f32, FAR);
        print_message("errors of mean and m2 up to %.2g and %.2g of the bounds\n",
                      shares.mean, shares.m2);
    }
}

/* A mean that cannot follow its elements comes near the bounds: these are not loose. */
static void test_tight(void **state)
{
    const struct trial trial = { .operation = CLFOLD_REDUCE,
                                 .algorithm = "serial",
                                 .count = 10007 };
    const struct shares shares = run(trial, f32, CREEP);

    (void)state;
    print_message("errors of mean and m2 up to %.2g and %.2g of the bounds\n",
                  shares.mean, shares.m2);
    assert_true(shares.mean > 0.3 && shares.m2 > 0.1);
}

static int set_up(void **state)
{
    mpz_inits(x, y, NULL);
    return open_context(state);
}

static int tear_down(void **state)
{
    mpz_clears(x, y, NULL);
    return close_context(state);
}

TEST_MAIN("moments", set_up, tear_down, cmocka_unit_test(test_reduce),
          cmocka_unit_test(test_scan), cmocka_unit_test(test_large),
          cmocka_unit_test(test_tight))
