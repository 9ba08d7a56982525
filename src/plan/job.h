/* What a plan is made for, and the shape that it is to have. */
#ifndef CLFOLD_PLAN_JOB_H
#define CLFOLD_PLAN_JOB_H

#include "plan/facet.h"
#include "plan/memory.h"
#include "plan/monoid.h"
#include "plan/policy.h"

/* What is known of a call's segments. */
struct segments {
    uint32_t by;             /* CLFOLD_BY_FLAGS, _KEYS, _OFFSETS; else 0 */
    clfold_type type;        /* of flags, keys or offsets; 0: there are none */
    size_t num;              /* of these */
    uint64_t num_offsets;    /* given or found, one more than there are segments */
    struct rows rows, given; /* rows and columns: `rows` no longer than all elements */
    bool found;              /* by a stage: offsets, of flags or keys of a reduction */
    bool finds_bad;          /* the first offset that is wrong */
    bool lists;              /* of those that are found, keys or lengths are written */
};

/* What a plan is made for. */
struct job {
    clfold_operation operation;
    enum algorithm algorithm;
    const struct monoid *monoid;
    const struct device_facts *device;
    const struct debug *debug;         /* of tests and benches; NULL: none */
    const struct tuned_numbers *tuned; /* of a row; NULL: the policy's */
    uint64_t count, out_offset;        /* in elements */
    struct use use;
    struct segments segments;
    bool of_carries; /* elements are carries; serial */
    /* of look-back */
    struct verdict verdict;
    bool in_place, traced;
};

struct tile_shape {
    enum tile_kind kind; /* TILE_NONE: of a rung or serial */
    uint32_t elements;   /* a tile */
    uint32_t group_size; /* work-items */
};

/* The work-items of a group that look back. */
enum lookers {
    LOOKERS_ONE,
    LOOKERS_SUB_GROUP,
    LOOKERS_WARP, /* of NVIDIA's, by PTX */
};

/* All that a program's text depends on, beside the monoid: words only, so that it can be
 * hashed and compared as a whole. What an algorithm does without is zero. */
struct shape {
    enum algorithm algorithm;
    struct tile_shape tile;
    uint32_t prefetch; /* elements are asked for ahead; tile_vector */
    uint32_t loads_32; /* of 32 bytes, for 16 scalars; 0: at once; tile_vector */
    uint32_t tail;     /* padding at an item's end is a member */
    uint32_t single;   /* a work-item alone in its group shall not become a vector */
    uint32_t each;     /* a result for each element; serial */
    uint32_t carries;  /* elements are carries, and so is the result; serial */
    uint32_t step;     /* items of a lane in local memory; segments, tile_group */
    struct use use;
    /* scans */
    uint32_t exclusive;
    uint32_t resumes;           /* a launch may go on where one stopped; single group */
    uint32_t builtins;          /* those of clang are known to work; tile_vector */
    uint32_t stream;            /* one of them: results may go past the caches */
    uint32_t anchor;            /* tiles from one anchor to the next */
    enum group_scan group_scan; /* of tile_group */
    /* look-back */
    enum memory_tier tier;
    uint32_t fences; /* so that it can be in place */
    uint32_t window; /* tiles that it looks at at once */
    enum lookers lookers;
    uint32_t traced;
};
#define CLFOLD_SHAPE_WORDS (22 + CLFOLD_USE_WORDS)
_Static_assert(sizeof(struct shape) == CLFOLD_SHAPE_WORDS * sizeof(uint32_t),
               "a shape has no padding");

#endif
