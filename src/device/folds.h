/*
 * Interned folds, found by content: owned by the context, never changed, each with a
 * number that stands for all of it in the keys of programs. The texts of a fold are
 * copied once, and a built-in fold is checked once, not at every call.
 *
 *   a built-in fold    by operator and types, in a table; a look-up takes no lock
 *   any other          among all, by every number and string of its monoid
 */
#ifndef CLFOLD_DEVICE_FOLDS_H
#define CLFOLD_DEVICE_FOLDS_H

#include "base/system.h"
#include "device/caps.h"
#include "plan/monoid.h"

#include <stdatomic.h>

/* Sized by the numbers in clfold.h; 0 is unused. */
#define CLFOLD_FOLD_OPS   (CLFOLD_MIN_MAX + 1)
#define CLFOLD_FOLD_TYPES (CLFOLD_F64 + 1)

struct interned {
    struct monoid monoid; /* its strings are the fold's own */
    uint32_t id;          /* from 1 */
    struct interned *next;
    char strings[];
};

struct folds {
    struct lock lock;
    struct interned *newest;
    _Atomic(const struct interned *) built_in[CLFOLD_FOLD_OPS][CLFOLD_FOLD_TYPES]
                                             [CLFOLD_FOLD_TYPES];
};

/* False: there is no room for a lock. */
bool clfold_folds_init(struct folds *folds);
void clfold_folds_finish(struct folds *folds);

/* The built-in fold, if there is one and the device has its types. It lives as long as
 * the context, and so does an interned one. */
clfold_status clfold_folds_built_in(struct folds *folds, const struct site *site,
                                    const struct caps *caps, clfold_op op,
                                    clfold_type type, clfold_type in,
                                    const struct interned **out);

/* The fold of this content, which is copied. */
clfold_status clfold_folds_intern(struct folds *folds, const struct site *site,
                                  const struct monoid *monoid,
                                  const struct interned **out);

#endif
