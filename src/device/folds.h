/*
 * Interned folds: owned by the context, never changed, each with a number that stands for
 * all of it in the keys of programs. The texts of a user's fold are copied once, and a
 * built-in fold is checked once, not at every call.
 *
 *   a built-in fold    by operator, types, accuracy, in a table; a look-up takes no lock
 *   a user's           by its recipe: numbers and texts as the caller gave them, hashed;
 *                      no monoid is made, and nothing is allocated, if it is there
 *
 * A user's fold is held while a call uses it. Past a limit the one that was used least
 * recently is dropped, with its programs.
 */
#ifndef CLFOLD_DEVICE_FOLDS_H
#define CLFOLD_DEVICE_FOLDS_H

#include "base/system.h"
#include "device/caps.h"
#include "plan/user_fold.h"

#include <stdatomic.h>

/* Sized by the numbers in clfold.h; 0 is unused. */
#define CLFOLD_FOLD_OPS        (CLFOLD_MATRIX_2X2 + 1)
#define CLFOLD_FOLD_TYPES      (CLFOLD_F64 + 1)
#define CLFOLD_FOLD_ACCURACIES (CLFOLD_REPRODUCIBLE + 1)

#define CLFOLD_FOLD_BUCKETS 256
#define CLFOLD_FOLD_HINTS   61

/* What two folds of a caller's must agree in to be the same. */
#define CLFOLD_RECIPE_NUMBERS 13
#define CLFOLD_RECIPE_TEXTS   (CLFOLD_NUM_TEXTS + 2 * CLFOLD_MAX_ARGS)
struct recipe {
    uint64_t hash; /* of all else */
    uint32_t numbers[CLFOLD_RECIPE_NUMBERS];
    uint32_t num_texts;
    const char *texts[CLFOLD_RECIPE_TEXTS]; /* may be NULL */
};

/* What is known of a fold's two widths. */
enum widths {
    WIDTHS_UNKNOWN = CLFOLD_WIDTHS_UNKNOWN,
    WIDTHS_AGREE = CLFOLD_WIDTHS_AGREE,
    WIDTHS_DIFFER = CLFOLD_WIDTHS_DIFFER
};
#define CLFOLD_WHY_SIZE 128

struct interned {
    struct monoid monoid; /* its strings are static, or the fold's own */
    uint32_t id;          /* from 1 */
    struct interned *next;
    /* of a user's */
    bool is_user;
    struct recipe recipe;
    struct interned *peer; /* another one of the same bucket */
    struct component_names names;
    _Atomic uint32_t users; /* calls that hold it */
    _Atomic enum widths widths;
    char why[CLFOLD_WHY_SIZE]; /* a sentence, if they differ */
    uint64_t used;             /* when, by the folds' clock */
    char strings[];
};

struct folds {
    struct lock lock;
    struct interned *newest;
    struct interned *buckets[CLFOLD_FOLD_BUCKETS]; /* of users' folds */
    struct interned *hints[CLFOLD_FOLD_HINTS];     /* likewise; NULL: none */
    uint32_t next_id;
    uint64_t clock;             /* counts look-ups of users' folds */
    _Atomic uint32_t num_users; /* of these */
    _Atomic(struct interned *) built_in[CLFOLD_FOLD_OPS][CLFOLD_FOLD_TYPES]
                                       [CLFOLD_FOLD_TYPES][CLFOLD_FOLD_ACCURACIES];
};

/* False: there is no room for a lock. */
static inline bool clfold_folds_init(struct folds *folds)
{
    return clfold_lock_init(&folds->lock);
}

void clfold_folds_finish(struct folds *folds);

/* The built-in fold, if there is one and the device has its types, which have passed
 * clfold_check_content, as has the accuracy. It lives as long as the context. */
clfold_status clfold_folds_built_in(struct folds *folds, const struct site *site,
                                    const struct caps *caps, clfold_op op,
                                    clfold_type type, clfold_type in, uint32_t accuracy,
                                    struct interned **out);

/* The user's fold in the form that the bits of a call want, checked when it is new. The
 * caller holds it until clfold_folds_give. */
clfold_status clfold_folds_user(struct folds *folds, const struct site *site,
                                const struct caps *caps, const clfold_fold *fold,
                                uint64_t bits, struct interned **out);

/* Ends a hold; NULL and folds that are not a user's are fine. */
static inline void clfold_folds_give(struct interned *fold)
{
    if (fold && fold->is_user) {
        atomic_fetch_sub_explicit(&fold->users, 1, memory_order_release);
    }
}

/* Takes out the user's fold that no call holds and that was used least recently; NULL:
 * there is none. The caller drops its programs and frees it. */
struct interned *clfold_folds_evict(struct folds *folds);

#endif
