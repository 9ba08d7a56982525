#include "oracle.h"

#include "plan/scalar.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

const struct pair all_pairs[NUM_PAIRS] = {
    { CLFOLD_I32, CLFOLD_I32 }, { CLFOLD_I32, CLFOLD_I64 }, { CLFOLD_U8, CLFOLD_U8 },
    { CLFOLD_U8, CLFOLD_U64 },  { CLFOLD_F32, CLFOLD_F32 }, { CLFOLD_F32, CLFOLD_F64 },
    { CLFOLD_F64, CLFOLD_F64 },
};

size_t size_of(clfold_type type)
{
    return clfold_scalar(type)->size;
}

const char *name_of(clfold_type type)
{
    return clfold_scalar(type)->name;
}

bool is_float(clfold_type type)
{
    return clfold_scalar(type)->is_float;
}

uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double real_at(uint64_t random, enum fill how)
{
    if (how == FILL_EXACT) {
        return (double)((int)(random % 257) - 128) / 4;
    }
    /* Signs and some ten binades: order shows in the last bits. */
    double unit = (double)(random >> 11) / 9007199254740992.0;
    return (random & 1 ? -1 : 1) * ldexp(1 + unit, (int)(random >> 1) % 10);
}

void fill(void *data, clfold_type type, size_t count, enum fill how, uint64_t seed)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t random = next_random(&seed);
        switch (type) {
        case CLFOLD_U8:
            ((cl_uchar *)data)[i] = (cl_uchar)(random >> 40);
            break;
        case CLFOLD_I32:
            ((cl_int *)data)[i] = (cl_int)(random >> 32);
            break;
        case CLFOLD_F32:
            ((cl_float *)data)[i] = (cl_float)real_at(random, how);
            break;
        default:
            ((cl_double *)data)[i] = real_at(random, how);
        }
    }
}

void fill_poison(void *data, clfold_type type, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        switch (type) {
        case CLFOLD_U8:
            ((cl_uchar *)data)[i] = 255;
            break;
        case CLFOLD_I32:
            ((cl_int *)data)[i] = INT_MAX;
            break;
        case CLFOLD_F32:
            ((cl_float *)data)[i] = (cl_float)NAN;
            break;
        default:
            ((cl_double *)data)[i] = (cl_double)NAN;
        }
    }
}

/* One number in all its readings. */
struct number {
    uint64_t integer; /* sign-extended, modulo 2^64 */
    long double real;
};

static struct number read_number(clfold_type type, const void *at)
{
    cl_int i32;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;

    switch (type) {
    case CLFOLD_U8:
        return (struct number){ .integer = *(const cl_uchar *)at };
    case CLFOLD_I32:
        memcpy(&i32, at, sizeof(i32));
        return (struct number){ .integer = (uint64_t)(int64_t)i32 };
    case CLFOLD_F32:
        memcpy(&f32, at, sizeof(f32));
        return (struct number){ .real = (long double)f32 };
    case CLFOLD_F64:
        memcpy(&f64, at, sizeof(f64));
        return (struct number){ .real = (long double)f64 };
    default:
        memcpy(&u64, at, sizeof(u64));
        return (struct number){ .integer = u64 };
    }
}

static void write_number(clfold_type type, struct number x, void *at)
{
    cl_uchar u8 = (cl_uchar)x.integer;
    cl_uint u32 = (cl_uint)x.integer;
    cl_float f32 = (cl_float)x.real;
    cl_double f64 = (cl_double)x.real;

    switch (type) {
    case CLFOLD_U8:
        memcpy(at, &u8, sizeof(u8));
        break;
    case CLFOLD_I32:
        memcpy(at, &u32, sizeof(u32));
        break;
    case CLFOLD_F32:
        memcpy(at, &f32, sizeof(f32));
        break;
    case CLFOLD_F64:
        memcpy(at, &f64, sizeof(f64));
        break;
    default:
        memcpy(at, &x.integer, sizeof(x.integer));
    }
}

static struct number combine(clfold_op op, clfold_type type, struct number a,
                             struct number b)
{
    bool is_signed = type == CLFOLD_I32 || type == CLFOLD_I64;

    if (op == CLFOLD_ADD) {
        return (struct number){ a.integer + b.integer, a.real + b.real };
    }
    if (is_float(type)) {
        return isnan(a.real) || a.real >= b.real ? a : b;
    }
    bool greater =
        is_signed ? (int64_t)a.integer >= (int64_t)b.integer : a.integer >= b.integer;
    return greater ? a : b;
}

static struct number identity(clfold_op op, clfold_type type)
{
    struct number none = { 0 };

    if (op == CLFOLD_MAX) {
        none.real = -(long double)INFINITY;
        none.integer = type == CLFOLD_I32   ? (uint64_t)(int64_t)CL_INT_MIN
                       : type == CLFOLD_I64 ? (uint64_t)CL_LONG_MIN
                                            : 0;
    }
    return none;
}

void oracle_fold(clfold_op op, struct pair pair, const void *data, size_t count,
                 const void *init, void *expected, double *magnitude)
{
    const unsigned char *bytes = data;
    bool any = init != NULL;
    struct number total = init ? read_number(pair.type, init) : identity(op, pair.type);
    long double sum = any ? fabsl(total.real) : 0;

    for (size_t i = 0; i < count; ++i) {
        struct number x = read_number(pair.in, bytes + i * size_of(pair.in));
        total = any ? combine(op, pair.type, total, x) : x;
        sum += fabsl(x.real);
        any = true;
    }
    write_number(pair.type, total, expected);
    if (magnitude) {
        *magnitude = (double)sum;
    }
}

double as_double(clfold_type type, const void *value)
{
    struct number x = read_number(type, value);

    if (is_float(type)) {
        return (double)x.real;
    }
    return type == CLFOLD_I32 || type == CLFOLD_I64 ? (double)(int64_t)x.integer
                                                    : (double)x.integer;
}
