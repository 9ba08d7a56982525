#include "bench.h"

#include "chart.h"
#include "count.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

enum { FIGURE_TEXT = 32, NAME_TEXT = 64 };

static double gbps_in(const struct bench_row *row, double seconds)
{
    return (double)bench_bytes(&row->one, row->count) / seconds * 1e-9;
}

double bench_gbps(const struct bench_row *row)
{
    return gbps_in(row, row->figure.median);
}

static double fraction(const struct bench_row *row)
{
    return bench_gbps(row) / row->roofline_gbps;
}

/* ---- The table ---- */

static const char *driver_of(const struct bench *bench)
{
    return bench->driver ? bench->driver : "unknown";
}

void bench_print_head(const struct bench *bench)
{
    printf("%s, driver %s; medians of 5 to 101 rounds, in %g s\n",
           bench->session.device_name, driver_of(bench), bench->seconds);
    if (bench->machine.bytes) {
        printf("%s\n", bench->machine.bytes);
    }
    printf("%-6s %-12s %-8s %8s %9s %7s %4s %7s %8s %8s %7s %9s %4s  %s\n", "op", "fold",
           "type", "n", "ms", "spread", "runs", "GB/s", "roofline", "fraction", "native",
           "event ms", "sets", "algorithm, policy; roofline");
}

/* "2^20" or, where there is nothing, a hyphen. */
static const char *figure(char out[FIGURE_TEXT], double value, int width, int digits)
{
    if (value > 0) {
        snprintf(out, FIGURE_TEXT, "%*.*f", width, digits, value);
    } else {
        snprintf(out, FIGURE_TEXT, "%*s", width, "-");
    }
    return out;
}

/* Three digits that count. */
static const char *speed(char out[FIGURE_TEXT], double gbps, int width)
{
    const int digits = gbps < 0.1 ? 5 : gbps < 10 ? 3 : gbps < 100 ? 2 : 1;

    return figure(out, gbps, width, digits);
}

static void print_against(const struct bench_row *row)
{
    if (row->has_against) {
        printf("%-6s   by the file's row %.4f ms, %.3f (%.3f to %.3f) times as fast\n",
               "", row->against_seconds * 1e3, row->against.median, row->against.low,
               row->against.high);
    } else {
        printf("%-6s   the file has no row for it\n", "");
    }
}

void bench_print_row(const struct bench *bench, const struct bench_row *row)
{
    char count[COUNT_TEXT], type[BENCH_TYPE_TEXT], text[4][FIGURE_TEXT];

    count_print(count, row->count);
    bench_print_type(type, &row->one);
    printf("%-6s %-12s %-8s %8s %9.4f %6.1f%% %4zu %s %s%c %8.3f %s %s %4zu  ",
           bench_operation_name(row->one.operation), bench_fold_name(row->one.fold), type,
           count, row->figure.median * 1e3, row->figure.spread * 100, row->figure.runs,
           speed(text[0], bench_gbps(row), 7), speed(text[1], row->roofline_gbps, 7),
           row->broken ? '!' : ' ', fraction(row), speed(text[2], row->native_gbps, 7),
           figure(text[3], row->event_seconds * 1e3, 9, 4), row->sets.num);
    printf("%s, %s; %s%s%s\n", row->algorithm, row->policy, row->roofline,
           row->sets.few ? "; few sets, since memory is short" : "",
           row->ok ? "" : "; ok=no");
    if (row->broken) {
        printf("%-6s ! the roofline of kernels is broken, only %.4g GB/s\n", "",
               row->opencl_gbps);
    }
    if (bench->against.clfold) {
        print_against(row);
    }
}

void bench_print_memory(const struct bench *bench, FILE *stream)
{
    const struct bench_row *const read = bench->memory[0], *const copy = bench->memory[1];

    fprintf(stream,
            "reading runs at %.3g GB/s at the start and %.3g at the end, copying at %.3g "
            "and %.3g\n",
            read[0].roofline_gbps, read[1].roofline_gbps, copy[0].roofline_gbps,
            copy[1].roofline_gbps);
}

/* ---- JSON ---- */

static bool put_text(json_object *object, const char *key, const char *text)
{
    return json_put(object, key, json_object_new_string(text));
}

static bool put_number(json_object *object, const char *key, uint64_t number)
{
    return json_put(object, key, json_object_new_uint64(number));
}

/* null where there is none. */
static bool put_double(json_object *object, const char *key, const char *format,
                       double value)
{
    char text[FIGURE_TEXT];

    if (value <= 0) {
        return json_object_object_add(object, key, NULL) == 0;
    }
    snprintf(text, sizeof(text), strcmp(format, "seconds") == 0 ? "%.9f" : "%.6g", value);
    return json_put(object, key, json_object_new_double_s(value, text));
}

static bool put_flag(json_object *object, const char *key, bool flag)
{
    return json_put(object, key, json_object_new_boolean(flag));
}

static bool put_case(json_object *object, const struct bench_row *row)
{
    char type[BENCH_TYPE_TEXT];

    bench_print_type(type, &row->one);
    return put_text(object, "op", bench_operation_name(row->one.operation)) &&
           put_text(object, "fold", bench_fold_name(row->one.fold)) &&
           put_text(object, "algorithm", row->algorithm) &&
           put_text(object, "policy", row->policy) && put_text(object, "type", type) &&
           put_number(object, "count", row->count);
}

static bool put_figures(json_object *object, const struct bench_row *row)
{
    return put_double(object, "seconds", "seconds", row->figure.median) &&
           json_put(object, "spread", json_object_new_double(row->figure.spread)) &&
           put_number(object, "runs", row->figure.runs) &&
           put_double(object, "event_seconds", "seconds", row->event_seconds) &&
           put_double(object, "gbps", "gbps", bench_gbps(row)) &&
           put_double(object, "opencl_gbps", "gbps", row->opencl_gbps) &&
           put_double(object, "native_gbps", "gbps", row->native_gbps) &&
           put_double(object, "roofline_gbps", "gbps", row->roofline_gbps) &&
           put_text(object, "roofline", row->roofline) &&
           put_flag(object, "roofline_broken", row->broken) &&
           put_double(object, "fraction", "gbps", fraction(row)) &&
           put_number(object, "sets", row->sets.num) &&
           put_number(object, "set_bytes", row->set_bytes) &&
           put_flag(object, "sets_few", row->sets.few) && put_flag(object, "ok", row->ok);
}

/* null where the file has no row. */
static bool put_against(json_object *object, const struct bench_row *row)
{
    return put_double(object, "against_seconds", "seconds", row->against_seconds) &&
           put_double(object, "against_ratio", "gbps", row->against.median) &&
           put_double(object, "against_low", "gbps", row->against.low) &&
           put_double(object, "against_high", "gbps", row->against.high);
}

static bool put_machine(json_object *object, const struct bench *bench)
{
    const char *const machine = bench->machine.bytes;

    return put_text(object, "device", bench->session.device_name) &&
           put_text(object, "driver", driver_of(bench)) &&
           (machine ? put_text(object, "machine", machine)
                    : json_object_object_add(object, "machine", NULL) == 0);
}

bool bench_print_json(const struct bench *bench, const struct bench_row *row,
                      struct message *message)
{
    json_object *const object = json_object_new_object();
    const bool complete = object && put_case(object, row) && put_figures(object, row) &&
                          (!bench->against.clfold || put_against(object, row)) &&
                          put_machine(object, bench);

    return json_print(object, complete, message);
}

static bool put_limits(json_object *object, const char *key,
                       const struct bench_row limits[2])
{
    json_object *const both = json_object_new_array();
    bool done = both != NULL;

    for (int i = 0; done && i < 2; i++) {
        char text[FIGURE_TEXT];
        snprintf(text, sizeof(text), "%.6g", limits[i].roofline_gbps);
        done = json_object_array_add(
                   both, json_object_new_double_s(limits[i].roofline_gbps, text)) == 0;
    }
    return json_put(object, key, both) && done;
}

bool bench_print_memory_json(const struct bench *bench, struct message *message)
{
    json_object *const object = json_object_new_object();
    const bool complete = object &&
                          put_limits(object, "memory_read_gbps", bench->memory[0]) &&
                          put_limits(object, "memory_copy_gbps", bench->memory[1]) &&
                          put_flag(object, "memory_moved", bench->memory_moved) &&
                          put_machine(object, bench);

    return json_print(object, complete, message);
}

/* ---- The chart ---- */

enum { MOST_LINES = BENCH_MOST_CASES + 2 };

/* A panel for reductions and one for scans: a line for each case, then the roofline. */
struct drawing {
    char names[BENCH_MOST_CASES][NAME_TEXT];
    struct chart_line lines[MOST_LINES];
    struct chart_panel panels[2];
    size_t num_lines, num_panels;
    double values[MOST_LINES][3][BENCH_MOST_COUNTS]; /* medians, and ends of the bands */
};

static struct chart_line *add_line(struct drawing *drawing, const char *name,
                                   enum chart_kind kind)
{
    struct chart_line *const line = &drawing->lines[drawing->num_lines];

    *line = (struct chart_line){ .name = name,
                                 .kind = kind,
                                 .values = drawing->values[drawing->num_lines++][0] };
    return line;
}

static void add_case(const struct bench *bench, size_t i, struct drawing *drawing)
{
    const struct bench_case *const one = &bench->cases[i];
    double(*const values)[BENCH_MOST_COUNTS] = drawing->values[drawing->num_lines];
    char type[BENCH_TYPE_TEXT];

    bench_print_type(type, one);
    snprintf(drawing->names[i], NAME_TEXT, "%s %s", bench_fold_name(one->fold), type);
    struct chart_line *const line = add_line(drawing, drawing->names[i], CHART_PLAIN);
    line->low = values[1];
    line->high = values[2];
    for (size_t count = 0; count < bench->num_counts; count++) {
        const struct bench_row *const row = &bench->rows[i * bench->num_counts + count];
        values[0][count] = bench_gbps(row);
        values[1][count] = gbps_in(row, row->figure.high);
        values[2][count] = gbps_in(row, row->figure.low);
    }
}

/* The greatest of the cases' rooflines at each count. */
static void add_roofline(const struct bench *bench, clfold_operation operation,
                         struct drawing *drawing)
{
    double *const values = drawing->values[drawing->num_lines][0];

    add_line(drawing,
             operation == CLFOLD_REDUCE ? CHART_ROOFLINE ": read"
                                        : CHART_ROOFLINE ": copy",
             CHART_LIMIT);
    for (size_t i = 0; i < bench->num_cases * bench->num_counts; i++) {
        const struct bench_row *const row = &bench->rows[i];
        double *const most = &values[i % bench->num_counts];
        if (row->one.operation == operation && row->roofline_gbps > *most) {
            *most = row->roofline_gbps;
        }
    }
}

static void add_panel(const struct bench *bench, clfold_operation operation,
                      struct drawing *drawing)
{
    const size_t first = drawing->num_lines;

    for (size_t i = 0; i < bench->num_cases; i++) {
        if (bench->cases[i].operation == operation) {
            add_case(bench, i, drawing);
        }
    }
    if (drawing->num_lines > first) {
        add_roofline(bench, operation, drawing);
        drawing->panels[drawing->num_panels++] = (struct chart_panel){
            .title = operation == CLFOLD_REDUCE ? "reduce: bytes read"
                                                : "scan: bytes read and written",
            .lines = drawing->lines + first,
            .num_lines = drawing->num_lines - first,
        };
    }
}

bool bench_draw(const void *user, FILE *svg, struct message *message)
{
    const struct bench *const bench = user;
    struct drawing *const drawing = calloc(1, sizeof(*drawing));
    uint64_t counts[BENCH_MOST_COUNTS];

    if (!drawing) {
        return message_set(message, "there is not enough memory to draw");
    }
    add_panel(bench, CLFOLD_REDUCE, drawing);
    add_panel(bench, CLFOLD_INCLUSIVE_SCAN, drawing);
    for (size_t i = 0; i < bench->num_counts; i++) {
        counts[i] = bench->counts[i];
    }
    const struct chart chart = { .device = bench->session.device_name,
                                 .driver = driver_of(bench),
                                 .what = "bench: medians, bands of the middle half",
                                 .y_label = CHART_THROUGHPUT,
                                 .y_is_linear = true,
                                 .counts = counts,
                                 .num_counts = bench->num_counts,
                                 .panels = drawing->panels,
                                 .num_panels = drawing->num_panels };
    const bool done = chart_draw(&chart, svg, message);
    free(drawing);
    return done;
}
