/* Stands in for clfold_alloc and clfold_free (base/memory.h) in a test program that lists
 * alloc_spy.c among its own sources: counts blocks, and fails the one that is asked for.
 * All functions may be used from any thread. */
#ifndef CLFOLD_TESTS_ALLOC_SPY_H
#define CLFOLD_TESTS_ALLOC_SPY_H

#include <stdbool.h>
#include <stdint.h>

/* Blocks that are not freed yet. */
int64_t alloc_spy_live(void);

/* Calls of clfold_alloc since the program started. */
uint64_t alloc_spy_calls(void);

/* Makes call number `number`, from 1 and from now on, return NULL, once. */
void alloc_spy_arm(uint64_t number);

/* Disarms, and returns whether the call was reached. */
bool alloc_spy_disarm(void);

#endif
