/* What the readers of the commands' options share. */
#ifndef CLFOLD_COMMAND_OPTIONS_PARTS_H
#define CLFOLD_COMMAND_OPTIONS_PARTS_H

#include "options.h"

#include <getopt.h>

/* -h is the only option of one letter. The others are above all characters, so that
 * optopt shows whether an option is known. Each command's own begin at OPTION_OTHERS. */
#define OPTION_LETTERS ":h"
enum { OPTION_HELP = 'h', OPTION_JSON = 256, OPTION_OTHERS };

/* A command's options, and how one that is known is read: `found` is its value. */
struct options_reader {
    const char *name; /* "trace" */
    const char *hint; /* "clfold trace --help" */
    const char *help; /* what that prints */
    const struct option *known;
    bool (*read)(int found, struct options *options, struct message *message);
};

/* Reads all options; the arguments follow from optind on. --help or -h ends it: the
 * action is ACTION_PRINT then, and the rest is not asked for. */
bool options_walk(const struct options_reader *reader, struct options *options, int argc,
                  char **argv, struct message *message);

/* For commands without arguments. */
bool options_end(const struct options_reader *reader, int argc, char **argv,
                 struct message *message);

bool options_read_explain(struct options *options, int argc, char **argv,
                          struct message *message);
bool options_read_reduce(struct options *options, int argc, char **argv,
                         struct message *message);
bool options_read_scan(struct options *options, int argc, char **argv,
                       struct message *message);
bool options_read_ladder(struct options *options, int argc, char **argv,
                         struct message *message);
bool options_read_trace(struct options *options, int argc, char **argv,
                        struct message *message);
bool options_read_tune(struct options *options, int argc, char **argv,
                       struct message *message);
bool options_read_bench(struct options *options, int argc, char **argv,
                        struct message *message);

/* What optarg says. */
bool options_read_type(const char *option, clfold_type *type, struct message *message);
bool options_read_op(clfold_op *op, struct message *message);
bool options_read_device(const char **device, struct message *message);
/* An SVG or other file of the command's, which is not standard output. */
bool options_read_path(const char *option, const char **path, struct message *message);
bool options_read_count(const char *option, size_t *count, struct message *message);
/* The same of what is timed, which 0 is not. */
bool options_read_some(const char *option, size_t *count, struct message *message);
/* --seconds, from `least` to `most`. */
bool options_read_seconds(double *seconds, double least, double most,
                          struct message *message);

/* `name` is what `option` says; an algorithm of scans, or of reductions. */
bool options_parse_algorithm(const char *option, const char *name, bool of_scan,
                             const char **algorithm, struct message *message);

/* For --inclusive and --exclusive, of which only one may stand. *operation was 0. */
bool options_set_kind(clfold_operation kind, clfold_operation *operation,
                      struct message *message);

#endif
