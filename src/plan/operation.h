/*
 * Operations and the algorithms that do them, each a row of a table. Files that serve all
 * of them ask for a property or the family, not for one of them by name.
 */
#ifndef CLFOLD_PLAN_OPERATION_H
#define CLFOLD_PLAN_OPERATION_H

#include "plan/bits.h"

#include <clfold/clfold.h>

#include <stdbool.h>
#include <stdint.h>

/* As named by clfold_fold.algorithm: reduce_tiles, the rungs of reduce_ladder.cl, and the
 * scans. */
enum algorithm {
    REDUCE_TILES,
    REDUCE_0,
    REDUCE_6 = REDUCE_0 + 6,
    SCAN_SINGLE_GROUP,
    SCAN_THEN_PROPAGATE,
    REDUCE_THEN_SCAN,
    SCAN_LOOKBACK,
    SCAN_CHAINED,
    SERIAL, /* any operation */
    /* not for callers */
    WIDTHS,        /* compares a fold's two widths */
    SERIAL_PIECES, /* checks a reduction: `serial` on pieces, then on their items */
    /* of segments */
    REDUCE_LANES,
    SCAN_LANES,
    MAP_TILES,
    REDUCE_OFFSETS,
    /* stages about heads */
    MARK_HEADS,
    FIND_HEADS,
    FIND_PLACES,
    WRITE_KEPT
};
#define CLFOLD_ALGORITHMS (SERIAL + 1) /* without segments, that callers may name */

/* Operations that the same algorithms do. */
enum family {
    FAMILY_REDUCE,
    FAMILY_SCAN,
    FAMILY_ANY, /* the two above */
    FAMILY_OWN, /* not for callers */
    FAMILY_MAP,
    FAMILY_HEADS
};

/* How what an algorithm folds is cut, as bits. */
enum takes { TAKES_WHOLE = 1, TAKES_ROWS = 2, TAKES_COLUMNS = 4, TAKES_OFFSETS = 8 };

struct operation {
    const char *name, *noun; /* "inclusive_scan", "a scan" */
    const char *tuned;       /* in rows of tuning; NULL: by another operation's */
    enum family family;
    uint64_t traits;  /* bits */
    bool writes_each; /* a result for each element; else one */
    bool exclusive, selects;
    const char *apart;          /* why it cannot be in place; NULL: it can */
    const char *takes;          /* a map: "each element by itself" */
    const char *knows;          /* "reduces by reduce_tiles, ... and serial" */
    const char *knows_segments; /* "reduces segments by ..." */
};

/* NULL if it is not in this version. */
const struct operation *clfold_operation_row(clfold_operation operation);
clfold_operation clfold_last_operation(void);

#define CLFOLD_MAX_KERNELS 4

struct algorithm_row {
    const char *name; /* "scan_single_group" */
    enum family family;
    uint32_t takes;   /* bits of the enum above */
    bool is_rung;     /* of the ladder: no tile, groups and launches of its own */
    bool reorders;    /* so the operator must commute */
    uint32_t items;   /* a rung's work-item's, of a launch; 0: not fixed */
    bool looks_back;  /* groups hand words to each other */
    bool chained;     /* totals are not among them */
    bool propagates;  /* combines what is written with prefixes */
    bool selects;     /* a scan that may write the elements that are kept */
    const char *file; /* its text in cl/ */
    uint32_t num_kernels;
    const char *kernels[CLFOLD_MAX_KERNELS];
};

const struct algorithm_row *clfold_algorithm_row(enum algorithm algorithm);

static inline const char *clfold_algorithm_name(enum algorithm algorithm)
{
    return clfold_algorithm_row(algorithm)->name;
}

static inline bool clfold_looks_back(enum algorithm algorithm)
{
    return clfold_algorithm_row(algorithm)->looks_back;
}

static inline bool clfold_algorithm_takes(enum algorithm algorithm, uint32_t kinds)
{
    return (clfold_algorithm_row(algorithm)->takes & kinds) != 0;
}

/* Whether the algorithm does a family's operations. */
static inline bool clfold_algorithm_serves(enum algorithm algorithm, enum family family)
{
    const enum family own = clfold_algorithm_row(algorithm)->family;

    return own == family || (own == FAMILY_ANY && family < FAMILY_ANY);
}

/* Whether it is the name of an algorithm that does. */
bool clfold_algorithm_named(const char *name, enum family family,
                            enum algorithm *algorithm);

#endif
