/* src/plan, without a device: struct sizes, monoids, policies, the plan's arithmetic, and
 * the program text. */
#include "every_text.h"
#include "oracle.h"
#include "test.h"

#include "plan/assemble.h"
#include "plan/scalar.h"

static const struct site site = { NULL, "plan" };
static const struct plan_override none;
static const struct device_facts cpu = { true, "vendor", "name", 4096, 1 << 20 };
static const struct device_facts gpu = { false, "vendor", "name", 1024, 48 << 10 };

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
    assert_refused(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_U32, CLFOLD_U8),
                   CLFOLD_ERROR_UNSUPPORTED, "type u32 folded from in u8");

    /* As OpenCL C lays a struct out. */
    monoid.num_components = 3;
    monoid.components[0].type = CLFOLD_U8;
    monoid.components[1].type = CLFOLD_F64;
    monoid.components[2].type = CLFOLD_I16;
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
    assert_string_equal(clfold_type_name(0), "an unknown type");
}

static void test_policy(void **state)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct tile_shape shapes[CLFOLD_MAX_CANDIDATES];
    struct monoid monoid;
    const struct plan_override group = { .tile = TILE_GROUP };

    (void)state;
    assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    assert_int_equal(clfold_reduce_shapes(&cpu, &monoid, &none, policies, shapes), 2);
    assert_int_equal(shapes[0].kind, TILE_VECTOR);
    assert_int_equal(shapes[1].kind, TILE_GROUP);
    assert_int_equal(clfold_reduce_shapes(&gpu, &monoid, &none, policies, shapes), 2);
    assert_int_equal(shapes[0].kind, TILE_GROUP);
    assert_int_equal(clfold_reduce_shapes(&cpu, &monoid, &group, policies, shapes), 1);
    assert_int_equal(shapes[0].kind, TILE_GROUP);

    /* A group never has more work-items, or items of local memory, than the device. */
    struct device_facts small = gpu;
    small.max_group_size = 24;
    clfold_reduce_shapes(&small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].group_size, 24);
    small = gpu;
    small.local_memory = 1024;
    clfold_reduce_shapes(&small, &monoid, &none, policies, shapes);
    assert_true(shapes[0].group_size * 33 / 32 * sizeof(cl_float) <= 1024);
    small.local_memory = 0;
    clfold_reduce_shapes(&small, &monoid, &none, policies, shapes);
    assert_int_equal(shapes[0].group_size, 1);
}

/* Every count is covered, no group is empty, and no more groups than the policy has. */
static void check_plan(const struct monoid *monoid, const struct policy *policy,
                       const struct tile_shape *shape, uint64_t count)
{
    struct reduce_plan plan;

    clfold_reduce_plan_init(&plan, monoid, policy, shape, count);
    assert_true(plan.num_groups >= 1 && plan.num_groups <= policy->max_groups);
    assert_true(plan.num_launches ==
                (plan.num_groups == 1 && plan.scratch_bytes == 0 ? 1 : 2));
    assert_true(plan.num_tiles * shape->elements >= count);
    assert_true(count == 0 || (plan.num_tiles - 1) * shape->elements < count);
    assert_true(plan.num_groups * plan.tiles_per_group >= plan.num_tiles);
    assert_true(count == 0 ||
                (plan.num_groups - 1) * plan.tiles_per_group < plan.num_tiles);
    assert_int_equal(
        plan.scratch_bytes,
        plan.num_launches == 1 ? 0 : plan.num_groups * clfold_monoid_item_size(monoid));
    assert_true(plan.bytes_read ==
                count * clfold_monoid_in_size(monoid) + plan.scratch_bytes);
    assert_true(plan.bytes_written ==
                clfold_monoid_out_size(monoid) + plan.scratch_bytes);
}

static void test_plan(void **state)
{
    const struct plan_override overrides[] = {
        { 0 }, { 0, 64, 8, 5 }, { 0, 1, 1, 1 }, { 0, 1u << 30, 0, 3 }
    };
    const struct device_facts *const devices[] = { &cpu, &gpu };

    (void)state;
    for (size_t p = 0; p < NUM_PAIRS; ++p) {
        struct monoid monoid;
        assert_ok(clfold_monoid_init(&monoid, &site, CLFOLD_ADD, all_pairs[p].type,
                                     all_pairs[p].in));
        for (size_t o = 0; o < 8; ++o) {
            struct policy policies[CLFOLD_MAX_CANDIDATES];
            struct tile_shape shapes[CLFOLD_MAX_CANDIDATES];
            uint32_t num = clfold_reduce_shapes(devices[o % 2], &monoid,
                                                &overrides[o / 2], policies, shapes);
            for (uint32_t i = 0; i < num; ++i) {
                assert_true(shapes[i].elements <= monoid.stage_limit);
                for (uint32_t bit = 0; bit < 40; ++bit) {
                    uint64_t power = UINT64_C(1) << bit;
                    check_plan(&monoid, &policies[i], &shapes[i], power - 1);
                    check_plan(&monoid, &policies[i], &shapes[i], power);
                    check_plan(&monoid, &policies[i], &shapes[i], power + 1);
                }
                for (uint64_t tiles = 1; tiles < 600; tiles += 7) {
                    uint64_t elements = tiles * shapes[i].elements;
                    check_plan(&monoid, &policies[i], &shapes[i], elements - 1);
                    check_plan(&monoid, &policies[i], &shapes[i], elements);
                    check_plan(&monoid, &policies[i], &shapes[i], elements + 1);
                }
            }
        }
    }
}

static void check_text(void *user, const char *name, const char *text)
{
    size_t *num = user;
    bool vector = strstr(name, "tile_vector") != NULL;

    ++*num;
    /* A strategy's text is the same for both tiles, and all of it is there. */
    assert_non_null(strstr(text, "#pragma OPENCL FP_CONTRACT OFF"));
    assert_non_null(strstr(text, "#line 1 \"contract.cl\""));
    assert_non_null(strstr(text, "#line 1 \"combine\""));
    assert_non_null(strstr(text, "clfold_reduce_single"));
    assert_int_equal(strstr(text, "#line 1 \"tile_vector.cl\"") != NULL, vector);
    assert_int_equal(strstr(text, "#line 1 \"tile_group.cl\"") != NULL, !vector);
    assert_int_equal(strstr(text, "clfold_stage16 clfold_combine_stage16(") != NULL,
                     vector);
    /* f64 is asked for where it is used only. */
    assert_int_equal(strstr(text, "cl_khr_fp64 : enable") != NULL,
                     strstr(name, "f64") != NULL);
}

static void test_texts(void **state)
{
    size_t num = 0;

    (void)state;
    every_text(check_text, &num);
    assert_int_equal(num, (NUM_PAIRS * 2 + 2) * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_struct_sizes), cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_monoids),      cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_policy),       cmocka_unit_test(test_plan),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
