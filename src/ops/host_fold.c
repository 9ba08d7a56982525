#include "ops/host_fold.h"

#include "plan/scalar.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Folding ----------------------------------------------------------------------- */

static void add_extreme(clfold_type type, struct extreme *best, bool greatest,
                        struct host_number x, uint64_t index)
{
    bool nan = clfold_number_is_nan(type, x),
         best_nan = best->any && clfold_number_is_nan(type, best->value);
    bool before = greatest ? clfold_number_is_less(type, best->value, x)
                           : clfold_number_is_less(type, x, best->value);
    bool equal = nan ? best_nan : clfold_number_is_same(type, x, best->value);

    if (!best->any || (nan && !best_nan) || (before && !best_nan) ||
        (equal && index < best->index)) {
        best->index = index;
        best->value = x;
    }
    if (clfold_number_is_tiny(type, x) && (!best->any_tiny || index < best->tiny)) {
        best->tiny = index;
        best->any_tiny = true;
    }
    best->any = true;
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
    if (clfold_number_is_tiny(fold->type, (struct host_number){ .real = x })) {
        fold->tiny += fabs(x);
    }
}

/* In any order the product stays between the binades of all factors above 1 and of all
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

static uint64_t combine(clfold_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case CLFOLD_ADD:
        return a + b;
    case CLFOLD_MUL:
        return a * b;
    case CLFOLD_BIT_AND:
    case CLFOLD_LOGICAL_AND:
        return a & b;
    case CLFOLD_BIT_OR:
    case CLFOLD_LOGICAL_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* `x` has `type`, which may differ from the folded one: the truth of an element is that
 * of its value in the buffer. */
static void add_truth(struct host_fold *fold, clfold_type type, struct host_number x)
{
    bool zero = clfold_number_is_zero(type, x);

    fold->integer = combine(fold->op, fold->integer, !zero);
    fold->flushed =
        combine(fold->op, fold->flushed, !zero && !clfold_number_is_tiny(type, x));
    ++fold->folded;
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
    default:
        if (!clfold_scalar(type)->is_float) {
            fold->integer = combine(fold->op, fold->integer, x.integer);
        } else if (fold->op == CLFOLD_ADD) {
            add_sum(fold, x.real);
        } else {
            add_product(fold, x.real);
        }
    }
    ++fold->folded;
}

static bool is_logical(clfold_op op)
{
    return op == CLFOLD_LOGICAL_AND || op == CLFOLD_LOGICAL_OR;
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
        memcpy(&index, at + k * sizeof(clfold_indexed), sizeof(index));
        at += k * sizeof(clfold_indexed) + sizeof(index);
    } else {
        at += k * clfold_scalar(fold->type)->size;
    }
    *value = clfold_number_read(fold->type, at);
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
        .flushed = one,
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
    } else if (is_logical(op)) {
        add_truth(fold, type, x);
    } else {
        add_number(fold, x, index);
    }
}

void clfold_host_fold_add(struct host_fold *fold, const void *elements, size_t count)
{
    const unsigned char *at = elements;
    size_t size = clfold_scalar(fold->in)->size;
    bool truth = is_logical(fold->op);

    for (size_t i = 0; i < count; ++i) {
        struct host_number x = clfold_number_read(fold->in, at + i * size);
        if (truth) {
            add_truth(fold, fold->in, x);
        } else {
            add_number(fold, clfold_number_convert(fold->type, fold->in, x), fold->next);
        }
        ++fold->next;
    }
}

/* ---- Comparing --------------------------------------------------------------------- */

struct roundings {
    double stage, items; /* at most, in a tile's stage and from item to item */
    double values;       /* that are an item's */
};

/*
 * How often a term of a sum is rounded on its way to the root, which is the depth of the
 * tree; of a product every factor's roundings count. Here alone is it known how kernels
 * associate:
 *
 *   tile_vector   64 lanes, then 16 to 1, and up to 15 elements after them
 *   tile_group    chunks of up to 16 elements, then a tree of the group
 *   tiles         from the left; the last launch is a run of partials for each work-item,
 *                 and a tree
 *   reduce0 to 5  a tree a launch, its leaves 1 or 2 items
 *   reduce6       `items` in sequence, then as tiles
 */
static struct roundings count_roundings(const struct host_fold *fold,
                                        const struct plan *plan)
{
    double tile = plan->shape.tile.elements, group = plan->shape.tile.group_size;
    double run = (double)plan->items, groups = (double)plan->num_groups;
    double lanes = plan->shape.tile.kind == TILE_VECTOR ? 64 : group;
    double tiles = tile > 0 ? floor(run * group / tile) + 1 : 1;
    double folded = (double)fold->folded;
    struct roundings roundings = { .values = folded };

    /* A tree and a leaf for each launch, and init in the last one. */
    roundings.items = plan->num_launches * (ceil(log2(group)) + 1) + 1;
    if (plan->has_grid) {
        roundings.stage = tile > 0 ? fmin(tile, folded) / lanes + 32 : run;
        roundings.items += tiles + groups / group + 1;
        roundings.values = fmin(folded, group * tiles * groups) + 1;
    }
    if (fold->op == CLFOLD_MUL) {
        roundings.stage = plan->has_grid ? folded : 0;
        roundings.items = 2 * roundings.values;
    }
    return roundings;
}

/* n roundings of u each. */
static double grown(double n, double u)
{
    return n * u < 0.5 ? n * u / (1 - n * u) : (double)INFINITY;
}

/* The device's error, relative to the product or to the sum of magnitudes. In the worst
 * case of f16 it is infinite from 1,024 roundings on. */
static double device_error(const struct host_fold *fold,
                           const struct roundings *roundings)
{
    double u = clfold_number_range(fold->type).u;

    if (fold->type == CLFOLD_F16) {
        double stage = grown(roundings->stage, ldexp(1, -24)),
               items = grown(roundings->items, u);
        return stage + items * (1 + stage);
    }
    return grown(fold->op == CLFOLD_MUL ? (double)fold->folded
                                        : roundings->stage + roundings->items,
                 u);
}

/* The host's error, likewise. */
static double host_error(const struct host_fold *fold)
{
    double n = (double)fold->folded * DBL_EPSILON;

    return fold->op == CLFOLD_MUL ? n : n * n;
}

/* Whether partial results in some order leave the type's range, or come near to it. */
static bool may_leave_range(const struct host_fold *fold)
{
    struct host_range range = clfold_number_range(fold->type);

    if (fold->op == CLFOLD_MUL) {
        return fold->up > range.most || fold->down > -range.least - 1;
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

static bool reals_agree(const struct host_fold *fold, const struct plan *plan,
                        double device)
{
    struct roundings roundings = count_roundings(fold, plan);
    double host, scale, relative, values;

    /* A NaN stays one in any order. */
    if (isnan(fold->special)) {
        return isnan(device);
    }
    if (may_leave_range(fold)) {
        return true;
    }
    host = host_real(fold);
    scale = fold->op == CLFOLD_MUL ? fabs(host) : fold->absolute;
    if (fold->has_special || scale == 0) {
        return device == host;
    }
    relative = device_error(fold, &roundings) + host_error(fold);
    if (isinf(relative)) {
        return true;
    }
    /* Tiny elements may be taken for 0, and so may partial results: operands and result.
     */
    values = 3 * (fold->type == CLFOLD_F16 ? 2 * roundings.values : (double)fold->folded);
    return fabs(device - host) <=
           relative * scale + ldexp(fabs(host), -52) + fold->tiny +
               values * ldexp(1, clfold_number_range(fold->type).least);
}

static clfold_status differ(const struct host_fold *fold, const struct site *site,
                            uint64_t device_index, struct host_number device,
                            uint64_t host_index, struct host_number host)
{
    char ours[40], theirs[40], at[2][32] = { "", "" };

    clfold_number_print(theirs, sizeof(theirs), fold->type, device);
    clfold_number_print(ours, sizeof(ours), fold->type, host);
    if (has_index(fold->op)) {
        snprintf(at[0], sizeof(at[0]), " at %" PRIu64, device_index);
        snprintf(at[1], sizeof(at[1]), " at %" PRIu64, host_index);
    }
    return clfold_fail(site, CLFOLD_ERROR_DATA,
                       "verify: the device folds to %s%s, the host to %s%s", theirs,
                       at[0], ours, at[1]);
}

/* The bytes after the value of clfold_indexed k. */
static bool is_padded(clfold_type type, const void *result, size_t k)
{
    static const unsigned char zeros[sizeof(cl_ulong)];
    const unsigned char *value =
        (const unsigned char *)result + k * sizeof(clfold_indexed) + sizeof(cl_ulong);
    size_t size = clfold_scalar(type)->size;

    return memcmp(value + size, zeros, sizeof(zeros) - size) == 0;
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
        host.integer =
            clfold_number_wrap(fold->type, greatest ? ~host.integer : host.integer);
    }
    bool tiny = extreme->any_tiny && clfold_number_is_tiny(fold->type, host) &&
                clfold_number_is_tiny(fold->type, device);
    bool index_fits = !has_index(fold->op) || index == extreme->index ||
                      (tiny && index == extreme->tiny);

    if (!(tiny || clfold_number_is_same(fold->type, device, host)) || !index_fits) {
        return differ(fold, site, index, device, extreme->index, host);
    }
    if (has_index(fold->op) && !is_padded(fold->type, result, k)) {
        return clfold_fail(
            site, CLFOLD_ERROR_DATA,
            "verify: the device left bytes other than 0 after the value of %s",
            clfold_scalar_name(fold->type));
    }
    return CLFOLD_OK;
}

static struct host_number truth_of(const struct host_fold *fold, uint64_t truth)
{
    return clfold_number_convert(fold->type, CLFOLD_U64,
                                 (struct host_number){ .integer = truth });
}

clfold_status clfold_host_fold_compare(const struct host_fold *fold,
                                       const struct site *site, const struct plan *plan,
                                       const void *result)
{
    struct host_number device, host = { 0 };
    clfold_status status;
    bool agree;

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
    default:
        break;
    }
    read_result(fold, result, 0, &device);
    if (is_logical(fold->op)) {
        host = truth_of(fold, fold->flushed);
        agree = clfold_number_is_same(fold->type, device, host);
        host = truth_of(fold, fold->integer);
        agree |= clfold_number_is_same(fold->type, device, host);
    } else if (clfold_scalar(fold->type)->is_float) {
        host.real = host_real(fold);
        agree = reals_agree(fold, plan, device.real);
    } else {
        host.integer = clfold_number_wrap(fold->type, fold->integer);
        agree = device.integer == host.integer;
    }
    return agree ? CLFOLD_OK : differ(fold, site, 0, device, 0, host);
}
