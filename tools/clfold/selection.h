/* What --device means: an index, gpu, cpu, or a part of a name. */
#ifndef CLFOLD_COMMAND_SELECTION_H
#define CLFOLD_COMMAND_SELECTION_H

#include "message.h"

#include <stddef.h>

/* What the user can do where there is no device. */
#define SELECTION_NO_DEVICE                                                              \
    "check that an OpenCL driver is installed, and that HOME is a folder that you may "  \
    "write, since PoCL keeps its cache there"

struct candidate {
    const char *name;
    bool gpu, cpu;
};

/* NULL selects the first GPU, else the first device. */
bool selection_find(const struct candidate *candidates, size_t count,
                    const char *selector, size_t *index, struct message *message);

#endif
