/* The command line. */
#ifndef CLFOLD_COMMAND_OPTIONS_H
#define CLFOLD_COMMAND_OPTIONS_H

#include "message.h"

#include <clfold/clfold.h>

enum action { ACTION_PRINT, ACTION_VERSION, ACTION_DEVICES, ACTION_REDUCE };

struct options {
    enum action action;
    const char *print; /* ACTION_PRINT: a help text */
    bool json;
    clfold_op op;
    clfold_type acc;    /* 0: by operator and element */
    clfold_type raw;    /* 0: .npy */
    const char *device; /* NULL: the default */
    const char *file;   /* "-": standard input */
};

/* The sentence of a failure says how to go on. */
bool options_read(struct options *options, int argc, char **argv,
                  struct message *message);

#endif
