/* The tests' own means: folds against results that were worked out by hand, and whether
 * data and poison do as oracle.h says. Where a scan is not that of its folds, or depends
 * on order, the library's results are others than these. */
#include "base/number.h"
#include "oracle.h"
#include "test.h"

#include <math.h>

/* The library's own conversion of halves, test_base, agrees with the tests'. */
static void test_half(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const long double value = half_value((cl_half)bits);
        const double library = clfold_half_to_double((uint16_t)bits);
        assert_true(isnan(value) ? isnan(library) : value == library);
    }
    for (int i = 0; i < 200000; ++i) {
        double value = ldexp((double)(next_random(&random) >> 11), (int)(i % 48) - 85);
        assert_int_equal(half_of(value), clfold_double_to_half(value));
    }
}

#define FOLD(op, in, type, init, expected, ...)                                          \
    do {                                                                                 \
        const in data_[] = { __VA_ARGS__ };                                              \
        check_fold(op, (struct pair){ type_of_##in, type }, data_,                       \
                   sizeof(data_) / sizeof(data_[0]), init, expected);                    \
    } while (0)

enum {
    type_of_cl_char = CLFOLD_I8,
    type_of_cl_uchar = CLFOLD_U8,
    type_of_cl_int = CLFOLD_I32,
    type_of_cl_long = CLFOLD_I64,
    type_of_cl_float = CLFOLD_F32,
    type_of_cl_double = CLFOLD_F64
};

static void check_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                       const void *init, const char *expected)
{
    unsigned char result[MAX_RESULT];
    char text[160];

    assert_true(is_folded(op, pair));
    assert_true(oracle_fold(op, pair, data, count, init, result, NULL));
    print_result(op, pair.type, result, text, sizeof(text));
    if (strcmp(text, expected) != 0) {
        fail_msg("%s of %s into %s: %s instead of %s", name_of_op(op), name_of(pair.in),
                 name_of(pair.type), text, expected);
    }
}

static void test_folds(void **state)
{
    const clfold_indexed at_7 = { .index = 7, .value.u8 = 9 };
    const cl_uchar seven = 7;

    (void)state;
    FOLD(CLFOLD_ADD, cl_uchar, CLFOLD_U8, NULL, "44", 200, 100);
    FOLD(CLFOLD_ADD, cl_uchar, CLFOLD_I8, NULL, "-6", 250);
    FOLD(CLFOLD_ADD, cl_char, CLFOLD_U64, NULL, "18446744073709551615", -1);
    FOLD(CLFOLD_ADD, cl_uchar, CLFOLD_U8, &seven, "10", 1, 2);
    FOLD(CLFOLD_ADD, cl_float, CLFOLD_F64, NULL, "0.75", 0.5F, 0.25F);
    FOLD(CLFOLD_MUL, cl_int, CLFOLD_I32, NULL, "1", -1, -1);
    FOLD(CLFOLD_MUL, cl_int, CLFOLD_U8, NULL, "0", 16, 16);
    FOLD(CLFOLD_MIN, cl_int, CLFOLD_U8, NULL, "0", 5, 256);
    FOLD(CLFOLD_MIN, cl_int, CLFOLD_I8, NULL, "-128", 5, 128);
    FOLD(CLFOLD_MAX, cl_char, CLFOLD_I8, NULL, "5", 5, -128);
    FOLD(CLFOLD_MAX, cl_char, CLFOLD_U8, NULL, "128", 5, -128);
    FOLD(CLFOLD_MAX, cl_float, CLFOLD_F32, NULL, "nan", 5, (cl_float)NAN, 7);
    FOLD(CLFOLD_MIN_MAX, cl_double, CLFOLD_F16, NULL, "{ 0.0999755859375, inf }", 0.1,
         70000);
    FOLD(CLFOLD_BIT_AND, cl_char, CLFOLD_U64, NULL, "18446744073709551612", -2, -3);
    FOLD(CLFOLD_BIT_OR, cl_uchar, CLFOLD_I32, NULL, "131", 3, 128);
    FOLD(CLFOLD_BIT_XOR, cl_int, CLFOLD_U8, NULL, "2", 1, 3, 256);
    /* True before the conversion loses it. */
    FOLD(CLFOLD_LOGICAL_AND, cl_int, CLFOLD_U8, NULL, "1", 256, 2);
    FOLD(CLFOLD_LOGICAL_OR, cl_double, CLFOLD_F16, NULL, "1", 0, 1e-300);
    FOLD(CLFOLD_LOGICAL_AND, cl_float, CLFOLD_F32, NULL, "1", (cl_float)NAN);
    FOLD(CLFOLD_LOGICAL_AND, cl_float, CLFOLD_F32, NULL, "0", 3, -0.0F);
    FOLD(CLFOLD_LOGICAL_AND, cl_uchar, CLFOLD_U8, &seven, "1", 3);
    FOLD(CLFOLD_ARG_MIN, cl_int, CLFOLD_I32, NULL, "[1] -3", 0, -3, 5, -3);
    FOLD(CLFOLD_ARG_MAX, cl_float, CLFOLD_F32, NULL, "[1] nan", 5, (cl_float)NAN, 7,
         (cl_float)NAN);
    FOLD(CLFOLD_ARG_MAX, cl_float, CLFOLD_F32, NULL, "[0] -0", -0.0F, 0);
    /* Equal once they are f32. */
    FOLD(CLFOLD_ARG_MAX, cl_long, CLFOLD_F32, NULL, "[0] 1.152921504606847e+18",
         CL_LONG_MAX / 8, CL_LONG_MAX / 8 + 1);
    FOLD(CLFOLD_ARG_MAX, cl_uchar, CLFOLD_U8, &at_7, "[1] 9", 1, 9, 9);
    FOLD(CLFOLD_ARG_MAX, cl_uchar, CLFOLD_U8, &at_7, "[7] 9", 1, 2, 3, 4, 5, 6, 7, 8, 9);
    FOLD(CLFOLD_ARG_MIN_MAX, cl_char, CLFOLD_I8, NULL, "{ [1] -4, [2] 6 }", 0, -4, 6, 6);
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

    (void)state;
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

    (void)state;
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

TEST_MAIN("oracle", NULL, NULL, cmocka_unit_test(test_half), cmocka_unit_test(test_folds),
          cmocka_unit_test(test_data), cmocka_unit_test(test_bound))
