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
        if (device_knows(device, limits[i].number) && limits[i].groups < fit.groups) {
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

static double divided(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Bytes of the global arrays that a launch loads from, or stores to. */
static double footprint(const struct nest *nest, const struct nest_launch *launch,
                        enum step_kind kind)
{
    bool seen[NEST_MOST_ARRAYS] = { 0 };
    double bytes = 0;

    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        if (step->kind == kind && !seen[step->array] &&
            launch->accesses[step->access][ACCESS_REQUESTS] > 0) {
            seen[step->array] = true;
            bytes += (double)launch->footprint[step->array];
        }
    }
    return bytes;
}

/* Of sub-groups; and what a CPU's work-items do, which counts alike. */
static void count_instructions(struct launch_time *time, const struct nest *nest,
                               const struct nest_launch *launch)
{
    const struct instruction_weights *const w = &instruction_weights;
    const double weights[OP_CLASSES] = { w->simple, w->slow, w->slow, w->simple };
    const uint64_t *const all = launch->all;
    const double groups = (double)launch->num_groups;
    const double items = groups * (double)launch->num_items;
    const double turns = (double)all[COUNT_TURNS], branches = (double)all[COUNT_BRANCHES];

    time->regions = items + (double)all[COUNT_BARRIER_ITEMS];
    time->operations = (double)nest_all_accesses(nest, launch, false, ACCESS_ITEMS) +
                       (double)nest_all_accesses(nest, launch, true, ACCESS_ITEMS) +
                       (branches + turns) * items / (double)all[COUNT_SUB_GROUPS];
    time->instructions =
        w->access * ((double)nest_all_accesses(nest, launch, false, ACCESS_REQUESTS) +
                     (double)nest_all_accesses(nest, launch, true, ACCESS_REQUESTS)) +
        w->branch * branches + w->turn * turns + w->barrier * (double)all[COUNT_BARRIERS];
    for (int class = 0; class < OP_CLASSES; class ++) {
        time->operations += (double)all[COUNT_OP_ITEMS + class];
        time->instructions += weights[class] * (double)all[COUNT_OPS + class];
    }
    time->are_told = launch->facts[FACT_INSTRUCTIONS] != NEST_NONE;
    if (time->are_told) {
        time->instructions = (double)launch->facts[FACT_INSTRUCTIONS] * groups;
    }
}

/* Seconds of memory. Arrays that fit into L2 together are fetched into it once, and by a
 * CPU all are, by whole lines. Loads under way, on a unit, are those of all its
 * sub-groups that do not wait for each other. */
static double find_memory(struct launch_time *time, const struct nest *nest,
                          const struct nest_launch *launch, const struct device *device,
                          double held)
{
    const bool is_cpu = device_is_cpu(device);
    const enum access_cell cell = is_cpu ? ACCESS_LINES : ACCESS_SECTORS;
    const double unit = is_cpu ? NEST_LINE : NEST_SECTOR;
    const double loads = footprint(nest, launch, STEP_LOAD);
    const double stores = footprint(nest, launch, STEP_STORE);
    const double latency = device_number(device, DEVICE_LATENCY);
    double seconds = 0;

    time->bandwidth = device_number(device, DEVICE_BANDWIDTH);
    time->under_way =
        held * divided((double)nest_accesses(nest, launch, false, false, ACCESS_BYTES),
                       (double)launch->all[COUNT_ROUNDS]);
    if (latency > 0 && time->under_way > 0) {
        time->bandwidth =
            fmin(time->bandwidth, device_number(device, DEVICE_UNITS) * time->under_way *
                                      device_number(device, DEVICE_CLOCK) / latency);
    }
    for (int i = 0; i < 2; i++) {
        const bool is_store = i == 1;
        const enum device_number bandwidth = DEVICE_STORE_BANDWIDTH;
        double bytes = unit * (double)nest_accesses(nest, launch, false, is_store, cell);
        if (!is_store && launch->looked_up > 0) {
            bytes = NEST_LINE *
                    (double)nest_accesses(nest, launch, false, false, ACCESS_LINES) *
                    (double)launch->missed / (double)launch->looked_up;
        }
        time->fetched += bytes;
        if (is_cpu || loads + stores <= device_number(device, DEVICE_L2)) {
            bytes = fmin(bytes, is_store ? stores : loads);
        }
        time->past_l2 += bytes;
        seconds +=
            bytes * 1e-9 /
            (!is_store                         ? time->bandwidth
             : device_knows(device, bandwidth) ? device_number(device, bandwidth)
                                               : device_number(device, DEVICE_BANDWIDTH));
    }
    return seconds;
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

struct launch_time time_launch(const struct nest *nest, const struct nest_launch *launch,
                               const struct device *device, bool is_later)
{
    const bool is_cpu = device_is_cpu(device);
    const double units = device_number(device, DEVICE_UNITS);
    const double hertz = device_number(device, DEVICE_CLOCK) * 1e9;
    const double cycles = is_cpu ? 0 : hertz; /* a CPU's tell nothing */
    const enum device_number operation =
        launch->num_items == 1 && device_knows(device, DEVICE_LONE_OPERATION)
            ? DEVICE_LONE_OPERATION
            : DEVICE_OPERATION;
    const double later = device_number(device, DEVICE_LAUNCH) * 1e-6;
    const double first = device_number(device, DEVICE_CALL) * 1e-6;
    struct launch_time time = { .waves = nest_told(launch, FACT_WAVES, 1),
                                .times = nest_told(launch, FACT_TIMES, 1) };
    const double groups = (double)launch->num_groups / time.waves; /* of a wave */

    time.fit = fit_groups(device, (int64_t)launch->num_items,
                          (int64_t)nest_told(launch, FACT_REGISTERS, 0),
                          (int64_t)launch->local_bytes);
    if (time.fit.groups == 0) {
        return time;
    }
    const double held = fmin((double)time.fit.groups, ceil(groups / units));
    const double turns = ceil(groups / (units * held));
    const double hops = nest_told(launch, FACT_HOPS, 0);
    const double hop = 2 * device_number(device, DEVICE_L2_LATENCY);
    time.tail = turns * units * held / groups;
    count_instructions(&time, nest, launch);
    if (device_number(device, DEVICE_REPLAYS) > 0) {
        time.instructions += (double)nest_all_accesses(nest, launch, true, ACCESS_EXTRA);
    }
    const double memory = find_memory(&time, nest, launch, device, held);
    /* Of all waves. A speed of 0 is not known. */
    const struct {
        double amount, speed;
    } terms[TIME_TERMS] = {
        [TERM_MEMORY] = { time.tail * memory, 1 },
        [TERM_L2] = { time.tail * time.fetched,
                      device_number(device, DEVICE_L2_BANDWIDTH) * cycles },
        [TERM_L1] = { time.tail *
                          (double)nest_all_accesses(nest, launch, false, ACCESS_PASSES),
                      units * cycles },
        [TERM_LOCAL] = { time.tail *
                             (double)nest_all_accesses(nest, launch, true, ACCESS_PASSES),
                         units * cycles },
        [TERM_ISSUE] = { time.tail * time.instructions,
                         units * device_number(device, DEVICE_ISSUE) * cycles },
        [TERM_LATENCY] = { time.waves * turns * group_cycles(launch, device),
                           device_knows(device, DEVICE_LATENCY) ? cycles : 0 },
        [TERM_ITEMS] = { time.tail *
                             (time.regions * device_number(device, DEVICE_REGION) +
                              time.operations * device_number(device, operation)),
                         is_cpu ? units * 1e9 : 0 },
        [TERM_HOPS] = { hops * hop, hops * hop > 0 ? hertz : 0 },
    };
    for (int term = 0; term < TIME_TERMS; term++) {
        time.is_known[term] = terms[term].speed > 0;
        time.terms[term] = divided(terms[term].amount, terms[term].speed);
        if (time.terms[term] > time.terms[time.binds]) {
            time.binds = (enum time_term)term;
        }
    }
    if (time.times > 0) {
        time.seconds = time.times * time.terms[time.binds] + (is_later ? later : first) +
                       (time.times * time.waves - 1) * later;
    }
    return time;
}

/* ---- A whole nest ------------------------------------------------------------------ */

double time_transfer(const struct device *device, uint64_t bytes)
{
    return device_knows(device, DEVICE_LINK)
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
