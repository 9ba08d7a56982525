/*
 * The plan of a call: pure arithmetic from what is asked for, the monoid, the policy and
 * the device. A plan is data: a shape, which the program's text depends on, and launches
 * of that program's kernels with numbers by name, which src/ops/run.c enqueues.
 */
#ifndef CLFOLD_PLAN_PLAN_H
#define CLFOLD_PLAN_PLAN_H

#include "plan/facet.h"
#include "plan/grid.h"
#include "plan/launch.h"
#include "plan/memory.h"
#include "plan/monoid.h"
#include "plan/operation.h"
#include "plan/policy.h"
#include "plan/segments.h"

struct debug;
struct tuned_numbers;

/* What is known of a call's segments. */
struct segments {
    uint32_t by;             /* CLFOLD_BY_FLAGS, _KEYS, _OFFSETS; else 0 */
    clfold_type type;        /* of flags, keys or offsets; 0: there are none */
    size_t num;              /* of these */
    uint64_t num_offsets;    /* given or found, one more than there are segments */
    struct rows rows, given; /* rows and columns: `rows` no longer than all elements */
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

/* The launches that come first by offsets, which make bits of them for a scan, and find
 * wrong ones: cl/mark_heads.cl. Or those of a reduction by flags or keys, which find its
 * offsets, and those of a select that scans, which find places: cl/find_heads.cl. */
struct marks {
    uint32_t num_launches;            /* 0: none are needed */
    uint32_t size;                    /* of an offset */
    uint32_t key_size;                /* of a flag or key whose heads are found; else 0 */
    uint64_t num_offsets, num_words;  /* 0 words: there are no bits */
    uint64_t run, words_run;          /* of a group */
    uint64_t num_groups;              /* that read offsets, or find heads */
    uint64_t bits_at, offsets_at;     /* of those that are found: where they begin */
    bool of_scan;                     /* places are found, by flags of a scan's own */
    uint64_t flags_at;                /* of these */
    uint32_t read_size, written_size; /* of an element that is kept, at most */
    size_t bytes;                     /* of the words, and what groups find */
};

/* Why look-back is not possible. */
enum obstacle {
    OBSTACLE_NONE,
    OBSTACLE_LOOPS,
    OBSTACLE_TIER,
    OBSTACLE_FENCES,
    OBSTACLE_TICKETS,
    OBSTACLE_ITEM,
    /* met before there is a plan, or after */
    OBSTACLE_PROBE,
    OBSTACLE_BUILD
};
#define CLFOLD_OBSTACLES (OBSTACLE_BUILD + 1)

/* As part of a sentence; static. */
const char *clfold_obstacle_text(enum obstacle obstacle);

/* Bundles of runs, whose first ones clfold_bundle_first() in cl/lane_items.cl gives. */
struct lines {
    uint64_t line, part, bundles;
};

struct plan {
    struct shape shape;
    const char *row; /* of the policy */
    enum takes kind; /* of the elements */
    uint64_t count;
    uint32_t in_size, out_size,
        item_size;         /* of an element, a result, an item, in bytes */
    uint32_t read_size;    /* bytes that an element takes from all that is read */
    struct marks marks;    /* launches that come first, with scratch of their own */
    uint32_t num_launches; /* of the algorithm */
    /* Launches of the algorithm before the marks, which say what is kept; and those of
     * which no second one is needed after them. */
    uint32_t num_before, num_once;
    struct cut cut;      /* into runs, of the first launch; of scans into tiles */
    struct lines lines;  /* by lanes */
    uint64_t each;       /* runs that a group takes, or bundles of lanes */
    uint64_t num_groups; /* of the first launch */
    enum scratch_kind scratch_kind;
    size_t scratch_bytes;
    size_t scratch_most;    /* for any count up to this one */
    uint64_t items;         /* a work-item folds or scans, in the first launch */
    uint32_t ahead;         /* elements that are asked for before they are folded */
    enum obstacle obstacle; /* a plan that has one cannot be run */
    /* reductions */
    bool has_grid; /* reduce_tiles and reduce6, which fold many items in sequence */
    struct grid grid;
    bool joins;          /* the last group of the only launch folds the partials */
    uint64_t first_item; /* where these begin in the scratch, in items */
    uint64_t again;      /* partials that are folded by one in later launches, at most */
    /* scans */
    uint64_t blocks;        /* of runs of a segment, each with an anchor */
    uint64_t launch_blocks; /* that one launch turns into prefixes */
    uint32_t spins;         /* looks at a tile that is not there, at most */
    bool streams;           /* results go past the caches */
    bool in_place;          /* of look-back: stores in the caches then, since stores past
                               them ignore fences */
};

/* ---- Launches ---------------------------------------------------------------------- */

/* Kernel k of a monoid's program; those of marks follow the algorithm's. NULL: past the
 * last. */
const char *clfold_kernel_name(const struct monoid *monoid, const struct shape *shape,
                               uint32_t k);

/* Of marks and the algorithm. */
uint32_t clfold_plan_num_launches(const struct plan *plan);

/* Launch 0, 1, ... of a plan: all that its kernel takes of the plan's numbers. */
void clfold_plan_launch(const struct plan *plan, uint32_t number, struct launch *launch);

/* Bytes that `count` elements take of all that is read; bits of offsets are read, too. */
static inline uint64_t clfold_plan_read(const struct plan *plan, uint64_t count)
{
    return count * plan->read_size + (plan->marks.num_words > 0 ? count / 8 : 0);
}

/* Bytes that a scan writes for `count` elements: where places are to be found, flags. */
static inline uint64_t clfold_plan_written(const struct plan *plan,
                                           const struct launch *launch, uint64_t count)
{
    return launch->is_placed ? count * plan->out_size : count;
}

/* Bytes of all launches, in global memory, by design. */
void clfold_plan_bytes(const struct plan *plan, uint64_t *bytes_read,
                       uint64_t *bytes_written);

/* One group of the algorithm's kernel, on nothing. */
void clfold_plan_rehearsal(const struct plan *plan, uint32_t kernel,
                           struct launch *launch);

/* ---- Planning ---------------------------------------------------------------------- */

/* What the elements are. */
enum takes clfold_kind_of(const struct job *job);

/* The algorithm of a name; NULL: by policy and count, of scans by look-back where that
 * can be had, which is not asked here. Rejects unknown names, and folds that a rung
 * cannot do: rungs 2 to 6 reorder, and all need two work-items a group. */
clfold_status clfold_plan_choose(struct job *job, const struct site *site,
                                 const char *name);

/* The candidates for a device, best first; on success at least one.
 * CLFOLD_ERROR_UNSUPPORTED: the policy has no tile for the fold, which happens only if
 * one is forced, see debug.h. */
struct candidate {
    struct policy policy;
    struct shape shape;
};
clfold_status clfold_plan_candidates(const struct job *job, const struct site *site,
                                     struct candidate candidates[CLFOLD_MAX_CANDIDATES],
                                     uint32_t *num);

void clfold_plan_init(struct plan *plan, const struct job *job,
                      const struct candidate *candidate);

#endif
