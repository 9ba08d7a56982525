#include "buffer.h"
#include "clock.h"
#include "commands.h"
#include "input.h"
#include "output_file.h"
#include "progress.h"
#include "record.h"
#include "session.h"
#include "types.h"
#include "writer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct scan {
    struct input input;
    size_t count;
    clfold_operation operation;
    clfold_fold fold;
    clfold_arg_value init; /* its value */
    clfold_report report;
    double seconds;

    struct session session;
    cl_mem in, out;
};

static bool scan_once(const struct scan *s, struct message *message)
{
    const clfold_status status =
        (s->operation == CLFOLD_EXCLUSIVE_SCAN
             ? clfold_exclusive_scan
             : clfold_inclusive_scan)(s->session.context, s->session.queue, &s->fold,
                                      s->in, 0, s->out, 0, s->count, 0, NULL, NULL);

    return session_wait(&s->session, status, message);
}

static bool explain(struct scan *s, size_t count, struct message *message)
{
    const clfold_status status =
        clfold_explain(s->session.context, s->operation, &s->fold, count, &s->report);

    return status == CLFOLD_OK || session_refuse(status, message);
}

/* The results can be wider than what they are made of. */
static bool check_room(const struct scan *s, struct message *message)
{
    const uint64_t count = s->input.bytes / type_size(s->input.type);
    const size_t size = type_size(s->fold.type);
    uint64_t limit = 0;

    if (!buffer_limit(&s->session, &limit, message)) {
        return false;
    }
    return count <= limit / size ||
           message_set(message,
                       "%.4096s: a scan of its %" PRIu64
                       " numbers gives as many of %zu bytes, and %.200s takes at most "
                       "%" PRIu64 " bytes in one buffer",
                       s->input.name, count, size, s->session.device_name, limit);
}

static bool scan(struct scan *s, bool timed, struct message *message)
{
    /* The first explain refuses a fold before a large file is read for nothing; how many
     * numbers a stream has shows when they have come. */
    if (!explain(s, 1, message) || !check_room(s, message) ||
        !buffer_load(&s->session, &s->input, &s->in, message)) {
        return false;
    }
    s->count = (size_t)(s->input.bytes / type_size(s->input.type));
    if (!check_room(s, message) || !explain(s, s->count, message) ||
        !buffer_create(&s->session, &s->out, CL_MEM_READ_WRITE,
                       s->count * type_size(s->fold.type), message) ||
        !scan_once(s, message)) {
        return false;
    }
    /* The first call builds the program; it is the second one that shows the device. */
    if (timed) {
        const double start = clock_now();
        if (!scan_once(s, message)) {
            return false;
        }
        s->seconds = clock_now() - start;
    }
    return true;
}

struct writing {
    struct writer writer;
    const char *name; /* of where it goes, for messages */
    struct progress progress;
};

static bool refuse_write(const struct writing *w, struct message *message)
{
    return message_set(message, "%.4096s: %s", w->name, strerror(errno));
}

/* Text takes its time, and the bar wants to move. */
enum { NUMBERS_A_STEP = 64 * 1024 };

static bool write_piece(void *user, void *data, size_t size, struct message *message)
{
    struct writing *const w = user;
    const size_t element = type_size(w->writer.type), step = NUMBERS_A_STEP * element;

    for (size_t at = 0, length; at < size; at += length) {
        length = size - at < step ? size - at : step;
        if (!writer_put(&w->writer, (const char *)data + at, length / element)) {
            return refuse_write(w, message);
        }
        progress_step(&w->progress, length);
    }
    return true;
}

static bool write_numbers(const struct scan *s, FILE *stream, enum file_format format,
                          const char *name, struct message *message)
{
    struct writing w = { .writer = { stream, format, s->fold.type }, .name = name };
    const size_t bytes = s->count * type_size(s->fold.type);

    if (!writer_begin(&w.writer, s->count)) {
        return refuse_write(&w, message);
    }
    progress_begin(&w.progress, "writing", bytes);
    const bool done =
        buffer_visit(&s->session, s->out, CL_MAP_READ, bytes, write_piece, &w, message);
    progress_end(&w.progress);
    return done;
}

static bool write_result(const struct scan *s, const struct options *options,
                         struct message *message)
{
    struct output_file file;

    if (strcmp(options->out, "-") == 0) {
        return write_numbers(s, stdout, options->out_format, "standard output", message);
    }
    if (!output_file_open(&file, options->out, message)) {
        return false;
    }
    const bool done =
        write_numbers(s, file.stream, options->out_format, options->out, message) &&
        output_file_complete(&file, message) && output_file_commit(&file, message);
    output_file_finish(&file);
    return done;
}

static bool print_json(const struct scan *s, struct message *message)
{
    json_object *const object = json_object_new_object();
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", s->seconds);
    const bool complete =
        object && json_put(object, "op", json_object_new_string(op_name(s->fold.op))) &&
        json_put(object, "kind", json_object_new_string(scan_kind(s->operation))) &&
        json_put(object, "type", json_object_new_string(type_name(s->input.type))) &&
        json_put(object, "acc", json_object_new_string(type_name(s->fold.type))) &&
        json_put(object, "count", json_object_new_uint64(s->count)) &&
        json_put(object, "algorithm", json_object_new_string(s->report.algorithm)) &&
        json_put(object, "device", json_object_new_string(s->session.device_name)) &&
        json_put(object, "seconds", json_object_new_double_s(s->seconds, seconds));
    return json_print(object, complete, message);
}

static void finish(struct scan *s)
{
    if (s->in) {
        clReleaseMemObject(s->in);
    }
    if (s->out) {
        clReleaseMemObject(s->out);
    }
    session_close(&s->session);
    input_close(&s->input);
}

static bool set_fold(struct scan *s, const struct options *options,
                     struct message *message)
{
    s->operation = options->operation;
    s->fold = options_fold(options, s->input.type);
    return options_init(options, &s->fold, &s->init, message);
}

bool command_scan(const struct options *options, struct message *message)
{
    struct scan s = { 0 };

    /* What cannot be written is not scanned. */
    if (strcmp(options->out, "-") != 0 && !output_file_check(options->out, message)) {
        return false;
    }
    if (!input_open(&s.input, options->file, options->format, options->element,
                    message)) {
        return false;
    }
    s.input.text_form = options->text_form;
    const bool done =
        set_fold(&s, options, message) &&
        session_open(&s.session, options->device, options->profile, message) &&
        scan(&s, options->json || options->profile, message) &&
        (!options->profile || profile_print(&s.session.profile, message)) &&
        write_result(&s, options, message) && (!options->json || print_json(&s, message));
    finish(&s);
    return done;
}
