/* The counts of the ladder's trees, against a table worked out by another program, and
 * for every group size against what follows from the tree's form. */
#include "ladder_counts.h"

#include "test.h"

static void table(void **state)
{
    static const struct {
        size_t size, steps, barriers;
        size_t busy0, mixed0, cycles0;           /* reduce0 */
        size_t busy1, mixed1, replays1, cycles1; /* reduce1 */
        size_t cycles2;                          /* reduce2: busy and mixed as reduce1 */
    } rows[] = {
        { 16, 4, 5, 4, 4, 12, 4, 4, 0, 12, 12 },
        { 128, 7, 8, 23, 23, 69, 8, 5, 45, 69, 24 },
        { 256, 8, 9, 47, 47, 141, 12, 5, 105, 141, 36 },
        { 512, 9, 10, 95, 95, 285, 20, 5, 225, 285, 60 },
        { 1024, 10, 11, 191, 191, 573, 36, 5, 465, 573, 108 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct ladder_counts reduce0 =
            ladder_counts_play(TREE_NEIGHBOURS, rows[i].size);
        const struct ladder_counts reduce1 =
            ladder_counts_play(TREE_PACKED, rows[i].size);
        const struct ladder_counts reduce2 =
            ladder_counts_play(TREE_HALVES, rows[i].size);

        assert_int_equal(reduce0.steps, rows[i].steps);
        assert_int_equal(reduce0.barriers, rows[i].barriers);
        assert_int_equal(reduce0.busy, rows[i].busy0);
        assert_int_equal(reduce0.mixed, rows[i].mixed0);
        assert_int_equal(reduce0.replays, 0);
        assert_int_equal(reduce0.cycles, rows[i].cycles0);

        assert_int_equal(reduce1.steps, rows[i].steps);
        assert_int_equal(reduce1.barriers, rows[i].barriers);
        assert_int_equal(reduce1.busy, rows[i].busy1);
        assert_int_equal(reduce1.mixed, rows[i].mixed1);
        assert_int_equal(reduce1.replays, rows[i].replays1);
        assert_int_equal(reduce1.cycles, rows[i].cycles1);

        assert_int_equal(reduce2.steps, rows[i].steps);
        assert_int_equal(reduce2.barriers, rows[i].barriers);
        assert_int_equal(reduce2.busy, rows[i].busy1);
        assert_int_equal(reduce2.mixed, rows[i].mixed1);
        assert_int_equal(reduce2.replays, 0);
        assert_int_equal(reduce2.cycles, rows[i].cycles2);
    }
}

/* w sub-groups of 32, so 2^5: (5 + 1)w - 1 busy sub-group-steps in reduce0, and w - 1 + 5
 * in the others; reduce1 replays what reduce0 wastes. */
static void powers_of_two(void **state)
{
    (void)state;
    for (size_t size = 32; size <= 1 << 14; size *= 2) {
        const struct ladder_counts reduce0 = ladder_counts_play(TREE_NEIGHBOURS, size);
        const struct ladder_counts reduce1 = ladder_counts_play(TREE_PACKED, size);
        const struct ladder_counts reduce2 = ladder_counts_play(TREE_HALVES, size);
        const size_t groups = size / 32;

        assert_int_equal(reduce0.busy, 6 * groups - 1);
        assert_int_equal(reduce0.mixed, 6 * groups - 1);
        assert_int_equal(reduce0.cycles, 3 * (6 * groups - 1));
        assert_int_equal(reduce1.busy, groups + 4);
        assert_int_equal(reduce1.mixed, 5);
        assert_int_equal(reduce1.replays, 3 * 5 * (groups - 1));
        assert_int_equal(reduce1.cycles, reduce0.cycles);
        assert_int_equal(reduce2.busy, groups + 4);
        assert_int_equal(reduce2.mixed, 5);
        assert_int_equal(reduce2.cycles, 3 * (groups + 4));
    }
}

static void any_size(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 1100; size++) {
        size_t steps = 0;
        while ((size_t)1 << steps < size) {
            steps++;
        }
        for (enum tree tree = TREE_NEIGHBOURS; tree <= TREE_HALVES; tree++) {
            const struct ladder_counts counts = ladder_counts_play(tree, size);
            assert_int_equal(counts.steps, steps);
            assert_int_equal(counts.barriers, steps + 1);
            /* each combine leaves one item less */
            assert_int_equal(counts.combines, size - 1);
            assert_true(counts.mixed <= counts.busy && counts.busy <= counts.combines);
            assert_int_equal(counts.cycles, 3 * counts.busy + counts.replays);
            assert_true(tree == TREE_PACKED || counts.replays == 0);
        }
    }
}

TEST_MAIN("ladder counts", NULL, NULL, cmocka_unit_test(table),
          cmocka_unit_test(powers_of_two), cmocka_unit_test(any_size))
