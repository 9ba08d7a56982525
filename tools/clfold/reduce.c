#include "commands.h"
#include "buffer.h"
#include "clock.h"
#include "input.h"
#include "record.h"
#include "result.h"
#include "session.h"
#include "types.h"

#include <stdio.h>

struct reduction {
    struct input input;
    size_t count;
    const char *op; /* its name */
    bool mean;
    clfold_fold fold;
    clfold_arg_value init; /* its value */
    clfold_report report;
    double seconds;
    struct result result;

    struct session session;
    cl_mem in, out;
};

static bool reduce_once(const struct reduction *r, struct message *message)
{
    const clfold_status status =
        clfold_reduce(r->session.context, r->session.queue, &r->fold, r->in, 0, r->out, 0,
                      r->count, 0, NULL, NULL);

    return session_wait(&r->session, status, message);
}

static bool explain(struct reduction *r, size_t count, struct message *message)
{
    const clfold_status status =
        clfold_explain(r->session.context, CLFOLD_REDUCE, &r->fold, count, &r->report);

    return status == CLFOLD_OK || session_refuse(status, message) ||
           (r->mean && message_prefix(message, "--op mean"));
}

static bool reduce(struct reduction *r, bool timed, struct message *message)
{
    /* The first explain refuses a fold before a large file is read for nothing. */
    if (!explain(r, 1, message) ||
        !buffer_load(&r->session, &r->input, &r->in, message)) {
        return false;
    }
    r->count = (size_t)(r->input.bytes / type_size(r->input.type));
    if (r->count == 0 && !r->fold.init && (r->mean || !op_takes_nothing(r->fold.op))) {
        return message_set(message, "%.4096s: is empty, and %s needs at least one number",
                           r->input.name, r->op);
    }
    if (!explain(r, r->count, message) ||
        !buffer_create(&r->session, &r->out, CL_MEM_READ_WRITE, result_size(&r->result),
                       message) ||
        !reduce_once(r, message)) {
        return false;
    }
    /* The first call builds the program; it is the second one that shows the device. */
    if (timed) {
        const double start = clock_now();
        if (!reduce_once(r, message)) {
            return false;
        }
        r->seconds = clock_now() - start;
    }
    const cl_int error =
        clEnqueueReadBuffer(r->session.queue, r->out, CL_TRUE, 0, result_size(&r->result),
                            r->result.items, 0, NULL, NULL);
    if (r->mean) {
        result_divide(&r->result, r->count);
    }
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

static bool print_json(const struct reduction *r, struct message *message)
{
    json_object *const object = json_object_new_object();
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", r->seconds);
    const bool complete =
        object && json_put(object, "op", json_object_new_string(r->op)) &&
        json_put(object, "type", json_object_new_string(type_name(r->input.type))) &&
        json_put(object, "acc", json_object_new_string(type_name(r->fold.type))) &&
        json_put(object, "count", json_object_new_uint64(r->count)) &&
        json_put(object, "result", result_json(&r->result)) &&
        json_put(object, "device", json_object_new_string(r->session.device_name)) &&
        json_put(object, "kernel", json_object_new_string(r->report.algorithm)) &&
        json_put(object, "seconds", json_object_new_double_s(r->seconds, seconds));
    return json_print(object, complete, message);
}

static void finish(struct reduction *r)
{
    if (r->in) {
        clReleaseMemObject(r->in);
    }
    if (r->out) {
        clReleaseMemObject(r->out);
    }
    session_close(&r->session);
    input_close(&r->input);
}

bool command_reduce(const struct options *options, struct message *message)
{
    struct reduction r = { 0 };
    bool done;

    if (!input_open(&r.input, options->file, options->format, options->element,
                    message)) {
        return false;
    }
    r.input.text_form = options->text_form;
    r.op = options_op(options);
    r.mean = options->mean;
    r.fold = options_fold(options, r.input.type);
    r.result = (struct result){ .op = r.fold.op, .type = r.fold.type };

    done = options_init(options, &r.fold, &r.init, message) &&
           session_open(&r.session, options->device, options->profile, message) &&
           reduce(&r, options->json || options->profile, message) &&
           (!options->profile || profile_print(&r.session.profile, message));
    if (done && options->json) {
        done = print_json(&r, message);
    } else if (done) {
        result_print(&r.result);
    }
    finish(&r);
    return done;
}
