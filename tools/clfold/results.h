/* Files of a folding's results, which are written as its pieces come: of a scan, of a
 * reduction of segments, of a select; and what these write besides. */
#ifndef CLFOLD_COMMAND_RESULTS_H
#define CLFOLD_COMMAND_RESULTS_H

#include "folding.h"
#include "output_file.h"

struct results {
    const struct options *options;
    struct output {
        enum output_kind {
            OUTPUT_RESULTS,
            OUTPUT_REST,
            OUTPUT_LENGTHS,
            OUTPUT_KEYS
        } kind;
        const char *path; /* as the user gave it */
        enum file_format format;
        struct output_file file;
        struct writer writer;
        bool is_counted; /* the file begins with the right count */
    } outputs[3];
    int num_outputs;
    uint64_t length; /* of the run that the next piece may go on with */
};

/* Whether the files could be opened now; leaves nothing. */
bool results_check(const struct options *options, struct message *message);

/* Runs the folding and writes its files, each whole or not at all.
 * `results` begins with its options. If this fails, results_finish is due as well. */
bool results_run(struct results *results, struct folding *f, struct message *message);

void results_finish(struct results *results);

#endif
