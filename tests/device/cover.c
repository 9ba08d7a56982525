/*
 * Every operation, algorithm, tile, operator, type and type of elements, pair by pair: a
 * few programs in which any two values of any two of these meet, each run with every
 * class of sizes, and with offsets, inits and totals in turn. Then random folds. The
 * programs are run in parts, so that none takes too long; compilers take turns, see
 * device_takes.
 */
#include "trial.h"
#include "one_context.h"
#include "pairwise.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

#include <time.h>

#define MOST_PROGRAMS   260 /* on a device, without the random ones */
#define RANDOM_PROGRAMS 5   /* of the rungs, and of the tiles */
#define RANDOM_CALLS    1000

/* ---- The factors ------------------------------------------------------------------- */

/* A row of a cover has these levels; the first ones make a program and its place. */
enum { OPERATION, ALGORITHM, SHAPE, OP, TYPE, IN, PLACE, COUNTED, SIDE, NUM_ROW_FACTORS };
enum { SIZE = NUM_ROW_FACTORS, OFFSET, INIT, NUM_FACTORS };

static const char *const factor_names[NUM_FACTORS] = { "operation", "algorithm", "shape",
                                                       "operator",  "type",      "in",
                                                       "place",     "count_at",  "side",
                                                       "size",      "offset",    "init" };

enum kind { RUNGS, TILES, SCANS };

/* Tiles are so small, and of reduce6 the groups so few, that each path is taken with
 * little data: groups of few, and of powers of two and not, below a rung's last six steps
 * and above; tiles of each kind with nothing left over, and with a rest. More of them:
 * sizes.c and mutant.c. Scans, which depend on more of a tile, have the policy's too. */
static const struct shape_row {
    enum kind kind;
    struct debug plan;
} shapes[] = {
    { RUNGS, { .group_size = 2, .max_groups = 9 } },
    { RUNGS, { .group_size = 3, .max_groups = 5 } },
    { RUNGS, { .group_size = 32, .max_groups = 3 } },
    { RUNGS, { .group_size = 50, .max_groups = 7 } },
    { RUNGS, { .group_size = 100, .max_groups = 4 } },
    { RUNGS, { .group_size = 256, .max_groups = 5 } },
    { TILES, { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 } },
    { TILES,
      { .tile = TILE_VECTOR, .tile_elements = 300, .max_groups = 3, .ahead = 32 } },
    { TILES,
      { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 4 } },
    { TILES,
      { .tile = TILE_GROUP, .tile_elements = 2048, .group_size = 64, .max_groups = 7 } },
    { SCANS, { .tile = TILE_VECTOR } },
    { SCANS, { .tile = TILE_GROUP } },
    { SCANS,
      { .tile = TILE_VECTOR, .tile_elements = 128, .max_groups = 5, .ahead = 16 } },
    { SCANS, { .tile = TILE_VECTOR, .tile_elements = 64, .max_groups = 5 } },
    { SCANS,
      { .tile = TILE_GROUP, .tile_elements = 100, .group_size = 6, .max_groups = 3 } },
    { SCANS, { .tile = TILE_GROUP, .tile_elements = 256, .group_size = 64 } },
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

enum { APART, IN_PLACE, NUM_SITES };

enum { FROM_LEFT, FROM_RIGHT, NUM_SIDES };

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

static const size_t offsets[] = { 0, 1, 3, 7, 16 };
#define NUM_OFFSETS (sizeof(offsets) / sizeof(offsets[0]))
#define NUM_INITS   (INIT_DEVICE + 1)

static size_t square(size_t x)
{
    return x * x;
}

/* A rung's unit is its group, which takes up to two elements a work-item: then the last
 * size is three launches. */
static size_t count_of(unsigned size, bool is_rung, size_t unit)
{
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
        return !is_rung || square(2 * unit) < 10007 ? 10007 : square(2 * unit) + 5;
    }
}

static clfold_operation operation_of(const struct row *row)
{
    return CLFOLD_REDUCE + row->level[OPERATION];
}

static enum kind kind_of(const struct row *row)
{
    return shapes[row->level[SHAPE]].kind;
}

static struct trial case_of(const struct row *row)
{
    return (struct trial){
        .operation = operation_of(row),
        .algorithm = clfold_algorithm_name(row->level[ALGORITHM]),
        .plan = shapes[row->level[SHAPE]].plan,
        .op = CLFOLD_ADD + row->level[OP],
        .pair = { .in = CLFOLD_I8 + row->level[IN],
                  .type = CLFOLD_I8 + row->level[TYPE] },
        .in_place = row->level[PLACE] == IN_PLACE,
        .count_at = row->level[COUNTED],
        .reverse = row->level[SIDE] == FROM_RIGHT,
    };
}

/* Of places of bytes and shorts, groups of rusticl (Mesa 22.3) come out right in one
 * build and wrong, or endless, in the next build of the same text. Its policy takes other
 * tiles. */
static bool is_chance(const struct trial *fold)
{
    return fold->plan.tile == TILE_GROUP && trial_reduces(fold) &&
           fold->op >= CLFOLD_ARG_MIN && fold->op <= CLFOLD_ARG_MIN_MAX &&
           size_of(fold->pair.type) < 4 &&
           clfold_platform_miscopies(ctx->caps.facts.platform);
}

/* In place wants elements of one size. */
static bool is_allowed(const void *user, const struct row *row)
{
    const struct algorithm_row *algorithm = clfold_algorithm_row(row->level[ALGORITHM]);
    const struct trial fold = case_of(row);
    enum kind kind = algorithm->is_rung                   ? RUNGS
                     : algorithm->family == FAMILY_REDUCE ? TILES
                                                          : SCANS;

    (void)user;
    if (kind != kind_of(row) ||
        trial_reduces(&fold) != (algorithm->family == FAMILY_REDUCE) ||
        !is_folded(fold.op, fold.pair) || is_chance(&fold) ||
        !device_folds(&device, fold.pair.in, fold.pair.type) ||
        (fold.reverse && (kind != SCANS || algorithm->propagates || is_arg(fold.op)))) {
        return false;
    }
    return !fold.in_place ||
           result_size(fold.op, fold.pair.type) == size_of(fold.pair.in);
}

/* The last two algorithms have one kernel, so rows take them in turn. */
static const struct factors row_factors = {
    .num = NUM_ROW_FACTORS,
    .levels = { CLFOLD_EXCLUSIVE_SCAN, SCAN_LOOKBACK + 1, NUM_SHAPES, LAST_OP, LAST_TYPE,
                LAST_TYPE, NUM_SITES, 2, NUM_SIDES, NUM_SIZES, NUM_OFFSETS, NUM_INITS },
    .allowed = is_allowed,
};

static uint64_t num_programs(void)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.failed_builds, 0);
    return stats.builds + stats.disk_hits; /* of the tests' folder */
}

/* ---- The cover --------------------------------------------------------------------- */

/* What a call by this algorithm does; NULL: by the policy's. */
static clfold_report report_of(const struct row *row, const char *algorithm, size_t count)
{
    const struct trial plain = case_of(row);
    const clfold_fold fold = { .op = plain.op,
                               .type = plain.pair.type,
                               .in = plain.pair.in,
                               .flags = plain.reverse ? CLFOLD_REVERSE : 0,
                               .algorithm = algorithm };
    clfold_report report;

    clfold_context_override(ctx, &plain.plan);
    assert_ok(clfold_explain(ctx, operation_of(row), &fold, count, NULL, &report));
    return report;
}

/* What the classes of sizes are there for: without it they would say nothing. */
static void check_launches(const struct row *row, const struct trial *fold)
{
    bool rises = clfold_algorithm_row(row->level[ALGORITHM])->items > 0;
    const clfold_report report =
        report_of(row, fold->algorithm, fold->count + fold->spare);

    if (fold->plan.group_size > 0 && !device_has_groups()) {
        return;
    }
    if (rises ? report.num_launches < 3
              : report.num_groups < 2 || report.num_launches > 2) {
        char text[384];
        trial_print(fold, text, sizeof(text));
        fail_msg("%s takes %zu launches, %zu groups", text, report.num_launches,
                 report.num_groups);
    }
}

/* Of an algorithm: whether nothing was scanned in some row of this part that the device
 * takes. */
static bool has_nothing[SCAN_LOOKBACK + 1];

/* One program with every size. What else is the call's goes round so that it meets each
 * other, each size, and each program. No algorithm is named in turn, where it is the
 * policy's: the program is the same. Rows of other parts are only counted. */
static void run_row(const struct row *base, size_t number, bool other, bool takes,
                    struct pairs *seen, size_t *num_unnamed)
{
    const struct trial plain = case_of(base);
    uint8_t level = base->level[ALGORITHM];
    const char *algorithm =
        clfold_algorithm_name(level == SCAN_LOOKBACK ? level + number % 2 : level);
    size_t unit =
        plain.plan.tile ? report_of(base, NULL, 1 << 20).tile : plain.plan.group_size;

    for (unsigned size = 0; size < NUM_SIZES; ++size) {
        const size_t spares[] = { 0, 1, unit, 2 * unit - 1, 5 * unit + 3 };
        struct trial fold = plain;
        struct row row = *base;
        size_t turn = size + 3 * number;
        /* Nothing is scanned by a single group: a program more for a row of another
         * strategy, of which the first has it. */
        if (size == NOTHING && level > SCAN_SINGLE_GROUP && !plain.count_at) {
            if (has_nothing[level] ||
                (!takes && seen->has[ALGORITHM][SIZE][level][size])) {
                continue;
            }
            has_nothing[level] = takes;
        }
        fold.count = count_of(size, kind_of(base) == RUNGS, unit);
        fold.spare = !fold.count_at ? 0 : size == NOTHING ? unit + 7 : spares[turn % 5];
        fold.init = (enum init_from)(turn / NUM_OFFSETS % NUM_INITS);
        /* required if there is no identity */
        if ((fold.operation == CLFOLD_EXCLUSIVE_SCAN || fold.count_at) &&
            is_arg(fold.op) && !fold.init) {
            fold.init = INIT_HOST;
        }
        row.level[SIZE] = (uint8_t)size;
        row.level[OFFSET] = (uint8_t)(turn % NUM_OFFSETS);
        row.level[INIT] = (uint8_t)fold.init;
        pairs_add(seen, NUM_FACTORS, &row);
        fold.in_offset = offsets[row.level[OFFSET]];
        fold.out_offset = offsets[turn * 3 / 2 % NUM_OFFSETS];
        fold.zones = turn % 2;
        fold.total = trial_reduces(&fold) ? TOTAL_NONE : (enum total_to)(turn % 3);
        fold.nan = turn % 7 == 6;
        fold.seed = number * NUM_SIZES + size;
        fold.algorithm = algorithm;
        if (size != NOTHING && (size + number) % 2 &&
            strcmp(report_of(base, NULL, fold.count + fold.spare).algorithm, algorithm) ==
                0) {
            fold.algorithm = NULL;
            ++*num_unnamed;
        }
        if (other) {
            continue;
        }
        fold.disorder = turn % 4 == 3;
        trial_check(&fold, NULL);
        if (size == SEVERAL_PASSES && trial_reduces(&fold)) {
            check_launches(base, &fold);
        }
    }
}

/* Whether some row has that level, or some call. */
static bool occurs(const struct pairs *wanted, size_t factor, size_t level)
{
    bool is_level = false;

    if (factor >= SIZE) {
        return factor < NUM_FACTORS && level < row_factors.levels[factor];
    }
    for (size_t other = 0; other < MAX_LEVELS; ++other) {
        is_level |= factor == 0 ? wanted->has[0][1][level][other]
                                : wanted->has[0][factor][other][level];
    }
    return is_level;
}

/* What is the call's meets every level that meets any. */
static void add_call_pairs(struct pairs *wanted)
{
    for (size_t b = SIZE; b < NUM_FACTORS; ++b) {
        for (size_t a = 0; a < b; ++a) {
            for (size_t x = 0; x < MAX_LEVELS; ++x) {
                for (size_t y = 0; y < row_factors.levels[b]; ++y) {
                    wanted->has[a][b][x][y] = occurs(wanted, a, x);
                }
            }
        }
    }
}

static void check_pairs(const struct pairs *wanted, const struct pairs *seen)
{
    for (size_t a = 0; a < NUM_FACTORS; ++a) {
        for (size_t b = a + 1; b < NUM_FACTORS; ++b) {
            size_t num = 0;
            for (size_t x = 0; x < MAX_LEVELS; ++x) {
                for (size_t y = 0; y < MAX_LEVELS; ++y) {
                    num += wanted->has[a][b][x][y];
                    if (wanted->has[a][b][x][y] != seen->has[a][b][x][y]) {
                        fail_msg("%s %zu and %s %zu %s", factor_names[a], x,
                                 factor_names[b], y,
                                 wanted->has[a][b][x][y] ? "never met" : "must not meet");
                    }
                }
            }
            assert_true(num > 0);
        }
    }
}

/* Of the rows of a kind each parts-th from the part-th on. */
struct share {
    enum kind kind;
    unsigned part, parts;
};

static void test_cover(void **state)
{
    static struct pairs wanted, seen;
    static struct row rows[MOST_PROGRAMS];
    const struct share *share = *state;
    uint64_t before = num_programs();
    size_t num = pairwise(&row_factors, rows, MOST_PROGRAMS, &wanted);
    size_t num_of_kind = 0, num_run = 0, num_unnamed = 0;

    assert_true(num > 0);
    for (clfold_type type = CLFOLD_F16; type <= LAST_TYPE; ++type) {
        if (!device_has(&device, type)) {
            print_message("without %s, which the device has not\n", name_of(type));
        }
    }
    memset(&seen, 0, sizeof(seen));
    memset(has_nothing, 0, sizeof(has_nothing));
    for (size_t i = 0; i < num; ++i) {
        const bool takes = device_takes(&device, i);
        const bool other = kind_of(&rows[i]) != share->kind ||
                           num_of_kind++ % share->parts != share->part || !takes;
        run_row(&rows[i], i, other, takes, &seen, &num_unnamed);
        num_run += !other;
    }
    assert_true(num_run > 0 && num_unnamed > 0);
    add_call_pairs(&wanted);
    check_pairs(&wanted, &seen);
    uint64_t built = num_programs() - before;
    print_message("%llu programs of %zu rows; with the other parts %zu rows, %zu pairs, "
                  "%zu calls by the policy's algorithm\n",
                  (unsigned long long)built, num_run, num, pairs_count(&seen),
                  num_unnamed);
    /* One build for a row; for scans also the probe's, and one more where look-back is
     * rejected, since another strategy scans instead. */
    assert_true(built <= (share->kind == SCANS ? 2 * num_run + 3 : num_run));
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
            for (size_t f = 0; f < NUM_ROW_FACTORS; ++f) {
                row.level[f] =
                    (uint8_t)((next_random(&random) >> 16) % row_factors.levels[f]);
            }
        } while (!is_allowed(NULL, &row) || kind_of(&row) != share->kind);
        for (int call = 0; call < RANDOM_CALLS / RANDOM_PROGRAMS; ++call) {
            struct trial fold = case_of(&row);
            uint64_t bits = next_random(&random);
            fold.count = (next_random(&random) % 30000) >> (next_random(&random) % 13);
            fold.in_offset = next_random(&random) % 70;
            fold.out_offset = bits % 4;
            fold.zones = bits & 4;
            fold.init = bits & 8 ? INIT_HOST : INIT_NONE;
            fold.nan = (bits & 0x70) == 0;
            fold.seed = next_random(&random);
            fold.disorder = bits & 0x80;
            fold.spare = fold.count_at ? (bits >> 8) % 9000 >> (bits >> 24) % 13 : 0;
            if (fold.count_at && is_arg(fold.op)) {
                fold.init = INIT_HOST;
            }
            trial_check(&fold, NULL);
        }
    }
}

/* What random programs have found: PoCL 3.1 lost a prefix beside chunks of two narrow
 * numbers. */
static void test_found(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const struct trial fold = {
            .operation = scan_of(k % 2),
            .algorithm = "scan_then_propagate",
            .plan = { .tile = TILE_GROUP },
            .op = CLFOLD_MIN_MAX,
            .pair = { k < 2 ? CLFOLD_U32 : CLFOLD_I32, k < 2 ? CLFOLD_U16 : CLFOLD_I16 },
            .count = 10218,
            .in_offset = 90,
            .seed = 1,
        };
        trial_check(&fold, NULL);
    }
}

#define PART(is_name, test, ...)                                                         \
    {                                                                                    \
        .name = is_name, .test_func = test, .initial_state = &(struct share)             \
        {                                                                                \
            __VA_ARGS__                                                                  \
        }                                                                                \
    }

TEST_MAIN("cover", open_context, close_context, PART("rungs", test_cover, RUNGS, 0, 1),
          PART("random rungs", test_property, RUNGS, 0, 1),
          PART("tiles 1", test_cover, TILES, 0, 2),
          PART("tiles 2", test_cover, TILES, 1, 2),
          PART("random tiles", test_property, TILES, 0, 1),
          PART("scans 1", test_cover, SCANS, 0, 3),
          PART("scans 2", test_cover, SCANS, 1, 3),
          PART("scans 3", test_cover, SCANS, 2, 3),
          PART("random scans", test_property, SCANS, 0, 1),
          PART("found", test_found, SCANS, 0, 1))
