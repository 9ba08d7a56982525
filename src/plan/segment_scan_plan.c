/* Scans of segments: by lanes, or rows by tiles. */
#include "plan/segment_plan.h"

/* Groups that are worth more than to read the elements a second time. */
#define CPU_GROUPS 16
#define GPU_GROUPS 256

static uint64_t groups_of(const struct job *job)
{
    return job->device->cpu ? CPU_GROUPS : GPU_GROUPS;
}

static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    clfold_scan_strategy.shape(shape, job, policy);
    shape->anchor = 1;
    if (shape->algorithm == SCAN_LANES) {
        clfold_shape_lanes(shape, job, policy, clfold_scan_strategy.element(job->monoid));
    }
}

/* Runs of a segment that a launch may turn into prefixes. */
static uint64_t most_prefixes(const struct job *job)
{
    return job->device->most_elements ? job->device->most_elements : UINT32_MAX;
}

/* An item for each run, and one more for each segment. */
static size_t scratch_of(const struct plan *plan, const struct cut *cut)
{
    uint64_t segments = clfold_num_segments(plan->count, plan->segments);

    return (size_t)((cut->runs + 1) * segments) * plan->item_size;
}

static void make_plan(struct plan *plan, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &plan->shape.tile;
    bool by_lanes = plan->shape.algorithm == SCAN_LANES;
    uint64_t segments = clfold_num_segments(job->count, job->segments);
    uint64_t bundles;
    struct cut cut;

    plan->segments = job->segments;
    plan->streams =
        plan->shape.stream && plan->count * plan->out_size >= policy->stream_bytes;
    plan->items = by_lanes ? clfold_lane_run(job, &plan->shape, groups_of(job), false)
                           : tile->elements;
    cut = clfold_cut(plan->count, plan->segments, plan->items);
    plan->runs_again = most_prefixes(job);
    /* Whole rows, if they are many; a work-item's part of one must not be long. */
    bool is_whole = cut.runs == 1 || (!by_lanes && segments >= groups_of(job) &&
                                      job->device->most_elements == 0);
    plan->num_launches =
        is_whole ? 1 : 2 + (uint32_t)clfold_div_up(cut.runs, plan->runs_again);
    bundles = by_lanes   ? clfold_div_up(cut.num_runs, tile->elements)
              : is_whole ? segments
                         : cut.num_runs;
    plan->run = clfold_bundles_each(job, bundles, policy->groups);
    plan->num_groups = bundles > 0 ? clfold_div_up(bundles, plan->run) : 1;
    plan->scratch_bytes = is_whole ? 0 : scratch_of(plan, &cut);
    /* Fewer segments are cut into more runs, but there are no more than this in all. */
    plan->scratch_most =
        cut.segments.length == 0
            ? 0
            : (size_t)(2 * (groups_of(job) * (by_lanes ? tile->elements : 1) + 1) +
                       2 * (plan->count / plan->items + 2)) *
                  plan->item_size;
    if (plan->scratch_most < plan->scratch_bytes) {
        plan->scratch_most = plan->scratch_bytes;
    }
}

/* The kernels; by lanes the third is the only one of whole segments, too. */
enum { KERNEL_AGGREGATES, KERNEL_PREFIXES, KERNEL_SCAN, KERNEL_WHOLE };

static uint32_t kernel_of(const struct plan *plan, uint32_t number)
{
    if (plan->num_launches == 1) {
        return plan->shape.algorithm == SCAN_ROWS ? KERNEL_WHOLE : KERNEL_SCAN;
    }
    return number == 0                        ? KERNEL_AGGREGATES
           : number + 1 == plan->num_launches ? KERNEL_SCAN
                                              : KERNEL_PREFIXES;
}

static void launch_prefixes(const struct plan *plan, uint32_t number,
                            const struct cut *cut, bool work, struct launch *launch)
{
    uint64_t segments = clfold_num_segments(plan->count, plan->segments);
    uint64_t first = work ? (number - 1) * plan->runs_again : 0;
    uint64_t rest = cut->runs - first;
    uint64_t num = rest < plan->runs_again ? rest : plan->runs_again;

    launch->num_groups = clfold_div_up(segments, plan->shape.tile.group_size);
    launch->num_groups = launch->num_groups > 0 ? launch->num_groups : 1;
    launch->bytes_read = launch->bytes_written = segments * num * plan->item_size;
    launch->num_segments = work ? segments : 0;
    launch->first = first;
    launch->num = num;
}

static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    const struct cut cut = clfold_cut(plan->count, plan->segments, plan->items);
    uint64_t items = plan->num_launches > 1 ? cut.num_runs * plan->item_size : 0;

    clfold_launch_cut(launch, &cut, work);
    if (launch->kernel == KERNEL_PREFIXES) {
        launch_prefixes(plan, number, &cut, work, launch);
        return;
    }
    launch->num_groups = plan->num_groups;
    launch->bytes_read = plan->count * plan->read_size;
    launch->each = plan->run;
    if (launch->kernel == KERNEL_AGGREGATES) {
        launch->bytes_written = items;
        return;
    }
    launch->bytes_read += items;
    launch->bytes_written = plan->count * plan->out_size;
}

const struct strategy clfold_scan_segments_strategy = {
    .element = clfold_monoid_in_size,
    .choose = clfold_segments_choose,
    .check = clfold_segments_check,
    .shape = make_shape,
    .plan = make_plan,
    .kernel = kernel_of,
    .launch = make_launch,
};
