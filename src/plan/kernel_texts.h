/* The files of cl/, as tools/embed/embed.py embeds them. */
#ifndef CLFOLD_PLAN_KERNEL_TEXTS_H
#define CLFOLD_PLAN_KERNEL_TEXTS_H

#include <stddef.h>

/* What the head of a file says that it needs: another file, a macro or a function. */
struct clfold_kernel_need {
    const char *word;      /* "tile.cl", "CLFOLD_TILE", "clfold_combine" */
    const char *condition; /* a macro that is not 0 where it needs that; NULL: always */
};

struct clfold_kernel_text {
    const char *name; /* "reduce_tiles.cl" */
    const char *text;
    size_t length;                          /* in bytes, without the NUL */
    const struct clfold_kernel_need *needs; /* in order; ends with a word of NULL */
};

/* Ends with a name of NULL. */
extern const struct clfold_kernel_text clfold_kernel_texts[];

#endif
