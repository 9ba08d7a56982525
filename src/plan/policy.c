#include "plan/policy.h"

#include <string.h>

struct row {
    const char *name;
    enum { CLASS_ANY, CLASS_CPU } class;
    const char *vendor; /* a part of the vendor's name; NULL: any */
    struct policy candidates[CLFOLD_MAX_CANDIDATES];
};

/*
 * Searched from the top; the last row fits every device.
 *
 * cpu: PoCL 3.1 and Intel's CPU runtime 2026.2 on two cores with AVX-512, 2026-11-21,
 *     2^26 f32: 32 to 35 GB/s with 8 to 512 groups and tiles of 64 KiB alike, 0.97 to
 *     1.02 of an OpenMP SIMD loop in the same run. 256 groups let a device of many cores
 *     share the work. The second candidate is for a driver that cannot build vectors.
 * any: not measured, no GPU was at hand. 64 KiB a tile are 16 loads of 16 bytes for each
 *     of 256 work-items, four of them under way at once; 1024 groups are about what a
 *     large GPU holds.
 */
static const struct row rows[] = {
    { "cpu",
      CLASS_CPU,
      NULL,
      { { TILE_VECTOR, 64 * 1024, 1, 256, 8, "cpu" },
        { TILE_GROUP, 64 * 1024, 64, 256, 8, "cpu" } } },
    { "any",
      CLASS_ANY,
      NULL,
      { { TILE_GROUP, 64 * 1024, 256, 1024, 2, "any" },
        { TILE_VECTOR, 16 * 1024, 1, 1024, 2, "any" } } },
};

const char *clfold_tile_name(enum tile_kind kind)
{
    return kind == TILE_VECTOR ? "tile_vector" : "tile_group";
}

static bool fits(const struct row *row, const struct device_facts *device)
{
    return (row->class == CLASS_ANY || device->cpu) &&
           (!row->vendor || strstr(device->vendor, row->vendor));
}

uint32_t clfold_policy_reduce(const struct device_facts *device,
                              struct policy candidates[CLFOLD_MAX_CANDIDATES])
{
    const struct row *row = rows;

    while (!fits(row, device)) {
        ++row;
    }
    memcpy(candidates, row->candidates, sizeof(row->candidates));
    return CLFOLD_MAX_CANDIDATES;
}
