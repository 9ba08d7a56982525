/* Charts of times or speeds over counts, which are logarithmic, drawn by gnuplot. */
#ifndef CLFOLD_COMMAND_CHART_H
#define CLFOLD_COMMAND_CHART_H

#include "message.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct chart {
    const char *device, *driver, *what; /* of the title: plain text */
    const char *y_label;
    bool y_is_linear;         /* and begins at 0; otherwise logarithmic */
    const char *const *names; /* of the lines, in the order of the legend */
    size_t num_lines;
    /* The last lines, which are limits: broken, and without points. At a single count
     * they cross the chart, each with a label. */
    size_t num_broken;
    const uint64_t *counts; /* ascending */
    size_t num_counts;
    const double *values; /* num_counts rows of num_lines */
};

/* Writes SVG to `svg`, a file of the system's. */
bool chart_draw(const struct chart *chart, FILE *svg, struct message *message);

#endif
