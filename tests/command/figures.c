/* The arithmetic of bench, tune and trace: cases, medians, rooflines, the places of a
 * chart's labels, and what records of tiles say. The rows are in figures.txt. */
#include "bench_cases.h"
#include "bench_stats.h"
#include "chart.h"
#include "count.h"
#include "options.h"
#include "pair.h"
#include "random.h"
#include "rows.h"
#include "trace_states.h"
#include "tune_row.h"

#include <math.h>

enum { MOST = 60 };

/* The numbers of a row, as "2^20", "32Mi-1" or "0.5". Returns how many. */
static size_t read_numbers(const char *input, uint64_t whole[MOST], double real[MOST])
{
    char word[32], *end;
    size_t num = 0;

    for (int length; sscanf(input, "%31s%n", word, &length) == 1;
         input += length, num++) {
        const size_t cut = strcspn(word, "+-");
        const int64_t more = strtoll(word + cut, NULL, 10);
        assert_true(num < MOST);
        real[num] = strtod(word, &end);
        word[cut] = '\0';
        if (count_parse(word, &whole[num])) {
            whole[num] += (uint64_t)more;
        }
    }
    return num;
}

/* ---- Cases ---- */

/* Of a command line of bench, on a device that has what the section says: cases of one
 * fold with their types, and the bytes that 1000 elements move. */
static bool show_cases(char shown[ROWS_LINE], const char *words, const char *input)
{
    static struct bench_case cases[BENCH_MOST_CASES];
    char line[256], *argv[ROWS_WORDS], type[BENCH_TYPE_TEXT];
    struct options options;
    struct message message;

    snprintf(line, sizeof(line), "clfold bench %s", input);
    assert_true(options_read(&options, rows_cut(line, argv), argv, &message));
    const size_t num = bench_choose_cases(&options.bench, strstr(words, "fp16") != NULL,
                                          strstr(words, "fp64") != NULL, cases);
    for (size_t i = 0; i < num; i++) {
        const struct bench_case *const one = &cases[i], *const before = one - (i > 0);
        if (i == 0 || one->operation != before->operation || one->fold != before->fold) {
            shown +=
                sprintf(shown, "%s%s %s", i ? "; " : "",
                        bench_operation_name(one->operation), bench_fold_name(one->fold));
        }
        bench_print_type(type, one);
        shown += sprintf(shown, " %s", type);
        if (strstr(words, "bytes")) {
            shown +=
                sprintf(shown, " %llu %zu", (unsigned long long)bench_bytes(one, 1000),
                        bench_out_size(one));
        }
    }
    return true;
}

/* ---- Statistics ---- */

/* Numbers, of which the section says what is made:
 *
 *     counts   between the least and the greatest
 *     figure   the median and the spread
 *     sets     how many, of so many bytes each and of the memory's
 *     roofline of kernels and of native loops, by the GB/s of each and the bytes
 *     memory   whether its speed has changed
 */
static bool show_numbers(char shown[ROWS_LINE], const char *words, const char *input)
{
    uint64_t whole[MOST];
    double real[MOST];
    const size_t num = read_numbers(input, whole, real);

    if (strcmp(words, "counts") == 0) {
        size_t counts[BENCH_MOST_COUNTS];
        const size_t num_counts =
            bench_choose_counts((size_t)whole[0], (size_t)whole[1], counts);
        assert_true(num_counts <= BENCH_MOST_COUNTS);
        for (size_t i = 0; i < num_counts; i++) {
            shown += sprintf(shown, "%s%zu", i ? " " : "", counts[i]);
        }
    } else if (strcmp(words, "figure") == 0) {
        const struct bench_figure f = bench_figure_of(real, num);
        assert_int_equal(f.runs, num);
        assert_true(fabs(f.high - f.low - f.spread * f.median) < 1e-12);
        assert_true(f.low <= f.median && f.median <= f.high);
        sprintf(shown, "%g %g", f.median, f.spread);
    } else if (strcmp(words, "sets") == 0) {
        const struct bench_sets sets = bench_choose_sets(whole[0], whole[1]);
        sprintf(shown, "%zu%s", sets.num, sets.few ? " few" : "");
    } else if (strcmp(words, "roofline") == 0) {
        const bool is_native = bench_roofline_is_native(real[0], real[1], whole[2]);
        const bool is_broken = bench_roofline_is_broken(real[0], real[1], whole[2]);
        sprintf(shown, "%s%s", is_native ? "native" : "kernel",
                is_broken ? " broken" : "");
    } else {
        assert_string_equal(words, "memory");
        strcpy(shown, bench_memory_moved(real[0], real[1]) ? "moved" : "same");
    }
    return true;
}

/* ---- Pairs, timed in turns ---- */

/* Each turn takes a second more than the one before. */
struct clock {
    double seconds;
    char turns[16];
    bool fails;
};

static bool take_turn(void *user, bool is_b, double *seconds)
{
    struct clock *const clock = user;

    *seconds = ++clock->seconds;
    strcat(clock->turns, is_b ? "b" : "a");
    return !clock->fails;
}

/* Who comes first changes, and the times stand where they belong. */
static void turns(void **state)
{
    struct clock clock = { 0 };
    struct pair pair = { .num = 0 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_true(pair_round(&pair, take_turn, &clock));
    }
    assert_string_equal(clock.turns, "abbaab");
    assert_int_equal(pair.num, 3);
    assert_true(pair.a[0] == 1 && pair.a[1] == 4 && pair.a[2] == 5);
    assert_true(pair.b[0] == 2 && pair.b[1] == 3 && pair.b[2] == 6);
    clock.fails = true;
    assert_false(pair_round(&pair, take_turn, &clock));
    assert_int_equal(pair.num, 3);
}

/* Of rounds whose ratios are 1 to their number: the median, and its bounds. */
static bool show_ratio(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct pair pair = { .num = strtoul(input, NULL, 10) };

    (void)words;
    for (size_t i = 0; i < pair.num; i++) {
        pair.b[i] = 1 + (double)(i % 3);
        pair.a[i] = pair.b[i] * (double)(pair.num - i);
    }
    const struct pair_ratio ratio = pair_ratio(&pair);
    sprintf(shown, "%g %g %g", ratio.median, ratio.low, ratio.high);
    return true;
}

/* ---- Labels of a chart ---- */

/* The places that lines 0, 1, ... get; the section says the gap. */
static bool show_labels(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct chart_label labels[MOST];
    uint64_t whole[MOST];
    double places[MOST];

    const size_t num = read_numbers(input, whole, places);
    for (size_t i = 0; i < num; i++) {
        labels[i] = (struct chart_label){ .line = i, .wanted = places[i] };
    }
    chart_part_labels(labels, num, strtod(words, NULL));
    for (size_t i = 0; i < num; i++) {
        places[labels[i].line] = labels[i].place;
    }
    for (size_t i = 0; i < num; i++) {
        shown += sprintf(shown, "%s%.6g", i ? " " : "", places[i]);
    }
    return true;
}

static void many_labels(void **state)
{
    struct chart_label labels[MOST];
    uint64_t random = 1;

    (void)state;
    for (int round = 0; round < 200; round++) {
        const double gap = 1.0 / MOST / (1 + round % 3);
        for (size_t i = 0; i < MOST; i++) {
            const double wanted = (double)(next_random(&random) % 100) / 99;
            labels[i] = (struct chart_label){ .line = i, .wanted = wanted };
        }
        chart_part_labels(labels, MOST, gap);
        for (size_t i = 0; i < MOST; i++) {
            assert_true(labels[i].place >= 0 && labels[i].place <= 1 + 1e-9);
            assert_true(i == 0 || labels[i].wanted >= labels[i - 1].wanted);
            assert_true(i == 0 || labels[i].place >= labels[i - 1].place + gap - 1e-9);
        }
    }
}

/* ---- Traces ---- */

static void expect_rows(const struct trace_row *rows, size_t num, const char *expected)
{
    char text[4096] = "";
    FILE *const file = fmemopen(text, sizeof(text), "w");

    assert_non_null(file);
    trace_write_rows(file, rows, num);
    fclose(file);
    assert_string_equal(text, expected);
}

static void snapshots(void **state)
{
    static const struct trace_row tiles[] = { { 0, 'P', "2", "2" },
                                              { 1, 'A', "2", "4" },
                                              { 2, 'X', "2", "6" } };
    static const struct trace_row wide[] = { { 99999, 'P', "-1234567890123",
                                               "-12345678901234567890" },
                                             { 100000, 'X', "1", "2" } };

    (void)state;
    expect_rows(tiles, 3,
                "    tile flag  aggregate  inclusive prefix\n"
                "       0    P          2                 2\n"
                "       1    A          2                 -\n"
                "       2    X          -                 -\n");
    expect_rows(wide, 2,
                "    tile flag       aggregate       inclusive prefix\n"
                "   99999    P  -1234567890123  -12345678901234567890\n"
                "  100000    X               -                      -\n");
}

/* Of tiles AGGREGATE/PREFIX: the moment that is chosen, the first tile, how many, and
 * their flags then. */
static bool show_moment(char shown[ROWS_LINE], const char *words, const char *input)
{
    clfold_tile_trace tiles[MOST] = { 0 };
    struct trace_records records = { tiles, 0, strcmp(words, "chained") != 0 };
    struct trace_snapshot snapshot;
    unsigned long long aggregate, prefix;
    int length;

    for (; sscanf(input, "%llu/%llu %n", &aggregate, &prefix, &length) == 2;
         input += length) {
        tiles[records.num].aggregate = aggregate;
        tiles[records.num++].prefix = prefix;
    }
    assert_true(trace_choose(&records, 10, &snapshot));
    shown += sprintf(shown, "%llu from %zu: ", (unsigned long long)snapshot.time,
                     snapshot.first);
    for (size_t i = 0; i < snapshot.num; i++) {
        *shown++ = trace_flag(&records, snapshot.first + i, snapshot.time);
    }
    *shown = '\0';
    return true;
}

/* The bucket of a depth. */
static bool show_bucket(char shown[ROWS_LINE], const char *words, const char *input)
{
    (void)words;
    trace_bucket_text(shown, trace_bucket((uint32_t)strtoul(input, NULL, 10)));
    return true;
}

/* ---- Rows of tuning files ---- */

/* All that the calls of an operation have, of a class of counts. */
static bool show_tuned(char shown[ROWS_LINE], const char *words, const char *input)
{
    const clfold_tuning_row row = { .operation = words,
                                    .count_class = (uint32_t)strtoul(input, NULL, 10),
                                    .tile = "tile_group",
                                    .element_bytes = 4,
                                    .tile_bytes = 512,
                                    .group_size = 64,
                                    .groups = 7,
                                    .lane_bytes = 16,
                                    .anchor = 4,
                                    .ahead_bytes = 1,
                                    .stream_bytes = UINT64_C(1) << 62 };
    struct tuned_numbers all, some = { 0 };
    char calls[TUNE_CALLS], text[TUNED_TEXT];

    tuned_of_row(&all, &row);
    tuned_print(text, &some);
    assert_string_equal(text, "");
    tuned_print(text, &all);
    tune_row_calls(calls, &row);
    sprintf(shown, "%s: %s", calls, text);
    some = all;
    assert_true(tuned_equal(&all, &some));
    tuned_put(&some, TUNED_ANCHOR, 5);
    assert_false(tuned_equal(&all, &some));
    return true;
}

/* Each line of a file, cut in three; none: it is no row. */
static bool show_lines(char shown[ROWS_LINE], const char *words, const char *input)
{
    struct tune_row row;
    const char *at = input;

    (void)words;
    while (tune_row_next(&at, &row)) {
        shown += row.calls[0]
                     ? sprintf(shown, "(%s) (%s) (%s) ", row.calls, row.numbers, row.key)
                     : sprintf(shown, "none ");
    }
    strcpy(shown, "end");
    assert_ptr_equal(at, input + strlen(input));
    return true;
}

static void rows(void **state)
{
    static const struct rows_kind kinds[] = {
        { "cases", show_cases, false, false },
        { "numbers", show_numbers, false, false },
        { "ratio", show_ratio, false, false },
        { "labels", show_labels, false, false },
        { "tuned", show_tuned, false, false },
        { "lines", show_lines, false, false },
        { "moment", show_moment, false, false },
        { "bucket", show_bucket, true, false },
    };

    (void)state;
    rows_check_file(ROWS, kinds, sizeof(kinds) / sizeof(kinds[0]));
}

TEST_MAIN("figures", NULL, NULL, cmocka_unit_test(rows), cmocka_unit_test(turns),
          cmocka_unit_test(many_labels), cmocka_unit_test(snapshots))
