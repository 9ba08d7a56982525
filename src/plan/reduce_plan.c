#include "plan/reduce_plan.h"

#include "base/size.h"
#include "plan/scalar.h"
#include "plan/tuning.h"

#include <string.h>

/* The longest tree that reduce_ladder.cl spells out. */
#define LARGEST_RUNG_GROUP 8192

/* Lanes of a lone work-item: 16, in four accumulators. */
#define VECTOR_LANES 64

static const char *const names[CLFOLD_REDUCE_ALGORITHMS] = {
    "reduce_tiles", "reduce0", "reduce1", "reduce2",
    "reduce3",      "reduce4", "reduce5", "reduce6",
};

const char *clfold_reduce_name(enum reduce_algorithm algorithm)
{
    return names[algorithm];
}

/* ---- Shapes ------------------------------------------------------------------------ */

/* Work-items that the device takes, each with an item of local memory. */
static uint32_t most_work_items(const struct device_facts *device, size_t items)
{
    size_t most = items < device->max_group_size ? items : device->max_group_size;

    return most > 0 ? (uint32_t)most : 1;
}

static struct tile_shape tile_of(const struct policy *policy,
                                 const struct device_facts *device,
                                 const struct monoid *monoid,
                                 const struct plan_override *override)
{
    struct tile_shape shape = {
        .kind = policy->tile,
        .elements = policy->tile_bytes / (uint32_t)clfold_monoid_in_size(monoid),
        .group_size = policy->group_size,
    };
    /* An item for each work-item and one in 32 more, see tile_group.cl. */
    size_t item_size = clfold_monoid_item_size(monoid);
    uint32_t most = most_work_items(device, device->local_memory / item_size / 33 * 32);

    if (override->tile_elements) {
        shape.elements = override->tile_elements;
    }
    if (override->group_size && shape.kind == TILE_GROUP) {
        shape.group_size = override->group_size;
    }
    if (shape.group_size > most) {
        shape.group_size = most;
    }
    if (shape.elements > monoid->stage_limit) {
        shape.elements = (uint32_t)monoid->stage_limit;
    }
    return shape;
}

static struct tile_shape rung_of(const struct policy *policy,
                                 const struct device_facts *device,
                                 const struct monoid *monoid,
                                 const struct plan_override *override)
{
    size_t items = device->local_memory / clfold_monoid_item_size(monoid);
    uint32_t most = most_work_items(device, items);
    struct tile_shape shape = {
        .kind = TILE_NONE,
        .group_size = override->group_size ? override->group_size : policy->group_size,
    };

    most = most < LARGEST_RUNG_GROUP ? most : LARGEST_RUNG_GROUP;
    shape.group_size = shape.group_size < most ? shape.group_size : most;
    return shape;
}

static struct policy overridden(struct policy policy,
                                const struct plan_override *override)
{
    if (override->max_groups) {
        policy.units = override->max_groups;
        policy.resident = 1;
        policy.lane_bytes = 0;
    }
    return policy;
}

uint32_t clfold_reduce_shapes(enum reduce_algorithm algorithm,
                              const struct device_facts *device,
                              const struct monoid *monoid,
                              const struct plan_override *override,
                              struct policy policies[CLFOLD_MAX_CANDIDATES],
                              struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES])
{
    struct policy all[CLFOLD_MAX_CANDIDATES];
    uint32_t num_all, num = 0;

    if (algorithm != REDUCE_TILES) {
        policies[0] = overridden(clfold_policy_ladder(device), override);
        shapes[0].algorithm = algorithm;
        shapes[0].tile = rung_of(&policies[0], device, monoid, override);
        return 1;
    }
    num_all = clfold_policy_reduce(device, all);
    clfold_tune_reduce(override->tuned, all, num_all);
    for (uint32_t i = 0; i < num_all; ++i) {
        if (override->tile != TILE_NONE && override->tile != all[i].tile) {
            continue;
        }
        policies[num] = overridden(all[i], override);
        shapes[num].algorithm = algorithm;
        shapes[num].tile = tile_of(&all[i], device, monoid, override);
        ++num;
    }
    return num;
}

clfold_status clfold_reduce_choose(enum reduce_algorithm *algorithm,
                                   const struct site *site, const char *name,
                                   const struct monoid *monoid,
                                   const struct device_facts *device,
                                   const struct plan_override *override)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    struct reduce_shape shapes[CLFOLD_MAX_CANDIDATES];
    uint32_t found = REDUCE_TILES;

    if (name) {
        while (found < CLFOLD_REDUCE_ALGORITHMS && strcmp(names[found], name) != 0) {
            ++found;
        }
    }
    if (found == CLFOLD_REDUCE_ALGORITHMS) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" is not in this version, which reduces by "
                           "reduce_tiles and reduce0 to reduce6",
                           name);
    }
    *algorithm = (enum reduce_algorithm)found;
    if (found >= REDUCE_0 + 2 && !monoid->commutative) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" reorders its operands, and %s does not "
                           "commute: reduce_tiles, reduce0 and reduce1 keep order",
                           names[found], monoid->name);
    }
    if (found < REDUCE_0) {
        return CLFOLD_OK;
    }
    clfold_reduce_shapes(*algorithm, device, monoid, override, policies, shapes);
    if (shapes[0].tile.group_size < 2) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" needs groups of 2 work-items, and %s is "
                           "folded by groups of %u here",
                           names[found], monoid->name, shapes[0].tile.group_size);
    }
    return CLFOLD_OK;
}

/* ---- Rounds ------------------------------------------------------------------------ */

/*
 * Where a device ends a work-item after so many rounds of its loops, no launch may give a
 * work-item more. These are rounds as the kernels' texts have them, at most:
 *
 *   tile_vector   a tile: one, S for each 16 elements of S scalars, and those behind them
 *   tile_group    a tile: one, one for each of the work-item's chunks, one for each of
 *                 their elements, and the steps of the tree
 *   reduce6       one for two elements
 *   partials      one for each, and with tile_group the steps of the tree
 *
 * The device may count up to four times as many: the end of a loop is a round as well,
 * and loops of four rounds are not sure to be unrolled. Its limit leaves room for that,
 * and is 32 or more.
 */
struct rounds {
    uint64_t most, tree;
};

static struct rounds rounds_of(const struct device_facts *device,
                               const struct tile_shape *tile)
{
    struct rounds rounds = { .most = device->most_rounds };

    while (tile->kind == TILE_GROUP && tile->group_size > UINT64_C(1) << rounds.tree) {
        ++rounds.tree;
    }
    return rounds;
}

/* Elements that a lone work-item may fold. */
static uint64_t most_in_vectors(const struct rounds *rounds,
                                const struct tile_shape *tile,
                                const struct monoid *monoid)
{
    uint64_t rest = tile->elements < 16 ? tile->elements : 15;
    uint64_t each = 1 + tile->elements / 16 * monoid->num_scalars + rest;

    return each <= rounds->most ? rounds->most / each * tile->elements
                                : (rounds->most - 1 - rest) / monoid->num_scalars * 16;
}

/* Elements that a group may fold. They may begin and end inside a chunk. */
static uint64_t most_in_chunks(const struct rounds *rounds, const struct tile_shape *tile,
                               uint64_t chunk)
{
    uint64_t chunks = clfold_div_up(tile->elements, chunk) + 1;
    uint64_t each = clfold_div_up(chunks, tile->group_size) * (chunk + 1);
    uint64_t rest = rounds->most - 1 - rounds->tree;

    return each <= rest ? rounds->most / (1 + each + rounds->tree) * tile->elements
                        : (rest / (chunk + 1) * tile->group_size - 1) * chunk;
}

/* Items that a lane may fold in the first launch; 0: any number. */
static uint64_t most_items(const struct rounds *rounds, const struct tile_shape *tile,
                           const struct monoid *monoid, const struct grid_rule *rule)
{
    uint64_t most;

    if (rounds->most == 0) {
        return 0;
    }
    most = tile->kind == TILE_VECTOR  ? most_in_vectors(rounds, tile, monoid)
           : tile->kind == TILE_GROUP ? most_in_chunks(rounds, tile, rule->vector)
                                      : 2 * rounds->most * rule->lanes;
    most /= rule->lanes;
    return most < rule->vector ? 1 : most / rule->vector * rule->vector;
}

/* Partials that a group may fold in a later launch. */
static uint64_t most_partials(const struct rounds *rounds, const struct tile_shape *tile)
{
    return rounds->most > 0 ? (rounds->most - rounds->tree) * tile->group_size
                            : UINT64_MAX;
}

/* ---- Counts ------------------------------------------------------------------------ */

static struct grid_rule rule_of(const struct monoid *monoid, const struct policy *policy,
                                const struct reduce_shape *shape)
{
    uint64_t in_size = clfold_monoid_in_size(monoid);
    struct grid_rule rule = {
        .units = policy->units,
        .resident = policy->resident,
        .lanes = shape->tile.group_size,
        .least_items = policy->lane_bytes / in_size,
    };

    switch (shape->tile.kind) {
    case TILE_VECTOR:
        rule.lanes = VECTOR_LANES;
        rule.vector = 1;
        break;
    case TILE_GROUP:
        rule.vector = in_size < 16 ? 16 / in_size : 1;
        break;
    default:
        rule.vector = 2; /* reduce6 takes items by twos */
    }
    return rule;
}

uint64_t clfold_reduce_groups(const struct reduce_plan *plan, uint32_t pass,
                              uint64_t count)
{
    uint64_t group = plan->shape.tile.group_size;

    if (plan->has_grid) {
        return pass == 0 ? plan->grid.groups : clfold_div_up(count, plan->partials);
    }
    if (plan->shape.algorithm >= REDUCE_0 + 3) {
        group *= 2;
    }
    return count > 0 ? clfold_div_up(count, group) : 1;
}

/* Every launch but the last leaves a partial for each of its groups. Launches take turns
 * in two areas, so the first two decide how much scratch there is. */
static void count_launches(struct reduce_plan *plan, const struct monoid *monoid,
                           uint64_t count)
{
    size_t item_size = clfold_monoid_item_size(monoid);
    uint64_t num = count, size = clfold_monoid_in_size(monoid);

    for (uint32_t pass = 0; pass == 0 || num > 1; ++pass) {
        plan->bytes_read += num * size;
        num = clfold_reduce_groups(plan, pass, num);
        size = num > 1 ? item_size : clfold_monoid_out_size(monoid);
        plan->bytes_written += num * size;
        plan->scratch_bytes += pass < 2 && num > 1 ? (size_t)num * item_size : 0;
        plan->num_groups = pass == 0 ? num : plan->num_groups;
        ++plan->num_launches;
    }
}

/* Scratch for the partials of any count up to this one. The number of groups goes up and
 * down as lanes take an item more each; where most_items decides it only goes up, and
 * this count's own scratch is the most. */
static size_t scratch_most(const struct reduce_plan *plan, const struct grid_rule *rule,
                           const struct monoid *monoid, uint64_t count)
{
    uint64_t most = clfold_div_up(count, rule->lanes);
    uint64_t fill = rule->units * rule->resident;

    most = most < fill ? most : fill;
    most += most > plan->partials ? clfold_div_up(most, plan->partials) : 0;
    return (size_t)most * clfold_monoid_item_size(monoid);
}

void clfold_reduce_plan_init(struct reduce_plan *plan, const struct monoid *monoid,
                             const struct device_facts *device,
                             const struct policy *policy,
                             const struct reduce_shape *shape, uint64_t count)
{
    struct rounds rounds = rounds_of(device, &shape->tile);
    size_t most = 0;

    *plan = (struct reduce_plan){
        .shape = *shape,
        .row = policy->row,
        .has_grid = shape->algorithm == REDUCE_TILES || shape->algorithm == REDUCE_6,
    };
    if (plan->has_grid) {
        struct grid_rule rule = rule_of(monoid, policy, shape);
        rule.most_items = most_items(&rounds, &shape->tile, monoid, &rule);
        clfold_grid_init(&plan->grid, &rule, count);
        plan->items = plan->grid.items * (rule.lanes / shape->tile.group_size);
        plan->partials = most_partials(&rounds, &shape->tile);
        most = scratch_most(plan, &rule, monoid, count);
    } else {
        plan->items = shape->algorithm >= REDUCE_0 + 3 ? 2 : 1;
    }
    count_launches(plan, monoid, count);
    plan->scratch_most = most > plan->scratch_bytes ? most : plan->scratch_bytes;
}
