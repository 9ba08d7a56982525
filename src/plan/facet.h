/*
 * Facets: what a call may take or give besides `in` and `out`. Each is a row of one
 * table, and what does not go together is a row of another. Loops over these find out
 * what a call is given, reject it, check places and bind them to kernels, and make the
 * key of a program. CONTRIBUTING.md says how to add one.
 *
 * What a call is given, and what it is, is one word of bits:
 *
 *   a sum by offsets with bad_out    OP SEGMENTS HEADS SEG_TYPE SEG_NUM BAD_OUT | REDUCE
 *                                    BY_OFFSETS
 */
#ifndef CLFOLD_PLAN_FACET_H
#define CLFOLD_PLAN_FACET_H

#include "base/error.h"
#include "plan/launch.h"
#include "plan/operation.h"

static inline bool clfold_has(uint64_t bits, int facet)
{
    return bits >> facet & 1;
}

/* What a place holds. */
enum holds {
    HOLDS_NUMBER, /* u64 */
    HOLDS_RESULT, /* a result that is not converted */
    HOLDS_OUT,    /* elements of `out` */
    HOLDS_CARRY,
    HOLDS_KEY /* what segments are given by */
};

/* How many of them, beside 1 and 2. */
enum many { MANY_RESULTS = 3, MANY_HEADS };

struct place_row {
    const char *name, *offset_name; /* "total_out", "total_out.offset" */
    uint16_t at;                    /* in its struct */
    uint8_t holds, many;
    bool is_written;
    /* members of struct launch; 0: there is none */
    uint16_t mem, index, has;
};
extern const struct place_row clfold_place_rows[NUM_PLACES];

/* Flags that a fold may have. */
#define CLFOLD_ALL_FLAGS (uint32_t)(CLFOLD_COMMUTATIVE | CLFOLD_PARTIAL | CLFOLD_REVERSE)

/* The bits of all that a fold is given. */
uint64_t clfold_facets_of(const clfold_fold *fold);

/* The bits of what a call is by that fold; `operation` is 0 where there is no call yet.
 * The way of its segments is a valid one. */
uint64_t clfold_facets_call(const clfold_fold *fold, uint64_t given,
                            clfold_operation operation);

/* Whether the call's monoid is lifted: a scan of flags, keys or offsets. And all of a
 * call that its monoid depends on, as a word. */
bool clfold_facets_lift(uint64_t bits);
uint32_t clfold_facets_form(uint64_t bits);

/* Whether the monoid is a built-in operator's alone. */
bool clfold_facets_built_in(uint64_t bits);

/* What a call does with a monoid, which its program depends on. */
struct use {
    /* CLFOLD_BY_FLAGS, ...: how a lifted monoid knows heads, or a stage that finds their
     * places; or 0. Those of offsets are bits then. */
    uint32_t way;
    clfold_type heads;   /* the type of flags or keys that are read or written; or 0 */
    clfold_type offsets; /* of segments folded one by one, given or found; or 0 */
    uint32_t facets;     /* bits; that of heads where texts see the offsets */
};
_Static_assert(END_KEYED <= 32, "what programs depend on is below bit 32");
#define CLFOLD_USE_WORDS 4
_Static_assert(sizeof(struct use) == CLFOLD_USE_WORDS * sizeof(uint32_t),
               "it is compared and hashed as words");

struct monoid;
/* The offsets' type of those that are found is the caller's to choose. */
struct use clfold_use_of(const clfold_fold *fold, const struct monoid *monoid,
                         uint64_t bits);

static inline bool clfold_use_has(const struct use *use, enum facet facet)
{
    return clfold_has(use->facets, (int)facet);
}

struct text;
/* Appends #define lines: which facets there are, of those that texts depend on. */
void clfold_use_append(struct text *text, const struct use *use);

/* Rejects what does not go together, in a sentence that names it. */
clfold_status clfold_facets_check(const struct site *site, uint64_t bits);

/* A place of the fold, its segments or its part, which must be there. */
const clfold_place *clfold_facet_place(const clfold_fold *fold, enum facet facet);

const char *clfold_facet_text(const clfold_fold *fold, enum facet facet);
void clfold_facet_set_text(clfold_fold *fold, enum facet facet, const char *text);

/* Gives a launch, whose out is set, the places among `bits`; out replaces others. */
void clfold_launch_bind(struct launch *launch, uint64_t bits, const clfold_place *places);

/* The fold without its own places. */
void clfold_facets_clear(clfold_fold *fold);

#endif
