/*
 * What no line of pinned.txt says, see trials.c: tiles past what a stage holds, a total
 * that is the next call's init, sums that round, again and again and of data that is not
 * aligned, and the sum of -0 alone.
 */
#include "lookback.h"
#include "one_context.h"
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

/* A tile larger than a stage can hold is cut: 2^24 + 2^18 bytes of 255 pass 2^32 in uint.
 */
static void test_stage_limit(void **state)
{
    const size_t count = (1 << 24) + (1 << 18);
    const struct {
        clfold_operation operation;
        clfold_type in;
        struct debug huge;
    } folds[] = {
        { CLFOLD_REDUCE, CLFOLD_U8, TILES_OF(TILE_VECTOR, 1u << 30, 0, 1) },
        { CLFOLD_REDUCE, CLFOLD_U8, TILES_OF(TILE_GROUP, 1u << 30, 16, 1) },
        { CLFOLD_REDUCE, CLFOLD_I8, TILES_OF(TILE_VECTOR, 1u << 30, 0, 1) },
        { CLFOLD_INCLUSIVE_SCAN, CLFOLD_U8, TILES_OF(TILE_VECTOR, 1u << 30, 0, 0) },
    };
    unsigned char *bytes = malloc(count);

    assert_non_null(bytes);
    for (size_t k = 0; k < sizeof(folds) / sizeof(folds[0]); ++k) {
        const bool is_signed = folds[k].in == CLFOLD_I8;
        const struct trial trial = { .op = CLFOLD_ADD,
                                     .pair = { folds[k].in, CLFOLD_U64 },
                                     .operation = folds[k].operation,
                                     .plan = folds[k].huge,
                                     .count = count,
                                     .elements = bytes };
        const clfold_fold fold = { .op = CLFOLD_ADD,
                                   .type = CLFOLD_U64,
                                   .in = folds[k].in };
        clfold_report report;
        memset(bytes, is_signed ? 0x80 : 0xff, count);
        trial_check(&trial, NULL);
        assert_ok(clfold_explain(ctx, trial.operation, &fold, count, NULL, &report));
        assert_true(trial_scans(&trial) ||
                    report.tile == (is_signed ? INT32_MAX / 128 : UINT32_MAX / 255));
    }
    free(bytes);
}

/* ---- Ends -------------------------------------------------------------------------- */

/* Init and total in one place: the total of a call is the next one's init. */
static void test_running_total(void **state)
{
    enum { NUM = 1000, CALLS = 5 };
    const clfold_fold start = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float data[NUM * CALLS], expected[NUM * CALLS], found[NUM * CALLS];

    fill(data, CLFOLD_F32, NUM * CALLS, FILL_EXACT, 5);
    oracle_scan(CLFOLD_ADD, (struct pair){ CLFOLD_F32, CLFOLD_F32 }, true, data,
                NUM * CALLS, NULL, expected, NULL, NULL);
    cl_mem mem = coloured_buffer(sizeof(data)), sum = coloured_buffer(4);
    for (size_t a = 0; a < sizeof(algorithms) / sizeof(algorithms[0]); ++a) {
        const struct debug plan = with_tier(&device, few_tiles[a % 2]);
        if (may_look_back(algorithms[a]) && !has_fences(&device, plan.tier)) {
            print_message("%s: %s is not in place here\n", device.name, algorithms[a]);
            continue;
        }
        clfold_context_override(ctx, &plan);
        write_buffer(mem, 0, sizeof(data), data);
        for (size_t i = 0; i < CALLS; ++i) {
            clfold_fold fold = start;
            fold.algorithm = algorithms[a];
            fold.init_at.mem = i > 0 ? sum : NULL;
            fold.total_out.mem = sum;
            assert_ok(call_operation(CLFOLD_EXCLUSIVE_SCAN, &fold, mem, i * NUM, mem,
                                     i * NUM, NUM));
        }
        load_buffer(mem, 0, sizeof(found), found);
        assert_memory_equal(found, expected, sizeof(found));
    }
    clReleaseMemObject(mem);
    clReleaseMemObject(sum);
}

/* ---- Floats ------------------------------------------------------------------------ */

/* Sums that round: within the bound of their tree of the exact sum, and the same bits on
 * every run, on both kinds of queue, and from memory of the host that starts 1, 2 or 5
 * elements past a multiple of 64 bytes. */
static void test_rounding(void **state)
{
    static const size_t shifts[] = { 0, 1, 2, 5 };

    for (size_t k = 2 * 4; k < 2 * NUM_PAIRS; ++k) {
        /* Tiles of 16384 floats, 64 lanes or work-items: no path is longer. */
        struct trial fold = { .operation = CLFOLD_REDUCE,
                              .op = CLFOLD_ADD,
                              .pair = all_pairs[k / 2],
                              .plan = policy_tiles[k % 2],
                              .count = 150001,
                              .in_offset = k / 2 % 4,
                              .zones = true,
                              .depth = 16384.0 / 64 + 32 + 64 };
        unsigned char result[8], again[8];
        if (!device_folds(&device, fold.pair.in, fold.pair.type)) {
            continue;
        }
        trial_check(&fold, result);
        for (size_t run = 0; run < 16; ++run) {
            fold.disorder = run % 2;
            fold.host = run >= 12;
            fold.in_shift = fold.host ? shifts[run % 4] * size_of(fold.pair.in) : 0;
            trial_check(&fold, again);
            assert_memory_equal(result, again, size_of(fold.pair.type));
        }
    }
}

/* The sum of -0 alone is -0: no identity enters a fold that has elements. */
static void test_negative_zero(void **state)
{
    cl_float zeros[40];

    for (size_t i = 0; i < 40; ++i) {
        zeros[i] = -0.0f;
    }
    for (size_t k = 0; k < 2; ++k) {
        const struct trial trial = { .op = CLFOLD_ADD,
                                     .pair = { CLFOLD_F32, CLFOLD_F32 },
                                     .operation = CLFOLD_REDUCE,
                                     .plan = policy_tiles[k],
                                     .count = 40,
                                     .elements = zeros };
        trial_check(&trial, NULL);
    }
}

TEST_MAIN("sizes", open_context, close_context, cmocka_unit_test(test_stage_limit),
          cmocka_unit_test(test_running_total), cmocka_unit_test(test_rounding),
          cmocka_unit_test(test_negative_zero))
