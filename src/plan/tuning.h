/*
 * Tuning: numbers that replace a policy's, and their text:
 *
 *   clfold tuning 5
 *   reduce 4 2^25..2^27 tile=tile_vector tile_bytes=32768 on KEY
 *   |      | |          |                                    |
 *   |      | |          numbers, in any order                how keys of devices begin
 *   |      | counts from 2^25 on and below 2^27
 *   |      bytes of an element of `in`
 *   operation: reduce, scan, select or map
 *
 * A row serves such calls by any operator, type, accuracy and segments, as a policy does.
 * A text is taken whole or not at all: one wrong line, even for another device, rejects
 * it with one sentence.
 */
#ifndef CLFOLD_PLAN_TUNING_H
#define CLFOLD_PLAN_TUNING_H

#include "plan/job.h"

/* A policy's numbers, as policy.h has them. */
enum tuned {
    TUNED_TILE_BYTES,
    TUNED_GROUP_SIZE,
    TUNED_GROUPS,
    TUNED_LANE_BYTES,
    TUNED_ANCHOR,
    TUNED_AHEAD_BYTES,
    TUNED_STREAM_BYTES
};
#define CLFOLD_TUNED (TUNED_STREAM_BYTES + 1)

/* The numbers in the bits of `set`; the others are the policy's. */
struct tuned_numbers {
    enum tile_kind tile; /* TILE_NONE: the policy's */
    uint32_t set;
    uint64_t values[CLFOLD_TUNED];
    bool is_own; /* the library's, not a file's */
};

/* Puts a policy with these numbers, and tiles of `least` bytes or more, first among the
 * candidates; NULL: none. */
void clfold_numbers_apply(const struct tuned_numbers *numbers, uint64_t least,
                          struct policy *candidates, uint32_t num);

/* The calls that a row serves, in words of 32 bits. */
struct tuning_call {
    clfold_operation operation; /* both scans: CLFOLD_INCLUSIVE_SCAN */
    uint32_t element;           /* bytes */
    uint32_t count_class;       /* c: from 2^(2c - 1) on and below 2^(2c + 1), so that
                                   powers of four are in the middle */
};

struct tuning_call clfold_tuning_call(const struct job *job);

/* "reduce", "scan", "select" or "map"; NULL: not one of these. */
const char *clfold_tuning_name(clfold_operation operation);

/* The rows of a text that serve one device. */
struct tuning {
    struct tuning_row {
        struct tuning_call call;
        struct tuned_numbers numbers;
        size_t reach; /* bytes of its key */
    } * rows;
    size_t num;
};

/* The most bytes of a text, and of a line with its end. */
#define CLFOLD_TUNING_LIMIT ((size_t)256 << 10)
#define CLFOLD_TUNING_LINE  1024

/* The library's own rows, as such a text. */
extern const char clfold_tuning_own[];

/* Takes the rows out of a text that serve the device of that key. CLFOLD_ERROR_DATA: it
 * is rejected, and *why says why; the other error is a lack of host memory. *tuning is
 * empty then. */
#define CLFOLD_TUNING_WHY 256
clfold_status clfold_tuning_read(struct tuning *tuning, const char *text, size_t length,
                                 const char *key, const struct device_facts *device,
                                 char why[CLFOLD_TUNING_WHY]);

/* Of the rows that serve the call that with the longest key, the last of several; NULL:
 * none does. Belongs to the tuning. */
const struct tuned_numbers *clfold_tuning_find(const struct tuning *tuning,
                                               const struct tuning_call *call);

/* A zeroed tuning too. */
void clfold_tuning_finish(struct tuning *tuning);

#endif
