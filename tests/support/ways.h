/* A caller's fold in every operation, by every algorithm, on every tile, with offsets,
 * init, in place, and zones around what is written. Algorithms and tiles take turns
 * by `first`, the number of the subject. Fails the test at the first difference. */
#ifndef CLFOLD_TESTS_WAYS_H
#define CLFOLD_TESTS_WAYS_H

#include "trial.h"

void ways_check(const struct subject *subject, unsigned first);

/* The same in rows and columns. */
void ways_check_segments(const struct subject *subject, unsigned first);

/* Scans of rows and columns, by every tile. */
void ways_check_segment_scans(const struct subject *subject, unsigned first);

#endif
