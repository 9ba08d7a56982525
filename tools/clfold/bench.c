/* clCreateCommandQueue, since devices of OpenCL 1.2 have no other */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include "bench.h"

#include "commands.h"
#include "count.h"
#include "gnuplot.h"
#include "machine.h"
#include "output_file.h"
#include "progress.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The summary of all rows, for the end. */
struct outcome {
    struct progress progress;
    size_t num_wrong, num_broken;
    const struct bench_row *wrong, *broken; /* the first */
};

static struct bench_row *row_of(const struct bench *bench, size_t one, size_t count)
{
    return &bench->rows[one * bench->num_counts + count];
}

/* Rejects a case that the device or the library rejects, before anything is measured. */
static bool check_case(const struct bench *bench, const struct bench_case *one,
                       struct message *message)
{
    const size_t most = bench->counts[bench->num_counts - 1];
    const clfold_fold fold = bench_fold_of(one);
    clfold_report report;

    const clfold_status status = clfold_explain(bench->session.context, one->operation,
                                                &fold, most, NULL, &report);
    return status == CLFOLD_OK ? bench_buffers_check(bench, one, most, message)
                               : session_refuse(status, message);
}

static bool prepare(struct bench *bench, const struct options *options,
                    struct message *message)
{
    bench->num_cases =
        bench_choose_cases(&options->bench, session_has_type(&bench->session, CLFOLD_F16),
                           session_has_type(&bench->session, CLFOLD_F64), bench->cases);
    bench->num_counts = bench_choose_counts(options->min, options->max, bench->counts);
    if (bench->num_cases == 0) {
        return message_set(message, "%.200s has no type to measure",
                           bench->session.device_name);
    }
    for (size_t i = 0; i < bench->num_cases; i++) {
        if (!check_case(bench, &bench->cases[i], message)) {
            return false;
        }
    }
    bench->rows = calloc(bench->num_cases * bench->num_counts, sizeof(*bench->rows));
    return bench->rows || message_set(message, "there is not enough memory to measure");
}

static bool report_row(const struct bench *bench, struct bench_row *row, bool json,
                       struct outcome *outcome, struct message *message)
{
    if (!row->ok && outcome->num_wrong++ == 0) {
        outcome->wrong = row;
    }
    if (row->broken && outcome->num_broken++ == 0) {
        outcome->broken = row;
    }
    progress_hide(&outcome->progress);
    if (!json) {
        bench_print_row(bench, row);
    } else if (!bench_print_json(bench, row, message)) {
        return false;
    }
    /* A reader sees each as it comes, and without one there is nothing to measure. */
    return fflush(stdout) == 0 ||
           message_set(message, "standard output: %s", strerror(errno));
}

static uint64_t effort(size_t count)
{
    return count + (UINT64_C(1) << 22);
}

/* The last case's, if it moves as much: its program need not be built again. */
static bool open_roofline(struct bench *bench, const struct bench_case *one,
                          struct message *message)
{
    const size_t times =
        one->operation == CLFOLD_REDUCE ? 0 : bench_out_size(one) / bench_in_size(one);

    if (bench->roofline.program && bench->roofline.times == times) {
        return true;
    }
    bench_roofline_close(&bench->roofline);
    return bench_roofline_open(&bench->roofline, &bench->session, times, message);
}

static bool measure_case(struct bench *bench, size_t place, bool json,
                         struct outcome *outcome, struct message *message)
{
    const struct bench_case *const one = &bench->cases[place];
    bool done = open_roofline(bench, one, message);

    for (size_t i = 0; done && i < bench->num_counts; i++) {
        struct bench_row *const row = row_of(bench, place, i);
        row->one = *one;
        row->count = bench->counts[i];
        done = bench_measure(bench, row, message) &&
               report_row(bench, row, json, outcome, message);
        progress_step(&outcome->progress, effort(row->count));
    }
    return done;
}

/* In cache the memory does not count, and short runs stay short. */
enum { MEMORY_COUNT = 1 << 24 };
static const struct bench_case memory_cases[] = {
    { CLFOLD_REDUCE, BENCH_ADD, CLFOLD_I32, CLFOLD_I32 },
    { CLFOLD_INCLUSIVE_SCAN, BENCH_ADD, CLFOLD_I32, CLFOLD_I32 },
};

static bool needs_memory(const struct bench *bench)
{
    const size_t most = bench->counts[bench->num_counts - 1];
    struct message message;
    bool judged = false;

    for (size_t i = 0; i < bench->num_cases; i++) {
        judged = judged || bench_bytes(&bench->cases[i], most) >= BENCH_JUDGED_BYTES;
    }
    return judged && bench_buffers_check(bench, &memory_cases[1], MEMORY_COUNT, &message);
}

/* when: 0 at the start, 1 at the end */
static bool measure_memory(struct bench *bench, int when, struct message *message)
{
    bool done = true;

    for (int i = 0; done && bench->has_memory && i < 2; i++) {
        struct bench_row *const row = &bench->memory[i][when];
        *row = (struct bench_row){ .one = memory_cases[i],
                                   .count = MEMORY_COUNT,
                                   .is_limit = true };
        done = open_roofline(bench, &row->one, message) &&
               bench_measure(bench, row, message);
    }
    return done;
}

static bool tell_memory(struct bench *bench, bool json, struct message *message)
{
    for (int i = 0; i < 2; i++) {
        const struct bench_row *const limits = bench->memory[i];
        bench->memory_moved |=
            bench_memory_moved(limits[0].roofline_gbps, limits[1].roofline_gbps);
    }
    if (bench->has_memory && json) {
        return bench_print_memory_json(bench, message);
    }
    if (bench->has_memory) {
        fputs("memory: ", stdout);
        bench_print_memory(bench, stdout);
    }
    return true;
}

static bool measure_all(struct bench *bench, bool json, struct outcome *outcome,
                        struct message *message)
{
    uint64_t total = 0;
    bool done;

    for (size_t i = 0; i < bench->num_counts; i++) {
        total += bench->num_cases * effort(bench->counts[i]);
    }
    progress_begin(&outcome->progress, "measuring", total);
    if (!json) {
        bench_print_head(bench);
    }
    bench->has_memory = needs_memory(bench);
    done = measure_memory(bench, 0, message);
    for (size_t i = 0; done && i < bench->num_cases; i++) {
        done = measure_case(bench, i, json, outcome, message);
    }
    done = done && measure_memory(bench, 1, message);
    progress_end(&outcome->progress);
    bench_roofline_close(&bench->roofline);
    return done && tell_memory(bench, json, message);
}

/* "reduce add f32 at 2^20" */
static void name_row(const struct bench_row *row, char *to, size_t size)
{
    char type[BENCH_TYPE_TEXT], count[COUNT_TEXT];

    bench_print_type(type, &row->one);
    count_print(count, row->count);
    snprintf(to, size, "%s %s %s at %s", bench_operation_name(row->one.operation),
             bench_fold_name(row->one.fold), type, count);
}

static bool conclude(const struct bench *bench, const struct outcome *outcome,
                     struct message *message)
{
    const size_t num_rows = bench->num_cases * bench->num_counts;
    char name[128];

    if (outcome->num_broken > 0) {
        const struct bench_row *const row = outcome->broken;
        name_row(row, name, sizeof(name));
        message_warn("%zu of %zu rooflines of kernels are broken: for %s kernels reach "
                     "%.4g GB/s, and native loops %.4g",
                     outcome->num_broken, num_rows, name, row->opencl_gbps,
                     row->native_gbps);
    }
    if (bench->memory_moved && !message_is_silenced()) {
        fputs("clfold: warning: the memory's speed changed by more than 15 %: ", stderr);
        bench_print_memory(bench, stderr);
    }
    if (outcome->num_wrong == 0) {
        return true;
    }
    name_row(outcome->wrong, name, sizeof(name));
    return message_set(message, "%zu of %zu cases are wrong: %s: %s", outcome->num_wrong,
                       num_rows, name, outcome->wrong->wrong);
}

/* A file that cannot be used is reported before anything is measured. */
static bool open_against(struct bench *bench, const char *path, struct message *message)
{
    char *text = NULL;
    const bool done = !path || tune_file_read(path, true, &bench->session, &text,
                                              &bench->against, message);

    clfold_free(text);
    return done;
}

static bool run(struct bench *bench, const struct options *options,
                struct message *message)
{
    struct outcome outcome = { 0 };

    if (!session_open(&bench->session, options->device, false, message) ||
        !open_against(bench, options->against, message)) {
        return false;
    }
    bench->seconds = options->seconds;
    bench->driver = device_text(bench->session.device->id, CL_DRIVER_VERSION);
    machine_print(&bench->machine, "");
    bench->profiling = clCreateCommandQueue(bench->session.cl, bench->session.device->id,
                                            CL_QUEUE_PROFILING_ENABLE, NULL);
    return prepare(bench, options, message) &&
           measure_all(bench, options->json, &outcome, message) &&
           (!options->svg ||
            output_file_write(options->svg, bench_draw, bench, message)) &&
           conclude(bench, &outcome, message);
}

bool command_bench(const struct options *options, struct message *message)
{
    /* What cannot be written is not measured. */
    if (options->svg &&
        (!output_file_check(options->svg, message) || !gnuplot_check(message))) {
        return false;
    }
    struct bench *const bench = calloc(1, sizeof(*bench));
    if (!bench) {
        return message_set(message, "there is not enough memory to measure");
    }
    const bool done = run(bench, options, message);
    if (bench->profiling) {
        clReleaseCommandQueue(bench->profiling);
    }
    tune_context_close(&bench->against);
    session_close(&bench->session);
    clfold_text_finish(&bench->machine);
    free(bench->driver);
    free(bench->rows);
    free(bench);
    return done;
}
