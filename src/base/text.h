/* Text that grows. An allocation that fails is remembered, so that a series of appends
 * needs one check at its end. */
#ifndef CLFOLD_BASE_TEXT_H
#define CLFOLD_BASE_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NUL-terminated; NULL while empty */
    size_t length, capacity;
    bool failed; /* an append found no memory: the content is incomplete */
};

void clfold_text_append(struct text *text, const char *bytes, size_t length);
void clfold_text_print(struct text *text, const char *format, ...) CLFOLD_PRINTF(2, 3);

/* A zeroed text, and a second time, are fine. */
void clfold_text_finish(struct text *text);

/* ---- Reading what was printed ------------------------------------------------------ */

/* Whether the text begins with one of these, of which NULL is the last. */
bool clfold_text_begins(const char *text, const char *const *words);

/* Moves past `word` if it is there. */
bool clfold_text_take(const char **at, const char *word);

/* Moves past one of the names `first` to `last` and `after` if they are there, and says
 * which it was; a name may be NULL. */
bool clfold_text_take_name(const char **at, const char *(*name)(uint32_t), uint32_t first,
                           uint32_t last, const char *after, uint32_t *which);

#endif
