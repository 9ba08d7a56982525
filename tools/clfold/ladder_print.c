#include "ladder.h"

#include "count.h"
#include "record.h"
#include "types.h"

#include <errno.h>
#include <string.h>

enum { FIGURE_TEXT = 32, TITLE_TEXT = 64 };

/* JSON and CSV have the same digits. */
static void print_seconds(char out[FIGURE_TEXT], double seconds)
{
    snprintf(out, FIGURE_TEXT, "%.9f", seconds);
}

/* Bytes of input in the time, in 10^9 a second. */
static double gbps(const struct ladder *ladder, size_t row, size_t rung)
{
    const double bytes = (double)ladder->counts[row] * (double)type_size(ladder->type);

    return bytes / ladder->cells[row][rung].seconds * 1e-9;
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
    const bool complete =
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

    fputs("kernel,type,op,count,seconds,gbps,ok,device\n", csv);
    for (size_t row = 0; row < ladder->num_counts; row++) {
        for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
            const struct ladder_cell *const cell = &ladder->cells[row][rung];
            print_seconds(seconds, cell->seconds);
            print_gbps(speed, gbps(ladder, row, rung));
            fprintf(csv, "%s,%s,%s,%zu,%s,%s,%s,", ladder_rungs[rung].name,
                    type_name(ladder->type), op_name(ladder->op), ladder->counts[row],
                    seconds, speed, cell->ok ? "yes" : "no");
            put_csv_text(csv, ladder->device_name);
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

static void print_tree(const struct rung *rung, size_t group_size)
{
    if (!rung->algorithm) {
        printf(" %5s %8s %5s %5s %7s %6s", "-", "-", "-", "-", "-", "-");
        return;
    }
    const struct ladder_counts counts = ladder_counts_play(rung->tree, group_size);
    printf(" %5zu %8zu %5zu %5zu %7zu %6zu", counts.steps, counts.barriers, counts.busy,
           counts.mixed, counts.replays, counts.cycles);
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
    printf("%-8s %9s %8s %8s %9s %6s %5s %8s %5s %5s %7s %6s %6s %8s %6s\n", "kernel",
           "ms", "GB/s", "x before", "x reduce0", "group", "steps", "barriers", "busy",
           "mixed", "replays", "cycles", "loads", "groups", "passes");
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
        print_tree(&ladder_rungs[i], report->group_size);
        printf(" %6zu %8zu %6zu\n", report->items, report->num_groups,
               report->num_launches);
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

bool ladder_draw(const struct ladder *ladder, FILE *svg, struct message *message)
{
    struct chart_line lines[NUM_RUNGS + 1];
    uint64_t counts[MOST_COUNTS];
    double speeds[NUM_RUNGS + 1][MOST_COUNTS];
    char title[TITLE_TEXT];

    snprintf(title, sizeof(title), "reduce %s %s: bytes read", op_name(ladder->op),
             type_name(ladder->type));
    for (size_t row = 0; row < ladder->num_counts; row++) {
        counts[row] = ladder->counts[row];
        for (size_t i = 0; i < NUM_RUNGS; i++) {
            speeds[i][row] = gbps(ladder, row, (i + NUM_RUNGS - 1) % NUM_RUNGS);
        }
        speeds[NUM_RUNGS][row] = ladder->roofline_gbps;
    }
    /* auto, the last, comes first: on top of the others. */
    for (size_t i = 0; i < NUM_RUNGS; i++) {
        const struct rung *const rung = &ladder_rungs[(i + NUM_RUNGS - 1) % NUM_RUNGS];
        lines[i] =
            (struct chart_line){ .name = rung->name,
                                 .kind = rung->algorithm ? CHART_PLAIN : CHART_STRONG,
                                 .values = speeds[i] };
    }
    lines[NUM_RUNGS] = (struct chart_line){ .name = CHART_ROOFLINE ": read",
                                            .kind = CHART_LIMIT,
                                            .values = speeds[NUM_RUNGS] };
    const struct chart_panel panel = { title, lines, NUM_RUNGS + 1 };
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
