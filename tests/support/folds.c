/* The folds and scans of oracle.h. */
#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number and where it stands. */
struct item {
    struct number x;
    uint64_t index;
};

/* What a fold carries: [0] is the least of two, or the only one. */
struct carry {
    struct item items[2];
};

static bool is_nan(clfold_type type, struct number x)
{
    return is_float(type) && isnan(x.real);
}

/* Of two items the one that goes first: `sign` 1 for the least, -1 for the greatest. A
 * NaN goes before all numbers, the lower index before its equals. */
static struct item first_of(clfold_type type, int sign, struct item a, struct item b)
{
    bool a_nan = is_nan(type, a.x), b_nan = is_nan(type, b.x);
    int order = a_nan || b_nan ? b_nan - a_nan : sign * compare_numbers(type, a.x, b.x);

    if (order != 0) {
        return order < 0 ? a : b;
    }
    return a.index <= b.index ? a : b;
}

static struct number join_numbers(clfold_op op, struct number a, struct number b)
{
    switch (op) {
    case CLFOLD_ADD:
        return (struct number){ a.integer + b.integer, a.real + b.real };
    case CLFOLD_MUL:
        return (struct number){ a.integer * b.integer, a.real * b.real };
    case CLFOLD_BIT_AND:
        return (struct number){ .integer = a.integer & b.integer };
    case CLFOLD_BIT_OR:
        return (struct number){ .integer = a.integer | b.integer };
    case CLFOLD_BIT_XOR:
        return (struct number){ .integer = a.integer ^ b.integer };
    case CLFOLD_LOGICAL_AND:
        return a.integer != 0 ? b : a;
    default: /* CLFOLD_LOGICAL_OR */
        return a.integer != 0 ? a : b;
    }
}

static void join(clfold_op op, clfold_type type, struct carry *a, const struct carry *b)
{
    switch (op) {
    case CLFOLD_MIN:
    case CLFOLD_ARG_MIN:
        a->items[0] = first_of(type, 1, a->items[0], b->items[0]);
        break;
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        a->items[0] = first_of(type, -1, a->items[0], b->items[0]);
        break;
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        a->items[0] = first_of(type, 1, a->items[0], b->items[0]);
        a->items[1] = first_of(type, -1, a->items[1], b->items[1]);
        break;
    default:
        a->items[0].x = join_numbers(op, a->items[0].x, b->items[0].x);
    }
}

struct number extreme(clfold_type type, int sign)
{
    uint64_t high = UINT64_MAX >> (64 - 8 * size_of(type));

    if (is_float(type)) {
        return (struct number){ .real = -sign * (long double)INFINITY };
    }
    if (is_signed(type)) {
        high >>= 1;
        return (struct number){ .integer = sign > 0 ? ~high : high };
    }
    return (struct number){ .integer = sign > 0 ? 0 : high };
}

static struct number truth(bool x)
{
    return (struct number){ .integer = x, .real = x };
}

static struct carry identity(clfold_op op, clfold_type type)
{
    struct carry carry = { 0 };
    struct number *x = &carry.items[0].x;

    switch (op) {
    case CLFOLD_MUL:
    case CLFOLD_LOGICAL_AND:
        *x = truth(true);
        break;
    case CLFOLD_MIN:
        *x = extreme(type, -1);
        break;
    case CLFOLD_MAX:
        *x = extreme(type, 1);
        break;
    case CLFOLD_BIT_AND:
        x->integer = UINT64_MAX;
        break;
    case CLFOLD_MIN_MAX:
        *x = extreme(type, -1);
        carry.items[1].x = extreme(type, 1);
        break;
    default: /* 0 */
        break;
    }
    return carry;
}

static bool is_logical(clfold_op op)
{
    return op == CLFOLD_LOGICAL_AND || op == CLFOLD_LOGICAL_OR;
}

static struct carry read_element(clfold_op op, struct pair pair, const void *at,
                                 uint64_t index)
{
    struct number x = read_number(pair.in, at);
    struct item item = { .index = index };

    item.x = is_logical(op) ? truth(is_true(pair.in, x)) : convert_number(pair, x);
    return (struct carry){ { item, item } };
}

/* Where the scalars of a result lie. */
static size_t num_values(clfold_op op)
{
    return op == CLFOLD_MIN_MAX || op == CLFOLD_ARG_MIN_MAX ? 2 : 1;
}

static size_t value_at(clfold_op op, clfold_type type, size_t k)
{
    return is_arg(op) ? 16 * k + 8 : size_of(type) * k;
}

static struct carry read_result(clfold_op op, clfold_type type, const void *result)
{
    const unsigned char *bytes = result;
    struct carry carry = { 0 };

    for (size_t k = 0; k < num_values(op); ++k) {
        struct number x = read_number(type, bytes + value_at(op, type, k));
        carry.items[k].x = is_logical(op) ? truth(is_true(type, x)) : x;
        if (is_arg(op)) {
            memcpy(&carry.items[k].index, bytes + 16 * k, 8);
        }
    }
    return carry;
}

static void write_result(clfold_op op, clfold_type type, const struct carry *carry,
                         void *result)
{
    unsigned char *bytes = result;

    memset(result, 0, result_size(op, type));
    for (size_t k = 0; k < num_values(op); ++k) {
        write_number(type, carry->items[k].x, bytes + value_at(op, type, k));
        if (is_arg(op)) {
            memcpy(bytes + 16 * k, &carry->items[k].index, 8);
        }
    }
}

/* A fold under way: what has been joined, if there is anything, and the sum of |x|. */
struct fold {
    struct carry total;
    bool any;
    long double magnitude;
};

static struct fold begin(clfold_op op, clfold_type type, const void *init)
{
    struct fold fold = { .any = init != NULL };

    fold.total = init ? read_result(op, type, init) : identity(op, type);
    fold.magnitude = fold.any ? fabsl(fold.total.items[0].x.real) : 0;
    return fold;
}

static void step(struct fold *fold, clfold_op op, struct pair pair, const void *data,
                 size_t i)
{
    const unsigned char *bytes = data;
    struct carry x = read_element(op, pair, bytes + i * size_of(pair.in), i);

    if (fold->any) {
        join(op, pair.type, &fold->total, &x);
    } else {
        fold->total = x;
    }
    fold->any = true;
    fold->magnitude += fabsl(x.items[0].x.real);
}

bool oracle_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                 const void *init, void *expected, double *magnitude)
{
    struct fold fold = begin(op, pair.type, init);

    if (count == 0 && !init && is_arg(op)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        step(&fold, op, pair, data, i);
    }
    write_result(op, pair.type, &fold.total, expected);
    if (magnitude) {
        *magnitude = (double)fold.magnitude;
    }
    return true;
}

bool oracle_scan(clfold_op op, struct pair pair, bool exclusive, const void *data,
                 size_t count, const void *init, void *expected, void *total,
                 double *magnitudes)
{
    struct fold fold = begin(op, pair.type, init);
    unsigned char *out = expected;
    bool of_nothing = exclusive || (total && count == 0);

    if (of_nothing && !init && is_arg(op)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        if (!exclusive) {
            step(&fold, op, pair, data, i);
        }
        write_result(op, pair.type, &fold.total, out + i * result_size(op, pair.type));
        if (magnitudes) {
            magnitudes[i] = (double)fold.magnitude;
        }
        if (exclusive) {
            step(&fold, op, pair, data, i);
        }
    }
    if (total) {
        write_result(op, pair.type, &fold.total, total);
    }
    return true;
}

double rounding_bound(clfold_type type, double depth, double magnitude)
{
    double unit = type == CLFOLD_F16   ? 0x1p-11
                  : type == CLFOLD_F32 ? (double)FLT_EPSILON / 2
                                       : DBL_EPSILON / 2;

    return depth * unit / (1 - depth * unit) * magnitude;
}

bool same_result(clfold_op op, clfold_type type, const void *expected, const void *result)
{
    unsigned char wanted[MAX_RESULT], found[MAX_RESULT];
    size_t size = result_size(op, type);
    bool any_zero = op == CLFOLD_MIN || op == CLFOLD_MAX || op == CLFOLD_MIN_MAX;

    memcpy(wanted, expected, size);
    memcpy(found, result, size);
    for (size_t k = 0; is_float(type) && k < num_values(op); ++k) {
        size_t at = value_at(op, type, k);
        struct number a = read_number(type, wanted + at);
        struct number b = read_number(type, found + at);
        if ((isnan(a.real) && isnan(b.real)) ||
            (any_zero && a.real == 0 && b.real == 0)) {
            memcpy(found + at, wanted + at, size_of(type));
        }
    }
    return memcmp(wanted, found, size) == 0;
}

void print_result(clfold_op op, clfold_type type, const void *result, char *text,
                  size_t size)
{
    struct carry carry = read_result(op, type, result);
    char values[2][64];

    for (size_t k = 0; k < 2; ++k) {
        const struct item *item = &carry.items[k];
        char index[32] = "";
        if (is_arg(op)) {
            snprintf(index, sizeof(index), "[%llu] ", (unsigned long long)item->index);
        }
        if (is_float(type)) {
            snprintf(values[k], sizeof(values[k]), "%s%.17Lg", index, item->x.real);
        } else if (is_signed(type)) {
            snprintf(values[k], sizeof(values[k]), "%s%lld", index,
                     (long long)item->x.integer);
        } else {
            snprintf(values[k], sizeof(values[k]), "%s%llu", index,
                     (unsigned long long)item->x.integer);
        }
    }
    if (num_values(op) == 2) {
        snprintf(text, size, "{ %s, %s }", values[0], values[1]);
    } else {
        snprintf(text, size, "%s", values[0]);
    }
}
