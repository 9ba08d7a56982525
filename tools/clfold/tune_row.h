/*
 * A tuning file as text, as far as its rows are to be printed, cut and joined. The
 * library decides whether rows are valid, and ignores others.
 */
#ifndef CLFOLD_COMMAND_TUNE_ROW_H
#define CLFOLD_COMMAND_TUNE_ROW_H

#include <clfold/experimental.h>

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

/* All that such a call has. */
void tuned_of_row(struct tuned_numbers *numbers, const clfold_tuning_row *row);

/* "tile=tile_vector tile_bytes=32768". */
enum { TUNED_TEXT = 320 };
void tuned_print(char out[TUNED_TEXT], const struct tuned_numbers *numbers);

/* ---- Rows ---- */

/* The most bytes of a line with its end, and of a file. */
enum { TUNE_LINE = 1024, TUNE_FILE = 256 * 1024 };

#define TUNE_FIRST "clfold tuning 5\n" /* line of a file */

/* "reduce 4 2^25..2^27 tile=tile_vector groups=256 on KEY", cut in three. */
enum { TUNE_CALLS = 64 };
struct tune_row {
    char calls[TUNE_CALLS], numbers[TUNED_TEXT], key[TUNE_LINE];
};

/* "reduce 4 2^25..2^27". */
void tune_row_calls(char out[TUNE_CALLS], const clfold_tuning_row *row);

/* Cuts the line at *at and moves on to the next. False: there is none. A line that is not
 * a row serves no calls. */
bool tune_row_next(const char **at, struct tune_row *row);

#endif
