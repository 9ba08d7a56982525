/* The arithmetic of bench, with values worked out by hand. */
#include "bench_stats.h"

#include "test.h"

#include <math.h>

static const uint64_t mebibyte = 1 << 20;

static void check(double *seconds, size_t num, double median, double spread)
{
    const struct bench_figure figure = bench_figure_of(seconds, num);

    assert_int_equal(figure.runs, num);
    assert_true(fabs(figure.median - median) < 1e-12);
    assert_true(fabs(figure.spread - spread) < 1e-12);
    assert_true(fabs(figure.high - figure.low - spread * median) < 1e-12);
    assert_true(figure.low <= median && median <= figure.high);
}

static void medians(void **state)
{
    (void)state;
    check((double[]){ 3 }, 1, 3, 0);
    check((double[]){ 3, 1 }, 2, 2, 0.5);          /* 1.5 to 2.5 */
    check((double[]){ 5, 1, 3 }, 3, 3, 2.0 / 3);   /* 2 to 4 */
    check((double[]){ 4, 1, 2, 3 }, 4, 2.5, 0.6);  /* 1.75 to 3.25 */
    check((double[]){ 9, 1, 7, 3, 5 }, 5, 5, 0.8); /* 3 to 7 */
    /* one that takes long counts as one */
    check((double[]){ 2, 2, 2, 2, 1000 }, 5, 2, 0);
}

static void check_sets(uint64_t set_bytes, uint64_t memory, size_t num, bool few)
{
    const struct bench_sets sets = bench_choose_sets(set_bytes, memory);

    assert_int_equal(sets.num, num);
    assert_int_equal(sets.few, few);
}

static void rotation(void **state)
{
    const uint64_t much = UINT64_MAX;

    (void)state;
    check_sets(64, much, 128, false);
    check_sets(4 * mebibyte, much, 128, false);
    check_sets(4 * mebibyte + 64, much, 128, false); /* 127.9 */
    check_sets(5 * mebibyte, much, 103, false);      /* 102.4 */
    check_sets(256 * mebibyte, much, 2, false);
    check_sets(256 * mebibyte - 64, much, 3, false);
    check_sets(512 * mebibyte, much, 2, false);
    check_sets(1024 * mebibyte - 64, much, 2, false);
    check_sets(1024 * mebibyte, much, 1, false);
    check_sets(UINT64_MAX, much, 1, false);

    check_sets(256 * mebibyte, 512 * mebibyte, 2, false);
    check_sets(256 * mebibyte, 512 * mebibyte - 1, 1, true);
    check_sets(4 * mebibyte, 40 * mebibyte, 10, true);
    check_sets(2048 * mebibyte, 2048 * mebibyte, 1, false);
    check_sets(2048 * mebibyte, 2047 * mebibyte, 0, true);
}

static void rooflines(void **state)
{
    const uint64_t most = UINT64_MAX;

    (void)state;
    assert_false(bench_roofline_is_broken(90.001, 100, most));
    assert_true(bench_roofline_is_broken(89.999, 100, most));
    assert_false(bench_roofline_is_broken(100, 1, most));
    /* no native loops */
    assert_false(bench_roofline_is_broken(1, 0, most));
    /* launches, not memory */
    assert_false(bench_roofline_is_broken(1, 100, 32 * mebibyte - 1));
    assert_true(bench_roofline_is_broken(1, 100, 32 * mebibyte));
    assert_true(bench_roofline_is_native(99.999, 100, 32 * mebibyte));
    assert_false(bench_roofline_is_native(100, 100, most));
    assert_false(bench_roofline_is_native(1, 0, most));
    assert_false(bench_roofline_is_native(1, 100, 32 * mebibyte - 1));
}

static void memory(void **state)
{
    (void)state;
    assert_false(bench_memory_moved(100, 100));
    assert_false(bench_memory_moved(114.9, 100));
    assert_false(bench_memory_moved(100, 114.9));
    assert_true(bench_memory_moved(115.1, 100));
    assert_true(bench_memory_moved(100, 115.1));
    assert_false(bench_memory_moved(0, 0)); /* not measured */
}

TEST_MAIN("bench stats", NULL, NULL, cmocka_unit_test(medians),
          cmocka_unit_test(rotation), cmocka_unit_test(rooflines),
          cmocka_unit_test(memory))
