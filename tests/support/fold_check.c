#include "fold_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZONE       64 /* elements */
#define OUT_MARGIN 48 /* bytes behind the result */

/* What one check holds. */
struct run {
    unsigned char *in, *in_after, *out, *out_after;
    size_t in_size, out_size;
    size_t first; /* element of the input */
    unsigned char init[MAX_RESULT];
    cl_mem in_mem, out_mem;
};

void fold_print(const struct fold_case *fold, char *text, size_t size)
{
    char how[96] = "";

    if (fold->algorithm) {
        snprintf(how, sizeof(how), "%s in groups of %u", fold->algorithm,
                 fold->plan.group_size);
    } else {
        snprintf(how, sizeof(how), "%s of %u, %u work-items",
                 clfold_tile_name(fold->plan.tile), fold->plan.tile_elements,
                 fold->plan.group_size);
    }
    snprintf(text, size, "%s of %zu %s into %s by %s, from element %zu%s%s (seed %llu)",
             name_of_op(fold->op), fold->count, name_of(fold->pair.in),
             name_of(fold->pair.type), how, fold->offset + (fold->zone ? ZONE : 0),
             fold->init ? ", with init" : "", fold->nan ? ", with NaN" : "",
             (unsigned long long)fold->seed);
}

/* "`fold`: `what`" */
static bool explain(const struct fold_case *fold, const char *what, char *why,
                    size_t why_size)
{
    char subject[256];

    fold_print(fold, subject, sizeof(subject));
    snprintf(why, why_size, "%s: %s", subject, what);
    return false;
}

static bool run_init(struct run *run, const struct device *device,
                     const struct fold_case *fold)
{
    size_t size = size_of(fold->pair.in);
    size_t out_bytes = result_size(fold->op, fold->pair.type);
    cl_int in_status, out_status;

    run->first = fold->offset + (fold->zone ? ZONE : 0);
    run->in_size = (run->first + fold->count + ZONE) * size;
    run->out_size = (fold->out_offset + 1) * out_bytes + OUT_MARGIN;
    run->in = malloc(run->in_size);
    run->in_after = malloc(run->in_size);
    run->out = malloc(run->out_size);
    run->out_after = malloc(run->out_size);
    if (!run->in || !run->in_after || !run->out || !run->out_after) {
        return false;
    }
    poison_fold(run->in, fold->op, fold->pair, run->in_size / size);
    fill_fold(run->in + run->first * size, fold->op, fold->pair, fold->count,
              fold->nan ? FILL_NAN : 0, fold->seed);
    fill_init(run->init, fold->op, fold->pair, run->in + run->first * size, fold->count,
              fold->seed);
    memset(run->out, 0xa5, run->out_size);
    run->in_mem = clCreateBuffer(device->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                 run->in_size, run->in, &in_status);
    run->out_mem =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       run->out_size, run->out, &out_status);
    return in_status == CL_SUCCESS && out_status == CL_SUCCESS;
}

static void run_finish(struct run *run)
{
    if (run->in_mem) {
        clReleaseMemObject(run->in_mem);
    }
    if (run->out_mem) {
        clReleaseMemObject(run->out_mem);
    }
    free(run->in);
    free(run->in_after);
    free(run->out);
    free(run->out_after);
}

static clfold_status enqueue(clfold_context *context, cl_command_queue queue,
                             const struct fold_case *fold, struct run *run)
{
    const clfold_fold call = {
        .op = fold->op,
        .type = fold->pair.type,
        .in = fold->pair.in,
        .init = fold->init ? run->init : NULL,
        .init_size = fold->init ? result_size(fold->op, fold->pair.type) : 0,
        .algorithm = fold->algorithm,
    };
    cl_event event = NULL;

    clfold_context_override(context, &fold->plan);
    clfold_status status =
        clfold_reduce(context, queue, &call, run->in_mem, run->first, run->out_mem,
                      fold->out_offset, fold->count, 0, NULL, &event);
    if (status) {
        return status;
    }
    status = clEnqueueReadBuffer(queue, run->out_mem, CL_TRUE, 0, run->out_size,
                                 run->out_after, 1, &event, NULL);
    clReleaseEvent(event);
    return status ? status
                  : clEnqueueReadBuffer(queue, run->in_mem, CL_TRUE, 0, run->in_size,
                                        run->in_after, 0, NULL, NULL);
}

/* The bytes around the result, and the input. */
static bool is_untouched(const struct fold_case *fold, const struct run *run)
{
    size_t size = result_size(fold->op, fold->pair.type);
    size_t from = fold->out_offset * size, behind = from + size;

    return memcmp(run->out, run->out_after, from) == 0 &&
           memcmp(run->out + behind, run->out_after + behind, run->out_size - behind) ==
               0 &&
           memcmp(run->in, run->in_after, run->in_size) == 0;
}

static bool compare(const struct fold_case *fold, const struct run *run,
                    const unsigned char *expected, char *why, size_t why_size)
{
    clfold_type type = fold->pair.type;
    const unsigned char *result =
        run->out_after + fold->out_offset * result_size(fold->op, type);
    char found[160], wanted[160], what[400];

    if (!same_result(fold->op, type, expected, result)) {
        print_result(fold->op, type, result, found, sizeof(found));
        print_result(fold->op, type, expected, wanted, sizeof(wanted));
        snprintf(what, sizeof(what), "%s instead of %s%s", found, wanted,
                 strcmp(found, wanted) == 0 ? ", in bytes that this does not show" : "");
        return explain(fold, what, why, why_size);
    }
    if (!is_untouched(fold, run)) {
        return explain(fold, "wrote to its input, or beside its result", why, why_size);
    }
    return true;
}

bool fold_check(clfold_context *context, const struct device *device,
                cl_command_queue queue, const struct fold_case *fold, char *why,
                size_t why_size)
{
    struct run run = { 0 };
    unsigned char expected[MAX_RESULT];
    bool right;

    if (!run_init(&run, device, fold)) {
        run_finish(&run);
        return explain(fold, "no memory for its buffers", why, why_size);
    }
    bool any =
        oracle_fold(fold->op, fold->pair, run.in + run.first * size_of(fold->pair.in),
                    fold->count, fold->init ? run.init : NULL, expected, NULL);
    clfold_status status = enqueue(context, queue, fold, &run);
    if (status != (any ? CLFOLD_OK : CLFOLD_ERROR_EMPTY)) {
        right =
            explain(fold, status > 0 ? clfold_last_error() : clfold_status_name(status),
                    why, why_size);
    } else {
        right = !any || compare(fold, &run, expected, why, why_size);
    }
    run_finish(&run);
    return right;
}
