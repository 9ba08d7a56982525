/*
 * One association for floats. Over at least 64 tiles of data that rounds, in each type of
 * float and on each tile: every strategy gives the same bits, in place or not, on either
 * kind of queue, from memory of the host at any address; an exclusive scan is the
 * inclusive one moved by one, and the total is the last inclusive item. That the bits are
 * right at all, within the bound of their additions, trial.c sees, and that prefixes
 * are folded as scan_tiles.cl draws it, a loop on the host. Workers: same_bits.py.
 */
#include "lookback.h"
#include "one_context.h"
#include "trial.h"
#include "test.h"

#define TILES 70

static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", "scan_lookback" };
#define NUM_ALGORITHMS 4

static const struct {
    struct debug plan;
    const char *name;
} tiles[] = {
    { { .tile = TILE_VECTOR, .tile_elements = 100, .max_groups = 7 }, "vector 100" },
    { { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8, .max_groups = 4 },
      "group 64" },
    { { .tile = TILE_VECTOR }, "vector" },
    { { .tile = TILE_GROUP }, "group" },
    { { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 5, .anchor = 4 },
      "vector 16 by 4" },
    { { .tile = TILE_GROUP, .tile_elements = 16, .group_size = 4, .anchor = 3 },
      "group 16 by 3" },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static size_t tile_of(const struct trial *scan)
{
    const clfold_fold fold = { .op = scan->op, .type = scan->pair.type };
    clfold_report report;

    clfold_context_override(ctx, &scan->plan);
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 20, NULL, &report));
    return report.tile;
}

/* An upper limit of the additions between an element and an item: of a work-item's own,
 * of its group's, and one a tile. */
static double depth_of(const struct trial *scan, size_t tile)
{
    clfold_report report;
    const clfold_fold fold = { .op = scan->op, .type = scan->pair.type };

    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 20, NULL, &report));
    size_t group = report.group_size;
    size_t inside = group > 1 ? tile / group + group : tile / 16 + 20;
    return (double)(inside + TILES + 8);
}

/* The items, and the total after them. */
static unsigned char *run(const struct trial *scan)
{
    unsigned char *results = calloc(scan->count + 1, trial_result_size(scan));

    assert_non_null(results);
    trial_check(scan, results);
    return results;
}

/* Both hold the items of an inclusive scan. An exclusive one with its total has them from
 * the second on: then `first` is 1. */
static void compare(const struct trial *scan, const unsigned char *expected,
                    const unsigned char *found, size_t first)
{
    size_t size = result_size(scan->op, scan->pair.type);

    for (size_t i = 0; i < scan->count; ++i) {
        const unsigned char *wanted = expected + i * size, *is = found + i * size;
        if (memcmp(wanted, is, size) != 0) {
            char text[512];
            trial_print(scan, text, sizeof(text));
            fail_msg("%s: result %zu is %.17g and not %.17g, as it was before", text,
                     i + first, as_double(scan->pair.type, is),
                     as_double(scan->pair.type, wanted));
        }
    }
}

/* All strategies on one tile and of one type: two of them inclusive and two exclusive, so
 * that each has a program. The policy's tiles are long, so there each has one way. */
static void check_tile(struct trial scan, size_t turn)
{
    const size_t shifts[NUM_ALGORITHMS] = { 4, 8, 20, 12 };
    size_t size = result_size(scan.op, scan.pair.type);
    unsigned char *expected = NULL;

    for (size_t k = 0; k < 4 * NUM_ALGORITHMS; ++k) {
        size_t a = k / 4, how = k % 4;
        if (scan.plan.tile_elements == 0 && how != (a + turn) % 4) {
            continue;
        }
        const bool exclusive = (turn + a) % 2;
        scan.disorder = how & 1;
        scan.algorithm = algorithms[a];
        scan.operation = scan_of(exclusive);
        scan.in_place = how & 2;
        scan.total = how & 1 ? TOTAL_APART : TOTAL_BEHIND;
        scan.host = size_of(scan.pair.type) == 4 && how == 3;
        scan.in_shift = scan.host ? shifts[a] : 0;
        unsigned char *found = run(&scan);
        /* The exclusive scan is the inclusive one moved by one place. */
        unsigned char *items = found + exclusive * size;
        if (!expected) {
            expected = malloc(scan.count * size);
            assert_non_null(expected);
            memcpy(expected, items, scan.count * size);
        }
        compare(&scan, expected, items, exclusive);
        assert_memory_equal(found + scan.count * size, expected + (scan.count - 1) * size,
                            size);
        free(found);
    }
    free(expected);
}

static void test_one_association(void **state)
{
    const clfold_type types[] = { CLFOLD_F32, CLFOLD_F64, CLFOLD_F16 };
    size_t t = (size_t)(uintptr_t)*state;

    for (size_t k = 0; k < 3; ++k) {
        struct trial scan = { .op = CLFOLD_ADD,
                              .pair = { types[k], types[k] },
                              .plan = tiles[t].plan,
                              .in_offset = 3 * t % 17,
                              .zones = true,
                              .init = t % 2 ? INIT_HOST : INIT_NONE,
                              .seed = t + 1 };
        /* The other types on a tile of each kind, one of them in blocks. */
        if (!device_has(&device, types[k]) || (k > 0 && t % 5 != 0)) {
            continue;
        }
        size_t tile = tile_of(&scan);
        scan.out_offset = scan.in_offset;
        scan.count = TILES * tile - tile / 2;
        scan.depth = depth_of(&scan, tile);
        check_tile(scan, t + k);
    }
}

/* Results that round otherwise in another grouping: were the data not so, equal bits
 * would say nothing. */
static void test_grouping_shows(void **state)
{
    struct trial scan = { .op = CLFOLD_ADD,
                          .pair = { CLFOLD_F32, CLFOLD_F32 },
                          .operation = CLFOLD_INCLUSIVE_SCAN,
                          .total = TOTAL_APART,
                          .count = 16 * TILES,
                          .depth = 1000,
                          .seed = 1 };
    unsigned char *results[2];
    size_t differ = 0;

    (void)state;
    for (size_t k = 0; k < 2; ++k) {
        scan.plan = tiles[k].plan;
        results[k] = run(&scan);
    }
    for (size_t i = 0; i <= scan.count; ++i) {
        differ += memcmp(results[0] + 4 * i, results[1] + 4 * i, 4) != 0;
    }
    print_message("%zu of %zu differ in tiles of another size\n", differ, scan.count);
    assert_true(differ > scan.count / 4);
    free(results[0]);
    free(results[1]);
}

/* ---- Prefixes ---------------------------------------------------------------------- */

#define TILE  16
#define COUNT (TILES * TILE - 5)

/* As scan_tiles.cl draws it, from each tile's own scan. The total comes last. */
static void expect_prefixes(const cl_float *totals, size_t anchor, const cl_float *init,
                            cl_float *prefixes)
{
    cl_float before = init ? *init : 0, partial = 0;

    if (anchor == 0) {
        fail_msg("no anchor was asked for");
        return;
    }
    for (size_t t = 0; t < TILES; ++t) {
        bool has_anchor = t >= anchor || init;
        prefixes[t] = t % anchor == 0 ? before : has_anchor ? before + partial : partial;
        partial = t % anchor == 0 ? totals[t] : partial + totals[t];
        if ((t + 1) % anchor == 0) {
            before = t > 0 || init ? prefixes[t] + totals[t] : totals[t];
        }
    }
    prefixes[TILES] = prefixes[TILES - 1] + totals[TILES - 1];
}

/* The first item of each tile of an exclusive scan, and the total; or false if the scan
 * is rejected for a valid reason. */
static bool find_prefixes(const clfold_fold *fold, const struct debug *plan, cl_mem in,
                          cl_mem out, cl_float *prefixes)
{
    static cl_float items[COUNT + 1];
    clfold_fold with_total = *fold;

    with_total.total_out = (clfold_place){ out, COUNT };
    clfold_status status = clfold_exclusive_scan(ctx, device.queue, &with_total, in, 0,
                                                 out, 0, COUNT, 0, NULL, NULL);
    if (is_due_refusal(&device, fold->algorithm, plan, false, status)) {
        return false;
    }
    assert_ok(status);
    load_buffer(out, 0, (COUNT + 1) * sizeof(cl_float), items);
    for (size_t t = 0; t < TILES; ++t) {
        prefixes[t] = items[t * TILE];
    }
    prefixes[TILES] = items[COUNT];
    return true;
}

/* What each tile is by itself. */
static void find_totals(cl_mem in, cl_mem out, cl_float *totals)
{
    cl_mem of_tiles = coloured_buffer(TILES * sizeof(cl_float));

    for (size_t t = 0; t < TILES; ++t) {
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_F32,
                                   .total_out = { of_tiles, t } };
        size_t rest = COUNT - t * TILE;
        assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, in, t * TILE, out, 0,
                                        rest < TILE ? rest : TILE, 0, NULL, NULL));
    }
    load_buffer(of_tiles, 0, TILES * sizeof(cl_float), totals);
    clReleaseMemObject(of_tiles);
}

/* Each kind of tile with anchors so far apart, strategies in turn: that they have the
 * same bits is shown above. */
static void test_prefixes(void **state)
{
    const uint32_t anchors[] = { 1, 3, 16, 2 * TILES };
    const cl_float init = 1.7F;
    cl_float data[COUNT], totals[2][TILES], plain[TILES + 1];
    size_t differ = 0, refused = 0;

    (void)state;
    fill(data, CLFOLD_F32, COUNT, FILL_ROUNDING, 3);
    cl_mem in = copied_buffer(data, COUNT * sizeof(cl_float)),
           out = coloured_buffer((COUNT + 1) * sizeof(cl_float));
    for (size_t k = 0; k < 2 * 4; ++k) {
        size_t kind = k / 4, a = (k + kind) % NUM_ALGORITHMS;
        struct debug plan = { .tile = kind ? TILE_GROUP : TILE_VECTOR,
                              .tile_elements = TILE,
                              .group_size = 4,
                              .max_groups = 7 };
        if (k % 4 == 0) {
            clfold_context_override(ctx, &plan);
            find_totals(in, out, totals[kind]);
        }
        plan.anchor = anchors[k % 4];
        plan = with_tier(&device, plan);
        clfold_context_override(ctx, &plan);
        for (size_t i = 0; i < 2; ++i) {
            clfold_fold fold = { .op = CLFOLD_ADD,
                                 .type = CLFOLD_F32,
                                 .algorithm = algorithms[a] };
            cl_float expected[TILES + 1] = { 0 }, found[TILES + 1];
            fold.init = i ? &init : NULL;
            fold.init_size = i ? sizeof(init) : 0;
            expect_prefixes(totals[kind], plan.anchor, fold.init, expected);
            if (!find_prefixes(&fold, &plan, in, out, found)) {
                ++refused;
                continue;
            }
            for (size_t t = 0; t <= TILES; ++t) {
                if (memcmp(&found[t], &expected[t], sizeof(*found)) != 0) {
                    fail_msg("prefix %zu by %s on %s, anchors %u apart, is %.9g and not "
                             "%.9g",
                             t, algorithms[a], clfold_tile_name(plan.tile), plan.anchor,
                             found[t], expected[t]);
                }
            }
        }
        /* Were they the same with any anchors, this would say nothing. */
        expect_prefixes(totals[kind], 1, NULL, plain);
        for (size_t t = 0; t < TILES; ++t) {
            cl_float blocks[TILES + 1];
            expect_prefixes(totals[kind], plan.anchor, NULL, blocks);
            differ += memcmp(&blocks[t], &plain[t], sizeof(*plain)) != 0;
        }
    }
    print_message("%zu prefixes are other ones in blocks, %zu scans refused\n", differ,
                  refused);
    assert_true(differ > TILES);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_TILES + 2] = { cmocka_unit_test(test_grouping_shows),
                                               cmocka_unit_test(test_prefixes) };

    for (size_t t = 0; t < NUM_TILES; ++t) {
        tests[t + 2] = (struct CMUnitTest){ .name = tiles[t].name,
                                            .test_func = test_one_association,
                                            .initial_state = (void *)(uintptr_t)t };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("scan_bits", tests, open_context, close_context);
}
