/* Scalars of any type: in memory, in 64 bits, and as text that reads back exactly. */
#ifndef CLFOLD_COMMAND_NUMBER_H
#define CLFOLD_COMMAND_NUMBER_H

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdint.h>

struct number {
    uint64_t integer; /* sign-extended; 0 for floats */
    double real;      /* of a float type; 0 for integers */
};

struct number number_read(clfold_type type, const void *at);

/* Floats to the nearest. */
void number_write(clfold_type type, struct number number, void *at);

/* `integer` as a variable of the type holds it; 0 for floats. */
uint64_t number_wrap(clfold_type type, uint64_t integer);

bool number_is_less(clfold_type type, struct number a, struct number b);

/* Equal, or both a NaN. */
bool number_is_same(clfold_type type, struct number a, struct number b);

enum { NUMBER_TEXT = 32 };

/*
 * Prints the value of `type` at `value`. Floats get as few digits as read back to the
 * same value; f16 is printed as the f32 that it equals. Not finite: nan, inf, -inf.
 */
void number_print(char out[NUMBER_TEXT], clfold_type type, const void *value);

enum number_parsed { NUMBER_READ, NUMBER_NONE, NUMBER_RANGE };

/*
 * Reads `text`, all of it, as a number of `type` into *value. Integers are decimal.
 * Floats are decimal too, as strtod reads them in the C locale, with inf, infinity and
 * nan in upper or lower case, and are rounded once, to the nearest; what is too small for
 * the type becomes subnormal or 0. C's hexadecimal floats and nan(...) are no numbers.
 */
enum number_parsed number_parse(void *value, clfold_type type, const char *text);

#endif
