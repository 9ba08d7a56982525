/* Numbers as text that reads back exactly. */
#ifndef CLFOLD_COMMAND_NUMBER_H
#define CLFOLD_COMMAND_NUMBER_H

#include <clfold/clfold.h>

#include <stdbool.h>

enum { NUMBER_TEXT = 32 };

/*
 * Prints the value of `type` at `value`. Floats get as few digits as read back to the
 * same value; f16 is printed as the f32 that it equals. Not finite: nan, inf, -inf.
 */
void number_print(char out[NUMBER_TEXT], clfold_type type, const void *value);

/* The same value, for a JSON number; the integer types of 64 bits do not fit. */
double number_double(clfold_type type, const void *value);

#endif
