#include "oracle.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A real holds every 64-bit integer, so that each conversion rounds once. */
_Static_assert(LDBL_MANT_DIG >= 64, "long double is too narrow for the oracle");

const struct pair all_pairs[NUM_PAIRS] = {
    { CLFOLD_I32, CLFOLD_I32 }, { CLFOLD_I32, CLFOLD_I64 }, { CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_U8, CLFOLD_U64 },  { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 },
    { CLFOLD_F64, CLFOLD_F64 },
};

static const struct {
    const char *name;
    size_t size;
    bool is_float, is_signed;
} types[] = {
    { "none", 0, false, false }, { "i8", 1, false, true },   { "u8", 1, false, false },
    { "i16", 2, false, true },   { "u16", 2, false, false }, { "i32", 4, false, true },
    { "u32", 4, false, false },  { "i64", 8, false, true },  { "u64", 8, false, false },
    { "f16", 2, true, true },    { "f32", 4, true, true },   { "f64", 8, true, true },
};

static const char *const op_names[] = {
    "none",    "add",     "mul",         "min",         "max",
    "bit-and", "bit-or",  "bit-xor",     "logical-and", "logical-or",
    "arg-min", "arg-max", "arg-min-max", "min-max",
};

size_t size_of(clfold_type type)
{
    return types[type].size;
}

const char *name_of(clfold_type type)
{
    return types[type].name;
}

bool is_float(clfold_type type)
{
    return types[type].is_float;
}

bool is_signed(clfold_type type)
{
    return types[type].is_signed;
}

const char *name_of_op(clfold_op op)
{
    return op_names[op];
}

bool is_arg(clfold_op op)
{
    return op >= CLFOLD_ARG_MIN && op <= CLFOLD_ARG_MIN_MAX;
}

bool is_folded(clfold_op op, struct pair pair)
{
    bool bits = op >= CLFOLD_BIT_AND && op <= CLFOLD_BIT_XOR;

    if (op < CLFOLD_ADD || op > LAST_OP) {
        return false;
    }
    return is_float(pair.type) ? !bits : !is_float(pair.in);
}

size_t result_size(clfold_op op, clfold_type type)
{
    switch (op) {
    case CLFOLD_ARG_MIN:
    case CLFOLD_ARG_MAX:
        return 16;
    case CLFOLD_ARG_MIN_MAX:
        return 32;
    case CLFOLD_MIN_MAX:
        return 2 * size_of(type);
    default:
        return size_of(type);
    }
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* sign 1, exponent 5, fraction 10 */
cl_half half_of(long double real)
{
    cl_half sign = signbit(real) ? 0x8000 : 0;
    int exponent;

    real = fabsl(real);
    if (isnan(real)) {
        return sign | 0x7e00;
    }
    if (real >= 65520) { /* halfway between the greatest and 2^16 */
        return sign | 0x7c00;
    }
    if (real == 0) {
        return sign;
    }
    frexpl(real, &exponent); /* real = 0.1xxx * 2^exponent */
    exponent = exponent < -13 ? -13 : exponent;
    /* In units of the last place, to nearest even as the host rounds. A carry into the
     * exponent is right as it is. */
    long units = lrintl(ldexpl(real, 11 - exponent));
    return (cl_half)(sign + units + ((exponent + 13) << 10));
}

long double half_value(cl_half half)
{
    int exponent = (half >> 10) & 31;
    long double fraction = half & 0x3ff, value;

    if (exponent == 31) {
        value = fraction != 0 ? (long double)NAN : (long double)INFINITY;
    } else if (exponent == 0) {
        value = ldexpl(fraction, -24);
    } else {
        value = ldexpl(fraction + 1024, exponent - 25);
    }
    return half & 0x8000 ? -value : value;
}

struct number read_number(clfold_type type, const void *at)
{
    struct number x = { 0 };
    cl_half f16;
    cl_float f32;
    cl_double f64;

    switch (type) {
    case CLFOLD_F16:
        memcpy(&f16, at, sizeof(f16));
        x.real = half_value(f16);
        return x;
    case CLFOLD_F32:
        memcpy(&f32, at, sizeof(f32));
        x.real = (long double)f32;
        return x;
    case CLFOLD_F64:
        memcpy(&f64, at, sizeof(f64));
        x.real = (long double)f64;
        return x;
    default:
        /* The host is little-endian, as every host of a little-endian device is. */
        memcpy(&x.integer, at, size_of(type));
        return convert_number((struct pair){ type, type }, x);
    }
}

void write_number(clfold_type type, struct number x, void *at)
{
    cl_half f16 = half_of(x.real);
    cl_float f32 = (cl_float)x.real;
    cl_double f64 = (cl_double)x.real;

    switch (type) {
    case CLFOLD_F16:
        memcpy(at, &f16, sizeof(f16));
        break;
    case CLFOLD_F32:
        memcpy(at, &f32, sizeof(f32));
        break;
    case CLFOLD_F64:
        memcpy(at, &f64, sizeof(f64));
        break;
    default:
        memcpy(at, &x.integer, size_of(type));
    }
}

static long double round_to(clfold_type type, long double real)
{
    return type == CLFOLD_F16   ? half_value(half_of(real))
           : type == CLFOLD_F32 ? (long double)(cl_float)real
                                : (long double)(cl_double)real;
}

struct number convert_number(struct pair pair, struct number x)
{
    unsigned unused = 64 - 8 * (unsigned)size_of(pair.type);

    if (is_float(pair.type)) {
        if (!is_float(pair.in)) {
            x.real = is_signed(pair.in) ? (long double)(int64_t)x.integer
                                        : (long double)x.integer;
            x.integer = 0;
        }
        x.real = round_to(pair.type, x.real);
        return x;
    }
    x.integer <<= unused;
    x.integer = is_signed(pair.type) ? (uint64_t)((int64_t)x.integer >> unused)
                                     : x.integer >> unused;
    return x;
}

bool is_true(clfold_type type, struct number x)
{
    return is_float(type) ? x.real != 0 : x.integer != 0;
}

int compare_numbers(clfold_type type, struct number a, struct number b)
{
    if (is_float(type)) {
        return (a.real > b.real) - (a.real < b.real);
    }
    if (is_signed(type)) {
        int64_t x = (int64_t)a.integer, y = (int64_t)b.integer;
        return (x > y) - (x < y);
    }
    return (a.integer > b.integer) - (a.integer < b.integer);
}

double as_double(clfold_type type, const void *value)
{
    struct number x = read_number(type, value);

    if (is_float(type)) {
        return (double)x.real;
    }
    return is_signed(type) ? (double)(int64_t)x.integer : (double)x.integer;
}

/* ---- Folds ------------------------------------------------------------------------- */

/* A number and where it stands. */
struct item {
    struct number x;
    uint64_t index;
};

/* What a fold carries: [0] is the least of two, or the only one. */
struct carry {
    struct item of[2];
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
        a->of[0] = first_of(type, 1, a->of[0], b->of[0]);
        break;
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        a->of[0] = first_of(type, -1, a->of[0], b->of[0]);
        break;
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        a->of[0] = first_of(type, 1, a->of[0], b->of[0]);
        a->of[1] = first_of(type, -1, a->of[1], b->of[1]);
        break;
    default:
        a->of[0].x = join_numbers(op, a->of[0].x, b->of[0].x);
    }
}

/* The extreme of a type: `sign` 1 for the least. */
static struct number extreme(clfold_type type, int sign)
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
    struct number *x = &carry.of[0].x;

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
        carry.of[1].x = extreme(type, 1);
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
        carry.of[k].x = is_logical(op) ? truth(is_true(type, x)) : x;
        if (is_arg(op)) {
            memcpy(&carry.of[k].index, bytes + 16 * k, 8);
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
        write_number(type, carry->of[k].x, bytes + value_at(op, type, k));
        if (is_arg(op)) {
            memcpy(bytes + 16 * k, &carry->of[k].index, 8);
        }
    }
}

bool oracle_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                 const void *init, void *expected, double *magnitude)
{
    const unsigned char *bytes = data;
    bool any = init != NULL;
    struct carry total =
        init ? read_result(op, pair.type, init) : identity(op, pair.type);
    long double sum = any ? fabsl(total.of[0].x.real) : 0;

    if (count == 0 && !init && is_arg(op)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        struct carry x = read_element(op, pair, bytes + i * size_of(pair.in), i);
        if (any) {
            join(op, pair.type, &total, &x);
        } else {
            total = x;
        }
        sum += fabsl(x.of[0].x.real);
        any = true;
    }
    write_result(op, pair.type, &total, expected);
    if (magnitude) {
        *magnitude = (double)sum;
    }
    return true;
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
        const struct item *item = &carry.of[k];
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
