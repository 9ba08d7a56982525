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

#include <stddef.h>

enum facet {
    /* Places; those before NUM_OWN_PLACES are the fold's. */
    FACET_INIT_AT,
    FACET_TOTAL_OUT,
    FACET_NUM_OUT,
    FACET_BAD_OUT,
    FACET_COUNT_AT,
    FACET_REST_OUT,
    FACET_LENGTHS_OUT,
    FACET_KEYS_OUT,
    NUM_OWN_PLACES,
    FACET_HEADS = NUM_OWN_PLACES, /* of segments: flags, keys or offsets */
    FACET_NUM_AT,
    FACET_CARRY_OUT, /* of a part */
    FACET_KEY_OUT,
    FACET_CARRY_AT,
    FACET_KEY_AT,
    NUM_PLACES,
    /* Texts, which are in a program's key. */
    FACET_COMPONENTS = NUM_PLACES,
    FACET_TYPE_NAME,
    FACET_SOURCE,
    FACET_COMBINE,
    FACET_IDENTITY,
    FACET_CUTS,
    FACET_LOAD,
    FACET_RESULT,
    FACET_STORE,
    FACET_EQUAL,
    FACET_KEEP,
    FACET_SAME,
    /* Other pointers. */
    FACET_ARGS,
    FACET_SEGMENTS,
    FACET_INIT,
    FACET_PART,
    /* Numbers that are not 0. */
    FACET_REVERSE, /* in a program's key */
    FACET_TYPE_SIZE,
    FACET_NUM_ARGS,
    FACET_OP,
    FACET_ACCURACY,
    FACET_COMMUTATIVE,
    FACET_PARTIAL,
    FACET_SEG_TYPE,
    FACET_SEG_NUM,
    FACET_SEG_LENGTH,
    FACET_SEG_COLUMNS,
    NUM_FACETS,
    /* What a call is: none of the first three groups where there is no call yet. */
    TRAIT_REDUCE = NUM_FACETS,
    TRAIT_SCAN,
    TRAIT_MAP,
    TRAIT_SELECT,
    TRAIT_GROUP, /* clfold_group_text() */
    TRAIT_TRACE, /* clfold_trace() */
    TRAIT_IN_PLACE,
    TRAIT_WHOLE, /* without segments; those by flags and its kin follow */
    TRAIT_BY_FLAGS,
    TRAIT_BY_KEYS,
    TRAIT_BY_OFFSETS,
    TRAIT_BY_ROWS,
    TRAIT_BY_COLUMNS,
    TRAIT_PLACES, /* its operator finds places: arg-min and its kin */
    TRAIT_BARE,   /* without an operator: a map, or a select that is one */
    TRAIT_REPRODUCIBLE
};
#define CLFOLD_NUM_TEXTS (FACET_SAME - FACET_COMPONENTS + 1)
#define FACET_BIT(facet) (UINT64_C(1) << (facet))
#define FACET_PLACES     (FACET_BIT(NUM_PLACES) - 1)

/* Texts about elements. */
#define FACET_ELEMENTS                                                                   \
    (FACET_BIT(FACET_LOAD) | FACET_BIT(FACET_RESULT) | FACET_BIT(FACET_STORE) |          \
     FACET_BIT(FACET_KEEP) | FACET_BIT(FACET_SAME))

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

/* Whether a monoid is that of an operator, whatever the call. */
bool clfold_facets_built_in(uint64_t bits);

/* A way of finding places, beside CLFOLD_BY_FLAGS and its kin: flags of a scan's own. */
#define CLFOLD_BY_KEPT 6

/* What a call does with a monoid, which its program depends on. */
struct use {
    uint32_t lifted; /* CLFOLD_BY_FLAGS, ...: how a lifted monoid knows heads; or 0 */
    /* CLFOLD_BY_FLAGS, _KEYS, of a reduction: its offsets are found first. _KEPT, of a
     * select whose scan says what is kept: places are. Or 0. */
    uint32_t found;
    clfold_type heads;   /* the type of what these are in memory; or 0 */
    clfold_type offsets; /* of segments folded one by one, given or found; or 0 */
    uint32_t facets;     /* bits; that of heads where texts see the offsets */
};
_Static_assert(FACET_REVERSE < 32, "what programs depend on is below bit 32");
#define CLFOLD_USE_WORDS 5
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
/* #define lines: which of the facets there are that texts of programs depend on. */
void clfold_use_append(struct text *text, const struct use *use);

/* How the segments are known that are folded one by one: "flags", ... */
const char *clfold_use_way(const struct use *use);

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
