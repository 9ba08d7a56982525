/* src/plan, for devices that end a work-item after so many rounds of its loops: no launch
 * of a scan gives one more, whatever the count. Reductions: rounds.c. */
#include "every_text.h"
#include "loops.h"
#include "oracle.h"
#include "test.h"

#include "plans.h"

static const struct site site = { NULL, "scan_rounds" };

/* The policy's tiles; small ones, with and without blocks, and ones longer than a
 * work-item may scan at once. */
static const struct plan_override overrides[] = {
    { 0 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 5, .anchor = 3 },
    { .tile_elements = 1, .group_size = 2, .max_groups = 1 },
    { .tile_elements = 31, .group_size = 4, .max_groups = 2, .anchor = 4 },
    { .tile_elements = 1u << 30, .group_size = 50, .max_groups = 3, .anchor = 1 },
    { .tile_elements = 500, .group_size = 1, .max_groups = 7 },
    { .tile_elements = 1024, .group_size = 1024, .max_groups = 100000, .anchor = 64 },
};
static const struct plan_override none;
#define NUM_OVERRIDES (sizeof(overrides) / sizeof(overrides[0]))

/* For look-back; scan_chained is the same kernel. */
static const struct verdict verdict = { MEMORY_LEGACY_32, true, false };
#define NUM_ALGORITHMS (SCAN_LOOKBACK + 1 - SCAN_SINGLE_GROUP)

/* What the text of a program is made of. */
struct subject {
    const struct monoid *monoid;
    const struct shape *shape;
    bool fast; /* rows of 16 bytes */
};

/* `times` times clfold_store or clfold_fetch. */
static void move_items(struct loops *loops, const struct subject *of, uint64_t times)
{
    struct loops one = { 0 };

    loop(&one, of->monoid->num_components);
    add_loops(loops, one, times);
}

/* ---- tile_vector_scan.cl ----------------------------------------------------------- */

/* clfold_tile_fold, where cuts are looked for in vain. */
static struct loops vector_aggregate(const struct subject *of, uint64_t count)
{
    struct loops loops = { 0 }, lanes = { 0 };
    uint64_t vectors = count / 16;

    loop(&lanes, 16);
    if (of->monoid->commutative && vectors > 0) {
        loop(&loops, vectors < 8 ? 0 : vectors / 4 - 1);
        loop(&loops, vectors < 8 ? vectors - 1 : vectors % 4);
    } else if (vectors > 0) {
        if (of->monoid->cuts) {
            loop(&loops, vectors - 1);
        }
        loop(&loops, (vectors - 1) / 16);
        add_loops(&loops, lanes, (vectors - 1) / 16);
        loop(&loops, (vectors - 1) % 16);
    }
    loop(&loops, vectors > 0 ? count % 16 : count - 1);
    return loops;
}

static struct loops vector_scan(const struct subject *of, uint64_t count)
{
    struct loops loops = { 0 }, put16 = { 0 };

    if (!clfold_monoid_has_item16(of->monoid)) {
        loop(&put16, 16);
        move_items(&put16, of, 16);
    }
    loop(&loops, count / 16);
    add_loops(&loops, put16, count / 16);
    loop(&loops, count % 16);
    move_items(&loops, of, count % 16);
    return loops;
}

static struct loops vector_propagate(const struct subject *of, uint64_t count)
{
    struct loops loops = { 0 };
    uint64_t rest = count;

    if (clfold_monoid_has_item16(of->monoid)) {
        loop(&loops, count / 16);
        rest = count % 16;
    }
    loop(&loops, rest);
    move_items(&loops, of, 2 * rest);
    return loops;
}

/* ---- tile_group_scan.cl, by the work-item that has most to do ---------------------- */

static uint64_t share_of(uint64_t items, const struct subject *of)
{
    uint64_t size = of->shape->tile.group_size;

    return (items + size - 1) / size;
}

/* Scalars of 16 bytes at once, or one by one. */
static void move_rows(struct loops *loops, const struct subject *of, uint64_t scalars,
                      uint64_t chunk)
{
    uint64_t rounds = share_of(of->fast ? scalars / chunk : scalars, of);

    loop(loops, rounds);
    if (of->fast) {
        short_loop(loops, chunk, rounds);
    }
}

/* Items that a raker takes, as group_scan.cl has it. */
static uint64_t raker_run(uint64_t group_size)
{
    static const uint64_t runs[][2] = { { 18, 3 },    { 64, 5 },         { 128, 7 },
                                        { 256, 11 },  { 512, 15 },       { 1024, 21 },
                                        { 2048, 31 }, { UINT64_MAX, 45 } };
    size_t i = 0;

    while (group_size > runs[i][0]) {
        ++i;
    }
    return runs[i][1];
}

/* Sub-groups may be of one work-item. */
static void group_scan(struct loops *loops, const struct subject *of)
{
    uint64_t size = of->shape->tile.group_size, run = raker_run(size);
    uint64_t rakers = (size - 1) / run + 1;

    if (of->shape->group_scan == GROUP_SCAN_SUB_GROUP) {
        loop(loops, size > 16 ? 5 : 4);
        loop(loops, size > 2 ? size - 2 : 0);
    } else {
        assert_int_equal(of->shape->group_scan, GROUP_SCAN_RAKING);
        loop(loops, run - 1);
        loop(loops, rakers > 2 ? rakers - 2 : 0);
        loop(loops, run);
    }
}

static struct loops group_aggregate(const struct subject *of, uint64_t count)
{
    uint64_t size = clfold_monoid_in_size(of->monoid), scalars = of->monoid->num_scalars;
    struct loops loops = { 0 };

    move_rows(&loops, of, count * scalars, size < 16 ? 16 / size * scalars : scalars);
    loop(&loops, of->shape->tile.elements / of->shape->tile.group_size - 1);
    group_scan(&loops, of);
    return loops;
}

static struct loops group_tile_scan(const struct subject *of, uint64_t count)
{
    struct loops loops = { 0 };
    uint64_t cells = of->monoid->num_components;

    loop(&loops, of->shape->tile.elements / of->shape->tile.group_size);
    move_rows(&loops, of, count * cells, 16 * cells / clfold_monoid_out_size(of->monoid));
    return loops;
}

static struct loops group_propagate(const struct subject *of, uint64_t count)
{
    struct loops loops = { 0 };
    uint64_t rounds = share_of(count, of);

    loop(&loops, rounds);
    move_items(&loops, of, 2 * rounds);
    return loops;
}

/* ---- The kernels ------------------------------------------------------------------- */

/* What a kernel does with its tiles. */
enum steps { AGGREGATE, SCAN, AGGREGATE_AND_SCAN, LOAD_AND_SCAN, PROPAGATE };

static struct loops tile_loops(const struct subject *of, enum steps steps, uint64_t count)
{
    bool vector = of->shape->tile.kind == TILE_VECTOR;
    struct loops loops = { 0 };

    if (steps == PROPAGATE) {
        return vector ? vector_propagate(of, count) : group_propagate(of, count);
    }
    if (steps != SCAN && (steps != LOAD_AND_SCAN || !vector)) {
        add_loops(&loops,
                  vector ? vector_aggregate(of, count) : group_aggregate(of, count), 1);
    }
    if (steps != AGGREGATE) {
        add_loops(&loops, vector ? vector_scan(of, count) : group_tile_scan(of, count),
                  1);
    }
    return loops;
}

/* clfold_tile_count */
static uint64_t tile_count(const struct plan *plan, uint64_t t, uint64_t count)
{
    uint64_t tile = plan->shape.tile.elements;
    uint64_t begin = t == 0 ? 0 : t * tile - plan->lead;
    uint64_t end = (t + 1) * tile - plan->lead;

    return (end < count ? end : count) - begin;
}

/* A group's tiles: the first, the last, and what is whole between them. */
static struct loops run_loops(const struct subject *of, const struct plan *plan,
                              enum steps steps, uint64_t first, uint64_t count)
{
    uint64_t stop = first + plan->run;
    struct loops loops = { 0 };

    stop = stop < plan->num_tiles ? stop : plan->num_tiles;
    loop(&loops, stop - first);
    add_loops(&loops, tile_loops(of, steps, tile_count(plan, first, count)), 1);
    if (stop - first > 1) {
        add_loops(&loops, tile_loops(of, steps, tile_count(plan, stop - 1, count)), 1);
    }
    if (stop - first > 2) {
        add_loops(&loops, tile_loops(of, steps, plan->shape.tile.elements),
                  stop - first - 2);
    }
    return loops;
}

/* What only clfold_scan_single_group has: `state` taken and handed on, and the total. */
static struct loops single_loops(const struct subject *of, const struct plan *plan,
                                 uint64_t first, uint64_t count)
{
    struct loops loops = run_loops(of, plan, AGGREGATE_AND_SCAN, first, count);

    if (first > 0) {
        loop(&loops, 3);
    }
    if (first + plan->run < plan->num_tiles) {
        loop(&loops, 3);
    } else {
        move_items(&loops, of, 1);
    }
    return loops;
}

/* clfold_scan_prefixes: work-items that run as one vector go through the lone one's loop
 * as well. */
static struct loops prefix_loops(const struct subject *of, const struct plan *plan)
{
    uint64_t anchor = plan->shape.anchor, most = plan->launch_blocks;
    uint64_t blocks = plan->blocks < most ? plan->blocks : most;
    struct loops loops = { 0 }, others = { 0 };

    if (anchor > 1) {
        loop(&others, anchor - 2);
        loop(&others, anchor - 1);
        loop(&loops, share_of(blocks, of));
        loop(&loops, share_of(blocks, of));
        add_loops(&loops, others, share_of(blocks, of));
    }
    loop(&loops, blocks);
    move_items(&loops, of, 1);
    return loops;
}

/* clfold_scan_lookback, in a group that folds all tiles but its own for others, after as
 * many polls as it may, with each tile that it looks at showing up at the last one. */
static struct loops lookback_loops(const struct subject *of, const struct plan *plan)
{
    uint64_t num = plan->num_tiles, folds = num + plan->run;
    uint64_t polls = num * (plan->spins + 1) + 2;
    uint64_t words = clfold_memory_words(clfold_memory(plan->shape.tier),
                                         clfold_monoid_item_size(of->monoid));
    struct loops loops = { 0 }, look = { 0 }, item = { 0 }, window = { 0 }, ahead = { 0 };

    loop(&item, words);
    loop(&window, of->shape->window);
    loop(&look, polls);
    add_loops(&look, item, 2 * polls);
    /* Read, and looked at. */
    add_loops(&look, window, 2 * polls);
    /* Totals taken, each from a window; where the walk ended; and what is published. */
    loop(&look, num);
    loop(&look, num);
    add_loops(&look, window, num);
    add_loops(&look, item, num + 2 + 2);
    /* The end of the next tile, folded behind the scan of the one before. */
    if (of->shape->tile.kind == TILE_VECTOR && of->monoid->commutative) {
        loop(&ahead, of->shape->tile.elements / 64);
        add_loops(&loops, ahead, plan->run);
    }
    loop(&loops, folds + plan->run);
    add_loops(&loops, look, folds);
    add_loops(&loops, tile_loops(of, AGGREGATE, plan->shape.tile.elements),
              folds + plan->run);
    /* Published behind the prefix, and stored as the total. */
    add_loops(&loops, item, 2 * plan->run);
    add_loops(&loops, tile_loops(of, SCAN, plan->shape.tile.elements), plan->run);
    move_items(&loops, of, 1);
    return loops;
}

/* ---- The tests --------------------------------------------------------------------- */

/* Which limits have cut anything, by kind of tile. */
struct cuts {
    bool single[3], runs[3], prefixes[3], looks[3], refused[3];
};

static void check_loops(const struct subject *of, const struct device_facts *device,
                        struct loops loops, const char *kernel, uint64_t count)
{
    if (loops.rounds > device->most_rounds || loops.all >= 4 * device->most_rounds) {
        fail_msg("%s of %llu %s by %s in %s of %u, %u work-items: %llu rounds, %llu with "
                 "ends, in %s",
                 of->monoid->name, (unsigned long long)count, name_of(of->monoid->in),
                 clfold_algorithm_name(of->shape->algorithm),
                 clfold_tile_name(of->shape->tile.kind), of->shape->tile.elements,
                 of->shape->tile.group_size, (unsigned long long)loops.rounds,
                 (unsigned long long)loops.all, kernel);
    }
}

/* The first run, the second, and the last: all others are like the second. */
static void check_plan(const struct subject *of, const struct device_facts *device,
                       const struct plan *plan, uint64_t count)
{
    uint64_t last = (plan->num_tiles - 1) / plan->run * plan->run;
    const uint64_t firsts[] = { 0, plan->run < last ? plan->run : 0, last };
    bool single = of->shape->algorithm == SCAN_SINGLE_GROUP;
    bool propagates = of->shape->algorithm == SCAN_THEN_PROPAGATE;

    if (of->shape->algorithm == SCAN_LOOKBACK) {
        check_loops(of, device, lookback_loops(of, plan), "clfold_scan_lookback", count);
        return;
    }
    for (size_t i = 0; i < 3; ++i) {
        uint64_t first = firsts[i];
        if (single) {
            check_loops(of, device, single_loops(of, plan, first, count),
                        "clfold_scan_single_group", count);
            continue;
        }
        check_loops(of, device,
                    run_loops(of, plan, propagates ? AGGREGATE_AND_SCAN : AGGREGATE,
                              first, count),
                    propagates ? "clfold_scan_locals" : "clfold_scan_aggregates", count);
        check_loops(
            of, device,
            run_loops(of, plan, propagates ? PROPAGATE : LOAD_AND_SCAN, first, count),
            propagates ? "clfold_scan_propagate" : "clfold_scan_tiles", count);
    }
    if (!single) {
        check_loops(of, device, prefix_loops(of, plan), "clfold_scan_prefixes", count);
    }
}

/* Powers of two to 2^33, and what lies about the ends of tiles, of runs, and of all
 * groups' runs; from any place in a line. */
static void check_shape(struct job job, const struct candidate *candidate,
                        struct cuts *cuts)
{
    const struct shape *shape = &candidate->shape;
    const uint64_t most = UINT64_C(1) << 33;
    enum tile_kind kind = shape->tile.kind;
    uint64_t units[4] = { 1, shape->tile.elements };

    job.override = none;
    struct plan plan = plan_of(job, candidate, most);
    units[2] = units[1] * plan.run;
    units[3] = units[2] * candidate->policy.groups;
    if (shape->algorithm == SCAN_SINGLE_GROUP) {
        cuts->single[kind] |= plan.num_launches > 1;
    } else if (shape->algorithm != SCAN_LOOKBACK) {
        cuts->runs[kind] |= plan.num_groups > candidate->policy.groups;
        cuts->prefixes[kind] |= plan.num_launches > 3;
    }
    for (size_t u = 0; u < 4; ++u) {
        for (uint64_t unit = units[u], i = 0; unit <= most; unit *= 2, ++i) {
            const uint64_t counts[] = { unit > 1 ? unit - 1 : 1, unit, unit + 1,
                                        unit + 15, unit / 3 * 2 + 1 };
            for (size_t c = 0; c < 2 * 5; ++c) {
                struct subject of = { job.monoid, shape, c % 2 };
                uint64_t count = counts[c / 2];
                job.out_offset = (i + c / 2) % 18;
                plan = plan_of(job, candidate, count);
                if (!plan.refused) {
                    check_plan(&of, job.device, &plan, count);
                }
                cuts->looks[kind] |= shape->algorithm == SCAN_LOOKBACK &&
                                     plan.num_tiles > 2 && !plan.refused;
                cuts->refused[kind] |= plan.refused != NULL;
            }
        }
    }
}

static void check_monoid(const struct device_facts *device, const struct monoid *monoid,
                         struct cuts *cuts)
{
    for (size_t k = 0; k < NUM_OVERRIDES * NUM_ALGORITHMS; ++k) {
        enum algorithm algorithm =
            SCAN_SINGLE_GROUP + (enum algorithm)(k % NUM_ALGORITHMS);
        struct job job = job_of(CLFOLD_INCLUSIVE_SCAN, algorithm, monoid, device,
                                &overrides[k / NUM_ALGORITHMS]);
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        job.verdict = verdict;
        uint32_t num = clfold_plan_candidates(&job, candidates);
        for (uint32_t i = 0; i < num; ++i) {
            check_shape(job, &candidates[i], cuts);
        }
    }
}

/* Two, three or four components, of which constant maps cut. */
static struct monoid general_monoid(clfold_type type, uint32_t num_components)
{
    struct monoid monoid = affine_monoid(type);

    for (uint32_t k = monoid.num_components; k < num_components; ++k) {
        monoid.components[k] = monoid.components[1];
    }
    monoid.num_components = num_components;
    monoid.num_scalars = num_components < 3 ? num_components : 4;
    monoid.cuts = num_components % 2 ? NULL : "b.a == 0";
    return monoid;
}

static void test_rounds(void **state)
{
    static const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_ARG_MIN, CLFOLD_MIN_MAX,
                                     CLFOLD_ARG_MIN_MAX };

    (void)state;
    for (size_t d = 0; d < 2; ++d) {
        struct cuts cuts = { 0 };
        struct monoid monoid;
        for (size_t p = 0; p < 4 * NUM_PAIRS; ++p) {
            struct pair pair = all_pairs[p / 4];
            assert_int_equal(
                clfold_monoid_init(&monoid, &site, ops[p % 4], pair.type, pair.in),
                CLFOLD_OK);
            check_monoid(&few_rounds[d], &monoid, &cuts);
        }
        for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
            for (uint32_t components = 2; components <= 4; ++components) {
                monoid = general_monoid(type, components);
                check_monoid(&few_rounds[d], &monoid, &cuts);
            }
        }
        for (enum tile_kind kind = TILE_VECTOR; kind <= TILE_GROUP; ++kind) {
            assert_true(cuts.single[kind] && cuts.runs[kind] && cuts.prefixes[kind] &&
                        cuts.looks[kind] && cuts.refused[kind]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rounds) };

    return cmocka_run_group_tests_name("scan_rounds", tests, NULL, NULL);
}
