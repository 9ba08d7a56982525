#include "ladder.h"

#include "bench_roofline.h"
#include "buffer.h"
#include "clock.h"
#include "commands.h"
#include "count.h"
#include "gnuplot.h"
#include "ladder_data.h"
#include "output_file.h"
#include "progress.h"
#include "session.h"
#include "types.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct rung ladder_rungs[NUM_RUNGS] = {
    { "reduce0", "reduce0" }, { "reduce1", "reduce1" }, { "reduce2", "reduce2" },
    { "reduce3", "reduce3" }, { "reduce4", "reduce4" }, { "reduce5", "reduce5" },
    { "reduce6", "reduce6" }, { "auto", NULL },
};

enum { LINE = 64 }; /* bytes that the roofline's kernels read at a time */

/* Calls are repeated for so long, within these limits. */
static const double enough_seconds = 0.05;
enum { FEWEST_CALLS = 5, MOST_CALLS = 50 };

struct measurement {
    struct ladder ladder;
    struct session session;
    struct ladder_data data; /* of the count at hand */
    cl_mem in, out;
    struct progress progress;
    bool json;
    size_t num_wrong;
    struct message wrong; /* the first */
};

static clfold_fold fold_of(const struct measurement *m, size_t rung)
{
    return (clfold_fold){ .op = m->ladder.op,
                          .type = m->ladder.type,
                          .algorithm = ladder_rungs[rung].algorithm };
}

/* min itself, then the powers of two up to max. */
static void choose_counts(struct ladder *ladder, size_t min, size_t max)
{
    size_t power = 1;

    ladder->counts[ladder->num_counts++] = min;
    while (power <= min && power <= SIZE_MAX / 2) {
        power *= 2;
    }
    while (power > min && power <= max) {
        ladder->counts[ladder->num_counts++] = power;
        power = power <= SIZE_MAX / 2 ? power * 2 : 0;
    }
}

/* Refuses what the library refuses, before data are made for nothing. */
static bool explain(struct measurement *m, struct message *message)
{
    for (size_t i = 0; i < NUM_RUNGS; i++) {
        const clfold_fold fold = fold_of(m, i);
        const clfold_status status = clfold_explain(
            m->session.context, CLFOLD_REDUCE, &fold,
            m->ladder.counts[m->ladder.num_counts - 1], NULL, &m->ladder.reports[i]);
        if (status != CLFOLD_OK) {
            return session_refuse(status, message);
        }
    }
    return true;
}

static bool create_buffers(struct measurement *m, struct message *message)
{
    const size_t count = m->ladder.counts[m->ladder.num_counts - 1];
    const size_t size = type_size(m->ladder.type);
    uint64_t limit = 0;

    if (!buffer_limit(&m->session, &limit, message)) {
        return false;
    }
    if (count > limit / size) {
        return message_set(
            message, "--max %zu: %.200s takes at most %" PRIu64 " bytes in one buffer",
            count, m->session.device_name, limit);
    }
    return buffer_create(&m->session, &m->in, CL_MEM_READ_ONLY,
                         clfold_size_round_up(count * size, LINE), message) &&
           buffer_create(&m->session, &m->out, CL_MEM_READ_WRITE, LADDER_RESULT_BYTES,
                         message);
}

static bool make_piece(void *user, void *data, size_t size, struct message *message)
{
    struct measurement *const m = user;
    const size_t num_elements = size / type_size(m->ladder.type);

    (void)message;
    ladder_data_next(&m->data, data, num_elements);
    progress_step(&m->progress, num_elements);
    return true;
}

/* Makes the data where the device reads them: no copy stays on the host. */
static bool load(struct measurement *m, size_t count, struct message *message)
{
    ladder_data_begin(&m->data, m->ladder.op, m->ladder.type, count);
    return buffer_visit(m->session.queue, m->in, CL_MAP_WRITE_INVALIDATE_REGION,
                        type_size(m->ladder.type), 0, count, make_piece, m, message);
}

/* What is timed; from enqueue to finish. */
typedef bool timed_call(const void *user, struct message *message);

static bool time_calls(timed_call *call, const void *user, double *median,
                       struct message *message)
{
    double seconds[MOST_CALLS], spent = 0;
    int calls = 0;

    /* The first one builds the program. */
    if (!call(user, message)) {
        return false;
    }
    while (calls < FEWEST_CALLS || (spent < enough_seconds && calls < MOST_CALLS)) {
        const double begin = clock_now();
        if (!call(user, message)) {
            return false;
        }
        seconds[calls] = clock_now() - begin;
        spent += seconds[calls++];
    }
    *median = clock_median(seconds, (size_t)calls);
    return true;
}

struct rung_call {
    const struct measurement *m;
    clfold_fold fold;
    size_t count;
};

static bool call_rung(const void *user, struct message *message)
{
    const struct rung_call *const one = user;
    const struct measurement *const m = one->m;
    const clfold_status status =
        clfold_reduce(m->session.context, m->session.queue, &one->fold, m->in, 0, m->out,
                      0, one->count, 0, NULL, NULL);

    return session_wait(&m->session, status, message);
}

struct read_call {
    const struct measurement *m;
    const struct bench_roofline *roofline;
    enum bench_way way;
    cl_mem sink;
    size_t bytes;
};

static bool call_read(const void *user, struct message *message)
{
    const struct read_call *const one = user;
    const cl_command_queue queue = one->m->session.queue;
    cl_int error = bench_roofline_enqueue(one->roofline, one->way, queue, one->m->in,
                                          NULL, one->sink, one->bytes);

    if (error == CL_SUCCESS) {
        error = clFinish(queue);
    }
    return error == CL_SUCCESS || device_refuse(message, "the roofline's kernel", error);
}

/* On the data of the greatest count, which are loaded. */
static bool measure_roofline(struct measurement *m, struct message *message)
{
    struct ladder *const ladder = &m->ladder;
    const size_t count = ladder->counts[ladder->num_counts - 1];
    struct bench_roofline roofline;
    struct read_call one = { .m = m, .roofline = &roofline };

    one.bytes = clfold_size_round_up(count * type_size(ladder->type), LINE);
    if (!bench_roofline_open(&roofline, &m->session, 0, message)) {
        return false;
    }
    bool done = buffer_create(&m->session, &one.sink, CL_MEM_WRITE_ONLY,
                              bench_roofline_sink(&roofline, one.bytes), message);
    for (int way = 0; done && way < BENCH_WAYS; way++) {
        double seconds;
        one.way = (enum bench_way)way;
        if (!bench_roofline_has(&roofline, one.way)) {
            continue;
        }
        done = time_calls(call_read, &one, &seconds, message);
        if (done && (double)one.bytes / seconds * 1e-9 > ladder->roofline_gbps) {
            ladder->roofline_gbps = (double)one.bytes / seconds * 1e-9;
        }
    }
    if (one.sink) {
        clReleaseMemObject(one.sink);
    }
    bench_roofline_close(&roofline);
    return done;
}

static void note_wrong(struct measurement *m, size_t count, size_t rung,
                       const void *result)
{
    char device[LADDER_RESULT_TEXT], host[LADDER_RESULT_TEXT], text[COUNT_TEXT];

    if (m->num_wrong++ == 0) {
        ladder_data_print(device, &m->data, result);
        ladder_data_print(host, &m->data, NULL);
        count_print(text, count);
        message_set(&m->wrong, "%s at %s gives %s, and the host %s",
                    ladder_rungs[rung].name, text, device, host);
    }
}

static bool measure(struct measurement *m, size_t row, size_t rung,
                    struct message *message)
{
    struct ladder_cell *const cell = &m->ladder.cells[row][rung];
    const size_t count = m->ladder.counts[row];
    const struct rung_call one = { m, fold_of(m, rung), count };
    unsigned char result[LADDER_RESULT_BYTES];

    /* A kernel that writes nothing must not leave the result of the one before. */
    memset(result, 0xa5, sizeof(result));
    cl_int error = clEnqueueWriteBuffer(m->session.queue, m->out, CL_TRUE, 0,
                                        sizeof(result), result, 0, NULL, NULL);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueWriteBuffer", error);
    }
    if (!time_calls(call_rung, &one, &cell->seconds, message)) {
        return false;
    }
    error = clEnqueueReadBuffer(m->session.queue, m->out, CL_TRUE, 0,
                                ladder_data_result_size(&m->data), result, 0, NULL, NULL);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueReadBuffer", error);
    }
    cell->ok = ladder_data_check(&m->data, result);
    if (!cell->ok) {
        note_wrong(m, count, rung, result);
    }
    return true;
}

/* A call on few elements takes its 50 ms as well. */
static uint64_t effort(size_t count)
{
    return count + (UINT64_C(1) << 22);
}

static bool measure_all(struct measurement *m, struct message *message)
{
    uint64_t total = 0;

    for (size_t row = 0; row < m->ladder.num_counts; row++) {
        total += m->ladder.counts[row] + NUM_RUNGS * effort(m->ladder.counts[row]);
    }
    progress_begin(&m->progress, "measuring", total);
    for (size_t row = 0; row < m->ladder.num_counts; row++) {
        if (!load(m, m->ladder.counts[row], message)) {
            return false;
        }
        for (size_t rung = 0; rung < NUM_RUNGS; rung++) {
            if (!measure(m, row, rung, message)) {
                return false;
            }
            if (m->json) {
                progress_hide(&m->progress);
                if (!ladder_print_json(&m->ladder, row, rung, message)) {
                    return false;
                }
            }
            progress_step(&m->progress, effort(m->ladder.counts[row]));
        }
    }
    return measure_roofline(m, message);
}

/* Both are complete before one is put in its place. */
static bool write_files(const struct ladder *ladder, const struct options *options,
                        struct message *message)
{
    struct output_file csv = { 0 }, svg = { 0 }, *const files[] = { &csv, &svg };
    bool done = !options->csv || output_file_begin(&csv, options->csv, message);

    if (done && options->csv) {
        ladder_write_csv(ladder, csv.stream);
        done = output_file_complete(&csv, message);
    }
    done = done && (!options->svg || (output_file_begin(&svg, options->svg, message) &&
                                      (ladder_draw(ladder, svg.stream, message) ||
                                       message_prefix(message, options->svg)) &&
                                      output_file_complete(&svg, message)));
    done = done && output_files_commit(files, 2, message);
    output_file_finish(&csv);
    output_file_finish(&svg);
    return done;
}

static bool run(struct measurement *m, const struct options *options, char **driver,
                struct message *message)
{
    if (!session_open(&m->session, options->device, false, message)) {
        return false;
    }
    *driver = device_text(m->session.device->id, CL_DRIVER_VERSION);
    m->ladder.driver = *driver ? *driver : "unknown";
    m->ladder.device_name = m->session.device_name;
    choose_counts(&m->ladder, options->min, options->max);
    const bool is_cpu = m->session.device->type & CL_DEVICE_TYPE_CPU;
    const bool done =
        explain(m, message) &&
        ladder_predict(&m->ladder, options->predict.device, is_cpu, message) &&
        create_buffers(m, message) && measure_all(m, message);
    progress_end(&m->progress);
    if (!done) {
        return false;
    }
    if (!options->json) {
        ladder_print_tables(&m->ladder);
    }
    if (!write_files(&m->ladder, options, message)) {
        return false;
    }
    return m->num_wrong == 0 ||
           message_set(message, "%zu of %zu results are wrong: %s", m->num_wrong,
                       m->ladder.num_counts * NUM_RUNGS, m->wrong.text);
}

bool command_ladder(const struct options *options, struct message *message)
{
    char *driver = NULL;
    bool done = false;

    /* What cannot be written is not measured. */
    if ((options->csv && !output_file_check(options->csv, message)) ||
        (options->svg &&
         (!output_file_check(options->svg, message) || !gnuplot_check(message)))) {
        return false;
    }
    struct measurement *const m = calloc(1, sizeof(*m));
    if (!m) {
        return message_set(message, "there is not enough memory to measure");
    }
    m->ladder.op = options->op;
    m->ladder.type = options->element;
    m->json = options->json;
    done = run(m, options, &driver, message);
    if (m->in) {
        clReleaseMemObject(m->in);
    }
    if (m->out) {
        clReleaseMemObject(m->out);
    }
    session_close(&m->session);
    free(driver);
    free(m);
    return done;
}
