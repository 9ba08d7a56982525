#include "text.h"

#include "number.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

/* Of numbers, before any has come. */
enum { FIRST_BYTES = 64 * 1024 };

/* What a message shows of a word. */
enum { SHOWN = 60 };

void text_init(struct text *text, clfold_type type, uint64_t limit)
{
    *text = (struct text){ .type = type, .limit = limit, .line = 1, .column = 1 };
}

static bool refuse_word(const struct text *text, const char *what,
                        struct message *message)
{
    return message_set(message, "line %llu, column %llu: \"%.*s%s\" %s %s",
                       (ull)text->last_line, (ull)text->last_column, SHOWN, text->word,
                       text->length > SHOWN ? "..." : "", what, type_name(text->type));
}

static bool refuse_comma(uint64_t line, uint64_t column, const char *where,
                         struct message *message)
{
    return message_set(message, "line %llu, column %llu: a comma with no number %s it",
                       (ull)line, (ull)column, where);
}

static bool grow(struct text *text, struct message *message)
{
    const size_t bigger = text->capacity ? 2 * text->capacity : FIRST_BYTES;
    unsigned char *const data =
        bigger > text->capacity ? realloc(text->data, bigger) : NULL;

    if (!data) {
        return message_set(message, "there is no memory for more than %zu bytes",
                           text->size);
    }
    text->data = data;
    text->capacity = bigger;
    return true;
}

static bool end_word(struct text *text, struct message *message)
{
    const size_t size = type_size(text->type);
    unsigned char value[8];

    text->word[text->length] = '\0';
    switch (number_parse(value, text->type, text->word)) {
    case NUMBER_NONE:
        return refuse_word(text, "is no number of type", message);
    case NUMBER_RANGE:
        return refuse_word(text, "is out of the range of", message);
    case NUMBER_READ:
        break;
    }
    if (size > text->limit - text->size) {
        return message_set(message,
                           "holds more than the %llu bytes of %s that the device takes "
                           "in one buffer",
                           (ull)text->limit, type_name(text->type));
    }
    /* the capacity is a multiple of every size */
    if (text->size == text->capacity && !grow(text, message)) {
        return false;
    }
    memcpy(text->data + text->size, value, size);
    text->size += size;
    text->length = 0;
    text->last = TEXT_NUMBER;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool feed_character(struct text *text, char c, struct message *message)
{
    if (c != ',' && !is_space(c)) {
        if (text->length == 0) {
            text->last_line = text->line;
            text->last_column = text->column;
        }
        if (text->length == TEXT_WORD) {
            text->word[TEXT_WORD] = '\0';
            return refuse_word(text, "is longer than any number of type", message);
        }
        /* a word with a 0 byte in it is no number either way */
        text->word[text->length++] = c ? c : '?';
        return true;
    }
    if (text->length > 0 && !end_word(text, message)) {
        return false;
    }
    if (c == ',') {
        if (text->last != TEXT_NUMBER) {
            return refuse_comma(text->line, text->column, "before", message);
        }
        text->last = TEXT_COMMA;
        text->last_line = text->line;
        text->last_column = text->column;
    }
    return true;
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
    if (text->length > 0 && !end_word(text, message)) {
        return false;
    }
    return text->last != TEXT_COMMA ||
           refuse_comma(text->last_line, text->last_column, "after", message);
}

void text_finish(struct text *text)
{
    free(text->data);
    text->data = NULL;
}
