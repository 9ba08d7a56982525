#include "plan/pieces.h"

#include "plan/scalar.h"
#include "plan/strategy.h"

/* Pieces at most, so that the items of a long segment are few. */
#define CPU_PIECES 1024
#define GPU_PIECES 16384

/* Items of one segment's pieces, where a device stops work-items that run long loops. */
#define MOST_ITEMS 32768

void clfold_plan_pieces(struct plan *plan, const struct job *job,
                        const struct policy *policy)
{
    const struct tile_shape *tile = &plan->shape.tile;
    const uint64_t pieces = clfold_tile_is_lone(tile->kind) ? CPU_PIECES : GPU_PIECES;
    const uint64_t num = job->segments.num_offsets - 1, total = plan->count + num;
    /* A work-item may meet a segment of the piece's in each of its group's rounds. */
    const uint64_t most = job->device->most_elements;
    const uint64_t shortest =
        most > 0 ? clfold_least(most, tile->elements) : tile->elements;
    uint64_t run = clfold_div_up(total, pieces);

    run = run > shortest ? run : shortest;
    run = most > 0 ? clfold_least(most, run) : run;
    plan->items = run / tile->group_size;
    plan->cut = (struct cut){
        .count = plan->count,
        .segments = { 1, plan->count },
        .num_segments = num,
        .run = run,
        .runs = 1,
        .num_runs = clfold_div_up(total, run),
    };
    clfold_set_groups(plan, job, plan->cut.num_runs, policy->groups);
    plan->num_launches = plan->cut.num_runs > 1 ? 2 : 1;
    plan->scratch_bytes = (size_t)(2 * plan->cut.num_runs) * plan->item_size;
    plan->scratch_most = (size_t)(2 * clfold_div_up(total, shortest)) * plan->item_size;
    if (most == 0 && plan->scratch_most > 2 * pieces * plan->item_size) {
        plan->scratch_most = (size_t)(2 * pieces) * plan->item_size;
    }
}

uint64_t clfold_most_places(const struct device_facts *device)
{
    return device->most_elements ? MOST_ITEMS * device->most_elements : UINT64_MAX;
}

void clfold_launch_pieces(const struct plan *plan, uint32_t number, bool work,
                          struct launch *launch)
{
    const uint64_t num = plan->cut.num_segments, pieces = plan->cut.num_runs;
    const uint64_t offsets = (num + 1) * clfold_scalar(plan->shape.use.offsets)->size;

    launch->num = work ? num : 0;
    launch->num_groups = number == 0 ? plan->num_groups : pieces;
    /* How many items a piece reads is not known. */
    launch->bytes_read =
        number == 0 ? plan->count * plan->read_size + offsets : pieces * plan->item_size;
    launch->bytes_written =
        number == 0 ? num * plan->out_size + pieces * plan->item_size : 0;
}
