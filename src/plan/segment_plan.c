/* Reductions of segments: each row or column gives a result. */
#include "plan/segment_plan.h"

#include "base/platform.h"

/* Lanes of a bundle: sixteen vectors, so that a bundle of columns reads a kilobyte of a
 * row of floats; or scalars, of which a few hide the latency of others. */
#define VECTOR_LANES 256
#define ITEM_LANES   16

/* Rows from here on take a tile each on CPUs. Two cores of an AMD EPYC (Zen 5). */
#define TILE_ROW 64

/* A lane of less is not worth its partial result. */
#define LEAST_RUN 128

/* Items of each lane that a group has in local memory at once, at most; and the bytes. */
#define MOST_STEP  16
#define STEP_BYTES (24u * 1024)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Algorithms -------------------------------------------------------------------- */

/* Whether segments are rows that are long enough for a tile. */
static bool suit_tiles(const struct job *job)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    size_t in_size = clfold_monoid_in_size(job->monoid);

    clfold_policies(job->device, clfold_operation_row(job->operation)->family, in_size,
                    policies);
    return job->segments.width == 1 &&
           job->segments.length >=
               (policies[0].tile == TILE_GROUP
                    ? policies[0].group_size * clfold_chunk_elements(in_size)
                    : TILE_ROW);
}

enum algorithm clfold_segments_choose(const struct job *job)
{
    if (clfold_operation_row(job->operation)->family == FAMILY_REDUCE) {
        return suit_tiles(job) ? REDUCE_ROWS : REDUCE_LANES;
    }
    return suit_tiles(job) ? SCAN_ROWS : SCAN_LANES;
}

clfold_status clfold_segments_check(struct job *job, const struct site *site)
{
    const bool by_rows = job->algorithm == REDUCE_ROWS || job->algorithm == SCAN_ROWS;

    return !by_rows || job->segments.width == 1
               ? CLFOLD_OK
               : clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                             "algorithm \"%s\" takes rows, but segments are columns",
                             clfold_algorithm_name(job->algorithm));
}

/* ---- Shapes ------------------------------------------------------------------------ */

/* Bytes of what a lane folds in, at most. */
static size_t stage_size(const struct monoid *monoid)
{
    size_t item = clfold_monoid_item_size(monoid);
    size_t stage = monoid->type_name ? item : 8 * (size_t)monoid->num_components;

    return item > stage ? item : stage;
}

/* Lanes of a group, and items of each that fit into local memory. */
static void group_lanes(struct shape *shape, const struct job *job,
                        const struct policy *policy)
{
    size_t stage = stage_size(job->monoid), item = clfold_monoid_item_size(job->monoid);
    uint64_t bytes = least(job->device->local_memory / 2, STEP_BYTES);
    uint64_t size = least(policy->group_size, job->device->max_group_size);
    uint64_t step = MOST_STEP;

    /* What a lane has besides, and one slot more against conflicts. */
    while (size * ((step + 2) * stage + item + 24) > bytes && size * step > 1) {
        if (step > 2 || size == 1) {
            step /= 2;
        } else {
            size /= 2;
        }
    }
    shape->tile = (struct tile_shape){ TILE_GROUP, (uint32_t)size, (uint32_t)size };
    shape->step = (uint32_t)step;
}

void clfold_shape_lanes(struct shape *shape, const struct job *job,
                        const struct policy *policy, size_t element)
{
    uint64_t lanes = policy->tile == TILE_VECTOR ? VECTOR_LANES : ITEM_LANES;

    if (policy->tile == TILE_GROUP) {
        group_lanes(shape, job, policy);
        return;
    }
    lanes = least(lanes, policy->tile_bytes / element);
    lanes = policy->tile == TILE_VECTOR ? clfold_div_up(lanes, 16) * 16 : lanes;
    shape->prefetch =
        policy->tile == TILE_VECTOR && clfold_platform_builtins(job->device->platform);
    shape->tile = (struct tile_shape){ policy->tile, lanes > 0 ? (uint32_t)lanes : 1, 1 };
}

static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    if (shape->algorithm == REDUCE_ROWS) {
        clfold_reduce_strategy.shape(shape, job, policy);
    } else {
        clfold_shape_lanes(shape, job, policy, clfold_monoid_in_size(job->monoid));
    }
}

/* ---- Cuts -------------------------------------------------------------------------- */

/* Elements of a run, so that there are `wanted` runs, if none is shorter than `least`. */
static uint64_t run_for(const struct job *job, uint64_t wanted, uint64_t shortest,
                        uint64_t longest)
{
    uint64_t length = job->segments.length;
    uint64_t segments = clfold_num_segments(job->count, job->segments);
    uint64_t runs = segments > 0 ? clfold_div_up(wanted, segments) : 1;
    uint64_t run = clfold_div_up(length, runs > 0 ? runs : 1);

    run = run > shortest ? run : shortest;
    run = least(run, longest > 0 ? longest : 1);
    return least(run, length);
}

uint64_t clfold_lane_run(const struct job *job, const struct shape *shape,
                         uint64_t groups, bool forced)
{
    /* A lane's places are counted in 32 bits, and its stage takes so many. */
    uint64_t longest = (UINT32_MAX - 16) / job->segments.width + 1;

    longest = least(longest, job->monoid->stage_limit);
    if (job->device->most_elements) {
        longest = least(longest, job->device->most_elements / 4);
    }
    return run_for(job, groups * shape->tile.elements, forced ? 1 : LEAST_RUN, longest);
}

static uint64_t row_run(const struct plan *plan, const struct job *job,
                        const struct policy *policy)
{
    uint64_t lanes =
        clfold_reduce_lanes(plan->shape.tile.kind, plan->shape.tile.group_size);
    uint64_t longest = job->device->most_elements
                           ? job->device->most_elements * plan->shape.tile.group_size
                           : UINT64_MAX;

    return run_for(job, policy->groups, policy->lane_bytes / plan->in_size * lanes,
                   longest);
}

/* Bundles that a group takes, where there are that many. */
uint64_t clfold_bundles_each(const struct job *job, uint64_t bundles, uint64_t groups)
{
    return job->device->most_elements || bundles == 0 ? 1
                                                      : clfold_div_up(bundles, groups);
}

/* Folds of runs that a work-item folds again. */
#define MOST_PARTIALS 1024

static void make_plan(struct plan *plan, const struct job *job,
                      const struct policy *policy)
{
    bool by_lanes = plan->shape.algorithm == REDUCE_LANES;
    uint64_t lanes = by_lanes ? plan->shape.tile.elements : 1, bundles, most;
    struct cut cut;

    plan->segments = job->segments;
    plan->runs_again =
        job->device->most_elements ? job->device->most_elements / 4 : MOST_PARTIALS;
    plan->items = by_lanes ? clfold_lane_run(job, &plan->shape, policy->groups,
                                             policy->lane_bytes == 0)
                           : row_run(plan, job, policy);
    cut = clfold_cut(plan->count, plan->segments, plan->items);
    bundles = clfold_div_up(cut.num_runs, lanes);
    plan->run = clfold_bundles_each(job, bundles, policy->groups);
    plan->num_groups = bundles > 0 ? clfold_div_up(bundles, plan->run) : 1;
    plan->num_launches = 1;
    for (; cut.runs > 1; ++plan->num_launches) {
        plan->scratch_bytes +=
            plan->num_launches <= 2 ? (size_t)cut.num_runs * plan->item_size : 0;
        cut = clfold_cut_again(&cut, plan->runs_again);
    }
    /* Fewer segments are cut into more runs, which are fewer than twice those wanted. */
    most = 2 * least(policy->groups * lanes + 1, plan->count);
    most = most * plan->item_size * 2;
    plan->scratch_most = most > plan->scratch_bytes ? (size_t)most : plan->scratch_bytes;
}

/* ---- Launches ---------------------------------------------------------------------- */

void clfold_launch_cut(struct launch *launch, const struct cut *cut, bool work)
{
    launch->count = work ? cut->count : 0;
    launch->width = cut->segments.width;
    launch->length = cut->segments.length;
    launch->runs = cut->runs;
    launch->run = cut->run;
    launch->num_runs = work ? cut->num_runs : 0;
}

static uint32_t kernel_of(const struct plan *plan, uint32_t number)
{
    (void)plan;
    return number > 0;
}

/* Launches alternate between two areas of scratch, as in reduce_plan.c. */
static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    const struct cut first = clfold_cut(plan->count, plan->segments, plan->items);
    struct cut cut = first;
    uint64_t group = plan->shape.tile.group_size;
    bool is_last;

    for (uint32_t i = 0; i < number; ++i) {
        cut = clfold_cut_again(&cut, plan->runs_again);
    }
    is_last = cut.runs == 1;
    launch->bytes_read = cut.count * (number == 0 ? plan->read_size : plan->item_size);
    launch->bytes_written = cut.num_runs * (is_last ? plan->out_size : plan->item_size);
    if (launch->kernel == 0) {
        launch->num_groups = plan->num_groups;
        launch->each = plan->run;
    } else {
        launch->num_groups = cut.num_runs > 0 ? clfold_div_up(cut.num_runs, group) : 1;
        launch->each = 1;
    }
    clfold_launch_cut(launch, &cut, work);
    launch->from = number % 2 == 0 ? first.num_runs : 0;
    launch->to = number % 2 == 0 ? 0 : first.num_runs;
    launch->is_last = is_last;
}

const struct strategy clfold_reduce_segments_strategy = {
    .element = clfold_monoid_in_size,
    .choose = clfold_segments_choose,
    .check = clfold_segments_check,
    .shape = make_shape,
    .plan = make_plan,
    .kernel = kernel_of,
    .launch = make_launch,
};
