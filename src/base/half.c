#include "base/half.h"

#include <math.h>

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
