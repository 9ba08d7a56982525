/* Files of a folding's results, which are written as its pieces come: of a scan, of a
 * reduction along an axis, of a select, which may write a second file. */
#ifndef CLFOLD_COMMAND_RESULTS_H
#define CLFOLD_COMMAND_RESULTS_H

#include "folding.h"
#include "output_file.h"

struct results {
    const struct options *options;
    struct output {
        const char *name; /* for messages */
        struct output_file file;
        struct writer writer;
        bool is_counted; /* the file begins with the right count */
    } outputs[2];
    int num_outputs;
    uint64_t length; /* of the run that the next piece may go on with */
};

/* Runs the folding and writes options->out and options->also, whole or not at all.
 * `results` begins with its options. If this fails, results_finish is due as well. */
bool results_run(struct results *results, struct folding *f, struct message *message);

void results_finish(struct results *results);

#endif
