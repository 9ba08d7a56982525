/* Charts as SVG, drawn by the program gnuplot. */
#ifndef CLFOLD_COMMAND_GNUPLOT_H
#define CLFOLD_COMMAND_GNUPLOT_H

#include "message.h"

#include <stdio.h>

/* Whether gnuplot is there and draws SVG. */
bool gnuplot_check(struct message *message);

/* Writes gnuplot's commands for a chart. */
typedef void gnuplot_writer(const void *user, FILE *script);

/* The text as gnuplot takes it for a label or title. A device's name may hold anything.
 */
void gnuplot_put_quoted(FILE *script, const char *text);
void gnuplot_put_bold(FILE *script, const char *text);

/* Begins a page `width` pixels wide, with room `below` its title, which names clfold and
 * its version, what is drawn, the date, the device and the machine. Its panels follow,
 * with "unset label" after the first, which ends the title. Returns the page's height. */
int gnuplot_put_page(FILE *script, int width, int below, const char *device,
                     const char *driver, const char *what);

/* Where the axes of the next panel are, in shares of the page from its lower left. */
void gnuplot_put_place(FILE *script, double left, double right, double bottom,
                       double top);

/* Writes SVG to `svg`, a file of the system's. */
bool gnuplot_draw(gnuplot_writer *write, const void *user, FILE *svg,
                  struct message *message);

#endif
