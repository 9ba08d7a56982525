/* The command line. */
#ifndef CLFOLD_COMMAND_OPTIONS_H
#define CLFOLD_COMMAND_OPTIONS_H

#include "input.h"
#include "message.h"

#include <clfold/clfold.h>

#include <stddef.h>

enum action {
    ACTION_PRINT,
    ACTION_VERSION,
    ACTION_DEVICES,
    ACTION_REDUCE,
    ACTION_EXPLAIN,
    ACTION_LADDER
};

struct options {
    enum action action;
    const char *print; /* ACTION_PRINT: a help text */
    bool json;
    clfold_op op;
    clfold_type acc;       /* 0: by operator and element */
    const char *algorithm; /* NULL: the library's choice */
    enum file_format format;
    /* of raw data and of text (0: .npy tells), and of what is made for explain, ladder */
    clfold_type element;
    const char *device; /* NULL: the default */
    const char *file;   /* "-": standard input */
    size_t count;       /* explain */
    /* ladder */
    size_t min, max;
    const char *csv, *svg; /* files, or NULL */
};

/* The sentence of a failure says how to go on. */
bool options_read(struct options *options, int argc, char **argv,
                  struct message *message);

#endif
