#include "results.h"

#include "buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool refuse_write(const struct results *r, struct message *message)
{
    return message_set(message, "%.4096s: %s", r->name, strerror(errno));
}

/* What cannot be written is not folded. */
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
static bool begin_output(struct results *r, const struct folding *f,
                         struct message *message)
{
    const bool is_known = f->input.bytes != INPUT_UNKNOWN;

    r->writer = folding_writer(f, r->options->out_format);
    if (strcmp(r->options->out, "-") == 0) {
        r->name = "standard output";
    } else if (output_file_open(&r->file, r->options->out, message)) {
        r->name = r->options->out;
        r->writer.stream = r->file.stream;
    } else {
        return false;
    }
    return writer_begin(&r->writer,
                        is_known ? folding_results(f, input_most(&f->input)) : 0) ||
           refuse_write(r, message);
}

static bool finish_output(struct results *r, const struct folding *f,
                          struct message *message)
{
    if (!r->file.name) {
        return true;
    }
    if (f->input.bytes == INPUT_UNKNOWN && r->writer.format == FORMAT_NPY &&
        (fseek(r->file.stream, 0, SEEK_SET) != 0 ||
         !writer_begin(&r->writer, folding_results(f, f->count)))) {
        return refuse_write(r, message);
    }
    return output_file_complete(&r->file, message) &&
           output_file_commit(&r->file, message);
}

/* The part of a piece's results that is mapped. */
struct writing {
    struct results *results;
    struct folding *folding;
    size_t bytes; /* of all the piece's results */
};

/* Text takes its time, and the bar wants to move. */
enum { NUMBERS_A_STEP = 64 * 1024 };

static bool write_part(void *user, void *data, size_t size, struct message *message)
{
    struct writing *const w = user;
    struct writer *const writer = &w->results->writer;
    const size_t element = writer_element(writer), step = NUMBERS_A_STEP * element;

    for (size_t at = 0, length; at < size; at += length) {
        length = size - at < step ? size - at : step;
        if (!folding_put(w->folding, writer, (const char *)data + at, length / element)) {
            return refuse_write(w->results, message);
        }
        progress_step(&w->folding->progress, w->folding->share * length / w->bytes);
    }
    return true;
}

/* Of a fold along an axis of length 0 each result is that of no elements. */
static bool write_same(struct results *r, struct folding *f, struct message *message)
{
    unsigned char bytes[256];
    const cl_int error =
        clEnqueueReadBuffer(f->session.queue, f->result, CL_TRUE, 0,
                            f->user.written.out_size, bytes, 0, NULL, NULL);

    if (error != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueReadBuffer", error);
    }
    for (uint64_t i = 0; i < axis_results(&f->axis); i++) {
        if (!writer_put(&r->writer, bytes, 1)) {
            return refuse_write(r, message);
        }
    }
    return true;
}

static bool write_piece(void *user, struct folding *f, size_t count,
                        struct message *message)
{
    struct results *const r = user;
    struct writing w = { r, f, 0 };

    if (f->count == 0 && !begin_output(r, f, message)) {
        return false;
    }
    if (count == 0 && f->operation == CLFOLD_REDUCE && f->has_axis) {
        return write_same(r, f, message);
    }
    const size_t num = (size_t)folding_results(f, count);
    w.bytes = num * f->user.written.out_size;
    return buffer_visit(&f->session, f->out, CL_MAP_READ, f->user.written.out_size, num,
                        write_part, &w, message);
}

bool results_run(struct results *r, struct folding *f, struct message *message)
{
    return check_output(r->options, f, message) &&
           folding_run(f, r->options->memory, write_piece, r, message) &&
           finish_output(r, f, message);
}

void results_finish(struct results *r)
{
    output_file_finish(&r->file);
}
