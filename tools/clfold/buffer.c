#include "buffer.h"

#include "progress.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PIECE_BYTES = 32 * 1024 * 1024 };

bool buffer_limit(const struct session *session, uint64_t *limit, struct message *message)
{
    cl_ulong value = 0;
    const cl_int error = clGetDeviceInfo(
        session->device->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(value), &value, NULL);

    if (error != CL_SUCCESS) {
        return device_refuse(message, "clGetDeviceInfo", error);
    }
    *limit = value < SIZE_MAX ? value : SIZE_MAX;
    return true;
}

bool buffer_create(const struct session *session, cl_mem *out, cl_mem_flags flags,
                   uint64_t bytes, struct message *message)
{
    cl_int error;

    *out = clCreateBuffer(session->cl, flags, bytes ? (size_t)bytes : 1, NULL, &error);
    if (*out) {
        return true;
    }
    return message_set(message, "%.200s gives no buffer of %" PRIu64 " bytes: %s",
                       session->device_name, bytes, clfold_status_name(error));
}

bool buffer_visit(const struct session *session, cl_mem buffer, cl_map_flags flags,
                  size_t bytes, buffer_visitor *visit, void *user,
                  struct message *message)
{
    const cl_command_queue queue = session->queue;

    for (size_t offset = 0, piece; offset < bytes; offset += piece) {
        piece = bytes - offset < PIECE_BYTES ? bytes - offset : PIECE_BYTES;
        cl_int error;
        void *const data = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset,
                                              piece, 0, NULL, NULL, &error);
        if (!data) {
            return device_refuse(message, "clEnqueueMapBuffer", error);
        }
        const bool visited = visit(user, data, piece, message);
        error = clEnqueueUnmapMemObject(queue, buffer, data, 0, NULL, NULL);
        if (!visited) {
            return false;
        }
        if (error != CL_SUCCESS || (error = clFinish(queue)) != CL_SUCCESS) {
            return device_refuse(message, "clEnqueueUnmapMemObject", error);
        }
    }
    return true;
}

struct loading {
    struct input *input;
    struct progress progress;
};

static bool read_piece(void *user, void *data, size_t size, struct message *message)
{
    struct loading *const loading = user;

    if (!input_read(loading->input, data, size, message)) {
        return false;
    }
    progress_step(&loading->progress, size);
    return true;
}

static bool load_file(const struct session *session, struct input *input, uint64_t limit,
                      cl_mem *out, struct message *message)
{
    struct loading loading = { .input = input };

    if (input->bytes > limit) {
        return message_set(message,
                           "%.4096s: holds %" PRIu64
                           " bytes of data, and %.200s takes at most %" PRIu64
                           " in one buffer",
                           input->name, input->bytes, session->device_name, limit);
    }
    if (!buffer_create(session, out, CL_MEM_READ_ONLY, input->bytes, message)) {
        return false;
    }
    progress_begin(&loading.progress, "reading", input->bytes);
    /* From the file straight into the buffer: no copy of the data stays on the host. */
    const bool done = buffer_visit(session, *out, CL_MAP_WRITE_INVALIDATE_REGION,
                                   (size_t)input->bytes, read_piece, &loading, message);
    progress_end(&loading.progress);
    return done && input_check_end(input, message);
}

static bool load_stream(const struct session *session, struct input *input,
                        uint64_t limit, cl_mem *out, struct message *message)
{
    void *data;

    if (!input_read_stream(input, limit, &data, message)) {
        return false;
    }
    bool done = buffer_create(session, out, CL_MEM_READ_ONLY, input->bytes, message);
    if (done && input->bytes > 0) {
        const cl_int error = clEnqueueWriteBuffer(
            session->queue, *out, CL_TRUE, 0, (size_t)input->bytes, data, 0, NULL, NULL);
        done =
            error == CL_SUCCESS || device_refuse(message, "clEnqueueWriteBuffer", error);
    }
    free(data);
    return done;
}

bool buffer_load(const struct session *session, struct input *input, cl_mem *out,
                 struct message *message)
{
    uint64_t limit = 0;

    return buffer_limit(session, &limit, message) &&
           (input->is_stream ? load_stream(session, input, limit, out, message)
                             : load_file(session, input, limit, out, message));
}
