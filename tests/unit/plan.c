/* Plans, without a device, of every algorithm in the table: each element is in one tile,
 * each tile in one group's run, and scratch and bytes are what the launches use.
 * What they choose: choices.c. */
#include "plan/operator_text.h"
#include "plans.h"
#include "test.h"

static const struct site site = { NULL, "plan" };

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
    { CLFOLD_ADD, CLFOLD_I16, CLFOLD_I16 },
    { CLFOLD_ADD, CLFOLD_F64, CLFOLD_F64 },
    { CLFOLD_MAX, CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_MIN_MAX, CLFOLD_F64, CLFOLD_F32 },
    { CLFOLD_ARG_MIN, CLFOLD_F32, CLFOLD_F32 },
    { CLFOLD_ARG_MIN_MAX, CLFOLD_I64, CLFOLD_I64 },
    { CLFOLD_AFFINE, CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_MATRIX_2X2, CLFOLD_F64, CLFOLD_F64 },
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

static const struct verdict verdict = { MEMORY_LEGACY_64, true, true };

static enum family family_of(enum algorithm algorithm)
{
    return clfold_algorithm_row(algorithm)->family;
}

/* Brent's rule: everything is covered, no group is empty, vectors are whole, no more
 * groups than the device holds, and the cost is that of the serial fold times three. */
static void check_grid(const struct grid_rule *rule, uint64_t count)
{
    struct grid grid;
    uint64_t processors, logarithm = 0;

    clfold_grid_init(&grid, rule, count);
    processors = grid.groups * rule->lanes;
    while (UINT64_C(1) << logarithm < processors) {
        ++logarithm;
    }
    assert_true(grid.groups >= 1 && grid.groups <= rule->full);
    assert_true(processors * grid.items >= count);
    assert_true(count == 0 || (grid.groups - 1) * rule->lanes * grid.items < count);
    assert_int_equal(grid.items % rule->vector, 0);
    if (count >= grid.least * rule->lanes) {
        assert_true(processors * (grid.items + logarithm) <= 3 * count);
    }
}

static void test_grid(void **state)
{
    const struct grid_rule rules[] = {
        { 16 * 48, 128, 1, 0, 0 },   /* 8800 GTX */
        { 7 * 8, 128, 4, 0, 0 },     /* GTX 460 */
        { 132 * 8, 256, 4, 0, 0 },   /* H200 */
        { 1 * 2, 64, 1, 0, 0 },      /* two cores */
        { 16 * 16, 64, 1, 2048, 0 }, /* the policy of CPUs */
        { 128 * 8, 256, 2, 64, 0 },  { 1, 7, 3, 0, 0 },
    };

    for (size_t r = 0; r < sizeof(rules) / sizeof(rules[0]); ++r) {
        for (uint32_t bit = 0; bit <= 33; ++bit) {
            for (uint64_t d = 0; d < 3; ++d) {
                check_grid(&rules[r], (UINT64_C(1) << bit) + d - 1);
            }
        }
        for (uint64_t count = 0; count < 100000; count += 97) {
            check_grid(&rules[r], count);
        }
    }
}

/* ---- Shapes ------------------------------------------------------------------------ */

/* Items of local memory that tile_group.cl has. */
static uint64_t group_items(const struct tile_shape *tile, const struct monoid *monoid)
{
    uint32_t chunk = clfold_chunk_elements(clfold_monoid_in_size(monoid));
    uint64_t run = 1, last = tile->group_size - 1;

    if (!monoid->commutative) {
        run = (tile->elements - 1) / chunk / tile->group_size + 1;
        last = run * tile->group_size;
    }
    return last + (run % 2 == 0 ? last / run : 0) + last / run / 32 + 2;
}

static void check_shape(const struct shape *shape, const struct monoid *monoid,
                        const struct device_facts *device)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_out_size(monoid);
    size_t item = clfold_monoid_item_size(monoid);
    const struct tile_shape *tile = &shape->tile;
    uint64_t slots = tile->elements + tile->group_size;

    assert_in_range(tile->group_size, 1, device->max_group_size);
    assert_int_equal(shape->single, device == &devices[0] && tile->group_size == 1);
    if (tile->kind != TILE_NONE) {
        assert_in_range(tile->elements, 1, monoid->stage_limit);
    }
    if (shape->algorithm == REDUCE_LANES) {
        assert_true(
            tile->kind != TILE_GROUP ||
            (tile->elements == tile->group_size && shape->step > 0 &&
             tile->group_size * ((shape->step + 2) * item + 24) <= device->local_memory));
        return;
    }
    if (shape->algorithm <= REDUCE_6) {
        assert_true(tile->kind != TILE_GROUP ||
                    group_items(tile, monoid) * item <= device->local_memory);
        return;
    }
    assert_int_equal(tile->elements % tile->group_size, 0);
    if (tile->kind == TILE_GROUP) {
        assert_true(slots * (in > out ? in : out) +
                        (2 * tile->group_size + 6 + 32) * item + 160 <=
                    device->local_memory);
    }
}

/* Vendors of GPUs, as drivers name them, and whose row of the policies is theirs. */
static const struct {
    const char *vendor, *row;
} vendors[] = {
    { "NVIDIA Corporation", "nvidia" },
    { "Advanced Micro Devices, Inc.", "amd" },
    { "AMD", "amd" },
    { "Intel(R) Corporation", "intel" },
    { "House", "any" },
};
enum { NUM_VENDORS = sizeof(vendors) / sizeof(vendors[0]) };

/* Each vendor's GPUs have a row, and each row's shapes fit devices of any size. */
static void test_vendors(void **state)
{
    static const enum algorithm algorithms[] = { REDUCE_TILES, SCAN_LOOKBACK };
    static const size_t groups[] = { 1, 24, 64, 1024 };
    static const size_t locals[] = { 2 << 10, 16 << 10, 32 << 10, 64 << 10 };

    for (size_t i = 0; i < 2 * NUM_VENDORS * 16 * NUM_FOLDS; ++i) {
        const enum algorithm algorithm = algorithms[i % 2];
        const size_t v = i / 2 % NUM_VENDORS, size = i / 2 / NUM_VENDORS;
        struct device_facts device = { .vendor = vendors[v].vendor,
                                       .name = "",
                                       .max_group_size = groups[size % 4],
                                       .local_memory = locals[size / 4 % 4],
                                       .sub_groups = i % 3 == 0 };
        struct monoid monoid = monoid_of(size / 16);
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct job job =
            job_of(operation_of(algorithm), algorithm, &monoid, &device, NULL);
        job.verdict = verdict;
        uint32_t num = job_candidates(&job, candidates);
        assert_int_equal(candidates[0].shape.tile.kind, TILE_GROUP);
        for (uint32_t c = 0; c < num; ++c) {
            assert_string_equal(candidates[c].policy.row, vendors[v].row);
            check_shape(&candidates[c].shape, &monoid, &device);
        }
        assert_string_equal(clfold_policy_ladder(&device).row, vendors[v].row);
        device.cpu = true;
        job_candidates(&job, candidates);
        assert_string_equal(candidates[0].policy.row, "cpu");
    }
}

/* ---- Plans ------------------------------------------------------------------------- */

/* What scratch and bytes must be, launch by launch. */
static void check_reduction(const struct stage *stage, const struct job *job,
                            const struct candidate *candidate)
{
    const struct monoid *monoid = job->monoid;
    uint64_t group = stage->shape.tile.group_size, count = stage->count, most;
    uint64_t num, written = 0, launches = 0, bytes_read, bytes_written;
    struct launch launch;

    assert_true(stage->num_groups >= 1);
    assert_true(stage->num_groups * stage->items * group >= count);
    assert_true(count == 0 || (stage->num_groups - 1) * stage->items * group < count);
    if (stage->has_grid && (most = job->device->most_elements)) {
        assert_true(stage->items <= most);
        assert_true(stage->again <= most * group);
        /* A tree a tile. */
        assert_true(stage->shape.tile.kind != TILE_GROUP ||
                    stage->items * group / stage->shape.tile.elements <= most);
    } else if (stage->has_grid) {
        assert_false(stage->grid.cut);
        assert_true(stage->num_groups <= candidate->policy.groups);
        assert_true(stage->num_launches <= 2);
    }
    do {
        clfold_stage_launch(stage, (uint32_t)launches, &launch);
        num = launch.num_groups;
        written += num > 1 ? num : 0;
        ++launches;
    } while (num > 1 && !stage->joins);
    assert_int_equal(stage->num_launches, launches);
    assert_true(!stage->joins || (job->verdict.fences && launches == 1 && written > 1));
    written *= clfold_monoid_item_size(monoid);
    /* After a line for the counter, where there may be one. */
    most = stage->shape.fences ? 63 + clfold_monoid_item_size(monoid) : 0;
    assert_true(stage->scratch_bytes <= written + most);
    assert_int_equal(stage->scratch_bytes == 0, written == 0);
    assert_true(launches > 3 || stage->scratch_bytes >= written);
    stage_bytes(stage, &bytes_read, &bytes_written);
    assert_int_equal(bytes_read, count * clfold_monoid_in_size(monoid) + written);
    assert_int_equal(bytes_written, clfold_monoid_out_size(monoid) + written);
}

/* The elements of a work-item in one launch on a device that ends loops. */
static void check_limits(const struct stage *stage, uint64_t most)
{
    const struct tile_shape *tile = &stage->shape.tile;
    uint64_t all = stage->launch_blocks * stage->shape.anchor;

    assert_true(stage->each * (tile->elements / tile->group_size) <= most);
    /* A scan inside the group a tile. */
    assert_true(stage->each <= most / 2);
    assert_int_not_equal(stage->shape.group_scan, GROUP_SCAN_SUB_GROUP);
    if (stage->shape.algorithm != SCAN_SINGLE_GROUP) {
        assert_in_range(all, 1, 16 * most);
        assert_true((stage->num_launches - 2) * all >= stage->cut.num_runs);
    }
}

static void check_scan(const struct stage *stage, const struct job *job,
                       const struct candidate *candidate)
{
    const struct monoid *monoid = job->monoid;
    uint64_t tile = stage->shape.tile.elements, offset = job->out_offset;
    uint64_t size = clfold_monoid_out_size(monoid), count = stage->count;

    (void)candidate;
    assert_true(stage->cut.lead < tile);
    if (count == 0) {
        assert_int_equal(stage->num_launches, 1);
        return;
    }

    /* The first tile ends where a line does, if tiles are made of whole lines. */
    if (tile * size % 64 == 0) {
        assert_int_equal((offset + tile - stage->cut.lead) * size % 64, 0);
    }
    assert_true(stage->cut.num_runs * tile >= count + stage->cut.lead);
    assert_true((stage->cut.num_runs - 1) * tile < count + stage->cut.lead);
    if (stage->shape.algorithm == SCAN_SINGLE_GROUP) {
        assert_true(stage->each * stage->num_launches >= stage->cut.num_runs);
        assert_true(stage->each * (stage->num_launches - 1) < stage->cut.num_runs);
    } else if (clfold_looks_back(stage->shape.algorithm)) {
        size_t words = clfold_memory_words(clfold_memory(MEMORY_LEGACY_64),
                                           clfold_monoid_item_size(monoid));
        assert_int_equal(stage->num_launches, 1);
        assert_true(stage->each * stage->num_groups >= stage->cut.num_runs);
        assert_true(stage->each * (stage->num_groups - 1) < stage->cut.num_runs);
        /* Two slots for each tile, after the lines. */
        assert_int_equal(stage->scratch_bytes,
                         6 * 64 + stage->cut.num_runs * 2 * words * 8);
        assert_int_equal(stage->scratch_most, stage->scratch_bytes + 2 * words * 8);
    } else {
        assert_true(stage->each * stage->num_groups >= stage->cut.num_runs);
        assert_true(stage->each * (stage->num_groups - 1) < stage->cut.num_runs);
        assert_true(stage->blocks * stage->shape.anchor >= stage->cut.num_runs);
        assert_true(stage->scratch_bytes >
                    stage->cut.num_runs * clfold_monoid_item_size(monoid));
    }
    if (job->device->most_elements && !stage->obstacle) {
        check_limits(stage, job->device->most_elements);
    }
}

/* One work-item takes each element once, and hands one item on. */
static void check_serial(const struct stage *stage, const struct job *job,
                         const struct candidate *candidate)
{
    uint64_t most = job->device->most_elements;

    (void)candidate;
    assert_int_equal(stage->num_groups * stage->shape.tile.group_size, 1);
    assert_true(most == 0 || stage->items <= most);
    assert_true(stage->items * stage->num_launches >= stage->count);
    assert_true(stage->count == 0 ||
                stage->items * (stage->num_launches - 1) < stage->count);
    assert_int_equal(stage->scratch_bytes,
                     stage->num_launches > 1 ? clfold_monoid_item_size(job->monoid) : 0);
}

/* A launch of which nothing is known, so that what a plan leaves out is seen. */
static void forget(struct launch *launch)
{
    memset(launch, 0xA5, sizeof(*launch));
}

/* The plan gives each number that the kernel takes, but for those of the call. */
static void check_numbers(const struct launch *launch, const char *kernel)
{
    const struct param *param = clfold_kernel_params(kernel);
    uint64_t value;

    assert_non_null(param);
    for (; param->kind != PARAM_NONE; ++param) {
        if ((param->kind == PARAM_ULONG || param->kind == PARAM_UINT) &&
            param->offset >= offsetof(struct launch, count)) {
            memcpy(&value, (const char *)launch + param->offset, sizeof(value));
            if (value == UINT64_C(0xA5A5A5A5A5A5A5A5)) {
                fail_msg("%s takes a number at %u that its plan does not give", kernel,
                         param->offset);
            }
        }
    }
}

/* The first launches, and each kernel on nothing. */
static void check_launches(const struct stage *stage)
{
    const struct algorithm_row *row = clfold_algorithm_row(stage->shape.algorithm);
    const uint32_t first = stage->first_launch;
    struct launch launch;

    for (uint32_t i = first; i < stage->num_launches && i < first + 4; ++i) {
        forget(&launch);
        clfold_stage_launch(stage, i, &launch);
        assert_true(launch.kernel < row->num_kernels);
        check_numbers(&launch, row->kernels[launch.kernel]);
        assert_true(launch.num_groups >= 1);
    }
    for (uint32_t k = 0; k < row->num_kernels; ++k) {
        forget(&launch);
        clfold_stage_rehearsal(stage, k, &launch);
        assert_int_equal(launch.kernel, k);
        check_numbers(&launch, row->kernels[k]);
    }
}

/* Pieces cover the input, and no work-item folds many elements or items. */
static void test_pieces(void **state)
{
    for (size_t i = 0; i < NUM_DEVICES * 34; ++i) {
        const struct device_facts *device = &devices[i % NUM_DEVICES];
        const uint64_t most = device->most_elements, power = UINT64_C(1)
                                                             << i / NUM_DEVICES;
        struct monoid monoid = monoid_of(0);
        struct job job = job_of(CLFOLD_REDUCE, SERIAL_PIECES, &monoid, device, NULL);
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        assert_int_equal(job_candidates(&job, candidates), 1);
        for (uint64_t count = power - 1; count <= power + 1; ++count) {
            const struct stage stage = stage_of(job, &candidates[0], count);
            const uint64_t run = stage.cut.run, num = stage.cut.num_runs;
            assert_true(run * num >= count && (num == 0 || run * (num - 1) < count));
            assert_true(most == 0 || (run <= most && stage.items <= most));
            assert_true(most > 0 || num <= run);
            assert_true((run / 2) * (run / 2) <= count);
            assert_true(stage.items * (stage.num_launches - 1) >= num);
            assert_int_equal(stage.scratch_bytes, num * clfold_monoid_item_size(&monoid));
            check_launches(&stage);
        }
    }
}

static void (*const checks[])(const struct stage *stage, const struct job *job,
                              const struct candidate *candidate) = {
    [FAMILY_REDUCE] = check_reduction,
    [FAMILY_SCAN] = check_scan,
    [FAMILY_ANY] = check_serial,
};

static void check_plan(struct job job, const struct candidate *candidate, uint64_t count)
{
    job.out_offset = count % 18;
    struct stage stage = stage_of(job, candidate, count);
    checks[family_of(job.algorithm)](&stage, &job, candidate);
    check_launches(&stage);
}

static void check_plans(const struct job *job, const struct candidate *candidate)
{
    const struct tile_shape *tile = &candidate->shape.tile;
    size_t most = 0;

    check_shape(&candidate->shape, job->monoid, job->device);
    for (uint32_t bit = 0; bit < 34; ++bit) {
        uint64_t power = UINT64_C(1) << bit;
        check_plan(*job, candidate, power - 1);
        check_plan(*job, candidate, power);
        check_plan(*job, candidate, power + 1);
    }
    for (uint64_t runs = 1; runs < 600; runs += 7) {
        uint64_t elements = runs * (tile->elements ? tile->elements : tile->group_size);
        check_plan(*job, candidate, elements - 1);
        check_plan(*job, candidate, elements);
        check_plan(*job, candidate, elements + 1);
    }
    /* What is reserved for a count serves every smaller one, at any offset. */
    for (uint64_t count = 0; count <= UINT64_C(1) << 33; count += 1 + count / 31) {
        struct job there = *job;
        there.out_offset = count % 5;
        const struct stage stage = stage_of(there, candidate, count);
        most = stage.scratch_bytes > most ? stage.scratch_bytes : most;
        assert_true(stage.obstacle ||
                    stage_of(*job, candidate, count).scratch_most >= most);
    }
}

/* A tuning file's numbers, from the least to the greatest. */
enum { NUM_TUNED = 6 };
static const struct tuned_numbers *tuned_of(size_t which, struct tuned_numbers *numbers)
{
    static const uint64_t bytes[] = { 256, 1000, 64 << 20 }, groups[] = { 1, 33, 65536 };
    const bool vector = which % 2 == 0;

    *numbers = (struct tuned_numbers){ .tile = vector ? TILE_VECTOR : TILE_GROUP };
    numbers_put(numbers, TUNED_TILE_BYTES, bytes[which / 2]);
    numbers_put(numbers, TUNED_GROUP_SIZE, vector ? 1 : groups[which / 2]);
    return numbers;
}

static const struct debug overrides[] = {
    { 0 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 5 },
    { .tile_elements = 1, .group_size = 2, .max_groups = 1 },
    { .tile_elements = 1u << 30, .group_size = 50, .max_groups = 3 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 100000 },
};
#define NUM_OVERRIDES (sizeof(overrides) / sizeof(overrides[0]))

/* Numbers are forced for reductions, all of them for the algorithm that has a tile; and
 * whatever a tuning file says, the shapes are such as the device takes. */
static void test_plans(void **state)
{
    for (int a = 0; a < CLFOLD_ALGORITHMS; ++a) {
        const struct algorithm_row *row = clfold_algorithm_row((enum algorithm)a);
        const size_t num_forced = row->family == FAMILY_SCAN ? 1 : NUM_OVERRIDES;
        for (size_t i = 0; i < NUM_DEVICES * NUM_FOLDS * (num_forced + NUM_TUNED); ++i) {
            const size_t d = i % NUM_DEVICES, f = i / NUM_DEVICES % NUM_FOLDS;
            const size_t o = i / NUM_DEVICES / NUM_FOLDS;
            struct monoid monoid = monoid_of(f);
            struct job job =
                job_of(operation_of((enum algorithm)a), (enum algorithm)a, &monoid,
                       &devices[d], o < num_forced ? &overrides[o] : NULL);
            struct candidate candidates[CLFOLD_MAX_CANDIDATES];
            struct tuned_numbers numbers;
            job.verdict = verdict;
            job.tuned = o < num_forced ? NULL : tuned_of(o - num_forced, &numbers);
            uint32_t many = job_candidates(&job, candidates);
            const bool has_tile = !row->is_rung && row->family != FAMILY_ANY;
            /* An element a launch makes more launches than are counted. */
            if (a == SERIAL && clfold_debug(job.debug)->tile_elements == 1) {
                continue;
            }
            assert_int_equal(many, !has_tile ? 1 : devices[d].cpu ? 3 : 2);
            for (uint32_t c = 0; c < many && (has_tile || (d + f) % 5 == o); ++c) {
                check_plans(&job, &candidates[c]);
            }
        }
    }
}

/* The words of the texts and what the host sets; maps. */
static void test_launches(void **state)
{
    struct monoid monoid = monoid_of(0);
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct tuned_numbers numbers;
    struct job job;

    assert_null(clfold_kernel_params("clfold_none"));
    for (const struct own_param *own = clfold_own_params; own->type; ++own) {
        assert_int_equal(own->param.kind, strchr(own->type, '*')           ? PARAM_BUFFER
                                          : strcmp(own->type, "uint") == 0 ? PARAM_UINT
                                                                           : PARAM_ULONG);
    }
    for (size_t i = 0; i < NUM_DEVICES * (NUM_TUNED + 1); ++i) {
        const size_t tuned = i / NUM_DEVICES;
        job = job_of(CLFOLD_MAP, MAP_TILES, &monoid, &devices[i % NUM_DEVICES], NULL);
        job.tuned = tuned < NUM_TUNED ? tuned_of(tuned, &numbers) : NULL;
        for (uint32_t c = job_candidates(&job, candidates); c-- > 0;) {
            assert_in_range(candidates[c].shape.tile.group_size, 1,
                            devices[i % NUM_DEVICES].max_group_size);
            const struct stage stage = stage_of(job, &candidates[c], 1000003);
            check_launches(&stage);
        }
    }
}

/* ---- Segments ---------------------------------------------------------------------- */

/* Every launch but the last leaves an item for each run in one of two areas of scratch,
 * and the last one a result for each segment; work-items and their bundles are enough. */
static void check_segments(const struct job *job, const struct candidate *candidate)
{
    const uint64_t block = job->segments.rows.width * job->segments.rows.length;
    struct stage stage = stage_of(*job, candidate, job->count);
    struct cut cut = stage.cut;
    bool by_lanes = job->algorithm == REDUCE_LANES;
    uint64_t lanes = by_lanes ? stage.shape.tile.elements : 1;
    uint64_t areas[2] = { 0 }, segments;

    segments = job->count / block * job->segments.rows.width +
               (job->count % block > 0); /* of rows, the last one */
    assert_int_equal(cut.num_segments, segments);
    /* The last bundle of a row takes the columns that are left, up to 15 more. */
    lanes += job->segments.rows.width > 1 ? 15 : 0;
    assert_true(stage.num_groups * stage.each * lanes >= cut.num_runs);
    assert_true(job->device->most_elements == 0 || stage.each == 1);
    assert_true(!by_lanes ||
                (stage.items <= job->monoid->stage_limit &&
                 (stage.items - 1) * job->segments.rows.width < UINT32_MAX - 15));
    for (uint32_t i = 0; i < stage.num_launches; ++i) {
        const bool is_last = i + 1 == stage.num_launches;
        struct launch launch;
        clfold_stage_launch(&stage, i, &launch);
        assert_int_equal(launch.kernel, i > 0);
        assert_int_equal(launch.bytes_written, is_last ? segments * stage.out_size
                                                       : cut.num_runs * stage.item_size);
        assert_int_equal(cut.runs == 1, is_last);
        if (!is_last) {
            areas[i % 2] = cut.num_runs > areas[i % 2] ? cut.num_runs : areas[i % 2];
            assert_true(i < 2 || cut.num_runs <= (i % 2 ? areas[1] : areas[0]));
        }
        cut = clfold_cut_again(&cut, stage.again);
    }
    assert_int_equal(stage.scratch_bytes, (areas[0] + areas[1]) * stage.item_size);
    assert_true(stage.scratch_most >= stage.scratch_bytes);
    check_launches(&stage);
}

/* By one launch or in passes; scratch has an item a run, and one more a segment. */
static void check_segment_scan(const struct job *job, const struct candidate *candidate)
{
    struct stage stage = stage_of(*job, candidate, job->count);
    const struct cut cut = stage.cut;
    uint64_t bytes_read, bytes_written;

    stage_bytes(&stage, &bytes_read, &bytes_written);
    assert_true(stage.num_launches == 1 || stage.num_launches > 2);
    assert_true(stage.num_launches > 1 || cut.runs == 1 ||
                job->algorithm == SCAN_SINGLE_GROUP || job->algorithm == SCAN_LOOKBACK);
    assert_true(bytes_read >=
                job->count * stage.in_size * (stage.num_launches > 1 ? 2 : 1));
    assert_true(bytes_written >= job->count * stage.out_size);
    assert_true(stage.num_launches == 1 ||
                stage.scratch_bytes >=
                    (cut.num_runs + cut.num_segments) * stage.item_size);
    assert_true(stage.scratch_most >= stage.scratch_bytes);
    check_launches(&stage);
}

static void test_segments(void **state)
{
    static const uint64_t sizes[] = {
        1, 2, 3, 16, 63, 64, 1000, 4096, 1000003, 1u << 26
    };
    const size_t num = sizeof(sizes) / sizeof(sizes[0]);

    for (size_t i = 0; i < NUM_DEVICES * NUM_FOLDS * num * num; ++i) {
        const uint64_t length = sizes[i % num], width = sizes[i / num % num];
        if (length > (UINT64_C(1) << 40) / width) {
            continue; /* twice the bytes of 2000 blocks would overflow */
        }
        struct monoid monoid = monoid_of(i / num / num % NUM_FOLDS);
        struct job job = job_of(CLFOLD_REDUCE, REDUCE_LANES, &monoid,
                                &devices[i / num / num / NUM_FOLDS], NULL);
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct tuned_numbers numbers;
        job.tuned = i % 7 < NUM_TUNED ? tuned_of(i % 7, &numbers) : NULL;
        job.segments.rows = (struct rows){ width, length };
        assert_ok(clfold_plan_choose(&job, &site, NULL));
        assert_true(width == 1 || job.algorithm == REDUCE_LANES);
        assert_true(width > 1 || length < 4096 || job.algorithm == REDUCE_TILES);
        for (int scans = 0; scans < 2; ++scans) {
            if (scans) {
                job.operation = CLFOLD_INCLUSIVE_SCAN;
                assert_ok(clfold_plan_choose(&job, &site, NULL));
            }
            for (uint32_t c = job_candidates(&job, candidates); c-- > 0;) {
                check_shape(&candidates[c].shape, &monoid, job.device);
                for (uint64_t blocks = 1; blocks < 2000; blocks += 999) {
                    job.count = blocks * length * width - (width == 1 ? length / 3 : 0);
                    (scans ? check_segment_scan : check_segments)(&job, &candidates[c]);
                }
            }
        }
    }
}

/* Item sizes in words of each size. */
static void test_memory(void **state)
{
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

/* ---- Stages ------------------------------------------------------------------------ */

/* Of stages that make bits: all bits have words, a group takes few on a device that cuts
 * loops, and what is handed on lies apart. */
static void check_bits(const struct plan *plan, const struct stage *makes,
                       const struct job *job, uint64_t count, bool keeps_scan)
{
    const struct device_facts *const device = job->device;
    const struct handed *const handed = &plan->handed;
    const bool marks = makes->shape.algorithm == MARK_HEADS;
    const uint64_t most = device->most_elements * makes->shape.tile.group_size;
    const uint64_t size = marks ? sizeof(cl_uint) : makes->size;
    const uint64_t counts_end = (1 + makes->num_groups) * sizeof(cl_ulong);
    const uint64_t offsets_at = handed->at[ROLE_OFFSETS] * size;
    const uint64_t bits_at = handed->at[ROLE_BITS] * sizeof(cl_uint);
    const uint64_t bits_end = bits_at + makes->num_words * sizeof(cl_uint);
    struct launch launch;

    assert_int_equal(makes->first_launch, 0);
    assert_int_equal(makes->cut.count, count);
    assert_int_equal(makes->num_offsets,
                     keeps_scan ? makes->num_words + 1 : job->segments.num_offsets);
    /* A word is read past the last one. */
    assert_true(makes->num_words * 32 >= makes->cut.count + (marks ? 32 : 0));
    assert_true(most == 0 || (makes->run <= most && makes->words_run <= most));
    clfold_stage_launch(makes, 0, &launch);
    assert_true(launch.num_groups * makes->words_run >= makes->num_words);
    if (marks) {
        clfold_stage_launch(makes, 1, &launch);
        assert_true(launch.num_groups * makes->run >= makes->num_offsets);
        assert_int_equal(handed->roles, 1u << ROLE_HEADS);
        assert_true(handed->bytes >= bits_end + launch.num_groups * sizeof(cl_uint));
        return;
    }
    assert_true(offsets_at >= counts_end);
    assert_true(bits_at >= offsets_at + makes->num_offsets * size);
    assert_int_equal(handed->roles >> ROLE_HEADS & 1, keeps_scan);
    assert_int_equal(handed->roles >> ROLE_NUM & 1, !keeps_scan);
    assert_true(!keeps_scan || handed->at[ROLE_HEADS] >= bits_end + sizeof(cl_uint));
    assert_true(handed->bytes >=
                (keeps_scan ? handed->at[ROLE_HEADS] + makes->cut.count : bits_end));
}

/* What a call's stages are, which of them writes what, and what they hand over. */
static void test_stages(void **state)
{
    static const struct {
        enum algorithm stages[CLFOLD_MAX_STAGES]; /* `main` is the algorithm's */
        size_t num, main;
        uint32_t by;
        bool keeps_scan, writes_places;
        bool ends_only;    /* the last one is the last launch of the first */
        bool gives_carry;  /* the main one */
        size_t makes_bits; /* this stage does */
    } cases[] = {
        { { MARK_HEADS, REDUCE_THEN_SCAN }, 2, 1, CLFOLD_BY_OFFSETS, 0, 0, 0, 1, 0 },
        { { FIND_HEADS, REDUCE_OFFSETS }, 2, 1, CLFOLD_BY_KEYS, 0, 0, 0, 1, 0 },
        { { REDUCE_THEN_SCAN }, 1, 0, CLFOLD_BY_KEYS, 0, 0, 0, 1, SIZE_MAX },
        { { SCAN_LOOKBACK }, 1, 0, 0, 0, 0, 0, 1, SIZE_MAX },
        { { SCAN_LOOKBACK, FIND_PLACES, SCAN_LOOKBACK }, 3, 0, 0, 1, 0, 0, 0, 1 },
        { { SCAN_LOOKBACK, FIND_PLACES, WRITE_KEPT }, 3, 0, 0, 1, 1, 0, 1, 1 },
        { { REDUCE_THEN_SCAN, FIND_PLACES, REDUCE_THEN_SCAN }, 3, 0, 0, 1, 0, 1, 1, 1 },
    };
    static const uint64_t sizes[] = { 1, 31, 32, 33, 4097, 1 << 20, (uint64_t)5 << 32 };

    for (size_t i = 0; i < NUM_DEVICES * 7 * 7 * 7; ++i) {
        const size_t c = i / 7 % 7;
        const struct device_facts *const device = &devices[i / 343];
        const uint64_t count = sizes[i % 7];
        struct monoid monoid = monoid_of(0);
        monoid.keeps_scan = cases[c].keeps_scan;
        monoid.writes_places = cases[c].writes_places;
        const enum algorithm which = cases[c].stages[cases[c].main];
        struct job job = job_of(operation_of(which), which, &monoid, device, NULL);
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        job.verdict = verdict;
        if (which == REDUCE_OFFSETS) {
            job.segments.found = true;
            job.segments.by = cases[c].by;
            job.segments.type = CLFOLD_U8;
            job.segments.num_offsets = count + 1;
            job.segments.lists = i % 2;
            job.use.offsets = CLFOLD_U64;
        } else if (cases[c].by) {
            clfold_monoid_lift(&monoid);
            job.use = (struct use){ .way = cases[c].by, .heads = CLFOLD_U64 };
            job.segments.type = CLFOLD_U64;
            job.segments.num_offsets = sizes[i / 49 % 7];
            job.segments.finds_bad = cases[c].by == CLFOLD_BY_OFFSETS && i % 2;
        }
        job_candidates(&job, candidates);
        const struct plan plan = plan_of(job, &candidates[0], count);
        const struct stage *last = &plan.stages[plan.num_stages - 1];
        const struct stage *main = clfold_plan_main(&plan);
        uint32_t num_launches = 0;
        assert_int_equal(plan.num_stages, cases[c].num);
        assert_int_equal(plan.main, cases[c].main);
        for (uint32_t s = 0; s < plan.num_stages; ++s) {
            const struct stage *stage = &plan.stages[s];
            assert_int_equal(stage->shape.algorithm, cases[c].stages[s]);
            assert_int_equal(stage->is_shared, stage->shape.algorithm >= MARK_HEADS &&
                                                   stage->shape.algorithm != WRITE_KEPT);
            check_launches(stage);
            num_launches += stage->num_launches - stage->first_launch;
        }
        assert_int_equal(clfold_plan_num_launches(&plan), num_launches);
        assert_int_equal(last->first_launch,
                         cases[c].ends_only ? last->num_launches - 1 : 0);
        assert_int_equal(main->makes_flags, cases[c].keeps_scan);
        assert_int_equal(main->has_carry, cases[c].gives_carry);
        assert_true(plan.num_stages == 1 || !last->makes_flags);
        /* Of bits there are few. */
        assert_true(c != 0 ||
                    (main->read_size == main->in_size &&
                     plan.stages[0].num_launches == (job.segments.finds_bad ? 3 : 2)));
        assert_true(c != 2 || main->read_size == main->in_size + sizeof(cl_ulong));
        if (cases[c].makes_bits < SIZE_MAX) {
            check_bits(&plan, &plan.stages[cases[c].makes_bits], &job, count,
                       cases[c].keeps_scan);
        } else {
            assert_int_equal(plan.handed.bytes, 0);
        }
    }
}

TEST_MAIN("plan", NULL, NULL, cmocka_unit_test(test_grid), cmocka_unit_test(test_vendors),
          cmocka_unit_test(test_plans), cmocka_unit_test(test_pieces),
          cmocka_unit_test(test_launches), cmocka_unit_test(test_segments),
          cmocka_unit_test(test_memory), cmocka_unit_test(test_stages))
