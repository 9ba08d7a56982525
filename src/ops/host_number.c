#include "ops/host_number.h"

#include "base/half.h"
#include "plan/scalar.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

struct host_number clfold_number_convert(clfold_type to, clfold_type from,
                                         struct host_number x)
{
    const struct scalar *source = clfold_scalar(from);
    bool is_signed = source->is_signed;

    if (!clfold_scalar(to)->is_float) {
        return (struct host_number){ .integer = clfold_number_wrap(to, x.integer) };
    }
    if (to == CLFOLD_F32) {
        /* Converts directly: through f64 a 64-bit integer would be rounded twice. */
        float single = source->is_float ? (float)x.real
                       : is_signed      ? (float)(int64_t)x.integer
                                        : (float)x.integer;
        return (struct host_number){ .real = single };
    }
    double real = source->is_float ? x.real
                  : is_signed      ? (double)(int64_t)x.integer
                                   : (double)x.integer;
    if (to == CLFOLD_F16) {
        real = clfold_half_to_double(clfold_double_to_half(real));
    }
    return (struct host_number){ .real = real };
}

bool clfold_number_is_zero(clfold_type type, struct host_number x)
{
    return clfold_scalar(type)->is_float ? x.real == 0 : x.integer == 0;
}

bool clfold_number_is_nan(clfold_type type, struct host_number x)
{
    return clfold_scalar(type)->is_float && isnan(x.real);
}

void clfold_number_print(char *text, size_t size, clfold_type type, struct host_number x)
{
    const struct scalar *scalar = clfold_scalar(type);

    if (scalar->is_float) {
        snprintf(text, size, "%.17g", x.real);
    } else if (scalar->is_signed) {
        snprintf(text, size, "%" PRId64, (int64_t)x.integer);
    } else {
        snprintf(text, size, "%" PRIu64, x.integer);
    }
}

struct host_range clfold_number_range(clfold_type type)
{
    if (type == CLFOLD_F16) {
        return (struct host_range){ ldexp(1, -11), 65504, 15, -14 };
    }
    if (type == CLFOLD_F32) {
        return (struct host_range){ ldexp(1, -24), (double)FLT_MAX, 127, -126 };
    }
    return (struct host_range){ ldexp(1, -53), DBL_MAX, 1023, -1022 };
}

bool clfold_number_is_tiny(clfold_type type, struct host_number x)
{
    return (type == CLFOLD_F16 && fabs(x.real) < 0x1p-14) ||
           (type == CLFOLD_F32 && fabs(x.real) < (double)FLT_MIN);
}
