/* clfold itself: any call that `clfold explain` can say, of words that it reads. */
#include "opencl.h"

#include "../clfold/options.h"
#include "../clfold/programs.h"
#include "../clfold/session.h"
#include "../clfold/verdicts.h"

#include <clfold/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS = 11 };

/* One that keeps times is apart, since they cost an event for each kernel. */
struct contexts {
    clfold_context *plain, *profiled;
};

/* Members point to others, so it is never copied. */
static struct call {
    char *texts[TEXTS]; /* of the fold, its own */
    clfold_operation operation;
    size_t count;
    struct user_fold user;
    clfold_fold fold;
    clfold_segments segments;
    clfold_place *also_at;
    size_t in, heads, streams[FOLD_MOST_ARGS], out, also, num; /* or LAB_ARRAYS: none */
    struct contexts contexts, own; /* own: with a tuning file */
} calls[LAB_CALLS];

static const struct lab_data *all;
static struct contexts shared;
static struct message warning;
static cl_event first, last; /* of a call that keeps times */

static void open_clfold(const char *device)
{
    char version[32];
    const uint32_t number = clfold_version();

    lab_opencl_open(device);
    snprintf(version, sizeof(version), "%u.%u.%u", number / 10000, number / 100 % 100,
             number % 100);
    lab_put_text("version", version);
}

/* ---- Contexts ---- */

static void close_contexts(struct contexts *contexts)
{
    clfold_context_destroy(&contexts->plain);
    clfold_context_destroy(&contexts->profiled);
}

static void keep_warning(void *user, int level, const char *text)
{
    (void)user;
    if (level == CLFOLD_LOG_WARNING) {
        message_set(&warning, "%s", text);
    }
}

static void keep_event(void *user, const clfold_launch *launch)
{
    cl_event *const ends[] = { &first, &last };

    (void)user;
    for (int i = 0; i < 2; i++) {
        if (launch->index == (i == 0 ? 0 : launch->num_launches - 1)) {
            clRetainEvent(launch->event);
            *ends[i] = launch->event;
        }
    }
}

/* False: the library ignores the tuning file, if there is one. */
static bool open_contexts(struct contexts *contexts, const char *tuning)
{
    char folder[PLACE_SIZE];
    clfold_context_params params = { .log = keep_warning,
                                     .cache_folder = programs_folder(folder),
                                     .tuning_file = tuning,
                                     .load_verdict = verdicts_load,
                                     .save_verdict = verdicts_save };

    warning.text[0] = '\0';
    for (int i = 0; i < 2; i++) {
        params.on_launch = i == 0 ? NULL : keep_event;
        if (clfold_context_create(i == 0 ? &contexts->plain : &contexts->profiled,
                                  lab_opencl.context, lab_opencl.id, &params)) {
            lab_fail("%s", clfold_last_error());
        }
    }
    return !tuning || !strstr(warning.text, tuning) || lab_refuse("%s", warning.text);
}

/* ---- Calls ---- */

static void close_call(struct call *call)
{
    user_fold_finish(&call->user);
    close_contexts(&call->own);
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
    close_contexts(&shared);
}

static void make_data(const struct lab_data *data)
{
    close_calls();
    all = data;
    lab_opencl_data(data);
}

/* What the parser gives may be where it writes the next ones. */
static void own_texts(struct call *call, struct fold_texts *fold)
{
    const char **const texts[TEXTS] = { &fold->combine,    &fold->load,     &fold->result,
                                        &fold->store,      &fold->keep,     &fold->same,
                                        &fold->source,     &fold->identity, &fold->cuts,
                                        &fold->components, &fold->type_name };

    for (int k = 0; k < TEXTS; k++) {
        *texts[k] = call->texts[k] = *texts[k] ? strdup(*texts[k]) : NULL;
    }
}

static bool read_words(struct options *options, int num, char **words,
                       struct message *message)
{
    char **const argv = lab_allocate(((size_t)num + 3) * sizeof(*argv));
    static char command[] = "clfold", explain[] = "explain";

    argv[0] = command;
    argv[1] = explain;
    memcpy(argv + 2, words, (size_t)num * sizeof(*words));
    const bool read = options_read(options, num + 2, argv, message) &&
                      (!options->help || message_set(message, "--help is not a call"));
    free(argv);
    return read;
}

static size_t place(const struct lab_array *array, const struct lab_array *arrays)
{
    return array ? (size_t)(array - arrays) : LAB_ARRAYS;
}

/* Which buffers it takes. */
static void take_arrays(struct call *call)
{
    clfold_fold *const fold = &call->fold;
    clfold_segments *const segments = &call->segments;
    const bool has_heads = fold->segments && segments->by <= CLFOLD_BY_OFFSETS;

    call->in = place(lab_in(all, "in"), all->in);
    call->heads = has_heads ? place(lab_in(all, "heads"), all->in) : LAB_ARRAYS;
    call->out = place(lab_out(all, "out"), all->out);
    call->also = place(lab_out(all, "also"), all->out);
    call->num = place(lab_out(all, "num"), all->out);
    if (call->in == LAB_ARRAYS || call->out == LAB_ARRAYS ||
        (has_heads && call->heads == LAB_ARRAYS)) {
        lab_fail("call: the data have no %s", call->in == LAB_ARRAYS    ? "in"
                                              : call->out == LAB_ARRAYS ? "out"
                                                                        : "heads");
    }
    for (size_t k = 0; k < FOLD_MOST_ARGS; k++) {
        const char *const name = call->user.streams[k] ? call->user.args[k].name : NULL;
        call->streams[k] = name ? place(lab_in(all, name), all->in) : LAB_ARRAYS;
        if (name && call->streams[k] == LAB_ARRAYS) {
            lab_fail("call: the data have no %s", name);
        }
    }
    const bool by_heads = has_heads && segments->by != CLFOLD_BY_OFFSETS &&
                          call->operation == CLFOLD_REDUCE;
    segments->num =
        by_heads ? all->out[call->out].size / call->user.written.out_size : segments->num;
    call->also_at = fold->keep                                   ? &fold->rest_out
                    : by_heads && segments->by == CLFOLD_BY_KEYS ? &fold->keys_out
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
    const struct lab_buffers *const buffers = &lab_opencl.sets[set];

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

    close_call(call);
    if (!read_words(&options, num_words, words, &message)) {
        return lab_refuse("%s", message.text);
    }
    if (*tuning ? !open_contexts(&call->own, tuning)
                : !shared.plain && !open_contexts(&shared, NULL)) {
        return false;
    }
    call->contexts = *tuning ? call->own : shared;
    const struct session session = { .device = lab_opencl.device,
                                     .cl = lab_opencl.context,
                                     .queue = lab_opencl.queue,
                                     .context = call->contexts.plain };
    clfold_fold basis =
        options_fold(&options, options_folds_numbers(&options) ? options.element : 0);
    if (!options.acc) {
        session_choose_type(&session, &basis);
    }
    own_texts(call, &options.fold);
    if (!user_fold_init(&call->user, &options.fold, &basis, &message) ||
        !user_fold_load(&call->user, &session, NULL, &message)) {
        return lab_refuse("%s", message.text);
    }
    call->operation = options.operation;
    call->count = all->count;
    call->fold = call->user.fold;
    if (options_segments(&options, &call->segments, &call->count)) {
        call->fold.segments = &call->segments;
    }
    take_arrays(call);
    const clfold_status status = enqueue(call, 0, call->contexts.plain, lab_opencl.queue);
    if (status < 0 || status == CLFOLD_ERROR_RANGE) {
        lab_fail("%s", clfold_last_error());
    }
    if (status != CLFOLD_OK) {
        session_refuse_fold(&session, &call->user, status, &message);
        return lab_refuse("%s%s%s", message.text, *message.hint ? "; " : "",
                          message.hint);
    }
    return true;
}

static clfold_report explain(const struct call *call, const clfold_fold *fold)
{
    clfold_report report;

    if (clfold_explain(call->contexts.plain, call->operation, fold, call->count, NULL,
                       &report)) {
        lab_fail("%s", clfold_last_error());
    }
    return report;
}

static void describe(unsigned id)
{
    const clfold_report report = explain(&calls[id], &calls[id].fold);

    lab_put_text("algorithm", report.algorithm);
    lab_put_text("policy", report.policy ? report.policy : "none");
    lab_put_number("group_size", (double)report.group_size);
    lab_put_number("num_groups", (double)report.num_groups);
    lab_put_number("items", (double)report.items);
    lab_put_number("tile", (double)report.tile);
    lab_put_number("num_launches", (double)report.num_launches);
    lab_put_number("bytes_read", (double)report.bytes_read);
    lab_put_number("bytes_written", (double)report.bytes_written);
}

static void make_call(unsigned id, size_t set)
{
    if (enqueue(&calls[id], set, calls[id].contexts.plain, lab_opencl.queue)) {
        lab_fail("%s", clfold_last_error());
    }
    lab_opencl_require(clFinish(lab_opencl.queue), "clFinish");
}

/* The first of two calls builds programs. */
static double time_call(unsigned id, size_t set)
{
    double seconds = -1;

    for (int i = 0; i < 2; i++) {
        first = last = NULL;
        if (enqueue(&calls[id], set, calls[id].contexts.profiled, lab_opencl.profiled)) {
            lab_fail("%s", clfold_last_error());
        }
        seconds = first && last ? lab_opencl_seconds(first, last) : -1;
    }
    return seconds;
}

static void trace(const char *name, unsigned id, const char *path)
{
    const struct call *const call = &calls[id];
    const struct lab_buffers *const buffers = &lab_opencl.sets[0];
    clfold_fold fold = call->fold;
    clfold_tile_trace *tiles = NULL;
    size_t num = 0;
    clfold_status status = CLFOLD_OK;

    if (call->operation != CLFOLD_INCLUSIVE_SCAN) {
        lab_fail("%s: call %u is not an inclusive scan", name, id);
    }
    fold.algorithm = fold.algorithm ? fold.algorithm : "scan_lookback";
    /* how many there are; a call that builds the program; and the one that counts */
    for (int i = 0; i < 3 && status == CLFOLD_OK; i++) {
        tiles = i == 1 ? lab_allocate(num * sizeof(*tiles)) : tiles;
        status = clfold_trace(call->contexts.plain, lab_opencl.queue, &fold,
                              buffers->in[call->in], 0, buffers->out[call->out], 0,
                              call->count, tiles, tiles ? num : 0, &num);
    }
    FILE *const file = status == CLFOLD_OK ? fopen(path, "wb") : NULL;
    if (status != CLFOLD_OK) {
        lab_refuse("%s", clfold_last_error());
    } else if (!file || fwrite(tiles, sizeof(*tiles), num, file) < num || fclose(file)) {
        lab_fail("%s: cannot be written", path);
    } else {
        const clfold_report report = explain(call, &fold);
        lab_put_number("tiles", (double)num);
        lab_put_number("tile", (double)report.tile);
        lab_put_number("group_size", (double)report.group_size);
        lab_put_number("groups", (double)report.num_groups);
    }
    free(tiles);
}

static void close_clfold(void)
{
    close_calls();
    lab_opencl_close();
}

int main(int argc, char **argv)
{
    static const struct lab_program program = {
        .name = "clfold",
        .open = open_clfold,
        .data = make_data,
        .call = open_call,
        .describe = describe,
        .make = make_call,
        .time = time_call,
        .spoil = lab_opencl_spoil,
        .read = lab_opencl_read,
        .request = trace,
        .close = close_clfold,
    };

    return lab_main(argc, argv, &program);
}
