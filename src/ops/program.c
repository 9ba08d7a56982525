#include "ops/program.h"

#include <stddef.h>

/* The numbers that change the program's text, words all of them. */
struct numbers {
    uint32_t operation, algorithm, variant[3], in, value, cell, num_scalars,
        num_components;
    uint32_t commutative, has_identity, stage_limit;
    uint32_t tile, tile_elements, group_size;
    struct {
        uint32_t result, item, stage, load, scalar;
    } components[CLFOLD_MAX_COMPONENTS];
};

/* Six strings a component, two more, and the numbers. */
_Static_assert(6 * CLFOLD_MAX_COMPONENTS + 3 <= CLFOLD_KEY_PIECES, "a key has room");

/* The key's strings are the monoid's, its numbers go to `numbers`. */
static void make_key(struct key *key, struct numbers *numbers,
                     const struct program_spec *spec)
{
    const struct monoid *monoid = spec->monoid;
    size_t size;

    *numbers = (struct numbers){
        .operation = spec->operation,
        .algorithm = spec->algorithm,
        .variant = { spec->variant[0], spec->variant[1], spec->variant[2] },
        .in = monoid->in,
        .value = monoid->value,
        .cell = monoid->cell,
        .num_scalars = monoid->num_scalars,
        .num_components = monoid->num_components,
        .commutative = monoid->commutative,
        .has_identity = monoid->has_identity,
        .stage_limit = (uint32_t)(monoid->stage_limit < UINT32_MAX ? monoid->stage_limit
                                                                   : UINT32_MAX),
        .tile = spec->tile.kind,
        .tile_elements = spec->tile.elements,
        .group_size = spec->tile.group_size,
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
    clfold_key_add_words(key, &numbers->operation, size / sizeof(uint32_t));
}

clfold_status clfold_program_choose(clfold_context *context, const struct site *site,
                                    const struct program_spec *specs, uint32_t num,
                                    uint32_t *chosen, struct program **program)
{
    clfold_status status = CLFOLD_ERROR_BUILD;
    bool found = true;

    *program = NULL;
    for (uint32_t i = 0; i < num && status == CLFOLD_ERROR_BUILD; ++i) {
        struct key key;
        struct numbers numbers;
        const struct recipe recipe = { specs[i].assemble, specs[i].data, specs[i].names,
                                       specs[i].num_kernels };

        make_key(&key, &numbers, &specs[i]);
        status = clfold_cache_find(&context->cache, site, &key, &recipe, program, &found);
        *chosen = i;
    }
    clfold_cache_count(&context->cache, found && status == CLFOLD_OK);
    return status;
}

uint32_t clfold_program_foresee(clfold_context *context, const struct program_spec *specs,
                                uint32_t num, struct program **program, bool *fails)
{
    uint32_t i = 0;

    for (;; ++i) {
        struct key key;
        struct numbers numbers;

        make_key(&key, &numbers, &specs[i]);
        *fails = clfold_cache_peek(&context->cache, &key, program) == PROGRAM_FAILED;
        if (!*fails || i + 1 == num) {
            return i;
        }
    }
}

static clfold_status launch_with_scratch(clfold_context *context, struct chain *chain,
                                         const struct launches *of,
                                         struct kernels *kernels, bool wants_event)
{
    struct block *block = NULL;
    clfold_status status, given;

    status =
        clfold_scratch_lend(&context->scratch, chain->site, chain->queue, chain->in_order,
                            of->scratch_kind, of->scratch_bytes, &block);
    if (status) {
        return status;
    }
    /* The limit wants the newest also when a later launch fails. */
    chain->wants_events = context->scratch.limit > 0;
    status = of->launch(chain, of->call, of->plan, kernels, block, wants_event);
    given = clfold_scratch_give(&context->scratch, chain->site, block, chain->last);
    return status ? status : given;
}

clfold_status clfold_program_launch(clfold_context *context, struct program *program,
                                    struct chain *chain, const struct launches *launches,
                                    cl_event *event)
{
    const struct launches *of = launches;
    struct kernels *kernels;
    clfold_status status =
        clfold_program_take(&context->cache, chain->site, program, &kernels);

    if (status) {
        return status;
    }
    status = of->scratch_bytes > 0
                 ? launch_with_scratch(context, chain, of, kernels, event != NULL)
                 : of->launch(chain, of->call, of->plan, kernels, NULL, event != NULL);
    clfold_program_give(&context->cache, program, kernels);
    if (event && status == CLFOLD_OK) {
        *event = chain->last;
    } else {
        clfold_chain_finish(chain);
    }
    return status;
}
