/* Interned folds of users. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "device/folds.h"
#include "plan/user_text.h"

#include <string.h>

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

/* Texts of a recipe that are not arguments'. */
#define OWN_TEXTS CLFOLD_NUM_TEXTS

static void make_recipe(struct recipe *recipe, const clfold_fold *fold, uint64_t bits)
{
    uint32_t *numbers = recipe->numbers;

    memcpy(numbers,
           (const uint32_t[CLFOLD_RECIPE_NUMBERS]){
               fold->op,
               fold->type,
               fold->in,
               fold->in_scalars,
               fold->out,
               fold->out_scalars,
               fold->accuracy,
               fold->flags,
               (uint32_t)fold->type_size,
               (uint32_t)((uint64_t)fold->type_size >> 32),
               (uint32_t)fold->num_args,
               clfold_facets_form(bits),
           },
           sizeof(recipe->numbers));
    recipe->num_texts = OWN_TEXTS + 2 * (uint32_t)fold->num_args;
    for (int i = 0; i < OWN_TEXTS; ++i) {
        recipe->texts[i] = clfold_facet_text(fold, (enum facet)(FACET_COMPONENTS + i));
    }
    /* Of a select's carries nothing is kept. */
    if (!clfold_has(bits, TRAIT_SELECT)) {
        recipe->texts[FACET_KEEP - FACET_COMPONENTS] = NULL;
    }
    for (size_t i = 0; i < fold->num_args; ++i) {
        recipe->texts[OWN_TEXTS + 2 * i] = fold->args[i].type;
        recipe->texts[OWN_TEXTS + 1 + 2 * i] = fold->args[i].name;
        /* A stream's type, or whether the argument is a buffer: 15. */
        numbers[CLFOLD_RECIPE_NUMBERS - 1] |=
            (fold->args[i].element ? fold->args[i].element
             : fold->args[i].mem   ? 15
                                   : 0)
            << (4 * i);
    }
    recipe->hash = 0;
}

static void hash_recipe(struct recipe *recipe)
{
    recipe->hash = clfold_hash(CLFOLD_HASH_START, recipe->numbers, CLFOLD_RECIPE_NUMBERS);
    for (uint32_t i = 0; i < recipe->num_texts; ++i) {
        recipe->hash = hash_text(recipe->hash, recipe->texts[i]);
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_recipe(const struct recipe *a, const struct recipe *b)
{
    bool same = a->num_texts == b->num_texts &&
                memcmp(a->numbers, b->numbers, sizeof(a->numbers)) == 0;

    for (uint32_t i = 0; same && i < a->num_texts; ++i) {
        same = same_text(a->texts[i], b->texts[i]);
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
            return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
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
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "segments by %s add a component to the %u of %s, and this "
                           "driver's compiler fails at %u",
                           clfold_way_name(fold->segments->by), monoid->num_components,
                           monoid->name, monoid->num_components + 1);
    }
    clfold_monoid_lift(monoid);
    return CLFOLD_OK;
}

/* Checks that the device has the fold's types. */
static clfold_status check_caps(const struct site *site, const struct caps *caps,
                                const clfold_fold *fold, const struct monoid *monoid)
{
    clfold_status status = clfold_caps_check_accuracy(caps, site, monoid->accuracy);

    if (status ||
        (monoid->type &&
         (status = clfold_caps_check_type(caps, site, "type", monoid->type))) ||
        (monoid->value &&
         (status = clfold_caps_check_type(caps, site, "in", monoid->value))) ||
        (monoid->out && monoid->out != CLFOLD_F16 &&
         (status = clfold_caps_check_type(caps, site, "out", monoid->out)))) {
        return status;
    }
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        clfold_type type = monoid->components[k].item;
        if (type && (status = clfold_caps_check_type(caps, site, "components", type))) {
            return status;
        }
    }
    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        clfold_type element = monoid->arg_elements[i];
        if (element && element != CLFOLD_F16 &&
            (status = clfold_caps_check_type(caps, site, "args: element", element))) {
            return status;
        }
    }
    /* A copy of a long item is a loop there. */
    if (caps->facts.most_elements && fold->type_size > LONGEST_LOOPED) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "type_size is %zu, but this device cuts loops short, which "
                           "items of more than %d bytes need",
                           (size_t)fold->type_size, LONGEST_LOOPED);
    }
    return fold->components ? check_gaps(site, caps, monoid) : CLFOLD_OK;
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
    for (int i = 0; i < OWN_TEXTS; ++i) {
        clfold_facet_set_text(&own, (enum facet)(FACET_COMPONENTS + i), texts[i]);
    }
    for (size_t i = 0; i < fold->num_args; ++i) {
        args[i].type = texts[OWN_TEXTS + 2 * i];
        args[i].name = texts[OWN_TEXTS + 1 + 2 * i];
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

    for (int i = 0; i < OWN_TEXTS; ++i) {
        places = places * 31 + (uintptr_t)recipe->texts[i];
    }
    return &folds->hints[places % CLFOLD_FOLD_HINTS];
}

/* The fold, held once more; NULL: it is new. Hashes the recipe if it has to. */
static struct interned *take_user(struct folds *folds, struct recipe *recipe)
{
    struct interned **hint = hint_of(folds, recipe), *fold = *hint;

    if (!fold || !same_recipe(&fold->recipe, recipe)) {
        hash_recipe(recipe);
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

#ifdef CLFOLD_CHECK_KEYS

static clfold_status check_found(const struct interned *found, const struct site *site,
                                 const struct caps *caps, const clfold_fold *fold,
                                 uint64_t bits, const struct recipe *recipe)
{
    struct interned *made;
    clfold_status status = make_user(&made, site, caps, fold, bits, recipe);

    if (status == CLFOLD_OK) {
        status = clfold_folds_agree(&found->monoid, &made->monoid)
                     ? CLFOLD_OK
                     : clfold_folds_differ(site, &made->monoid);
        clfold_free(made);
    }
    return status;
}

#endif

clfold_status clfold_folds_user(struct folds *folds, const struct site *site,
                                const struct caps *caps, const clfold_fold *fold,
                                uint64_t bits, struct interned **out)
{
    struct interned *made = NULL, *found;
    struct recipe recipe;
    clfold_status status;

    make_recipe(&recipe, fold, bits);
    clfold_lock_take(&folds->lock);
    found = take_user(folds, &recipe);
    clfold_lock_give(&folds->lock);
    if (found) {
#ifdef CLFOLD_CHECK_KEYS
        if ((status = check_found(found, site, caps, fold, bits, &recipe))) {
            clfold_folds_give(found);
            return status;
        }
#endif
        *out = found;
        return CLFOLD_OK;
    }
    if ((status = make_user(&made, site, caps, fold, bits, &recipe))) {
        return status;
    }
    clfold_lock_take(&folds->lock);
    found = take_user(folds, &recipe);
    if (!found && made) {
        struct interned **bucket = &folds->buckets[recipe.hash % CLFOLD_FOLD_BUCKETS];
        clfold_folds_enlist(folds, made);
        atomic_fetch_add(&folds->num_users, 1);
        made->peer = *bucket;
        *bucket = made;
        found = take_user(folds, &recipe);
        made = NULL;
    }
    clfold_lock_give(&folds->lock);
    clfold_free(made);
    *out = found;
    return CLFOLD_OK;
}

void clfold_folds_give(struct interned *fold)
{
    if (fold && fold->is_user) {
        atomic_fetch_sub_explicit(&fold->users, 1, memory_order_release);
    }
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

void clfold_folds_drop(struct interned *fold)
{
    clfold_free(fold);
}
