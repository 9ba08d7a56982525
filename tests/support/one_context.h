/* The device under test and one context on it, for programs that need no more. */
#ifndef CLFOLD_TESTS_ONE_CONTEXT_H
#define CLFOLD_TESTS_ONE_CONTEXT_H

#include "device.h"

extern struct device device;
extern clfold_context *ctx;

/* cmocka's fixture for a group of tests. */
int open_context(void **state);
int close_context(void **state);

#endif
