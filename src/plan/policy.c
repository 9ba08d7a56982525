#include "plan/policy.h"

#include <string.h>

struct row {
    const char *name;
    enum { CLASS_ANY, CLASS_CPU } class;
    const char *vendor; /* a part of the vendor's name; NULL: any */
    struct policy candidates[CLFOLD_MAX_CANDIDATES];
    struct policy ladder;
    struct scan_policy scans[CLFOLD_MAX_CANDIDATES];
};

/*
 * Searched from the top; the last row fits every device.
 *
 * cpu: PoCL 3.1 and Intel's CPU runtime 2026.2 on two cores with AVX-512, 2026-11-21,
 *     2^26 f32: 32 to 35 GB/s with 8 to 512 groups and tiles of 64 KiB alike, 0.97 to
 *     1.02 of an OpenMP SIMD loop in the same run. 256 groups let a device of many cores
 *     share the work. A lane is one of 16, in four accumulators: 8 KiB for each of the 64
 *     are 512 KiB, some 50 us for one core, which is what a second launch costs. The
 *     second candidate is for a driver that cannot build vectors.
 * any: not measured, no GPU was at hand. 64 KiB a tile are 16 loads of 16 bytes for each
 *     of 256 work-items, four of them under way at once, and no work-item is started for
 *     less than these four; 1024 groups are about what a large GPU holds (H200: 132 units
 *     of 8).
 *
 * The ladder's groups are the lecture's on every device, so that its rungs compare.
 */
static const struct row rows[] = {
    { "cpu",
      CLASS_CPU,
      NULL,
      { { TILE_VECTOR, 64 * 1024, 1, 16, 16, 8 * 1024, "cpu" },
        { TILE_GROUP, 64 * 1024, 64, 16, 16, 8 * 1024, "cpu" } },
      { TILE_NONE, 0, 256, 16, 16, 1024, "cpu" },
      { { TILE_VECTOR, 64 * 1024, 1, 256, 1, 256 * 1024, 16 << 20, true, true, 1 << 16,
          "cpu" },
        { TILE_GROUP, 16 * 1024, 64, 256, 1, 256 * 1024, 0, false, true, 1 << 16,
          "cpu" } } },
    { "any",
      CLASS_ANY,
      NULL,
      { { TILE_GROUP, 64 * 1024, 256, 128, 8, 64, "any" },
        { TILE_VECTOR, 16 * 1024, 1, 128, 8, 256, "any" } },
      { TILE_NONE, 0, 256, 128, 8, 64, "any" },
      { { TILE_GROUP, 16 * 1024, 256, 1024, 64, 64 * 1024, 0, false, false, 1 << 20,
          "any" },
        { TILE_VECTOR, 16 * 1024, 1, 1024, 64, 64 * 1024, 0, false, false, 1 << 20,
          "any" } } },
};

const char *clfold_tile_name(enum tile_kind kind)
{
    return kind == TILE_VECTOR  ? "tile_vector"
           : kind == TILE_GROUP ? "tile_group"
                                : "work-group";
}

const char *clfold_group_scan_name(enum group_scan kind)
{
    return kind == GROUP_SCAN_HILLIS_STEELE ? "hillis_steele"
           : kind == GROUP_SCAN_BLELLOCH    ? "blelloch"
           : kind == GROUP_SCAN_RAKING      ? "raking"
                                            : "sub_group";
}

static bool fits(const struct row *row, const struct device_facts *device)
{
    return (row->class == CLASS_ANY || device->cpu) &&
           (!row->vendor || strstr(device->vendor, row->vendor));
}

static const struct row *row_of(const struct device_facts *device)
{
    const struct row *row = rows;

    while (!fits(row, device)) {
        ++row;
    }
    return row;
}

uint32_t clfold_policy_reduce(const struct device_facts *device,
                              struct policy candidates[CLFOLD_MAX_CANDIDATES])
{
    const struct row *row = row_of(device);

    memcpy(candidates, row->candidates, sizeof(row->candidates));
    return CLFOLD_MAX_CANDIDATES;
}

/* Compilers known to have the builtins that a policy may want. Oclgrind's claims to have
 * __builtin_prefetch and dies of it. */
static bool has_builtins(const struct device_facts *device)
{
    static const char *const platforms[] = { "Portable Computing Language",
                                             "Intel(R) OpenCL" };
    bool known = false;

    for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); ++i) {
        known |= device->platform && strcmp(device->platform, platforms[i]) == 0;
    }
    return known;
}

uint32_t clfold_policy_scan(const struct device_facts *device,
                            struct scan_policy candidates[CLFOLD_MAX_CANDIDATES])
{
    memcpy(candidates, row_of(device)->scans, sizeof(row_of(device)->scans));
    for (uint32_t i = 0; i < CLFOLD_MAX_CANDIDATES; ++i) {
        if (!has_builtins(device)) {
            candidates[i].prefetch = false;
            candidates[i].stream_bytes = 0;
        }
    }
    return CLFOLD_MAX_CANDIDATES;
}

struct policy clfold_policy_ladder(const struct device_facts *device)
{
    return row_of(device)->ladder;
}
