#include "chart.h"

#include "gnuplot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* In pixels: of a panel the room on its left, of its axes, and of the names of its lines;
 * below the axes, and above them for its title. */
enum { LEFT = 80, WIDTH = 400, ONE_WIDTH = 560, NAMES = 135, BOTTOM = 65, TOP = 44 };
enum { LEAST_HEIGHT = 350, LABEL_HEIGHT = 17, MOST_TICKS = 8, NUM_STYLES = 8 };
static const double MARGIN = 1.25; /* of counts */

/* ---- Labels ---- */

static int compare_labels(const void *a, const void *b)
{
    const struct chart_label *const left = a, *const right = b;

    if (left->wanted != right->wanted) {
        return left->wanted < right->wanted ? -1 : 1;
    }
    return (left->line > right->line) - (left->line < right->line);
}

/* With i gaps taken off the i-th, labels that are far enough apart ascend. Where they do
 * not, all of a run stand at their mean, which moves them the least. */
void chart_part_labels(struct chart_label *labels, size_t num, double gap)
{
    qsort(labels, num, sizeof(*labels), compare_labels);
    for (size_t i = 0; i < num; i++) {
        size_t first = i;
        double mean = labels[i].wanted - (double)i * gap;
        while (first > 0 && labels[first - 1].place > mean) {
            const size_t before = labels[first - 1].first;
            mean = (labels[before].place * (double)(first - before) +
                    mean * (double)(i + 1 - first)) /
                   (double)(i + 1 - before);
            first = before;
        }
        for (size_t k = first; k <= i; k++) {
            labels[k].first = first;
            labels[k].place = mean;
        }
    }
    const double room = num > 0 ? 1 - (double)(num - 1) * gap : 1;
    for (size_t i = 0; i < num; i++) {
        labels[i].place = fmax(fmin(labels[i].place, room), 0) + (double)i * gap;
    }
}

/* ---- The script ---- */

struct range {
    double low, high;
};

struct drawing {
    const struct chart *chart;
    struct range y;
    int width, height;          /* of the axes */
    struct chart_label *labels; /* room for those of any panel */
};

/* Powers of two, at most MOST_TICKS of them. */
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
    const int step = first > last ? 1 : 1 + (last - first) / MOST_TICKS;
    for (int power = first; power <= last; power += step) {
        fprintf(script, "%s'2^{%d}' %" PRIu64, power == first ? "" : ", ", power,
                UINT64_C(1) << power);
    }
    fputs(") enhanced\n", script);
}

/* Each count with the value of each line, and the ends of its band. */
static void put_values(const struct chart *chart, const struct chart_panel *panel,
                       FILE *script)
{
    fputs("$values << END\n", script);
    for (size_t row = 0; row < chart->num_counts; row++) {
        fprintf(script, "%" PRIu64, chart->counts[row]);
        for (size_t i = 0; i < panel->num_lines; i++) {
            const struct chart_line *const line = &panel->lines[i];
            fprintf(script, " %.9g %.9g %.9g", line->values[row],
                    (line->low ? line->low : line->values)[row],
                    (line->high ? line->high : line->values)[row]);
        }
        putc('\n', script);
    }
    fputs("END\n", script);
}

static void put_style(const struct chart_panel *panel, size_t i, const char *strong,
                      FILE *script)
{
    if (panel->lines[i].kind == CHART_LIMIT) {
        fputs(" linestyle 20", script);
        return;
    }
    fprintf(script, " linetype %zu%s", i + 1,
            panel->lines[i].kind == CHART_STRONG ? strong : "");
}

/* By what counts are multiplied: at one count, lines stand side by side. */
static double shift_of(const struct chart *chart, const struct chart_panel *panel,
                       size_t i)
{
    const double share = ((double)i + 0.5) / (double)panel->num_lines - 0.5;

    return chart->num_counts == 1 ? pow(MARGIN, share) : 1;
}

/* The names of the lines, each with a thin line from the end of its own. */
static void put_labels(const struct drawing *drawing, const struct chart_panel *panel,
                       FILE *script)
{
    const struct chart *const chart = drawing->chart;
    const struct range y = drawing->y;
    struct chart_label *const labels = drawing->labels;
    const size_t last = chart->num_counts - 1;

    for (size_t i = 0; i < panel->num_lines; i++) {
        const double value = panel->lines[i].values[last];
        labels[i] = (struct chart_label){
            .line = i,
            .wanted = chart->y_is_linear ? (value - y.low) / (y.high - y.low)
                                         : log(value / y.low) / log(y.high / y.low),
        };
    }
    chart_part_labels(labels, panel->num_lines, (double)LABEL_HEIGHT / drawing->height);
    for (size_t i = 0; i < panel->num_lines; i++) {
        const struct chart_line *const line = &panel->lines[labels[i].line];
        const double count =
            (double)chart->counts[last] * (line->kind == CHART_LIMIT && last == 0
                                               ? MARGIN
                                               : shift_of(chart, panel, labels[i].line));
        fprintf(script,
                "set arrow from first %.9g, first %.9g to graph 1.03, graph %.9g nohead",
                count, line->values[last], labels[i].place);
        put_style(panel, labels[i].line, "", script);
        fputs(" linewidth 0.7 dashtype 1\nset label ", script);
        (line->kind == CHART_STRONG ? gnuplot_put_bold : gnuplot_put_quoted)(script,
                                                                             line->name);
        fprintf(script, " at graph 1.04, graph %.9g left textcolor", labels[i].place);
        put_style(panel, labels[i].line, "", script);
        putc('\n', script);
    }
}

static void put_band(const struct chart *chart, const struct chart_panel *panel, size_t i,
                     FILE *script)
{
    if (chart->num_counts == 1) {
        fprintf(script, "$values using ($1*%.9g):%zu:%zu:%zu with yerrorbars",
                shift_of(chart, panel, i), 3 * i + 2, 3 * i + 3, 3 * i + 4);
        put_style(panel, i, "", script);
        fputs(" pointsize 0, ", script);
        return;
    }
    fprintf(script, "$values using 1:%zu:%zu with filledcurves", 3 * i + 3, 3 * i + 4);
    put_style(panel, i, "", script);
    fputs(" fillstyle transparent solid 0.15 noborder, ", script);
}

static void put_line(const struct chart *chart, const struct chart_panel *panel, size_t i,
                     FILE *script)
{
    const bool limit = panel->lines[i].kind == CHART_LIMIT, one = chart->num_counts == 1;
    const bool model = panel->lines[i].kind == CHART_MODEL;

    if (limit && one) {
        fprintf(script, "%.9g", panel->lines[i].values[0]);
    } else {
        fprintf(script, "$values using ($1*%.9g):%zu", shift_of(chart, panel, i),
                3 * i + 2);
    }
    fprintf(script, " with %s",
            limit || (model && !one) ? "lines"
            : one                    ? "points"
                                     : "linespoints");
    if (!limit && !model && i >= NUM_STYLES) {
        /* colours that come again have other points: a plus, a cross, a star */
        fprintf(script, " pointtype %zu", 1 + (i / NUM_STYLES - 1) % 3);
    }
    put_style(panel, i, " linewidth 4 pointsize 1", script);
    fputs(model && !one ? " dashtype (8,5)" : "", script);
    fputs(i ? ", " : "\nunset label\nunset arrow\n", script);
}

static void put_panel(const struct drawing *drawing, size_t place, int width, int height,
                      FILE *script)
{
    const struct chart *const chart = drawing->chart;
    const struct chart_panel *const panel = &chart->panels[place];
    const double left = (double)place * (LEFT + drawing->width + NAMES) + LEFT;

    gnuplot_put_place(script, left / width, (left + drawing->width) / width,
                      (double)BOTTOM / height,
                      (double)(BOTTOM + drawing->height) / height);
    fputs("set title ", script);
    gnuplot_put_quoted(script, panel->title);
    putc('\n', script);
    put_values(chart, panel, script);
    put_labels(drawing, panel, script);
    fputs("plot ", script);
    for (size_t i = 0; i < panel->num_lines; i++) {
        if (panel->lines[i].low) {
            put_band(chart, panel, i, script);
        }
    }
    /* What is drawn last lies on top. */
    for (size_t i = panel->num_lines; i-- > 0;) {
        put_line(chart, panel, i, script);
    }
}

static void write_script(const void *user, FILE *script)
{
    const struct drawing *const drawing = user;
    const struct chart *const chart = drawing->chart;
    const uint64_t least = chart->counts[0];
    const uint64_t most = chart->counts[chart->num_counts - 1];
    const int width = (int)chart->num_panels * (LEFT + drawing->width + NAMES);
    const int height = gnuplot_put_page(script, width, BOTTOM + drawing->height + TOP,
                                        chart->device, chart->driver, chart->what);

    fputs("set xlabel 'number of elements n'\nset ylabel ", script);
    gnuplot_put_quoted(script, chart->y_label);
    /* A margin, so that points do not lie on the frame, and one count has a range. At one
     * count a limit is drawn by its two ends. */
    fprintf(script,
            "\nset logscale x 2\n%sset format y '%%g'\nset samples 2\n"
            "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n",
            chart->y_is_linear ? "" : "set logscale y 10\n", (double)least / MARGIN,
            (double)most * MARGIN, drawing->y.low, drawing->y.high);
    put_ticks(script, least, most);
    for (size_t i = 0; i < chart->num_panels; i++) {
        put_panel(drawing, i, width, height, script);
    }
    fputs("unset multiplot\n", script);
}

static struct range find_range(const struct chart *chart)
{
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < chart->num_panels; i++) {
        for (size_t k = 0; k < chart->panels[i].num_lines; k++) {
            const struct chart_line *const line = &chart->panels[i].lines[k];
            for (size_t row = 0; row < chart->num_counts; row++) {
                least = fmin(least, (line->low ? line->low : line->values)[row]);
                most = fmax(most, (line->high ? line->high : line->values)[row]);
            }
        }
    }
    if (chart->y_is_linear) {
        return (struct range){ 0, most * 1.05 };
    }
    /* two decades at least, so that two numbers stand at the axis */
    const double margin = fmax(1.5, 10 / sqrt(most / least));
    return (struct range){ least / margin, most * margin };
}

bool chart_draw(const struct chart *chart, FILE *svg, struct message *message)
{
    size_t most = 0;

    for (size_t i = 0; i < chart->num_panels; i++) {
        most = chart->panels[i].num_lines > most ? chart->panels[i].num_lines : most;
    }
    const int wanted = (int)most * LABEL_HEIGHT;
    const struct drawing drawing = { .chart = chart,
                                     .y = find_range(chart),
                                     .width = chart->num_panels > 1 ? WIDTH : ONE_WIDTH,
                                     .height =
                                         wanted > LEAST_HEIGHT ? wanted : LEAST_HEIGHT,
                                     .labels =
                                         calloc(most + 1, sizeof(*drawing.labels)) };
    const bool done = drawing.labels
                          ? gnuplot_draw(write_script, &drawing, svg, message)
                          : message_set(message, "there is not enough memory to draw");

    free(drawing.labels);
    return done;
}
