#include "buffer.h"
#include "commands.h"
#include "folding.h"
#include "output_file.h"
#include "record.h"
#include "types.h"
#include "writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Where results go. */
struct output {
    const struct options *options;
    const char *name; /* for messages */
    struct output_file file;
    struct writer writer;
};

static bool refuse_write(const struct output *o, struct message *message)
{
    return message_set(message, "%.4096s: %s", o->name, strerror(errno));
}

/* What cannot be written is not scanned. */
static bool check_output(const struct options *options, const struct folding *f,
                         struct message *message)
{
    return f->input.bytes != INPUT_UNKNOWN || options->out_format != FORMAT_NPY ||
           !output_file_is_direct(options->out) ||
           message_set(message,
                       "%.4096s: an .npy file begins with its count, and only the end of "
                       "%.4000s tells it: give OUT a name in .bin or .txt",
                       options->out, f->input.name);
}

/* A count that is not known yet gets its place. */
static bool begin_output(struct output *o, const struct folding *f,
                         struct message *message)
{
    const bool is_known = f->input.bytes != INPUT_UNKNOWN;

    o->writer = folding_writer(f, o->options->out_format);
    if (strcmp(o->options->out, "-") == 0) {
        o->name = "standard output";
    } else if (output_file_open(&o->file, o->options->out, message)) {
        o->name = o->options->out;
        o->writer.stream = o->file.stream;
    } else {
        return false;
    }
    return writer_begin(&o->writer, is_known ? input_most(&f->input) : 0) ||
           refuse_write(o, message);
}

static bool finish_output(struct output *o, const struct folding *f,
                          struct message *message)
{
    if (!o->file.name) {
        return true;
    }
    if (f->input.bytes == INPUT_UNKNOWN && o->writer.format == FORMAT_NPY &&
        (fseek(o->file.stream, 0, SEEK_SET) != 0 ||
         !writer_begin(&o->writer, f->count))) {
        return refuse_write(o, message);
    }
    return output_file_complete(&o->file, message) &&
           output_file_commit(&o->file, message);
}

/* The part of a piece's results that is mapped. */
struct writing {
    struct output *output;
    struct folding *folding;
    size_t bytes; /* of all the piece's results */
};

/* Text takes its time, and the bar wants to move. */
enum { NUMBERS_A_STEP = 64 * 1024 };

static bool write_part(void *user, void *data, size_t size, struct message *message)
{
    struct writing *const w = user;
    const struct writer *const writer = &w->output->writer;
    const size_t element = writer_element(writer), step = NUMBERS_A_STEP * element;

    for (size_t at = 0, length; at < size; at += length) {
        length = size - at < step ? size - at : step;
        if (!writer_put(writer, (const char *)data + at, length / element)) {
            return refuse_write(w->output, message);
        }
        progress_step(&w->folding->progress, w->folding->share * length / w->bytes);
    }
    return true;
}

static bool write_piece(void *user, struct folding *f, size_t count,
                        struct message *message)
{
    struct output *const o = user;
    struct writing w = { o, f, count * f->user.written.out_size };

    return (f->count > 0 || begin_output(o, f, message)) &&
           buffer_visit(&f->session, f->out, CL_MAP_READ, w.bytes, write_part, &w,
                        message);
}

static bool print_json(const struct folding *f, struct message *message)
{
    json_object *const object = json_object_new_object();
    const bool is_scan = f->operation != CLFOLD_MAP;
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", f->seconds);
    const bool complete =
        object && (!is_scan || json_put(object, "op", json_object_new_string(f->op))) &&
        (!is_scan ||
         json_put(object, "kind", json_object_new_string(scan_kind(f->operation)))) &&
        json_put(object, "type",
                 json_object_new_string(folding_type(f, f->input.type))) &&
        (!is_scan || json_put(object, "acc",
                              json_object_new_string(folding_type(f, f->fold.type)))) &&
        ((is_scan && !f->user.converts) ||
         json_put(object, "out", json_object_new_string(folding_out(f)))) &&
        json_put(object, "count", json_object_new_uint64(f->count)) &&
        json_put(object, "pieces", json_object_new_uint64(f->pieces)) &&
        json_put(object, "algorithm", json_object_new_string(f->report.algorithm)) &&
        json_put(object, "device", json_object_new_string(f->session.device_name)) &&
        json_put(object, "seconds", json_object_new_double_s(f->seconds, seconds));
    return json_print(object, complete, message);
}

bool command_scan(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    struct output output = { .options = options };
    bool done;

    if (strcmp(options->out, "-") != 0 &&
        !output_file_check_open(options->out, message)) {
        return false;
    }
    done = folding_open(&f, options, message) && check_output(options, &f, message) &&
           folding_run(&f, options->memory, write_piece, &output, message) &&
           finish_output(&output, &f, message);
    if (done && options->profile) {
        profile_print(&f.session.profile);
    }
    done = done && (!options->json || print_json(&f, message));
    output_file_finish(&output.file);
    folding_close(&f);
    return done;
}
