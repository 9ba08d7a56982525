/* Interned folds: a built-in fold is made once, and a user's is found by what its texts
 * say, wherever they lie. */
#include "base/memory.h"
#include "device/folds.h"
#include "plan/assemble.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct site site = { NULL, "folds" };
static struct folds folds;

/* What the device lacks is rejected each time. */
static void test_built_in(void **state)
{
    const struct caps caps = { .fp64 = false, .truncates = true, .name = "a device" };
    struct interned *none = NULL;

    for (int turn = 0; turn < 2; ++turn) {
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F64,
                                             CLFOLD_F64, 0, &none),
                       CLFOLD_ERROR_UNSUPPORTED, "has no f64");
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F64,
                                             CLFOLD_F32, 0, &none),
                       CLFOLD_ERROR_UNSUPPORTED, "has no f64");
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F32,
                                             CLFOLD_F32, CLFOLD_REPRODUCIBLE, &none),
                       CLFOLD_ERROR_UNSUPPORTED, "does not round to nearest");
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, 1000, CLFOLD_I32,
                                             CLFOLD_I32, 0, &none),
                       CLFOLD_ERROR_ARGUMENT, "1000");
    }
}

static uint64_t bits_of(const clfold_fold *fold, clfold_operation operation)
{
    const uint64_t given = clfold_facets_of(fold);

    return given | clfold_facets_call(fold, given, operation);
}

static struct interned *find(const clfold_fold *fold, clfold_operation operation)
{
    static const struct caps caps = { .name = "a device" };
    struct interned *found = NULL;

    assert_ok(
        clfold_folds_user(&folds, &site, &caps, fold, bits_of(fold, operation), &found));
    clfold_folds_give(found);
    return found;
}

static struct interned *find_user(const clfold_fold *fold)
{
    return find(fold, CLFOLD_REDUCE);
}

/* A user's texts count, not where they lie: the caller may write others there. */
static void test_users(void **state)
{
    char here[] = "a + b", there[] = "a + b";
    const clfold_fold sum = { .type = CLFOLD_U32, .combine = here };
    clfold_fold other = sum;

    struct interned *const first = find_user(&sum);
    other.combine = there;
    assert_ptr_equal(find_user(&other), first);
    here[2] = '*';
    assert_ptr_not_equal(find_user(&sum), first);
    here[2] = '+';
    assert_ptr_equal(find_user(&sum), first);
    /* One that is taken out is not found again, from wherever its texts come. */
    struct interned *out;
    while ((out = clfold_folds_evict(&folds)) != first) {
        assert_non_null(out);
        clfold_free(out);
    }
    assert_ptr_not_equal(find_user(&sum), first);
    clfold_free(first);
}

static int set_up(void **state)
{
    memset(&folds, 0, sizeof(folds));
    return clfold_folds_init(&folds) ? 0 : -1;
}

static bool same_text(const struct monoid *a, const struct monoid *b,
                      const struct shape *shape)
{
    struct text x = { 0 }, y = { 0 };

    clfold_assemble(&x, a, shape);
    clfold_assemble(&y, b, shape);
    assert_false(x.failed || y.failed);
    const bool same = x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;
    clfold_text_finish(&x);
    clfold_text_finish(&y);
    return same;
}

/* Whether two monoids give the same programs, as those of one key must. */
static bool agree(const struct monoid *a, const struct monoid *b)
{
    const bool is_map = !a->op && !a->combine;
    const bool scans = !is_map && a->accuracy != CLFOLD_REPRODUCIBLE;
    const struct tile_shape tiles[] = {
        { TILE_GROUP, 64, 8 }, { a->type_name ? TILE_ITEM : TILE_VECTOR, 64, 1 }
    };
    bool agree = true;

    for (int i = 0; i < 2; ++i) {
        const struct shape whole = { .algorithm = is_map ? MAP_TILES : REDUCE_TILES,
                                     .tile = tiles[i] };
        const struct shape each = { .algorithm = REDUCE_THEN_SCAN,
                                    .tile = tiles[i],
                                    .anchor = 1 };
        agree &= same_text(a, b, &whole) && (!scans || same_text(a, b, &each));
    }
    return agree;
}

static void test_agree(void **state)
{
    struct monoid sum, other;

    assert_ok(clfold_monoid_init(&sum, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    assert_ok(clfold_monoid_set_accuracy(&sum, &site, CLFOLD_REPRODUCIBLE));
    other = sum;
    assert_true(agree(&sum, &other));
    other.item_file = "unbinned";
    assert_false(agree(&sum, &other));
    other = sum;
    other.identity = "clfold_zero()";
    assert_false(agree(&sum, &other));
}

/* Each differs from another one in what is one field of a key. */
static const clfold_segments flags = { .by = CLFOLD_BY_FLAGS, .type = CLFOLD_U8 };
static const clfold_arg number[] = {
    { .type = "uint", .name = "m", .size = 4, .value = "four" }
};
static const clfold_arg wider[] = {
    { .type = "ulong", .name = "m", .size = 8, .value = "eight..." }
};
static const clfold_arg named[] = {
    { .type = "uint", .name = "k", .size = 4, .value = "four" }
};
static const clfold_arg stream[] = { { .name = "m", .element = CLFOLD_U32 } };
static const clfold_arg narrow[] = { { .name = "m", .element = CLFOLD_U8 } };
#define SUM .combine = "a + b"
#define U32 .type = CLFOLD_U32, SUM
#define TWO .combine = "{ a.x + b.x, a.y + b.y }"
static const clfold_fold keys[] = {
    { U32 },
    { .type = CLFOLD_I32, SUM },
    { .type = CLFOLD_U32, .combine = "b + a" },
    { U32, .in = CLFOLD_U8 },
    { U32, .out = CLFOLD_U64 },
    { U32, .identity = "0" },
    { U32, .source = "constant int zero = 0;" },
    { U32, .cuts = "b == 0" },
    { U32, .flags = CLFOLD_COMMUTATIVE },
    { U32, .flags = CLFOLD_PARTIAL },
    { U32, .load = "x + 1" },
    { U32, .load = "x.x", .in = CLFOLD_U32, .in_scalars = 2 },
    { U32, .load = "x.x", .in = CLFOLD_U32, .in_scalars = 3 },
    { U32, .result = "item + 1" },
    { U32, .result = "{ item, 1 }", .out = CLFOLD_U32, .out_scalars = 2 },
    { U32, .store = "out[i] = item" },
    { U32, .store = "out[i].x = item", .out = CLFOLD_U32, .out_scalars = 2 },
    { U32, .store = "out[i].x = item", .out = CLFOLD_U32, .out_scalars = 3 },
    { U32, .keep = "item > 1" },
    { U32, .same = "a == b" },
    { U32, .same = "a > b" },
    { U32, .segments = &flags },
    { U32, .equal = "a == b" },
    { U32, .args = number, .num_args = 1 },
    { U32, .args = wider, .num_args = 1 },
    { U32, .args = named, .num_args = 1 },
    { U32, .args = stream, .num_args = 1, .load = "x + m" },
    { U32, .args = narrow, .num_args = 1, .load = "x + m" },
    { .components = "uint x, y", TWO },
    { .components = "int x, y", TWO },
    { .type_name = "uint4", .type_size = 16, SUM },
    { .type_name = "uint4", .type_size = 32, SUM },
    { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x" },
    { .op = CLFOLD_MAX, .type = CLFOLD_F32, .load = "x" },
    { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x", .accuracy = CLFOLD_COMPENSATED },
};
#define NUM_KEYS (sizeof(keys) / sizeof(keys[0]))

/* A fold that is found by its key has the programs that one made anew has: a field that
 * the key forgets would give it another's. */
static void test_keys(void **state)
{
    static const clfold_operation operations[] = { CLFOLD_REDUCE, CLFOLD_INCLUSIVE_SCAN,
                                                   CLFOLD_SELECT };
    static struct monoid anew[3][NUM_KEYS];
    static struct interned *found[3][NUM_KEYS];

    for (int o = 0; o < 3; ++o) {
        for (size_t k = 0; k < NUM_KEYS; ++k) {
            static struct component_names names[3][NUM_KEYS];
            const uint64_t bits = bits_of(&keys[k], operations[o]);
            if ((keys[k].keep || keys[k].same) && operations[o] != CLFOLD_SELECT) {
                continue;
            }
            found[o][k] = find(&keys[k], operations[o]);
            assert_ok(clfold_monoid_user(&anew[o][k], &site, &keys[k], &names[o][k]));
            if (clfold_facets_lift(bits)) {
                clfold_monoid_lift(&anew[o][k]);
            }
            assert_true(agree(&found[o][k]->monoid, &anew[o][k]));
            for (size_t other = 0; other < k && !keys[k].segments; ++other) {
                assert_ptr_not_equal(found[o][other], found[o][k]);
            }
        }
    }
}

/* The same of built-in folds, which are made once. */
static void test_built_in_keys(void **state)
{
    const struct caps caps = { .fp64 = true, .fp16 = true };
    static struct interned *made[5000];
    struct interned *found;
    struct monoid anew;

    for (int turn = 0; turn < 2; ++turn) {
        size_t num = 0;
        for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MATRIX_2X2; ++op) {
            for (clfold_type type = CLFOLD_I8; type <= CLFOLD_F64; ++type) {
                for (uint32_t a = 0; a <= CLFOLD_REPRODUCIBLE; ++a) {
                    if (clfold_folds_built_in(&folds, &site, &caps, op, type, type, a,
                                              &found) == CLFOLD_OK) {
                        assert_ok(clfold_monoid_init(&anew, &site, op, type, type));
                        assert_ok(clfold_monoid_set_accuracy(&anew, &site, a));
                        assert_true(agree(&found->monoid, &anew));
                        assert_true(num < sizeof(made) / sizeof(made[0]));
                        assert_true(turn == 0 || made[num] == found);
                        made[num++] = found;
                    }
                }
            }
        }
    }
}

static int tear_down(void **state)
{
    clfold_folds_finish(&folds);
    return 0;
}

TEST_MAIN("folds", NULL, NULL,
          cmocka_unit_test_setup_teardown(test_built_in, set_up, tear_down),
          cmocka_unit_test_setup_teardown(test_users, set_up, tear_down),
          cmocka_unit_test(test_agree),
          cmocka_unit_test_setup_teardown(test_keys, set_up, tear_down),
          cmocka_unit_test_setup_teardown(test_built_in_keys, set_up, tear_down))
