/* What a fold leaves: one value or two, with or without their places. */
#ifndef CLFOLD_COMMAND_RESULT_H
#define CLFOLD_COMMAND_RESULT_H

#include <clfold/clfold.h>

#include <json-c/json.h>
#include <stddef.h>

/* As the library writes it: one or two, `type` or clfold_indexed, the least first. */
struct result {
    clfold_op op;
    clfold_type type;
    clfold_indexed items[2]; /* its memory, whatever the operator */
};

/* Makes the mean of a sum in f64. */
void result_divide(struct result *result, uint64_t count);

/* A line for each value: "value" or "index value". */
void result_print(const struct result *result);

/* Infinities and NaNs are strings, since JSON has no such numbers. NULL: no memory. */
json_object *value_json(clfold_type type, const void *value);

/* A value; { "index", "value" }; { "min", "max" } of either. */
json_object *result_json(const struct result *result);

#endif
