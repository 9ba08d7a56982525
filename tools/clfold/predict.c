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
    return (num)nest_told(launch, fact, 1);
}

static num num_launches(const struct nest_launch *launch)
{
    return told(launch, FACT_WAVES) * told(launch, FACT_TIMES);
}

static num accesses(const struct prediction *p, bool is_local, enum access_cell cell)
{
    return nest_all_accesses(p->nest.nest, p->launch, is_local, cell);
}

struct real {
    const char *key;
    double value;
};

/* Up to the one without a key. One that is not finite is not known: null. */
static void write_reals(struct prediction *p, const struct real *real)
{
    for (; real->key; real++) {
        const bool is_known = isfinite(real->value);
        clfold_text_print(&p->text, is_known ? "'%s': %.9g, " : "'%s': null, ", real->key,
                          real->value);
    }
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

    clfold_text_print(&p->text,
                      "'groups_of_unit': %lld, 'limit': '%s', 'sectors': %llu, 'lines': "
                      "%llu, 'bank_passes': %llu, 'binds': '%s', ",
                      (long long)time->fit.groups, time->fit.limit,
                      accesses(p, false, ACCESS_SECTORS),
                      accesses(p, false, ACCESS_LINES), accesses(p, true, ACCESS_PASSES),
                      time_term_names[time->binds]);
    write_reals(p, (const struct real[]){ { "instructions", time->instructions },
                                          { "seconds", time->seconds },
                                          { 0 } });
    clfold_text_print(&p->text, "'traffic': {'cache_lines': %llu, 'cache_misses': %llu, ",
                      (num)p->launch->looked_up, (num)p->launch->missed);
    write_reals(p,
                (const struct real[]){ { "fetched_bytes", time->fetched },
                                       { "bytes_past_l2", time->past_l2 },
                                       { "bytes_under_way_on_a_unit", time->under_way },
                                       { "gbps", time->bandwidth },
                                       { "tail_factor", time->tail },
                                       { 0 } });
    clfold_text_print(&p->text, "}, 'terms': {");
    for (int term = 0; term < TIME_TERMS; term++) {
        write_reals(
            p, (const struct real[]){ { time_term_names[term],
                                        time->is_known[term] ? time->terms[term] : NAN },
                                      { 0 } });
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

/* Of reduce_tiles, or NAN: its nest has items of 4 or 8 bytes, of the elements' type. */
static double tiles_seconds(const struct prediction *p, clfold_op op, clfold_type type)
{
    const struct nest_lanes lanes = predict_lanes(&p->device);
    const struct op_result result = op_result(op);
    const size_t size = clfold_type_size(type);
    const struct nest_setting settings[] = { { "n", p->launch->facts[FACT_FOLD] },
                                             { "T", (int64_t)size } };
    struct predict_nest tiles;
    struct nest_time time;
    struct message ignored;

    if (size < 4 || result.position || result.is_named || result.num > 1) {
        return NAN;
    }
    const bool fits =
        predict_nest(&tiles, predict_tiles(&p->device), &lanes, settings, 2, &ignored) &&
        predict_time(&tiles, &p->device, &time, &ignored);
    predict_nest_finish(&tiles);
    return fits ? time.launches : NAN;
}

/* The clfold call that does what the kernel says, its time, and that of the kernel with
 * the one after it that leaves one value. */
static void write_fold(struct prediction *p, double seconds)
{
    const struct nest_kernel *const kernel = &p->nest.nest->kernels[p->launch->kernel];
    const clfold_type type = type_parse(kernel->fold_type);
    char name[NEST_NAME];
    clfold_layout layout;

    snprintf(name, sizeof(name), "%s", kernel->fold_op);
    for (char *at = name; *at; at++) {
        *at = *at == '_' ? '-' : *at;
    }
    const clfold_op op = op_parse(name);
    const clfold_fold fold = clfold_builtin(op, type);
    clfold_text_print(&p->text, "'fold': {");
    if (!op || !type || clfold_fold_layout(&fold, &layout) != CLFOLD_OK) {
        clfold_text_print(&p->text, "'missing': 'clfold does not fold %s by %s'}, ",
                          kernel->fold_type, kernel->fold_op);
        return;
    }
    write_reals(
        p, (const struct real[]){ { "seconds", seconds },
                                  { "reduce_tiles_seconds", tiles_seconds(p, op, type) },
                                  { 0 } });
    for (char *at = name; *at; at++) {
        *at = *at == '-' ? '_' : (char)toupper((unsigned char)*at);
    }
    clfold_text_print(
        &p->text,
        "'command': 'clfold reduce --op %s --raw %s FILE', 'fold': 'const clfold_fold "
        "fold = { .op = CLFOLD_%s, .type = CLFOLD_%c%s };', 'call': "
        "'clfold_reduce(context, queue, &fold, in, 0, out, 0, %llu, 0, NULL, NULL);'}, ",
        clfold_op_name(op), clfold_type_name(type), name,
        toupper((unsigned char)*clfold_type_name(type)), clfold_type_name(type) + 1,
        told(p->launch, FACT_FOLD));
}

/* Formulas (1) to (10), by their numbers, and the time by Hong and Kim, or NAN. */
static double write_thesis(struct prediction *p)
{
    const struct nest *const nest = p->nest.nest;
    const struct thesis thesis =
        thesis_count(nest, p->launch, &p->device, p->options->predict.cache > 0);
    const struct hong_kim_program *const program = &thesis.program;
    struct hong_kim_device device;

    write_reals(p, (const struct real[]){
                       { "(1) num_iter_per_thread", thesis.iterations }, { 0 } });
    clfold_text_print(&p->text, "'accesses': [");
    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        const int access = step->access;
        if (step->kind <= STEP_STORE && thesis.segment[access] > 0) {
            clfold_text_print(&p->text, "{'line': %d, 'array': '%s', 'coalesced': '%s', ",
                              step->line, nest->arrays[step->array].name,
                              thesis.is_coalesced[access] ? "yes" : "no");
            write_reals(p, (const struct real[]){
                               { "(2) segment_size", thesis.segment[access] },
                               { "(3) stride", thesis.stride[access] },
                               { "(4), (5) per_access", thesis.transactions[access] },
                               { 0 } });
            clfold_text_print(&p->text, "}, ");
        }
    }
    clfold_text_print(&p->text, "], ");
    write_reals(p,
                (const struct real[]){ { "coal_mem_access", program->coalesced },
                                       { "uncoal_mem_access", program->uncoalesced },
                                       { "coal_per_access", program->coalesced_each },
                                       { "uncoal_per_access", program->uncoalesced_each },
                                       { "load_bytes_per_warp", program->bytes },
                                       { "regs_per_thread", thesis.registers_of_item },
                                       { "(6) required_regs", thesis.registers },
                                       { "(8) required_shared_mem", thesis.local },
                                       { "num_arithm", thesis.arithmetic },
                                       { "num_reciproc", thesis.reciprocals },
                                       { "num_branch", thesis.branches },
                                       { "num_sync", program->barriers },
                                       { 0 } });
    if (thesis.reduction_items > 0) {
        write_reals(
            p, (const struct real[]){ { "(9), (10) of these", thesis.extra }, { 0 } });
        clfold_text_print(&p->text, "'reduction_kernel': {'groups': 1, ");
        write_reals(p,
                    (const struct real[]){ { "(7) threads_x", thesis.reduction_items },
                                           { "steps_of_warps", thesis.reduction_steps },
                                           { "values_to_host", thesis.reduction_values },
                                           { 0 } });
        clfold_text_print(&p->text, "}, ");
    }
    if (!hong_kim_device_of(&p->device, &device) ||
        program->coalesced + program->uncoalesced == 0) {
        clfold_text_print(&p->text, "'hong_and_kim': null");
        return NAN;
    }
    const struct hong_kim time = hong_kim(&device, program);
    const double seconds = time.seconds * (double)num_launches(p->launch);
    clfold_text_print(&p->text, "'hong_and_kim': {");
    write_reals(p, (const struct real[]){ { "MWP", time.mwp },
                                          { "CWP", time.cwp },
                                          { "Rep", time.rounds },
                                          { "cycles", time.cycles },
                                          { "cycles_of_barriers", time.barrier_cycles },
                                          { "seconds", seconds },
                                          { 0 } });
    clfold_text_print(&p->text, "}");
    return seconds;
}

/* ---- The command ------------------------------------------------------------------- */

/* Prints what was written: an object, without its last bracket. */
static bool print(struct prediction *p, struct message *message)
{
    clfold_text_print(&p->text, "}");
    enum json_tokener_error error = json_tokener_success;
    json_object *const object =
        p->text.failed ? NULL : json_tokener_parse_verbose(p->text.bytes, &error);
    const struct predict_option *const wish = &p->options->predict;

    clfold_text_finish(&p->text);
    if (error != json_tokener_success) {
        return message_set(message, "the prediction cannot be written as JSON: %s",
                           json_tokener_error_desc(error));
    }
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

/* Whether the next launch folds what this one leaves: SOLVE_12_parts after SOLVE_12. */
static bool is_rest(const struct nest *nest, const struct nest_launch *launch)
{
    const char *const name = nest->kernels[launch[0].kernel].name;
    const char *const next = nest->kernels[launch[1].kernel].name;
    const size_t length = strlen(name);

    return strncmp(next, name, length) == 0 && strcmp(next + length, "_parts") == 0;
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
    if (i + 1 < counts->num && is_rest(p->nest.nest, launch)) {
        seconds += time_launch(p->nest.nest, launch + 1, &p->device, true).seconds;
    }
    if (launch->facts[FACT_FOLD] != NEST_NONE) {
        write_fold(p, seconds);
    }
    return print(p, message);
}

/* Those of all launches. What is only added costs nothing where it is not known. */
static void write_assumptions(struct prediction *p, num launches)
{
    const bool waits =
        device_knows(&p->device, DEVICE_LATENCY) && !device_is_cpu(&p->device);
    const bool crosses = p->nest.nest->num_transfers > 0;
    const struct {
        enum device_number number;
        bool is_used;
    } costs[] = {
        { DEVICE_CALL, true },
        { DEVICE_LAUNCH, launches > 1 },
        { DEVICE_BARRIER, waits },
        { DEVICE_LOCAL_LATENCY, waits },
        { DEVICE_ALU_LATENCY, waits },
        { DEVICE_LINK, crosses },
        { DEVICE_LINK_LATENCY, crosses },
    };

    clfold_text_print(
        &p->text, "'assumptions': ['the longest term hides the others', 'arrays that "
                  "fit into L2 are fetched once', 'global loads wait for each other "
                  "where a store, an operation, a barrier or a turn is between them', "
                  "'the first sub-group of a group is the slowest', ");
    if (p->options->predict.cache > 0) {
        clfold_text_print(&p->text,
                          "'the cache belongs to one group, is filled by one sub-group "
                          "after the other, and is that of the middle group', ");
    }
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++) {
        if (costs[i].is_used && !device_knows(&p->device, costs[i].number)) {
            clfold_text_print(&p->text, "'%s is not known and costs nothing', ",
                              device_number_names[costs[i].number]);
        }
    }
    clfold_text_print(&p->text, "], ");
}

static bool print_whole(struct prediction *p, struct message *message)
{
    const struct nest *const nest = p->nest.nest;
    const struct nest_counts *const counts = &p->nest.counts;
    json_object *const device = json_object_new_string(p->device.name);
    num launches = 0;

    p->launch = NULL;
    for (int i = 0; i < counts->num; i++) {
        launches += num_launches(&counts->launches[i]);
    }
    clfold_text_print(&p->text, "{'device': %s, 'launches': %llu, 'transfers': [",
                      json_object_to_json_string(device), launches);
    json_object_put(device);
    for (int i = 0; i < nest->num_transfers; i++) {
        const double each = time_transfer(&p->device, counts->transfers[i].bytes);
        clfold_text_print(
            &p->text, "{'array': '%s', 'way': '%s', 'bytes': %llu, 'times': %llu, ",
            nest->arrays[nest->transfers[i].array].name,
            nest->transfers[i].is_out ? "out" : "in", (num)counts->transfers[i].bytes,
            (num)counts->transfers[i].times);
        write_reals(p,
                    (const struct real[]){
                        { "seconds", fmax(each, 0) * (double)counts->transfers[i].times },
                        { 0 } });
        clfold_text_print(&p->text, "}, ");
    }
    clfold_text_print(&p->text, "], ");
    write_assumptions(p, launches);
    write_reals(
        p, (const struct real[]){ { "launch_seconds", p->time.launches },
                                  { "transfer_seconds", p->time.transfers },
                                  { "seconds", p->time.launches + p->time.transfers },
                                  { 0 } });
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
