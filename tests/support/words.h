/* Words "KEY=VALUE" for the members of a struct, by a table of them. */
#ifndef CLFOLD_TESTS_WORDS_H
#define CLFOLD_TESTS_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* A member is unsigned, of 1, 4 or 8 bytes. */
struct word {
    const char *key;
    size_t offset, size;
    const char *(*name)(uint32_t value); /* NULL: it is a number */
};

#define WORD_OF(type, key, member, name)                                                 \
    {                                                                                    \
        key, offsetof(struct type, member), sizeof(((struct type *)0)->member), name     \
    }

/* A function that names the values of an enumeration, from 0 on. */
#define NAMES(function, ...)                                                             \
    static const char *function(uint32_t k)                                              \
    {                                                                                    \
        static const char *const names[] = { __VA_ARGS__ };                              \
        return k < sizeof(names) / sizeof(names[0]) ? names[k] : NULL;                   \
    }                                                                                    \
    struct word

/* NULL: there is none. */
const struct word *word_find(const struct word *words, size_t num, const char *key);

uint64_t word_get(const void *from, const struct word *word);
void word_set(void *to, const struct word *word, uint64_t value);

/* Returns what is wrong with the value, or NULL. */
const char *word_read(void *to, const struct word *word, const char *value);

#endif
