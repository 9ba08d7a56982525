#include "result.h"

#include "number.h"
#include "record.h"
#include "types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
