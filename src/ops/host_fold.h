/*
 * The host's serial fold, to compare a device's result with.
 *
 * Integers must agree exactly, and so must least and greatest elements, indices,
 * infinities and NaNs; bytes after the value of an arg result must be 0. Floats:
 *
 *   add   Along a tree of depth d a sum is within d u / (1 - d u) of the true one times
 *         sum |x|, u half an epsilon (Higham, "Accuracy and Stability of Numerical
 *         Algorithms", section 4.2). The host's own is compensated (Neumaier 1974), in
 *         f64: within 2 u and n^2 u^2 sum |x|.
 *   mul   n factors are rounded n times in any order: within n u / (1 - n u) of the true
 *         product, and so is the host's.
 *
 * F16 is folded in f32 inside a tile, so its errors are those of f32 there and of f16
 * from tile to tile. If partial results might leave the type's range in some order,
 * though the whole does not, any result passes. So it does where the bound is infinite, d
 * u >= 1/2, which only f16 reaches.
 *
 * OpenCL lets a device take subnormal f16 and f32 for 0. Sums get room for that, an
 * extreme may be any of them, its index then the first of those and of zeros, and so may
 * a truth value be false.
 */
#ifndef CLFOLD_OPS_HOST_FOLD_H
#define CLFOLD_OPS_HOST_FOLD_H

#include "base/error.h"
#include "ops/host_number.h"
#include "plan/plan.h"

#include <stdbool.h>

struct extreme {
    bool any, any_tiny;
    uint64_t index;
    uint64_t tiny; /* the lowest index of what a device may take for 0 */
    struct host_number value;
};

struct host_fold {
    clfold_op op;
    clfold_type type, in;
    uint64_t next;    /* element's index */
    uint64_t folded;  /* elements, and init */
    uint64_t integer; /* add, mul, bit and logical operators */
    uint64_t flushed; /* logical operators: the same, tiny elements being 0 */
    struct extreme least, greatest;
    /* Sums: the finite elements with Neumaier's correction, the others by themselves. */
    double sum, correction, absolute, tiny, special;
    /* Products: fraction 2^exponent; by how many binades factors go up and down. */
    double fraction, up, down;
    int64_t exponent;
    bool has_special;
};

/* Whether the host has the operator; a reproducible sum has no error to allow for. */
static inline bool clfold_host_folds(const struct monoid *monoid)
{
    return clfold_monoid_is_plain(monoid) && monoid->op <= CLFOLD_MIN_MAX &&
           monoid->accuracy != CLFOLD_REPRODUCIBLE;
}

/* `init` has the result's form; NULL: none. */
void clfold_host_fold_init(struct host_fold *fold, clfold_op op, clfold_type type,
                           clfold_type in, const void *init);

/* The next `count` elements of type `in`. */
void clfold_host_fold_add(struct host_fold *fold, const void *elements, size_t count);

/* Whether `result`, made of cells, is a possible result of a device for the same elements
 * and this plan. */
clfold_status clfold_host_fold_compare(const struct host_fold *fold,
                                       const struct site *site, const struct plan *plan,
                                       const void *result);

#endif
