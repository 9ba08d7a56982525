#include "base/number.h"

#include "base/half.h"

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
