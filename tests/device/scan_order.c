/*
 * Where folds may stop: their bits, and that look-back stops there. What operators are
 * given by scans: support/order_subjects.c, in trials.c.
 */
#include "held_up.h"
#include "lookback.h"
#include "test.h"
#include "subjects_of_text.h"

#define MOST 40000

static cl_uint elements[MOST][2];

/* Sums that round have the same bits by every strategy, whether its folds stop or not. */
static void test_bits(void **state)
{
    static cl_uint first[MOST][2];
    static const char *const algorithms[] = { "scan_single_group", "reduce_then_scan",
                                              "scan_lookback", "scan_then_propagate" };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_HEADS; ++k) {
        const size_t t = k / NUM_HEADS;
        fill_segments(elements, MOST, true, (enum heads)(k % NUM_HEADS),
                      scan_tile_size(t), true);
        for (size_t a = 0; a < (t == 0 ? 3 : 4); ++a) {
            const struct trial scan = { .subject = &order_subjects[SEGMENTS_OF_F32],
                                        .elements = elements,
                                        .plan = scan_tiles[t],
                                        .algorithm = algorithms[a],
                                        .operation = scan_of(t == 0),
                                        .unknown = a == 0,
                                        .expected = a > 0 ? first : NULL,
                                        .count = MOST };
            trial_check(&scan, a == 0 ? first : NULL);
        }
    }
}

/* Tiles of one head each, of which every second one never publishes its prefix: look-back
 * ends at once where the total before a tile cuts off all before it, and goes on to the
 * next prefix where there are no heads. */
static void test_lookback_stops(void **state)
{
    enum { TILE = 16, TILES = 10 };
    struct {
        struct held_up head;
        clfold_tile_trace records[TILES];
    } trace;
    cl_mem mem = coloured_buffer(sizeof(trace));

    (void)state;
    if (device.ends_loops) {
        print_message("%s: scans do not look back\n", device.name);
        clReleaseMemObject(mem);
        skip();
    }
    for (size_t k = 0; k < 2 * 2; ++k) {
        const struct trial scan = { .subject = &order_subjects[SEGMENTS_OF_U32],
                                    .elements = elements,
                                    .operation = CLFOLD_INCLUSIVE_SCAN,
                                    .plan = { .tile = k / 2 ? TILE_GROUP : TILE_VECTOR,
                                              .tile_elements = TILE,
                                              .group_size = 4,
                                              .max_groups = TILES,
                                              .spins = 1,
                                              .trace = mem },
                                    .algorithm = "scan_lookback",
                                    .count = TILES * TILE };
        cl_uint depths = 0;
        fill_segments(elements, MOST, false, k % 2 ? TILE_HEADS : NO_HEADS, TILE, false);
        memset(&trace, 0, sizeof(trace));
        trace.head.block_every = 2;
        trace.head.num_tiles = TILES;
        write_buffer(mem, 0, sizeof(trace), &trace);
        trial_check(&scan, NULL);
        load_buffer(mem, 0, sizeof(trace), &trace);
        for (size_t t = 2; t < TILES; t += 2) {
            assert_true(trace.records[t].started > 0 || trace.records[t].prefix > 0);
            depths += trace.records[t].depth;
        }
        print_message("depth of %u over %d tiles %s heads\n", depths, TILES / 2 - 1,
                      k % 2 ? "with" : "without");
        assert_true(k % 2 ? depths == 0 : depths >= TILES / 2 - 1);
    }
    clReleaseMemObject(mem);
}

TEST_MAIN("scan_order", open_context, close_context, cmocka_unit_test(test_bits),
          cmocka_unit_test(test_lookback_stops))
