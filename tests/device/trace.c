/* clfold_trace: the same bits as the scan, a record of each tile, and what it rejects
 * when the program is built. */
#include <clfold/experimental.h>
#include "device.h"
#include "lookback.h"
#include "test.h"

#include "ops/internal.h"

#define TILE  64
#define TILES 8
#define COUNT (TILES * TILE - 5)

static struct device device;
static clfold_context *ctx;
static cl_mem in, out;

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

static const struct debug small_tiles = {
    .tile = TILE_VECTOR, .tile_elements = TILE, .max_groups = TILES, .spins = 1
};

static void read_out(cl_float results[COUNT])
{
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, COUNT * 4,
                                         results, 0, NULL, NULL),
                     CL_SUCCESS);
}

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
        assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, in, 0, out, 0, COUNT, 0,
                                        NULL, NULL));
        read_out(expected);
        fold.algorithm = algorithms[a];
        assert_ok(clfold_trace(ctx, device.queue, &fold, in, 0, out, 0, COUNT, tiles,
                               TILES, &num));
        read_out(found);
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
    const cl_float colour = 7;
    cl_float found[COUNT];
    size_t num = 0;

    (void)state;
    assert_int_equal(
        clEnqueueFillBuffer(device.queue, out, &colour, 4, 0, COUNT * 4, 0, NULL, NULL),
        CL_SUCCESS);
    assert_ok(clfold_trace(ctx, device.queue, &sum, in, 0, out, 0, COUNT, NULL, 0, &num));
    assert_int_equal(num, TILES);
    assert_ok(clfold_trace(ctx, device.queue, &sum, in, 0, out, 0, 0, NULL, 0, &num));
    assert_int_equal(num, 0);
    read_out(found);
    for (size_t i = 0; i < COUNT; ++i) {
        assert_true(found[i] == colour);
    }
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

static cl_mem buffer(void)
{
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, COUNT * 4, NULL, &status);

    assert_int_equal(status, CL_SUCCESS);
    return mem;
}

static int open_device(void **state)
{
    static struct debug plan;
    cl_float data[COUNT];
    int status;

    (void)state;
    device_init_for_lookback(&device);
    in = buffer();
    out = buffer();
    for (size_t i = 0; i < COUNT; ++i) {
        data[i] = 1 / (cl_float)(i + 1);
    }
    assert_int_equal(clEnqueueWriteBuffer(device.queue, in, CL_TRUE, 0, sizeof(data),
                                          data, 0, NULL, NULL),
                     CL_SUCCESS);
    plan = with_tier(&device, small_tiles);
    status = device_context(&ctx, &device, NULL);
    if (status == CLFOLD_OK) {
        clfold_context_override(ctx, &plan);
    }
    return status;
}

static int close_device(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    device_finish(&device);
    return 0;
}

TEST_MAIN("trace", open_device, close_device, cmocka_unit_test(test_records),
          cmocka_unit_test(test_number), cmocka_unit_test(test_refused))
