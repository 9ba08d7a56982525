/* What a reproducible sum must be, from exact sums of the parts of its elements, as
 * clfold.h and cl/binned.cl have them. */
#ifndef CLFOLD_TESTS_BINNED_MODEL_H
#define CLFOLD_TESTS_BINNED_MODEL_H

#include "exact.h"

#include <clfold/clfold.h>

#include <stddef.h>

/* Bins, `bits` wide, of floats with `digits`. */
struct bins {
    int bits, digits, bias;
};

struct bins bins_of(clfold_type type);

/* A result, and how far it may be from the true sum. */
struct model {
    double result, sum, bound;
    struct exact exact;
};

struct model model_of(clfold_type type, const double *values, size_t count);

#endif
