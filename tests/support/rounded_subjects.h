/* Sums of floats in parts against the same in one call: those that round are near,
 * reproducible ones have the same bits. */
#ifndef CLFOLD_TESTS_ROUNDED_SUBJECTS_H
#define CLFOLD_TESTS_ROUNDED_SUBJECTS_H

#include "trial.h"

#define NUM_ROUNDED 13 /* operators four ways, but for the last's scans */

/* A call in parts by its number; what is expected is what this gets of one call, until
 * the next. */
struct trial rounded_trial(size_t k, size_t parts, uint64_t seed);

#endif
