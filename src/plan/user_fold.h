/*
 * A fold of the caller's as a monoid. Its texts stay the caller's words; here they are
 * only checked to be whole, so that none can end where another begins.
 */
#ifndef CLFOLD_PLAN_USER_FOLD_H
#define CLFOLD_PLAN_USER_FOLD_H

#include "plan/facet.h"
#include "plan/monoid.h"

/* Bytes of a component's name at most, NUL included, and of an opaque type. */
#define CLFOLD_NAME_SIZE     64
#define CLFOLD_MAX_TYPE_SIZE 256

struct component_names {
    char of[CLFOLD_MAX_COMPONENTS][CLFOLD_NAME_SIZE];
};

/* "float a; float b", and "float a, b". */
clfold_status clfold_read_components(struct monoid *monoid, const struct site *site,
                                     const char *components,
                                     struct component_names *names);

/* Checks the fold's texts, and that its fields fit each other. Their values are valid by
 * themselves: ops/check.h. The monoid's strings are the fold's, and `names`. */
clfold_status clfold_monoid_user(struct monoid *monoid, const struct site *site,
                                 const clfold_fold *fold, struct component_names *names);

#endif
