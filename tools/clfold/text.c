#include "text.h"

#include "number.h"
#include "types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* Of numbers, before any has come. */
enum { FIRST_BYTES = 64 * 1024 };

/* What a message shows of a word. */
enum { SHOWN = 60 };

void text_init(struct text *text, clfold_type type)
{
    *text = (struct text){ .type = type, .line = 1, .column = 1 };
}

static bool refuse_word(const struct text *text, const char *what, const char *which,
                        struct message *message)
{
    return message_set(message, "line %llu, byte %llu: \"%.*s%s\" %s%s%s",
                       (ull)text->last_line, (ull)text->last_column, SHOWN, text->word,
                       text->length > SHOWN ? "..." : "", what, *which ? " " : "", which);
}

static bool refuse_comma(const struct text *text, uint64_t line, uint64_t column,
                         const char *where, struct message *message)
{
    return message_set(message, "line %llu, byte %llu: a %s with no number %s it",
                       (ull)line, (ull)column,
                       text->form.separator ? "separator" : "comma", where);
}

static bool grow(struct text *text, struct message *message)
{
    const size_t bigger = text->capacity ? 2 * text->capacity : FIRST_BYTES;
    unsigned char *const data =
        bigger > text->capacity ? realloc(text->data, bigger) : NULL;

    if (!data) {
        return message_set(message, "there is not enough memory for more than %zu bytes",
                           text->size);
    }
    text->data = data;
    text->capacity = bigger;
    return true;
}

/* An element is there once its last number is, and unless one was missing. */
static bool put(struct text *text, const unsigned char *value, bool is_missing,
                struct message *message)
{
    const size_t size = clfold_type_size(text->type);

    /* the capacity is a multiple of every size */
    if (text->size + text->partial == text->capacity && !grow(text, message)) {
        return false;
    }
    memcpy(text->data + text->size + text->partial, value, size);
    text->partial += size;
    text->is_spoiled |= is_missing;
    if (text->partial >= text->numbers * size) {
        text->size += text->is_spoiled ? 0 : text->partial;
        text->partial = 0;
        text->is_spoiled = false;
    }
    return true;
}

static bool put_missing(struct text *text, struct message *message)
{
    unsigned char value[8] = { 0 };

    if (text->form.missing == MISSING_NAN) {
        number_parse(value, text->type, "nan");
    }
    return put(text, value, text->form.missing == MISSING_SKIP, message);
}

static bool is_missing(const char *word)
{
    return !*word || strcmp(word, "NA") == 0 || strcmp(word, "N/A") == 0;
}

static bool take_number(struct text *text, struct message *message)
{
    unsigned char value[8];

    if (text->form.missing && is_missing(text->word)) {
        return put_missing(text, message);
    }
    const enum number_parsed parsed = number_parse(value, text->type, text->word);
    return parsed == NUMBER_READ ? put(text, value, false, message)
                                 : refuse_word(text, number_fault(parsed),
                                               clfold_type_name(text->type), message);
}

/* ---- Fields ---- */

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Otherwise a line end is white space like any other. */
static bool has_lines(const struct text *text)
{
    return text->form.separator || text->form.column || text->form.missing;
}

/* The column that is taken, from 1; 0: none, or not known before the header ends. */
static uint64_t wanted(const struct text *text)
{
    return text->form.field ? text->form.field : text->named;
}

static const char *column_name(const struct text *text)
{
    return text->form.column + (text->form.column[0] == '=');
}

static bool in_header(const struct text *text)
{
    return text->form.column && wanted(text) == 0;
}

/* Whether anyone asks what is in the field that comes after `fields`. */
static bool is_kept(const struct text *text)
{
    return !text->form.column || in_header(text) || text->fields + 1 == wanted(text);
}

static bool append(struct text *text, char c, struct message *message)
{
    if (!is_kept(text)) {
        return true;
    }
    if (text->length == TEXT_WORD) {
        text->word[TEXT_WORD] = '\0';
        return in_header(text) ? refuse_word(text, "is too long for a name", "", message)
                               : refuse_word(text, "is longer than any number of type",
                                             clfold_type_name(text->type), message);
    }
    /* a word with a 0 byte in it is no number either way */
    text->word[text->length++] = c ? c : '?';
    return true;
}

static void begin_line(struct text *text)
{
    if (text->last == TEXT_NOTHING) {
        text->first_line = text->line;
    }
}

static void begin_field(struct text *text)
{
    begin_line(text);
    text->last_line = text->line;
    text->last_column = text->column;
    text->length = 0;
}

/* As far as there is room; a long one is cut, where a character begins. */
static void keep_name(struct text *text)
{
    enum { MOST = 40 };
    size_t length = strlen(text->word);
    const bool is_long = length > MOST;

    for (length = is_long ? MOST : length;
         is_long && length > 0 && ((unsigned char)text->word[length] & 0xc0) == 0x80;) {
        length--;
    }
    if (text->more_names > 0 || text->names_length + MOST + 8 > TEXT_NAMES) {
        text->more_names++;
        return;
    }
    text->names_length += (size_t)sprintf(text->names + text->names_length, "%s%.*s%s",
                                          text->names_length > 0 ? ", " : "", (int)length,
                                          text->word, is_long ? "..." : "");
}

/* Always false. */
static bool refuse_name(const struct text *text, struct message *message)
{
    char more[40] = "";

    if (text->more_names > 0) {
        snprintf(more, sizeof(more), " and %llu more", (ull)text->more_names);
    }
    return message_set(message, "line %llu: has no column with the name %.200s%s%s%s",
                       (ull)text->first_line, column_name(text),
                       text->names_length > 0 ? "; its names are " : "", text->names,
                       more);
}

static bool take_name(struct text *text, struct message *message)
{
    if (*text->word) {
        keep_name(text);
    }
    if (strcmp(text->word, column_name(text)) != 0) {
        return true;
    }
    if (text->match) {
        return message_set(message,
                           "line %llu: columns %llu and %llu are both named %.200s; give "
                           "--column one of the numbers",
                           (ull)text->first_line, (ull)text->match, (ull)text->fields,
                           text->word);
    }
    text->match = text->fields;
    return true;
}

static bool end_field(struct text *text, struct message *message)
{
    const bool kept = is_kept(text);

    if (text->state == TEXT_BETWEEN) {
        return true;
    }
    while (text->state == TEXT_PLAIN && text->length > 0 &&
           is_space(text->word[text->length - 1])) {
        text->length--;
    }
    text->word[text->length] = '\0';
    text->state = TEXT_BETWEEN;
    text->last = TEXT_FIELD;
    text->fields++;
    return !kept || (in_header(text) ? take_name : take_number)(text, message);
}

/* Between two separators, or at an end of the line. */
static bool end_empty(struct text *text, uint64_t line, uint64_t column,
                      const char *where, struct message *message)
{
    const bool kept = is_kept(text) && !in_header(text);

    if (!text->form.column && !text->form.missing) {
        return refuse_comma(text, line, column, where, message);
    }
    text->fields++;
    if (kept && text->form.missing) {
        return put_missing(text, message);
    }
    return !kept || message_set(message, "line %llu, byte %llu: --column %.200s is empty",
                                (ull)line, (ull)column, text->form.column);
}

static bool separate(struct text *text, struct message *message)
{
    if (text->state == TEXT_BETWEEN && text->last != TEXT_FIELD) {
        begin_line(text);
        if (!end_empty(text, text->line, text->column, "before", message)) {
            return false;
        }
    } else if (!end_field(text, message)) {
        return false;
    }
    text->last = TEXT_COMMA;
    text->last_line = text->line;
    text->last_column = text->column;
    return true;
}

static bool end_line(struct text *text, struct message *message)
{
    if (!end_field(text, message) ||
        (text->last == TEXT_COMMA &&
         !end_empty(text, text->last_line, text->last_column, "after", message))) {
        return false;
    }
    if (text->last == TEXT_NOTHING || !text->form.column) {
        /* a line without a field, or any number of fields */
    } else if (in_header(text)) {
        text->named = text->match;
        if (!text->named) {
            return refuse_name(text, message);
        }
    } else if (text->fields < wanted(text)) {
        const bool is_name = text->form.field && !text->has_line; /* perhaps */
        return message_set(message,
                           "line %llu: has %llu of the %llu fields that --column %.200s "
                           "needs%s%.200s%s",
                           (ull)text->first_line, (ull)text->fields, (ull)wanted(text),
                           text->form.column, is_name ? "; --column =" : "",
                           is_name ? text->form.column : "",
                           is_name ? " takes the one of that name" : "");
    }
    text->has_line |= text->last != TEXT_NOTHING;
    text->fields = 0;
    text->last = TEXT_NOTHING;
    return true;
}

/* ---- Characters ---- */

/* Of commas: whether each has three digits after it, and no fourth. */
static void watch_commas(struct text *text, char c)
{
    if (text->after_comma > 0 && c >= '0' && c <= '9') {
        text->after_comma += text->after_comma < 5;
        return;
    }
    text->is_plain_comma |= text->after_comma > 0 && text->after_comma != 4;
    text->after_comma = c == ',';
    if (c == ',' && text->comma_line == 0) {
        text->comma_line = text->line;
        text->comma_column = text->column;
    }
}

static bool feed_unquoted(struct text *text, char c, struct message *message)
{
    const char separator = text->form.separator;

    watch_commas(text, c);
    if (c == (separator ? separator : ',')) {
        return separate(text, message);
    }
    if (c == '\n' && has_lines(text)) {
        return end_line(text, message);
    }
    if (c == '#') {
        const bool ended = end_field(text, message);
        text->state = TEXT_COMMENT;
        return ended;
    }
    if (is_space(c) && !separator) {
        return end_field(text, message);
    }
    if (is_space(c) && text->state != TEXT_PLAIN) {
        return true;
    }
    if (text->state == TEXT_CLOSED) {
        return message_set(message, "line %llu, byte %llu: text after a closing quote",
                           (ull)text->line, (ull)text->column);
    }
    if (text->state == TEXT_BETWEEN) {
        begin_field(text);
        text->state = c == '"' ? TEXT_QUOTED : TEXT_PLAIN;
        if (c == '"') {
            return true;
        }
    }
    return append(text, c, message);
}

static bool feed_character(struct text *text, char c, struct message *message)
{
    const bool is_quote = c == '"';

    if (text->line <= text->form.skip) {
        return true;
    }
    switch (text->state) {
    case TEXT_COMMENT:
        if (c != '\n') {
            return true;
        }
        text->state = TEXT_BETWEEN;
        break;
    case TEXT_QUOTED:
        text->state = is_quote ? TEXT_QUOTE : TEXT_QUOTED;
        return is_quote || append(text, c, message);
    case TEXT_QUOTE:
        text->state = is_quote ? TEXT_QUOTED : TEXT_CLOSED;
        if (is_quote) {
            return append(text, c, message);
        }
        break;
    default:
        break;
    }
    return feed_unquoted(text, c, message);
}

bool text_feed(struct text *text, const char *bytes, size_t size, struct message *message)
{
    for (size_t i = 0; i < size; i++) {
        if (!feed_character(text, bytes[i], message)) {
            return false;
        }
        text->column++;
        if (bytes[i] == '\n') {
            text->line++;
            text->column = 1;
        }
    }
    return true;
}

bool text_end(struct text *text, struct message *message)
{
    const uint64_t lines = text->line - (text->column == 1);

    text->ended = true;
    if (lines < text->form.skip) {
        return message_set(message, "has %llu line%s, and --skip %zu needs as many",
                           (ull)lines, lines == 1 ? "" : "s", text->form.skip);
    }
    if (text->state == TEXT_QUOTED) {
        return message_set(message, "line %llu, byte %llu: a quote that is not closed",
                           (ull)text->last_line, (ull)text->last_column);
    }
    if (text->state == TEXT_COMMENT) {
        text->state = TEXT_BETWEEN;
    } else {
        watch_commas(text, '\n');
    }
    if (!end_line(text, message)) {
        return false;
    }
    /* that an element is not complete shows by its numbers */
    text->size += text->partial;
    text->partial = 0;
    return !in_header(text) ||
           message_set(message, "has no header for --column %.200s", text->form.column);
}

bool text_warning(const struct text *text, struct message *message)
{
    if (text->form.separator || text->comma_line == 0 || text->is_plain_comma) {
        return false;
    }
    message_set(message,
                "line %llu, byte %llu: this comma may separate thousands, since every "
                "comma is followed by exactly three digits; it was read as one between "
                "two fields, which --separator , confirms",
                (ull)text->comma_line, (ull)text->comma_column);
    return true;
}

size_t text_take(struct text *text, void *to, size_t size)
{
    const size_t left = text->size - text->taken, length = left < size ? left : size;

    if (length > 0) {
        memcpy(to, text->data + text->taken, length);
    }
    text->taken += length;
    if (text->taken == text->size) {
        if (text->partial > 0) {
            memmove(text->data, text->data + text->size, text->partial);
        }
        text->taken = text->size = 0;
    }
    return length;
}

void text_finish(struct text *text)
{
    free(text->data);
    text->data = NULL;
    text->taken = text->size = text->capacity = text->partial = 0;
}
