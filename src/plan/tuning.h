/*
 * Tuning: numbers that replace a policy's, for one fold on one device, and their text:
 *
 *   clfold tuning 4
 *   reduce add u8:u64 2^25..2^27 tile=tile_vector tile_bytes=32768 on KEY
 *   |      |   |      |          |                                    |
 *   |      |   |      |          |                                    version and device
 *   |      |   |      |          its numbers, in any order
 *   |      |   |      counts from 2^25 on and below 2^27
 *   |      |   buffer's type : type that is folded
 *   |      operator
 *   operation
 *
 *   reduce add f32:f32 compensated rows 2^9..2^11 2^25..2^27 groups=64 on KEY
 *                      |           |
 *                      |           segments of so many elements each: rows; short-rows,
 *                      |           which are folded by lanes; columns
 *                      accuracy, unless it is the default
 *   map f32:u8 2^25..2^27 groups=64 on KEY
 *       |
 *       buffer's type : type that is written, by whatever text
 *
 * Each row serves the fold, class of counts and key that it names, and nothing else. A
 * file is taken whole or not at all: a line that clfold would not have written, even for
 * another device, rejects the file with one sentence.
 */
#ifndef CLFOLD_PLAN_TUNING_H
#define CLFOLD_PLAN_TUNING_H

#include "plan/monoid.h"
#include "plan/plan.h"
#include "plan/policy.h"

/* A policy's numbers, as policy.h has them. */
enum tuned {
    TUNED_TILE,
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
    uint32_t set;
    uint64_t values[CLFOLD_TUNED];
};

/* "tile_bytes". */
const char *clfold_tuned_name(enum tuned which);

/* Whether the policies of a family have this number. */
bool clfold_tuned_of(enum tuned which, enum family family);

static inline bool clfold_numbers_have(const struct tuned_numbers *numbers,
                                       enum tuned which)
{
    return (numbers->set >> which & 1) != 0;
}

static inline void clfold_numbers_put(struct tuned_numbers *numbers, enum tuned which,
                                      uint64_t value)
{
    numbers->set |= UINT32_C(1) << which;
    numbers->values[which] = value;
}

#define CLFOLD_TUNING_WHY 256

/* Whether a policy of the family may have these numbers; `device` NULL: any device's.
 * Else *why names the number that is not valid. */
bool clfold_numbers_legal(const struct tuned_numbers *numbers, enum family family,
                          const struct device_facts *device, char why[CLFOLD_TUNING_WHY]);

/* All numbers of a policy of the family. */
void clfold_numbers_of(struct tuned_numbers *numbers, enum family family,
                       const struct policy *policy);

/* Puts a policy with these numbers first among the candidates; NULL: none. */
void clfold_numbers_apply(const struct tuned_numbers *numbers, struct policy *candidates,
                          uint32_t num);

/* ---- Rows -------------------------------------------------------------------------- */

/* The calls that a row serves, in words of 32 bits. */
struct tuning_fold {
    clfold_operation operation;
    clfold_op op;         /* 0: of a map */
    clfold_type in, type; /* `type` of a map is what it writes */
    uint32_t count_class;
    uint32_t accuracy;
    uint32_t cut; /* CUT_NONE, ... */
    uint32_t length_class;
};

enum { CUT_NONE, CUT_ROWS, CUT_SHORT_ROWS, CUT_COLUMNS };

/* Of a job whose algorithm is chosen. False: no row serves such a fold. */
bool clfold_tuning_fold(struct tuning_fold *fold, const struct job *job);

/* Of the algorithms that do it. */
enum family clfold_tuning_family(const struct tuning_fold *fold);

/* Counts from 2^(2c - 1) on and below 2^(2c + 1), so that powers of four are in the
 * middle. */
uint32_t clfold_count_class(uint64_t count);

struct tuning_row {
    struct tuning_fold fold;
    struct tuned_numbers numbers;
};

/* The rows that serve one key, in order. */
struct tuning {
    struct tuning_row *rows;
    size_t num;
};

/* NULL if no row serves the fold; belongs to the tuning. */
const struct tuned_numbers *clfold_tuning_find(const struct tuning *tuning,
                                               const struct tuning_fold *fold);

/* A zeroed tuning too. */
void clfold_tuning_finish(struct tuning *tuning);

/* ---- The text ---------------------------------------------------------------------- */

/* The most bytes of a file, and of a line with its end. */
#define CLFOLD_TUNING_LIMIT ((size_t)256 << 10)
#define CLFOLD_TUNING_LINE  1024

/* "reduce add u8:u64 2^25..2^27". */
#define CLFOLD_TUNING_FOLD 96
void clfold_tuning_print_fold(char text[CLFOLD_TUNING_FOLD],
                              const struct tuning_fold *fold);

/* A whole text with this one row, and its length; a key is shorter than 512 bytes. */
size_t clfold_tuning_print(char text[CLFOLD_TUNING_LINE], const char *key,
                           const struct tuning_fold *fold,
                           const struct tuned_numbers *numbers);

/* The rows of a text, one after the other. */
struct tuning_reader {
    const char *at, *end;
    uint32_t line; /* that was read last, from 1 on */
    bool failed;
    char why[CLFOLD_TUNING_WHY]; /* "line 3: tile_bytes 0 is less than 256" */
    /* the row's */
    struct tuning_row row;
    char key[CLFOLD_TUNING_LINE];
};

/* False: the first line is not a tuning file's. */
bool clfold_tuning_begin(struct tuning_reader *reader, const char *text, size_t length);

/* False: there is no further row, or the next one has failed. */
bool clfold_tuning_next(struct tuning_reader *reader);

/* Takes the rows of `key` out of a text. CLFOLD_ERROR_DATA: it is rejected, and *why says
 * why; the other error is a lack of host memory. *tuning is empty then. */
clfold_status clfold_tuning_read(struct tuning *tuning, const char *text, size_t length,
                                 const char *key, const struct device_facts *device,
                                 char why[CLFOLD_TUNING_WHY]);

#endif
