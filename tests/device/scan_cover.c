/*
 * Scans: each operator, type and type of elements with each algorithm, kind, tile, place
 * and init, and those with each other: a few programs in which any two values of any two
 * of these meet, each run with every class of sizes, and with offsets and totals in turn.
 * Operators and types meet each other in cover.c, whose programs have the same text for
 * them. With an argument, as "2/3", it runs one part of the programs, here each third
 * from the third on, so that no part takes too long.
 */
#include "one_context.h"
#include "pairwise.h"
#include "prefix_check.h"
#include "test.h"

#define MOST_PROGRAMS 120 /* on a device */

/* ---- The factors ------------------------------------------------------------------- */

/* Sizes are the call's; what stands before them makes a row. */
enum { OP, TYPE, IN, ALGORITHM, KIND, TILE, PLACE, INIT, NUM_ROW_FACTORS };
enum { SIZE = NUM_ROW_FACTORS, NUM_FACTORS };

static const char *const factor_names[] = { "operator",  "type", "in",
                                            "algorithm", "kind", "tile",
                                            "place",     "init", "size" };

/* The last ones have one kernel, so rows take them in turn. */
static const char *const algorithms[] = { "scan_single_group", "scan_then_propagate",
                                          "reduce_then_scan", "scan_lookback",
                                          "scan_chained" };
#define NUM_ALGORITHMS 4

enum { APART, IN_PLACE, NUM_PLACES };

/* The policy's of a group is left to scan.c: Intel's compiler takes up to 30 s for it. */
static const struct debug tiles[] = {
    { .tile = TILE_VECTOR },
    { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 3 },
};
#define NUM_TILES (sizeof(tiles) / sizeof(tiles[0]))

enum {
    NOTHING,
    ONE,
    BELOW_TILE,
    A_TILE,
    ABOVE_TILE,
    FOUR_TILES,
    PRIME,
    ABOVE_POWER,
    NUM_SIZES
};

static size_t count_of(unsigned size, size_t tile)
{
    switch (size) {
    case NOTHING:
    case ONE:
        return size;
    case BELOW_TILE:
    case A_TILE:
    case ABOVE_TILE:
        return tile + size - A_TILE;
    case FOUR_TILES:
        return 4 * tile + 1;
    case PRIME:
        return 2003;
    default:
        return 4097;
    }
}

static clfold_op op_of(const struct row *row)
{
    return CLFOLD_ADD + row->level[OP];
}

static struct pair pair_of(const struct row *row)
{
    return (struct pair){ .in = CLFOLD_I8 + row->level[IN],
                          .type = CLFOLD_I8 + row->level[TYPE] };
}

/* In place wants elements of one size; an exclusive scan without identity an init. */
static bool is_allowed(const void *user, const struct row *row)
{
    struct pair pair = pair_of(row);
    clfold_op op = op_of(row);

    (void)user;
    if (!is_folded(op, pair) || !device_folds(&device, pair.in, pair.type)) {
        return false;
    }
    if (row->level[KIND] == 1 && is_arg(op) && row->level[INIT] == INIT_NONE) {
        return false;
    }
    return row->level[PLACE] == APART || result_size(op, pair.type) == size_of(pair.in);
}

static const struct factors row_factors = {
    .num = NUM_ROW_FACTORS,
    .apart = ALGORITHM,
    .levels = { LAST_OP, LAST_TYPE, LAST_TYPE, NUM_ALGORITHMS, 2, NUM_TILES, NUM_PLACES,
                INIT_DEVICE + 1 },
    .allowed = is_allowed,
};

static struct prefix_case case_of(const struct row *row)
{
    return (struct prefix_case){
        .op = op_of(row),
        .pair = pair_of(row),
        .algorithm = algorithms[row->level[ALGORITHM]],
        .exclusive = row->level[KIND],
        .plan = tiles[row->level[TILE]],
        .in_place = row->level[PLACE] == IN_PLACE,
        .init = (enum init_from)row->level[INIT],
    };
}

static uint64_t num_programs(void)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.failed_builds, 0);
    return stats.builds;
}

/* ---- The cover --------------------------------------------------------------------- */

/* What the policy does with so many. */
static clfold_report choice_of(const struct prefix_case *scan, size_t count)
{
    const clfold_fold fold = { .op = scan->op,
                               .type = scan->pair.type,
                               .in = scan->pair.in };
    clfold_report report;

    clfold_context_override(ctx, &scan->plan);
    assert_ok(clfold_explain(ctx, CLFOLD_INCLUSIVE_SCAN, &fold, count, &report));
    return report;
}

/* Offsets, totals and queues go round, at steps that have nothing in common. No algorithm
 * is named in turn, where it is the policy's: the program is the same. */
static void run_row(const struct row *of, size_t number, bool other, struct pairs *seen,
                    size_t *num_unnamed)
{
    static const size_t offsets[] = { 0, 1, 3, 5, 16 };
    struct prefix_case scan = case_of(of);
    uint8_t level = of->level[ALGORITHM];
    const char *algorithm =
        algorithms[level == NUM_ALGORITHMS - 1 ? level + number % 2 : level];
    size_t tile = choice_of(&scan, 1 << 20).tile;

    for (unsigned size = 0; size < NUM_SIZES; ++size) {
        struct row row = *of;
        size_t turn = size + 3 * number;
        char why[1024];
        /* Nothing is scanned by a single group: a program more for a row of another
         * strategy, of which the first has it. */
        if (size == NOTHING && level > 0 && seen->of[ALGORITHM][SIZE][level][size]) {
            continue;
        }
        row.level[SIZE] = (uint8_t)size;
        pairs_add(seen, NUM_FACTORS, row_factors.apart, &row);
        scan.count = count_of(size, tile);
        scan.in_offset = offsets[turn % 5];
        scan.out_offset = offsets[turn * 3 / 2 % 5];
        scan.zones = turn % 2;
        scan.total = (enum total_to)(turn % 3);
        scan.nan = turn % 7 == 6;
        scan.seed = number * NUM_SIZES + size;
        scan.algorithm = algorithm;
        if ((size + number) % 2 &&
            strcmp(choice_of(&scan, scan.count).algorithm, algorithm) == 0) {
            scan.algorithm = NULL;
            ++*num_unnamed;
        }
        if (other) {
            continue;
        }
        if (!prefix_check(ctx, &device,
                          turn % 4 == 3 && device.disorder ? device.disorder
                                                           : device.queue,
                          &scan, NULL, why, sizeof(why))) {
            fail_msg("%s", why);
        }
    }
}

/* Every level that meets any meets every size. */
static void add_sizes(struct pairs *wanted)
{
    for (size_t a = 0; a < NUM_ROW_FACTORS; ++a) {
        size_t b = a < ALGORITHM ? ALGORITHM : 0;
        for (size_t x = 0; x < MAX_LEVELS; ++x) {
            bool is_level = false;
            for (size_t y = 0; y < MAX_LEVELS; ++y) {
                is_level |= a < b ? wanted->of[a][b][x][y] : wanted->of[b][a][y][x];
            }
            for (size_t size = 0; size < NUM_SIZES; ++size) {
                wanted->of[a][SIZE][x][size] = is_level;
            }
        }
    }
}

static void check_pairs(const struct pairs *wanted, const struct pairs *seen)
{
    for (size_t a = 0; a < NUM_FACTORS; ++a) {
        for (size_t b = a < ALGORITHM ? ALGORITHM : a + 1; b < NUM_FACTORS; ++b) {
            size_t num = 0;
            for (size_t x = 0; x < MAX_LEVELS; ++x) {
                for (size_t y = 0; y < MAX_LEVELS; ++y) {
                    num += wanted->of[a][b][x][y];
                    if (wanted->of[a][b][x][y] != seen->of[a][b][x][y]) {
                        fail_msg("%s %zu and %s %zu %s", factor_names[a], x,
                                 factor_names[b], y,
                                 wanted->of[a][b][x][y] ? "never met" : "must not meet");
                    }
                }
            }
            assert_true(num > 0);
        }
    }
}

/* The rows of other parts are only counted. */
static unsigned part, num_parts = 1;

static void test_cover(void **state)
{
    static struct pairs wanted, seen;
    static struct row rows[MOST_PROGRAMS];
    uint64_t before = num_programs();
    size_t num = pairwise(&row_factors, rows, MOST_PROGRAMS, &wanted);
    size_t num_run = 0, num_unnamed = 0;

    (void)state;
    assert_true(num > 0);
    for (clfold_type type = CLFOLD_F16; type <= LAST_TYPE; ++type) {
        if (!device_has(&device, type)) {
            print_message("without %s, which the device has not\n", name_of(type));
        }
    }
    memset(&seen, 0, sizeof(seen));
    for (size_t i = 0; i < num; ++i) {
        bool other = i % num_parts != part;
        run_row(&rows[i], i, other, &seen, &num_unnamed);
        num_run += !other;
    }
    assert_true(num_run > 0);
    add_sizes(&wanted);
    check_pairs(&wanted, &seen);
    uint64_t built = num_programs() - before;
    print_message("%llu programs of %zu rows; with the other parts %zu rows, %zu pairs, "
                  "%zu calls by the policy's algorithm\n",
                  (unsigned long long)built, num_run, num, pairs_count(&seen),
                  num_unnamed);
    assert_true(num_unnamed > 0);
    /* One for a row, the probe's, and one for what look-back refuses, since another
     * strategy scans it. */
    assert_true(built <= 2 * num_run + 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_cover) };

    if (argc > 1 &&
        (sscanf(argv[1], "%u/%u", &part, &num_parts) != 2 || part >= num_parts)) {
        fprintf(stderr, "usage: test_scan_cover [PART/PARTS]\n");
        return 2;
    }
    return cmocka_run_group_tests_name("scan_cover", tests, open_context, close_context);
}
