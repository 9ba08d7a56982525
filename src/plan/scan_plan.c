/* Scans, of a whole input or of segments. */
#include "base/platform.h"
#include "plan/lanes.h"
#include "plan/strategy.h"

/* Bytes that stores are aligned to: a line of the caches, and the widest vector. */
#define LINE 64

/* What a group that selects keeps of an element, at most: tile_group_select.cl. */
#define KEPT_OF_ELEMENT 4

/* Bytes of an element that is read or written; or of what a group keeps of it, where that
 * is more: an item until it is written, of a select its flag and place. */
static size_t widest(const struct monoid *monoid)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_written_size(monoid);
    size_t wide = in > out ? in : out;
    size_t kept = clfold_monoid_counts(monoid)      ? KEPT_OF_ELEMENT
                  : clfold_monoid_has_place(monoid) ? clfold_monoid_item_size(monoid)
                                                    : 0;

    return kept > wide ? kept : wide;
}

/* Groups that are worth more than to read the elements a second time, or a descriptor a
 * tile: so many rows are taken one by one. */
#define CPU_GROUPS 16
#define GPU_GROUPS 256

static uint64_t enough_groups(const struct job *job)
{
    return job->device->cpu ? CPU_GROUPS : GPU_GROUPS;
}

/* A segment that is small is one group's. So are many rows, but where a group must not
 * take a row of any length. */
static enum algorithm choose(const struct job *job)
{
    const bool are_rows = job->segments.rows.width > 0;
    const uint64_t length = are_rows ? job->segments.rows.length : job->count;
    struct policy policies[CLFOLD_MAX_CANDIDATES];

    if (clfold_suits_lanes(job)) {
        return SCAN_LANES;
    }
    clfold_policies(job->device, FAMILY_SCAN, clfold_monoid_in_size(job->monoid),
                    policies);
    if (are_rows && job->device->most_elements) {
        return REDUCE_THEN_SCAN;
    }
    return length <= policies[0].single_bytes / widest(job->monoid) ||
                   (are_rows && clfold_num_segments(job->count, job->segments.rows) >=
                                    enough_groups(job))
               ? SCAN_SINGLE_GROUP
               : SCAN_LOOKBACK;
}

/* A scan of no elements takes one launch, and one group a launch of which must not be
 * long has one row. Only items can be combined, see struct monoid. */
static clfold_status check(struct job *job, const struct site *site)
{
    const struct monoid *monoid = job->monoid;
    const bool rounded = monoid->rounded != NULL;
    const char *what = rounded          ? "results, in which the error terms of "
                       : monoid->lifted ? "results, which do not say where segments start"
                       : clfold_use_has(&job->use, FACET_REVERSE)
                           ? "results, which a scan from the right writes elsewhere"
                       : clfold_monoid_converts(monoid)
                           ? "what is written, which a result, a store or out makes "
                             "something else"
                           : NULL;

    if (what && clfold_algorithm_row(job->algorithm)->propagates) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" combines %s%s%s",
                           clfold_algorithm_name(job->algorithm), what,
                           rounded ? monoid->name : "", rounded ? " are lost" : "");
    }
    if (job->algorithm != SCAN_LANES && job->count == 0) {
        job->algorithm = SCAN_SINGLE_GROUP;
    } else if (job->algorithm == SCAN_SINGLE_GROUP && job->segments.rows.width > 0 &&
               job->device->most_elements) {
        job->algorithm = REDUCE_THEN_SCAN;
    }
    return CLFOLD_OK;
}

/* ---- Shapes ------------------------------------------------------------------------ */

/* Tiles looked at at once: by each work-item of a sub-group or warp, or by one work-item,
 * with which PoCL 3.1's compiler crashes at 8. */
#define WINDOW      32
#define ITEM_WINDOW 4
#define WARP        32

/* Items and bytes of local memory besides a tile's: those of the strategies, look-back's
 * window and its counters: clfold_room, clfold_running, clfold_channel, clfold_drawn. */
#define KEPT_ITEMS (6 + WINDOW)
#define KEPT_BYTES 176

/* Local memory is shared by a slot for each element and one more for each work-item, two
 * items for each work-item, padded, which is what the scan inside a group takes at most,
 * and what is kept; see tile_group_scan.cl. All strategies leave room for it, since they
 * have the same tiles. */
static uint32_t longest_run(const struct device_facts *device,
                            const struct monoid *monoid, uint32_t group_size)
{
    uint64_t items = 2 * ((uint64_t)group_size + group_size / 16 + 4) + KEPT_ITEMS;
    uint64_t bytes = items * clfold_monoid_scanned_size(monoid) + KEPT_BYTES;
    uint64_t rest = device->local_memory;

    rest = rest > bytes ? rest - bytes : 0;
    rest /= widest(monoid) * group_size;
    return rest > 1 ? (uint32_t)(rest - 1) : 0;
}

/* Elements that a work-item may take in one launch. */
static uint64_t most_elements(const struct device_facts *device)
{
    return device->most_elements ? device->most_elements : UINT32_MAX;
}

/* Tiles that a group may take in one launch. The scan inside the group loops too, once a
 * tile, for fewer rounds than two elements take. */
static uint64_t most_tiles(const struct device_facts *device,
                           const struct tile_shape *tile)
{
    uint64_t run = tile->elements / tile->group_size;

    return most_elements(device) / (run > 2 ? run : 2);
}

/* Tiles that one launch may turn into prefixes: each takes a few rounds of loops. */
static uint32_t most_prefixes(const struct device_facts *device)
{
    return device->most_elements ? 16 * (uint32_t)device->most_elements : UINT32_MAX;
}

static struct tile_shape group_tile(const struct job *job, const struct policy *policy)
{
    const struct device_facts *device = job->device;
    const struct monoid *monoid = job->monoid;
    uint32_t elements = (uint32_t)(policy->tile_bytes / widest(monoid));
    uint64_t group = clfold_least(policy->group_size, device->max_group_size);
    uint32_t size = (uint32_t)clfold_least(group, elements), run, most;

    while (size > 1 && longest_run(device, monoid, size) < 1) {
        size /= 2;
    }
    size = size > 0 ? size : 1;
    most =
        (uint32_t)clfold_least(longest_run(device, monoid, size), most_elements(device));
    run = (uint32_t)clfold_least(elements / size, most);
    run = run > 0 ? run : 1;
    while (run > 1 && (uint64_t)run * size > monoid->stage_limit) {
        --run;
    }
    return (struct tile_shape){
        .kind = TILE_GROUP,
        .elements = run * size,
        .group_size = size,
    };
}

/* A tile of one work-item. */
static struct tile_shape lone_tile(const struct job *job, const struct policy *policy)
{
    uint64_t elements = policy->tile_bytes / widest(job->monoid);
    uint64_t most = clfold_least(most_elements(job->device), job->monoid->stage_limit);

    return (struct tile_shape){
        .kind = policy->tile,
        .elements = (uint32_t)clfold_least(elements, most),
        .group_size = 1,
    };
}

/* Who looks back, and at how many tiles at a time. */
static void set_window(struct shape *shape, const struct policy *policy)
{
    uint32_t most;

    shape->lookers = LOOKERS_ONE;
    if (shape->tile.kind == TILE_GROUP && shape->group_scan == GROUP_SCAN_SUB_GROUP) {
        shape->lookers = LOOKERS_SUB_GROUP;
    } else if (shape->tile.kind == TILE_GROUP && shape->tier == MEMORY_PTX_64 &&
               shape->tile.group_size >= WARP) {
        shape->lookers = LOOKERS_WARP;
    }
    most = shape->lookers == LOOKERS_ONE ? ITEM_WINDOW : WINDOW;
    shape->window = policy->window && policy->window < most ? policy->window : most;
    if (shape->window == 1) {
        shape->lookers = LOOKERS_ONE;
    }
}

static void make_shape(struct shape *shape, const struct job *job,
                       const struct policy *policy)
{
    bool is_vector = policy->tile == TILE_VECTOR;

    shape->exclusive = clfold_operation_row(job->operation)->exclusive;
    shape->resumes =
        shape->algorithm == SCAN_SINGLE_GROUP && job->device->most_elements > 0;
    shape->builtins = is_vector && clfold_platform_builtins(job->device->platform);
    shape->stream = is_vector && policy->stream_bytes > 0;
    shape->anchor = (uint32_t)clfold_least(policy->anchor, most_prefixes(job->device));
    /* Raking's loops are shorter than those over small sub-groups. */
    shape->group_scan = job->device->sub_groups && !job->device->most_elements
                            ? GROUP_SCAN_SUB_GROUP
                            : GROUP_SCAN_RAKING;
    shape->window = 1;
    if (shape->algorithm == SCAN_LANES) {
        shape->anchor = 1;
        clfold_shape_lanes(shape, job, policy, widest(job->monoid));
        return;
    }
    shape->tile = clfold_tile_is_lone(policy->tile) ? lone_tile(job, policy)
                                                    : group_tile(job, policy);
    if (clfold_looks_back(shape->algorithm)) {
        shape->tier = job->verdict.tier;
        shape->fences = job->verdict.fences;
        shape->traced = job->traced;
        set_window(shape, policy);
    }
}

/* ---- Plans ------------------------------------------------------------------------- */

/* Bytes of an item that look-back publishes word by word, at most. */
#define LONGEST_ITEM 64

uint64_t clfold_line_elements(uint64_t size)
{
    uint64_t elements = 1;

    while (elements * size % LINE != 0) {
        ++elements;
    }
    return elements;
}

/* ---- By one group ------------------------------------------------------------------ */

/* Items that one launch of scan_single_group hands to the next. */
#define SINGLE_STATE 3

/* Tiles of a launch, or of many rows, of a group. */
static void plan_single(struct plan *plan, const struct job *job,
                        const struct policy *policy, uint64_t most)
{
    const struct cut *cut = &plan->cut;

    if (job->segments.rows.width > 0) {
        clfold_set_groups(plan, job, cut->num_segments, policy->groups);
        plan->each *= cut->runs;
        plan->num_launches = 1;
    } else {
        plan->num_groups = 1;
        plan->each = clfold_least(cut->num_runs, most);
        plan->num_launches =
            cut->num_runs > 0 ? (uint32_t)clfold_div_up(cut->num_runs, plan->each) : 1;
    }
    if (plan->num_launches > 1) {
        plan->scratch_bytes = SINGLE_STATE * (size_t)plan->item_size;
    }
    plan->scratch_most = plan->scratch_bytes;
}

/* ---- In passes --------------------------------------------------------------------- */

/* Totals, a carry for each segment, and their anchors. */
static size_t scratch_of(const struct plan *plan, uint64_t num_runs,
                         uint64_t num_segments)
{
    uint64_t anchor = plan->shape.anchor;
    uint64_t anchors =
        anchor > 1 ? clfold_div_up(plan->cut.runs + 1, anchor) * num_segments : 0;

    return (size_t)(num_runs + num_segments + anchors) * plan->item_size;
}

/*
 * A run's first tile is neither folded during the scan of another nor prefetched; but a
 * unit without a group is worse. Of 2^22 f32, which are 64 tiles, two cores (EPYC of Zen
 * 5, 2026-11-22, PoCL 3.1 and Intel's CPU runtime 2026.2 alike) scan 0.89 of what they
 * copy by 16 groups and 0.79 by 64; of 2^24 0.91 and 0.89.
 */
#define UNITS_UNKNOWN 2
#define UNIT_GROUPS   8

static uint64_t run_of(const struct plan *plan, const struct job *job,
                       const struct policy *policy)
{
    uint32_t units = job->device->units ? job->device->units : UNITS_UNKNOWN;
    uint64_t run = clfold_div_up(plan->cut.num_runs, policy->groups);
    uint64_t most = clfold_div_up(plan->cut.num_runs, UNIT_GROUPS * (uint64_t)units);
    uint64_t least = clfold_least(policy->least_run, most);

    return run > least ? run : least;
}

/* What is reserved: of rows for twice the count, since clfold_prepare finds where they
 * look back by halves; and a tile more, by another offset. */
static uint64_t reserve_of(const struct plan *plan)
{
    return plan->kind == TAKES_WHOLE ? 1 : 2;
}

/* The launches that turn totals into prefixes, between two over all elements, and their
 * scratch. */
static void add_prefixes(struct plan *plan, const struct job *job)
{
    const struct cut *cut = &plan->cut;

    plan->blocks = clfold_div_up(cut->runs, plan->shape.anchor);
    plan->launch_blocks = most_prefixes(job->device) / plan->shape.anchor;
    plan->num_launches = 2 + (uint32_t)clfold_div_up(plan->blocks, plan->launch_blocks);
    plan->scratch_bytes = scratch_of(plan, cut->num_runs, cut->num_segments);
    plan->scratch_most = scratch_of(plan, reserve_of(plan) * cut->num_runs + 1,
                                    reserve_of(plan) * cut->num_segments);
}

static void plan_passes(struct plan *plan, const struct job *job,
                        const struct policy *policy, uint64_t most)
{
    plan->each = clfold_least(run_of(plan, job, policy), most);
    plan->each = plan->each > 0 ? plan->each : 1;
    plan->num_groups = clfold_div_up(plan->cut.num_runs, plan->each);
    add_prefixes(plan, job);
}

/* ---- By lanes ---------------------------------------------------------------------- */

static void plan_lanes(struct plan *plan, const struct job *job,
                       const struct policy *policy)
{
    uint64_t lanes = plan->shape.tile.elements;

    clfold_set_lines(plan, job);
    clfold_set_groups(plan, job, plan->lines.bundles, policy->groups);
    plan->num_launches = 1;
    if (plan->cut.runs > 1) {
        add_prefixes(plan, job);
    }
    /* Fewer segments are cut into more runs, but there are no more than this in all. */
    size_t most = (size_t)(2 * (enough_groups(job) * lanes + 1) +
                           2 * (plan->count / plan->cut.run + 2)) *
                  plan->item_size;
    plan->scratch_most = plan->scratch_most > most ? plan->scratch_most : most;
}

/* ---- By look-back ------------------------------------------------------------------ */

/* Looks at a tile that is not there, at most, where waiting is not known to help. */
#define FEW_SPINS 64

static enum obstacle obstacle_of(const struct plan *plan, const struct job *job)
{
    if (job->device->most_elements) {
        return OBSTACLE_LOOPS;
    }
    if (plan->item_size > LONGEST_ITEM) {
        return OBSTACLE_ITEM;
    }
    if (plan->shape.tier == MEMORY_NONE) {
        return OBSTACLE_TIER;
    }
    if (job->in_place && !job->verdict.fences) {
        return OBSTACLE_FENCES;
    }
    return plan->cut.num_runs >> clfold_memory(plan->shape.tier)->ticket_bits
               ? OBSTACLE_TICKETS
               : OBSTACLE_NONE;
}

static void plan_lookback(struct plan *plan, const struct job *job,
                          const struct policy *policy)
{
    const struct memory *memory = clfold_memory(plan->shape.tier);

    plan->each = policy->lasting ? run_of(plan, job, policy) : 1;
    plan->num_groups = clfold_div_up(plan->cut.num_runs, plan->each);
    plan->num_launches = 1;
    plan->spins =
        job->verdict.fair || policy->spins < FEW_SPINS ? policy->spins : FEW_SPINS;
    plan->obstacle = obstacle_of(plan, job);
    if (plan->shape.tier == MEMORY_NONE) {
        return;
    }
    plan->streams = plan->streams && !job->in_place;
    plan->in_place = job->in_place;
    plan->scratch_kind = memory->word_bits == 64 ? SCRATCH_WORDS_64 : SCRATCH_WORDS_32;
    plan->scratch_bytes =
        clfold_memory_bytes(memory, plan->cut.num_runs, plan->item_size);
    plan->scratch_most = clfold_memory_bytes(
        memory, reserve_of(plan) * plan->cut.num_runs + 1, plan->item_size);
}

static void make_plan(struct plan *plan, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &plan->shape.tile;
    uint64_t most = most_tiles(job->device, tile);
    uint64_t line = clfold_line_elements(plan->out_size);
    bool has_lead =
        job->segments.rows.width == 0 && tile->elements % line == 0 && !job->monoid->keep;
    bool by_lanes = plan->shape.algorithm == SCAN_LANES;

    plan->cut = clfold_cut(
        plan->count, job->segments.rows,
        by_lanes ? clfold_lane_run(job, &plan->shape, enough_groups(job), false)
                 : tile->elements,
        has_lead ? job->out_offset % line : 0);
    plan->streams =
        plan->shape.stream && plan->count * plan->out_size >= policy->stream_bytes;
    if (by_lanes) {
        plan_lanes(plan, job, policy);
        plan->items = plan->cut.run;
        return;
    }
    if (plan->shape.algorithm == SCAN_SINGLE_GROUP || plan->count == 0) {
        plan_single(plan, job, policy, most);
    } else if (clfold_looks_back(plan->shape.algorithm)) {
        plan_lookback(plan, job, policy);
    } else {
        plan_passes(plan, job, policy, most);
    }
    plan->items = plan->each * (tile->elements / tile->group_size);
}

/* ---- Launches ---------------------------------------------------------------------- */

/* The kernels of scans in passes; of one by lanes the last is the only one, too. */
enum { KERNEL_FIRST, KERNEL_PREFIXES, KERNEL_LAST };

static void launch_single(const struct plan *plan, uint32_t number, struct launch *launch)
{
    uint64_t run = plan->each * plan->num_groups * plan->shape.tile.elements;
    uint64_t begin = number > 0 ? number * run - plan->cut.lead : 0;
    uint64_t rest = (number + 1) * run - plan->cut.lead;
    uint64_t end = plan->count < rest ? plan->count : rest;

    launch->num_groups = plan->num_groups;
    launch->bytes_read = clfold_plan_read(plan, end - begin);
    launch->bytes_written = clfold_plan_written(plan, launch, end - begin);
    launch->first = number * plan->each;
}

/* A group for a segment of which each block is a work-item's, else a work-item. */
static void launch_prefixes(const struct plan *plan, uint64_t first_block,
                            struct launch *launch)
{
    const struct cut *cut = &plan->cut;
    uint64_t begin = first_block * plan->shape.anchor;
    uint64_t end = begin + plan->launch_blocks * plan->shape.anchor;
    uint64_t runs = (end < cut->runs ? end : cut->runs) - begin;

    launch->each = plan->shape.anchor > 1 ? 1 : plan->shape.tile.group_size;
    launch->num_groups = clfold_div_up(cut->num_segments, launch->each);
    launch->num_groups = launch->num_groups > 0 ? launch->num_groups : 1;
    launch->bytes_read = launch->bytes_written =
        cut->num_segments * runs * plan->item_size;
    launch->first_block = first_block;
    launch->num_blocks = plan->launch_blocks;
}

/* Over all elements, before the prefixes or after them. */
static void launch_pass(const struct plan *plan, struct launch *launch)
{
    bool is_last = launch->kernel == KERNEL_LAST;
    bool propagates = clfold_algorithm_row(plan->shape.algorithm)->propagates;
    uint64_t items = plan->num_launches > 1 ? plan->cut.num_runs * plan->item_size : 0;
    uint64_t in = clfold_plan_read(plan, plan->count);
    uint64_t out = clfold_plan_written(plan, launch, plan->count);

    launch->line = plan->lines.line;
    launch->part = plan->lines.part;
    launch->num_groups = plan->num_groups;
    launch->bytes_read = is_last ? items + (propagates ? out : in) : in;
    launch->bytes_written = is_last ? out : items + (propagates ? out : 0);
}

static void launch_lookback(const struct plan *plan, struct launch *launch)
{
    launch->num_groups = plan->num_groups;
    launch->bytes_read = clfold_plan_read(plan, plan->count) + plan->scratch_bytes;
    launch->bytes_written =
        clfold_plan_written(plan, launch, plan->count) + plan->scratch_bytes;
}

/* Of scans in passes the first launch and the last go over the elements. */
static uint32_t kernel_of(const struct plan *plan, uint32_t number)
{
    if (clfold_algorithm_row(plan->shape.algorithm)->num_kernels == 1) {
        return KERNEL_FIRST;
    }
    return number + 1 == plan->num_launches ? KERNEL_LAST
           : number == 0                    ? KERNEL_FIRST
                                            : KERNEL_PREFIXES;
}

static void make_launch(const struct plan *plan, uint32_t number, bool work,
                        struct launch *launch)
{
    if (clfold_looks_back(plan->shape.algorithm)) {
        launch_lookback(plan, launch);
    } else if (plan->shape.algorithm == SCAN_SINGLE_GROUP) {
        launch_single(plan, number, launch);
    } else if (launch->kernel == KERNEL_PREFIXES) {
        launch_prefixes(plan, work ? (number - 1) * plan->launch_blocks : 0, launch);
    } else {
        launch_pass(plan, launch);
    }
}

const struct strategy clfold_scan_strategy = {
    .element = widest,
    .choose = choose,
    .check = check,
    .shape = make_shape,
    .plan = make_plan,
    .kernel = kernel_of,
    .launch = make_launch,
};
