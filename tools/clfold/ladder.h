/* What `clfold ladder` measures, and how it prints it. */
#ifndef CLFOLD_COMMAND_LADDER_H
#define CLFOLD_COMMAND_LADDER_H

#include "chart.h"
#include "options.h"

#include <stdio.h>

struct rung {
    const char *name;
    const char *algorithm; /* NULL: the library chooses */
};

/* In the order of the lecture; the last is the library's choice. */
enum { NUM_RUNGS = 8 };
extern const struct rung ladder_rungs[NUM_RUNGS];

/* The powers of two of a size_t, and a first count that is none. */
enum { MOST_COUNTS = 65, LADDER_DEVICE_TEXT = 128 };

struct ladder_cell {
    double seconds;
    bool ok;
    double predicted; /* seconds */
    uint64_t sectors;
};

/* What one work-group does in its tree. */
struct ladder_tree {
    uint64_t steps, barriers;
    uint64_t busy;    /* sub-group-steps with work */
    uint64_t mixed;   /* of these, with an idle work-item in them */
    uint64_t replays; /* turns of a local access beyond its first */
    uint64_t cycles;  /* turns of all local accesses: three a combine */
};

struct ladder {
    clfold_op op;
    clfold_type type;
    const char *device_name, *driver;
    size_t counts[MOST_COUNTS], num_counts;
    struct ladder_cell cells[MOST_COUNTS][NUM_RUNGS];
    clfold_report reports[NUM_RUNGS]; /* at the greatest count */
    double roofline_gbps; /* of the fastest kernel that only reads as many bytes */
    char predicted[LADDER_DEVICE_TEXT]; /* the device of predictions; empty: none */
    struct ladder_tree trees[NUM_RUNGS];
};

/* Counts the trees; a device's name or file, or NULL. Counts and reports are there.
 * `is_cpu`: the device that is measured. */
bool ladder_predict(struct ladder *ladder, const char *device_name, bool is_cpu,
                    struct message *message);

/* One object and a line end, on standard output. */
bool ladder_print_json(const struct ladder *ladder, size_t row, size_t rung,
                       struct message *message);

/* The tables, and a line for each wrong result, on standard output. */
void ladder_print_tables(const struct ladder *ladder);

void ladder_write_csv(const struct ladder *ladder, FILE *csv);

bool ladder_draw(const struct ladder *ladder, FILE *svg, struct message *message);

#endif
