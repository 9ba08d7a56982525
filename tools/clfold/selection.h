/* What --device means: an index, gpu, cpu, or a part of a name. */
#ifndef CLFOLD_COMMAND_SELECTION_H
#define CLFOLD_COMMAND_SELECTION_H

#include "message.h"

#include <stddef.h>

struct candidate {
    const char *name;
    bool gpu, cpu;
};

/* NULL selects the first GPU, else the first device. */
bool selection_find(const struct candidate *candidates, size_t count,
                    const char *selector, size_t *index, struct message *message);

#endif
