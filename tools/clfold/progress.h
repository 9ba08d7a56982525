/*
 * A bar on standard error for what takes longer than a second. It is there only while
 * standard error is a terminal, and not with --quiet.
 */
#ifndef CLFOLD_COMMAND_PROGRESS_H
#define CLFOLD_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;     /* "measuring" */
    uint64_t total, done; /* total 0: unknown; then a number of bytes is shown */
    bool on;              /* it may be shown */
    bool visible;         /* the bar stands in the terminal's last line */
    double begin, drawn;  /* seconds */
};

void progress_begin(struct progress *progress, const char *what, uint64_t total);

/* So many of the total are done now, besides those before. */
void progress_step(struct progress *progress, uint64_t done);

/* Clears the line. A progress that was never begun, all zero, too. */
void progress_end(struct progress *progress);

#endif
