#include "plan/plan.h"

#include "base/platform.h"
#include "plan/debug.h"
#include "plan/lanes.h"
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
    [FAMILY_MAP] = &clfold_map_strategy,
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
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" is not in this version, which %s", name,
                           kind == TAKES_WHOLE ? operation->knows
                                               : operation->knows_segments);
    }
    if (!clfold_algorithm_takes(job->algorithm, kind)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" does not take %s%s", name, kind_names[kind],
                           kind == TAKES_OFFSETS ? clfold_use_way(&job->use) : "");
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
    return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                       "algorithm \"%s\": the policy \"%s\" has no %s for %s",
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
static uint32_t ahead_of(const struct plan *plan, const struct policy *policy)
{
    uint64_t elements = policy->ahead_bytes / plan->in_size;
    uint64_t most = plan->shape.tile.elements;

    return (uint32_t)((elements < most ? elements : most) / VECTOR * VECTOR);
}

/* Bytes that are read for an element; offsets become bits. */
static uint32_t read_size(const struct job *job)
{
    const bool reads_heads = job->use.lifted && job->use.lifted != CLFOLD_BY_OFFSETS;

    return (uint32_t)(job->of_carries
                          ? clfold_monoid_carry_size(job->monoid)
                          : clfold_monoid_read_size(job->monoid) +
                                (reads_heads ? clfold_scalar(job->use.heads)->size : 0));
}

void clfold_plan_init(struct plan *plan, const struct job *job,
                      const struct candidate *candidate)
{
    *plan = (struct plan){
        .shape = candidate->shape,
        .row = candidate->policy.row,
        .kind = clfold_kind_of(job),
        .count = job->count,
        .in_size = (uint32_t)clfold_monoid_in_size(job->monoid),
        .out_size = (uint32_t)(job->of_carries ? clfold_monoid_carry_size(job->monoid)
                                               : clfold_monoid_written_size(job->monoid)),
        .item_size = (uint32_t)clfold_monoid_scanned_size(job->monoid),
        .read_size = read_size(job),
    };
    plan->ahead = plan->shape.prefetch ? ahead_of(plan, &candidate->policy) : 0;
    strategy_of(plan->shape.algorithm)->plan(plan, job, &candidate->policy);
    clfold_marks_init(&plan->marks, job, plan->shape.tile.group_size);
    if (job->monoid->keeps_scan) {
        plan->num_before = plan->num_launches;
        /* Prefixes stay where they are. */
        plan->num_once = job->monoid->writes_places ? plan->num_launches
                         : plan->shape.algorithm == REDUCE_THEN_SCAN
                             ? plan->num_launches - 1
                             : 0;
    }
}

void clfold_set_groups(struct plan *plan, const struct job *job, uint64_t bundles,
                       uint64_t groups)
{
    plan->each =
        job->device->most_elements || bundles == 0 ? 1 : clfold_div_up(bundles, groups);
    plan->num_groups = bundles > 0 ? clfold_div_up(bundles, plan->each) : 1;
}

void clfold_launch_cut(struct launch *launch, const struct cut *cut, bool work)
{
    launch->count = work ? cut->count : 0;
    launch->width = cut->segments.width;
    launch->length = cut->segments.length;
    launch->runs = cut->runs;
    launch->run = cut->run;
    launch->lead = cut->lead;
    launch->num_runs = work ? cut->num_runs : 0;
    launch->num_segments = work ? cut->num_segments : 0;
}

/* The kernels of marks come after the algorithm's. */
static uint32_t num_kernels(const struct plan *plan)
{
    return clfold_algorithm_row(plan->shape.algorithm)->num_kernels;
}

static void make_launch(const struct plan *plan, uint32_t kernel, uint32_t number,
                        bool work, struct launch *launch)
{
    launch->kernel = kernel;
    launch->num_groups = 1;
    launch->bytes_read = launch->bytes_written = 0;
    clfold_launch_cut(launch, &plan->cut, work);
    launch->unit = 1;
    launch->each = plan->each;
    launch->ahead = plan->ahead;
    launch->stream = plan->streams;
    launch->spins = plan->spins;
    launch->in_place = plan->in_place;
    if (kernel >= num_kernels(plan)) {
        clfold_marks_launch(&plan->marks, kernel - num_kernels(plan), work, launch);
    } else {
        strategy_of(plan->shape.algorithm)->launch(plan, number, work, launch);
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
    return plan->num_before + plan->marks.num_launches + plan->num_launches -
           plan->num_once;
}

/* Which one of the algorithm's it is; false: one of the marks, and which. */
static bool is_algorithm(const struct plan *plan, uint32_t number, uint32_t *which)
{
    const uint32_t later = plan->num_before + plan->marks.num_launches;

    *which = number < plan->num_before ? number
             : number < later          ? number - plan->num_before
                                       : number - later + plan->num_once;
    return number < plan->num_before || number >= later;
}

void clfold_plan_launch(const struct plan *plan, uint32_t number, struct launch *launch)
{
    const struct strategy *strategy = strategy_of(plan->shape.algorithm);
    uint32_t which;

    launch->is_placed = number >= plan->num_before;
    if (is_algorithm(plan, number, &which)) {
        make_launch(plan, strategy->kernel ? strategy->kernel(plan, which) : 0, which,
                    true, launch);
    } else {
        make_launch(plan, num_kernels(plan) + which, which, true, launch);
    }
}

void clfold_plan_rehearsal(const struct plan *plan, uint32_t kernel,
                           struct launch *launch)
{
    launch->is_placed = false;
    make_launch(plan, kernel, 0, false, launch);
    launch->num_groups = 1;
    launch->bytes_read = launch->bytes_written = 0;
}

/* Of so many launches all are alike but the first and the last two. */
#define MANY 64

void clfold_plan_bytes(const struct plan *plan, uint64_t *bytes_read,
                       uint64_t *bytes_written)
{
    const uint32_t num = clfold_plan_num_launches(plan);
    struct launch launch;

    *bytes_read = *bytes_written = 0;
    for (uint32_t i = 0, alike; i < num; i += alike) {
        uint32_t which;
        const bool is_second = is_algorithm(plan, i, &which) && which == 1;
        alike = is_second && plan->num_launches > MANY ? plan->num_launches - 3 : 1;
        clfold_plan_launch(plan, i, &launch);
        *bytes_read += alike * launch.bytes_read;
        *bytes_written += alike * launch.bytes_written;
    }
}
