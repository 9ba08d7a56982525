/* What the records of a traced scan say: how its tiles stood at a moment, and how deep
 * they looked back. */
#ifndef CLFOLD_COMMAND_TRACE_STATES_H
#define CLFOLD_COMMAND_TRACE_STATES_H

#include <clfold/experimental.h>
#include "ladder_data.h"

#include <clfold/clfold.h>

#include <stdio.h>

/* The records of tiles 0 on. */
struct trace_records {
    const clfold_tile_trace *tiles;
    size_t num;
    bool publishes; /* aggregates, which scan_chained does not */
};

/* From the first time to the last. */
struct trace_span {
    uint64_t begin, end;
    bool steps; /* of a clock that each record moves on; else cycles */
};
struct trace_span trace_span(const struct trace_records *records);

/* Of a tile: 'P' its prefix is published at that time, 'A' only its aggregate, 'X'
 * neither. */
char trace_flag(const struct trace_records *records, size_t tile, uint64_t time);

/* Whether the tile folded `other`, one of the 64 before it, which was not published. */
bool trace_folds(const struct trace_records *records, size_t tile, size_t other);

/* Neighbouring tiles at a time. */
struct trace_snapshot {
    uint64_t time;
    size_t first, num;
};

/* The moment, and at most so many tiles, at which the most neighbours differ, in the most
 * states. False: memory ran out. */
bool trace_choose(const struct trace_records *records, size_t most,
                  struct trace_snapshot *snapshot);

/* A tile of a snapshot, with what the host has folded of it. */
struct trace_row {
    size_t tile;
    char flag;
    char aggregate[LADDER_RESULT_TEXT], prefix[LADDER_RESULT_TEXT];
};

/*
 * A table like that of Merrill and Garland's figure; what is not there yet is '-'. In the
 * figure a tile's prefix may stand in memory before its flag says so. Here a word carries
 * both, so a tile that is not P yet has none.
 */
void trace_write_rows(FILE *to, const struct trace_row *rows, size_t num);

/* Depths 0, 1, 2, 3 to 4, 5 to 8, and so on. */
enum { TRACE_BUCKETS = 34 };
size_t trace_bucket(uint32_t depth);
void trace_bucket_text(char out[48], size_t bucket);

struct trace_figure {
    double mean;
    uint32_t most;
    uint64_t total;
};

struct trace_figures {
    size_t buckets[TRACE_BUCKETS];
    struct trace_figure depth, polls, fallbacks;
};
struct trace_figures trace_figures(const struct trace_records *records);

#endif
