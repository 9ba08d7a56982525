/* clfold_trace: the same bits as the scan, a record of each tile, and what it rejects
 * when the program is built. */
#include <clfold/experimental.h>
#include "lookback.h"
#include "one_context.h"
#include "test.h"

#include "ops/internal.h"

#define TILE  64
#define TILES 8
#define COUNT (TILES * TILE - 5)

static cl_mem in, out;

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

static const struct debug small_tiles = {
    .tile = TILE_VECTOR, .tile_elements = TILE, .max_groups = TILES, .spins = 1
};

static void test_records(void **state)
{
    static const char *const algorithms[] = { NULL, "scan_lookback", "scan_chained" };
    cl_float expected[COUNT], found[COUNT];

    (void)state;
    for (size_t a = 0; a < 3; ++a) {
        clfold_fold fold = sum;
        clfold_tile_trace tiles[TILES] = { 0 };
        size_t num = 0;
        fold.algorithm = "reduce_then_scan";
        assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &fold, in, 0, out, 0, COUNT));
        load_buffer(out, 0, sizeof(expected), expected);
        fold.algorithm = algorithms[a];
        assert_ok(clfold_trace(ctx, device.queue, &fold, in, 0, out, 0, COUNT, tiles,
                               TILES, &num));
        load_buffer(out, 0, sizeof(found), found);
        assert_memory_equal(found, expected, sizeof(expected));
        assert_int_equal(num, TILES);
        for (size_t t = 0; t < num; ++t) {
            assert_true(tiles[t].started < tiles[t].aggregate &&
                        tiles[t].aggregate < tiles[t].prefix);
            assert_int_equal(tiles[t].ticket, t);
            assert_true(tiles[t].depth <= t && tiles[t].fallbacks <= t);
            assert_true(t == 0 || tiles[t].polls > 0);
        }
    }
}

/* The number of tiles alone: nothing is scanned. */
static void test_number(void **state)
{
    cl_float before[COUNT], found[COUNT];
    size_t num = 0;

    (void)state;
    memset(before, COLOUR, sizeof(before));
    write_buffer(out, 0, sizeof(before), before);
    assert_ok(clfold_trace(ctx, device.queue, &sum, in, 0, out, 0, COUNT, NULL, 0, &num));
    assert_int_equal(num, TILES);
    assert_ok(clfold_trace(ctx, device.queue, &sum, in, 0, out, 0, 0, NULL, 0, &num));
    assert_int_equal(num, 0);
    load_buffer(out, 0, sizeof(found), found);
    assert_memory_equal(found, before, sizeof(found));
}

/* What else it rejects: rejections.c. */
static void test_refused(void **state)
{
    clfold_tile_trace tiles[TILES];
    size_t num = 0;

    (void)state;
#define refuse(status, words, ...)                                                       \
    assert_refused(clfold_trace(__VA_ARGS__), CLFOLD_ERROR_##status, words)
    refuse(ARGUMENT, "queue is NULL", ctx, NULL, &sum, in, 0, out, 0, COUNT, tiles, TILES,
           &num);
    refuse(ARGUMENT, "in is NULL", ctx, device.queue, &sum, NULL, 0, out, 0, COUNT, tiles,
           TILES, &num);
    refuse(ARGUMENT, "tiles is NULL, but capacity is 8", ctx, device.queue, &sum, in, 0,
           out, 0, COUNT, NULL, TILES, &num);
    refuse(RANGE, "capacity 7 is less than the 8 tiles", ctx, device.queue, &sum, in, 0,
           out, 0, COUNT, tiles, TILES - 1, &num);
    refuse(RANGE, "out_offset 1 + count 507 is past its end", ctx, device.queue, &sum, in,
           0, out, 1, COUNT, tiles, TILES, &num);
}

static int open_device(void **state)
{
    static struct debug plan;
    cl_float data[COUNT];
    int status;

    (void)state;
    device_init_for_lookback(&device);
    for (size_t i = 0; i < COUNT; ++i) {
        data[i] = 1 / (cl_float)(i + 1);
    }
    in = copied_buffer(data, sizeof(data));
    out = coloured_buffer(sizeof(data));
    plan = with_tier(&device, small_tiles);
    status = device_context(&ctx, &device, NULL);
    if (status == CLFOLD_OK) {
        clfold_context_override(ctx, &plan);
    }
    return status;
}

static int close_device(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return close_context(state);
}

TEST_MAIN("trace", open_device, close_device, cmocka_unit_test(test_records),
          cmocka_unit_test(test_number), cmocka_unit_test(test_refused))
