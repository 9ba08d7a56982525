#include "trace.h"

#include "count.h"
#include "gnuplot.h"
#include "record.h"
#include "types.h"

#include <inttypes.h>

enum { TITLE_TEXT = 256, FIGURE_TEXT = 32, BAR = 40 };

/* Of so many tiles the timeline shows what each does, beside all tiles' points. */
enum { MOST_BARS = 20 };

static const char *clock_name(const struct trace *trace)
{
    return trace->span.steps ? "steps" : "cycles";
}

/* ---- JSON ---- */

/* Counters of two processors may differ a little, so that it is below 0. */
static json_object *moment(uint64_t time, const struct trace *trace)
{
    return json_object_new_int64((int64_t)(time - trace->span.begin));
}

/* The tiles that tile i folded for others, the nearest first. */
static json_object *list_folded(const struct trace *trace, size_t i)
{
    json_object *const list = json_object_new_array();

    for (size_t k = 1; list && k <= 64 && k <= i; k++) {
        json_object *const tile =
            trace_folds(&trace->records, i, i - k) ? json_object_new_uint64(i - k) : NULL;
        if (tile) {
            json_object_array_add(list, tile);
        }
    }
    return list;
}

static bool print_tile(const struct trace *trace, size_t i, struct message *message)
{
    const clfold_tile_trace *const tile = &trace->records.tiles[i];
    json_object *const object = json_object_new_object();
    const bool complete =
        object && json_put(object, "tile", json_object_new_uint64(i)) &&
        json_put(object, "started", moment(tile->started, trace)) &&
        json_put(object, "aggregate", moment(tile->aggregate, trace)) &&
        json_put(object, "prefix", moment(tile->prefix, trace)) &&
        json_put(object, "depth", json_object_new_uint64(tile->depth)) &&
        json_put(object, "polls", json_object_new_uint64(tile->polls)) &&
        json_put(object, "fallbacks", json_object_new_uint64(tile->fallbacks)) &&
        json_put(object, "folded", list_folded(trace, i));

    return json_print(object, complete, message);
}

static json_object *figure(double value)
{
    char text[FIGURE_TEXT];

    snprintf(text, sizeof(text), "%.6g", value);
    return json_object_new_double_s(value, text);
}

bool trace_print_json(const struct trace *trace, struct message *message)
{
    const clfold_report *const report = &trace->report;

    for (size_t i = 0; i < trace->records.num; i++) {
        if (!print_tile(trace, i, message)) {
            return false;
        }
    }
    json_object *const object = json_object_new_object();
    const bool complete =
        object &&
        json_put(object, "algorithm", json_object_new_string(report->algorithm)) &&
        json_put(object, "type", json_object_new_string(type_name(trace->type))) &&
        json_put(object, "op", json_object_new_string(op_name(trace->op))) &&
        json_put(object, "count", json_object_new_uint64(trace->count)) &&
        json_put(object, "tiles", json_object_new_uint64(trace->records.num)) &&
        json_put(object, "tile_size", json_object_new_uint64(report->tile)) &&
        json_put(object, "group_size", json_object_new_uint64(report->group_size)) &&
        json_put(object, "groups", json_object_new_uint64(report->num_groups)) &&
        json_put(object, "clock", json_object_new_string(clock_name(trace))) &&
        json_put(object, "duration",
                 json_object_new_uint64(trace->span.end - trace->span.begin)) &&
        json_put(object, "mean_depth", figure(trace->figures.depth.mean)) &&
        json_put(object, "mean_polls", figure(trace->figures.polls.mean)) &&
        json_put(object, "fallbacks",
                 json_object_new_uint64(trace->figures.fallbacks.total)) &&
        json_put(object, "ok", json_object_new_boolean(trace->ok)) &&
        json_put(object, "device", json_object_new_string(trace->device_name));
    return json_print(object, complete, message);
}

/* ---- Tables ---- */

/*
 *   depth    tiles
 *       0        1  #
 *       1      127  ########################################
 */
static void print_depths(const struct trace *trace)
{
    const size_t *const buckets = trace->figures.buckets;
    size_t last = 0, most = 1;
    char text[48];

    for (size_t i = 0; i < TRACE_BUCKETS; i++) {
        last = buckets[i] > 0 ? i : last;
        most = buckets[i] > most ? buckets[i] : most;
    }
    printf("\n%10s %8s\n", "depth", "tiles");
    for (size_t i = 0; i <= last; i++) {
        /* at least one where there is any */
        const size_t length = (buckets[i] * BAR + most - 1) / most;
        trace_bucket_text(text, i);
        printf("%10s %8zu%s%.*s\n", text, buckets[i], length > 0 ? "  " : "", (int)length,
               "########################################");
    }
}

static void print_figure(const char *name, const struct trace_figure *figure)
{
    printf("%10s %10.3f %10" PRIu32 " %12" PRIu64 "\n", name, figure->mean, figure->most,
           figure->total);
}

void trace_print_tables(const struct trace *trace)
{
    const clfold_report *const report = &trace->report;
    char count[COUNT_TEXT];

    count_print(count, trace->count);
    printf("%s of %s %s, %s, on %s, driver %s\n", report->algorithm, count,
           type_name(trace->type), op_name(trace->op), trace->device_name, trace->driver);
    printf("%zu tile%s of %zu elements, %zu group%s of %zu; %s\n", trace->records.num,
           trace->records.num == 1 ? "" : "s", report->tile, report->num_groups,
           report->num_groups == 1 ? "" : "s", report->group_size, report->reason);
    printf("\nAfter %" PRIu64 " of %" PRIu64 " %s; values are the host's\n",
           trace->snapshot.time - trace->span.begin, trace->span.end - trace->span.begin,
           clock_name(trace));
    trace_write_rows(stdout, trace->rows, trace->snapshot.num);
    print_depths(trace);
    printf("\n%10s %10s %10s %12s\n", "a tile's", "mean", "greatest", "total");
    print_figure("depth", &trace->figures.depth);
    print_figure("polls", &trace->figures.polls);
    print_figure("fallbacks", &trace->figures.fallbacks);
    if (!trace->ok) {
        puts("ok=no");
    }
}

/* ---- The timeline ---- */

/* In pixels: the room left of a panel's axes and right of them, and their height. */
enum { LEFT = 90, WIDTH = 490, RIGHT = 40, BOTTOM = 130, HEIGHT = 400, TOP = 34 };

/* The unit of the time axes, so that their numbers are short. */
static double unit_of(const struct trace *trace)
{
    const uint64_t span = trace->span.end - trace->span.begin;

    return span < 10000 ? 1 : span < 100000000 ? 1e3 : 1e6;
}

static double since_begin(const struct trace *trace, uint64_t time)
{
    return (double)(int64_t)(time - trace->span.begin) / unit_of(trace);
}

/* What a panel shows: times, and tiles. */
struct view {
    size_t first, num;
    double x[2], y[2];
};

static struct view view_of(const struct trace *trace, size_t first, size_t num)
{
    double begin = 0, end = 0;

    for (size_t i = first; i < first + num; i++) {
        const clfold_tile_trace *const tile = &trace->records.tiles[i];
        const double started = since_begin(trace, tile->started);
        const double prefix = since_begin(trace, tile->prefix);
        begin = i == first || started < begin ? started : begin;
        end = i == first || prefix > end ? prefix : end;
    }
    /* A margin, so that points do not lie on the frame. */
    const double x = (end - begin) / 50, y = (double)num / 50 + 0.5;
    const double last = (double)(first + num - 1);
    return (struct view){
        first, num, { begin - x, end + x }, { (double)first - y, last + y }
    };
}

/* Tiles around the first that folded one for it, or around the snapshot. */
static struct view choose_view(const struct trace *trace)
{
    const struct trace_records *const records = &trace->records;
    const size_t num = records->num < MOST_BARS ? records->num : MOST_BARS;
    size_t middle = 0;

    while (middle < records->num && records->tiles[middle].folded == 0) {
        middle++;
    }
    if (middle == records->num) {
        middle = trace->snapshot.first + trace->snapshot.num / 2;
    }
    const size_t first = middle > num / 2 ? middle - num / 2 : 0;
    return view_of(trace, first + num > records->num ? records->num - num : first, num);
}

static void put_tiles(const struct trace *trace, const char *name,
                      const struct view *view, FILE *script)
{
    fprintf(script, "$%s << END\n", name);
    for (size_t i = view->first; i < view->first + view->num; i++) {
        const clfold_tile_trace *const tile = &trace->records.tiles[i];
        fprintf(script, "%zu %.17g %.17g %.17g\n", i, since_begin(trace, tile->started),
                since_begin(trace, tile->aggregate), since_begin(trace, tile->prefix));
    }
    fputs("END\n", script);
}

/* From each tile in view that folded others to each of these; returns how many. When is
 * not recorded: some time between its aggregate and its prefix, which its arrows divide.
 */
static size_t put_arrows(const struct trace *trace, const struct view *view, FILE *script)
{
    size_t num = 0;

    fputs("$arrows << END\n", script);
    for (size_t i = view->first; i < view->first + view->num; i++) {
        const clfold_tile_trace *const tile = &trace->records.tiles[i];
        const double aggregate = since_begin(trace, tile->aggregate);
        const double wait = since_begin(trace, tile->prefix) - aggregate;
        uint32_t done = 0;
        for (size_t x = i; x-- > 0 && i - x <= 64;) {
            if (trace_folds(&trace->records, i, x)) {
                fprintf(script, "%.17g %zu %.17g\n",
                        aggregate + wait * ++done / (tile->fallbacks + 1), i,
                        (double)x - (double)i);
                num++;
            }
        }
    }
    fputs("END\n", script);
    return num;
}

static void put_panel(const struct view *view, int place, int page, const char *title,
                      FILE *script)
{
    const double width = 2 * (LEFT + WIDTH + RIGHT);
    const double left = place * (LEFT + WIDTH + RIGHT) + LEFT;

    gnuplot_put_place(script, left / width, (left + WIDTH) / width, (double)BOTTOM / page,
                      (double)(BOTTOM + HEIGHT) / page);
    fprintf(script,
            "set title '%s'\nset xrange [%.17g:%.17g]\nset yrange [%.17g:%.17g]\n"
            "set ytics %s\n",
            title, view->x[0], view->x[1], view->y[0], view->y[1],
            view->num > 10 ? "autofreq" : "1");
}

/* The frame of what the right panel shows is drawn in the left one. */
static void put_left(const struct trace *trace, const struct view *shown, int page,
                     FILE *script)
{
    const struct view all = view_of(trace, 0, trace->records.num);

    put_tiles(trace, "tiles", &all, script);
    put_panel(&all, 0, page, "all tiles: when each prefix was published", script);
    fprintf(script,
            "set object 1 rectangle from first %.17g, first %.17g to first %.17g, first "
            "%.17g front fillstyle empty border linecolor '#009e73' linewidth 2\n"
            "plot $tiles using 4:1 with points pointtype 7 pointsize %g "
            "linecolor '#000000'\n"
            "unset label\nunset object 1\n",
            shown->x[0], shown->y[0], shown->x[1], shown->y[1],
            all.num > 100 ? 0.2 : 0.5);
}

/* Their borders make bars visible that are narrower than a pixel. What is drawn last lies
 * on top. */
static void put_right(const struct trace *trace, const struct view *shown, int page,
                      FILE *script)
{
    char title[TITLE_TEXT];

    snprintf(title, sizeof(title), "the frame: tiles %zu to %zu", shown->first,
             shown->first + shown->num - 1);
    put_tiles(trace, "bars", shown, script);
    const size_t num_arrows = put_arrows(trace, shown, script);
    put_panel(shown, 1, page, title, script);
    fprintf(script,
            "set border 15 linecolor '#009e73' linewidth 2\n"
            "set key at screen 0.5,0.01 center bottom vertical maxrows 2 Left reverse "
            "noenhanced\n"
            "set style fill solid 1.0 border\n"
            "plot $bars using 2:1:2:3:($1-0.4):($1+0.4) with boxxyerror "
            "linecolor '#56b4e9' title 'folds its elements', "
            "$bars using 3:1:3:4:($1-0.4):($1+0.4) with boxxyerror "
            "linecolor '#d55e00' title '%s', "
            "$bars using 4:($1-0.4):(0):(0.8) with vectors nohead linewidth 1.5 "
            "linecolor '#000000' title 'prefix published'%s\n"
            "unset multiplot\n",
            trace->records.publishes ? "aggregate published, looks back"
                                     : "waits for the tile before it",
            num_arrows == 0
                ? ""
                : ", $arrows using 1:2:(0):3 with vectors head filled size screen "
                  "0.008,20 linewidth 2 linecolor '#5b3a8c' title 'folds a tile that is "
                  "late'");
}

static void write_script(const void *user, FILE *script)
{
    const struct trace *const trace = user;
    const struct view shown = choose_view(trace);
    char what[TITLE_TEXT], count[COUNT_TEXT];

    count_print(count, trace->count);
    snprintf(what, sizeof(what), "trace: %s, %s %s, n = %s, %zu tile%s",
             trace->report.algorithm, type_name(trace->type), op_name(trace->op), count,
             trace->records.num, trace->records.num == 1 ? "" : "s");
    const int page =
        gnuplot_put_page(script, 2 * (LEFT + WIDTH + RIGHT), BOTTOM + HEIGHT + TOP,
                         trace->device_name, trace->driver, what);
    fprintf(script,
            "set xlabel 'time since the first tile was started [%s%s]' noenhanced\n"
            "set ylabel 'tile'\n"
            "set format x '%%g'\n",
            unit_of(trace) == 1    ? ""
            : unit_of(trace) < 1e6 ? "1000 "
                                   : "10^6 ",
            clock_name(trace));
    put_left(trace, &shown, page, script);
    put_right(trace, &shown, page, script);
}

bool trace_draw(const void *user, FILE *svg, struct message *message)
{
    return gnuplot_draw(write_script, user, svg, message);
}
