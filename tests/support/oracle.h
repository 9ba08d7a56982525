/* What a fold must be, from a plain loop on the host. No arithmetic here is src's. */
#ifndef CLFOLD_TESTS_ORACLE_H
#define CLFOLD_TESTS_ORACLE_H

#include "../../tools/clfold/random.h"

#include <clfold/clfold.h>

#include <stdbool.h>

#define LAST_TYPE  CLFOLD_F64
#define LAST_OP    CLFOLD_MIN_MAX
#define MAX_RESULT 32 /* bytes of clfold_indexed[2] */

/* A random number from 0 to n - 1. */
static inline uint64_t below(uint64_t *random, uint64_t n)
{
    return (next_random(random) >> 16) % n;
}

struct pair {
    clfold_type in, type;
};

/* A few pairs, where a test needs no more; the last three are of floats. */
#define NUM_PAIRS 7
extern const struct pair all_pairs[NUM_PAIRS];

/* Any pair that an operator folds: floats as floats only, bits of integers only. */
bool is_folded(clfold_op op, struct pair pair);

size_t size_of(clfold_type type);
const char *name_of(clfold_type type);
bool is_float(clfold_type type);
bool is_signed(clfold_type type);

const char *name_of_op(clfold_op op);
bool is_arg(clfold_op op);
size_t result_size(clfold_op op, clfold_type type);

/* ---- Numbers ----------------------------------------------------------------------- */

/* One number: an integer modulo 2^64, sign-extended, or a real, which holds every value
 * of every type. */
struct number {
    uint64_t integer;
    long double real;
};

struct number read_number(clfold_type type, const void *at);
void write_number(clfold_type type, struct number x, void *at);

/* As OpenCL's convert_T does it: integers keep their low bits, reals are rounded to
 * nearest even. */
struct number convert_number(struct pair pair, struct number x);

/* As an element, unconverted. */
bool is_true(clfold_type type, struct number x);

/* -1, 0, 1: a is less, equal, greater; the numbers are not NaN. */
int compare_numbers(clfold_type type, struct number a, struct number b);

/* The extreme of a type: `sign` 1 for the least. */
struct number extreme(clfold_type type, int sign);

cl_half half_of(long double real);
long double half_value(cl_half half);

/* The value as a double, for messages and bounds. */
double as_double(clfold_type type, const void *value);

/* ---- Folds ------------------------------------------------------------------------- */

/*
 * The serial fold: integers wrap, floats are kept in long double and rounded once. `init`
 * may be NULL, `expected` takes result_size() bytes. *magnitude, if asked for, is the sum
 * of |x|. Returns false, and writes nothing, where there is nothing to fold.
 */
bool oracle_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                 const void *init, void *expected, double *magnitude);

/*
 * The serial scan into `count` results side by side; as oracle_fold does it, each item
 * rounded once. An exclusive one begins with init, or the identity. `total` and
 * `magnitudes` may be NULL: the fold of all, and for each item the sum of |x| in it.
 * Returns false, and writes nothing, where an item or the total would be of nothing.
 */
bool oracle_scan(clfold_op op, struct pair pair, bool exclusive, const void *data,
                 size_t count, const void *init, void *expected, void *total,
                 double *magnitudes);

/* How far a sum may be off that an element reaches through at most `depth` additions,
 * each rounded: Higham, "Accuracy and Stability of Numerical Algorithms", 4.2. */
double rounding_bound(clfold_type type, double depth, double magnitude);

/* Whether a result is the expected one: bit for bit, but for the payload of a NaN and the
 * sign of a zero that is an extreme. */
bool same_result(clfold_op op, clfold_type type, const void *expected,
                 const void *result);

/* "17", "{ 3, 250 }", "{ [7] -1, [2] 250 }" */
void print_result(clfold_op op, clfold_type type, const void *result, char *text,
                  size_t size);

/* ---- Data -------------------------------------------------------------------------- */

/* Values that are not uniform. EXACT floats are quarters of small integers, whose sums
 * are exact in any order as long as there are fewer than 2^20 or so. */
enum fill { FILL_EXACT, FILL_ROUNDING };
void fill(void *data, clfold_type type, size_t count, enum fill how, uint64_t seed);

/*
 * Elements that matter to an operator, and whose fold has the same bits in any order:
 *
 *   add      integers of all bits; floats are quarters, or whole numbers, whose sum of
 *            magnitudes is exact; zeros of both signs
 *   mul      odd integers, so that no product vanishes; floats are 1 and -1 and so few
 *            other powers of two that no product of any of them over- or underflows
 *   bits     all ones but for a few bits, all zeros but for a few, all bits
 *   logical  true or false with few exceptions, or none; true ones that `type` loses
 *   extremes few values many times, least and greatest at ends and at powers of two;
 *            numbers that only their conversion makes equal; zeros of both signs
 */
enum { FILL_NAN = 1 }; /* one or two NaNs, if the buffer can hold them */
void fill_fold(void *data, clfold_op op, struct pair pair, size_t count, unsigned flags,
               uint64_t seed);

/* A value in the result's form to begin with; for extremes often one that ties with what
 * the data gives, at an index before or after it. Unused bytes are not zeros. */
void fill_init(void *init, clfold_op op, struct pair pair, const void *data, size_t count,
               uint64_t seed);

/* Values that would show in this fold. */
void poison_fold(void *data, clfold_op op, struct pair pair, size_t count);

#endif
