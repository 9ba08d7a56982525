/* Two that are timed in turns, with times worked out by hand. */
#include "pair.h"
#include "random.h"

#include "test.h"

#include <math.h>

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

/* Rounds whose ratios are 1 to num. */
static void check(size_t num, double median, double low, double high)
{
    struct pair pair = { .num = num };

    for (size_t i = 0; i < num; i++) {
        pair.b[i] = 1 + (double)(i % 3);
        pair.a[i] = pair.b[i] * (double)(num - i);
    }
    const struct pair_ratio ratio = pair_ratio(&pair);
    assert_true(fabs(ratio.median - median) < 1e-9);
    assert_true(fabs(ratio.low - low) < 1e-9);
    assert_true(fabs(ratio.high - high) < 1e-9);
}

static void bounds(void **state)
{
    (void)state;
    check(1, 1, 1, 1);
    check(2, 1.5, 1, 2);
    check(5, 3, 1, 5);
    check(11, 6, 3, 9); /* 9 of 11 by chance: 3 % */
    check(41, 21, 15, 27);
    check(101, 51, 41, 61);
}

/* Times with the same noise for both, some of them far off: the bounds are about 1 in 19
 * of 20 cases. */
static void chance(void **state)
{
    uint64_t random = 1;
    size_t missed = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct pair pair = { .num = 21 };
        for (size_t k = 0; k < 2 * pair.num; k++) {
            const double noise = (double)(next_random(&random) >> 11) / 0x1p53;
            const double seconds = noise > 0.9 ? 3 : 1 + noise;
            (k < pair.num ? pair.a : pair.b)[k % pair.num] = seconds;
        }
        const struct pair_ratio ratio = pair_ratio(&pair);
        assert_true(ratio.low <= ratio.median && ratio.median <= ratio.high);
        missed += ratio.low > 1 || ratio.high < 1;
    }
    assert_in_range(missed, 10, 70);
}

TEST_MAIN("pair", NULL, NULL, cmocka_unit_test(turns), cmocka_unit_test(bounds),
          cmocka_unit_test(chance))
