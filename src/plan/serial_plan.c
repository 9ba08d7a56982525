/* Any operation by one work-item, or a reduction in pieces. */
#include "base/size.h"
#include "plan/plan.h"
#include "plan/strategy.h"

/* Elements a launch, where the device sets no limit. Drivers stop kernels that run for
 * seconds; a work-item of a GPU takes a microsecond or less for an element. */
#define CPU_ELEMENTS (1 << 24)
#define GPU_ELEMENTS (1 << 20)

static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    const struct operation *operation = clfold_operation_row(job->operation);

    (void)policy;
    shape->tile = (struct tile_shape){ .kind = TILE_NONE, .group_size = 1 };
    shape->each = operation->writes_each;
    shape->exclusive = operation->exclusive;
    shape->carries = job->of_carries;
}

static bool in_pieces(const struct stage *stage)
{
    return stage->shape.algorithm == SERIAL_PIECES;
}

static void make_plan(struct stage *stage, const struct job *job,
                      const struct policy *policy)
{
    uint64_t most = job->device->cpu ? CPU_ELEMENTS : GPU_ELEMENTS;

    if (policy->tile_bytes) {
        most = policy->tile_bytes / stage->in_size;
    }
    if (job->device->most_elements && job->device->most_elements < most) {
        most = job->device->most_elements;
    }
    uint64_t run = 1;
    /* About as many pieces as each has elements, so that no work-item folds many. */
    while (in_pieces(stage) && run < most && run * run < stage->count) {
        run *= 2;
    }
    run = clfold_least(run, most);
    stage->cut = clfold_cut(stage->count, (struct rows){ 0 }, run, 0);
    const uint64_t num = stage->cut.num_runs;
    stage->items = clfold_least(num, most);
    stage->num_groups = in_pieces(stage) && num > 0 ? num : 1;
    stage->num_launches =
        in_pieces(stage) + (num > 0 ? (uint32_t)clfold_div_up(num, stage->items) : 1);
    stage->scratch_bytes = in_pieces(stage)          ? (size_t)num * stage->item_size
                           : stage->num_launches > 1 ? stage->item_size
                                                     : 0;
    stage->scratch_most = stage->scratch_bytes;
}

static void make_launch(const struct stage *stage, uint32_t number, struct launch *launch)
{
    launch->first = 0;
    if (in_pieces(stage) && number == 0) {
        launch->bytes_written = stage->scratch_bytes;
        return;
    }
    const uint64_t count = stage->cut.num_runs;
    uint64_t first = (number - in_pieces(stage)) * stage->items, rest = count - first;
    uint64_t num = clfold_least(rest, stage->items);
    bool is_last = number + 1 == stage->num_launches;

    clfold_launch_moves(launch, 1,
                        in_pieces(stage) ? num * stage->item_size
                                         : clfold_stage_read(stage, num),
                        stage->shape.each ? num * stage->out_size
                        : is_last         ? stage->out_size
                                          : 0);
    launch->count = count;
    launch->first = first;
    launch->run = stage->items;
}

const struct strategy clfold_serial_strategy = {
    .element = clfold_monoid_in_size,
    .shape = make_shape,
    .plan = make_plan,
    .launch = make_launch,
};
