/* The cases and counts that bench measures. */
#include "bench_cases.h"

#include "test.h"

#define REDUCE CLFOLD_REDUCE
#define SCAN   CLFOLD_INCLUSIVE_SCAN

/* What bench measures where these are named; NULL: they are not. */
static size_t choose(const char *operation, const char *types, const char *folds,
                     bool fp16, bool fp64, struct bench_case cases[BENCH_MOST_CASES])
{
    struct bench_wish wish = { 0 };
    struct message message;

    assert_true(!operation || bench_read_operation(&wish, operation, &message));
    assert_true(!types || bench_read_types(&wish, types, &message));
    assert_true(!folds || bench_read_folds(&wish, folds, &message));
    return bench_choose_cases(&wish, fp16, fp64, cases);
}

static void check_case(const struct bench_case *one, clfold_operation operation,
                       enum bench_fold fold, const char *type)
{
    char text[BENCH_TYPE_TEXT];

    bench_print_type(text, one);
    assert_string_equal(text, type);
    assert_int_equal(one->operation, operation);
    assert_int_equal(one->fold, fold);
}

static void chosen(void **state)
{
    static struct bench_case cases[BENCH_MOST_CASES];
    size_t num = choose(NULL, NULL, NULL, false, true, cases);

    (void)state;
    assert_int_equal(num, 18);
    check_case(&cases[0], REDUCE, BENCH_ADD, "f32");
    check_case(&cases[4], REDUCE, BENCH_ADD, "u8:u64");
    check_case(&cases[11], REDUCE, BENCH_REPRODUCIBLE, "f32");
    check_case(&cases[17], SCAN, BENCH_MAX, "f32");
    /* f64, f32:f64 and the scan of f64 */
    assert_int_equal(choose(NULL, NULL, NULL, false, false, cases), 15);

    num = choose("reduce", "f32", NULL, false, false, cases);
    assert_int_equal(num, BENCH_FOLDS);
    for (size_t i = 0; i < num; i++) {
        check_case(&cases[i], REDUCE, (enum bench_fold)i, "f32");
    }
    num = choose("scan", "f32,i8:u16", NULL, false, false, cases);
    assert_int_equal(num, 7); /* add, min and max of both, and compensated of f32 */
    check_case(&cases[1], SCAN, BENCH_ADD, "i8:u16");
    check_case(&cases[5], SCAN, BENCH_MAX, "i8:u16");

    /* what is named twice is measured once */
    num = choose("scan", "f32,i8:u16,f32:f32,i8:u16", "add,max,add", false, false, cases);
    assert_int_equal(num, 4);
    check_case(&cases[0], SCAN, BENCH_ADD, "f32");
    check_case(&cases[1], SCAN, BENCH_ADD, "i8:u16");

    assert_int_equal(choose(NULL, NULL, "arg-min,max", false, false, cases), 3);
    for (unsigned has = 0; has < 4; has++) {
        num = choose(NULL, "all", "add", has & 1, has & 2, cases);
        assert_int_equal(num, 2 * (9 + (has & 1) + (has >> 1)));
    }
    /* what is named is not left out: the device says what it lacks */
    num = choose(NULL, "f64", "add", false, false, cases);
    assert_int_equal(num, 2);
}

static void check_counts(size_t min, size_t max, size_t num, const size_t *expected)
{
    size_t counts[BENCH_MOST_COUNTS];

    assert_int_equal(bench_choose_counts(min, max, counts), num);
    for (size_t i = 0; i < num; i++) {
        assert_int_equal(counts[i], expected[i]);
    }
}

static void counts(void **state)
{
    size_t all[BENCH_MOST_COUNTS];

    (void)state;
    check_counts(7, 7, 1, (const size_t[]){ 7 });
    check_counts(7, 8, 2, (const size_t[]){ 7, 8 });
    check_counts(1024, 16384, 3, (const size_t[]){ 1024, 4096, 16384 });
    check_counts(1024, 32768, 4, (const size_t[]){ 1024, 4096, 16384, 32768 });
    check_counts(SIZE_MAX - 1, SIZE_MAX, 2, (const size_t[]){ SIZE_MAX - 1, SIZE_MAX });
    const size_t num = bench_choose_counts(1, SIZE_MAX, all);
    assert_true(num <= BENCH_MOST_COUNTS);
    assert_true(all[num - 2] == (SIZE_MAX / 4 + 1));
    assert_true(all[num - 1] == SIZE_MAX);
}

static void bytes(void **state)
{
    const struct bench_case sum = { REDUCE, BENCH_ADD, CLFOLD_U8, CLFOLD_U64 };
    const struct bench_case place = { REDUCE, BENCH_ARG_MIN, CLFOLD_F32, CLFOLD_F32 };
    const struct bench_case scan = { SCAN, BENCH_ADD, CLFOLD_U8, CLFOLD_U32 };

    (void)state;
    assert_int_equal(bench_bytes(&sum, 1000), 1000);
    assert_int_equal(bench_bytes(&place, 1000), 4000);
    assert_int_equal(bench_out_size(&place), 16);
    assert_int_equal(bench_bytes(&scan, 1000), 5000);
}

TEST_MAIN("bench cases", NULL, NULL, cmocka_unit_test(chosen), cmocka_unit_test(counts),
          cmocka_unit_test(bytes))
