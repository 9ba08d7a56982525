/* Maps: each element by itself, in one launch. */
#include "base/platform.h"
#include "base/size.h"
#include "plan/plan.h"
#include "plan/strategy.h"

static enum algorithm choose(const struct job *job)
{
    (void)job;
    return MAP_TILES;
}

/* A tile is what memory is asked for ahead of, or an element of each work-item. */
static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    uint64_t elements = policy->tile_bytes / clfold_monoid_in_size(job->monoid);
    uint64_t group = policy->group_size;
    bool is_group = policy->tile == TILE_GROUP;

    group = group < job->device->max_group_size ? group : job->device->max_group_size;
    group = is_group && group > 0 ? group : 1;
    elements = is_group ? group : elements > 0 ? elements : 1;
    shape->tile =
        (struct tile_shape){ policy->tile, (uint32_t)elements, (uint32_t)group };
    shape->builtins =
        policy->tile == TILE_VECTOR && clfold_platform_builtins(job->device->platform);
    shape->stream = policy->tile == TILE_VECTOR && policy->stream_bytes > 0;
}

/* A group takes a run of whole lines of the output, the first one less. */
static void make_plan(struct stage *stage, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &stage->shape.tile;
    uint64_t line = clfold_line_elements(stage->out_size);
    uint64_t most = job->device->most_elements * tile->group_size;

    uint64_t run = clfold_div_up(stage->count, policy->groups);

    run = run > tile->elements ? run : tile->elements;
    run = most > 0 && run > most ? most : run;
    run = run > line ? run / line * line : run;
    stage->cut = clfold_cut(stage->count, (struct rows){ 0 }, run,
                            run % line == 0 ? job->out_offset % line : 0);
    stage->num_groups = stage->cut.num_runs > 0 ? stage->cut.num_runs : 1;
    stage->num_launches = 1;
    stage->items = run / tile->group_size;
}

const struct strategy clfold_map_strategy = {
    .element = clfold_monoid_in_size,
    .choose = choose,
    .shape = make_shape,
    .plan = make_plan,
};
