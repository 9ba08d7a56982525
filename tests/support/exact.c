#include "exact.h"

#include <float.h>
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

/* 1 where 2 sum is greater than a + b, 0 where it is equal, else -1. */
static int compare_middle(const struct exact *sum, double a, double b)
{
    struct exact rest = *sum;
    double value;

    for (int i = 0; i < EXACT_LIMBS; ++i) {
        rest.limbs[i] *= 2;
    }
    exact_add(&rest, -a);
    exact_add(&rest, -b);
    value = exact_value(&rest);
    return (value > 0) - (value < 0);
}

static double next_number(double x, bool up, bool to_float)
{
    double way = up ? (double)INFINITY : -(double)INFINITY;

    return to_float ? (double)nextafterf((float)x, (float)way) : nextafter(x, way);
}

static bool is_even(double x, bool to_float)
{
    int exponent;
    double digits = ldexp(frexp(x, &exponent), to_float ? FLT_MANT_DIG : DBL_MANT_DIG);

    return fmod(digits, 2) == 0;
}

double exact_rounded(const struct exact *sum, bool to_float)
{
    double most = to_float ? (double)FLT_MAX : DBL_MAX;
    double half_unit = ldexp(1, to_float ? FLT_MAX_EXP - FLT_MANT_DIG - 1
                                         : DBL_MAX_EXP - DBL_MANT_DIG - 1);
    double x = to_float ? (double)(float)exact_value(sum) : exact_value(sum);
    struct exact rest = *sum;
    bool up = exact_value(sum) > 0;

    x = fabs(x) > most ? copysign(most, x) : x;
    exact_add(&rest, up ? -most : most);
    exact_add(&rest, up ? -half_unit : half_unit);
    if (up ? exact_value(&rest) >= 0 : exact_value(&rest) <= 0) {
        return up ? (double)INFINITY : -(double)INFINITY;
    }
    for (;;) {
        double error = exact_error(sum, x), next = next_number(x, error > 0, to_float);
        int beyond = compare_middle(sum, x, next);
        bool is_nearer = error > 0 ? beyond > 0 : beyond < 0;
        if (error != 0 && beyond == 0) {
            return is_even(x, to_float) ? x : next;
        }
        if (error == 0 || isinf(next) || !is_nearer) {
            return x;
        }
        x = next;
    }
}
