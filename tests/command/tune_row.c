/* Rows of tuning files, cut and joined, and their numbers. */
#include "tune_row.h"

#include "test.h"

#define FIRST "clfold tuning 4\n"
#define MAP   "map f32:u8 2^1..2^3 tile=tile_item on x=y\n"
#define ROW                                                                              \
    "reduce add f32:f32 2^1..2^3 groups=7 tile_bytes=300 on clfold 100; a on b; c\n"

static void numbers(void **state)
{
    static const char text[] = "tile=tile_group tile_bytes=512 group_size=64 groups=7 "
                               "lane_bytes=16 anchor=4 ahead_bytes=1 stream_bytes=0";
    struct tuned_numbers all, some;
    char out[TUNED_TEXT];

    (void)state;
    tuned_read(&all, text);
    assert_int_equal(all.set, (1 << TUNED_NUM) - 1);
    assert_int_equal(all.values[TUNED_TILE], TILE_GROUP);
    assert_int_equal(all.values[TUNED_LANE_BYTES], 16);
    tuned_print(out, &all);
    assert_string_equal(out, text);
    tuned_read(&some, "stream_bytes=4611686018427387904 tile=tile_vector");
    tuned_print(out, &some);
    assert_string_equal(out, "tile=tile_vector stream_bytes=4611686018427387904");
    assert_false(tuned_equal(&all, &some));
    some = all;
    assert_true(tuned_equal(&all, &some));
    tuned_put(&some, TUNED_ANCHOR, 5);
    assert_false(tuned_equal(&all, &some));
    tuned_read(&some, "group=1 groups tile_bytesx=3 =");
    assert_int_equal(some.set, 0);
    tuned_print(out, &some);
    assert_string_equal(out, "");
}

static void rows(void **state)
{
    static const char text[] = FIRST ROW "mine\nreduce add on x=1\n" ROW MAP;
    struct tuned_numbers numbers;
    struct tune_row row;
    const char *at = text;

    (void)state;
    assert_int_equal(tune_row_first(text), strlen(FIRST));
    assert_int_equal(tune_row_first("none"), 4);
    for (int i = 0; i < 5; i++) {
        assert_true(tune_row_next(&at, &row));
        assert_int_equal(row.fold[0] != '\0', i == 1 || i == 4);
        if (row.fold[0]) {
            assert_string_equal(row.fold, "reduce add f32:f32 2^1..2^3");
            assert_string_equal(row.numbers, "groups=7 tile_bytes=300");
            assert_string_equal(row.key, "clfold 100; a on b; c");
        }
    }
    assert_true(tune_row_next(&at, &row));
    assert_string_equal(row.fold, "map f32:u8 2^1..2^3");
    assert_string_equal(row.key, "x=y");
    tuned_read(&numbers, row.numbers);
    assert_int_equal(numbers.values[TUNED_TILE], TILE_ITEM);
    assert_false(tune_row_next(&at, &row));
    assert_ptr_equal(at, text + strlen(text));
}

TEST_MAIN("tune_row", NULL, NULL, cmocka_unit_test(numbers), cmocka_unit_test(rows))
