/* The files of cl/, as tools/embed/embed.py embeds them. */
#ifndef CLFOLD_PLAN_KERNEL_TEXTS_H
#define CLFOLD_PLAN_KERNEL_TEXTS_H

#include <stddef.h>

struct clfold_kernel_text {
    const char *name; /* "reduce_tiles.cl" */
    const char *text;
    size_t length; /* in bytes, without the NUL */
};

/* Ends with a name of NULL. */
extern const struct clfold_kernel_text clfold_kernel_texts[];

#endif
