#include "trace.h"

#include "buffer.h"
#include "commands.h"
#include "gnuplot.h"
#include "output_file.h"
#include "progress.h"
#include "session.h"
#include "types.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 4 * 1024 * 1024, MOST_ELEMENT_BYTES = 8 };

struct tracing {
    struct trace trace;
    clfold_fold fold;
    struct session session;
    struct ladder_data data; /* the elements so far, and their fold */
    cl_mem in, out;
    clfold_tile_trace *tiles;
    struct progress progress;

    struct ladder_data of_tile; /* that the snapshot shows */
    uint64_t num_wrong;
    struct message wrong; /* the first */
};

static bool explain(struct tracing *t, struct message *message)
{
    const clfold_status status =
        clfold_explain(t->session.context, CLFOLD_INCLUSIVE_SCAN, &t->fold,
                       t->trace.count, NULL, &t->trace.report);

    return status == CLFOLD_OK || session_refuse(status, message);
}

/* With tiles NULL: how many there are. */
static bool trace(struct tracing *t, struct message *message)
{
    const clfold_status status =
        clfold_trace(t->session.context, t->session.queue, &t->fold, t->in, 0, t->out, 0,
                     t->trace.count, t->tiles, t->tiles ? t->trace.records.num : 0,
                     &t->trace.records.num);

    return session_wait(&t->session, status, message);
}

static bool create_buffers(struct tracing *t, struct message *message)
{
    const size_t count = t->trace.count, size = type_size(t->trace.type);
    uint64_t limit = 0;

    if (!buffer_limit(&t->session, &limit, message)) {
        return false;
    }
    if (count > limit / size) {
        return message_set(
            message, "--count %zu: %.200s takes at most %" PRIu64 " bytes in one buffer",
            count, t->session.device_name, limit);
    }
    return buffer_create(&t->session, &t->in, CL_MEM_READ_ONLY, count * size, message) &&
           buffer_create(&t->session, &t->out, CL_MEM_READ_WRITE, count * size, message);
}

static bool make_piece(void *user, void *data, size_t size, struct message *message)
{
    struct tracing *const t = user;
    const size_t num_elements = size / type_size(t->trace.type);

    (void)message;
    ladder_data_next(&t->data, data, num_elements);
    progress_step(&t->progress, num_elements);
    return true;
}

static bool load(struct tracing *t, struct message *message)
{
    ladder_data_begin(&t->data, t->trace.op, t->trace.type, t->trace.count);
    return buffer_visit(t->session.queue, t->in, CL_MAP_WRITE_INVALIDATE_REGION,
                        type_size(t->trace.type), 0, t->trace.count, make_piece, t,
                        message);
}

static bool scan(struct tracing *t, struct message *message)
{
    struct trace_records *const records = &t->trace.records;
    const size_t before = records->num;

    t->tiles = calloc(before, sizeof(*t->tiles));
    if (!t->tiles) {
        return message_set(
            message, "there is not enough memory for the records of %zu tiles", before);
    }
    /* The first one builds the program, and touches new memory. */
    for (int i = 0; i < 2; ++i) {
        if (!trace(t, message)) {
            return false;
        }
    }
    if (!explain(t, message)) {
        return false;
    }
    records->tiles = t->tiles;
    const size_t size = t->trace.report.tile;
    if (size == 0 || (t->trace.count - 1) / size + 1 != records->num) {
        return message_set(message, "the library has traced %zu tiles, of %zu elements",
                           records->num, size);
    }
    if (!trace_choose(records, SNAPSHOT_TILES, &t->trace.snapshot)) {
        return message_set(message,
                           "there is not enough memory for the states of %zu tiles",
                           records->num);
    }
    t->trace.span = trace_span(records);
    t->trace.figures = trace_figures(records);
    return true;
}

static void note_wrong(struct tracing *t, const void *result)
{
    char device[LADDER_RESULT_TEXT], host[LADDER_RESULT_TEXT];

    if (t->num_wrong++ == 0) {
        ladder_data_print(device, &t->data, result);
        ladder_data_print(host, &t->data, NULL);
        message_set(&t->wrong, "number %" PRIu64 " is %s, and the host's %s",
                    t->data.index - 1, device, host);
    }
}

/* The element after `t->data`, for the snapshot's row of its tile. */
static void show(struct tracing *t, const void *element, uint64_t index)
{
    const size_t size = t->trace.report.tile;
    const struct trace_snapshot *const snapshot = &t->trace.snapshot;
    const size_t tile = (size_t)(index / size);
    struct trace_row *const row = &t->trace.rows[tile - snapshot->first];

    if (index % size == 0) {
        ladder_data_begin(&t->of_tile, t->trace.op, t->trace.type, size);
    }
    ladder_data_fold(&t->of_tile, element, 1);
    if (index % size == size - 1 || index == t->trace.count - 1) {
        row->tile = tile;
        row->flag = trace_flag(&t->trace.records, tile, snapshot->time);
        ladder_data_print(row->aggregate, &t->of_tile, NULL);
        ladder_data_print(row->prefix, &t->data, NULL);
    }
}

/* Makes the elements once more, and with each compares what the device has of it. */
static void check_piece(struct tracing *t, const char *results, size_t num)
{
    const struct trace_snapshot *const snapshot = &t->trace.snapshot;
    const size_t size = type_size(t->trace.type);
    const uint64_t begin = (uint64_t)snapshot->first * t->trace.report.tile;
    const uint64_t shown = (uint64_t)snapshot->num * t->trace.report.tile;
    char element[MOST_ELEMENT_BYTES];

    for (size_t i = 0; i < num; i++, results += size) {
        const uint64_t index = t->data.index;
        ladder_data_next(&t->data, element, 1);
        if (!ladder_data_check(&t->data, results)) {
            note_wrong(t, results);
        }
        if (index - begin < shown) {
            show(t, element, index);
        }
    }
}

static bool check(struct tracing *t, struct message *message)
{
    const size_t size = type_size(t->trace.type), bytes = t->trace.count * size;
    char *const results = malloc(PIECE_BYTES);
    cl_int error = CL_SUCCESS;

    if (!results) {
        return message_set(message, "there is not enough memory to read the results");
    }
    ladder_data_begin(&t->data, t->trace.op, t->trace.type, t->trace.count);
    for (size_t at = 0, piece; at < bytes && error == CL_SUCCESS; at += piece) {
        piece = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        error = clEnqueueReadBuffer(t->session.queue, t->out, CL_TRUE, at, piece, results,
                                    0, NULL, NULL);
        if (error == CL_SUCCESS) {
            check_piece(t, results, piece / size);
            progress_step(&t->progress, piece / size);
        }
    }
    free(results);
    t->trace.ok = t->num_wrong == 0;
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

static bool run(struct tracing *t, const struct options *options, char **driver,
                struct message *message)
{
    if (!session_open(&t->session, options->device, false, message)) {
        return false;
    }
    *driver = device_text(t->session.device->id, CL_DRIVER_VERSION);
    t->trace.driver = *driver ? *driver : "unknown";
    t->trace.device_name = t->session.device_name;
    /* Refuses what the library refuses, before data are made for nothing. */
    if (!explain(t, message) || !trace(t, message) || !create_buffers(t, message)) {
        return false;
    }
    progress_begin(&t->progress, "tracing", 2 * (uint64_t)t->trace.count);
    const bool done = load(t, message) && scan(t, message) && check(t, message);
    progress_end(&t->progress);
    if (!done) {
        return false;
    }
    if (options->json) {
        if (!trace_print_json(&t->trace, message)) {
            return false;
        }
    } else {
        trace_print_tables(&t->trace);
    }
    if (options->svg &&
        !output_file_write(options->svg, trace_draw, &t->trace, message)) {
        return false;
    }
    return t->trace.ok || message_set(message, "%" PRIu64 " of %zu results are wrong: %s",
                                      t->num_wrong, t->trace.count, t->wrong.text);
}

bool command_trace(const struct options *options, struct message *message)
{
    char *driver = NULL;

    /* What cannot be written is not traced. */
    if (options->svg &&
        (!output_file_check(options->svg, message) || !gnuplot_check(message))) {
        return false;
    }
    struct tracing *const t = calloc(1, sizeof(*t));
    if (!t) {
        return message_set(message, "there is not enough memory to trace");
    }
    t->trace.op = options->op;
    t->trace.type = options->element;
    t->trace.count = options->count;
    t->trace.records.publishes = strcmp(options->algorithm, "scan_chained") != 0;
    t->fold = (clfold_fold){ .op = options->op,
                             .type = options->element,
                             .algorithm = options->algorithm };
    const bool done = run(t, options, &driver, message);
    if (t->in) {
        clReleaseMemObject(t->in);
    }
    if (t->out) {
        clReleaseMemObject(t->out);
    }
    session_close(&t->session);
    free(t->tiles);
    free(driver);
    free(t);
    return done;
}
