/* Scans, of a whole input or of segments. */
#include "base/platform.h"
#include "plan/plan.h"
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
        return UNSUPPORTED(site, "algorithm \"%s\" combines %s%s%s",
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
static void plan_single(struct stage *stage, const struct job *job,
                        const struct policy *policy, uint64_t most)
{
    const struct cut *cut = &stage->cut;

    if (job->segments.rows.width > 0) {
        clfold_set_groups(stage, job, cut->num_segments, policy->groups);
        stage->each *= cut->runs;
        stage->num_launches = 1;
    } else {
        stage->num_groups = 1;
        stage->each = clfold_least(cut->num_runs, most);
        stage->num_launches =
            cut->num_runs > 0 ? (uint32_t)clfold_div_up(cut->num_runs, stage->each) : 1;
    }
    if (stage->num_launches > 1) {
        stage->scratch_bytes = SINGLE_STATE * (size_t)stage->item_size;
    }
    stage->scratch_most = stage->scratch_bytes;
}

/* ---- In passes --------------------------------------------------------------------- */

/* Totals, a carry for each segment, and their anchors. */
static size_t scratch_of(const struct stage *stage, uint64_t num_runs,
                         uint64_t num_segments)
{
    uint64_t anchor = stage->shape.anchor;
    uint64_t anchors =
        anchor > 1 ? clfold_div_up(stage->cut.runs + 1, anchor) * num_segments : 0;

    return (size_t)(num_runs + num_segments + anchors) * stage->item_size;
}

/*
 * A run's first tile is neither folded during the scan of another nor prefetched; but a
 * unit without a group is worse. Of 2^22 f32, which are 64 tiles, two cores (EPYC of Zen
 * 5, 2026-11-22, PoCL 3.1 and Intel's CPU runtime 2026.2 alike) scan 0.89 of what they
 * copy by 16 groups and 0.79 by 64; of 2^24 0.91 and 0.89.
 */
#define UNITS_UNKNOWN 2
#define UNIT_GROUPS   8

static uint64_t run_of(const struct stage *stage, const struct job *job,
                       const struct policy *policy)
{
    uint32_t units = job->device->units ? job->device->units : UNITS_UNKNOWN;
    uint64_t run = clfold_div_up(stage->cut.num_runs, policy->groups);
    uint64_t most = clfold_div_up(stage->cut.num_runs, UNIT_GROUPS * (uint64_t)units);
    uint64_t least = clfold_least(policy->least_run, most);

    return run > least ? run : least;
}

/* What is reserved: of rows for twice the count, since clfold_prepare finds where they
 * look back by halves; and a tile more, by another offset. */
static uint64_t reserve_of(const struct stage *stage)
{
    return stage->kind == TAKES_WHOLE ? 1 : 2;
}

/* The launches that turn totals into prefixes, between two over all elements, and their
 * scratch. */
static void add_prefixes(struct stage *stage, const struct job *job)
{
    const struct cut *cut = &stage->cut;

    stage->blocks = clfold_div_up(cut->runs, stage->shape.anchor);
    stage->launch_blocks = most_prefixes(job->device) / stage->shape.anchor;
    stage->num_launches =
        2 + (uint32_t)clfold_div_up(stage->blocks, stage->launch_blocks);
    stage->scratch_bytes = scratch_of(stage, cut->num_runs, cut->num_segments);
    stage->scratch_most = scratch_of(stage, reserve_of(stage) * cut->num_runs + 1,
                                     reserve_of(stage) * cut->num_segments);
}

static void plan_passes(struct stage *stage, const struct job *job,
                        const struct policy *policy, uint64_t most)
{
    stage->each = clfold_least(run_of(stage, job, policy), most);
    stage->each = stage->each > 0 ? stage->each : 1;
    stage->num_groups = clfold_div_up(stage->cut.num_runs, stage->each);
    add_prefixes(stage, job);
}

/* ---- By lanes ---------------------------------------------------------------------- */

static void plan_lanes(struct stage *stage, const struct job *job,
                       const struct policy *policy)
{
    uint64_t lanes = stage->shape.tile.elements;

    stage->lines = clfold_lines(&stage->shape, &stage->cut, job);
    clfold_set_groups(stage, job, stage->lines.bundles, policy->groups);
    stage->num_launches = 1;
    if (stage->cut.runs > 1) {
        add_prefixes(stage, job);
    }
    /* Fewer segments are cut into more runs, but there are no more than this in all. */
    size_t most = (size_t)(2 * (enough_groups(job) * lanes + 1) +
                           2 * (stage->count / stage->cut.run + 2)) *
                  stage->item_size;
    stage->scratch_most = stage->scratch_most > most ? stage->scratch_most : most;
}

/* ---- By look-back ------------------------------------------------------------------ */

/* Looks at a tile that is not there, at most, where waiting is not known to help. */
#define FEW_SPINS 64

static enum obstacle obstacle_of(const struct stage *stage, const struct job *job)
{
    if (job->device->most_elements) {
        return OBSTACLE_LOOPS;
    }
    if (stage->item_size > LONGEST_ITEM) {
        return OBSTACLE_ITEM;
    }
    if (stage->shape.tier == MEMORY_NONE) {
        return OBSTACLE_TIER;
    }
    if (job->in_place && !job->verdict.fences) {
        return OBSTACLE_FENCES;
    }
    return stage->cut.num_runs >> clfold_memory(stage->shape.tier)->ticket_bits
               ? OBSTACLE_TICKETS
               : OBSTACLE_NONE;
}

static void plan_lookback(struct stage *stage, const struct job *job,
                          const struct policy *policy)
{
    const struct memory *memory = clfold_memory(stage->shape.tier);

    stage->each = policy->lasting ? run_of(stage, job, policy) : 1;
    stage->num_groups = clfold_div_up(stage->cut.num_runs, stage->each);
    stage->num_launches = 1;
    stage->spins =
        job->verdict.fair || policy->spins < FEW_SPINS ? policy->spins : FEW_SPINS;
    stage->obstacle = obstacle_of(stage, job);
    if (stage->shape.tier == MEMORY_NONE) {
        return;
    }
    stage->streams = stage->streams && !job->in_place;
    stage->in_place = job->in_place;
    stage->scratch_kind = memory->word_bits == 64 ? SCRATCH_WORDS_64 : SCRATCH_WORDS_32;
    stage->scratch_bytes =
        clfold_memory_bytes(memory, stage->cut.num_runs, stage->item_size);
    stage->scratch_most = clfold_memory_bytes(
        memory, reserve_of(stage) * stage->cut.num_runs + 1, stage->item_size);
}

static void make_plan(struct stage *stage, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &stage->shape.tile;
    uint64_t most = most_tiles(job->device, tile);
    uint64_t line = clfold_line_elements(stage->out_size);
    bool has_lead =
        job->segments.rows.width == 0 && tile->elements % line == 0 && !job->monoid->keep;
    bool by_lanes = stage->shape.algorithm == SCAN_LANES;

    stage->cut = clfold_cut(
        stage->count, job->segments.rows,
        by_lanes ? clfold_lane_run(job, &stage->shape, enough_groups(job), false)
                 : tile->elements,
        has_lead ? job->out_offset % line : 0);
    if (by_lanes) {
        plan_lanes(stage, job, policy);
        stage->items = stage->cut.run;
        return;
    }
    if (stage->shape.algorithm == SCAN_SINGLE_GROUP || stage->count == 0) {
        plan_single(stage, job, policy, most);
    } else if (clfold_looks_back(stage->shape.algorithm)) {
        plan_lookback(stage, job, policy);
    } else {
        plan_passes(stage, job, policy, most);
    }
    stage->items = stage->each * (tile->elements / tile->group_size);
}

/* ---- Launches ---------------------------------------------------------------------- */

/* The kernels of scans in passes; of one by lanes the last is the only one, too. */
enum { KERNEL_FIRST, KERNEL_PREFIXES, KERNEL_LAST };

static void launch_single(const struct stage *stage, uint32_t number,
                          struct launch *launch)
{
    uint64_t run = stage->each * stage->num_groups * stage->shape.tile.elements;
    uint64_t begin = number > 0 ? number * run - stage->cut.lead : 0;
    uint64_t end = clfold_least(stage->count, (number + 1) * run - stage->cut.lead);

    launch->bytes_read = clfold_stage_read(stage, end - begin);
    launch->bytes_written = clfold_stage_written(stage, end - begin);
    launch->first = number * stage->each;
}

/* A group for a segment of which each block is a work-item's, else a work-item. */
static void launch_prefixes(const struct stage *stage, uint32_t number,
                            struct launch *launch)
{
    const struct cut *cut = &stage->cut;
    uint64_t first_block = (number - 1) * stage->launch_blocks;
    uint64_t begin = first_block * stage->shape.anchor;
    uint64_t end = begin + stage->launch_blocks * stage->shape.anchor;
    uint64_t bytes =
        cut->num_segments * (clfold_least(end, cut->runs) - begin) * stage->item_size;
    uint64_t groups;

    launch->each = stage->shape.anchor > 1 ? 1 : stage->shape.tile.group_size;
    groups = clfold_div_up(cut->num_segments, launch->each);
    clfold_launch_moves(launch, groups > 0 ? groups : 1, bytes, bytes);
    launch->first_block = first_block;
    launch->num_blocks = stage->launch_blocks;
}

/* Over all elements, before the prefixes or after them. */
static void launch_pass(const struct stage *stage, struct launch *launch)
{
    bool propagates = clfold_algorithm_row(stage->shape.algorithm)->propagates;
    uint64_t items = stage->num_launches > 1 ? stage->cut.num_runs * stage->item_size : 0;
    uint64_t out = launch->bytes_written;

    if (launch->kernel == KERNEL_LAST) {
        launch->bytes_read = items + (propagates ? out : launch->bytes_read);
    } else {
        launch->bytes_written = items + (propagates ? out : 0);
    }
}

/* Of scans in passes the first launch and the last go over the elements. */
static uint32_t kernel_of(const struct stage *stage, uint32_t number)
{
    if (clfold_algorithm_row(stage->shape.algorithm)->num_kernels == 1) {
        return KERNEL_FIRST;
    }
    return number + 1 == stage->num_launches ? KERNEL_LAST
           : number == 0                     ? KERNEL_FIRST
                                             : KERNEL_PREFIXES;
}

static void make_launch(const struct stage *stage, uint32_t number, struct launch *launch)
{
    if (clfold_looks_back(stage->shape.algorithm)) {
        launch->bytes_read += stage->scratch_bytes;
        launch->bytes_written += stage->scratch_bytes;
    } else if (stage->shape.algorithm == SCAN_SINGLE_GROUP) {
        launch_single(stage, number, launch);
    } else if (launch->kernel == KERNEL_PREFIXES) {
        launch_prefixes(stage, number, launch);
    } else {
        launch_pass(stage, launch);
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
