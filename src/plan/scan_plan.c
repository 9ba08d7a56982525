#include "plan/scan_plan.h"

#include "base/size.h"
#include "plan/scalar.h"
#include "plan/tuning.h"

#include <string.h>

/* Bytes that stores are aligned to: a line of the caches, and the widest vector. */
#define LINE 64

static const char *const names[CLFOLD_SCAN_ALGORITHMS] = {
    "scan_single_group", "scan_then_propagate", "reduce_then_scan",
    "scan_lookback",     "scan_chained",
};

const char *clfold_scan_name(enum scan_algorithm algorithm)
{
    return names[algorithm];
}

static uint64_t widest(const struct monoid *monoid)
{
    size_t in = clfold_monoid_in_size(monoid), out = clfold_monoid_out_size(monoid);

    return in > out ? in : out;
}

bool clfold_scan_named(const char *name, enum scan_algorithm *algorithm)
{
    for (int a = 0; a < CLFOLD_SCAN_ALGORITHMS; ++a) {
        if (strcmp(names[a], name) == 0) {
            *algorithm = (enum scan_algorithm)a;
            return true;
        }
    }
    return false;
}

clfold_status clfold_scan_choose(enum scan_algorithm *algorithm, const struct site *site,
                                 const char *name, const struct monoid *monoid,
                                 const struct device_facts *device, uint64_t count)
{
    struct scan_policy policies[CLFOLD_MAX_CANDIDATES];
    enum scan_algorithm found = SCAN_LOOKBACK;

    clfold_policy_scan(device, policies);
    if (!name && count <= policies[0].single_bytes / widest(monoid)) {
        found = SCAN_SINGLE_GROUP;
    }
    if (name && !clfold_scan_named(name, &found)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "algorithm \"%s\" is not in this version, which scans by "
                           "scan_single_group, scan_then_propagate, reduce_then_scan, "
                           "scan_lookback and scan_chained",
                           name);
    }
    /* Nothing takes one launch. */
    *algorithm = count > 0 ? found : SCAN_SINGLE_GROUP;
    return CLFOLD_OK;
}

/* ---- Shapes ------------------------------------------------------------------------ */

/* Tiles looked at at once: by each work-item of a sub-group, or by one work-item, with
 * which PoCL 3.1's compiler dies of 8. */
#define WINDOW      32
#define ITEM_WINDOW 4

/* Items and bytes of local memory beside a tile's: what strategies keep, look-back's
 * window of them, and its counters; see scan_tiles.cl. */
#define KEPT_ITEMS (6 + WINDOW)
#define KEPT_BYTES 64

/* Local memory is shared by a slot for each element and one more for each work-item, two
 * items for each work-item, padded, which is what the scan inside a group takes at most,
 * and what is kept; see tile_group_scan.cl. All strategies leave room for it, since they
 * have the same tiles. */
static uint32_t longest_run(const struct device_facts *device,
                            const struct monoid *monoid, uint32_t group_size)
{
    uint64_t items = 2 * ((uint64_t)group_size + group_size / 16 + 4) + KEPT_ITEMS;
    uint64_t bytes = items * clfold_monoid_item_size(monoid) + KEPT_BYTES;
    uint64_t rest = device->local_memory;

    rest = rest > bytes ? rest - bytes : 0;
    rest /= widest(monoid) * group_size;
    return rest > 1 ? (uint32_t)(rest - 1) : 0;
}

/* Rounds of a work-item for each element of its run: read in rows, folded, scanned,
 * written in rows; or propagated. And the group's scan. */
static uint64_t run_rounds(const struct monoid *monoid)
{
    return monoid->num_scalars + 3 + 3 * (monoid->num_components + 1);
}

static uint64_t group_rounds(uint32_t group_size)
{
    return 4 * (uint64_t)group_size + 8;
}

/* The longest run that is one launch's; see rounds_of. */
static uint32_t most_run(const struct device_facts *device, const struct monoid *monoid,
                         uint32_t group_size)
{
    uint64_t group = group_rounds(group_size);

    if (device->most_rounds == 0) {
        return UINT32_MAX;
    }
    return device->most_rounds > group
               ? (uint32_t)((device->most_rounds - group) / run_rounds(monoid))
               : 1;
}

static struct tile_shape group_tile(const struct scan_policy *policy,
                                    const struct device_facts *device,
                                    const struct monoid *monoid,
                                    const struct plan_override *override)
{
    uint32_t elements = override->tile_elements
                            ? override->tile_elements
                            : policy->tile_bytes / (uint32_t)widest(monoid);
    uint32_t size = override->group_size ? override->group_size : policy->group_size;
    uint32_t run, most;

    size = size < device->max_group_size ? size : (uint32_t)device->max_group_size;
    size = size < elements ? size : elements;
    while (size > 1 && longest_run(device, monoid, size) < 1) {
        size /= 2;
    }
    size = size > 0 ? size : 1;
    most = longest_run(device, monoid, size);
    most = most < most_run(device, monoid, size) ? most : most_run(device, monoid, size);
    run = elements / size < most ? elements / size : most;
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

/* Rounds of a work-item for an element by itself: where it is folded and where it is
 * scanned, and the components' when it is fetched and stored. */
static uint64_t element_rounds(const struct monoid *monoid)
{
    return 2 + 2 * (monoid->num_components + 1);
}

/* For a vector of 16: where cuts are looked for, where it is folded, where a lane of 16
 * such is joined, where it is scanned, and where it becomes 16 items one by one. */
static uint64_t vector_rounds(const struct monoid *monoid)
{
    return 4 + (clfold_monoid_has_item16(monoid) ? 0 : 1 + 16 * element_rounds(monoid));
}

/* The longest tile of a work-item, see rounds_of. */
static uint64_t most_vector(const struct device_facts *device,
                            const struct monoid *monoid)
{
    uint64_t rest = 16 * element_rounds(monoid) + 8;

    return (device->most_rounds - rest) / vector_rounds(monoid) * 16;
}

static struct tile_shape vector_tile(const struct scan_policy *policy,
                                     const struct device_facts *device,
                                     const struct monoid *monoid,
                                     const struct plan_override *override)
{
    uint32_t elements = override->tile_elements
                            ? override->tile_elements
                            : policy->tile_bytes / (uint32_t)widest(monoid);
    uint64_t most = device->most_rounds ? most_vector(device, monoid) : UINT32_MAX;

    most = most < monoid->stage_limit ? most : monoid->stage_limit;
    return (struct tile_shape){
        .kind = TILE_VECTOR,
        .elements = elements < most ? elements : (uint32_t)most,
        .group_size = 1,
    };
}

static uint32_t window_of(enum scan_algorithm algorithm, const struct scan_policy *policy,
                          const struct device_facts *device,
                          const struct plan_override *override)
{
    uint32_t most = ITEM_WINDOW;

    if (!clfold_scan_looks_back(algorithm)) {
        return 1;
    }
    /* Sub-groups of CPUs are emulated. */
    if (policy->tile == TILE_GROUP && device->sub_groups &&
        (!device->cpu || override->window)) {
        most = WINDOW;
    } else if (device->most_rounds ||
               (policy->tile == TILE_GROUP && device->sub_groups)) {
        most = 1;
    }
    return override->window && override->window < most ? override->window : most;
}

uint32_t clfold_scan_shapes(enum scan_algorithm algorithm, bool exclusive,
                            const struct device_facts *device,
                            const struct monoid *monoid, const struct verdict *verdict,
                            const struct plan_override *override,
                            struct scan_policy policies[CLFOLD_MAX_CANDIDATES],
                            struct scan_shape shapes[CLFOLD_MAX_CANDIDATES])
{
    struct scan_policy all[CLFOLD_MAX_CANDIDATES];
    uint32_t num_all = clfold_policy_scan(device, all), num = 0;

    clfold_tune_scan(override->tuned, all, num_all);
    for (uint32_t i = 0; i < num_all; ++i) {
        if (override->tile != TILE_NONE && override->tile != all[i].tile) {
            continue;
        }
        policies[num] = all[i];
        if (override->max_groups) {
            policies[num].groups = override->max_groups;
            policies[num].least_run = 1;
            policies[num].lasting = true;
        }
        shapes[num] = (struct scan_shape){
            .algorithm = algorithm,
            .exclusive = exclusive,
            .builtins = clfold_policy_builtins(device) && all[i].tile == TILE_VECTOR,
            .prefetch = all[i].prefetch && all[i].tile == TILE_VECTOR,
            .stream = all[i].stream_bytes > 0 && all[i].tile == TILE_VECTOR,
            .anchor = override->anchor ? override->anchor : all[i].anchor,
            .group_scan = device->sub_groups ? GROUP_SCAN_SUB_GROUP : GROUP_SCAN_RAKING,
            .tier = clfold_scan_looks_back(algorithm) ? verdict->tier : MEMORY_NONE,
            .fences = clfold_scan_looks_back(algorithm) && verdict->fences,
            .traced = clfold_scan_looks_back(algorithm) && override->trace,
            .window = window_of(algorithm, &all[i], device, override),
            .tile = all[i].tile == TILE_VECTOR
                        ? vector_tile(&all[i], device, monoid, override)
                        : group_tile(&all[i], device, monoid, override),
        };
        ++num;
    }
    return num;
}

/* ---- Plans ------------------------------------------------------------------------- */

/* Rounds of all loops that a work-item goes through for a tile, at most. A loop's end is
 * one more. */
static uint64_t rounds_of(const struct monoid *monoid, const struct tile_shape *tile)
{
    uint64_t run = tile->elements / tile->group_size;

    if (tile->kind == TILE_VECTOR) {
        return run / 16 * vector_rounds(monoid) + 16 * element_rounds(monoid) + 8;
    }
    return run * run_rounds(monoid) + group_rounds(tile->group_size);
}

/* The group's scan is among the rounds, so a tile may take more than the device allows;
 * one it is then. */
static uint64_t most_tiles(const struct monoid *monoid, const struct device_facts *device,
                           const struct tile_shape *tile)
{
    uint64_t most = device->most_rounds / rounds_of(monoid, tile);

    return device->most_rounds == 0 ? UINT64_MAX : most > 0 ? most : 1;
}

/* Elements from one line of the output to the next. */
static uint64_t line_of(const struct monoid *monoid)
{
    uint64_t size = clfold_monoid_out_size(monoid), elements = 1;

    while (elements * size % LINE != 0) {
        ++elements;
    }
    return elements;
}

/* Items that one launch of scan_single_group hands to the next. */
#define SINGLE_STATE 3

static void plan_single(struct scan_plan *plan, const struct monoid *monoid,
                        uint64_t most)
{
    plan->num_groups = 1;
    plan->run = plan->num_tiles < most ? plan->num_tiles : most;
    plan->num_launches =
        plan->num_tiles > 0 ? (uint32_t)clfold_div_up(plan->num_tiles, plan->run) : 1;
    if (plan->num_launches > 1) {
        plan->scratch_bytes = SINGLE_STATE * clfold_monoid_item_size(monoid);
    }
    plan->scratch_most = plan->scratch_bytes;
}

/* Totals, a carry, and the anchors. */
static size_t scratch_of(const struct scan_plan *plan, uint64_t num_tiles,
                         const struct monoid *monoid)
{
    uint64_t anchor = plan->shape.anchor;
    uint64_t anchors = anchor > 1 ? clfold_div_up(num_tiles, anchor) : 0;

    return (size_t)(num_tiles + 1 + anchors) * clfold_monoid_item_size(monoid);
}

/*
 * A run's first tile is not folded beside the scan of another, nor asked for before it is
 * needed; but a unit without a group is worse. Of 2^22 f32, which are 64 tiles, two cores
 * (EPYC of Zen 5, 2026-11-22, PoCL 3.1 and Intel's CPU runtime 2026.2 alike) scan 0.89 of
 * what they copy by 16 groups and 0.79 by 64; of 2^24 0.91 and 0.89.
 */
#define UNITS_UNKNOWN 2
#define UNIT_GROUPS   8

static uint64_t run_of(const struct scan_plan *plan, const struct device_facts *device,
                       const struct scan_policy *policy)
{
    uint64_t groups =
        UNIT_GROUPS * (uint64_t)(device->units ? device->units : UNITS_UNKNOWN);
    uint64_t run = clfold_div_up(plan->num_tiles, policy->groups);
    uint64_t most = clfold_div_up(plan->num_tiles, groups);
    uint64_t least = policy->least_run < most ? policy->least_run : most;

    return run > least ? run : least;
}

static void plan_passes(struct scan_plan *plan, const struct monoid *monoid,
                        const struct device_facts *device,
                        const struct scan_policy *policy, uint64_t most)
{
    uint64_t anchor = plan->shape.anchor;

    plan->run = run_of(plan, device, policy);
    plan->run = plan->run < most ? plan->run : most;
    plan->run = plan->run > 0 ? plan->run : 1;
    plan->num_groups = clfold_div_up(plan->num_tiles, plan->run);
    plan->blocks = clfold_div_up(plan->num_tiles, anchor);
    plan->launch_blocks =
        device->most_rounds ? device->most_rounds / (1 + 2 * anchor) : plan->blocks;
    plan->num_launches = 2 + (uint32_t)clfold_div_up(plan->blocks, plan->launch_blocks);
    plan->scratch_bytes = scratch_of(plan, plan->num_tiles, monoid);
    /* With another offset there may be a tile more. */
    plan->scratch_most = scratch_of(plan, plan->num_tiles + 1, monoid);
}

/* Looks at a tile that is not there, where waiting is not known to help. */
#define FEW_SPINS 64

/* Rounds of a work-item at most: each of its tiles folded, looked back from to the first
 * with all spins on each step, and scanned; and for every other tile it once folds that,
 * looks back again, and folds its own again. */
static uint64_t lookback_rounds(const struct scan_plan *plan, const struct monoid *monoid,
                                uint64_t words)
{
    uint64_t tile = rounds_of(monoid, &plan->shape.tile);
    uint64_t steps = plan->num_tiles * ((uint64_t)plan->spins + 1) + 4;
    uint64_t look = steps * (2 * words + 3 + 2 * plan->shape.window) +
                    plan->num_tiles * (words + 4 + plan->shape.window);

    return (plan->run + plan->num_tiles) * (2 * tile + look);
}

static void plan_lookback(struct scan_plan *plan, const struct monoid *monoid,
                          const struct device_facts *device,
                          const struct scan_policy *policy, const struct verdict *verdict,
                          const struct plan_override *override)
{
    const struct memory *memory = clfold_memory(plan->shape.tier);
    size_t item = clfold_monoid_item_size(monoid);

    plan->run = policy->lasting ? run_of(plan, device, policy) : 1;
    plan->num_groups = clfold_div_up(plan->num_tiles, plan->run);
    plan->num_launches = 1;
    /* Where rounds are few nothing is waited for. */
    plan->spins = override->spins       ? override->spins - 1
                  : device->most_rounds ? 0
                  : verdict->fair       ? policy->spins
                                        : FEW_SPINS;
    if (plan->shape.tier == MEMORY_NONE) {
        plan->refused = "no memory tier is trusted on this device";
        return;
    }
    plan->scratch_bytes = clfold_memory_bytes(memory, plan->num_tiles, item);
    plan->scratch_most = clfold_memory_bytes(memory, plan->num_tiles + 1, item);
    plan->bytes_read += plan->scratch_bytes;
    plan->bytes_written += plan->scratch_bytes;
    if (plan->num_tiles >> memory->ticket_bits) {
        plan->refused = "there are more tiles than tickets";
    } else if (device->most_rounds &&
               (plan->num_tiles > device->most_rounds ||
                lookback_rounds(plan, monoid, clfold_memory_words(memory, item)) >
                    device->most_rounds)) {
        plan->refused = "a work-item might go through more rounds than it may here";
    }
}

void clfold_scan_plan_init(struct scan_plan *plan, const struct monoid *monoid,
                           const struct device_facts *device,
                           const struct scan_policy *policy,
                           const struct scan_shape *shape, const struct verdict *verdict,
                           const struct plan_override *override, uint64_t out_offset,
                           uint64_t count)
{
    uint64_t in_bytes = count * clfold_monoid_in_size(monoid);
    uint64_t out_bytes = count * clfold_monoid_out_size(monoid);
    uint64_t most = most_tiles(monoid, device, &shape->tile);
    uint64_t line = line_of(monoid), items;

    *plan = (struct scan_plan){ .shape = *shape, .row = policy->row };
    plan->lead = shape->tile.elements % line == 0 ? out_offset % line : 0;
    plan->num_tiles =
        count > 0 ? clfold_div_up(count + plan->lead, shape->tile.elements) : 0;
    plan->streams = shape->stream && out_bytes >= policy->stream_bytes;
    plan->bytes_read = in_bytes;
    plan->bytes_written = out_bytes;
    if (shape->algorithm == SCAN_SINGLE_GROUP || count == 0) {
        plan_single(plan, monoid, most);
        return;
    }
    if (clfold_scan_looks_back(shape->algorithm)) {
        plan_lookback(plan, monoid, device, policy, verdict, override);
        return;
    }
    plan_passes(plan, monoid, device, policy, most);
    items = plan->num_tiles * clfold_monoid_item_size(monoid);
    plan->bytes_read += 2 * items;
    plan->bytes_written += 2 * items;
    if (shape->algorithm == SCAN_THEN_PROPAGATE) {
        plan->bytes_read += out_bytes;
        plan->bytes_written += out_bytes;
    } else {
        plan->bytes_read += in_bytes;
    }
}
