/* The host's fold of verify_every, against the oracle: every right result passes, in any
 * association, and one that is a little wrong does not. */
#include "oracle.h"
#include "plans.h"
#include "test.h"

#include "ops/host_fold.h"

#include <float.h>
#include <math.h>

static const struct site site = { NULL, "host_fold" };

/* One work-item in sequence: the strictest bound. */
static struct plan serial(size_t count)
{
    return (struct plan){
        .shape = { .algorithm = REDUCE_6, .tile = { .group_size = 1 } },
        .has_grid = true,
        .items = count,
        .num_groups = 1,
    };
}

static clfold_status verify(clfold_op op, struct pair pair, const void *data,
                            size_t count, const void *init, const void *result)
{
    struct plan plan = serial(count);
    struct host_fold fold;
    size_t half = count / 2;

    clfold_host_fold_init(&fold, op, pair.type, pair.in, init);
    clfold_host_fold_add(&fold, data, half);
    clfold_host_fold_add(&fold, (const char *)data + half * size_of(pair.in),
                         count - half);
    return clfold_host_fold_compare(&fold, &site, &plan, result);
}

/* Another value of that type, not within any rounding of the first. */
static void disturb(clfold_type type, void *at)
{
    struct number x = read_number(type, at);

    x.integer ^= 1;
    x.real = isfinite(x.real) ? (x.real < 100 ? x.real * 4 + 1000 : -x.real) : 0;
    write_number(type, x, at);
}

static void check(clfold_op op, struct pair pair, size_t count, bool init, bool nan,
                  uint64_t seed)
{
    unsigned char data[8 * 400], result[32], before[32];
    size_t value = is_arg(op) ? 8 : 0;
    size_t step = is_arg(op) ? 16 : size_of(pair.type);
    char text[160];

    fill_fold(data, op, pair, count, nan ? FILL_NAN : 0, seed);
    fill_init(before, op, pair, data, count, seed);
    if (!oracle_fold(op, pair, data, count, init ? before : NULL, result, NULL)) {
        return;
    }
    if (verify(op, pair, data, count, init ? before : NULL, result)) {
        fail_msg("%s of %zu %s into %s: %s", name_of_op(op), count, name_of(pair.in),
                 name_of(pair.type), clfold_last_error());
    }
    for (size_t k = 0; k < result_size(op, pair.type) / step; ++k) {
        unsigned char wrong[32];
        const int parts = is_arg(op) ? 2 : 1;
        for (int part = 0; part < parts; ++part) {
            memcpy(wrong, result, sizeof(wrong));
            if (part == 0) {
                disturb(pair.type, wrong + k * step + value);
            } else {
                wrong[k * step] ^= 1; /* the index */
            }
            if (!verify(op, pair, data, count, init ? before : NULL, wrong)) {
                print_result(op, pair.type, wrong, text, sizeof(text));
                fail_msg("%s of %zu %s into %s: %s passes", name_of_op(op), count,
                         name_of(pair.in), name_of(pair.type), text);
            }
        }
    }
}

static void test_every_fold(void **state)
{
    const size_t counts[] = { 0, 1, 2, 17, 400 };

    (void)state;
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; ++op) {
        for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
            for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
                const struct pair pair = { in, type };
                for (size_t i = 0; is_folded(op, pair) && i < 20; ++i) {
                    check(op, pair, counts[i % 5], i / 5 % 2, i / 10, 1000 * i + in);
                }
            }
        }
    }
}

/* Random trees over values that round. */
static double random_tree(clfold_op op, clfold_type type, const double *x, size_t count,
                          uint64_t *random)
{
    double left, right, both;

    if (count == 1) {
        return x[0];
    }
    size_t cut = 1 + next_random(random) % (count - 1);
    left = random_tree(op, type, x, cut, random);
    right = random_tree(op, type, x + cut, count - cut, random);
    both = op == CLFOLD_ADD ? left + right : left * right;
    return type == CLFOLD_F32 ? (double)(float)both : both;
}

static void test_rounding(void **state)
{
    uint64_t random = 11;

    (void)state;
    for (int i = 0; i < 20000; ++i) {
        clfold_op op = i % 2 ? CLFOLD_MUL : CLFOLD_ADD;
        clfold_type type = i / 2 % 2 ? CLFOLD_F64 : CLFOLD_F32;
        size_t count = 1 + next_random(&random) % 100;
        double values[100], u = type == CLFOLD_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
        float singles[100];
        double sum = 0, product = 1, scale;
        unsigned char result[8];
        for (size_t k = 0; k < count; ++k) {
            double unit = (double)(next_random(&random) >> 11) * 0x1p-53;
            singles[k] = (float)((op == CLFOLD_MUL ? 0.8 + unit / 2 : unit - 0.3));
            values[k] = type == CLFOLD_F32 ? (double)singles[k] : unit + 0.4;
            sum += fabs(values[k]);
            product *= values[k];
        }
        double exact = random_tree(op, type, values, count, &random);
        const void *data = type == CLFOLD_F32 ? (void *)singles : (void *)values;
        write_number(type, (struct number){ 0, (long double)exact }, result);
        assert_ok(verify(op, (struct pair){ type, type }, data, count, NULL, result));
        /* Four bounds away. */
        scale = op == CLFOLD_ADD ? sum : fabs(product);
        exact += 4 * u * ((double)count + 80) * scale + 16 * u * fabs(exact);
        write_number(type, (struct number){ 0, (long double)exact }, result);
        assert_refused(verify(op, (struct pair){ type, type }, data, count, NULL, result),
                       CLFOLD_ERROR_DATA, "verify: the device folds to");
    }
}

/* A result that depends on the order, since partial results leave the range, passes; any
 * other wrong one fails. */
static void test_range(void **state)
{
    const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 }, f64 = { CLFOLD_F64, CLFOLD_F64 };
    const double greatest[] = { DBL_MAX, DBL_MAX };
    const float mixed[] = { INFINITY, -3e38f, -3e38f, -3e38f };
    const float infinite[] = { 1, INFINITY, -2 }, none[] = { INFINITY, 1, -INFINITY };
    const float small[] = { 1e-30f, 1e-30f, 1e30f, 1e30f };
    const float down[] = { 1e-30f, 1e-30f, 1e25f }, product = 1e-35f;
    const double infinity = (double)INFINITY;
    const float nan = NAN, one = 1, minus = -INFINITY, zero = 0;

    (void)state;
    assert_ok(verify(CLFOLD_ADD, f64, greatest, 2, NULL, &infinity));
    assert_ok(verify(CLFOLD_ADD, f32, mixed, 4, NULL, &nan));
    assert_ok(verify(CLFOLD_ADD, f32, mixed, 4, NULL, &minus));
    assert_ok(verify(CLFOLD_MUL, f32, small, 4, NULL, &one));
    assert_ok(verify(CLFOLD_MUL, f32, small, 4, NULL, &zero));
    assert_ok(verify(CLFOLD_MUL, f32, down, 3, NULL, &product));
    assert_ok(verify(CLFOLD_MUL, f32, down, 3, NULL, &zero));
    assert_ok(verify(CLFOLD_MUL, f32, infinite, 3, NULL, &minus));
    assert_ok(verify(CLFOLD_ADD, f32, none, 3, NULL, &nan));
    assert_refused(verify(CLFOLD_ADD, f32, infinite, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to inf");
    assert_refused(verify(CLFOLD_ADD, f32, none, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to");
    assert_refused(verify(CLFOLD_MUL, f32, infinite, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to -inf");
}

/* ---- By the plans of devices ------------------------------------------------------- */

static struct plan fold_plan(enum algorithm algorithm, bool cpu, clfold_op op,
                             clfold_type type, uint64_t count)
{
    const struct device_facts device = {
        .cpu = cpu, .vendor = "", .name = "", .local_memory = 32768, .max_group_size = 256
    };
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;

    assert_ok(clfold_monoid_init(&monoid, &site, op, type, type));
    const struct job job = job_of(CLFOLD_REDUCE, algorithm, &monoid, &device, NULL);
    job_candidates(&job, candidates);
    return plan_of(job, &candidates[0], count);
}

/* `count` elements of one value, and whether `result` passes by that plan. */
static clfold_status verify_all(const struct plan *plan, clfold_op op, clfold_type type,
                                double element, uint64_t count, double result)
{
    const struct number x = { 0, (long double)element };
    unsigned char piece[1024 * 8], bytes[8];
    struct host_fold fold;

    for (size_t i = 0; i < 1024; ++i) {
        write_number(type, x, piece + i * size_of(type));
    }
    write_number(type, (struct number){ 0, (long double)result }, bytes);
    clfold_host_fold_init(&fold, op, type, type, NULL);
    for (uint64_t done = 0; done < count; done += 1024) {
        clfold_host_fold_add(&fold, piece, count - done < 1024 ? count - done : 1024);
    }
    return clfold_host_fold_compare(&fold, &site, plan, bytes);
}

/* A sum that lacks one part in 8,000, or for f16 one in 16, is wrong by every kernel, and
 * zeros sum up to 0. */
static void test_plans(void **state)
{
    const uint64_t counts[] = { 4096, 1 << 16, 1 << 19 };

    (void)state;
    for (int i = 0; i < 2 * (REDUCE_6 + 1) * 3; ++i) {
        enum algorithm algorithm = (enum algorithm)(i / 6);
        uint64_t count = counts[i % 3];
        for (clfold_type type = CLFOLD_F16; type <= CLFOLD_F64; ++type) {
            struct plan plan = fold_plan(algorithm, i % 6 / 3, CLFOLD_ADD, type, count);
            bool half = type == CLFOLD_F16;
            double element = half ? 0x1p-10 : 0.75, sum = element * (double)count;
            assert_ok(verify_all(&plan, CLFOLD_ADD, type, 0, count, 0));
            assert_refused(verify_all(&plan, CLFOLD_ADD, type, 0, count, 1),
                           CLFOLD_ERROR_DATA, "folds to 1, the host to 0");
            assert_ok(verify_all(&plan, CLFOLD_ADD, type, element, count, sum));
            if (!half || plan.has_grid) {
                sum *= half ? 15. / 16 : 7999. / 8000;
                assert_refused(verify_all(&plan, CLFOLD_ADD, type, element, count, sum),
                               CLFOLD_ERROR_DATA, "verify: the device folds to");
            }
        }
    }
}

/* The most that a chain may lose: a small element is dropped in each step. */
static void test_longest_chain(void **state)
{
    (void)state;
    for (clfold_type type = CLFOLD_F32; type <= CLFOLD_F64; ++type) {
        const size_t count = 4000;
        double u = type == CLFOLD_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
        unsigned char data[4001 * 8], result[8];
        const struct pair pair = { type, type };
        write_number(type, (struct number){ 0, 1 }, data);
        for (size_t i = 1; i <= count; ++i) {
            write_number(type, (struct number){ 0, (long double)u },
                         data + i * size_of(type));
        }
        memcpy(result, data, sizeof(result));
        assert_ok(verify(CLFOLD_ADD, pair, data, count + 1, NULL, result));
        write_number(type, (struct number){ 0, 1 - (long double)(u * 100) }, result);
        assert_refused(verify(CLFOLD_ADD, pair, data, count + 1, NULL, result),
                       CLFOLD_ERROR_DATA, "verify");
    }
}

/* Factors near 1: told from one another as long as the bound is finite. */
static void test_long_products(void **state)
{
    const double half = 1 + 0x1p-10, single = 1 + 0x1p-23;
    struct plan plan;

    (void)state;
    for (uint32_t a = 0; a < (REDUCE_6 + 1); ++a) {
        plan = fold_plan((enum algorithm)a, false, CLFOLD_MUL, CLFOLD_F16, 5000);
        assert_ok(verify_all(&plan, CLFOLD_MUL, CLFOLD_F16, half, 5000, 123.1875));
        plan = fold_plan((enum algorithm)a, false, CLFOLD_MUL, CLFOLD_F16, 100);
        assert_ok(verify_all(&plan, CLFOLD_MUL, CLFOLD_F16, half, 100, 1.1025390625));
        assert_refused(verify_all(&plan, CLFOLD_MUL, CLFOLD_F16, half, 100, 1.3),
                       CLFOLD_ERROR_DATA, "verify");
        plan = fold_plan((enum algorithm)a, false, CLFOLD_MUL, CLFOLD_F32, 5000);
        assert_ok(
            verify_all(&plan, CLFOLD_MUL, CLFOLD_F32, single, 5000, exp(5000 * 0x1p-23)));
        assert_refused(verify_all(&plan, CLFOLD_MUL, CLFOLD_F32, single, 5000,
                                  exp(5000 * 0x1p-23) + 0x1p-10),
                       CLFOLD_ERROR_DATA, "verify");
    }
}

/* ---- Single wrongs ----------------------------------------------------------------- */

#define NUM 6

static clfold_status verify_arg(clfold_op op, const float *data, uint64_t index,
                                float value, unsigned char behind)
{
    const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 };
    unsigned char result[16] = { 0 };

    memcpy(result, &index, sizeof(index));
    memcpy(result + 8, &value, sizeof(value));
    result[12] = behind;
    return verify(op, f32, data, NUM, NULL, result);
}

static void test_ties(void **state)
{
    const float data[NUM] = { 2, 1, 3, 1, 3, 2 };
    const float some[NUM] = { 2, 1, NAN, 1, NAN, 2 };

    (void)state;
    assert_ok(verify_arg(CLFOLD_ARG_MIN, data, 1, 1, 0));
    assert_ok(verify_arg(CLFOLD_ARG_MAX, data, 2, 3, 0));
    assert_ok(verify_arg(CLFOLD_ARG_MIN, some, 2, NAN, 0));
    assert_ok(verify_arg(CLFOLD_ARG_MAX, some, 2, NAN, 0));
    assert_refused(verify_arg(CLFOLD_ARG_MIN, data, 3, 1, 0), CLFOLD_ERROR_DATA,
                   "the device folds to 1 at 3, the host to 1 at 1");
    assert_refused(verify_arg(CLFOLD_ARG_MAX, data, 4, 3, 0), CLFOLD_ERROR_DATA, "at 4");
    assert_refused(verify_arg(CLFOLD_ARG_MIN, some, 1, 1, 0), CLFOLD_ERROR_DATA, "nan");
    assert_refused(verify_arg(CLFOLD_ARG_MIN, some, 4, NAN, 0), CLFOLD_ERROR_DATA,
                   "at 4");
    assert_refused(verify_arg(CLFOLD_ARG_MIN, data, 1, 1, 1), CLFOLD_ERROR_DATA,
                   "bytes other than 0 after the value of f32");
}

/* Subnormal numbers are themselves, or 0. */
static void test_tiny(void **state)
{
    const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 };
    const float tiny[NUM] = { 1, 3e-39f, -2e-39f, 0, 1e-39f, 1 }, t = 1e-39f;
    const float least = -2e-39f, zero = 0, one = 1, normal = 2e-38f;
    const double zeros[] = { 1, 0 }, tiny_64 = 1e-310;
    const struct pair f64 = { CLFOLD_F64, CLFOLD_F64 };
    const struct pair f16 = { CLFOLD_F16, CLFOLD_F16 };
    const cl_half no_half = 0, half_one = 0x3c00,
                  sum_of_halves = half_of(100 * 0x3ffp-24L);
    cl_half halves[100];

    (void)state;
    assert_ok(verify(CLFOLD_MIN, f32, tiny, NUM, NULL, &least));
    assert_ok(verify(CLFOLD_MIN, f32, tiny, NUM, NULL, &zero));
    assert_refused(verify(CLFOLD_MIN, f32, tiny, NUM, NULL, &normal), CLFOLD_ERROR_DATA,
                   "verify");
    assert_refused(verify(CLFOLD_MIN, f64, zeros, 2, NULL, &tiny_64), CLFOLD_ERROR_DATA,
                   "verify");
    assert_ok(verify_arg(CLFOLD_ARG_MIN, tiny, 2, least, 0));
    assert_ok(verify_arg(CLFOLD_ARG_MIN, tiny, 1, 3e-39f, 0));
    assert_refused(verify_arg(CLFOLD_ARG_MIN, tiny, 3, 0, 0), CLFOLD_ERROR_DATA, "at 3");
    assert_ok(verify(CLFOLD_ADD, f32, tiny + 1, NUM - 2, NULL, &zero));
    for (size_t i = 0; i < 100; ++i) {
        halves[i] = 0x3ff; /* just below 2^-14 */
    }
    assert_ok(verify(CLFOLD_ADD, f16, halves, 100, NULL, &no_half));
    assert_ok(verify(CLFOLD_ADD, f16, halves, 100, NULL, &sum_of_halves));
    assert_refused(verify(CLFOLD_ADD, f16, halves, 100, NULL, &half_one),
                   CLFOLD_ERROR_DATA, "the device folds to 1, the host to 0.0060");
    assert_ok(verify(CLFOLD_LOGICAL_OR, f32, &t, 1, NULL, &one));
    assert_ok(verify(CLFOLD_LOGICAL_OR, f32, &t, 1, NULL, &zero));
    assert_ok(verify(CLFOLD_LOGICAL_AND, f32, tiny, 2, NULL, &one));
    assert_ok(verify(CLFOLD_LOGICAL_AND, f32, tiny, 2, NULL, &zero));
    assert_refused(verify(CLFOLD_LOGICAL_AND, f32, tiny, NUM, NULL, &one),
                   CLFOLD_ERROR_DATA, "the device folds to 1, the host to 0");
    assert_refused(verify(CLFOLD_LOGICAL_OR, f32, tiny, NUM, NULL, &zero),
                   CLFOLD_ERROR_DATA, "the device folds to 0, the host to 1");
}

TEST_MAIN("host_fold", NULL, NULL, cmocka_unit_test(test_every_fold),
          cmocka_unit_test(test_rounding), cmocka_unit_test(test_range),
          cmocka_unit_test(test_plans), cmocka_unit_test(test_longest_chain),
          cmocka_unit_test(test_long_products), cmocka_unit_test(test_ties),
          cmocka_unit_test(test_tiny))
