/* src/plan, for devices that end a work-item after so many rounds of its loops: no launch
 * of a reduction gives one more, whatever the count. Scans: scan_rounds.c. */
#include "every_text.h"
#include "loops.h"
#include "oracle.h"
#include "test.h"

#include "plans.h"

static const struct site site = { NULL, "rounds" };

/* The policy's tiles; small ones, and longer than a group may fold at once. */
static const struct plan_override overrides[] = {
    { 0 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 5 },
    { .tile_elements = 1, .group_size = 2, .max_groups = 1 },
    { .tile_elements = 1u << 30, .group_size = 50, .max_groups = 3 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 100000 },
};

/* clfold_tile_fold of tile_vector.cl. */
static struct loops vector_loops(const struct monoid *monoid, uint64_t count)
{
    struct loops loops = { 0 };
    uint64_t vectors = count / 16, step = monoid->commutative ? 4 : 16;
    uint64_t begin = monoid->commutative ? 4 : 1;

    if (vectors > 0) {
        uint64_t rest = vectors - 1;
        if (!monoid->commutative || vectors >= 8) {
            loop(&loops, (vectors - begin) / step);
            rest = (vectors - begin) % step;
        }
        loop(&loops, rest);
        short_loop(&loops, monoid->num_scalars, vectors);
        /* The plan counts a vector of each scalar. */
        loops.rounds += vectors * (monoid->num_scalars - 1);
    }
    loop(&loops, vectors > 0 ? count % 16 : count - 1);
    return loops;
}

/* clfold_tile_fold of tile_group.cl, by the work-item that has most to do, where the tile
 * begins with the last element of a chunk: in chunks one by one, or four at a time. */
static struct loops group_loops(const struct monoid *monoid,
                                const struct tile_shape *tile, uint64_t count, bool fast)
{
    struct loops loops = { 0 };
    uint64_t size = clfold_monoid_in_size(monoid), chunk = size < 16 ? 16 / size : 1;
    uint64_t chunks = (chunk - 1 + count + chunk - 1) / chunk, tree = 0;
    uint64_t each = (chunks + tile->group_size - 1) / tile->group_size, rows = 0;

    while (UINT64_C(1) << tree < tile->group_size) {
        ++tree;
    }
    if (fast) {
        rows = (each - 1) / 4;
        short_loop(&loops, 4, 2 * rows);
    }
    loop(&loops, rows);
    loop(&loops, each - 1 - 4 * rows);
    if (fast) {
        short_loop(&loops, chunk, each);
    } else {
        loops.rounds += (chunk - 1) * each;
        loops.all += chunk * each;
    }
    loop(&loops, tree);
    return loops;
}

/* clfold_fold_run of reduce_tiles.cl. */
static struct loops run_loops(const struct monoid *monoid, const struct tile_shape *tile,
                              uint64_t count, bool fast)
{
    struct loops loops = { 0 };
    uint64_t counts[] = { tile->elements, count % tile->elements };
    uint64_t times[] = { count / tile->elements, counts[1] > 0 };

    for (int i = 0; i < 2; ++i) {
        if (times[i] > 0) {
            add_loops(&loops,
                      tile->kind == TILE_VECTOR
                          ? vector_loops(monoid, counts[i])
                          : group_loops(monoid, tile, counts[i], fast),
                      times[i]);
        }
    }
    loop(&loops, times[0] + times[1]);
    return loops;
}

/* Launch `pass` of the plan, which folds `num` elements or partials in `groups` groups.
 */
static struct loops launch_loops(const struct monoid *monoid, const struct plan *plan,
                                 uint32_t pass, uint64_t num, uint64_t groups, bool fast)
{
    const struct tile_shape *tile = &plan->shape.tile;
    uint64_t lanes = groups * tile->group_size, tree = 0;
    struct loops loops = { 0 };

    while (UINT64_C(1) << tree < tile->group_size) {
        ++tree;
    }
    if (tile->kind == TILE_NONE) {
        if (!plan->has_grid) {
            loop(&loops, tree);
        } else if (pass == 0) {
            /* Pairs; each may end a stage. */
            uint64_t pairs = (num + 2 * lanes - 1) / (2 * lanes);
            loops.rounds += pairs;
            loops.all += 2 * pairs + 1;
        } else {
            loop(&loops, (num + lanes - 1) / lanes - 1);
        }
    } else if (pass == 0) {
        uint64_t run = plan->items * tile->group_size;
        loops = run_loops(monoid, tile, num < run ? num : run, fast);
    } else {
        uint64_t run = num < plan->partials ? num : plan->partials;
        loop(&loops, (run + tile->group_size - 1) / tile->group_size);
        loop(&loops, tree);
    }
    return loops;
}

static void check_rounds(const struct job *job, const struct candidate *candidate,
                         uint64_t count)
{
    const struct monoid *monoid = job->monoid;
    const struct device_facts *device = job->device;
    struct plan plan = plan_of(*job, candidate, count);
    uint64_t num = count;

    for (uint32_t pass = 0; count > 0 && pass < plan.num_launches; ++pass) {
        struct launch launch;
        clfold_plan_launch(&plan, pass, &launch);
        uint64_t groups = launch.num_groups;
        for (int fast = 0; fast < 2; ++fast) {
            struct loops loops =
                launch_loops(monoid, &plan, pass, num, groups, fast != 0);
            if (loops.rounds > device->most_rounds ||
                loops.all >= 4 * device->most_rounds) {
                fail_msg("%s of %llu %s by %s on %s: %llu rounds, %llu with ends, in "
                         "launch %u of %llu groups",
                         monoid->name, (unsigned long long)count, name_of(monoid->in),
                         clfold_algorithm_name(plan.shape.algorithm),
                         clfold_tile_name(plan.shape.tile.kind),
                         (unsigned long long)loops.rounds, (unsigned long long)loops.all,
                         pass, (unsigned long long)groups);
            }
        }
        num = groups;
    }
    assert_true(count == 0 || num == 1);
}

/* Powers of two to 2^33, and what lies about the ends of runs, and of runs of partials.
 */
static void check_all_rounds(const struct job *job, const struct candidate *candidate,
                             bool cut[3])
{
    const struct plan large = plan_of(*job, candidate, UINT64_C(1) << 33);
    uint64_t units[3] = { 1, 1, 1 };

    if (large.has_grid) {
        cut[large.shape.tile.kind] |= large.grid.cut;
        units[1] = large.items * large.shape.tile.group_size;
        units[2] = units[1] * large.partials;
    }
    for (uint32_t bit = 0; bit <= 33; ++bit) {
        for (uint32_t u = 0; u < 3 && units[u] << bit <= (UINT64_C(1) << 33); ++u) {
            for (uint64_t d = 0; d < 3; ++d) {
                check_rounds(job, candidate, (units[u] << bit) + d - 1);
                check_rounds(job, candidate, (units[u] << bit) / 3 * 2 + d);
            }
        }
    }
}

static void check_monoid_rounds(const struct device_facts *device,
                                const struct monoid *monoid)
{
    bool cut[3] = { false }; /* each kind of tile */

    for (uint32_t a = REDUCE_TILES; a <= REDUCE_6; ++a) {
        for (size_t o = 0; o < sizeof(overrides) / sizeof(overrides[0]); ++o) {
            const struct job job =
                job_of(CLFOLD_REDUCE, (enum algorithm)a, monoid, device, &overrides[o]);
            struct candidate candidates[CLFOLD_MAX_CANDIDATES];
            uint32_t num = clfold_plan_candidates(&job, candidates);
            for (uint32_t i = 0; i < num; ++i) {
                check_all_rounds(&job, &candidates[i], cut);
            }
        }
    }
    assert_true(cut[TILE_NONE] || !device->cpu);
    assert_true(cut[TILE_VECTOR] && cut[TILE_GROUP]);
}

static void test_rounds(void **state)
{
    const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_ARG_MIN_MAX };

    (void)state;
    for (size_t d = 0; d < 2; ++d) {
        const struct device_facts *device = &few_rounds[d];
        struct monoid monoid;
        for (size_t p = 0; p < 2 * NUM_PAIRS; ++p) {
            struct pair pair = all_pairs[p / 2];
            assert_ok(clfold_monoid_init(&monoid, &site, ops[p % 2], pair.type, pair.in));
            check_monoid_rounds(device, &monoid);
        }
        for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
            for (uint32_t scalars = 1; scalars <= 4; scalars *= 2) {
                monoid = affine_monoid(type);
                monoid.num_scalars = scalars;
                check_monoid_rounds(device, &monoid);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_rounds) };

    return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
