/* src/plan/policy.c and the shapes of reductions that come of it, without a device. */
#include "test.h"

#include "plan/assemble.h"

static const struct site site = { NULL, "plan" };
static const struct plan_override none;
static const struct device_facts cpu = {
    .cpu = true,
    .vendor = "vendor",
    .name = "name",
    .max_group_size = 4096,
    .local_memory = 1 << 20,
};
static const struct device_facts gpu = {
    .vendor = "vendor",
    .name = "name",
    .max_group_size = 1024,
    .local_memory = 48 << 10,
};

static void test_policy(void **state)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;
    const struct plan_override group = { .tile = TILE_GROUP };

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    assert_int_equal(
        clfold_reduce_shapes(REDUCE_TILES, &cpu, &monoid, &none, policies, shapes), 2);
    assert_int_equal(shapes[0].tile.kind, TILE_VECTOR);
    assert_int_equal(shapes[1].tile.kind, TILE_GROUP);
    assert_int_equal(
        clfold_reduce_shapes(REDUCE_TILES, &gpu, &monoid, &none, policies, shapes), 2);
    assert_int_equal(shapes[0].tile.kind, TILE_GROUP);
    assert_int_equal(
        clfold_reduce_shapes(REDUCE_TILES, &cpu, &monoid, &group, policies, shapes), 1);
    assert_int_equal(shapes[0].tile.kind, TILE_GROUP);
    assert_int_equal(
        clfold_reduce_shapes(REDUCE_6, &cpu, &monoid, &none, policies, shapes), 1);
    assert_int_equal(shapes[0].tile.kind, TILE_NONE);

    /* A group never has more work-items, or items of local memory, than the device. */
    struct device_facts small = gpu;
    small.max_group_size = 24;
    clfold_reduce_shapes(REDUCE_TILES, &small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].tile.group_size, 24);
    clfold_reduce_shapes(REDUCE_0, &small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].tile.group_size, 24);
    small = gpu;
    small.local_memory = 1000;
    clfold_reduce_shapes(REDUCE_TILES, &small, &monoid, &none, policies, shapes);
    assert_true(shapes[0].tile.group_size * 33 / 32 * sizeof(cl_float) <= 1000);
    clfold_reduce_shapes(REDUCE_0, &small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].tile.group_size, 250);
    small.local_memory = 0;
    clfold_reduce_shapes(REDUCE_TILES, &small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].tile.group_size, 1);
}

/* Only compilers that are known for their builtin get it: Oclgrind's dies of it. */
static void test_prefetch(void **state)
{
    static const struct {
        const char *platform;
        bool prefetches;
    } platforms[] = {
        { "Portable Computing Language", true },
        { "Intel(R) OpenCL", true },
        { "Oclgrind", false },
        { "rusticl", false },
        { "Intel(R) OpenCL Graphics", false },
        { NULL, false },
    };
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); ++i) {
        struct device_facts device = cpu, card = gpu;
        struct text text = { 0 };
        device.platform = card.platform = platforms[i].platform;
        clfold_reduce_shapes(REDUCE_TILES, &device, &monoid, &none, policies, shapes);
        assert_int_equal(shapes[0].prefetch > 0, platforms[i].prefetches);
        assert_int_equal(shapes[1].prefetch, 0);
        clfold_assemble_reduce(&text, &monoid, &shapes[0]);
        assert_false(text.failed);
        assert_int_equal(strstr(text.bytes, "#define CLFOLD_AHEAD 0\n") == NULL,
                         platforms[i].prefetches);
        clfold_text_finish(&text);
        clfold_reduce_shapes(REDUCE_6, &device, &monoid, &none, policies, shapes);
        assert_int_equal(shapes[0].prefetch, 0);
        clfold_reduce_shapes(REDUCE_TILES, &card, &monoid, &none, policies, shapes);
        assert_int_equal(shapes[0].prefetch, 0);
        assert_int_equal(shapes[1].prefetch, 0);
    }
}

static uint32_t prefetch_for(const char *device_name, clfold_op op, clfold_type type,
                             clfold_type in)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct device_facts device = cpu;
    struct monoid monoid;

    device.platform = "Portable Computing Language";
    device.name = device_name;
    assert_ok(clfold_monoid_init(&monoid, &site, op, type, in));
    clfold_reduce_shapes(REDUCE_TILES, &device, &monoid, &none, policies, shapes);
    return shapes[0].prefetch;
}

/* AMD's cores need no prefetch where a fold leaves them room to run ahead. */
static void test_prefetch_of_light_folds(void **state)
{
    const char *const amd = "pthread-skylake-avx512-AMD EPYC";

    (void)state;
    assert_int_equal(prefetch_for(amd, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32), 0);
    assert_int_equal(prefetch_for(amd, CLFOLD_ADD, CLFOLD_I64, CLFOLD_I16), 0);
    assert_int_equal(prefetch_for(amd, CLFOLD_BIT_XOR, CLFOLD_U64, CLFOLD_U64), 0);
    assert_true(prefetch_for(amd, CLFOLD_ADD, CLFOLD_U64, CLFOLD_U8) > 0);
    assert_true(prefetch_for(amd, CLFOLD_MIN, CLFOLD_F32, CLFOLD_F32) > 0);
    assert_true(prefetch_for(amd, CLFOLD_ARG_MIN, CLFOLD_I32, CLFOLD_I32) > 0);
    assert_true(prefetch_for("Xeon", CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_prefetch),
        cmocka_unit_test(test_prefetch_of_light_folds),
    };

    return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
