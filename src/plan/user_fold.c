#include "plan/user_fold.h"

#include "plan/scalar.h"
#include "plan/text_values.h"
#include "plan/user_text.h"

#include <string.h>

/* ---- Names ------------------------------------------------------------------------- */

/* Names in scope now or in a later version. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {
        "a",       "b",      "pick",   "truth",  "at",     "x",      "key",
        "item",    "prev",   "out",    "in",     "i",      "n",      "total",
        "segment", "rank",   "j",      "to_i8",  "to_u8",  "to_i16", "to_u16",
        "to_i32",  "to_u32", "to_i64", "to_u64", "to_f16", "to_f32", "to_f64",
    };

    return clfold_name_is_clfolds(name) ||
           clfold_name_is_of(name, strlen(name), reserved, CLFOLD_LENGTH(reserved));
}

/* ---- Components -------------------------------------------------------------------- */

/* Elements are num_scalars of `in`, which are converted, or all of which a load sees. */
static void set_in(struct monoid *monoid, clfold_type in, uint32_t num_scalars)
{
    bool as_float = in == CLFOLD_F16;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        as_float &= monoid->components[k].item != CLFOLD_F16;
        monoid->components[k].load = LOAD_CONVERTED;
        monoid->components[k].scalar = k;
    }
    monoid->in = in;
    monoid->value = as_float ? CLFOLD_F32 : in;
    monoid->num_scalars = num_scalars;
    monoid->in_struct = false;
}

/* Components of one size are scalars of one type side by side, or their bits; all else is
 * a struct. */
static void set_form(struct monoid *monoid)
{
    const struct component *first = &monoid->components[0];
    size_t size = clfold_scalar(first->item)->size;
    bool same = true;

    monoid->cell = first->item;
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        struct component *component = &monoid->components[k];
        same &= clfold_scalar(component->item)->size == size;
        component->scalar = k;
        if (component->item != monoid->cell) {
            monoid->cell = clfold_integer(size, false);
        }
    }
    monoid->in_struct = monoid->out_struct = !same;
    monoid->in = monoid->value = monoid->cell;
    monoid->num_scalars = same ? monoid->num_components : 1;
    for (uint32_t k = 0; same && k < monoid->num_components; ++k) {
        monoid->components[k].load =
            monoid->components[k].item == monoid->cell ? LOAD_PLAIN : LOAD_BITS;
    }
}

/* ---- What is folded ---------------------------------------------------------------- */

/* Elements are scalars of `in`, or else of the folded type. */
static void set_elements(struct monoid *monoid, const clfold_fold *fold, uint32_t num)
{
    clfold_type in = fold->in ? fold->in : fold->type;

    monoid->in = in;
    monoid->value = in == CLFOLD_F16 && fold->type != CLFOLD_F16 ? CLFOLD_F32 : in;
    monoid->num_scalars = num;
}

static clfold_status check_type(const struct site *site, const clfold_fold *fold)
{
    int kinds =
        (fold->type != 0) + (fold->components != NULL) + (fold->type_name != NULL);
    clfold_type in = fold->in;

    if (kinds != 1) {
        return REJECT(site,
                      "a fold by combine has one of type, components and type_name, "
                      "but %s",
                      kinds == 0 ? "all three are 0" : "more than one is given");
    }
    if (in && fold->type_name && !fold->load) {
        return REJECT(site, "in %s is given with type_name, which needs a load",
                      clfold_scalar_name(in));
    }
    if (in && fold->type && !fold->load && clfold_scalar(in)->is_float &&
        !clfold_scalar(fold->type)->is_float) {
        return UNSUPPORTED(site,
                           "in %s cannot be folded as type %s: floats need a float type",
                           clfold_scalar_name(in), clfold_scalar_name(fold->type));
    }
    if (!fold->type_name && fold->type_size != 0) {
        return REJECT(site, "type_name is NULL, but type_size is %zu", fold->type_size);
    }
    if (fold->type_name &&
        (fold->type_size == 0 || fold->type_size > CLFOLD_MAX_TYPE_SIZE)) {
        return REJECT(site, "type_size %zu is not from 1 to %d", fold->type_size,
                      CLFOLD_MAX_TYPE_SIZE);
    }
    return CLFOLD_OK;
}

/* One type, not the declaration of several. */
static clfold_status check_type_text(const struct site *site, const char *field,
                                     const char *text)
{
    const struct initialised type = { .num = 1, .is_opaque = true };
    clfold_status status = clfold_user_text_check(site, field, text, false);

    return status ? status : clfold_user_text_count(site, field, text, NULL, type);
}

static clfold_status read_args(struct monoid *monoid, const struct site *site,
                               const clfold_fold *fold)
{
    for (size_t i = 0; i < fold->num_args; ++i) {
        const clfold_arg *arg = &fold->args[i];
        bool known = false;
        for (size_t k = 0; k < i && arg->name; ++k) {
            known |= strcmp(fold->args[k].name, arg->name) == 0;
        }
        if (!arg->name || clfold_name_length(arg->name) != strlen(arg->name) ||
            arg->name[0] == '\0') {
            return REJECT(site, "args[%zu]: \"%s\" is not a valid name", i,
                          arg->name ? arg->name : "");
        }
        if (is_reserved(arg->name) || known) {
            return REJECT(site, "args[%zu]: the name %s is %s", i, arg->name,
                          known ? "taken" : "reserved");
        }
        if (clfold_name_is_cl(arg->name, strlen(arg->name))) {
            return REJECT(site, "args[%zu]: the name %s is %s", i, arg->name,
                          CLFOLD_IS_CL);
        }
        clfold_status status = check_type_text(site, "args: type", arg->type);
        if (status) {
            return status;
        }
        monoid->arg_elements[i] = arg->element;
        monoid->arg_types[i] = arg->type;
        monoid->arg_names[i] = arg->name;
        monoid->arg_sizes[i] = arg->type ? clfold_type_text_size(arg->type) : 0;
    }
    monoid->num_args = (uint32_t)fold->num_args;
    return CLFOLD_OK;
}

/* ---- What a text uses -------------------------------------------------------------- */

/* What is not a number of the text's own element, memory or an image, is read lane by
 * lane. */
static struct uses uses_of(const struct monoid *monoid, const clfold_fold *fold,
                           const char *text)
{
    struct uses uses = {
        .x = clfold_user_text_uses(text, fold->source, "x"),
        .in = clfold_user_text_uses(text, fold->source, "in"),
        .prev = clfold_user_text_uses(text, fold->source, "prev"),
        .rank = clfold_user_text_uses(text, fold->source, "rank"),
        .n = clfold_user_text_uses(text, fold->source, "n"),
    };

    uses.segment = uses.rank || clfold_user_text_uses(text, fold->source, "segment");
    uses.lanes = uses.in;
    for (uint32_t i = 0; i < monoid->num_args; ++i) {
        bool is_number = monoid->arg_elements[i] ||
                         (!fold->args[i].mem && !strstr(monoid->arg_types[i], "image"));
        if (clfold_user_text_uses(text, fold->source, monoid->arg_names[i])) {
            uses.args |= 1u << i;
            uses.lanes |= !is_number;
        }
    }
    return uses;
}

/* ---- The load ---------------------------------------------------------------------- */

static void set_load(struct monoid *monoid, const clfold_fold *fold)
{
    uint32_t num = fold->in_scalars ? fold->in_scalars : 1;

    monoid->load = fold->load;
    monoid->loads = uses_of(monoid, fold, fold->load);
    monoid->loaded = fold->op ? fold->type : 0;
    monoid->num_loaded = monoid->num_scalars;
    if (!monoid->x_is_item && fold->op) {
        set_elements(monoid, fold, num);
    } else if (!monoid->x_is_item) {
        set_in(monoid, fold->in ? fold->in : fold->type, num);
    }
    monoid->loads.lanes |= monoid->in_struct && monoid->loads.x;
}

/* Elements without a load: scalars side by side become components in their order. */
static clfold_status set_scalars(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold)
{
    uint32_t num = monoid->num_components;

    if (fold->in_scalars && fold->in_scalars != monoid->num_scalars) {
        return REJECT(site, "in_scalars is %u, but %s takes %u without a load",
                      fold->in_scalars, monoid->name, monoid->num_scalars);
    }
    if (!fold->in || !fold->components) {
        return CLFOLD_OK;
    }
    for (uint32_t k = 0; k < num; ++k) {
        clfold_type item = monoid->components[k].item;
        if (clfold_scalar(fold->in)->is_float && !clfold_scalar(item)->is_float) {
            return UNSUPPORTED(
                site,
                "in %s cannot be folded as %s, component %s: floats need a float type",
                clfold_scalar_name(fold->in), clfold_scalar_name(item),
                monoid->components[k].name);
        }
    }
    set_in(monoid, fold->in, num);
    return CLFOLD_OK;
}

/* Elements that are converted are not what `in` points to. */
static clfold_status check_uses(const struct site *site, const struct monoid *monoid,
                                const struct uses *uses, const char *field)
{
    if (uses->in && monoid->num_scalars > 1 && !monoid->x_is_item &&
        monoid->value != monoid->in) {
        return UNSUPPORTED(site,
                           "%s uses in, whose elements are %u f16 that are read as f32",
                           field, monoid->num_scalars);
    }
    return CLFOLD_OK;
}

static clfold_status set_element(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold)
{
    if (fold->in_scalars > CLFOLD_MAX_COMPONENTS) {
        return REJECT(site, "in_scalars %u is not from 1 to %d", fold->in_scalars,
                      CLFOLD_MAX_COMPONENTS);
    }
    /* An operator on tuples takes them where nothing else is said. */
    monoid->x_is_item =
        !fold->in && !fold->in_scalars && (!fold->op || monoid->num_scalars > 1);
    if (!fold->load) {
        return set_scalars(monoid, site, fold);
    }
    if (fold->in_scalars && !fold->in && !fold->type) {
        return REJECT(site,
                      "in_scalars is %u, but in is 0: of which type they are is "
                      "unknown",
                      fold->in_scalars);
    }
    set_load(monoid, fold);
    return check_uses(site, monoid, &monoid->loads, "load");
}

/* ---- The result -------------------------------------------------------------------- */

static clfold_status check_out(const struct site *site, const struct monoid *monoid,
                               const clfold_fold *fold)
{
    uint32_t num = clfold_monoid_num_results(monoid);
    const char *text = fold->result ? fold->result : fold->store;

    if (fold->out_scalars > CLFOLD_MAX_COMPONENTS) {
        return REJECT(site, "out_scalars %u is not from 1 to %d", fold->out_scalars,
                      CLFOLD_MAX_COMPONENTS);
    }
    if (fold->result && fold->store) {
        return REJECT(site, "result and store are both given");
    }
    if (fold->out_scalars && !fold->out && !fold->type) {
        return REJECT(site,
                      "out_scalars is %u, but out is 0: of which type they are is "
                      "unknown",
                      fold->out_scalars);
    }
    if (text) {
        return CLFOLD_OK;
    }
    if (fold->out && fold->type_name) {
        return REJECT(site, "out %s is given with type_name, which needs a result",
                      clfold_scalar_name(fold->out));
    }
    if (fold->out_scalars && fold->out_scalars != num) {
        return REJECT(site, "out_scalars is %u, but %s gives %u without a result",
                      fold->out_scalars, monoid->name, num);
    }
    for (uint32_t k = 0; fold->out && k < num; ++k) {
        clfold_type type = clfold_monoid_result_type(monoid, k);
        if (clfold_scalar(type)->is_float && !clfold_scalar(fold->out)->is_float) {
            return UNSUPPORTED(
                site,
                "%s cannot be written as out %s: floats need a float type, "
                "or a result",
                clfold_scalar_name(type), clfold_scalar_name(fold->out));
        }
    }
    return CLFOLD_OK;
}

/* Whether a result is as many scalars of that type. */
static bool is_own_form(const struct monoid *monoid, clfold_type out, uint32_t num)
{
    bool own = !monoid->out_struct && monoid->cell == out &&
               num == clfold_monoid_num_results(monoid);

    for (uint32_t k = 0; own && k < num; ++k) {
        own = clfold_monoid_result_type(monoid, k) == out;
    }
    return own;
}

/* Whether an element of `out` is what a statement's out[i] is. */
static bool stores_elements(const struct monoid *monoid)
{
    bool same = true;

    for (uint32_t k = 0; !monoid->out_struct && k < clfold_monoid_num_results(monoid);
         ++k) {
        same &= clfold_monoid_result_size(monoid, k) == clfold_scalar(monoid->cell)->size;
    }
    return monoid->out ? monoid->out != CLFOLD_F16 || monoid->num_out == 1 : same;
}

static clfold_status set_result(struct monoid *monoid, const struct site *site,
                                const clfold_fold *fold)
{
    clfold_status status = check_out(site, monoid, fold);
    bool by_text = fold->result || fold->store;
    clfold_type out = fold->out || !fold->out_scalars ? fold->out : fold->type;
    uint32_t num = fold->out_scalars ? fold->out_scalars
                   : by_text         ? 1
                                     : clfold_monoid_num_results(monoid);

    if (status) {
        return status;
    }
    if (out && !is_own_form(monoid, out, num)) {
        monoid->out = out;
        monoid->num_out = num;
    }
    if (by_text) {
        monoid->stores = fold->store != NULL;
        monoid->result = monoid->stores ? fold->store : fold->result;
        monoid->writes = uses_of(monoid, fold, monoid->result);
        monoid->writes.lanes |= monoid->stores || (monoid->in_struct && monoid->writes.x);
    }
    monoid->writes.lanes |= monoid->out == CLFOLD_F16;
    if (monoid->stores && !stores_elements(monoid)) {
        return UNSUPPORTED(site,
                           "store: elements of `out` are not structs that %s could be "
                           "stored to by name",
                           monoid->out ? "several f16" : monoid->name);
    }
    return check_uses(site, monoid, &monoid->writes, fold->store ? "store" : "result");
}

/* ---- From the right ---------------------------------------------------------------- */

/* Elements are taken and written one by one, by texts. Where the fold has none, they copy
 * what they see, which has the form of what they give. */
static void set_reverse(struct monoid *monoid, const clfold_fold *fold)
{
    const bool has_rows = fold->segments && fold->segments->by > CLFOLD_BY_OFFSETS;

    if (!monoid->load) {
        monoid->load = clfold_num_x(monoid) == 1
                           ? "x"
                           : "((union { CLFOLD_X x; clfold_loaded l; }){ x }).l";
        monoid->loads.x = true;
        monoid->loaded = fold->op || !monoid->x_is_item ? monoid->value : 0;
        monoid->num_loaded = monoid->num_scalars;
    }
    if (!monoid->result && !monoid->out) {
        monoid->result =
            clfold_monoid_num_results(monoid) == 1
                ? "item"
                : "((union { CLFOLD_VALUE i; clfold_written w; }){ item }).w";
    }
    monoid->loads.lanes = monoid->writes.lanes = true;
    monoid->writes.segment |= has_rows;
}

/* ---- What is kept ------------------------------------------------------------------ */

static clfold_status set_keep(struct monoid *monoid, const struct site *site,
                              const clfold_fold *fold)
{
    const bool are_runs = fold->same != NULL;

    if (!fold->keep && !are_runs) {
        return CLFOLD_OK;
    }
    monoid->keep = are_runs ? fold->same : fold->keep;
    monoid->keeps_runs = are_runs;
    monoid->keeps = uses_of(monoid, fold, monoid->keep);
    monoid->writes.at = monoid->stores;
    if (are_runs) {
        monoid->keeps.x = monoid->keeps.in = monoid->keeps.segment = false;
        monoid->keeps.prev = true;
        return CLFOLD_OK;
    }
    monoid->keeps_scan = fold->op || fold->combine;
    if (monoid->keeps_scan) {
        monoid->writes_places =
            monoid->result && !monoid->writes.prev &&
            !clfold_user_text_uses(monoid->result, fold->source, "item");
    }
    monoid->keeps.prev &= monoid->keeps_scan;
    monoid->keeps.lanes |= monoid->in_struct && monoid->keeps.x;
    return check_uses(site, monoid, &monoid->keeps, "keep");
}

/* ---- The fold ---------------------------------------------------------------------- */

/* What a text makes. */
enum made { CONDITION, ITEM, COMBINED, LOADED, WRITTEN, NUM_MADE };

/* That expressions are whole; or, if `made` is given, that they make no more and no less.
 */
static clfold_status check_expressions(const struct site *site, const clfold_fold *fold,
                                       const struct initialised *made)
{
    const struct {
        const char *field, *text;
        enum made made;
    } texts[] = {
        { "combine", fold->combine, COMBINED }, { "identity", fold->identity, ITEM },
        { "cuts", fold->cuts, CONDITION },      { "load", fold->load, LOADED },
        { "result", fold->result, WRITTEN },    { "keep", fold->keep, CONDITION },
        { "same", fold->same, CONDITION },      { "equal", fold->equal, CONDITION },
    };
    clfold_status status = CLFOLD_OK;

    for (size_t i = 0; !status && i < CLFOLD_LENGTH(texts); ++i) {
        const char *field = texts[i].field, *text = texts[i].text;
        status = made ? clfold_user_text_count(site, field, text, fold->source,
                                               made[texts[i].made])
                      : clfold_user_text_check(site, field, text, false);
    }
    return status;
}

/* Texts make what the monoid says. */
static clfold_status check_counts(const struct site *site, const struct monoid *monoid,
                                  const clfold_fold *fold)
{
    const bool is_opaque = !monoid->components[0].item;
    const struct initialised made[NUM_MADE] = {
        [CONDITION] = { .num = 1 },
        [ITEM] = { monoid->num_components, is_opaque, false },
        [COMBINED] = { monoid->num_components, is_opaque, true },
        [LOADED] = { clfold_num_loaded(monoid), !clfold_loaded_field(monoid, 0).type,
                     false },
        [WRITTEN] = { clfold_num_written(monoid), !clfold_written_field(monoid, 0).type,
                      false },
    };

    return check_expressions(site, fold, made);
}

static clfold_status init_built_in(struct monoid *monoid, const struct site *site,
                                   const clfold_fold *fold)
{
    clfold_status status =
        clfold_monoid_init(monoid, site, fold->op, fold->type,
                           fold->in && !fold->load ? fold->in : fold->type);

    if (status) {
        return status;
    }
    monoid->source = fold->source;
    monoid->is_scalar = (fold->flags & CLFOLD_PARTIAL) != 0;
    return CLFOLD_OK;
}

static clfold_status init_user(struct monoid *monoid, const struct site *site,
                               const clfold_fold *fold, struct component_names *names)
{
    const bool is_opaque = fold->type_name != NULL;
    clfold_status status = check_type(site, fold);

    if (status) {
        return status;
    }
    *monoid = (struct monoid){
        .name = "combine",
        .form = fold->components ? fold->components : fold->type_name,
        .commutative = (fold->flags & CLFOLD_COMMUTATIVE) != 0,
        .has_identity = fold->identity != NULL,
        .is_scalar = (fold->flags & CLFOLD_PARTIAL) || is_opaque,
        .stage_limit = UINT64_MAX,
        .source = fold->source,
        /* A map combines nothing, but programs have an operator. */
        .combine = fold->combine ? fold->combine : "b",
        .identity = fold->identity,
        .cuts = fold->cuts,
        .type = fold->type,
        .cell = fold->type,
        .type_name = fold->type_name,
        .type_size = fold->type_size,
        .in_struct = is_opaque,
        .out_struct = is_opaque,
        .num_scalars = 1,
        .num_components = 1,
        .components = { clfold_plain("v", fold->type, NULL, NULL) },
    };
    if (fold->type) {
        set_elements(monoid, fold, 1);
    }
    if (fold->components &&
        !(status = clfold_read_components(monoid, site, fold->components, names))) {
        set_form(monoid);
    }
    return status;
}

clfold_status clfold_monoid_user(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold, struct component_names *names)
{
    clfold_status status = check_type_text(site, "type_name", fold->type_name);

    if (status || (status = check_expressions(site, fold, NULL)) ||
        (status = clfold_user_text_check(site, "store", fold->store, true)) ||
        (status = fold->op ? init_built_in(monoid, site, fold)
                           : init_user(monoid, site, fold, names)) ||
        (status = clfold_monoid_set_accuracy(monoid, site, fold->accuracy)) ||
        (status = read_args(monoid, site, fold)) ||
        (status = set_element(monoid, site, fold)) ||
        (status = set_result(monoid, site, fold)) ||
        (status = set_keep(monoid, site, fold))) {
        return status;
    }
    if (fold->flags & CLFOLD_REVERSE) {
        set_reverse(monoid, fold);
    }
    monoid->equal = fold->equal;
    return check_counts(site, monoid, fold);
}
