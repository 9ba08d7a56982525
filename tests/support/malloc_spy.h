/*
 * Counts what a thread takes from the heap, in whichever way: malloc_spy.c defines the
 * functions of malloc's family in the program itself, and forwards to glibc's. What is
 * taken inside an OpenCL call is the driver's and passes unseen, so clspy.c stands among
 * the program's sources as well.
 */
#ifndef CLFOLD_TESTS_MALLOC_SPY_H
#define CLFOLD_TESTS_MALLOC_SPY_H

#include <stdint.h>

/* Blocks that this thread has taken, grown or moved. What it gave back does not count. */
uint64_t malloc_spy_calls(void);

#endif
