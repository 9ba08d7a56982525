/* Reductions: reduce_tiles and the rungs of the ladder. */
#include "base/size.h"
#include "plan/strategy.h"

/* The longest tree that reduce_ladder.cl spells out. */
#define LARGEST_RUNG_GROUP 8192

/* Lanes of a lone work-item: 16, in four accumulators; or its runs. */
#define VECTOR_LANES 64
#define ITEM_LANES   4

/* ---- Shapes ------------------------------------------------------------------------ */

/* Work-items that the device takes, each with an item of local memory. */
static uint32_t most_work_items(const struct device_facts *device, size_t items)
{
    size_t most = items < device->max_group_size ? items : device->max_group_size;

    return most > 0 ? (uint32_t)most : 1;
}

static uint32_t least(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Local memory for the folds of the chunks of a tile in order, but for padding: so little
 * that a compute unit of 64 KiB has three groups; and chunks of a work-item, at most. */
#define ORDERED_BYTES  (16u * 1024)
#define ORDERED_CHUNKS 4

/* Elements of a group's tile in order, which puts the folds of all its chunks aside at
 * once; see tile_group.cl. Padding is less than a third. */
static uint32_t ordered_elements(const struct job *job, uint32_t group_size)
{
    const struct monoid *monoid = job->monoid;
    uint64_t bytes = least(job->device->local_memory / 3 * 2, ORDERED_BYTES);
    uint32_t group = group_size > 0 ? group_size : 1;
    uint32_t run = least(bytes / clfold_monoid_item_size(monoid) / group, ORDERED_CHUNKS);

    return (run > 0 ? run : 1) * group * clfold_monoid_chunk(monoid);
}

static struct tile_shape tile_of(const struct job *job, const struct policy *policy)
{
    const struct monoid *monoid = job->monoid;
    bool is_ordered = policy->tile == TILE_GROUP && !monoid->commutative;
    size_t item_size = clfold_monoid_item_size(monoid);
    /* An item for each work-item and one in 32 more; in order, two. */
    size_t items = job->device->local_memory / item_size / 33 * 32;
    uint32_t elements =
        least(policy->tile_bytes / clfold_monoid_in_size(monoid), monoid->stage_limit);

    elements = elements > 0 ? elements : 1;
    if (is_ordered) {
        items = least(items / 2, ORDERED_BYTES / item_size);
    }
    /* Each work-item has an element of a tile. */
    uint32_t group_size =
        least(least(policy->group_size, elements), most_work_items(job->device, items));

    return (struct tile_shape){
        .kind = policy->tile,
        .elements =
            is_ordered ? least(elements, ordered_elements(job, group_size)) : elements,
        .group_size = group_size,
    };
}

static struct tile_shape rung_of(const struct job *job, const struct policy *policy)
{
    size_t items = job->device->local_memory / clfold_monoid_item_size(job->monoid);
    uint32_t most = least(most_work_items(job->device, items), LARGEST_RUNG_GROUP);

    return (struct tile_shape){
        .kind = TILE_NONE,
        .group_size = least(policy->group_size, most),
    };
}

static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    shape->tile = clfold_algorithm_row(shape->algorithm)->is_rung ? rung_of(job, policy)
                                                                  : tile_of(job, policy);
}

static enum algorithm choose(const struct job *job)
{
    (void)job;
    return REDUCE_TILES;
}

static clfold_status check(struct job *job, const struct site *site)
{
    const struct algorithm_row *row = clfold_algorithm_row(job->algorithm);
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    uint32_t num;
    clfold_status status;

    if (row->reorders && !job->monoid->commutative) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" reorders its operands, and %s does not "
                           "commute: reduce_tiles, reduce0 and reduce1 keep order",
                           row->name, job->monoid->name);
    }
    if (!row->is_rung) {
        return CLFOLD_OK;
    }
    if ((status = clfold_plan_candidates(job, site, candidates, &num))) {
        return status;
    }
    if (candidates[0].shape.tile.group_size < 2) {
        return clfold_fail(
            site, CLFOLD_ERROR_UNSUPPORTED,
            "algorithm \"%s\" needs groups of 2 or more work-items, but %s is "
            "folded by groups of %u here",
            row->name, job->monoid->name, candidates[0].shape.tile.group_size);
    }
    return CLFOLD_OK;
}

/* ---- Counts ------------------------------------------------------------------------ */

uint64_t clfold_reduce_lanes(enum tile_kind kind, uint32_t group_size)
{
    return kind == TILE_VECTOR ? VECTOR_LANES
           : kind == TILE_ITEM ? ITEM_LANES
                               : group_size;
}

static struct grid_rule rule_of(const struct plan *plan, const struct policy *policy)
{
    uint64_t in_size = plan->in_size;
    struct grid_rule rule = {
        .full = policy->groups,
        .lanes = clfold_reduce_lanes(plan->shape.tile.kind, plan->shape.tile.group_size),
        .least_items = policy->lane_bytes / in_size,
    };

    switch (plan->shape.tile.kind) {
    case TILE_VECTOR:
    case TILE_ITEM:
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

/* Items that a lane may fold in the first launch; 0: any number. */
static uint64_t most_items(const struct device_facts *device, const struct plan *plan,
                           const struct grid_rule *rule)
{
    uint64_t lanes = rule->lanes / plan->shape.tile.group_size; /* of a work-item */
    uint64_t most = device->most_elements / lanes / rule->vector * rule->vector;

    return device->most_elements == 0 || most > 0 ? most : 1;
}

/* Partials that a group may fold in a later launch. */
static uint64_t most_partials(const struct device_facts *device, const struct plan *plan)
{
    return device->most_elements ? device->most_elements * plan->shape.tile.group_size
                                 : UINT64_MAX;
}

/* The groups of launch `number`, which folds `count` elements or partials. */
static uint64_t groups_of(const struct plan *plan, uint32_t number, uint64_t count)
{
    uint64_t group = plan->shape.tile.group_size;

    if (plan->has_grid) {
        return number == 0 ? plan->grid.groups : clfold_div_up(count, plan->partials);
    }
    return count > 0 ? clfold_div_up(count, group * plan->items) : 1;
}

/* Every launch but the last leaves a partial for each of its groups. Launches take turns
 * in two areas, so the first two decide how much scratch there is. */
static void count_launches(struct plan *plan)
{
    uint64_t num = plan->count;

    for (; plan->num_launches == 0 || num > 1; ++plan->num_launches) {
        num = groups_of(plan, plan->num_launches, num);
        if (plan->num_launches == 0) {
            plan->num_groups = num;
        }
        if (plan->num_launches < 2 && num > 1) {
            plan->scratch_bytes += (size_t)num * plan->item_size;
        }
    }
}

/* Scratch for the partials of any count up to this one. The number of groups goes up and
 * down as lanes take an item more each; where most_items decides it only goes up, and
 * this count's own scratch is the most. */
static size_t scratch_most(const struct plan *plan, const struct grid_rule *rule)
{
    uint64_t most = clfold_div_up(plan->count, rule->lanes);

    most = most < rule->full ? most : rule->full;
    most += most > plan->partials ? clfold_div_up(most, plan->partials) : 0;
    return (size_t)most * plan->item_size;
}

static void make_plan(struct plan *plan, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &plan->shape.tile;
    size_t most = 0;

    plan->items = clfold_algorithm_row(plan->shape.algorithm)->items;
    plan->has_grid = plan->items == 0;
    if (plan->has_grid) {
        struct grid_rule rule = rule_of(plan, policy);
        rule.most_items = most_items(job->device, plan, &rule);
        clfold_grid_init(&plan->grid, &rule, plan->count);
        plan->items = plan->grid.items * (rule.lanes / tile->group_size);
        plan->partials = most_partials(job->device, plan);
        most = scratch_most(plan, &rule);
    }
    count_launches(plan);
    plan->scratch_most = most > plan->scratch_bytes ? most : plan->scratch_bytes;
}

/* ---- Launches ---------------------------------------------------------------------- */

/* The kernels of reduce_tiles. */
enum { KERNEL_SINGLE, KERNEL_TILES, KERNEL_PARTIALS };

static uint32_t kernel_of(const struct plan *plan, uint32_t number)
{
    if (clfold_algorithm_row(plan->shape.algorithm)->is_rung) {
        return 0;
    }
    return number > 0                ? KERNEL_PARTIALS
           : plan->num_launches == 1 ? KERNEL_SINGLE
                                     : KERNEL_TILES;
}

/* Launches alternate between two areas of scratch for partials:
 *
 *   in -> 0 ... num_groups - 1 -> num_groups ... -> 0 ... -> out
 */
static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    uint64_t count = work ? plan->count : 0;

    for (uint32_t i = 0; i < number; ++i) {
        count = groups_of(plan, i, count);
    }
    launch->num_groups = groups_of(plan, number, count);
    launch->bytes_read = count * (number == 0 ? plan->read_size : plan->item_size);
    launch->bytes_written =
        launch->num_groups * (launch->num_groups > 1 ? plan->item_size : plan->out_size);
    launch->count = launch->num = count;
    launch->is_first = number == 0;
    launch->from = number % 2 == 0 ? plan->num_groups : 0;
    launch->to = number % 2 == 0 ? 0 : plan->num_groups;
    launch->run = launch->kernel == KERNEL_PARTIALS
                      ? plan->partials
                      : plan->items * plan->shape.tile.group_size;
}

const struct strategy clfold_reduce_strategy = {
    .element = clfold_monoid_in_size,
    .choose = choose,
    .check = check,
    .shape = make_shape,
    .plan = make_plan,
    .kernel = kernel_of,
    .launch = make_launch,
};
