#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Integer types come in pairs of a size, the signed one first, and then the floats. */
static bool is_float(clfold_type type)
{
    return type >= CLFOLD_F16;
}

static bool is_signed(clfold_type type)
{
    return (type - CLFOLD_I8) % 2 == 0;
}

static size_t size_of(clfold_type type)
{
    return (size_t)1 << (is_float(type) ? type - CLFOLD_F16 + 1 : (type - CLFOLD_I8) / 2);
}

uint64_t clfold_number_wrap(clfold_type type, uint64_t integer)
{
    const unsigned unused = 64 - 8 * (unsigned)size_of(type);

    if (is_float(type)) {
        return 0;
    }
    return is_signed(type) ? (uint64_t)((int64_t)(integer << unused) >> unused)
                           : integer << unused >> unused;
}

/* The low `size` bytes, in any byte order. */
static unsigned char *low_bytes(uint64_t *integer, size_t size)
{
    const uint16_t one = 1;

    return (unsigned char *)integer + (*(const unsigned char *)&one ? 0 : 8 - size);
}

struct host_number clfold_number_read(clfold_type type, const void *at)
{
    size_t size = size_of(type);
    uint64_t bits = 0;
    uint16_t half;
    float single;
    double real;

    memcpy(low_bytes(&bits, size), at, size);
    switch (type) {
    case CLFOLD_F16:
        memcpy(&half, at, sizeof(half));
        return (struct host_number){ .real = clfold_half_to_double(half) };
    case CLFOLD_F32:
        memcpy(&single, at, sizeof(single));
        return (struct host_number){ .real = single };
    case CLFOLD_F64:
        memcpy(&real, at, sizeof(real));
        return (struct host_number){ .real = real };
    default:
        return (struct host_number){ .integer = clfold_number_wrap(type, bits) };
    }
}

bool clfold_number_is_less(clfold_type type, struct host_number a, struct host_number b)
{
    return is_float(type)    ? a.real < b.real
           : is_signed(type) ? (int64_t)a.integer < (int64_t)b.integer
                             : a.integer < b.integer;
}

bool clfold_number_is_same(clfold_type type, struct host_number a, struct host_number b)
{
    if (!is_float(type)) {
        return a.integer == b.integer;
    }
    return isnan(a.real) ? isnan(b.real) : a.real == b.real;
}

void clfold_number_print(char *text, size_t size, clfold_type type, struct host_number x)
{
    if (is_float(type)) {
        snprintf(text, size, "%.17g", x.real);
    } else if (is_signed(type)) {
        snprintf(text, size, "%" PRId64, (int64_t)x.integer);
    } else {
        snprintf(text, size, "%" PRIu64, x.integer);
    }
}

double clfold_half_to_double(uint16_t half)
{
    int exponent = half >> 10 & 31;
    double fraction = half & 1023;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction > 0 ? (double)NAN : (double)INFINITY)
                                    : ldexp(fraction + 1024, exponent - 25);

    return half & 0x8000 ? -value : value;
}

/*
 * A half is q units of its binade, q < 2^11, and units are 2^-24 in the lowest two:
 *
 *   exponent e of 2^e <= |x| < 2^(e + 1), at least -14      bits = (e + 14) 2^10 + q
 *
 * which holds for subnormals, and for a q that is rounded up to the next binade.
 */
uint16_t clfold_double_to_half(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double magnitude = fabs(value);
    int exponent;

    if (isnan(value)) {
        return sign | 0x7e00;
    }
    if (magnitude >= 65520) {
        return sign | 0x7c00;
    }
    exponent = magnitude > 0 ? ilogb(magnitude) : -14;
    exponent = exponent > -14 ? exponent : -14;
    return (uint16_t)(sign + ((exponent + 14) << 10) +
                      (int)nearbyint(ldexp(magnitude, 10 - exponent)));
}
