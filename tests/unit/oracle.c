/* The tests' own means: whether data and poison do as oracle.h says. Where a fold of the
 * oracle's is wrong, the library's results are others. */
#include "base/number.h"
#include "oracle.h"
#include "test.h"

#include <math.h>

/* The library's own conversion of halves agrees with the tests', also halfway between two
 * of them and beside that. */
static void test_half(void **state)
{
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const long double value = half_value((cl_half)bits);
        const double library = clfold_half_to_double((uint16_t)bits);
        const long double next = (bits & 0x7fff) == 0x7bff
                                     ? copysign(65536, library)
                                     : half_value((cl_half)(bits + 1));
        const double middle = (double)((value + next) / 2);
        const double cases[] = { library, middle, nextafter(middle, -INFINITY),
                                 nextafter(middle, INFINITY) };
        assert_true(isnan(value) ? isnan(library) : value == library);
        for (int i = 0; i < 4 && !isnan(cases[i]); ++i) {
            assert_int_equal(half_of(cases[i]), clfold_double_to_half(cases[i]));
        }
    }
    assert_true(isnan(clfold_half_to_double(clfold_double_to_half(NAN))));
}

#define MOST 1000

/* What may show in a fold of such data, and how often it did. */
struct shown {
    size_t cases, poison, first, last, middle;
};

/* Whether the fold changes when `num` elements from `at` on are left out. */
static bool misses(clfold_op op, struct pair pair, unsigned char *data, size_t count,
                   size_t at, const void *whole)
{
    unsigned char less[MOST * 8], result[MAX_RESULT];
    size_t size = size_of(pair.in);

    memcpy(less, data, at * size);
    memcpy(less + at * size, data + (at + 1) * size, (count - at - 1) * size);
    oracle_fold(op, pair, less, count - 1, NULL, result, NULL);
    return !same_result(op, pair.type, whole, result);
}

static void check_data(clfold_op op, struct pair pair, size_t count, uint64_t seed,
                       struct shown *shown)
{
    static unsigned char data[(MOST + 2) * 8];
    unsigned char whole[MAX_RESULT], result[MAX_RESULT];
    size_t size = size_of(pair.in);

    fill_fold(data, op, pair, count, 0, seed);
    ++shown->cases;
    oracle_fold(op, pair, data, count, NULL, whole, NULL);
    shown->first += misses(op, pair, data, count, 0, whole);
    shown->last += misses(op, pair, data, count, count - 1, whole);
    shown->middle += misses(op, pair, data, count, 64 < count ? 64 : 1, whole);
    poison_fold(data + count * size, op, pair, 2);
    oracle_fold(op, pair, data, count + 2, NULL, result, NULL);
    shown->poison += !same_result(op, pair.type, whole, result);
}

/* An element that is lost shows in a part of the cases, poison in many. */
static void test_data(void **state)
{
    const size_t counts[] = { 2, 17, 100, MOST };

    for (clfold_op op = CLFOLD_ADD; op <= LAST_OP; ++op) {
        struct shown shown = { 0 };
        for (uint64_t k = 0; k < LAST_TYPE * LAST_TYPE * 3; ++k) {
            struct pair pair = { 1 + (clfold_type)(k / 3 % LAST_TYPE),
                                 1 + (clfold_type)(k / 3 / LAST_TYPE) };
            for (size_t c = 0; c < 4 && is_folded(op, pair); ++c) {
                check_data(op, pair, counts[c], k, &shown);
            }
        }
        print_message(
            "# %s: %zu cases; poison shows in %zu, the first element in %zu, the "
            "last in %zu, another in %zu\n",
            name_of_op(op), shown.cases, shown.poison, shown.first, shown.last,
            shown.middle);
        assert_true(shown.poison > shown.cases / 4);
        assert_true(shown.first > shown.cases / 20);
        assert_true(shown.last > shown.cases / 20);
        assert_true(shown.middle > shown.cases / 100);
    }
}

/* Rounding shows in most sums, and stays within the bound of their depth. */
static void test_bound(void **state)
{
    enum { NUM = 5000 };
    const struct pair pair = { CLFOLD_F32, CLFOLD_F32 };
    static cl_float data[NUM], exact[NUM];
    static double magnitudes[NUM];
    cl_float sum = 0, last;
    double magnitude;
    size_t differ = 0;

    fill(data, CLFOLD_F32, NUM, FILL_ROUNDING, 1);
    oracle_scan(CLFOLD_ADD, pair, false, data, NUM, NULL, exact, NULL, magnitudes);
    for (size_t i = 0; i < NUM; ++i) {
        volatile cl_float next = sum + data[i];
        sum = next;
        differ += memcmp(&sum, &exact[i], sizeof(sum)) != 0;
        assert_true(fabs((double)sum - (double)exact[i]) <=
                    rounding_bound(CLFOLD_F32, (double)i + 1, magnitudes[i]));
    }
    assert_true(differ > NUM / 2);
    oracle_fold(CLFOLD_ADD, pair, data, NUM, NULL, &last, &magnitude);
    assert_true(last == exact[NUM - 1] && magnitude == magnitudes[NUM - 1]);
    assert_true(rounding_bound(CLFOLD_F16, 1, 1) > 0x1p-11);
    assert_true(rounding_bound(CLFOLD_F64, 1, 1) < 0x1p-52);
}

TEST_MAIN("oracle", NULL, NULL, cmocka_unit_test(test_half), cmocka_unit_test(test_data),
          cmocka_unit_test(test_bound))
