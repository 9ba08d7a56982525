/* The nests of clfold's own kernels and the devices, which the command carries. */
#ifndef CLFOLD_PREDICT_TEXTS_H
#define CLFOLD_PREDICT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct predict_text {
    const char *name, *text;
    size_t size;
    bool is_device; /* or a nest */
};
extern const struct predict_text predict_texts[]; /* after the last: no name */

#endif
