#include "ops/host_fold.h"

#include "base/half.h"
#include "plan/scalar.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Numbers ----------------------------------------------------------------------- */

/* `integer` as a variable of the type holds it. */
static uint64_t wrap(clfold_type type, uint64_t integer)
{
    const struct scalar *scalar = clfold_scalar(type);
    unsigned unused = 64 - 8 * (unsigned)scalar->size;

    if (scalar->is_float) {
        return 0;
    }
    return scalar->is_signed ? (uint64_t)((int64_t)(integer << unused) >> unused)
                             : integer << unused >> unused;
}

static struct host_number read_number(clfold_type type, const void *at)
{
    uint64_t bits = 0;
    uint16_t half;
    float single;
    double real;

    memcpy(&bits, at, clfold_scalar(type)->size);
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
        return (struct host_number){ .integer = wrap(type, bits) };
    }
}

/* As OpenCL's convert_T: low bits, or to nearest even. */
static struct host_number convert(clfold_type to, clfold_type from, struct host_number x)
{
    const struct scalar *source = clfold_scalar(from);
    bool is_signed = source->is_signed;

    if (!clfold_scalar(to)->is_float) {
        return (struct host_number){ .integer = wrap(to, x.integer) };
    }
    if (to == CLFOLD_F32) {
        /* Once only: by way of f64 a 64-bit integer would be rounded twice. */
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

static bool is_zero(clfold_type type, struct host_number x)
{
    return clfold_scalar(type)->is_float ? x.real == 0 : x.integer == 0;
}

static bool is_less(clfold_type type, struct host_number a, struct host_number b)
{
    const struct scalar *scalar = clfold_scalar(type);

    return scalar->is_float    ? a.real < b.real
           : scalar->is_signed ? (int64_t)a.integer < (int64_t)b.integer
                               : a.integer < b.integer;
}

static bool is_nan(clfold_type type, struct host_number x)
{
    return clfold_scalar(type)->is_float && isnan(x.real);
}

static bool is_same(clfold_type type, struct host_number a, struct host_number b)
{
    if (!clfold_scalar(type)->is_float) {
        return a.integer == b.integer;
    }
    return isnan(a.real) ? isnan(b.real) : a.real == b.real;
}

static void print(char *text, size_t size, clfold_type type, struct host_number x)
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

/* ---- Folding ----------------------------------------------------------------------- */

static void add_extreme(clfold_type type, struct extreme *best, bool greatest,
                        struct host_number x, uint64_t index)
{
    bool nan = is_nan(type, x), best_nan = best->any && is_nan(type, best->value);
    bool before =
        greatest ? is_less(type, best->value, x) : is_less(type, x, best->value);
    bool equal = nan ? best_nan : is_same(type, x, best->value);

    if (!best->any || (nan && !best_nan) || (before && !best_nan) ||
        (equal && index < best->index)) {
        *best = (struct extreme){ true, index, x };
    }
}

static void add_sum(struct host_fold *fold, double x)
{
    double t = fold->sum + x;

    if (!isfinite(x)) {
        fold->special += x;
        fold->has_special = true;
        return;
    }
    fold->correction +=
        fabs(fold->sum) >= fabs(x) ? fold->sum - t + x : x - t + fold->sum;
    fold->sum = t;
    fold->absolute += fabs(x);
}

/* Any order of factors stays between the binades that all factors above 1 reach, and all
 * below. */
static void add_product(struct host_fold *fold, double x)
{
    int exponent, carried;

    if (!isfinite(x) || x == 0) {
        fold->special *= x;
        fold->has_special = true;
        return;
    }
    if (signbit(x)) {
        fold->special = -fold->special;
    }
    fold->fraction = frexp(fold->fraction * frexp(x, &exponent), &carried);
    fold->exponent += exponent + carried;
    fold->up += fmax(log2(fabs(x)), 0);
    fold->down += fmax(-log2(fabs(x)), 0);
}

static void add_integer(struct host_fold *fold, uint64_t x)
{
    switch (fold->op) {
    case CLFOLD_ADD:
        fold->integer += x;
        break;
    case CLFOLD_MUL:
        fold->integer *= x;
        break;
    case CLFOLD_BIT_AND:
    case CLFOLD_LOGICAL_AND:
        fold->integer &= x;
        break;
    case CLFOLD_BIT_OR:
    case CLFOLD_LOGICAL_OR:
        fold->integer |= x;
        break;
    default:
        fold->integer ^= x;
    }
}

static void add_number(struct host_fold *fold, struct host_number x, uint64_t index)
{
    clfold_type type = fold->type;

    switch (fold->op) {
    case CLFOLD_MIN:
    case CLFOLD_ARG_MIN:
        add_extreme(type, &fold->least, false, x, index);
        break;
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        add_extreme(type, &fold->greatest, true, x, index);
        break;
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        add_extreme(type, &fold->least, false, x, index);
        add_extreme(type, &fold->greatest, true, x, index);
        break;
    case CLFOLD_LOGICAL_AND:
    case CLFOLD_LOGICAL_OR:
        add_integer(fold, !is_zero(type, x));
        break;
    default:
        if (!clfold_scalar(type)->is_float) {
            add_integer(fold, x.integer);
        } else if (fold->op == CLFOLD_ADD) {
            add_sum(fold, x.real);
        } else {
            add_product(fold, x.real);
        }
    }
    ++fold->folded;
}

static bool has_index(clfold_op op)
{
    return op == CLFOLD_ARG_MIN || op == CLFOLD_ARG_MAX || op == CLFOLD_ARG_MIN_MAX;
}

/* Element k of a result: its index, if it has one, and its value. */
static uint64_t read_result(const struct host_fold *fold, const void *result, size_t k,
                            struct host_number *value)
{
    const unsigned char *at = result;
    uint64_t index = 0;

    if (has_index(fold->op)) {
        memcpy(&index, at + k * sizeof(clfold_arg_value), sizeof(index));
        at += k * sizeof(clfold_arg_value) + sizeof(index);
    } else {
        at += k * clfold_scalar(fold->type)->size;
    }
    *value = read_number(fold->type, at);
    return index;
}

void clfold_host_fold_init(struct host_fold *fold, clfold_op op, clfold_type type,
                           clfold_type in, const void *init)
{
    bool all_ones = op == CLFOLD_BIT_AND,
         one = op == CLFOLD_MUL || op == CLFOLD_LOGICAL_AND;
    struct host_number x;
    uint64_t index;

    *fold = (struct host_fold){
        .op = op,
        .type = type,
        .in = in,
        .integer = all_ones ? UINT64_MAX : one,
        .special = op == CLFOLD_MUL,
        .fraction = 1,
    };
    if (!init) {
        return;
    }
    index = read_result(fold, init, 0, &x);
    if (op == CLFOLD_MIN_MAX || op == CLFOLD_ARG_MIN_MAX) {
        add_extreme(type, &fold->least, false, x, index);
        index = read_result(fold, init, 1, &x);
        add_extreme(type, &fold->greatest, true, x, index);
        ++fold->folded;
    } else {
        add_number(fold, x, index);
    }
}

void clfold_host_fold_add(struct host_fold *fold, const void *elements, size_t count)
{
    const unsigned char *at = elements;
    size_t size = clfold_scalar(fold->in)->size;
    bool truth = fold->op == CLFOLD_LOGICAL_AND || fold->op == CLFOLD_LOGICAL_OR;

    for (size_t i = 0; i < count; ++i) {
        struct host_number x = read_number(fold->in, at + i * size);
        if (truth) {
            add_integer(fold, !is_zero(fold->in, x));
            ++fold->folded;
        } else {
            add_number(fold, convert(fold->type, fold->in, x), fold->next);
        }
        ++fold->next;
    }
}

/* ---- Comparing --------------------------------------------------------------------- */

/* Of a float type: half an epsilon, and the binades that it reaches. */
struct range {
    double u, greatest;
    int most, least;
};

static struct range range_of(clfold_type type)
{
    if (type == CLFOLD_F16) {
        return (struct range){ ldexp(1, -11), 65504, 15, -14 };
    }
    if (type == CLFOLD_F32) {
        return (struct range){ ldexp(1, -24), (double)FLT_MAX, 127, -126 };
    }
    return (struct range){ ldexp(1, -53), DBL_MAX, 1023, -1022 };
}

/* How often a term is rounded at most, in the stage of a tile and from item to item. */
static void roundings(const struct reduce_plan *plan, double folded, bool product,
                      double *in_stage, double *in_items)
{
    double run = (double)plan->items, tree = (double)plan->num_groups + 64, tiles = 1;

    if (plan->shape.tile.elements > 0) {
        tiles = run * plan->shape.tile.group_size / plan->shape.tile.elements + 2;
    }
    *in_stage = plan->has_grid ? run : 0;
    *in_items = (plan->has_grid ? tiles : run) + tree;
    if (product) {
        /* Of a product every factor's rounding counts, not only those on its way. */
        *in_stage = folded;
        *in_items = plan->has_grid ? 2 * tiles * ((double)plan->num_groups + 64) : folded;
    }
}

/* n roundings of u each. */
static double grown(double n, double u)
{
    return n * u < 0.5 ? n * u / (1 - n * u) : (double)INFINITY;
}

static double error_of(const struct host_fold *fold, const struct reduce_plan *plan)
{
    double u = range_of(fold->type).u, in_stage, in_items;

    roundings(plan, (double)fold->folded + 1, fold->op == CLFOLD_MUL, &in_stage,
              &in_items);
    return fold->type == CLFOLD_F16 ? grown(in_stage, ldexp(1, -24)) + grown(in_items, u)
                                    : grown(in_stage + in_items, u);
}

/* Whether partial results in some order leave the type's range. */
static bool may_leave_range(const struct host_fold *fold)
{
    struct range range = range_of(fold->type);

    if (fold->op == CLFOLD_MUL) {
        return fold->up > range.most || fold->down > -range.least;
    }
    return !(fold->absolute <= range.greatest / 2);
}

static double host_real(const struct host_fold *fold)
{
    if (fold->op == CLFOLD_MUL) {
        return fold->has_special ? fold->special
                                 : ldexp(fold->fraction, (int)fold->exponent);
    }
    return fold->has_special ? fold->special : fold->sum + fold->correction;
}

static bool reals_agree(const struct host_fold *fold, const struct reduce_plan *plan,
                        double device)
{
    double host, scale, error;

    /* A NaN stays one in any order. */
    if (isnan(fold->special)) {
        return isnan(device);
    }
    if (may_leave_range(fold)) {
        return true;
    }
    host = host_real(fold);
    if (fold->has_special) {
        return device == host;
    }
    scale = fold->op == CLFOLD_MUL ? fabs(host) : fold->absolute;
    /* A device may take subnormal numbers for 0. */
    error = (error_of(fold, plan) + 2 * DBL_EPSILON * (double)fold->folded) * scale +
            (double)fold->folded * ldexp(1, range_of(fold->type).least);
    return fabs(device - host) <= error + ldexp(fabs(host), -52);
}

static clfold_status differ(const struct host_fold *fold, const struct site *site,
                            uint64_t device_index, struct host_number device,
                            uint64_t host_index, struct host_number host)
{
    char ours[40], theirs[40], at[2][32] = { "", "" };

    print(theirs, sizeof(theirs), fold->type, device);
    print(ours, sizeof(ours), fold->type, host);
    if (has_index(fold->op)) {
        snprintf(at[0], sizeof(at[0]), " at %" PRIu64, device_index);
        snprintf(at[1], sizeof(at[1]), " at %" PRIu64, host_index);
    }
    return clfold_fail(site, CLFOLD_ERROR_DATA,
                       "verify: the device folds to %s%s, the host to %s%s", theirs,
                       at[0], ours, at[1]);
}

static clfold_status compare_extreme(const struct host_fold *fold,
                                     const struct site *site,
                                     const struct extreme *extreme, bool greatest,
                                     const void *result, size_t k)
{
    struct host_number device, host = extreme->value;
    uint64_t index = read_result(fold, result, k, &device);
    const struct scalar *type = clfold_scalar(fold->type);

    if (!extreme->any) {
        /* The identity. */
        unsigned bits = 8 * (unsigned)type->size - type->is_signed;
        host.real = greatest ? -(double)INFINITY : (double)INFINITY;
        host.integer = UINT64_MAX >> (64 - bits);
        host.integer = wrap(fold->type, greatest ? ~host.integer : host.integer);
    }
    if (is_same(fold->type, device, host) &&
        (!has_index(fold->op) || index == extreme->index)) {
        return CLFOLD_OK;
    }
    return differ(fold, site, index, device, extreme->index, host);
}

clfold_status clfold_host_fold_compare(const struct host_fold *fold,
                                       const struct site *site,
                                       const struct reduce_plan *plan, const void *result)
{
    bool is_float = clfold_scalar(fold->type)->is_float;
    struct host_number device, host = { 0 };
    clfold_status status;

    switch (fold->op) {
    case CLFOLD_MIN:
    case CLFOLD_ARG_MIN:
        return compare_extreme(fold, site, &fold->least, false, result, 0);
    case CLFOLD_MAX:
    case CLFOLD_ARG_MAX:
        return compare_extreme(fold, site, &fold->greatest, true, result, 0);
    case CLFOLD_MIN_MAX:
    case CLFOLD_ARG_MIN_MAX:
        status = compare_extreme(fold, site, &fold->least, false, result, 0);
        return status ? status
                      : compare_extreme(fold, site, &fold->greatest, true, result, 1);
    case CLFOLD_LOGICAL_AND:
    case CLFOLD_LOGICAL_OR:
        host.real = (double)fold->integer;
        break;
    default:
        host.real = is_float ? host_real(fold) : 0;
    }
    host.integer = wrap(fold->type, fold->integer);
    read_result(fold, result, 0, &device);
    bool rounds = is_float && (fold->op == CLFOLD_ADD || fold->op == CLFOLD_MUL);
    if (rounds ? reals_agree(fold, plan, device.real)
               : is_same(fold->type, device, host)) {
        return CLFOLD_OK;
    }
    return differ(fold, site, 0, device, 0, host);
}
