/*
 * One association for floats. Over at least 64 tiles of data that rounds, in each type of
 * float: every strategy gives the same bits, in place or not, on either kind of queue,
 * from memory of the host at any address; an exclusive scan is the inclusive one moved by
 * one, and the total is the last inclusive item. That the bits are right at all, within
 * the bound of their additions, prefix_check sees. Workers: same_bits.py.
 */
#include "prefix_check.h"
#include "test.h"

#define TILES 70

static struct device device;
static clfold_context *ctx;

static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", NULL };
#define NUM_ALGORITHMS 4

static const struct {
    struct plan_override plan;
    const char *name;
} tiles[] = {
    { { .tile = TILE_VECTOR, .tile_elements = 16, .max_groups = 5 }, "vector 16" },
    { { .tile = TILE_VECTOR, .tile_elements = 100, .max_groups = 3 }, "vector 100" },
    { { .tile = TILE_VECTOR, .tile_elements = 256, .max_groups = 9 }, "vector 256" },
    { { .tile = TILE_GROUP, .tile_elements = 16, .group_size = 4 }, "group 16" },
    { { .tile = TILE_GROUP, .tile_elements = 96, .group_size = 6 }, "group 96" },
    { { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64 }, "group 256" },
    { { .tile = TILE_VECTOR }, "vector" },
    { { .tile = TILE_GROUP }, "group" },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

static size_t tile_of(const struct prefix_case *scan)
{
    const clfold_fold fold = { .op = scan->op, .type = scan->pair.type };
    clfold_report report;

    clfold_context_override(ctx, &scan->plan);
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 20, &report));
    return report.tile;
}

/* An upper limit of the additions between an element and an item: of a work-item's own,
 * of its group's, and one a tile. */
static double depth_of(const struct prefix_case *scan, size_t tile)
{
    clfold_report report;
    const clfold_fold fold = { .op = scan->op, .type = scan->pair.type };

    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, 1 << 20, &report));
    size_t group = report.group_size;
    size_t inside = group > 1 ? tile / group + group : tile / 16 + 20;
    return (double)(inside + TILES + 8);
}

/* The items, and the total behind them. */
static unsigned char *run(const struct prefix_case *scan, cl_command_queue queue)
{
    size_t size = result_size(scan->op, scan->pair.type);
    unsigned char *results = calloc(scan->count + 1, size);
    char why[1024];

    assert_non_null(results);
    if (!prefix_check(ctx, &device, queue, scan, results, why, sizeof(why))) {
        fail_msg("%s", why);
    }
    return results;
}

/* From result `from` of `expected` on, as many as there are from `first` of `found`. */
static void compare(const struct prefix_case *scan, const unsigned char *expected,
                    size_t from, const unsigned char *found, size_t first, size_t count)
{
    size_t size = result_size(scan->op, scan->pair.type);

    for (size_t i = 0; i < count; ++i) {
        const unsigned char *wanted = expected + (from + i) * size;
        const unsigned char *is = found + (first + i) * size;
        if (memcmp(wanted, is, size) != 0) {
            char text[512];
            prefix_print(scan, text, sizeof(text));
            fail_msg("%s: result %zu is %.17g and not %.17g, as it was before", text,
                     first + i, as_double(scan->pair.type, is),
                     as_double(scan->pair.type, wanted));
        }
    }
}

/* All of one tile and type against the inclusive scan by a single group. */
static void check_tile(struct prefix_case scan)
{
    const size_t shifts[] = { 0, 4, 8, 20 };
    unsigned char *first = NULL;

    for (size_t a = 0; a < NUM_ALGORITHMS; ++a) {
        for (unsigned how = 0; how < 8; ++how) {
            /* Inclusive before exclusive, so that there is something to compare with. */
            struct prefix_case again = scan;
            cl_command_queue queue =
                how & 1 && device.disorder ? device.disorder : device.queue;
            again.algorithm = algorithms[a];
            again.exclusive = how & 4;
            again.in_place = how & 2;
            again.total = how & 1 ? TOTAL_APART : TOTAL_BEHIND;
            again.host = size_of(scan.pair.type) == 4 && how % 4 == 3;
            again.in_shift = again.host ? shifts[a] : 0;
            unsigned char *found = run(&again, queue);
            if (!first) {
                first = found;
                continue;
            }
            if (again.exclusive) {
                compare(&again, first, 0, found, 1, scan.count - 1);
            } else {
                compare(&again, first, 0, found, 0, scan.count);
            }
            compare(&again, first, scan.count - 1, found, scan.count, 1);
            free(found);
        }
    }
    free(first);
}

static void test_one_association(void **state)
{
    const clfold_type types[] = { CLFOLD_F32, CLFOLD_F64, CLFOLD_F16 };
    size_t t = (size_t)(uintptr_t)*state;

    for (size_t k = 0; k < 3; ++k) {
        struct prefix_case scan = { .op = CLFOLD_ADD,
                                    .pair = { types[k], types[k] },
                                    .plan = tiles[t].plan,
                                    .in_offset = 3 * t % 17,
                                    .zones = true,
                                    .init = t % 2 ? INIT_HOST : INIT_NONE,
                                    .seed = t + 1 };
        /* The other types on two tiles of each kind, which is where they may differ. */
        if (!device_has(&device, types[k]) || (k > 0 && t % 3 != 2)) {
            continue;
        }
        size_t tile = tile_of(&scan);
        scan.out_offset = scan.in_offset;
        scan.count = TILES * tile - tile / 2;
        scan.depth = depth_of(&scan, tile);
        check_tile(scan);
    }
}

/* Results that round otherwise in another grouping: were the data not so, equal bits
 * would say nothing. */
static void test_grouping_shows(void **state)
{
    struct prefix_case scan = { .op = CLFOLD_ADD,
                                .pair = { CLFOLD_F32, CLFOLD_F32 },
                                .total = TOTAL_APART,
                                .count = 16 * TILES,
                                .depth = 1000,
                                .seed = 1 };
    unsigned char *results[2];
    size_t differ = 0;

    (void)state;
    for (size_t k = 0; k < 2; ++k) {
        scan.plan = tiles[k].plan;
        results[k] = run(&scan, device.queue);
    }
    for (size_t i = 0; i <= scan.count; ++i) {
        differ += memcmp(results[0] + 4 * i, results[1] + 4 * i, 4) != 0;
    }
    print_message("%zu of %zu differ in tiles of another size\n", differ, scan.count);
    assert_true(differ > scan.count / 4);
    free(results[0]);
    free(results[1]);
}

static int open_device(void **state)
{
    (void)state;
    device_init(&device);
    return clfold_context_create(&ctx, device.context, device.id, NULL);
}

static int close_device(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return 0;
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_TILES + 1] = { cmocka_unit_test(test_grouping_shows) };

    for (size_t t = 0; t < NUM_TILES; ++t) {
        tests[t + 1] = (struct CMUnitTest){ .name = tiles[t].name,
                                            .test_func = test_one_association,
                                            .initial_state = (void *)(uintptr_t)t };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("scan_bits", tests, open_device, close_device);
}
