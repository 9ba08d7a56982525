/* What `clfold trace` makes of records: the paper's snapshot among others. */
#include "trace_states.h"

#include "test.h"

enum { NEVER = 1000 };

/* A tile of the given flag at time 100, and of prefix later, which takes turns so that no
 * other moment is as mixed. */
static clfold_tile_trace tile_of(char flag, uint64_t place)
{
    clfold_tile_trace tile = { .started = 10 + place,
                               .aggregate = 30 + place,
                               .prefix = 50 + place };

    if (flag == 'A') {
        tile.prefix = NEVER + place;
    } else if (flag == 'X') {
        tile.started = 101;
        tile.aggregate = NEVER - 1;
        tile.prefix = NEVER + place;
    }
    return tile;
}

static void make(clfold_tile_trace *tiles, const char *flags)
{
    for (size_t i = 0; flags[i]; i++) {
        tiles[i] = tile_of(flags[i], i);
    }
}

static void expect_rows(const struct trace_row *rows, size_t num, const char *expected)
{
    char text[4096] = "";
    FILE *const file = tmpfile();

    assert_non_null(file);
    trace_write_rows(file, rows, num);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

/*
 * Tiles 0 to 7, each of aggregate 2, tile 6 not started. In the paper the prefix of tile
 * 1 is in memory and its flag not yet P; records know no such moment.
 */
static void paper(void **state)
{
    clfold_tile_trace tiles[8];
    const struct trace_records records = { tiles, 8, true };
    struct trace_snapshot snapshot;
    struct trace_row rows[8];

    (void)state;
    make(tiles, "PAAPAPXA");
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.first, 0);
    assert_int_equal(snapshot.num, 8);
    assert_in_range(snapshot.time, 55, NEVER - 2);
    for (size_t i = 0; i < 8; i++) {
        rows[i].tile = snapshot.first + i;
        rows[i].flag = trace_flag(&records, i, snapshot.time);
        snprintf(rows[i].aggregate, sizeof(rows[i].aggregate), "2");
        snprintf(rows[i].prefix, sizeof(rows[i].prefix), "%zu", 2 * i + 2);
    }
    expect_rows(rows, 8,
                "    tile flag  aggregate  inclusive prefix\n"
                "       0    P          2                 2\n"
                "       1    A          2                 -\n"
                "       2    A          2                 -\n"
                "       3    P          2                 8\n"
                "       4    A          2                 -\n"
                "       5    P          2                12\n"
                "       6    X          -                 -\n"
                "       7    A          2                 -\n");
}

static void wide_values(void **state)
{
    const struct trace_row rows[] = { { 99999, 'P', "-1234567890123",
                                        "-12345678901234567890" },
                                      { 100000, 'X', "1", "2" } };

    (void)state;
    expect_rows(rows, 2,
                "    tile flag       aggregate       inclusive prefix\n"
                "   99999    P  -1234567890123  -12345678901234567890\n"
                "  100000    X               -                      -\n");
}

static void flags(void **state)
{
    const clfold_tile_trace tile = { .started = 5, .aggregate = 7, .prefix = 9 };
    const struct trace_records lookback = { &tile, 1, true };
    const struct trace_records chained = { &tile, 1, false };

    (void)state;
    assert_int_equal(trace_flag(&lookback, 0, 6), 'X');
    assert_int_equal(trace_flag(&lookback, 0, 7), 'A');
    assert_int_equal(trace_flag(&lookback, 0, 8), 'A');
    assert_int_equal(trace_flag(&lookback, 0, 9), 'P');
    assert_int_equal(trace_flag(&chained, 0, 8), 'X');
    assert_int_equal(trace_flag(&chained, 0, 9), 'P');
}

/* Many tiles, of which some differ. */
static void chosen(void **state)
{
    enum { NUM = 1000, FIRST = 613 };
    static const char mixed[] = "PAPXAPAX";
    clfold_tile_trace *const tiles = calloc(NUM, sizeof(*tiles));
    const struct trace_records records = { tiles, NUM, true };
    struct trace_snapshot snapshot;

    (void)state;
    assert_non_null(tiles);
    for (size_t i = 0; i < NUM; i++) {
        tiles[i] = tile_of(i < FIRST ? 'P' : 'X', i);
        /* before the moment */
        tiles[i].prefix = i < FIRST ? 50 : NEVER + 10 * i;
        tiles[i].aggregate = i < FIRST ? 40 : NEVER + 10 * i - 1;
    }
    for (size_t i = 0; mixed[i]; i++) {
        tiles[FIRST + i] = tile_of(mixed[i], i);
    }
    assert_true(trace_choose(&records, 8, &snapshot));
    assert_int_equal(snapshot.num, 8);
    /* seven changes, as many as eight tiles can have */
    assert_in_range(snapshot.first, FIRST - 1, FIRST);
    assert_in_range(snapshot.time, 50, NEVER - 2);
    assert_int_equal(trace_flag(&records, FIRST + 1, snapshot.time), 'A');

    /* of tiles that end one after the other: the front, in the middle of the snapshot */
    for (size_t i = 0; i < NUM; i++) {
        tiles[i] = (clfold_tile_trace){ .started = 10 * i,
                                        .aggregate = 10 * i + 5,
                                        .prefix = 10 * i + 8 };
    }
    assert_true(trace_choose(&records, 8, &snapshot));
    /* the first of many */
    assert_int_equal(snapshot.time, 45);
    assert_int_equal(snapshot.first, 0);
    free(tiles);
}

static void few(void **state)
{
    const clfold_tile_trace tile = { .started = 0, .aggregate = 1, .prefix = 2 };
    struct trace_records records = { &tile, 1, true };
    struct trace_snapshot snapshot;

    (void)state;
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.num, 1);
    assert_int_equal(snapshot.first, 0);
    records.num = 0;
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.num, 0);
}

/* What happens at one time shows at once: there is no moment between. */
static void same_time(void **state)
{
    const clfold_tile_trace together[] = { { .aggregate = 5, .prefix = 5 },
                                           { .aggregate = 9, .prefix = 10 } };
    const clfold_tile_trace apart[] = { { .aggregate = 5, .prefix = 9 },
                                        { .aggregate = 6, .prefix = 9 },
                                        { .aggregate = 7, .prefix = 20 } };
    struct trace_records records = { together, 2, true };
    struct trace_snapshot snapshot;

    (void)state;
    /* P X */
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.time, 5);
    /* P P A, and never P A A */
    records = (struct trace_records){ apart, 3, true };
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.time, 9);
}

/* Aggregates that are not published make no moment: P X P is one, A X P none. */
static void chained(void **state)
{
    const clfold_tile_trace tiles[] = { { .aggregate = 10, .prefix = 100 },
                                        { .aggregate = 500, .prefix = 600 },
                                        { .aggregate = 20, .prefix = 30 } };
    struct trace_records records = { tiles, 3, true };
    struct trace_snapshot snapshot;

    (void)state;
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.time, 30);
    records.publishes = false;
    assert_true(trace_choose(&records, 10, &snapshot));
    assert_int_equal(snapshot.time, 100);
}

static void buckets(void **state)
{
    static const struct {
        uint32_t least, most;
        const char *text;
    } cases[] = { { 0, 0, "0" },   { 1, 1, "1" },   { 2, 2, "2" },
                  { 3, 4, "3-4" }, { 5, 8, "5-8" }, { 9, 16, "9-16" } };
    char text[48];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(trace_bucket(cases[i].least), i);
        assert_int_equal(trace_bucket(cases[i].most), i);
        trace_bucket_text(text, i);
        assert_string_equal(text, cases[i].text);
    }
    assert_int_equal(trace_bucket(UINT32_MAX), TRACE_BUCKETS - 1);
    trace_bucket_text(text, TRACE_BUCKETS - 1);
    assert_string_equal(text, "2147483649-4294967296");
}

static void figures(void **state)
{
    const clfold_tile_trace tiles[] = {
        { .depth = 0, .polls = 1, .fallbacks = 0 },
        { .depth = 3, .polls = 10, .fallbacks = 2 },
        { .depth = 4, .polls = UINT32_MAX, .fallbacks = 0 },
        { .depth = 1, .polls = UINT32_MAX, .fallbacks = 1 },
    };
    const struct trace_records records = { tiles, 4, true }, none = { tiles, 0, true };
    const struct trace_figures told = trace_figures(&records);

    (void)state;
    assert_int_equal(told.buckets[0], 1);
    assert_int_equal(told.buckets[1], 1);
    assert_int_equal(told.buckets[2], 0);
    assert_int_equal(told.buckets[3], 2);
    assert_true(told.depth.mean == 2);
    assert_int_equal(told.depth.most, 4);
    assert_int_equal(told.polls.total, 2 * (uint64_t)UINT32_MAX + 11);
    assert_int_equal(told.fallbacks.total, 3);
    assert_true(told.fallbacks.mean == 0.75);
    assert_true(trace_figures(&none).polls.mean == 0);
}

static void folded(void **state)
{
    clfold_tile_trace tiles[66] = { 0 };
    const struct trace_records records = { tiles, 66, true };

    (void)state;
    tiles[5].folded = 5; /* tiles 4 and 2 */
    tiles[65].folded = UINT64_C(1) << 63;
    for (size_t other = 0; other < 5; other++) {
        assert_true(trace_folds(&records, 5, other) == (other == 4 || other == 2));
    }
    for (size_t other = 1; other < 65; other++) {
        assert_true(trace_folds(&records, 65, other) == (other == 1));
    }
}

static void spans(void **state)
{
    const clfold_tile_trace steps[] = { { .started = 1, .aggregate = 2, .prefix = 3 },
                                        { .started = 0, .aggregate = 4, .prefix = 5 } };
    const clfold_tile_trace cycles[] = {
        { .started = 71, .aggregate = 72, .prefix = 73 },
        { .started = 70, .aggregate = 75, .prefix = 76 }
    };
    const struct trace_span of_steps =
        trace_span(&(struct trace_records){ steps, 2, true });
    const struct trace_span of_cycles =
        trace_span(&(struct trace_records){ cycles, 2, true });

    (void)state;
    assert_true(of_steps.steps && of_steps.begin == 0 && of_steps.end == 5);
    assert_true(!of_cycles.steps && of_cycles.begin == 70 && of_cycles.end == 76);
}

TEST_MAIN("trace states", NULL, NULL, cmocka_unit_test(paper),
          cmocka_unit_test(wide_values), cmocka_unit_test(flags),
          cmocka_unit_test(chosen), cmocka_unit_test(few), cmocka_unit_test(same_time),
          cmocka_unit_test(chained), cmocka_unit_test(buckets), cmocka_unit_test(figures),
          cmocka_unit_test(folded), cmocka_unit_test(spans))
