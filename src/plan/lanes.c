#include "plan/lanes.h"

#include "base/platform.h"

/* Lanes of a bundle: vectors of items of so many bytes, or of a few lanes at least, since
 * pieces of rows come at half the speed of rows (1000 floats, two cores of an EPYC of Zen
 * 4); or scalars, of which a few hide the latency of others. Columns that are not cut
 * have bundles of fewer, so that there are enough of them, and no more are wanted. */
#define VECTOR_BYTES 4096
#define FEW_LANES    256
#define ITEM_LANES   16

/* Rows from here on take a tile each on CPUs. Two cores of an AMD EPYC (Zen 5). */
#define TILE_ROW 64

/* A lane of less is not worth its partial result; nor are vectors of few columns worth
 * less than so many elements of them all, as their first and last rows go one by one. */
#define LEAST_RUN  128
#define LEAST_SPAN 4096

/* Items of each lane that a group has in local memory at once, at most; and the bytes. */
#define MOST_STEP  16
#define STEP_BYTES (24u * 1024)

bool clfold_by_lanes(enum algorithm algorithm)
{
    return algorithm == REDUCE_LANES || algorithm == SCAN_LANES;
}

bool clfold_suits_lanes(const struct job *job)
{
    struct policy policies[CLFOLD_MAX_CANDIDATES];
    size_t in_size = clfold_monoid_in_size(job->monoid);
    enum family family = clfold_operation_row(job->operation)->family;
    uint32_t num = clfold_policies(job->device, family, in_size, policies);

    clfold_policies_fit(family, job->segments.rows.length * in_size, policies, num);
    return job->segments.rows.width > 1 ||
           (job->segments.rows.width == 1 &&
            job->segments.rows.length <
                (policies[0].tile == TILE_GROUP
                     ? policies[0].group_size * clfold_chunk_elements(in_size)
                     : TILE_ROW));
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
    uint64_t bytes = clfold_least(job->device->local_memory / 2, STEP_BYTES);
    uint64_t size = clfold_least(policy->group_size, job->device->max_group_size);
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
    uint64_t lanes = ITEM_LANES;

    if (policy->tile == TILE_GROUP) {
        group_lanes(shape, job, policy);
        return;
    }
    if (policy->tile == TILE_VECTOR) {
        lanes = VECTOR_BYTES / clfold_monoid_item_size(job->monoid);
        lanes = lanes > FEW_LANES && job->segments.rows.width > 1 ? lanes : FEW_LANES;
    }
    lanes = clfold_least(lanes, policy->tile_bytes / element);
    lanes = policy->tile == TILE_VECTOR ? clfold_div_up(lanes, 16) * 16 : lanes;
    shape->prefetch =
        policy->tile == TILE_VECTOR && clfold_platform_builtins(job->device->platform);
    shape->tile = (struct tile_shape){ policy->tile, lanes > 0 ? (uint32_t)lanes : 1, 1 };
}

/* ---- Runs -------------------------------------------------------------------------- */

uint64_t clfold_lane_run(const struct job *job, const struct shape *shape,
                         uint64_t groups, bool forced)
{
    uint64_t length = job->segments.rows.length;
    uint64_t segments = clfold_num_segments(job->count, job->segments.rows);
    uint64_t wanted = groups * clfold_least(shape->tile.elements, FEW_LANES);
    uint64_t runs = segments > 0 ? clfold_div_up(wanted, segments) : 1;
    uint64_t run = clfold_div_up(length, runs > 0 ? runs : 1);
    uint64_t shortest = forced ? 1 : LEAST_RUN;
    /* A lane's places are counted in 32 bits, and its stage takes so many. */
    uint64_t longest = (UINT32_MAX - 16) / job->segments.rows.width + 1;

    longest = clfold_least(longest, job->monoid->stage_limit);
    if (job->device->most_elements) {
        longest = clfold_least(longest, job->device->most_elements / 4);
    }
    if (shape->tile.kind == TILE_VECTOR && !forced) {
        shortest =
            clfold_div_up(LEAST_SPAN, job->segments.rows.width * LEAST_RUN) * LEAST_RUN;
    }
    run = run > shortest ? run : shortest;
    run = clfold_least(run, longest > 0 ? longest : 1);
    return clfold_least(run, length);
}

/* Columns that a bundle takes of a row. Lanes do not depend on each other, so bits do not
 * depend on it. Of more columns than a bundle has, reductions that are cut are faster by
 * small pieces (4096: 0.7 of a read, not 0.57). Scans are slow by small ones, since each
 * is a page of both buffers (4096: 0.55 of a copy by 256, 0.95 by 1024, two cores of a
 * Cascade Lake), so they take them only where units lack bundles. */
#define UNIT_BUNDLES 2

static uint64_t part_of(const struct shape *shape, const struct cut *cut,
                        const struct job *job)
{
    uint64_t lanes = shape->tile.elements, units = job->device->units, part;

    if (shape->algorithm == REDUCE_LANES) {
        part = cut->runs > 1 && cut->segments.width < lanes + 16 ? lanes : FEW_LANES;
    } else {
        part = cut->num_runs / (UNIT_BUNDLES * (units > 0 ? units : lanes)) / 16 * 16;
    }
    return clfold_least(lanes, part > FEW_LANES ? part : FEW_LANES);
}

struct lines clfold_lines(const struct shape *shape, const struct cut *cut,
                          const struct job *job)
{
    const uint64_t lanes = shape->tile.elements, width = cut->segments.width;
    const uint64_t num = cut->num_runs;
    struct lines lines = { lanes, lanes, clfold_div_up(num, lanes) };
    uint64_t part;

    if (shape->tile.kind != TILE_VECTOR || width == 1) {
        return lines;
    }
    part = part_of(shape, cut, job);
    lines.part = part;
    lines.line = width > part ? width : part / width * width;
    lines.bundles = width > part ? num / width * ((width + part - 16) / part)
                                 : clfold_div_up(num, lines.line);
    return lines;
}
