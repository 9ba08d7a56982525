/* The command lines of explain and ladder. */
#include "words.h"

static void explain(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "explain", "reduce" }, &options, &message));
    assert_int_equal(options.action, ACTION_EXPLAIN);
    assert_int_equal(options.element, CLFOLD_F32);
    assert_int_equal(options.acc, 0);
    assert_int_equal(options.op, CLFOLD_ADD);
    assert_int_equal(options.count, 1 << 26);
    assert_null(options.algorithm);
    assert_null(options.device);
    assert_false(options.json);

    assert_true(
        read_words((const char *[MOST]){ "explain", "--type=u8", "--acc=u64", "--op=max",
                                         "reduce", "--count=64Ki", "--kernel=reduce6",
                                         "--device=1", "--json" },
                   &options, &message));
    assert_int_equal(options.element, CLFOLD_U8);
    assert_int_equal(options.acc, CLFOLD_U64);
    assert_int_equal(options.op, CLFOLD_MAX);
    assert_int_equal(options.count, 65536);
    assert_string_equal(options.algorithm, "reduce6");
    assert_string_equal(options.device, "1");
    assert_true(options.json);

    assert_true(read_words((const char *[MOST]){ "explain", "reduce", "--algorithm",
                                                 "reduce_tiles", "--count", "0" },
                           &options, &message));
    assert_string_equal(options.algorithm, "reduce_tiles");
    assert_int_equal(options.count, 0);
}

static void ladder(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "ladder" }, &options, &message));
    assert_int_equal(options.action, ACTION_LADDER);
    assert_int_equal(options.element, CLFOLD_I32);
    assert_int_equal(options.op, CLFOLD_ADD);
    assert_int_equal(options.min, 1 << 17);
    assert_int_equal(options.max, 1 << 25);
    assert_null(options.csv);
    assert_null(options.svg);

    assert_true(
        read_words((const char *[MOST]){ "ladder", "--type=f64", "--op", "max", "--min",
                                         "1000", "--max=1e6", "--device", "gpu", "--csv",
                                         "a", "--svg", "b", "--json" },
                   &options, &message));
    assert_int_equal(options.element, CLFOLD_F64);
    assert_int_equal(options.op, CLFOLD_MAX);
    assert_int_equal(options.min, 1000);
    assert_int_equal(options.max, 1000000);
    assert_string_equal(options.device, "gpu");
    assert_string_equal(options.csv, "a");
    assert_string_equal(options.svg, "b");
    assert_true(options.json);
}

static void helps(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "explain", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_non_null(strstr(options.print, "Usage: clfold explain reduce"));
    assert_true(
        read_words((const char *[MOST]){ "ladder", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_non_null(strstr(options.print, "Usage: clfold ladder"));
}

static void refused(void **state)
{
    static const struct refusal cases[] = {
        { { "explain" }, "one operation, reduce or scan, and got none" },
        { { "explain", "ladder" }, "and got ladder" },
        { { "explain", "reduce", "x" }, "and got x" },
        { { "explain", "reduce", "--min", "1" }, "no option --min" },
        { { "explain", "reduce", "--count" }, "--count needs a value" },
        { { "explain", "reduce", "--count", "" }, "--count : a count is" },
        { { "explain", "reduce", "--count", "-1" }, "--count -1: a count is" },
        { { "explain", "reduce", "--count", "2^64" }, "--count 2^64: a count is" },
        { { "explain", "reduce", "--kernel", "reduce7" }, "--kernel reduce7: the" },
        { { "explain", "reduce", "--type", "i7" }, "--type i7: the types are" },
        { { "explain", "reduce", "--acc", "i7" }, "--acc i7: the types are" },
        { { "explain", "reduce", "--op", "sum" }, "--op sum: the operators are" },
        { { "explain", "reduce", "--device=" }, "--device needs an index" },
        { { "explain", "reduce", "--json=1" }, "--json takes no value" },
        { { "ladder", "x" }, "ladder takes no argument, and got x" },
        { { "ladder", "--acc", "i32" }, "no option --acc" },
        { { "ladder", "--kernel", "auto" }, "no option --kernel" },
        { { "ladder", "-j" }, "no option -j" },
        { { "ladder", "--m", "1" }, "no option --m, or it is not unique" },
        { { "ladder", "--min", "0" }, "--min 0: there is nothing to time" },
        { { "ladder", "--max", "0" }, "--max 0: there is nothing to time" },
        { { "ladder", "--min", "x" }, "--min x: a count is" },
        { { "ladder", "--max", "1.5" }, "--max 1.5: a count is" },
        { { "ladder", "--min", "9", "--max", "8" }, "--min 9 is more than --max 8" },
        { { "ladder", "--min", "2^26" }, "--min 67108864 is more than --max 33554432" },
        { { "ladder", "--csv=" }, "--csv needs a file" },
        { { "ladder", "--svg", "" }, "--svg needs a file" },
        { { "ladder", "--csv", "-" }, "--csv - is no file" },
        { { "ladder", "--csv", "a", "--svg", "a" }, "name one file, a" },
        { { "ladder", "--type", "f32", "--op", "bit-or" },
          "--op bit-or does not go with" },
    };

    (void)state;
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explain),
        cmocka_unit_test(ladder),
        cmocka_unit_test(helps),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("options ladder", tests, NULL, NULL);
}
