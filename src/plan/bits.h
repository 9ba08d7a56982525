/* Bits of what a call is given, and of what it is: see facet.h. */
#ifndef CLFOLD_PLAN_BITS_H
#define CLFOLD_PLAN_BITS_H

#include <stdint.h>

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
    END_KEYED,     /* of what may be in one */
    FACET_TYPE_SIZE = END_KEYED,
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
    TRAIT_APART, /* an operation that cannot be in place */
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

#endif
