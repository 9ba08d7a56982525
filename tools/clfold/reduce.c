/* The commands that fold files: reduce, scan, map, select and the like. */
#include "buffer.h"
#include "commands.h"
#include "folding.h"
#include "number.h"
#include "output_file.h"
#include "record.h"
#include "results.h"
#include "types.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ---- */

/* Takes `result`, which is called `key`, unless that is NULL. */
static bool print_json(const struct folding *f, const char *key, json_object *result,
                       struct message *message)
{
    struct record record = record_begin();
    const bool folds = operation_folds(f->operation);

    if (folds) {
        record_add_text(&record, "op", f->op);
    }
    if (scan_kind(f->operation)) {
        record_add_text(&record, "kind", scan_kind(f->operation));
    }
    record_add_text(&record, "type", folding_type(f, f->input.type));
    if (folds) {
        record_add_text(&record, "acc", folding_type(f, f->fold.type));
    }
    if (!folds || f->user.converts) {
        record_add_text(&record, "out", folding_out(f));
    }
    record_add_number(&record, "count", f->count);
    if (f->operation == CLFOLD_SELECT) {
        record_add_number(&record, "kept", f->num_kept);
    }
    record_add_number(&record, "pieces", f->pieces);
    if (key) {
        record_add(&record, key, result);
    }
    record_add_text(&record, f->operation == CLFOLD_REDUCE ? "kernel" : "algorithm",
                    f->report.algorithm);
    record_add_text(&record, "device", f->session.device_name);
    record_add_seconds(&record, f->seconds);
    return record_print_json(&record, message);
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

/* Fields with their names, or `skipped` characters less. */
static json_object *fields_json(const clfold_field *field, uint32_t num, size_t skipped,
                                const unsigned char *bytes)
{
    struct record record = record_begin();

    for (; num > 0; num--, field++) {
        if (field->type) {
            record_add(&record, field->name + skipped,
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

/* ---- One result ---- */

/* The fold of all pieces so far. */
static bool take_bytes(void *user, struct folding *f, size_t count,
                       struct message *message)
{
    (void)count;
    return buffer_read(f->session.queue, f->result, f->user.written.out_size, user,
                       message);
}

struct outcome {
    struct writer writer;
    const void *bytes;
    size_t num; /* elements of the writer's */
};

static bool write_outcome(const void *user, FILE *stream, struct message *message)
{
    const struct outcome *const outcome = user;
    struct writer writer = outcome->writer;

    writer.stream = stream;
    return (writer_begin(&writer, 1) &&
            writer_put(&writer, outcome->bytes, outcome->num)) ||
           message_set(message, "%s", strerror(errno));
}

/* Into a file, or printed: the least and the greatest on a line each. */
static bool put_outcome(const struct folding *f, const struct options *options,
                        unsigned lines, const void *bytes, struct message *message)
{
    const struct out_option *const out = &options->outs[OUT_RESULTS];
    struct outcome outcome = { folding_writer(f, out->path ? out->format : FORMAT_TEXT),
                               bytes, 1 };
    clfold_layout line = f->user.written;

    if (lines > 1 && !out->path) {
        line.num_fields /= lines;
        line.out_size /= lines;
        outcome.writer.layout = &line;
        outcome.num = lines;
    }
    return output_file_write(out->path ? out->path : "-", write_outcome, &outcome,
                             message);
}

/* A value, or an object of an index and a value, of a min and a max, or of names. */
static json_object *result_json(const struct folding *f, unsigned lines,
                                const unsigned char *bytes)
{
    const clfold_field *const fields = f->user.written.fields;
    const uint32_t num = f->user.written.num_fields / lines;
    const bool is_value = f->is_named
                              ? f->user.converts && !folding_writer(f, FORMAT_TEXT).layout
                              : num == 1;
    const size_t skipped = lines > 1 ? strlen("min_") : 0;
    json_object *found[2] = { NULL };

    for (unsigned i = 0; i < lines; i++) {
        const clfold_field *const field = fields + i * num;
        found[i] = is_value ? value_json(field->type, bytes + field->offset)
                            : fields_json(field, num, skipped, bytes);
    }
    if (lines == 1) {
        return found[0];
    }
    struct record record = record_begin();
    record_add(&record, "min", found[0]);
    record_add(&record, "max", found[1]);
    return record_take(&record);
}

static bool reduce_whole(struct folding *f, const struct options *options,
                         struct message *message)
{
    const unsigned lines = f->is_named ? 1 : op_result(f->fold.op).num;
    unsigned char bytes[256] = { 0 };
    double mean;

    if (!folding_run(f, options->memory, take_bytes, bytes, message)) {
        return false;
    }
    if (f->mean) {
        memcpy(&mean, bytes, sizeof(mean));
        mean /= (double)f->count;
        memcpy(bytes, &mean, sizeof(mean));
    }
    if ((options->outs[OUT_RESULTS].path || !options->json) &&
        !put_outcome(f, options, lines, bytes, message)) {
        return false;
    }
    if (options->profile) {
        profile_print(&f->session.profile);
    }
    return !options->json ||
           print_json(f, "result", result_json(f, lines, bytes), message);
}

/* ---- Files of results ---- */

static bool fold_files(struct folding *f, const struct options *options,
                       struct message *message)
{
    struct results results = { .options = options };
    const bool done = results_run(&results, f, message);

    results_finish(&results);
    if (done && options->profile) {
        profile_print(&f->session.profile);
    }
    if (!done || !options->json) {
        return done;
    }
    return f->operation != CLFOLD_REDUCE ? print_json(f, NULL, NULL, message)
           : f->counts
               ? print_json(f, "segments", json_object_new_uint64(f->num_kept), message)
               : print_json(f, "shape", shape_json(&f->shape), message);
}

bool command_reduce(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    const bool done = folding_open(&f, options, message) &&
                      (f.has_axis || f.heads ? results_check(options, message) &&
                                                   fold_files(&f, options, message)
                                             : reduce_whole(&f, options, message));

    folding_close(&f);
    return done;
}

bool command_scan(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    const bool done = results_check(options, message) &&
                      folding_open(&f, options, message) &&
                      fold_files(&f, options, message);

    folding_close(&f);
    return done;
}
