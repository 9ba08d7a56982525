#include "ops/tune_data.h"

#include "base/half.h"
#include "base/memory.h"
#include "base/size.h"
#include "ops/read.h"
#include "plan/scalar.h"

#include <string.h>

/* Bytes that the calls take together, and the part of the device's memory that they may:
 * more than the largest caches, and room for others. */
#define WANTED  ((uint64_t)512 << 20)
#define MOST_OF 4
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

static enum fill fill_of(const struct monoid *monoid)
{
    bool adds = monoid->op == CLFOLD_ADD, multiplies = monoid->op == CLFOLD_MUL;

    if (!clfold_scalar(monoid->type)->is_float) {
        return multiplies ? FILL_ODD : FILL_BITS;
    }
    return multiplies                             ? FILL_SIGN
           : !adds                                ? FILL_SMALL
           : clfold_scalar(monoid->in)->is_signed ? FILL_WALK
                                                  : FILL_FEW;
}

/* xorshift64*, by Vigna. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static void put(void *to, clfold_type type, int value)
{
    const struct scalar *scalar = clfold_scalar(type);
    int64_t integer = value;
    double real = value;
    float single = (float)value;
    uint16_t half = clfold_double_to_half(value);

    memcpy(to,
           !scalar->is_float   ? (const void *)&integer
           : scalar->size == 8 ? (const void *)&real
           : scalar->size == 4 ? (const void *)&single
                               : (const void *)&half,
           scalar->size);
}

/* The next step of a walk that has come to `sum`, `left` steps before its end. */
static int step(int sum, size_t left, uint64_t random)
{
    int value = (int)(random % (2 * STEP + 1)) - STEP;

    if (left <= FAR / STEP) {
        value = sum > STEP ? -STEP : sum < -STEP ? STEP : -sum;
    }
    return sum + value > FAR || sum + value < -FAR ? -value : value;
}

static int element(enum fill fill, const struct scalar *in, int sum, size_t index,
                   uint64_t random)
{
    switch (fill) {
    case FILL_WALK:
        return step(sum, PERIOD - index, random);
    case FILL_FEW:
        return index % (PERIOD / ONES) == random % (PERIOD / ONES);
    case FILL_SIGN:
        return in->is_signed && random % 2 ? -1 : 1;
    default:
        return (int)(random % 9) - (in->is_signed && random >> 32 & 1 ? 8 : 0);
    }
}

/* Integers in any byte order: bits are bits. */
static void make_period(void *to, const struct monoid *monoid)
{
    const struct scalar *in = clfold_scalar(monoid->in);
    enum fill fill = fill_of(monoid);
    unsigned char *at = to;
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    int sum = 0;

    for (size_t i = 0; i < PERIOD; ++i, at += in->size) {
        uint64_t random = next_random(&state) >> 8;
        if (fill == FILL_BITS || fill == FILL_ODD) {
            random |= fill == FILL_ODD;
            memcpy(at, &random, in->size);
        } else {
            int value = element(fill, in, sum, i, random);
            sum += fill == FILL_WALK ? value : 0;
            put(at, monoid->in, value);
        }
    }
}

/* ---- Buffers ----------------------------------------------------------------------- */

/* The rest of the buffer is copies of what is there, twice as much at a time. */
static cl_int repeat(const struct tune_data *data, size_t done, size_t bytes)
{
    cl_int status = CL_SUCCESS;

    for (size_t size; status == CL_SUCCESS && done < bytes; done += size) {
        size = done < bytes - done ? done : bytes - done;
        status = clEnqueueCopyBuffer(data->queue, data->in, data->in, 0, done, size, 0,
                                     NULL, NULL);
        if (status == CL_SUCCESS) {
            status = clFinish(data->queue);
        }
    }
    return status;
}

/* Few ones are in the first period alone. */
static clfold_status fill(const struct tune_data *data, const struct monoid *monoid)
{
    const cl_uchar zero = 0;
    size_t bytes = data->in_stride * data->calls * data->in_size;
    size_t period = PERIOD * data->in_size;
    void *elements = clfold_alloc(period);
    cl_int status = CL_SUCCESS;

    if (!elements) {
        return clfold_fail(data->site, CL_OUT_OF_HOST_MEMORY, "no memory for elements");
    }
    make_period(elements, monoid);
    period = period < bytes ? period : bytes;
    if (fill_of(monoid) == FILL_FEW) {
        status =
            clEnqueueFillBuffer(data->queue, data->in, &zero, 1, 0, bytes, 0, NULL, NULL);
        status = status ? status : clFinish(data->queue);
    }
    status = status ? status
                    : clEnqueueWriteBuffer(data->queue, data->in, CL_TRUE, 0, period,
                                           elements, 0, NULL, NULL);
    clfold_free(elements);
    if (status == CL_SUCCESS && fill_of(monoid) != FILL_FEW) {
        status = repeat(data, period, bytes);
    }
    return status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(data->site, status, "filling a buffer");
}

/* The first `bytes` of the output. */
static clfold_status spoil(const struct tune_data *data, size_t bytes)
{
    const cl_uchar colour = 0xa5;
    cl_int status =
        clEnqueueFillBuffer(data->queue, data->out, &colour, 1, 0, bytes, 0, NULL, NULL);

    status = status ? status : clFinish(data->queue);
    return status == CL_SUCCESS
               ? CLFOLD_OK
               : clfold_fail_call(data->site, status, "clEnqueueFillBuffer");
}

/* How many calls there is room for. */
static clfold_status count_calls(struct tune_data *data, const clfold_context *context,
                                 size_t count)
{
    cl_ulong memory = 0, most = 0;
    uint64_t in = (uint64_t)data->in_stride * data->in_size;
    uint64_t out = (uint64_t)data->out_stride * data->out_size, calls;
    cl_int status;

    if ((status = clGetDeviceInfo(context->device, CL_DEVICE_GLOBAL_MEM_SIZE,
                                  sizeof(memory), &memory, NULL)) ||
        (status = clGetDeviceInfo(context->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                                  sizeof(most), &most, NULL))) {
        return clfold_fail_call(data->site, status, "clGetDeviceInfo");
    }
    memory /= MOST_OF;
    if (in > most || out > most || in + out > memory) {
        return clfold_fail(data->site, CLFOLD_ERROR_RANGE,
                           "count %zu takes buffers of %llu and %llu bytes, and %s has "
                           "room for %llu each and %llu in all",
                           count, (unsigned long long)in, (unsigned long long)out,
                           context->caps.name, (unsigned long long)most,
                           (unsigned long long)memory);
    }
    calls = clfold_div_up(
        context->override.tune_bytes ? context->override.tune_bytes : WANTED, in + out);
    calls = calls > 2 ? calls : 2;
    calls = calls < memory / (in + out) ? calls : memory / (in + out);
    calls = calls < most / in ? calls : most / in;
    data->calls = (size_t)(calls < most / out ? calls : most / out);
    return CLFOLD_OK;
}

static clfold_status create(const struct tune_data *data, const clfold_context *context,
                            size_t bytes, cl_mem *mem)
{
    cl_int status;

    *mem = clCreateBuffer(context->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    return status == CL_SUCCESS ? CLFOLD_OK
                                : clfold_fail_call(data->site, status, "clCreateBuffer");
}

clfold_status clfold_tune_data_lay_out(struct tune_data *data, const struct site *site,
                                       const clfold_context *context,
                                       clfold_operation operation,
                                       const struct monoid *monoid, size_t count)
{
    size_t stride = clfold_size_round_up(count, ALIGNED);
    bool scans = operation != CLFOLD_REDUCE;

    *data = (struct tune_data){
        .site = site,
        .in_stride = stride,
        .out_stride = scans ? stride : ALIGNED,
        .in_size = clfold_monoid_in_size(monoid),
        .out_size = clfold_monoid_out_size(monoid),
        .results = scans ? count : 1,
    };
    return count_calls(data, context, count);
}

clfold_status clfold_tune_data_init(struct tune_data *data, const struct site *site,
                                    const clfold_context *context, cl_command_queue queue,
                                    clfold_operation operation,
                                    const struct monoid *monoid, size_t count)
{
    size_t in_bytes, out_bytes;
    clfold_status status =
        clfold_tune_data_lay_out(data, site, context, operation, monoid, count);

    if (status) {
        return status;
    }
    data->queue = queue;
    in_bytes = data->in_stride * data->calls * data->in_size;
    out_bytes = data->out_stride * data->calls * data->out_size;
    /* Memory that nobody has written yet may not be there, which calls would pay for. */
    if ((status = create(data, context, in_bytes, &data->in)) ||
        (status = create(data, context, out_bytes, &data->out)) ||
        (status = fill(data, monoid)) || (status = spoil(data, out_bytes))) {
        clfold_tune_data_finish(data);
    }
    return status;
}

void clfold_tune_data_finish(struct tune_data *data)
{
    if (data->in) {
        clfold_log_call(data->site->log, clReleaseMemObject(data->in),
                        "clReleaseMemObject");
    }
    if (data->out) {
        clfold_log_call(data->site->log, clReleaseMemObject(data->out),
                        "clReleaseMemObject");
    }
    *data = (struct tune_data){ 0 };
}

/* ---- Results ----------------------------------------------------------------------- */

clfold_status clfold_tune_data_spoil(const struct tune_data *data)
{
    return spoil(data, data->results * data->out_size);
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

clfold_status clfold_tune_data_hash(const struct tune_data *data, uint64_t *hash)
{
    size_t bytes = data->results * data->out_size;
    unsigned char *piece = clfold_alloc(PIECE);
    clfold_status status = CLFOLD_OK;

    *hash = 0;
    if (!piece) {
        return clfold_fail(data->site, CL_OUT_OF_HOST_MEMORY, "no memory for results");
    }
    for (size_t at = 0; status == CLFOLD_OK && at < bytes; at += PIECE) {
        size_t size = bytes - at < PIECE ? bytes - at : PIECE;
        status =
            clfold_read(data->site, data->queue, data->out, at, size, piece, 0, NULL);
        if (status == CLFOLD_OK) {
            *hash = hash_bytes(*hash, piece, size);
        }
    }
    clfold_free(piece);
    return status;
}
