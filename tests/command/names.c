/* The names of types, operators and algorithms, what --device selects, messages, and what
 * is said of the texts of users. The rows are in names.txt. */
#include <clfold/experimental.h>
#include "../../tools/clfold/device.h"
#include "list.h"
#include "message.h"
#include "options.h"
#include "options_table.h"
#include "rows.h"
#include "types.h"

static size_t num_words(const char *list)
{
    size_t num = 1;

    for (; *list; list++) {
        num += *list == ' ';
    }
    return num;
}

/* A name says kind and bits. */
static void types(void **state)
{
    size_t num = 0;

    (void)state;
    for (clfold_type type = 0; type < 64; type++) {
        const char *const name = clfold_type_name(type);
        if (!name) {
            continue;
        }
        const size_t size = strtoul(name + 1, NULL, 10) / 8;
        const clfold_type sum = *name == 'f'   ? type
                                : *name == 'i' ? CLFOLD_I64
                                               : CLFOLD_U64;
        assert_int_equal(type_parse(name), type);
        assert_int_equal(type_find(*name, size), type);
        for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; op++) {
            assert_int_equal(type_accumulator(op, type), op <= CLFOLD_MUL ? sum : type);
        }
        assert_int_equal(type_accumulator(CLFOLD_MOMENTS, type),
                         *name == 'f' && size < 8 ? CLFOLD_F32 : CLFOLD_F64);
        assert_true(list_has_word(TYPE_NAMES, name));
        num++;
    }
    assert_int_equal(num_words(TYPE_NAMES), num);
    assert_int_equal(type_parse(""), 0);
    assert_int_equal(type_find('f', 1), 0);
}

static void operators(void **state)
{
    size_t num = 0, num_scans = 0;

    (void)state;
    for (clfold_op op = 0; op < 64; op++) {
        const char *const name = clfold_op_name(op);
        const struct op_result form = name ? op_result(op) : (struct op_result){ 0 };
        if (!name) {
            continue;
        }
        assert_int_equal(op_parse(name), op);
        assert_true(list_has_word(EXPLAIN_OP_NAMES, name));
        assert_true(list_has_word(OP_NAMES, name) != form.is_named);
        num++;
        if (form.num == 1 && !form.position) {
            num_scans++;
            assert_true(list_has_word(SCAN_OP_NAMES, name));
        }
    }
    assert_int_equal(num_words(EXPLAIN_OP_NAMES), num);
    assert_int_equal(num_words(SCAN_OP_NAMES), num_scans);
    assert_false(op_takes_any_order(0)); /* a text, which may not commute */
    num = 0;
    for (uint32_t a = 0, parsed; accuracy_name(a); a++, num++) {
        assert_true(accuracy_parse(accuracy_name(a), &parsed) && parsed == a);
        assert_true(list_has_word(ACCURACY_NAMES, accuracy_name(a)));
    }
    assert_int_equal(num_words(ACCURACY_NAMES), num);
}

static const struct {
    const char *name;
    clfold_operation operation;
    const char *algorithms;
} operations[] = {
    { "reduce", CLFOLD_REDUCE, REDUCE_ALGORITHM_NAMES },
    { "scan", CLFOLD_INCLUSIVE_SCAN, SCAN_ALGORITHM_NAMES },
    { "map", CLFOLD_MAP, MAP_ALGORITHM_NAMES },
    { "select", CLFOLD_SELECT, SELECT_ALGORITHM_NAMES },
};

/* The command names all algorithms that the library has, in its own form and with
 * hyphens. */
static void algorithms(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        const clfold_operation operation = operations[i].operation;
        const char *name, *algorithm;
        uint32_t num = 0;
        for (; (name = clfold_operation_algorithm(operation, num)); num++) {
            char hyphens[64];
            strcpy(hyphens, name);
            for (char *c = hyphens; (c = strchr(c, '_'));) {
                *c = '-';
            }
            assert_true(list_has_word(operations[i].algorithms, name));
            assert_true(algorithm_parse(name, operation, &algorithm));
            assert_string_equal(algorithm, name);
            assert_true(algorithm_parse(hyphens, operation, &algorithm));
            assert_string_equal(algorithm, name);
        }
        assert_true(list_has_word(operations[i].algorithms, "auto"));
        assert_int_equal(num_words(operations[i].algorithms), num + 1);
    }
}

static bool show_algorithm(char shown[ROWS_LINE], const char *words, const char *input)
{
    size_t i = 0;
    const char *algorithm;

    while (strcmp(operations[i].name, words) != 0) {
        i++;
    }
    const bool done = algorithm_parse(input, operations[i].operation, &algorithm);
    strcpy(shown, !done ? "none" : algorithm ? algorithm : "auto");
    return done;
}

static struct device machine[] = {
    { .name = (char *)"pthread-Core i5-1234", .type = CL_DEVICE_TYPE_CPU },
    { .name = (char *)"Intel(R) Xeon", .type = CL_DEVICE_TYPE_CPU },
    { .name = (char *)"Fast GPU 9000", .type = CL_DEVICE_TYPE_GPU },
    { .name = (char *)"cpu-like Accelerator", .type = CL_DEVICE_TYPE_ACCELERATOR },
    { .name = (char *)"fast gpu 9001", .type = CL_DEVICE_TYPE_GPU },
};

/* The place of what is selected of some of them, or -1. */
static int selected(size_t first, size_t num, const char *selector,
                    struct message *message)
{
    const struct device_list list = { .devices = machine + first, .num_devices = num };
    const struct device *const device = device_select(&list, selector, message);

    return device ? (int)(device - list.devices) : -1;
}

static bool show_device(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct message message;
    const int index = selected(0, 5, input, &message);

    (void)words;
    if (index >= 0) {
        sprintf(shown, "%d", index);
    } else {
        strcpy(shown, message.text);
        assert_non_null(strstr(shown, input));
    }
    return index >= 0;
}

static void defaults(void **state)
{
    struct message message;

    (void)state;
    assert_int_equal(selected(0, 5, NULL, &message), 2);
    /* no GPU: the first; no name that has "gpu" in it may stand in for a GPU */
    assert_int_equal(selected(0, 2, NULL, &message), 0);
    assert_int_equal(selected(0, 2, "gpu", &message), -1);
    assert_int_equal(selected(2, 3, "cpu", &message), -1);
    assert_int_equal(selected(0, 0, NULL, &message), -1);
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

static bool show_log(char shown[ROWS_LINE], const char *words, const char *input)
{
    (void)words;
    sentence_once(shown, input);
    return true;
}

static bool show_hint(char shown[ROWS_LINE], const char *words, const char *input)
{
    const char *const bar = strstr(input, " | "), *const log = bar + 3;
    char line[512], text[512], *argv[ROWS_WORDS];
    struct options options;
    struct message message;
    struct user_fold user;

    snprintf(line, sizeof(line), "clfold %.*s", (int)(bar - input), input);
    if (!options_read(&options, rows_cut(line, argv), argv, &message)) {
        fail_msg("%s: %s", input, message.text);
    }
    const clfold_fold basis =
        options_fold(&options, options_folds_numbers(&options) ? options.element : 0);
    assert_true(user_fold_init(&user, &options.fold, &basis, &message));
    snprintf(text, sizeof(text),
             strcmp(words, "fits") == 0
                 ? "%s:2:5: error: no matching function for call to 'sqrt'\n"
                   "x + sqrt(x)\n    ^~~~\n"
             : strcmp(words, "pocl") == 0
                 ? "error: %s:1:1 <Spelling=x/_builtin_renames.h:187:24>: call to "
                   "'_cl_sqrt' is ambiguous\n"
                 : "%s",
             log);
    message_set(&message, "does not build");
    assert_false(user_fold_hint(&user, CLFOLD_F64, text, &message));
    strcpy(shown, *message.hint ? message.hint : "none");
    user_fold_finish(&user);
    return false;
}

static bool show_cause(char shown[ROWS_LINE], const char *words, const char *input)
{
    clfold_report report = { .widths = strcmp(words, "differ") == 0
                                           ? CLFOLD_WIDTHS_DIFFER
                                           : CLFOLD_WIDTHS_UNKNOWN };

    snprintf(report.reason, sizeof(report.reason), "%s", input);
    strcpy(shown, user_fold_cause(&report).text);
    return true;
}

static void rows(void **state)
{
    static const struct rows_kind kinds[] = {
        { "algorithm", show_algorithm, true, false },
        { "device", show_device, true, false },
        { "log", show_log, false, false },
        { "hint", show_hint, false, false },
        { "cause", show_cause, false, false },
    };

    (void)state;
    rows_check_file(ROWS, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

TEST_MAIN("names", NULL, NULL, cmocka_unit_test(types), cmocka_unit_test(operators),
          cmocka_unit_test(algorithms), cmocka_unit_test(defaults),
          cmocka_unit_test(sentences), cmocka_unit_test(rows))
