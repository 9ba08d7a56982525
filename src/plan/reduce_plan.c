/* Reductions, of a whole input or of segments: reduce_tiles, reduce_lanes, the rungs of
 * the ladder, and reduce_offsets. */
#include "plan/plan.h"
#include "plan/scalar.h"
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
 * once; see tile_group.cl. Padding is less than two fifths. */
static uint32_t ordered_elements(const struct job *job, uint32_t group_size)
{
    const struct monoid *monoid = job->monoid;
    uint64_t bytes = least(job->device->local_memory / 5 * 3, ORDERED_BYTES);
    uint32_t group = group_size > 0 ? group_size : 1;
    uint32_t run = least(bytes / clfold_monoid_item_size(monoid) / group, ORDERED_CHUNKS);

    return (run > 0 ? run : 1) * group * clfold_monoid_chunk(monoid);
}

/* Work-items of a group that takes blocks of segments by offsets, which have many
 * barriers: on an H100 128 take 0.85 to 1.0 of the time of 256. Each has about 192 bytes
 * of local memory for its places. */
#define BLOCK_GROUP 128u
#define BLOCK_BYTES 256u

static struct tile_shape tile_of(const struct job *job, const struct policy *policy)
{
    const struct monoid *monoid = job->monoid;
    bool is_ordered = policy->tile == TILE_GROUP && !monoid->commutative;
    size_t item_size = clfold_monoid_item_size(monoid);
    size_t local = job->device->local_memory;
    uint32_t blocks = least(BLOCK_GROUP, local / BLOCK_BYTES);
    uint32_t wanted = least(policy->group_size, job->use.offsets ? blocks : UINT32_MAX);
    /* An item for each work-item and some more, see CLFOLD_BANKED; in order, two. By
     * offsets a list. */
    size_t list = job->use.offsets ? (wanted + 1) * sizeof(cl_uint) : 0;
    size_t banked = item_size <= 16 ? 128 / item_size : 32;
    size_t items = (local > list ? local - list : 0) / item_size / (banked + 1) * banked;
    uint32_t elements =
        least(policy->tile_bytes / clfold_monoid_in_size(monoid), monoid->stage_limit);

    elements = elements > 0 ? elements : 1;
    if (is_ordered) {
        items = least(items / 2, ORDERED_BYTES / item_size);
    }
    /* Each work-item has an element of a tile. */
    uint32_t group_size =
        least(least(wanted, elements), most_work_items(job->device, items));

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
    if (shape->algorithm == REDUCE_LANES) {
        clfold_shape_lanes(shape, job, policy, clfold_monoid_in_size(job->monoid));
        return;
    }
    if (clfold_algorithm_row(shape->algorithm)->is_rung) {
        shape->tile = rung_of(job, policy);
        return;
    }
    shape->tile = tile_of(job, policy);
    /* The last group may fold what all have left, which must not be long. */
    if (shape->algorithm == REDUCE_TILES && job->verdict.fences &&
        !job->device->most_elements) {
        shape->tier = job->verdict.tier;
        shape->fences = true;
    }
}

static enum algorithm choose(const struct job *job)
{
    return job->use.offsets          ? REDUCE_OFFSETS
           : clfold_suits_lanes(job) ? REDUCE_LANES
                                     : REDUCE_TILES;
}

static clfold_status check(struct job *job, const struct site *site)
{
    const struct algorithm_row *row = clfold_algorithm_row(job->algorithm);
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    uint32_t num;
    clfold_status status;

    if (row->reorders && !job->monoid->commutative) {
        return UNSUPPORTED(site,
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
        return UNSUPPORTED(
            site,
            "algorithm \"%s\" needs groups of 2 or more work-items, but %s is "
            "folded by groups of %u here",
            row->name, job->monoid->name, candidates[0].shape.tile.group_size);
    }
    return CLFOLD_OK;
}

/* ---- By offsets, in pieces of elements and ends: cl/offsets.cl --------------------- */

/* Pieces at most, so that the items of a long segment are few. */
#define CPU_PIECES 1024
#define GPU_PIECES 16384

/* Items of one segment's pieces, where a device stops work-items that run long loops. */
#define MOST_ITEMS 32768

static void plan_pieces(struct stage *stage, const struct job *job,
                        const struct policy *policy)
{
    const struct tile_shape *tile = &stage->shape.tile;
    const uint64_t pieces = clfold_tile_is_lone(tile->kind) ? CPU_PIECES : GPU_PIECES;
    const uint64_t num = job->segments.num_offsets - 1, total = stage->count + num;
    /* A work-item may meet a segment of the piece's in each of its group's rounds. */
    const uint64_t most = job->device->most_elements;
    const uint64_t shortest =
        most > 0 ? clfold_least(most, tile->elements) : tile->elements;
    uint64_t run = clfold_div_up(total, pieces);

    run = run > shortest ? run : shortest;
    run = most > 0 ? clfold_least(most, run) : run;
    stage->items = run / tile->group_size;
    stage->cut = (struct cut){
        .count = stage->count,
        .segments = { 1, stage->count },
        .num_segments = num,
        .run = run,
        .runs = 1,
        .num_runs = clfold_div_up(total, run),
    };
    clfold_set_groups(stage, job, stage->cut.num_runs, policy->groups);
    stage->num_launches = stage->cut.num_runs > 1 ? 2 : 1;
    stage->scratch_bytes = (size_t)(2 * stage->cut.num_runs) * stage->item_size;
    stage->scratch_most = (size_t)(2 * clfold_div_up(total, shortest)) * stage->item_size;
    if (most == 0 && stage->scratch_most > 2 * pieces * stage->item_size) {
        stage->scratch_most = (size_t)(2 * pieces) * stage->item_size;
    }
}

uint64_t clfold_most_places(const struct device_facts *device)
{
    return device->most_elements ? MOST_ITEMS * device->most_elements : UINT64_MAX;
}

static void launch_pieces(const struct stage *stage, uint32_t number,
                          struct launch *launch)
{
    const uint64_t num = stage->cut.num_segments, pieces = stage->cut.num_runs;
    const uint64_t offsets = (num + 1) * clfold_scalar(stage->shape.use.offsets)->size;
    const uint64_t items = pieces * stage->item_size;

    launch->num = num;
    if (number == 0) {
        clfold_launch_moves(launch, stage->num_groups,
                            stage->count * stage->read_size + offsets,
                            num * stage->out_size + items);
    } else {
        /* How many items a piece reads is not known. */
        clfold_launch_moves(launch, pieces, items, 0);
    }
}

/* ---- Runs -------------------------------------------------------------------------- */

/* How a segment is cut: as many groups as fill the device are all segments'. */
static struct grid_rule rule_of(const struct stage *stage, const struct job *job,
                                const struct policy *policy, uint64_t num_segments)
{
    const struct tile_shape *tile = &stage->shape.tile;
    uint64_t in_size = stage->in_size, most;
    struct grid_rule rule = {
        .full = clfold_div_up(policy->groups, num_segments),
        .lanes = tile->kind == TILE_VECTOR ? VECTOR_LANES
                 : tile->kind == TILE_ITEM ? ITEM_LANES
                                           : tile->group_size,
        .least_items = policy->lane_bytes / in_size,
        /* reduce6 takes items by twos. */
        .vector = tile->kind == TILE_NONE                    ? 2
                  : tile->kind == TILE_GROUP && in_size < 16 ? 16 / in_size
                                                             : 1,
    };

    if (job->device->most_elements > 0) {
        most = rule.lanes / tile->group_size; /* lanes of a work-item */
        most = job->device->most_elements / most / rule.vector * rule.vector;
        rule.most_items = most > 0 ? most : 1;
    }
    return rule;
}

/* Folds of runs that a work-item of reduce_lanes folds again. */
#define MOST_PARTIALS 1024

/* Partials that a group, or a lane, folds in a later launch, at most. */
static uint64_t most_partials(const struct stage *stage, const struct job *job)
{
    uint64_t group = stage->shape.tile.group_size, most = job->device->most_elements;

    if (stage->shape.algorithm == REDUCE_LANES) {
        return most > 0 ? most / 4 : MOST_PARTIALS;
    }
    if (!stage->has_grid) {
        return group * stage->items;
    }
    return most > 0 ? most * group : UINT32_MAX;
}

/* Runs, or bundles of lanes, that a group takes. */
static void set_groups(struct stage *stage, const struct job *job, uint64_t groups)
{
    uint64_t bundles = stage->cut.num_runs;

    if (stage->shape.algorithm == REDUCE_LANES) {
        stage->lines = clfold_lines(&stage->shape, &stage->cut, job);
        bundles = stage->lines.bundles;
    }
    clfold_set_groups(stage, job, bundles,
                      clfold_algorithm_row(stage->shape.algorithm)->is_rung ? bundles
                                                                            : groups);
}

/* A counter has a line of the caches, before the partials. */
#define LINE 64

/*
 * Every launch but the last leaves an item for each run, and so does one that joins.
 * Launches take turns in two areas, so the first two decide how much scratch there is.
 *
 *   in -> counter | 0 ... num_runs - 1 -> num_runs ... -> 0 ... -> out
 */
static void count_launches(struct stage *stage, uint64_t most)
{
    struct cut cut = stage->cut;
    uint64_t items = stage->joins ? cut.num_runs : 0;

    if (stage->shape.fences) {
        stage->scratch_kind = SCRATCH_COUNTER;
        stage->first_item = clfold_div_up(LINE, stage->item_size);
    }
    for (stage->num_launches = 1; cut.runs > 1 && !stage->joins; ++stage->num_launches) {
        items += stage->num_launches <= 2 ? cut.num_runs : 0;
        cut = clfold_cut_again(&cut, stage->again);
    }
    most += clfold_div_up(most, stage->again);
    most = most > items ? most : items;
    stage->scratch_bytes =
        items > 0 ? (size_t)(stage->first_item + items) * stage->item_size : 0;
    stage->scratch_most = (size_t)(stage->first_item + most) * stage->item_size;
}

static void make_plan(struct stage *stage, const struct job *job,
                      const struct policy *policy)
{
    const struct tile_shape *tile = &stage->shape.tile;
    const uint64_t segments = clfold_num_segments(stage->count, job->segments.rows);
    uint64_t run, most = policy->groups;

    if (job->use.offsets) {
        plan_pieces(stage, job, policy);
        return;
    }
    stage->items = clfold_algorithm_row(stage->shape.algorithm)->items;
    if (stage->shape.algorithm == REDUCE_LANES) {
        run = stage->items =
            clfold_lane_run(job, &stage->shape, policy->groups, policy->lane_bytes == 0);
        most = most * tile->elements + 1;
    } else if (stage->items > 0) {
        run = stage->items * tile->group_size;
    } else {
        struct grid_rule rule = rule_of(stage, job, policy, segments > 0 ? segments : 1);
        stage->has_grid = true;
        clfold_grid_init(&stage->grid, &rule,
                         job->segments.rows.width > 0 ? job->segments.rows.length
                                                      : stage->count);
        run = stage->grid.items * rule.lanes;
        stage->items = run / tile->group_size;
    }
    stage->again = most_partials(stage, job);
    stage->cut = clfold_cut(stage->count, job->segments.rows, run > 0 ? run : 1, 0);
    set_groups(stage, job, policy->groups);
    stage->joins = stage->shape.fences && stage->kind == TAKES_WHOLE &&
                   stage->cut.runs > 1 &&
                   (policy->apart_bytes == 0 ||
                    stage->count <= policy->apart_bytes / stage->in_size);
    /* Fewer segments are cut into more runs, but fewer than twice those wanted. */
    most = job->segments.rows.width > 0 ? 2 * most : most;
    count_launches(stage, most < stage->count ? most : stage->count);
}

/* ---- Launches ---------------------------------------------------------------------- */

static void make_launch(const struct stage *stage, uint32_t number, struct launch *launch)
{
    struct cut cut = stage->cut;
    uint64_t lanes =
        stage->shape.algorithm == REDUCE_LANES ? stage->shape.tile.group_size : 1;
    /* Groups of reduce6 take turns, so that of few elements each has some. */
    uint64_t wide = stage->has_grid && stage->shape.tile.kind == TILE_NONE
                        ? stage->shape.tile.group_size
                        : 0;
    uint64_t items, results;

    if (stage->shape.algorithm == REDUCE_OFFSETS) {
        launch_pieces(stage, number, launch);
        return;
    }
    for (uint32_t i = 0; i < number; ++i) {
        launch->unit *= wide > 0 ? wide << (i == 0) : cut.run;
        cut = clfold_cut_again(&cut, stage->again);
    }
    items = cut.runs > 1 ? cut.num_runs * stage->item_size : 0;
    results = cut.runs == 1 || stage->joins ? cut.num_segments * stage->out_size : 0;
    clfold_launch_moves(launch,
                        number == 0        ? stage->num_groups
                        : cut.num_runs > 0 ? clfold_div_up(cut.num_runs, lanes)
                                           : 1,
                        cut.count * (number == 0 ? stage->read_size : stage->item_size) +
                            (stage->joins ? items : 0),
                        items + results);
    clfold_launch_cut(launch, &cut);
    if (cut.count == 0 && cut.num_segments == 1) {
        launch->num_runs = 1; /* an empty one, which has a result */
    }
    launch->num = launch->count;
    launch->is_first = number == 0;
    launch->is_last = cut.runs == 1;
    launch->joins = stage->joins;
    launch->from = stage->first_item + (number % 2 == 0 ? stage->cut.num_runs : 0);
    launch->to = stage->first_item + (number % 2 == 0 ? 0 : stage->cut.num_runs);
}

const struct strategy clfold_reduce_strategy = {
    .element = clfold_monoid_in_size,
    .choose = choose,
    .check = check,
    .shape = make_shape,
    .plan = make_plan,
    .launch = make_launch,
};
