/*
 * What random calls, see trials.c, do not reach: counts past 2^24, tiles past what a
 * stage holds, a total that is the next call's init, and floats: sums that round, host
 * data that is not aligned, the sum of -0 alone.
 */
#include "lookback.h"
#include "one_context.h"
#include "calls.h"
#include "trial.h"
#include "test.h"

/* The kind of tile, its elements, work-items, and the most groups. */
#define TILES_OF(kind, elements, size, groups)                                           \
    {                                                                                    \
        .tile = kind, .tile_elements = elements, .group_size = size,                     \
        .max_groups = groups                                                             \
    }

static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", "scan_lookback",
                                          "scan_chained" };

static const struct debug policy_tiles[] = { { .tile = TILE_VECTOR },
                                             { .tile = TILE_GROUP } };

static const struct debug few_tiles[] = { TILES_OF(TILE_VECTOR, 100, 0, 7),
                                          TILES_OF(TILE_GROUP, 64, 8, 4) };

/* ---- Large ones -------------------------------------------------------------------- */

/* By the policy alone: a sum, and the offsets of a sparse matrix's rows from their
 * lengths, with the total. The last of 2^24 + 1 elements is lost where counts or sums go
 * through a float. */
static void test_policy(void **state)
{
    const size_t counts[] = { 0, 1, 1000, 100003, (1 << 24) + 1 };

    (void)state;
    for (size_t k = 0; k < 2 * 5; ++k) {
        bool reduces = k % 2;
        struct trial fold = { .op = CLFOLD_ADD,
                              .pair = { reduces ? CLFOLD_U8 : CLFOLD_U32, CLFOLD_U64 },
                              .operation =
                                  reduces ? CLFOLD_REDUCE : CLFOLD_EXCLUSIVE_SCAN,
                              .count = counts[k / 2],
                              .total = reduces ? TOTAL_NONE : TOTAL_BEHIND,
                              .seed = k + 1 };
        trial_check(&fold, NULL);
    }
}

/* A tile larger than a stage can hold is cut: 2^24 + 2^18 bytes of 255 pass 2^32 in uint.
 */
static void test_stage_limit(void **state)
{
    const size_t count = (1 << 24) + (1 << 18);
    const struct {
        size_t call;
        clfold_type in, type;
        struct debug huge;
    } folds[] = {
        { CALL_REDUCE, CLFOLD_U8, CLFOLD_U64, TILES_OF(TILE_VECTOR, 1u << 30, 0, 1) },
        { CALL_REDUCE, CLFOLD_U8, CLFOLD_U64, TILES_OF(TILE_GROUP, 1u << 30, 16, 1) },
        { CALL_REDUCE, CLFOLD_I8, CLFOLD_U64, TILES_OF(TILE_VECTOR, 1u << 30, 0, 1) },
        { CALL_INCLUSIVE_SCAN, CLFOLD_U8, CLFOLD_U64,
          TILES_OF(TILE_VECTOR, 1u << 30, 0, 0) },
    };
    unsigned char *bytes = malloc(count);
    cl_ulong *sums = malloc(count * sizeof(*sums));
    cl_int status;

    (void)state;
    assert_non_null(bytes);
    assert_non_null(sums);
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY, count, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem out = clCreateBuffer(device.context, CL_MEM_READ_WRITE, count * sizeof(*sums),
                                NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t k = 0; k < sizeof(folds) / sizeof(folds[0]); ++k) {
        const struct call_row *row = &call_rows[folds[k].call];
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = folds[k].type,
                                   .in = folds[k].in };
        bool is_signed = folds[k].in == CLFOLD_I8;
        cl_ulong each = is_signed ? (cl_ulong)-128 : 255;
        size_t num = row->has & HAS_ONE ? 1 : count;
        const struct debug plan = with_tier(&device, folds[k].huge);
        const struct call call = { .context = ctx,
                                   .queue = device.queue,
                                   .fold = &fold,
                                   .in = in,
                                   .out = out,
                                   .count = count };
        clfold_report report;
        clfold_context_override(ctx, &plan);
        assert_ok(clfold_explain(ctx, row->operation, &fold, count, NULL, &report));
        assert_true(row->has & HAS_ITEMS ||
                    report.tile == (is_signed ? INT32_MAX / 128 : UINT32_MAX / 255));
        memset(bytes, is_signed ? 0x80 : 0xff, count);
        assert_int_equal(clEnqueueWriteBuffer(device.queue, in, CL_TRUE, 0, count, bytes,
                                              0, NULL, NULL),
                         CL_SUCCESS);
        assert_ok(row->make(&call));
        assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0,
                                             num * sizeof(*sums), sums, 0, NULL, NULL),
                         CL_SUCCESS);
        for (size_t i = 0; i < num; ++i) {
            if (sums[i] != each * (num == 1 ? count : i + 1)) {
                fail_msg("%s: item %zu is %llu", row->name, i,
                         (unsigned long long)sums[i]);
            }
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    free(bytes);
    free(sums);
}

/* ---- Ends -------------------------------------------------------------------------- */

/* Init and total in one place: the total of a call is the next one's init. */
static void test_running_total(void **state)
{
    enum { NUM = 1000, CALLS = 5 };
    const clfold_fold start = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float data[NUM * CALLS], expected[NUM * CALLS], found[NUM * CALLS];
    cl_int status;

    (void)state;
    fill(data, CLFOLD_F32, NUM * CALLS, FILL_EXACT, 5);
    oracle_scan(CLFOLD_ADD, (struct pair){ CLFOLD_F32, CLFOLD_F32 }, true, data,
                NUM * CALLS, NULL, expected, NULL, NULL);
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(data), data, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem sum = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t a = 0; a < sizeof(algorithms) / sizeof(algorithms[0]); ++a) {
        const struct debug plan = with_tier(&device, few_tiles[a % 2]);
        if (may_look_back(algorithms[a]) && !has_fences(&device, plan.tier)) {
            print_message("%s: %s is not in place here\n", device.name, algorithms[a]);
            continue;
        }
        clfold_context_override(ctx, &plan);
        clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL,
                             NULL);
        for (size_t i = 0; i < CALLS; ++i) {
            clfold_fold fold = start;
            fold.algorithm = algorithms[a];
            fold.init_at.mem = i > 0 ? sum : NULL;
            fold.total_out.mem = sum;
            assert_ok(clfold_exclusive_scan(ctx, device.queue, &fold, mem, i * NUM, mem,
                                            i * NUM, NUM, 0, NULL, NULL));
        }
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(found), found, 0, NULL,
                            NULL);
        assert_memory_equal(found, expected, sizeof(found));
    }
    clReleaseMemObject(mem);
    clReleaseMemObject(sum);
}

/* ---- Floats ------------------------------------------------------------------------ */

/* Sums that round: within the bound of their tree of the exact sum, and the same bits on
 * every run, on both kinds of queue. */
static void test_rounding(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t p = 4; p < NUM_PAIRS; ++p) {
            /* Tiles of 16384 floats, 64 lanes or work-items: no path is longer. */
            struct trial fold = { .operation = CLFOLD_REDUCE,
                                  .op = CLFOLD_ADD,
                                  .pair = all_pairs[p],
                                  .plan = policy_tiles[w],
                                  .count = 150001,
                                  .in_offset = 3,
                                  .zones = true,
                                  .depth = 16384.0 / 64 + 32 + 64 };
            unsigned char result[8], again[8];
            if (!device_folds(&device, fold.pair.in, fold.pair.type)) {
                continue;
            }
            trial_check(&fold, result);
            for (int run = 0; run < 12; ++run) {
                fold.disorder = run % 2;
                trial_check(&fold, again);
                assert_memory_equal(result, again, size_of(fold.pair.type));
            }
        }
    }
}

/* Buffers that start 4, 8 and 20 bytes past a multiple of 64: the bits of an aligned one.
 */
static void test_misaligned(void **state)
{
    const size_t shifts[] = { 0, 4, 8, 20 };

    (void)state;
    for (size_t k = 0; k < 2 * 3; ++k) {
        struct trial fold = { .operation = CLFOLD_REDUCE,
                              .op = CLFOLD_ADD,
                              .pair = { CLFOLD_F32, CLFOLD_F32 },
                              .plan = policy_tiles[k % 2],
                              .count = 100003,
                              .in_offset = k / 2,
                              .host = true,
                              .depth = 16384.0 / 64 + 32 + 64 };
        cl_float first, result;
        trial_check(&fold, &first);
        for (size_t s = 1; s < sizeof(shifts) / sizeof(shifts[0]); ++s) {
            fold.in_shift = shifts[s];
            trial_check(&fold, &result);
            assert_memory_equal(&first, &result, sizeof(result));
        }
    }
}

/* The sum of -0 alone is -0: no identity enters a fold that has elements. */
static void test_negative_zero(void **state)
{
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float zeros[40];
    cl_int status;

    (void)state;
    for (size_t i = 0; i < 40; ++i) {
        zeros[i] = -0.0f;
    }
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               sizeof(zeros), zeros, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t w = 0; w < 2; ++w) {
        cl_float result = 1;
        clfold_context_override(ctx, &policy_tiles[w]);
        assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, 40, &result,
                                     sizeof(result)));
        assert_memory_equal(&result, zeros, sizeof(result));
    }
    clReleaseMemObject(in);
}

TEST_MAIN("sizes", open_context, close_context, cmocka_unit_test(test_policy),
          cmocka_unit_test(test_stage_limit), cmocka_unit_test(test_running_total),
          cmocka_unit_test(test_rounding), cmocka_unit_test(test_misaligned),
          cmocka_unit_test(test_negative_zero))
