/* Lists of words with commas between them, as options name them, and lists of types. */
#ifndef CLFOLD_COMMAND_LIST_H
#define CLFOLD_COMMAND_LIST_H

#include "message.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stddef.h>

enum { LIST_WORD = 32 };

/* The word up to the next comma; moves *text past the comma. NULL if there is none. A
 * word that does not fit is returned empty, which is not a valid name. */
const char *list_next(const char **text, char word[LIST_WORD]);

/* Room for every IN:TYPE there is. */
enum { LIST_MOST_TYPES = CLFOLD_F64 * CLFOLD_F64 };

/* Whether one of `words`, which have single blanks between them, is `word`. NULL has no
 * words. */
bool list_has_word(const char *words, const char *word);

/* Elements of `in`, which are folded in `type`. */
struct type_pair {
    clfold_type in, type;
};

struct type_list {
    size_t num; /* 0: none were named */
    struct type_pair each[LIST_MOST_TYPES];
};

/* "f32,u8:u64", where f32 is f32:f32; what stands there again is left out. The sentence
 * of a failure names --types and the list. */
bool list_read_types(struct type_list *types, const char *text, struct message *message);

#endif
