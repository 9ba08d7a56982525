/*
 * The made-up elements of ladder, trace, tune and bench, and the host's folds of them:
 * against folds in the type itself and in another order, since it is promised that no
 * order rounds.
 */
#include "bench_data.h"
#include "ladder_data.h"
#include "types.h"

#include "test.h"

#include <math.h>

enum { COUNT = 200003, STRIDE = 64 };

static char elements[COUNT * 8], results[COUNT * 8];
static struct bench_data bench;

/* Element i, converted. */
static struct host_number number_at(size_t i, clfold_type in, clfold_type type)
{
    struct host_number x = clfold_number_read(in, elements + i * type_size(in));

    x.integer = clfold_number_wrap(type, x.integer);
    return x;
}

static double rounded(clfold_type type, double x)
{
    return type == CLFOLD_F64   ? x
           : type == CLFOLD_F32 ? (double)(float)x
                                : clfold_half_to_double(clfold_double_to_half(x));
}

static struct host_number combine(clfold_op op, clfold_type type, struct host_number a,
                                  struct host_number b)
{
    const bool is_a = a.integer || a.real != 0, is_b = b.integer || b.real != 0;
    struct host_number c = { 0 };

    switch (op) {
    case CLFOLD_MIN:
        return clfold_number_is_less(type, b, a) ? b : a;
    case CLFOLD_MAX:
        return clfold_number_is_less(type, a, b) ? b : a;
    case CLFOLD_ADD:
        c = (struct host_number){ a.integer + b.integer, a.real + b.real };
        break;
    case CLFOLD_MUL:
        c = (struct host_number){ a.integer * b.integer, a.real * b.real };
        break;
    case CLFOLD_BIT_AND:
        c.integer = a.integer & b.integer;
        break;
    case CLFOLD_BIT_OR:
        c.integer = a.integer | b.integer;
        break;
    case CLFOLD_BIT_XOR:
        c.integer = a.integer ^ b.integer;
        break;
    default:
        c.integer = op == CLFOLD_LOGICAL_AND ? is_a && is_b : is_a || is_b;
        c.real = type_is_float(type) ? (double)c.integer : 0;
        break;
    }
    c.integer = clfold_number_wrap(type, c.integer);
    c.real = type_is_float(type) ? rounded(type, c.real) : 0;
    return c;
}

/* The elements STRIDE apart first, from the end, then what these leave: as a device with
 * STRIDE work-items might make it. */
static struct host_number fold(clfold_op op, clfold_type in, clfold_type type,
                               size_t count)
{
    const size_t stride = count < STRIDE ? 1 : STRIDE;
    struct host_number all = { 0 };

    for (size_t lane = 0; lane < stride; lane++) {
        size_t i = (count - 1 - lane) / stride * stride + lane;
        struct host_number partial = number_at(i, in, type);
        while (i >= stride) {
            partial = combine(op, type, partial, number_at(i -= stride, in, type));
        }
        all = lane == 0 ? partial : combine(op, type, all, partial);
    }
    /* of one element a truth is 0 or 1, too */
    return op == CLFOLD_LOGICAL_AND || op == CLFOLD_LOGICAL_OR
               ? combine(op, type, all, all)
               : all;
}

/* The first of the least, or of the greatest. */
static clfold_indexed place(bool is_greatest, clfold_type type, size_t count)
{
    clfold_indexed found = { 0 };
    struct host_number best = number_at(0, type, type);

    for (size_t i = 1; i < count; i++) {
        const struct host_number x = number_at(i, type, type);
        if (clfold_number_is_less(type, is_greatest ? best : x, is_greatest ? x : best)) {
            best = x;
            found.index = i;
        }
    }
    number_write(type, best, &found.value);
    return found;
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
    const struct op_result form = op_result(op);
    const size_t size = type_size(type);
    const bool is_max = op == CLFOLD_MAX || op == CLFOLD_ARG_MAX;
    clfold_indexed places[2] = { { 0 } };
    unsigned char numbers[2 * 8];
    char text[LADDER_RESULT_TEXT], again[LADDER_RESULT_TEXT];

    for (unsigned k = 0; k < form.num; k++) {
        const bool is_greatest = is_max || k == 1;
        if (form.position) {
            places[k] = place(is_greatest, type, count);
        } else {
            const clfold_op one = form.num == 1 ? op : k == 0 ? CLFOLD_MIN : CLFOLD_MAX;
            number_write(type, fold(one, type, type, count), numbers + k * size);
        }
    }
    unsigned char *const result = form.position ? (unsigned char *)places : numbers;
    const size_t one = form.position ? sizeof(places[0]) : size;
    assert_int_equal(ladder_data_result_size(&data), form.num * one);
    ladder_data_print(text, &data, NULL);
    if (!ladder_data_check(&data, result)) {
        ladder_data_print(again, &data, result);
        fail_msg("%s of %zu %s: %s, and the host has %s", op_name(op), count,
                 type_name(type), again, text);
    }
    for (size_t byte = 0; byte < form.num * one; byte++) {
        if (byte % one < size + (form.position ? offsetof(clfold_indexed, value) : 0)) {
            result[byte] ^= 0x10;
            assert_false(ladder_data_check(&data, result));
            result[byte] ^= 0x10;
        }
    }

    struct ladder_data made;
    ladder_data_begin(&made, op, type, 1);
    ladder_data_fold(&made, elements, count / 3);
    ladder_data_fold(&made, elements + count / 3 * size, count - count / 3);
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
                set += number_at(i, CLFOLD_F32, CLFOLD_F32).real != 0;
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
            const double item = number_at(0, CLFOLD_F16, CLFOLD_F16).real;
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
        factors += fabs(number_at(i, CLFOLD_F16, CLFOLD_F16).real) != 1;
    }
    assert_int_equal(factors, 6);
    assert_true(fabs(data.total.real) <= 729);
}

static void printed(void **state)
{
    struct ladder_data data = { .op = CLFOLD_ARG_MIN_MAX,
                                .type = CLFOLD_I8,
                                .least = { .integer = (uint64_t)-5 },
                                .greatest = { .integer = 7 },
                                .least_index = 3,
                                .greatest_index = 12 };
    char text[LADDER_RESULT_TEXT];

    (void)state;
    ladder_data_print(text, &data, NULL);
    assert_string_equal(text, "-5 at 3 7 at 12");
    data.op = CLFOLD_MIN_MAX;
    ladder_data_print(text, &data, (const signed char[]){ -1, 1 });
    assert_string_equal(text, "-1 1");
    data.op = CLFOLD_ADD;
    data.type = CLFOLD_F16;
    data.total.real = -2.25;
    ladder_data_print(text, &data, NULL);
    assert_string_equal(text, "-2.25");
    ladder_data_print(text, &data, &(uint16_t){ 0x7e00 });
    assert_string_equal(text, "nan");
}

/* ---- Of bench ---- */

static const struct {
    enum bench_fold fold;
    clfold_op op;
    clfold_type in, type;
} cases[] = {
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_U8, CLFOLD_U64 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_U8, CLFOLD_U8 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_I16, CLFOLD_I64 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32 },
    { BENCH_ADD, CLFOLD_ADD, CLFOLD_F64, CLFOLD_F64 },
    { BENCH_MAX, CLFOLD_MAX, CLFOLD_I64, CLFOLD_I64 },
    { BENCH_MAX, CLFOLD_MAX, CLFOLD_F32, CLFOLD_F32 },
    { BENCH_MIN, CLFOLD_MIN, CLFOLD_I8, CLFOLD_U16 },
    { BENCH_MIN, CLFOLD_MIN, CLFOLD_I8, CLFOLD_I8 },
    { BENCH_ARG_MIN, CLFOLD_ARG_MIN, CLFOLD_U8, CLFOLD_U8 },
    { BENCH_ARG_MIN, CLFOLD_ARG_MIN, CLFOLD_F32, CLFOLD_F32 },
};

/* Right is right, and each bit of it matters. */
static void reductions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const clfold_type in = cases[i].in, type = cases[i].type;
        const bool is_place = cases[i].op == CLFOLD_ARG_MIN;
        const struct bench_case one = { CLFOLD_REDUCE, cases[i].fold, in, type };
        clfold_indexed result = { 0 };
        bench_data_make(&one, COUNT, 0, COUNT, elements);
        bench_data_begin(&bench, &one, COUNT);
        bench_data_next(&bench, NULL, COUNT);
        if (is_place) {
            result = place(false, type, COUNT);
        } else {
            number_write(type, fold(cases[i].op, in, type, COUNT), &result);
        }
        assert_true(bench_data_agrees(&bench, &result));
        for (size_t bit = 0; bit < 8 * (type_size(type) + 8 * is_place); bit++) {
            ((unsigned char *)&result)[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_false(bench_data_agrees(&bench, &result));
            ((unsigned char *)&result)[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

/* Results in portions of odd sizes; then with one that is wrong, and with two. */
static void scans(void **state)
{
    static const size_t portions[] = { 1, 1023, 5, 100000, COUNT - 101029 };

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        const clfold_type in = cases[i].in, type = cases[i].type;
        const struct bench_case one = { CLFOLD_INCLUSIVE_SCAN, cases[i].fold, in, type };
        const size_t size = type_size(type);
        struct host_number sum = { 0 };
        bench_data_make(&one, COUNT, 0, COUNT, elements);
        for (size_t k = 0; k < COUNT; k++) {
            const struct host_number x = number_at(k, in, type);
            sum = k == 0 ? x : combine(cases[i].op, type, sum, x);
            number_write(type, sum, results + k * size);
        }
        for (int turn = 0; turn < 3; turn++) {
            const char *from = results;
            bench_data_begin(&bench, &one, COUNT);
            for (size_t k = 0; k < sizeof(portions) / sizeof(portions[0]); k++) {
                bench_data_next(&bench, from, portions[k]);
                from += portions[k] * size;
            }
            assert_int_equal(bench.index, COUNT);
            assert_int_equal(bench.num_wrong, turn);
            assert_int_equal(bench.first_wrong, turn == 0   ? 0
                                                : turn == 1 ? COUNT - 1
                                                            : 1029);
            results[turn == 0 ? COUNT * size - size : 1029 * size] ^= 1;
        }
    }
}

/* Neither all alike, nor dependent on how they are made. */
static void values(void **state)
{
    struct bench_case one = { CLFOLD_INCLUSIVE_SCAN, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 };
    float piece[1000];
    size_t zeros = 0;

    (void)state;
    bench_data_make(&one, COUNT, 0, COUNT, elements);
    for (size_t first = 0; first + 1000 <= COUNT; first += 999) {
        bench_data_make(&one, COUNT, first, 1000, piece);
        assert_memory_equal(piece, elements + first * sizeof(float), sizeof(piece));
    }
    for (size_t i = 0; i < COUNT; i++) {
        zeros += number_at(i, CLFOLD_F32, CLFOLD_F32).real == 0;
    }
    assert_in_range(zeros, COUNT / 17 - 1000, COUNT / 17 + 1000);
    /* sums of f16 stay where all quarters are exact */
    one = (struct bench_case){ CLFOLD_REDUCE, BENCH_ADD, CLFOLD_F16, CLFOLD_F16 };
    bench_data_begin(&bench, &one, COUNT);
    for (size_t i = 0; i < COUNT; i += BENCH_CHUNK) {
        bench_data_next(&bench, NULL, COUNT - i < BENCH_CHUNK ? COUNT - i : BENCH_CHUNK);
        assert_true(bench.real > -512 && bench.real < 512);
    }
    assert_true(bench.real != 0);
}

TEST_MAIN("made data", NULL, NULL, cmocka_unit_test(ladder), cmocka_unit_test(truths),
          cmocka_unit_test(halves), cmocka_unit_test(printed),
          cmocka_unit_test(reductions), cmocka_unit_test(scans), cmocka_unit_test(values))
