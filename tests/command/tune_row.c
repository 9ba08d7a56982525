/* Rows of tuning files, cut and joined, and their numbers. */
#include "tune_row.h"

#include "test.h"

#define MAP "map 4 2^1..2^3 tile=tile_item on x=y\n"
#define ROW "reduce 4 2^1..2^3 groups=7 tile_bytes=300 on a on b; c\n"

static void numbers(void **state)
{
    static const struct {
        const char *operation, *text;
    } cases[] = {
        { "reduce", "tile=tile_group tile_bytes=512 group_size=64 groups=7 lane_bytes=16 "
                    "ahead_bytes=1" },
        { "scan", "tile=tile_group tile_bytes=512 group_size=64 groups=7 anchor=4 "
                  "ahead_bytes=1 stream_bytes=4611686018427387904" },
        { "select", "tile=tile_group tile_bytes=512 group_size=64 groups=7 anchor=4 "
                    "ahead_bytes=1 stream_bytes=4611686018427387904" },
        { "map", "tile=tile_group tile_bytes=512 group_size=64 groups=7 ahead_bytes=1 "
                 "stream_bytes=4611686018427387904" },
    };
    clfold_tuning_row row = { .tile = "tile_group",
                              .element_bytes = 4,
                              .tile_bytes = 512,
                              .group_size = 64,
                              .groups = 7,
                              .lane_bytes = 16,
                              .anchor = 4,
                              .ahead_bytes = 1,
                              .stream_bytes = UINT64_C(1) << 62 };
    struct tuned_numbers all, some;
    char out[TUNED_TEXT];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        row.operation = cases[i].operation;
        row.count_class = (uint32_t)i;
        tuned_of_row(&all, &row);
        tuned_print(out, &all);
        assert_string_equal(out, cases[i].text);
        tune_row_calls(out, &row);
        assert_string_equal(out, i == 0   ? "reduce 4 2^0..2^1"
                                 : i == 1 ? "scan 4 2^1..2^3"
                                 : i == 2 ? "select 4 2^3..2^5"
                                          : "map 4 2^5..2^7");
    }
    some = all;
    assert_true(tuned_equal(&all, &some));
    tuned_put(&some, TUNED_ANCHOR, 5);
    assert_false(tuned_equal(&all, &some));
    some = (struct tuned_numbers){ 0 };
    tuned_print(out, &some);
    assert_string_equal(out, "");
}

static void rows(void **state)
{
    static const char text[] = TUNE_FIRST ROW "mine\nreduce 4 on x=1\n" ROW MAP "x";
    struct tune_row row;
    const char *at = text;

    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_true(tune_row_next(&at, &row));
        assert_int_equal(row.calls[0] != '\0', i == 1 || i == 4);
        if (row.calls[0]) {
            assert_string_equal(row.calls, "reduce 4 2^1..2^3");
            assert_string_equal(row.numbers, "groups=7 tile_bytes=300");
            assert_string_equal(row.key, "a on b; c");
        }
    }
    assert_true(tune_row_next(&at, &row));
    assert_string_equal(row.calls, "map 4 2^1..2^3");
    assert_string_equal(row.key, "x=y");
    assert_string_equal(row.numbers, "tile=tile_item");
    assert_true(tune_row_next(&at, &row));
    assert_string_equal(row.calls, "");
    assert_false(tune_row_next(&at, &row));
    assert_ptr_equal(at, text + strlen(text));
}

TEST_MAIN("tune_row", NULL, NULL, cmocka_unit_test(numbers), cmocka_unit_test(rows))
