/* More of base/number.h: into memory, and as text that reads back exactly. */
#ifndef CLFOLD_COMMAND_NUMBER_H
#define CLFOLD_COMMAND_NUMBER_H

#include "base/number.h"

/* Floats to the nearest. */
void number_write(clfold_type type, struct host_number number, void *at);

enum { NUMBER_TEXT = 32 };

/*
 * Prints the value of `type` at `value`. Floats get as few digits as read back to the
 * same value; f16 is printed as the f32 that it equals. Not finite: nan, inf, -inf.
 */
void number_print(char out[NUMBER_TEXT], clfold_type type, const void *value);

enum number_parsed { NUMBER_READ, NUMBER_NONE, NUMBER_RANGE };

/* Of the last two: what is said of the text, before the type. */
const char *number_fault(enum number_parsed parsed);

/*
 * Reads `text`, all of it, as a number of `type` into *value. Integers are decimal.
 * Floats are decimal too, as strtod reads them in the C locale, with inf, infinity and
 * nan in upper or lower case, and are rounded once, to the nearest; what is too small for
 * the type becomes subnormal or 0. C's hexadecimal floats and nan(...) are no numbers.
 */
enum number_parsed number_parse(void *value, clfold_type type, const char *text);

#endif
