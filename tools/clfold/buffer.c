#include "buffer.h"

#include <inttypes.h>

static bool find_size(const struct session *session, cl_device_info what, uint64_t *size,
                      struct message *message)
{
    cl_ulong value = 0;
    const cl_int error =
        clGetDeviceInfo(session->device->id, what, sizeof(value), &value, NULL);

    *size = value;
    return error == CL_SUCCESS || device_refuse(message, "clGetDeviceInfo", error);
}

bool buffer_limit(const struct session *session, uint64_t *limit, struct message *message)
{
    if (!find_size(session, CL_DEVICE_MAX_MEM_ALLOC_SIZE, limit, message)) {
        return false;
    }
    *limit = *limit < SIZE_MAX ? *limit : SIZE_MAX;
    return true;
}

bool buffer_memory(const struct session *session, uint64_t *memory,
                   struct message *message)
{
    return find_size(session, CL_DEVICE_GLOBAL_MEM_SIZE, memory, message);
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

void buffer_release(const cl_mem *buffers, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (buffers[i]) {
            clReleaseMemObject(buffers[i]);
        }
    }
}

bool buffer_read(cl_command_queue queue, cl_mem buffer, size_t size, void *to,
                 struct message *message)
{
    const cl_int error =
        clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, to, 0, NULL, NULL);

    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}

bool buffer_map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t offset,
                size_t size, buffer_visitor *visit, void *user, struct message *message)
{
    cl_int error;
    void *const data = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, offset, size, 0,
                                          NULL, NULL, &error);

    if (!data) {
        return device_refuse(message, "clEnqueueMapBuffer", error);
    }
    const bool visited = visit(user, data, size, message);
    error = clEnqueueUnmapMemObject(queue, buffer, data, 0, NULL, NULL);
    if (!visited) {
        return false;
    }
    if (error != CL_SUCCESS || (error = clFlush(queue)) != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueUnmapMemObject", error);
    }
    return true;
}

bool buffer_visit(cl_command_queue queue, cl_mem buffer, cl_map_flags flags,
                  size_t element, size_t first, size_t count, buffer_visitor *visit,
                  void *user, struct message *message)
{
    const size_t end = (first + count) * element, step = BUFFER_STEP / element * element;

    for (size_t offset = first * element, size; offset < end; offset += size) {
        size = end - offset < step ? end - offset : step;
        if (!buffer_map(queue, buffer, flags, offset, size, visit, user, message)) {
            return false;
        }
    }
    const cl_int error = clFinish(queue);
    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}
