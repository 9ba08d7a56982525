#include "commands.h"
#include "folding.h"
#include "number.h"
#include "output_file.h"
#include "record.h"
#include "results.h"
#include "types.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Built-in operators: one value or two, with or without their places ---- */

/* As the library writes it: one or two, `type` or clfold_indexed, the least first. */
struct result {
    clfold_op op;
    clfold_type type;
    clfold_indexed items[2]; /* its memory, whatever the operator */
};

/* Makes the mean of a sum in f64. */
static void result_divide(struct result *result, uint64_t count)
{
    double value;

    memcpy(&value, result->items, sizeof(value));
    value /= (double)count;
    memcpy(result->items, &value, sizeof(value));
}

static const void *value_at(const struct result *result, unsigned i)
{
    if (op_result(result->op).position) {
        return &result->items[i].value;
    }
    return (const char *)result->items + i * clfold_type_size(result->type);
}

/* A line for each value: "value" or "index value". */
static void result_print(const struct result *result)
{
    const struct op_result form = op_result(result->op);
    char text[NUMBER_TEXT];

    for (unsigned i = 0; i < form.num; i++) {
        number_print(text, result->type, value_at(result, i));
        if (form.position) {
            printf("%" PRIu64 " %s\n", (uint64_t)result->items[i].index, text);
        } else {
            puts(text);
        }
    }
}

/* Infinities and NaNs are strings, since JSON has no such numbers. NULL: no memory. */
static json_object *value_json(clfold_type type, const void *value)
{
    char text[NUMBER_TEXT];

    number_print(text, type, value);
    switch (type_class(type)) {
    case TYPE_SIGNED:
        return json_object_new_int64(strtoll(text, NULL, 10));
    case TYPE_UNSIGNED:
        return json_object_new_uint64(strtoull(text, NULL, 10));
    case TYPE_FLOAT:
        break;
    }
    const double number = clfold_number_read(type, value).real;
    return isfinite(number) ? json_object_new_double_s(number, text)
                            : json_object_new_string(text);
}

static json_object *json_item(const struct result *result, unsigned i)
{
    const void *const value = value_at(result, i);

    if (!op_result(result->op).position) {
        return value_json(result->type, value);
    }
    struct record record = record_begin();
    record_add_number(&record, "index", result->items[i].index);
    record_add(&record, "value", value_json(result->type, value));
    return record_take(&record);
}

/* A value; { "index", "value" }; { "min", "max" } of either. */
static json_object *result_json(const struct result *result)
{
    struct record record;

    if (op_result(result->op).num == 1) {
        return json_item(result, 0);
    }
    record = record_begin();
    record_add(&record, "min", json_item(result, 0));
    record_add(&record, "max", json_item(result, 1));
    return record_take(&record);
}

/* ---- The command ---- */

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
    struct record record = record_begin();
    for (uint32_t k = 0; k < layout->num_fields; k++) {
        const clfold_field *const field = &layout->fields[k];
        if (field->type) {
            record_add(&record, field->name,
                       value_json(field->type, bytes + field->offset));
        }
    }
    return record_take(&record);
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
    struct record record = record_begin();

    record_add_text(&record, "op", f->op);
    record_add_text(&record, "type", folding_type(f, f->input.type));
    record_add_text(&record, "acc", folding_type(f, f->fold.type));
    if (f->user.converts) {
        record_add_text(&record, "out", folding_out(f));
    }
    record_add_number(&record, "count", f->count);
    record_add_number(&record, "pieces", f->pieces);
    record_add(&record, key, result);
    record_add_text(&record, "device", f->session.device_name);
    record_add_text(&record, "kernel", f->report.algorithm);
    record_add_seconds(&record, f->seconds);
    return record_print_json(&record, message);
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
