#include "nest_time.h"

#include <math.h>

const char *const time_term_names[TIME_TERMS] = { "memory", "L2",      "L1",  "local",
                                                  "issue",  "latency", "hops" };

const struct instruction_weights instruction_weights = {
    .simple = 1, .slow = 8, .access = 3, .branch = 4, .turn = 5, .barrier = 3
};

static double total(const struct nest *nest, const struct nest_launch *launch,
                    bool is_local, enum access_cell cell)
{
    return (double)(nest_accesses(nest, launch, is_local, false, cell) +
                    nest_accesses(nest, launch, is_local, true, cell));
}

static void count_instructions(struct launch_time *time, const struct nest *nest,
                               const struct nest_launch *launch)
{
    const struct instruction_weights *const w = &instruction_weights;
    const uint64_t *const all = launch->all;

    time->are_told = launch->facts[FACT_INSTRUCTIONS] != NEST_NONE;
    if (time->are_told) {
        time->instructions =
            (double)launch->facts[FACT_INSTRUCTIONS] * (double)launch->num_groups;
        return;
    }
    const double slow =
        (double)(all[COUNT_OPS + OP_RECIPROCAL] + all[COUNT_OPS + OP_SPECIAL]);
    const double simple =
        (double)(all[COUNT_OPS + OP_SIMPLE] + all[COUNT_OPS + OP_CONVERT]);
    time->instructions = w->simple * simple + w->slow * slow +
                         w->access * (total(nest, launch, false, ACCESS_REQUESTS) +
                                      total(nest, launch, true, ACCESS_REQUESTS)) +
                         w->branch * (double)all[COUNT_BRANCHES] +
                         w->turn * (double)all[COUNT_TURNS] +
                         w->barrier * (double)all[COUNT_BARRIERS];
}

/* Arrays that fit into L2 together are fetched into it once. */
static void count_bytes(struct launch_time *time, const struct nest *nest,
                        const struct nest_launch *launch, const struct device *device)
{
    double footprint = 0;

    for (int i = 0; i < nest->num_arrays; i++) {
        footprint += (double)launch->footprint[i];
    }
    time->fetched = NEST_SECTOR * total(nest, launch, false, ACCESS_SECTORS);
    if (launch->looked_up > 0) {
        const double loads =
            (double)nest_accesses(nest, launch, false, false, ACCESS_LINES);
        const double missed = (double)launch->missed / (double)launch->looked_up;
        const double stores =
            (double)nest_accesses(nest, launch, false, true, ACCESS_SECTORS);
        time->fetched = NEST_LINE * loads * missed + NEST_SECTOR * stores;
    }
    time->past_l2 = footprint <= device_number(device, DEVICE_L2)
                        ? fmin(footprint, time->fetched)
                        : time->fetched;
}

static void set_term(struct launch_time *time, enum time_term term, bool is_known,
                     double seconds)
{
    time->is_known[term] = is_known;
    time->terms[term] = is_known ? seconds : 0;
    if (time->terms[term] > time->terms[time->binds]) {
        time->binds = term;
    }
}

static bool knows(const struct device *device, enum device_number number)
{
    return device->numbers[number].is_known;
}

static double divided(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* What loads under way move, on a unit: those of all its sub-groups that do not wait for
 * each other. */
static void find_bandwidth(struct launch_time *time, const struct nest *nest,
                           const struct nest_launch *launch, const struct device *device,
                           double groups)
{
    const double loads =
        (double)nest_accesses(nest, launch, false, false, ACCESS_REQUESTS);
    const double bytes = (double)nest_accesses(nest, launch, false, false, ACCESS_BYTES);
    const double sub_groups = (double)launch->all[COUNT_SUB_GROUPS];
    const double rounds = (double)launch->all[COUNT_ROUNDS] / (double)launch->num_groups;
    const double each = divided(loads / sub_groups, rounds);

    time->under_way =
        groups * sub_groups / (double)launch->num_groups * each * divided(bytes, loads);
    time->bandwidth = device_number(device, DEVICE_BANDWIDTH);
    if (knows(device, DEVICE_LATENCY) && time->under_way > 0) {
        time->bandwidth =
            fmin(time->bandwidth, device_number(device, DEVICE_UNITS) * time->under_way *
                                      device_number(device, DEVICE_CLOCK) /
                                      device_number(device, DEVICE_LATENCY));
    }
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
    const double units = device_number(device, DEVICE_UNITS);
    const double hertz = device_number(device, DEVICE_CLOCK) * 1e9;
    const double num_groups = (double)launch->num_groups;
    struct launch_time time = { .registers =
                                    launch->facts[FACT_REGISTERS] == NEST_NONE
                                        ? 0
                                        : (uint64_t)launch->facts[FACT_REGISTERS] };

    time.fit = fit_groups(device, (int64_t)launch->num_items, (int64_t)time.registers,
                          (int64_t)launch->local_bytes);
    if (time.fit.groups == 0) {
        return time;
    }
    const double held = fmin((double)time.fit.groups, ceil(num_groups / units));
    const double turns = ceil(num_groups / (units * held));
    time.tail = turns * units * held / num_groups;
    count_instructions(&time, nest, launch);
    count_bytes(&time, nest, launch, device);
    find_bandwidth(&time, nest, launch, device, held);
    if (device_number(device, DEVICE_REPLAYS) > 0) {
        time.instructions += total(nest, launch, true, ACCESS_EXTRA);
    }
    set_term(&time, TERM_MEMORY, true, time.tail * time.past_l2 / (time.bandwidth * 1e9));
    set_term(&time, TERM_L2, knows(device, DEVICE_L2_BANDWIDTH),
             time.tail * divided(time.fetched,
                                 device_number(device, DEVICE_L2_BANDWIDTH) * hertz));
    set_term(&time, TERM_L1, true,
             time.tail * total(nest, launch, false, ACCESS_PASSES) / (units * hertz));
    set_term(&time, TERM_LOCAL, true,
             time.tail * total(nest, launch, true, ACCESS_PASSES) / (units * hertz));
    set_term(&time, TERM_ISSUE, knows(device, DEVICE_ISSUE),
             time.tail * divided(time.instructions,
                                 units * device_number(device, DEVICE_ISSUE) * hertz));
    set_term(&time, TERM_LATENCY, knows(device, DEVICE_LATENCY),
             turns * group_cycles(launch, device) / hertz);
    set_term(&time, TERM_HOPS,
             launch->facts[FACT_HOPS] > 0 && knows(device, DEVICE_L2_LATENCY),
             (double)launch->facts[FACT_HOPS] * 2 *
                 device_number(device, DEVICE_L2_LATENCY) / hertz);
    time.seconds = time.terms[time.binds] +
                   device_number(device, is_later ? DEVICE_LAUNCH : DEVICE_CALL) * 1e-6;
    return time;
}
