/* The command line of tune. */
#include "words.h"

#include "types.h"

static void tune(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "tune" }, &options, &message));
    assert_int_equal(options.action, ACTION_TUNE);
    assert_int_equal(options.op, CLFOLD_ADD);
    assert_int_equal(options.types.num, 0);
    assert_int_equal(options.count, 0);
    assert_true(options.seconds == 90);
    assert_null(options.file);
    assert_null(options.device);
    assert_false(options.show || options.reset);

    assert_true(read_words((const char *[MOST]){ "tune", "--device", "cpu", "--seconds",
                                                 "1.5", "--file=f", "--op", "max",
                                                 "--types=u8:u64,f32,i16:i16", "--count",
                                                 "2^20" },
                           &options, &message));
    assert_string_equal(options.device, "cpu");
    assert_true(options.seconds == 1.5);
    assert_string_equal(options.file, "f");
    assert_int_equal(options.op, CLFOLD_MAX);
    assert_int_equal(options.count, 1 << 20);
    assert_int_equal(options.types.num, 3);
    assert_int_equal(options.types.each[0].in, CLFOLD_U8);
    assert_int_equal(options.types.each[0].type, CLFOLD_U64);
    assert_int_equal(options.types.each[1].in, CLFOLD_F32);
    assert_int_equal(options.types.each[1].type, CLFOLD_F32);
    assert_int_equal(options.types.each[2].type, CLFOLD_I16);
}

static void rows(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "tune", "--show", "--device=1", "--file", "f" },
                   &options, &message));
    assert_true(options.show);
    assert_string_equal(options.device, "1");
    assert_true(read_words((const char *[MOST]){ "tune", "--reset", "--file", "f" },
                           &options, &message));
    assert_true(options.reset);
    assert_false(options.show);
}

static void helps(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "tune", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_non_null(strstr(options.print, "Usage: clfold tune"));
}

/* Every pair of types there is, and all of them again. */
static void most_types(void **state)
{
    char list[2 * 8 * LIST_MOST_TYPES + 1];
    struct options options;
    struct message message;
    size_t length = 0;

    (void)state;
    for (int i = 0; i < 2 * LIST_MOST_TYPES; i++) {
        const int pair = i % LIST_MOST_TYPES;
        length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%s:%s",
                                   i > 0 ? "," : "",
                                   type_name(1 + (clfold_type)(pair / CLFOLD_F64)),
                                   type_name(1 + (clfold_type)(pair % CLFOLD_F64)));
    }
    assert_true(length < sizeof(list));
    assert_true(
        read_words((const char *[MOST]){ "tune", "--types", list }, &options, &message));
    assert_int_equal(options.types.num, LIST_MOST_TYPES);
    for (int i = 0; i < LIST_MOST_TYPES; i++) {
        assert_int_equal(options.types.each[i].in, 1 + i / CLFOLD_F64);
        assert_int_equal(options.types.each[i].type, 1 + i % CLFOLD_F64);
    }
}

/* Each is tuned once, where it stands first; u8 and u8:u64 are two. */
static void types_again(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words(
        (const char *[MOST]){ "tune", "--types", "f32,u8,f32:f32,u8:u64,u8,f32" },
        &options, &message));
    assert_int_equal(options.types.num, 3);
    assert_int_equal(options.types.each[0].in, CLFOLD_F32);
    assert_int_equal(options.types.each[1].type, CLFOLD_U8);
    assert_int_equal(options.types.each[2].in, CLFOLD_U8);
    assert_int_equal(options.types.each[2].type, CLFOLD_U64);
}

static void refused(void **state)
{
    static const struct refusal cases[] = {
        { { "tune", "x" }, "tune takes no argument, and got x" },
        { { "tune", "--json" }, "no option --json" },
        { { "tune", "--s", "1" }, "no option --s, or it is not unique" },
        { { "tune", "--seconds" }, "--seconds needs a value" },
        { { "tune", "--seconds", "" }, "--seconds : a number from" },
        { { "tune", "--seconds", "0" }, "--seconds 0: a number from 0.001 to 86400" },
        { { "tune", "--seconds", "-1" }, "--seconds -1: a number" },
        { { "tune", "--seconds", "1x" }, "--seconds 1x: a number" },
        { { "tune", "--seconds", "nan" }, "--seconds nan: a number" },
        { { "tune", "--seconds", "1e9" }, "--seconds 1e9: a number" },
        { { "tune", "--file", "" }, "--file needs a file" },
        { { "tune", "--file", "-" }, "--file - is no file" },
        { { "tune", "--op", "sum" }, "--op sum: the operators are" },
        { { "tune", "--types", "" }, "--types : a list" },
        { { "tune", "--types", "f31" }, "--types f31: a list" },
        { { "tune", "--types", "f32," }, "--types f32,: a list" },
        { { "tune", "--types", ",f32" }, "--types ,f32: a list" },
        { { "tune", "--types", "f32:" }, "--types f32:: a list" },
        { { "tune", "--types", "u8:u64:u64" }, "--types u8:u64:u64: a list" },
        { { "tune", "--types", "u8:f3x,f32" }, "--types u8:f3x,f32: a list" },
        { { "tune", "--count", "0" }, "--count 0: there is nothing" },
        { { "tune", "--count", "x" }, "--count x: a count is" },
        { { "tune", "--device=" }, "--device needs an index" },
        { { "tune", "--show=1" }, "--show takes no value" },
        { { "tune", "--show", "--reset" }, "--show does not go with --reset" },
        { { "tune", "--reset", "--show" }, "--show does not go with --reset" },
        { { "tune", "--reset", "--device", "0" }, "--device does not go with --reset" },
        { { "tune", "--reset", "--seconds", "1" }, "--seconds does not go with --reset" },
        { { "tune", "--show", "--seconds", "1" }, "--seconds does not go with --show" },
        { { "tune", "--show", "--op", "add" }, "--op does not go with --show" },
        { { "tune", "--show", "--types", "f32" }, "--types does not go with --show" },
        { { "tune", "--show", "--count", "1" }, "--count does not go with --show" },
    };

    (void)state;
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tune),        cmocka_unit_test(rows),
        cmocka_unit_test(helps),       cmocka_unit_test(most_types),
        cmocka_unit_test(types_again), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("options tune", tests, NULL, NULL);
}
