/*
 * The made-up elements of ladder, trace, tune and bench, and the host's folds of them:
 * against the oracle's in the type itself and in another order, since it is promised that
 * no order rounds.
 */
#include "bench_data.h"
#include "ladder_data.h"
#include "oracle.h"
#include "types.h"

#include "test.h"

#include <math.h>

enum { COUNT = 200003, PORTION = 7 };

static char elements[COUNT * 8], results[COUNT * 8];
static struct bench_data bench;

/* In portions from the last on, each rounded to the type; places as a whole. */
static void fold(clfold_op op, struct pair pair, size_t count, void *result)
{
    const size_t portion = op_result(op).position ? count : PORTION;
    const void *init = NULL;

    for (size_t left = count, num; left > 0; init = result) {
        num = left < portion ? left : portion;
        left -= num;
        assert_true(oracle_fold(op, pair, elements + left * size_of(pair.in), num, init,
                                result, NULL));
    }
}

static long double real_at(size_t i, clfold_type type)
{
    return read_number(type, elements + i * size_of(type)).real;
}

/* ---- Of ladder ---- */

/* Pieces of any size make the same data. */
static struct ladder_data make(clfold_op op, clfold_type type, size_t count)
{
    const size_t size = type_size(type);
    struct ladder_data whole, data;

    ladder_data_begin(&whole, op, type, count);
    ladder_data_next(&whole, results, count);
    ladder_data_begin(&data, op, type, count);
    for (size_t at = 0, piece = 1; at < count; at += piece, piece = piece * 2 + 1) {
        piece = at + piece > count ? count - at : piece;
        ladder_data_next(&data, elements + size * at, piece);
    }
    assert_memory_equal(elements, results, size * count);
    return data;
}

/* The host has this, and each byte of it matters; it has the same of elements that are
 * made already. */
static struct ladder_data check_ladder(clfold_op op, clfold_type type, size_t count)
{
    const struct ladder_data data = make(op, type, count);
    const bool is_place = op_result(op).position;
    const size_t one = is_place ? sizeof(clfold_indexed) : type_size(type);
    const size_t used =
        is_place ? offsetof(clfold_indexed, value) + type_size(type) : one;
    unsigned char result[MAX_RESULT] = { 0 };
    char text[LADDER_RESULT_TEXT], again[LADDER_RESULT_TEXT];

    fold(op, (struct pair){ type, type }, count, result);
    assert_int_equal(ladder_data_result_size(&data), result_size(op, type));
    ladder_data_print(text, &data, NULL);
    if (!ladder_data_check(&data, result)) {
        ladder_data_print(again, &data, result);
        fail_msg("%s of %zu %s: %s, and the host has %s", op_name(op), count,
                 type_name(type), again, text);
    }
    for (size_t byte = 0; byte < result_size(op, type); byte++) {
        if (byte % one < used) {
            result[byte] ^= 0x10;
            assert_false(ladder_data_check(&data, result));
            result[byte] ^= 0x10;
        }
    }

    struct ladder_data made;
    ladder_data_begin(&made, op, type, 1);
    ladder_data_fold(&made, elements, count / 3);
    ladder_data_fold(&made, elements + count / 3 * type_size(type), count - count / 3);
    ladder_data_print(again, &made, NULL);
    assert_string_equal(again, text);
    return data;
}

static void ladder(void **state)
{
    struct ladder_data data;

    (void)state;
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; op++) {
        for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
            if (op_name(op) && ladder_data_takes(op, type)) {
                check_ladder(op, type, COUNT);
            }
        }
    }
    /* another count makes others */
    make(CLFOLD_ADD, CLFOLD_I32, 1001);
    ladder_data_begin(&data, CLFOLD_ADD, CLFOLD_I32, 1000);
    ladder_data_next(&data, results, 1000);
    assert_memory_not_equal(elements, results, 4000);
    assert_true(ladder_data_takes(CLFOLD_BIT_AND, CLFOLD_I8));
    assert_false(ladder_data_takes(CLFOLD_BIT_AND, CLFOLD_F32));
    assert_true(ladder_data_takes(CLFOLD_ARG_MIN_MAX, CLFOLD_F64));
    assert_false(ladder_data_takes(CLFOLD_MOMENTS, CLFOLD_F64));
    assert_false(ladder_data_takes(CLFOLD_AFFINE, CLFOLD_I32));
    assert_false(ladder_data_takes(0, CLFOLD_I32));
}

/* Both results of a logical operator come up, and one element decides. */
static void truths(void **state)
{
    (void)state;
    for (clfold_op op = CLFOLD_LOGICAL_AND; op <= CLFOLD_LOGICAL_OR; op++) {
        unsigned seen = 0;
        for (size_t count = 1; count <= 40; count++) {
            const bool is_set = check_ladder(op, CLFOLD_F32, count).total.real != 0;
            size_t set = 0;
            for (size_t i = 0; i < count; i++) {
                set += real_at(i, CLFOLD_F32) != 0;
            }
            assert_true(op == CLFOLD_LOGICAL_AND ? set + 1 >= count : set <= 1);
            seen |= 1u << is_set;
        }
        assert_int_equal(seen, 3);
    }
}

/* f16 holds 11 bits, and no sum from the first element on needs more, for large counts
 * neither. */
static void halves(void **state)
{
    static const uint64_t counts[] = { 1000, COUNT, 1 << 22 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct ladder_data data;
        double sum = 0, most = 0;
        size_t used = 0;

        ladder_data_begin(&data, CLFOLD_ADD, CLFOLD_F16, counts[i]);
        for (uint64_t done = 0; done < counts[i]; done++) {
            ladder_data_next(&data, elements, 1);
            const double item = (double)real_at(0, CLFOLD_F16);
            assert_true(item == 0 || fabs(item) == 0.25);
            used += item != 0;
            sum += item;
            most = fabs(sum) > most ? fabs(sum) : most;
        }
        assert_true(most <= 512);
        /* enough of them that a kernel cannot lose many unseen */
        assert_true(used > 60000 || used == counts[i]);
        assert_true(sum == data.total.real);
    }

    const struct ladder_data data = make(CLFOLD_MUL, CLFOLD_F16, COUNT);
    size_t factors = 0;
    for (size_t i = 0; i < COUNT; i++) {
        factors += fabsl(real_at(i, CLFOLD_F16)) != 1;
    }
    assert_int_equal(factors, 6);
    assert_true(fabs(data.total.real) <= 729);
}

/* ---- Of bench ---- */

static const struct {
    enum bench_fold fold;
    clfold_op op;
    clfold_type in, type;
} cases[] = {
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_U8, CLFOLD_U64 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_I16, CLFOLD_I64 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_F64, CLFOLD_F64 },
    { BENCH_MAX, CLFOLD_MAX, CLFOLD_I64, CLFOLD_I64 },
    { BENCH_MAX, CLFOLD_MAX, CLFOLD_F64, CLFOLD_F64 },
    { BENCH_MIN, CLFOLD_MIN, CLFOLD_I8, CLFOLD_U16 },
    { BENCH_ARG_MIN, CLFOLD_ARG_MIN, CLFOLD_U8, CLFOLD_U8 },
    { BENCH_ARG_MIN, CLFOLD_ARG_MIN, CLFOLD_F32, CLFOLD_F32 },
};

/* Right is right, and each bit of it matters. Few elements are as the one before them,
 * though floats that are added have one of 17 values. */
static void reductions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const clfold_type in = cases[i].in, type = cases[i].type;
        const bool is_place = cases[i].op == CLFOLD_ARG_MIN;
        const struct bench_case one = { CLFOLD_REDUCE, cases[i].fold, in, type };
        clfold_indexed result = { 0 };
        bench_data_make(&one, COUNT, 0, COUNT, elements);
        size_t repeated = 0;
        for (size_t k = 1; k < COUNT; k++) {
            repeated += memcmp(elements + k * type_size(in),
                               elements + (k - 1) * type_size(in), type_size(in)) == 0;
        }
        assert_in_range(repeated, 0, COUNT / 17 + 1000);
        bench_data_begin(&bench, &one, COUNT);
        bench_data_next(&bench, NULL, COUNT);
        fold(cases[i].op, (struct pair){ in, type }, COUNT, &result);
        assert_true(bench_data_agrees(&bench, &result));
        for (size_t bit = 0; bit < 8 * (type_size(type) + 8 * is_place); bit++) {
            ((unsigned char *)&result)[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_false(bench_data_agrees(&bench, &result));
            ((unsigned char *)&result)[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

/* Sums of f16 stay where all quarters are exact, of enough that are not 0. */
static void sums(void **state)
{
    const struct bench_case one = { CLFOLD_REDUCE, BENCH_ADD, CLFOLD_F16, CLFOLD_F16 };
    size_t used = 0;

    (void)state;
    bench_data_make(&one, COUNT, 0, COUNT, elements);
    for (size_t k = 0; k < COUNT; k++) {
        used += real_at(k, CLFOLD_F16) != 0;
    }
    assert_true(used > 60000);
    bench_data_begin(&bench, &one, COUNT);
    for (size_t i = 0; i < COUNT; i += BENCH_CHUNK) {
        bench_data_next(&bench, NULL, COUNT - i < BENCH_CHUNK ? COUNT - i : BENCH_CHUNK);
        assert_true(bench.real > -512 && bench.real < 512);
    }
    assert_true(bench.real != 0);
}

TEST_MAIN("made data", NULL, NULL, cmocka_unit_test(ladder), cmocka_unit_test(truths),
          cmocka_unit_test(halves), cmocka_unit_test(reductions), cmocka_unit_test(sums))
