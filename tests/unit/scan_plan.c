/* Plans of scans: every element is in one tile, and every tile in one group's run. */
#include "devices.h"
#include "test.h"

#include "plans.h"

static const struct site site = { NULL, "scan_plan" };

static const struct device_facts devices[] = {
    { .cpu = true,
      .vendor = "",
      .name = "",
      .platform = "Intel(R) OpenCL",
      .max_group_size = 4096,
      .local_memory = 1 << 20 },
    { .vendor = "", .name = "", .max_group_size = 1024, .local_memory = 48 << 10 },
    { .cpu = true,
      .vendor = "",
      .name = "",
      .platform = "rusticl",
      .max_group_size = 1024,
      .local_memory = 32 << 10,
      .sub_groups = true,
      .most_elements = 512 },
    { .vendor = "",
      .name = "",
      .max_group_size = 64,
      .local_memory = 16 << 10,
      .sub_groups = true },
};
#define NUM_DEVICES (sizeof(devices) / sizeof(devices[0]))

static const struct {
    clfold_op op;
    clfold_type type, in;
} folds[] = {
    { CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32 },
    { CLFOLD_ADD, CLFOLD_U64, CLFOLD_U8 },
    { CLFOLD_MAX, CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_MIN_MAX, CLFOLD_F64, CLFOLD_F32 },
    { CLFOLD_ARG_MIN, CLFOLD_F32, CLFOLD_F32 },
    { CLFOLD_ARG_MIN_MAX, CLFOLD_I64, CLFOLD_I64 },
};
#define NUM_FOLDS (sizeof(folds) / sizeof(folds[0]))

static struct monoid monoid_of(size_t i)
{
    struct monoid monoid;

    assert_int_equal(
        clfold_monoid_init(&monoid, &site, folds[i].op, folds[i].type, folds[i].in),
        CLFOLD_OK);
    return monoid;
}

/* Counts about a tile, about all groups with a tile each, and about powers of two. */
static uint64_t count_of(size_t i, uint32_t tile)
{
    const uint64_t bases[] = { 1,
                               tile,
                               2 * (uint64_t)tile,
                               256 * (uint64_t)tile,
                               (UINT64_C(1) << 24) + 1,
                               UINT64_C(1) << 26,
                               (UINT64_C(1) << 32) + 12345,
                               UINT64_C(1) << 33 };
    uint64_t base = bases[i / 3];

    return base + i % 3 - (base > 1 && i % 3 == 2 ? 3 : 0);
}
#define NUM_COUNTS 24

static const struct verdict verdict = { MEMORY_LEGACY_64, true, true };

#define NUM_SCANS (CLFOLD_ALGORITHMS - SCAN_SINGLE_GROUP)

static void check_shape(const struct shape *shape, const struct monoid *monoid,
                        const struct device_facts *device)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_out_size(monoid);
    const struct tile_shape *tile = &shape->tile;
    uint64_t slots = tile->elements + tile->group_size;

    assert_true(tile->elements > 0 && tile->elements <= monoid->stage_limit);
    assert_int_equal(tile->elements % tile->group_size, 0);
    assert_true(tile->group_size <= device->max_group_size);
    if (tile->kind == TILE_GROUP) {
        assert_true(
            slots * (in > out ? in : out) +
                (2 * tile->group_size + 6 + 32) * clfold_monoid_item_size(monoid) + 48 <=
            device->local_memory);
    }
}

/* What a device that ends loops gives a work-item in one launch. */
static void check_limits(const struct plan *plan, uint64_t most)
{
    const struct tile_shape *tile = &plan->shape.tile;
    uint64_t all = plan->launch_blocks * plan->shape.anchor;

    assert_true(plan->run * (tile->elements / tile->group_size) <= most);
    /* A scan inside the group a tile. */
    assert_true(plan->run <= most / 2);
    assert_int_not_equal(plan->shape.group_scan, GROUP_SCAN_SUB_GROUP);
    if (plan->shape.algorithm != SCAN_SINGLE_GROUP) {
        assert_in_range(all, 1, 16 * most);
        assert_true((plan->num_launches - 2) * all >= plan->num_tiles);
    }
}

static void check_plan(const struct plan *plan, const struct monoid *monoid,
                       uint64_t offset, uint64_t count)
{
    uint64_t tile = plan->shape.tile.elements;
    uint64_t size = clfold_monoid_out_size(monoid);

    /* The first tile ends where a line does, if tiles are made of whole lines. */
    assert_true(plan->lead < tile);
    if (tile * size % 64 == 0) {
        assert_int_equal((offset + tile - plan->lead) * size % 64, 0);
    }
    assert_true(plan->num_tiles * tile >= count + plan->lead);
    assert_true((plan->num_tiles - 1) * tile < count + plan->lead);
    if (plan->shape.algorithm == SCAN_SINGLE_GROUP) {
        assert_true(plan->run * plan->num_launches >= plan->num_tiles);
        assert_true(plan->run * (plan->num_launches - 1) < plan->num_tiles);
    } else if (clfold_looks_back(plan->shape.algorithm)) {
        size_t words = clfold_memory_words(clfold_memory(MEMORY_LEGACY_64),
                                           clfold_monoid_item_size(monoid));
        assert_int_equal(plan->num_launches, 1);
        assert_true(plan->run * plan->num_groups >= plan->num_tiles);
        assert_true(plan->run * (plan->num_groups - 1) < plan->num_tiles);
        /* Two slots a tile, and lines in front. */
        assert_int_equal(plan->scratch_bytes, 256 + plan->num_tiles * 2 * words * 8);
        assert_int_equal(plan->scratch_most, plan->scratch_bytes + 2 * words * 8);
    } else {
        assert_true(plan->run * plan->num_groups >= plan->num_tiles);
        assert_true(plan->run * (plan->num_groups - 1) < plan->num_tiles);
        assert_true(plan->blocks * plan->shape.anchor >= plan->num_tiles);
        assert_true(plan->scratch_bytes >
                    plan->num_tiles * clfold_monoid_item_size(monoid));
    }
}

/* Room for all arguments, in every kernel of every launch. */
static void check_launches(const struct plan *plan)
{
    uint32_t num = plan->num_launches < 4 ? plan->num_launches : 4;
    struct launch launch;

    for (uint32_t i = 0; i < num; ++i) {
        clfold_plan_launch(plan, i, &launch);
        assert_in_range(launch.num_arguments, 1, CLFOLD_MAX_ARGUMENTS);
        assert_in_range(launch.kernel, 0,
                        clfold_algorithm_row(plan->shape.algorithm)->num_kernels - 1);
        assert_true(launch.num_groups >= 1);
    }
}

static void test_plans(void **state)
{
    size_t num = 0;

    (void)state;
    for (size_t d = 0; d < NUM_DEVICES; ++d) {
        for (size_t f = 0; f < NUM_FOLDS * NUM_SCANS; ++f) {
            struct monoid monoid = monoid_of(f / NUM_SCANS);
            struct job job = job_of(CLFOLD_INCLUSIVE_SCAN,
                                    SCAN_SINGLE_GROUP + (enum algorithm)(f % NUM_SCANS),
                                    &monoid, &devices[d], NULL);
            struct candidate candidates[CLFOLD_MAX_CANDIDATES];
            job.verdict = verdict;
            uint32_t many = clfold_plan_candidates(&job, candidates);
            assert_int_equal(many, CLFOLD_MAX_CANDIDATES);
            for (size_t c = 0; c < many * NUM_COUNTS; ++c) {
                const struct candidate *candidate = &candidates[c % many];
                uint64_t count = count_of(c / many, candidate->shape.tile.elements);
                check_shape(&candidate->shape, &monoid, &devices[d]);
                job.out_offset = c % 18;
                struct plan plan = plan_of(job, candidate, count);
                check_plan(&plan, &monoid, c % 18, count);
                if (devices[d].most_elements && !plan.obstacle) {
                    check_limits(&plan, devices[d].most_elements);
                }
                check_launches(&plan);
                plan.shape.traced = clfold_looks_back(plan.shape.algorithm);
                check_launches(&plan);
                ++num;
            }
        }
    }
    print_message("# %zu plans\n", num);
}

/* The plan of the device's first tile. */
static struct plan first_plan(enum algorithm algorithm, const struct device_facts *device,
                              const struct monoid *monoid, const struct verdict *relied,
                              const struct debug *override, uint64_t count)
{
    struct job job = job_of(CLFOLD_INCLUSIVE_SCAN, algorithm, monoid, device, override);
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];

    job.verdict = *relied;
    clfold_plan_candidates(&job, candidates);
    return plan_of(job, &candidates[0], count);
}

/* What each strategy moves, as multiples of the input: what is kept a tile is little. */
static void test_bytes(void **state)
{
    static const double multiples[CLFOLD_ALGORITHMS] = {
        [SCAN_SINGLE_GROUP] = 2, [SCAN_THEN_PROPAGATE] = 4, [REDUCE_THEN_SCAN] = 3,
        [SCAN_LOOKBACK] = 2,     [SCAN_CHAINED] = 2,
    };
    const uint64_t count = 1 << 26;
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (size_t k = 0; k < 2 * NUM_SCANS; ++k) {
        size_t a = SCAN_SINGLE_GROUP + k / 2;
        struct plan plan = first_plan((enum algorithm)a, &devices[k % 2], &monoid,
                                      &verdict, NULL, count);
        uint64_t bytes_read, bytes_written;
        clfold_plan_bytes(&plan, &bytes_read, &bytes_written);
        double moved = (double)(bytes_read + bytes_written) / (4.0 * (double)count);
        assert_true(moved >= multiples[a] && moved < multiples[a] + 0.01);
    }
}

static enum algorithm choice(const char *name, uint64_t count)
{
    struct monoid monoid = monoid_of(0);
    struct job job =
        job_of(CLFOLD_INCLUSIVE_SCAN, REDUCE_TILES, &monoid, &devices[0], NULL);

    job.count = count;
    assert_int_equal(clfold_plan_choose(&job, &site, name), CLFOLD_OK);
    return job.algorithm;
}

static void test_choice(void **state)
{
    struct monoid monoid = monoid_of(0);
    struct job job =
        job_of(CLFOLD_INCLUSIVE_SCAN, REDUCE_TILES, &monoid, &devices[0], NULL);

    (void)state;
    assert_int_equal(choice(NULL, 1000), SCAN_SINGLE_GROUP);
    assert_int_equal(choice(NULL, 1 << 24), SCAN_LOOKBACK);
    for (int a = SCAN_SINGLE_GROUP; a < CLFOLD_ALGORITHMS; ++a) {
        const char *name = clfold_algorithm_name((enum algorithm)a);
        assert_int_equal(choice(name, 1 << 24), a);
        /* Nothing takes one launch, whoever asks. */
        assert_int_equal(choice(name, 0), SCAN_SINGLE_GROUP);
    }
    assert_refused(clfold_plan_choose(&job, &site, "reduce3"), CLFOLD_ERROR_UNSUPPORTED,
                   "\"reduce3\"");
}

/* ---- Look-back --------------------------------------------------------------------- */

/* On a CPU so many groups as the policy says, whose tiles are one after the other; on
 * others a group a tile, unless a test says how many. */
static void test_groups(void **state)
{
    const struct debug few = { .max_groups = 5, .tile_elements = 64 };
    struct monoid monoid = monoid_of(0);
    const uint64_t count = (1 << 26) + 1;

    (void)state;
    for (int a = SCAN_LOOKBACK; a < CLFOLD_ALGORITHMS; ++a) {
        struct plan plan = first_plan(a, &devices[0], &monoid, &verdict, NULL, count);
        assert_true(plan.run > 1);
        assert_in_range(plan.num_groups, 2, 256);
        plan = first_plan(a, &devices[1], &monoid, &verdict, NULL, count);
        assert_int_equal(plan.run, 1);
        assert_int_equal(plan.num_groups, plan.num_tiles);
        for (size_t d = 0; d < 2; ++d) {
            plan = first_plan(a, &devices[d], &monoid, &verdict, &few, 64 * 23);
            assert_int_equal(plan.run, 5);
            assert_int_equal(plan.num_groups, 5);
        }
    }
}

/* Many where waiting is known to help, few elsewhere; or as a test says. */
static void test_spins(void **state)
{
    const struct verdict unfair = { MEMORY_SCOPED_64, false, true };
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (size_t d = 0; d < NUM_DEVICES; ++d) {
        struct debug override = { .tile_elements = 64 };
        uint32_t many, few;
        many = first_plan(SCAN_LOOKBACK, &devices[d], &monoid, &verdict, &override, 100)
                   .spins;
        few = first_plan(SCAN_LOOKBACK, &devices[d], &monoid, &unfair, &override, 100)
                  .spins;
        assert_in_range(few, 1, 64);
        assert_true(many >= 1 << 16);
        for (uint32_t spins = 0; spins < 3; ++spins) {
            override.spins = 1 + spins;
            assert_int_equal(
                first_plan(SCAN_LOOKBACK, &devices[d], &monoid, &verdict, &override, 100)
                    .spins,
                spins);
        }
    }
}

static void test_refused(void **state)
{
    const struct debug small = { .tile_elements = 16, .spins = 1 };
    const struct verdict nothing = { MEMORY_NONE, true, false };
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (int a = SCAN_LOOKBACK; a < CLFOLD_ALGORITHMS; ++a) {
        struct plan plan = first_plan(a, &devices[0], &monoid, &nothing, NULL, 1 << 20);
        assert_int_equal(plan.obstacle, OBSTACLE_TIER);
        for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS;
             ++tier) {
            const struct verdict relied = { tier, true, true };
            uint64_t most = UINT64_C(16) << clfold_memory(tier)->ticket_bits;
            plan = first_plan(a, &devices[1], &monoid, &relied, &small, most - 16);
            assert_int_equal(plan.obstacle, OBSTACLE_NONE);
            plan = first_plan(a, &devices[1], &monoid, &relied, &small, most);
            assert_int_equal(plan.obstacle, OBSTACLE_TICKETS);
            plan = first_plan(a, &devices[2], &monoid, &relied, &small, 64);
            assert_int_equal(plan.obstacle, OBSTACLE_LOOPS);
        }
    }
}

/* Item sizes in words of each size. */
static void test_memory(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 32; ++size) {
        assert_int_equal(clfold_memory_words(clfold_memory(MEMORY_PTX_64), size),
                         (size + 3) / 4);
        assert_int_equal(clfold_memory_words(clfold_memory(MEMORY_LEGACY_32), size),
                         (size + 1) / 2);
    }
    for (enum memory_tier tier = MEMORY_SCOPED_64; tier < CLFOLD_MEMORY_TIERS; ++tier) {
        const struct memory *memory = clfold_memory(tier);
        for (uint64_t tiles = 0; tiles < 100; tiles += 9) {
            size_t bytes = clfold_memory_bytes(memory, tiles, 12);
            assert_int_equal(clfold_memory_capacity(memory, bytes),
                             tiles * 2 * clfold_memory_words(memory, 12));
        }
    }
}

/* A sub-group looks at 32 tiles, a work-item at 4; fewer where a test says so. */
static void test_window(void **state)
{
    static const struct {
        enum algorithm algorithm;
        size_t device;
        struct debug override;
        uint32_t window;
    } cases[] = {
        { SCAN_LOOKBACK, 0, { 0 }, 4 },
        { SCAN_LOOKBACK, 0, { .window = 3 }, 3 },
        { SCAN_LOOKBACK, 0, { .window = 32 }, 4 },
        { SCAN_LOOKBACK, 1, { 0 }, 4 },
        { SCAN_CHAINED, 1, { 0 }, 4 },
        { SCAN_LOOKBACK, 3, { 0 }, 32 },
        { SCAN_LOOKBACK, 3, { .window = 8 }, 8 },
        { SCAN_LOOKBACK, 3, { .tile = TILE_VECTOR }, 4 },
        { REDUCE_THEN_SCAN, 3, { 0 }, 1 },
    };
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct plan plan = first_plan(cases[i].algorithm, &devices[cases[i].device],
                                      &monoid, &verdict, &cases[i].override, 9);
        assert_int_equal(plan.shape.window, cases[i].window);
    }
}

/* Each vendor's GPUs have a row, and each row's shapes fit devices of any size. */
static void test_vendors(void **state)
{
    static const size_t groups[] = { 1, 24, 64, 1024 };
    static const size_t locals[] = { 2 << 10, 16 << 10, 32 << 10, 64 << 10 };

    (void)state;
    for (size_t i = 0; i < NUM_VENDORS * 16 * NUM_FOLDS; ++i) {
        const size_t v = i % NUM_VENDORS, size = i / NUM_VENDORS;
        struct device_facts device = { .vendor = vendors[v].vendor,
                                       .name = "",
                                       .max_group_size = groups[size % 4],
                                       .local_memory = locals[size / 4 % 4],
                                       .sub_groups = i % 3 == 0 };
        struct monoid monoid = monoid_of(size / 16);
        struct policy policies[CLFOLD_MAX_CANDIDATES];
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct job job =
            job_of(CLFOLD_INCLUSIVE_SCAN, SCAN_LOOKBACK, &monoid, &device, NULL);
        job.verdict = verdict;
        uint32_t num = clfold_plan_candidates(&job, candidates);
        assert_int_equal(candidates[0].shape.tile.kind, TILE_GROUP);
        for (uint32_t c = 0; c < num; ++c) {
            assert_string_equal(candidates[c].policy.row, vendors[v].row);
            check_shape(&candidates[c].shape, &monoid, &device);
        }
        device.cpu = true;
        clfold_policies(&device, FAMILY_SCAN, policies);
        assert_string_equal(policies[0].row, "cpu");
    }
}

/* Where a run is cheaper behind its first tile, a group takes 8, but each unit has 8
 * groups as long as there are tiles for them. */
static void test_runs(void **state)
{
    static const struct {
        uint32_t units;
        uint64_t tiles, run[2]; /* by a compiler that prefetches, and by another */
    } cases[] = {
        { 0, 1, { 1, 1 } },       { 0, 16, { 1, 1 } },   { 0, 17, { 2, 1 } },
        { 2, 100, { 7, 1 } },     { 2, 128, { 8, 1 } },  { 2, 256, { 8, 1 } },
        { 2, 2048, { 8, 8 } },    { 2, 2049, { 9, 9 } }, { 2, 10000, { 40, 40 } },
        { 1, 9, { 2, 1 } },       { 8, 64, { 1, 1 } },   { 8, 65, { 2, 1 } },
        { 64, 512, { 2, 2 } },    { 64, 513, { 3, 3 } }, { 64, 1024, { 4, 4 } },
        { 64, 2561, { 11, 11 } }, { 1024, 1, { 1, 1 } }, { UINT32_MAX, 256, { 1, 1 } },
    };
    const enum algorithm algorithms[] = { SCAN_LOOKBACK, REDUCE_THEN_SCAN };
    struct device_facts device = devices[0];
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (size_t i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); ++i) {
        device.units = cases[i / 4].units;
        device.platform = i % 2 == 0 ? devices[0].platform : "another";
        struct plan plan =
            first_plan(algorithms[i / 2 % 2], &device, &monoid, &verdict, NULL, 1);
        uint64_t count = cases[i / 4].tiles * plan.shape.tile.elements;
        plan = first_plan(algorithms[i / 2 % 2], &device, &monoid, &verdict, NULL, count);
        assert_int_equal(plan.run, cases[i / 4].run[i % 2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),   cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_choice),  cmocka_unit_test(test_groups),
        cmocka_unit_test(test_spins),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_window),
        cmocka_unit_test(test_vendors), cmocka_unit_test(test_runs),
    };

    return cmocka_run_group_tests_name("scan_plan", tests, NULL, NULL);
}
