#include "tune_data.h"

#include "buffer.h"
#include "number.h"
#include "random.h"
#include "types.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OF 4                 /* the part of the device's memory that calls take */
#define PERIOD  ((size_t)1 << 16) /* elements, which are then repeated */
#define PIECE   ((size_t)4 << 20) /* bytes that are read at a time */
#define ALIGNED 4096              /* elements: of every type more than a line */

/* ---- Elements ---------------------------------------------------------------------- */

enum fill {
    FILL_BITS, /* any: integers wrap around */
    FILL_ODD,  /* products of integers are not 0 */
    FILL_WALK, /* a sum that never gets far from 0, and comes back to it */
    FILL_FEW,  /* mostly 0, and a few 1, of which no sum rounds */
    FILL_SIGN, /* 1, and -1 where there is one */
    FILL_SMALL /* integers up to 8 */
};

#define FAR  64 /* of FILL_WALK */
#define STEP 4
#define ONES 512

clfold_type tune_in_type(const clfold_fold *fold)
{
    return fold->in ? fold->in : fold->type;
}

clfold_type tune_out_type(const clfold_fold *fold)
{
    return fold->out ? fold->out : fold->type;
}

static bool has_sign(const clfold_fold *fold)
{
    return type_class(tune_in_type(fold)) != TYPE_UNSIGNED;
}

/* A walk goes far there. */
static bool is_columns(const clfold_fold *fold)
{
    return fold->segments && fold->segments->by == CLFOLD_BY_COLUMNS;
}

static enum fill fill_of(const clfold_fold *fold)
{
    const bool multiplies = fold->op == CLFOLD_MUL;

    if (type_class(fold->type) != TYPE_FLOAT) {
        return multiplies ? FILL_ODD : FILL_BITS;
    }
    return multiplies                            ? FILL_SIGN
           : fold->op != CLFOLD_ADD              ? FILL_SMALL
           : has_sign(fold) && !is_columns(fold) ? FILL_WALK
                                                 : FILL_FEW;
}

static void put(void *to, clfold_type type, int value)
{
    const struct host_number number = { .integer = (uint64_t)(int64_t)value,
                                        .real = value };

    number_write(type, number, to);
}

/* The next step of a walk that has reached `sum`, `left` steps before its end. */
static int step(int sum, size_t left, uint64_t random)
{
    int value = (int)(random % (2 * STEP + 1)) - STEP;

    if (left <= FAR / STEP) {
        value = sum > STEP ? -STEP : sum < -STEP ? STEP : -sum;
    }
    return sum + value > FAR || sum + value < -FAR ? -value : value;
}

static int element(enum fill fill, bool is_signed, int sum, size_t index, uint64_t random)
{
    switch (fill) {
    case FILL_WALK:
        return step(sum, PERIOD - index, random);
    case FILL_FEW:
        return index % (PERIOD / ONES) == random % (PERIOD / ONES);
    case FILL_SIGN:
        return is_signed && random % 2 ? -1 : 1;
    default:
        return (int)(random % 9) - (is_signed && random >> 32 & 1 ? 8 : 0);
    }
}

/* Integers in any byte order: bits are bits. */
static void make_period(void *to, const clfold_fold *fold)
{
    const clfold_type in = tune_in_type(fold);
    const size_t size = type_size(in);
    const enum fill fill = fill_of(fold);
    unsigned char *at = to;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    int sum = 0;

    for (size_t i = 0; i < PERIOD; ++i, at += size) {
        uint64_t random = next_random(&state) >> 8;
        if (fill == FILL_BITS || fill == FILL_ODD) {
            random |= fill == FILL_ODD;
            memcpy(at, &random, size);
        } else {
            /* a map may be into a type without a sign */
            const int value =
                element(fill, fold->op != 0 && has_sign(fold), sum, i, random);
            sum += fill == FILL_WALK ? value : 0;
            put(at, in, value);
        }
    }
}

/* ---- Buffers ----------------------------------------------------------------------- */

clfold_status tune_data_lay_out(struct tune_data *data, const struct session *session,
                                clfold_operation operation, const clfold_fold *fold,
                                size_t count, uint64_t bytes, struct message *message)
{
    const struct op_result result = op_result(fold->op);
    const size_t stride = (count + ALIGNED - 1) / ALIGNED * ALIGNED;
    const clfold_segments *const segments = fold->segments;
    const size_t results = operation != CLFOLD_REDUCE ? count
                           : !segments                ? 1
                           : segments->by == CLFOLD_BY_COLUMNS
                               ? segments->columns
                               : (size_t)clfold_div_up(count, segments->length);
    uint64_t most = 0;
    cl_ulong memory = 0;

    *data = (struct tune_data){
        .session = session,
        .in_stride = stride,
        .out_stride = (results + ALIGNED - 1) / ALIGNED * ALIGNED,
        .in_size = type_size(tune_in_type(fold)),
        .out_size = result.num * (result.position ? sizeof(clfold_indexed)
                                                  : type_size(tune_out_type(fold))),
        .results = results,
    };
    const uint64_t in = (uint64_t)data->in_stride * data->in_size;
    const uint64_t out = (uint64_t)data->out_stride * data->out_size;
    const cl_int error = clGetDeviceInfo(session->device->id, CL_DEVICE_GLOBAL_MEM_SIZE,
                                         sizeof(memory), &memory, NULL);
    if (error != CL_SUCCESS) {
        device_refuse(message, "clGetDeviceInfo", error);
        return error;
    }
    if (!buffer_limit(session, &most, message)) {
        return CL_INVALID_DEVICE;
    }
    memory /= MOST_OF;
    if (in > most || out > most || in + out > memory) {
        message_set(message,
                    "count %zu takes buffers of %" PRIu64 " and %" PRIu64
                    " bytes, and %.200s has room for %" PRIu64 " each and %" PRIu64
                    " in all (CLFOLD_ERROR_RANGE)",
                    count, in, out, session->device_name, most, (uint64_t)memory);
        return CLFOLD_ERROR_RANGE;
    }
    uint64_t calls = (bytes + in + out - 1) / (in + out);
    calls = calls < memory / (in + out) ? calls : memory / (in + out);
    calls = calls < most / in ? calls : most / in;
    data->calls = (size_t)(calls < most / out ? calls : most / out);
    return CLFOLD_OK;
}

static bool finish_call(const struct tune_data *data, cl_int error, const char *call,
                        struct message *message)
{
    error = error == CL_SUCCESS ? clFinish(data->session->queue) : error;
    return error == CL_SUCCESS || device_refuse(message, call, error);
}

static bool paint(const struct tune_data *data, cl_mem mem, cl_uchar colour, size_t bytes,
                  struct message *message)
{
    const cl_int error = clEnqueueFillBuffer(data->session->queue, mem, &colour, 1, 0,
                                             bytes, 0, NULL, NULL);

    return finish_call(data, error, "clEnqueueFillBuffer", message);
}

/* The rest of the buffer is copies of what is there, twice as much at a time. */
static bool repeat(const struct tune_data *data, size_t done, size_t bytes,
                   struct message *message)
{
    bool fine = true;

    for (size_t size; fine && done < bytes; done += size) {
        size = done < bytes - done ? done : bytes - done;
        const cl_int error = clEnqueueCopyBuffer(data->session->queue, data->in, data->in,
                                                 0, done, size, 0, NULL, NULL);
        fine = finish_call(data, error, "clEnqueueCopyBuffer", message);
    }
    return fine;
}

/* Few ones are in the first period alone. */
static bool fill(const struct tune_data *data, const clfold_fold *fold, size_t bytes,
                 struct message *message)
{
    const size_t all = PERIOD * data->in_size, size = all < bytes ? all : bytes;
    const bool few = fill_of(fold) == FILL_FEW;
    void *const elements = malloc(all);

    if (!elements) {
        return message_set(message, "there is not enough memory for elements");
    }
    make_period(elements, fold);
    bool done = !few || paint(data, data->in, 0, bytes, message);
    if (done) {
        const cl_int error = clEnqueueWriteBuffer(data->session->queue, data->in, CL_TRUE,
                                                  0, size, elements, 0, NULL, NULL);
        done = finish_call(data, error, "clEnqueueWriteBuffer", message);
    }
    free(elements);
    return done && (few || repeat(data, size, bytes, message));
}

enum { COLOUR = 0xa5 };

static void release(struct tune_buffer *buffer)
{
    if (buffer->mem) {
        clReleaseMemObject(buffer->mem);
    }
    *buffer = (struct tune_buffer){ 0 };
}

static bool grow(const struct tune_data *data, struct tune_buffer *buffer, size_t bytes,
                 struct message *message)
{
    if (buffer->bytes >= bytes) {
        return true;
    }
    release(buffer);
    if (!buffer_create(data->session, &buffer->mem, CL_MEM_READ_WRITE, bytes, message)) {
        return false;
    }
    buffer->bytes = bytes;
    return true;
}

/* Memory that was never written may not be mapped, which would slow down the first calls.
 */
bool tune_data_open(struct tune_data *data, struct tune_buffers *buffers,
                    const clfold_fold *fold, struct message *message)
{
    const size_t in = data->in_stride * data->calls * data->in_size;
    const size_t out = data->out_stride * data->calls * data->out_size;

    if (!grow(data, &buffers->in, in, message) ||
        !grow(data, &buffers->out, out, message)) {
        return false;
    }
    data->in = buffers->in.mem;
    data->out = buffers->out.mem;
    return fill(data, fold, in, message) && paint(data, data->out, COLOUR, out, message);
}

void tune_buffers_close(struct tune_buffers *buffers)
{
    release(&buffers->in);
    release(&buffers->out);
}

/* ---- Results ----------------------------------------------------------------------- */

bool tune_data_spoil(const struct tune_data *data, struct message *message)
{
    return paint(data, data->out, COLOUR, data->results * data->out_size, message);
}

/* Eight bytes at a time, since there may be a GiB of them; each step is a bijection, so
 * that one wrong word is always seen. */
static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

bool tune_data_hash(const struct tune_data *data, uint64_t *hash, struct message *message)
{
    const size_t bytes = data->results * data->out_size;
    unsigned char *const piece = malloc(PIECE);
    cl_int error = CL_SUCCESS;

    *hash = 0;
    if (!piece) {
        return message_set(message, "there is not enough memory for results");
    }
    for (size_t at = 0; error == CL_SUCCESS && at < bytes; at += PIECE) {
        const size_t size = bytes - at < PIECE ? bytes - at : PIECE;
        error = clEnqueueReadBuffer(data->session->queue, data->out, CL_TRUE, at, size,
                                    piece, 0, NULL, NULL);
        if (error == CL_SUCCESS) {
            *hash = hash_bytes(*hash, piece, size);
        }
    }
    free(piece);
    return error == CL_SUCCESS || device_refuse(message, "clEnqueueReadBuffer", error);
}
