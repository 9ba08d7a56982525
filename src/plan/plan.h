/*
 * The plan of a call: pure arithmetic from what is asked for, the monoid, the policy and
 * the device. A plan is data: stages, each a shape, which the text of its program depends
 * on, and launches of its kernels with numbers by name, which src/ops/run.c enqueues.
 */
#ifndef CLFOLD_PLAN_PLAN_H
#define CLFOLD_PLAN_PLAN_H

#include "plan/grid.h"
#include "plan/job.h"
#include "plan/lanes.h"

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

/* Launches of one program. */
struct stage {
    struct shape shape;
    bool is_shared;  /* its program is of no fold: that of a sum stands for all */
    const char *row; /* of the policy */
    enum takes kind; /* of the elements */
    uint64_t count;
    uint32_t in_size, out_size,
        item_size;      /* of an element, a result, an item, in bytes */
    uint32_t read_size; /* bytes that an element takes from all that is read */
    /* Of the algorithm's launches, from the first that is needed to the last. */
    uint32_t first_launch, num_launches;
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
    bool makes_flags;       /* of what is kept, in place of results */
    bool has_carry;         /* gives the carry of a part */
    /* heads: heads_plan.c */
    uint32_t size;                   /* of an offset */
    uint64_t num_offsets, num_words; /* 0 words: there are no bits */
    uint64_t run, words_run;         /* of a group */
};

/* What stages hand to each other, in one block of memory: each has a place of its own. */
enum role { ROLE_HEADS, ROLE_OFFSETS, ROLE_NUM, ROLE_BITS, ROLE_COUNTS, NUM_ROLES };
struct handed {
    uint32_t roles;         /* bits */
    uint64_t at[NUM_ROLES]; /* in elements */
    size_t bytes;
};

/*
 * What a call enqueues, in order. One stage is the algorithm's that the call has; others
 * are about heads:
 *
 *   a scan by offsets, or any call
 *   by these with bad_out           mark_heads; scan, reduction or map
 *   a reduction by flags or keys    find_heads, reduce_offsets
 *   a select by a scan's items      scan, which makes flags; find_places; scan again, or
 *                                   write_kept
 */
#define CLFOLD_MAX_STAGES 3
struct plan {
    uint32_t num_stages, main;
    struct stage stages[CLFOLD_MAX_STAGES];
    struct handed handed;
};

static inline const struct stage *clfold_plan_main(const struct plan *plan)
{
    return &plan->stages[plan->main];
}

/* Of programs that are of no fold. */
#define CLFOLD_SHARED_OP   CLFOLD_ADD
#define CLFOLD_SHARED_TYPE CLFOLD_U32

/* ---- Launches ---------------------------------------------------------------------- */

/* Of all stages. */
uint32_t clfold_plan_num_launches(const struct plan *plan);

/* Launch first_launch, ..., num_launches - 1 of a stage: all that its kernel takes of the
 * stage's numbers. */
void clfold_stage_launch(const struct stage *stage, uint32_t number,
                         struct launch *launch);

/* Bytes that `count` elements take of all that is read; bits of offsets are read, too. */
static inline uint64_t clfold_stage_read(const struct stage *stage, uint64_t count)
{
    return count * stage->read_size +
           (stage->shape.use.way == CLFOLD_BY_OFFSETS ? count / 8 : 0);
}

/* Bytes of a result for each of `count` elements. */
static inline uint64_t clfold_stage_written(const struct stage *stage, uint64_t count)
{
    return stage->makes_flags ? count : count * stage->out_size;
}

/* Bytes of all launches, in global memory, by design. */
void clfold_plan_bytes(const struct plan *plan, uint64_t *bytes_read,
                       uint64_t *bytes_written);

/* One group of the algorithm's kernel, on nothing. */
void clfold_stage_rehearsal(const struct stage *stage, uint32_t kernel,
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

/* Elements and ends that a reduction by offsets may have. */
uint64_t clfold_most_places(const struct device_facts *device);

/* ---- For strategies ---------------------------------------------------------------- */

/* Runs, or bundles of lanes, that a group takes, where there are that many: one where
 * work-items must not run for long. */
void clfold_set_groups(struct stage *stage, const struct job *job, uint64_t bundles,
                       uint64_t groups);

/* The numbers that say how the elements of a launch are cut. */
void clfold_launch_cut(struct launch *launch, const struct cut *cut);

static inline void clfold_launch_moves(struct launch *launch, uint64_t num_groups,
                                       uint64_t bytes_read, uint64_t bytes_written)
{
    launch->num_groups = num_groups;
    launch->bytes_read = bytes_read;
    launch->bytes_written = bytes_written;
}

#endif
