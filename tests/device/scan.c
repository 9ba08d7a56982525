/*
 * Scans against the oracle, in depth for a few types (all others: cover.c): each
 * strategy on both tiles, counts at every boundary, offsets, memory of the host, in
 * place, init and total. What operators are given: scan_order.c; the bits of floats, and
 * each small tile by each strategy: scan_bits.c.
 *
 * Programs take long to build, so tests share them: most sum f32 on one of few tiles, and
 * a strategy is inclusive on one kind of tile and exclusive on the other.
 */
#include "lookback.h"
#include "one_context.h"
#include "prefix_check.h"
#include "test.h"

static uint64_t seed;

/* Of a kind, so many elements, work-items, and groups at most. */
#define TILES_OF(kind, elements, size, groups)                                           \
    {                                                                                    \
        .tile = kind, .tile_elements = elements, .group_size = size,                     \
        .max_groups = groups                                                             \
    }

static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", "scan_lookback",
                                          "scan_chained" };
#define NUM_ALGORITHMS 5

static const struct debug policy_tiles[] = { { .tile = TILE_VECTOR },
                                             { .tile = TILE_GROUP } };

/* Tiles so small that every path is taken with little data: less than a vector of 16 with
 * its lead, no multiple of a line, work-items of one element, of many, and one alone. */
static const struct debug small_tiles[] = {
    TILES_OF(TILE_VECTOR, 16, 0, 5),  TILES_OF(TILE_VECTOR, 32, 0, 3),
    TILES_OF(TILE_VECTOR, 64, 0, 4),  TILES_OF(TILE_VECTOR, 100, 0, 7),
    TILES_OF(TILE_VECTOR, 256, 0, 2), TILES_OF(TILE_GROUP, 16, 4, 5),
    TILES_OF(TILE_GROUP, 64, 8, 4),   TILES_OF(TILE_GROUP, 100, 6, 3),
    TILES_OF(TILE_GROUP, 256, 1, 2),  TILES_OF(TILE_GROUP, 256, 256, 3),
    TILES_OF(TILE_GROUP, 2048, 64, 7)
};
#define NUM_SMALL (sizeof(small_tiles) / sizeof(small_tiles[0]))

/* Of small_tiles, for what needs no more. */
static const struct debug few_tiles[] = { TILES_OF(TILE_VECTOR, 64, 0, 4),
                                          TILES_OF(TILE_GROUP, 64, 8, 4) };

static const struct pair f32 = { CLFOLD_F32, CLFOLD_F32 };

/* The kind of scan by strategy `a` on the tile of index `w`, where tests share one. */
static bool is_exclusive(size_t a, size_t w)
{
    return (a + w) % 2;
}

static void check(struct prefix_case *scan, cl_command_queue queue)
{
    char why[1024];

    scan->seed = ++seed;
    if (!prefix_check(ctx, &device, queue, scan, NULL, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

/* Elements of a tile, as the plan has it. */
static size_t tile_of(const struct prefix_case *scan)
{
    const clfold_fold fold = { .op = scan->op,
                               .type = scan->pair.type,
                               .in = scan->pair.in };
    clfold_report report;

    clfold_context_override(ctx, &scan->plan);
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 20, &report));
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

/* One, vectors, tiles, powers of two up to `most`, and a prime. Nothing is scanned by a
 * single group, a program more for each other strategy: test_few and cover.c. */
static size_t boundary_counts(size_t tile, size_t most, size_t *counts)
{
    size_t num = 0;

    for (size_t power = 2; power <= most; power *= 2) {
        num = add_around(counts, num, power);
    }
    for (size_t tiles = 1; tiles <= 9; tiles = tiles < 3 ? tiles + 1 : tiles * 3) {
        num = add_around(counts, num, tiles * tile);
    }
    counts[num++] = 10007;
    return num;
}

/* The policy's tiles with every strategy, and with the one that it takes itself. */
static void test_policy_tiles(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS; ++k) {
        struct prefix_case scan = { .op = CLFOLD_ADD,
                                    .pair = f32,
                                    .plan = policy_tiles[k % 2],
                                    .exclusive = is_exclusive(k / 2, k % 2),
                                    .zones = true };
        size_t counts[80], num = boundary_counts(tile_of(&scan), 1 << 15, counts);
        for (size_t c = 0; c < num; ++c) {
            scan.count = counts[c];
            scan.total = c % 2 ? TOTAL_APART : TOTAL_NONE;
            scan.algorithm = c % 4 == 3 ? NULL : algorithms[k / 2];
            check(&scan, device.queue);
        }
        scan.algorithm = algorithms[k / 2];
        scan.count = (1 << 18) + 7;
        check(&scan, device.queue);
    }
}

/* Strategies, operators and pairs in turn. */
static void test_small_tiles(void **state)
{
    const struct pair pairs[] = { { CLFOLD_I32, CLFOLD_I32 },
                                  f32,
                                  { CLFOLD_I16, CLFOLD_I64 },
                                  { CLFOLD_U8, CLFOLD_U32 },
                                  { CLFOLD_U64, CLFOLD_U64 } };
    const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_MIN, CLFOLD_MUL };

    (void)state;
    for (size_t w = 0; w < NUM_SMALL; ++w) {
        struct prefix_case scan = { .op = ops[w % 3],
                                    .pair = pairs[(w + w / 5) % 5],
                                    .algorithm = algorithms[w % NUM_ALGORITHMS],
                                    .plan = small_tiles[w],
                                    .exclusive = w % 2,
                                    .zones = true };
        size_t counts[80], num = boundary_counts(scan.plan.tile_elements, 2048, counts);
        for (size_t c = 0; c < num; ++c) {
            scan.count = counts[c];
            scan.in_offset = c % 5;
            scan.out_offset = c % 7;
            scan.init = (enum init_from)(c % 3);
            scan.nan = c % 8 == 7;
            check(&scan, c % 3 == 0 && device.disorder ? device.disorder : device.queue);
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
        size_t p = k % 3, f = k / 3, a = (p + 2 * f) % (NUM_ALGORITHMS - 1);
        size_t tile = plans[p].tile_elements, anchor = p == 1 ? 3 : 4;
        struct prefix_case scan = { .op = folds[f].op,
                                    .pair = folds[f].pair,
                                    .algorithm = algorithms[a],
                                    .plan = plans[p],
                                    .exclusive = (p + f) % 2,
                                    .zones = true };
        size_t counts[80], num = 0;
        for (size_t tiles = 1; tiles <= 64 * anchor;
             tiles = tiles < anchor ? tiles + 1 : tiles * 2) {
            num = add_around(counts, num, tiles * tile);
        }
        scan.plan.anchor = (uint32_t)anchor;
        for (size_t c = 0; c < num; ++c) {
            scan.count = counts[c];
            scan.out_offset = c % 2 ? 0 : c % 17;
            scan.init = (enum init_from)(c % 3);
            scan.total = (enum total_to)((c + c / 3) % 3);
            check(&scan, c % 4 == 3 && device.disorder ? device.disorder : device.queue);
        }
    }
}

/* A part of the above, for runs of a driver in its other manners: each compiles anew. */
static void test_few(void **state)
{
    (void)state;
    for (size_t w = 0; w < 2; ++w) {
        for (size_t a = 0; a < NUM_ALGORITHMS; ++a) {
            struct prefix_case scan = { .op = CLFOLD_ADD,
                                        .pair = f32,
                                        .algorithm = algorithms[a],
                                        .plan = few_tiles[w],
                                        .exclusive = is_exclusive(a, w),
                                        .zones = true };
            const size_t counts[] = { 0, 1, 63, 64, 65, 193, 1000 };
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
                scan.count = counts[c];
                scan.in_offset = c;
                scan.out_offset = 3 * c % 17;
                scan.total = c % 2 ? TOTAL_BEHIND : TOTAL_NONE;
                check(&scan, device.queue);
            }
        }
    }
}

/* The last element is lost where counts or sums go through a float. */
static void test_large_count(void **state)
{
    struct prefix_case scan = { .op = CLFOLD_ADD,
                                .pair = { CLFOLD_U8, CLFOLD_U32 },
                                .exclusive = true,
                                .count = (1 << 24) + 1,
                                .total = TOTAL_BEHIND };

    (void)state;
    check(&scan, device.queue);
}

/* A tile larger than a stage can hold is cut: 2^24 + 2^18 bytes of 255 pass 2^32 in uint.
 */
static void test_stage_limit(void **state)
{
    const size_t count = (1 << 24) + (1 << 18);
    const struct debug huge = { .tile = TILE_VECTOR, .tile_elements = 1u << 30 };
    const clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };
    unsigned char *bytes = malloc(count);
    cl_ulong *sums = malloc(count * sizeof(*sums));
    cl_int status;

    (void)state;
    assert_non_null(bytes);
    assert_non_null(sums);
    memset(bytes, 255, count);
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               count, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    cl_mem out = clCreateBuffer(device.context, CL_MEM_READ_WRITE, count * sizeof(*sums),
                                NULL, &status);
    assert_int_equal(status, CL_SUCCESS);
    const struct debug plan = with_tier(&device, huge);
    clfold_context_override(ctx, &plan);
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &fold, in, 0, out, 0, count, 0,
                                    NULL, NULL));
    assert_int_equal(clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0,
                                         count * sizeof(*sums), sums, 0, NULL, NULL),
                     CL_SUCCESS);
    for (size_t i = 0; i < count; ++i) {
        if (sums[i] != 255 * (i + 1)) {
            fail_msg("item %zu is %llu", i, (unsigned long long)sums[i]);
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
                size_t a = (from + to) % NUM_ALGORITHMS;
                struct prefix_case scan = { .op = CLFOLD_ADD,
                                            .pair = f32,
                                            .algorithm = algorithms[a],
                                            .plan = few_tiles[w],
                                            .exclusive = is_exclusive(a, w),
                                            .count = 150,
                                            .in_offset = from,
                                            .out_offset = to,
                                            .zones = from % 2 };
                check(&scan, device.queue);
            }
        }
    }
}

/* Elements and results of other sizes, on one of the policy's tiles; on both, at a few
 * offsets: cover.c. */
static void test_offsets(void **state)
{
    const struct {
        clfold_op op;
        struct pair pair;
    } folds[] = { { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U8 } },
                  { CLFOLD_MAX, { CLFOLD_I16, CLFOLD_I16 } },
                  { CLFOLD_ADD, { CLFOLD_I32, CLFOLD_I64 } },
                  { CLFOLD_ARG_MIN, { CLFOLD_I32, CLFOLD_I32 } },
                  { CLFOLD_MIN_MAX, { CLFOLD_U8, CLFOLD_U8 } } };
    const size_t offsets[] = { 0, 1, 2, 3, 5, 8, 13, 15, 16, 17 };
    const size_t num = sizeof(offsets) / sizeof(offsets[0]);

    (void)state;
    for (size_t k = 0; k < sizeof(folds) / sizeof(folds[0]); ++k) {
        struct prefix_case scan = { .op = folds[k].op,
                                    .pair = folds[k].pair,
                                    .algorithm = algorithms[k % NUM_ALGORITHMS],
                                    .plan = policy_tiles[k % 2],
                                    .exclusive = k % 4 > 1,
                                    .init = INIT_HOST };
        size_t tile = tile_of(&scan);
        for (size_t i = 0; i < num; ++i) {
            for (size_t shift = 0; shift < 3; ++shift) {
                scan.in_offset = offsets[i];
                scan.out_offset = offsets[(i * 7 + shift * 3) % num];
                scan.zones = shift == 1;
                scan.count = shift == 0 ? 70 : tile + 5;
                check(&scan, device.queue);
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
        struct prefix_case scan = { .op = CLFOLD_ADD,
                                    .pair = f32,
                                    .algorithm = algorithms[k / 2],
                                    .plan = policy_tiles[k % 2],
                                    .exclusive = is_exclusive(k / 2, k % 2),
                                    .host = true };
        size_t tile = tile_of(&scan);
        for (size_t from = 0; from < 4; ++from) {
            for (size_t to = 0; to < 4; ++to) {
                scan.count = 2 * tile + 100 * to;
                scan.in_shift = shifts[from];
                scan.out_shift = shifts[to];
                scan.in_offset = (from + 2 * to) % 5;
                scan.out_offset = (2 * from + to) % 7;
                scan.in_place = from == to && from % 2;
                check(&scan, device.queue);
            }
        }
    }
}

/* Other types: cover.c. */
static void test_in_place(void **state)
{
    const size_t counts[] = { 0, 1, 17, 63, 64, 65, 640, 5003 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS; ++k) {
        size_t a = k / 2, w = k % 2;
        struct prefix_case scan = { .op = CLFOLD_ADD,
                                    .pair = f32,
                                    .algorithm = algorithms[a],
                                    .plan = few_tiles[w],
                                    .exclusive = is_exclusive(a, w),
                                    .in_place = true };
        for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            scan.count = counts[c];
            scan.in_offset = c * k % 18;
            scan.zones = c % 2;
            scan.init = (enum init_from)((c + k) % 3);
            scan.total = (enum total_to)((c + c / 3 + k) % 3);
            check(&scan, c % 2 && device.disorder ? device.disorder : device.queue);
        }
    }
}

/* ---- Ends -------------------------------------------------------------------------- */

/* Each init with each total, in both kinds of scan. */
static void test_ends(void **state)
{
    const size_t counts[] = { 0, 1, 64, 65, 1000 };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_ALGORITHMS; ++k) {
        for (size_t c = 0; c < 5 * 9; ++c) {
            struct prefix_case scan = { .op = CLFOLD_ADD,
                                        .pair = f32,
                                        .algorithm = algorithms[k / 2],
                                        .plan = few_tiles[k % 2],
                                        .exclusive = is_exclusive(k / 2, k % 2),
                                        .count = counts[c / 9],
                                        .out_offset = c % 3,
                                        .zones = c % 2,
                                        .init = (enum init_from)(c % 3),
                                        .total = (enum total_to)(c / 3 % 3) };
            check(&scan, device.queue);
        }
    }
}

/* Offsets of the rows of a sparse matrix from their lengths: u32 into u64, exclusive, the
 * total behind, and nothing but zeros for no rows. */
static void test_row_offsets(void **state)
{
    const size_t counts[] = { 0, 1, 1000, 100003 };

    (void)state;
    for (size_t c = 0; c < 4; ++c) {
        struct prefix_case scan = { .op = CLFOLD_ADD,
                                    .pair = { CLFOLD_U32, CLFOLD_U64 },
                                    .exclusive = true,
                                    .count = counts[c],
                                    .total = TOTAL_BEHIND };
        check(&scan, device.queue);
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
    for (size_t k = 0; k < NUM_ALGORITHMS; ++k) {
        /* The tile on which the tests above scan exclusively. */
        const struct debug plan = with_tier(&device, few_tiles[!is_exclusive(k, 0)]);
        if (may_look_back(algorithms[k]) && !has_fences(&device, plan.tier)) {
            print_message("%s: %s is not in place here\n", device.name, algorithms[k]);
            continue;
        }
        clfold_context_override(ctx, &plan);
        clEnqueueWriteBuffer(device.queue, mem, CL_TRUE, 0, sizeof(data), data, 0, NULL,
                             NULL);
        for (size_t i = 0; i < CALLS; ++i) {
            clfold_fold fold = start;
            fold.algorithm = algorithms[k];
            fold.init_at.mem = i > 0 ? sum : NULL;
            fold.total_at.mem = sum;
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

/* A NaN is rare, and a vector's tiles without one are scanned in another way: before it,
 * behind it, in the last tile alone, and in init. */
static void test_nan(void **state)
{
    static const struct debug tiles[] = { TILES_OF(TILE_VECTOR, 16, 0, 5),
                                          TILES_OF(TILE_VECTOR, 100, 0, 3),
                                          TILES_OF(TILE_VECTOR, 256, 0, 2) };
    static const clfold_op ops[] = { CLFOLD_MIN, CLFOLD_MAX };

    (void)state;
    for (size_t turn = 0; turn < 3 * 2; ++turn) {
        struct prefix_case scan = { .op = turn < 3 ? ops[turn % 2] : CLFOLD_MIN_MAX,
                                    .pair = f32,
                                    .algorithm = algorithms[turn % NUM_ALGORITHMS],
                                    .plan = tiles[turn % 3],
                                    .exclusive = turn % 2,
                                    .init = (enum init_from)((turn + turn / 3) % 3),
                                    .nan = true,
                                    .seed = turn };
        const size_t tile = scan.plan.tile_elements;
        const size_t counts[] = { 16, tile, 5 * tile + 17 };
        for (size_t c = 0; c < 3; ++c) {
            scan.count = counts[c];
            scan.out_offset = c * turn % 5;
            check(&scan, device.queue);
        }
    }
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),         cmocka_unit_test(test_policy_tiles),
        cmocka_unit_test(test_small_tiles), cmocka_unit_test(test_large_count),
        cmocka_unit_test(test_stage_limit), cmocka_unit_test(test_all_offsets),
        cmocka_unit_test(test_offsets),     cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_in_place),    cmocka_unit_test(test_ends),
        cmocka_unit_test(test_row_offsets), cmocka_unit_test(test_running_total),
        cmocka_unit_test(test_anchors),     cmocka_unit_test(test_nan),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("scan", tests, open_context, close_context);
}
