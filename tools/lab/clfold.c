/* clfold itself: any call that `clfold explain` can say, whose parser reads the words. */
#include "opencl.h"

#include "../clfold/options.h"
#include "../clfold/programs.h"
#include "../clfold/session.h"
#include "../clfold/verdicts.h"

#include <clfold/experimental.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 11 };

/* Members point to others, so it is never copied. Arrays are numbered as lab_in does. */
static struct call {
    clfold_context *context, *profiled; /* which keeps events */
    clfold_operation operation;
    size_t count;
    struct user_fold user;
    clfold_fold fold;
    clfold_segments segments;
    clfold_place *also_at;
    size_t in, heads, streams[FOLD_MOST_ARGS], out, also, num;
    char *texts[TEXTS]; /* of the fold */
} calls[LAB_CALLS];

static cl_event first, last; /* of a call whose context keeps events */

static void require(clfold_status status)
{
    if (status != CLFOLD_OK) {
        lab_fail("%s", clfold_last_error());
    }
}

/* Of the opening alone: later ones a report has as well. */
static void put_warning(void *user, int level, const char *text)
{
    bool *const is_open = user;

    if (!*is_open && level > CLFOLD_LOG_ERROR) {
        lab_put_text("warning", text);
        *is_open = true;
    }
}

static void keep_events(void *user, const clfold_launch *launch)
{
    (void)user;
    if (launch->index == 0) {
        clRetainEvent(first = launch->event);
    }
    if (launch->index == launch->num_launches - 1) {
        clRetainEvent(last = launch->event);
    }
}

static void open_contexts(struct call *call, const char *tuning)
{
    char folder[PLACE_SIZE];
    const cl_device_id id = lab_opencl.device->id;
    static bool is_open;
    clfold_context_params params = { .log = put_warning,
                                     .user = &is_open,
                                     .cache_folder = programs_folder(folder),
                                     .tuning_file = *tuning ? tuning : NULL,
                                     .load_verdict = verdicts_load,
                                     .save_verdict = verdicts_save };

    is_open = false;
    require(clfold_context_create(&call->context, lab_opencl.context, id, &params));
    is_open = true;
    params.on_launch = keep_events;
    require(clfold_context_create(&call->profiled, lab_opencl.context, id, &params));
}

static void close_call(struct call *call)
{
    user_fold_finish(&call->user);
    clfold_context_destroy(&call->context);
    clfold_context_destroy(&call->profiled);
    for (int k = 0; k < TEXTS; k++) {
        free(call->texts[k]);
    }
    *call = (struct call){ 0 };
}

static void close_calls(void)
{
    for (int id = 0; id < LAB_CALLS; id++) {
        close_call(&calls[id]);
    }
}

/* The parser's are the request's, or where it reads the next file. */
static void copy_texts(struct call *call, struct fold_texts *fold)
{
    const char **const texts[TEXTS] = { &fold->combine,    &fold->load,     &fold->result,
                                        &fold->store,      &fold->keep,     &fold->same,
                                        &fold->source,     &fold->identity, &fold->cuts,
                                        &fold->components, &fold->type_name };

    for (int k = 0; k < TEXTS; k++) {
        *texts[k] = call->texts[k] = *texts[k] ? strdup(*texts[k]) : NULL;
    }
}

static void choose_arrays(struct call *call)
{
    clfold_fold *const fold = &call->fold;
    clfold_segments *const segments = &call->segments;
    const bool has_heads = fold->segments && segments->by <= CLFOLD_BY_OFFSETS,
               finds_segments = has_heads && segments->by != CLFOLD_BY_OFFSETS &&
                                call->operation == CLFOLD_REDUCE;

    call->in = lab_in("in");
    call->heads = has_heads ? lab_in("heads") : LAB_ARRAYS;
    call->out = lab_out("out");
    call->also = lab_out("also");
    call->num = lab_out("num");
    for (size_t k = 0; k < fold->num_args; k++) {
        call->streams[k] =
            call->user.streams[k] ? lab_in(fold->args[k].name) : LAB_ARRAYS;
    }
    if (finds_segments) {
        segments->num = lab_data.out[call->out].size / call->user.written.out_size;
    }
    call->also_at = fold->keep ? &fold->rest_out
                    : finds_segments && segments->by == CLFOLD_BY_KEYS
                        ? &fold->keys_out
                        : &fold->lengths_out;
}

static clfold_status enqueue(struct call *call, size_t set, clfold_context *context,
                             cl_command_queue queue)
{
    static __typeof__(clfold_reduce) *const functions[] = {
        [CLFOLD_REDUCE] = clfold_reduce,
        [CLFOLD_INCLUSIVE_SCAN] = clfold_inclusive_scan,
        [CLFOLD_EXCLUSIVE_SCAN] = clfold_exclusive_scan,
        [CLFOLD_MAP] = clfold_map,
        [CLFOLD_SELECT] = clfold_select,
    };
    const struct lab_set *const buffers = &lab_data.sets[set];

    call->segments.mem = buffers->in[call->heads];
    call->also_at->mem = buffers->out[call->also];
    call->fold.num_out.mem = buffers->out[call->num];
    for (size_t k = 0; k < call->fold.num_args; k++) {
        if (call->streams[k] < LAB_ARRAYS) {
            call->user.args[k].mem = buffers->in[call->streams[k]];
        }
    }
    return functions[call->operation](context, queue, &call->fold, buffers->in[call->in],
                                      0, buffers->out[call->out], 0, call->count, 0, NULL,
                                      NULL);
}

static bool open_call(unsigned id, const char *tuning, int num_words, char **words)
{
    struct call *const call = &calls[id];
    struct options options;
    struct message message = { .text = "" };
    char clfold[] = "clfold", explain[] = "explain",
         *argv[LAB_FIELDS + 3] = { clfold, explain };

    close_call(call);
    memcpy(argv + 2, words, (size_t)num_words * sizeof(*words));
    if (!options_read(&options, num_words + 2, argv, &message) || options.help) {
        return lab_refuse("%s", options.help ? "--help is not a call" : message.text);
    }
    open_contexts(call, tuning);
    const struct session session = { .device = lab_opencl.device,
                                     .cl = lab_opencl.context,
                                     .queue = lab_opencl.queue,
                                     .context = call->context };
    clfold_fold basis =
        options_fold(&options, options_folds_numbers(&options) ? options.element : 0);
    if (!options.acc) {
        session_choose_type(&session, &basis);
    }
    copy_texts(call, &options.fold);
    if (!user_fold_init(&call->user, &options.fold, &basis, &message) ||
        !user_fold_load(&call->user, &session, NULL, &message)) {
        return lab_refuse("%s", message.text);
    }
    call->operation = options.operation;
    call->count = lab_data.count;
    call->fold = call->user.fold;
    if (options_segments(&options, &call->segments, &call->count)) {
        call->fold.segments = &call->segments;
    }
    choose_arrays(call);
    const clfold_status status = enqueue(call, 0, call->context, lab_opencl.queue);
    if (status < 0 || status == CLFOLD_ERROR_RANGE) {
        require(status);
    }
    return status == CLFOLD_OK ||
           session_refuse_fold(&session, &call->user, status, &message) ||
           lab_refuse("%s%s%s", message.text, *message.hint ? "; " : "", message.hint);
}

/* The report, and the numbers as a row of a tuning file. */
static void describe(unsigned id)
{
    const struct call *const call = &calls[id];
    clfold_report report;
    clfold_tuning_row row;

    require(clfold_explain(call->context, call->operation, &call->fold, call->count, NULL,
                           &report));
    lab_put_text("algorithm", report.algorithm);
    lab_put_text("policy", report.policy ? report.policy : "none");
    lab_put_number("group_size", (double)report.group_size);
    lab_put_number("num_groups", (double)report.num_groups);
    lab_put_number("items", (double)report.items);
    lab_put_number("num_launches", (double)report.num_launches);
    require(clfold_explain_tuning(call->context, call->operation, &call->fold,
                                  call->count, &row));
    const unsigned c = row.count_class;
    lab_say("row",
            "%s %u 2^%u..2^%u tile=%s tile_bytes=%" PRIu64 " group_size=%" PRIu64
            " groups=%" PRIu64 " lane_bytes=%" PRIu64 " anchor=%" PRIu64
            " ahead_bytes=%" PRIu64 " stream_bytes=%" PRIu64 " on %s",
            row.operation, row.element_bytes, c ? 2 * c - 1 : 0, 2 * c + 1, row.tile,
            row.tile_bytes, row.group_size, row.groups, row.lane_bytes, row.anchor,
            row.ahead_bytes, row.stream_bytes, row.device);
}

static void make_call(unsigned id, size_t set)
{
    require(enqueue(&calls[id], set, calls[id].context, lab_opencl.queue));
    lab_opencl_require(clFinish(lab_opencl.queue), "clFinish");
}

/* The first of two calls builds programs. */
static double time_call(unsigned id, size_t set)
{
    double seconds = -1;

    for (int i = 0; i < 2; i++) {
        first = last = NULL;
        require(enqueue(&calls[id], set, calls[id].profiled, lab_opencl.profiled));
        seconds = first && last ? lab_opencl_seconds(first, last) : -1;
    }
    return seconds;
}

static void trace(const char *name, unsigned id, const char *path)
{
    const struct call *const call = &calls[id];
    const struct lab_set *const buffers = &lab_data.sets[0];
    clfold_fold fold = call->fold;
    clfold_tile_trace *tiles = NULL;
    clfold_report report;
    size_t num = 0;

    if (call->operation != CLFOLD_INCLUSIVE_SCAN) {
        lab_fail("%s: call %u is not an inclusive scan", name, id);
    }
    fold.algorithm = fold.algorithm ? fold.algorithm : "scan_lookback";
    /* how many there are; what builds the program; and what counts */
    for (int i = 0; i < 3; i++) {
        tiles = i == 1 ? lab_allocate(num * sizeof(*tiles)) : tiles;
        require(clfold_trace(call->context, lab_opencl.queue, &fold,
                             buffers->in[call->in], 0, buffers->out[call->out], 0,
                             call->count, tiles, i == 0 ? 0 : num, &num));
    }
    require(clfold_explain(call->context, CLFOLD_INCLUSIVE_SCAN, &fold, call->count, NULL,
                           &report));
    FILE *const file = fopen(path, "wb");
    if (!file || fwrite(tiles, sizeof(*tiles), num, file) < num || fclose(file) != 0) {
        lab_fail("%s: cannot be written", path);
    }
    free(tiles);
    lab_put_number("tiles", (double)num);
    lab_put_number("tile", (double)report.tile);
    lab_put_number("group_size", (double)report.group_size);
    lab_put_number("groups", (double)report.num_groups);
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "clfold",
        .call = open_call,
        .make = make_call,
        .memory = &lab_opencl_memory,
        .open = lab_opencl_open,
        .data = close_calls,
        .describe = describe,
        .time = time_call,
        .request = trace,
        .close = close_calls,
    };

    return lab_main(argc, argv, &program);
}
