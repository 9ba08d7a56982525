/*
 * Segmented scans: the monoid of (value, head) with `cuts`, where folds may stop at a
 * head. Heads at the ends of tiles, everywhere, nowhere, by lot, and so rare that a
 * segment is many tiles long; compared with a loop on the host.
 */
#define CLFOLD_EXPERIMENTAL
#include "one_context.h"
#include "oracle.h"
#include "order_check.h"
#include "test.h"

#define MOST 40000

static struct value elements[MOST];

static struct value segment_join(struct value a, struct value b)
{
    return (struct value){ { b.parts[1] ? b.parts[0] : a.parts[0] + b.parts[0],
                             a.parts[1] | b.parts[1] } };
}

static struct value segment_join_f32(struct value a, struct value b)
{
    cl_float sum = as_real(a.parts[0]) + as_real(b.parts[0]);

    return (struct value){ { b.parts[1] ? b.parts[0] : as_bits(sum),
                             b.parts[1] ? b.parts[1] : a.parts[1] } };
}

/* The head of f32 is a float as well. */
static struct monoid segment_monoid(clfold_type type)
{
    bool real = type == CLFOLD_F32;

    return (struct monoid){
        .name = "segments",
        .in = type,
        .type = type,
        .cell = type,
        .num_scalars = 2,
        .num_components = 2,
        .has_identity = true,
        .stage_limit = UINT64_MAX,
        .cuts = "b.f != 0",
        .components = { { "v", type, type, type, LOAD_PLAIN, "b.f != 0 ? b.v : a.v + b.v",
                          "0", 0, real ? "-0.0f" : "0", NULL },
                        { "f", type, type, type, LOAD_PLAIN,
                          real ? "b.f != 0 ? b.f : a.f" : "a.f | b.f", "0", 1, "0",
                          NULL } },
    };
}

enum heads {
    NO_HEADS,
    ALL_HEADS,
    TILE_HEADS,   /* each tile's first */
    BEFORE_HEADS, /* each tile's last */
    BEHIND_HEADS, /* each tile's second */
    RANDOM_HEADS,
    RARE_HEADS, /* a segment is many tiles long */
    NUM_HEADS
};

static bool is_head(enum heads heads, size_t i, size_t tile, uint64_t *random)
{
    switch (heads) {
    case ALL_HEADS:
        return true;
    case TILE_HEADS:
        return i % tile == 0;
    case BEFORE_HEADS:
        return i % tile == tile - 1;
    case BEHIND_HEADS:
        return i % tile == 1;
    case RANDOM_HEADS:
        return (next_random(random) >> 20) % 11 == 0;
    case RARE_HEADS:
        return (next_random(random) >> 20) % (9 * tile) == 0;
    default:
        return false;
    }
}

static void make_segments(clfold_type type, enum heads heads, size_t tile, size_t count,
                          bool rounding)
{
    uint64_t random = heads;

    for (size_t i = 0; i < count; ++i) {
        bool head = is_head(heads, i, tile, &random);
        cl_uint value = (cl_uint)(next_random(&random) >> 40);
        if (type == CLFOLD_F32) {
            cl_float real =
                rounding ? (cl_float)value * 0x1.1p-9F : (cl_float)(value % 64);
            elements[i] = (struct value){ { as_bits(real), head ? as_bits(1) : 0 } };
        } else {
            elements[i] = (struct value){ { value, head } };
        }
    }
}

static void check(const struct order_case *scan)
{
    char why[1024];

    if (!order_check(ctx, &device, scan, NULL, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

/* A tile, a type, and where the heads are. */
struct cut_case {
    size_t tile;
    clfold_type type;
    enum heads heads;
};

static void check_segments(const struct cut_case *cut, const char *algorithm,
                           bool exclusive)
{
    static const struct value inits[] = { { { 11, 0 } },
                                          { { 0x41300000 /* 11.0 */, 0 } } };
    bool real = cut->type == CLFOLD_F32;
    const struct monoid monoid = segment_monoid(cut->type);
    size_t tile = order_tile_size(cut->tile);
    const size_t counts[] = { tile + 1, !order_tiles[cut->tile].tile_elements
                                            ? MOST
                                            : 70 * tile + 5 };

    for (size_t c = 0; c < 4; ++c) {
        struct order_case scan = {
            .monoid = &monoid,
            .combine = real ? segment_join_f32 : segment_join,
            .scalars = elements,
            .values = elements,
            .init = c % 2 ? &inits[real] : NULL,
            .plan = order_tiles[cut->tile],
            .algorithm = algorithm,
            .exclusive = exclusive,
            .count = counts[c / 2],
            .out_offset = c == 3 ? 16 : 0,
        };
        check(&scan);
    }
}

/* Folds of tiles, which reduce_then_scan has, and look-backs are what may stop at a head:
 * both on each tile, and in turn one of the two that never stop. Each strategy meets both
 * types and both kinds of scan, each tile too. */
static void test_segments(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3 * ORDER_TILES; ++k) {
        size_t t = k / 3, a = k % 3;
        if (!policy_has_tile(order_tiles[t].tile)) {
            continue;
        }
        const char *const algorithms[] = { "reduce_then_scan", "scan_lookback",
                                           (t + t / 2) % 2 ? "scan_then_propagate"
                                                           : "scan_single_group" };
        struct cut_case cut = { .tile = t, .type = k % 2 ? CLFOLD_F32 : CLFOLD_U32 };
        for (cut.heads = NO_HEADS; cut.heads < NUM_HEADS; ++cut.heads) {
            make_segments(cut.type, cut.heads, order_tile_size(t), MOST, false);
            check_segments(&cut, algorithms[a], (t / 2 + a) % 2);
        }
    }
}

/* Sums that round have the same bits by every strategy, whether its folds stop or not. */
static void test_bits(void **state)
{
    static cl_uint first[2 * MOST];
    const struct monoid monoid = segment_monoid(CLFOLD_F32);
    static const char *const others[] = { "reduce_then_scan", "scan_lookback",
                                          "scan_then_propagate" };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_HEADS; ++k) {
        size_t t = k / NUM_HEADS;
        char why[1024];
        struct order_case scan = { .monoid = &monoid,
                                   .scalars = elements,
                                   .plan = order_tiles[t],
                                   .algorithm = "scan_single_group",
                                   .exclusive = t == 0,
                                   .count = MOST };
        make_segments(CLFOLD_F32, (enum heads)(k % NUM_HEADS), order_tile_size(t), MOST,
                      true);
        if (!order_check(ctx, &device, &scan, first, why, sizeof(why))) {
            fail_msg("%s", why);
        }
        scan.expected = first;
        for (size_t i = 0; i < (t == 0 ? 2 : 3); ++i) {
            scan.algorithm = others[i];
            check(&scan);
        }
    }
}

/* Tiles of one head each, of which every second one never publishes its prefix: look-back
 * ends at once where the total before a tile cuts off all before it, and goes on to the
 * next prefix where there are no heads. */
static void test_lookback_stops(void **state)
{
    enum { TILE = 16, TILES = 10 };
    clfold_tile_trace records[TILES];
    const struct monoid monoid = segment_monoid(CLFOLD_U32);
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(records), NULL, &status);
    struct scan_trace trace = { .tiles = mem, .block_every = 2 };

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    if (device.ends_loops) {
        print_message("%s: scans do not look back\n", device.name);
        clReleaseMemObject(mem);
        skip();
    }
    for (size_t k = 0; k < 2 * 2; ++k) {
        struct order_case scan = { .monoid = &monoid,
                                   .combine = segment_join,
                                   .scalars = elements,
                                   .values = elements,
                                   .plan = { .tile = k / 2 ? TILE_GROUP : TILE_VECTOR,
                                             .tile_elements = TILE,
                                             .group_size = 4,
                                             .max_groups = TILES,
                                             .spins = 1,
                                             .trace = &trace },
                                   .algorithm = "scan_lookback",
                                   .count = TILES * TILE };
        cl_uint depths = 0;
        make_segments(CLFOLD_U32, k % 2 ? TILE_HEADS : NO_HEADS, TILE, MOST, false);
        memset(records, 0, sizeof(records));
        assert_int_equal(clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0,
                                              sizeof(records), records, 0, NULL, NULL),
                         CL_SUCCESS);
        check(&scan);
        assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0,
                                             sizeof(records), records, 0, NULL, NULL),
                         CL_SUCCESS);
        for (size_t t = 2; t < TILES; t += 2) {
            assert_true(records[t].started > 0 || records[t].prefix > 0);
            depths += records[t].depth;
        }
        print_message("depth of %u over %d tiles %s heads\n", depths, TILES / 2 - 1,
                      k % 2 ? "with" : "without");
        assert_true(k % 2 ? depths == 0 : depths >= TILES / 2 - 1);
    }
    clReleaseMemObject(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_segments),
                                        cmocka_unit_test(test_bits),
                                        cmocka_unit_test(test_lookback_stops) };

    return cmocka_run_group_tests_name("scan_cuts", tests, open_context, close_context);
}
