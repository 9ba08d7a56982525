/*
 * Each operation against the oracle, in depth for a few types (all others: cover.c): each
 * algorithm but the rungs on both tiles, counts at every boundary, offsets, memory of the
 * host, in place, init and total, NaN. What only reductions have: reduce.c. What
 * operators of scans are given: scan_order.c; the bits of floats, and each small tile by
 * each strategy: scan_bits.c.
 *
 * Programs take long to build, so tests share them: most sum f32 on one of few tiles, and
 * a strategy is inclusive on one kind of tile and exclusive on the other.
 */
#include "lookback.h"
#include "one_context.h"
#include "calls.h"
#include "trial.h"
#include "test.h"

static uint64_t seed;

/* The kind of tile, its elements, work-items, and the most groups. */
#define TILES_OF(kind, elements, size, groups)                                           \
    {                                                                                    \
        .tile = kind, .tile_elements = elements, .group_size = size,                     \
        .max_groups = groups                                                             \
    }

/* The first one reduces. */
static const char *const algorithms[] = { "reduce_tiles",        "scan_single_group",
                                          "scan_then_propagate", "reduce_then_scan",
                                          "scan_lookback",       "scan_chained" };
#define NUM_ALGORITHMS 6

static const struct debug policy_tiles[] = { { .tile = TILE_VECTOR },
                                             { .tile = TILE_GROUP } };

/* Tiles so small that every path is taken with little data: less than a vector of 16 with
 * its lead, no multiple of a line, work-items of one element, of many, and one alone. */
static const struct debug small_tiles[] = {
    TILES_OF(TILE_VECTOR, 16, 0, 5),   TILES_OF(TILE_VECTOR, 32, 0, 3),
    TILES_OF(TILE_VECTOR, 64, 0, 4),   TILES_OF(TILE_VECTOR, 100, 0, 7),
    TILES_OF(TILE_VECTOR, 256, 0, 2),  TILES_OF(TILE_GROUP, 16, 4, 5),
    TILES_OF(TILE_GROUP, 64, 8, 4),    TILES_OF(TILE_GROUP, 100, 6, 3),
    TILES_OF(TILE_GROUP, 256, 1, 2),   TILES_OF(TILE_GROUP, 256, 256, 3),
    TILES_OF(TILE_GROUP, 2048, 64, 7), TILES_OF(TILE_VECTOR, 300, 0, 3)
};
#define NUM_SMALL (sizeof(small_tiles) / sizeof(small_tiles[0]))

/* Of small_tiles, for what needs no more; scan_bits.c has the first two as well. */
static const struct debug few_tiles[] = { TILES_OF(TILE_VECTOR, 100, 0, 7),
                                          TILES_OF(TILE_GROUP, 64, 8, 4),
                                          TILES_OF(TILE_GROUP, 100, 6, 3) };

static const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 };

/* A sum of f32 by algorithm `a`; the kind of scan is the one that tests share. */
static struct trial case_of(size_t a, const struct debug *tile)
{
    return (struct trial){ .op = CLFOLD_ADD,
                           .pair = f32,
                           .algorithm = algorithms[a],
                           .plan = *tile,
                           .operation =
                               a > 0 ? scan_of((a + tile->tile) % 2) : CLFOLD_REDUCE };
}

static void check(struct trial *fold)
{
    fold->seed = ++seed;
    trial_check(fold, NULL);
}

/* Elements of a tile, as the plan has it. */
static size_t tile_of(const struct trial *prefix)
{
    const clfold_fold fold = { .op = prefix->op,
                               .type = prefix->pair.type,
                               .in = prefix->pair.in };
    clfold_report report;

    clfold_context_override(ctx, &prefix->plan);
    assert_ok(clfold_explain(ctx, prefix->operation, &fold, 1 << 20, NULL, &report));
    assert_true(report.tile > 0);
    return report.tile;
}

/* ---- Sizes ------------------------------------------------------------------------- */

static size_t add_around(size_t *counts, size_t num, size_t count)
{
    counts[num++] = count - 1;
    counts[num++] = count;
    counts[num++] = count + 1;
    return num;
}

/* Of a program whose count is in memory the call says more, by up to some tiles. */
static void spare(struct trial *fold, bool count_at, size_t turn)
{
    const size_t tile = fold->plan.tile_elements;
    const size_t spares[] = { 1, tile - 1, tile, tile + 1, 5 * tile + 3, 0, 40 * tile };

    fold->count_at = count_at;
    fold->spare = count_at ? spares[fold->count == 0 ? 3 : turn % 7] : 0;
    if (count_at && is_arg(fold->op) && !fold->init) {
        fold->init = INIT_HOST;
    }
}

/* One, vectors, tiles, powers of two up to `most`, a prime, and for reductions nothing:
 * that is scanned by a single group, a program more for each other strategy; test_few and
 * cover.c. */
static size_t boundary_counts(const struct trial *fold, size_t most, size_t *counts)
{
    const size_t tiles[] = { 1, 2, 3, 9 };
    size_t num = 0, tile = tile_of(fold);

    for (size_t power = 2; power <= most; power *= 2) {
        num = add_around(counts, num, power);
    }
    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); ++i) {
        num = add_around(counts, num, tiles[i] * tile);
    }
    if (trial_reduces(fold)) {
        counts[num++] = 0;
    }
    counts[num++] = 10007;
    return num;
}

/* The policy's tiles with every algorithm, and with the one that it takes itself; of the
 * reduction also all pairs. */
static void test_policy_tiles(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS + NUM_PAIRS; ++k) {
        size_t a = k < 2 * NUM_ALGORITHMS ? k / 2 : 0;
        struct trial fold = case_of(a, &policy_tiles[k % 2]);
        size_t counts[80], num;
        if (k >= 2 * NUM_ALGORITHMS) {
            fold.pair = all_pairs[k - 2 * NUM_ALGORITHMS];
            fold.op = k / 2 % 2 ? CLFOLD_MAX : CLFOLD_ADD;
        }
        if (!device_takes(&device, k) ||
            !device_folds(&device, fold.pair.in, fold.pair.type)) {
            continue;
        }
        num = boundary_counts(&fold, k < 2 * NUM_ALGORITHMS ? 1 << 15 : 2, counts);
        counts[num++] = (k < 2 ? 1 << 20 : 1 << 18) + 7;
        fold.zones = true;
        for (size_t c = 0; c < num; ++c) {
            fold.count = counts[c];
            fold.init = (enum init_from)(c % 3);
            fold.total = c % 2 && !trial_reduces(&fold) ? TOTAL_APART : TOTAL_NONE;
            fold.algorithm = c % 4 == 3 && c + 1 < num ? NULL : algorithms[a];
            check(&fold);
        }
    }
}

/* Of each tile a reduction and a scan: strategies, operators, pairs and offsets in turn.
 * A NaN is rare, and a vector's tiles without one are scanned in another way. */
static void test_small_tiles(void **state)
{
    static const struct {
        clfold_op op;
        struct pair pair;
    } scans[NUM_SMALL] = {
        { CLFOLD_MIN, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U32 } },
        { CLFOLD_MUL, { CLFOLD_U64, CLFOLD_U64 } },
        { CLFOLD_MIN_MAX, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_MAX, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_MIN, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_ADD, { CLFOLD_I16, CLFOLD_I64 } },
        { CLFOLD_MIN_MAX, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_MUL, { CLFOLD_I32, CLFOLD_I32 } },
        { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U8 } },
        { CLFOLD_MAX, { CLFOLD_I16, CLFOLD_I16 } },
        { CLFOLD_MIN_MAX, { CLFOLD_U8, CLFOLD_U8 } },
    };
    static const size_t offsets[] = { 0, 1, 2, 3, 5, 8, 13, 15, 16, 17 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_SMALL; ++k) {
        size_t w = k / 2, a = k % 2 ? 1 + w % (NUM_ALGORITHMS - 1) : 0;
        struct trial fold = case_of(a, &small_tiles[w]);
        fold.op = a > 0                         ? scans[w].op
                  : (w + w / NUM_PAIRS) % 2 > 0 ? CLFOLD_MAX
                                                : CLFOLD_ADD;
        fold.pair = a > 0 ? scans[w].pair : all_pairs[w % NUM_PAIRS];
        fold.operation = a > 0 ? scan_of(w % 2) : CLFOLD_REDUCE;
        fold.zones = true;
        if (!device_takes(&device, k) ||
            !device_folds(&device, fold.pair.in, fold.pair.type)) {
            continue;
        }
        size_t counts[80], num = boundary_counts(&fold, 2048, counts);
        if (a > 0 && w % 4 < 2) {
            counts[num++] = 0;
        }
        for (size_t c = 0; c < num; ++c) {
            fold.count = counts[c];
            fold.in_offset = offsets[c % 10];
            fold.out_offset = offsets[(c * 7 + c / 10) % 10];
            fold.init = (enum init_from)(c % 3);
            fold.nan = c % 4 == 3;
            fold.disorder = c % 3 == 0;
            spare(&fold, w % 4 < 2, c);
            check(&fold);
        }
    }
}

/* Tiles in blocks, counts at their ends, and for prefixes more blocks than work-items. */
static void test_anchors(void **state)
{
    struct debug plans[] = { TILES_OF(TILE_VECTOR, 16, 0, 5),
                             TILES_OF(TILE_GROUP, 16, 4, 3),
                             TILES_OF(TILE_GROUP, 64, 8, 7) };
    const struct {
        clfold_op op;
        struct pair pair;
    } folds[] = { { CLFOLD_ADD, { CLFOLD_F32, CLFOLD_F32 } },
                  { CLFOLD_ARG_MIN, { CLFOLD_I32, CLFOLD_I32 } } };

    (void)state;
    /* Each tile with both folds and both kinds; each strategy, without the last one:
     * scan_chained is the kernel of scan_lookback. */
    for (size_t k = 0; k < 3 * 2; ++k) {
        size_t p = k % 3, f = k / 3, a = 1 + (p + 2 * f) % (NUM_ALGORITHMS - 2);
        size_t tile = plans[p].tile_elements, anchor = p == 1 ? 3 : 4;
        struct trial scan = case_of(a, &plans[p]);
        size_t counts[80], num = 0;
        for (size_t tiles = 1; tiles <= 64 * anchor;
             tiles = tiles < anchor ? tiles + 1 : tiles * 2) {
            num = add_around(counts, num, tiles * tile);
        }
        scan.op = folds[f].op;
        scan.pair = folds[f].pair;
        scan.operation = scan_of((p + f) % 2);
        scan.zones = true;
        scan.plan.anchor = (uint32_t)anchor;
        for (size_t c = 0; c < num; ++c) {
            scan.count = counts[c];
            scan.out_offset = c % 2 ? 0 : c % 17;
            scan.init = (enum init_from)(c % 3);
            scan.total = (enum total_to)((c + c / 3) % 3);
            scan.disorder = c % 4 == 3;
            spare(&scan, f == 1, c);
            check(&scan);
        }
    }
}

/* A part of the above, for runs of a driver in its other manners: each compiles anew. The
 * last two are reductions with conversion, and of a tile with a rest. */
static void test_few(void **state)
{
    const size_t counts[] = { 0, 1, 63, 64, 65, 99, 100, 101, 193, 301, 1000 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS + 2; ++k) {
        bool more = k >= 2 * NUM_ALGORITHMS;
        struct trial fold =
            more ? case_of(0, &few_tiles[k % 2 * 2]) : case_of(k / 2, &few_tiles[k % 2]);
        if (more) {
            fold.op = k % 2 ? CLFOLD_MAX : CLFOLD_ADD;
            fold.pair = all_pairs[k % 2 ? 0 : 3];
        }
        fold.zones = true;
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            fold.count = counts[c];
            fold.in_offset = c;
            fold.out_offset = 3 * c % 17;
            fold.total = c % 2 && !trial_reduces(&fold) ? TOTAL_BEHIND : TOTAL_NONE;
            check(&fold);
        }
    }
}

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
                              .total = reduces ? TOTAL_NONE : TOTAL_BEHIND };
        check(&fold);
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

/* ---- Places ------------------------------------------------------------------------ */

/* Where the line of 64 bytes is cut depends on the output's offset, and how the input is
 * read on both: each mix of 18 and 18. */
static void test_all_offsets(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t from = 0; from <= 17; ++from) {
            for (size_t to = 0; to <= 17; ++to) {
                struct trial fold = case_of((from + to) % NUM_ALGORITHMS, &few_tiles[w]);
                fold.count = 150;
                fold.in_offset = from;
                fold.out_offset = to;
                fold.zones = from % 2;
                check(&fold);
            }
        }
    }
}

/* Buffers that begin 4, 8 and 20 bytes past a multiple of 64. */
static void test_host_memory(void **state)
{
    const size_t shifts[] = { 0, 4, 8, 20 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS; ++k) {
        struct trial fold = case_of(k / 2, &policy_tiles[k % 2]);
        size_t tile = tile_of(&fold);
        fold.host = true;
        for (size_t from = 0; from < 4; ++from) {
            for (size_t to = 0; to < 4; ++to) {
                fold.count = 2 * tile + 100 * to;
                fold.in_shift = shifts[from];
                fold.out_shift = shifts[to];
                fold.in_offset = (from + 2 * to) % 5;
                fold.out_offset = (2 * from + to) % 7;
                fold.in_place = from == to && from % 2;
                check(&fold);
            }
        }
    }
}

/* ---- Ends -------------------------------------------------------------------------- */

/* Each init with each total of a scan, apart and in place. */
static void test_ends(void **state)
{
    const size_t counts[] = { 0, 1, 17, 64, 100, 640, 5003 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS; ++k) {
        struct trial fold = case_of(k / 2, &few_tiles[k % 2]);
        for (size_t c = 0; c < 7 * 3 * 3 * 2; ++c) {
            fold.count = counts[c / 18];
            fold.init = (enum init_from)(c % 3);
            fold.total = trial_reduces(&fold) ? TOTAL_NONE : (enum total_to)(c / 3 % 3);
            fold.in_place = c / 9 % 2;
            fold.in_offset = c * (k + 1) % 18;
            fold.out_offset = c % 4;
            fold.zones = c % 2;
            fold.disorder = c % 5 == 0;
            check(&fold);
        }
    }
}

/* Init and total in one place: the total of a call is the next one's init. */
static void test_running_total(void **state)
{
    enum { NUM = 1000, CALLS = 5 };
    const clfold_fold start = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    cl_float data[NUM * CALLS], expected[NUM * CALLS], found[NUM * CALLS];
    cl_int status;

    (void)state;
    fill(data, CLFOLD_F32, NUM * CALLS, FILL_EXACT, 5);
    oracle_scan(CLFOLD_ADD, f32, true, data, NUM * CALLS, NULL, expected, NULL, NULL);
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                sizeof(data), data, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem sum = clCreateBuffer(device.context, CL_MEM_READ_WRITE, 4, NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    for (size_t a = 1; a < NUM_ALGORITHMS; ++a) {
        /* The tile on which the tests above scan exclusively. */
        const struct debug *tile =
            &few_tiles[!(case_of(a, &few_tiles[0]).operation == CLFOLD_EXCLUSIVE_SCAN)];
        const struct debug plan = with_tier(&device, *tile);
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

TEST_MAIN("sizes", open_context, close_context, cmocka_unit_test(test_few),
          cmocka_unit_test(test_policy_tiles), cmocka_unit_test(test_small_tiles),
          cmocka_unit_test(test_policy), cmocka_unit_test(test_stage_limit),
          cmocka_unit_test(test_all_offsets), cmocka_unit_test(test_host_memory),
          cmocka_unit_test(test_ends), cmocka_unit_test(test_running_total),
          cmocka_unit_test(test_anchors))
