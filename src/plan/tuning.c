#include "plan/tuning.h"

#include "base/memory.h"
#include "base/platform.h"
#include "plan/lanes.h"
#include "plan/scalar.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ----------------------------------------------------------------------- */

enum {
    OF_REDUCE = 1 << FAMILY_REDUCE,
    OF_SCAN = 1 << FAMILY_SCAN,
    OF_WRITE = OF_SCAN | 1 << FAMILY_MAP,
    OF_ALL = OF_REDUCE | OF_WRITE
};

/* The limits on any device, and the place in a policy. A tile has room for an element of
 * any type, and its elements, like groups of them, are counted in 32 bits. */
#define AT(field) offsetof(struct policy, field)

static const struct {
    const char *name;
    int families;
    uint64_t least, most;
    size_t at;
} tuned[CLFOLD_TUNED] = {
    [TUNED_TILE] = { "tile", OF_ALL, TILE_VECTOR, TILE_ITEM, 0 },
    [TUNED_TILE_BYTES] = { "tile_bytes", OF_ALL, 256, 64 << 20, AT(tile_bytes) },
    [TUNED_GROUP_SIZE] = { "group_size", OF_ALL, 1, 1 << 16, AT(group_size) },
    [TUNED_GROUPS] = { "groups", OF_ALL, 1, 1 << 20, AT(groups) },
    [TUNED_LANE_BYTES] = { "lane_bytes", OF_REDUCE, 0, 64 << 20, AT(lane_bytes) },
    [TUNED_ANCHOR] = { "anchor", OF_SCAN, 1, 1 << 16, AT(anchor) },
    [TUNED_AHEAD_BYTES] = { "ahead_bytes", OF_ALL, 0, 1 << 20, AT(ahead_bytes) },
    [TUNED_STREAM_BYTES] = { "stream_bytes", OF_WRITE, 0, UINT64_C(1) << 62,
                             AT(stream_bytes) },
};

const char *clfold_tuned_name(enum tuned which)
{
    return tuned[which].name;
}

bool clfold_tuned_of(enum tuned which, enum family family)
{
    return (tuned[which].families >> family & 1) != 0;
}

static bool refuse(char why[CLFOLD_TUNING_WHY], enum tuned which, uint64_t value,
                   const char *verb, uint64_t limit, const char *whose)
{
    snprintf(why, CLFOLD_TUNING_WHY, "%s %llu %s %llu%s", tuned[which].name,
             (unsigned long long)value, verb, (unsigned long long)limit, whose);
    return false;
}

static bool is_in_range(const struct tuned_numbers *numbers, enum tuned which,
                        enum family family, char why[CLFOLD_TUNING_WHY])
{
    uint64_t value = numbers->values[which];

    if (!clfold_tuned_of(which, family)) {
        static const char *const names[] = {
            [FAMILY_REDUCE] = "a reduction",
            [FAMILY_SCAN] = "a scan",
            [FAMILY_MAP] = "a map",
        };
        snprintf(why, CLFOLD_TUNING_WHY, "%s does not apply to %s", tuned[which].name,
                 names[family]);
        return false;
    }
    return value < tuned[which].least
               ? refuse(why, which, value, "is less than", tuned[which].least, "")
           : value > tuned[which].most
               ? refuse(why, which, value, "is more than", tuned[which].most, "")
               : true;
}

static bool suits_device(const struct tuned_numbers *numbers,
                         const struct device_facts *device, char why[CLFOLD_TUNING_WHY])
{
    static const enum tuned builtins[] = { TUNED_AHEAD_BYTES, TUNED_STREAM_BYTES };

    if (clfold_numbers_have(numbers, TUNED_GROUP_SIZE) &&
        numbers->values[TUNED_GROUP_SIZE] > device->max_group_size) {
        return refuse(why, TUNED_GROUP_SIZE, numbers->values[TUNED_GROUP_SIZE],
                      "is more than", device->max_group_size, ", the device's limit");
    }
    for (int i = 0; i < 2; ++i) {
        if (clfold_numbers_have(numbers, builtins[i]) &&
            numbers->values[builtins[i]] != 0 &&
            !clfold_platform_builtins(device->platform)) {
            return refuse(why, builtins[i], numbers->values[builtins[i]], "is more than",
                          0, ", and the device's compiler is not known to support it");
        }
    }
    return true;
}

bool clfold_numbers_legal(const struct tuned_numbers *numbers, enum family family,
                          const struct device_facts *device, char why[CLFOLD_TUNING_WHY])
{
    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        if (clfold_numbers_have(numbers, (enum tuned)i) &&
            !is_in_range(numbers, (enum tuned)i, family, why)) {
            return false;
        }
    }
    if (clfold_numbers_have(numbers, TUNED_TILE) &&
        clfold_numbers_have(numbers, TUNED_GROUP_SIZE) &&
        numbers->values[TUNED_TILE] == TILE_VECTOR &&
        numbers->values[TUNED_GROUP_SIZE] != 1) {
        return refuse(why, TUNED_GROUP_SIZE, numbers->values[TUNED_GROUP_SIZE],
                      "is more than", 1, ", and a vector tile belongs to one work-item");
    }
    return !device || suits_device(numbers, device, why);
}

/* ---- Policies ---------------------------------------------------------------------- */

static uint64_t get(const struct policy *policy, enum tuned which)
{
    uint64_t value;

    if (which == TUNED_TILE) {
        return policy->tile;
    }
    memcpy(&value, (const char *)policy + tuned[which].at, sizeof(value));
    return value;
}

static void put(struct policy *policy, enum tuned which, uint64_t value)
{
    if (which == TUNED_TILE) {
        policy->tile = (enum tile_kind)value;
    } else {
        memcpy((char *)policy + tuned[which].at, &value, sizeof(value));
    }
}

void clfold_numbers_of(struct tuned_numbers *numbers, enum family family,
                       const struct policy *policy)
{
    *numbers = (struct tuned_numbers){ 0 };
    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        if (clfold_tuned_of((enum tuned)i, family)) {
            clfold_numbers_put(numbers, (enum tuned)i, get(policy, (enum tuned)i));
        }
    }
}

/* The first candidate with the tile that the numbers want, or the first if they name
 * none; num if there is none. */
static uint32_t find_tile(const struct tuned_numbers *numbers,
                          const struct policy *candidates, uint32_t num)
{
    uint32_t place = 0;

    while (place < num && clfold_numbers_have(numbers, TUNED_TILE) &&
           numbers->values[TUNED_TILE] != (uint64_t)candidates[place].tile) {
        ++place;
    }
    return place;
}

void clfold_numbers_apply(const struct tuned_numbers *numbers, struct policy *candidates,
                          uint32_t num)
{
    uint32_t from = numbers ? find_tile(numbers, candidates, num) : num;

    if (from == num) {
        return;
    }
    struct policy policy = candidates[from];
    memmove(candidates + 1, candidates, from * sizeof(*candidates));
    for (int i = 0; i < CLFOLD_TUNED; ++i) {
        if (clfold_numbers_have(numbers, (enum tuned)i)) {
            put(&policy, (enum tuned)i, numbers->values[i]);
        }
    }
    policy.group_size = clfold_tile_is_lone(policy.tile) ? 1 : policy.group_size;
    policy.row = "tuned";
    candidates[0] = policy;
}

/* ---- Rows -------------------------------------------------------------------------- */

uint32_t clfold_count_class(uint64_t count)
{
    uint32_t bits = 0;

    while (bits < 63 && count >> (bits + 1) > 0) {
        ++bits;
    }
    return (bits + 1) / 2;
}

/* Whether a map is from a number to a number. */
static bool maps_numbers(const struct monoid *monoid)
{
    return monoid->in && monoid->num_scalars == 1 && !monoid->in_struct &&
           (monoid->out ? monoid->num_out == 1
                        : monoid->type && monoid->num_components == 1);
}

static uint32_t cut_of(const struct job *job)
{
    return job->segments.width == 0 || job->operation == CLFOLD_MAP ? CUT_NONE
           : job->segments.width > 1                                ? CUT_COLUMNS
           : clfold_by_lanes(job->algorithm)                        ? CUT_SHORT_ROWS
                                                                    : CUT_ROWS;
}

bool clfold_tuning_fold(struct tuning_fold *fold, const struct job *job)
{
    const struct monoid *monoid = job->monoid;
    bool is_map = job->operation == CLFOLD_MAP;

    if (is_map ? !maps_numbers(monoid) : !clfold_monoid_is_plain(monoid)) {
        return false;
    }
    *fold = (struct tuning_fold){
        .operation = job->operation,
        .op = monoid->op,
        .in = monoid->in,
        .type = is_map && monoid->out ? monoid->out : monoid->type,
        .count_class = clfold_count_class(job->count),
        .accuracy = monoid->accuracy,
        .cut = cut_of(job),
    };
    fold->length_class = fold->cut ? clfold_count_class(job->segments.length) : 0;
    return true;
}

enum family clfold_tuning_family(const struct tuning_fold *fold)
{
    return clfold_operation_row(fold->operation)->family;
}

_Static_assert(sizeof(struct tuning_fold) == 8 * sizeof(uint32_t), "without padding");

/* Compares folds, alone or as the first member of a row. */
static int compare(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct tuning_fold));
}

const struct tuned_numbers *clfold_tuning_find(const struct tuning *tuning,
                                               const struct tuning_fold *fold)
{
    const struct tuning_row *row =
        tuning->num > 0
            ? bsearch(fold, tuning->rows, tuning->num, sizeof(*tuning->rows), compare)
            : NULL;

    return row ? &row->numbers : NULL;
}

void clfold_tuning_finish(struct tuning *tuning)
{
    clfold_free(tuning->rows);
    *tuning = (struct tuning){ 0 };
}

static clfold_status read_rows(struct tuning *tuning, const char *text, size_t length,
                               const char *key, const struct device_facts *device,
                               char why[CLFOLD_TUNING_WHY])
{
    char what[CLFOLD_TUNING_WHY];
    struct tuning_reader reader;
    bool more = clfold_tuning_begin(&reader, text, length);

    while (more && clfold_tuning_next(&reader)) {
        if (strcmp(reader.key, key) != 0) {
            continue;
        }
        if (!clfold_numbers_legal(&reader.row.numbers,
                                  clfold_tuning_family(&reader.row.fold), device, what)) {
            snprintf(why, CLFOLD_TUNING_WHY, "line %u: %.200s", reader.line, what);
            return CLFOLD_ERROR_DATA;
        }
        tuning->rows[tuning->num++] = reader.row;
    }
    snprintf(why, CLFOLD_TUNING_WHY, "%s", reader.why);
    return reader.failed ? CLFOLD_ERROR_DATA : CLFOLD_OK;
}

/* Two rows of one fold are ambiguous. */
static clfold_status sort_rows(struct tuning *tuning, char why[CLFOLD_TUNING_WHY])
{
    char fold[CLFOLD_TUNING_FOLD];

    qsort(tuning->rows, tuning->num, sizeof(*tuning->rows), compare);
    for (size_t i = 1; i < tuning->num; ++i) {
        if (compare(&tuning->rows[i - 1], &tuning->rows[i]) == 0) {
            clfold_tuning_print_fold(fold, &tuning->rows[i].fold);
            snprintf(why, CLFOLD_TUNING_WHY, "two rows serve %s on one device", fold);
            return CLFOLD_ERROR_DATA;
        }
    }
    return CLFOLD_OK;
}

clfold_status clfold_tuning_read(struct tuning *tuning, const char *text, size_t length,
                                 const char *key, const struct device_facts *device,
                                 char why[CLFOLD_TUNING_WHY])
{
    size_t lines = 0;
    clfold_status status;

    for (size_t i = 0; i < length; ++i) {
        lines += text[i] == '\n';
    }
    *tuning =
        (struct tuning){ .rows = clfold_alloc((lines + 1) * sizeof(*tuning->rows)) };
    if (!tuning->rows) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    status = read_rows(tuning, text, length, key, device, why);
    if (status == CLFOLD_OK) {
        status = sort_rows(tuning, why);
    }
    if (status != CLFOLD_OK || tuning->num == 0) {
        clfold_tuning_finish(tuning);
    }
    return status;
}
