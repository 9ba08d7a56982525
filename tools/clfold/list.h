/* Lists of words with commas between them, as options name them. */
#ifndef CLFOLD_COMMAND_LIST_H
#define CLFOLD_COMMAND_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { LIST_WORD = 32 };

/* The word up to the next comma; moves *text past the comma. NULL if there is none. A
 * word that does not fit is returned empty, which is not a valid name. */
const char *list_next(const char **text, char word[LIST_WORD]);

/* Whether one of `words`, which have single blanks between them, is `word`. NULL has no
 * words. */
bool list_has_word(const char *words, const char *word);

#endif
