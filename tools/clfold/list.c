#include "list.h"

#include "types.h"

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

/* "u8" or "u8:u64". */
static bool read_pair(const char *word, struct type_pair *pair)
{
    const size_t length = strcspn(word, ":");
    char in[LIST_WORD];

    memcpy(in, word, length);
    in[length] = '\0';
    pair->in = type_parse(in);
    pair->type = word[length] ? type_parse(word + length + 1) : pair->in;
    return pair->in && pair->type;
}

static bool has(const struct type_list *types, const struct type_pair *pair)
{
    bool found = false;

    for (size_t i = 0; i < types->num; i++) {
        found =
            found || (types->each[i].in == pair->in && types->each[i].type == pair->type);
    }
    return found;
}

bool list_read_types(struct type_list *types, const char *text, struct message *message)
{
    const char *rest = text;
    char word[LIST_WORD];

    types->num = 0;
    while (list_next(&rest, word)) {
        struct type_pair pair;
        if (!read_pair(word, &pair)) {
            return message_set(message,
                               "--types %.200s: a list of types or of IN:TYPE, as "
                               "f32,u8:u64, where IN is folded in TYPE; the types "
                               "are " TYPE_NAMES,
                               text);
        }
        if (!has(types, &pair)) {
            types->each[types->num++] = pair;
        }
    }
    return true;
}
