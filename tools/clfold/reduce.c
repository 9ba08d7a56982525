#include "commands.h"
#include "folding.h"
#include "output_file.h"
#include "record.h"
#include "result.h"
#include "results.h"
#include "types.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The fold of all pieces so far. */
static bool take_bytes(void *user, struct folding *f, size_t count,
                       struct message *message)
{
    const cl_int error =
        clEnqueueReadBuffer(f->session.queue, f->result, CL_TRUE, 0,
                            f->user.written.out_size, user, 0, NULL, NULL);

    (void)count;
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

struct outcome {
    struct writer writer;
    const void *bytes;
};

static bool write_outcome(const void *user, FILE *stream, struct message *message)
{
    const struct outcome *const outcome = user;
    struct writer writer = outcome->writer;

    writer.stream = stream;
    return (writer_begin(&writer, 1) && writer_put(&writer, outcome->bytes, 1)) ||
           message_set(message, "%s", strerror(errno));
}

/* A result, printed or into a file. */
static bool put_outcome(const struct folding *f, const struct options *options,
                        const void *bytes, struct message *message)
{
    const struct outcome outcome = {
        folding_writer(f, options->out ? options->out_format : FORMAT_TEXT), bytes
    };

    return output_file_write(options->out ? options->out : "-", write_outcome, &outcome,
                             message);
}

static json_object *fields_json(const struct folding *f, const unsigned char *bytes)
{
    const clfold_layout *const layout = &f->user.written;

    if (f->user.converts && !folding_writer(f, FORMAT_TEXT).layout) {
        return value_json(layout->fields[0].type, bytes);
    }
    json_object *const object = json_object_new_object();
    for (uint32_t k = 0; object && k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        if (field->type) {
            json_put(object, field->name, value_json(field->type, bytes + field->offset));
        }
    }
    return object;
}

static json_object *shape_json(const struct npy_shape *shape)
{
    json_object *const array = json_object_new_array();

    for (int i = 0; array && i < shape->num; i++) {
        json_object_array_add(array, json_object_new_uint64(shape->sizes[i]));
    }
    return array;
}

/* Takes `result`, which is called `key`. */
static bool print_json(const struct folding *f, const char *key, json_object *result,
                       struct message *message)
{
    json_object *const object = json_object_new_object();
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", f->seconds);
    const bool complete =
        object && json_put(object, "op", json_object_new_string(f->op)) &&
        json_put(object, "type",
                 json_object_new_string(folding_type(f, f->input.type))) &&
        json_put(object, "acc", json_object_new_string(folding_type(f, f->fold.type))) &&
        (!f->user.converts ||
         json_put(object, "out", json_object_new_string(folding_out(f)))) &&
        json_put(object, "count", json_object_new_uint64(f->count)) &&
        json_put(object, "pieces", json_object_new_uint64(f->pieces)) &&
        json_put(object, key, result) &&
        json_put(object, "device", json_object_new_string(f->session.device_name)) &&
        json_put(object, "kernel", json_object_new_string(f->report.algorithm)) &&
        json_put(object, "seconds", json_object_new_double_s(f->seconds, seconds));
    return json_print(object, complete, message);
}

static bool reduce_built_in(struct folding *f, const struct options *options,
                            struct message *message)
{
    struct result result = { .op = f->fold.op, .type = f->fold.type };

    if (!folding_run(f, options->memory, take_bytes, result.items, message)) {
        return false;
    }
    if (f->mean) {
        result_divide(&result, f->count);
    }
    if (options->out && !put_outcome(f, options, result.items, message)) {
        return false;
    }
    if (options->profile) {
        profile_print(&f->session.profile);
    }
    if (options->json) {
        return print_json(f, "result", result_json(&result), message);
    }
    if (!options->out) {
        result_print(&result);
    }
    return true;
}

/* Results of segments, which are printed as they are written. */
static bool reduce_segments(struct folding *f, const struct options *options,
                            struct message *message)
{
    struct results results = { .options = options };
    const bool done =
        results_check(options, message) && results_run(&results, f, message);

    results_finish(&results);
    if (done && options->profile) {
        profile_print(&f->session.profile);
    }
    return done && (!options->json ||
                    (f->counts ? print_json(f, "segments",
                                            json_object_new_uint64(f->num_kept), message)
                               : print_json(f, "shape", shape_json(&f->shape), message)));
}

static bool reduce_named(struct folding *f, const struct options *options,
                         struct message *message)
{
    unsigned char bytes[256] = { 0 };

    if (!folding_run(f, options->memory, take_bytes, bytes, message) ||
        ((options->out || !options->json) && !put_outcome(f, options, bytes, message))) {
        return false;
    }
    if (options->profile) {
        profile_print(&f->session.profile);
    }
    return !options->json || print_json(f, "result", fields_json(f, bytes), message);
}

bool command_reduce(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    const bool done = folding_open(&f, options, message) &&
                      (f.has_axis || f.heads ? reduce_segments
                       : f.is_named          ? reduce_named
                                             : reduce_built_in)(&f, options, message);

    folding_close(&f);
    return done;
}
