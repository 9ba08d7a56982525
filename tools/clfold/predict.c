/* clfold predict: what the kernels of a nest do on a GPU, and how long. What is known of
 * a launch is written as JSON, once; for people, that is printed as tables. */
#include "commands.h"
#include "predict_nest.h"
#include "record.h"
#include "types.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

struct prediction {
    const struct options *options;
    struct device device;
    struct predict_nest nest;
    struct nest_time time;
    const struct nest_launch *launch; /* that is written */
    struct text text;  /* of an object, and of lists in it: with a last comma */
    json_object *rows; /* a launch each, for the table */
};

typedef unsigned long long num; /* for %llu */

/* ---- What is known of a launch ----------------------------------------------------- */

/* 1 where it is not told. */
static num told(const struct nest_launch *launch, enum nest_fact fact)
{
    return launch->facts[fact] == NEST_NONE ? 1 : (num)launch->facts[fact];
}

static num accesses(const struct prediction *p, bool is_local, enum access_cell cell)
{
    return nest_accesses(p->nest.nest, p->launch, is_local, false, cell) +
           nest_accesses(p->nest.nest, p->launch, is_local, true, cell);
}

/* "key": value, of those that have a key. */
static void write_numbers(struct prediction *p, const char *const *keys,
                          const uint64_t *values, int num_keys)
{
    for (int i = 0; i < num_keys; i++) {
        if (keys[i]) {
            clfold_text_print(&p->text, "'%s': %llu, ", keys[i], (num)values[i]);
        }
    }
}

static void write_accesses(struct prediction *p)
{
    static const char *const keys[ACCESS_CELLS] = { "requests", "items", "bytes",
                                                    "sectors",  "lines", "passes",
                                                    "extra" };
    const struct nest *const nest = p->nest.nest;

    clfold_text_print(&p->text, "'accesses': [");
    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        if (step->kind <= STEP_STORE &&
            p->launch->accesses[step->access][ACCESS_REQUESTS]) {
            clfold_text_print(&p->text, "{'line': %d, 'access': '%s', 'array': '%s', ",
                              step->line, step->kind == STEP_LOAD ? "load" : "store",
                              nest->arrays[step->array].name);
            write_numbers(p, keys, p->launch->accesses[step->access], ACCESS_CELLS);
            clfold_text_print(&p->text, "}, ");
        }
    }
    clfold_text_print(&p->text, "], ");
}

static void write_counts(struct prediction *p)
{
    static const char *const counts[COUNT_OPS] = {
        [COUNT_SUB_GROUPS] = "sub_groups",  [COUNT_BARRIERS] = "barriers",
        [COUNT_BRANCHES] = "branches",      [COUNT_ENTERED] = "blocks_entered",
        [COUNT_DIVERGENT] = "divergent",    [COUNT_TURNS] = "turns",
        [COUNT_ROUNDS] = "rounds_of_loads", [COUNT_LOCAL_ROUNDS] = "rounds_of_local_loads"
    };
    static const char *const items[] = { "global_loads",      "global_stores",
                                         "local_loads",       "local_stores",
                                         "global_load_bytes", "global_store_bytes",
                                         "local_load_bytes",  "local_store_bytes",
                                         "barriers" };
    uint64_t of_items[9] = { [8] = p->launch->all[COUNT_BARRIER_ITEMS] };

    for (int i = 0; i < 8; i++) {
        of_items[i] = nest_accesses(p->nest.nest, p->launch, i % 4 >= 2, i % 2 == 1,
                                    i < 4 ? ACCESS_ITEMS : ACCESS_BYTES);
    }
    clfold_text_print(&p->text, "'counts': {");
    write_numbers(p, counts, p->launch->all, COUNT_OPS);
    write_numbers(p, op_class_names, p->launch->all + COUNT_OPS, OP_CLASSES);
    clfold_text_print(&p->text, "}, 'items': {");
    write_numbers(p, items, of_items, 9);
    clfold_text_print(&p->text, "}, ");
}

static void write_time(struct prediction *p, const struct launch_time *time)
{
    const struct instruction_weights *const w = &instruction_weights;
    char number[32];

    clfold_text_print(
        &p->text,
        "'groups_of_unit': %lld, 'limit': '%s', 'instructions': %.0f, "
        "'sectors': %llu, 'lines': %llu, 'bank_passes': %llu, 'binds': '%s', "
        "'seconds': %.9g, 'traffic': {'fetched_bytes': %.0f, 'bytes_past_l2': "
        "%.0f, 'bytes_under_way_on_a_unit': %.0f, 'gbps': %.6g, "
        "'cache_lines': %llu, 'cache_misses': %llu, 'idle_units': %.6g}, "
        "'terms': {",
        (long long)time->fit.groups, time->fit.limit, time->instructions,
        accesses(p, false, ACCESS_SECTORS), accesses(p, false, ACCESS_LINES),
        accesses(p, true, ACCESS_PASSES), time_term_names[time->binds], time->seconds,
        time->fetched, time->past_l2, time->under_way, time->bandwidth,
        (num)p->launch->looked_up, (num)p->launch->missed, time->tail);
    for (int term = 0; term < TIME_TERMS; term++) {
        snprintf(number, sizeof(number), "%.9g", time->terms[term]);
        clfold_text_print(&p->text, "'%s': %s, ", time_term_names[term],
                          time->is_known[term] ? number : "null");
    }
    clfold_text_print(&p->text, "}, 'assumptions': [");
    if (p->launch->facts[FACT_REGISTERS] == NEST_NONE) {
        clfold_text_print(&p->text, "'registers do not limit the groups on a unit', ");
    }
    if (!time->are_told) {
        clfold_text_print(
            &p->text,
            "'instructions: %g for an operation, %g for a slow one, %g for an access, "
            "%g for a branch, %g for a turn, %g for a barrier'",
            w->simple, w->slow, w->access, w->branch, w->turn, w->barrier);
    }
    clfold_text_print(&p->text, "], ");
}

/* The clfold call that does what the kernel says, its time, and that of the kernel and of
 * one group after it, which leaves one value. */
static void write_fold(struct prediction *p, double seconds)
{
    const struct nest_kernel *const kernel = &p->nest.nest->kernels[p->launch->kernel];
    const struct nest_lanes lanes = predict_lanes(&p->device);
    const clfold_type type = type_parse(kernel->fold_type);
    char name[NEST_NAME], number[32];
    struct predict_nest tiles;
    struct nest_time time = { 0 };
    struct message ignored;

    snprintf(name, sizeof(name), "%s", kernel->fold_op);
    for (char *at = name; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    const clfold_op op = op_parse(name);
    if (!op || !type) {
        clfold_text_print(&p->text, "'fold': 'clfold does not fold %s by %s', ",
                          kernel->fold_type, kernel->fold_op);
        return;
    }
    const struct nest_setting settings[] = { { "n", p->launch->facts[FACT_FOLD] },
                                             { "T", (int64_t)type_size(type) } };
    const bool fits =
        predict_nest(&tiles, predict_tiles(&p->device), &lanes, settings, 2, &ignored) &&
        predict_time(&tiles, &p->device, &time, &ignored);
    snprintf(number, sizeof(number), "%.9g", time.seconds);
    predict_nest_finish(&tiles);
    for (char *at = name; *at; at++) {
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
    }
    clfold_text_print(
        &p->text,
        "'fold': {'seconds': %.9g, 'reduce_tiles_seconds': %s, 'command': 'clfold "
        "reduce --op %s --raw %s FILE', 'fold': 'const clfold_fold fold = { .op = "
        "CLFOLD_%s, .type = CLFOLD_%c%s };', 'call': 'clfold_reduce(context, queue, "
        "&fold, in, 0, out, 0, %llu, 0, NULL, NULL);'}, ",
        seconds, fits ? number : "null", op_name(op), type_name(type), name,
        toupper((unsigned char)*type_name(type)), type_name(type) + 1,
        told(p->launch, FACT_FOLD));
}

/* Formulas (1) to (10), by their numbers, and the time by Hong and Kim. */
static double write_thesis(struct prediction *p)
{
    const struct nest *const nest = p->nest.nest;
    const struct thesis thesis =
        thesis_count(nest, p->launch, &p->device, p->options->predict.cache > 0);
    const struct hong_kim_program *const program = &thesis.program;
    struct hong_kim_device device;

    clfold_text_print(&p->text, "'(1) num_iter_per_thread': %.9g, 'accesses': [",
                      thesis.iterations);
    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        const int access = step->access;
        if (step->kind <= STEP_STORE && thesis.segment[access] > 0) {
            clfold_text_print(&p->text,
                              "{'line': %d, 'array': '%s', 'coalesced': '%s', '(2) "
                              "segment_size': %.9g, "
                              "'(3) stride': %.9g, '(4), (5) per_access': %.9g}, ",
                              step->line, nest->arrays[step->array].name,
                              thesis.is_coalesced[access] ? "yes" : "no",
                              thesis.segment[access], thesis.stride[access],
                              thesis.transactions[access]);
        }
    }
    clfold_text_print(&p->text,
                      "], 'coal_mem_access': %.9g, 'uncoal_mem_access': %.9g, "
                      "'load_bytes_per_warp': %.9g, 'regs_per_thread': %.9g, "
                      "'(6) required_regs': %.9g, '(8) required_shared_mem': %.9g, "
                      "'num_arithm': %.9g, 'num_reciproc': %.9g, 'num_branch': %.9g, "
                      "'num_sync': %.9g, ",
                      program->coalesced, program->uncoalesced, program->bytes,
                      thesis.registers_of_item, thesis.registers, thesis.local,
                      thesis.arithmetic, thesis.reciprocals, thesis.branches,
                      program->barriers);
    if (thesis.reduction_items > 0) {
        clfold_text_print(
            &p->text,
            "'(9), (10) of these': %.9g, 'reduction_kernel': {'groups': 1, "
            "'(7) threads_x': %.9g, 'steps_of_warps': %d, 'values_to_host': %.9g}, ",
            thesis.extra, thesis.reduction_items, thesis.reduction_steps,
            thesis.reduction_values);
    }
    if (!hong_kim_device_of(&p->device, &device) ||
        program->coalesced + program->uncoalesced == 0) {
        clfold_text_print(&p->text, "'hong_and_kim': null");
        return 0;
    }
    const struct hong_kim time = hong_kim(&device, program);
    const double seconds = time.seconds * (double)(told(p->launch, FACT_WAVES) *
                                                   told(p->launch, FACT_TIMES));
    clfold_text_print(&p->text,
                      "'hong_and_kim': {'MWP': %.9g, 'CWP': %.9g, 'Rep': %.9g, 'cycles': "
                      "%.9g, 'cycles_of_barriers': %.9g, 'seconds': %.9g}",
                      time.mwp, time.cwp, time.rounds, time.cycles, time.barrier_cycles,
                      seconds);
    return seconds;
}

/* ---- The command ------------------------------------------------------------------- */

/* Prints what was written: an object, without its last bracket. */
static bool print(struct prediction *p, struct message *message)
{
    clfold_text_print(&p->text, "}");
    json_object *const object = p->text.failed ? NULL : json_tokener_parse(p->text.bytes);
    const struct predict_option *const wish = &p->options->predict;

    clfold_text_finish(&p->text);
    if (p->options->json || !object) {
        return json_print(object, object, message);
    }
    if (p->launch && !wish->explain && !wish->by_thesis) {
        return json_object_array_add(p->rows, object) == 0;
    }
    json_object_object_foreach(object, key, value)
    {
        if (wish->explain || strcmp(key, "assumptions") != 0) {
            json_print_member(key, value, 0);
        }
    }
    putchar('\n');
    json_object_put(object);
    return true;
}

static bool print_launch(struct prediction *p, int i, struct message *message)
{
    const struct nest_counts *const counts = &p->nest.counts;
    const struct nest_launch *const launch = &counts->launches[i];
    const struct launch_time time = time_launch(p->nest.nest, launch, &p->device, i > 0);
    double seconds = time.seconds;

    p->launch = launch;
    clfold_text_print(&p->text,
                      "{'kernel': '%s', 'groups': %llu, 'size': %llu, 'waves': %llu, "
                      "'times': %llu, ",
                      p->nest.nest->kernels[launch->kernel].name, (num)launch->num_groups,
                      (num)launch->num_items, told(launch, FACT_WAVES),
                      told(launch, FACT_TIMES));
    if (p->options->predict.by_thesis) {
        p->time.launches += write_thesis(p);
        return print(p, message);
    }
    write_time(p, &time);
    write_counts(p);
    write_accesses(p);
    if (i + 1 < counts->num && launch[1].num_groups == 1) {
        seconds += time_launch(p->nest.nest, launch + 1, &p->device, true).seconds;
    }
    if (launch->facts[FACT_FOLD] != NEST_NONE) {
        write_fold(p, seconds);
    }
    return print(p, message);
}

static bool print_whole(struct prediction *p, struct message *message)
{
    const struct nest *const nest = p->nest.nest;
    const struct nest_counts *const counts = &p->nest.counts;
    json_object *const device = json_object_new_string(p->device.name);
    num launches = 0;

    p->launch = NULL;
    for (int i = 0; i < counts->num; i++) {
        launches += told(&counts->launches[i], FACT_TIMES);
    }
    clfold_text_print(&p->text, "{'device': %s, 'launches': %llu, 'transfers': [",
                      json_object_to_json_string(device), launches);
    json_object_put(device);
    for (int i = 0; i < nest->num_transfers; i++) {
        const double each = time_transfer(&p->device, counts->transfers[i].bytes);
        clfold_text_print(&p->text,
                          "{'array': '%s', 'way': '%s', 'bytes': %llu, 'times': %llu, "
                          "'seconds': %.9g}, ",
                          nest->arrays[nest->transfers[i].array].name,
                          nest->transfers[i].is_out ? "out" : "in",
                          (num)counts->transfers[i].bytes,
                          (num)counts->transfers[i].times,
                          fmax(each, 0) * (double)counts->transfers[i].times);
    }
    clfold_text_print(&p->text,
                      "], 'assumptions': ['the longest term hides the others', "
                      "'arrays that fit into L2 are fetched once', 'global loads "
                      "wait for each other where a store, an operation, a barrier "
                      "or a turn is between them', %s], ",
                      p->time.has_unknown ? "'transfers take no time: the device has no "
                                            "link'"
                                          : "");
    clfold_text_print(
        &p->text, "'launch_seconds': %.9g, 'transfer_seconds': %.9g, 'seconds': %.9g",
        p->time.launches, p->time.transfers, p->time.launches + p->time.transfers);
    return print(p, message);
}

static void print_device(const struct device *device)
{
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        const struct device_value *const value = &device->numbers[i];
        if (value->is_known) {
            printf("%-22s %12.10g  %s\n", device_number_names[i], value->value,
                   value->source);
        }
    }
}

static void print_rows(const struct prediction *p)
{
    json_print_table(p->rows, 0);
    for (size_t i = 0; i < json_object_array_length(p->rows); i++) {
        json_object *const row = json_object_array_get_idx(p->rows, i);
        json_object *const fold = json_object_object_get(row, "fold");
        if (fold) {
            printf("\n%s, and the same by clfold\n",
                   json_object_get_string(json_object_object_get(row, "kernel")));
            json_print_member("fold", fold, 0);
        }
    }
    putchar('\n');
}

static bool predict(struct prediction *p, struct message *message)
{
    const struct predict_option *const wish = &p->options->predict;
    struct nest_setting settings[PREDICT_MOST_SETS];

    for (int i = 0; i < wish->num_sets; i++) {
        const uint64_t value = wish->sets[i].value;
        settings[i].name = wish->sets[i].name;
        settings[i].value = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    }
    if (!predict_device(&p->device, wish->device ? wish->device : "h100", message)) {
        return false;
    }
    struct nest_lanes lanes = predict_lanes(&p->device);
    lanes.cache = (int)wish->cache * 1024;
    if (!predict_nest(&p->nest, p->options->file, &lanes, settings, wish->num_sets,
                      message) ||
        !predict_time(&p->nest, &p->device, &p->time, message)) {
        return false;
    }
    p->time.launches = wish->by_thesis ? 0 : p->time.launches;
    for (int i = 0; i < p->nest.counts.num; i++) {
        if (!print_launch(p, i, message)) {
            return false;
        }
    }
    if (json_object_array_length(p->rows) > 0) {
        print_rows(p);
    }
    if (wish->explain) {
        print_device(&p->device);
    }
    return print_whole(p, message);
}

bool command_predict(const struct options *options, struct message *message)
{
    if (options->predict.calibrate) {
        return calibrate(options, message);
    }
    struct prediction p = { .options = options, .rows = json_object_new_array() };
    const bool done = p.rows ? predict(&p, message) : json_print(NULL, false, message);

    clfold_text_finish(&p.text);
    predict_nest_finish(&p.nest);
    json_object_put(p.rows);
    return done;
}
