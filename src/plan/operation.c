#include "plan/operation.h"

#include "base/size.h"

#include <string.h>

#define SCANS                                                                            \
    .noun = "a scan", .family = FAMILY_SCAN, .traits = FACET_BIT(TRAIT_SCAN),            \
    .writes_each = true,                                                                 \
    .knows = "scans by scan_single_group, scan_then_propagate, reduce_then_scan, "       \
             "scan_lookback, scan_chained and serial",                                   \
    .knows_segments = "scans segments by scan_single_group, reduce_then_scan, "          \
                      "scan_lookback, scan_chained and scan_lanes"

#define LATE                                                                             \
    " cannot be in place, as a group that is late reads its elements when others have "  \
    "written"

static const struct operation operations[] = {
    [CLFOLD_REDUCE] = { .name = "reduce",
                        .noun = "a reduction",
                        .tuned = "reduce",
                        .family = FAMILY_REDUCE,
                        .traits = FACET_BIT(TRAIT_REDUCE),
                        .knows = "reduces by reduce_tiles, reduce0 to reduce6 and serial",
                        .knows_segments = "reduces segments by reduce_tiles, "
                                          "reduce_lanes and reduce_offsets" },
    [CLFOLD_INCLUSIVE_SCAN] = { .name = "inclusive_scan", .tuned = "scan", SCANS },
    [CLFOLD_EXCLUSIVE_SCAN] = { .name = "exclusive_scan", .exclusive = true, SCANS },
    [CLFOLD_MAP] = { .name = "map",
                     .noun = "a map",
                     .tuned = "map",
                     .family = FAMILY_MAP,
                     .traits = FACET_BIT(TRAIT_MAP),
                     .writes_each = true,
                     .takes = "each element by itself",
                     .knows = "maps by map_tiles",
                     .knows_segments = "maps by map_tiles" },
    [CLFOLD_SELECT] = { .name = "select",
                        .noun = "a select",
                        .tuned = "select",
                        .family = FAMILY_SCAN,
                        .traits = FACET_BIT(TRAIT_SELECT),
                        .writes_each = true,
                        .selects = true,
                        .apart = ": a select" LATE,
                        .knows = "selects by scan_single_group, reduce_then_scan, "
                                 "scan_lookback and scan_chained",
                        .knows_segments = "does not select from segments" },
};

/* What tiles and lanes take. */
#define TILES (TAKES_WHOLE | TAKES_ROWS)
#define LANES (TAKES_ROWS | TAKES_COLUMNS)

/* An algorithm by its own file, or another one's. */
#define ROW(title, ...) ROW_OF(title, title ".cl", __VA_ARGS__)
#define ROW_OF(title, text, of, cuts, ...)                                               \
    .name = (title), .family = FAMILY_##of, .takes = (cuts), .file = (text),             \
    KERNELS(__VA_ARGS__)
#define KERNELS(...)                                                                     \
    .num_kernels = sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *),             \
    .kernels = { __VA_ARGS__ }

#define RUNG(k, to_reorder, num_items)                                                   \
    {                                                                                    \
        .name = "reduce" #k, .family = FAMILY_REDUCE, .takes = TAKES_WHOLE,              \
        .is_rung = true, .reorders = (to_reorder), .items = (num_items),                 \
        .file = "reduce_ladder.cl", KERNELS("clfold_reduce" #k),                         \
    }

static const struct algorithm_row algorithms[] = {
    [REDUCE_TILES] = { ROW("reduce_tiles", REDUCE, TILES, "clfold_reduce_tiles",
                           "clfold_reduce_partials") },
    [REDUCE_0] = RUNG(0, false, 1),
    [REDUCE_0 + 1] = RUNG(1, false, 1),
    [REDUCE_0 + 2] = RUNG(2, true, 1),
    [REDUCE_0 + 3] = RUNG(3, true, 2),
    [REDUCE_0 + 4] = RUNG(4, true, 2),
    [REDUCE_0 + 5] = RUNG(5, true, 2),
    [REDUCE_6] = RUNG(6, true, 0),
    [SCAN_SINGLE_GROUP] = { ROW("scan_single_group", SCAN, TILES,
                                "clfold_scan_single_group"),
                            .selects = true },
    [SCAN_THEN_PROPAGATE] = { ROW("scan_then_propagate", SCAN, TAKES_WHOLE,
                                  "clfold_scan_locals", "clfold_scan_prefixes",
                                  "clfold_scan_propagate"),
                              .propagates = true },
    [REDUCE_THEN_SCAN] = { ROW("reduce_then_scan", SCAN, TILES, "clfold_scan_aggregates",
                               "clfold_scan_prefixes", "clfold_scan_tiles"),
                           .selects = true },
    [SCAN_LOOKBACK] = { ROW("scan_lookback", SCAN, TILES, "clfold_scan_lookback"),
                        .looks_back = true, .selects = true },
    [SCAN_CHAINED] = { ROW_OF("scan_chained", "scan_lookback.cl", SCAN, TILES,
                              "clfold_scan_lookback"),
                       .looks_back = true, .chained = true, .selects = true },
    [SERIAL] = { ROW("serial", ANY, TAKES_WHOLE, "clfold_serial") },
    [WIDTHS] = { ROW("widths", OWN, 0, "clfold_widths") },
    [SERIAL_PIECES] = { .name = "serial_pieces",
                        .family = FAMILY_OWN,
                        .file = "serial.cl",
                        KERNELS("clfold_serial_pieces", "clfold_serial") },
    [REDUCE_LANES] = { ROW("reduce_lanes", REDUCE, LANES, "clfold_reduce_lanes",
                           "clfold_lanes_partials") },
    [SCAN_LANES] = { ROW("scan_lanes", SCAN, LANES, "clfold_lanes_aggregates",
                         "clfold_scan_prefixes", "clfold_scan_bundles") },
    [MAP_TILES] = { ROW("map_tiles", MAP, TILES | LANES | TAKES_OFFSETS,
                        "clfold_map_tiles") },
    [REDUCE_OFFSETS] = { ROW("reduce_offsets", REDUCE, TAKES_OFFSETS,
                             "clfold_reduce_offsets", "clfold_join_pieces") },
    [MARK_HEADS] = { ROW("mark_heads", HEADS, 0, "clfold_clear_heads",
                         "clfold_mark_heads", "clfold_find_bad") },
    [FIND_HEADS] = { ROW("find_heads", HEADS, 0, "clfold_find_heads",
                         "clfold_count_heads", "clfold_put_offsets",
                         "clfold_put_lists") },
    [FIND_PLACES] = { ROW_OF("find_places", "find_heads.cl", HEADS, 0,
                             "clfold_find_heads", "clfold_count_heads",
                             "clfold_put_offsets") },
    [WRITE_KEPT] = { ROW("write_kept", HEADS, 0, "clfold_write_kept") },
};

clfold_operation clfold_last_operation(void)
{
    return CLFOLD_LENGTH(operations) - 1;
}

const struct operation *clfold_operation_row(clfold_operation operation)
{
    return operation <= clfold_last_operation() && operations[operation].name
               ? &operations[operation]
               : NULL;
}

const struct algorithm_row *clfold_algorithm_row(enum algorithm algorithm)
{
    return &algorithms[algorithm];
}

bool clfold_algorithm_named(const char *name, enum family family,
                            enum algorithm *algorithm)
{
    const int num = (int)CLFOLD_LENGTH(algorithms);

    for (int a = 0; a < num; ++a) {
        if (clfold_algorithm_serves((enum algorithm)a, family) &&
            strcmp(algorithms[a].name, name) == 0) {
            *algorithm = (enum algorithm)a;
            return true;
        }
    }
    return false;
}
