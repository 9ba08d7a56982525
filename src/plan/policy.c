#include "plan/policy.h"

#include "base/platform.h"

#include <string.h>

/* ---- Policies of devices ----------------------------------------------------------- */

/* What CPUs' candidates have in common, and GPUs'. The lone ones are for drivers that
 * cannot build tile_group. */
#define CPU_REDUCE(...)                                                                  \
    {                                                                                    \
        .tile_bytes = 64 * 1024, .groups = 256, .apart_bytes = 8 << 20, __VA_ARGS__      \
    }
#define CPU_SCAN(...)                                                                    \
    {                                                                                    \
        .groups = 256, .anchor = 1, .single_bytes = 256 * 1024, .lasting = true,         \
        .spins = 1 << 16, __VA_ARGS__                                                    \
    }
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

/* Searched from the top; the last row fits every device. The measurements behind the
 * numbers are in docs/choosing.md. */
static const struct row {
    const char *name;
    bool is_cpu;            /* only of CPUs */
    const char *vendors[2]; /* parts of the vendor's name; NULL: any */
    struct policy reduce[CLFOLD_MAX_CANDIDATES], scan[CLFOLD_MAX_CANDIDATES];
} rows[] = {
    /* 256 groups let a device of many cores share the work. A lane is one of 16, in four
     * accumulators: 8 KiB for each of the 64 are 512 KiB, for one core about what a
     * second launch costs. Only bytes are prefetched: a line of them takes many
     * operations, so few lines are under way. The second candidate is for drivers that
     * cannot build vectors.
     *
     * A scan has tiles of a quarter of 1 MiB of L2: one tile is read for the second time,
     * scanned, and the next one that comes in. A run's first tile is not folded ahead, so
     * runs are long. Elements are prefetched 16 KiB ahead: 4 KiB loses where memory is
     * fast, 64 KiB where it is slow. */
    { .name = "cpu",
      .is_cpu = true,
      .reduce = { CPU_REDUCE(.tile = TILE_VECTOR, .group_size = 1, .lane_bytes = 8 * 1024,
                             .ahead_bytes = 4 * 1024, .ahead_element = 1),
                  CPU_REDUCE(.tile = TILE_ITEM, .group_size = 1,
                             .lane_bytes = 128 * 1024),
                  CPU_REDUCE(.tile = TILE_GROUP, .group_size = 64,
                             .lane_bytes = 8 * 1024) },
      .scan = { CPU_SCAN(.tile = TILE_VECTOR, .tile_bytes = 256 * 1024, .group_size = 1,
                         .least_run = 32, .stream_bytes = 16 << 20,
                         .ahead_bytes = 16 * 1024, .ahead_element = SIZE_MAX),
                CPU_SCAN(.tile = TILE_ITEM, .tile_bytes = 256 * 1024, .group_size = 1,
                         .least_run = 32),
                CPU_SCAN(.tile = TILE_GROUP, .tile_bytes = 16 * 1024,
                         .group_size = 64) } },
    /* A reduction: 6 groups of 256 a unit have 96 KiB under way, where an H200 asks for
     * 13. Groups: five times those that its 132 units hold, since groups that end early
     * leave room for others, and a last round that is not full is short. Two rounds of
     * four loads are the least that a group is started for.
     *
     * A scan: the tiles and blocks that were best on an H100. What tiles wait for in turn
     * is one hop a block, and a tile may have to fold its whole block. A work-item's run
     * is 32 elements of 4 bytes: with runs of 24, by 256 work-items, chunks of 16 bytes
     * would meet in the banks. */
    { .name = "nvidia",
      .vendors = { "NVIDIA" },
      .reduce = { GROUP_REDUCE(.tile_bytes = 128 * 1024, .groups = 132 * 32,
                               .lane_bytes = 128),
                  LONE_REDUCE },
      .scan = { GROUP_SCAN(.tile_bytes = 24 * 1024, .group_size = 192, .groups = 4096),
                LONE_SCAN } },
    /* 8 groups a compute unit (MI250X: 110 in each half), four such rounds. A tile of a
     * scan costs a wave some 700 instructions besides its elements, so runs must be long:
     * 32 elements. A wave looks back at 32 tiles, so they may be small. "AMD" is Mesa's
     * name for it, of rusticl. */
    { .name = "amd",
      .vendors = { "Advanced Micro Devices", "AMD" },
      .reduce = { GROUP_REDUCE(.tile_bytes = 128 * 1024, .groups = 110 * 32,
                               .lane_bytes = 128),
                  LONE_REDUCE },
      .scan = { GROUP_SCAN(.tile_bytes = 16 * 1024, .group_size = 128, .groups = 4096),
                LONE_SCAN } },
    /* 8 groups of 256 a core of Xe, which a Data Center GPU Max has 128 of; two rounds of
     * groups. A core has 64 KiB of local memory at the least, so tiles of a scan are
     * small, and its sub-groups look back at up to 32 of them. */
    { .name = "intel",
      .vendors = { "Intel" },
      .reduce = { GROUP_REDUCE(.tile_bytes = 64 * 1024, .groups = 2048,
                               .lane_bytes = 128),
                  LONE_REDUCE },
      .scan = { GROUP_SCAN(.tile_bytes = 8 * 1024, .group_size = 256, .groups = 2048),
                LONE_SCAN } },
    /* None was at hand: 64 KiB a tile are 16 loads of 16 bytes for each of 256
     * work-items, four of them under way at once, and no work-item is started for less
     * than these four. */
    { .name = "any",
      .reduce = { GROUP_REDUCE(.tile_bytes = 64 * 1024, .groups = 1024, .lane_bytes = 64),
                  LONE_REDUCE },
      .scan = { GROUP_SCAN(.tile_bytes = 16 * 1024, .group_size = 256, .groups = 1024),
                LONE_SCAN } },
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
           (row->vendors[0] && !strstr(device->vendor, row->vendors[0]) &&
            !(row->vendors[1] && strstr(device->vendor, row->vendors[1])))) {
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

/* An eighth of the last level; a small cache is a core's own, and four times that serves.
 * A line that is stored plainly is read first, even where it is not far. */
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
