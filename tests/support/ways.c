#define CLFOLD_EXPERIMENTAL
#include "ways.h"

#include "test.h"

#include "base/platform.h"
#include "ops/context.h"
#include "plan/operation.h"

/* A call whose offsets, init and place are those of the turn. */
static struct trial trial_of(const struct subject *subject, clfold_operation operation,
                             const struct debug *tile, size_t count, unsigned turn)
{
    struct trial trial = { .subject = subject,
                           .operation = operation,
                           .plan = *tile,
                           .count = count,
                           .in_offset = turn % 3,
                           .out_offset = turn % 4,
                           .zones = true,
                           .seed = 7,
                           .may_refuse = true };
    const bool needs_init =
        !subject->identity && (operation == CLFOLD_EXCLUSIVE_SCAN || count == 0);

    trial.init =
        !subject->is_map && (needs_init || turn % 3 == 1) ? INIT_HOST : INIT_NONE;
    trial.in_place = operation != CLFOLD_REDUCE && turn % 5 == 2 &&
                     !subject->reads_others &&
                     trial_element_size(&trial) == trial_result_size(&trial);
    if (trial.in_place) {
        trial.out_offset = trial.in_offset;
    }
    return trial;
}

static void check_counts(const struct subject *subject, clfold_operation operation,
                         const char *algorithm, const struct debug *tile, unsigned turn)
{
    static const size_t counts[] = { 1000, 1, 99, 17, 0, 4999 };

    for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c, ++turn) {
        struct trial trial = trial_of(subject, operation, tile, counts[c], turn);
        trial.algorithm = algorithm;
        if (!trial_check(&trial, NULL) && !trial.in_place) {
            return;
        }
    }
}

/* Rows and columns, short and long, few and many. */
static void check_segments(const struct subject *subject, clfold_operation operation,
                           const struct debug *tile, bool by_rows, unsigned turn)
{
    static const struct {
        size_t count, width, length;
        const char *algorithm;
    } shapes[] = {
        { 1000, 1, 3, "lanes" },   { 1000, 1, 17, "lanes" },  { 999, 1, 300, "lanes" },
        { 4900, 2, 350, "lanes" }, { 4995, 5, 3, "lanes" },   { 4998, 34, 49, "lanes" },
        { 4992, 16, 2, "lanes" },  { 4998, 833, 2, "lanes" }, { 1000, 1, 1, "lanes" },
        { 1000, 1, 3, "rows" },    { 4999, 1, 100, "rows" },  { 4999, 1, 4999, "rows" },
        { 960, 1, 48, "rows" },    { 1000, 1, 50, "rows" },   { 100, 1, 1, "rows" },
        { 4999, 1, 64, NULL },     { 4998, 98, 51, NULL },    { 0, 1, 3, NULL },
        { 4999, 1, 3, NULL },
    };

    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); ++k, ++turn) {
        /* Builds take most of the time, so a tile's programs are of one algorithm. */
        const char *ours = tile->tile == TILE_NONE ? NULL : by_rows ? "rows" : "lanes";
        struct trial trial = trial_of(subject, operation, tile, shapes[k].count, turn);
        char algorithm[32];
        if (!shapes[k].algorithm != !ours ||
            (ours && strcmp(shapes[k].algorithm, ours) != 0)) {
            continue;
        }
        snprintf(algorithm, sizeof(algorithm), "%s_%s",
                 operation == CLFOLD_REDUCE ? "reduce" : "scan", ours ? ours : "");
        trial.algorithm = ours ? algorithm : NULL;
        trial.width = shapes[k].width;
        trial.length = shapes[k].length;
        trial.total = operation != CLFOLD_REDUCE ? TOTAL_APART : TOTAL_NONE;
        if (!trial_check(&trial, NULL) && !strstr(clfold_last_error(), " gives ") &&
            !strstr(clfold_last_error(), "cuts loops short")) {
            fail_msg("%s: %s", subject->fold.name, clfold_last_error());
        }
    }
}

/* Groups of a GPU's policy, of which PoCL 3.1 makes wrong code in some scans, see
 * docs/devices.md. */
static bool is_miscompiled(const struct subject *subject, const struct debug *tile)
{
    static const char *const names[] = { "triple", "own type", "four of all" };
    bool named = false;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        named |= strcmp(subject->fold.name, names[i]) == 0;
    }
    return named && device.is_pocl && tile->tile == TILE_NONE &&
           policy_tile(TILE_NONE) == TILE_GROUP;
}

/* The program of a tile that the fold cannot have is not there: explain says so. For
 * groups that scan three shorts Mesa 22.3 makes wrong code; its policy takes other tiles.
 */
static bool has_tile(const struct subject *subject, const struct debug *tile)
{
    const clfold_fold *fold = &subject->fold;

    if (is_miscompiled(subject, tile)) {
        return false;
    }

    if (tile->tile == TILE_GROUP && ctx->caps.facts.most_elements &&
        strcmp(fold->name, "triple") == 0) {
        return false;
    }
    return policy_has_tile(tile->tile) &&
           (tile->tile != TILE_VECTOR ||
            !(fold->type_name || (fold->flags & CLFOLD_PARTIAL) || subject->differs));
}

/* Every algorithm of an operation in turn; builds take most of the time. */
static const char *algorithm_of(clfold_operation operation, unsigned turn)
{
    uint32_t num = 0;

    while (clfold_operation_algorithm(operation, num)) {
        ++num;
    }
    return num > 0 ? clfold_operation_algorithm(operation, turn % num) : NULL;
}

/* Whether the operation is for the subject at all. */
static bool is_for(const struct subject *subject, clfold_operation operation)
{
    if (subject->is_map || operation == CLFOLD_MAP) {
        return subject->is_map && operation == CLFOLD_MAP;
    }
    return operation != CLFOLD_REDUCE || !subject->writes_of_element;
}

/* Builds take most of the time, so each tile has one operation in turn. */
static void check_operation(const struct subject *subject, clfold_operation operation,
                            unsigned first, unsigned t, unsigned turn)
{
    const struct debug *tile = &trial_tiles[t];

    if ((first + t + operation) % 3 != 0 && !subject->is_map) {
        return;
    }
    if (t == 0) {
        check_counts(subject, operation, NULL, tile, turn - 2);
    }
    check_counts(subject, operation, algorithm_of(operation, turn - 1), tile, turn - 1);
}

void ways_check(const struct subject *subject, unsigned first)
{
    static const clfold_operation operations[] = { CLFOLD_REDUCE, CLFOLD_INCLUSIVE_SCAN,
                                                   CLFOLD_EXCLUSIVE_SCAN, CLFOLD_MAP };
    unsigned turn = first;

    for (unsigned t = 0; t < NUM_TRIAL_TILES; ++t) {
        if (!has_tile(subject, &trial_tiles[t])) {
            continue;
        }
        for (size_t o = 0; o < sizeof(operations) / sizeof(operations[0]); ++o) {
            turn += operations[o] != CLFOLD_MAP || subject->is_map ? 3 : 0;
            if (is_for(subject, operations[o])) {
                check_operation(subject, operations[o], first, t, turn);
            }
        }
    }
}

/* Whether the device's compiler makes right code of a subject's segments by a tile.
 * Intel's makes vectors of a group's work-items: that takes minutes, and is wrong where a
 * load uses no element. clfold folds by groups on no CPU. */
static bool has_segments(const struct subject *subject, const struct debug *tile)
{
    return has_tile(subject, tile) && !(tile->tile == TILE_GROUP && device.is_intel) &&
           !(tile->tile == TILE_VECTOR &&
             clfold_platform_miscopies(ctx->caps.facts.platform));
}

void ways_check_segments(const struct subject *subject, unsigned first)
{
    for (unsigned t = 0; t < NUM_TRIAL_TILES; ++t) {
        /* Half of the tiles, and one operation each. */
        const clfold_operation o = CLFOLD_REDUCE + (first + t / 2) % 3;
        if (has_segments(subject, &trial_tiles[t]) && (first + t) % 2 == 0) {
            check_segments(subject, o, &trial_tiles[t], (first + t) / 2 % 2 != 0,
                           first + t);
        }
    }
}

void ways_check_segment_scans(const struct subject *subject, unsigned first)
{
    for (unsigned t = 0; t < NUM_TRIAL_TILES; ++t) {
        /* The policy's tiles by its algorithm, others by lanes and rows: by both where a
         * text speaks of elements, else by one in turn. */
        for (unsigned by_rows = 0; by_rows < (t > 0 ? 2 : 1); ++by_rows) {
            const unsigned turn = first + t + by_rows * (first / 2);
            const bool is_next = subject->writes_of_element || (first + t) % 2 == by_rows;
            if ((t == 0 || is_next) && has_segments(subject, &trial_tiles[t])) {
                check_segments(subject, CLFOLD_INCLUSIVE_SCAN + turn % 2, &trial_tiles[t],
                               by_rows, turn);
            }
        }
    }
}
