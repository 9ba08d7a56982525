#include "base/text.h"

#include "base/memory.h"
#include "base/size.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Makes room for `more` bytes and a NUL. */
static bool reserve(struct text *text, size_t more)
{
    size_t need, twice;

    text->failed |= !clfold_size_add(text->length, more, &need) ||
                    !clfold_size_add(need, 1, &need) || !clfold_size_mul(need, 2, &twice);
    if (text->failed || need <= text->capacity) {
        return !text->failed;
    }
    char *bytes = clfold_alloc(twice);
    text->failed = !bytes;
    if (!bytes) {
        return false;
    }
    if (text->length > 0) {
        memcpy(bytes, text->bytes, text->length);
    }
    clfold_free(text->bytes);
    text->bytes = bytes;
    text->capacity = twice;
    return true;
}

void clfold_text_append(struct text *text, const char *bytes, size_t length)
{
    if (reserve(text, length)) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        text->bytes[text->length] = '\0';
    }
}

void clfold_text_print(struct text *text, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length)) {
        text->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(text->bytes + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void clfold_text_finish(struct text *text)
{
    clfold_free(text->bytes);
    *text = (struct text){ 0 };
}

bool clfold_text_begins(const char *text, const char *const *words)
{
    bool begins = false;

    for (; *words; ++words) {
        begins |= strncmp(text, *words, strlen(*words)) == 0;
    }
    return begins;
}

bool clfold_text_take(const char **at, const char *word)
{
    size_t length = strlen(word);

    if (strncmp(*at, word, length) != 0) {
        return false;
    }
    *at += length;
    return true;
}

bool clfold_text_take_name(const char **at, const char *(*name)(uint32_t), uint32_t first,
                           uint32_t last, const char *after, uint32_t *which)
{
    for (uint32_t i = first; i <= last; ++i) {
        const char *from = *at, *word = name(i);
        if (word && clfold_text_take(&from, word) && clfold_text_take(&from, after)) {
            *at = from;
            *which = i;
            return true;
        }
    }
    return false;
}
