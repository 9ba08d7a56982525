#include "sums.h"

#include <clfold/experimental.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- Data -------------------------------------------------------------------------- */

double draw_term(uint64_t *state, int least, int binades)
{
    double fraction = 1 + ldexp((double)(next_random(state) >> 12), -52);
    int exponent = least + (int)(next_random(state) % (unsigned)binades);

    return ldexp(next_random(state) % 2 ? fraction : -fraction, exponent);
}

/* How far magnitudes spread, and to how many bits a number and another one cancel: from
 * sums with a condition number of a few thousand to ones past 1 / u^2. */
static double draw_cancelling(const struct sum_data *data, const double *terms, size_t i,
                              uint64_t *state)
{
    static const struct {
        int binades, bits;
    } spreads[3][4] = {
        { { 1, 9 }, { 10, 14 }, { 20, 24 }, { 30, 60 } },
        { { 1, 30 }, { 60, 40 }, { 100, 70 }, { 300, 99 } },
        { { 1, 5 }, { 8, 8 }, { 12, 99 }, { 4, 9 } },
    };
    const bool is_wide = data->pair.in == CLFOLD_F64 && data->pair.type == CLFOLD_F64;
    const size_t row = is_wide ? 1 : data->pair.in == CLFOLD_F16 ? 2 : 0;
    const int binades = spreads[row][data->spread].binades;
    const int bits = spreads[row][data->spread].bits;
    double x = draw_term(state, 0, binades), y = draw_term(state, 0, 1);

    return i % 2 ? -terms[i - 1] + ldexp(terms[i - 1] * y, -bits) : x;
}

static double draw_kind(const struct sum_data *data, const double *terms, size_t i,
                        uint64_t *state)
{
    const struct bins bins = bins_of(data->pair.type);
    const size_t count = data->count;
    const double most = data->pair.type == CLFOLD_F32 ? (double)FLT_MAX : DBL_MAX;
    const clfold_type in = data->pair.in;
    const bool first = i == count / 3, second = i == count / 2;
    const int odd = count % 2;

    switch (data->kind) {
    case CANCELLING:
        return draw_cancelling(data, terms, i, state);
    case ASCENDING:
        return draw_term(state,
                         (int)(i * (data->is_exact ? (size_t)bins.bias : 60) / count), 1);
    case ZEROS:
        return odd || next_random(state) % 2 ? -0.0 : 0.0;
    case INFINITE:
    case OPPOSED:
    case NOT_A_NUMBER:
        if (first && data->kind != NOT_A_NUMBER) {
            return -(double)INFINITY;
        }
        if (second && data->kind != INFINITE) {
            return data->kind == OPPOSED ? (double)INFINITY : (double)NAN;
        }
        return draw_term(state, 0, 9);
    case WHOLE:
        return (double)(i % 7) - 3;
    case WIDE:
        return draw_term(state, 1 - bins.bias, 2 * bins.bias - 20);
    case FULL:
        return ldexp(2 - ldexp((double)(next_random(state) % 8 + !odd), -bins.bits),
                     (bins.bias / bins.bits + 1) * bins.bits - 1 - bins.bias);
    case TIED:
        return i == 0   ? 1 + odd * ldexp(1, 1 - bins.digits)
               : i == 1 ? ldexp(1, -bins.digits)
               : second ? ldexp((double)(count % 3) - 1, -bins.digits - bins.bits / 2)
                        : 0;
    case TINY:
        return draw_term(state, 1 - bins.bias - bins.digits / 2,
                         bins.bits * (1 + (int)(count % 3)));
    case HIDDEN:
        return i % 4 == 0   ? draw_term(state, 2 * bins.bits + 5 - bins.bias, 9)
               : i % 4 == 1 ? -terms[i - 1]
                            : ldexp(1.5, -bins.bias);
    case SUBNORMAL:
        return draw_term(state, 1 - bins.bias - bins.digits + 1, bins.digits - 1);
    case UNDERFLOWING:
        return i > 1 ? 0 : ldexp(i == 0 ? 1.5 : -1.25, 1 - bins.bias) * (odd ? -1 : 1);
    case HUGE_ONES:
        return i % 2 ? -terms[i - 1] : i % 4 ? -most : most;
    case OVERFLOWING:
        return most / 2;
    default:
        return draw_term(state, is_float(in) ? 0 : 8 * (int)size_of(in) - 5, 1);
    }
}

double put_term(clfold_type type, void *elements, size_t i, double x)
{
    const int bits = 8 * (int)size_of(type) - is_signed(type);
    const double most = type == CLFOLD_F16 ? 6e4
                        : is_float(type)   ? (double)INFINITY
                        : bits < 53        ? ldexp(1, bits) - 1
                                           : ldexp(0.9, 62);
    unsigned char *at = (unsigned char *)elements + i * size_of(type);

    x = is_signed(type) ? x : fabs(x);
    x = isfinite(x) && fabs(x) > most ? copysign(most, x) : x;
    write_number(
        type,
        (struct number){ is_float(type) ? 0 : (uint64_t)(int64_t)x, (long double)x }, at);
    return as_double(type, at);
}

static void shuffle_terms(double *terms, size_t count, uint64_t *state)
{
    for (size_t i = count; i > 1; --i) {
        const size_t k = next_random(state) % i;
        const double x = terms[i - 1];
        terms[i - 1] = terms[k];
        terms[k] = x;
    }
}

struct sum_data sum_data_of(struct pair pair, uint32_t accuracy, size_t count,
                            uint64_t seed)
{
    const bool is_coarse = !is_float(pair.in) || pair.in == CLFOLD_F16;
    struct sum_data data = { .pair = pair,
                             .count = count,
                             .spread = seed / 64 % 4,
                             .is_exact = accuracy == CLFOLD_REPRODUCIBLE };

    data.kind = (enum sum_kind)(data.is_exact ? seed % NUM_KINDS
                                : seed % 2    ? seed / 2 % WIDE
                                              : CANCELLING);
    if (is_coarse && (data.kind > ZEROS || data.kind == ASCENDING)) {
        data.kind = NARROW;
    }
    return data;
}

void fill_sum(const struct sum_data *data, void *elements, void *init, uint64_t seed)
{
    double *terms = malloc((data->count + 1) * sizeof(*terms));

    if (!terms) {
        abort();
    }
    for (size_t i = 0; i < data->count; ++i) {
        terms[i] = draw_kind(data, terms, i, &seed);
    }
    if (data->kind == CANCELLING || (data->is_exact && next_random(&seed) % 2)) {
        shuffle_terms(terms, data->count, &seed);
    }
    for (size_t i = 0; i < data->count; ++i) {
        put_term(data->pair.in, elements, i, terms[i]);
    }
    put_term(data->pair.type, init, 0, data->is_exact ? 0.1 : 12345.0625);
    free(terms);
}

/* ---- What must come out ------------------------------------------------------------ */

void prefix_add(struct prefix *prefix, double x, clfold_type type)
{
    if (isfinite(x)) {
        exact_add(&prefix->exact, x);
        prefix->magnitude += fabs(x);
    }
    prefix->plain = prefix->any ? prefix->plain + x : x; /* -0 + -0 is -0 */
    prefix->any = true;
    prefix->plain = type == CLFOLD_F32 ? (double)(float)prefix->plain : prefix->plain;
}

double prefix_bound(const struct prefix *prefix, clfold_type type, double depth)
{
    const double u = ldexp(1, -bins_of(type).digits), lost = depth * u;

    return (u * fabs(exact_value(&prefix->exact)) + 2 * lost * lost * prefix->magnitude) *
               (1 + 1e-6) +
           DBL_MIN;
}

bool prefix_agrees(const struct prefix *prefix, const struct sum_data *data, double depth,
                   double is)
{
    const bool is_plain =
        !isfinite(prefix->plain) || data->kind == WHOLE || data->kind == ZEROS;

    return is_plain ? same_result(CLFOLD_ADD, CLFOLD_F64, &prefix->plain, &is)
                    : fabs(exact_error(&prefix->exact, is)) <=
                          prefix_bound(prefix, data->pair.type, depth);
}
