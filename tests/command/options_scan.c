/* The command lines of scan, and of explain scan. */
#include "types.h"
#include "words.h"

static void defaults(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "scan", "a.npy", "b.npy" }, &options, &message));
    assert_int_equal(options.action, ACTION_SCAN);
    assert_int_equal(options.operation, CLFOLD_INCLUSIVE_SCAN);
    assert_int_equal(options.op, CLFOLD_ADD);
    assert_int_equal(options.acc, 0);
    assert_int_equal(options.format, FORMAT_NPY);
    assert_int_equal(options.out_format, FORMAT_NPY);
    assert_null(options.algorithm);
    assert_null(options.init);
    assert_null(options.device);
    assert_false(options.json);
    assert_string_equal(options.file, "a.npy");
    assert_string_equal(options.out, "b.npy");
}

static void everything(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "scan", "-", "--exclusive", "--op=max",
                                                 "--init", "-7", "--acc=i16", "x.txt",
                                                 "--algorithm", "then-propagate",
                                                 "--raw=u8", "--device=gpu", "--json" },
                           &options, &message));
    assert_int_equal(options.operation, CLFOLD_EXCLUSIVE_SCAN);
    assert_int_equal(options.op, CLFOLD_MAX);
    assert_string_equal(options.init, "-7");
    assert_int_equal(options.acc, CLFOLD_I16);
    assert_string_equal(options.algorithm, "scan_then_propagate");
    assert_int_equal(options.format, FORMAT_RAW);
    assert_int_equal(options.element, CLFOLD_U8);
    assert_string_equal(options.device, "gpu");
    assert_true(options.json);
    assert_string_equal(options.file, "-");
    assert_string_equal(options.out, "x.txt");
    assert_int_equal(options.out_format, FORMAT_TEXT);

    assert_true(read_words(
        (const char *[MOST]){ "scan", "--inclusive", "--inclusive", "a", ".bin" },
        &options, &message));
    assert_int_equal(options.operation, CLFOLD_INCLUSIVE_SCAN);
    assert_int_equal(options.out_format, FORMAT_RAW);
}

/* Standard output takes the format of the input. */
static void standard_output(void **state)
{
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "scan", "a", "-" }, &options, &message));
    assert_int_equal(options.out_format, FORMAT_NPY);
    assert_true(read_words((const char *[MOST]){ "scan", "--raw", "u8", "a.npy", "-" },
                           &options, &message));
    assert_int_equal(options.out_format, FORMAT_RAW);
    assert_true(read_words((const char *[MOST]){ "scan", "a.bin", "-", "--text=f32" },
                           &options, &message));
    assert_int_equal(options.out_format, FORMAT_TEXT);
}

static void refused(void **state)
{
#define WHICH " scan writes one number for each element, and "
    static const struct refusal cases[] = {
        { { "scan" }, "scan takes IN and OUT, and got 0 of them" },
        { { "scan", "a.npy" }, "and got 1 of them" },
        { { "scan", "a.npy", "b.npy", "c.npy" }, "and got 3 of them" },
        { { "scan", "--kernel", "auto", "a", "b.npy" }, "no option --kernel" },
        { { "scan", "--count", "1", "a", "b.npy" }, "no option --count" },
        { { "scan", "a", "b.npy", "--init" }, "--init needs a value" },
        { { "scan", "--exclusive=1", "a", "b.npy" }, "--exclusive takes no value" },
        { { "scan", "--inclusive", "--exclusive", "a", "b.npy" },
          "--inclusive and --exclusive exclude each other" },
        { { "scan", "--exclusive", "--inclusive", "a", "b.npy" }, "exclude each other" },
        { { "scan", "a", "b" }, "OUT b: its name must end in .npy" },
        { { "scan", "a", "" }, "OUT : its name must end" },
        { { "scan", "a", "npy" }, "OUT npy: " },
        { { "scan", "a", "b.npy.gz" }, "OUT b.npy.gz: " },
        { { "scan", "a", "b.NPY" }, "OUT b.NPY: " },
        { { "scan", "--json", "a", "-" }, "--json and OUT - both go to" },
        { { "scan", "--algorithm", "best", "a", "b.npy" },
          "--algorithm best: the algorithms are " SCAN_ALGORITHM_NAMES },
        { { "scan", "--algorithm=reduce6", "a", "b.npy" }, "--algorithm reduce6: " },
        { { "scan", "--op", "sum", "a", "b.npy" }, "--op sum: the operators" },
        { { "scan", "--op", "arg-min", "a", "b.npy" },
          WHICH "arg-min gives an index with it; the operators are " SCAN_OP_NAMES },
        { { "scan", "--op", "arg-max", "a", "b.npy" }, WHICH "arg-max gives an index" },
        { { "scan", "--op", "min-max", "a", "b.npy" }, WHICH "min-max gives two" },
        { { "scan", "--op", "arg-min-max", "a", "b.npy" },
          WHICH "arg-min-max gives two" },
        { { "scan", "--acc", "float", "a", "b.npy" }, "--acc float: the types" },
        { { "scan", "--raw", "u8", "--text", "u8", "a", "b.npy" }, "IN has one format" },
        { { "scan", "--device=", "a", "b.npy" }, "--device needs an index" },
        /* of a type that is known, and of one that the file will tell */
        { { "scan", "--init", "1x", "a", "b.npy" }, "--init 1x: is no number" },
        { { "scan", "--init=", "a", "b.npy" }, "--init : is no number" },
        { { "scan", "--init", "0x1p3", "a", "b.npy" }, "--init 0x1p3: is no number" },
        { { "scan", "--init", "1.5", "--raw", "i8", "a", "b.npy" },
          "--init 1.5: is no number of type i64" },
        { { "scan", "--init", "-1", "--text", "u8", "a", "b.npy" },
          "--init -1: is out of the range of u64" },
        { { "scan", "--init", "128", "--acc", "i8", "a", "b.npy" },
          "--init 128: is out of the range of i8" },
        { { "scan", "--init", "300", "--op", "max", "--raw", "u8", "a", "b.npy" },
          "--init 300: is out of the range of u8" },
        { { "scan", "--init", "1e40", "--text", "f32", "a", "b.npy" },
          "--init 1e40: is out of the range of f32" },
    };

    (void)state;
    check_refusals(cases, sizeof(cases) / sizeof(cases[0]));
}

static void init_values(void **state)
{
    struct options options = { .action = ACTION_SCAN, .init = "-3" };
    struct message message;
    clfold_arg_value value;

    (void)state;
    assert_true(options_init(&options, CLFOLD_I16, &value.value, &message));
    assert_int_equal(value.value.i16, -3);
    assert_true(options_init(&options, CLFOLD_F64, &value.value, &message));
    assert_true(value.value.f64 == -3);
    assert_false(options_init(&options, CLFOLD_U32, &value.value, &message));
    assert_string_equal(message.text, "--init -3: is out of the range of u32");
    /* what may be right for the type that an .npy file tells is not refused before */
    assert_true(
        read_words((const char *[MOST]){ "scan", "--init", "-1", "a.npy", "b.npy" },
                   &options, &message));
    assert_true(read_words((const char *[MOST]){ "scan", "--init=1.5", "a.npy", "b.npy" },
                           &options, &message));
    assert_true(
        read_words((const char *[MOST]){ "scan", "--init", "1e999", "a.npy", "b.npy" },
                   &options, &message));
}

static void folds(void **state)
{
    struct options options = { .op = CLFOLD_ADD };

    (void)state;
    clfold_fold fold = options_fold(&options, CLFOLD_U8);
    assert_int_equal(fold.op, CLFOLD_ADD);
    assert_int_equal(fold.type, CLFOLD_U64);
    assert_int_equal(fold.in, CLFOLD_U8);
    fold = options_fold(&options, CLFOLD_F32);
    assert_int_equal(fold.type, CLFOLD_F32);
    assert_int_equal(fold.in, 0);
    options = (struct options){ .op = CLFOLD_MAX, .algorithm = "reduce_then_scan" };
    fold = options_fold(&options, CLFOLD_U8);
    assert_int_equal(fold.type, CLFOLD_U8);
    assert_int_equal(fold.in, 0);
    assert_string_equal(fold.algorithm, "reduce_then_scan");
    options.acc = CLFOLD_F64;
    fold = options_fold(&options, CLFOLD_U8);
    assert_int_equal(fold.type, CLFOLD_F64);
    assert_int_equal(fold.in, CLFOLD_U8);
}

static void helps(void **state)
{
    static const char usage[] = "Usage: clfold scan [options] IN OUT\n\n";
    struct options options;
    struct message message;

    (void)state;
    assert_true(read_words((const char *[MOST]){ "scan", "--help" }, &options, &message));
    assert_int_equal(options.action, ACTION_PRINT);
    assert_memory_equal(options.print, usage, strlen(usage));
    assert_true(read_words((const char *[MOST]){ "--help" }, &options, &message));
    assert_non_null(strstr(options.print, "clfold scan [options] IN OUT\n"));
}

static void explained(void **state)
{
    static const struct refusal wrong[] = {
        { { "explain", "reduce", "--exclusive" }, "go with explain scan" },
        { { "explain", "--inclusive", "reduce" }, "go with explain scan" },
        { { "explain", "scan", "--inclusive", "--exclusive" }, "exclude each other" },
        { { "explain", "scan", "--algorithm", "reduce6" },
          "--algorithm reduce6: the algorithms are auto scan_single_group" },
        { { "explain", "--kernel=single-group", "reduce" },
          "--kernel single-group: the kernels are auto reduce_tiles" },
        { { "explain", "scan", "reduce" }, "and got reduce" },
    };
    struct options options;
    struct message message;

    (void)state;
    assert_true(
        read_words((const char *[MOST]){ "explain", "reduce" }, &options, &message));
    assert_int_equal(options.operation, CLFOLD_REDUCE);
    assert_true(
        read_words((const char *[MOST]){ "explain", "scan" }, &options, &message));
    assert_int_equal(options.action, ACTION_EXPLAIN);
    assert_int_equal(options.operation, CLFOLD_INCLUSIVE_SCAN);
    /* the algorithm's name may come before the operation whose it is */
    assert_true(read_words((const char *[MOST]){ "explain", "--algorithm", "single-group",
                                                 "--exclusive", "scan" },
                           &options, &message));
    assert_int_equal(options.operation, CLFOLD_EXCLUSIVE_SCAN);
    assert_string_equal(options.algorithm, "scan_single_group");
    check_refusals(wrong, sizeof(wrong) / sizeof(wrong[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),        cmocka_unit_test(everything),
        cmocka_unit_test(standard_output), cmocka_unit_test(refused),
        cmocka_unit_test(init_values),     cmocka_unit_test(folds),
        cmocka_unit_test(helps),           cmocka_unit_test(explained),
    };

    return cmocka_run_group_tests_name("options scan", tests, NULL, NULL);
}
