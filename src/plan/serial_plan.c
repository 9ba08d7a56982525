/* Any operation by one work-item, or a reduction in pieces. */
#include "base/size.h"
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

static bool in_pieces(const struct plan *plan)
{
    return plan->shape.algorithm == SERIAL_PIECES;
}

static void make_plan(struct plan *plan, const struct job *job,
                      const struct policy *policy)
{
    uint64_t most = job->device->cpu ? CPU_ELEMENTS : GPU_ELEMENTS;

    if (policy->tile_bytes) {
        most = policy->tile_bytes / plan->in_size;
    }
    if (job->device->most_elements && job->device->most_elements < most) {
        most = job->device->most_elements;
    }
    uint64_t run = 1;
    /* About as many pieces as each has elements, so that no work-item folds many. */
    while (in_pieces(plan) && run < most && run * run < plan->count) {
        run *= 2;
    }
    run = clfold_least(run, most);
    plan->cut = clfold_cut(plan->count, (struct rows){ 0 }, run, 0);
    const uint64_t num = plan->cut.num_runs;
    plan->items = clfold_least(num, most);
    plan->num_groups = in_pieces(plan) && num > 0 ? num : 1;
    plan->num_launches =
        in_pieces(plan) + (num > 0 ? (uint32_t)clfold_div_up(num, plan->items) : 1);
    plan->scratch_bytes = in_pieces(plan)          ? (size_t)num * plan->item_size
                          : plan->num_launches > 1 ? plan->item_size
                                                   : 0;
    plan->scratch_most = plan->scratch_bytes;
}

static uint32_t find_kernel(const struct plan *plan, uint32_t number)
{
    return in_pieces(plan) && number > 0;
}

static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    if (in_pieces(plan) && number == 0) {
        launch->first = 0;
        launch->num_groups = plan->num_groups;
        launch->bytes_read = clfold_plan_read(plan, plan->count);
        launch->bytes_written = plan->scratch_bytes;
        return;
    }
    const uint64_t count = plan->cut.num_runs;
    uint64_t first = (number - in_pieces(plan)) * plan->items, rest = count - first;
    uint64_t num = clfold_least(rest, plan->items);
    bool is_last = number + 1 == plan->num_launches;

    launch->count = work ? count : 0;
    launch->bytes_read =
        in_pieces(plan) ? num * plan->item_size : clfold_plan_read(plan, num);
    launch->bytes_written = plan->shape.each ? num * plan->out_size
                            : is_last        ? plan->out_size
                                             : 0;
    launch->first = first;
    launch->run = plan->items;
}

const struct strategy clfold_serial_strategy = {
    .element = clfold_monoid_in_size,
    .shape = make_shape,
    .plan = make_plan,
    .kernel = find_kernel,
    .launch = make_launch,
};
