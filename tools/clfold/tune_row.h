/*
 * A tuning file as text, as far as its rows are to be cut, changed and joined. The
 * library decides whether rows are valid, and ignores others.
 */
#ifndef CLFOLD_COMMAND_TUNE_ROW_H
#define CLFOLD_COMMAND_TUNE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Numbers ---- */

enum tuned {
    TUNED_TILE, /* TILE_VECTOR, ... */
    TUNED_TILE_BYTES,
    TUNED_GROUP_SIZE,
    TUNED_GROUPS,
    TUNED_LANE_BYTES,
    TUNED_ANCHOR,
    TUNED_AHEAD_BYTES,
    TUNED_STREAM_BYTES,
    TUNED_NUM
};

enum { TILE_VECTOR = 1, TILE_GROUP, TILE_ITEM };

/* Those of `set`, bit by bit. None: the library's own. */
struct tuned_numbers {
    uint32_t set;
    uint64_t values[TUNED_NUM];
};

bool tuned_have(const struct tuned_numbers *numbers, enum tuned which);
void tuned_put(struct tuned_numbers *numbers, enum tuned which, uint64_t value);
bool tuned_equal(const struct tuned_numbers *a, const struct tuned_numbers *b);

/* "tile=tile_vector tile_bytes=32768". Other words are left out. */
enum { TUNED_TEXT = 320 };
void tuned_print(char out[TUNED_TEXT], const struct tuned_numbers *numbers);
void tuned_read(struct tuned_numbers *numbers, const char *text);

/* ---- Rows ---- */

/* The most bytes of a line with its end, and of a file. */
enum { TUNE_LINE = 1024, TUNE_FILE = 256 * 1024 };

/* "reduce add u8:u64 2^25..2^27 tile=tile_vector groups=256 on KEY", cut in three. */
struct tune_row {
    char fold[128], numbers[TUNED_TEXT], key[TUNE_LINE];
};

/* The length of a text's first line, which says that it is a tuning file. */
size_t tune_row_first(const char *text);

/* Cuts the line at *at and moves on to the next. False: there is none. A line that is not
 * a row has no fold. */
bool tune_row_next(const char **at, struct tune_row *row);

#endif
