/* The reason of a plan: each part appears exactly where it holds, and the longest
 * sentence of real numbers has all its parts (test_room). */
#include "plan/reason.h"
#include "test.h"

/* As long as a row's name gets. */
#define LONG_ROW "intel-gpu-xe"

static struct monoid monoid = { .name = "affine",
                                .in = CLFOLD_F32,
                                .type = CLFOLD_F32,
                                .cell = CLFOLD_F32,
                                .num_scalars = 1,
                                .num_components = 1,
                                .commutative = true };

/* ---- Reductions -------------------------------------------------------------------- */

static struct plan reduce_plan(void)
{
    return (struct plan){
        .num_stages = 1,
        .stages = { {
            .shape = { .algorithm = REDUCE_TILES, .tile = { TILE_VECTOR, 16384, 1 } },
            .row = "cpu",
            .has_grid = true,
            .grid = { .saturating = 16384, .least = 2048, .items = 4096, .groups = 256 },
            .num_groups = 256,
            .items = 262144,
            .num_launches = 2,
        } },
    };
}

static const char *say_reduce(const struct reason *reason)
{
    static char text[CLFOLD_REASON_SIZE];

    clfold_reason(text, reason);
    return text;
}

static void test_reduce(void **state)
{
    struct plan plan = reduce_plan();
    struct reason reason = { .plan = &plan, .monoid = &monoid };

    (void)state;
    assert_string_equal(say_reduce(&reason),
                        "tile_vector by policy \"cpu\": 256 groups of lanes with 4096 "
                        "items each, and a launch that folds their partials; 16384 lanes "
                        "fill the device, each for 2048 items or more");
    plan.stages[0].shape.tile.kind = TILE_GROUP;
    plan.stages[0].row = "tuned";
    plan.stages[0].num_launches = 1;
    plan.stages[0].num_groups = plan.stages[0].grid.groups = plan.stages[0].grid.items =
        plan.stages[0].grid.least = 1;
    assert_string_equal(say_reduce(&reason),
                        "tile_group by the tuning file: 1 group of lanes with 1 item "
                        "each, in one launch; 16384 lanes fill the device, each for 1 "
                        "item or more");
    plan.stages[0].num_launches = 3;
    plan.stages[0].grid.cut = true;
    assert_non_null(strstr(say_reduce(&reason),
                           "with 1 item each, the most at once here, "
                           "and 2 launches that fold their partials; "));
}

static void test_rungs(void **state)
{
    struct plan plan = reduce_plan();
    struct reason reason = { .plan = &plan,
                             .monoid = &monoid,
                             .chooser = CHOSEN_BY_NAME };

    (void)state;
    plan.stages[0].shape =
        (struct shape){ .algorithm = REDUCE_0, .tile = { TILE_NONE, 0, 256 } };
    plan.stages[0].has_grid = false;
    plan.stages[0].items = 1;
    assert_string_equal(say_reduce(&reason),
                        "asked for by name: 1 item a work-item, so every launch leaves a "
                        "partial for each group of 256 until one is left; the policy "
                        "takes reduce_tiles");
    plan.stages[0].shape.algorithm = REDUCE_0 + 3;
    plan.stages[0].items = 2;
    assert_non_null(strstr(say_reduce(&reason), ": 2 items a work-item, "));
    plan.stages[0].shape.algorithm = REDUCE_6;
    plan.stages[0].has_grid = true;
    assert_string_equal(say_reduce(&reason),
                        "asked for by name: groups of 256: 256 groups of lanes with 4096 "
                        "items each, and a launch that folds their partials; the policy "
                        "takes reduce_tiles; 16384 lanes fill the device, each for 2048 "
                        "items or more");
}

static void test_order(void **state)
{
    struct plan plan = reduce_plan();
    struct monoid ordered = monoid;
    struct reason reason = { .plan = &plan, .monoid = &ordered };
    const char *order = "; order is kept, since affine does not commute; ";

    (void)state;
    assert_null(strstr(say_reduce(&reason), "order"));
    ordered.commutative = false;
    assert_non_null(strstr(say_reduce(&reason), order));
}

/* ---- Scans ------------------------------------------------------------------------- */

static struct plan scan_plan(enum algorithm algorithm)
{
    return (struct plan){
        .num_stages = 1,
        .stages = { {
            .shape = { .algorithm = algorithm,
                       .fences = true,
                       .window = 1,
                       .tile = { TILE_VECTOR, 16384, 1 } },
            .row = "cpu",
            .count = 1000,
            .in_size = 4,
            .read_size = 4,
            .num_launches = 1,
        } },
    };
}

static const char *say_scan(const struct reason *reason)
{
    static char text[CLFOLD_REASON_SIZE];
    struct reason full = *reason;

    full.moved = full.moved ? full.moved : 8000;
    clfold_reason(text, &full);
    return text;
}

static void test_scan(void **state)
{
    struct plan plan = scan_plan(SCAN_LOOKBACK);
    struct reason reason = { .plan = &plan, .monoid = &monoid };

    (void)state;
    assert_string_equal(say_scan(&reason),
                        "the count is large: in one launch tiles look back for "
                        "prefixes; tile_vector by policy \"cpu\"; moves 2.00 times the "
                        "input");
    plan = scan_plan(SCAN_SINGLE_GROUP);
    assert_string_equal(say_scan(&reason),
                        "the count is small: one group takes all tiles in "
                        "turn, in one launch; tile_vector by policy "
                        "\"cpu\"; moves 2.00 times the input");
    plan.stages[0].num_launches = 3;
    assert_non_null(strstr(say_scan(&reason), " in turn, in 3 launches; "));
    plan.stages[0].count = 0;
    plan.stages[0].num_launches = 1;
    assert_string_equal(say_scan(&reason),
                        "there is nothing to scan: one group takes all tiles in turn, in "
                        "one launch; tile_vector by policy \"cpu\"");
}

static void test_named(void **state)
{
    struct plan plan = scan_plan(SCAN_THEN_PROPAGATE);
    struct reason reason = { .plan = &plan,
                             .monoid = &monoid,
                             .chooser = CHOSEN_BY_NAME,
                             .policy = SCAN_LOOKBACK };

    (void)state;
    assert_string_equal(say_scan(&reason),
                        "asked for by name: tiles are scanned, then combined with their "
                        "prefixes; the policy takes scan_lookback; tile_vector by policy "
                        "\"cpu\"; moves 2.00 times the input");
    plan = scan_plan(SCAN_CHAINED);
    reason.chooser = CHOSEN_BY_VARIABLE;
    reason.policy = SCAN_SINGLE_GROUP;
    assert_string_equal(say_scan(&reason),
                        "named by CLFOLD_SCAN: in one launch tiles wait for the one "
                        "before; the policy takes scan_single_group; tile_vector by "
                        "policy \"cpu\"; moves 2.00 times the input");
    reason.policy = SCAN_CHAINED;
    assert_null(strstr(say_scan(&reason), "the policy takes"));
}

static void test_in_place(void **state)
{
    struct plan plan = scan_plan(SCAN_LOOKBACK);
    struct reason reason = { .plan = &plan, .monoid = &monoid, .policy = SCAN_LOOKBACK };

    (void)state;
    assert_null(strstr(say_scan(&reason), "in place"));
    plan.stages[0].shape.fences = false;
    assert_non_null(
        strstr(say_scan(&reason), "; in place reduce_then_scan, lacking fences; "));
    reason.chooser = CHOSEN_BY_NAME;
    assert_non_null(strstr(say_scan(&reason), "; in place rejected, lacking fences; "));
    /* The probe has not said so yet. */
    reason.unproven = true;
    assert_null(strstr(say_scan(&reason), "in place"));
    plan = scan_plan(REDUCE_THEN_SCAN);
    plan.stages[0].shape.fences = false;
    reason.unproven = false;
    assert_null(strstr(say_scan(&reason), "in place"));
}

static void test_given_up(void **state)
{
    struct plan plan = scan_plan(REDUCE_THEN_SCAN);
    struct findings findings = { .verdict = { MEMORY_SCOPED_64, true, true } };
    struct reason reason = { .plan = &plan, .monoid = &monoid, .findings = &findings };

    (void)state;
    reason.moved = 12000;
    reason.findings = NULL;
    for (int i = OBSTACLE_NONE + 1; i < CLFOLD_OBSTACLES; ++i) {
        char words[CLFOLD_REASON_SIZE];
        reason.obstacle = (enum obstacle)i;
        snprintf(words, sizeof(words),
                 "look-back is out, %s: tiles are folded, then scanned with their "
                 "prefixes; tile_vector by policy \"cpu\"; moves 3.00 times the input",
                 clfold_obstacle_text(reason.obstacle));
        assert_string_equal(say_scan(&reason), words);
    }
    reason.obstacle = OBSTACLE_TIER;
    reason.findings = &findings;
    findings = (struct findings){ .fates = { [MEMORY_SCOPED_64] = FATE_NOT_OFFERED,
                                             [MEMORY_LEGACY_64] = FATE_TORN,
                                             [MEMORY_LEGACY_32] = FATE_LOST } };
    assert_non_null(strstr(say_scan(&reason),
                           " on this device (legacy_64 words arrive torn): "
                           "tiles are folded"));
    findings = (struct findings){ 0 };
    assert_non_null(strstr(say_scan(&reason), " on this device (it offers none): tiles"));
    reason.findings = NULL;
    assert_non_null(strstr(say_scan(&reason), " on this device: tiles"));
}

/* ---- Room -------------------------------------------------------------------------- */

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("\"%s\" lacks \"%s\"", text, part);
    }
}

static void fit_scan(enum algorithm algorithm, enum chooser chooser, uint32_t bits)
{
    const bool looks_back = clfold_looks_back(algorithm);
    const bool named = chooser != CHOSEN_BY_POLICY;
    struct plan plan = scan_plan(algorithm);
    const struct findings findings = {
        .fates = { [MEMORY_SCOPED_64] = FATE_NOT_OFFERED, [MEMORY_LEGACY_64] = FATE_LOST }
    };
    struct reason reason = { .plan = &plan,
                             .monoid = &monoid,
                             .chooser = chooser,
                             .policy = looks_back || algorithm == REDUCE_THEN_SCAN
                                           ? SCAN_SINGLE_GROUP
                                           : REDUCE_THEN_SCAN,
                             .dropped = bits & 1 ? "a better one does not build" : NULL,
                             .unproven = looks_back && (bits & 2),
                             .findings = bits % 3 == 0 ? &findings : NULL };
    const char *text;

    plan.stages[0].row = LONG_ROW;
    plan.stages[0].count = 1;
    plan.stages[0].shape.fences = bits & 4;
    plan.stages[0].shape.window = looks_back ? 32 : 1;
    plan.stages[0].num_launches = algorithm == SCAN_SINGLE_GROUP ? 1000 : 1;
    if (algorithm == REDUCE_THEN_SCAN && !named) {
        reason.obstacle = OBSTACLE_TIER + (enum obstacle)(bits % 3);
    }
    text = say_scan(&reason);
    assert_has(text, named             ? "the policy takes"
                     : reason.obstacle ? clfold_obstacle_text(reason.obstacle)
                                       : "count");
    assert_has(text, reason.obstacle && bits % 3 == 0 ? "(legacy_64 words do" : "");
    assert_has(text, "tile_vector by policy \"" LONG_ROW "\"");
    assert_has(text, reason.dropped ? ", since a better one does not build" : "");
    assert_has(text, looks_back ? ", 32 at a time" : "");
    assert_has(text, reason.unproven ? ", if a probe finds memory for it" : "");
    assert_has(text, looks_back && !reason.unproven && !plan.stages[0].shape.fences
                         ? "fences"
                         : "");
    assert_has(text, "; moves 2000.00 times the input");
}

static void fit_reduce(enum chooser chooser, uint32_t bits)
{
    struct plan plan = reduce_plan();
    const struct reason reason = { .plan = &plan,
                                   .monoid = &monoid,
                                   .chooser = chooser,
                                   .dropped =
                                       bits & 1 ? "a better one does not build" : NULL };
    const char *text;

    plan.stages[0].row = LONG_ROW;
    plan.stages[0].grid.cut = bits & 2;
    plan.stages[0].num_groups = plan.stages[0].grid.groups = 10000;
    plan.stages[0].grid.items = 1000000;
    plan.stages[0].num_launches = 1 + bits / 4;
    text = say_reduce(&reason);
    assert_has(text, chooser == CHOSEN_BY_NAME ? "asked for by name: " : "");
    assert_has(text, "tile_vector by policy \"" LONG_ROW "\"");
    assert_has(text, reason.dropped ? ", since a better one does not build" : "");
    assert_has(text, ": 10000 groups of lanes with 1000000 items each");
    assert_has(text, plan.stages[0].grid.cut ? ", the most at once here" : "");
    assert_has(text,
               plan.stages[0].num_launches > 2 ? ", and 2 launches that fold their" : "");
    /* What is for experts goes first where tests and limits meet. */
    if (!reason.dropped || !plan.stages[0].grid.cut) {
        assert_has(text, " lanes fill the device, each for 2048 items or more");
    }
}

/* One stage is not named; several are, all of them and in order. */
static void test_stages(void **state)
{
    static const enum algorithm algorithms[] = { SCAN_LOOKBACK, FIND_PLACES, WRITE_KEPT };
    struct plan plan = scan_plan(SCAN_LOOKBACK);
    const struct reason reason = { .plan = &plan, .monoid = &monoid };

    (void)state;
    assert_null(strstr(say_scan(&reason), "stages"));
    for (uint32_t s = 1; s < CLFOLD_MAX_STAGES; ++s) {
        plan.stages[s].shape.algorithm = algorithms[s];
        plan.num_stages = s + 1;
        assert_non_null(
            strstr(say_scan(&reason), s == 1 ? "; stages scan_lookback, find_places"
                                             : "; stages scan_lookback, find_places, "
                                               "write_kept"));
        assert_int_equal(strstr(say_scan(&reason), "write_kept") != NULL, s == 2);
    }
}

static void test_room(void **state)
{
    (void)state;
    for (int c = CHOSEN_BY_POLICY; c <= CHOSEN_BY_VARIABLE; ++c) {
        for (uint32_t bits = 0; bits < 12; ++bits) {
            fit_reduce(c == CHOSEN_BY_POLICY ? CHOSEN_BY_POLICY : CHOSEN_BY_NAME, bits);
            for (int a = SCAN_SINGLE_GROUP; a <= SCAN_CHAINED; ++a) {
                fit_scan((enum algorithm)a, (enum chooser)c, bits);
            }
        }
    }
}

/* A part is there whole or not at all. */
static void test_no_room(void **state)
{
    char name[2 * CLFOLD_REASON_SIZE];
    struct plan plan = scan_plan(SCAN_LOOKBACK);
    struct reason reason = { .plan = &plan, .monoid = &monoid };

    (void)state;
    for (size_t length = 0; length < sizeof(name) - 1; ++length) {
        const char *text;
        memset(name, 'x', length);
        name[length] = '\0';
        plan.stages[0].row = name;
        text = say_scan(&reason);
        assert_true(strlen(text) < CLFOLD_REASON_SIZE);
        assert_int_equal(strstr(text, "tile_vector") != NULL,
                         strstr(text, "x\";") != NULL || strstr(text, "x\"") != NULL ||
                             length == 0);
        assert_true(strstr(text, " times the input") ||
                    strcmp(text + strlen(text) - 1, "\"") == 0);
    }
}

TEST_MAIN("reason", NULL, NULL, cmocka_unit_test(test_reduce),
          cmocka_unit_test(test_rungs), cmocka_unit_test(test_order),
          cmocka_unit_test(test_scan), cmocka_unit_test(test_named),
          cmocka_unit_test(test_in_place), cmocka_unit_test(test_given_up),
          cmocka_unit_test(test_stages), cmocka_unit_test(test_room),
          cmocka_unit_test(test_no_room))
