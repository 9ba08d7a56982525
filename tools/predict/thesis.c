/* The model that this one follows: formulas of the thesis, and Hong and Kim's, as they
 * stand. docs/predict.md says what is wrong with them. */
#include "nest_time.h"

#include <math.h>

/* ---- Hong and Kim 2009 ------------------------------------------------------------- */

bool hong_kim_device_of(const struct device *device, struct hong_kim_device *out)
{
    static const enum device_number needed[] = { DEVICE_LATENCY,
                                                 DEVICE_DEPARTURE_COALESCED,
                                                 DEVICE_DEPARTURE_UNCOALESCED,
                                                 DEVICE_ISSUE_CYCLES };
    bool is_known = true;

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        is_known &= device->numbers[needed[i]].is_known;
    }
    *out = (struct hong_kim_device){
        .clock = device_number(device, DEVICE_CLOCK),
        .bandwidth = device_number(device, DEVICE_BANDWIDTH),
        .latency = device_number(device, DEVICE_LATENCY),
        .departure_coalesced = device_number(device, DEVICE_DEPARTURE_COALESCED),
        .departure_uncoalesced = device_number(device, DEVICE_DEPARTURE_UNCOALESCED),
        .issue_cycles = device_number(device, DEVICE_ISSUE_CYCLES),
        .units = device_number(device, DEVICE_UNITS)
    };
    return is_known;
}

struct hong_kim hong_kim(const struct hong_kim_device *device,
                         const struct hong_kim_program *program)
{
    const double accesses = program->uncoalesced + program->coalesced;
    const double uncoalesced = accesses > 0 ? program->uncoalesced / accesses : 0;
    const double n = program->groups_of_unit * program->sub_groups_of_group;
    const double uncoalesced_latency =
        device->latency + (program->uncoalesced_each - 1) * device->departure_uncoalesced;
    struct hong_kim out = { 0 };

    out.memory_latency =
        uncoalesced * uncoalesced_latency + (1 - uncoalesced) * device->latency;
    out.departure =
        uncoalesced * device->departure_uncoalesced * program->uncoalesced_each +
        (1 - uncoalesced) * device->departure_coalesced;
    const double of_sub_group = device->clock * program->bytes / out.memory_latency;
    const double by_bandwidth = device->bandwidth / (of_sub_group * device->units);
    out.mwp = fmin(fmin(out.memory_latency / out.departure, by_bandwidth), n);
    out.memory_cycles =
        uncoalesced_latency * program->uncoalesced + device->latency * program->coalesced;
    out.compute_cycles = device->issue_cycles * (program->compute + accesses);
    out.cwp = fmin((out.memory_cycles + out.compute_cycles) / out.compute_cycles, n);
    out.rounds = program->groups / (program->groups_of_unit * device->units);
    const double each = accesses > 0 ? out.compute_cycles / accesses : 0;
    if (out.mwp == n && out.cwp == n) {
        out.cycles_without_barriers =
            out.memory_cycles + out.compute_cycles + each * (out.mwp - 1);
    } else if (out.cwp >= out.mwp || out.compute_cycles > out.memory_cycles) {
        out.cycles_without_barriers =
            out.memory_cycles * n / out.mwp + each * (out.mwp - 1);
    } else {
        out.cycles_without_barriers = out.memory_latency + out.compute_cycles * n;
    }
    out.cycles_without_barriers *= out.rounds;
    out.barrier_cycles = out.departure * (out.mwp - 1) * program->barriers *
                         program->groups_of_unit * out.rounds;
    out.cycles = out.cycles_without_barriers + out.barrier_cycles;
    out.seconds = out.cycles / (device->clock * 1e9);
    return out;
}

/* ---- The thesis -------------------------------------------------------------------- */

static void count_access(struct thesis *thesis, const struct nest_launch *launch,
                         const struct nest_step *step, bool cached)
{
    const int i = step->access, size = launch->bytes[step->array];
    const double items = (double)launch->num_groups * (double)launch->num_items;
    const double times = (double)launch->accesses[i][ACCESS_ITEMS] / items;
    struct hong_kim_program *const program = &thesis->program;

    thesis->segment[i] = size == 1 ? 32 : size == 2 ? 64 : 128;
    thesis->stride[i] = fabs((double)launch->strides[i]);
    /* A stride of 0 would divide by 0: all work-items ask for one element. */
    thesis->transactions[i] =
        thesis->stride[i] > 0 ? ceil(32 / ceil(thesis->segment[i] / thesis->stride[i]))
                              : 1;
    thesis->is_coalesced[i] = thesis->transactions[i] == 1;
    if (thesis->is_coalesced[i]) {
        thesis->transactions[i] = cached ? 1 : thesis->segment[i] / 32;
        program->coalesced += times;
        program->coalesced_each += times * thesis->transactions[i];
    } else {
        program->uncoalesced += times;
        program->uncoalesced_each += times * thesis->transactions[i];
    }
    program->bytes += times * thesis->segment[i];
}

static void count_reduction(struct thesis *thesis, const struct nest_launch *launch)
{
    double groups = (double)launch->num_groups;

    if (launch->facts[FACT_REDUCTION] == NEST_NONE) {
        return;
    }
    thesis->reduction_items = groups / 2;
    thesis->local += (double)launch->num_items * (double)launch->facts[FACT_REDUCTION];
    thesis->extra = log2((double)launch->num_items * thesis->iterations);
    thesis->program.barriers += thesis->extra;
    thesis->arithmetic += thesis->extra;
}

struct thesis thesis_count(const struct nest *nest, const struct nest_launch *launch,
                           const struct device *device, bool cached)
{
    const double items = (double)launch->num_groups * (double)launch->num_items;
    const uint64_t *const all = launch->all;
    struct thesis thesis = { 0 };
    struct hong_kim_program *const program = &thesis.program;
    int dims = 1;

    thesis.iterations = launch->facts[FACT_ITERATIONS] == NEST_NONE
                            ? 1
                            : (double)launch->facts[FACT_ITERATIONS] / items;
    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        if (step->kind <= STEP_STORE && !nest->arrays[step->array].is_local) {
            count_access(&thesis, launch, step, cached);
        }
    }
    const double accesses = program->coalesced + program->uncoalesced;
    program->coalesced_each /= fmax(program->coalesced, 1e-300);
    program->uncoalesced_each /= fmax(program->uncoalesced, 1e-300);
    program->bytes /= fmax(accesses, 1e-300);
    thesis.arithmetic =
        (double)(all[COUNT_OP_ITEMS + OP_SIMPLE] + all[COUNT_OP_ITEMS + OP_CONVERT]) /
        items;
    thesis.reciprocals =
        (double)(all[COUNT_OP_ITEMS + OP_RECIPROCAL] + all[COUNT_OP_ITEMS + OP_SPECIAL]) /
        items;
    thesis.branches = (double)all[COUNT_BRANCHES] / (double)all[COUNT_SUB_GROUPS];
    program->barriers = (double)all[COUNT_BARRIER_ITEMS] / items;
    for (int i = 1; i < NEST_DIMS; i++) {
        dims += launch->size[i] > 1;
    }
    thesis.registers_of_item =
        launch->facts[FACT_REGISTERS] != NEST_NONE
            ? (double)launch->facts[FACT_REGISTERS]
            : (thesis.iterations > 1) + dims + 1 +
                  (launch->facts[FACT_LINES] == NEST_NONE
                       ? 0
                       : floor((double)launch->facts[FACT_LINES] / 10));
    thesis.registers =
        ceil(thesis.registers_of_item * 32 / 128) * 128 * (double)launch->num_items / 32;
    thesis.local = dims * 32;
    count_reduction(&thesis, launch);
    program->compute = thesis.arithmetic + thesis.reciprocals + thesis.branches;
    program->groups = (double)launch->num_groups;
    const struct fit fit =
        fit_groups(device, (int64_t)launch->num_items, (int64_t)thesis.registers_of_item,
                   (int64_t)thesis.local);
    program->groups_of_unit = fit.groups > 0 ? (double)fit.groups : 1;
    program->sub_groups_of_group =
        ceil((double)launch->num_items / device_number(device, DEVICE_WIDTH));
    return thesis;
}
