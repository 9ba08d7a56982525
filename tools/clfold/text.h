/*
 * Numbers as text: separated by white space, or by a comma that may have white space
 * round it. What is a number is number_parse's matter.
 *
 * The text is fed piece by piece, as it comes; pieces may end anywhere. Only the numbers
 * are kept, in memory that grows with them.
 */
#ifndef CLFOLD_COMMAND_TEXT_H
#define CLFOLD_COMMAND_TEXT_H

#include "message.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdint.h>

/* The exact decimal form of every double is shorter. */
enum { TEXT_WORD = 4096 };

struct text {
    clfold_type type;
    uint64_t limit; /* of `size` */
    unsigned char *data;
    size_t size, capacity;

    /* from 1; of the next character, and of the word or the comma that came last */
    uint64_t line, column, last_line, last_column;
    enum { TEXT_NOTHING, TEXT_NUMBER, TEXT_COMMA } last;
    size_t length; /* of a word that may go on */
    char word[TEXT_WORD + 1];
};

void text_init(struct text *text, clfold_type type, uint64_t limit);

/* The sentence of a failure has the file as its subject. */
bool text_feed(struct text *text, const char *bytes, size_t size,
               struct message *message);
bool text_end(struct text *text, struct message *message);

void text_finish(struct text *text);

#endif
