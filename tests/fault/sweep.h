/* The k-th operation of a kind fails, once, for each k until there is none left. */
#ifndef CLFOLD_TESTS_SWEEP_H
#define CLFOLD_TESTS_SWEEP_H

#include "clspy.h"

enum way { OF_CALLS, OF_ALLOCATIONS, OF_FILES, NUM_WAYS };

/* From now on call, allocation or file operation `number` of this thread fails. */
void fault_arm(enum way way, uint64_t number);

/* Disarms, and returns what has failed: an allocation is of "clfold_alloc", and of a file
 * operation there is its function alone. */
struct clspy_shot fault_disarm(enum way way);

/* Fails operation `number` of what is tested, and checks it. Returns what failed, with an
 * empty name where a function does not count as seen. */
typedef struct clspy_shot shoot(enum way way, uint64_t number);

/* Each shot must leave neither objects nor memory behind. Fails unless `least` operations
 * and each of `calls`, to a NULL, were among those that failed; `most`, unless 0, fail.
 * Returns how many failed. */
uint64_t sweep(const char *name, enum way way, shoot *at, uint64_t least, uint64_t most,
               const char *const *calls);

#endif
