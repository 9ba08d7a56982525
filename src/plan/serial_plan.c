/* Any operation by one work-item. */
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
    plan->items = plan->count < most ? plan->count : most;
    plan->cut = clfold_cut(plan->count, (struct segments){ 0 }, 1, 0);
    plan->num_groups = 1;
    plan->num_launches =
        plan->count > 0 ? (uint32_t)clfold_div_up(plan->count, plan->items) : 1;
    plan->scratch_bytes = plan->num_launches > 1 ? plan->item_size : 0;
    plan->scratch_most = plan->scratch_bytes;
}

static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    uint64_t first = number * plan->items, rest = plan->count - first;
    uint64_t num = rest < plan->items ? rest : plan->items;
    bool is_last = number + 1 == plan->num_launches;

    (void)work;
    launch->bytes_read = clfold_plan_read(plan, num);
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
    .launch = make_launch,
};
