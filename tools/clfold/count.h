/* Counts of elements as a person writes them. */
#ifndef CLFOLD_COMMAND_COUNT_H
#define CLFOLD_COMMAND_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/* For help and messages. */
#define COUNT_FORMS "1000, 2^26, 1e6 or 64Mi (Ki, Mi, Gi, Ti)"

/* Reads the whole text; false if it has none of the forms, or does not fit. */
bool count_parse(const char *text, uint64_t *count);

#endif
