/*
 * Numbers as text: separated by white space, or by a comma that may have white space
 * round it. What is a number is number_parse's matter.
 *
 * A separator or a column that is named makes lines matter:
 *
 *     skipped           the first lines, whatever they hold
 *     # comment         to the end of the line; lines without a field do not count
 *     name,"a ""b"""    the header, if the column is named: fields may be quoted, as in
 *     x, 1              RFC 4180, and a quoted one may hold separators and line ends
 *
 * Where fields may be missing, lines matter too, as one that ends with a comma has an
 * empty field there.
 *
 * The text is fed piece by piece, as it comes; pieces may end anywhere. Only the numbers
 * are kept, until they are taken.
 */
#ifndef CLFOLD_COMMAND_TEXT_H
#define CLFOLD_COMMAND_TEXT_H

#include "format.h"
#include "message.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdint.h>

/* The exact decimal form of every double is shorter. */
enum { TEXT_WORD = 4096 };

/* Of a header, for an error. */
enum { TEXT_NAMES = 512 };

struct text {
    clfold_type type;
    struct text_form form; /* may be set after text_init */
    unsigned char *data;
    size_t taken, size, capacity;
    /* of an element, which is skipped as a whole; set by the user, 0 is 1 */
    size_t numbers;
    size_t partial;  /* bytes after `size`, of an element that is not complete */
    bool is_spoiled; /* a number of it is missing */
    bool ended;      /* text_end was called */

    /* from 1; of the next character, and of the field or the comma that came last */
    uint64_t line, column, last_line, last_column;
    enum {
        TEXT_BETWEEN, /* fields */
        TEXT_PLAIN,   /* in a field without quotes */
        TEXT_QUOTED,  /* in quotes */
        TEXT_QUOTE,   /* after a quote in quotes: the end of them, or the first of two */
        TEXT_CLOSED,  /* after the quotes */
        TEXT_COMMENT
    } state;
    enum { TEXT_NOTHING, TEXT_FIELD, TEXT_COMMA } last; /* of this line */
    uint64_t fields, first_line; /* of this line, which may be long */
    uint64_t match,
        named;           /* the column that has the name: in this header, in all lines */
    bool has_line;       /* one with fields has ended */
    size_t names_length; /* of the header so far */
    uint64_t more_names; /* for which there was no room */
    char names[TEXT_NAMES];
    uint64_t comma_line, comma_column; /* of the first comma */
    int after_comma;                   /* characters, while they are digits; or 0 */
    bool is_plain_comma;               /* one has not three digits after it */
    size_t length;                     /* of the field so far */
    char word[TEXT_WORD + 1];
};

void text_init(struct text *text, clfold_type type);

/* The sentence of a failure has the file as its subject. */
bool text_feed(struct text *text, const char *bytes, size_t size,
               struct message *message);
bool text_end(struct text *text, struct message *message);

/* After the end: whether there is something that the user should know. */
bool text_warning(const struct text *text, struct message *message);

/* The next numbers, of at most `size` bytes; how many bytes these are. */
size_t text_take(struct text *text, void *to, size_t size);

void text_finish(struct text *text);

#endif
