/* Charts as SVG, drawn by the program gnuplot. */
#ifndef CLFOLD_COMMAND_GNUPLOT_H
#define CLFOLD_COMMAND_GNUPLOT_H

#include "message.h"

#include <stdio.h>

/* Whether gnuplot is there and draws SVG. */
bool gnuplot_check(struct message *message);

/* Writes gnuplot's commands for a chart. */
typedef void gnuplot_writer(const void *user, FILE *script);

/* The text as one of gnuplot's strings. A device's name may hold anything. */
void gnuplot_put_quoted(FILE *script, const char *text);

/* Begins a chart of so many pixels, "1000,640", with lines after the command `title`: the
 * device, the machine, and what is drawn, with the date. */
void gnuplot_put_page(FILE *script, const char *size, const char *title,
                      const char *device, const char *driver, const char *what);

/* Writes SVG to `svg`, a file of the system's. */
bool gnuplot_draw(gnuplot_writer *write, const void *user, FILE *svg,
                  struct message *message);

#endif
