/* Plans of scans: every element is in one tile, and every tile in one group's run. The
 * rounds of a work-item: scan_rounds.c. */
#include "plan/scan_plan.h"
#include "test.h"

static const struct site site = { NULL, "scan_plan" };
static const struct plan_override none;

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
      .most_rounds = 1 << 14 },
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

static void check_shape(const struct scan_shape *shape, const struct monoid *monoid,
                        const struct device_facts *device)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_out_size(monoid);
    const struct tile_shape *tile = &shape->tile;
    uint64_t slots = tile->elements + tile->group_size;

    assert_true(tile->elements > 0 && tile->elements <= monoid->stage_limit);
    assert_int_equal(tile->elements % tile->group_size, 0);
    assert_true(tile->group_size <= device->max_group_size);
    if (tile->kind == TILE_GROUP) {
        assert_true(slots * (in > out ? in : out) +
                        2 * tile->group_size * clfold_monoid_item_size(monoid) <=
                    device->local_memory);
    }
}

static void check_plan(const struct scan_plan *plan, const struct monoid *monoid,
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
    } else {
        assert_true(plan->run * plan->num_groups >= plan->num_tiles);
        assert_true(plan->run * (plan->num_groups - 1) < plan->num_tiles);
        assert_true(plan->blocks * plan->shape.anchor >= plan->num_tiles);
        assert_true(plan->scratch_bytes >
                    plan->num_tiles * clfold_monoid_item_size(monoid));
    }
}

static void test_plans(void **state)
{
    size_t num = 0;

    (void)state;
    for (size_t d = 0; d < NUM_DEVICES; ++d) {
        for (size_t f = 0; f < NUM_FOLDS * CLFOLD_SCAN_ALGORITHMS; ++f) {
            struct monoid monoid = monoid_of(f / CLFOLD_SCAN_ALGORITHMS);
            struct scan_policy policies[CLFOLD_MAX_CANDIDATES];
            struct scan_shape shapes[CLFOLD_MAX_CANDIDATES];
            uint32_t many =
                clfold_scan_shapes(f % CLFOLD_SCAN_ALGORITHMS, false, &devices[d],
                                   &monoid, &none, policies, shapes);
            assert_int_equal(many, CLFOLD_MAX_CANDIDATES);
            for (size_t c = 0; c < many * NUM_COUNTS; ++c) {
                const struct scan_shape *shape = &shapes[c % many];
                uint64_t count = count_of(c / many, shape->tile.elements);
                struct scan_plan plan;
                check_shape(shape, &monoid, &devices[d]);
                clfold_scan_plan_init(&plan, &monoid, &devices[d], &policies[c % many],
                                      shape, c % 18, count);
                check_plan(&plan, &monoid, c % 18, count);
                ++num;
            }
        }
    }
    print_message("# %zu plans\n", num);
}

/* What each strategy moves, as multiples of the input: what is kept a tile is little. */
static void test_bytes(void **state)
{
    static const double multiples[CLFOLD_SCAN_ALGORITHMS] = {
        [SCAN_SINGLE_GROUP] = 2,
        [SCAN_THEN_PROPAGATE] = 4,
        [REDUCE_THEN_SCAN] = 3,
    };
    const uint64_t count = 1 << 26;
    struct monoid monoid = monoid_of(0);

    (void)state;
    for (int a = 0; a < CLFOLD_SCAN_ALGORITHMS; ++a) {
        struct scan_policy policies[CLFOLD_MAX_CANDIDATES];
        struct scan_shape shapes[CLFOLD_MAX_CANDIDATES];
        struct scan_plan plan;
        clfold_scan_shapes(a, false, &devices[0], &monoid, &none, policies, shapes);
        clfold_scan_plan_init(&plan, &monoid, &devices[0], policies, shapes, 0, count);
        double moved =
            (double)(plan.bytes_read + plan.bytes_written) / (4.0 * (double)count);
        assert_true(moved >= multiples[a] && moved < multiples[a] + 0.01);
    }
}

static void test_choice(void **state)
{
    struct monoid monoid = monoid_of(0);
    enum scan_algorithm algorithm;

    (void)state;
    assert_int_equal(
        clfold_scan_choose(&algorithm, &site, NULL, &monoid, &devices[0], 1000),
        CLFOLD_OK);
    assert_int_equal(algorithm, SCAN_SINGLE_GROUP);
    assert_int_equal(
        clfold_scan_choose(&algorithm, &site, NULL, &monoid, &devices[0], 1 << 24),
        CLFOLD_OK);
    assert_int_equal(algorithm, REDUCE_THEN_SCAN);
    for (int a = 0; a < CLFOLD_SCAN_ALGORITHMS; ++a) {
        assert_int_equal(clfold_scan_choose(&algorithm, &site, clfold_scan_name(a),
                                            &monoid, &devices[0], 1 << 24),
                         CLFOLD_OK);
        assert_int_equal(algorithm, a);
        /* Nothing takes one launch, whoever asks. */
        assert_int_equal(clfold_scan_choose(&algorithm, &site, clfold_scan_name(a),
                                            &monoid, &devices[0], 0),
                         CLFOLD_OK);
        assert_int_equal(algorithm, SCAN_SINGLE_GROUP);
    }
    assert_refused(
        clfold_scan_choose(&algorithm, &site, "reduce3", &monoid, &devices[0], 1),
        CLFOLD_ERROR_UNSUPPORTED, "\"reduce3\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_choice),
    };

    return cmocka_run_group_tests_name("scan_plan", tests, NULL, NULL);
}
