#include "nest_run.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ITEMS = 1024,
    MOST_STEPS = 4 * 1000 * 1000 /* of sub-groups, or the nest is refused */
};

static bool find_sizes(struct run *run, const int *nodes, int num, uint64_t *sizes,
                       uint64_t *product, int64_t most)
{
    *product = 1;
    for (int i = 0; i < num; i++) {
        const int64_t size = nodes[i] == NEST_NONE ? 1 : run_constant(run, nodes[i]);
        if (size < 1 || size > most / (int64_t)*product) {
            RUN_FAIL(run, &run->nest->nodes[nodes[i]],
                     *product > 1 ? "%lld times %lld is not from 1 to %lld"
                                  : "a size of %lld is not from %lld to %lld",
                     (long long)size, (long long)*product, (long long)most);
        }
        if (run->failed) {
            return false;
        }
        sizes[i] = (uint64_t)size;
        *product *= (uint64_t)size;
    }
    return true;
}

static uint64_t find_array(struct run *run, int i)
{
    const struct nest_array *const array = &run->nest->arrays[i];
    uint64_t bytes = 0, num = 0;

    if (find_sizes(run, &array->bytes, 1, run->lengths[i], &bytes, MOST_BYTES) &&
        find_sizes(run, array->lengths, NEST_RANK, run->lengths[i], &num,
                   NEST_MOST_VALUE / MOST_BYTES)) {
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

static int64_t find_fact(struct run *run, enum nest_fact fact, int index)
{
    const int64_t least = fact == FACT_WAVES || fact == FACT_ITERATIONS;
    const bool is_product = fact == FACT_WAVES || fact == FACT_TIMES;
    const int64_t most = is_product ? INT64_C(1) << 31 : NEST_MOST_VALUE;
    const int64_t value = index == NEST_NONE ? NEST_NONE : run_constant(run, index);

    if (index != NEST_NONE && (value < least || value > most)) {
        RUN_FAIL(run, &run->nest->nodes[index], "%s of %lld is not from %lld to %lld",
                 nest_fact_words[fact], (long long)value, (long long)least,
                 (long long)most);
    }
    return value;
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
    run_set(run, SLOT_GROUPS, (int64_t)launch->groups[0]);
    run_set(run, SLOT_SIZE, (int64_t)launch->size[0]);
    find_arrays(run);
    for (int i = 0; i < NEST_FACTS && !run->failed; i++) {
        launch->facts[i] = find_fact(run, (enum nest_fact)i, kernel->facts[i]);
    }
    if (!run->failed) {
        memset(run->cells, 0, run->num_cells * sizeof(*run->cells));
        run_groups(run, NEST_DIMS - 1);
        memcpy(launch->all, run->cells, sizeof(launch->all));
        memcpy(launch->accesses, run->cells + COUNT_CELLS,
               (run->num_cells - COUNT_CELLS) * sizeof(*run->cells));
    }
    if (run->lanes->cache > 0 && !run->failed) {
        run_cached(run);
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
    return run_constant(run, name->value);
}

static bool check_setting(const struct nest *nest, const struct nest_setting *setting,
                          struct nest_error *error)
{
    bool is_known = false;

    for (int i = 0; i < nest->num_names; i++) {
        is_known |=
            nest->names[i].is_param && strcmp(nest->names[i].name, setting->name) == 0;
    }
    if (!is_known) {
        return nest_refuse(error, 0, 0, "there is no parameter %.60s", setting->name);
    }
    return (setting->value >= 0 && setting->value <= NEST_MOST_VALUE) ||
           nest_refuse(error, 0, 0, "%.60s is a number from 0 to 2^53, not %lld",
                       setting->name, (long long)setting->value);
}

static void add_launch(struct run *run, struct nest_counts *counts, int kernel)
{
    const size_t num = (size_t)counts->num;
    struct nest_launch *launches = counts->launches;

    if ((num & (num - 1)) == 0 && num < NEST_MOST_LAUNCHES) { /* full: twice as many */
        launches = realloc(launches, (num > 0 ? 2 * num : 1) * sizeof(*launches));
    }
    if (num == NEST_MOST_LAUNCHES || !launches) {
        RUN_FAIL(run, run->kernel, "it is launched too often, or there is no memory");
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
    bool goes_on = true;

    run->kernel = kernel;
    for (int turn = 0; goes_on && !run->failed; turn++) {
        if (turn == NEST_MOST_LAUNCHES) {
            RUN_FAIL(run, kernel, "it is launched too often");
        } else if (when == NEST_NONE || run_constant(run, when)) {
            add_launch(run, counts, index);
        }
        goes_on = kernel->again_slot != NEST_NONE && !run->failed &&
                  run_constant(run, kernel->again_while);
        if (goes_on) {
            run_set(run, kernel->again_slot, run_constant(run, kernel->again_value));
        }
    }
}

static void count_transfers(struct run *run, struct nest_counts *counts)
{
    for (int i = 0; i < run->nest->num_transfers && !run->failed; i++) {
        const struct nest_transfer *const transfer = &run->nest->transfers[i];
        const int64_t times = find_fact(run, FACT_TIMES, transfer->times);
        counts->transfers[i].times = times == NEST_NONE ? 1 : (uint64_t)times;
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
                run_set(run, SLOTS_GIVEN + i,
                        param_value(run, &nest->names[i], settings, num_settings));
            }
        }
        count_transfers(run, counts); /* before launches change parameters */
        for (int i = 0; i < nest->num_kernels && !run->failed; i++) {
            count_kernel(run, counts, i);
        }
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

double nest_told(const struct nest_launch *launch, enum nest_fact fact, double other)
{
    return launch->facts[fact] == NEST_NONE ? other : (double)launch->facts[fact];
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

uint64_t nest_all_accesses(const struct nest *nest, const struct nest_launch *launch,
                           bool is_local, enum access_cell cell)
{
    return nest_accesses(nest, launch, is_local, false, cell) +
           nest_accesses(nest, launch, is_local, true, cell);
}
