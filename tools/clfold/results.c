#include "results.h"

#include "buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool refuse_write(const struct output *output, struct message *message)
{
    return message_set(message, "%.4096s: %s", output->file.name, strerror(errno));
}

/* Always false. */
static bool refuse_npy(const char *name, const struct folding *f, struct message *message)
{
    return message_set(message,
                       "%.4096s: an .npy file begins with its count, and only the end of "
                       "%.4000s tells it: give OUT a name in .bin or .txt",
                       strcmp(name, "-") == 0 ? "standard output" : name, f->input.name);
}

/* How many results an output takes for `count` elements, of which `kept` are kept. */
static uint64_t num_results(const struct folding *f, const struct output *output,
                            uint64_t count, uint64_t kept)
{
    return f->operation != CLFOLD_SELECT ? folding_results(f, count)
           : output->kind == OUTPUT_REST ? count - kept
                                         : kept;
}

/* A count that is not known yet gets its place. */
static bool begin_output(const struct folding *f, struct output *output, size_t count,
                         struct message *message)
{
    const char *const name = output->path;
    const bool are_keys = output->kind == OUTPUT_KEYS;
    uint64_t num = 0;

    output->writer = folding_writer(f, output->format);
    if (are_keys || output->kind == OUTPUT_LENGTHS) {
        output->writer = (struct writer){ .format = output->format,
                                          .type = are_keys ? f->heads_type : CLFOLD_U64 };
    }
    output->is_counted = f->counts ? f->piece.ended : f->input.bytes != INPUT_UNKNOWN;
    if (output->is_counted) {
        num = num_results(f, output, f->counts ? count : input_most(&f->input), f->kept);
    } else if (output->writer.format == FORMAT_NPY && output_file_is_direct(name)) {
        return refuse_npy(name, f, message);
    }
    if (!output_file_open(&output->file, name, message)) {
        return false;
    }
    output->writer.stream = output->file.stream;
    return writer_begin(&output->writer, num) || refuse_write(output, message);
}

/* All has arrived, with the right count. */
static bool complete_output(struct results *r, const struct folding *f,
                            struct output *output, struct message *message)
{
    if (output->kind == OUTPUT_LENGTHS && f->num_kept > 0 &&
        !writer_put(&output->writer, &r->length, 1)) {
        return refuse_write(output, message);
    }
    if (!output->is_counted && output->writer.format == FORMAT_NPY &&
        (fseek(output->file.stream, 0, SEEK_SET) != 0 ||
         !writer_begin(&output->writer, num_results(f, output, f->count, f->num_kept)))) {
        return refuse_write(output, message);
    }
    return output_file_complete(&output->file, message);
}

static bool finish_outputs(struct results *r, const struct folding *f,
                           struct message *message)
{
    struct output_file *files[3];
    bool done = true;

    for (int i = 0; i < r->num_outputs; i++) {
        files[i] = &r->outputs[i].file;
        done = done && complete_output(r, f, &r->outputs[i], message);
    }
    return done && output_files_commit(files, r->num_outputs, message);
}

/* The part of a piece's results that is mapped. */
struct writing {
    struct output *output;
    struct folding *folding;
    uint64_t *length; /* of a run that may go on; NULL: these are no lengths */
    size_t bytes;     /* of all the piece's results */
};

/* Each length waits for the next, as the last one's run may go on. */
static bool put_lengths(struct writing *w, const char *data, size_t count)
{
    const size_t size = sizeof(*w->length);
    const bool done = writer_put(&w->output->writer, w->length, 1) &&
                      writer_put(&w->output->writer, data, count - 1);

    memcpy(w->length, data + (count - 1) * size, size);
    return done;
}

/* Text takes its time, and the bar wants to move. */
enum { NUMBERS_A_STEP = 64 * 1024 };

static bool write_part(void *user, void *data, size_t size, struct message *message)
{
    struct writing *const w = user;
    struct writer *const writer = &w->output->writer;
    const size_t element = writer_element(writer), step = NUMBERS_A_STEP * element;

    for (size_t at = 0, length; at < size; at += length) {
        length = size - at < step ? size - at : step;
        const char *const next = (const char *)data + at;
        const size_t count = length / element;
        if (!(w->length ? put_lengths(w, next, count)
              : w->output->kind == OUTPUT_KEYS
                  ? writer_put(writer, next, count)
                  : folding_put(w->folding, writer, next, count))) {
            return refuse_write(w->output, message);
        }
        feed_step(w->folding, w->folding->share * length / w->bytes);
    }
    return true;
}

/* Of a fold along an axis of length 0 each result is that of no elements. */
static bool write_same(struct results *r, struct folding *f, struct message *message)
{
    unsigned char bytes[256];

    if (!buffer_read(f->session.queue, f->result, f->user.written.out_size, bytes,
                     message)) {
        return false;
    }
    for (uint64_t i = 0; i < axis_results(&f->axis); i++) {
        if (!writer_put(&r->outputs[0].writer, bytes, 1)) {
            return refuse_write(&r->outputs[0], message);
        }
    }
    return true;
}

/* The length of the first run of a piece, which may be one before that goes on. */
static bool read_length(struct results *r, const struct folding *f,
                        struct message *message)
{
    cl_ulong length;
    const cl_int error = clEnqueueReadBuffer(f->session.queue, f->also, CL_TRUE, 0,
                                             sizeof(length), &length, 0, NULL, NULL);

    r->length += length - f->piece.before;
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

/* What a piece gives of an output. Of runs that go on the first result is left out. */
static bool write_output(struct results *r, struct folding *f, struct output *output,
                         size_t count, struct message *message)
{
    const bool are_lengths = output->kind == OUTPUT_LENGTHS;
    const cl_mem mem = output->kind == OUTPUT_RESULTS ? f->out
                       : output->kind == OUTPUT_KEYS  ? f->keys_out
                                                      : f->also;
    const size_t size = writer_element(&output->writer),
                 end = f->piece.before + (size_t)num_results(f, output, count, f->kept),
                 first = are_lengths && end > 0 ? 1 : f->piece.before, num = end - first;
    struct writing w = { output, f, are_lengths ? &r->length : NULL, num * size };

    if (are_lengths && first > 0 && !read_length(r, f, message)) {
        return false;
    }
    return buffer_visit(f->session.queue, mem, CL_MAP_READ, size, first, num, write_part,
                        &w, message);
}

static bool write_piece(void *user, struct folding *f, size_t count,
                        struct message *message)
{
    struct results *const r = user;
    bool done = true;

    for (int i = 0; f->count == 0 && i < r->num_outputs; i++) {
        done = done && begin_output(f, &r->outputs[i], count, message);
    }
    if (done && count == 0 && f->operation == CLFOLD_REDUCE && f->has_axis) {
        return write_same(r, f, message);
    }
    for (int i = 0; i < r->num_outputs; i++) {
        done = done && write_output(r, f, &r->outputs[i], count, message);
    }
    return done;
}

bool results_check(const struct options *options, struct message *message)
{
    bool done = true;

    for (int i = 0; i < OUTS; i++) {
        const char *const path = options->outs[i].path;
        done = done && (!path || output_file_check_open(path, message));
    }
    return done;
}

bool results_run(struct results *r, struct folding *f, struct message *message)
{
    const enum output_kind kinds[OUTS] = {
        [OUT_RESULTS] = OUTPUT_RESULTS,
        [OUT_ALSO] = f->gives_lengths ? OUTPUT_LENGTHS : OUTPUT_REST,
        [OUT_KEYS] = OUTPUT_KEYS,
    };

    for (int i = 0; i < OUTS; i++) {
        const struct out_option *const out = &r->options->outs[i];
        if (out->path) {
            r->outputs[r->num_outputs++] = (struct output){ .kind = kinds[i],
                                                            .path = out->path,
                                                            .format = out->format };
        }
    }
    return folding_run(f, r->options->memory, write_piece, r, message) &&
           finish_outputs(r, f, message);
}

void results_finish(struct results *r)
{
    for (int i = 0; i < r->num_outputs; i++) {
        output_file_finish(&r->outputs[i].file);
    }
}
