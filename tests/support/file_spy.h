/*
 * Fails one call that opens, reads, writes or lists files: file_spy.c defines these
 * functions in the test program itself and forwards to the system's. Only calls of a
 * thread that has armed it count, and none that the driver makes.
 */
#ifndef CLFOLD_TESTS_FILE_SPY_H
#define CLFOLD_TESTS_FILE_SPY_H

#include <stdint.h>

/* Makes call number `number` of this thread, from 1 and from now on, fail once with
 * `error`. */
void file_spy_arm(uint64_t number, int error);

/* Disarms, and returns the function that failed; NULL: the call was not reached. */
const char *file_spy_disarm(void);

/* From now on open() opens the file `by` in place of `name`; NULL: of none. Both stay the
 * caller's. For all threads. */
void file_spy_replace(const char *name, const char *by);

#endif
