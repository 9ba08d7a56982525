#include "plan/plan.h"

#include "base/platform.h"
#include "plan/debug.h"
#include "plan/scalar.h"
#include "plan/strategy.h"
#include "plan/tuning.h"

#include <string.h>

/* Elements that tile_vector takes at a time. */
#define VECTOR 16

static const char *const obstacles[CLFOLD_OBSTACLES] = {
    [OBSTACLE_NONE] = "there is no obstacle",
    [OBSTACLE_LOOPS] = "the device stops work-items that run long loops",
    [OBSTACLE_TIER] = "no memory tier is trusted on this device",
    [OBSTACLE_FENCES] = "in place it needs device-scope acquire and release",
    [OBSTACLE_TICKETS] = "there are more tiles than tickets",
    [OBSTACLE_ITEM] = "an item has more than 64 bytes",
    [OBSTACLE_PROBE] = "the probe of its memory failed",
    [OBSTACLE_BUILD] = "its programs do not build",
};

const char *clfold_obstacle_text(enum obstacle obstacle)
{
    return obstacles[obstacle];
}

static const struct strategy *const strategies[] = {
    [FAMILY_REDUCE] = &clfold_reduce_strategy, [FAMILY_SCAN] = &clfold_scan_strategy,
    [FAMILY_ANY] = &clfold_serial_strategy,    [FAMILY_OWN] = &clfold_serial_strategy,
    [FAMILY_MAP] = &clfold_map_strategy,       [FAMILY_HEADS] = &clfold_heads_strategy,
};

static const struct strategy *strategy_of(enum algorithm algorithm)
{
    return strategies[clfold_algorithm_row(algorithm)->family];
}

enum takes clfold_kind_of(const struct job *job)
{
    return job->use.offsets                ? TAKES_OFFSETS
           : job->segments.rows.width == 0 ? TAKES_WHOLE
           : job->segments.rows.width == 1 ? TAKES_ROWS
                                           : TAKES_COLUMNS;
}

static const char *const kind_names[] = {
    [TAKES_WHOLE] = "an input without segments",
    [TAKES_ROWS] = "rows",
    [TAKES_COLUMNS] = "columns",
    [TAKES_OFFSETS] = "segments by ",
};

clfold_status clfold_plan_choose(struct job *job, const struct site *site,
                                 const char *name)
{
    const struct operation *operation = clfold_operation_row(job->operation);
    const enum takes kind = clfold_kind_of(job);

    if (!name) {
        job->algorithm = strategies[operation->family]->choose(job);
        return CLFOLD_OK;
    }
    if (!clfold_algorithm_named(name, operation->family, &job->algorithm) ||
        (operation->selects && !clfold_algorithm_row(job->algorithm)->selects) ||
        (kind != TAKES_WHOLE &&
         !clfold_algorithm_takes(job->algorithm, TAKES_ROWS | TAKES_OFFSETS))) {
        return UNSUPPORTED(
            site, "algorithm \"%s\" is not in this version, which %s", name,
            kind == TAKES_WHOLE ? operation->knows : operation->knows_segments);
    }
    if (!clfold_algorithm_takes(job->algorithm, kind)) {
        return UNSUPPORTED(
            site, "algorithm \"%s\" does not take %s%s", name, kind_names[kind],
            kind == TAKES_OFFSETS ? clfold_way_name(job->segments.by) : "");
    }
    const struct strategy *strategy = strategy_of(job->algorithm);
    return strategy->check ? strategy->check(job, site) : CLFOLD_OK;
}

/* ---- Candidates -------------------------------------------------------------------- */

static uint32_t list_policies(const struct job *job,
                              struct policy policies[CLFOLD_MAX_CANDIDATES])
{
    enum family family = clfold_operation_row(job->operation)->family;
    size_t element = strategy_of(job->algorithm)->element(job->monoid);
    uint32_t num;

    if (clfold_algorithm_row(job->algorithm)->is_rung) {
        policies[0] = clfold_policy_ladder(job->device);
        return 1;
    }
    if (job->algorithm == SERIAL || job->algorithm == SERIAL_PIECES) {
        policies[0] = (struct policy){ .tile = TILE_NONE };
        return 1;
    }
    num = clfold_policies(job->device, family, clfold_monoid_in_size(job->monoid),
                          policies);
    clfold_numbers_apply(job->tuned, VECTOR * element, policies, num);
    if (job->segments.rows.width > 0 && !clfold_by_lanes(job->algorithm)) {
        clfold_policies_fit(family, job->segments.rows.length * element, policies, num);
    }
    return num;
}

/* rusticl (Mesa 22.3) mixes up the components of lanes that are vectors. */
static bool lacks_vectors(const struct job *job)
{
    return job->monoid->is_scalar || (clfold_by_lanes(job->algorithm) &&
                                      clfold_platform_miscopies(job->device->platform));
}

/* A reduction that folds elements as they are, in any order, does so little with a line
 * of memory that halves of lines are the better loads, see vectors.cl; but not of short
 * rows, nor in caches where values are looked at. */
static uint32_t loads_32(const struct job *job, const struct policy *policy)
{
    const struct monoid *monoid = job->monoid;
    const struct scalar *stage = clfold_scalar(monoid->components[0].stage);
    const bool is_plain = monoid->num_components == 1 && !monoid->item_file && stage &&
                          monoid->num_scalars == 1 &&
                          stage->size == clfold_monoid_in_size(monoid) &&
                          stage->size == clfold_monoid_read_size(monoid);

    return job->algorithm == REDUCE_TILES && job->segments.rows.width == 0 &&
                   policy->tile == TILE_VECTOR &&
                   clfold_platform_builtins(job->device->platform) &&
                   monoid->commutative && !monoid->rare && is_plain && stage->size >= 4
               ? (uint32_t)stage->size / 2
               : 0;
}

static clfold_status refuse(const struct job *job, const struct site *site,
                            const struct policy *policy)
{
    return UNSUPPORTED(site, "algorithm \"%s\": the policy \"%s\" has no %s for %s",
                       clfold_algorithm_name(job->algorithm), policy->row,
                       job->debug && job->debug->tile ? clfold_tile_name(job->debug->tile)
                                                      : "tile",
                       job->monoid->name);
}

clfold_status clfold_plan_candidates(const struct job *job, const struct site *site,
                                     struct candidate candidates[CLFOLD_MAX_CANDIDATES],
                                     uint32_t *num)
{
    const struct strategy *strategy = strategy_of(job->algorithm);
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    uint32_t num_policies = list_policies(job, policies);

    *num = 0;
    for (uint32_t i = 0; i < num_policies; ++i) {
        struct candidate *candidate = &candidates[*num];
        if (policies[i].tile == TILE_VECTOR && lacks_vectors(job)) {
            continue;
        }
        if (job->debug &&
            !clfold_debug_apply(job->debug, &policies[i], strategy->element(job->monoid),
                                clfold_monoid_in_size(job->monoid))) {
            continue;
        }
        *candidate = (struct candidate){ .policy = policies[i],
                                         .shape = { .algorithm = job->algorithm } };
        candidate->shape.prefetch = policies[i].tile == TILE_VECTOR &&
                                    policies[i].ahead_bytes > 0 &&
                                    !clfold_use_has(&job->use, FACET_REVERSE) &&
                                    clfold_platform_builtins(job->device->platform);
        candidate->shape.loads_32 = loads_32(job, &policies[i]);
        candidate->shape.use = job->use;
        candidate->shape.tail = clfold_platform_miscopies(job->device->platform);
        strategy->shape(&candidate->shape, job, &candidate->policy);
        candidate->shape.single = candidate->shape.tile.group_size == 1 &&
                                  clfold_platform_vectorizes(job->device->platform);
        ++*num;
    }
    return *num > 0 ? CLFOLD_OK : refuse(job, site, &policies[0]);
}

/* ---- Plans ------------------------------------------------------------------------- */

/* Elements that are asked for ahead: whole vectors, and no more than a tile. */
static uint32_t ahead_of(const struct stage *stage, const struct policy *policy)
{
    uint64_t elements = policy->ahead_bytes / stage->in_size;
    uint64_t most = stage->shape.tile.elements;

    return (uint32_t)((elements < most ? elements : most) / VECTOR * VECTOR);
}

/* Bytes that are read for an element; offsets become bits. */
static uint32_t read_size(const struct job *job)
{
    const bool reads_heads = job->use.way && job->use.way != CLFOLD_BY_OFFSETS;

    return (uint32_t)(job->of_carries
                          ? clfold_monoid_carry_size(job->monoid)
                          : clfold_monoid_read_size(job->monoid) +
                                (reads_heads ? clfold_scalar(job->use.heads)->size : 0));
}

static struct stage *add_stage(struct plan *plan, const struct job *job,
                               const struct shape *shape, const struct policy *policy)
{
    struct stage *stage = &plan->stages[plan->num_stages++];

    *stage = (struct stage){
        .shape = *shape,
        .row = policy->row,
        .kind = clfold_kind_of(job),
        .count = job->count,
        .in_size = (uint32_t)clfold_monoid_in_size(job->monoid),
        .out_size = (uint32_t)(job->of_carries ? clfold_monoid_carry_size(job->monoid)
                                               : clfold_monoid_written_size(job->monoid)),
        .item_size = (uint32_t)clfold_monoid_scanned_size(job->monoid),
        .read_size = read_size(job),
        .has_carry = true,
    };
    stage->ahead = stage->shape.prefetch ? ahead_of(stage, policy) : 0;
    stage->streams =
        stage->shape.stream && stage->count * stage->out_size >= policy->stream_bytes;
    strategy_of(stage->shape.algorithm)->plan(stage, job, policy);
    return stage;
}

/* A stage about heads. */
static void add_heads(struct plan *plan, const struct job *job,
                      const struct candidate *candidate, enum algorithm algorithm)
{
    const struct shape shape = clfold_heads_shape(algorithm, job, &candidate->shape);
    const struct stage *stage = add_stage(plan, job, &shape, &candidate->policy);

    if (algorithm != WRITE_KEPT) {
        clfold_plan_hand(&plan->handed, stage);
    }
}

/* Of a select by a scan's items: they say what is kept, and are written once its place is
 * known. The last launch that can gives the carry; prefixes stay where they are. */
static void add_kept(struct plan *plan, const struct job *job,
                     const struct candidate *candidate)
{
    struct stage *flags = &plan->stages[plan->main];
    const bool keeps_prefixes = flags->shape.algorithm == REDUCE_THEN_SCAN;

    flags->makes_flags = true;
    flags->has_carry = keeps_prefixes || job->monoid->writes_places;
    add_heads(plan, job, candidate, FIND_PLACES);
    if (job->monoid->writes_places) {
        add_heads(plan, job, candidate, WRITE_KEPT);
        return;
    }
    struct stage *again = &plan->stages[plan->num_stages++];
    *again = *flags;
    again->makes_flags = false;
    again->has_carry = true;
    again->first_launch = keeps_prefixes ? flags->num_launches - 1 : 0;
}

void clfold_plan_init(struct plan *plan, const struct job *job,
                      const struct candidate *candidate)
{
    plan->num_stages = 0;
    plan->handed = (struct handed){ 0 };
    if (job->segments.found) {
        add_heads(plan, job, candidate, FIND_HEADS);
    } else if (job->use.way == CLFOLD_BY_OFFSETS || job->segments.finds_bad) {
        add_heads(plan, job, candidate, MARK_HEADS);
    }
    plan->main = plan->num_stages;
    add_stage(plan, job, &candidate->shape, &candidate->policy);
    if (job->monoid->keeps_scan) {
        add_kept(plan, job, candidate);
    }
}

void clfold_set_groups(struct stage *stage, const struct job *job, uint64_t bundles,
                       uint64_t groups)
{
    stage->each =
        job->device->most_elements || bundles == 0 ? 1 : clfold_div_up(bundles, groups);
    stage->num_groups = bundles > 0 ? clfold_div_up(bundles, stage->each) : 1;
}

void clfold_launch_cut(struct launch *launch, const struct cut *cut)
{
    launch->count = cut->count;
    launch->width = cut->segments.width;
    launch->length = cut->segments.length;
    launch->runs = cut->runs;
    launch->run = cut->run;
    launch->lead = cut->lead;
    launch->num_runs = cut->num_runs;
    launch->num_segments = cut->num_segments;
}

/* ---- Launches ---------------------------------------------------------------------- */

static void make_launch(const struct stage *stage, uint32_t kernel, uint32_t number,
                        struct launch *launch)
{
    const struct strategy *strategy = strategy_of(stage->shape.algorithm);

    launch->kernel = kernel;
    clfold_launch_moves(launch, stage->num_groups, clfold_stage_read(stage, stage->count),
                        clfold_stage_written(stage, stage->count));
    clfold_launch_cut(launch, &stage->cut);
    launch->unit = 1;
    launch->each = stage->each;
    launch->line = stage->lines.line;
    launch->part = stage->lines.part;
    launch->ahead = stage->ahead;
    launch->stream = stage->streams;
    launch->spins = stage->spins;
    launch->in_place = stage->in_place;
    launch->has_places = !stage->makes_flags;
    if (strategy->launch) {
        strategy->launch(stage, number, launch);
    }
}

const struct param *clfold_kernel_params(const char *name)
{
    const struct clfold_kernel *kernel = clfold_kernels;

    while (kernel->name && strcmp(kernel->name, name) != 0) {
        ++kernel;
    }
    return kernel->params;
}

uint32_t clfold_plan_num_launches(const struct plan *plan)
{
    uint32_t num = 0;

    for (uint32_t s = 0; s < plan->num_stages; ++s) {
        num += plan->stages[s].num_launches - plan->stages[s].first_launch;
    }
    return num;
}

void clfold_stage_launch(const struct stage *stage, uint32_t number,
                         struct launch *launch)
{
    const struct strategy *strategy = strategy_of(stage->shape.algorithm);
    const uint32_t last = clfold_algorithm_row(stage->shape.algorithm)->num_kernels - 1;

    make_launch(stage,
                strategy->kernel ? strategy->kernel(stage, number)
                : number < last  ? number
                                 : last,
                number, launch);
}

void clfold_stage_rehearsal(const struct stage *stage, uint32_t kernel,
                            struct launch *launch)
{
    make_launch(stage, kernel, 0, launch);
    clfold_launch_moves(launch, 1, 0, 0);
    launch->count = launch->num_runs = launch->num_segments = 0;
    launch->num = launch->num_words = launch->first_block = 0;
}

/* Of so many launches all are alike but the first and the last two. */
#define MANY 64

void clfold_plan_bytes(const struct plan *plan, uint64_t *bytes_read,
                       uint64_t *bytes_written)
{
    struct launch launch;

    *bytes_read = *bytes_written = 0;
    for (uint32_t s = 0; s < plan->num_stages; ++s) {
        const struct stage *stage = &plan->stages[s];
        const uint32_t num = stage->num_launches;
        for (uint32_t i = stage->first_launch, alike; i < num; i += alike) {
            alike = i == 1 && num > MANY ? num - 3 : 1;
            clfold_stage_launch(stage, i, &launch);
            *bytes_read += alike * launch.bytes_read;
            *bytes_written += alike * launch.bytes_written;
        }
    }
}
