#include "chart.h"

#include "gnuplot.h"

#include <inttypes.h>

/* Dark and light in turn, for print in grey, where the points tell lines apart as well.
 * gnuplot numbers its points: 4 to 13 are squares, circles and triangles, each empty and
 * filled. */
static const struct {
    const char *colour;
    int point;
} styles[] = {
    { "#d55e00", 4 }, { "#56b4e9", 5 }, { "#0072b2", 6 },  { "#e69f00", 7 },
    { "#009e73", 8 }, { "#cc79a7", 9 }, { "#5b3a8c", 12 }, { "#000000", 13 },
};
enum { NUM_STYLES = sizeof(styles) / sizeof(styles[0]) };

/* Powers of two, at most 16 of them. */
static void put_ticks(FILE *script, uint64_t least, uint64_t most)
{
    int first = 0, last = 63;

    while (first < 63 && UINT64_C(1) << first < least) {
        first++;
    }
    while (last > 0 && UINT64_C(1) << last > most) {
        last--;
    }
    fputs("set xtics (", script);
    if (first > last) {
        fprintf(script, "'%" PRIu64 "' %" PRIu64, least, least);
    }
    const int step = first > last ? 1 : 1 + (last - first) / 16;
    for (int power = first; power <= last; power += step) {
        fprintf(script, "%s'2^{%d}' %" PRIu64, power == first ? "" : ", ", power,
                UINT64_C(1) << power);
    }
    fputs(") enhanced\n", script);
}

static void put_values(const struct chart *chart, FILE *script)
{
    fputs("$values << END\n", script);
    for (size_t row = 0; row < chart->num_counts; row++) {
        fprintf(script, "%" PRIu64, chart->counts[row]);
        for (size_t line = 0; line < chart->num_lines; line++) {
            fprintf(script, " %.9g", chart->values[row * chart->num_lines + line]);
        }
        putc('\n', script);
    }
    fputs("END\n", script);
}

static bool is_highest(const struct chart *chart, double limit)
{
    bool highest = true;

    for (size_t line = chart->num_lines - chart->num_broken; line < chart->num_lines;
         line++) {
        highest = highest && limit >= chart->values[line];
    }
    return highest;
}

/* The highest limit has its label above its line and any other below, since two limits
 * may be nearly the same. */
static void put_labels(const struct chart *chart, FILE *script)
{
    for (size_t line = chart->num_lines - chart->num_broken; line < chart->num_lines;
         line++) {
        const double limit = chart->values[line];
        fputs("set label ", script);
        gnuplot_put_quoted(script, chart->names[line]);
        fprintf(script,
                " . ', %.4g' at graph 0.02, first %.9g left offset 0, %s noenhanced\n",
                limit, limit, is_highest(chart, limit) ? "0.6" : "-0.7");
    }
}

static void put_line(const struct chart *chart, size_t line, FILE *script)
{
    const bool broken = line + chart->num_broken >= chart->num_lines;

    fputs(line ? ", " : "", script);
    if (broken && chart->num_counts == 1) {
        /* No line runs from count to count, so the limit crosses the chart. */
        fprintf(script, "%.9g ", chart->values[line]);
    } else {
        fprintf(script, "$values using 1:%zu ", line + 2);
    }
    if (broken) {
        const size_t which = line + chart->num_broken - chart->num_lines;
        fprintf(script, "with lines linewidth 2 linecolor '%s' dashtype %d",
                which % 2 ? "#777777" : "#222222", which % 2 ? 3 : 2);
    } else {
        fprintf(script, "with %s linewidth 1.5 linecolor '%s' pointtype %d pointsize 0.7",
                chart->num_counts == 1 ? "points" : "linespoints",
                styles[line % NUM_STYLES].colour,
                styles[(line + line / NUM_STYLES) % NUM_STYLES].point);
    }
    fputs(" title ", script);
    gnuplot_put_quoted(script, chart->names[line]);
}

static void write_script(const void *user, FILE *script)
{
    const struct chart *const chart = user;
    const uint64_t least = chart->counts[0];
    const uint64_t most = chart->counts[chart->num_counts - 1];

    gnuplot_put_page(script, "1000,640", "set title", chart->device, chart->driver,
                     chart->what);
    fputs("set xlabel 'number of elements n'\n"
          "set ylabel ",
          script);
    gnuplot_put_quoted(script, chart->y_label);
    fprintf(script, " noenhanced\nset logscale x 2\n%s",
            chart->y_is_linear ? "set yrange [0:*]\n" : "set logscale y 10\n");
    fputs("set format y '%g'\n"
          "set grid xtics ytics mytics linetype 1 linewidth 0.5 linecolor '#bbbbbb', "
          "linetype 1 linewidth 0.25 linecolor '#dddddd'\n"
          "set key outside right center reverse Left noenhanced\n",
          script);
    put_ticks(script, least, most);
    /* A margin, so that points do not lie on the frame, and one count has a range. */
    fprintf(script, "set xrange [%.9g:%.9g]\n", (double)least / 1.25,
            (double)most * 1.25);
    if (chart->num_counts == 1) {
        /* room for a label above the highest line, which is drawn by its two ends */
        fputs("set offsets 0, 0, graph 0.1, 0\nset samples 2\n", script);
        put_labels(chart, script);
    }
    put_values(chart, script);
    fputs("plot ", script);
    for (size_t line = 0; line < chart->num_lines; line++) {
        put_line(chart, line, script);
    }
    putc('\n', script);
}

bool chart_draw(const struct chart *chart, FILE *svg, struct message *message)
{
    return gnuplot_draw(write_script, chart, svg, message);
}
