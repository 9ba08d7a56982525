#include "plan/policy.h"

#include "base/platform.h"

#include <string.h>

/* ---- Policies of devices ----------------------------------------------------------- */

/*
 * CPUs: PoCL 3.1 and Intel's CPU runtime 2026.2 on two cores with AVX-512, 2026-11-21,
 * 2^26 f32: 32 to 35 GB/s with 8 to 512 groups and tiles of 64 KiB alike, 0.97 to 1.02 of
 * an OpenMP SIMD loop in the same run. 256 groups let a device of many cores share the
 * work. A lane is one of 16, in four accumulators: 8 KiB for each of the 64 are 512 KiB,
 * for one core about what a second launch costs. The second candidate is for drivers that
 * cannot build vectors.
 *
 * Two cores of an AMD EPYC (Zen 5), 2026-11-22, same drivers, share of the best read of
 * the same run: 0.95 to 1.1, f32 into f64 0.93 to 1.01, u8 into u64 0.91 to 0.95. From
 * 2^24 to 2^30 f32 the GB/s are within 10 %, the fewest at 2^24. Up to 512 KiB one group
 * is as fast as two. Above, the last group folds the partials: of the time with a second
 * launch that takes 0.86 to 0.97 at 1 MiB, 0.87 to 0.91 at 2 and 0.88 to 0.93 at 4, but
 * 1.1 to 1.25 from 10 to 16 MiB on Intel's runtime (Zen 4, 2026-11-26); the table of
 * splits is in docs/performance.md.
 *
 * Only bytes are prefetched: a line of them takes many operations, so few lines are under
 * way. Prefetching gains 4 % to 40 % and loses up to 8 % on a Zen 4; for wider elements
 * it gains up to 7 % and loses up to 37 % there. See docs/performance.md.
 */
#define CPU_REDUCE(...)                                                                  \
    {                                                                                    \
        .tile_bytes = 64 * 1024, .groups = 256, .apart_bytes = 8 << 20, __VA_ARGS__      \
    }
static const struct policy cpu_reduce[CLFOLD_MAX_CANDIDATES] = {
    CPU_REDUCE(.tile = TILE_VECTOR, .group_size = 1, .lane_bytes = 8 * 1024,
               .ahead_bytes = 4 * 1024, .ahead_element = 1),
    CPU_REDUCE(.tile = TILE_ITEM, .group_size = 1, .lane_bytes = 128 * 1024),
    CPU_REDUCE(.tile = TILE_GROUP, .group_size = 64, .lane_bytes = 8 * 1024),
};

/*
 * Tiles of a quarter of 1 MiB of L2: one tile is read for the second time, scanned, and
 * the next one that comes in. 2^26 f32 by look-back on two cores of an EPYC of Zen 5,
 * 2026-11-22, GB/s with tiles of 64, 128 and 256 KiB: 81, 87, 92 (PoCL 3.1), 84, 89, 96
 * (Intel's CPU runtime 2026.2), of 112 that a copy takes. A run's first tile is not
 * folded ahead, so runs are long. One group is as fast up to 256 KiB, a second one costs
 * 2 us. Elements are prefetched 16 KiB ahead: 4 KiB loses where memory is fast, 64 KiB
 * where it is slow, see docs/performance.md.
 */
#define CPU_SCAN(...)                                                                    \
    {                                                                                    \
        .groups = 256, .anchor = 1, .single_bytes = 256 * 1024, .lasting = true,         \
        .spins = 1 << 16, __VA_ARGS__                                                    \
    }
static const struct policy cpu_scan[CLFOLD_MAX_CANDIDATES] = {
    CPU_SCAN(.tile = TILE_VECTOR, .tile_bytes = 256 * 1024, .group_size = 1,
             .least_run = 32, .stream_bytes = 16 << 20, .ahead_bytes = 16 * 1024,
             .ahead_element = SIZE_MAX),
    CPU_SCAN(.tile = TILE_ITEM, .tile_bytes = 256 * 1024, .group_size = 1,
             .least_run = 32),
    CPU_SCAN(.tile = TILE_GROUP, .tile_bytes = 16 * 1024, .group_size = 64),
};

/* What GPUs' rows have in common. The lone ones are for drivers that cannot build
 * tile_group. */
#define GROUP_REDUCE(...)                                                                \
    {                                                                                    \
        .tile = TILE_GROUP, .group_size = 256, __VA_ARGS__                               \
    }
#define GROUP_SCAN(...)                                                                  \
    {                                                                                    \
        .tile = TILE_GROUP, .anchor = 64, .single_bytes = 64 * 1024, .spins = 1 << 20,   \
        __VA_ARGS__                                                                      \
    }
#define LONE_REDUCE                                                                      \
    {                                                                                    \
        .tile = TILE_VECTOR, .tile_bytes = 16 * 1024, .group_size = 1, .groups = 1024,   \
        .lane_bytes = 256,                                                               \
    }
#define LONE_SCAN                                                                        \
    {                                                                                    \
        .tile = TILE_VECTOR, .tile_bytes = 16 * 1024, .group_size = 1, .groups = 1024,   \
        .anchor = 64, .single_bytes = 64 * 1024, .spins = 1 << 20,                       \
    }

/*
 * GPUs: the numbers come from tools/codegen (clang 19 and ptxas 13.0, 2026-11-22), from
 * the bytes that must be under way, and from published data of each. NVIDIA's were
 * measured on an H100 (2026-11-26, driver 580, 2^26 elements; docs/gpu.md); no other GPU
 * has been at hand.
 *
 * NVIDIA reduce, sum of f32: 34 registers, so 6 groups of 256 a unit, of which each
 * work-item has four loads of 16 bytes under way: 96 KiB a unit. By Little's law
 * (bandwidth times latency) an A100 wants 5, an H100 9 and an H200 13 KiB; NVIDIA's own
 * library plans for 16, 32 and 48. Groups: five times those that a unit of an H200 (132)
 * holds, as CUB starts: groups that end early leave room for others, and a last round
 * that is not full is short. Two rounds of four loads are the least that a group is
 * started for.
 */
static const struct policy nvidia_reduce[CLFOLD_MAX_CANDIDATES] = {
    GROUP_REDUCE(.tile_bytes = 128 * 1024, .groups = 132 * 32, .lane_bytes = 128),
    LONE_REDUCE,
};

/*
 * NVIDIA scan, H100, shares of the driver's copy: tiles of 24 KiB by 192 work-items 0.78,
 * of 16 by 128, 20 by 160, 28 by 224 and 32 by 256 0.68 to 0.76. Blocks of 64 tiles 0.78,
 * 96 0.76, 128 0.74, 256 0.70, 512 0.67: what tiles wait for in turn is one hop a block,
 * and a tile may have to fold its whole block. On 2026-11-28 16 tiles 0.35, 32 0.61, 48
 * 0.72, 64 0.73; of i32, whose bits allow it, without blocks 0.58. Without any look-back
 * 0.96. A work-item's run is 32 elements of 4 bytes: with runs of 24, by 256 work-items,
 * chunks of 16 bytes would meet in the banks.
 */
static const struct policy nvidia_scan[CLFOLD_MAX_CANDIDATES] = {
    GROUP_SCAN(.tile_bytes = 24 * 1024, .group_size = 192, .groups = 4096),
    LONE_SCAN,
};

/*
 * AMD reduce, sum of f32: 58 registers on gfx90a, 48 on gfx1030 and gfx1100: 8 groups a
 * compute unit (MI250X: 110 in each half) or work-group processor, 128 KiB under way,
 * where 9 bytes a cycle and 800 cycles ask for 7 KiB. Four such rounds of groups.
 */
static const struct policy amd_reduce[CLFOLD_MAX_CANDIDATES] = {
    GROUP_REDUCE(.tile_bytes = 128 * 1024, .groups = 110 * 32, .lane_bytes = 128),
    LONE_REDUCE,
};

/*
 * AMD scan: a tile costs a wave some 700 instructions besides its elements, so runs must
 * be long. Counted in the code for gfx1100, f32, instructions a lane and element: 54 in
 * runs of 16, by 256 work-items, 42 in runs of 24, and 36 in runs of 32, by 128. These
 * take 18 KB of LDS: 3 groups a compute unit of gfx90a and 7 a work-group processor of
 * gfx1030 and gfx1100. A wave looks back at 32 tiles, so they may be small. rocPRIM: 256
 * work-items of 16 items, which it keeps in registers.
 */
static const struct policy amd_scan[CLFOLD_MAX_CANDIDATES] = {
    GROUP_SCAN(.tile_bytes = 16 * 1024, .group_size = 128, .groups = 4096),
    LONE_SCAN,
};

/*
 * Intel: groups of 256 are 16 threads of SIMD16, of 128 that a core of Xe has, so 8 are
 * there at once with 64 KiB and more under way. 128 cores are a Data Center GPU Max; two
 * rounds of groups. A core has 64 KiB of local memory at the least, so tiles of a scan
 * are small, and its sub-groups look back at up to 32 of them.
 */
static const struct policy intel_reduce[CLFOLD_MAX_CANDIDATES] = {
    GROUP_REDUCE(.tile_bytes = 64 * 1024, .groups = 2048, .lane_bytes = 128),
    LONE_REDUCE,
};

static const struct policy intel_scan[CLFOLD_MAX_CANDIDATES] = {
    GROUP_SCAN(.tile_bytes = 8 * 1024, .group_size = 256, .groups = 2048),
    LONE_SCAN,
};

/*
 * All other devices: not measured, none was available. 64 KiB a tile are 16 loads of 16
 * bytes for each of 256 work-items, four of them under way at once, and no work-item is
 * started for less than these four.
 */
static const struct policy any_reduce[CLFOLD_MAX_CANDIDATES] = {
    GROUP_REDUCE(.tile_bytes = 64 * 1024, .groups = 1024, .lane_bytes = 64),
    LONE_REDUCE,
};

static const struct policy any_scan[CLFOLD_MAX_CANDIDATES] = {
    GROUP_SCAN(.tile_bytes = 16 * 1024, .group_size = 256, .groups = 1024),
    LONE_SCAN,
};

/* ---- The table --------------------------------------------------------------------- */

/* Searched from the top; the last row fits every device. */
static const struct row {
    const char *name;
    bool is_cpu;        /* only of CPUs */
    const char *vendor; /* a part of the vendor's name; NULL: any */
    const struct policy *reduce, *scan;
} rows[] = {
    { "cpu", true, NULL, cpu_reduce, cpu_scan },
    { "nvidia", false, "NVIDIA", nvidia_reduce, nvidia_scan },
    { "amd", false, "Advanced Micro Devices", amd_reduce, amd_scan },
    /* Mesa's name for it, of rusticl */
    { "amd", false, "AMD", amd_reduce, amd_scan },
    { "intel", false, "Intel", intel_reduce, intel_scan },
    { "any", false, NULL, any_reduce, any_scan },
};

/* ---- Names ------------------------------------------------------------------------- */

const char *clfold_tile_name(uint32_t kind)
{
    return kind == TILE_VECTOR  ? "tile_vector"
           : kind == TILE_GROUP ? "tile_group"
           : kind == TILE_ITEM  ? "tile_item"
                                : "work-group";
}

/* ---- Finding a row ----------------------------------------------------------------- */

static const struct row *row_of(const struct device_facts *device)
{
    const struct row *row = rows;

    while ((row->is_cpu && !device->cpu) ||
           (row->vendor && !strstr(device->vendor, row->vendor))) {
        ++row;
    }
    return row;
}

/*
 * A CPU's tiles and streams by the one cache that OpenCL reports. A row has the most of
 * both, for devices that report none. PoCL 3.1 reports the last level, Intel's CPU
 * runtime 2026.2 a core's own (2026-11-22, one machine: 32 MiB and 1 MiB). Neither
 * changes with the number of workers or compute units, and nothing here depends on these:
 * float bits depend on the tile.
 *
 *   cache         none   64 KiB   512 KiB    1 MiB    8 MiB   32 MiB   260 MiB
 *   reduce    64 KiB       16        32        64       64       64        64   KiB
 *   scan     256 KiB       16       128       256      256      256       256   KiB
 *   stream    16 MiB        2         2         4        2        4        16   MiB
 */
#define LEAST_TILE       (16u * 1024)
#define LEAST_STREAM     (2u << 20)
#define LEAST_LAST_LEVEL (4u << 20)

/* A scan has a tile that it reads for the second time and the next one in a core's own
 * cache, so that a quarter of it leaves room for as much again. */
#define REDUCE_SHARE 16
#define SCAN_SHARE   4

static uint64_t tile_bytes(uint64_t most, uint64_t cache, uint32_t share)
{
    uint64_t bytes = most;

    while (cache > 0 && bytes > LEAST_TILE && bytes > cache / share) {
        bytes /= 2;
    }
    return bytes;
}

/*
 * An eighth of the last level; a small cache is a core's own, and four times that serves.
 * A line that is stored plainly is read first, even where it is not far. Two cores of an
 * AMD EPYC (L2 1 MiB a core, L3 32 MiB), 2026-11-22, a scan of f32 and a reduction of
 * what it wrote, same buffers again and again, in us, median of 31:
 *
 *   output                        1 MiB   2 MiB       4 MiB   8 MiB   16 MiB   32 MiB
 *   PoCL 3.1, past the caches       120     168         254     423      779     1515
 *     plain stores                  135     188         302     517     1017     2112
 *   Intel's CPU runtime, past        64     110         186     342      670     1307
 *     plain stores                   44    74 to 122    217     403      793     1982
 */
static uint64_t stream_bytes(uint64_t most, uint64_t cache)
{
    uint64_t share = cache < LEAST_LAST_LEVEL ? 4 * cache : cache / 8;

    share = share > LEAST_STREAM ? share : LEAST_STREAM;
    return cache == 0 || share > most ? most : share;
}

/* Corrects what does not hold on every device of a row. */
static void fit(struct policy *policy, const struct device_facts *device,
                enum family family)
{
    if (device->cpu) {
        policy->tile_bytes =
            tile_bytes(policy->tile_bytes, device->cache_bytes,
                       family == FAMILY_REDUCE ? REDUCE_SHARE : SCAN_SHARE);
        policy->stream_bytes = stream_bytes(policy->stream_bytes, device->cache_bytes);
        /* Sub-groups are emulated. */
        policy->window = policy->tile == TILE_GROUP && device->sub_groups;
    }
    if (!clfold_platform_builtins(device->platform)) {
        policy->ahead_bytes = 0;
        policy->least_run = 1;
        policy->stream_bytes = 0;
    }
}

uint32_t clfold_policies(const struct device_facts *device, enum family family,
                         size_t element, struct policy candidates[CLFOLD_MAX_CANDIDATES])
{
    const struct row *row = row_of(device);
    const struct policy *policies = family == FAMILY_REDUCE ? row->reduce : row->scan;
    uint32_t num = 0;

    for (; num < CLFOLD_MAX_CANDIDATES && policies[num].tile; ++num) {
        uint32_t i = num;
        candidates[i] = policies[i];
        candidates[i].row = row->name;
        if (element > candidates[i].ahead_element) {
            candidates[i].ahead_bytes = 0;
        }
        fit(&candidates[i], device, family);
    }
    return num;
}

/* A work-item of a row has four loads of 16 bytes under way, as of a tile. Larger groups
 * have fewer rows under way at once, and each of their barriers is for more. Halves, so
 * that there are few programs. */
#define ROW_LOADS      64
#define LEAST_GROUP    64
#define LEAST_ROW_TILE 4096

void clfold_policies_fit(enum family family, uint64_t bytes, struct policy policies[],
                         uint32_t num)
{
    for (uint32_t i = 0; i < num; ++i) {
        struct policy *policy = &policies[i];
        while (policy->tile == TILE_GROUP && policy->group_size >= 2 * LEAST_GROUP &&
               policy->group_size % 2 == 0 &&
               policy->group_size / 2 * ROW_LOADS >= bytes) {
            policy->group_size /= 2;
        }
        while (policy->tile == TILE_GROUP && family == FAMILY_SCAN &&
               policy->tile_bytes >= 2 * LEAST_ROW_TILE &&
               policy->tile_bytes / 2 >= bytes) {
            policy->tile_bytes /= 2;
        }
    }
}

struct policy clfold_policy_ladder(const struct device_facts *device)
{
    /* The lecture's group size on every device, so that its rungs compare. */
    return (struct policy){
        .row = row_of(device)->name,
        .group_size = 256,
        .groups = device->cpu ? 256 : 1024,
        .lane_bytes = device->cpu ? 1024 : 64,
    };
}
