#include "tune_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Numbers ---- */

static const char *const names[TUNED_NUM] = {
    [TUNED_TILE] = "tile",
    [TUNED_TILE_BYTES] = "tile_bytes",
    [TUNED_GROUP_SIZE] = "group_size",
    [TUNED_GROUPS] = "groups",
    [TUNED_LANE_BYTES] = "lane_bytes",
    [TUNED_ANCHOR] = "anchor",
    [TUNED_AHEAD_BYTES] = "ahead_bytes",
    [TUNED_STREAM_BYTES] = "stream_bytes",
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
                                   length > 0 ? " " : "", names[i],
                                   i == TUNED_TILE ? tiles[numbers->values[i]] : value);
    }
}

static uint64_t read_tile(const char *name)
{
    uint64_t tile = TILE_ITEM;

    while (tile > TILE_VECTOR && strcmp(name, tiles[tile]) != 0) {
        tile--;
    }
    return tile;
}

static void read_word(struct tuned_numbers *numbers, const char *word)
{
    const size_t length = strcspn(word, "=");

    for (enum tuned i = 0; i < TUNED_NUM && word[length] == '='; i++) {
        const char *const value = word + length + 1;
        if (strlen(names[i]) != length || strncmp(word, names[i], length) != 0) {
            continue;
        }
        tuned_put(numbers, i,
                  i == TUNED_TILE ? read_tile(value) : strtoull(value, NULL, 10));
    }
}

void tuned_read(struct tuned_numbers *numbers, const char *text)
{
    char words[TUNED_TEXT];

    *numbers = (struct tuned_numbers){ 0 };
    snprintf(words, sizeof(words), "%s", text);
    for (char *word = words; *word != '\0';) {
        const size_t length = strcspn(word, " ");
        const bool last = word[length] == '\0';
        word[length] = '\0';
        read_word(numbers, word);
        word += length + !last;
    }
}

/* ---- Rows ---- */

size_t tune_row_first(const char *text)
{
    const char *const end = strchr(text, '\n');

    return end ? (size_t)(end - text) + 1 : strlen(text);
}

static void cut(char *to, size_t size, const char *from, const char *end)
{
    snprintf(to, size, "%.*s", (int)(end - from), from);
}

bool tune_row_next(const char **at, struct tune_row *row)
{
    char line[TUNE_LINE];
    const char *const end = *at + tune_row_first(*at), *numbers;

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
        cut(row->fold, sizeof(row->fold), line, numbers);
        cut(row->numbers, sizeof(row->numbers), numbers + 1, key);
        cut(row->key, sizeof(row->key), key + 4, line + strlen(line));
    }
    return true;
}
