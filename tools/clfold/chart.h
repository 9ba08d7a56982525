/* Charts of speeds over counts, which are logarithmic, drawn by gnuplot. Each line has
 * its name at its end. */
#ifndef CLFOLD_COMMAND_CHART_H
#define CLFOLD_COMMAND_CHART_H

#include "message.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CHART_ROOFLINE   "roofline"
#define CHART_THROUGHPUT "throughput [GB/s], higher is better"

enum chart_kind {
    CHART_PLAIN,
    CHART_STRONG, /* thicker, its name bold */
    CHART_MODEL,  /* in dashes, without points, coloured as the line eight before */
    CHART_LIMIT   /* a roofline: broken, without points; from edge to edge at one count */
};

struct chart_line {
    const char *name;
    enum chart_kind kind;
    const double *values;     /* at each count */
    const double *low, *high; /* of a band around them, or NULL */
};

struct chart_panel {
    const char *title;
    const struct chart_line *lines; /* at least one; the first lies on top */
    size_t num_lines;
};

struct chart {
    const char *device, *driver, *what; /* of the title: plain text */
    const char *y_label;
    bool y_is_linear;       /* and begins at 0; otherwise logarithmic */
    const uint64_t *counts; /* ascending */
    size_t num_counts;
    const struct chart_panel *panels; /* side by side, with the same axes */
    size_t num_panels;
};

/* Writes SVG to `svg`, a file of the system's. */
bool chart_draw(const struct chart *chart, FILE *svg, struct message *message);

/* The name of a line, beside its end. */
struct chart_label {
    size_t line, first; /* first: of the labels that were moved with it */
    double wanted, place;
};

/* Sorts the labels by the places they want, and moves them apart by `gap` at least and as
 * little as possible, all between 0 and 1 if there is room. */
void chart_part_labels(struct chart_label *labels, size_t num, double gap);

#endif
