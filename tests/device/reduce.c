/* clfold_reduce against the oracle, in depth for a few types and for sums and maxima (all
 * others: cover.c): both tiles, counts at every boundary, offsets, init, in place, NaN.
 * Zones of poison lie around every input and output. */
#include "every_text.h"
#include "one_context.h"
#include "oracle.h"
#include "test.h"

#include "ops/internal.h"

#include <float.h>
#include <math.h>

#define ZONE      64 /* elements of poison on either side */
#define OUT_BYTES 64 /* around a result: offsets 0 to 3 of 16 bytes at most */

static uint64_t seed;

/* How a test folds: a forced tile, or with zeros the policy's. */
struct way {
    struct debug plan;
    const char *name;
};

static const struct way policy_ways[] = {
    { { .tile = TILE_VECTOR }, "tile_vector" },
    { { .tile = TILE_GROUP }, "tile_group" },
};

/* Tiles so small that every path is taken with little data. */
static const struct way small_ways[] = {
    { { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 }, "tile_vector 64" },
    { { .tile = TILE_VECTOR, .tile_elements = 300, .max_groups = 3 }, "tile_vector 300" },
    { { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8, .max_groups = 5 },
      "tile_group 64, 8 work-items" },
    { { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
      "tile_group 100, 6 work-items" },
    { { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 1, .max_groups = 2 },
      "tile_group 256, 1 work-item" },
    { { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 },
      "tile_group 2048, 64 work-items" },
};

struct data {
    cl_mem mem;
    unsigned char *bytes; /* of the elements between the zones */
    size_t first, count;  /* elements */
    clfold_type type;
};

static struct data data_create(clfold_type type, size_t count, size_t shift,
                               enum fill how)
{
    struct data data = { .type = type, .first = ZONE + shift, .count = count };
    size_t size = size_of(type), total = data.first + count + ZONE;
    unsigned char *all = malloc(total * size);
    cl_int status;

    assert_non_null(all);
    fill_poison(all, type, total);
    fill(all + data.first * size, type, count, how, ++seed);
    data.bytes = malloc(count * size + 1);
    assert_non_null(data.bytes);
    memcpy(data.bytes, all + data.first * size, count * size);
    data.mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              total * size, all, &status);
    assert_int_equal(status, CL_SUCCESS);
    free(all);
    return data;
}

static void data_destroy(struct data *data)
{
    clReleaseMemObject(data->mem);
    free(data->bytes);
}

/* The call into the middle of a buffer of 0xa5, whose rest must stay. */
static void reduce_into(const clfold_fold *fold, const struct data *data, size_t count,
                        size_t out_offset, cl_command_queue queue, void *result)
{
    unsigned char out[OUT_BYTES];
    size_t size = size_of(fold->type);
    cl_int status;
    cl_event event = NULL;

    memset(out, 0xa5, sizeof(out));
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(out), out, &status);
    assert_int_equal(status, CL_SUCCESS);
    assert_ok(clfold_reduce(ctx, queue, fold, data->mem, data->first, mem, out_offset,
                            count, 0, NULL, &event));
    assert_non_null(event);
    status =
        clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof(out), out, 1, &event, NULL);
    assert_int_equal(status, CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    memcpy(result, out + out_offset * size, size);
    for (size_t i = 0; i < sizeof(out); ++i) {
        if (i < out_offset * size || i >= (out_offset + 1) * size) {
            assert_int_equal(out[i], 0xa5);
        }
    }
}

/* One call, compared bit for bit. */
static void check(const struct way *way, clfold_op op, struct pair pair,
                  const struct data *data, size_t count, size_t out_offset,
                  const void *init, cl_command_queue queue)
{
    unsigned char expected[8] = { 0 }, result[8] = { 0 };
    clfold_fold fold = { .op = op, .type = pair.type, .in = pair.in, .init = init };

    fold.init_size = init ? size_of(pair.type) : 0;
    clfold_context_override(ctx, &way->plan);
    oracle_fold(op, pair, data->bytes, count, init, expected, NULL);
    reduce_into(&fold, data, count, out_offset, queue, result);
    if (memcmp(expected, result, size_of(pair.type)) != 0) {
        fail_msg("%s of %zu %s into %s by %s: %.17g instead of %.17g",
                 op == CLFOLD_ADD ? "add" : "max", count, name_of(pair.in),
                 name_of(pair.type), way->name, as_double(pair.type, result),
                 as_double(pair.type, expected));
    }
}

static bool lacks(struct pair pair)
{
    return !device.has_f64 && (pair.in == CLFOLD_F64 || pair.type == CLFOLD_F64);
}

/* Counts around the tile, and others that break habits. */
static size_t boundary_counts(size_t tile, size_t *counts)
{
    size_t n = 0;
    const size_t fixed[] = { 0,   1,   2,   3,   7,    15,   16,   17,   31,  32,
                             33,  63,  64,  65,  127,  128,  129,  144,  255, 256,
                             257, 511, 512, 513, 1023, 1024, 1025, 10007 };

    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); ++i) {
        counts[n++] = fixed[i];
    }
    for (size_t tiles = 1; tiles <= 9; tiles = tiles < 3 ? tiles + 1 : tiles * 3) {
        counts[n++] = tiles * tile - 1;
        counts[n++] = tiles * tile;
        counts[n++] = tiles * tile + 1;
    }
    return n;
}

/* Either operator meets each tile; all pairs, operators and tiles: cover.c. */
static clfold_op policy_op(size_t pair)
{
    return pair / 2 % 2 ? CLFOLD_MAX : CLFOLD_ADD;
}

static void test_policy_tiles(void **state)
{
    (void)state;
    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        struct pair pair = all_pairs[p];
        if (lacks(pair)) {
            continue;
        }
        size_t tile = 65536 / size_of(pair.in);
        const size_t counts[] = { 0,        1,        1000,         tile - 1,
                                  tile,     tile + 1, 8 * tile,     8 * tile + 1,
                                  9 * tile, 500009,   (1 << 20) + 1 };
        struct data data = data_create(pair.in, (1 << 20) + 1, 0, FILL_EXACT);
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            check(&policy_ways[p % 2], policy_op(p), pair, &data, counts[c], 0, NULL,
                  device.queue);
        }
        data_destroy(&data);
    }
}

static void test_small_tiles(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof(small_ways) / sizeof(small_ways[0]); ++w) {
        const struct way *way = &small_ways[w];
        /* A third of the pairs: over the ways each comes twice, by one operator and by
         * the other. */
        for (size_t p = w % 3; p < NUM_PAIRS; p += 3) {
            struct pair pair = all_pairs[p];
            clfold_op op = (w / 3 + p) % 2 ? CLFOLD_MAX : CLFOLD_ADD;
            size_t counts[64];
            size_t num = boundary_counts(way->plan.tile_elements, counts);
            if (lacks(pair)) {
                continue;
            }
            struct data data = data_create(pair.in, 20000, 0, FILL_EXACT);
            for (size_t c = 0; c < num; ++c) {
                check(way, op, pair, &data, counts[c], 0, NULL, device.queue);
            }
            data_destroy(&data);
        }
    }
}

/* A part of the above, for runs of a driver in its other manners, which compile anew; a
 * run of all does without. */
static void test_few(void **state)
{
    const struct way ways[] = { small_ways[0], small_ways[2], small_ways[3] };
    const struct pair pairs[] = { all_pairs[0], all_pairs[3], all_pairs[4] };

    (void)state;
    for (size_t w = 0; w < 3; ++w) {
        size_t tile = ways[w].plan.tile_elements;
        const size_t counts[] = { 0, 1, tile - 1, tile, tile + 1, 3 * tile + 1, 1000 };
        for (size_t p = 0; p < 3; ++p) {
            struct data data = data_create(pairs[p].in, 1000, p, FILL_EXACT);
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
                check(&ways[w], (w + p) % 2 ? CLFOLD_MAX : CLFOLD_ADD, pairs[p], &data,
                      counts[c], c % 4, NULL, device.queue);
            }
            data_destroy(&data);
        }
    }
}

static void test_offsets(void **state)
{
    const struct way ways[] = { small_ways[1], small_ways[2], policy_ways[1] };

    (void)state;
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); ++w) {
        for (size_t shift = 0; shift <= 17; ++shift) {
            struct pair pair = all_pairs[shift % 2 ? 3 : 0];
            struct data data = data_create(pair.in, 1500, shift, FILL_EXACT);
            check(&ways[w], CLFOLD_ADD, pair, &data, 1500 - shift, shift % 4, NULL,
                  device.queue);
            check(&ways[w], CLFOLD_ADD, pair, &data, 3, shift % 4, NULL, device.queue);
            data_destroy(&data);
        }
    }
}

static void test_init(void **state)
{
    (void)state;
    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        struct pair pair = all_pairs[p];
        unsigned char init[8];
        if (lacks(pair)) {
            continue;
        }
        if (is_float(pair.type)) {
            fill(init, pair.type, 1, FILL_EXACT, 77);
        } else {
            memset(init, 0x71, sizeof(init));
        }
        struct data data = data_create(pair.in, 3000, 1, FILL_EXACT);
        const size_t counts[] = { 0, 1, 3000 };
        for (size_t c = 0; c < 3; ++c) {
            check(&policy_ways[p % 2], policy_op(p), pair, &data, counts[c], 1, init,
                  device.queue);
        }
        data_destroy(&data);
    }
}

/* The sum of nothing but -0 is -0: no identity enters a fold that has elements. */
static void test_negative_zero(void **state)
{
    const cl_float zeros[40] = { 0 };
    const struct pair pair = { CLFOLD_F32, CLFOLD_F32 };
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };

    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        struct data data = data_create(pair.in, 40, 0, FILL_EXACT);
        cl_float minus[40], result = 1;
        for (size_t i = 0; i < 40; ++i) {
            minus[i] = -zeros[i];
        }
        clEnqueueWriteBuffer(device.queue, data.mem, CL_TRUE, data.first * 4,
                             sizeof(minus), minus, 0, NULL, NULL);
        clfold_context_override(ctx, &policy_ways[w].plan);
        reduce_into(&fold, &data, 40, 0, device.queue, &result);
        assert_true(result == 0 && signbit(result));
        data_destroy(&data);
    }
}

static void test_in_place(void **state)
{
    (void)state;
    for (size_t w = 0; w < sizeof(small_ways) / sizeof(small_ways[0]); ++w) {
        const struct pair pair = { CLFOLD_I32, CLFOLD_I32 };
        const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
        struct data data = data_create(pair.in, 5000, 0, FILL_EXACT);
        cl_int expected, result;
        clfold_context_override(ctx, &small_ways[w].plan);
        oracle_fold(CLFOLD_ADD, pair, data.bytes, data.count, NULL, &expected, NULL);
        assert_ok(clfold_reduce(ctx, device.queue, &fold, data.mem, data.first, data.mem,
                                data.first, data.count, 0, NULL, NULL));
        clEnqueueReadBuffer(device.queue, data.mem, CL_TRUE, data.first * sizeof(cl_int),
                            sizeof(result), &result, 0, NULL, NULL);
        assert_int_equal(result, expected);
        data_destroy(&data);
    }
}

/* A NaN anywhere comes through, also in a place where lanes or tiles end; either operator
 * on tiles of each kind. */
static void test_nan(void **state)
{
    const size_t places[] = { 0, 1, 15, 16, 63, 64, 299, 300, 1000, 2046, 2047 };

    (void)state;
    for (size_t w = 0; w < sizeof(small_ways) / sizeof(small_ways[0]); ++w) {
        const clfold_fold fold = { .op = w % 2 ? CLFOLD_MAX : CLFOLD_ADD,
                                   .type = CLFOLD_F32 };
        for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); ++i) {
            struct data data = data_create(CLFOLD_F32, 2048, 0, FILL_EXACT);
            const cl_float nan = (cl_float)NAN;
            cl_float result = 0;
            clEnqueueWriteBuffer(device.queue, data.mem, CL_TRUE,
                                 (data.first + places[i]) * sizeof(nan), sizeof(nan),
                                 &nan, 0, NULL, NULL);
            clfold_context_override(ctx, &small_ways[w].plan);
            reduce_into(&fold, &data, 2048, 0, device.queue, &result);
            assert_true(isnan(result));
            data_destroy(&data);
        }
    }
}

/* Affine maps x -> a x + b compose in order: the two-component monoid in the internal
 * form, over integers that wrap, where any grouping is exact and any reordering shows. */
static void test_affine(void **state)
{
    const struct monoid affine = affine_monoid(CLFOLD_I32);

    (void)state;
    /* The policy's vector, and of the small ones those with a rest or with long runs. */
    for (size_t w = 0; w < 4; ++w) {
        const struct way *way = w == 0 ? &policy_ways[0] : &small_ways[2 * w - 1];
        size_t counts[64];
        size_t num = boundary_counts(
            way->plan.tile_elements ? way->plan.tile_elements : 64 * 1024 / 8, counts);
        struct data data = data_create(CLFOLD_I32, 2 * 80000, 0, FILL_EXACT);
        clfold_context_override(ctx, &way->plan);
        for (size_t c = 0; c < num; ++c) {
            const cl_int init[2] = { 3, -5 };
            cl_uint a = 3, b = (cl_uint)-5;
            cl_uint result[2];
            cl_int status;
            for (size_t i = 0; i < counts[c]; ++i) {
                cl_uint map[2];
                memcpy(map, data.bytes + i * sizeof(map), sizeof(map));
                a = a * map[0];
                b = b * map[0] + map[1];
            }
            cl_mem out =
                clCreateBuffer(device.context, CL_MEM_READ_WRITE, 8, NULL, &status);
            assert_int_equal(status, CL_SUCCESS);
            assert_int_equal(data.first % 2, 0);
            assert_ok(clfold_reduce_monoid(ctx, device.queue, &affine, NULL, data.mem,
                                           data.first / 2, out, 0, counts[c], init, 0,
                                           NULL, NULL));
            clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, sizeof(result), result, 0,
                                NULL, NULL);
            clReleaseMemObject(out);
            if (result[0] != a || result[1] != b) {
                fail_msg("affine of %zu by %s: {%u, %u} instead of {%u, %u}", counts[c],
                         way->name, result[0], result[1], a, b);
            }
        }
        data_destroy(&data);
    }
}

/* An operator without identity: nothing to fold and no init is refused, everything else
 * is right, since no lane outside the input is ever combined. */
static void test_no_identity(void **state)
{
    struct monoid first = {
        .name = "first",
        .in = CLFOLD_I32,
        .type = CLFOLD_I32,
        .cell = CLFOLD_I32,
        .num_scalars = 1,
        .num_components = 1,
        .stage_limit = UINT64_MAX,
        .components = { { "v", CLFOLD_I32, CLFOLD_I32, CLFOLD_I32, LOAD_PLAIN, "a",
                          NULL } },
    };
    const cl_int init = -9;

    (void)state;
    for (size_t w = 0; w < 3; ++w) {
        struct data data = data_create(CLFOLD_I32, 1000, 0, FILL_EXACT);
        cl_int expected, result = 0, status;
        cl_mem out = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4, NULL, &status);
        assert_int_equal(status, CL_SUCCESS);
        memcpy(&expected, data.bytes, sizeof(expected));
        clfold_context_override(ctx, &small_ways[w].plan);
        assert_refused(clfold_reduce_monoid(ctx, device.queue, &first, NULL, data.mem,
                                            data.first, out, 0, 0, NULL, 0, NULL, NULL),
                       CLFOLD_ERROR_EMPTY, "first");
        assert_ok(clfold_reduce_monoid(ctx, device.queue, &first, NULL, data.mem,
                                       data.first, out, 0, 1000, NULL, 0, NULL, NULL));
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, 4, &result, 0, NULL, NULL);
        assert_int_equal(result, expected);
        assert_ok(clfold_reduce_monoid(ctx, device.queue, &first, NULL, data.mem,
                                       data.first, out, 0, 0, &init, 0, NULL, NULL));
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, 4, &result, 0, NULL, NULL);
        assert_int_equal(result, init);
        clReleaseMemObject(out);
        data_destroy(&data);
    }
}

/* 2^24 + 1 elements: the last is lost where counts or sums go through a float. */
static void test_large_count(void **state)
{
    const size_t count = (1 << 24) + 1;
    unsigned char *ones = malloc(count);
    cl_ulong result = 0;
    cl_int status;
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };

    (void)state;
    assert_non_null(ones);
    memset(ones, 1, count);
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               count, ones, &status);
    assert_int_equal(status, CL_SUCCESS);
    clfold_context_override(ctx, NULL);
    assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, count, &result,
                                 sizeof(result)));
    assert_int_equal(result, count);
    clReleaseMemObject(in);
    free(ones);
}

/* A tile larger than a stage can hold is cut: 2^24 + 2^18 bytes of 255 pass 2^32 in uint.
 */
static void test_stage_limit(void **state)
{
    const size_t count = (1 << 24) + (1 << 18);
    const struct debug huge[] = {
        { .tile = TILE_VECTOR, .tile_elements = 1u << 30, .max_groups = 1 },
        { .tile = TILE_GROUP,
          .tile_elements = 1u << 30,
          .group_size = 16,
          .max_groups = 1 }
    };
    unsigned char *bytes = malloc(count);
    cl_int status;
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };

    (void)state;
    assert_non_null(bytes);
    memset(bytes, 255, count);
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               count, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t w = 0; w < 2; ++w) {
        cl_ulong result = 0;
        clfold_report report;
        clfold_context_override(ctx, &huge[w]);
        assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &fold, count, &report));
        assert_int_equal(report.tile, UINT32_MAX / 255);
        assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, count, &result,
                                     sizeof(result)));
        assert_int_equal(result, count * 255);
    }
    clReleaseMemObject(in);
    free(bytes);
}

/* Sums that round: within the bound of their tree of the exact sum, and the same bits on
 * every run, on both kinds of queue. */
static void test_rounding(void **state)
{
    const size_t count = 300007;

    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t p = 4; p < NUM_PAIRS; ++p) {
            struct pair pair = all_pairs[p];
            unsigned char exact[8], result[8], again[8];
            double magnitude;
            const clfold_fold fold = { .op = CLFOLD_ADD,
                                       .type = pair.type,
                                       .in = pair.in };
            if (lacks(pair)) {
                continue;
            }
            struct data data = data_create(pair.in, count, 3, FILL_ROUNDING);
            oracle_fold(CLFOLD_ADD, pair, data.bytes, count, NULL, exact, &magnitude);
            clfold_context_override(ctx, &policy_ways[w].plan);
            reduce_into(&fold, &data, count, 0, device.queue, result);
            /* Tiles of 16384 floats, 64 lanes or work-items: no path is longer. */
            double u = (pair.type == CLFOLD_F32 ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
            double depth = 16384.0 / 64 + 32 + 64;
            double error =
                fabs(as_double(pair.type, result) - as_double(pair.type, exact));
            if (!(error <= depth * u * magnitude)) {
                fail_msg("%s into %s by %s: off by %g, more than %g", name_of(pair.in),
                         name_of(pair.type), policy_ways[w].name, error,
                         depth * u * magnitude);
            }
            for (int run = 0; run < 20; ++run) {
                cl_command_queue queue =
                    run % 2 && device.disorder ? device.disorder : device.queue;
                reduce_into(&fold, &data, count, 0, queue, again);
                assert_memory_equal(result, again, size_of(pair.type));
            }
            data_destroy(&data);
        }
    }
}

/* Buffers that start 4, 8 and 20 bytes past a multiple of 64: the bits of an aligned one.
 */
static void test_misaligned(void **state)
{
    const size_t count = 100003;
    const size_t shifts[] = { 0, 4, 8, 20 };
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float *values = malloc(count * sizeof(*values));

    (void)state;
    assert_non_null(values);
    fill(values, CLFOLD_F32, count, FILL_ROUNDING, 5);
    for (size_t w = 0; w < 2; ++w) {
        for (size_t offset = 0; offset < 3; ++offset) {
            cl_float first = 0;
            clfold_context_override(ctx, &policy_ways[w].plan);
            for (size_t s = 0; s < sizeof(shifts) / sizeof(shifts[0]); ++s) {
                size_t bytes = count * sizeof(*values);
                char *block = aligned_alloc(64, (bytes + 64 + 63) / 64 * 64);
                cl_float result = 0;
                cl_int status;
                assert_non_null(block);
                memcpy(block + shifts[s], values, bytes);
                cl_mem in =
                    clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                   bytes, block + shifts[s], &status);
                assert_int_equal(status, CL_SUCCESS);
                assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, offset,
                                             count - offset, &result, sizeof(result)));
                first = s == 0 ? result : first;
                assert_memory_equal(&first, &result, sizeof(result));
                clReleaseMemObject(in);
                free(block);
            }
        }
    }
    free(values);
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),         cmocka_unit_test(test_policy_tiles),
        cmocka_unit_test(test_small_tiles), cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_init),        cmocka_unit_test(test_negative_zero),
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_nan),
        cmocka_unit_test(test_affine),      cmocka_unit_test(test_no_identity),
        cmocka_unit_test(test_large_count), cmocka_unit_test(test_stage_limit),
        cmocka_unit_test(test_rounding),    cmocka_unit_test(test_misaligned),

    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    } else {
        cmocka_set_skip_filter("test_few");
    }
    return cmocka_run_group_tests_name("reduce", tests, open_context, close_context);
}
