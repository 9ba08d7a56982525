/* What counts a launch: the values of a sub-group's work-items, what they touch, and sums
 * over groups and turns. nest_count.h has what it is for. */
#ifndef CLFOLD_PREDICT_NEST_RUN_H
#define CLFOLD_PREDICT_NEST_RUN_H

#include "nest_count.h"

enum {
    MOST_CACHED = 512,
    MOST_BYTES = 16, /* that a work-item moves at once */
    MOST_LEVELS = NEST_DIMS + NEST_MOST_DEPTH
};

typedef int64_t lane_values[NEST_MOST_LANES];

struct run {
    const struct nest *nest;
    const struct nest_lanes *lanes;
    const struct nest_kernel *kernel;
    struct nest_launch *launch;
    struct nest_error *error;
    bool failed, is_cached; /* in the cache, with all turns of all loops */
    struct cached {
        int array;
        int64_t line;
        uint64_t used;
    } cache[MOST_CACHED];
    uint64_t mask;                  /* work-items of the sub-group */
    bool is_first;                  /* sub-group of its group */
    bool is_waiting, waits_locally; /* a load has begun a round */
    struct outcome {
        uint64_t signature, residue; /* of the conditions met, of the places touched */
    } outcome;
    uint64_t *cells; /* that are counted in */
    size_t num_cells;
    int64_t steps;
    uint64_t lengths[NEST_MOST_ARRAYS][NEST_RANK]; /* elements */
    int bytes[NEST_MOST_ARRAYS];                   /* of one */
    lane_values slots[SLOTS_GIVEN + NEST_MOST_NAMES];
    /* Of levels that sum: MOST_PERIOD neighbours, and one that is thrown away. */
    uint64_t *tallies[MOST_LEVELS];
    int depth;
};

/* Keeps what is wrong first, at a node, step or kernel. */
#define RUN_FAIL(run, at, ...)                                                           \
    ((run)->failed = (run)->failed ||                                                    \
                     !nest_refuse((run)->error, (at)->line, (at)->column, __VA_ARGS__))

uint64_t run_mix(uint64_t hash, uint64_t value);
void run_set(struct run *run, int slot, int64_t number);
int run_bits(uint64_t mask);
int64_t run_divide(int64_t a, int64_t b); /* floor */

/* Of an expression, for the work-items in the mask. */
void run_value(struct run *run, int node, uint64_t mask, lane_values out);
/* Of a size, which is the same everywhere. */
int64_t run_constant(struct run *run, int node);
/* Notes which side of a condition work-items take. Between two groups or turns that are
 * equal in all of them, all are: see nest_count.h. */
void run_sign(struct run *run, int num, const int64_t *a, const int64_t *b,
              uint64_t mask);

/* What is loaded from now on waits for what was loaded before. */
void run_end_rounds(struct run *run);
void run_access(struct run *run, const struct nest_step *step, uint64_t mask);

/* All values of a group's index, and of those before it; what the loads of the group in
 * the middle find in a cache. */
void run_groups(struct run *run, int dim);
void run_cached(struct run *run);

#endif
