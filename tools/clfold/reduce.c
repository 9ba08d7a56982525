#include "commands.h"
#include "folding.h"
#include "record.h"
#include "result.h"
#include "types.h"

#include <stdio.h>

static bool take_result(void *user, struct folding *f, size_t count,
                        struct message *message)
{
    struct result *const result = user, piece = *result;
    const cl_int error =
        clEnqueueReadBuffer(f->session.queue, f->results[f->pieces % 2], CL_TRUE, 0,
                            result_size(&piece), piece.items, 0, NULL, NULL);

    (void)count;
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueReadBuffer", error);
    }
    result_add(result, &piece, f->count);
    return true;
}

static bool print_json(const struct folding *f, const struct result *result,
                       struct message *message)
{
    json_object *const object = json_object_new_object();
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", f->seconds);
    const bool complete =
        object && json_put(object, "op", json_object_new_string(f->op)) &&
        json_put(object, "type", json_object_new_string(type_name(f->input.type))) &&
        json_put(object, "acc", json_object_new_string(type_name(f->fold.type))) &&
        json_put(object, "count", json_object_new_uint64(f->count)) &&
        json_put(object, "pieces", json_object_new_uint64(f->pieces)) &&
        json_put(object, "result", result_json(result)) &&
        json_put(object, "device", json_object_new_string(f->session.device_name)) &&
        json_put(object, "kernel", json_object_new_string(f->report.algorithm)) &&
        json_put(object, "seconds", json_object_new_double_s(f->seconds, seconds));
    return json_print(object, complete, message);
}

bool command_reduce(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    struct result result = { 0 };
    bool done = folding_open(&f, options, message);

    if (done) {
        result = (struct result){ .op = f.fold.op, .type = f.fold.type };
        done = folding_run(&f, options->memory, take_result, &result, message);
    }
    if (done && f.mean) {
        result_divide(&result, f.count);
    }
    if (done && options->profile) {
        profile_print(&f.session.profile);
    }
    if (done && options->json) {
        done = print_json(&f, &result, message);
    } else if (done) {
        result_print(&result);
    }
    folding_close(&f);
    return done;
}
