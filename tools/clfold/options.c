#include "options.h"

#include "count.h"
#include "ladder_data.h"
#include "number.h"
#include "options_table.h"
#include "output_file.h"
#include "types.h"
#include "writer.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Values ---- */

static bool read_op(const struct option_row *row, const char *text,
                    struct options *options, struct message *message)
{
    const char *const names = value_rows[row->kind].words;

    options->mean = strcmp(text, "mean") == 0;
    options->op = options->mean ? CLFOLD_ADD : op_parse(text);
    return (options->op && list_has_word(names, options_op(options))) ||
           message_set(message, "--%s %.200s: the operators are %s", row->name, text,
                       names);
}

static bool read_count(const struct option_row *row, const char *text, size_t *count,
                       struct message *message)
{
    uint64_t number;

    if (!count_parse(text, &number) || number > SIZE_MAX || number < row->least) {
        return message_set(message,
                           "--%s %.200s: a %s is a number from %g to 2^%zu - 1, such "
                           "as " COUNT_FORMS,
                           row->name, text,
                           row->kind == VALUE_BYTES ? "limit in bytes" : "count",
                           row->least, 8 * sizeof(size_t));
    }
    *count = (size_t)number;
    return true;
}

static bool read_seconds(const struct option_row *row, const char *text, double *seconds,
                         struct message *message)
{
    char *end;

    *seconds = strtod(text, &end);
    return (end != text && !*end && *seconds >= row->least && *seconds <= row->most) ||
           message_set(message, "--%s %.200s: a number from %g to %g", row->name, text,
                       row->least, row->most);
}

/* What may stand in a number, or has a meaning of its own, cannot separate. */
static bool read_separator(const struct option_row *row, const char *text,
                           char *separator, struct message *message)
{
    const bool is_tab = strcmp(text, "\\t") == 0 || strcmp(text, "\t") == 0;

    *separator = is_tab ? '\t' : text[0];
    return is_tab ||
           (text[0] >= ' ' && text[0] < 0x7f && !text[1] && !isalnum(text[0]) &&
            !strchr("+-.\"#", text[0])) ||
           message_set(
               message,
               "--%s %.200s: a separator is one character, such as , ; or \\t for "
               "a tab, but no letter, digit, +, -, ., # or quote",
               row->name, text);
}

static bool read_column(const struct option_row *row, const char *text,
                        struct text_form *form, struct message *message)
{
    enum number_parsed parsed;

    form->field = 0;
    form->column = text;
    parsed = number_parse(&form->field, CLFOLD_U64, text);
    return (*text && strcmp(text, "=") != 0 &&
            (parsed == NUMBER_NONE || form->field > 0)) ||
           message_set(message,
                       "--%s %.200s: a column is a number from 1 to 2^64 - 1, a name, or "
                       "=NAME",
                       row->name, text);
}

static bool read_missing(const struct option_row *row, const char *text,
                         enum missing *missing, struct message *message)
{
    static const char *const names[] = {
        [MISSING_ERROR] = "error", [MISSING_SKIP] = "skip", [MISSING_NAN] = "nan"
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *missing = (enum missing)i;
            return true;
        }
    }
    return message_set(message, "--%s %.200s: is not one of skip, nan and error",
                       row->name, text);
}

static bool read_axis(const struct option_row *row, const char *text,
                      struct axis_option *axis, struct message *message)
{
    axis->is_given = true;
    return number_parse(&axis->axis, CLFOLD_I32, text) == NUMBER_READ ||
           message_set(message,
                       "--%s %.200s: an axis is a whole number, 0 for the first "
                       "dimension and -1 for the last",
                       row->name, text);
}

static bool read_by(const struct option_row *row, const char *text, struct by_option *by,
                    struct message *message)
{
    static const char *const ways[] = { [CLFOLD_BY_FLAGS] = "flags",
                                        [CLFOLD_BY_KEYS] = "keys",
                                        [CLFOLD_BY_OFFSETS] = "offsets" };
    char way[8], type[8], num[32];
    int end = 0;
    const int found =
        sscanf(text, "%7[a-z]:%7[a-z0-9]%n:%31[^:]%n", way, type, &end, num, &end);
    clfold_segments *const segments = &by->segments;
    uint64_t number = 1;
    uint32_t i = CLFOLD_BY_FLAGS;

    while (found >= 2 && i <= CLFOLD_BY_OFFSETS && strcmp(way, ways[i]) != 0) {
        i++;
    }
    const bool are_offsets = i == CLFOLD_BY_OFFSETS;
    by->text = text;
    *segments = (clfold_segments){ .by = i, .type = found < 2 ? 0 : type_parse(type) };
    if (!segments->type || i > CLFOLD_BY_OFFSETS || text[end] ||
        (found > 2 && !(are_offsets && count_parse(num, &number)))) {
        return message_set(message,
                           "--%s %.200s: is not flags:TYPE, keys:TYPE or offsets:TYPE:N",
                           row->name, text);
    }
    segments->num = are_offsets ? (size_t)number : 0;
    return true;
}

static bool read_raw(const struct option_row *row, const char *text,
                     struct options *options, struct message *message)
{
    uint64_t size = 0;

    options->raw = type_parse(text);
    options->raw_size =
        !options->raw && count_parse(text, &size) && size <= 4096 ? (size_t)size : 0;
    return options->raw || options->raw_size ||
           message_set(message,
                       "--%s %.200s: the types are " TYPE_NAMES
                       ", or a number of bytes from 1 to 4096",
                       row->name, text);
}

static bool add_arg(const struct option_row *row, const char *text,
                    struct fold_args *args, struct message *message)
{
    if (args->num == FOLD_MOST_ARGS) {
        return message_set(message, "--%s %.200s: there are %d arguments already",
                           row->name, text, FOLD_MOST_ARGS);
    }
    args->kinds[args->num] = row->kind == VALUE_ARG        ? ARG_VALUE
                             : row->kind == VALUE_ARG_FILE ? ARG_FILE
                                                           : ARG_STREAM;
    args->texts[args->num++] = text;
    return true;
}

/* A later one of a name replaces an earlier one. */
static bool add_set(struct predict_option *predict, const char *name, size_t length,
                    uint64_t value)
{
    int i = 0;

    while (i < predict->num_sets && (strncmp(predict->sets[i].name, name, length) != 0 ||
                                     predict->sets[i].name[length])) {
        i++;
    }
    if (i == PREDICT_MOST_SETS) {
        return false;
    }
    predict->num_sets += i == predict->num_sets;
    snprintf(predict->sets[i].name, LIST_WORD, "%.*s", (int)length, name);
    predict->sets[i].value = value;
    return true;
}

static bool read_set(const struct option_row *row, const char *text,
                     struct predict_option *predict, struct message *message)
{
    const size_t length = strcspn(text, "=");
    uint64_t value;

    if (length == 0 || length >= LIST_WORD || !text[length] ||
        !count_parse(text + length + 1, &value)) {
        return message_set(message, "--%s %.200s: is not NAME=N, such as n=2^20",
                           row->name, text);
    }
    return add_set(predict, text, length, value) ||
           message_set(message, "--%s %.200s: there are %d parameters already", row->name,
                       text, PREDICT_MOST_SETS);
}

static bool read_block(const struct option_row *row, const char *text,
                       struct predict_option *predict, struct message *message)
{
    static const char *const names[] = { "BX", "BY", "BZ" };
    const char *rest = text;
    char word[LIST_WORD];
    uint64_t value = 1;
    bool is_right = true;
    int num = 0;

    while (is_right && list_next(&rest, word)) {
        is_right = num < 3 && count_parse(word, &value) && value >= 1 && value <= 1024 &&
                   add_set(predict, names[num], 2, value);
        num++;
    }
    return (is_right && num > 0) ||
           message_set(message,
                       "--%s %.200s: one to three numbers from 1 to 1024, such as 32,8",
                       row->name, text);
}

static bool read_model(const struct option_row *row, const char *text,
                       struct predict_option *predict, struct message *message)
{
    predict->by_thesis = strcmp(text, "thesis") == 0;
    return list_has_word(value_rows[row->kind].words, text) ||
           message_set(message, "--%s %.200s: the models are %s", row->name, text,
                       value_rows[row->kind].words);
}

static bool read_cache(const struct option_row *row, const char *text,
                       struct predict_option *predict, struct message *message)
{
    uint64_t kib = 0;
    const bool is_off = strcmp(text, "off") == 0;

    if (!is_off && (!count_parse(text, &kib) || kib < 16 || kib > 48)) {
        return message_set(message, "--%s %.200s: a cache is off, or KiB from 16 to 48",
                           row->name, text);
    }
    predict->cache = (size_t)kib;
    return true;
}

static bool read_value(const struct option_row *row, const char *text,
                       struct options *options, struct message *message)
{
    void *const member = (char *)options + row->member;

    switch (row->kind) {
    case VALUE_NONE:
        *(bool *)member = true;
        return true;
    case VALUE_ALGORITHM:
        options->algorithm_option = row->name;
        *(const char **)member = text;
        return true;
    case VALUE_TEXT:
        *(const char **)member = text;
        return true;
    case VALUE_DEVICE:
        *(const char **)member = text;
        return *text || message_set(message,
                                    "--%s needs an index, gpu, cpu or a part of a name, "
                                    "and got nothing",
                                    row->name);
    case VALUE_RAW:
        return read_raw(row, text, options, message);
    case VALUE_ARG:
    case VALUE_ARG_FILE:
    case VALUE_STREAM:
        return add_arg(row, text, member, message);
    case VALUE_PATH:
    case VALUE_FOLD:
        *(const char **)member = text;
        return (*text && strcmp(text, "-") != 0) ||
               message_set(message, "--%s needs a file, and got %s", row->name,
                           *text ? "- for standard output" : "nothing");
    case VALUE_OUT:
        *(const char **)member = text;
        return *text ||
               message_set(message, "--%s needs a file, and got nothing", row->name);
    case VALUE_COUNT:
    case VALUE_BYTES:
        return read_count(row, text, member, message);
    case VALUE_SECONDS:
        return read_seconds(row, text, member, message);
    case VALUE_TYPE:
        return (*(clfold_type *)member = type_parse(text)) ||
               message_set(message, "--%s %.200s: the types are " TYPE_NAMES, row->name,
                           text);
    case VALUE_ACCURACY:
        return accuracy_parse(text, member) ||
               message_set(message, "--%s %.200s: the accuracies are " ACCURACY_NAMES,
                           row->name, text);
    case VALUE_OP:
    case VALUE_REDUCE_OP:
    case VALUE_SCAN_OP:
    case VALUE_TRACE_OP:
    case VALUE_EXPLAIN_OP:
        return read_op(row, text, options, message);
    case VALUE_TYPES:
        return list_read_types(member, text, message);
    case VALUE_BENCH_OP:
        return bench_read_operation(member, text, message);
    case VALUE_BENCH_FOLDS:
        return bench_read_folds(member, text, message);
    case VALUE_BENCH_TYPES:
        return bench_read_types(member, text, message);
    case VALUE_AXIS:
        return read_axis(row, text, member, message);
    case VALUE_BY:
        return read_by(row, text, member, message);
    case VALUE_MISSING:
        return read_missing(row, text, member, message);
    case VALUE_SEPARATOR:
        return read_separator(row, text, member, message);
    case VALUE_COLUMN:
        return read_column(row, text, &options->text_form, message);
    case VALUE_SET:
        return read_set(row, text, member, message);
    case VALUE_BLOCK:
        return read_block(row, text, member, message);
    case VALUE_MODEL:
        return read_model(row, text, member, message);
    case VALUE_CACHE:
        return read_cache(row, text, member, message);
    case VALUE_KINDS:
        break;
    }
    return false;
}

/* ---- The options of a command ---- */

/* Above all characters, so that optopt shows whether an option is known. */
enum { FIRST_VALUE = 256 };

/* Always false. `found` is '?' or ':', as getopt_long returns them. */
static bool refuse(enum action action, int found, const char *word,
                   const struct option *known, struct message *message)
{
    char hint[64];

    snprintf(hint, sizeof(hint), "clfold %s%s--help", command_rows[action].name,
             action ? " " : "");
    for (; known->name; known++) {
        if (known->val == optopt) {
            return message_set(message, "--%s %s; see %s", known->name,
                               found == ':' ? "needs a value" : "takes no value", hint);
        }
    }
    if (optopt) {
        return message_set(message, "there is no option -%c; see %s", optopt, hint);
    }
    return message_set(message, "there is no option %.200s, or it is not unique; see %s",
                       word, hint);
}

static bool is_given(const bool given[OPTION_MOST_ROWS], const char *name)
{
    for (size_t i = 0; option_rows[i].name; i++) {
        if (given[i] && strcmp(option_rows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_one_given(const bool given[OPTION_MOST_ROWS], const char *names)
{
    char word[LIST_WORD];

    while (list_next(&names, word)) {
        if (is_given(given, word)) {
            return true;
        }
    }
    return false;
}

static bool has_option(enum action action, const char *name)
{
    for (size_t i = 0; option_rows[i].name; i++) {
        if (option_rows[i].commands >> action & 1 &&
            strcmp(option_rows[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Names the options that a row needs, as far as the command has them. Always false. */
static bool refuse_alone(enum action action, const struct option_row *row,
                         struct message *message)
{
    const char *rest = row->needs;
    char word[LIST_WORD], last[LIST_WORD + 8] = "", names[8 * LIST_WORD] = "";

    while (list_next(&rest, word)) {
        if (has_option(action, word)) {
            strcat(strcat(names, *names && *last ? ", " : ""), last);
            snprintf(last, sizeof(last), "--%s", word);
        }
    }
    return message_set(message, "--%s goes with %s%s%s only", row->name, names,
                       *names ? " or " : "", last);
}

static bool check_pairs(enum action action, const bool given[OPTION_MOST_ROWS],
                        struct message *message)
{
    char word[LIST_WORD];

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        const char *rest = given[i] ? row->excludes : NULL;
        while (list_next(&rest, word)) {
            if (is_given(given, word)) {
                return message_set(message, "--%s does not go with --%s", word,
                                   row->name);
            }
        }
        if (given[i] && row->needs && !is_one_given(given, row->needs)) {
            return refuse_alone(action, row, message);
        }
    }
    return true;
}

/* ---- Fold files ---- */

/* The row of an option that a fold file may have, by the word at its start: the
 * command's, or another's. */
static const struct option_row *fold_row(enum action action, const char *word,
                                         size_t length)
{
    const size_t begin = offsetof(struct options, fold);
    const struct option_row *found = NULL;

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        if (row->member >= begin && row->member < begin + sizeof(struct fold_texts) &&
            strlen(row->name) == length && strncmp(row->name, word, length) == 0 &&
            (!found || row->commands >> action & 1)) {
            found = row;
        }
    }
    return found;
}

/* A line, and those that go on with it. They are cut out of the text. */
static bool read_fold_line(struct options *options, char *line, unsigned number,
                           bool given[OPTION_MOST_ROWS], struct message *message)
{
    const size_t length = strcspn(line, " \t\n");
    const struct option_row *const row = fold_row(options->action, line, length);
    char place[64];

    if (!row) {
        return message_set(
            message, "--fold %.4096s:%u:1: %.*s is not an option of a fold",
            options->fold_file, number, (int)(length < 60 ? length : 60), line);
    }
    char *const value = line + length + strspn(line + length, " \t\n");
    if ((row->kind == VALUE_NONE) != !*value) {
        return message_set(message, "--fold %.4096s:%u:%zu: %s %s", options->fold_file,
                           number, length + 1, row->name,
                           *value ? "takes no value" : "needs a value");
    }
    given[row - option_rows] = true;
    snprintf(place, sizeof(place), ":%u:%zu", number, (size_t)(value - line) + 1);
    return read_value(row, value, options, message) || message_prefix(message, place + 1);
}

static bool read_fold_file(struct options *options, bool given[OPTION_MOST_ROWS],
                           struct message *message)
{
    static char text[64 * 1024];
    FILE *const file = fopen(options->fold_file, "r");
    unsigned number = 1;
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    const bool read = file && !ferror(file);

    if (!read) {
        message_set(message, "--fold %.4096s: %s", options->fold_file, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    if (length == sizeof(text) - 1 || strlen(text) != length) {
        return message_set(message,
                           "--fold %.4096s: is not a text of less than %zu bytes",
                           options->fold_file, sizeof(text));
    }
    for (char *line = text, *end; read && *line; line = end) {
        unsigned lines = 1;
        for (end = line + strcspn(line, "\n"); *end && (end[1] == ' ' || end[1] == '\t');
             end += 1 + strcspn(end + 1, "\n")) {
            lines++;
        }
        if (*end) {
            *end++ = '\0';
        }
        for (size_t last = strlen(line); last > 0 && strchr(" \t\r\n", line[last - 1]);) {
            line[--last] = '\0';
        }
        if (*line && *line != '#' &&
            !read_fold_line(options, line, number, given, message)) {
            return false;
        }
        number += lines;
    }
    return read;
}

/* Reads all options of options->action; the operands follow from optind on. */
static bool read_options(struct options *options, int argc, char **argv,
                         struct message *message)
{
    const enum action action = options->action;
    struct option known[OPTION_MOST_ROWS] = { 0 };
    bool given[OPTION_MOST_ROWS] = { 0 };
    size_t num_known = 0;
    /* +: stops at the command, whose options are its own */
    char letters[OPTION_MOST_ROWS + 3], *letter = stpcpy(letters, action ? ":" : "+:");
    int found, row_of[FIRST_VALUE] = { 0 };

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        if (row->commands >> action & 1) {
            known[num_known++] = (struct option){
                .name = row->name,
                .has_arg = row->kind == VALUE_NONE ? no_argument : required_argument,
                .val = FIRST_VALUE + (int)i,
            };
            if (row->letter) {
                *letter++ = row->letter;
                row_of[(unsigned char)row->letter] = FIRST_VALUE + (int)i;
            }
            if (row->initial && !read_value(row, row->initial, options, message)) {
                return false;
            }
        }
    }
    *letter = '\0';
    optind = 0; /* glibc and musl: begin anew */
    opterr = 0;
    while ((found = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        if (found < FIRST_VALUE && row_of[found]) {
            found = row_of[found];
        }
        if (found < FIRST_VALUE) {
            return refuse(action, found, argv[optind - 1], known, message);
        }
        given[found - FIRST_VALUE] = true;
        if (!read_value(&option_rows[found - FIRST_VALUE], optarg, options, message)) {
            return false;
        }
        if (options->help || options->version) {
            return true;
        }
        if (option_rows[found - FIRST_VALUE].kind == VALUE_FOLD &&
            !read_fold_file(options, given, message)) {
            return false;
        }
    }
    return check_pairs(action, given, message);
}

/* ---- What a command needs as a whole ---- */

static bool refuse_operands(enum action action, const char *got, struct message *message)
{
    const struct command_row *const command = &command_rows[action];

    return message_set(message, "%s takes %s, and got %.200s; see clfold %s --help",
                       command->name, command->operands, got, command->name);
}

/* Which names are right depends on the operation. */
static bool check_algorithm(struct options *options, struct message *message)
{
    const char *const text = options->algorithm;
    const bool of_reduce = options->operation == CLFOLD_REDUCE;
    const bool of_trace = options->action == ACTION_TRACE;

    return (algorithm_parse(text, options->operation, &options->algorithm) &&
            (!of_trace || (options->algorithm &&
                           strstr(TRACE_ALGORITHM_NAMES, options->algorithm)))) ||
           message_set(message, "--%s %.200s: the %s are %s", options->algorithm_option,
                       text, of_reduce ? "kernels" : "algorithms",
                       of_trace                              ? TRACE_ALGORITHM_NAMES
                       : of_reduce                           ? REDUCE_ALGORITHM_NAMES
                       : options->operation == CLFOLD_MAP    ? MAP_ALGORITHM_NAMES
                       : options->operation == CLFOLD_SELECT ? SELECT_ALGORITHM_NAMES
                                                             : SCAN_ALGORITHM_NAMES);
}

static bool check_operation(struct options *options, const char *name,
                            struct message *message)
{
    static const char *const names[] = { [CLFOLD_REDUCE] = "reduce",
                                         [CLFOLD_INCLUSIVE_SCAN] = "scan",
                                         [CLFOLD_EXCLUSIVE_SCAN] = "",
                                         [CLFOLD_MAP] = "map",
                                         [CLFOLD_SELECT] = "select" };
    clfold_operation operation = CLFOLD_REDUCE;

    while (operation <= CLFOLD_SELECT && strcmp(name, names[operation]) != 0) {
        operation++;
    }
    if (operation > CLFOLD_SELECT) {
        return refuse_operands(ACTION_EXPLAIN, name, message);
    }
    const bool of_scan = operation == CLFOLD_INCLUSIVE_SCAN,
               folds = operation_folds(operation);
    if (!of_scan && (options->inclusive || options->exclusive)) {
        return message_set(message,
                           "--inclusive and --exclusive go with explain scan, "
                           "not with explain %s",
                           name);
    }
    if (!folds && options->op) {
        return message_set(message, "--op %s: a %s has no operator", op_name(options->op),
                           name);
    }
    if (!folds && options->accuracy) {
        return message_set(message, "--accuracy %s: a %s has no operator",
                           accuracy_name(options->accuracy), name);
    }
    options->op = options->op || !folds ? options->op : CLFOLD_ADD;
    options->operation = options->exclusive ? CLFOLD_EXCLUSIVE_SCAN : operation;
    return true;
}

const char *options_op(const struct options *options)
{
    return options->mean ? "mean" : op_name(options->op);
}

bool options_init(const struct options *options, clfold_fold *fold, clfold_indexed *init,
                  struct message *message)
{
    if (!options->init) {
        return true;
    }
    fold->init = &init->value;
    fold->init_size = type_size(fold->type);
    switch (number_parse(&init->value, fold->type, options->init)) {
    case NUMBER_NONE:
        return message_set(message, "--init %.200s: is not a valid number of type %s",
                           options->init, type_name(fold->type));
    case NUMBER_RANGE:
        return message_set(message, "--init %.200s: is out of the range of %s",
                           options->init, type_name(fold->type));
    case NUMBER_READ:
        break;
    }
    return true;
}

/* As far as it can be told before an .npy file has told its type: what no float is, no
 * number is. */
static bool check_init(const struct options *options, struct message *message)
{
    const struct op_result form = op_result(options->op);
    clfold_indexed value;

    if (!options->init) {
        return true;
    }
    if (form.num > 1 || form.position || form.is_named || options->mean) {
        return message_set(message, "--init does not go with --op %s",
                           options_op(options));
    }
    if (options->acc || options->element) {
        clfold_fold fold = options_fold(options, options->element);
        return options_init(options, &fold, &value, message);
    }
    return number_parse(&value.value, CLFOLD_F64, options->init) != NUMBER_NONE ||
           message_set(message, "--init %.200s: is not a valid number", options->init);
}

/* Some operators fold in certain floats only. */
static bool check_acc(const struct options *options, struct message *message)
{
    const bool is_moments = options->op == CLFOLD_MOMENTS;
    const clfold_type acc = options->acc;

    return !acc || !(options->mean || is_moments) || acc == CLFOLD_F64 ||
           (is_moments && acc == CLFOLD_F32) ||
           message_set(message, "--acc %s does not go with --op %s, which folds in %s",
                       type_name(acc), options_op(options),
                       is_moments ? "f32 or f64" : "f64");
}

static bool is_struct(const struct fold_texts *texts)
{
    return texts->components || texts->type_name;
}

/* An operator of the user's, as far as no file is needed. */
static bool check_fold(const struct options *options, struct message *message)
{
    const struct fold_texts *const fold = &options->fold;
    const bool is_opaque = fold->type_name != NULL;
    struct user_fold user;

    if (!fold->combine && options->action == ACTION_CHECK_FOLD) {
        return message_set(message, "check-fold needs --combine or --fold");
    }
    const bool selects = options->operation == CLFOLD_SELECT;
    if (!operation_folds(options->operation) && options->action != ACTION_CHECK_FOLD &&
        (fold->combine || fold->identity || fold->cuts || fold->commutative)) {
        return options->fold_file
                   ? message_set(message,
                                 "--fold %.4096s: has combine, identity, cuts or "
                                 "commutative, and a %s has no operator",
                                 options->fold_file, selects ? "select" : "map")
                   : message_set(message, "--combine: a %s has no operator",
                                 selects ? "select" : "map");
    }
    if (!selects && (fold->keep || fold->same) && options->action != ACTION_CHECK_FOLD) {
        return message_set(message, "--%s goes with a select only",
                           fold->keep ? "where" : "same");
    }
    if ((options->operation == CLFOLD_REDUCE || selects) && fold->store) {
        return message_set(message, "--store goes with scans and maps only");
    }
    if (is_struct(fold) && !fold->combine && operation_folds(options->operation)) {
        return message_set(message, "--%s goes with --combine only",
                           is_opaque ? "type-name" : "components");
    }
    if (options->mean && (fold->result || fold->out)) {
        return message_set(message, "--%s does not go with --op mean",
                           fold->result ? "result" : "out");
    }
    if (!fold->combine && !fold->load && !fold->result && !fold->store && !fold->out &&
        !fold->keep && !fold->same && !is_struct(fold)) {
        return (!options->fold_file ||
                message_set(message,
                            "--fold %.4096s: has no combine, load, result or store",
                            options->fold_file)) &&
               (!options->raw_size ||
                message_set(message,
                            "--raw %zu: a number of bytes goes with "
                            "--components or --type-name",
                            options->raw_size));
    }
    if (is_opaque && !fold->type_size) {
        return message_set(message, "--type-name needs --type-size");
    }
    if (is_opaque && options->action == ACTION_REDUCE && !options->out && !fold->out) {
        return message_set(message,
                           "--type-name needs --output: only the source knows "
                           "what a %.200s means",
                           fold->type_name);
    }
    if (options->exclusive && fold->combine && !fold->identity) {
        return message_set(message, "--exclusive needs --identity");
    }
    /* Numbers' type may only show in the file; any shows what is wrong with texts, but
     * an accuracy is that of floats. */
    const bool is_scalar = options_folds_numbers(options);
    const clfold_type number = options->element    ? options->element
                               : options->accuracy ? CLFOLD_F32
                                                   : CLFOLD_I32;
    const clfold_fold basis = options_fold(options, is_scalar ? number : 0);
    struct fold_texts texts = *fold;
    /* The source is read once, where it is needed: it may be a pipe. */
    if (fold->source && access(fold->source, R_OK) != 0) {
        return message_set(message, "--source %.4096s: %s", fold->source,
                           strerror(errno));
    }
    texts.source = NULL;
    /* Nor does it show before that numbers are complex, whose results have two parts. */
    if (is_scalar && !options->element && !fold->combine && !fold->load && !fold->out &&
        !fold->out_scalars && fold->result &&
        fold->result[strspn(fold->result, " \t\n")] == '{') {
        texts.result = NULL;
    }
    bool done = user_fold_init(&user, &texts, &basis, message);
    if (done && options->raw_size && is_scalar) {
        done = message_set(message,
                           "--raw %zu: a number of bytes goes with --components "
                           "or --type-name",
                           options->raw_size);
    } else if (done && options->raw_size && options->raw_size != user.layout.in_size) {
        done = message_set(message, "--raw %zu: an element has %zu bytes",
                           options->raw_size, user.layout.in_size);
    } else if (done && (options->raw || options->text) && !is_scalar &&
               user.scalar != options->element) {
        done = message_set(message, "--%s %s: the numbers of an element are not of it",
                           options->raw ? "raw" : "text", type_name(options->element));
    } else if (done && is_opaque && !is_scalar && options->format == FORMAT_TEXT) {
        done = message_set(message, "--text does not go with --type-name");
    } else if (done && is_opaque && !fold->out && options->out &&
               options->out_format == FORMAT_TEXT) {
        done = message_set(message,
                           "%.4096s: only the source knows what a %.200s means, "
                           "so it is not written as text",
                           options->out, fold->type_name);
    }
    user_fold_finish(&user);
    return done;
}

#define NAME_ENDS "%s %.4096s: its name must end in .npy, in .bin for raw data or in .txt"

/* A file that is written, if there is one, and none of those before it, by the options
 * that name them; what is written into as it is may have any name. */
static bool check_out(const struct options *options, const char *option,
                      const char **name, enum file_format *format,
                      const char *const *others, struct message *message)
{
    if (!*name) {
        return true;
    }
    *name = strcmp(*name, "/dev/stdout") == 0 ? "-" : *name;
    for (; others && others[0]; others += 2) {
        if (others[1] && output_file_is_same(*name, others[1])) {
            return message_set(message, "%s and %s name one file, %.4096s", others[0],
                               option, *name);
        }
    }
    if (writer_format(*name, format)) {
        return true;
    }
    *format = options->format;
    if (options->json && strcmp(*name, "-") == 0) {
        return message_set(
            message, "--json and %s - both go to standard output: name a file", option);
    }
    return output_file_is_direct(*name) ||
           message_set(message, NAME_ENDS ", or be - for standard output", option, *name);
}

/* What the commands on selects and runs need and write besides. */
static bool check_select(struct options *options, char **operands,
                         struct message *message)
{
    const enum action action = options->action;
    const char *const also = action == ACTION_SELECT   ? "--rest"
                             : action == ACTION_UNIQUE ? "--lengths"
                                                       : "LENGTHS";
    struct fold_texts *const fold = &options->fold;

    options->operation = action == ACTION_UNRLE ? CLFOLD_MAP : CLFOLD_SELECT;
    if (action == ACTION_UNRLE) {
        options->lengths = operands[1];
        fold->load = "in[segment]";
        return writer_format(options->lengths, &options->lengths_format) ||
               message_set(message, NAME_ENDS, also, options->lengths);
    }
    if (action == ACTION_SELECT ? !fold->keep : fold->keep != NULL) {
        return action == ACTION_SELECT
                   ? message_set(message, "select needs --where, or --fold with where")
                   : message_set(message, "--where does not go with unique");
    }
    if (action == ACTION_SELECT ? fold->same != NULL : !fold->same && fold->type_name) {
        return action == ACTION_SELECT
                   ? message_set(message, "--same does not go with select")
                   : message_set(message,
                                 "--type-name needs --same: only the source knows which "
                                 "%.200s are equal",
                                 fold->type_name);
    }
    options->also = action == ACTION_RLE ? operands[2] : options->also;
    const char *const out[] = { action == ACTION_RLE ? "VALUES" : "OUT", options->out,
                                NULL };
    return check_out(options, also, &options->also, &options->also_format, out, message);
}

/* What a reduction writes. */
static bool check_outputs(struct options *options, struct message *message)
{
    bool done = check_out(options, "--output", &options->out, &options->out_format, NULL,
                          message);
    const char *others[] = { "--output", options->out, NULL, NULL, NULL };

    done = done && check_out(options, "--keys-out", &options->keys_out,
                             &options->keys_out_format, others, message);
    others[2] = "--keys-out";
    others[3] = options->keys_out;
    return done && check_out(options, "--lengths-out", &options->also,
                             &options->also_format, others, message);
}

/* Results along an axis are an array, which is printed as one is written. */
static bool check_no_out(struct options *options, struct message *message)
{
    if (options->out || !options->axis.is_given) {
        return true;
    }
    options->out = "-";
    options->out_format = FORMAT_TEXT;
    return !options->json ||
           message_set(message,
                       "--json with --axis needs --output: JSON has the shape of "
                       "the results only");
}

static bool check_made_data(const struct options *options, struct message *message)
{
    return ladder_data_takes(options->op, options->element) ||
           message_set(message, "--op %s does not go with --type %s",
                       op_name(options->op), type_name(options->element));
}

static bool check_counts(const struct options *options, struct message *message)
{
    return options->min <= options->max ||
           message_set(message, "--min %zu is more than --max %zu", options->min,
                       options->max);
}

static bool check_charts(const struct options *options, struct message *message)
{
    return !options->csv || !options->svg ||
           !output_file_is_same(options->csv, options->svg) ||
           message_set(message, "--csv and --svg name one file, %.4096s", options->csv);
}

/* One count alone moves the other. */
static void choose_counts(struct options *options)
{
    static const size_t usual_min = (size_t)1 << 20, usual_max = (size_t)1 << 26;

    if (options->max == 0) {
        options->max = options->min > usual_max ? options->min : usual_max;
    }
    if (options->min == 0) {
        options->min = options->max < usual_min ? options->max : usual_min;
    }
}

static void take_file(struct options *options, char **operands)
{
    options->file = operands[0];
    options->format = options->raw || options->raw_size ? FORMAT_RAW
                      : options->text                   ? FORMAT_TEXT
                                                        : FORMAT_NPY;
    options->element = options->raw ? options->raw : options->text;
}

static bool check_missing(const struct options *options, struct message *message)
{
    return options->text_form.missing != MISSING_NAN || type_is_float(options->text) ||
           message_set(message, "--missing nan needs a type of floats, and --text is %s",
                       type_name(options->text));
}

static bool read_action(struct options *options, const char *name,
                        struct message *message)
{
    for (options->action = ACTION_NONE + 1; options->action < ACTIONS;
         options->action++) {
        if (strcmp(command_rows[options->action].name, name) == 0) {
            return true;
        }
    }
    return message_set(message, "there is no command %.200s; see clfold --help", name);
}

static bool check_cache(struct options *options, const char *name,
                        struct message *message)
{
    static const char *const names[] = { "list", "verify", "clear" };

    for (int i = CACHE_LIST; i <= CACHE_CLEAR; i++) {
        if (strcmp(name, names[i]) == 0) {
            options->cache = (enum cache_action)i;
            return i == CACHE_LIST || !options->json ||
                   message_set(message, "--json goes with cache list, not with cache %s",
                               name);
        }
    }
    return refuse_operands(ACTION_CACHE, name, message);
}

static bool check_command(struct options *options, char **operands,
                          struct message *message)
{
    struct bench_case cases[BENCH_MOST_CASES];

    switch (options->action) {
    case ACTION_REDUCE:
        take_file(options, operands);
        options->operation = CLFOLD_REDUCE;
        return check_missing(options, message) && check_algorithm(options, message) &&
               check_init(options, message) && check_acc(options, message) &&
               check_outputs(options, message) && check_no_out(options, message) &&
               check_fold(options, message);
    case ACTION_SCAN:
        take_file(options, operands);
        options->out = operands[1];
        options->operation =
            options->exclusive ? CLFOLD_EXCLUSIVE_SCAN : CLFOLD_INCLUSIVE_SCAN;
        return check_missing(options, message) && check_algorithm(options, message) &&
               check_init(options, message) && check_acc(options, message) &&
               check_out(options, "OUT", &options->out, &options->out_format, NULL,
                         message) &&
               check_fold(options, message);
    case ACTION_MAP:
        take_file(options, operands);
        options->out = operands[1];
        options->operation = CLFOLD_MAP;
        return check_missing(options, message) &&
               check_out(options, "OUT", &options->out, &options->out_format, NULL,
                         message) &&
               check_fold(options, message);
    case ACTION_SELECT:
    case ACTION_UNIQUE:
    case ACTION_RLE:
    case ACTION_UNRLE:
        take_file(options, operands);
        options->out = operands[options->action == ACTION_UNRLE ? 2 : 1];
        return check_missing(options, message) &&
               check_out(options, "OUT", &options->out, &options->out_format, NULL,
                         message) &&
               check_select(options, operands, message) && check_fold(options, message);
    case ACTION_EXPLAIN:
        return check_operation(options, operands[0], message) &&
               (options->operation != CLFOLD_SELECT || options->fold.keep ||
                options->fold.same ||
                message_set(message, "explain select needs --where or --same")) &&
               check_algorithm(options, message) && check_acc(options, message) &&
               check_fold(options, message);
    case ACTION_LADDER:
        return check_made_data(options, message) && check_counts(options, message) &&
               check_charts(options, message);
    case ACTION_TRACE:
        options->operation = CLFOLD_INCLUSIVE_SCAN;
        return check_algorithm(options, message) && check_made_data(options, message);
    case ACTION_BENCH:
        choose_counts(options);
        return check_counts(options, message) &&
               (bench_choose_cases(&options->bench, true, true, cases) > 0 ||
                message_set(message,
                            "--op and --folds together leave no case: arg-min is a "
                            "reduction"));
    case ACTION_CHECK_FOLD:
        return check_fold(options, message);
    case ACTION_PREDICT:
        options->file = operands[0];
        return !options->file == options->predict.calibrate ||
               refuse_operands(ACTION_PREDICT, options->file ? "both" : "neither",
                               message);
    case ACTION_CACHE:
        return check_cache(options, operands[0], message);
    case ACTION_HELP:
        options->help = true;
        options->action = ACTION_NONE;
        return !operands[0] || read_action(options, operands[0], message);
    default:
        return true;
    }
}

static bool read_command(struct options *options, int argc, char **argv,
                         struct message *message)
{
    char num[16];

    if (!read_options(options, argc, argv, message)) {
        return false;
    }
    if (options->help) {
        return true;
    }
    argc -= optind;
    argv += optind;
    const struct command_row *const command = &command_rows[options->action];
    const int most = command->num_operands + command->num_optional;
    if (argc < command->num_operands || argc > most) {
        snprintf(num, sizeof(num), "%d", argc);
        return refuse_operands(options->action, most > 0 ? num : argv[0], message);
    }
    for (int i = 0; i < argc; i++) {
        if (!*argv[i]) {
            return refuse_operands(options->action, "an empty name", message);
        }
    }
    return check_command(options, argv, message);
}

bool options_read(struct options *options, int argc, char **argv, struct message *message)
{
    *options = (struct options){ 0 };
    if (!read_options(options, argc, argv, message)) {
        return false;
    }
    if (options->help || options->version) {
        return true;
    }
    if (optind >= argc) {
        return message_set(message, "no command was given; see clfold --help");
    }
    return read_action(options, argv[optind], message) &&
           read_command(options, argc - optind, argv + optind, message);
}

bool options_folds_numbers(const struct options *options)
{
    return !is_struct(&options->fold) || options->fold.in_scalars > 0;
}

clfold_fold options_fold(const struct options *options, clfold_type element)
{
    const struct fold_texts *const texts = &options->fold;
    const clfold_op op = texts->combine ? 0 : options->op; /* a map has none */
    const clfold_type acc = is_struct(texts) ? 0
                            : options->acc   ? options->acc
                            : options->mean  ? CLFOLD_F64
                                             : type_accumulator(op, element);

    /* A load sees numbers as the file has them. */
    return (clfold_fold){ .op = op,
                          .type = acc,
                          .in = acc == element && !texts->load ? 0 : element,
                          .accuracy = options->accuracy,
                          .algorithm = options->algorithm };
}

bool options_segments(const struct options *options, clfold_segments *segments,
                      size_t *count)
{
    const size_t columns = options->columns;

    *segments = options->by.segments;
    if (options->rows) {
        segments->by = CLFOLD_BY_LENGTH;
        segments->length = options->rows;
    } else if (columns) {
        segments->by = CLFOLD_BY_COLUMNS;
        segments->columns = columns;
        segments->length = *count / columns;
        segments->length += *count % columns > 0 && segments->length < SIZE_MAX / columns;
        *count = segments->length * columns;
        segments->length += *count == 0; /* none of any length */
    }
    return segments->by != 0;
}
