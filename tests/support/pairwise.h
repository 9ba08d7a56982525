/* Few rows of factor levels in which every allowed pair of levels occurs. */
#ifndef CLFOLD_TESTS_PAIRWISE_H
#define CLFOLD_TESTS_PAIRWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_FACTORS 12
#define MAX_LEVELS  16

struct row {
    uint8_t level[MAX_FACTORS];
};

struct factors {
    size_t num;
    size_t levels[MAX_FACTORS];
    bool (*allowed)(const void *user, const struct row *row);
    const void *user;
};

/* Which pairs there are, and which have occurred; factor a below factor b. */
struct pairs {
    bool has[MAX_FACTORS][MAX_FACTORS][MAX_LEVELS][MAX_LEVELS];
};

/* Adds the pairs of a row; returns how many are new. */
size_t pairs_add(struct pairs *pairs, size_t num_factors, const struct row *row);
size_t pairs_count(const struct pairs *pairs);

/*
 * Greedy: of all allowed rows again and again the one with most pairs that are missing
 * still, by lot among equals. The same rows on every machine. Returns how many they are,
 * or 0 if `most` are too few or memory ran out; `wanted` gets all allowed pairs.
 */
size_t pairwise(const struct factors *factors, struct row *rows, size_t most,
                struct pairs *wanted);

#endif
