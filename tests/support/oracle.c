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
