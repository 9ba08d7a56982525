/*
 * The elements of bench, and the host's folds of them, against folds in the type itself.
 * Sums of floats are folded from the end here, since it is promised that no order rounds.
 */
#include "bench_data.h"
#include "types.h"

#include "test.h"

enum { COUNT = 200003 };

#define REDUCE CLFOLD_REDUCE
#define SCAN   CLFOLD_INCLUSIVE_SCAN

static struct bench_data data;
static union {
    uint8_t u8[COUNT];
    int8_t i8[COUNT];
    int16_t i16[COUNT];
    uint16_t u16[COUNT];
    uint32_t u32[COUNT];
    int64_t i64[COUNT];
    float f32[COUNT];
    double f64[COUNT];
} elements;

static void make(enum bench_fold fold, clfold_operation operation, clfold_type in,
                 clfold_type type)
{
    const struct bench_case one = { operation, fold, in, type };

    bench_data_make(&one, COUNT, 0, COUNT, &elements);
    bench_data_begin(&data, &one, COUNT);
}

static void give(enum bench_fold fold, clfold_type in, clfold_type type)
{
    make(fold, REDUCE, in, type);
    bench_data_next(&data, NULL, COUNT);
}

/* Right is right, and each bit of it matters. */
static void check_result(const void *result, size_t size)
{
    unsigned char wrong[16];

    assert_true(bench_data_agrees(&data, result));
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(wrong, result, size);
        wrong[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_false(bench_data_agrees(&data, wrong));
    }
}

static void sums(void **state)
{
    uint64_t u64 = 0;
    uint8_t u8 = 0;
    int64_t i64 = 0;
    float f32 = 0;
    double f64 = 0;

    (void)state;
    give(BENCH_ADD, CLFOLD_U8, CLFOLD_U64);
    for (size_t i = 0; i < COUNT; i++) {
        u64 += elements.u8[i];
        u8 = (uint8_t)(u8 + elements.u8[i]);
    }
    check_result(&u64, sizeof(u64));
    give(BENCH_ADD, CLFOLD_U8, CLFOLD_U8);
    check_result(&u8, sizeof(u8));
    give(BENCH_ADD, CLFOLD_I16, CLFOLD_I64);
    for (size_t i = 0; i < COUNT; i++) {
        i64 += elements.i16[i];
    }
    check_result(&i64, sizeof(i64));
    give(BENCH_ADD, CLFOLD_F32, CLFOLD_F32);
    for (size_t i = COUNT; i > 0; i--) {
        f32 += elements.f32[i - 1];
    }
    check_result(&f32, sizeof(f32));
    give(BENCH_ADD, CLFOLD_F64, CLFOLD_F64);
    for (size_t i = COUNT; i > 0; i--) {
        f64 += elements.f64[i - 1];
    }
    check_result(&f64, sizeof(f64));
}

static void extremes(void **state)
{
    clfold_indexed pair = { 0 };
    int64_t i64 = INT64_MIN;
    uint16_t u16 = UINT16_MAX;
    int8_t i8 = INT8_MAX;

    (void)state;
    give(BENCH_MAX, CLFOLD_I64, CLFOLD_I64);
    for (size_t i = 0; i < COUNT; i++) {
        i64 = elements.i64[i] > i64 ? elements.i64[i] : i64;
    }
    check_result(&i64, sizeof(i64));
    give(BENCH_MIN, CLFOLD_I8, CLFOLD_U16);
    for (size_t i = 0; i < COUNT; i++) {
        u16 = (uint16_t)elements.i8[i] < u16 ? (uint16_t)elements.i8[i] : u16;
        i8 = elements.i8[i] < i8 ? elements.i8[i] : i8;
    }
    check_result(&u16, sizeof(u16));
    give(BENCH_MIN, CLFOLD_I8, CLFOLD_I8);
    check_result(&i8, sizeof(i8));
    /* the first of many that are least */
    give(BENCH_ARG_MIN, CLFOLD_U8, CLFOLD_U8);
    while (elements.u8[pair.index] != 0) {
        pair.index++;
    }
    check_result(&pair, 9);
    give(BENCH_ARG_MIN, CLFOLD_F32, CLFOLD_F32);
    pair.index = 0;
    for (size_t i = 1; i < COUNT; i++) {
        pair.index = elements.f32[i] < elements.f32[pair.index] ? i : pair.index;
    }
    pair.value.f32 = elements.f32[pair.index];
    check_result(&pair, 12);
}

/* Results in pieces of odd sizes; then with one that is wrong. */
static void check_scan(const void *results, size_t size)
{
    static const size_t pieces[] = { 1, 1023, 5, 100000, COUNT - 101029 };
    const struct bench_case one = data.one;
    char *const wrong = malloc(COUNT * size);

    assert_non_null(wrong);
    memcpy(wrong, results, COUNT * size);
    for (int turn = 0; turn < 3; turn++) {
        const char *from = wrong;
        bench_data_begin(&data, &one, COUNT);
        for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
            bench_data_next(&data, from, pieces[i]);
            from += pieces[i] * size;
        }
        assert_int_equal(data.index, COUNT);
        assert_int_equal(data.num_wrong, turn);
        assert_int_equal(data.first_wrong, turn == 0 ? 0 : turn == 1 ? COUNT - 1 : 1029);
        wrong[turn == 0 ? COUNT * size - size : 1029 * size] ^= 1;
    }
    free(wrong);
}

static void scans(void **state)
{
    static uint32_t u32[COUNT];
    static float f32[COUNT];
    uint32_t sum = 0;

    (void)state;
    make(BENCH_ADD, SCAN, CLFOLD_U8, CLFOLD_U32);
    for (size_t i = 0; i < COUNT; i++) {
        u32[i] = sum += elements.u8[i];
    }
    check_scan(u32, sizeof(u32[0]));
    make(BENCH_MAX, SCAN, CLFOLD_F32, CLFOLD_F32);
    for (size_t i = 0; i < COUNT; i++) {
        f32[i] = i && f32[i - 1] > elements.f32[i] ? f32[i - 1] : elements.f32[i];
    }
    check_scan(f32, sizeof(f32[0]));
}

/* Neither all alike, nor dependent on how they are made. */
static void values(void **state)
{
    static float whole[COUNT], piece[1000];
    const struct bench_case one = { SCAN, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 };
    size_t zeros = 0;

    (void)state;
    bench_data_make(&one, COUNT, 0, COUNT, whole);
    for (size_t first = 0; first + 1000 <= COUNT; first += 999) {
        bench_data_make(&one, COUNT, first, 1000, piece);
        assert_memory_equal(piece, whole + first, sizeof(piece));
    }
    for (size_t i = 0; i < COUNT; i++) {
        zeros += whole[i] == 0;
    }
    assert_in_range(zeros, COUNT / 17 - 1000, COUNT / 17 + 1000);
    /* sums of f16 stay where all quarters are exact */
    make(BENCH_ADD, REDUCE, CLFOLD_F16, CLFOLD_F16);
    for (size_t i = 0; i < COUNT; i += BENCH_CHUNK) {
        const size_t left = COUNT - i < BENCH_CHUNK ? COUNT - i : BENCH_CHUNK;
        bench_data_next(&data, NULL, left);
        assert_true(data.real > -512 && data.real < 512);
    }
    assert_true(data.real != 0);
}

TEST_MAIN("bench data", NULL, NULL, cmocka_unit_test(sums), cmocka_unit_test(extremes),
          cmocka_unit_test(scans), cmocka_unit_test(values))
