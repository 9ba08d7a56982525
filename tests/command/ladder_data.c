/* The ladder's data and the host's folds of them: against folds in the type itself and
 * in another order, since exactness in every order is what is promised. */
#include "ladder_data.h"
#include "types.h"

#include "test.h"

#include <math.h>

enum { COUNT = 200003, STRIDE = 64 };

static char elements[COUNT * 8];

static struct ladder_data make(clfold_op op, clfold_type type, uint64_t count)
{
    struct ladder_data data;

    ladder_data_begin(&data, op, type, count);
    ladder_data_next(&data, elements, (size_t)count);
    return data;
}

/* The elements STRIDE apart first, from the end, then what these leave: sums and products
 * as a device with STRIDE work-items might make them. */
#define FOLD(name, type, combine)                                                        \
    static void name(void *out)                                                          \
    {                                                                                    \
        const type *const in = (const type *)(const void *)elements;                     \
        type partial[STRIDE], a, b;                                                      \
        for (size_t lane = 0; lane < STRIDE; lane++) {                                   \
            size_t i = (COUNT - 1 - lane) / STRIDE * STRIDE + lane;                      \
            for (partial[lane] = in[i]; i >= STRIDE;) {                                  \
                a = partial[lane];                                                       \
                b = in[i -= STRIDE];                                                     \
                partial[lane] = (type)(combine);                                         \
            }                                                                            \
        }                                                                                \
        for (size_t lane = 1; lane < STRIDE; lane++) {                                   \
            a = partial[0];                                                              \
            b = partial[lane];                                                           \
            partial[0] = (type)(combine);                                                \
        }                                                                                \
        memcpy(out, &partial[0], sizeof(type));                                          \
    }

FOLD(add_i8, int8_t, (uint8_t)a + (uint8_t)b)
FOLD(add_u16, uint16_t, a + b)
FOLD(add_i32, int32_t, (uint32_t)a + (uint32_t)b)
FOLD(add_u64, uint64_t, a + b)
FOLD(add_f32, float, a + b)
FOLD(add_f64, double, a + b)
FOLD(mul_u8, uint8_t, a *b)
FOLD(mul_i32, int32_t, (uint32_t)a *(uint32_t)b)
FOLD(mul_i64, int64_t, (uint64_t)a *(uint64_t)b)
FOLD(mul_f32, float, a *b)
FOLD(mul_f64, double, a *b)
FOLD(min_i8, int8_t, b < a ? b : a)
FOLD(min_u32, uint32_t, b < a ? b : a)
FOLD(min_f32, float, b < a ? b : a)
FOLD(max_i64, int64_t, b > a ? b : a)
FOLD(max_u64, uint64_t, b > a ? b : a)
FOLD(max_f64, double, b > a ? b : a)
FOLD(and_u32, uint32_t, a &b)
FOLD(or_i16, int16_t, a | b)
FOLD(xor_u64, uint64_t, a ^ b)

static void any_order(void **state)
{
    static const struct {
        clfold_op op;
        clfold_type type;
        void (*fold)(void *out);
    } cases[] = {
        { CLFOLD_ADD, CLFOLD_I8, add_i8 },     { CLFOLD_ADD, CLFOLD_U16, add_u16 },
        { CLFOLD_ADD, CLFOLD_I32, add_i32 },   { CLFOLD_ADD, CLFOLD_U64, add_u64 },
        { CLFOLD_ADD, CLFOLD_F32, add_f32 },   { CLFOLD_ADD, CLFOLD_F64, add_f64 },
        { CLFOLD_MUL, CLFOLD_U8, mul_u8 },     { CLFOLD_MUL, CLFOLD_I32, mul_i32 },
        { CLFOLD_MUL, CLFOLD_I64, mul_i64 },   { CLFOLD_MUL, CLFOLD_F32, mul_f32 },
        { CLFOLD_MUL, CLFOLD_F64, mul_f64 },   { CLFOLD_MIN, CLFOLD_I8, min_i8 },
        { CLFOLD_MIN, CLFOLD_U32, min_u32 },   { CLFOLD_MIN, CLFOLD_F32, min_f32 },
        { CLFOLD_MAX, CLFOLD_I64, max_i64 },   { CLFOLD_MAX, CLFOLD_U64, max_u64 },
        { CLFOLD_MAX, CLFOLD_F64, max_f64 },   { CLFOLD_BIT_AND, CLFOLD_U32, and_u32 },
        { CLFOLD_BIT_OR, CLFOLD_I16, or_i16 }, { CLFOLD_BIT_XOR, CLFOLD_U64, xor_u64 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ladder_data data = make(cases[i].op, cases[i].type, COUNT);
        char result[LADDER_RESULT_BYTES] = "";
        cases[i].fold(result);
        if (!ladder_data_check(&data, result)) {
            char told[LADDER_RESULT_TEXT], host[LADDER_RESULT_TEXT];
            ladder_data_print(told, &data, result);
            ladder_data_print(host, &data, NULL);
            fail_msg("%s of %s: %s, and the host has %s", op_name(cases[i].op),
                     type_name(cases[i].type), told, host);
        }
        /* one bit of it wrong */
        for (size_t byte = 0; byte < type_size(cases[i].type); byte++) {
            result[byte] ^= 0x10;
            assert_false(ladder_data_check(&data, result));
            result[byte] ^= 0x10;
        }
    }
}

static double half(const char *from)
{
    cl_half bits;

    memcpy(&bits, from, sizeof(bits));
    if ((bits & 0x7fff) == 0) {
        return 0;
    }
    return ldexp((bits & 0x3ff) | 0x400, (bits >> 10 & 0x1f) - 25) *
           (bits >> 15 ? -1 : 1);
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
            const double item = half(elements);
            assert_true(item == 0 || item == 0.25 || item == -0.25);
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
    double product = 1;
    size_t factors = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double item = half(elements + 2 * i);
        factors += fabs(item) != 1;
        product *= item;
    }
    assert_int_equal(factors, 6);
    assert_true(product == data.total.real && fabs(product) <= 729);
}

static void places(void **state)
{
    const clfold_type types[] = { CLFOLD_U8, CLFOLD_I32, CLFOLD_U64 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const struct ladder_data data = make(CLFOLD_ARG_MIN_MAX, types[i], COUNT);
        clfold_indexed result[2] = { { 0 } };
        const size_t size = type_size(types[i]);
        uint64_t least = UINT64_MAX, greatest = 0;

        assert_int_equal(ladder_data_result_size(&data), sizeof(result));
        for (size_t k = 0; k < COUNT; k++) {
            uint64_t item = 0;
            int32_t number;
            memcpy(&item, elements + k * size, size);
            if (types[i] == CLFOLD_I32) {
                memcpy(&number, elements + k * size, size);
                item = (uint64_t)((int64_t)number + INT32_MAX);
            }
            if (item < least || k == 0) {
                least = item;
                result[0].index = k;
                memcpy(&result[0].value, elements + k * size, size);
            }
            if (item > greatest || k == 0) {
                greatest = item;
                result[1].index = k;
                memcpy(&result[1].value, elements + k * size, size);
            }
        }
        assert_true(ladder_data_check(&data, result));
        result[1].index++;
        assert_false(ladder_data_check(&data, result));
    }
}

/* Both results of a logical operator come up, and one element decides. */
static void truths(void **state)
{
    const clfold_op ops[] = { CLFOLD_LOGICAL_AND, CLFOLD_LOGICAL_OR };

    (void)state;
    for (size_t op = 0; op < 2; op++) {
        unsigned seen = 0;
        for (uint64_t count = 1; count <= 40; count++) {
            const struct ladder_data data = make(ops[op], CLFOLD_F32, count);
            const float *const in = (const float *)(const void *)elements;
            size_t set = 0;
            for (size_t i = 0; i < count; i++) {
                set += in[i] != 0;
            }
            assert_true(op == 0 ? set + 1 >= count : set <= 1);
            const float result = op == 0 ? set == count : set > 0;
            assert_true(ladder_data_check(&data, &result));
            assert_false(ladder_data_check(&data, &(float){ 1 - result }));
            seen |= 1u << (int)result;
        }
        assert_int_equal(seen, 3);
    }
}

/* Pieces of any size make the same data; another count makes others. */
static void pieces(void **state)
{
    static char whole[1000 * 4];
    struct ladder_data data;

    (void)state;
    make(CLFOLD_ADD, CLFOLD_I32, 1000);
    memcpy(whole, elements, sizeof(whole));
    ladder_data_begin(&data, CLFOLD_ADD, CLFOLD_I32, 1000);
    for (size_t at = 0, size = 1; at < 1000; at += size, size = size * 2 + 1) {
        size = at + size > 1000 ? 1000 - at : size;
        ladder_data_next(&data, elements + 4 * at, size);
    }
    assert_memory_equal(whole, elements, sizeof(whole));
    make(CLFOLD_ADD, CLFOLD_I32, 1001);
    assert_memory_not_equal(whole, elements, sizeof(whole));
}

/* Elements that are made already fold to the same, for every operator. */
static void folded(void **state)
{
    const clfold_type types[] = { CLFOLD_I8,  CLFOLD_U16, CLFOLD_I32, CLFOLD_U64,
                                  CLFOLD_F16, CLFOLD_F32, CLFOLD_F64 };

    (void)state;
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; op++) {
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            if (!ladder_data_takes(op, types[i])) {
                continue;
            }
            const struct ladder_data made = make(op, types[i], 1000);
            struct ladder_data data;
            char text[LADDER_RESULT_TEXT], again[LADDER_RESULT_TEXT];
            ladder_data_begin(&data, op, types[i], 1);
            ladder_data_fold(&data, elements, 600);
            ladder_data_fold(&data, elements + 600 * type_size(types[i]), 400);
            ladder_data_print(text, &made, NULL);
            ladder_data_print(again, &data, NULL);
            assert_string_equal(again, text);
        }
    }
}

static void taken(void **state)
{
    (void)state;
    assert_true(ladder_data_takes(CLFOLD_BIT_AND, CLFOLD_I8));
    assert_false(ladder_data_takes(CLFOLD_BIT_AND, CLFOLD_F32));
    assert_true(ladder_data_takes(CLFOLD_MIN_MAX, CLFOLD_F64));
    assert_false(ladder_data_takes(CLFOLD_MOMENTS, CLFOLD_F64));
    assert_false(ladder_data_takes(CLFOLD_AFFINE, CLFOLD_I32));
    assert_false(ladder_data_takes(0, CLFOLD_I32));
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
    const uint16_t not_a_number = 0x7e00;

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
    ladder_data_print(text, &data, &not_a_number);
    assert_string_equal(text, "nan");
}

TEST_MAIN("ladder data", NULL, NULL, cmocka_unit_test(any_order),
          cmocka_unit_test(halves), cmocka_unit_test(places), cmocka_unit_test(truths),
          cmocka_unit_test(pieces), cmocka_unit_test(folded), cmocka_unit_test(taken),
          cmocka_unit_test(printed))
