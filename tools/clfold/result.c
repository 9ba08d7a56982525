#include "result.h"

#include "number.h"
#include "record.h"
#include "types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t result_size(const struct result *result)
{
    const struct op_result form = op_result(result->op);

    return form.num * (form.position ? sizeof(clfold_indexed) : type_size(result->type));
}

void result_divide(struct result *result, uint64_t count)
{
    double value;

    memcpy(&value, result->items, sizeof(value));
    value /= (double)count;
    memcpy(result->items, &value, sizeof(value));
}

static const void *value_at(const struct result *result, unsigned i)
{
    if (op_result(result->op).position) {
        return &result->items[i].value;
    }
    return (const char *)result->items + i * type_size(result->type);
}

static bool is_less(clfold_type type, struct host_number a, struct host_number b)
{
    switch (type_class(type)) {
    case TYPE_SIGNED:
        return (int64_t)a.integer < (int64_t)b.integer;
    case TYPE_UNSIGNED:
        return a.integer < b.integer;
    case TYPE_FLOAT:
        break;
    }
    return a.real < b.real;
}

/* Whether b, which comes later, takes the place of a. */
static bool replaces(clfold_type type, bool greatest, const clfold_indexed *a,
                     const clfold_indexed *b)
{
    const struct host_number first = clfold_number_read(type, &a->value);
    const struct host_number second = clfold_number_read(type, &b->value);

    if (type_is_float(type) && (isnan(first.real) || isnan(second.real))) {
        return !isnan(first.real);
    }
    return greatest ? is_less(type, first, second) : is_less(type, second, first);
}

void result_add(struct result *result, const struct result *piece, uint64_t start)
{
    const struct op_result form = op_result(result->op);

    if (!form.position || start == 0) {
        *result = *piece;
        return;
    }
    for (unsigned i = 0; i < form.num; i++) {
        const bool greatest = result->op == CLFOLD_ARG_MAX || i == 1;
        if (replaces(result->type, greatest, &result->items[i], &piece->items[i])) {
            result->items[i] = piece->items[i];
            result->items[i].index += start;
        }
    }
}

void result_print(const struct result *result)
{
    const struct op_result form = op_result(result->op);
    char text[NUMBER_TEXT];

    for (unsigned i = 0; i < form.num; i++) {
        number_print(text, result->type, value_at(result, i));
        if (form.position) {
            printf("%" PRIu64 " %s\n", (uint64_t)result->items[i].index, text);
        } else {
            puts(text);
        }
    }
}

json_object *value_json(clfold_type type, const void *value)
{
    char text[NUMBER_TEXT];

    number_print(text, type, value);
    switch (type_class(type)) {
    case TYPE_SIGNED:
        return json_object_new_int64(strtoll(text, NULL, 10));
    case TYPE_UNSIGNED:
        return json_object_new_uint64(strtoull(text, NULL, 10));
    case TYPE_FLOAT:
        break;
    }
    const double number = clfold_number_read(type, value).real;
    return isfinite(number) ? json_object_new_double_s(number, text)
                            : json_object_new_string(text);
}

static json_object *json_item(const struct result *result, unsigned i)
{
    const void *const value = value_at(result, i);

    if (!op_result(result->op).position) {
        return value_json(result->type, value);
    }
    const uint64_t index = result->items[i].index;
    json_object *object = json_object_new_object();
    if (object && (!json_put(object, "index", json_object_new_uint64(index)) ||
                   !json_put(object, "value", value_json(result->type, value)))) {
        json_object_put(object);
        object = NULL;
    }
    return object;
}

json_object *result_json(const struct result *result)
{
    if (op_result(result->op).num == 1) {
        return json_item(result, 0);
    }
    json_object *object = json_object_new_object();
    if (object && (!json_put(object, "min", json_item(result, 0)) ||
                   !json_put(object, "max", json_item(result, 1)))) {
        json_object_put(object);
        object = NULL;
    }
    return object;
}
