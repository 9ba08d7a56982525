/* The model that this one follows: formulas of the thesis, and Hong and Kim's, as they
 * stand. docs/predict.md says what is wrong with them. */
#include "nest_time.h"

#include <math.h>

/* ---- Hong and Kim 2009 ------------------------------------------------------------- */

bool hong_kim_device_of(const struct device *device, struct hong_kim_device *out)
{
    *out = (struct hong_kim_device){
        .clock = device_number(device, DEVICE_CLOCK),
        .bandwidth = device_number(device, DEVICE_BANDWIDTH),
        .latency = device_number(device, DEVICE_LATENCY),
        .departure_coalesced = device_number(device, DEVICE_DEPARTURE_COALESCED),
        .departure_uncoalesced = device_number(device, DEVICE_DEPARTURE_UNCOALESCED),
        .issue_cycles = device_number(device, DEVICE_ISSUE_CYCLES),
        .units = device_number(device, DEVICE_UNITS)
    };
    return out->latency > 0 && out->departure_coalesced > 0 &&
           out->departure_uncoalesced > 0 && out->issue_cycles > 0;
}

struct hong_kim hong_kim(const struct hong_kim_device *d,
                         const struct hong_kim_program *p)
{
    const double accesses = p->uncoalesced + p->coalesced;
    const double share = accesses > 0 ? p->uncoalesced / accesses : 0;
    const double n = p->groups_of_unit * p->sub_groups_of_group;
    const double units = fmin(d->units, p->groups); /* that work */
    const double slow = d->latency + (p->uncoalesced_each - 1) * d->departure_uncoalesced;
    struct hong_kim out = {
        .memory_latency = share * slow + (1 - share) * d->latency,
        .departure = share * d->departure_uncoalesced * p->uncoalesced_each +
                     (1 - share) * d->departure_coalesced,
        .memory_cycles = slow * p->uncoalesced + d->latency * p->coalesced,
        .compute_cycles = d->issue_cycles * (p->compute + accesses),
        .rounds = p->groups / (p->groups_of_unit * units),
    };
    const double of_sub_group = d->clock * p->bytes / out.memory_latency;
    const double by_bandwidth = d->bandwidth / (of_sub_group * units);
    const double both = out.memory_cycles + out.compute_cycles;

    out.mwp = fmin(fmin(out.memory_latency / out.departure, by_bandwidth), n);
    out.cwp = fmin(both / out.compute_cycles, n);
    const double last = accesses > 0 ? out.compute_cycles / accesses * (out.mwp - 1) : 0;
    out.cycles_without_barriers =
        out.rounds * (out.mwp == n && out.cwp == n ? both + last
                      : out.cwp >= out.mwp || out.compute_cycles > out.memory_cycles
                          ? out.memory_cycles * n / out.mwp + last
                          : out.memory_latency + out.compute_cycles * n);
    out.barrier_cycles =
        out.departure * (out.mwp - 1) * p->barriers * p->groups_of_unit * out.rounds;
    out.cycles = out.cycles_without_barriers + out.barrier_cycles;
    out.seconds = out.cycles / (d->clock * 1e9);
    return out;
}

/* ---- The thesis -------------------------------------------------------------------- */

/* (2) to (5), `times` by a work-item. */
static void count_access(struct thesis *thesis, int i, int size, double stride,
                         double times, bool cached)
{
    struct hong_kim_program *const program = &thesis->program;

    thesis->segment[i] = size == 1 ? 32 : size == 2 ? 64 : 128;
    thesis->stride[i] = stride;
    /* A stride of 0 would divide by 0: all work-items ask for one element. */
    thesis->transactions[i] =
        stride > 0 ? ceil(32 / ceil(thesis->segment[i] / stride)) : 1;
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

/* (7) to (10). In each step of the one group a warp turns 32 values into one. The
 * barriers of the nest are those of its own tree. */
static void count_reduction(struct thesis *thesis, const struct nest_launch *launch)
{
    thesis->reduction_items = (double)launch->num_groups / 2;
    thesis->reduction_values = ceil(thesis->reduction_items / 32);
    for (thesis->reduction_steps = 1; thesis->reduction_values > 32;
         thesis->reduction_steps++) {
        thesis->reduction_values = ceil(thesis->reduction_values / 32);
    }
    thesis->local += (double)launch->num_items * nest_told(launch, FACT_REDUCTION, 0);
    thesis->extra = log2((double)launch->num_items * thesis->iterations);
    thesis->program.barriers = thesis->extra;
    thesis->arithmetic += thesis->extra;
}

struct thesis thesis_count(const struct nest *nest, const struct nest_launch *launch,
                           const struct device *device, bool cached)
{
    const double items = (double)launch->num_groups * (double)launch->num_items;
    const uint64_t *const all = launch->all, *const ops = all + COUNT_OP_ITEMS;
    const int dims = 1 + (launch->size[1] > 1) + (launch->size[2] > 1);
    struct thesis thesis = { .iterations =
                                 nest_told(launch, FACT_ITERATIONS, items) / items,
                             .local = dims * 32 };
    struct hong_kim_program *const program = &thesis.program;
    /* A load that hits the cache costs what an operation does. */
    const double hit_share = launch->looked_up > 0
                                 ? 1 - (double)launch->missed / (double)launch->looked_up
                                 : 0;

    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        const int k = step->access;
        if (step->kind <= STEP_STORE && !nest->arrays[step->array].is_local &&
            launch->accesses[k][ACCESS_ITEMS] > 0) {
            const double times = (double)launch->accesses[k][ACCESS_ITEMS] / items;
            const double hits = step->kind == STEP_LOAD ? times * hit_share : 0;
            thesis.arithmetic += hits;
            count_access(&thesis, k, launch->bytes[step->array],
                         fabs((double)launch->strides[k]), times - hits, cached);
        }
    }
    program->bytes /= fmax(program->coalesced + program->uncoalesced, 1e-300);
    program->coalesced_each /= fmax(program->coalesced, 1e-300);
    program->uncoalesced_each /= fmax(program->uncoalesced, 1e-300);
    thesis.arithmetic += (double)(ops[OP_SIMPLE] + ops[OP_CONVERT]) / items;
    thesis.reciprocals = (double)(ops[OP_RECIPROCAL] + ops[OP_SPECIAL]) / items;
    thesis.branches = (double)all[COUNT_BRANCHES] / (double)all[COUNT_SUB_GROUPS];
    program->barriers = (double)all[COUNT_BARRIER_ITEMS] / items;
    thesis.registers_of_item =
        nest_told(launch, FACT_REGISTERS,
                  nest_told(launch, FACT_SCALARS, 0) + (thesis.iterations > 1) + dims +
                      1 + floor(nest_told(launch, FACT_LINES, 0) / 10));
    thesis.registers =
        ceil(thesis.registers_of_item * 32 / 128) * 128 * (double)launch->num_items / 32;
    if (launch->facts[FACT_REDUCTION] != NEST_NONE) {
        count_reduction(&thesis, launch);
    }
    const struct fit fit =
        fit_groups(device, (int64_t)launch->num_items, (int64_t)thesis.registers_of_item,
                   (int64_t)thesis.local);
    program->compute = thesis.arithmetic + thesis.reciprocals + thesis.branches;
    program->groups = (double)launch->num_groups / nest_told(launch, FACT_WAVES, 1);
    program->groups_of_unit =
        fmin(fmax((double)fit.groups, 1),
             ceil(program->groups / device_number(device, DEVICE_UNITS)));
    program->sub_groups_of_group =
        ceil((double)launch->num_items / device_number(device, DEVICE_WIDTH));
    return thesis;
}
