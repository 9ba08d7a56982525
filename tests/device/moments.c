/*
 * CLFOLD_MOMENTS against a loop in long double, which keeps at least 11 bits more than a
 * double: the count exactly, mean and m2 within the bounds that the header states, for
 * reductions and for every prefix of a scan. The data break the formula of sums alone,
 * m2 = Q - S^2 / n.
 */
#include <clfold/experimental.h>
#include "lookback.h"
#include "test.h"
#include "trial.h"

#include <math.h>

#define MOST   ((1u << 21) + 3)
#define RESULT 24 /* bytes at most */

/* ---- The loop ---------------------------------------------------------------------- */

struct moments {
    uint64_t count;
    long double mean, m2;
};

/* Equal elements leave the mean as it is, to the bit, and m2 zero. */
static void add(struct moments *sums, struct moments more)
{
    const long double a = (long double)sums->count, b = (long double)more.count,
                      d = more.mean - sums->mean;

    sums->count += more.count;
    sums->mean += d * (b / (a + b));
    sums->m2 += more.m2 + d * d * (a * b / (a + b));
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
static long double values[MOST]; /* what they are as fold.type */

static void fill_moments(struct pair pair, enum data data, size_t count)
{
    uint64_t random = count;

    for (size_t i = 0; i < count; ++i) {
        double real = draw_term(data, i, count, &random);
        void *at = elements + i * size_of(pair.in);
        real = pair.in == CLFOLD_F16 ? fmod(real, 2048) : real;
        write_number(pair.in, (struct number){ (uint64_t)(int64_t)real, real }, at);
        values[i] = convert_number(pair, read_number(pair.in, at)).real;
    }
}

/* ---- One call ---------------------------------------------------------------------- */

/* A count that 32 bits do not hold; of F64 one whose product with another 64 bits do not
 * hold. */
static struct moments init = { 0, 1000.5, 3e12 };

static void write_moments(clfold_type type, const struct moments *m, unsigned char *at)
{
    memcpy(at, &m->count, sizeof(m->count));
    write_number(type, (struct number){ .real = m->mean }, at + 8);
    write_number(type, (struct number){ .real = m->m2 }, at + 8 + size_of(type));
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

/* The greatest shares of the header's bounds that errors of the last call are. */
static double mean_share, m2_share;

/* 0 where both the error and the bound are. */
static double share(long double error, double bound)
{
    return error == 0 ? 0 : (double)fabsl(error) / bound;
}

/* Result i, or past them the total, of elements up to `greatest`. */
static void compare(const struct trial *trial, size_t i, const unsigned char *at,
                    const struct moments *sums, double greatest, double depth)
{
    const clfold_type type = trial->subject->fold.type;
    const double mean = as_double(type, at + 8),
                 u = type == CLFOLD_F32 ? 0x1p-24 : 0x1p-53,
                 m2 = as_double(type, at + 8 + size_of(type));
    /* Equal elements have no error. */
    const double bound = sums->m2 > 0 ? depth * u * greatest : 0;
    const double e = bound > 0 ? bound / sqrt((double)sums->m2 / (double)sums->count) : 0;
    const double mean_is = share(mean - sums->mean, bound),
                 m2_is = share(m2 - sums->m2, (4 * e + e * e) * (double)sums->m2);

    if (memcmp(at, &sums->count, 8) != 0 || !(mean_is <= 1) || !(m2_is <= 1)) {
        char text[512];
        trial_print(trial, text, sizeof(text));
        fail_msg("%s: result %zu has mean %.17g and m2 %.17g, count should be %llu, and "
                 "the errors are %.3g and %.3g of their bounds",
                 text, i, mean, m2, (unsigned long long)sums->count, mean_is, m2_is);
    }
    mean_share = fmax(mean_share, mean_is);
    m2_share = fmax(m2_share, m2_is);
}

/* Each result in turn, of many some, and the total. */
static void compare_all(const struct trial *trial, enum data data,
                        const clfold_report *report, const unsigned char *results)
{
    const bool before = trial->operation == CLFOLD_EXCLUSIVE_SCAN;
    const size_t size = trial->subject->size;
    struct moments sums = trial->init ? init : (struct moments){ 0 };
    double greatest = (double)sums.mean;

    mean_share = m2_share = 0;
    for (size_t i = 0; i <= trial->count; ++i) {
        const bool is_total = i == trial->count;
        const struct moments sums_before = sums;
        const double greatest_before = greatest;
        if (!is_total) {
            add(&sums, (struct moments){ 1, values[i], 0 });
            greatest = fmax(greatest, (double)fabsl(values[i]));
        }
        if (is_total || (!trial_reduces(trial) && (i < 20000 || i % 61 == 0))) {
            compare(trial, i, results + (trial_reduces(trial) ? 0 : i * size),
                    before ? &sums_before : &sums, before ? greatest_before : greatest,
                    depth_of(report, trial, data, i + !is_total));
        }
    }
}

static void run(struct trial trial, struct pair pair, enum data data)
{
    static unsigned char results[((size_t)MOST + 1) * RESULT];
    unsigned char first[RESULT];
    const struct subject subject = { .fold = { .name = data_names[data],
                                               .op = CLFOLD_MOMENTS,
                                               .type = pair.type,
                                               .in = pair.in },
                                     .size = 8 + 2 * size_of(pair.type),
                                     .in_size = size_of(pair.in) };
    clfold_fold fold = subject.fold;
    clfold_report report;

    fill_moments(pair, data, trial.count);
    init.count = (1ull << (pair.type == CLFOLD_F32 ? 33 : 62)) + 5;
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
    compare_all(&trial, data, &report, results);
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

/* The policy's, and of each kind two, of which an algorithm has one. */
static const struct debug tiles[] = {
    { 0 },
    { .tile = TILE_VECTOR, .tile_elements = 336, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_VECTOR, .tile_elements = 48, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5 },
    { .tile = TILE_ITEM, .tile_elements = 50, .max_groups = 5, .anchor = 4 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
    { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

/* Whether the algorithm has a tile, and the compiler lives: PoCL 3.1's dies of some
 * look-backs over a group's tiles, see lookback.c. */
static bool takes(const char *algorithm, const struct debug *plan)
{
    const bool is_rung =
        strncmp(algorithm, "reduce", 6) == 0 && strchr("0123456", algorithm[6]);

    return (!plan->tile || (!is_rung && strcmp(algorithm, "serial") != 0)) &&
           policy_has_tile(plan->tile) &&
           !(device.is_pocl && policy_tile(plan->tile) == TILE_GROUP &&
             may_look_back(algorithm));
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

/* Reductions on each tile, and scans on every fourth one, by each algorithm, with a pair
 * of types in turn that the device has. */
static void test_calls(void **state)
{
    const char *algorithm;
    size_t turn = 0;

    for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
        const size_t step = o == CLFOLD_REDUCE ? 1 : 4;
        for (uint32_t a = 0; (algorithm = clfold_operation_algorithm(o, a)); ++a) {
            for (size_t t = (a + o) % step; t < NUM_TILES; t += step) {
                struct pair pair;
                if (!takes(algorithm, &tiles[t])) {
                    continue;
                }
                do {
                    pair = pairs[turn++ % NUM_PAIRS_HERE];
                } while (!device_folds(&device, pair.in, pair.type));
                run_program((struct trial){ .operation = o,
                                            .algorithm = algorithm,
                                            .plan = tiles[t] },
                            pair, turn);
            }
        }
    }
}

static void print_shares(void)
{
    print_message("errors of mean and m2 up to %.2g and %.2g of the bounds\n", mean_share,
                  m2_share);
}

/* Counts that 16 bits do not hold, in one tile, and one that takes many. */
static void test_large(void **state)
{
    static const struct debug large = { .tile = TILE_VECTOR, .tile_elements = 1 << 17 };

    for (int turn = 0; turn < 4; ++turn) {
        const struct trial trial = { .operation =
                                         turn % 2 ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_REDUCE,
                                     .plan = turn > 1 ? large : (struct debug){ 0 },
                                     .count = MOST };
        run(trial, pairs[0], FAR);
        print_shares();
    }
}

/* A mean that cannot follow its elements comes near the bounds: these are not loose. */
static void test_tight(void **state)
{
    const struct trial trial = { .operation = CLFOLD_REDUCE,
                                 .algorithm = "serial",
                                 .count = 10007 };

    run(trial, pairs[0], CREEP);
    print_shares();
    assert_true(mean_share > 0.3 && m2_share > 0.1);
}

TEST_MAIN("moments", open_context, close_context, cmocka_unit_test(test_calls),
          cmocka_unit_test(test_large), cmocka_unit_test(test_tight))
