#include "ops/program.h"

#include <stddef.h>

/* The monoid's numbers that change the program's text, words all of them. The rest of the
 * key is its strings and the whole shape. */
struct numbers {
    struct shape shape;
    uint32_t in, value, cell, num_scalars, num_components;
    uint32_t commutative, has_identity, stage_limit;
    struct {
        uint32_t result, item, stage, load, scalar;
    } components[CLFOLD_MAX_COMPONENTS];
};

/* Six strings a component, two more, and the numbers. */
_Static_assert(6 * CLFOLD_MAX_COMPONENTS + 3 <= CLFOLD_KEY_PIECES, "a key has room");

/* The key's strings are the monoid's, its numbers go to `numbers`. */
static void make_key(struct key *key, struct numbers *numbers,
                     const struct monoid *monoid, const struct shape *shape)
{
    size_t size;

    *numbers = (struct numbers){
        .shape = *shape,
        .in = monoid->in,
        .value = monoid->value,
        .cell = monoid->cell,
        .num_scalars = monoid->num_scalars,
        .num_components = monoid->num_components,
        .commutative = monoid->commutative,
        .has_identity = monoid->has_identity,
        .stage_limit = (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit
                                                                   : UINT32_MAX),
    };
    clfold_key_init(key);
    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        const struct component *component = &monoid->components[k];
        numbers->components[k].result = component->result;
        numbers->components[k].item = component->item;
        numbers->components[k].stage = component->stage;
        numbers->components[k].load = component->load;
        numbers->components[k].scalar = component->scalar;
        clfold_key_add_string(key, component->name);
        clfold_key_add_string(key, component->combine);
        clfold_key_add_string(key, component->identity);
        clfold_key_add_string(key, component->neutral);
        clfold_key_add_string(key, component->usual);
        clfold_key_add_string(key, component->extend);
    }
    clfold_key_add_string(key, monoid->cuts);
    clfold_key_add_string(key, monoid->rare);
    size = offsetof(struct numbers, components) +
           monoid->num_components * sizeof(numbers->components[0]);
    clfold_key_add_words(key, (const uint32_t *)numbers, size / sizeof(uint32_t));
}

clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct monoid *monoid,
                                    const struct candidate *candidates, uint32_t num,
                                    uint32_t *chosen, struct program **program)
{
    clfold_status status = CLFOLD_ERROR_BUILD;
    bool found = true;

    *program = NULL;
    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        const struct recipe recipe = { monoid, &candidates[i].shape };
        struct key key;
        struct numbers numbers;

        make_key(&key, &numbers, monoid, &candidates[i].shape);
        status = clfold_cache_find(&context->cache, site, &key, &recipe, program, &found);
        *chosen = i;
    }
    clfold_cache_count(&context->cache, found && status == CLFOLD_OK);
    return status;
}

uint32_t clfold_program_foresee(clfold_context *context, const struct monoid *monoid,
                                const struct candidate *candidates, uint32_t num,
                                struct program **program, bool *fails)
{
    uint32_t i = 0;

    for (;; ++i) {
        struct key key;
        struct numbers numbers;

        make_key(&key, &numbers, monoid, &candidates[i].shape);
        *fails = clfold_cache_peek(&context->cache, &key, program) == PROGRAM_FAILED;
        if (!*fails || i + 1 == num) {
            return i;
        }
    }
}
