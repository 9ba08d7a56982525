#include "ladder.h"

#include "count.h"
#include "record.h"
#include "types.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { FIGURE_TEXT = 32, TITLE_TEXT = 64 };

/* JSON and CSV have the same digits. */
static void print_seconds(char out[FIGURE_TEXT], double seconds)
{
    snprintf(out, FIGURE_TEXT, "%.9f", seconds);
}

/* Bytes of input in a time, in 10^9 a second. */
static double gbps_of(const struct ladder *ladder, size_t row, double seconds)
{
    const double bytes = (double)ladder->counts[row] * (double)type_size(ladder->type);

    return bytes / seconds * 1e-9;
}

static double gbps(const struct ladder *ladder, size_t row, size_t rung)
{
    return gbps_of(ladder, row, ladder->cells[row][rung].seconds);
}

static void print_gbps(char out[FIGURE_TEXT], double value)
{
    snprintf(out, FIGURE_TEXT, "%.6g", value);
}

bool ladder_print_json(const struct ladder *ladder, size_t row, size_t rung,
                       struct message *message)
{
    const struct ladder_cell *const cell = &ladder->cells[row][rung];
    json_object *const object = json_object_new_object();
    const double speed = gbps(ladder, row, rung);
    char seconds_text[FIGURE_TEXT], speed_text[FIGURE_TEXT];

    print_seconds(seconds_text, cell->seconds);
    print_gbps(speed_text, speed);
    bool complete =
        object &&
        json_put(object, "kernel", json_object_new_string(ladder_rungs[rung].name)) &&
        json_put(object, "type", json_object_new_string(type_name(ladder->type))) &&
        json_put(object, "op", json_object_new_string(op_name(ladder->op))) &&
        json_put(object, "count", json_object_new_uint64(ladder->counts[row])) &&
        json_put(object, "seconds",
                 json_object_new_double_s(cell->seconds, seconds_text)) &&
        json_put(object, "gbps", json_object_new_double_s(speed, speed_text)) &&
        json_put(object, "ok", json_object_new_boolean(cell->ok)) &&
        json_put(object, "device", json_object_new_string(ladder->device_name));
    if (complete && *ladder->predicted) {
        print_seconds(seconds_text, cell->predicted);
        complete = json_put(object, "predicted_seconds",
                            json_object_new_double_s(cell->predicted, seconds_text)) &&
                   json_put(object, "sectors", json_object_new_uint64(cell->sectors)) &&
                   json_put(object, "predicted_device",
                            json_object_new_string(ladder->predicted));
    }
    if (!json_print(object, complete, message)) {
        return false;
    }
    /* A reader sees each as it comes, and without one there is nothing to measure. */
    return fflush(stdout) == 0 ||
           message_set(message, "standard output: %s", strerror(errno));
}

/* A device's name may hold commas and quotes. */
static void put_csv_text(FILE *csv, const char *text)
{
    putc('"', csv);
    for (; *text; text++) {
        if (*text == '"') {
            putc('"', csv);
        }
        putc(*text, csv);
    }
    putc('"', csv);
}

void ladder_write_csv(const struct ladder *ladder, FILE *csv)
{
    char seconds[FIGURE_TEXT], speed[FIGURE_TEXT];

    fprintf(csv, "kernel,type,op,count,seconds,gbps,ok,device%s\n",
            *ladder->predicted ? ",predicted_seconds,sectors,predicted_device" : "");
    for (size_t row = 0; row < ladder->num_counts; row++) {
        for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
            const struct ladder_cell *const cell = &ladder->cells[row][rung];
            print_seconds(seconds, cell->seconds);
            print_gbps(speed, gbps(ladder, row, rung));
            fprintf(csv, "%s,%s,%s,%zu,%s,%s,%s,", ladder_rungs[rung].name,
                    type_name(ladder->type), op_name(ladder->op), ladder->counts[row],
                    seconds, speed, cell->ok ? "yes" : "no");
            put_csv_text(csv, ladder->device_name);
            if (*ladder->predicted) {
                print_seconds(seconds, cell->predicted);
                fprintf(csv, ",%s,%" PRIu64 ",", seconds, cell->sectors);
                put_csv_text(csv, ladder->predicted);
            }
            putc('\n', csv);
        }
    }
}

/*
 * GB/s by number of elements
 *       n  reduce0  reduce1 ...
 *    2^17     1.23     1.50
 */
static void print_speeds(const struct ladder *ladder)
{
    char text[COUNT_TEXT];

    printf("GB/s by number of elements\n%12s", "n");
    for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
        printf(" %8s", ladder_rungs[rung].name);
    }
    for (size_t row = 0; row < ladder->num_counts; row++) {
        count_print(text, ladder->counts[row]);
        printf("\n%12s", text);
        for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
            printf(" %8.*f", gbps(ladder, row, rung) < 1000 ? 3 : 1,
                   gbps(ladder, row, rung));
        }
    }
    putchar('\n');
}

static void print_tree(const struct ladder *ladder, size_t rung)
{
    const struct ladder_tree *const tree = &ladder->trees[rung];

    if (!ladder_rungs[rung].algorithm) {
        printf(" %5s %8s %5s %5s %7s %6s", "-", "-", "-", "-", "-", "-");
        return;
    }
    printf(" %5" PRIu64 " %8" PRIu64 " %5" PRIu64 " %5" PRIu64 " %7" PRIu64 " %6" PRIu64,
           tree->steps, tree->barriers, tree->busy, tree->mixed, tree->replays,
           tree->cycles);
}

static void print_rungs(const struct ladder *ladder)
{
    const size_t last = ladder->num_counts - 1;
    const struct ladder_cell *const cells = ladder->cells[last];
    char text[COUNT_TEXT];

    count_print(text, ladder->counts[last]);
    printf("\nn = %s; steps to cycles are of one work-group, as clfold ladder --help "
           "says\n",
           text);
    printf("%-8s %9s %8s %8s %9s %6s %5s %8s %5s %5s %7s %6s %6s %8s %6s%s\n", "kernel",
           "ms", "GB/s", "x before", "x reduce0", "group", "steps", "barriers", "busy",
           "mixed", "replays", "cycles", "loads", "groups", "passes",
           *ladder->predicted ? " predicted      sectors" : "");
    for (size_t i = 0; i < NUM_RUNGS; i++) {
        const clfold_report *const report = &ladder->reports[i];
        printf("%-8s %9.4f %8.3f ", ladder_rungs[i].name, cells[i].seconds * 1e3,
               gbps(ladder, last, i));
        if (i == 0) {
            printf("%8s %9s", "-", "-");
        } else {
            printf("%8.2f %9.2f", cells[i - 1].seconds / cells[i].seconds,
                   cells[0].seconds / cells[i].seconds);
        }
        printf(" %6zu", report->group_size);
        print_tree(ladder, i);
        printf(" %6zu %8zu %6zu", report->items, report->num_groups,
               report->num_launches);
        if (*ladder->predicted) {
            printf(" %9.4f %12" PRIu64, cells[i].predicted * 1e3, cells[i].sectors);
        }
        putchar('\n');
    }
    if (*ladder->predicted) {
        printf("predicted are ms on %s, as clfold predict says\n", ladder->predicted);
    }
    printf("auto is %s; the fastest kernel that only reads takes in %.4g GB/s\n",
           ladder->reports[NUM_RUNGS - 1].algorithm, ladder->roofline_gbps);
}

void ladder_print_tables(const struct ladder *ladder)
{
    char text[COUNT_TEXT];

    printf("%s %s on %s, driver %s\n\n", type_name(ladder->type), op_name(ladder->op),
           ladder->device_name, ladder->driver);
    print_speeds(ladder);
    print_rungs(ladder);
    for (size_t row = 0; row < ladder->num_counts; row++) {
        for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
            if (!ladder->cells[row][rung].ok) {
                count_print(text, ladder->counts[row]);
                printf("ok=no %s at %s\n", ladder_rungs[rung].name, text);
            }
        }
    }
}

/* The rungs' lines, auto's first, which lies on top; with the times that are predicted if
 * `is_model`. Returns their number. */
static size_t add_lines(const struct ladder *ladder, bool is_model,
                        struct chart_line *lines, double (*speeds)[MOST_COUNTS],
                        char (*names)[FIGURE_TEXT])
{
    for (size_t i = 0; i < NUM_RUNGS; i++) {
        const size_t rung = (i + NUM_RUNGS - 1) % NUM_RUNGS;
        for (size_t row = 0; row < ladder->num_counts; row++) {
            const struct ladder_cell *const cell = &ladder->cells[row][rung];
            speeds[i][row] =
                gbps_of(ladder, row, is_model ? cell->predicted : cell->seconds);
        }
        snprintf(names[i], FIGURE_TEXT, "%s%s", ladder_rungs[rung].name,
                 is_model ? " model" : "");
        lines[i] =
            (struct chart_line){ .name = names[i],
                                 .kind = is_model                       ? CHART_MODEL
                                         : ladder_rungs[rung].algorithm ? CHART_PLAIN
                                                                        : CHART_STRONG,
                                 .values = speeds[i] };
    }
    return NUM_RUNGS;
}

bool ladder_draw(const struct ladder *ladder, FILE *svg, struct message *message)
{
    enum { MOST_LINES = 2 * NUM_RUNGS + 1 };
    struct chart_line lines[MOST_LINES];
    uint64_t counts[MOST_COUNTS];
    double speeds[MOST_LINES][MOST_COUNTS];
    char names[MOST_LINES][FIGURE_TEXT], title[TITLE_TEXT];
    size_t num = add_lines(ladder, false, lines, speeds, names);

    if (*ladder->predicted) {
        num += add_lines(ladder, true, lines + num, speeds + num, names + num);
    }
    snprintf(title, sizeof(title), "reduce %s %s: bytes read", op_name(ladder->op),
             type_name(ladder->type));
    for (size_t row = 0; row < ladder->num_counts; row++) {
        counts[row] = ladder->counts[row];
        speeds[num][row] = ladder->roofline_gbps;
    }
    lines[num] = (struct chart_line){ .name = CHART_ROOFLINE ": read",
                                      .kind = CHART_LIMIT,
                                      .values = speeds[num] };
    const struct chart_panel panel = { title, lines, num + 1 };
    const struct chart chart = { .device = ladder->device_name,
                                 .driver = ladder->driver,
                                 .what = "ladder",
                                 .y_label = CHART_THROUGHPUT,
                                 .counts = counts,
                                 .num_counts = ladder->num_counts,
                                 .panels = &panel,
                                 .num_panels = 1 };
    return chart_draw(&chart, svg, message);
}
