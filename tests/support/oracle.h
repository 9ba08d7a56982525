/* Data for the tests, and what their fold must be. */
#ifndef CLFOLD_TESTS_ORACLE_H
#define CLFOLD_TESTS_ORACLE_H

#include <clfold/clfold.h>

#include <stdbool.h>

/* A pair of types that this version folds. */
struct pair {
    clfold_type in, type;
};
#define NUM_PAIRS 7
extern const struct pair all_pairs[NUM_PAIRS];

size_t size_of(clfold_type type);
const char *name_of(clfold_type type);
bool is_float(clfold_type type);

/* splitmix64: the same numbers on every machine. */
uint64_t next_random(uint64_t *state);

/* Values that are not uniform. EXACT floats are quarters of small integers, whose sums
 * are exact in any order as long as there are fewer than 2^20 or so. */
enum fill { FILL_EXACT, FILL_ROUNDING };
void fill(void *data, clfold_type type, size_t count, enum fill how, uint64_t seed);

/* Values that would show in any sum or maximum, for the zones around the input. */
void fill_poison(void *data, clfold_type type, size_t count);

/* The serial fold: integers wrap, floats are kept in long double and rounded once. `init`
 * may be NULL. *magnitude, if asked for, is the sum of |x|. */
void oracle_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                 const void *init, void *expected, double *magnitude);

/* The value as a double, for messages and bounds. */
double as_double(clfold_type type, const void *value);

#endif
