/* The values of options: a reader for each kind. */
#include "count.h"
#include "number.h"
#include "options_table.h"
#include "types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct value {
    const struct option_row *row;
    const char *text;
    struct options *options;
    struct message *message;
};

static void *member_of(const struct value *v)
{
    return (char *)v->options + v->row->member;
}

/* Each returns false if the text is not such a value; it may set the message. */
typedef bool value_reader(const struct value *v);

static bool read_none(const struct value *v)
{
    *(bool *)member_of(v) = true;
    return true;
}

static bool read_text(const struct value *v)
{
    *(const char **)member_of(v) = v->text;
    return v->row->kind == VALUE_TEXT || *v->text;
}

static bool read_path(const struct value *v)
{
    return read_text(v) && strcmp(v->text, "-") != 0;
}

static bool read_algorithm(const struct value *v)
{
    v->options->algorithm_option = v->row->name;
    return read_text(v) || true; /* checked when the operation is known */
}

static bool read_op(const struct value *v)
{
    v->options->mean = strcmp(v->text, "mean") == 0;
    v->options->op = v->options->mean ? CLFOLD_ADD : op_parse(v->text);
    return v->options->op &&
           list_has_word(value_rows[v->row->kind].words, options_op(v->options));
}

static bool read_type(const struct value *v)
{
    return (*(clfold_type *)member_of(v) = type_parse(v->text)) != 0;
}

static bool read_accuracy(const struct value *v)
{
    return accuracy_parse(v->text, member_of(v));
}

static bool read_count(const struct value *v)
{
    uint64_t number;

    if (!count_parse(v->text, &number) || number > SIZE_MAX || number < v->row->least) {
        return false;
    }
    *(size_t *)member_of(v) = (size_t)number;
    return true;
}

/* What may stand in a number, or has a meaning of its own, cannot separate. */
static bool read_separator(const struct value *v)
{
    const char c = strcmp(v->text, "\\t") == 0 ? '\t' : v->text[0];

    *(char *)member_of(v) = c;
    return strcmp(v->text, "\\t") == 0 || strcmp(v->text, "\t") == 0 ||
           (c >= ' ' && c < 0x7f && !v->text[1] && !isalnum(c) && !strchr("+-.\"#", c));
}

static bool read_column(const struct value *v)
{
    struct text_form *const form = &v->options->text_form;

    form->field = 0;
    form->column = v->text;
    return number_parse(&form->field, CLFOLD_U64, v->text) == NUMBER_NONE
               ? *v->text && strcmp(v->text, "=") != 0
               : form->field > 0;
}

static bool read_missing(const struct value *v)
{
    enum missing *const missing = member_of(v);

    *missing = strcmp(v->text, "skip") == 0  ? MISSING_SKIP
               : strcmp(v->text, "nan") == 0 ? MISSING_NAN
                                             : MISSING_ERROR;
    return *missing != MISSING_ERROR || strcmp(v->text, "error") == 0;
}

static bool read_axis(const struct value *v)
{
    v->options->axis.is_given = true;
    return number_parse(&v->options->axis.axis, CLFOLD_I32, v->text) == NUMBER_READ;
}

static bool read_by(const struct value *v)
{
    static const char *const ways[] = { [CLFOLD_BY_FLAGS] = "flags",
                                        [CLFOLD_BY_KEYS] = "keys",
                                        [CLFOLD_BY_OFFSETS] = "offsets" };
    char way[8], type[8], num[32];
    int end = 0;
    const int found =
        sscanf(v->text, "%7[a-z]:%7[a-z0-9]%n:%31[^:]%n", way, type, &end, num, &end);
    uint64_t number = 1;
    uint32_t i = CLFOLD_BY_FLAGS;

    while (found >= 2 && i <= CLFOLD_BY_OFFSETS && strcmp(way, ways[i]) != 0) {
        i++;
    }
    const bool are_offsets = i == CLFOLD_BY_OFFSETS;
    if (found < 2 || i > CLFOLD_BY_OFFSETS || !type_parse(type) || v->text[end] ||
        (found > 2 && !(are_offsets && count_parse(num, &number)))) {
        return false;
    }
    v->options->by.text = v->text;
    v->options->by.segments = (clfold_segments){
        .by = i, .type = type_parse(type), .num = are_offsets ? (size_t)number : 0
    };
    return true;
}

static bool read_raw(const struct value *v)
{
    uint64_t size = 0;

    v->options->raw = type_parse(v->text);
    v->options->raw_size = !v->options->raw && count_parse(v->text, &size) && size <= 4096
                               ? (size_t)size
                               : 0;
    return v->options->raw || v->options->raw_size;
}

static bool add_arg(const struct value *v)
{
    struct fold_args *const args = member_of(v);

    if (args->num == FOLD_MOST_ARGS) {
        return message_set(v->message, "--%s %.200s: there are %d arguments already",
                           v->row->name, v->text, FOLD_MOST_ARGS);
    }
    args->kinds[args->num] = v->row->kind == VALUE_ARG        ? ARG_VALUE
                             : v->row->kind == VALUE_ARG_FILE ? ARG_FILE
                                                              : ARG_STREAM;
    args->texts[args->num++] = v->text;
    return true;
}

/* ---- All of them ---- */

#define OPERATORS "the operators are"
#define COUNTS    "is a number from 0 or 1 to 2^64 - 1, such as " COUNT_FORMS
#define FILES     "needs a file"

/* `wrong` is what is said of another text; after "are" come the kind's words. */
static const struct {
    value_reader *read;
    const char *wrong;
} readers[VALUE_KINDS] = {
    [VALUE_NONE] = { read_none, "" },
    [VALUE_TEXT] = { read_text, "" },
    [VALUE_DEVICE] = { read_text, "needs an index, gpu, cpu or a part of a name" },
    [VALUE_PATH] = { read_path, FILES },
    [VALUE_OUT] = { read_text, FILES },
    [VALUE_REDUCE_OP] = { read_op, OPERATORS },
    [VALUE_SCAN_OP] = { read_op, OPERATORS },
    [VALUE_EXPLAIN_OP] = { read_op, OPERATORS },
    [VALUE_TYPE] = { read_type, "the types are" },
    [VALUE_ALGORITHM] = { read_algorithm, "needs a name" },
    [VALUE_ACCURACY] = { read_accuracy, "the accuracies are" },
    [VALUE_COUNT] = { read_count, "a count " COUNTS },
    [VALUE_BYTES] = { read_count, "a limit in bytes " COUNTS },
    [VALUE_SEPARATOR] = { read_separator,
                          "a separator is one character, such as , ; or \\t for a tab, "
                          "but no letter, digit, +, -, ., # or quote" },
    [VALUE_COLUMN] = { read_column,
                       "a column is a number from 1 to 2^64 - 1, a name, or =NAME" },
    [VALUE_MISSING] = { read_missing, "the ways are" },
    [VALUE_AXIS] = { read_axis, "an axis is a whole number, 0 for the first dimension "
                                "and -1 for the last" },
    [VALUE_BY] = { read_by, "is not flags:TYPE, keys:TYPE or offsets:TYPE:N" },
    [VALUE_RAW] = { read_raw,
                    "the types are " TYPE_NAMES ", or a number of bytes from 1 to 4096" },
    [VALUE_ARG] = { add_arg, "" },
    [VALUE_ARG_FILE] = { add_arg, "" },
    [VALUE_STREAM] = { add_arg, "" },
    [VALUE_FOLD] = { read_path, FILES },
};

bool option_read(const struct option_row *row, const char *text, struct options *options,
                 struct message *message)
{
    const struct value value = { row, text, options, message };
    const char *const wrong = readers[row->kind].wrong, *const are =
                                                            strstr(wrong, " are");
    const char *const words = are && !are[4] ? value_rows[row->kind].words : "";

    message->text[0] = '\0';
    return readers[row->kind].read(&value) ||
           (!message->text[0] &&
            message_set(message, "--%s %.200s: %s%s%s", row->name, *text ? text : "\"\"",
                        wrong, *words ? " " : "", words));
}
