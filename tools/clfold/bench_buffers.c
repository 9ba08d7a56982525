#include "bench.h"

#include "buffer.h"

#include <inttypes.h>

enum { LINE = 64 };

static bool is_scan(const struct bench_case *one)
{
    return one->operation != CLFOLD_REDUCE;
}

/* Half of what the device has is left to others. */
static bool memory_of(const struct bench *bench, uint64_t *most, uint64_t *in_one,
                      struct message *message)
{
    cl_ulong all = 0;
    const cl_int error = clGetDeviceInfo(
        bench->session.device->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(all), &all, NULL);
    if (error != CL_SUCCESS) {
        return device_refuse(message, "clGetDeviceInfo", error);
    }
    *most = all / 2;
    return buffer_limit(&bench->session, in_one, message);
}

/* Multiples of a line; false where a size_t has no room for them. */
static bool choose_sizes(struct bench_buffers *buffers, const struct bench_case *one,
                         size_t count)
{
    const size_t times = is_scan(one) ? bench_out_size(one) / bench_in_size(one) : 0;
    const size_t all = bench_in_size(one) * (1 + times);

    if (count > (SIZE_MAX - LINE * (1 + times)) / all) {
        return false;
    }
    buffers->in_bytes = (count * bench_in_size(one) + LINE - 1) / LINE * LINE;
    buffers->out_bytes = buffers->in_bytes * times;
    buffers->result_bytes = is_scan(one) ? 0 : LINE;
    return true;
}

bool bench_buffers_check(const struct bench *bench, const struct bench_case *one,
                         size_t count, struct message *message)
{
    struct bench_buffers sizes = { 0 };
    uint64_t most = 0, in_one = 0;
    char type[BENCH_TYPE_TEXT];

    if (!memory_of(bench, &most, &in_one, message)) {
        return false;
    }
    if (choose_sizes(&sizes, one, count) && sizes.in_bytes <= in_one &&
        sizes.out_bytes <= in_one && sizes.in_bytes + sizes.out_bytes <= most) {
        return true;
    }
    bench_print_type(type, one);
    return message_set(message,
                       "--max %zu: for %s %s of %s %.200s takes at most %" PRIu64
                       " bytes in one buffer, and %" PRIu64 " in all",
                       count, bench_operation_name(one->operation),
                       bench_fold_name(one->fold), type, bench->session.device_name,
                       in_one, most);
}

struct making {
    const struct bench_case *one;
    size_t count, index;
};

static bool make_piece(void *user, void *data, size_t size, struct message *message)
{
    struct making *const making = user;
    const size_t num = size / bench_in_size(making->one);

    (void)message;
    bench_data_make(making->one, making->count, making->index, num, data);
    making->index += num;
    return true;
}

/* The first set is made, and the others are copies. */
static bool fill(const struct bench_buffers *buffers, const struct bench *bench,
                 const struct bench_case *one, size_t count, struct message *message)
{
    const cl_command_queue queue = bench->session.queue;
    struct making making = { one, count, 0 };
    const cl_uint zero = 0;
    cl_int error = clEnqueueFillBuffer(queue, buffers->in[0], &zero, sizeof(zero), 0,
                                       buffers->in_bytes, 0, NULL, NULL);

    if (error != CL_SUCCESS || (error = clFinish(queue)) != CL_SUCCESS) {
        return device_refuse(message, "clEnqueueFillBuffer", error);
    }
    if (!buffer_visit(bench->session.queue, buffers->in[0], CL_MAP_WRITE,
                      bench_in_size(one), 0, count, make_piece, &making, message)) {
        return false;
    }
    for (size_t i = 1; i < buffers->sets.num; i++) {
        error = clEnqueueCopyBuffer(queue, buffers->in[0], buffers->in[i], 0, 0,
                                    buffers->in_bytes, 0, NULL, NULL);
        if (error != CL_SUCCESS) {
            return device_refuse(message, "clEnqueueCopyBuffer", error);
        }
    }
    error = clFinish(queue);
    return error == CL_SUCCESS || device_refuse(message, "clFinish", error);
}

static bool create(struct bench_buffers *buffers, const struct bench *bench,
                   const struct bench_case *one, struct message *message)
{
    const struct session *const session = &bench->session;
    const size_t num = buffers->sets.num;

    for (size_t i = 0; i < num; i++) {
        if (!buffer_create(session, &buffers->in[i], CL_MEM_READ_WRITE, buffers->in_bytes,
                           message) ||
            (is_scan(one) && !buffer_create(session, &buffers->out[i], CL_MEM_READ_WRITE,
                                            buffers->out_bytes, message))) {
            return false;
        }
    }
    return is_scan(one) ||
           (buffer_create(session, &buffers->results, CL_MEM_READ_WRITE,
                          num * buffers->result_bytes, message) &&
            buffer_create(session, &buffers->sink, CL_MEM_READ_WRITE,
                          bench_roofline_sink(&bench->roofline, buffers->in_bytes),
                          message));
}

bool bench_buffers_open(struct bench_buffers *buffers, const struct bench *bench,
                        const struct bench_case *one, size_t count,
                        struct message *message)
{
    uint64_t most = 0, in_one = 0;

    *buffers = (struct bench_buffers){ 0 };
    if (!bench_buffers_check(bench, one, count, message) ||
        !choose_sizes(buffers, one, count) ||
        !memory_of(bench, &most, &in_one, message)) {
        return false;
    }
    buffers->sets = bench_choose_sets(buffers->in_bytes + buffers->out_bytes, most);
    return create(buffers, bench, one, message) &&
           fill(buffers, bench, one, count, message) &&
           bench_buffers_spoil(buffers, bench, buffers->sets.num, message);
}

static void release(cl_mem mem)
{
    if (mem) {
        clReleaseMemObject(mem);
    }
}

void bench_buffers_close(struct bench_buffers *buffers)
{
    for (size_t i = 0; i < BENCH_MOST_SETS; i++) {
        release(buffers->in[i]);
        release(buffers->out[i]);
    }
    release(buffers->results);
    release(buffers->sink);
    *buffers = (struct bench_buffers){ 0 };
}

/* Fills a buffer with what no fold gives. */
static bool spoil(const struct bench *bench, cl_mem mem, size_t bytes,
                  struct message *message)
{
    static const cl_uint pattern = 0xa5a5a5a5;
    cl_int error = clEnqueueFillBuffer(bench->session.queue, mem, &pattern,
                                       sizeof(pattern), 0, bytes, 0, NULL, NULL);

    if (error == CL_SUCCESS) {
        error = clFinish(bench->session.queue);
    }
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueFillBuffer", error);
}

bool bench_buffers_spoil(const struct bench_buffers *buffers, const struct bench *bench,
                         size_t num_sets, struct message *message)
{
    if (buffers->results) {
        return spoil(bench, buffers->results, buffers->sets.num * buffers->result_bytes,
                     message);
    }
    for (size_t i = 0; i < num_sets; i++) {
        if (!spoil(bench, buffers->out[i], buffers->out_bytes, message)) {
            return false;
        }
    }
    return true;
}
