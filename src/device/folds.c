#include "device/folds.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"

#include <string.h>

/* Adds a new fold; under the lock. */
static void enlist(struct folds *folds, struct interned *fold)
{
    fold->id = ++folds->next_id;
    fold->next = folds->newest;
    folds->newest = fold;
}

clfold_status clfold_folds_built_in(struct folds *folds, const struct site *site,
                                    const struct caps *caps, clfold_op op,
                                    clfold_type type, clfold_type in, uint32_t accuracy,
                                    struct interned **out)
{
    struct monoid monoid;
    clfold_status status;

    if (op < CLFOLD_FOLD_OPS &&
        (*out = atomic_load(&folds->built_in[op][type][in][accuracy]))) {
        return CLFOLD_OK;
    }
    if ((status = clfold_monoid_init(&monoid, site, op, type, in)) ||
        (status = clfold_monoid_set_accuracy(&monoid, site, accuracy)) ||
        (status = clfold_caps_check_accuracy(caps, site, accuracy)) ||
        (status = clfold_caps_check_type(caps, site, "type", type)) ||
        (status = clfold_caps_check_type(caps, site, "in", monoid.value))) {
        return status;
    }
    _Atomic(struct interned *) *place = &folds->built_in[op][type][in][accuracy];
    clfold_lock_take(&folds->lock);
    *out = atomic_load(place); /* another thread may have made it meanwhile */
    if (!*out && (*out = clfold_alloc(sizeof(**out)))) {
        (*out)->monoid = monoid; /* its strings are static */
        enlist(folds, *out);
        atomic_store(place, *out);
    }
    clfold_lock_give(&folds->lock);
    return *out ? CLFOLD_OK
                : clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for the fold");
}

/* ---- Of users ---------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    uint32_t words[16] = { (uint32_t)length, text != NULL };
    uint64_t result = clfold_hash(hash, words, 2);

    for (size_t at = 0; at < length; at += sizeof(words)) {
        size_t rest = length - at < sizeof(words) ? length - at : sizeof(words);
        memcpy(words, text + at, rest);
        memset((char *)words + rest, 0, (4 - rest % 4) % 4);
        result = clfold_hash(result, words, (rest + 3) / 4);
    }
    return result;
}

static void make_recipe(struct recipe *recipe, const clfold_fold *fold, uint64_t bits)
{
    *recipe = (struct recipe){
        .numbers = { fold->op, fold->type, fold->in, fold->in_scalars, fold->out,
                     fold->out_scalars, fold->accuracy, fold->flags,
                     (uint32_t)fold->type_size,
                     (uint32_t)((uint64_t)fold->type_size >> 32),
                     (uint32_t)fold->num_args, clfold_facets_form(bits) },
        .num_texts = CLFOLD_NUM_TEXTS + 2 * (uint32_t)fold->num_args,
    };
    for (int i = 0; i < CLFOLD_NUM_TEXTS; ++i) {
        recipe->texts[i] = clfold_facet_text(fold, (enum facet)(FACET_COMPONENTS + i));
    }
    /* Of a select's carries nothing is kept. */
    if (!clfold_has(bits, TRAIT_SELECT)) {
        recipe->texts[FACET_KEEP - FACET_COMPONENTS] = NULL;
    }
    for (size_t i = 0; i < fold->num_args; ++i) {
        recipe->texts[CLFOLD_NUM_TEXTS + 2 * i] = fold->args[i].type;
        recipe->texts[CLFOLD_NUM_TEXTS + 1 + 2 * i] = fold->args[i].name;
        /* A stream's type, or whether the argument is a buffer: 15. */
        recipe->numbers[CLFOLD_RECIPE_NUMBERS - 1] |=
            (fold->args[i].element ? fold->args[i].element
             : fold->args[i].mem   ? 15
                                   : 0)
            << (4 * i);
    }
}

static bool same_recipe(const struct recipe *a, const struct recipe *b)
{
    bool same = a->num_texts == b->num_texts &&
                memcmp(a->numbers, b->numbers, sizeof(a->numbers)) == 0;

    for (uint32_t i = 0; same && i < a->num_texts; ++i) {
        const char *x = a->texts[i], *y = b->texts[i];
        same = x == y || (x && y && strcmp(x, y) == 0);
    }
    return same;
}

/* Bytes of an item on a device that cuts loops short, at most. */
#define LONGEST_LOOPED 64

/* Some drivers copy structs wrongly that have padding between their members. */
static clfold_status check_gaps(const struct site *site, const struct caps *caps,
                                const struct monoid *monoid)
{
    size_t end = 0;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        size_t offset = clfold_monoid_out_offset(monoid, k);
        if (offset != end && clfold_platform_miscopies(caps->facts.platform)) {
            return UNSUPPORTED(site,
                               "components \"%s\" leave a gap before %s, and this driver "
                               "copies such structs wrongly: put wide ones first",
                               monoid->form, monoid->components[k].name);
        }
        end = offset + clfold_monoid_result_size(monoid, k);
    }
    return CLFOLD_OK;
}

/* Parts of an item that this compiler makes right code of. */
#define MOST_PARTS 4

static clfold_status lift(struct monoid *monoid, const struct site *site,
                          const struct caps *caps, const clfold_fold *fold)
{
    if (monoid->num_components == MOST_PARTS &&
        clfold_platform_miscopies(caps->facts.platform)) {
        return UNSUPPORTED(site,
                           "segments by %s add a component to the %u of %s, and this "
                           "driver's compiler fails at %u",
                           clfold_way_name(fold->segments->by), monoid->num_components,
                           monoid->name, monoid->num_components + 1);
    }
    clfold_monoid_lift(monoid);
    return CLFOLD_OK;
}

/* Halves of results and streams are of no type of the device's. */
static clfold_type unless_half(clfold_type type)
{
    return type == CLFOLD_F16 ? 0 : type;
}

/* Checks that the device has the fold's types. */
static clfold_status check_caps(const struct site *site, const struct caps *caps,
                                const clfold_fold *fold, const struct monoid *monoid)
{
    clfold_status status = clfold_caps_check_accuracy(caps, site, monoid->accuracy);

    if (status || (status = clfold_caps_check_type(caps, site, "type", monoid->type)) ||
        (status = clfold_caps_check_type(caps, site, "in", monoid->value)) ||
        (status = clfold_caps_check_type(caps, site, "out", unless_half(monoid->out)))) {
        return status;
    }
    for (uint32_t k = 0; !status && k < monoid->num_components; ++k) {
        status =
            clfold_caps_check_type(caps, site, "components", monoid->components[k].item);
    }
    for (uint32_t i = 0; !status && i < monoid->num_args; ++i) {
        status = clfold_caps_check_type(caps, site, "args: element",
                                        unless_half(monoid->arg_elements[i]));
    }
    /* A copy of a long item is a loop there. */
    if (!status && caps->facts.most_elements && fold->type_size > LONGEST_LOOPED) {
        return UNSUPPORTED(site,
                           "type_size is %zu, but this device cuts loops short, which "
                           "items of more than %d bytes need",
                           (size_t)fold->type_size, LONGEST_LOOPED);
    }
    return status || !fold->components ? status : check_gaps(site, caps, monoid);
}

/* The fold of a recipe, with its own copy of the texts. */
static clfold_status make_user(struct interned **out, const struct site *site,
                               const struct caps *caps, const clfold_fold *fold,
                               uint64_t bits, const struct recipe *recipe)
{
    clfold_arg args[CLFOLD_MAX_ARGS] = { 0 };
    clfold_fold own = *fold;
    struct interned *made;
    clfold_status status;
    size_t size = 0;
    char *end;

    for (uint32_t i = 0; i < recipe->num_texts; ++i) {
        size += recipe->texts[i] ? strlen(recipe->texts[i]) + 1 : 0;
    }
    if (!(made = clfold_alloc(sizeof(*made) + size))) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for the fold");
    }
    *made = (struct interned){ .is_user = true, .recipe = *recipe };
    end = made->strings;
    for (uint32_t i = 0; i < recipe->num_texts; ++i) {
        if (recipe->texts[i]) {
            size_t length = strlen(recipe->texts[i]) + 1;
            made->recipe.texts[i] = memcpy(end, recipe->texts[i], length);
            end += length;
        }
    }
    const char *const *texts = made->recipe.texts;
    for (int i = 0; i < CLFOLD_NUM_TEXTS; ++i) {
        clfold_facet_set_text(&own, (enum facet)(FACET_COMPONENTS + i), texts[i]);
    }
    for (size_t i = 0; i < fold->num_args; ++i) {
        args[i].type = texts[CLFOLD_NUM_TEXTS + 2 * i];
        args[i].name = texts[CLFOLD_NUM_TEXTS + 1 + 2 * i];
        args[i].element = fold->args[i].element;
        args[i].mem = fold->args[i].mem;
    }
    own.args = args;
    if ((status = clfold_monoid_user(&made->monoid, site, &own, &made->names)) ||
        (status = check_caps(site, caps, fold, &made->monoid)) ||
        (clfold_facets_lift(bits) && (status = lift(&made->monoid, site, caps, &own)))) {
        clfold_free(made);
        return status;
    }
    *out = made;
    return CLFOLD_OK;
}

/* Where texts lie does not say what they are, but most callers pass the same ones again:
 * the fold that came from there the last time is compared before anything is hashed. */
static struct interned **hint_of(struct folds *folds, const struct recipe *recipe)
{
    uintptr_t places = 0;

    for (int i = 0; i < CLFOLD_NUM_TEXTS; ++i) {
        places = places * 31 + (uintptr_t)recipe->texts[i];
    }
    return &folds->hints[places % CLFOLD_FOLD_HINTS];
}

/* The fold, held once more; NULL: it is new. Hashes the recipe if it has to. */
static struct interned *take_user(struct folds *folds, struct recipe *recipe)
{
    struct interned **hint = hint_of(folds, recipe), *fold = *hint;

    if (!fold || !same_recipe(&fold->recipe, recipe)) {
        recipe->hash =
            clfold_hash(CLFOLD_HASH_START, recipe->numbers, CLFOLD_RECIPE_NUMBERS);
        for (uint32_t i = 0; i < recipe->num_texts; ++i) {
            recipe->hash = hash_text(recipe->hash, recipe->texts[i]);
        }
        fold = folds->buckets[recipe->hash % CLFOLD_FOLD_BUCKETS];
        while (fold && (fold->recipe.hash != recipe->hash ||
                        !same_recipe(&fold->recipe, recipe))) {
            fold = fold->peer;
        }
    }
    if (fold) {
        *hint = fold;
        atomic_fetch_add_explicit(&fold->users, 1, memory_order_relaxed);
        fold->used = ++folds->clock;
    }
    return fold;
}

clfold_status clfold_folds_user(struct folds *folds, const struct site *site,
                                const struct caps *caps, const clfold_fold *fold,
                                uint64_t bits, struct interned **out)
{
    struct interned *made = NULL;
    struct recipe recipe;
    clfold_status status;

    make_recipe(&recipe, fold, bits);
    clfold_lock_take(&folds->lock);
    *out = take_user(folds, &recipe);
    clfold_lock_give(&folds->lock);
    if (*out) {
        return CLFOLD_OK;
    }
    if ((status = make_user(&made, site, caps, fold, bits, &recipe))) {
        return status;
    }
    clfold_lock_take(&folds->lock);
    *out = take_user(folds, &recipe); /* another thread may have made it meanwhile */
    if (!*out && made) {
        struct interned **bucket = &folds->buckets[recipe.hash % CLFOLD_FOLD_BUCKETS];
        enlist(folds, made);
        atomic_fetch_add(&folds->num_users, 1);
        made->peer = *bucket;
        *bucket = made;
        *out = take_user(folds, &recipe);
        made = NULL;
    }
    clfold_lock_give(&folds->lock);
    clfold_free(made);
    return CLFOLD_OK;
}

/* Takes the fold out of both lists and the hints. */
static void unlink_user(struct folds *folds, struct interned *fold)
{
    struct interned **link = &folds->newest;

    while (*link != fold) {
        link = &(*link)->next;
    }
    *link = fold->next;
    link = &folds->buckets[fold->recipe.hash % CLFOLD_FOLD_BUCKETS];
    while (*link != fold) {
        link = &(*link)->peer;
    }
    *link = fold->peer;
    for (int i = 0; i < CLFOLD_FOLD_HINTS; ++i) {
        if (folds->hints[i] == fold) {
            folds->hints[i] = NULL;
        }
    }
}

struct interned *clfold_folds_evict(struct folds *folds)
{
    struct interned *oldest = NULL;

    clfold_lock_take(&folds->lock);
    for (struct interned *fold = folds->newest; fold; fold = fold->next) {
        if (fold->is_user && (!oldest || fold->used < oldest->used) &&
            atomic_load_explicit(&fold->users, memory_order_acquire) == 0) {
            oldest = fold;
        }
    }
    if (oldest) {
        unlink_user(folds, oldest);
        atomic_fetch_sub(&folds->num_users, 1);
    }
    clfold_lock_give(&folds->lock);
    return oldest;
}

/* ---- All --------------------------------------------------------------------------- */

void clfold_folds_finish(struct folds *folds)
{
    while (folds->newest) {
        struct interned *fold = folds->newest;
        folds->newest = fold->next;
        clfold_free(fold);
    }
    clfold_lock_finish(&folds->lock);
}
