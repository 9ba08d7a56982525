#include "words.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 64 /* of a member's values */

const struct word *word_find(const struct word *words, size_t num, const char *key)
{
    while (num > 0 && strcmp(words->key, key) != 0) {
        ++words;
        --num;
    }
    return num > 0 ? words : NULL;
}

uint64_t word_get(const void *from, const struct word *word)
{
    const unsigned char *at = (const unsigned char *)from + word->offset;
    uint32_t narrow;
    uint64_t wide;

    if (word->size == 1) {
        return *at;
    }
    if (word->size == 4) {
        memcpy(&narrow, at, 4);
        return narrow;
    }
    memcpy(&wide, at, 8);
    return wide;
}

void word_set(void *to, const struct word *word, uint64_t value)
{
    unsigned char *at = (unsigned char *)to + word->offset;
    const uint32_t narrow = (uint32_t)value;

    if (word->size == 1) {
        *at = (unsigned char)value;
    } else if (word->size == 4) {
        memcpy(at, &narrow, 4);
    } else {
        memcpy(at, &value, 8);
    }
}

const char *word_read(void *to, const struct word *word, const char *value)
{
    char *end = NULL;

    if (word->name) {
        for (uint32_t k = 0; k < MOST_NAMES; ++k) {
            if (word->name(k) && strcmp(word->name(k), value) == 0) {
                word_set(to, word, k);
                return NULL;
            }
        }
        return "no such value";
    }
    word_set(to, word, strtoull(value, &end, 0));
    return end == value || *end ? "no number" : NULL;
}
