#include "ladder_data.h"

#include "random.h"
#include "types.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Values ---- */

static struct host_number small_value(clfold_type type, int number)
{
    struct host_number value = { 0 };

    if (type_is_float(type)) {
        value.real = number;
    } else {
        value.integer = (uint64_t)(int64_t)number;
    }
    return value;
}

/* ---- Elements ---- */

bool ladder_data_takes(clfold_op op, clfold_type type)
{
    switch (op) {
    case CLFOLD_BIT_AND:
    case CLFOLD_BIT_OR:
    case CLFOLD_BIT_XOR:
        return !type_is_float(type);
    default:
        /* the operators that follow have elements or results of another form */
        return op >= CLFOLD_ADD && op <= CLFOLD_MIN_MAX;
    }
}

static void find_next_special(struct ladder_data *data)
{
    for (data->place = UINT64_MAX; data->part < data->num_special; data->part++) {
        const uint64_t begin = data->count * data->part / data->num_special;
        const uint64_t end = data->count * (data->part + 1) / data->num_special;
        if (end > begin) {
            data->place = begin + next_random(&data->special_random) % (end - begin);
            data->part++;
            return;
        }
    }
}

/* A multiple of 1/4 of either sign, in as many bits as the type has for it. */
static double any_real(clfold_type type, uint64_t random)
{
    const int bits = type == CLFOLD_F16 ? 11 : type == CLFOLD_F32 ? 24 : 53;
    const double magnitude = (double)(random >> 1 >> (63 - bits)) / 4;

    return random & 1 ? -magnitude : magnitude;
}

/*
 * The sum of n numbers that are independent of each other and have mean 0 stays near the
 * square root of n, whatever the order. f32 has room for the sums of 2^40 elements of up
 * to 2. f16 has room for sums up to 2^11 quarters, eight times what 2^16 elements of a
 * quarter make, so of more elements than that all others are 0.
 */
static double summand(struct ladder_data *data, uint64_t random)
{
    if (data->type == CLFOLD_F16) {
        return random >> 16 > data->dense ? 0 : random & 1 ? 0.25 : -0.25;
    }
    return ((double)(random % 17) - 8) / 4;
}

static struct host_number usual(struct ladder_data *data)
{
    const uint64_t random = next_random(&data->random);
    const clfold_type type = data->type;

    switch (data->op) {
    case CLFOLD_ADD:
        if (type_is_float(type)) {
            return (struct host_number){ .real = summand(data, random) };
        }
        break;
    case CLFOLD_MUL:
        if (type_is_float(type)) {
            return (struct host_number){ .real = random & 1 ? 1 : -1 };
        }
        /* an even factor in a few would leave nothing of the others */
        return (struct host_number){ .integer = clfold_number_wrap(type, random | 1) };
    case CLFOLD_BIT_AND:
        return (struct host_number){ .integer = clfold_number_wrap(type, UINT64_MAX) };
    case CLFOLD_BIT_OR:
    case CLFOLD_LOGICAL_OR:
        return (struct host_number){ 0 };
    case CLFOLD_LOGICAL_AND:
        return small_value(type, 1 + (int)(random % 100));
    default:
        break;
    }
    if (type_is_float(type)) {
        return (struct host_number){ .real = any_real(type, random) };
    }
    return (struct host_number){ .integer = clfold_number_wrap(type, random) };
}

static struct host_number special(struct ladder_data *data)
{
    static const double factors[] = { 2, 3, 0.5, 2, 0.5, 3, 2, 0.5, 3, 2, 3, 0.5 };
    const uint64_t random = next_random(&data->special_random);
    const uint64_t bit = UINT64_C(1) << random % (8 * type_size(data->type));

    switch (data->op) {
    case CLFOLD_MUL:
        return (struct host_number){ .real = factors[random % 12] };
    case CLFOLD_BIT_AND:
        return (struct host_number){ .integer = clfold_number_wrap(data->type, ~bit) };
    case CLFOLD_BIT_OR:
        return (struct host_number){ .integer = clfold_number_wrap(data->type, bit) };
    case CLFOLD_LOGICAL_OR:
        return small_value(data->type, 1 + (int)(random % 100));
    default: /* CLFOLD_LOGICAL_AND */
        return (struct host_number){ 0 };
    }
}

/* How many elements stand out. */
static uint64_t num_special(const struct ladder_data *data)
{
    switch (data->op) {
    case CLFOLD_MUL:
        /* 3^6 is less than 2^10, so six of them stay in the range of f16 */
        return type_is_float(data->type) ? 6 : 0;
    case CLFOLD_BIT_AND:
    case CLFOLD_BIT_OR:
        return 4;
    case CLFOLD_LOGICAL_AND:
    case CLFOLD_LOGICAL_OR:
        /* with none or with one: both results have to come out right */
        return data->special_random >> 63;
    default:
        return 0;
    }
}

void ladder_data_begin(struct ladder_data *data, clfold_op op, clfold_type type,
                       uint64_t count)
{
    uint64_t seed = count;

    *data = (struct ladder_data){ .op = op, .type = type, .count = count };
    data->random = next_random(&seed);
    data->special_random = next_random(&seed);
    data->dense = count <= 1 << 16 ? UINT64_MAX : (UINT64_C(1) << 48) / count << 16;
    data->num_special = num_special(data);
    find_next_special(data);
}

static void fold(struct ladder_data *data, struct host_number item)
{
    struct host_number *const total = &data->total;

    if (data->index == 0) {
        *total = data->least = data->greatest = item;
        if (data->op == CLFOLD_LOGICAL_AND || data->op == CLFOLD_LOGICAL_OR) {
            *total = small_value(data->type, item.integer != 0 || item.real != 0);
        }
        return;
    }
    switch (data->op) {
    case CLFOLD_ADD:
        total->integer = clfold_number_wrap(data->type, total->integer + item.integer);
        total->real += item.real;
        break;
    case CLFOLD_MUL:
        total->integer = clfold_number_wrap(data->type, total->integer * item.integer);
        total->real *= item.real;
        break;
    case CLFOLD_BIT_AND:
        total->integer &= item.integer;
        break;
    case CLFOLD_BIT_OR:
        total->integer |= item.integer;
        break;
    case CLFOLD_BIT_XOR:
        total->integer ^= item.integer;
        break;
    case CLFOLD_LOGICAL_AND:
        if (item.integer == 0 && item.real == 0) {
            *total = (struct host_number){ 0 };
        }
        break;
    case CLFOLD_LOGICAL_OR:
        if (item.integer != 0 || item.real != 0) {
            *total = small_value(data->type, 1);
        }
        break;
    default:
        /* The first of equals stays. */
        if (clfold_number_is_less(data->type, item, data->least)) {
            data->least = item;
            data->least_index = data->index;
        }
        if (clfold_number_is_less(data->type, data->greatest, item)) {
            data->greatest = item;
            data->greatest_index = data->index;
        }
        break;
    }
}

void ladder_data_next(struct ladder_data *data, void *to, size_t num_elements)
{
    const size_t size = type_size(data->type);
    char *place = to;

    for (size_t i = 0; i < num_elements; i++, place += size) {
        struct host_number item = usual(data);
        if (data->index == data->place) {
            item = special(data);
            find_next_special(data);
        }
        number_write(data->type, item, place);
        fold(data, item);
        data->index++;
    }
}

void ladder_data_fold(struct ladder_data *data, const void *elements, size_t num_elements)
{
    const size_t size = type_size(data->type);
    const char *place = elements;

    for (size_t i = 0; i < num_elements; i++, place += size) {
        fold(data, clfold_number_read(data->type, place));
        data->index++;
    }
}

/* ---- Results ---- */

/* One value of the result, with its place for an arg-*. */
struct part {
    struct host_number value;
    uint64_t index;
};

static size_t part_size(const struct ladder_data *data)
{
    return op_result(data->op).position ? sizeof(clfold_indexed) : type_size(data->type);
}

size_t ladder_data_result_size(const struct ladder_data *data)
{
    return op_result(data->op).num * part_size(data);
}

static struct part host_part(const struct ladder_data *data, size_t which)
{
    const bool position = op_result(data->op).position;
    const struct part least = { data->least, position ? data->least_index : 0 };
    const struct part greatest = { data->greatest, position ? data->greatest_index : 0 };

    switch (data->op) {
    case CLFOLD_MIN:
    case CLFOLD_ARG_MIN:
        return least;
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        return greatest;
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        return which == 0 ? least : greatest;
    default:
        return (struct part){ data->total, 0 };
    }
}

static struct part result_part(const struct ladder_data *data, const void *result,
                               size_t which)
{
    const char *const from = (const char *)result + which * part_size(data);
    clfold_indexed pair;

    if (!op_result(data->op).position) {
        return (struct part){ clfold_number_read(data->type, from), 0 };
    }
    memcpy(&pair, from, sizeof(pair));
    return (struct part){ clfold_number_read(data->type, &pair.value), pair.index };
}

bool ladder_data_check(const struct ladder_data *data, const void *result)
{
    for (unsigned i = 0; i < op_result(data->op).num; i++) {
        const struct part host = host_part(data, i),
                          device = result_part(data, result, i);
        if (!clfold_number_is_same(data->type, host.value, device.value) ||
            host.index != device.index) {
            return false;
        }
    }
    return true;
}

/* In the form of the library's. */
static void write_host_result(const struct ladder_data *data, char *to)
{
    for (unsigned i = 0; i < op_result(data->op).num; i++, to += part_size(data)) {
        const struct part part = host_part(data, i);
        clfold_indexed pair = { .index = part.index };

        if (op_result(data->op).position) {
            number_write(data->type, part.value, &pair.value);
            memcpy(to, &pair, sizeof(pair));
        } else {
            number_write(data->type, part.value, to);
        }
    }
}

void ladder_data_print(char out[LADDER_RESULT_TEXT], const struct ladder_data *data,
                       const void *result)
{
    const bool position = op_result(data->op).position;
    const size_t value = position ? offsetof(clfold_indexed, value) : 0;
    char host[LADDER_RESULT_BYTES], number[NUMBER_TEXT];
    size_t used = 0;

    write_host_result(data, host);
    for (unsigned i = 0; i < op_result(data->op).num; i++) {
        const char *const from =
            (result ? (const char *)result : host) + i * part_size(data);

        number_print(number, data->type, from + value);
        used += (size_t)snprintf(out + used, LADDER_RESULT_TEXT - used, "%s%s",
                                 i ? " " : "", number);
        if (position) {
            clfold_indexed pair;
            memcpy(&pair, from, sizeof(pair));
            used += (size_t)snprintf(out + used, LADDER_RESULT_TEXT - used,
                                     " at %" PRIu64, (uint64_t)pair.index);
        }
    }
}
