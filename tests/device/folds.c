/*
 * Folds by texts of the caller's, in rows of subjects_of_text.h, by every operation,
 * algorithm and tile, against a loop on the host. Builds take most of the time, so
 * features of texts meet each tile in each operation and each algorithm, pair by pair,
 * rather than each text all of them.
 */
#include <clfold/experimental.h>
#include "subjects_of_text.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"
#include "plan/operation.h"
#include "plan/user_text.h"

#define MOST_SUBJECTS 64
#define MOST_WAYS     8192

/* A subject, by its number, by an algorithm on a tile of trial_tiles. */
struct way {
    size_t subject;
    clfold_operation operation;
    unsigned tile;
    unsigned algorithm; /* or POLICY */
    bool segments;      /* in rows and columns */
};
#define POLICY (MAP_TILES + 1)

/* ---- Features ---------------------------------------------------------------------- */

/* Whether a text uses a name. */
static bool uses(const clfold_fold *fold, const char *text, const char *name)
{
    return text && clfold_user_text_uses(text, fold->source, name);
}

static bool has_arg(const clfold_fold *fold, bool is_stream, bool is_buffer)
{
    bool has = false;

    for (size_t i = 0; i < fold->num_args; ++i) {
        const clfold_arg *arg = &fold->args[i];
        has |= !arg->type == is_stream && (arg->mem != NULL) == is_buffer;
    }
    return has;
}

static bool commutes(const clfold_fold *fold)
{
    return fold->flags & CLFOLD_COMMUTATIVE ||
           (fold->op && fold->op != CLFOLD_AFFINE && fold->op != CLFOLD_MATRIX_2X2);
}

/* Of a subject s and its fold f: of items, and from `value` on of elements as well. */
#define FEATURES(X)                                                                      \
    X(built_in, f->op)                                                                   \
    X(scalar, f->type && f->combine)                                                     \
    X(components, f->components)                                                         \
    X(opaque, f->type_name)                                                              \
    X(no_identity, !s->identity && !s->is_map)                                           \
    X(cuts, f->cuts)                                                                     \
    X(partial, (f->flags & CLFOLD_PARTIAL) != 0)                                         \
    X(commutative, commutes(f))                                                          \
    X(sizes, s->same)                                                                    \
    X(narrow, s->size < 4)                                                               \
    X(wide, s->size > 16)                                                                \
    X(real, s->is_real)                                                                  \
    X(value, has_arg(f, false, false))                                                   \
    X(buffer, has_arg(f, false, true))                                                   \
    X(stream, has_arg(f, true, true))                                                    \
    X(load, f->load)                                                                     \
    X(load_of_index, uses(f, f->load, "i"))                                              \
    X(load_of_others, f->load && s->reads_others)                                        \
    X(other_input, f->in)                                                                \
    X(input_scalars, f->in_scalars > 1)                                                  \
    X(conversion, f->out && !f->result)                                                  \
    X(result, f->result)                                                                 \
    X(result_of_index, uses(f, f->result, "i") || uses(f, f->result, "n"))               \
    X(result_of_prev, uses(f, f->result, "prev"))                                        \
    X(result_of_element, uses(f, f->result, "x") || uses(f, f->result, "y"))             \
    X(result_of_others, uses(f, f->result, "in") || uses(f, f->store, "in"))             \
    X(other_output, s->out_size && f->result)                                            \
    X(output_scalars, f->out_scalars > 1)                                                \
    X(store, f->store)
#define NAME(name, has) #name,
#define HAS(name, has)  (has) != 0,

static const char *const feature_names[] = { FEATURES(NAME) };
#define NUM_FEATURES (sizeof(feature_names) / sizeof(feature_names[0]))
#define OF_ITEMS     12

static const struct subject *subjects[MOST_SUBJECTS];
static bool features[MOST_SUBJECTS][NUM_FEATURES];
static size_t num_subjects;

static void add_subjects(const struct subject *s)
{
    for (; s->size > 0 && num_subjects < MOST_SUBJECTS; ++s) {
        const clfold_fold *f = &s->fold;
        const bool has[] = { FEATURES(HAS) };
        memcpy(features[num_subjects], has, sizeof(has));
        subjects[num_subjects++] = s;
    }
}

/* ---- Which ways there are ---------------------------------------------------------- */

/* Groups of a GPU's policy, of which PoCL 3.1 makes wrong code in some scans, and those
 * that scan three shorts, of which Mesa 22.3 does; see docs/devices.md. */
static bool is_miscompiled(const struct subject *subject, const struct debug *tile)
{
    const char *name = subject->fold.name;
    const bool triple = strcmp(name, "triple") == 0;

    return (device.is_pocl && tile->tile == TILE_NONE &&
            policy_tile(TILE_NONE) == TILE_GROUP &&
            (triple || strcmp(name, "own type") == 0 ||
             strcmp(name, "four of all") == 0)) ||
           (tile->tile == TILE_GROUP && ctx->caps.facts.most_elements && triple);
}

static bool has_tile(const struct subject *subject, const struct debug *tile)
{
    const clfold_fold *fold = &subject->fold;

    return !is_miscompiled(subject, tile) && policy_has_tile(tile->tile) &&
           (tile->tile != TILE_VECTOR ||
            !(fold->type_name || fold->flags & CLFOLD_PARTIAL || subject->differs));
}

/* Whether the device's compiler makes right code of a subject's segments by a tile.
 * Intel's makes vectors of a group's work-items: that takes minutes, and is wrong where a
 * load uses no element. clfold folds by groups on no CPU. */
static bool has_segments(const struct subject *subject, const struct debug *tile)
{
    return !subject->is_map &&
           !(device.is_intel &&
             (tile->tile == TILE_GROUP || (subject->load && !subject->fold.load))) &&
           !(tile->tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform));
}

/* Mesa 22.3's compiler ends with a segmentation fault at four components of one type. */
static bool crashes(const struct subject *subject)
{
    return device.is_rusticl && strstr(subject->fold.name, "matrix");
}

/* PoCL 3.1 makes wrong code of some of these scans by groups, as of others by those of a
 * GPU; Intel's compiler and Oclgrind right. */
static bool is_wrong_on_pocl(const struct way *way)
{
    return device.is_pocl && way->tile == 3 && way->algorithm == SCAN_SINGLE_GROUP &&
           way->operation == CLFOLD_EXCLUSIVE_SCAN;
}

/* Rungs and "serial" have no tiles. The widest items are left to PoCL where compilers are
 * slow: they differ from the others in a number. */
static bool is_allowed(const struct way *way)
{
    const struct subject *s = subjects[way->subject];
    const struct debug *tile = &trial_tiles[way->tile];
    const struct operation *operation = clfold_operation_row(way->operation);
    const bool is_map = way->operation == CLFOLD_MAP;

    if (s->is_map != is_map ||
        (way->operation == CLFOLD_REDUCE && s->writes_of_element) || !has_tile(s, tile) ||
        (way->segments && !has_segments(s, tile)) ||
        (s->size > 64 && way->tile != 0 && !device_takes_all(&device)) ||
        is_wrong_on_pocl(way)) {
        return false;
    }
    if (way->algorithm == POLICY) {
        return way->tile == 0;
    }
    const struct algorithm_row *row = clfold_algorithm_row(way->algorithm);
    const bool converts = s->fold.out || s->fold.result || s->fold.store;
    return clfold_algorithm_serves(way->algorithm, operation->family) &&
           clfold_algorithm_takes(way->algorithm,
                                  way->segments ? TAKES_ROWS : TAKES_WHOLE) &&
           (way->tile == 0) == (row->is_rung || way->algorithm == SERIAL) &&
           (!row->reorders || commutes(&s->fold)) &&
           (way->algorithm != SCAN_THEN_PROPAGATE || !converts) &&
           (!row->looks_back || s->size <= 64);
}

static const clfold_operation operations[] = { CLFOLD_REDUCE, CLFOLD_INCLUSIVE_SCAN,
                                               CLFOLD_EXCLUSIVE_SCAN, CLFOLD_MAP };

static size_t list_ways(struct way *ways)
{
    size_t num = 0;

    for (size_t i = 0; i < num_subjects * NUM_TRIAL_TILES * 4 * 2 * (POLICY + 1); ++i) {
        const size_t rest = i / num_subjects / NUM_TRIAL_TILES;
        const struct way way = {
            .subject = i % num_subjects,
            .tile = (unsigned)(i / num_subjects % NUM_TRIAL_TILES),
            .operation = operations[rest % 4],
            .segments = rest / 4 % 2,
            .algorithm = (unsigned)(rest / 8),
        };
        if (num < MOST_WAYS && is_allowed(&way)) {
            ways[num++] = way;
        }
    }
    return num;
}

/* ---- What meets what --------------------------------------------------------------- */

/*
 * Features, tiles and subjects, each with the columns that they meet: tiles in each
 * operation, and in segments by lanes and by rows; algorithms; and of subjects whether by
 * policy. Algorithms of wholes are one text for all features of elements, so these do not
 * meet; and a driver changes less of algorithms, so elsewhere than on PoCL tiles meet
 * features as a whole and in segments.
 */
#define TILES      NUM_FEATURES
#define SUBJECTS   (TILES + NUM_TRIAL_TILES)
#define ROWS       (SUBJECTS + MOST_SUBJECTS)
#define ALGORITHMS ((size_t)6 * NUM_TRIAL_TILES)
#define ROWS_BY    (ALGORITHMS + POLICY + 1)
#define COLUMNS    (ROWS_BY + POLICY + 1)

static bool met[ROWS][COLUMNS], wanted[ROWS][COLUMNS];

static size_t meet_in(size_t row, size_t column, bool runs)
{
    const bool is_new = !met[row][column];

    met[row][column] |= runs;
    return is_new;
}

/* Counts what a way meets that has not been met, and marks it if it `runs`. */
static size_t meet(const struct way *way, bool runs)
{
    const bool is_policy = way->algorithm == POLICY;
    const bool is_rung = way->algorithm >= REDUCE_0 && way->algorithm <= REDUCE_6;
    const size_t algorithm =
        ALGORITHMS + (is_rung                          ? REDUCE_0
                      : way->algorithm == SCAN_CHAINED ? SCAN_LOOKBACK
                      : is_policy && !way->segments    ? WIDTHS
                                                       : way->algorithm);
    const bool is_strategy = way->algorithm == REDUCE_TILES ||
                             (way->algorithm > REDUCE_6 && way->algorithm < SERIAL);
    const bool by_lanes = way->algorithm == SCAN_LANES || way->algorithm == REDUCE_LANES;
    size_t of_call = way->operation == CLFOLD_MAP ? 0 : way->operation;

    const bool takes_all = device_takes_all(&device);
    if (way->segments || !takes_all) {
        of_call = takes_all ? 4 + by_lanes : way->segments;
    }
    size_t num = meet_in(SUBJECTS + way->subject, is_policy, runs) +
                 meet_in(TILES + way->tile,
                         (way->segments ? ROWS_BY : ALGORITHMS) + way->algorithm, runs);

    for (size_t row = 0; row < NUM_FEATURES; ++row) {
        if (features[way->subject][row]) {
            const bool matters = takes_all && (row < OF_ITEMS || !is_strategy);
            num += way->tile > 0
                       ? meet_in(row, of_call * NUM_TRIAL_TILES + way->tile, runs)
                       : 0;
            num += is_policy || matters ? meet_in(row, algorithm, runs) : 0;
        }
    }
    return num;
}

/* Greedy: again and again the way that meets most, and of equals another one in turn. */
static struct way plan[MOST_WAYS];
static size_t num_planned;

static void make_plan(void)
{
    static struct way ways[MOST_WAYS];
    const size_t num = list_ways(ways);

    assert_in_range(num, 1, MOST_WAYS - 1);
    for (size_t most = 1; most > 0;) {
        size_t best = 0;
        most = 0;
        for (size_t i = 0; i < num; ++i) {
            const size_t k = (i + num_planned * 1009) % num;
            const size_t gain = meet(&ways[k], false);
            if (gain > most) {
                most = gain;
                best = k;
            }
        }
        if (most > 0) {
            meet(&ways[best], true);
            plan[num_planned++] = ways[best];
        }
    }
    memcpy(wanted, met, sizeof(met));
    memset(met, 0, sizeof(met));
}

/* ---- The runs ---------------------------------------------------------------------- */

/* Rows and columns, short and long, few and many; length 0: a whole. */
static const struct shape_of_run {
    size_t count, width, length;
    enum { WHOLE, LANES, LONG_ROWS, ANY } kind;
} shapes[] = {
    { 1000, 0, 0, WHOLE },     { 1, 0, 0, WHOLE },          { 99, 0, 0, WHOLE },
    { 17, 0, 0, WHOLE },       { 0, 0, 0, WHOLE },          { 4999, 0, 0, WHOLE },
    { 1000, 1, 3, LANES },     { 1000, 1, 17, LANES },      { 999, 1, 300, LANES },
    { 4900, 2, 350, LANES },   { 4995, 5, 3, LANES },       { 4998, 34, 49, LANES },
    { 4992, 16, 2, LANES },    { 4998, 833, 2, LANES },     { 1000, 1, 1, LANES },
    { 4998, 7, 51, LANES },    { 4992, 104, 24, LANES },    { 4992, 4, 312, LANES },
    { 1000, 1, 3, LONG_ROWS }, { 4999, 1, 100, LONG_ROWS }, { 4999, 1, 4999, LONG_ROWS },
    { 960, 1, 48, LONG_ROWS }, { 1000, 1, 50, LONG_ROWS },  { 100, 1, 1, LONG_ROWS },
    { 4999, 1, 64, ANY },      { 4998, 98, 51, ANY },       { 0, 1, 3, ANY },
    { 4999, 1, 3, ANY },
};

/* A call whose offsets, init and place are those of the turn. */
static struct trial trial_of(const struct way *way, const struct shape_of_run *shape,
                             bool count_at, size_t turn)
{
    const struct subject *s = subjects[way->subject];
    const bool is_reduction = way->operation == CLFOLD_REDUCE;
    const bool needs_init =
        !s->identity && (way->operation == CLFOLD_EXCLUSIVE_SCAN || shape->count == 0 ||
                         (count_at && is_reduction));
    struct trial trial = {
        .subject = s,
        .operation = way->operation,
        .algorithm =
            way->algorithm == POLICY ? NULL : clfold_algorithm_name(way->algorithm),
        .plan = trial_tiles[way->tile],
        .count = shape->count,
        .width = shape->width,
        .length = shape->length,
        .in_offset = turn % 3,
        .out_offset = turn % 4,
        .zones = true,
        .total = way->segments && !is_reduction ? TOTAL_APART : TOTAL_NONE,
        .init = !s->is_map && (needs_init || turn % 3 == 1) ? INIT_HOST : INIT_NONE,
        .seed = 7,
        .count_at = count_at,
        .may_refuse = device.is_rusticl,
    };

    trial.spare = count_at ? (turn * 37) % (MOST_ELEMENTS - shape->count + 1) : 0;
    trial.in_place = !is_reduction && turn % 5 == 2 && !s->reads_others &&
                     trial_element_size(&trial) == trial_result_size(&trial);
    trial.out_offset = trial.in_place ? trial.in_offset : trial.out_offset;
    return trial;
}

/* Of the shapes of the way's kind. Returns whether all could be made. */
static bool check_way(const struct way *way, size_t turn)
{
    const bool count_at = turn % 3 == 0 && !way->segments;
    const unsigned kind = !way->segments             ? WHOLE
                          : way->algorithm == POLICY ? ANY
                          : way->algorithm == REDUCE_LANES || way->algorithm == SCAN_LANES
                              ? LANES
                              : LONG_ROWS;
    bool all = true;

    /* A scan of no elements takes a launch of scan_single_group, another program. */
    const bool is_other = way->algorithm > SCAN_SINGLE_GROUP &&
                          way->algorithm <= SERIAL && way->operation != CLFOLD_REDUCE;

    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k) {
        if (shapes[k].kind == kind && (shapes[k].count > 0 || !is_other || count_at)) {
            const struct trial trial = trial_of(way, &shapes[k], count_at, turn++);
            all &= trial_check(&trial, NULL) || trial.in_place;
        }
    }
    return all;
}

static void test_subject(void **state)
{
    const size_t which = (size_t)(uintptr_t)*state;
    const struct subject *s = subjects[which];

    if (crashes(s)) {
        skip();
    }
    for (size_t i = 0; i < num_planned; ++i) {
        if (plan[i].subject == which && check_way(&plan[i], i)) {
            meet(&plan[i], true);
        } else if (plan[i].subject == which && !device.is_rusticl) {
            fail_msg("%s: %s", s->fold.name, clfold_last_error());
        }
    }
    if (s->size > 64) {
        const struct trial wide = { .subject = s,
                                    .operation = CLFOLD_INCLUSIVE_SCAN,
                                    .algorithm = "scan_lookback",
                                    .count = 99 };
        assert_false(trial_check(&wide, NULL));
    }
}

/* Pairs of a feature and a column that no subject has on PoCL's CPU, such as maps of
 * features of folds. If they are more, some are lost. */
#define NEVER 666

static void test_every_feature(void **state)
{
    size_t never = 0;

    (void)state;
    for (size_t row = 0; row < ROWS; ++row) {
        for (size_t column = 0; column < COLUMNS; ++column) {
            if (wanted[row][column] && !met[row][column] && !device.is_rusticl) {
                fail_msg("%s has not met column %zu",
                         row < NUM_FEATURES ? feature_names[row] : "a tile or subject",
                         column);
            }
            never += row < NUM_FEATURES && column < ROWS_BY && !wanted[row][column];
        }
    }
    print_message("%zu ways; %zu pairs never meet\n", num_planned, never);
    if (device.is_pocl && device_takes_all(&device) &&
        policy_tile(TILE_NONE) != TILE_GROUP) {
        assert_in_range(never, 0, NEVER);
    }
}

/* ---- The tests --------------------------------------------------------------------- */

static int set_up(void **state)
{
    const int failed = open_context(state);

    if (!failed) {
        subject_args_init();
        make_plan();
    }
    return failed;
}

static int tear_down(void **state)
{
    subject_args_finish();
    return close_context(state);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[MOST_SUBJECTS + 1];

    add_subjects(operator_subjects);
    add_subjects(load_subjects);
    add_subjects(result_subjects);
    for (size_t i = 0; i < num_subjects; ++i) {
        tests[i] = (struct CMUnitTest){ .name = subjects[i]->fold.name,
                                        .test_func = test_subject,
                                        .initial_state = (void *)(uintptr_t)i };
    }
    tests[num_subjects] = (struct CMUnitTest)cmocka_unit_test(test_every_feature);
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return _cmocka_run_group_tests("folds", tests, num_subjects + 1, set_up, tear_down);
}
