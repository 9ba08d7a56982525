#include "selection.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Whether `text` begins with `start`, in any case of letters. */
static bool begins(const char *text, const char *start)
{
    while (*start && same_letter(*text, *start)) {
        text++;
        start++;
    }
    return *start == '\0';
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++) {
        if (begins(text, part)) {
            return true;
        }
    }
    return false;
}

static bool is_word(const char *text, const char *word)
{
    return strlen(text) == strlen(word) && begins(text, word);
}

/* A selector of digits is an index and nothing else: as a part of a name, "5" would find
 * some device on the machine that has one less. */
static bool find_index(const char *digits, size_t count, size_t *index)
{
    size_t value = 0;

    for (; *digits && value < count; digits++) {
        value = value * 10 + (size_t)(*digits - '0');
    }
    *index = value;
    return value < count;
}

bool selection_find(const struct candidate *candidates, size_t count,
                    const char *selector, size_t *index, struct message *message)
{
    const bool is_index =
        selector && *selector && strspn(selector, "0123456789") == strlen(selector);

    if (count == 0) {
        return message_set(message, "there is no OpenCL device; " SELECTION_NO_DEVICE);
    }
    *index = 0;
    if (!selector) {
        for (size_t i = 0; i < count; i++) {
            if (candidates[i].gpu) {
                *index = i;
                break;
            }
        }
        return true;
    }
    if (is_index) {
        if (find_index(selector, count, index)) {
            return true;
        }
    } else {
        const bool gpu = is_word(selector, "gpu"), cpu = is_word(selector, "cpu");
        for (size_t i = 0; i < count; i++) {
            if (gpu   ? candidates[i].gpu
                : cpu ? candidates[i].cpu
                      : contains(candidates[i].name, selector)) {
                *index = i;
                return true;
            }
        }
    }
    return message_set(message,
                       "--device %.200s: no device %s; this machine has %zu device%s, "
                       "and the first index is 0; see clfold devices",
                       selector, is_index ? "has this index" : "matches", count,
                       count == 1 ? "" : "s");
}
