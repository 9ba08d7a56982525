/*
 * The serial fold that results are held against. Compiled without -ffast-math, which
 * would drop the correction below and every test for nan.
 */
#include "native.h"

#include <float.h>
#include <math.h>
#include <string.h>

#ifdef __FAST_MATH__
#error "exact.c must be compiled without -ffast-math"
#endif

static bool is_float(enum type type)
{
    return type == TYPE_F32 || type == TYPE_F64;
}

/* Neumaier 1974: the correction takes what each addition rounds away, so that the sum is
 * true to about an ulp of f64, far below what any tolerance here allows. */
static struct exact fold_reals(const struct fold *fold, const void *data, size_t count)
{
    const float *const singles = data;
    const double *const doubles = data;
    const bool single = fold->type == TYPE_F32;
    double sum = 0, correction = 0, absolute = 0, special = 0;
    double most = -(double)INFINITY, lowest = 0, highest = 0;

    for (size_t i = 0; i < count; i++) {
        const double x = single ? (double)singles[i] : doubles[i];
        if (isnan(x) || x > most) {
            most = isnan(most) ? most : x;
        }
        if (!isfinite(x)) {
            special += x;
            continue;
        }
        const double t = sum + x;
        correction += fabs(sum) >= fabs(x) ? sum - t + x : x - t + sum;
        sum = t;
        absolute += fabs(x);
        lowest = fmin(lowest, sum);
        highest = fmax(highest, sum);
    }
    sum = isfinite(special) ? sum + correction : special;
    return (struct exact){ { .real = fold->max ? most : sum },
                           absolute,
                           highest - lowest,
                           isfinite(sum) && isfinite(most) };
}

static uint64_t integer_at(enum type type, const void *data, size_t i)
{
    switch (type) {
    case TYPE_U8:
        return ((const uint8_t *)data)[i];
    case TYPE_I32:
        return (uint64_t)(int64_t)((const int32_t *)data)[i];
    default:
        return ((const uint64_t *)data)[i];
    }
}

static bool is_greater(enum type type, uint64_t a, uint64_t b)
{
    const bool is_signed = type == TYPE_I32 || type == TYPE_I64;

    return is_signed ? (int64_t)a > (int64_t)b : a > b;
}

static struct exact fold_integers(const struct fold *fold, const void *data, size_t count)
{
    uint64_t sum = 0, most = 0;

    for (size_t i = 0; i < count; i++) {
        const uint64_t x = integer_at(fold->type, data, i);
        sum += x;
        if (i == 0 || is_greater(fold->type, x, most)) {
            most = x;
        }
    }
    return (struct exact){ { .integer = fold->max ? most : sum }, 0, 0, true };
}

struct exact exact_fold(const struct fold *fold, const void *data, size_t count)
{
    return is_float(fold->type) ? fold_reals(fold, data, count)
                                : fold_integers(fold, data, count);
}

uint64_t exact_wrap(enum type type, uint64_t integer)
{
    switch (type) {
    case TYPE_U8:
        return (uint8_t)integer;
    case TYPE_I32:
        return (uint64_t)(int64_t)(int32_t)(uint32_t)integer;
    default:
        return integer;
    }
}

/*
 * How far a sum in floats may be from the true one.
 *
 * An addition rounds by u (half an epsilon) of its partial sum at most. The textbook's
 * worst case, d u sum|x| for d additions on a term's way, says little about terms that
 * cancel: with d of some hundreds, one part in 10^4 of the data in tools/run-demo would
 * pass. So the two halves of the way are told apart.
 *
 *   in tiles of 64 KiB        many short chains, 64 lanes or more a tile
 *   over tiles and groups     one long chain of sums of neighbours
 *
 * Above tiles, all roundings may point the same way, but each partial sum is one of
 * neighbouring terms, so it is no larger than the range of the prefix sums, which is
 * small where terms cancel: d u range. In tiles, thousands of chains round independently:
 * their errors have a deviation below sqrt(d) / sqrt(3) u sum|x| (Higham and Mary 2019,
 * "A new approach to probabilistic rounding error analysis"), and more than three of
 * those are allowed. Equal terms do round alike there, by up to d/2 u; then sum|x| is the
 * range as well, and the first part holds twice what it needs.
 *
 * Depths: 64 lanes take a tile's terms in turn; 256 groups take the tiles in equal shares
 * and are added one after the other; 32 is for tails and trees. The native loop's chains
 * are shorter.
 */
static double tolerance(const struct exact *exact, const struct fold *fold, size_t count)
{
    const double tile = 65536.0 / (fold->type == TYPE_F32 ? 4 : 8);
    const double tiles = ceil((double)count / tile);
    const double in_tiles = tile / 64 + 32;
    const double above = fmin(tiles, 256) + ceil(tiles / 256) + 32;
    const double u = (fold->acc == TYPE_F32 ? (double)FLT_EPSILON : DBL_EPSILON) / 2;

    return u * (2 * sqrt(in_tiles) * exact->absolute + above * exact->range) +
           DBL_EPSILON * fabs(exact->total.real);
}

bool exact_agrees(const struct exact *exact, const struct fold *fold, size_t count,
                  const struct total *value)
{
    const double true_value = exact->total.real;

    if (!is_float(fold->acc)) {
        return exact_wrap(fold->acc, value->integer) ==
               exact_wrap(fold->acc, exact->total.integer);
    }
    if (isnan(true_value)) {
        return isnan(value->real);
    }
    if (fold->max || !isfinite(true_value)) {
        return value->real == true_value;
    }
    return fabs(value->real - true_value) <= tolerance(exact, fold, count);
}
