#include "device/folds.h"

#include "base/memory.h"
#include "plan/assemble.h"

#include <string.h>

static bool same_text(const struct monoid *a, const struct monoid *b,
                      const struct shape *shape)
{
    struct text x = { 0 }, y = { 0 };

    clfold_assemble(&x, a, shape);
    clfold_assemble(&y, b, shape);
    bool same = x.failed || y.failed ||
                (x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0);
    clfold_text_finish(&x);
    clfold_text_finish(&y);
    return same;
}

bool clfold_folds_agree(const struct monoid *a, const struct monoid *b)
{
    const bool is_map = !a->op && !a->combine;
    const bool scans = !is_map && a->accuracy != CLFOLD_REPRODUCIBLE;
    const struct tile_shape tiles[] = {
        { TILE_GROUP, 64, 8 }, { a->type_name ? TILE_ITEM : TILE_VECTOR, 64, 1 }
    };
    bool agree = true;

    for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); ++i) {
        const struct shape whole = { .algorithm = is_map ? MAP_TILES : REDUCE_TILES,
                                     .tile = tiles[i] };
        const struct shape each = { .algorithm = REDUCE_THEN_SCAN,
                                    .tile = tiles[i],
                                    .anchor = 1 };
        agree &= same_text(a, b, &whole) && (!scans || same_text(a, b, &each));
    }
    return agree;
}

clfold_status clfold_folds_differ(const struct site *site, const struct monoid *monoid)
{
    return clfold_fail(site, CLFOLD_ERROR_BUILD,
                       "%s has the key of a fold whose programs differ", monoid->name);
}

void clfold_folds_enlist(struct folds *folds, struct interned *fold)
{
    fold->id = ++folds->next_id;
    fold->next = folds->newest;
    folds->newest = fold;
}

/* The fold of the table's place, which another thread may have made meanwhile. A built-in
 * fold's strings are static. */
static struct interned *make_built_in(struct folds *folds, const struct monoid *monoid)
{
    _Atomic(struct interned *) *place =
        &folds->built_in[monoid->op][monoid->type][monoid->in][monoid->accuracy];
    struct interned *fold;

    clfold_lock_take(&folds->lock);
    fold = atomic_load(place);
    if (!fold && (fold = clfold_alloc(sizeof(*fold)))) {
        fold->monoid = *monoid;
        clfold_folds_enlist(folds, fold);
        atomic_store(place, fold);
    }
    clfold_lock_give(&folds->lock);
    return fold;
}

clfold_status clfold_folds_built_in(struct folds *folds, const struct site *site,
                                    const struct caps *caps, clfold_op op,
                                    clfold_type type, clfold_type in, uint32_t accuracy,
                                    struct interned **out)
{
    bool is_known = op < CLFOLD_FOLD_OPS && type < CLFOLD_FOLD_TYPES &&
                    in < CLFOLD_FOLD_TYPES && accuracy < CLFOLD_FOLD_ACCURACIES;
    struct monoid monoid;
    clfold_status status;

    if (is_known && (*out = atomic_load(&folds->built_in[op][type][in][accuracy]))) {
#ifdef CLFOLD_CHECK_KEYS
        if (clfold_monoid_init(&monoid, site, op, type, in) ||
            clfold_monoid_set_accuracy(&monoid, site, accuracy) ||
            !clfold_folds_agree(&(*out)->monoid, &monoid)) {
            return clfold_folds_differ(site, &monoid);
        }
#endif
        return CLFOLD_OK;
    }
    if ((status = clfold_monoid_init(&monoid, site, op, type, in)) ||
        (status = clfold_monoid_set_accuracy(&monoid, site, accuracy)) ||
        (status = clfold_caps_check_accuracy(caps, site, accuracy)) ||
        (status = clfold_caps_check_type(caps, site, "type", type)) ||
        (status = clfold_caps_check_type(caps, site, "in", monoid.value))) {
        return status;
    }
    *out = make_built_in(folds, &monoid);
    return *out ? CLFOLD_OK
                : clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for the fold");
}

bool clfold_folds_init(struct folds *folds)
{
    return clfold_lock_init(&folds->lock);
}

void clfold_folds_finish(struct folds *folds)
{
    while (folds->newest) {
        struct interned *fold = folds->newest;
        folds->newest = fold->next;
        clfold_free(fold);
    }
    clfold_lock_finish(&folds->lock);
}
