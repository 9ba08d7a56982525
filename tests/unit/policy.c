/* src/plan/policy.c and the shapes of its reductions, without a device. */
#include "devices.h"
#include "plans.h"
#include "test.h"

#include "plan/assemble.h"
#include "plan/tuning.h"

static const struct site site = { NULL, "plan" };

static void test_policy(void **state)
{
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;
    const struct debug group = { .tile = TILE_GROUP };

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    assert_int_equal(
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &cpu, NULL, candidates), 3);
    assert_int_equal(candidates[0].shape.tile.kind, TILE_VECTOR);
    assert_int_equal(candidates[1].shape.tile.kind, TILE_ITEM);
    assert_int_equal(candidates[2].shape.tile.kind, TILE_GROUP);
    monoid.is_scalar = true;
    assert_int_equal(
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &cpu, NULL, candidates), 2);
    assert_int_equal(candidates[0].shape.tile.kind, TILE_ITEM);
    assert_int_equal(candidates[0].shape.tile.group_size, 1);
    monoid.is_scalar = false;
    assert_int_equal(
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &gpu, NULL, candidates), 2);
    assert_int_equal(candidates[0].shape.tile.kind, TILE_GROUP);
    assert_int_equal(
        candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &cpu, &group, candidates), 1);
    assert_int_equal(candidates[0].shape.tile.kind, TILE_GROUP);
    assert_int_equal(
        candidates_of(CLFOLD_REDUCE, REDUCE_6, &monoid, &cpu, NULL, candidates), 1);
    assert_int_equal(candidates[0].shape.tile.kind, TILE_NONE);

    /* A group never has more work-items, or items of local memory, than the device. */
    struct device_facts small = gpu;
    small.max_group_size = 24;
    candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &small, NULL, candidates);
    assert_int_equal(candidates[0].shape.tile.group_size, 24);
    candidates_of(CLFOLD_REDUCE, REDUCE_0, &monoid, &small, NULL, candidates);
    assert_int_equal(candidates[0].shape.tile.group_size, 24);
    small = gpu;
    small.local_memory = 1000;
    candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &small, NULL, candidates);
    assert_true(candidates[0].shape.tile.group_size * 33 / 32 * sizeof(cl_float) <= 1000);
    candidates_of(CLFOLD_REDUCE, REDUCE_0, &monoid, &small, NULL, candidates);
    assert_int_equal(candidates[0].shape.tile.group_size, 250);
    small.local_memory = 0;
    candidates_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &small, NULL, candidates);
    assert_int_equal(candidates[0].shape.tile.group_size, 1);
}

/* A forced tile that a policy lacks, or that the fold cannot have, is an error. */
static void test_no_tile(void **state)
{
    static const struct {
        const struct device_facts *device;
        struct debug forced;
        bool is_scalar;
        const char *words;
    } cases[] = {
        { &gpu, { .tile = TILE_ITEM }, false, "policy \"any\" has no tile_item for add" },
        { &gpu, { .tile = TILE_VECTOR }, true, "has no tile_vector for add" },
        { &cpu, { .tile = TILE_VECTOR }, true, "policy \"cpu\" has no tile_vector" },
    };
    static const struct {
        clfold_operation operation;
        enum algorithm algorithm;
    } ways[] = { { CLFOLD_REDUCE, REDUCE_TILES },
                 { CLFOLD_REDUCE, REDUCE_LANES },
                 { CLFOLD_INCLUSIVE_SCAN, REDUCE_THEN_SCAN } };

    (void)state;
    for (int i = 0; i < 9; ++i) {
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct monoid monoid;
        uint32_t num = 7;
        assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
        monoid.is_scalar = cases[i % 3].is_scalar;
        struct job job = job_of(ways[i / 3].operation, ways[i / 3].algorithm, &monoid,
                                cases[i % 3].device, &cases[i % 3].forced);
        job.segments.rows = (struct rows){ i / 3 == 1, 3 };
        assert_refused(clfold_plan_candidates(&job, &site, candidates, &num),
                       CLFOLD_ERROR_UNSUPPORTED, cases[i % 3].words);
        assert_int_equal(num, 0);
    }
}

/* Of reductions those of bytes ask for elements ahead, by a vector's tile, where the
 * compiler can. */
static void test_reductions_ask_for_bytes(void **state)
{
    static const clfold_type types[] = { CLFOLD_U8, CLFOLD_I8, CLFOLD_I16, CLFOLD_F32 };
    static const char *const platforms[] = { "Portable Computing Language", "rusticl" };

    (void)state;
    for (int i = 0; i < 8; ++i) {
        const clfold_type type = types[i / 2];
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct device_facts device = cpu;
        struct monoid monoid;
        device.platform = platforms[i % 2];
        assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, type, type));
        struct job job = job_of(CLFOLD_REDUCE, REDUCE_TILES, &monoid, &device, NULL);
        job.count = 1 << 20;
        const uint32_t num = job_candidates(&job, candidates);
        for (uint32_t k = 0; k < num; ++k) {
            const bool asks = i < 4 && i % 2 == 0 && k == 0;
            struct text text = { 0 };
            struct plan plan;
            clfold_assemble(&text, &monoid, &candidates[k].shape);
            assert_false(text.failed);
            assert_int_equal(strstr(text.bytes, "#define CLFOLD_PREFETCH 0\n") != NULL,
                             !asks);
            assert_int_equal(strstr(text.bytes, "#define CLFOLD_PREFETCH 1\n") != NULL,
                             asks);
            clfold_text_finish(&text);
            clfold_plan_init(&plan, &job, &candidates[k]);
            assert_int_equal(clfold_plan_main(&plan)->ahead, asks ? 4096 : 0);
        }
    }
}

/* A multiple of 16 elements, and no more than a tile has. */
static void test_ahead(void **state)
{
    static const struct {
        uint64_t bytes;
        uint32_t f32, f64; /* elements, in tiles of 32 KiB */
    } cases[] = {
        { 0, 0, 0 },           { 1, 0, 0 },
        { 63, 0, 0 },          { 64, 16, 0 },
        { 4096, 1024, 512 },   { 4200, 1040, 512 },
        { 32768, 8192, 4096 }, { 1 << 20, 8192, 4096 },
    };

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); ++i) {
        const clfold_type type = i % 2 ? CLFOLD_F64 : CLFOLD_F32;
        struct candidate candidates[CLFOLD_MAX_CANDIDATES];
        struct device_facts device = cpu;
        struct tuned_numbers numbers = { 0 };
        struct monoid monoid;
        struct plan plan;
        device.platform = "Portable Computing Language";
        numbers_put(&numbers, TUNED_AHEAD_BYTES, cases[i / 2].bytes);
        numbers_put(&numbers, TUNED_TILE_BYTES, 32768);
        assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, type, type));
        struct job job =
            job_of(CLFOLD_INCLUSIVE_SCAN, REDUCE_THEN_SCAN, &monoid, &device, NULL);
        job.tuned = &numbers;
        job_candidates(&job, candidates);
        clfold_plan_init(&plan, &job, &candidates[0]);
        assert_int_equal(clfold_plan_main(&plan)->ahead,
                         i % 2 ? cases[i / 2].f64 : cases[i / 2].f32);
    }
}

/* A scan's text depends on the compiler's abilities, not on a tuning file's numbers. */
static void test_builtins(void **state)
{
    static const struct {
        const char *platform;
        int ahead_bytes; /* of the tuning file; -1: nothing */
        const char *builtins, *defined;
    } cases[] = {
        { "Portable Computing Language", -1, "1", "1" },
        { "Portable Computing Language", 0, "1", "0" },
        { "Intel(R) OpenCL", -1, "1", "1" },
        { "Intel(R) OpenCL Graphics", -1, "0", "0" },
        { "rusticl", -1, "0", "0" },
        { NULL, -1, "0", "0" },
        { "Oclgrind", -1, "0", "0" },
        { "Oclgrind", 0, "0", "0" },
    };
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct device_facts device = cpu;
        struct tuned_numbers numbers = { 0 };
        struct job job =
            job_of(CLFOLD_INCLUSIVE_SCAN, REDUCE_THEN_SCAN, &monoid, &device, NULL);
        char builtins[64], defined[64];
        device.platform = cases[i].platform;
        if (cases[i].ahead_bytes >= 0) {
            numbers_put(&numbers, TUNED_AHEAD_BYTES, (uint64_t)cases[i].ahead_bytes);
        }
        job.tuned = &numbers;
        job_candidates(&job, candidates);
        snprintf(builtins, sizeof(builtins), "#define CLFOLD_BUILTINS %s\n",
                 cases[i].builtins);
        snprintf(defined, sizeof(defined), "#define CLFOLD_PREFETCH %s\n",
                 cases[i].defined);
        for (int k = 0; k < 2; ++k) {
            struct text text = { 0 };
            clfold_assemble(&text, &monoid, &candidates[2 * k].shape);
            assert_false(text.failed);
            assert_non_null(
                strstr(text.bytes, k == 0 ? builtins : "#define CLFOLD_BUILTINS 0\n"));
            assert_non_null(
                strstr(text.bytes, k == 0 ? defined : "#define CLFOLD_TILE_GROUP 1\n"));
            clfold_text_finish(&text);
        }
    }
}

/* Tiles and streams of CPUs follow the cache that the device reports; those of other
 * devices are their rows'. */
static void test_caches(void **state)
{
    static const struct {
        uint64_t cache;
        uint32_t tile, scan_tile;
        uint64_t stream;
    } cases[] = {
        { 0, 64 << 10, 256 << 10, 16 << 20 },
        { 1, 16 << 10, 16 << 10, 2 << 20 },
        { 32 << 10, 16 << 10, 16 << 10, 2 << 20 },
        { 512 << 10, 32 << 10, 128 << 10, 2 << 20 },
        { 768 << 10, 32 << 10, 128 << 10, 3 << 20 },
        { 1 << 20, 64 << 10, 256 << 10, 4 << 20 },
        { 2 << 20, 64 << 10, 256 << 10, 8 << 20 },
        { 4 << 20, 64 << 10, 256 << 10, 2 << 20 },
        { 8 << 20, 64 << 10, 256 << 10, 2 << 20 },
        { 32 << 20, 64 << 10, 256 << 10, 4 << 20 },
        { 260 << 20, 64 << 10, 256 << 10, 16 << 20 },
        { UINT64_MAX, 64 << 10, 256 << 10, 16 << 20 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        struct policy policies[CLFOLD_MAX_CANDIDATES], others[CLFOLD_MAX_CANDIDATES];
        struct policy scans[CLFOLD_MAX_CANDIDATES];
        struct device_facts device = cpu, card = gpu;
        device.platform = card.platform = "Portable Computing Language";
        device.cache_bytes = card.cache_bytes = cases[i].cache;
        clfold_policies(&device, FAMILY_REDUCE, 4, policies);
        clfold_policies(&device, FAMILY_SCAN, 4, scans);
        assert_int_equal(policies[0].tile_bytes, cases[i].tile);
        assert_int_equal(scans[0].tile_bytes, cases[i].scan_tile);
        assert_int_equal(scans[0].stream_bytes, cases[i].stream);
        assert_int_equal(scans[1].stream_bytes, 0);
        clfold_policies(&card, FAMILY_REDUCE, 4, policies);
        clfold_policies(&gpu, FAMILY_REDUCE, 4, others);
        assert_int_equal(policies[0].tile_bytes, others[0].tile_bytes);
        assert_int_equal(policies[1].tile_bytes, others[1].tile_bytes);
    }
}

TEST_MAIN("policy", NULL, NULL, cmocka_unit_test(test_policy),
          cmocka_unit_test(test_no_tile), cmocka_unit_test(test_reductions_ask_for_bytes),
          cmocka_unit_test(test_ahead), cmocka_unit_test(test_builtins),
          cmocka_unit_test(test_caches))
