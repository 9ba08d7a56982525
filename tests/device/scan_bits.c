/*
 * One association for floats: prefixes are folded as scan_tiles.cl draws it, as a loop on
 * the host does. And every strategy gives the same bits: a few trials here, others in
 * trials.c, in place or not, on either kind of queue; support/trial_twin.c compares them.
 * Workers: same_bits.py.
 */
#include "lookback.h"
#include "one_context.h"
#include "test.h"
#include "trial.h"

#define TILES 70
#define TILE  16
#define COUNT (TILES * TILE - 5)

static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", "scan_lookback" };
#define NUM_ALGORITHMS 4

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

/* Each kind of tile with anchors so far apart, strategies in turn. */
static void test_prefixes(void **state)
{
    const uint32_t anchors[] = { 1, 3, 16, 2 * TILES };
    const cl_float init = 1.7F;
    cl_float data[COUNT], totals[2][TILES], plain[TILES + 1];
    size_t differ = 0, refused = 0;

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

/* Results that round otherwise in another grouping: were the data not so, equal bits
 * would say nothing. */
static void test_grouping_shows(void **state)
{
    static cl_float results[2][16 * TILES];
    struct trial scan = { .op = CLFOLD_ADD,
                          .pair = { CLFOLD_F32, CLFOLD_F32 },
                          .operation = CLFOLD_INCLUSIVE_SCAN,
                          .plan = { .tile = TILE_VECTOR },
                          .count = 16 * TILES,
                          .rounds = true,
                          .seed = 1 };
    size_t differ = 0;

    for (size_t k = 0; k < 2; ++k) {
        scan.plan.tile_elements = k ? 64 : 100;
        trial_check(&scan, results[k]);
    }
    for (size_t i = 0; i < scan.count; ++i) {
        differ += memcmp(&results[0][i], &results[1][i], sizeof(cl_float)) != 0;
    }
    print_message("%zu of %zu differ in tiles of another size\n", differ, scan.count);
    assert_true(differ > scan.count / 4);
}

/* On tiles of each kind, in blocks or not, each strategy has the bits of another one. */
static void test_same_bits(void **state)
{
    static const struct debug tiles[] = {
        { .tile = TILE_VECTOR, .tile_elements = 100 },
        { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8 },
        { .tile = TILE_VECTOR, .tile_elements = 16, .anchor = 4 },
        { .tile = TILE_GROUP, .tile_elements = 16, .group_size = 4, .anchor = 3 },
        { .tile = TILE_VECTOR }, /* as long as the policy makes it */
        { .tile = TILE_GROUP },
    };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_report report;
    uint64_t tile = 0; /* of all strategies */

    for (size_t k = 0; k < 6 * NUM_ALGORITHMS; ++k) {
        const size_t t = k / NUM_ALGORITHMS, a = k % NUM_ALGORITHMS;
        struct trial scan = { .op = CLFOLD_ADD,
                              .pair = { CLFOLD_F32, CLFOLD_F32 },
                              .operation = scan_of((t / 2 + a) % 2),
                              .algorithm = algorithms[a],
                              .plan = tiles[t],
                              .total = TOTAL_APART,
                              .rounds = true,
                              .seed = k };
        scan.plan.max_groups = 4 + (uint32_t)a; /* which chooses the other one */
        clfold_context_override(ctx, &scan.plan);
        fold.algorithm = algorithms[a % 3]; /* which no device refuses */
        assert_ok(clfold_explain(ctx, scan.operation, &fold, 1 << 20, NULL, &report));
        tile = a == 0 ? report.tile : tile;
        assert_int_equal(report.tile, tile);
        scan.count = (tiles[t].tile_elements ? TILES : 5) * report.tile - 5;
        trial_check(&scan, NULL);
    }
}

TEST_MAIN("scan_bits", open_context, close_context, cmocka_unit_test(test_grouping_shows),
          cmocka_unit_test(test_prefixes), cmocka_unit_test(test_same_bits))
