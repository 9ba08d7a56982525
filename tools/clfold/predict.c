/* clfold predict: what the kernels of a nest do on a GPU, and how long. */
#include "commands.h"
#include "nest_time.h"
#include "predict_texts.h"
#include "record.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

struct prediction {
    const struct options *options;
    struct device device;
    struct nest *nest;
    struct nest_counts counts;
    double seconds;
};

/* ---- Texts ------------------------------------------------------------------------- */

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name);

    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static bool refuse_text(const char *path, const struct nest_error *error,
                        struct message *message)
{
    return error->line == 0 ? message_set(message, "%.4000s: %s", path, error->text)
                            : message_set(message, "%.4000s:%d:%d: %s", path, error->line,
                                          error->column, error->text);
}

/* A file by its ending, or a text of the command's own. *owned is to be freed. */
static bool find_text(const char *name, bool is_device, const char **text, size_t *size,
                      char **owned, struct message *message)
{
    char why[CLFOLD_FILE_WHY];

    *owned = NULL;
    if (ends_in(name, is_device ? ".device" : ".nest")) {
        const int error = clfold_file_read(name, MOST_BYTES, owned, size);
        *text = *owned;
        clfold_file_why(error, why);
        return error == 0 || message_set(message, "%.4000s: %s", name, why);
    }
    for (const struct predict_text *row = predict_texts; row->name; row++) {
        if (row->is_device == is_device && strcmp(row->name, name) == 0) {
            *text = row->text;
            *size = row->size;
            return true;
        }
    }
    return message_set(message, "there is no %s %.200s; see clfold predict --help",
                       is_device ? "device" : "nest", name);
}

static bool read_texts(struct prediction *prediction, struct message *message)
{
    const struct options *const options = prediction->options;
    const char *const name = options->predict.device ? options->predict.device : "h100";
    struct nest_error error = { 0 };
    const char *text = NULL;
    char *owned;
    size_t size = 0;

    if (!find_text(name, true, &text, &size, &owned, message)) {
        return false;
    }
    bool done = device_read(&prediction->device, text, size, &error) ||
                refuse_text(name, &error, message);
    clfold_free(owned);
    if (!done || !find_text(options->file, false, &text, &size, &owned, message)) {
        return false;
    }
    prediction->nest = nest_read(text, size, &error);
    clfold_free(owned);
    return prediction->nest || refuse_text(options->file, &error, message);
}

static bool count(struct prediction *prediction, struct message *message)
{
    const struct predict_option *const wish = &prediction->options->predict;
    const struct nest_lanes lanes = {
        .width = (int)device_number(&prediction->device, DEVICE_WIDTH),
        .banks = (int)device_number(&prediction->device, DEVICE_BANKS),
        .cache = (int)wish->cache * 1024
    };
    struct nest_setting settings[PREDICT_MOST_SETS];
    struct nest_error error = { 0 };

    for (int i = 0; i < wish->num_sets; i++) {
        const uint64_t value = wish->sets[i].value;
        settings[i].name = wish->sets[i].name;
        settings[i].value = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    }
    return nest_count(&prediction->counts, prediction->nest, &lanes, settings,
                      wish->num_sets, &error) ||
           refuse_text(prediction->options->file, &error, message);
}

/* ---- For people -------------------------------------------------------------------- */

static uint64_t accesses(const struct prediction *prediction, int i, bool is_local,
                         enum access_cell cell)
{
    const struct nest *const nest = prediction->nest;
    const struct nest_launch *const launch = &prediction->counts.launches[i];

    return nest_accesses(nest, launch, is_local, false, cell) +
           nest_accesses(nest, launch, is_local, true, cell);
}

static const char *kernel_name(const struct prediction *prediction, int i)
{
    return prediction->nest->kernels[prediction->counts.launches[i].kernel].name;
}

static void print_row(const struct prediction *prediction, int i,
                      const struct launch_time *time)
{
    const struct nest_launch *const launch = &prediction->counts.launches[i];

    if (i == 0) {
        printf("%-16s %10s %5s %6s %13s %12s %12s %10s  %s\n", "kernel", "groups", "size",
               "a unit", "instructions", "sectors", "bank passes", "ms", "binds");
    }
    printf("%-16s %10llu %5llu %6lld %13.0f %12llu %12llu %10.4f  %s\n",
           kernel_name(prediction, i), (unsigned long long)launch->num_groups,
           (unsigned long long)launch->num_items, (long long)time->fit.groups,
           time->instructions,
           (unsigned long long)accesses(prediction, i, false, ACCESS_SECTORS),
           (unsigned long long)accesses(prediction, i, true, ACCESS_PASSES),
           time->seconds * 1e3, time_term_names[time->binds]);
}

static void explain_accesses(const struct prediction *prediction,
                             const struct nest_launch *launch)
{
    static const char *const heads[ACCESS_CELLS] = { "requests", "items", "bytes",
                                                     "sectors",  "lines", "passes",
                                                     "extra" };
    const struct nest *const nest = prediction->nest;

    printf("  %-5s %-6s %-12s", "line", "", "array");
    for (int cell = 0; cell < ACCESS_CELLS; cell++) {
        printf(" %12s", heads[cell]);
    }
    putchar('\n');
    for (int i = 0; i < nest->num_steps; i++) {
        const struct nest_step *const step = &nest->steps[i];
        if (step->kind > STEP_STORE || !launch->accesses[step->access][ACCESS_REQUESTS]) {
            continue;
        }
        printf("  %-5d %-6s %-12s", step->line,
               step->kind == STEP_LOAD ? "load" : "store",
               nest->arrays[step->array].name);
        for (int cell = 0; cell < ACCESS_CELLS; cell++) {
            printf(" %12llu", (unsigned long long)launch->accesses[step->access][cell]);
        }
        putchar('\n');
    }
}

static void explain_launch(const struct prediction *prediction, int i,
                           const struct launch_time *time)
{
    const struct nest_launch *const launch = &prediction->counts.launches[i];
    const uint64_t *const all = launch->all;

    printf(
        "\n%s, launch %d: %llu groups of %llu, %lld of them on a unit at once, by %s\n",
        kernel_name(prediction, i), i + 1, (unsigned long long)launch->num_groups,
        (unsigned long long)launch->num_items, (long long)time->fit.groups,
        time->fit.limit);
    explain_accesses(prediction, launch);
    printf("  sub-groups %llu, branches %llu, blocks entered %llu, divergent %llu, turns "
           "of loops %llu, barriers %llu\n  operations of sub-groups:",
           (unsigned long long)all[COUNT_SUB_GROUPS],
           (unsigned long long)all[COUNT_BRANCHES],
           (unsigned long long)all[COUNT_ENTERED],
           (unsigned long long)all[COUNT_DIVERGENT], (unsigned long long)all[COUNT_TURNS],
           (unsigned long long)all[COUNT_BARRIERS]);
    for (int class = 0; class < OP_CLASSES; class ++) {
        printf("%s %s %llu", class > 0 ? "," : "", op_class_names[class],
               (unsigned long long)all[COUNT_OPS + class]);
    }
    printf(
        "\n  fetched %.0f bytes, past L2 %.0f, at %.4g GB/s, with %.0f bytes under way "
        "on a unit\n",
        time->fetched, time->past_l2, time->bandwidth, time->under_way);
    if (launch->looked_up > 0) {
        printf("  cache: %llu of %llu lines missed by the group in the middle\n",
               (unsigned long long)launch->missed, (unsigned long long)launch->looked_up);
    }
    printf("  units that idle beside the last groups lengthen all but latency by %.3f\n",
           time->tail);
    for (int term = 0; term < TIME_TERMS; term++) {
        printf("  %-8s", time_term_names[term]);
        if (time->is_known[term]) {
            printf(" %10.4f ms%s\n", time->terms[term] * 1e3,
                   term == (int)time->binds ? "  binds" : "");
        } else {
            printf(" %10s\n", term == TERM_HOPS ? "none" : "not known");
        }
    }
    if (launch->facts[FACT_REGISTERS] == NEST_NONE) {
        printf("  assumed: registers do not limit the groups on a unit\n");
    }
    if (!time->are_told) {
        const struct instruction_weights *const w = &instruction_weights;
        printf(
            "  assumed: instructions are %g for an operation, %g for a slow one, %g for "
            "an access,\n    %g for a branch, %g for a turn, %g for a barrier\n",
            w->simple, w->slow, w->access, w->branch, w->turn, w->barrier);
    }
}

static void explain_device(const struct device *device)
{
    puts("\nassumed: the longest term hides the others; arrays that fit into L2 are "
         "fetched\nonce; global loads wait for each other where a store, an operation, a "
         "barrier or a\nturn is between them\n");
    for (int i = 0; i < DEVICE_NUMBERS; i++) {
        const struct device_value *const value = &device->numbers[i];
        printf("%-22s", device_number_names[i]);
        if (value->is_known) {
            printf(" %12.10g  %s\n", value->value, value->source);
        } else {
            printf(" %12s\n", "not known");
        }
    }
}

/* ---- The thesis -------------------------------------------------------------------- */

static void print_thesis(struct prediction *prediction, int i)
{
    const struct nest *const nest = prediction->nest;
    const struct nest_launch *const launch = &prediction->counts.launches[i];
    const struct thesis thesis = thesis_count(nest, launch, &prediction->device,
                                              prediction->options->predict.cache > 0);
    const struct hong_kim_program *const program = &thesis.program;
    struct hong_kim_device device;

    printf("%s, launch %d\n", kernel_name(prediction, i), i + 1);
    printf("  (1) num_iter_per_thread %g\n", thesis.iterations);
    for (int k = 0; k < nest->num_steps; k++) {
        const struct nest_step *const step = &nest->steps[k];
        const int access = step->access;
        if (step->kind <= STEP_STORE && thesis.segment[access] > 0) {
            printf("  line %d %s: (2) segment_size %g, (3) stride %g, (%d) %s %g\n",
                   step->line, nest->arrays[step->array].name, thesis.segment[access],
                   thesis.stride[access], thesis.is_coalesced[access] ? 5 : 4,
                   thesis.is_coalesced[access] ? "coal_per_access" : "uncoal_per_access",
                   thesis.transactions[access]);
        }
    }
    printf("  coal_mem_access %g, uncoal_mem_access %g, load_bytes_per_warp %g\n",
           program->coalesced, program->uncoalesced, program->bytes);
    printf("  (6) required_regs %g, of a thread %g; (8) required_shared_mem %g\n",
           thesis.registers, thesis.registers_of_item, thesis.local);
    if (thesis.reduction_items > 0) {
        printf("  (7) threads_x %g; (9), (10) num_sync and num_arithm + %g\n",
               thesis.reduction_items, thesis.extra);
    }
    printf("  num_arithm %g, num_reciproc %g, num_branch %g, num_sync %g\n",
           thesis.arithmetic, thesis.reciprocals, thesis.branches, program->barriers);
    if (!hong_kim_device_of(&prediction->device, &device) ||
        program->coalesced + program->uncoalesced == 0) {
        printf(
            "  the thesis has no time, and the device's file lacks a number for Hong and "
            "Kim's\n");
        return;
    }
    const struct hong_kim time = hong_kim(&device, program);
    printf("  Hong and Kim: MWP %g, CWP %g, %g rounds, %.2f cycles, of which barriers "
           "%.2f: %.4f ms\n",
           time.mwp, time.cwp, time.rounds, time.cycles, time.barrier_cycles,
           time.seconds * 1e3);
    prediction->seconds += time.seconds;
}

/* ---- JSON -------------------------------------------------------------------------- */

static json_object *terms_of(const struct launch_time *time)
{
    json_object *const terms = json_object_new_object();

    for (int term = 0; terms && term < TIME_TERMS; term++) {
        json_object *const value =
            time->is_known[term] ? json_object_new_double(time->terms[term]) : NULL;
        json_object_object_add(terms, time_term_names[term], value);
    }
    return terms;
}

/* Of work-items, as Oclgrind counts them. */
static json_object *items_of(const struct prediction *prediction, int i)
{
    static const char *const keys[] = { "global_loads", "global_stores", "local_loads",
                                        "local_stores" };
    const struct nest_launch *const launch = &prediction->counts.launches[i];
    json_object *const items = json_object_new_object();

    for (int k = 0; items && k < 4; k++) {
        const uint64_t num =
            nest_accesses(prediction->nest, launch, k >= 2, k % 2 == 1, ACCESS_ITEMS);
        json_object_object_add(items, keys[k], json_object_new_uint64(num));
    }
    if (items) {
        json_object_object_add(items, "barriers",
                               json_object_new_uint64(launch->all[COUNT_BARRIER_ITEMS]));
    }
    return items;
}

static bool print_json(const struct prediction *prediction, int i,
                       const struct launch_time *time, struct message *message)
{
    const struct nest_launch *const launch = &prediction->counts.launches[i];
    json_object *const object = json_object_new_object();
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        { "groups", launch->num_groups },
        { "size", launch->num_items },
        { "groups_of_unit", (uint64_t)time->fit.groups },
        { "instructions", (uint64_t)time->instructions },
        { "sectors", accesses(prediction, i, false, ACCESS_SECTORS) },
        { "lines", accesses(prediction, i, false, ACCESS_LINES) },
        { "bank_passes", accesses(prediction, i, true, ACCESS_PASSES) },
        { "fetched_bytes", (uint64_t)time->fetched },
    };
    bool complete =
        object &&
        json_put(object, "kernel", json_object_new_string(kernel_name(prediction, i)));

    for (size_t k = 0; complete && k < sizeof(numbers) / sizeof(numbers[0]); k++) {
        complete =
            json_put(object, numbers[k].key, json_object_new_uint64(numbers[k].value));
    }
    complete =
        complete && json_put(object, "items", items_of(prediction, i)) &&
        json_put(object, "terms", terms_of(time)) &&
        json_put(object, "binds", json_object_new_string(time_term_names[time->binds])) &&
        json_put(object, "seconds", json_object_new_double(time->seconds)) &&
        json_put(object, "device", json_object_new_string(prediction->device.name));
    return json_print(object, complete, message);
}

static bool print_whole_json(const struct prediction *prediction, struct message *message)
{
    json_object *const object = json_object_new_object();
    const bool complete =
        object &&
        json_put(object, "launches", json_object_new_int(prediction->counts.num)) &&
        json_put(object, "seconds", json_object_new_double(prediction->seconds)) &&
        json_put(object, "device", json_object_new_string(prediction->device.name));

    return json_print(object, complete, message);
}

/* ---- The command ------------------------------------------------------------------- */

static bool print_launch(struct prediction *prediction, int i, struct message *message)
{
    const struct options *const options = prediction->options;
    const struct nest_launch *const launch = &prediction->counts.launches[i];
    const struct launch_time time =
        time_launch(prediction->nest, launch, &prediction->device, i > 0);

    if (time.fit.groups == 0) {
        return message_set(message, "%s: a unit of %s holds no group of %s, by its %s",
                           options->file, prediction->device.name,
                           kernel_name(prediction, i), time.fit.limit);
    }
    if (options->predict.by_thesis) {
        print_thesis(prediction, i);
        return true;
    }
    prediction->seconds += time.seconds;
    if (options->json) {
        return print_json(prediction, i, &time, message);
    }
    if (options->predict.explain) {
        explain_launch(prediction, i, &time);
    } else {
        print_row(prediction, i, &time);
    }
    return true;
}

static bool print_all(struct prediction *prediction, struct message *message)
{
    const struct options *const options = prediction->options;

    for (int i = 0; i < prediction->counts.num; i++) {
        if (!print_launch(prediction, i, message)) {
            return false;
        }
    }
    if (options->json) {
        return print_whole_json(prediction, message);
    }
    if (options->predict.explain) {
        explain_device(&prediction->device);
    }
    if (prediction->seconds > 0) {
        printf("\n%s on %s: %.4f ms in %d launch%s\n", options->file,
               prediction->device.name, prediction->seconds * 1e3, prediction->counts.num,
               prediction->counts.num > 1 ? "es" : "");
    }
    return true;
}

bool command_predict(const struct options *options, struct message *message)
{
    struct prediction prediction = { .options = options };
    if (options->predict.calibrate) {
        return calibrate(options, message);
    }
    const bool done = read_texts(&prediction, message) && count(&prediction, message) &&
                      print_all(&prediction, message);

    nest_counts_finish(&prediction.counts);
    free(prediction.nest);
    return done;
}
