/* What a fold leaves: one value or two, with or without their places. */
#ifndef CLFOLD_COMMAND_RESULT_H
#define CLFOLD_COMMAND_RESULT_H

#include <clfold/clfold.h>

#include <json-c/json.h>
#include <stddef.h>

/* As the library writes it: one or two, `type` or clfold_arg_value, the least first. */
struct result {
    clfold_op op;
    clfold_type type;
    clfold_arg_value items[2]; /* its memory, whatever the operator */
};

/* How much of `items` the library writes. */
size_t result_size(const struct result *result);

/* Makes the mean of a sum in f64. */
void result_divide(struct result *result, size_t count);

/* A line for each value: "value" or "index value". */
void result_print(const struct result *result);

/* A value; { "index", "value" }; { "min", "max" } of either. Infinities and NaNs are
 * strings, since JSON has no such numbers. NULL: memory ran out. */
json_object *result_json(const struct result *result);

#endif
