#include "list.h"

#include <string.h>

const char *list_next(const char **text, char word[LIST_WORD])
{
    if (!*text) {
        return NULL;
    }
    const size_t length = strcspn(*text, ",");
    const size_t kept = length < LIST_WORD ? length : 0;
    memcpy(word, *text, kept);
    word[kept] = '\0';
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return word;
}

bool list_has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = length > 0 ? words : NULL; at && (at = strstr(at, word));
         at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}
