#include "trace.h"

#include "count.h"
#include "gnuplot.h"
#include "record.h"
#include "types.h"

#include <inttypes.h>

enum { TITLE_TEXT = 256, FIGURE_TEXT = 32, BAR = 40 };

/* Of so many tiles the timeline shows what each does; of more, only those around the
 * snapshot, beside all tiles' points. */
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
        json_put(object, "fallbacks", json_object_new_uint64(tile->fallbacks));

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

static void put_page(const struct trace *trace, FILE *script)
{
    char what[TITLE_TEXT], count[COUNT_TEXT];

    count_print(count, trace->count);
    snprintf(what, sizeof(what), "%s, %s %s, n = %s, %zu tile%s", trace->report.algorithm,
             type_name(trace->type), op_name(trace->op), count, trace->records.num,
             trace->records.num == 1 ? "" : "s");
    gnuplot_put_page(
        script, "1200,680",
        "set multiplot layout 1,2 margins 0.08,0.97,0.25,0.87 spacing 0.1 title",
        trace->device_name, trace->driver, what);
}

static double since(uint64_t begin, uint64_t time)
{
    return (double)(int64_t)(time - begin);
}

static void put_range(FILE *script, const char *axis, double begin, double end)
{
    /* A margin, so that points do not lie on the frame. */
    const double margin = (end - begin) / 50 + 0.5;

    fprintf(script, "set %srange [%.17g:%.17g]\n", axis, begin - margin, end + margin);
}

static void put_tiles(const struct trace *trace, const char *name, size_t first,
                      size_t num, FILE *script)
{
    const uint64_t begin = trace->span.begin;

    fprintf(script, "$%s << END\n", name);
    for (size_t i = first; i < first + num; i++) {
        const clfold_tile_trace *const tile = &trace->records.tiles[i];
        fprintf(script, "%zu %.17g %.17g %.17g\n", i, since(begin, tile->started),
                since(begin, tile->aggregate), since(begin, tile->prefix));
    }
    fputs("END\n", script);
}

/* The tiles that are drawn with bars, and from when to when. */
static void put_bars(const struct trace *trace, FILE *script)
{
    const size_t num = trace->records.num, shown = num < MOST_BARS ? num : MOST_BARS;
    const size_t middle = trace->snapshot.first + trace->snapshot.num / 2;
    size_t first = middle > shown / 2 ? middle - shown / 2 : 0;
    double begin = 0, end = 0;

    first = first + shown > num ? num - shown : first;
    for (size_t i = first; i < first + shown; i++) {
        const double started = since(trace->span.begin, trace->records.tiles[i].started);
        const double prefix = since(trace->span.begin, trace->records.tiles[i].prefix);
        begin = i == first || started < begin ? started : begin;
        end = i == first || prefix > end ? prefix : end;
    }
    put_tiles(trace, "bars", first, shown, script);
    put_range(script, "x", begin, end);
    put_range(script, "y", (double)first, (double)(first + shown - 1));
}

static void write_script(const void *user, FILE *script)
{
    const struct trace *const trace = user;

    put_page(trace, script);
    put_tiles(trace, "tiles", 0, trace->records.num, script);
    fprintf(script,
            "set xlabel 'time since the first tile was started [%s]'\n"
            "set ylabel 'tile'\n"
            "set format x '%%.1s%%c'\n"
            "set grid xtics ytics linetype 1 linewidth 0.5 linecolor '#bbbbbb'\n"
            "set xtics autofreq rotate by -30\n"
            "unset key\n",
            clock_name(trace));
    put_range(script, "x", 0, since(trace->span.begin, trace->span.end));
    put_range(script, "y", 0, (double)(trace->records.num - 1));
    fputs("plot $tiles using 4:1 with points pointtype 7 pointsize 0.2 "
          "linecolor '#000000'\n"
          "set key at screen 0.5,0.01 center bottom vertical Left reverse "
          "noenhanced\n"
          "set style fill solid 1.0 border\n",
          script);
    put_bars(trace, script);
    /* Their borders make bars visible that are narrower than a pixel. What is drawn last
     * lies on top. */
    fprintf(script,
            "plot $bars using 2:1:2:3:($1-0.4):($1+0.4) with boxxyerror "
            "linecolor '#56b4e9' title 'folds its elements', "
            "$bars using 3:1:3:4:($1-0.4):($1+0.4) with boxxyerror "
            "linecolor '#d55e00' title '%s', "
            "$bars using 4:($1-0.4):(0):(0.8) with vectors nohead linewidth 1.5 "
            "linecolor '#000000' title 'prefix published'\n"
            "unset multiplot\n",
            trace->records.publishes ? "aggregate published, looks back"
                                     : "waits for the tile before it");
}

bool trace_draw(const void *user, FILE *svg, struct message *message)
{
    return gnuplot_draw(write_script, user, svg, message);
}
