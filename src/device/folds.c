#include "device/folds.h"

#include "base/memory.h"
#include "plan/assemble.h"

#include <string.h>

/* A monoid's strings, and each component's; but those that only a user's has. */
#define OF_COMPONENT 6
#define OF_MONOID    9
#define MAX_STRINGS  (OF_MONOID + OF_COMPONENT * CLFOLD_MAX_COMPONENTS)

struct strings {
    const char **at[MAX_STRINGS];
    size_t num;
};

static void list_strings(struct strings *strings, struct monoid *monoid)
{
    const char **own[OF_MONOID] = { &monoid->name,      &monoid->cuts,
                                    &monoid->rare,      &monoid->combine,
                                    &monoid->identity,  &monoid->rounded,
                                    &monoid->type_name, &monoid->item_file,
                                    &monoid->equal };

    memcpy(strings->at, own, sizeof(own));
    strings->num = OF_MONOID;
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        struct component *component = &monoid->components[k];
        const char **all[OF_COMPONENT] = {
            &component->name,    &component->combine, &component->identity,
            &component->neutral, &component->usual,   &component->extend,
        };
        memcpy(&strings->at[strings->num], all, sizeof(all));
        strings->num += OF_COMPONENT;
    }
}

static bool same_numbers(const struct monoid *a, const struct monoid *b)
{
    bool same = a->op == b->op && a->accuracy == b->accuracy && a->in == b->in &&
                a->value == b->value && a->type == b->type && a->cell == b->cell &&
                a->num_scalars == b->num_scalars &&
                a->num_components == b->num_components &&
                a->commutative == b->commutative && a->has_identity == b->has_identity &&
                a->type_size == b->type_size && a->stage_limit == b->stage_limit &&
                a->in_struct == b->in_struct && a->out_struct == b->out_struct &&
                a->is_scalar == b->is_scalar && a->heads == b->heads &&
                a->found == b->found && a->offsets == b->offsets &&
                a->head_type == b->head_type && a->num_at == b->num_at &&
                a->count_at == b->count_at && a->finds_bad == b->finds_bad;

    for (uint32_t k = 0; same && k < a->num_components; ++k) {
        const struct component *x = &a->components[k], *y = &b->components[k];
        same = x->result == y->result && x->item == y->item && x->stage == y->stage &&
               x->load == y->load && x->scalar == y->scalar;
    }
    return same;
}

static bool same_strings(const struct monoid *a, const struct monoid *b)
{
    struct monoid left = *a, right = *b;
    struct strings x, y;
    bool same = true;

    list_strings(&x, &left);
    list_strings(&y, &right);
    for (size_t i = 0; same && i < x.num; ++i) {
        const char *one = *x.at[i], *other = *y.at[i];
        same = one && other ? strcmp(one, other) == 0 : one == other;
    }
    return same;
}

static struct interned *copy_of(const struct monoid *monoid)
{
    struct monoid content = *monoid;
    struct strings strings;
    struct interned *fold;
    size_t size = 0;

    list_strings(&strings, &content);
    for (size_t i = 0; i < strings.num; ++i) {
        size += *strings.at[i] ? strlen(*strings.at[i]) + 1 : 0;
    }
    fold = clfold_alloc(sizeof(*fold) + size);
    if (!fold) {
        return NULL;
    }
    char *end = fold->strings;
    for (size_t i = 0; i < strings.num; ++i) {
        if (*strings.at[i]) {
            size_t length = strlen(*strings.at[i]) + 1;
            *strings.at[i] = memcpy(end, *strings.at[i], length);
            end += length;
        }
    }
    fold->monoid = content;
    return fold;
}

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

clfold_status clfold_folds_intern(struct folds *folds, const struct site *site,
                                  const struct monoid *monoid, struct interned **out)
{
    struct interned *fold;

    clfold_lock_take(&folds->lock);
    for (fold = folds->newest; fold; fold = fold->next) {
        if (!fold->is_user && same_numbers(&fold->monoid, monoid) &&
            same_strings(&fold->monoid, monoid)) {
            break;
        }
    }
    if (!fold && (fold = copy_of(monoid))) {
        clfold_folds_enlist(folds, fold);
    }
    clfold_lock_give(&folds->lock);
    *out = fold;
    return fold ? CLFOLD_OK
                : clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for the fold");
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
        (status = clfold_caps_check_type(caps, site, "in", monoid.value)) ||
        (status = clfold_folds_intern(folds, site, &monoid, out))) {
        return status;
    }
    if (is_known) {
        atomic_store(&folds->built_in[op][type][in][accuracy], *out);
    }
    return CLFOLD_OK;
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
