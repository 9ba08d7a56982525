#include "nest_count.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_PERIOD = 128, /* no place in a line of 128 bytes repeats later */
    FEW_TURNS = 4,     /* which are not worth comparing */
    MOST_CACHED = 512,
    MOST_BYTES = 16, /* of an element, and of what a work-item moves at once */
    MOST_ITEMS = 1024,
    MOST_LEVELS = NEST_DIMS + NEST_MOST_DEPTH,
    MOST_STEPS = 4 * 1000 * 1000 /* of sub-groups, or the nest is refused */
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
    int64_t lengths[NEST_MOST_ARRAYS]; /* elements */
    int bytes[NEST_MOST_ARRAYS];       /* of one */
    lane_values slots[SLOTS_GIVEN + NEST_MOST_NAMES];
    /* Of levels that sum: MOST_PERIOD neighbours, and one that is thrown away. */
    uint64_t *tallies[MOST_LEVELS];
    int depth;
};

static void fail(struct run *run, int line, int column, const char *text)
{
    if (!run->failed) {
        nest_refuse(run->error, line, column, "%s", text);
    }
    run->failed = true;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* ---- Values ------------------------------------------------------------------------ */

/* Floor, as a / b is in a text. */
static int64_t divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t power(int64_t base, int64_t exponent)
{
    int64_t product = 1;

    for (; exponent > 0 && product <= NEST_MOST_VALUE; exponent--) {
        product = base > 1 && product > NEST_MOST_VALUE / base ? NEST_MOST_VALUE + 1
                                                               : product * base;
        if (base <= 1 && base >= -1) {
            return base == -1 && exponent % 2 == 0 ? 1 : base;
        }
    }
    return product;
}

static int64_t log2_up(int64_t a)
{
    int64_t log = 0;

    while (log < 62 && INT64_C(1) << log < a) {
        log++;
    }
    return log;
}

/* What makes no sense is beyond NEST_MOST_VALUE, as what is too large. */
static int64_t compute_one(enum node_kind kind, int64_t a, int64_t b)
{
    static const int64_t wrong = NEST_MOST_VALUE + 1;

    switch (kind) {
    case NODE_POWER:
        return b < 0 || a < -1 ? wrong : power(a, b);
    case NODE_DIVIDE:
        return b == 0 ? wrong : divide(a, b);
    case NODE_MODULO:
        return b == 0 ? wrong : a - divide(a, b) * b;
    case NODE_CEIL:
        return b == 0 ? wrong : -divide(-a, b);
    case NODE_SHIFT_LEFT:
        return b < 0 || b > 52 || llabs(a) > NEST_MOST_VALUE >> b ? wrong
                                                                  : a * (INT64_C(1) << b);
    case NODE_SHIFT_RIGHT:
        return b < 0 ? wrong : b > 53 ? -(a < 0) : divide(a, INT64_C(1) << b);
    case NODE_LOG2:
        return a < 1 ? wrong : log2_up(a);
    default:
        return wrong;
    }
}

static int64_t multiply(int64_t a, int64_t b)
{
    const double product = (double)a * (double)b;

    return product <= NEST_MOST_VALUE && product >= -NEST_MOST_VALUE
               ? a * b
               : NEST_MOST_VALUE + 1;
}

/* Loops that compilers make vectors of. */
#define EACH(expression)                                                                 \
    for (int i = 0; i < num; i++) {                                                      \
        out[i] = (expression);                                                           \
    }                                                                                    \
    break

static void compute(enum node_kind kind, int num, const int64_t *a, const int64_t *b,
                    int64_t *out)
{
    switch (kind) {
    case NODE_ADD:
        EACH(a[i] + b[i]);
    case NODE_SUBTRACT:
        EACH(a[i] - b[i]);
    case NODE_MULTIPLY:
        EACH(multiply(a[i], b[i]));
    case NODE_LESS:
        EACH(a[i] < b[i]);
    case NODE_LESS_EQUAL:
        EACH(a[i] <= b[i]);
    case NODE_EQUAL:
        EACH(a[i] == b[i]);
    case NODE_DIFFERS:
        EACH(a[i] != b[i]);
    case NODE_AND:
        EACH(a[i] && b[i]);
    case NODE_OR:
        EACH(a[i] || b[i]);
    case NODE_NOT:
        EACH(!a[i]);
    case NODE_MIN:
        EACH(a[i] < b[i] ? a[i] : b[i]);
    case NODE_MAX:
        EACH(a[i] > b[i] ? a[i] : b[i]);
    default:
        EACH(compute_one(kind, a[i], b[i]));
    }
}

/* The side that work-items take. Between two that are equal, all are: see the header. */
static void sign(struct run *run, int num, const int64_t *a, const int64_t *b,
                 uint64_t mask)
{
    uint64_t less = 0, equal = 0;

    for (int i = 0; i < num; i++) {
        less |= (uint64_t)(a[i] < b[i]) << i;
        equal |= (uint64_t)(a[i] == b[i]) << i;
    }
    run->outcome.signature = mix(mix(run->outcome.signature, less & mask), equal & mask);
}

/* Whether one that is seen is beyond NEST_MOST_VALUE. Such are 0 from now on. */
static bool has_wrong(int num, int64_t *values, uint64_t seen)
{
    uint64_t high = 0;
    bool is_wrong = false;

    for (int i = 0; i < num; i++) {
        high |= (uint64_t)(values[i] + NEST_MOST_VALUE - 1) >> 54; /* quick, few pass */
    }
    for (int i = 0; i < num && high; i++) {
        if (values[i] > NEST_MOST_VALUE || values[i] < -NEST_MOST_VALUE) {
            is_wrong |= seen >> i & 1;
            values[i] = 0;
        }
    }
    return is_wrong;
}

/* The values of `num` work-items, or of one for all: in `out`, or where they are. */
static const int64_t *values_of(struct run *run, int index, int num, uint64_t mask,
                                lane_values out)
{
    static const lane_values zeros;
    const struct nest_node *const node = &run->nest->nodes[index];
    const int own = node->is_uniform ? 1 : num;
    const uint64_t seen = node->is_uniform ? mask != 0 : mask;
    const int64_t *a, *b = zeros;
    lane_values left, right;

    if (node->kind == NODE_NAME) {
        return run->slots[node->value];
    }
    if (node->kind == NODE_NUMBER) {
        out[0] = node->value;
    } else {
        a = values_of(run, node->left, own, mask, left);
        if (node->right != NEST_NONE) {
            b = values_of(run, node->right, own, mask, right);
        }
        compute(node->kind, own, a, b, out);
        if (has_wrong(own, out, seen)) {
            fail(run, node->line, node->column,
                 "this is above 2^53, or a division by 0, or a logarithm of less than 1");
        }
        if (node->kind == NODE_AND || node->kind == NODE_OR) {
            sign(run, own, a, zeros, seen);
            sign(run, own, b, zeros, seen);
        } else if (node->kind >= NODE_LESS || node->kind == NODE_MIN ||
                   node->kind == NODE_MAX) {
            sign(run, own, a, b, seen);
        }
    }
    for (int i = own; i < num; i++) {
        out[i] = out[0];
    }
    return out;
}

static void value(struct run *run, int index, uint64_t mask, lane_values out)
{
    const int num = run->lanes->width;
    const int64_t *const values = values_of(run, index, num, mask, out);

    memmove(out, values, (size_t)num * sizeof(*out));
}

/* Of a size, which is the same everywhere. */
static int64_t constant(struct run *run, int index)
{
    lane_values out;

    return values_of(run, index, 1, 1, out)[0];
}

/* ---- Sums over groups and turns ---------------------------------------------------- */

/* `count` values of an index, 0 and up, of which `visit` counts one. */
struct range {
    uint64_t count;
    bool is_bent;
    void (*visit)(struct run *run, const struct range *range, uint64_t i);
    const void *what;
    uint64_t mask;
    const int64_t *from, *by, *turns; /* of a loop */
    int dim;                          /* of a group's index */
};

static void add(uint64_t *cells, const uint64_t *tally, size_t num, uint64_t times)
{
    for (size_t i = 0; i < num; i++) {
        cells[i] += tally[i] * times;
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

/* The last value from `first` on up to which all have the signature. */
static uint64_t find_last(struct run *run, const struct range *range, uint64_t first,
                          uint64_t signature, uint64_t *spare)
{
    uint64_t good = first, bad = range->count; /* good < bad */

    for (uint64_t tries = 0; bad - good > 1 && !run->failed; tries++) {
        const uint64_t i = tries < 2 ? bad - 1 : good + (bad - good) / 2;
        if (visit_apart(run, range, i, spare).signature == signature) {
            good = i;
            if (tries < 2) {
                break;
            }
        } else {
            bad = i;
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
            add(run->cells, tally, run->num_cells, 1);
        }
    }
    for (uint64_t i = 0; i < period && i < MOST_PERIOD; i++) {
        add(run->cells, tallies + i * run->num_cells, run->num_cells,
            length / period + (i < length % period));
    }
}

static void sum(struct run *run, const struct range *range)
{
    uint64_t **const tallies = &run->tallies[run->depth];

    if (range->is_bent || range->count <= FEW_TURNS || run->is_cached) {
        for (uint64_t i = 0; i < range->count && !run->failed; i++) {
            range->visit(run, range, i);
        }
        return;
    }
    if (!*tallies) {
        *tallies = malloc((MOST_PERIOD + 1) * run->num_cells * sizeof(**tallies));
        if (!*tallies) {
            fail(run, 1, 1, "there is no memory to count in");
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
            mix(mix(run->outcome.signature, outcome.signature), last);
        run->outcome.residue = mix(run->outcome.residue, outcome.residue);
        first = last + 1;
    }
    run->depth--;
}

/* ---- Accesses ---------------------------------------------------------------------- */

static int bits(uint64_t mask)
{
    int num = 0;

    for (; mask; mask &= mask - 1) {
        num++;
    }
    return num;
}

/* Puts the units of `unit` bytes that a work-item touches among the others, sorted. */
static int put_units(int64_t *units, int num, int64_t at, int bytes, int unit)
{
    for (int64_t u = at / unit; u <= (at + bytes - 1) / unit; u++) {
        int i = num;
        while (i > 0 && units[i - 1] > u) {
            i--;
        }
        if (i == 0 || units[i - 1] != u) {
            memmove(&units[i + 1], &units[i], (size_t)(num - i) * sizeof(*units));
            units[i] = u;
            num++;
        }
    }
    return num;
}

static int units_of(const struct run *run, const lane_values at, uint64_t mask, int bytes,
                    int unit, int64_t units[2 * NEST_MOST_LANES + 1])
{
    int num = 0;

    for (int i = 0; i < run->lanes->width; i++) {
        num = mask >> i & 1 ? put_units(units, num, at[i], bytes, unit) : num;
    }
    return num;
}

/* A line that is not there takes the place of the one that was used least recently. */
static void look_up(struct run *run, int array, int64_t line)
{
    const int num = run->lanes->cache / NEST_LINE;
    struct cached *place = &run->cache[0];

    run->launch->looked_up++;
    for (int i = 0; i < num && i < MOST_CACHED; i++) {
        struct cached *const cached = &run->cache[i];
        if (cached->used && cached->array == array && cached->line == line) {
            cached->used = run->launch->looked_up;
            return;
        }
        place = cached->used < place->used ? cached : place;
    }
    run->launch->missed++;
    *place = (struct cached){ array, line, run->launch->looked_up };
}

/* The banks serve as many work-items at once as have one word each in all of them. */
static void count_banks(const struct run *run, const lane_values at, uint64_t mask,
                        int bytes, uint64_t *cells)
{
    const int banks = run->lanes->banks;
    const int at_once = bytes <= 4 ? banks : banks * 4 / bytes;

    if (banks <= 0) {
        return; /* not known */
    }
    for (int first = 0; first < run->lanes->width; first += at_once) {
        int64_t words[5 * NEST_MOST_LANES + 1];
        int asked[NEST_MOST_LANES] = { 0 }, num = 0, most = 0;
        for (int i = first; i < first + at_once && i < run->lanes->width; i++) {
            num = mask >> i & 1 ? put_units(words, num, at[i], bytes, 4) : num;
        }
        for (int i = 0; i < num; i++) {
            const int turns = ++asked[words[i] % banks];
            most = turns > most ? turns : most;
        }
        cells[ACCESS_PASSES] += (uint64_t)most;
        cells[ACCESS_EXTRA] += (uint64_t)(most > 0 ? most - 1 : 0);
    }
}

static bool touches(struct run *run, const struct nest_step *step, uint64_t mask,
                    lane_values at)
{
    const struct nest_array *const array = &run->nest->arrays[step->array];
    int64_t before = -1;

    value(run, step->value, mask, at);
    for (int i = 0; i < run->lanes->width; i++) {
        if (!(mask >> i & 1)) {
            continue;
        }
        if (at[i] < 0 || at[i] > run->lengths[step->array] - step->wide) {
            if (!run->failed) {
                nest_refuse(run->error, step->line, step->column,
                            "%s has %lld elements, and %lld is not one of them",
                            array->name, (long long)run->lengths[step->array],
                            (long long)at[i]);
            }
            run->failed = true;
            return false;
        }
        at[i] = array->offset + at[i] * run->bytes[step->array];
        run->outcome.residue =
            mix(run->outcome.residue,
                before < 0 ? (uint64_t)(at[i] % NEST_LINE) : (uint64_t)(at[i] - before));
        before = at[i];
    }
    return true;
}

static void count_access(struct run *run, const struct nest_step *step, uint64_t mask)
{
    const struct nest_array *const array = &run->nest->arrays[step->array];
    const int bytes = run->bytes[step->array] * step->wide;
    uint64_t *const cells = run->cells + COUNT_CELLS + step->access * ACCESS_CELLS;
    lane_values at;

    if (bytes > MOST_BYTES) {
        fail(run, step->line, step->column, "this moves more than 16 bytes at once");
    }
    if (!touches(run, step, mask, at)) {
        return;
    }
    if ((mask & 3) == 3 && run->is_first) {
        run->launch->strides[step->access] = at[1] - at[0];
    }
    cells[ACCESS_REQUESTS]++;
    cells[ACCESS_ITEMS] += (uint64_t)bits(mask);
    cells[ACCESS_BYTES] += (uint64_t)(bits(mask) * bytes);
    if (array->is_local) {
        count_banks(run, at, mask, bytes, cells);
    } else {
        int64_t units[2 * NEST_MOST_LANES + 1];
        const int sectors = units_of(run, at, mask, bytes, NEST_SECTOR, units);
        const int lines = units_of(run, at, mask, bytes, NEST_LINE, units);
        for (int i = 0; i < lines && run->is_cached && step->kind == STEP_LOAD; i++) {
            look_up(run, step->array, units[i]);
        }
        const int by_lines = (lines + 3) / 4, by_sectors = (sectors + 15) / 16;
        cells[ACCESS_SECTORS] += (uint64_t)sectors;
        cells[ACCESS_LINES] += (uint64_t)lines;
        cells[ACCESS_PASSES] += (uint64_t)(by_lines > by_sectors ? by_lines : by_sectors);
    }
    bool *const waits = array->is_local ? &run->waits_locally : &run->is_waiting;
    if (step->kind == STEP_STORE) {
        run->waits_locally = run->is_waiting = false;
    } else if (!*waits) {
        *waits = true;
        run->cells[array->is_local ? COUNT_LOCAL_ROUNDS : COUNT_ROUNDS] += run->is_first;
    }
}

/* ---- Steps ------------------------------------------------------------------------- */

static void walk(struct run *run, int first, uint64_t mask);

static void walk_if(struct run *run, const struct nest_step *step, uint64_t mask)
{
    static const lane_values zeros;
    lane_values holds;
    uint64_t sides[2] = { 0, 0 };

    value(run, step->value, mask, holds);
    sign(run, run->lanes->width, holds, zeros, mask);
    for (int i = 0; i < run->lanes->width; i++) {
        sides[holds[i] == 0] |= mask & UINT64_C(1) << i;
    }
    run->cells[COUNT_BRANCHES]++;
    run->cells[COUNT_DIVERGENT] += sides[0] && sides[1];
    for (int side = 0; side < 2 && !run->failed; side++) {
        const int body = side == 0 ? step->body : step->other;
        if (sides[side] && body != NEST_NONE) {
            run->cells[COUNT_ENTERED]++;
            run->cells[COUNT_ENTERED_ITEMS] += (uint64_t)bits(sides[side]);
            walk(run, body, sides[side]);
        }
    }
}

static bool is_bent(const struct run *run, int counter)
{
    return run->nest->is_bent[run->launch->kernel] >> counter & 1;
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
    run->outcome.signature = mix(run->outcome.signature, mask);
    run->cells[COUNT_TURNS] += !step->is_unrolled;
    run->is_waiting = run->waits_locally = false;
    walk(run, step->body, mask);
}

static void walk_for(struct run *run, const struct nest_step *step, uint64_t mask)
{
    lane_values from, to, by, turns = { 0 };
    int64_t most = 0;

    value(run, step->from, mask, from);
    value(run, step->to, mask, to);
    if (step->by != NEST_NONE) {
        value(run, step->by, mask, by);
    }
    for (int i = 0; i < run->lanes->width && !run->failed; i++) {
        by[i] = step->by == NEST_NONE ? 1 : by[i];
        if (mask >> i & 1 && by[i] == 0) {
            fail(run, step->line, step->column, "the step of this loop is 0");
        } else if (mask >> i & 1) {
            const int64_t more = divide(to[i] - from[i], by[i]);
            turns[i] = more < 0 ? 0 : more + 1;
            most = turns[i] > most ? turns[i] : most;
        }
    }
    if (!run->failed) {
        const struct range range = { .count = (uint64_t)most,
                                     .is_bent = is_bent(run, step->counter),
                                     .visit = take_turn,
                                     .what = step,
                                     .mask = mask,
                                     .from = from,
                                     .by = by,
                                     .turns = turns };
        run->outcome.signature = mix(run->outcome.signature, range.count);
        sum(run, &range);
    }
    run->is_waiting = run->waits_locally = false;
}

static void walk_step(struct run *run, const struct nest_step *step, uint64_t mask)
{
    switch (step->kind) {
    case STEP_LOAD:
    case STEP_STORE:
        count_access(run, step, mask);
        break;
    case STEP_OP:
        run->cells[COUNT_OPS + step->op] += (uint64_t)step->times;
        run->cells[COUNT_OP_ITEMS + step->op] += (uint64_t)(step->times * bits(mask));
        run->is_waiting = run->waits_locally = false;
        break;
    case STEP_BARRIER:
        if (mask != run->mask) {
            fail(run, step->line, step->column,
                 "some work-items of a sub-group do not reach this barrier");
        }
        run->cells[COUNT_BARRIERS]++;
        run->cells[COUNT_BARRIER_ITEMS] += (uint64_t)bits(mask);
        run->is_waiting = run->waits_locally = false;
        break;
    case STEP_LET:
        value(run, step->value, mask, run->slots[step->slot]);
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
            fail(
                run, step->line, step->column,
                "counting takes too many steps here: an index is not linear in groups or "
                "turns");
        }
        walk_step(run, step, mask);
    }
}

/* ---- Launches ---------------------------------------------------------------------- */

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
    run->is_waiting = run->waits_locally = false;
    run->cells[COUNT_SUB_GROUPS]++;
    walk(run, run->kernel->first, run->mask);
}

static void sum_groups(struct run *run, int dim);

/* One value of gz, gy or gx; the last has the sub-groups. */
static void visit_group(struct run *run, const struct range *range, uint64_t i)
{
    for (int lane = 0; lane < run->lanes->width; lane++) {
        run->slots[SLOT_G + range->dim][lane] = (int64_t)i;
    }
    if (range->dim > 0) {
        sum_groups(run, range->dim - 1);
        return;
    }
    uint64_t barriers = 0;
    for (uint64_t first = 0; first < run->launch->num_items && !run->failed;
         first += (uint64_t)run->lanes->width) {
        const uint64_t before = run->cells[COUNT_BARRIERS];
        visit_sub_group(run, first);
        const uint64_t met = run->cells[COUNT_BARRIERS] - before;
        barriers = first == 0 ? met : barriers;
        if (met != barriers) {
            fail(run, run->kernel->line, run->kernel->column,
                 "the sub-groups of a group meet different numbers of barriers");
        }
    }
}

static void sum_groups(struct run *run, int dim)
{
    const struct range range = { .count = run->launch->groups[dim],
                                 .is_bent = is_bent(run, dim),
                                 .visit = visit_group,
                                 .dim = dim };

    sum(run, &range);
}

static bool find_sizes(struct run *run, const int *nodes, int num, uint64_t *sizes,
                       uint64_t *product, int64_t most)
{
    *product = 1;
    for (int i = 0; i < num; i++) {
        const int64_t size = nodes[i] == NEST_NONE ? 1 : constant(run, nodes[i]);
        if (!run->failed && (size < 1 || size > most / (int64_t)*product)) {
            run->failed = true;
            nest_refuse(run->error, run->nest->nodes[nodes[i]].line,
                        run->nest->nodes[nodes[i]].column,
                        "a size of %lld is not from 1 to %lld in all", (long long)size,
                        (long long)most);
        }
        if (run->failed) {
            return false;
        }
        sizes[i] = (uint64_t)size;
        *product *= (uint64_t)size;
    }
    return true;
}

static void set_slot(struct run *run, int slot, int64_t number)
{
    for (int i = 0; i < run->lanes->width; i++) {
        run->slots[slot][i] = number;
    }
}

static uint64_t find_array(struct run *run, int i)
{
    const struct nest_array *const array = &run->nest->arrays[i];
    uint64_t lengths[NEST_RANK], bytes = 0, num = 0;

    if (find_sizes(run, &array->bytes, 1, lengths, &bytes, MOST_BYTES) &&
        find_sizes(run, array->lengths, NEST_RANK, lengths, &num,
                   NEST_MOST_VALUE / MOST_BYTES)) {
        run->lengths[i] = (int64_t)num;
        run->bytes[i] = (int)bytes;
    }
    return num * bytes;
}

static void find_arrays(struct run *run)
{
    for (int i = 0; i < run->nest->num_arrays && !run->failed; i++) {
        const struct nest_array *const array = &run->nest->arrays[i];
        if (array->kernel == NEST_NONE || array->kernel == run->launch->kernel) {
            const uint64_t bytes = find_array(run, i);
            run->launch->local_bytes += array->is_local ? bytes : 0;
            run->launch->footprint[i] = array->is_local ? 0 : bytes;
        }
    }
    memcpy(run->launch->bytes, run->bytes, sizeof(run->bytes));
}

/* What the loads of the group in the middle find in the cache, one sub-group after the
 * other. */
static void try_cache(struct run *run)
{
    const struct range range = { .visit = visit_group };

    memset(run->cache, 0, sizeof(run->cache));
    for (int dim = 1; dim < NEST_DIMS; dim++) {
        set_slot(run, SLOT_G + dim, (int64_t)(run->launch->groups[dim] / 2));
    }
    run->is_cached = true;
    visit_group(run, &range, run->launch->groups[0] / 2);
    run->is_cached = false;
}

static void count_launch(struct run *run)
{
    struct nest_launch *const launch = run->launch;
    const struct nest_kernel *const kernel = run->kernel;

    if (!find_sizes(run, kernel->groups, NEST_DIMS, launch->groups, &launch->num_groups,
                    INT64_C(1) << 40) ||
        !find_sizes(run, kernel->size, NEST_DIMS, launch->size, &launch->num_items,
                    MOST_ITEMS)) {
        return;
    }
    set_slot(run, SLOT_GROUPS, (int64_t)launch->groups[0]);
    set_slot(run, SLOT_SIZE, (int64_t)launch->size[0]);
    find_arrays(run);
    for (int i = 0; i < NEST_FACTS && !run->failed; i++) {
        launch->facts[i] =
            kernel->facts[i] == NEST_NONE ? NEST_NONE : constant(run, kernel->facts[i]);
    }
    if (!run->failed) {
        memset(run->cells, 0, run->num_cells * sizeof(*run->cells));
        sum_groups(run, NEST_DIMS - 1);
        memcpy(launch->all, run->cells, sizeof(launch->all));
        memcpy(launch->accesses, run->cells + COUNT_CELLS,
               (run->num_cells - COUNT_CELLS) * sizeof(*run->cells));
    }
    if (run->lanes->cache > 0 && !run->failed) {
        try_cache(run);
    }
}

/* The parameter's value. Settings are looked for from the last to the first. */
static int64_t param_value(struct run *run, const struct nest_name *name,
                           const struct nest_setting *settings, int num_settings)
{
    while (num_settings-- > 0) {
        if (strcmp(settings[num_settings].name, name->name) == 0) {
            return settings[num_settings].value;
        }
    }
    return constant(run, name->value);
}

static bool check_setting(const struct nest *nest, const struct nest_setting *setting,
                          struct nest_error *error)
{
    bool is_known = false;

    for (int i = 0; i < nest->num_names; i++) {
        is_known |=
            nest->names[i].is_param && strcmp(nest->names[i].name, setting->name) == 0;
    }
    return (is_known && setting->value >= 0 && setting->value <= NEST_MOST_VALUE) ||
           nest_refuse(error, 0, 0,
                       is_known ? "%.60s is a number from 0 to 2^53"
                                : "there is no parameter %.60s",
                       setting->name);
}

static void add_launch(struct run *run, struct nest_counts *counts, int kernel)
{
    const size_t size = ((size_t)counts->num + 1) * sizeof(*counts->launches);
    struct nest_launch *const launches =
        counts->num < NEST_MOST_LAUNCHES ? realloc(counts->launches, size) : NULL;

    if (!launches) {
        fail(run, run->kernel->line, run->kernel->column,
             "it is launched too often, or there is no memory");
        return;
    }
    counts->launches = launches;
    run->launch = &launches[counts->num++];
    *run->launch = (struct nest_launch){ .kernel = kernel };
    count_launch(run);
}

/* Counts a kernel's launches, until it is not launched again. */
static void count_kernel(struct run *run, struct nest_counts *counts, int index)
{
    const struct nest_kernel *const kernel = &run->nest->kernels[index];
    const int when = kernel->facts[FACT_WHEN];

    run->kernel = kernel;
    if (when != NEST_NONE && !constant(run, when)) {
        return;
    }
    add_launch(run, counts, index);
    while (!run->failed && kernel->again_slot != NEST_NONE &&
           constant(run, kernel->again_while)) {
        set_slot(run, kernel->again_slot, constant(run, kernel->again_value));
        add_launch(run, counts, index);
    }
}

static void count_transfers(struct run *run, struct nest_counts *counts)
{
    for (int i = 0; i < run->nest->num_transfers && !run->failed; i++) {
        const struct nest_transfer *const transfer = &run->nest->transfers[i];
        const int64_t times =
            transfer->times == NEST_NONE ? 1 : constant(run, transfer->times);
        counts->transfers[i].times = times < 0 ? 0 : (uint64_t)times;
        counts->transfers[i].bytes = find_array(run, transfer->array);
    }
}

bool nest_count(struct nest_counts *counts, const struct nest *nest,
                const struct nest_lanes *lanes, const struct nest_setting *settings,
                int num_settings, struct nest_error *error)
{
    const size_t num_cells = COUNT_CELLS + (size_t)nest->num_accesses * ACCESS_CELLS;
    struct run *const run = calloc(1, sizeof(*run));
    uint64_t *const cells = malloc(num_cells * sizeof(*cells));
    bool done = run && cells;

    *counts = (struct nest_counts){ 0 };
    if (!done) {
        nest_refuse(error, 0, 0, "there is no memory to count in");
    }
    for (int i = 0; i < num_settings && done; i++) {
        done = check_setting(nest, &settings[i], error);
    }
    if (done) {
        run->nest = nest;
        run->lanes = lanes;
        run->error = error;
        run->cells = cells;
        run->num_cells = num_cells;
        run->steps = MOST_STEPS;
        for (int i = 0; i < nest->num_names; i++) {
            if (nest->names[i].is_param) {
                set_slot(run, SLOTS_GIVEN + i,
                         param_value(run, &nest->names[i], settings, num_settings));
            }
        }
        for (int i = 0; i < nest->num_kernels && !run->failed; i++) {
            count_kernel(run, counts, i);
        }
        count_transfers(run, counts);
        done = !run->failed;
        for (int i = 0; i < MOST_LEVELS; i++) {
            free(run->tallies[i]);
        }
    }
    free(cells);
    free(run);
    return done;
}

void nest_counts_finish(struct nest_counts *counts)
{
    free(counts->launches);
    *counts = (struct nest_counts){ 0 };
}

uint64_t nest_accesses(const struct nest *nest, const struct nest_launch *launch,
                       bool is_local, bool is_store, enum access_cell cell)
{
    uint64_t total = 0;

    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        if (step->kind <= STEP_STORE && (step->kind == STEP_STORE) == is_store &&
            nest->arrays[step->array].is_local == is_local) {
            total += launch->accesses[step->access][cell];
        }
    }
    return total;
}
