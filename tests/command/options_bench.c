/* The command line of bench, and the cases that it chooses. */
#include "words.h"

#define REDUCE CLFOLD_REDUCE
#define SCAN   CLFOLD_INCLUSIVE_SCAN

static void bench(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "bench" }, &options, &message));
    assert_int_equal(options.action, ACTION_BENCH);
    assert_int_equal(options.bench.operation, 0);
    assert_int_equal(options.bench.folds, 0);
    assert_int_equal(options.bench.types.num, 0);
    assert_false(options.bench.all_types);
    assert_int_equal(options.min, 1 << 20);
    assert_int_equal(options.max, 1 << 26);
    assert_true(options.seconds == 1);
    assert_null(options.svg);
    assert_false(options.json);

    assert_true(
        read_words((const char *[MOST]){ "bench", "--op=scan", "--folds", "add,segmented",
                                         "--types=f32,u8:u64", "--min=2^10", "--max",
                                         "1e6", "--seconds=0.25", "--device", "cpu",
                                         "--json", "--svg", "a" },
                   &options, &message));
    assert_int_equal(options.bench.operation, SCAN);
    assert_int_equal(options.bench.folds, 1 << BENCH_ADD | 1 << BENCH_SEGMENTED);
    assert_int_equal(options.bench.types.num, 2);
    assert_int_equal(options.bench.types.each[0].in, CLFOLD_F32);
    assert_int_equal(options.bench.types.each[0].type, CLFOLD_F32);
    assert_int_equal(options.bench.types.each[1].in, CLFOLD_U8);
    assert_int_equal(options.bench.types.each[1].type, CLFOLD_U64);
    assert_int_equal(options.min, 1024);
    assert_int_equal(options.max, 1000000);
    assert_true(options.seconds == 0.25);
    assert_string_equal(options.device, "cpu");
    assert_string_equal(options.svg, "a");
    assert_true(options.json);

    assert_true(
        read_words((const char *[MOST]){ "bench", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_non_null(strstr(options.print, "Usage: clfold bench"));
}

/* One bound alone moves the other. */
static void bounds(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "bench", "--max", "2^14" }, &options, &message));
    assert_int_equal(options.min, 1 << 14);
    assert_true(
        read_words((const char *[MOST]){ "bench", "--max", "2^22" }, &options, &message));
    assert_int_equal(options.min, 1 << 20);
    assert_true(
        read_words((const char *[MOST]){ "bench", "--min", "2^28" }, &options, &message));
    assert_int_equal(options.max, 1 << 28);
    assert_true(
        read_words((const char *[MOST]){ "bench", "--min", "5" }, &options, &message));
    assert_int_equal(options.max, 1 << 26);
}

static void refused(void **state)
{
    static const struct refusal cases[] = {
        { { "bench", "x" }, "bench takes no argument, and got x" },
        { { "bench", "--count", "1" }, "no option --count" },
        { { "bench", "--json=1" }, "--json takes no value" },
        { { "bench", "--op", "add" }, "--op add: the operations are reduce, scan, all" },
        { { "bench", "--types", "f8" }, "--types f8: a list of types" },
        { { "bench", "--types", "" }, "--types : a list of types" },
        { { "bench", "--types", "f32," }, "--types f32,: a list" },
        { { "bench", "--types", "u64:u8" },
          "--types u64:u8: u64 is not folded in u8 here" },
        { { "bench", "--types", "i32:f64" },
          "--types i32:f64: i32 is not folded in f64 here" },
        { { "bench", "--types", "u8:" }, "--types u8:: a list" },
        { { "bench", "--types", "all,f32" }, "--types all,f32: a list" },
        { { "bench", "--types", "a-name-that-is-longer-than-any-type-is" },
          "--types a-name-that-is-longer-than-any-type-is: a list" },
        { { "bench", "--folds", "sum" }, "--folds sum: a list of add min max" },
        { { "bench", "--folds", "add,,min" }, "--folds add,,min: a list of" },
        { { "bench", "--min", "0" }, "--min 0: there is nothing" },
        { { "bench", "--max", "0" }, "--max 0: there is nothing" },
        { { "bench", "--max", "1.5" }, "--max 1.5: a count is" },
        { { "bench", "--min", "9", "--max", "8" }, "--min 9 is more than --max 8" },
        { { "bench", "--seconds", "-1" }, "--seconds -1: a number from 0 to" },
        { { "bench", "--seconds", "nan" }, "--seconds nan: a number" },
        { { "bench", "--seconds", "1s" }, "--seconds 1s: a number" },
        { { "bench", "--seconds", "" }, "--seconds : a number" },
        { { "bench", "--device=" }, "--device needs an index" },
        { { "bench", "--svg", "-" }, "--svg - is no file" },
        { { "bench", "--op", "reduce", "--folds", "segmented" }, "leave no case" },
        { { "bench", "--op", "scan", "--folds", "arg-min" }, "leave no case" },
        { { "bench", "--types", "f64", "--folds", "segmented" }, "leave no case" },
    };

    (void)state;
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]));
}

/* ---- Cases and counts ---- */

static size_t choose(const char *const words[MOST], bool fp16, bool fp64,
                     struct bench_case cases[BENCH_MOST_CASES])
{
    struct options options;
    struct message message;

    assert_true(read_words(words, &options, &message));
    return bench_choose_cases(&options.bench, fp16, fp64, cases);
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
    size_t num = choose((const char *[MOST]){ "bench" }, false, true, cases);

    (void)state;
    assert_int_equal(num, 17);
    check_case(&cases[0], REDUCE, BENCH_ADD, "f32");
    check_case(&cases[4], REDUCE, BENCH_ADD, "u8:u64");
    check_case(&cases[16], SCAN, BENCH_SEGMENTED, "f32");
    /* f64, f32:f64 and the scan of f64 */
    assert_int_equal(choose((const char *[MOST]){ "bench" }, false, false, cases), 14);

    num = choose((const char *[MOST]){ "bench", "--types", "f32", "--op=reduce" }, false,
                 false, cases);
    assert_int_equal(num, 4);
    for (size_t i = 0; i < num; i++) {
        check_case(&cases[i], REDUCE, (enum bench_fold)i, "f32");
    }
    num = choose((const char *[MOST]){ "bench", "--types", "f32,i8:u16", "--op=scan" },
                 false, false, cases);
    assert_int_equal(num, 7); /* add, min and max of both, and one of segmented */
    check_case(&cases[1], SCAN, BENCH_ADD, "i8:u16");
    check_case(&cases[6], SCAN, BENCH_SEGMENTED, "f32");

    /* what is named twice is measured once */
    num = choose((const char *[MOST]){ "bench", "--types=f32,i8:u16,f32:f32,i8:u16",
                                       "--op=scan", "--folds=add,max,add" },
                 false, false, cases);
    assert_int_equal(num, 4);
    check_case(&cases[0], SCAN, BENCH_ADD, "f32");
    check_case(&cases[1], SCAN, BENCH_ADD, "i8:u16");

    assert_int_equal(choose((const char *[MOST]){ "bench", "--folds", "segmented,max" },
                            false, false, cases),
                     3);
    for (unsigned has = 0; has < 4; has++) {
        num = choose((const char *[MOST]){ "bench", "--types=all", "--folds=add" },
                     has & 1, has & 2, cases);
        assert_int_equal(num, 2 * (9 + (has & 1) + (has >> 1)));
    }
    /* what is named is not left out: the device says what it lacks */
    num = choose((const char *[MOST]){ "bench", "--types=f64", "--folds=add" }, false,
                 false, cases);
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
    const struct bench_case pairs = { SCAN, BENCH_SEGMENTED, CLFOLD_F32, CLFOLD_F32 };

    (void)state;
    assert_int_equal(bench_bytes(&sum, 1000), 1000);
    assert_int_equal(bench_bytes(&place, 1000), 4000);
    assert_int_equal(bench_out_size(&place), 16);
    assert_int_equal(bench_bytes(&scan, 1000), 5000);
    assert_int_equal(bench_bytes(&pairs, 1000), 16000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bench),  cmocka_unit_test(bounds), cmocka_unit_test(refused),
        cmocka_unit_test(chosen), cmocka_unit_test(counts), cmocka_unit_test(bytes),
    };
    return cmocka_run_group_tests_name("options bench", tests, NULL, NULL);
}
