#include "binned_model.h"

#include <float.h>
#include <math.h>

struct bins bins_of(clfold_type type)
{
    return type == CLFOLD_F32 ? (struct bins){ 18, 24, 127 }
                              : (struct bins){ 40, 53, 1023 };
}

static int bin_of(const struct bins *bins, double x)
{
    int exponent;

    frexp(x, &exponent);
    return (exponent - 1 + bins->bias) / bins->bits;
}

static bool is_normal(clfold_type type, double x)
{
    return fabs(x) >= (type == CLFOLD_F32 ? (double)FLT_MIN : DBL_MIN);
}

/* The parts of x in three bins from `bin` on; halves of what is out of range, as a part
 * of the greatest numbers may be. Others have none: that of 2^-1074 is 0. */
static void add_parts(struct exact *sum, const struct bins *bins, int bin, double x)
{
    int unit = bin * bins->bits - bins->bias + 1;
    double rest = ldexp(x, -unit);

    for (int k = 0; k < 3; ++k) {
        double units = rint(rest), part = ldexp(units, unit), half = trunc(units / 2);
        exact_add(sum, isfinite(part) ? part : ldexp(half, unit));
        if (!isfinite(part)) {
            exact_add(sum, ldexp(units - half, unit));
        }
        rest = ldexp(rest - units, bins->bits);
        unit -= bins->bits;
    }
}

struct model model_of(clfold_type type, const double *values, size_t count)
{
    const struct bins bins = bins_of(type);
    struct exact kept = { { 0 } };
    struct model model = { 0 };
    double special = 0, most = 0;
    int bin = 0;

    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            special += values[i];
        } else if (is_normal(type, values[i])) {
            most = fmax(most, fabs(values[i]));
            exact_add(&model.exact, values[i]);
        }
    }
    bin = most > 0 ? bin_of(&bins, most) : 0;
    for (size_t i = 0; i < count; ++i) {
        if (isfinite(values[i]) && is_normal(type, values[i])) {
            add_parts(&kept, &bins, bin, values[i]);
        }
    }
    model.result = special != 0 ? special : exact_rounded(&kept, type == CLFOLD_F32);
    if (!isnan(model.result) && !is_normal(type, model.result)) {
        model.result = 0;
    }
    model.sum = exact_value(&model.exact);
    model.bound = ldexp(fabs(model.sum), -bins.digits) +
                  (double)count * ldexp(most, -2 * bins.bits) * (1 + 1e-6);
    return model;
}
