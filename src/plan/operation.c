#include "plan/operation.h"

#include <stddef.h>
#include <string.h>

#define SCANS                                                                            \
    "scans by scan_single_group, scan_then_propagate, reduce_then_scan, scan_lookback, " \
    "scan_chained and serial"

#define SEGMENT_SCANS "scans segments by scan_lanes and scan_rows"

static const struct operation operations[] = {
    [CLFOLD_REDUCE] = { "reduce", FAMILY_REDUCE, false, false,
                        "reduces by reduce_tiles, reduce0 to reduce6 and serial",
                        FAMILY_REDUCE_SEGMENTS,
                        "reduces segments by reduce_lanes and reduce_rows" },
    [CLFOLD_INCLUSIVE_SCAN] = { "inclusive_scan", FAMILY_SCAN, true, false, SCANS,
                                FAMILY_SCAN_SEGMENTS, SEGMENT_SCANS },
    [CLFOLD_EXCLUSIVE_SCAN] = { "exclusive_scan", FAMILY_SCAN, true, true, SCANS,
                                FAMILY_SCAN_SEGMENTS, SEGMENT_SCANS },
    [CLFOLD_MAP] = { "map", FAMILY_MAP, true, false, "maps by map_tiles", FAMILY_MAP,
                     "maps by map_tiles" },
};

#define RUNG(k, to_reorder, num_items)                                                   \
    {                                                                                    \
        .name = "reduce" #k, .family = FAMILY_REDUCE, .is_rung = true,                   \
        .reorders = (to_reorder), .items = (num_items), .file = "reduce_ladder.cl",      \
        .num_kernels = 1, .kernels = { "clfold_reduce" #k },                             \
    }

static const struct algorithm_row algorithms[] = {
    [REDUCE_TILES] = {
        .name = "reduce_tiles",
        .family = FAMILY_REDUCE,
        .file = "reduce_tiles.cl",
        .num_kernels = 3,
        .kernels = { "clfold_reduce_single", "clfold_reduce_tiles",
                     "clfold_reduce_partials" },
    },
    [REDUCE_0] = RUNG(0, false, 1),
    [REDUCE_0 + 1] = RUNG(1, false, 1),
    [REDUCE_0 + 2] = RUNG(2, true, 1),
    [REDUCE_0 + 3] = RUNG(3, true, 2),
    [REDUCE_0 + 4] = RUNG(4, true, 2),
    [REDUCE_0 + 5] = RUNG(5, true, 2),
    [REDUCE_6] = RUNG(6, true, 0),
    [SCAN_SINGLE_GROUP] = {
        .name = "scan_single_group",
        .family = FAMILY_SCAN,
        .file = "scan_single_group.cl",
        .num_kernels = 1,
        .kernels = { "clfold_scan_single_group" },
    },
    [SCAN_THEN_PROPAGATE] = {
        .name = "scan_then_propagate",
        .family = FAMILY_SCAN,
        .file = "scan_then_propagate.cl",
        .num_kernels = 3,
        .kernels = { "clfold_scan_locals", "clfold_scan_prefixes",
                     "clfold_scan_propagate" },
    },
    [REDUCE_THEN_SCAN] = {
        .name = "reduce_then_scan",
        .family = FAMILY_SCAN,
        .file = "reduce_then_scan.cl",
        .num_kernels = 3,
        .kernels = { "clfold_scan_aggregates", "clfold_scan_prefixes",
                     "clfold_scan_tiles" },
    },
    [SCAN_LOOKBACK] = {
        .name = "scan_lookback",
        .family = FAMILY_SCAN,
        .looks_back = true,
        .file = "scan_lookback.cl",
        .num_kernels = 1,
        .kernels = { "clfold_scan_lookback" },
    },
    [SCAN_CHAINED] = {
        .name = "scan_chained",
        .family = FAMILY_SCAN,
        .looks_back = true,
        .file = "scan_lookback.cl",
        .num_kernels = 1,
        .kernels = { "clfold_scan_lookback" },
    },
    [SERIAL] = {
        .name = "serial",
        .family = FAMILY_ANY,
        .file = "serial.cl",
        .num_kernels = 1,
        .kernels = { "clfold_serial" },
    },
    [WIDTHS] = {
        .name = "widths",
        .family = FAMILY_WIDTHS,
        .file = "widths.cl",
        .num_kernels = 1,
        .kernels = { "clfold_widths" },
    },
    [REDUCE_LANES] = {
        .name = "reduce_lanes",
        .family = FAMILY_REDUCE_SEGMENTS,
        .file = "reduce_lanes.cl",
        .num_kernels = 2,
        .kernels = { "clfold_reduce_lanes", "clfold_segment_partials" },
    },
    [REDUCE_ROWS] = {
        .name = "reduce_rows",
        .family = FAMILY_REDUCE_SEGMENTS,
        .file = "reduce_rows.cl",
        .num_kernels = 2,
        .kernels = { "clfold_reduce_rows", "clfold_segment_partials" },
    },
    [SCAN_LANES] = {
        .name = "scan_lanes",
        .family = FAMILY_SCAN_SEGMENTS,
        .file = "scan_lanes.cl",
        .num_kernels = 3,
        .kernels = { "clfold_lanes_aggregates", "clfold_segment_prefixes",
                     "clfold_scan_bundles" },
    },
    [SCAN_ROWS] = {
        .name = "scan_rows",
        .family = FAMILY_SCAN_SEGMENTS,
        .file = "scan_rows.cl",
        .num_kernels = 4,
        .kernels = { "clfold_rows_aggregates", "clfold_segment_prefixes",
                     "clfold_rows_tiles", "clfold_scan_rows" },
    },
    [MAP_TILES] = {
        .name = "map_tiles",
        .family = FAMILY_MAP,
        .file = "map_tiles.cl",
        .num_kernels = 1,
        .kernels = { "clfold_map_tiles" },
    },
};

const struct operation *clfold_operation_row(clfold_operation operation)
{
    size_t num = sizeof(operations) / sizeof(operations[0]);

    return operation < num && operations[operation].name ? &operations[operation] : NULL;
}

const struct algorithm_row *clfold_algorithm_row(enum algorithm algorithm)
{
    return &algorithms[algorithm];
}

const char *clfold_algorithm_name(enum algorithm algorithm)
{
    return algorithms[algorithm].name;
}

bool clfold_looks_back(enum algorithm algorithm)
{
    return algorithms[algorithm].looks_back;
}

bool clfold_algorithm_serves(enum algorithm algorithm, enum family family)
{
    return algorithms[algorithm].family == family ||
           (algorithms[algorithm].family == FAMILY_ANY && family < FAMILY_ANY);
}

bool clfold_algorithm_named(const char *name, enum family family,
                            enum algorithm *algorithm)
{
    const int num = (int)(sizeof(algorithms) / sizeof(algorithms[0]));

    for (int a = 0; a < num; ++a) {
        if (clfold_algorithm_serves((enum algorithm)a, family) &&
            strcmp(algorithms[a].name, name) == 0) {
            *algorithm = (enum algorithm)a;
            return true;
        }
    }
    return false;
}
