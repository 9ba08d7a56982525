/*
 * A fold of the caller's as a monoid. Its texts stay the caller's words; here they are
 * only checked to be whole, so that none can end where another begins.
 */
#ifndef CLFOLD_PLAN_USER_FOLD_H
#define CLFOLD_PLAN_USER_FOLD_H

#include "plan/monoid.h"
#include "plan/operation.h"

/* Bytes of a component's name at most, NUL included, and of an opaque type. */
#define CLFOLD_NAME_SIZE     64
#define CLFOLD_MAX_TYPE_SIZE 256

struct component_names {
    char of[CLFOLD_MAX_COMPONENTS][CLFOLD_NAME_SIZE];
};

/* How the fold's segments are given that need a lifted monoid, CLFOLD_BY_FLAGS, ...; 0:
 * it has none. */
static inline uint32_t clfold_fold_heads(const clfold_fold *fold,
                                         clfold_operation operation)
{
    const bool is_scan = clfold_operation_row(operation)->family == FAMILY_SCAN;

    return is_scan && fold->segments && fold->segments->by <= CLFOLD_BY_OFFSETS
               ? fold->segments->by
               : 0;
}

/* How the segments of a reduction are given whose offsets are found first; 0: they are
 * not. */
static inline uint32_t clfold_fold_found(const clfold_fold *fold,
                                         const struct operation *operation)
{
    return operation->family == FAMILY_REDUCE && fold->segments &&
                   fold->segments->by < CLFOLD_BY_OFFSETS
               ? fold->segments->by
               : 0;
}

/* The type of offsets that its texts may see, or a map is bounded by; 0: none. */
static inline clfold_type clfold_fold_offsets(const clfold_fold *fold,
                                              clfold_operation operation)
{
    const enum family family = clfold_operation_row(operation)->family;

    return family != FAMILY_SCAN && fold->segments &&
                   fold->segments->by == CLFOLD_BY_OFFSETS &&
                   (fold->load || family == FAMILY_MAP)
               ? (clfold_type)fold->segments->type
               : 0;
}

/* What else its programs do, as bits; and clfold_fold_found(). */
enum {
    CLFOLD_READS_NUM = 1,
    CLFOLD_FINDS_BAD = 2,
    CLFOLD_READS_COUNT = 4,
    CLFOLD_FOUND = 8
};
static inline uint32_t clfold_fold_does(const clfold_fold *fold,
                                        clfold_operation operation)
{
    const bool finds = fold->bad_out.mem && !clfold_fold_heads(fold, operation);

    return (fold->segments && fold->segments->num_at.mem ? CLFOLD_READS_NUM : 0) |
           (finds ? CLFOLD_FINDS_BAD : 0) |
           (fold->count_at.mem ? CLFOLD_READS_COUNT : 0) |
           clfold_fold_found(fold, clfold_operation_row(operation)) * CLFOLD_FOUND;
}

/* Checks the fold's texts, and that its fields fit each other. Their values are valid by
 * themselves: ops/check.h. The monoid's strings are the fold's, and `names`. */
clfold_status clfold_monoid_user(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold, struct component_names *names);

#endif
