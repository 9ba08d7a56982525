/* What `clfold trace` has seen, and how it prints it. */
#ifndef CLFOLD_COMMAND_TRACE_H
#define CLFOLD_COMMAND_TRACE_H

#include <clfold/experimental.h>
#include "options.h"
#include "trace_states.h"

enum { SNAPSHOT_TILES = 10 };

struct trace {
    clfold_op op;
    clfold_type type;
    size_t count;
    const char *device_name, *driver;
    clfold_report report;
    struct trace_records records;
    struct trace_span span;
    struct trace_snapshot snapshot;
    struct trace_row rows[SNAPSHOT_TILES]; /* of the snapshot */
    struct trace_figures figures;
    bool ok; /* the scan's result is the host's */
};

/* One object a tile and a last one of the whole, on standard output. */
bool trace_print_json(const struct trace *trace, struct message *message);

/* The snapshot, the depths and the means, on standard output. */
void trace_print_tables(const struct trace *trace);

/* `user` is a struct trace. */
bool trace_draw(const void *user, FILE *svg, struct message *message);

#endif
