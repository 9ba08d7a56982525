/* Devices that stop work-items in long loops, as rusticl on llvmpipe, still give right
 * results: a launch gives a work-item few elements. The tests treat every device as such
 * a one, so that each path runs everywhere. */
#include <clfold/experimental.h>
#include "one_context.h"
#include "trial.h"
#include "test.h"

#include "ops/context.h"

/* So few that the last launches of a fold have many partials to fold. */
#define FEW 64

static uint64_t most_elements; /* of the device itself */

/* Small tiles, tiles of the policy, which are longer than a group may fold at once, and
 * the rung that folds in sequence. */
static const struct {
    const char *algorithm;
    struct debug plan;
} ways[] = {
    { NULL, { .tile = TILE_VECTOR, .tile_elements = 64 } },
    { NULL, { .tile = TILE_VECTOR } },
    { NULL, { .tile = TILE_GROUP, .tile_elements = 64, .group_size = 8 } },
    { NULL, { .tile = TILE_GROUP, .group_size = 6, .max_groups = 3 } },
    { "reduce6", { .group_size = 2, .max_groups = 3 } },
    { "reduce6", { .group_size = 6 } },
};
#define NUM_WAYS (sizeof(ways) / sizeof(ways[0]))

static const size_t counts[] = { 0, 1, 999, 4097, 30011, 131073, 300007 };
#define NUM_COUNTS (sizeof(counts) / sizeof(counts[0]))
#define LARGEST    300007

/* What is known of the device that this is for. */
static void test_device(void **state)
{
    (void)state;
    assert_int_equal(most_elements, device.ends_loops ? 512 : 0);
}

/* No scan looks back there, and nothing is probed. */
static void test_explain_lookback(void **state)
{
    clfold_lookback known;

    (void)state;
    ctx->caps.facts.most_elements = FEW;
    for (cl_bool probe = CL_FALSE; probe <= CL_TRUE; ++probe) {
        assert_ok(clfold_explain_lookback(ctx, probe, &known));
        assert_string_equal(known.tier, "none");
        assert_string_equal(known.why, "the device stops work-items that run long loops");
        assert_null(known.dropped[0]);
    }
    ctx->caps.facts.most_elements = most_elements;
}

/* Few groups are the most at once, and so have more elements than one launch takes. */
static uint32_t launches_of(const clfold_fold *fold, size_t count, bool few_groups)
{
    clfold_report report;

    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, fold, count, NULL, &report));
    if (report.num_launches > 2) {
        assert_true(!few_groups || strstr(report.reason, "the most at once here, and "));
        assert_non_null(strstr(report.reason, " launches that fold their partials"));
    }
    return (uint32_t)report.num_launches;
}

static void test_few(void **state)
{
    const struct {
        clfold_op op;
        struct pair pair;
    } folds[] = {
        { CLFOLD_ADD, { CLFOLD_I32, CLFOLD_I32 } },
        { CLFOLD_ADD, { CLFOLD_U64, CLFOLD_U8 } },
        { CLFOLD_ARG_MIN, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_MIN_MAX, { CLFOLD_I8, CLFOLD_I8 } },
    };
    size_t many = 0;

    (void)state;
    ctx->caps.facts.most_elements = FEW;
    for (size_t i = 0; i < 2 * NUM_WAYS; ++i) {
        size_t w = i / 2, f = i % 4;
        struct trial fold = { .operation = CLFOLD_REDUCE,
                              .op = folds[f].op,
                              .pair = folds[f].pair,
                              .algorithm = ways[w].algorithm,
                              .plan = ways[w].plan };
        const clfold_fold call = { .op = fold.op,
                                   .type = fold.pair.type,
                                   .in = fold.pair.in,
                                   .algorithm = fold.algorithm };
        for (size_t c = 0; c < NUM_COUNTS; ++c) {
            fold.count = counts[c];
            fold.in_offset = (w + c) % 4;
            fold.zones = true;
            fold.init = c % 2 == 0;
            fold.seed = c + 1;
            trial_check(&fold, NULL);
        }
        many += launches_of(&call, LARGEST, ways[w].plan.max_groups) > 2;
    }
    print_message("%zu of %zu took more than two launches\n", many, 2 * NUM_WAYS);
    assert_true(many >= NUM_WAYS);
}

/* Partials are folded in order. */
static void test_affine(void **state)
{
    (void)state;
    ctx->caps.facts.most_elements = FEW;
    for (size_t k = 0; k < NUM_WAYS * NUM_COUNTS; ++k) {
        const struct trial fold = { .subject = &affine,
                                    .operation = CLFOLD_REDUCE,
                                    .plan = ways[k / NUM_COUNTS].plan,
                                    .count = counts[k % NUM_COUNTS] };
        if (!ways[k / NUM_COUNTS].algorithm) { /* others reorder */
            trial_check(&fold, NULL);
        }
    }
}

/* What is reserved for a count serves every smaller one. */
static void test_prepared(void **state)
{
    const size_t size = 200000;
    cl_int status;
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY, size * 4, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t w = 0; w < NUM_WAYS; w += 2) {
        const clfold_fold fold = { .op = CLFOLD_MAX,
                                   .type = CLFOLD_I32,
                                   .algorithm = ways[w].algorithm };
        clfold_context *own;
        clfold_stats before, after;
        cl_int result;
        assert_ok(clfold_context_create(&own, device.context, device.id, NULL));
        own->caps.facts.most_elements = FEW;
        clfold_context_override(own, &ways[w].plan);
        assert_ok(clfold_prepare(own, CLFOLD_REDUCE, &fold, size, NULL));
        assert_ok(clfold_context_stats(own, &before));
        for (size_t count = size; count > 0; count /= 3) {
            assert_ok(clfold_reduce_host(own, device.queue, &fold, in, 0, count, &result,
                                         sizeof(result)));
        }
        assert_ok(clfold_context_stats(own, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        clfold_context_destroy(&own);
    }
    clReleaseMemObject(in);
}

/* One group is asked for, whose work-items would go through 130,000 rounds and more. */
static void test_long(void **state)
{
    const struct {
        const char *algorithm;
        struct debug plan;
    } longs[] = {
        { NULL, { .tile = TILE_VECTOR, .max_groups = 1 } },
        { NULL, { .tile = TILE_VECTOR, .tile_elements = 1u << 30, .max_groups = 1 } },
        { NULL, { .tile = TILE_GROUP, .group_size = 16, .max_groups = 1 } },
        { NULL,
          { .tile = TILE_GROUP,
            .tile_elements = 16,
            .group_size = 1024,
            .max_groups = 1 } },
        { "reduce6", { .group_size = 64, .max_groups = 1 } },
    };
    const size_t count = (1 << 24) + 3;
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U64, .in = CLFOLD_U8 };
    unsigned char *bytes = malloc(count);
    cl_ulong expected = 0;
    cl_int status;

    (void)state;
    assert_non_null(bytes);
    for (size_t i = 0; i < count; ++i) {
        bytes[i] = (unsigned char)(i * 7 % 251 + 1);
        expected += bytes[i];
    }
    cl_mem in = clCreateBuffer(device.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                               count, bytes, &status);
    assert_int_equal(status, CL_SUCCESS);
    ctx->caps.facts.most_elements = most_elements;
    for (size_t i = 0; i < sizeof(longs) / sizeof(longs[0]); ++i) {
        clfold_fold fold = sum;
        cl_ulong result = 0;
        fold.algorithm = longs[i].algorithm;
        clfold_context_override(ctx, &longs[i].plan);
        assert_ok(clfold_reduce_host(ctx, device.queue, &fold, in, 0, count, &result,
                                     sizeof(result)));
        assert_int_equal(result, expected);
    }
    clReleaseMemObject(in);
    free(bytes);
}

/* ---- Scans ------------------------------------------------------------------------- */

/* So few that a launch scans some tiles, and takes the prefixes of some. */
#define FEW_OF_SCANS 32
#define MANY_TILES   30011 /* elements */

static const struct debug few_tiles[] = {
    { .tile = TILE_VECTOR, .tile_elements = 32 },
    { .tile = TILE_VECTOR, .tile_elements = 16, .anchor = 4, .max_groups = 9 },
    { .tile = TILE_GROUP, .tile_elements = 32, .group_size = 8, .max_groups = 9 },
    { .tile = TILE_GROUP, .tile_elements = 36, .group_size = 6, .anchor = 3 },
};
#define NUM_FEW_TILES 4
/* Of scan_algorithms. Look-back takes one launch, or is rejected. */
#define MANY_LAUNCHES 4

/* `state` is handed from launch to launch, and so is the carry of prefixes. */
static void assert_many_launches(const struct trial *scan)
{
    const clfold_fold fold = { .op = scan->op,
                               .type = scan->pair.type,
                               .in = scan->pair.in,
                               .algorithm = scan->algorithm };
    size_t least = strstr(scan->algorithm, "then") ? 4 : 2;
    clfold_report report;

    clfold_context_override(ctx, &scan->plan);
    assert_ok(
        clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, MANY_TILES, NULL, &report));
    assert_true(report.num_launches >= least);
}

/* Each fold by two strategies, each strategy on tiles of both kinds; a kind of scan has a
 * kind of tile, and test_affine_scans the other one. */
static void test_few_of_scans(void **state)
{
    const struct {
        clfold_op op;
        struct pair pair;
    } folds[] = {
        { CLFOLD_ADD, { CLFOLD_F32, CLFOLD_F32 } },
        { CLFOLD_ADD, { CLFOLD_U8, CLFOLD_U64 } },
        { CLFOLD_ARG_MIN_MAX, { CLFOLD_F32, CLFOLD_F32 } },
    };
    const size_t sizes[] = { 1, 999, MANY_TILES - 1, MANY_TILES };

    (void)state;
    ctx->caps.facts.most_elements = FEW_OF_SCANS;
    for (size_t k = 0; k < 2 * MANY_LAUNCHES; ++k) {
        size_t t = k / 4 * 2 + k % 2, f = k % 3, a = (k + k / 4) % MANY_LAUNCHES;
        struct trial scan = { .op = folds[f].op,
                              .pair = folds[f].pair,
                              .algorithm = scan_algorithms[a],
                              .plan = few_tiles[t],
                              .operation = scan_of(k / 4),
                              .zones = true };
        assert_many_launches(&scan);
        for (size_t c = 0; c < 4; ++c) {
            scan.count = sizes[c];
            scan.in_offset = c;
            scan.out_offset = (t + c) % 17;
            scan.init = (enum init_from)((c + k) % 3);
            scan.total = c % 2 ? TOTAL_APART : TOTAL_BEHIND;
            scan.seed = c + 1;
            trial_check(&scan, NULL);
        }
    }
}

/* The partial that is passed on comes first. */
static void test_affine_scans(void **state)
{
    (void)state;
    ctx->caps.facts.most_elements = FEW_OF_SCANS;
    for (size_t t = 0; t < NUM_FEW_TILES; ++t) {
        const struct trial scan = { .subject = &affine,
                                    .init = t / 2 ? INIT_HOST : INIT_NONE,
                                    .plan = few_tiles[t],
                                    .algorithm = scan_algorithms[t % MANY_LAUNCHES],
                                    .operation = scan_of(t % 2),
                                    .disorder = true,
                                    .count = MANY_TILES,
                                    .out_offset = 5 };
        trial_check(&scan, NULL);
    }
}

/* As for reductions. */
static void test_prepared_scans(void **state)
{
    cl_int status;
    cl_mem mem = clCreateBuffer(device.context, CL_MEM_READ_WRITE,
                                (MANY_TILES + 5) * sizeof(cl_int), NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t k = 0; k < MANY_LAUNCHES; ++k) {
        const clfold_fold fold = { .op = CLFOLD_MAX,
                                   .type = CLFOLD_I32,
                                   .algorithm = scan_algorithms[k] };
        clfold_context *own;
        clfold_stats before, after;
        assert_ok(clfold_context_create(&own, device.context, device.id, NULL));
        own->caps.facts.most_elements = FEW_OF_SCANS;
        clfold_context_override(own, &few_tiles[k]);
        assert_ok(clfold_prepare(own, CLFOLD_INCLUSIVE_SCAN, &fold, MANY_TILES, NULL));
        assert_ok(clfold_context_stats(own, &before));
        for (size_t count = MANY_TILES; count > 0; count /= 3) {
            assert_ok(clfold_inclusive_scan(own, device.queue, &fold, mem, 5, mem, 5,
                                            count, 0, NULL, NULL));
            assert_int_equal(clFinish(device.queue), CL_SUCCESS);
        }
        assert_ok(clfold_context_stats(own, &after));
        assert_int_equal(before.builds, after.builds);
        assert_int_equal(before.scratch_bytes, after.scratch_bytes);
        clfold_context_destroy(&own);
    }
    clReleaseMemObject(mem);
}

/* Items that are stored one by one, on a device that ends loops: the launches over tiles
 * by a group each, and by one for all. */
static void test_long_scans(void **state)
{
    struct trial scan = { .op = CLFOLD_ARG_MIN_MAX,
                          .pair = { CLFOLD_F32, CLFOLD_F32 },
                          .operation = CLFOLD_INCLUSIVE_SCAN,
                          .count = 1 << 19 };

    (void)state;
    if (most_elements == 0) {
        print_message("%s ends no work-item\n", device.name);
        skip();
    }
    ctx->caps.facts.most_elements = most_elements;
    scan.algorithm = "scan_single_group";
    trial_check(&scan, NULL);
    scan.algorithm = "reduce_then_scan";
    scan.plan.max_groups = 1;
    trial_check(&scan, NULL);
}

static int open_device(void **state)
{
    int status = open_context(state);

    most_elements = status ? 0 : ctx->caps.facts.most_elements;
    return status;
}

TEST_MAIN("limited", open_device, close_context, cmocka_unit_test(test_device),
          cmocka_unit_test(test_explain_lookback), cmocka_unit_test(test_few),
          cmocka_unit_test(test_affine), cmocka_unit_test(test_prepared),
          cmocka_unit_test(test_long), cmocka_unit_test(test_few_of_scans),
          cmocka_unit_test(test_affine_scans), cmocka_unit_test(test_prepared_scans),
          cmocka_unit_test(test_long_scans))
