/*
 * What `clfold ladder` and `clfold trace` fold: pseudo-random elements, and what the host
 * makes of them.
 * The same operator, type and count give the same elements everywhere.
 *
 * A float result is checked exactly, so all elements are such that no order of combining
 * them rounds: sums are of small multiples of 1/4, products of 1, -1 and a few factors.
 */
#ifndef CLFOLD_COMMAND_LADDER_DATA_H
#define CLFOLD_COMMAND_LADDER_DATA_H

#include "number.h"

#include <stddef.h>
#include <stdint.h>

/* Two clfold_indexed. */
enum { LADDER_RESULT_BYTES = 32, LADDER_RESULT_TEXT = 160 };

struct ladder_data {
    clfold_op op;
    clfold_type type;
    uint64_t count, index;
    /* Where all elements but a few do not matter to the result, these few are spread: one
     * at a random place of each of `num_special` equal parts. */
    uint64_t num_special, part, place;
    uint64_t random, special_random, dense;
    /* the folds so far */
    struct host_number total, least, greatest;
    uint64_t least_index, greatest_index;
};

/* Whether the host folds such elements by this operator. */
bool ladder_data_takes(clfold_op op, clfold_type type);

void ladder_data_begin(struct ladder_data *data, clfold_op op, clfold_type type,
                       uint64_t count);

/* Writes the next elements to `to`, and folds them. */
void ladder_data_next(struct ladder_data *data, void *to, size_t num_elements);

/* Folds elements that are made already; after ladder_data_begin nothing else. */
void ladder_data_fold(struct ladder_data *data, const void *elements,
                      size_t num_elements);

size_t ladder_data_result_size(const struct ladder_data *data);

/* Whether `result`, as the library gives it, is what the host has folded. */
bool ladder_data_check(const struct ladder_data *data, const void *result);

/* "8", "8 at 3" for an arg-*, "-8 8" for min-max. result NULL: the host's own. */
void ladder_data_print(char out[LADDER_RESULT_TEXT], const struct ladder_data *data,
                       const void *result);

#endif
