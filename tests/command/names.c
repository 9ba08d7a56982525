/* The names of types, operators and algorithms, what --device selects, messages, and what
 * is said of the texts of users. */
#include <clfold/experimental.h>
#include "list.h"
#include "message.h"
#include "options_table.h"
#include "selection.h"
#include "types.h"
#include "user_fold.h"

#include "test.h"

static void types(void **state)
{
    static const char *const names[] = { "i8",  "u8",  "i16", "u16", "i32", "u32",
                                         "i64", "u64", "f16", "f32", "f64" };
    static const clfold_type sums[] = { CLFOLD_I64, CLFOLD_U64, CLFOLD_I64, CLFOLD_U64,
                                        CLFOLD_I64, CLFOLD_U64, CLFOLD_I64, CLFOLD_U64,
                                        CLFOLD_F16, CLFOLD_F32, CLFOLD_F64 };
    static const size_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8 };

    (void)state;
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; type++) {
        const size_t i = type - CLFOLD_I8;
        assert_string_equal(type_name(type), names[i]);
        assert_int_equal(type_parse(names[i]), type);
        assert_int_equal(type_size(type), sizes[i]);
        assert_int_equal(type_find(names[i][0], sizes[i]), type);
        assert_int_equal(type_accumulator(CLFOLD_ADD, type), sums[i]);
        assert_int_equal(type_accumulator(CLFOLD_MUL, type), sums[i]);
        for (clfold_op op = CLFOLD_MIN; op <= CLFOLD_MIN_MAX; op++) {
            assert_int_equal(type_accumulator(op, type), type);
        }
        assert_non_null(strstr(TYPE_NAMES, names[i]));
    }
    assert_int_equal(type_parse(""), 0);
    assert_int_equal(type_find('f', 1), 0);
}

static void operators(void **state)
{
    static const struct {
        clfold_op op;
        const char *name;
        bool position;
        unsigned num;
        bool takes_nothing;
    } all[] = {
        { CLFOLD_ADD, "add", false, 1, true },
        { CLFOLD_MUL, "mul", false, 1, true },
        { CLFOLD_MIN, "min", false, 1, false },
        { CLFOLD_MAX, "max", false, 1, false },
        { CLFOLD_MIN_MAX, "min-max", false, 2, false },
        { CLFOLD_ARG_MIN, "arg-min", true, 1, false },
        { CLFOLD_ARG_MAX, "arg-max", true, 1, false },
        { CLFOLD_ARG_MIN_MAX, "arg-min-max", true, 2, false },
        { CLFOLD_BIT_AND, "bit-and", false, 1, true },
        { CLFOLD_BIT_OR, "bit-or", false, 1, true },
        { CLFOLD_BIT_XOR, "bit-xor", false, 1, true },
        { CLFOLD_LOGICAL_AND, "logical-and", false, 1, true },
        { CLFOLD_LOGICAL_OR, "logical-or", false, 1, true },
        { CLFOLD_MOMENTS, "moments", false, 1, true },
        { CLFOLD_AFFINE, "affine", false, 1, true },
        { CLFOLD_MATRIX_2X2, "matrix-2x2", false, 1, true },
    };
    char names[512] = "";

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_int_equal(op_parse(all[i].name), all[i].op);
        assert_string_equal(op_name(all[i].op), all[i].name);
        assert_int_equal(op_result(all[i].op).position, all[i].position);
        assert_int_equal(op_result(all[i].op).num, all[i].num);
        assert_int_equal(op_result(all[i].op).is_named, all[i].op >= CLFOLD_MOMENTS);
        assert_int_equal(op_takes_nothing(all[i].op), all[i].takes_nothing);
        assert_int_equal(op_takes_any_order(all[i].op),
                         !all[i].position && all[i].op != CLFOLD_AFFINE &&
                             all[i].op != CLFOLD_MATRIX_2X2);
        strcat(strcat(names, i > 0 ? " " : ""), all[i].name);
    }
    assert_string_equal(names, EXPLAIN_OP_NAMES);
    names[0] = '\0';
    for (uint32_t a = 0, parsed; accuracy_name(a); a++) {
        assert_true(accuracy_parse(accuracy_name(a), &parsed) && parsed == a);
        strcat(strcat(names, a > 0 ? " " : ""), accuracy_name(a));
    }
    assert_string_equal(names, ACCURACY_NAMES);
    assert_false(op_takes_any_order(0)); /* a text, which may not commute */

    static const char *const wrong[] = { "",         "ad",     "adds",    "Add",  "add ",
                                         "bit_and",  "moment", "affines", "mean", "arg",
                                         "arg-min-", "bit-",   "matrix",  "and" };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(op_parse(wrong[i]), 0);
    }
}

static void check_algorithms(const char *const *names, const char *all_names,
                             const char *const *wrong, clfold_operation operation)
{
    const clfold_operation other =
        operation == CLFOLD_REDUCE ? CLFOLD_INCLUSIVE_SCAN : CLFOLD_REDUCE;
    const char *algorithm;
    char all[512] = "auto";

    for (; *names; names++) {
        char hyphens[64];
        assert_true(algorithm_parse(*names, operation, &algorithm));
        assert_string_equal(algorithm, *names);
        strcat(strcat(all, " "), *names);
        strcpy(hyphens, *names);
        for (char *c = hyphens; (c = strchr(c, '_'));) {
            *c = '-';
        }
        assert_true(algorithm_parse(hyphens, operation, &algorithm));
        assert_string_equal(algorithm, *names);
        assert_int_equal(algorithm_parse(*names, other, &algorithm),
                         strcmp(*names, "serial") == 0);
    }
    assert_string_equal(all, all_names);
    assert_true(algorithm_parse("auto", operation, &algorithm));
    assert_null(algorithm);
    for (; *wrong; wrong++) {
        assert_false(algorithm_parse(*wrong, operation, &algorithm));
    }
}

static void algorithms(void **state)
{
    static const char *const of_reduce[] = {
        "reduce_tiles", "reduce0", "reduce1", "reduce2", "reduce3",
        "reduce4",      "reduce5", "reduce6", "serial",  NULL
    };
    static const char *const not_of_reduce[] = { "",
                                                 "reduce",
                                                 "reduce7",
                                                 "reduce_",
                                                 "reduce_tile",
                                                 "tiles",
                                                 "auto ",
                                                 "REDUCE_TILES",
                                                 "reduce-0",
                                                 "scan_reduce_tiles",
                                                 "reduce_tiles_",
                                                 NULL };
    static const char *const of_scan[] = { "scan_single_group",
                                           "scan_then_propagate",
                                           "reduce_then_scan",
                                           "scan_lookback",
                                           "scan_chained",
                                           "serial",
                                           NULL };
    static const char *const not_of_scan[] = { "",
                                               "scan",
                                               "scan_",
                                               "scan-",
                                               "single",
                                               "scan_auto",
                                               "auto ",
                                               "single_group_",
                                               "Single_Group",
                                               "scan_scan_single_group",
                                               "propagate",
                                               "then_scan",
                                               "scansingle_group",
                                               "reduce_then",
                                               "look_back",
                                               "chain",
                                               NULL };
    static const char *const of_map[] = { "map_tiles", NULL };
    static const char *const of_select[] = { "scan_single_group", "scan_lookback",
                                             "scan_chained", "reduce_then_scan", NULL };
    static const char *const not_of_map[] = { "", "map", "tiles", "scan_map_tiles",
                                              NULL };
    static const char *const forms[] = { "single_group", "single-group",
                                         "scan-single_group", "scan_single-group" };
    const char *algorithm;

    (void)state;
    check_algorithms(of_reduce, REDUCE_ALGORITHM_NAMES, not_of_reduce, CLFOLD_REDUCE);
    check_algorithms(of_scan, SCAN_ALGORITHM_NAMES, not_of_scan, CLFOLD_EXCLUSIVE_SCAN);
    check_algorithms(of_map, MAP_ALGORITHM_NAMES, not_of_map, CLFOLD_MAP);
    check_algorithms(of_select, SELECT_ALGORITHM_NAMES, not_of_map, CLFOLD_SELECT);
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        assert_true(algorithm_parse(forms[i], CLFOLD_INCLUSIVE_SCAN, &algorithm));
        assert_string_equal(algorithm, "scan_single_group");
    }
    assert_true(algorithm_parse("then-propagate", CLFOLD_INCLUSIVE_SCAN, &algorithm));
    assert_string_equal(algorithm, "scan_then_propagate");
}

/* ---- Lists for people ---- */

static size_t num_words(const char *list)
{
    size_t num = 1;

    for (; *list; list++) {
        num += *list == ' ';
    }
    return num;
}

static void check_algorithm_list(const char *list, clfold_operation operation)
{
    const char *name;
    uint32_t num = 0;

    for (; (name = clfold_operation_algorithm(operation, num)); num++) {
        assert_true(list_has_word(list, name));
    }
    assert_true(list_has_word(list, "auto"));
    assert_int_equal(num_words(list), num + 1);
}

/* They name all that the library has. */
static void lists(void **state)
{
    size_t num_types = 0, num_ops = 0, num_scan_ops = 0;

    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        const char *const type = clfold_type_name(i);
        const char *const op = clfold_op_name(i);
        num_types += type != NULL;
        num_ops += op != NULL;
        assert_true(!type || list_has_word(TYPE_NAMES, type));
        assert_true(!op || list_has_word(EXPLAIN_OP_NAMES, op));
        assert_true(!op || list_has_word(OP_NAMES, op) != op_result(i).is_named);
        if (op && op_result(i).num == 1 && !op_result(i).position) {
            num_scan_ops++;
            assert_true(list_has_word(SCAN_OP_NAMES, op));
            assert_true(list_has_word(TRACE_OP_NAMES, op) != op_result(i).is_named);
        }
    }
    assert_int_equal(num_words(TYPE_NAMES), num_types);
    assert_int_equal(num_words(EXPLAIN_OP_NAMES), num_ops);
    assert_int_equal(num_words(SCAN_OP_NAMES), num_scan_ops);
    check_algorithm_list(REDUCE_ALGORITHM_NAMES, CLFOLD_REDUCE);
    check_algorithm_list(SCAN_ALGORITHM_NAMES, CLFOLD_INCLUSIVE_SCAN);
    assert_non_null(strstr(SCAN_ALGORITHM_NAMES, " " TRACE_ALGORITHM_NAMES));
}

static void selections(void **state)
{
    static const struct candidate machine[] = {
        { "pthread-Core i5-1234", .cpu = true }, { "Intel(R) Xeon", .cpu = true },
        { "Fast GPU 9000", .gpu = true },        { "cpu-like Accelerator", .cpu = false },
        { "fast gpu 9001", .gpu = true },
    };
    static const struct {
        const char *selector;
        size_t index;
    } found[] = {
        { NULL, 2 },    { "0", 0 },   { "4", 4 },       { "004", 4 },  { "gpu", 2 },
        { "GPU", 2 },   { "cpu", 0 }, { "9001", 5 },    { "xEON", 1 }, { "gpu 9001", 4 },
        { "accel", 3 }, { "i5-", 0 }, { "(r) xeo", 1 }, { "t", 0 },    { "cpu-", 3 },
    };
    struct message message;
    size_t index;

    (void)state;
    for (size_t i = 0; i < sizeof(found) / sizeof(found[0]); i++) {
        const bool done = selection_find(machine, 5, found[i].selector, &index, &message);
        if (found[i].index == 5) {
            assert_false(done);
            assert_non_null(strstr(message.text, found[i].selector));
        } else {
            assert_true(done);
            assert_int_equal(index, found[i].index);
        }
    }

    static const char *const missing[] = { "5", "18446744073709551616", "Radeon",
                                           "i5 -" };
    for (size_t i = 0; i < 4; i++) {
        assert_false(selection_find(machine, 5, missing[i], &index, &message));
        assert_non_null(strstr(message.text, missing[i]));
        assert_non_null(
            strstr(message.text, i < 2 ? "no device has this index; this machine has 5 "
                                       : "no device matches; this machine has 5 "));
        assert_non_null(strstr(message.text, "see clfold devices"));
    }
    /* no GPU: the first; no name that has "gpu" in it may stand in for a GPU */
    assert_true(selection_find(machine, 2, NULL, &index, &message));
    assert_int_equal(index, 0);
    assert_false(selection_find(machine, 2, "gpu", &index, &message));
    assert_false(selection_find(machine + 2, 3, "cpu", &index, &message));
    assert_false(selection_find(machine, 0, NULL, &index, &message));
    assert_non_null(
        strstr(message.text, "no OpenCL device; check that an OpenCL driver"));
}

static void sentences(void **state)
{
    struct message message;
    char name[20000];

    (void)state;
    assert_false(message_set(&message, "a\tb\nc\x1b[31m\r d\n \n"));
    assert_string_equal(message.text, "a b c?[31m  d");
    assert_false(message_prefix(&message, "x\ny"));
    assert_string_equal(message.text, "x y: a b c?[31m  d");
    /* the sentence stays, however long the name */
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    message_set(&message, "is wrong");
    message_prefix(&message, name);
    assert_non_null(strstr(message.text, "n: is wrong"));
    assert_string_equal(message.hint, "");
    message_hint(&message, "do\nthis");
    message_prefix(&message, "x");
    assert_string_equal(message.hint, "do this");
    message_set(&message, "is wrong");
    assert_string_equal(message.hint, "");
}

/* Logs of compilers as PoCL, Intel's runtime and rusticl write them. */
#define POCL_SQRT                                                                        \
    "error: %s:1:1 <Spelling=x/_builtin_renames.h:187:24>: call to '_cl_sqrt' is "       \
    "ambiguous\n"
#define DOES_NOT_BUILD "the program does not build: "

static void logs(void **state)
{
    static const struct {
        const char *sentence, *once;
    } cases[] = {
        { "out is NULL (CLFOLD_ERROR_ARGUMENT)", "out is NULL (CLFOLD_ERROR_ARGUMENT)" },
        { DOES_NOT_BUILD "no log (CLFOLD_ERROR_BUILD)",
          DOES_NOT_BUILD "no log (CLFOLD_ERROR_BUILD)" },
        { DOES_NOT_BUILD "error: a:1:1: b\nerror: a:1:1: b\nDevice X\n (BUILD)",
          DOES_NOT_BUILD "error: a:1:1: b\n(BUILD)" },
        { DOES_NOT_BUILD "error: a:1:1: b\nerror: a:1:9: b\nDevice X\n (BUILD)",
          DOES_NOT_BUILD "error: a:1:1: b\nerror: a:1:9: b\nDevice X\n (BUILD)" },
        { DOES_NOT_BUILD "a:1:5: error: b\nx + y\n    ^\na:1:1: error: b\nx + y\n^\n"
                         "a:1:5: error: b\nx + y\n    ^\n2 errors (BUILD)",
          DOES_NOT_BUILD "a:1:5: error: b\nx + y\n    ^\na:1:1: error: b\nx + y\n^\n"
                         "(BUILD)" },
    };
    char once[512];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sentence_once(once, cases[i].sentence);
        assert_string_equal(once, cases[i].once);
    }
}

static void hints(void **state)
{
    static const char fits[] = "%s:2:5: error: no matching function for call to 'sqrt'\n"
                               "x + sqrt(x)\n    ^~~~\n";
    static const struct {
        struct fold_texts texts;
        clfold_fold basis;
        const char *log, *text, *hint; /* with `text` in the place of %s */
    } cases[] = {
        { { .load = "x * x", .result = "sqrt(item)" },
          { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 },
          POCL_SQRT,
          "result",
          "write to_f64(item), and --out f64 if" },
        { { .result = "sqrt(item)", .out = CLFOLD_F32 },
          { .op = CLFOLD_ADD, .type = CLFOLD_I64, .in = CLFOLD_I32 },
          POCL_SQRT,
          "result",
          "write to_f32(item)" },
        { { .result = "sqrt(x) + y" },
          { .type = CLFOLD_U8 },
          fits,
          "result",
          "write to_f64(x), and --out f64 if" },
        { { .load = "sqrt(x)" },
          { .type = CLFOLD_U8, .in = CLFOLD_U8 },
          fits,
          "load",
          "write to_f64(x), and --type f64 if" },
        { { .load = "sqrt(x.y)", .in_scalars = 2 },
          { .op = CLFOLD_ADD, .type = CLFOLD_F32, .in = CLFOLD_U8 },
          fits,
          "load",
          "write to_f32(x.x)" },
        { { .combine = "{ sqrt(a.b), a.c }", .components = "float c; int b" },
          { 0 },
          fits,
          "combine",
          "write to_f64(a.b)" },
        { { .result = "sqrt(item.count)", .out = CLFOLD_F64 },
          { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 },
          fits,
          "result",
          "write to_f64(item.count)" },
        /* floats, other errors, and errors of others */
        { { .result = "sqrt(item, 2)" },
          { .op = CLFOLD_ADD, .type = CLFOLD_F32 },
          fits,
          "result",
          "" },
        { { .load = "y" },
          { .op = CLFOLD_ADD, .type = CLFOLD_I32, .in = CLFOLD_I32 },
          "error: %s:1:1: use of undeclared identifier 'y'\n",
          "load",
          "" },
        { { .load = "x" },
          { .op = CLFOLD_ADD, .type = CLFOLD_I32, .in = CLFOLD_I32 },
          fits,
          "some.cl",
          "" },
        /* elements that texts take as numbers, or by what is not a field */
        { { .keep = "x.re > x .y", .components = "float re; float im" },
          { 0 },
          "error: %s:1:8: no member named 'y'\n",
          "keep",
          "x has the fields x.re and x.im" },
        { { .keep = "x.re > y && x. im > 1", .components = "float re; float im" },
          { 0 },
          "error: %s:1:8: use of undeclared identifier 'y'\n",
          "keep",
          "" },
        { { .result = "item + 1", .out = CLFOLD_F32 },
          { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 },
          "error: %s:1:6: invalid operands\n",
          "result",
          "item has the fields item.count, item.mean and item.m2" },
        { { .load = "{ x, x }", .combine = "a", .components = "int m; int n" },
          { 0 },
          "error: %s:1:2: initializing 'int' with a struct\n",
          "load",
          "x has the fields x.m and x.n; with --in-scalars 1 it is a number" },
        { { .load = "{ x, x }", .combine = "a", .components = "int m; int n" },
          { 0 },
          "%s: holds no elements of the operator",
          "i.npy",
          "x has the fields x.m and x.n; with --in-scalars 1 it is a number" },
        { { .combine = "a", .components = "int m; int n" },
          { 0 },
          "%s: holds no elements of the operator",
          "i.npy",
          "" },
    };
    struct user_fold user;
    struct message message;
    char log[512];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (!user_fold_init(&user, &cases[i].texts, &cases[i].basis, &message)) {
            fail_msg("%zu: %s", i, message.text);
        }
        message_set(&message, "does not build");
        snprintf(log, sizeof(log), cases[i].log, cases[i].text);
        assert_false(user_fold_hint(&user, CLFOLD_F64, log, &message));
        if (!strstr(message.hint, cases[i].hint) || !*cases[i].hint != !*message.hint) {
            fail_msg("%zu: \"%s\", not \"%s\"", i, message.hint, cases[i].hint);
        }
        user_fold_finish(&user);
    }
}

/* What a report says of scalars, whatever stands around it. */
static void causes(void **state)
{
    static const char tile[] = "tile_item by policy \"cpu\"";
    static const struct {
        const char *before, *cause, *after;
    } cases[] = {
        { "", "load gives 1 as a scalar and 255 in a vector", ": 4 groups of lanes" },
        { "look-back is out, since it is new: tiles are folded; ",
          "result gives x 0.5 as a scalar and 0 in a vector", "; moves 2.00 times" },
        { "", "it does not compile for vectors: load:1:1: no: y", "" },
    };
    clfold_report report = { .widths = CLFOLD_WIDTHS_DIFFER };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(report.reason, sizeof(report.reason), "%s%s, since %s%s",
                 cases[i].before, tile, cases[i].cause, cases[i].after);
        assert_string_equal(user_fold_cause(&report).text, cases[i].cause);
    }
    strcpy(report.reason, "order is kept, since combine does not commute");
    assert_string_equal(user_fold_cause(&report).text, "");
    snprintf(report.reason, sizeof(report.reason), "%s, since it is CLFOLD_PARTIAL",
             tile);
    report.widths = CLFOLD_WIDTHS_UNKNOWN;
    assert_string_equal(user_fold_cause(&report).text, "");
}

TEST_MAIN("names", NULL, NULL, cmocka_unit_test(types), cmocka_unit_test(operators),
          cmocka_unit_test(algorithms), cmocka_unit_test(lists),
          cmocka_unit_test(selections), cmocka_unit_test(sentences),
          cmocka_unit_test(logs), cmocka_unit_test(hints), cmocka_unit_test(causes))
