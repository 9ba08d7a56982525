#include "nest_time.h"

#include <math.h>

const char *const time_term_names[TIME_TERMS] = { "memory", "L2",      "L1",    "local",
                                                  "issue",  "latency", "items", "hops" };

const struct instruction_weights instruction_weights = {
    .simple = 1, .slow = 8, .access = 3, .branch = 4, .turn = 5, .barrier = 3
};

/* ---- Occupancy --------------------------------------------------------------------- */

static int64_t round_up(int64_t value, int64_t unit)
{
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

static int64_t whole(const struct device *device, enum device_number number)
{
    return (int64_t)device_number(device, number);
}

/*
 * Sub-groups take whole units of registers from the part of the unit that they run on, or
 * a group takes whole units for all of its sub-groups:
 *
 *   parts   | w0 w4 | w1 w5 | w2 .. | w3 .. |     four schedulers, 16384 registers each
 */
static int64_t by_registers(const struct device *device, int64_t sub_groups,
                            int64_t registers)
{
    const int64_t all = whole(device, DEVICE_REGISTERS);
    const int64_t unit = whole(device, DEVICE_REGISTER_UNIT);
    const int64_t rounded = round_up(sub_groups, whole(device, DEVICE_SUB_GROUP_UNIT));
    const int64_t given = whole(device, DEVICE_REGISTER_PARTS);
    const int64_t parts = given > 0 ? given : 1;
    const int64_t most = whole(device, DEVICE_MOST_REGISTERS);
    const int64_t each = registers * whole(device, DEVICE_WIDTH);

    if (most > 0 && registers > most) {
        return 0;
    }
    if (whole(device, DEVICE_REGISTERS_BY_GROUP)) {
        return all / round_up(rounded * each, unit);
    }
    return round_up(each, unit) * rounded > all
               ? 0
               : parts * (all / parts / round_up(each, unit)) / sub_groups;
}

struct fit fit_groups(const struct device *device, int64_t num_items, int64_t registers,
                      int64_t local_bytes)
{
    const int64_t width = whole(device, DEVICE_WIDTH);
    const int64_t sub_groups = (num_items + width - 1) / width;
    const int64_t local = round_up(local_bytes + whole(device, DEVICE_LOCAL_RESERVED),
                                   whole(device, DEVICE_LOCAL_UNIT));
    const struct {
        enum device_number number;
        int64_t groups;
        const char *name;
    } limits[] = {
        { DEVICE_SUB_GROUPS, whole(device, DEVICE_SUB_GROUPS) / sub_groups,
          "sub-groups" },
        { DEVICE_GROUPS, whole(device, DEVICE_GROUPS), "groups" },
        { DEVICE_REGISTERS,
          registers > 0 ? by_registers(device, sub_groups, registers) : INT64_MAX,
          "registers" },
        { DEVICE_LOCAL, local > 0 ? whole(device, DEVICE_LOCAL) / local : INT64_MAX,
          "local memory" },
    };
    struct fit fit = { INT64_MAX, 0, NULL };

    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (device->numbers[limits[i].number].is_known && limits[i].groups < fit.groups) {
            fit.groups = limits[i].groups;
            fit.limit = limits[i].name;
        }
    }
    if (!fit.limit) {
        fit = (struct fit){ 1, 0, "nothing that is known" };
    }
    fit.sub_groups = fit.groups * sub_groups;
    return fit;
}

/* ---- A launch ---------------------------------------------------------------------- */

static bool knows(const struct device *device, enum device_number number)
{
    return device->numbers[number].is_known;
}

static double divided(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Of accesses to global and local arrays: loads, and stores. */
struct sums {
    double cells[2][2][ACCESS_CELLS];
    double footprint[2]; /* of the global arrays that are loaded, and stored */
};

static struct sums sum_accesses(const struct nest *nest, const struct nest_launch *launch)
{
    bool seen[2][NEST_MOST_ARRAYS] = { 0 };
    struct sums sums = { 0 };

    for (const struct nest_step *step = nest->steps; step < nest->steps + nest->num_steps;
         step++) {
        const bool is_store = step->kind == STEP_STORE;
        const uint64_t *const cells = launch->accesses[step->access];
        if (step->kind > STEP_STORE || !cells[ACCESS_REQUESTS]) {
            continue;
        }
        for (int i = 0; i < ACCESS_CELLS; i++) {
            sums.cells[nest->arrays[step->array].is_local][is_store][i] +=
                (double)cells[i];
        }
        if (!seen[is_store][step->array]) {
            sums.footprint[is_store] += (double)launch->footprint[step->array];
        }
        seen[is_store][step->array] = true;
    }
    return sums;
}

static double both(const struct sums *sums, bool is_local, enum access_cell cell)
{
    return sums->cells[is_local][0][cell] + sums->cells[is_local][1][cell];
}

static double sum_ops(const uint64_t *ops, enum op_class a, enum op_class b)
{
    return (double)ops[a] + (double)ops[b];
}

/* Of sub-groups; and what a CPU's work-items do, which counts alike. */
static void count_instructions(struct launch_time *time, const struct sums *sums,
                               const struct nest_launch *launch,
                               const struct device *device)
{
    const struct instruction_weights *const w = &instruction_weights;
    const uint64_t *const all = launch->all, *const ops = all + COUNT_OPS;
    const double items = (double)launch->num_groups * (double)launch->num_items;
    const double turns = (double)all[COUNT_TURNS], branches = (double)all[COUNT_BRANCHES];

    time->regions = items + (double)all[COUNT_BARRIER_ITEMS];
    time->operations = both(sums, false, ACCESS_ITEMS) + both(sums, true, ACCESS_ITEMS) +
                       (branches + turns) * items / (double)all[COUNT_SUB_GROUPS];
    for (int class = 0; class < OP_CLASSES; class ++) {
        time->operations += (double)all[COUNT_OP_ITEMS + class];
    }
    time->are_told = launch->facts[FACT_INSTRUCTIONS] != NEST_NONE;
    time->instructions =
        time->are_told
            ? (double)launch->facts[FACT_INSTRUCTIONS] * (double)launch->num_groups
            : w->simple * sum_ops(ops, OP_SIMPLE, OP_CONVERT) +
                  w->slow * sum_ops(ops, OP_RECIPROCAL, OP_SPECIAL) +
                  w->access * (both(sums, false, ACCESS_REQUESTS) +
                               both(sums, true, ACCESS_REQUESTS)) +
                  w->branch * branches + w->turn * turns +
                  w->barrier * (double)all[COUNT_BARRIERS];
    if (device_number(device, DEVICE_REPLAYS) > 0) {
        time->instructions += both(sums, true, ACCESS_EXTRA);
    }
}

/* Seconds of memory. Arrays that fit into L2 together are fetched into it once, and by a
 * CPU all are. Loads under way, on a unit, are those of all its sub-groups that do not
 * wait for each other. */
static double find_memory(struct launch_time *time, const struct sums *sums,
                          const struct nest_launch *launch, const struct device *device,
                          double held)
{
    const bool is_cpu = knows(device, DEVICE_REGION);
    const enum access_cell cell = is_cpu ? ACCESS_LINES : ACCESS_SECTORS;
    const double unit = is_cpu ? NEST_LINE : NEST_SECTOR;
    const double *const loads = sums->cells[false][false];
    const double stored = unit * sums->cells[false][true][cell];
    const double loaded = launch->looked_up > 0
                              ? NEST_LINE * loads[ACCESS_LINES] * (double)launch->missed /
                                    (double)launch->looked_up
                              : unit * loads[cell];
    const bool fits = is_cpu || sums->footprint[0] + sums->footprint[1] <=
                                    device_number(device, DEVICE_L2);
    const double load = fits ? fmin(sums->footprint[0], loaded) : loaded;
    const double store = fits ? fmin(sums->footprint[1], stored) : stored;

    time->fetched = loaded + stored;
    time->past_l2 = load + store;
    time->under_way =
        held * divided(loads[ACCESS_BYTES], (double)launch->all[COUNT_ROUNDS]);
    time->bandwidth = device_number(device, DEVICE_BANDWIDTH);
    if (knows(device, DEVICE_LATENCY) && time->under_way > 0) {
        time->bandwidth =
            fmin(time->bandwidth, device_number(device, DEVICE_UNITS) * time->under_way *
                                      device_number(device, DEVICE_CLOCK) /
                                      device_number(device, DEVICE_LATENCY));
    }
    return 1e-9 * (load / time->bandwidth +
                   store / (knows(device, DEVICE_STORE_BANDWIDTH)
                                ? device_number(device, DEVICE_STORE_BANDWIDTH)
                                : time->bandwidth));
}

/* One after the other, what the first sub-group of a group waits for. */
static double group_cycles(const struct nest_launch *launch, const struct device *device)
{
    const double groups = (double)launch->num_groups;
    const uint64_t *const all = launch->all;
    const double barriers = (double)all[COUNT_BARRIERS] / (double)all[COUNT_SUB_GROUPS];

    return (double)all[COUNT_ROUNDS] / groups * device_number(device, DEVICE_LATENCY) +
           barriers * device_number(device, DEVICE_BARRIER) +
           (double)all[COUNT_LOCAL_ROUNDS] / groups *
               (2 * device_number(device, DEVICE_LOCAL_LATENCY) +
                device_number(device, DEVICE_ALU_LATENCY));
}

/* What a kernel is told, or 1. */
static double told(const struct nest_launch *launch, enum nest_fact fact)
{
    return launch->facts[fact] == NEST_NONE ? 1 : (double)launch->facts[fact];
}

struct launch_time time_launch(const struct nest *nest, const struct nest_launch *launch,
                               const struct device *device, bool is_later)
{
    const bool is_cpu = knows(device, DEVICE_REGION) && knows(device, DEVICE_OPERATION);
    const double units = device_number(device, DEVICE_UNITS);
    const double hertz = device_number(device, DEVICE_CLOCK) * 1e9;
    const double hop = 2 * device_number(device, DEVICE_L2_LATENCY) / hertz;
    const int64_t registers = launch->facts[FACT_REGISTERS];
    const struct sums sums = sum_accesses(nest, launch);
    struct launch_time time = {
        .fit = fit_groups(device, (int64_t)launch->num_items,
                          registers == NEST_NONE ? 0 : registers,
                          (int64_t)launch->local_bytes),
        .waves = fmax(told(launch, FACT_WAVES), 1),
        .times = told(launch, FACT_TIMES),
    };
    const double groups = (double)launch->num_groups / time.waves; /* of a wave */

    if (time.fit.groups == 0) {
        return time;
    }
    const double held = fmin((double)time.fit.groups, ceil(groups / units));
    const double turns = ceil(groups / (units * held));
    time.tail = turns * units * held / groups;
    count_instructions(&time, &sums, launch, device);
    const struct {
        bool is_known;
        double seconds; /* of all waves, without the tail */
    } terms[TIME_TERMS] = {
        [TERM_MEMORY] = { true, find_memory(&time, &sums, launch, device, held) },
        [TERM_L2] = { !is_cpu && knows(device, DEVICE_L2_BANDWIDTH),
                      time.fetched /
                          (device_number(device, DEVICE_L2_BANDWIDTH) * hertz) },
        [TERM_L1] = { !is_cpu, both(&sums, false, ACCESS_PASSES) / (units * hertz) },
        [TERM_LOCAL] = { !is_cpu, both(&sums, true, ACCESS_PASSES) / (units * hertz) },
        [TERM_ISSUE] = { !is_cpu && knows(device, DEVICE_ISSUE),
                         time.instructions /
                             (units * device_number(device, DEVICE_ISSUE) * hertz) },
        [TERM_LATENCY] = { !is_cpu && knows(device, DEVICE_LATENCY),
                           time.waves * turns * group_cycles(launch, device) / hertz /
                               time.tail },
        [TERM_ITEMS] = { is_cpu,
                         1e-9 / units *
                             (time.regions * device_number(device, DEVICE_REGION) +
                              time.operations *
                                  device_number(device, DEVICE_OPERATION)) },
        [TERM_HOPS] = { launch->facts[FACT_HOPS] > 0 && hop > 0,
                        (double)launch->facts[FACT_HOPS] * hop / time.tail },
    };
    for (int term = 0; term < TIME_TERMS; term++) {
        time.is_known[term] = terms[term].is_known;
        time.terms[term] = terms[term].is_known ? time.tail * terms[term].seconds : 0;
        time.binds =
            time.terms[term] > time.terms[time.binds] ? (enum time_term)term : time.binds;
    }
    const double later = device_number(device, DEVICE_LAUNCH) * 1e-6;
    const double first = is_later ? later : device_number(device, DEVICE_CALL) * 1e-6;
    time.seconds = time.times > 0 ? time.times * time.terms[time.binds] + first +
                                        (time.times * time.waves - 1) * later
                                  : 0;
    return time;
}

/* ---- A whole nest ------------------------------------------------------------------ */

double time_transfer(const struct device *device, uint64_t bytes)
{
    return knows(device, DEVICE_LINK)
               ? divided((double)bytes, device_number(device, DEVICE_LINK) * 1e9) +
                     device_number(device, DEVICE_LINK_LATENCY) * 1e-6
               : -1;
}

struct nest_time time_nest(const struct nest *nest, const struct nest_counts *counts,
                           const struct device *device)
{
    struct nest_time time = { .misfit = NEST_NONE };

    for (int i = counts->num - 1; i >= 0; i--) {
        const struct launch_time one =
            time_launch(nest, &counts->launches[i], device, i > 0);
        time.launches += one.seconds;
        time.misfit = one.fit.groups == 0 ? i : time.misfit;
    }
    for (int i = 0; i < nest->num_transfers; i++) {
        const double one = time_transfer(device, counts->transfers[i].bytes);
        time.has_unknown |= one < 0;
        time.transfers += fmax(one, 0) * (double)counts->transfers[i].times;
    }
    time.seconds = time.launches + time.transfers;
    return time;
}
