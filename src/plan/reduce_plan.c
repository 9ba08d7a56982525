#include "plan/reduce_plan.h"

#include "base/size.h"

static struct tile_shape shape_of(const struct policy *policy,
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
    size_t most = device->local_memory / item_size / 33 * 32;

    if (override->tile_elements) {
        shape.elements = override->tile_elements;
    }
    if (override->group_size && shape.kind == TILE_GROUP) {
        shape.group_size = override->group_size;
    }
    most = most < device->max_group_size ? most : device->max_group_size;
    if (shape.group_size > most) {
        shape.group_size = most > 0 ? (uint32_t)most : 1;
    }
    if (shape.elements > monoid->stage_limit) {
        shape.elements = (uint32_t)monoid->stage_limit;
    }
    return shape;
}

uint32_t clfold_reduce_shapes(const struct device_facts *device,
                              const struct monoid *monoid,
                              const struct plan_override *override,
                              struct policy policies[CLFOLD_MAX_CANDIDATES],
                              struct tile_shape shapes[CLFOLD_MAX_CANDIDATES])
{
    struct policy all[CLFOLD_MAX_CANDIDATES];
    uint32_t num_all = clfold_policy_reduce(device, all), num = 0;

    for (uint32_t i = 0; i < num_all; ++i) {
        if (override->tile != TILE_NONE && override->tile != all[i].tile) {
            continue;
        }
        policies[num] = all[i];
        if (override->max_groups) {
            policies[num].max_groups = override->max_groups;
            policies[num].single_tiles = 1;
        }
        shapes[num] = shape_of(&all[i], device, monoid, override);
        ++num;
    }
    return num;
}

void clfold_reduce_plan_init(struct reduce_plan *plan, const struct monoid *monoid,
                             const struct policy *policy, const struct tile_shape *shape,
                             uint64_t count)
{
    uint64_t tiles = clfold_div_up(count, shape->elements);
    bool single = tiles <= policy->single_tiles || policy->max_groups == 1;

    *plan = (struct reduce_plan){
        .algorithm = "reduce_tiles",
        .row = policy->row,
        .shape = *shape,
        .num_tiles = tiles,
        .tiles_per_group = single ? tiles : clfold_div_up(tiles, policy->max_groups),
        .num_groups = 1,
        .num_launches = 1,
        .bytes_read = count * clfold_monoid_in_size(monoid),
        .bytes_written = clfold_monoid_out_size(monoid),
    };
    if (!single) {
        /* Divided again, so that no group is left without a tile. */
        plan->num_groups = (uint32_t)clfold_div_up(tiles, plan->tiles_per_group);
        plan->num_launches = 2;
        plan->scratch_bytes = plan->num_groups * clfold_monoid_item_size(monoid);
        plan->bytes_read += plan->scratch_bytes;
        plan->bytes_written += plan->scratch_bytes;
    }
}
