/*
 * verify_every: the host folds the input too, and compares.
 *
 * Integers must agree exactly. A float sum along a tree of depth d is within
 * d u / (1 - d u) of the true sum times sum |x| (Higham, "Accuracy and Stability of
 * Numerical Algorithms", section 4.2), where u is half an epsilon of the folded type. The
 * host's own sum is compensated (Neumaier 1974), in f64, and held to be true up to 2 u.
 */
#include "base/memory.h"
#include "ops/reduce.h"
#include "plan/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bytes of input read at a time; a multiple of every element. */
#define PIECE ((size_t)1 << 20)

struct host_fold {
    clfold_op op;
    clfold_type type; /* of the result */
    bool any;
    /* Integers: modulo 2^64; the greatest is signed where the type is. */
    uint64_t total, greatest;
    /* Floats: the finite ones, with Neumaier's correction, and the others by themselves.
     */
    double sum, correction, absolute, special, max;
    bool has_special;
};

struct value {
    uint64_t integer; /* sign-extended */
    double real;
};

static struct value read_value(clfold_type type, const void *at)
{
    cl_int i32;
    cl_ulong u64;
    cl_float f32;
    cl_double f64;

    switch (type) {
    case CLFOLD_U8:
        return (struct value){ .integer = *(const cl_uchar *)at };
    case CLFOLD_I32:
        memcpy(&i32, at, sizeof(i32));
        return (struct value){ .integer = (uint64_t)(int64_t)i32 };
    case CLFOLD_F32:
        memcpy(&f32, at, sizeof(f32));
        return (struct value){ .real = f32 };
    case CLFOLD_F64:
        memcpy(&f64, at, sizeof(f64));
        return (struct value){ .real = f64 };
    default:
        memcpy(&u64, at, sizeof(u64));
        return (struct value){ .integer = u64 };
    }
}

static bool is_greater(clfold_type type, uint64_t a, uint64_t b)
{
    bool is_signed = type == CLFOLD_I32 || type == CLFOLD_I64;

    return is_signed ? (int64_t)a > (int64_t)b : a > b;
}

static void add_integer(struct host_fold *fold, uint64_t x)
{
    fold->total += x;
    if (!fold->any || is_greater(fold->type, x, fold->greatest)) {
        fold->greatest = x;
    }
}

static void add_real(struct host_fold *fold, double x)
{
    if (!fold->any || isnan(x) || x > fold->max) {
        fold->max = fold->any && isnan(fold->max) ? fold->max : x;
    }
    if (!isfinite(x)) {
        fold->special += x;
        fold->has_special = true;
        return;
    }
    double t = fold->sum + x;
    fold->correction +=
        fabs(fold->sum) >= fabs(x) ? fold->sum - t + x : x - t + fold->sum;
    fold->sum = t;
    fold->absolute += fabs(x);
}

static void add(struct host_fold *fold, clfold_type type, const void *at)
{
    struct value x = read_value(type, at);

    if (clfold_scalar(type)->is_float) {
        add_real(fold, x.real);
    } else {
        add_integer(fold, x.integer);
    }
    fold->any = true;
}

static clfold_status fold_input(struct host_fold *fold, const struct site *site,
                                const struct reduce_call *call)
{
    size_t size = clfold_monoid_in_size(call->monoid);
    size_t total = call->count * size, from = call->in_offset * size;
    cl_uint num_wait = call->num_wait;
    unsigned char *piece = clfold_alloc(PIECE);

    if (!piece) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory to verify the call");
    }
    for (size_t done = 0, bytes; done < total; done += bytes) {
        bytes = total - done < PIECE ? total - done : PIECE;
        cl_int status =
            clEnqueueReadBuffer(call->queue, call->in, CL_TRUE, from + done, bytes, piece,
                                num_wait, num_wait ? call->wait : NULL, NULL);
        if (status != CL_SUCCESS) {
            clfold_free(piece);
            return clfold_fail_call(site, status, "verify: clEnqueueReadBuffer");
        }
        for (size_t at = 0; at < bytes; at += size) {
            add(fold, call->monoid->in, piece + at);
        }
        num_wait = 0;
    }
    clfold_free(piece);
    return CLFOLD_OK;
}

/* How many additions a term goes through at most. */
static double depth_of(const struct reduce_plan *plan)
{
    return (double)plan->items + (double)plan->num_groups + 64;
}

static double host_real(const struct host_fold *fold)
{
    if (fold->op == CLFOLD_MAX) {
        return fold->any ? fold->max : -(double)INFINITY;
    }
    return fold->has_special ? fold->special : fold->sum + fold->correction;
}

static bool reals_agree(const struct host_fold *fold, const struct reduce_plan *plan,
                        double device)
{
    double host = host_real(fold);
    double u = (fold->type == CLFOLD_F32 ? (double)FLT_EPSILON : DBL_EPSILON) / 2;
    double most = fold->type == CLFOLD_F32 ? (double)FLT_MAX : DBL_MAX;
    double depth = depth_of(plan) + 1;

    if (isnan(host)) {
        return isnan(device);
    }
    if (fold->op == CLFOLD_MAX || fold->has_special) {
        return device == host;
    }
    /* Partial sums may leave the type's range where the whole does not. */
    if (fold->absolute > most / 2) {
        return true;
    }
    return fabs(device - host) <=
           depth * u / (1 - depth * u) * fold->absolute + DBL_EPSILON * fabs(host);
}

/* The host's integer as the result's type holds it. */
static uint64_t host_integer(const struct host_fold *fold)
{
    uint64_t whole = fold->op == CLFOLD_MAX ? fold->greatest : fold->total;
    cl_uchar u8 = (cl_uchar)whole;
    cl_int i32 = (cl_int)(cl_uint)whole;

    if (!fold->any && fold->op == CLFOLD_MAX) {
        return fold->type == CLFOLD_I32   ? (uint64_t)(int64_t)CL_INT_MIN
               : fold->type == CLFOLD_I64 ? (uint64_t)CL_LONG_MIN
                                          : 0;
    }
    return fold->type == CLFOLD_U8    ? u8
           : fold->type == CLFOLD_I32 ? (uint64_t)(int64_t)i32
                                      : whole;
}

static clfold_status compare(const struct host_fold *fold, const struct site *site,
                             const struct reduce_plan *plan, const void *result)
{
    struct value device = read_value(fold->type, result);

    if (clfold_scalar(fold->type)->is_float) {
        return reals_agree(fold, plan, device.real)
                   ? CLFOLD_OK
                   : clfold_fail(site, CLFOLD_ERROR_DATA,
                                 "verify: the device folds to %.17g, the host to %.17g",
                                 device.real, host_real(fold));
    }
    return device.integer == host_integer(fold)
               ? CLFOLD_OK
               : clfold_fail(site, CLFOLD_ERROR_DATA,
                             "verify: the device folds to %lld, the host to %lld",
                             (long long)device.integer, (long long)host_integer(fold));
}

clfold_status clfold_reduce_verify(clfold_context *context, const struct site *site,
                                   const struct reduce_call *call, clfold_op op,
                                   cl_event *event)
{
    struct host_fold fold = { .op = op, .type = call->monoid->type };
    size_t size = clfold_monoid_out_size(call->monoid);
    unsigned char result[sizeof(cl_ulong)];
    struct reduce_plan plan;
    uint32_t dropped;
    cl_event done = NULL;
    clfold_status status;

    if (call->init) {
        add(&fold, fold.type, call->init);
    }
    /* The input first: the output may be put in its place. */
    if ((status = fold_input(&fold, site, call)) ||
        (status = clfold_reduce_enqueue(context, site, call, &done))) {
        return status;
    }
    status = clEnqueueReadBuffer(call->queue, call->out, CL_TRUE, call->out_offset * size,
                                 size, result, 1, &done, NULL);
    if (status != CL_SUCCESS) {
        clfold_fail_call(site, status, "verify: clEnqueueReadBuffer");
    } else {
        clfold_reduce_foresee(context, call->algorithm, call->monoid, call->count, &plan,
                              &dropped);
        status = compare(&fold, site, &plan, result);
    }
    if (event && status == CLFOLD_OK) {
        *event = done;
    } else {
        clfold_log_call(site->log, clReleaseEvent(done), "clReleaseEvent");
    }
    return status;
}
