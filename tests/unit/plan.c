/* src/plan, without a device: struct sizes, monoids, the plan's arithmetic, and the
 * program text. Policies: policy.c. */
#define CLFOLD_EXPERIMENTAL
#include "devices.h"
#include "every_text.h"
#include "oracle.h"
#include "plans.h"
#include "test.h"

#include "plan/assemble.h"
#include "plan/scalar.h"

static const struct site site = { NULL, "plan" };

/* Frozen under a soname. */
static void test_struct_sizes(void **state)
{
    (void)state;
    if (sizeof(void *) != 8) {
        skip();
    }
    assert_int_equal(sizeof(clfold_fold), 256);
    assert_int_equal(sizeof(clfold_context_params), 160);
    assert_int_equal(sizeof(clfold_segments), 104);
    assert_int_equal(sizeof(clfold_arg), 32);
    assert_int_equal(sizeof(clfold_arg_value), 16);
    assert_int_equal(sizeof(clfold_place), 16);
    assert_int_equal(sizeof(clfold_stats), 128);
    assert_int_equal(sizeof(clfold_report), 384);
    assert_int_equal(sizeof(clfold_launch), 56);
    assert_int_equal(offsetof(clfold_fold, algorithm), 184);
    assert_int_equal(offsetof(clfold_fold, components), 192);
    assert_int_equal(offsetof(clfold_fold, cuts), 200);
    assert_int_equal(offsetof(clfold_context_params, load_verdict), 64);
}

static void test_builtin(void **state)
{
    const clfold_fold fold = clfold_builtin(CLFOLD_MAX, CLFOLD_F64);
    clfold_fold expected;

    (void)state;
    memset(&expected, 0, sizeof(expected));
    expected.op = CLFOLD_MAX;
    expected.type = CLFOLD_F64;
    assert_memory_equal(&fold, &expected, sizeof(fold));
    assert_int_equal(clfold_version(), CLFOLD_VERSION);
}

static void test_monoids(void **state)
{
    struct monoid monoid;

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_U64, CLFOLD_U8));
    assert_int_equal(monoid.components[0].stage, CLFOLD_U32);
    /* So many bytes of 255 still fit a uint, one more does not. */
    assert_true(monoid.stage_limit * 255 <= UINT32_MAX);
    assert_true((monoid.stage_limit + 1) * 255 > UINT32_MAX);
    assert_int_equal(clfold_monoid_in_size(&monoid), 1);
    assert_int_equal(clfold_monoid_out_size(&monoid), 8);
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_MAX, CLFOLD_F64, CLFOLD_F32));
    assert_int_equal(monoid.components[0].stage, CLFOLD_F32);
    assert_true(clfold_monoid_uses(&monoid, CLFOLD_F64));
    assert_false(clfold_monoid_uses(&monoid, CLFOLD_I32));
    assert_refused(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_I32, CLFOLD_F32),
                   CLFOLD_ERROR_UNSUPPORTED, "type i32 folded from in f32");
    assert_refused(
        clfold_monoid_init(&monoid, &site, CLFOLD_BIT_OR, CLFOLD_F32, CLFOLD_F32),
        CLFOLD_ERROR_ARGUMENT, "op CLFOLD_BIT_OR folds integers, and type is f32");
    assert_refused(
        clfold_monoid_init(&monoid, &site, CLFOLD_MOMENTS, CLFOLD_F32, CLFOLD_F32),
        CLFOLD_ERROR_UNSUPPORTED, "op CLFOLD_MOMENTS");

    /* As OpenCL C lays a struct out. */
    monoid.num_components = 3;
    monoid.components[0].item = CLFOLD_U8;
    monoid.components[1].item = CLFOLD_F64;
    monoid.components[2].item = CLFOLD_I16;
    assert_int_equal(clfold_monoid_item_size(&monoid), 24);
}

static void test_scalars(void **state)
{
    const size_t sizes[] = { 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8 };

    (void)state;
    for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
        assert_int_equal(clfold_scalar(type)->size, sizes[type - 1]);
    }
    assert_null(clfold_scalar(0));
    assert_null(clfold_scalar(CLFOLD_F64 + 1));
    assert_string_equal(clfold_scalar_name(0), "an unknown type");
}

/* What the header gives of the tables. */
static void test_names(void **state)
{
    (void)state;
    for (clfold_type type = 0; type <= CLFOLD_F64 + 1; ++type) {
        const struct scalar *scalar = clfold_scalar(type);
        if (scalar) {
            assert_string_equal(clfold_type_name(type), scalar->name);
            assert_int_equal(clfold_type_size(type), scalar->size);
        } else {
            assert_null(clfold_type_name(type));
            assert_int_equal(clfold_type_size(type), 0);
        }
    }
    assert_string_equal(clfold_type_name(CLFOLD_F32), "f32");
    assert_null(clfold_type_name(UINT32_MAX));
    assert_int_equal(clfold_type_size(UINT32_MAX), 0);

    assert_string_equal(clfold_op_name(CLFOLD_ADD), "add");
    assert_string_equal(clfold_op_name(CLFOLD_MIN_MAX), "min-max");
    assert_null(clfold_op_name(0));
    assert_null(clfold_op_name(CLFOLD_MOMENTS));
    assert_null(clfold_op_name(CLFOLD_MATRIX_2X2 + 1));

    uint32_t reductions = 0, scans = 0;
    for (; clfold_operation_algorithm(CLFOLD_REDUCE, reductions); ++reductions) {
        enum algorithm which;
        assert_true(
            clfold_algorithm_named(clfold_operation_algorithm(CLFOLD_REDUCE, reductions),
                                   FAMILY_REDUCE, &which));
        assert_int_equal(which, reductions);
    }
    for (; clfold_operation_algorithm(CLFOLD_EXCLUSIVE_SCAN, scans); ++scans) {
        const char *name = clfold_operation_algorithm(CLFOLD_EXCLUSIVE_SCAN, scans);
        assert_ptr_equal(clfold_operation_algorithm(CLFOLD_INCLUSIVE_SCAN, scans), name);
        assert_string_equal(clfold_algorithm_name((enum algorithm)(reductions + scans)),
                            name);
    }
    assert_int_equal(reductions + scans, CLFOLD_ALGORITHMS);
    assert_null(clfold_operation_algorithm(CLFOLD_REDUCE, UINT32_MAX));
    assert_null(clfold_operation_algorithm(0, 0));
    assert_null(clfold_operation_algorithm(CLFOLD_SELECT, 0));
    assert_null(clfold_operation_algorithm(UINT32_MAX, 0));
}

/* Every stage holds what a tile can put into it, for every operator and pair of types. */
static void test_stages(void **state)
{
    size_t made = 0, staged = 0;

    (void)state;
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; ++op) {
        for (clfold_type in = CLFOLD_I8; in <= CLFOLD_F64; ++in) {
            for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
                struct monoid monoid;
                if (clfold_monoid_init(&monoid, &site, op, type, in)) {
                    continue;
                }
                ++made;
                for (uint32_t k = 0; k < monoid.num_components; ++k) {
                    const struct component *of = &monoid.components[k];
                    const struct scalar *stage = clfold_scalar(of->stage);
                    staged += of->stage != of->item;
                    assert_non_null(of->combine);
                    assert_int_equal(clfold_scalar(of->item)->size,
                                     clfold_scalar(of->result)->size);
                    /* What overflows is unsigned. */
                    assert_true((op != CLFOLD_ADD && op != CLFOLD_MUL) ||
                                clfold_scalar(type)->is_float ||
                                !clfold_scalar(of->item)->is_signed);
                    assert_int_equal(of->identity == NULL, !monoid.has_identity);
                    if (of->load == LOAD_POSITION) {
                        /* As wide as its value, for `?:` on vectors. */
                        const struct scalar *value = clfold_scalar(of[1].stage);
                        assert_int_equal(stage->size, value->size);
                        assert_true(monoid.stage_limit <= UINT32_MAX);
                    }
                    if (op == CLFOLD_ADD && of->stage != of->item && type != CLFOLD_F16) {
                        uint64_t most = UINT64_C(1) << (8 * clfold_scalar(in)->size);
                        most = stage->is_signed ? most / 2 : most - 1;
                        uint64_t room = stage->is_signed ? INT32_MAX : UINT32_MAX;
                        assert_true(monoid.stage_limit * most <= room);
                        assert_true((monoid.stage_limit + 1) * most > room);
                    }
                }
            }
        }
    }
    /* 94 pairs of types: 64 of integers, 8 x 3 into floats, 9 of floats less none. */
    assert_int_equal(made, 10 * (64 + 24 + 9) + 3 * 64);
    assert_true(staged > 200);
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
    struct grid grid;

    (void)state;
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
    /* The H200 as worked out by hand: below saturation the logarithm decides. */
    clfold_grid_init(&grid, &rules[2], 1 << 22);
    assert_int_equal(grid.saturating, 132 * 8 * 256);
    assert_int_equal(grid.groups, 683);
    assert_int_equal(grid.items, 24);
    clfold_grid_init(&grid, &rules[2], 1 << 17);
    assert_int_equal(grid.groups, 26);
    assert_int_equal(grid.items, 20);
    clfold_grid_init(&grid, &rules[3], 1 << 22);
    assert_int_equal(grid.groups, 2);
    assert_int_equal(grid.items, 32768);
    clfold_grid_init(&grid, &rules[3], 0);
    assert_int_equal(grid.groups, 1);
}

/* Each vendor's GPUs have a row, and each row's shapes fit devices of any size. */
static void test_vendors(void **state)
{
    static const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_ARG_MIN_MAX };

    (void)state;
    for (size_t i = 0; i < NUM_VENDORS * 4 * 4 * 2; ++i) {
        const size_t v = i % NUM_VENDORS, size = i / NUM_VENDORS;
        struct device_facts device = { .vendor = vendors[v].vendor,
                                       .name = "",
                                       .max_group_size = 1 + (size % 4) * 85,
                                       .local_memory = (size_t)1000
                                                       << (size / 4 % 4) * 2 };
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct monoid monoid;
        assert_ok(
            clfold_monoid_init(&monoid, &site, ops[size / 16], CLFOLD_F32, CLFOLD_F32));
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &device, NULL, candidates);
        const struct tile_shape *tile = &candidates[0].shape.tile;
        size_t item = clfold_monoid_item_size(&monoid);
        assert_string_equal(candidates[0].policy.row, vendors[v].row);
        assert_int_equal(tile->kind, TILE_GROUP);
        assert_true(tile->group_size >= 1 && tile->group_size <= device.max_group_size);
        assert_true(tile->elements >= 1 && tile->elements <= monoid.stage_limit);
        assert_true((tile->group_size - 1) * 33 / 32 * item <= device.local_memory);
        assert_string_equal(clfold_policy_ladder(&device).row, vendors[v].row);
        device.cpu = true;
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &device, NULL, candidates);
        assert_string_equal(candidates[0].policy.row, "cpu");
    }
}

/* What scratch and bytes must be, launch by launch. */
static void check_plan(const struct job *job, const struct candidate *candidate,
                       uint64_t count)
{
    const struct monoid *monoid = job->monoid;
    const struct plan plan = plan_of(*job, candidate, count);
    uint64_t group = plan.shape.tile.group_size, num, written = 0, launches = 0;
    uint64_t bytes_read, bytes_written;
    struct launch launch;

    assert_true(plan.num_groups >= 1);
    assert_true(plan.num_groups * plan.items * group >= count);
    if (plan.has_grid && job->device->most_elements) {
        uint64_t most = job->device->most_elements;
        uint64_t tile = plan.shape.tile.elements;
        assert_true(plan.items <= most);
        assert_true(plan.partials <= most * group);
        /* A tree a tile. */
        assert_true(plan.shape.tile.kind != TILE_GROUP ||
                    plan.items * group / tile <= most);
    }
    assert_true(count == 0 || (plan.num_groups - 1) * plan.items * group < count);
    if (plan.has_grid && job->device->most_elements == 0) {
        assert_false(plan.grid.cut);
        assert_true(plan.num_groups <= candidate->policy.groups);
        assert_true(plan.num_launches <= 2);
    }
    do {
        clfold_plan_launch(&plan, (uint32_t)launches, &launch);
        num = launch.num_groups;
        written += num > 1 ? num : 0;
        ++launches;
    } while (num > 1);
    assert_int_equal(plan.num_launches, launches);
    written *= clfold_monoid_item_size(monoid);
    assert_true(plan.scratch_bytes <= written);
    assert_int_equal(plan.scratch_bytes == 0, launches == 1);
    if (launches <= 3) {
        assert_int_equal(plan.scratch_bytes, written);
    }
    clfold_plan_bytes(&plan, &bytes_read, &bytes_written);
    assert_int_equal(bytes_read, count * clfold_monoid_in_size(monoid) + written);
    assert_int_equal(bytes_written, clfold_monoid_out_size(monoid) + written);
}

static void check_plans(const struct job *job, const struct candidate *candidate)
{
    const struct tile_shape *tile = &candidate->shape.tile;

    for (uint32_t bit = 0; bit < 34; ++bit) {
        uint64_t power = UINT64_C(1) << bit;
        check_plan(job, candidate, power - 1);
        check_plan(job, candidate, power);
        check_plan(job, candidate, power + 1);
    }
    for (uint64_t runs = 1; runs < 600; runs += 7) {
        uint64_t elements = runs * (tile->elements ? tile->elements : tile->group_size);
        check_plan(job, candidate, elements - 1);
        check_plan(job, candidate, elements);
        check_plan(job, candidate, elements + 1);
    }
    /* What is reserved for a count serves every smaller one. */
    size_t most = 0;
    for (uint64_t count = 0; count <= UINT64_C(1) << 33; count += 1 + count / 97) {
        const struct plan plan = plan_of(*job, candidate, count);
        most = plan.scratch_bytes > most ? plan.scratch_bytes : most;
        assert_true(plan.scratch_most >= most);
    }
}

static const struct debug overrides[] = {
    { 0 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 5 },
    { .tile_elements = 1, .group_size = 2, .max_groups = 1 },
    { .tile_elements = 1u << 30, .group_size = 50, .max_groups = 3 },
    { .tile_elements = 64, .group_size = 8, .max_groups = 100000 },
};
#define NUM_OVERRIDES (sizeof(overrides) / sizeof(overrides[0]))

static void test_plan(void **state)
{
    struct device_facts limited = cpu;
    const struct device_facts *const devices[] = { &cpu, &gpu, &limited };

    (void)state;
    limited.most_elements = 512;
    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        struct monoid monoid;
        assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, all_pairs[p].type,
                                     all_pairs[p].in));
        for (size_t o = 0; o < 3 * NUM_OVERRIDES; ++o) {
            const struct job job = job_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid,
                                          devices[o % 3], &overrides[o / 3]);
            struct candidate candidates[CLFOLD_MAX_CANDIDATES];
            uint32_t num = clfold_plan_candidates(&job, candidates);
            for (uint32_t i = 0; i < num; ++i) {
                assert_true(candidates[i].shape.tile.elements <= monoid.stage_limit);
                check_plans(&job, &candidates[i]);
            }
        }
    }
}

static void test_rungs(void **state)
{
    const clfold_op ops[] = { CLFOLD_ADD, CLFOLD_ARG_MIN_MAX };

    (void)state;
    for (size_t i = 0; i < 2 * NUM_OVERRIDES; ++i) {
        struct monoid monoid;
        assert_ok(clfold_monoid_init(&monoid, &site, ops[i % 2], CLFOLD_I16, CLFOLD_I16));
        for (uint32_t rung = 0; rung < 7; ++rung) {
            const struct job job =
                job_of(CLFOLD_REDUCE, (enum algorithm)(REDUCE_0 + rung), &monoid, &gpu,
                       &overrides[i / 2]);
            struct candidate candidates[CLFOLD_MAX_CANDIDATES];
            clfold_plan_candidates(&job, candidates);
            check_plans(&job, &candidates[0]);
            /* Two loads a work-item from reduce3 on, many in reduce6. */
            const struct plan plan = plan_of(job, &candidates[0], 1 << 25);
            assert_true(rung < 3   ? plan.items == 1
                        : rung < 6 ? plan.items == 2
                                   : plan.items > 2);
        }
    }
}

static clfold_status choose(const char *name, const struct monoid *monoid,
                            const struct device_facts *device, enum algorithm *algorithm)
{
    struct job job = job_of(CLFOLD_REDUCE, REDUCE_6, monoid, device, NULL);
    clfold_status status = clfold_plan_choose(&job, &site, name);

    *algorithm = job.algorithm;
    return status;
}

/* Names, and what a rung refuses. */
static void test_choose(void **state)
{
    const struct monoid affine = affine_monoid(CLFOLD_I32);
    enum algorithm algorithm;
    struct device_facts tiny = gpu;

    (void)state;
    assert_ok(choose(NULL, &affine, &gpu, &algorithm));
    assert_int_equal(algorithm, REDUCE_TILES);
    assert_ok(choose("reduce_tiles", &affine, &gpu, &algorithm));
    assert_int_equal(algorithm, REDUCE_TILES);
    tiny.max_group_size = 1;
    for (uint32_t rung = 0; rung < 7; ++rung) {
        struct monoid add;
        char name[16], quoted[24];
        snprintf(name, sizeof(name), "reduce%u", rung);
        snprintf(quoted, sizeof(quoted), "\"%s\"", name);
        assert_ok(clfold_monoid_init(&add, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
        assert_ok(choose(name, &add, &gpu, &algorithm));
        assert_int_equal(algorithm, REDUCE_0 + rung);
        assert_refused(choose(name, &add, &tiny, &algorithm), CLFOLD_ERROR_UNSUPPORTED,
                       "groups of 1 here");
        if (rung < 2) {
            assert_ok(choose(name, &affine, &gpu, &algorithm));
        } else {
            assert_refused(choose(name, &affine, &gpu, &algorithm),
                           CLFOLD_ERROR_UNSUPPORTED, "affine does not commute");
            assert_non_null(strstr(clfold_last_error(), quoted));
        }
    }
    assert_refused(choose("reduce7", &affine, &gpu, &algorithm), CLFOLD_ERROR_UNSUPPORTED,
                   "\"reduce7\"");
    assert_refused(choose("scan_lookback", &affine, &gpu, &algorithm),
                   CLFOLD_ERROR_UNSUPPORTED, "\"scan_lookback\"");
}

struct seen {
    size_t num, tiles, rungs, scans, group_scans, probes, f16, f64;
};

/* A scan inside a group loads nothing and writes items: one kernel, one width. */
static void check_group_scan(const char *text)
{
    assert_non_null(strstr(text, "#pragma OPENCL FP_CONTRACT OFF"));
    assert_non_null(strstr(text, "#line 1 \"contract.cl\""));
    assert_non_null(strstr(text, "#line 1 \"combine\""));
    assert_non_null(strstr(text, "#line 1 \"group_scan.cl\""));
    assert_non_null(strstr(text, "#line 1 \"group_scans.cl\""));
    assert_null(strstr(text, "#line 1 \"result.cl\""));
    assert_null(strstr(text, "clfold_combine_stage("));
    assert_null(strstr(text, "clfold_reduce"));
}

/* A probe folds nothing: it is memory.cl and itself. */
static void check_probe(const char *text)
{
    assert_non_null(strstr(text, "#line 1 \"memory.cl\""));
    assert_non_null(strstr(text, "#line 1 \"probe.cl\""));
    assert_null(strstr(text, "clfold_combine"));
}

static void check_text(void *user, const char *name, const char *text)
{
    struct seen *seen = user;
    bool vector = strstr(name, "tile_vector") != NULL;
    bool group = strstr(name, "tile_group") != NULL;
    bool scan = strstr(name, "scan") != NULL;
    bool rung = !vector && !group;
    bool halves = strstr(name, "_f16_f32_") || strstr(name, "_f16_f64_");
    bool f16 = strstr(name, "f16") && !halves, f64 = strstr(name, "f64");

    ++seen->num;
    if (strncmp(name, "group_scans_", strlen("group_scans_")) == 0) {
        ++seen->group_scans;
        check_group_scan(text);
        return;
    }
    if (strncmp(name, "probe_", strlen("probe_")) == 0) {
        ++seen->probes;
        check_probe(text);
        return;
    }
    seen->tiles += !rung && !scan;
    seen->scans += scan;
    seen->rungs += rung;
    seen->f16 += f16;
    seen->f64 += f64;
    /* A strategy's text is the same for both tiles, and all of it is there. */
    assert_non_null(strstr(text, "#pragma OPENCL FP_CONTRACT OFF"));
    assert_non_null(strstr(text, "#line 1 \"contract.cl\""));
    assert_non_null(strstr(text, "#line 1 \"combine\""));
    assert_non_null(strstr(text, "#line 1 \"result.cl\""));
    assert_int_equal(strstr(text, "clfold_reduce_single") != NULL, !rung && !scan);
    assert_int_equal(strstr(text, "clfold_scan_") != NULL, scan);
    assert_int_equal(strstr(text, "#line 1 \"tile_vector.cl\"") != NULL, vector);
    assert_int_equal(strstr(text, "#line 1 \"tile_vector_scan.cl\"") != NULL,
                     vector && scan);
    assert_int_equal(strstr(text, "#line 1 \"tile_group.cl\"") != NULL, group && !scan);
    assert_int_equal(strstr(text, "#line 1 \"tile_group_scan.cl\"") != NULL,
                     group && scan);
    assert_int_equal(strstr(text, "#line 1 \"reduce_ladder.cl\"") != NULL, rung);
    assert_int_equal(strstr(text, "clfold_stage16 clfold_combine_stage16(") != NULL,
                     vector);
    assert_int_equal(strstr(text, "#line 1 \"scan_trace.cl\"") != NULL,
                     strstr(name, "_traced") != NULL);
    /* An extension is asked for where it is used only. */
    assert_int_equal(strstr(text, "cl_khr_fp64 : enable") != NULL, f64);
    assert_int_equal(strstr(text, "cl_khr_fp16 : enable") != NULL, f16);
    assert_int_equal(strstr(text, "#define CLFOLD_IN_HALF 1\n") != NULL, halves);
}

static void test_texts(void **state)
{
    struct seen seen = { 0 };

    (void)state;
    every_text(check_text, &seen);
    /* Eleven types of thirteen operators, three of which take integers only; two more
     * tiles for add; 94 pairs less those of bit operators with floats. */
    assert_true(seen.tiles > (11 * 13 - 9) * 2 + 11 * 2 + 80 * 2);
    assert_int_equal(seen.rungs, 3 * 7 + 2 * 2);
    assert_true(seen.scans > 11 * 13 - 9 + 70 + 7 * 24);
    /* Five monoids, four kinds, three sizes of groups. */
    assert_int_equal(seen.group_scans, 5 * 4 * 3);
    assert_int_equal(seen.probes, CLFOLD_MEMORY_TIERS - 1);
    print_message("# %zu texts, %zu of f16, %zu of f64\n", seen.num, seen.f16, seen.f64);
    assert_true(seen.f16 > 30 && seen.f64 > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_struct_sizes), cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_monoids),      cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_grid),         cmocka_unit_test(test_plan),
        cmocka_unit_test(test_rungs),        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_vendors),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
