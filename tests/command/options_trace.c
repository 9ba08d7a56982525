/* The command line of trace. */
#include "words.h"

static void trace(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "trace" }, &options, &message));
    assert_int_equal(options.action, ACTION_TRACE);
    assert_int_equal(options.element, CLFOLD_F32);
    assert_int_equal(options.op, CLFOLD_ADD);
    assert_int_equal(options.count, 1 << 24);
    assert_string_equal(options.algorithm, "scan_lookback");
    assert_null(options.device);
    assert_null(options.svg);
    assert_false(options.json);

    assert_true(
        read_words((const char *[MOST]){ "trace", "--count=1e6", "--type", "i8", "--op",
                                         "bit-xor", "--algorithm", "chained", "--device",
                                         "cpu", "--svg", "a", "--json" },
                   &options, &message));
    assert_int_equal(options.element, CLFOLD_I8);
    assert_int_equal(options.op, CLFOLD_BIT_XOR);
    assert_int_equal(options.count, 1000000);
    assert_string_equal(options.algorithm, "scan_chained");
    assert_string_equal(options.device, "cpu");
    assert_string_equal(options.svg, "a");
    assert_true(options.json);

    assert_true(
        read_words((const char *[MOST]){ "trace", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_non_null(strstr(options.print, "Usage: clfold trace"));
}

static void refused(void **state)
{
    static const struct refusal cases[] = {
        { { "trace", "x" }, "trace takes no argument, and got x" },
        { { "trace", "--window", "8" }, "no option --window" },
        { { "trace", "--json=1" }, "--json takes no value" },
        { { "trace", "--count" }, "--count needs a value" },
        { { "trace", "--count", "0" }, "--count 0: there is nothing" },
        { { "trace", "--count", "-1" }, "--count -1: a count is" },
        { { "trace", "--count", "2^64" }, "--count 2^64: a count is" },
        { { "trace", "--type", "f8" }, "--type f8: the types are" },
        { { "trace", "--op", "sum" }, "--op sum: the operators are" },
        { { "trace", "--op", "min-max" }, "--op min-max: a scan is by one of add" },
        { { "trace", "--op", "arg-min" }, "--op arg-min: a scan is by one of add" },
        { { "trace", "--op", "bit-or" }, "--op bit-or does not go with --type f32" },
        { { "trace", "--algorithm", "auto" }, "--algorithm auto: those that look back" },
        { { "trace", "--algorithm", "back" }, "--algorithm back: those that look back" },
        { { "trace", "--algorithm", "reduce_then_scan" }, "are scan_lookback and" },
        { { "trace", "--device=" }, "--device needs an index" },
        { { "trace", "--svg=" }, "--svg needs a file" },
        { { "trace", "--svg", "-" }, "--svg - is no file" },
    };

    (void)state;
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("options trace", tests, NULL, NULL);
}
