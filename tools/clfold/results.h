/* A file of a folding's results, which are written as its pieces come: of a scan, and of
 * a reduction along an axis. */
#ifndef CLFOLD_COMMAND_RESULTS_H
#define CLFOLD_COMMAND_RESULTS_H

#include "folding.h"
#include "output_file.h"

struct results {
    const struct options *options;
    const char *name; /* for messages */
    struct output_file file;
    struct writer writer;
};

/* Runs the folding and writes options->out, whole or not at all. `results` begins with
 * its options. If this fails, results_finish is due as well. */
bool results_run(struct results *results, struct folding *f, struct message *message);

void results_finish(struct results *results);

#endif
