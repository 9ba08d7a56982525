/* The host's fold of verify_every, against the oracle: every right result passes, in any
 * association, and one that is a little wrong does not. */
#include "oracle.h"
#include "test.h"

#include "ops/host_fold.h"

#include <float.h>
#include <math.h>

static const struct site site = { NULL, "host_fold" };

/* One work-item in sequence: the strictest bound. */
static struct reduce_plan serial(size_t count)
{
    return (struct reduce_plan){
        .shape = { .algorithm = REDUCE_6, .tile = { .group_size = 1 } },
        .has_grid = true,
        .items = count,
        .num_groups = 1,
    };
}

static clfold_status verify(clfold_op op, struct pair pair, const void *data,
                            size_t count, const void *init, const void *result)
{
    struct reduce_plan plan = serial(count);
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

/* What depends on the order, since partial results leave the range, passes; what does not
 * is told. */
static void test_range(void **state)
{
    const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 }, f64 = { CLFOLD_F64, CLFOLD_F64 };
    const double greatest[] = { DBL_MAX, DBL_MAX };
    const float mixed[] = { INFINITY, -3e38f, -3e38f, -3e38f };
    const float infinite[] = { 1, INFINITY, -2 }, none[] = { INFINITY, 1, -INFINITY };
    const float small[] = { 1e-30f, 1e-30f, 1e30f, 1e30f };
    const double infinity = (double)INFINITY;
    const float nan = NAN, one = 1, minus = -INFINITY, zero = 0;

    (void)state;
    assert_ok(verify(CLFOLD_ADD, f64, greatest, 2, NULL, &infinity));
    assert_ok(verify(CLFOLD_ADD, f32, mixed, 4, NULL, &nan));
    assert_ok(verify(CLFOLD_ADD, f32, mixed, 4, NULL, &minus));
    assert_ok(verify(CLFOLD_MUL, f32, small, 4, NULL, &one));
    assert_ok(verify(CLFOLD_MUL, f32, small, 4, NULL, &zero));
    assert_ok(verify(CLFOLD_MUL, f32, infinite, 3, NULL, &minus));
    assert_ok(verify(CLFOLD_ADD, f32, none, 3, NULL, &nan));
    assert_refused(verify(CLFOLD_ADD, f32, infinite, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to inf");
    assert_refused(verify(CLFOLD_ADD, f32, none, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to");
    assert_refused(verify(CLFOLD_MUL, f32, infinite, 3, NULL, &one), CLFOLD_ERROR_DATA,
                   "the host to -inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_fold),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_range),
    };

    return cmocka_run_group_tests_name("host_fold", tests, NULL, NULL);
}
