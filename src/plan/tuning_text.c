/* The text form of tuning, see tuning.h. */
#include <clfold/experimental.h>
#include "plan/tuning.h"

#include "base/text.h"
#include "plan/scalar.h"

#include <stdio.h>
#include <string.h>

#define MAGIC "clfold tuning "
/* 4: accuracy, segments, maps. */
#define VERSION    "4"
#define FIRST_LINE MAGIC VERSION "\n"

#define MOST_CLASS 32

static const char *cut_name(uint32_t cut)
{
    static const char *const names[] = { NULL, "rows", "short-rows", "columns" };

    return names[cut];
}

/* ---- Printing ---------------------------------------------------------------------- */

/* A word and a space, or nothing. */
static void add_word(char text[CLFOLD_TUNING_FOLD], const char *word)
{
    const size_t length = strlen(text);

    if (word) {
        snprintf(text + length, CLFOLD_TUNING_FOLD - length, "%s ", word);
    }
}

/* "2^25..2^27". */
static void add_class(char text[CLFOLD_TUNING_FOLD], uint32_t c)
{
    const size_t length = strlen(text);

    snprintf(text + length, CLFOLD_TUNING_FOLD - length, "2^%u..2^%u",
             c > 0 ? 2 * c - 1 : 0, 2 * c + 1);
}

void clfold_tuning_print_fold(char text[CLFOLD_TUNING_FOLD],
                              const struct tuning_fold *fold)
{
    char types[16];

    text[0] = '\0';
    snprintf(types, sizeof(types), "%s:%s", clfold_scalar_name(fold->in),
             clfold_scalar_name(fold->type));
    add_word(text, clfold_operation_row(fold->operation)->name);
    add_word(text, fold->op ? clfold_op_name(fold->op) : NULL);
    add_word(text, types);
    add_word(text, fold->accuracy ? clfold_accuracy_name(fold->accuracy) : NULL);
    add_word(text, cut_name(fold->cut));
    if (fold->cut) {
        add_class(text, fold->length_class);
        add_word(text, "");
    }
    add_class(text, fold->count_class);
}

/* "tile=tile_vector tile_bytes=32768". */
#define CLFOLD_TUNING_NUMBERS 320
static void print_numbers(char text[CLFOLD_TUNING_NUMBERS],
                          const struct tuned_numbers *numbers)
{
    size_t length = 0;

    text[0] = '\0';
    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        enum tuned which = (enum tuned)i;
        const char *space = length > 0 ? " " : "", *name = clfold_tuned_name(which);
        char *at = text + length;
        size_t room = CLFOLD_TUNING_NUMBERS - length;
        int wrote = 0;
        if (which == TUNED_TILE && clfold_numbers_have(numbers, which)) {
            wrote = snprintf(at, room, "%s%s=%s", space, name,
                             clfold_tile_name((enum tile_kind)numbers->values[i]));
        } else if (clfold_numbers_have(numbers, which)) {
            wrote = snprintf(at, room, "%s%s=%llu", space, name,
                             (unsigned long long)numbers->values[i]);
        }
        length += (size_t)wrote;
    }
}

size_t clfold_tuning_print(char text[CLFOLD_TUNING_LINE], const char *key,
                           const struct tuning_fold *fold,
                           const struct tuned_numbers *numbers)
{
    char fold_text[CLFOLD_TUNING_FOLD], number_text[CLFOLD_TUNING_NUMBERS];

    clfold_tuning_print_fold(fold_text, fold);
    print_numbers(number_text, numbers);
    return (size_t)snprintf(text, CLFOLD_TUNING_LINE, FIRST_LINE "%s %s on %s\n",
                            fold_text, number_text, key);
}

/* ---- Words ------------------------------------------------------------------------- */

/* A number as clfold writes it: no sign, no leading zero. */
static bool take_number(const char **at, uint64_t *number)
{
    const char *from = *at;

    *number = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(**at - '0');
        if (*number > (UINT64_MAX - digit) / 10 || (*at > from && *from == '0')) {
            return false;
        }
        *number = 10 * *number + digit;
    }
    return *at > from;
}

static const char *operation_name(uint32_t operation)
{
    const struct operation *row = clfold_operation_row(operation);

    return row ? row->name : NULL;
}

static const char *tuned_name(uint32_t which)
{
    return clfold_tuned_name((enum tuned)which);
}

static bool take_type(const char **at, const char *after, clfold_type *type)
{
    return clfold_text_take_name(at, clfold_scalar_name, CLFOLD_I8, CLFOLD_F64, after,
                                 type);
}

static bool take_class(const char **at, uint32_t *count_class)
{
    const char *end = *at;
    uint64_t from, to;

    if (!clfold_text_take(&end, "2^") || !take_number(&end, &from) ||
        !clfold_text_take(&end, "..2^") || !take_number(&end, &to) || to % 2 == 0 ||
        to / 2 > MOST_CLASS || from != (to > 1 ? to - 2 : 0) ||
        !clfold_text_take(&end, " ")) {
        return false;
    }
    *count_class = (uint32_t)(to / 2);
    *at = end;
    return true;
}

/* ---- Rows -------------------------------------------------------------------------- */

static bool fail(struct tuning_reader *reader, const char *what, const char *word)
{
    snprintf(reader->why, sizeof(reader->why), "line %u: %s%.*s", reader->line, what,
             (int)strcspn(word, " "), word);
    reader->failed = true;
    return false;
}

static bool read_value(const char **at, enum tuned which, uint64_t *value)
{
    if (which != TUNED_TILE) {
        return take_number(at, value);
    }
    *value = TILE_NONE;
    for (int kind = TILE_VECTOR; kind <= TILE_ITEM && *value == TILE_NONE; ++kind) {
        if (clfold_text_take(at, clfold_tile_name((enum tile_kind)kind))) {
            *value = (uint64_t)kind;
        }
    }
    return *value != TILE_NONE;
}

/* "tile_bytes=32768 ". */
static bool read_one(struct tuning_reader *reader, const char **at)
{
    const char *word = *at;
    uint64_t value;
    uint32_t which;

    if (!clfold_text_take_name(at, tuned_name, 0, CLFOLD_TUNED - 1, "=", &which)) {
        return fail(reader, "unknown number ", word);
    }
    if (!read_value(at, (enum tuned)which, &value) || !clfold_text_take(at, " ")) {
        return fail(reader, "invalid value: ", word);
    }
    if (clfold_numbers_have(&reader->row.numbers, (enum tuned)which)) {
        return fail(reader, "a second ", word);
    }
    clfold_numbers_put(&reader->row.numbers, (enum tuned)which, value);
    return true;
}

/* Whether a sum may have that accuracy. */
static bool is_accurate(const struct tuning_fold *fold)
{
    return fold->op == CLFOLD_ADD && fold->type >= CLFOLD_F32 &&
           (fold->accuracy != CLFOLD_REPRODUCIBLE || fold->operation == CLFOLD_REDUCE);
}

/* "reduce add f32:f32 compensated rows 2^1..2^3 2^25..2^27 ", into a zeroed fold. */
static bool read_fold(struct tuning_reader *reader, const char **at,
                      struct tuning_fold *fold)
{
    if (!clfold_text_take_name(at, operation_name, CLFOLD_REDUCE, CLFOLD_MAP, " ",
                               &fold->operation)) {
        return fail(reader, "unknown operation ", *at);
    }
    if (fold->operation != CLFOLD_MAP &&
        !clfold_text_take_name(at, clfold_op_name, CLFOLD_ADD, CLFOLD_MATRIX_2X2, " ",
                               &fold->op)) {
        return fail(reader, "unknown operator ", *at);
    }
    if (!take_type(at, ":", &fold->in) || !take_type(at, " ", &fold->type)) {
        return fail(reader, "unknown type: ", *at);
    }
    const char *accuracy = *at;
    if (clfold_text_take_name(at, clfold_accuracy_name, CLFOLD_COMPENSATED,
                              CLFOLD_REPRODUCIBLE, " ", &fold->accuracy) &&
        !is_accurate(fold)) {
        return fail(reader, "there is no such fold that is ", accuracy);
    }
    if (fold->op &&
        clfold_text_take_name(at, cut_name, CUT_ROWS, CUT_COLUMNS, " ", &fold->cut) &&
        !take_class(at, &fold->length_class)) {
        return fail(reader, "invalid range of lengths: ", *at);
    }
    if (!take_class(at, &fold->count_class)) {
        return fail(reader, "invalid range of counts: ", *at);
    }
    return fold->length_class <= fold->count_class ||
           fail(reader, "segments are longer than the count", "");
}

/* A whole line, without its end. */
static bool read_row(struct tuning_reader *reader, const char *line)
{
    struct tuning_fold *fold = &reader->row.fold;
    char why[CLFOLD_TUNING_WHY];
    const char *at = line;

    reader->row = (struct tuning_row){ 0 };
    if (!read_fold(reader, &at, fold)) {
        return false;
    }
    while (!clfold_text_take(&at, "on ")) {
        if (!read_one(reader, &at)) {
            return false;
        }
    }
    if (reader->row.numbers.set == 0 || *at == '\0') {
        return fail(reader, *at == '\0' ? "no device" : "no number", "");
    }
    if (!clfold_numbers_legal(&reader->row.numbers, clfold_tuning_family(fold), NULL,
                              why)) {
        snprintf(reader->why, sizeof(reader->why), "line %u: %.200s", reader->line, why);
        reader->failed = true;
        return false;
    }
    snprintf(reader->key, sizeof(reader->key), "%s", at);
    return true;
}

/* Names of devices may be in any encoding, but there are no control characters. */
static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; ++i) {
        unsigned char c = (unsigned char)line[i];
        if (c < ' ' || c == 0x7f) {
            return false;
        }
    }
    return true;
}

bool clfold_tuning_next(struct tuning_reader *reader)
{
    char line[CLFOLD_TUNING_LINE];
    size_t left = (size_t)(reader->end - reader->at), length;
    const char *end = left > 0 ? memchr(reader->at, '\n', left) : NULL;

    if (left == 0 || reader->failed) {
        return false;
    }
    ++reader->line;
    if (!end) {
        return fail(reader, "it has no newline at its end", "");
    }
    length = (size_t)(end - reader->at);
    if (length >= sizeof(line)) {
        return fail(reader, "it is too long", "");
    }
    if (!is_text(reader->at, length)) {
        return fail(reader, "it is not plain text", "");
    }
    memcpy(line, reader->at, length);
    line[length] = '\0';
    reader->at = end + 1;
    return read_row(reader, line);
}

bool clfold_tuning_begin(struct tuning_reader *reader, const char *text, size_t length)
{
    size_t first = strlen(FIRST_LINE), magic = strlen(MAGIC);

    *reader = (struct tuning_reader){ .at = text, .end = text + length, .line = 1 };
    if (length >= first && memcmp(text, FIRST_LINE, first) == 0) {
        reader->at += first;
        return true;
    }
    reader->at = reader->end;
    reader->failed = true;
    snprintf(reader->why, sizeof(reader->why),
             length > magic && memcmp(text, MAGIC, magic) == 0
                 ? "its version is not " VERSION
                 : "it does not begin with \"" MAGIC VERSION "\"");
    return false;
}
