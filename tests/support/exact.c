#include "exact.h"

#include <math.h>

#define LOWEST (-1074)

void exact_add(struct exact *sum, double x)
{
    int exponent;
    double fraction = frexp(fabs(x), &exponent);
    uint64_t digits;
    int place;

    if (x == 0) {
        return;
    }
    /* A subnormal has fewer digits, and zeros below them. */
    digits = (uint64_t)ldexp(fraction, 53);
    place = exponent - 53 - LOWEST;
    if (place < 0) {
        digits >>= -place;
        place = 0;
    }
    for (int i = 0; i < 3; ++i) {
        int shift = 32 * i - place % 32;
        uint64_t part = shift >= 64 ? 0 : shift >= 0 ? digits >> shift : digits << -shift;
        int64_t limb = (int64_t)(part & UINT32_MAX);
        sum->limbs[place / 32 + i] += x < 0 ? -limb : limb;
    }
}

double exact_value(const struct exact *sum)
{
    struct exact whole = *sum;
    double value = 0;
    int top;

    /* Carries: all limbs but the highest are digits then. */
    for (int i = 0; i + 1 < EXACT_LIMBS; ++i) {
        int64_t digit = whole.limbs[i] & UINT32_MAX;
        whole.limbs[i + 1] += (whole.limbs[i] - digit) / (INT64_C(1) << 32);
        whole.limbs[i] = digit;
    }
    if (whole.limbs[EXACT_LIMBS - 1] < 0) {
        struct exact minus;
        for (int i = 0; i < EXACT_LIMBS; ++i) {
            minus.limbs[i] = -whole.limbs[i];
        }
        return -exact_value(&minus);
    }
    for (top = EXACT_LIMBS - 1; top > 0 && whole.limbs[top] == 0; --top) {
    }
    for (int i = top; i >= 0 && i > top - 4; --i) {
        value += ldexp((double)whole.limbs[i], 32 * i + LOWEST);
    }
    return value;
}

double exact_error(const struct exact *sum, double result)
{
    struct exact rest = *sum;

    exact_add(&rest, -result);
    return exact_value(&rest);
}
