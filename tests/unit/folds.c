/* Interned folds: a built-in fold is made once, and a user's is found by what its texts
 * say, wherever they lie. */
#include "device/folds.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct site site = { NULL, "folds" };
static struct folds folds;

/* What the device lacks is rejected each time; other folds are found again. */
static void test_built_in(void **state)
{
    const struct caps caps = { .fp64 = false, .truncates = true, .name = "a device" };
    struct interned *sum, *again, *same, *none = NULL;

    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F64,
                                             CLFOLD_F64, 0, &none),
                       CLFOLD_ERROR_UNSUPPORTED, "has no f64");
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F32,
                                             CLFOLD_F32, CLFOLD_REPRODUCIBLE, &none),
                       CLFOLD_ERROR_UNSUPPORTED, "does not round to nearest");
        assert_refused(clfold_folds_built_in(&folds, &site, &caps, 1000, CLFOLD_I32,
                                             CLFOLD_I32, 0, &none),
                       CLFOLD_ERROR_ARGUMENT, "1000");
    }
    assert_ok(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_I64,
                                    CLFOLD_I32, 0, &sum));
    assert_ok(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_I64,
                                    CLFOLD_I32, 0, &again));
    assert_ptr_equal(sum, again);
    assert_ok(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_I32,
                                    CLFOLD_I32, 0, &same));
    assert_ptr_not_equal(same, sum);
    assert_ok(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F32,
                                    CLFOLD_F32, 0, &sum));
    assert_ok(clfold_folds_built_in(&folds, &site, &caps, CLFOLD_ADD, CLFOLD_F32,
                                    CLFOLD_F32, CLFOLD_COMPENSATED, &again));
    assert_ptr_not_equal(sum, again);
}

static struct interned *find_user(const clfold_fold *fold)
{
    static const struct caps caps = { .name = "a device" };
    const uint64_t given = clfold_facets_of(fold);
    const uint64_t bits = given | clfold_facets_call(fold, given, CLFOLD_REDUCE);
    struct interned *found = NULL;

    assert_ok(clfold_folds_user(&folds, &site, &caps, fold, bits, &found));
    clfold_folds_give(found);
    return found;
}

/* A user's texts count, not where they lie: the caller may write others there. */
static void test_users(void **state)
{
    char here[] = "a + b", there[] = "a + b";
    clfold_arg arg = { .type = "uint", .name = "m", .size = 4, .value = &folds };
    const clfold_fold sum = { .type = CLFOLD_U32, .combine = here };
    clfold_fold other = sum;

    (void)state;
    struct interned *const first = find_user(&sum);
    other.combine = there;
    assert_ptr_equal(find_user(&other), first);
    here[2] = '*';
    const struct interned *const product = find_user(&sum);
    assert_ptr_not_equal(product, first);
    here[2] = '+';
    assert_ptr_equal(find_user(&sum), first);
    uint32_t id = product->id;
#define ANOTHER(change)                                                                  \
    do {                                                                                 \
        clfold_fold changed = sum;                                                       \
        changed.change;                                                                  \
        assert_true(find_user(&changed)->id > id);                                       \
        id = find_user(&changed)->id;                                                    \
    } while (0)
    ANOTHER(type = CLFOLD_U64);
    ANOTHER(in = CLFOLD_U8);
    ANOTHER(flags = CLFOLD_COMMUTATIVE);
    ANOTHER(identity = "0");
    ANOTHER(source = "");
    ANOTHER(cuts = "b == 0");
    other.args = &arg;
    other.num_args = 1;
    assert_true(find_user(&other)->id > id);
    id = find_user(&other)->id;
    arg.name = "modulus";
    assert_true(find_user(&other)->id > id);
#undef ANOTHER
    assert_ptr_equal(find_user(&sum), first);

    /* One that is taken out is not found again, from wherever its texts come. */
    struct interned *out;
    while ((out = clfold_folds_evict(&folds)) != first) {
        assert_non_null(out);
        clfold_folds_drop(out);
    }
    assert_ptr_not_equal(find_user(&sum), first);
    clfold_folds_drop(first);
}

static int set_up(void **state)
{
    (void)state;
    memset(&folds, 0, sizeof(folds));
    return clfold_folds_init(&folds) ? 0 : -1;
}

/* What a debug build asks of folds with one key: finds a field that the key forgets. */
static void test_agree(void **state)
{
    struct monoid sum, other;

    (void)state;
    assert_ok(clfold_monoid_init(&sum, &site, CLFOLD_ADD, CLFOLD_F32, CLFOLD_F32));
    assert_ok(clfold_monoid_set_accuracy(&sum, &site, CLFOLD_REPRODUCIBLE));
    other = sum;
    assert_true(clfold_folds_agree(&sum, &other));
    other.item_file = "unbinned";
    assert_false(clfold_folds_agree(&sum, &other));
    other = sum;
    other.identity = "clfold_zero()";
    assert_false(clfold_folds_agree(&sum, &other));
}

static int tear_down(void **state)
{
    (void)state;
    clfold_folds_finish(&folds);
    return 0;
}

TEST_MAIN("folds", NULL, NULL,
          cmocka_unit_test_setup_teardown(test_built_in, set_up, tear_down),
          cmocka_unit_test_setup_teardown(test_users, set_up, tear_down),
          cmocka_unit_test(test_agree))
