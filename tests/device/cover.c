/*
 * Every operator, type, type of elements, algorithm and group size, pair by pair: a few
 * programs in which any two values of any two of these meet, each run with every class of
 * sizes and with offsets and inits in turn. Then random folds. The rungs are run apart
 * from the tiles, and the tiles in three parts, so that none takes too long.
 */
#include "prefix_check.h"
#include "one_context.h"
#include "pairwise.h"
#include "test.h"

#include <time.h>

#define MOST_PROGRAMS   200 /* on a device, without the random ones */
#define RANDOM_PROGRAMS 5   /* of the rungs, and of the tiles */
#define RANDOM_CALLS    1000

/* ---- The factors ------------------------------------------------------------------- */

/* A row of a cover has these levels; the first five make a program. */
enum { OP, TYPE, IN, ALGORITHM, SHAPE, NUM_PROGRAM_FACTORS };
enum { SIZE = NUM_PROGRAM_FACTORS, OFFSET, INIT, NUM_CALL_FACTORS };

static const char *const factor_names[] = { "operator", "type", "in",     "algorithm",
                                            "shape",    "size", "offset", "init" };

/* The policy's algorithm by either tile, and the rungs. */
enum { BY_VECTOR, BY_GROUP, FIRST_RUNG };
static const char *const rungs[] = { "reduce0", "reduce1", "reduce2", "reduce3",
                                     "reduce4", "reduce5", "reduce6" };
#define NUM_RUNGS      (sizeof(rungs) / sizeof(rungs[0]))
#define NUM_ALGORITHMS (FIRST_RUNG + NUM_RUNGS)

/* Tiles are so small, and of reduce6 the groups so few, that each path is taken with
 * little data: groups of few, and of powers of two and not, below a rung's last six steps
 * and above; tiles of each kind with nothing left over, and with a rest. More of them:
 * reduce.c and mutant.c. */
static const struct debug shapes[] = {
    { .group_size = 2, .max_groups = 9 },
    { .group_size = 3, .max_groups = 5 },
    { .group_size = 32, .max_groups = 3 },
    { .group_size = 50, .max_groups = 7 },
    { .group_size = 100, .max_groups = 4 },
    { .group_size = 256, .max_groups = 5 },
    { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 },
    { .tile = TILE_VECTOR, .tile_elements = 300, .max_groups = 3 },
    { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 },
    { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 },
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

enum {
    NOTHING,
    ONE,
    TWO,
    BELOW_UNIT, /* of a rung's group, or a tile */
    UNIT,
    ABOVE_UNIT,
    BELOW_TWO,
    TWO_UNITS,
    ABOVE_TWO,
    BELOW_FOUR,
    ABOVE_FOUR,
    PRIME,
    BELOW_POWER,
    ABOVE_POWER,
    SEVERAL_PASSES,
    NUM_SIZES
};

static const size_t offsets[] = { 0, 1, 3, 7 };
#define NUM_OFFSETS (sizeof(offsets) / sizeof(offsets[0]))

static size_t square(size_t x)
{
    return x * x;
}

static size_t count_of(unsigned size, const struct debug *shape)
{
    size_t unit = shape->tile ? shape->tile_elements : shape->group_size;

    switch (size) {
    case NOTHING:
    case ONE:
    case TWO:
        return size;
    case BELOW_UNIT:
    case UNIT:
    case ABOVE_UNIT:
        return unit + size - UNIT;
    case BELOW_TWO:
    case TWO_UNITS:
    case ABOVE_TWO:
        return 2 * unit + size - TWO_UNITS;
    case BELOW_FOUR:
        return 4 * unit - 1;
    case ABOVE_FOUR:
        return 4 * unit + 1;
    case PRIME:
        return 2003;
    case BELOW_POWER:
        return 4095;
    case ABOVE_POWER:
        return 4097;
    default:
        /* A rung takes up to two elements a work-item: three launches. */
        return shape->tile || square(2 * unit) < 10007 ? 10007 : square(2 * unit) + 5;
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

static bool is_rung(const struct row *row)
{
    return row->level[ALGORITHM] >= FIRST_RUNG;
}

static bool is_allowed(const void *user, const struct row *row)
{
    struct pair pair = pair_of(row);
    enum tile_kind tile = shapes[row->level[SHAPE]].tile;
    enum tile_kind wanted = row->level[ALGORITHM] == BY_VECTOR  ? TILE_VECTOR
                            : row->level[ALGORITHM] == BY_GROUP ? TILE_GROUP
                                                                : TILE_NONE;

    (void)user;
    return tile == wanted && is_folded(op_of(row), pair) &&
           device_folds(&device, pair.in, pair.type);
}

static const struct factors program_factors = {
    .num = NUM_PROGRAM_FACTORS,
    .levels = { LAST_OP, LAST_TYPE, LAST_TYPE, NUM_ALGORITHMS, NUM_SHAPES },
    .allowed = is_allowed,
};

static struct prefix_case case_of(const struct row *row)
{
    uint8_t algorithm = row->level[ALGORITHM];

    return (struct prefix_case){
        .reduces = true,
        .op = op_of(row),
        .pair = pair_of(row),
        .algorithm = algorithm < FIRST_RUNG ? NULL : rungs[algorithm - FIRST_RUNG],
        .plan = shapes[row->level[SHAPE]],
    };
}

static void check(const struct prefix_case *fold, bool disorder)
{
    char why[1024];

    if (!prefix_check(ctx, &device,
                      disorder && device.disorder ? device.disorder : device.queue, fold,
                      NULL, why, sizeof(why))) {
        fail_msg("%s", why);
    }
}

static uint64_t num_programs(void)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.failed_builds, 0);
    return stats.builds;
}

/* ---- The cover --------------------------------------------------------------------- */

/* What the classes of sizes are there for: without it they would say nothing. */
static void check_launches(const struct prefix_case *fold, uint8_t algorithm)
{
    const clfold_fold call = { .op = fold->op,
                               .type = fold->pair.type,
                               .in = fold->pair.in,
                               .algorithm = fold->algorithm };
    bool two_only =
        algorithm < FIRST_RUNG || strcmp(fold->algorithm, rungs[NUM_RUNGS - 1]) == 0;
    clfold_report report;

    clfold_context_override(ctx, &fold->plan);
    assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &call, fold->count, &report));
    if (two_only ? report.num_launches != 2 : report.num_launches < 3) {
        char text[384];
        prefix_print(fold, text, sizeof(text));
        fail_msg("%s takes %zu launches", text, report.num_launches);
    }
}

/* One program with every size. Offsets and inits go round so that they meet each other,
 * each size, and each program. Those of the other test are only counted. */
static void run_program(const struct row *program, size_t number, bool other,
                        struct pairs *seen)
{
    for (unsigned size = 0; size < NUM_SIZES; ++size) {
        struct row row = *program;
        struct prefix_case fold = case_of(program);
        size_t turn = size + 5 * number;
        row.level[SIZE] = (uint8_t)size;
        row.level[OFFSET] = (uint8_t)(turn % NUM_OFFSETS);
        row.level[INIT] = (uint8_t)(turn / NUM_OFFSETS % 2);
        fold.count = count_of(size, &fold.plan);
        fold.in_offset = offsets[row.level[OFFSET]];
        fold.zones = turn % 3 != 0;
        fold.init = row.level[INIT] != 0;
        fold.nan = turn % 7 == 6;
        fold.out_offset = turn % 4;
        fold.seed = number * NUM_SIZES + size;
        pairs_add(seen, NUM_CALL_FACTORS, 0, &row);
        if (other) {
            continue;
        }
        check(&fold, turn % 5 == 0);
        if (size == SEVERAL_PASSES) {
            check_launches(&fold, row.level[ALGORITHM]);
        }
    }
}

/* The program's pairs, and with what is the call's every level that meets any. */
static void add_call_pairs(struct pairs *wanted)
{
    const size_t levels[] = { NUM_SIZES, NUM_OFFSETS, 2 };

    for (size_t b = SIZE; b < NUM_CALL_FACTORS; ++b) {
        for (size_t y = 0; y < levels[b - SIZE]; ++y) {
            for (size_t a = 0; a < b; ++a) {
                for (size_t x = 0; x < MAX_LEVELS; ++x) {
                    bool is_level = a >= SIZE && x < levels[a - SIZE];
                    for (size_t z = 0; a < SIZE && z < MAX_LEVELS; ++z) {
                        is_level |= a == OP ? wanted->of[OP][TYPE][x][z]
                                            : wanted->of[OP][a][z][x];
                    }
                    wanted->of[a][b][x][y] = is_level;
                }
            }
        }
    }
}

static void check_pairs(const struct pairs *wanted, const struct pairs *seen)
{
    for (size_t a = 0; a < NUM_CALL_FACTORS; ++a) {
        for (size_t b = a + 1; b < NUM_CALL_FACTORS; ++b) {
            size_t num = 0, num_seen = 0;
            for (size_t x = 0; x < MAX_LEVELS; ++x) {
                for (size_t y = 0; y < MAX_LEVELS; ++y) {
                    num += wanted->of[a][b][x][y];
                    num_seen += seen->of[a][b][x][y];
                    if (wanted->of[a][b][x][y] != seen->of[a][b][x][y]) {
                        fail_msg("%s %zu and %s %zu %s", factor_names[a], x,
                                 factor_names[b], y,
                                 wanted->of[a][b][x][y] ? "never met" : "must not meet");
                    }
                }
            }
            print_message("%s x %s: %zu of %zu pairs\n", factor_names[a], factor_names[b],
                          num_seen, num);
        }
    }
}

/* The rungs, or the tiles; of these each parts-th program from the part-th on. */
struct share {
    bool rungs;
    size_t part, parts;
};

static void test_cover(void **state)
{
    static struct pairs wanted, seen;
    static struct row rows[MOST_PROGRAMS];
    const struct share *share = *state;
    uint64_t before = num_programs();
    size_t num = pairwise(&program_factors, rows, MOST_PROGRAMS, &wanted), num_run = 0;

    assert_true(num > 0);
    for (clfold_type type = CLFOLD_F16; type <= LAST_TYPE; ++type) {
        if (!device_has(&device, type)) {
            print_message("without %s, which the device has not\n", name_of(type));
        }
    }
    memset(&seen, 0, sizeof(seen));
    for (size_t i = 0; i < num; ++i) {
        bool other = is_rung(&rows[i]) != share->rungs || i % share->parts != share->part;
        run_program(&rows[i], i, other, &seen);
        num_run += !other;
    }
    assert_true(num_run > 0);
    add_call_pairs(&wanted);
    check_pairs(&wanted, &seen);
    uint64_t built = num_programs() - before;
    print_message(
        "%llu programs of %zu folds, %zu calls; with the other tests %zu folds, "
        "%zu pairs\n",
        (unsigned long long)built, num_run, num_run * NUM_SIZES, num, pairs_count(&seen));
    /* One and the same group size is a program of its own for each fold. */
    assert_true(built <= num_run);
}

/* ---- Random folds ------------------------------------------------------------------ */

/* The seed is printed; CLFOLD_TEST_SEED repeats a run. */
static void test_property(void **state)
{
    const char *named = getenv("CLFOLD_TEST_SEED");
    uint64_t random = named ? strtoull(named, NULL, 0) : (uint64_t)time(NULL);
    const struct share *share = *state;

    print_message("seed %llu\n", (unsigned long long)random);
    for (int program = 0; program < RANDOM_PROGRAMS; ++program) {
        struct row row = { { 0 } };
        do {
            for (size_t f = 0; f < NUM_PROGRAM_FACTORS; ++f) {
                row.level[f] =
                    (uint8_t)((next_random(&random) >> 16) % program_factors.levels[f]);
            }
        } while (!is_allowed(NULL, &row) || is_rung(&row) != share->rungs);
        for (int call = 0; call < RANDOM_CALLS / RANDOM_PROGRAMS; ++call) {
            struct prefix_case fold = case_of(&row);
            uint64_t bits = next_random(&random);
            fold.count = (next_random(&random) % 30000) >> (next_random(&random) % 13);
            fold.in_offset = next_random(&random) % 70;
            fold.out_offset = bits % 4;
            fold.zones = bits & 4;
            fold.init = bits & 8 ? INIT_HOST : INIT_NONE;
            fold.nan = (bits & 0x70) == 0;
            fold.seed = next_random(&random);
            check(&fold, bits & 0x80);
        }
    }
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    static struct share every_rung = { true, 0, 1 };
    static struct share tiles[] = { { false, 0, 3 }, { false, 1, 3 }, { false, 2, 3 } };
    const struct CMUnitTest tests[] = {
        { .name = "rungs", .test_func = test_cover, .initial_state = &every_rung },
        { .name = "random rungs",
          .test_func = test_property,
          .initial_state = &every_rung },
        { .name = "tiles 1", .test_func = test_cover, .initial_state = &tiles[0] },
        { .name = "tiles 2", .test_func = test_cover, .initial_state = &tiles[1] },
        { .name = "tiles 3", .test_func = test_cover, .initial_state = &tiles[2] },
        { .name = "random tiles",
          .test_func = test_property,
          .initial_state = &tiles[0] },
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("cover", tests, open_context, close_context);
}
