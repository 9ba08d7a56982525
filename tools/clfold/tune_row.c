#include "tune_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ---- */

#define AT(field) #field, offsetof(clfold_tuning_row, field)
static const struct {
    const char *name;
    size_t at;
    const char *of; /* operations that have it */
} table[TUNED_NUM] = {
    [TUNED_TILE] = { AT(tile), "" },
    [TUNED_TILE_BYTES] = { AT(tile_bytes), "reduce scan select map" },
    [TUNED_GROUP_SIZE] = { AT(group_size), "reduce scan select map" },
    [TUNED_GROUPS] = { AT(groups), "reduce scan select map" },
    [TUNED_LANE_BYTES] = { AT(lane_bytes), "reduce" },
    [TUNED_ANCHOR] = { AT(anchor), "scan select" },
    [TUNED_AHEAD_BYTES] = { AT(ahead_bytes), "reduce scan select map" },
    [TUNED_STREAM_BYTES] = { AT(stream_bytes), "scan select map" },
};

static const char *const tiles[] = {
    [TILE_VECTOR] = "tile_vector",
    [TILE_GROUP] = "tile_group",
    [TILE_ITEM] = "tile_item",
};

bool tuned_have(const struct tuned_numbers *numbers, enum tuned which)
{
    return (numbers->set >> which & 1) != 0;
}

void tuned_put(struct tuned_numbers *numbers, enum tuned which, uint64_t value)
{
    numbers->set |= UINT32_C(1) << which;
    numbers->values[which] = value;
}

bool tuned_equal(const struct tuned_numbers *a, const struct tuned_numbers *b)
{
    bool equal = a->set == b->set;

    for (enum tuned i = 0; i < TUNED_NUM; i++) {
        equal = equal && (!tuned_have(a, i) || a->values[i] == b->values[i]);
    }
    return equal;
}

void tuned_print(char out[TUNED_TEXT], const struct tuned_numbers *numbers)
{
    size_t length = 0;

    out[0] = '\0';
    for (enum tuned i = 0; i < TUNED_NUM; i++) {
        char value[32];
        if (!tuned_have(numbers, i)) {
            continue;
        }
        snprintf(value, sizeof(value), "%" PRIu64, numbers->values[i]);
        length += (size_t)snprintf(out + length, TUNED_TEXT - length, "%s%s=%s",
                                   length > 0 ? " " : "", table[i].name,
                                   i == TUNED_TILE ? tiles[numbers->values[i]] : value);
    }
}

void tuned_of_row(struct tuned_numbers *numbers, const clfold_tuning_row *row)
{
    uint64_t value = TILE_ITEM;

    while (value > TILE_VECTOR && strcmp(row->tile, tiles[value]) != 0) {
        value--;
    }
    *numbers = (struct tuned_numbers){ 0 };
    tuned_put(numbers, TUNED_TILE, value);
    for (enum tuned i = 0; i < TUNED_NUM; i++) {
        if (strstr(table[i].of, row->operation)) {
            memcpy(&value, (const char *)row + table[i].at, sizeof(value));
            tuned_put(numbers, i, value);
        }
    }
}

/* ---- Rows ---- */

void tune_row_calls(char out[TUNE_CALLS], const clfold_tuning_row *row)
{
    const uint32_t c = row->count_class;

    snprintf(out, TUNE_CALLS, "%s %u 2^%u..2^%u", row->operation, row->element_bytes,
             c > 0 ? 2 * c - 1 : 0, 2 * c + 1);
}

static void cut(char *to, size_t size, const char *from, const char *end)
{
    snprintf(to, size, "%.*s", (int)(end - from), from);
}

bool tune_row_next(const char **at, struct tune_row *row)
{
    char line[TUNE_LINE];
    const size_t length = strcspn(*at, "\n");
    const char *const end = *at + length + ((*at)[length] == '\n'), *numbers;

    *row = (struct tune_row){ 0 };
    if (**at == '\0') {
        return false;
    }
    cut(line, sizeof(line), *at, end);
    line[strcspn(line, "\n")] = '\0';
    *at = end;
    /* They begin at the word of the first "=". */
    numbers = strchr(line, '=');
    while (numbers && numbers > line && *numbers != ' ') {
        numbers--;
    }
    const char *const key = numbers ? strstr(numbers, " on ") : NULL;
    if (key && key > numbers) {
        cut(row->calls, sizeof(row->calls), line, numbers);
        cut(row->numbers, sizeof(row->numbers), numbers + 1, key);
        cut(row->key, sizeof(row->key), key + 4, line + strlen(line));
    }
    return true;
}
