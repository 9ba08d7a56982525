#include "commands.h"
#include "input.h"
#include "progress.h"
#include "record.h"
#include "result.h"
#include "session.h"
#include "types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The data are mapped piece by piece: where a device has memory of its own, a driver
 * copies each piece through memory of the host. */
enum { PIECE_BYTES = 32 * 1024 * 1024 };

/* What stands in for no data, since OpenCL has no buffer of 0 bytes. */
enum { ELEMENT_BYTES = 8 };

struct reduction {
    struct input input;
    size_t count;
    clfold_fold fold;
    clfold_report report;
    double seconds;
    struct result result;

    struct session session;
    cl_mem in, out;
};

static bool check_size(const struct reduction *r, uint64_t limit, struct message *message)
{
    if (r->input.bytes <= limit && r->input.bytes <= SIZE_MAX) {
        return true;
    }
    return message_set(message,
                       "%.4096s: holds %" PRIu64
                       " bytes of data, and %.200s takes at most %" PRIu64
                       " in one buffer",
                       r->input.name, r->input.bytes, r->session.device_name, limit);
}

static bool create_buffer(const struct reduction *r, cl_mem *out, cl_mem_flags flags,
                          uint64_t bytes, struct message *message)
{
    cl_int error;

    *out = clCreateBuffer(r->session.cl, flags, (size_t)bytes, NULL, &error);
    if (*out) {
        return true;
    }
    return message_set(message, "%.200s gives no buffer of %" PRIu64 " bytes: %s",
                       r->session.device_name, bytes, clfold_status_name(error));
}

/* From the file straight into the buffer: no copy of the data stays on the host. */
static bool load_pieces(struct reduction *r, struct progress *progress,
                        struct message *message)
{
    const size_t bytes = (size_t)r->input.bytes;

    for (size_t offset = 0, piece; offset < bytes; offset += piece) {
        piece = bytes - offset < PIECE_BYTES ? bytes - offset : PIECE_BYTES;
        cl_int error;
        void *const to = clEnqueueMapBuffer(r->session.queue, r->in, CL_TRUE,
                                            CL_MAP_WRITE_INVALIDATE_REGION, offset, piece,
                                            0, NULL, NULL, &error);
        if (!to) {
            return device_refuse(message, "clEnqueueMapBuffer", error);
        }
        const bool read = input_read(&r->input, to, piece, message);
        error = clEnqueueUnmapMemObject(r->session.queue, r->in, to, 0, NULL, NULL);
        if (!read) {
            return false;
        }
        if (error != CL_SUCCESS || (error = clFinish(r->session.queue)) != CL_SUCCESS) {
            return device_refuse(message, "clEnqueueUnmapMemObject", error);
        }
        progress_step(progress, piece);
    }
    return input_check_end(&r->input, message);
}

static bool load_file(struct reduction *r, struct message *message)
{
    struct progress progress;

    progress_begin(&progress, "reading", r->input.bytes);
    const bool done = load_pieces(r, &progress, message);
    progress_end(&progress);
    return done;
}

static bool load_stream(struct reduction *r, uint64_t limit, struct message *message)
{
    void *data;

    if (!input_read_stream(&r->input, limit, &data, message)) {
        return false;
    }
    const size_t bytes = (size_t)r->input.bytes;
    bool done = create_buffer(r, &r->in, CL_MEM_READ_ONLY, bytes ? bytes : ELEMENT_BYTES,
                              message);
    if (done && bytes > 0) {
        const cl_int error = clEnqueueWriteBuffer(r->session.queue, r->in, CL_TRUE, 0,
                                                  bytes, data, 0, NULL, NULL);
        done =
            error == CL_SUCCESS || device_refuse(message, "clEnqueueWriteBuffer", error);
    }
    free(data);
    return done;
}

static bool load(struct reduction *r, struct message *message)
{
    cl_ulong limit = 0;
    const cl_int error = clGetDeviceInfo(
        r->session.device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(limit), &limit, NULL);

    if (error != CL_SUCCESS) {
        return device_refuse(message, "clGetDeviceInfo", error);
    }
    if (r->input.is_stream) {
        if (!load_stream(r, limit, message)) {
            return false;
        }
    } else if (!check_size(r, limit, message) ||
               !create_buffer(r, &r->in, CL_MEM_READ_ONLY,
                              r->input.bytes ? r->input.bytes : ELEMENT_BYTES, message) ||
               !load_file(r, message)) {
        return false;
    }
    r->count = (size_t)(r->input.bytes / type_size(r->input.type));
    return true;
}

static double now(void)
{
    struct timespec time = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool reduce_once(const struct reduction *r, struct message *message)
{
    const clfold_status status =
        clfold_reduce(r->session.context, r->session.queue, &r->fold, r->in, 0, r->out, 0,
                      r->count, 0, NULL, NULL);

    if (status != CLFOLD_OK) {
        return session_refuse(status, message);
    }
    const cl_int error = clFinish(r->session.queue);
    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}

static bool explain(struct reduction *r, size_t count, struct message *message)
{
    const clfold_status status =
        clfold_explain(r->session.context, CLFOLD_REDUCE, &r->fold, count, &r->report);

    return status == CLFOLD_OK || session_refuse(status, message);
}

static bool reduce(struct reduction *r, bool timed, struct message *message)
{
    /* The first explain refuses a fold before a large file is read for nothing. */
    if (!explain(r, 1, message) || !load(r, message) || !explain(r, r->count, message) ||
        !create_buffer(r, &r->out, CL_MEM_READ_WRITE, result_size(&r->result), message) ||
        !reduce_once(r, message)) {
        return false;
    }
    /* The first call builds the program; it is the second one that shows the device. */
    if (timed) {
        const double start = now();
        if (!reduce_once(r, message)) {
            return false;
        }
        r->seconds = now() - start;
    }
    const cl_int error =
        clEnqueueReadBuffer(r->session.queue, r->out, CL_TRUE, 0, result_size(&r->result),
                            r->result.items, 0, NULL, NULL);
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

static bool print_json(const struct reduction *r, struct message *message)
{
    json_object *const object = json_object_new_object();
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", r->seconds);
    const bool complete =
        object && json_put(object, "op", json_object_new_string(op_name(r->fold.op))) &&
        json_put(object, "type", json_object_new_string(type_name(r->input.type))) &&
        json_put(object, "acc", json_object_new_string(type_name(r->fold.type))) &&
        json_put(object, "count", json_object_new_uint64(r->count)) &&
        json_put(object, "result", result_json(&r->result)) &&
        json_put(object, "device", json_object_new_string(r->session.device_name)) &&
        json_put(object, "kernel", json_object_new_string(r->report.algorithm)) &&
        json_put(object, "seconds", json_object_new_double_s(r->seconds, seconds));
    const char *const json =
        complete ? json_object_to_json_string_ext(
                       object, JSON_C_TO_STRING_SPACED | JSON_C_TO_STRING_NOSLASHESCAPE)
                 : NULL;
    if (json) {
        puts(json);
    }
    json_object_put(object);
    return json || message_set(message, "there is no memory to print JSON");
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
    const clfold_type element = r.input.type;
    const clfold_type acc =
        options->acc ? options->acc : type_accumulator(options->op, element);
    r.fold = (clfold_fold){ .op = options->op,
                            .type = acc,
                            .in = acc == element ? 0 : element,
                            .algorithm = options->algorithm };
    r.result = (struct result){ .op = options->op, .type = acc };

    done = session_open(&r.session, options->device, message) &&
           reduce(&r, options->json, message);
    if (done && options->json) {
        done = print_json(&r, message);
    } else if (done) {
        result_print(&r.result);
    }
    finish(&r);
    return done;
}
