/* Goes through groups, sub-groups and steps, and counts those once that do alike. */
#include "nest_run.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PERIOD = 128, /* no place in a line of 128 bytes repeats later */
    FEW_TURNS = 4      /* which are not worth comparing */
};

/* ---- Sums over groups and turns ---------------------------------------------------- */

struct range {
    uint64_t count;
    int counter;      /* its bit: a group's dimension, or a loop's */
    bool is_unrolled; /* loads go on from turn to turn */
    void (*visit)(struct run *run, const struct range *range, uint64_t i);
    const void *what;
    uint64_t mask;
    const int64_t *from, *by, *turns; /* of a loop */
};

static void add(struct run *run, const uint64_t *tally, uint64_t times)
{
    const uint64_t most = UINT64_C(1) << 62, most_each = most / times;

    for (size_t i = 0; i < run->num_cells; i++) {
        if ((tally[i] > most_each || run->cells[i] > most) && i != COUNT_BARRIER_MARKS) {
            RUN_FAIL(run, run->kernel, "a count of this kernel is above 2^62");
        }
        run->cells[i] += tally[i] * times;
    }
}

static struct outcome visit_apart(struct run *run, const struct range *range, uint64_t i,
                                  uint64_t *tally)
{
    uint64_t *const cells = run->cells;
    const struct outcome before = run->outcome;

    memset(tally, 0, run->num_cells * sizeof(*tally));
    run->cells = tally;
    run->outcome = (struct outcome){ 0 };
    range->visit(run, range, i);
    const struct outcome outcome = run->outcome;
    run->cells = cells;
    run->outcome = before;
    return outcome;
}

/* The last value from `first` on up to which all have the signature. Mostly it is the
 * last of all, the one before that, or the first itself. */
static uint64_t find_last(struct run *run, const struct range *range, uint64_t first,
                          uint64_t signature, uint64_t *spare)
{
    uint64_t good = first, bad = range->count; /* good < bad */

    for (int tries = 0; bad - good > 1 && !run->failed; tries++) {
        const uint64_t i = tries < 2    ? bad - 1
                           : tries == 2 ? good + 1
                                        : good + (bad - good) / 2;
        if (visit_apart(run, range, i, spare).signature != signature) {
            bad = i;
        } else if (tries < 2) {
            return i;
        } else {
            good = i;
        }
    }
    return good;
}

/* Counts those from `first` on that have one signature: a period of them, times as often
 * as it fits. If lanes move apart, nothing repeats, and each is counted. */
static void sum_alike(struct run *run, const struct range *range, uint64_t first,
                      uint64_t length, uint64_t residue, uint64_t *tallies)
{
    uint64_t *const spare = tallies + MOST_PERIOD * run->num_cells;
    uint64_t period = 1;

    for (; period < length && !run->failed; period++) {
        const bool is_kept = period < MOST_PERIOD;
        uint64_t *const tally = is_kept ? tallies + period * run->num_cells : spare;
        const struct outcome outcome = visit_apart(run, range, first + period, tally);
        if (period <= MOST_PERIOD && (period & (period - 1)) == 0 &&
            outcome.residue == residue) {
            break;
        }
        if (!is_kept) {
            add(run, tally, 1);
        }
    }
    for (uint64_t i = 0; i < period && i < MOST_PERIOD; i++) {
        add(run, tallies + i * run->num_cells, length / period + (i < length % period));
    }
}

static void sum(struct run *run, const struct range *range)
{
    uint64_t **const tallies = &run->tallies[run->depth];
    const uint64_t bent = run->nest->is_bent[run->launch->kernel];

    if (bent >> range->counter & 1 || range->is_unrolled || range->count <= FEW_TURNS ||
        run->is_cached) {
        for (uint64_t i = 0; i < range->count && !run->failed; i++) {
            range->visit(run, range, i);
        }
        return;
    }
    if (!*tallies) {
        *tallies = malloc((MOST_PERIOD + 1) * run->num_cells * sizeof(**tallies));
        if (!*tallies) {
            RUN_FAIL(run, run->kernel, "there is no memory to count in");
            return;
        }
    }
    run->depth++;
    for (uint64_t first = 0; first < range->count && !run->failed;) {
        const struct outcome outcome = visit_apart(run, range, first, *tallies);
        const uint64_t last = find_last(run, range, first, outcome.signature,
                                        *tallies + MOST_PERIOD * run->num_cells);
        sum_alike(run, range, first, last - first + 1, outcome.residue, *tallies);
        run->outcome.signature =
            run_mix(run_mix(run->outcome.signature, outcome.signature), last);
        run->outcome.residue = run_mix(run->outcome.residue, outcome.residue);
        first = last + 1;
    }
    run->depth--;
}

/* ---- Steps ------------------------------------------------------------------------- */

static void walk(struct run *run, int first, uint64_t mask);

static void walk_if(struct run *run, const struct nest_step *step, uint64_t mask)
{
    static const lane_values zeros;
    lane_values holds;
    uint64_t sides[2] = { 0, 0 };

    run_value(run, step->value, mask, holds);
    run_sign(run, run->lanes->width, holds, zeros, mask);
    for (int i = 0; i < run->lanes->width; i++) {
        sides[holds[i] == 0] |= mask & UINT64_C(1) << i;
    }
    run->cells[COUNT_BRANCHES]++;
    run->cells[COUNT_DIVERGENT] += sides[0] && sides[1];
    for (int side = 0; side < 2 && !run->failed; side++) {
        const int body = side == 0 ? step->body : step->other;
        if (sides[side] && body != NEST_NONE) {
            run->cells[COUNT_ENTERED]++;
            walk(run, body, sides[side]);
        }
    }
}

static void take_turn(struct run *run, const struct range *range, uint64_t turn)
{
    const struct nest_step *const step = range->what;
    uint64_t mask = 0;
    int64_t other = 0; /* for work-items that are done: a uniform counter stays uniform */

    for (int i = run->lanes->width - 1; i >= 0; i--) {
        if ((int64_t)turn < range->turns[i]) {
            mask |= range->mask & UINT64_C(1) << i;
            other = range->from[i] + (int64_t)turn * range->by[i];
        }
    }
    for (int i = 0; i < run->lanes->width; i++) {
        run->slots[step->slot][i] = (int64_t)turn < range->turns[i]
                                        ? range->from[i] + (int64_t)turn * range->by[i]
                                        : other;
    }
    run->outcome.signature = run_mix(run->outcome.signature, mask);
    run->cells[COUNT_TURNS] += !step->is_unrolled;
    if (!step->is_unrolled) {
        run_end_rounds(run);
    }
    walk(run, step->body, mask);
}

static void walk_for(struct run *run, const struct nest_step *step, uint64_t mask)
{
    lane_values from, to, by, turns = { 0 };
    int64_t most = 0;

    run_value(run, step->from, mask, from);
    run_value(run, step->to, mask, to);
    if (step->by != NEST_NONE) {
        run_value(run, step->by, mask, by);
    }
    for (int i = 0; i < run->lanes->width && !run->failed; i++) {
        by[i] = step->by == NEST_NONE ? 1 : by[i];
        if (mask >> i & 1 && by[i] == 0) {
            RUN_FAIL(run, step, "the step of this loop is 0");
        } else if (mask >> i & 1) {
            const int64_t more = run_divide(to[i] - from[i], by[i]);
            turns[i] = more < 0 ? 0 : more + 1;
            most = turns[i] > most ? turns[i] : most;
        }
    }
    if (!run->failed) {
        const struct range range = { .count = (uint64_t)most,
                                     .counter = step->counter,
                                     .is_unrolled = step->is_unrolled,
                                     .visit = take_turn,
                                     .what = step,
                                     .mask = mask,
                                     .from = from,
                                     .by = by,
                                     .turns = turns };
        run->outcome.signature = run_mix(run->outcome.signature, range.count);
        sum(run, &range);
    }
    if (!step->is_unrolled) {
        run_end_rounds(run);
    }
}

static void walk_step(struct run *run, const struct nest_step *step, uint64_t mask)
{
    switch (step->kind) {
    case STEP_LOAD:
    case STEP_STORE:
        run_access(run, step, mask);
        break;
    case STEP_OP:
        run->cells[COUNT_OPS + step->op] += (uint64_t)step->times;
        run->cells[COUNT_OP_ITEMS + step->op] += (uint64_t)(step->times * run_bits(mask));
        run_end_rounds(run);
        break;
    case STEP_BARRIER:
        if (mask != run->mask) {
            RUN_FAIL(run, step,
                     "some work-items of a sub-group do not reach this barrier");
        }
        run->cells[COUNT_BARRIERS]++;
        run->cells[COUNT_BARRIER_MARKS] +=
            run_mix(1, (uint64_t)step->line << 32 | (uint64_t)step->column);
        run->cells[COUNT_BARRIER_ITEMS] += (uint64_t)run_bits(mask);
        run_end_rounds(run);
        break;
    case STEP_LET:
        run_value(run, step->value, mask, run->slots[step->slot]);
        break;
    case STEP_IF:
        walk_if(run, step, mask);
        break;
    case STEP_FOR:
        walk_for(run, step, mask);
        break;
    }
}

/* Does the steps of a block for the work-items in the mask, of which there are some. */
static void walk(struct run *run, int first, uint64_t mask)
{
    for (int i = first; i != NEST_NONE && !run->failed; i = run->nest->steps[i].next) {
        const struct nest_step *const step = &run->nest->steps[i];
        if (run->steps-- <= 0) {
            RUN_FAIL(
                run, step,
                "counting takes too many steps here: an index is not linear in groups or "
                "turns");
        }
        walk_step(run, step, mask);
    }
}

/* ---- Groups ------------------------------------------------------------------------ */

static void visit_sub_group(struct run *run, uint64_t first)
{
    const uint64_t *const size = run->launch->size;

    run->mask = 0;
    for (int i = 0; i < run->lanes->width; i++) {
        const uint64_t item = first + (uint64_t)i;
        run->mask |= (uint64_t)(item < run->launch->num_items) << i;
        run->slots[SLOT_T][i] = (int64_t)(item % size[0]);
        run->slots[SLOT_T + 1][i] = (int64_t)(item / size[0] % size[1]);
        run->slots[SLOT_T + 2][i] = (int64_t)(item / size[0] / size[1] % size[2]);
    }
    run->is_first = first == 0;
    run_end_rounds(run);
    run->cells[COUNT_SUB_GROUPS]++;
    walk(run, run->kernel->first, run->mask);
}

/* One value of gz, gy or gx; the last has the sub-groups. */
static void visit_group(struct run *run, const struct range *range, uint64_t i)
{
    run_set(run, SLOT_G + range->counter, (int64_t)i);
    if (range->counter > 0) {
        run_groups(run, range->counter - 1);
        return;
    }
    uint64_t barriers = 0;
    for (uint64_t first = 0; first < run->launch->num_items && !run->failed;
         first += (uint64_t)run->lanes->width) {
        const uint64_t before = run->cells[COUNT_BARRIER_MARKS];
        visit_sub_group(run, first);
        const uint64_t met = run->cells[COUNT_BARRIER_MARKS] - before;
        barriers = first == 0 ? met : barriers;
        if (met != barriers) {
            RUN_FAIL(run, run->kernel,
                     "the sub-groups of a group meet different barriers");
        }
    }
}

void run_groups(struct run *run, int dim)
{
    const struct range range = { .count = run->launch->groups[dim],
                                 .counter = dim,
                                 .visit = visit_group };

    sum(run, &range);
}

/* What the loads of the group in the middle find in the cache, one sub-group after the
 * other. */
void run_cached(struct run *run)
{
    const struct range range = { .visit = visit_group };

    memset(run->cache, 0, sizeof(run->cache));
    for (int dim = 1; dim < NEST_DIMS; dim++) {
        run_set(run, SLOT_G + dim, (int64_t)(run->launch->groups[dim] / 2));
    }
    run->is_cached = true;
    visit_group(run, &range, run->launch->groups[0] / 2);
    run->is_cached = false;
}
