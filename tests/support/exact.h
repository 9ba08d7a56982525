/* Sums without rounding: a fixed-point number that holds every double. */
#ifndef CLFOLD_TESTS_EXACT_H
#define CLFOLD_TESTS_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* Limb i counts 2^(32 i - 1074); the highest has the sign. */
#define EXACT_LIMBS 68
struct exact {
    int64_t limbs[EXACT_LIMBS];
};

/* Adds a finite number, up to 2^30 times. */
void exact_add(struct exact *sum, double x);

/* Nearest but for its last bits: within 2^-50 of it. */
double exact_value(const struct exact *sum);

/* How far `result` is off, likewise. */
double exact_error(const struct exact *sum, double result);

/* The nearest double, or float, of two equally near ones the even one. Infinite where
 * that is out of range; not for sums that are so small that floats have fewer digits. */
double exact_rounded(const struct exact *sum, bool to_float);

#endif
