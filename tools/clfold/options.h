/* The command line. */
#ifndef CLFOLD_COMMAND_OPTIONS_H
#define CLFOLD_COMMAND_OPTIONS_H

#include "axis.h"
#include "format.h"
#include "list.h"
#include "message.h"
#include "user_fold.h"

#include <clfold/clfold.h>

#include <stddef.h>
#include <stdio.h>

enum action {
    ACTION_NONE, /* clfold itself, with --help or --version */
    ACTION_DEVICES,
    ACTION_REDUCE,
    ACTION_SCAN,
    ACTION_MAP,
    ACTION_SELECT,
    ACTION_UNIQUE,
    ACTION_RLE,
    ACTION_UNRLE,
    ACTION_EXPLAIN,
    ACTION_CHECK_FOLD,
    ACTION_CACHE,
    ACTION_HELP, /* once read, it is the action whose help is printed */
    ACTIONS
};

/* What clfold cache does. */
enum cache_action { CACHE_LIST, CACHE_VERIFY, CACHE_CLEAR };

/* Segments of which no data are needed. */
struct by_option {
    const char *text; /* "keys:f32", or NULL */
    clfold_segments segments;
};

enum { OUT_RESULTS, OUT_ALSO, OUT_KEYS, OUTS };

struct options {
    enum action action;
    bool help, version; /* nothing else is read then */
    bool json;
    bool quiet;
    bool no_cache; /* programs are not kept */
    bool profile;
    bool probe;                 /* devices */
    bool prints_text, resolved; /* explain */
    clfold_operation operation; /* of all that read a file; explain */
    bool inclusive, exclusive;  /* as named; `operation` says what is done */
    clfold_op op;
    bool mean;             /* reduce: op is add, and the count divides the result */
    clfold_type acc;       /* map: --type; 0: by operator and element */
    uint32_t accuracy;     /* CLFOLD_DETERMINISTIC, ... */
    const char *algorithm; /* NULL: the library's choice */
    const char *algorithm_option; /* what named it */
    enum file_format format;
    struct text_form text_form; /* of text */
    struct fold_texts fold;     /* reduce, scan, map: instead of `op`, or besides */
    const char *fold_file;      /* which may hold them */
    clfold_type raw, text;      /* as named; `format` and `element` say which */
    size_t raw_size;            /* bytes of an element, if `raw` is that */
    /* of raw data and of text (0: .npy tells), and of what other commands make */
    clfold_type element;
    const char *device; /* NULL: the default */
    const char *file;   /* "-": standard input */
    size_t memory;      /* of numbers at once, in bytes; 0: what the device takes */
    /* scan, map */
    const char *init;                   /* a number, or NULL */
    struct axis_option axis;            /* reduce, scan */
    const char *flags, *keys, *offsets; /* one at most; map: offsets */
    /* Files that are written, or NULL: results ("-": standard output; reduce: NULL prints
     * the result), the rest or lengths, and reduce's keys of segments. */
    struct out_option {
        const char *path;
        enum file_format format;
    } outs[OUTS];
    const char *lengths; /* unrle: of runs, read from a file; else NULL */
    enum file_format lengths_format;
    clfold_type lengths_type; /* where it is not .npy */
    size_t count;             /* explain, check-fold */
    /* explain: elements of a row, and how many columns; 0: no segments */
    size_t rows, columns;
    struct by_option by; /* explain */
    size_t seed;         /* check-fold */
    enum cache_action cache;
};

/* The sentence of a failure says how to go on. */
bool options_read(struct options *options, int argc, char **argv,
                  struct message *message);

/* What --help prints of one command, or of all with ACTION_NONE. */
void options_help(FILE *stream, enum action action);

/* The name of what is done: that of the operator, or mean. */
const char *options_op(const struct options *options);

/* Whether the file holds numbers, and not elements as the texts of the fold have them. */
bool options_folds_numbers(const struct options *options);

/* What is folded, without its texts and init, once the type of the numbers is known; else
 * that is 0. */
clfold_fold options_fold(const struct options *options, clfold_type element);

/* What --length, --columns or --by makes of at least `count` elements; false: none is
 * given. The count becomes that of whole columns. */
bool options_segments(const struct options *options, clfold_segments *segments,
                      size_t *count);

/* Gives the fold options->init, if there is one; *init has its value. */
bool options_init(const struct options *options, clfold_fold *fold, clfold_indexed *init,
                  struct message *message);

#endif
