/* verify_every: the host folds the input too, or one work-item, and results are compared.
 */
#include "base/memory.h"
#include "ops/host_fold.h"
#include "ops/host_number.h"
#include "ops/read.h"
#include "ops/request.h"
#include "plan/scalar.h"

#include <math.h>
#include <string.h>

/* Bytes of input read at a time; a multiple of every element. */
#define PIECE ((size_t)1 << 20)

/* Checked before anything is written. */
static clfold_status check_readable(const struct site *site, const char *name, cl_mem mem)
{
    cl_mem_flags flags = 0;
    cl_int status = CL_SUCCESS;

    if (mem) {
        status = clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);
    }
    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "verify: clGetMemObjectInfo");
    }
    if (flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) {
        return clfold_fail(
            site, CLFOLD_ERROR_ARGUMENT,
            "%s %p must be readable by the host, since verify_every reads it", name,
            (void *)mem);
    }
    return CLFOLD_OK;
}

/* The host's copy of init, wherever it is; `cells` has room for it. */
static clfold_status get_init(const struct site *site, const struct request *request,
                              unsigned char *cells, const void **init)
{
    const clfold_place *at = &request->init.at;
    size_t size = clfold_monoid_out_size(request->job.monoid);
    clfold_status status;

    *init = request->init.value;
    if (!at->mem) {
        return CLFOLD_OK;
    }
    *init = cells;
    if ((status = check_readable(site, "init_at", at->mem))) {
        return status;
    }
    return clfold_read(site, request->queue, at->mem, at->offset * size, size, cells,
                       request->num_wait, request->wait);
}

static clfold_status fold_input(struct host_fold *fold, const struct site *site,
                                const struct request *request)
{
    size_t size = clfold_monoid_in_size(request->job.monoid);
    size_t total = request->job.count * size, from = request->in_offset * size;
    cl_uint num_wait = request->num_wait;
    unsigned char *piece = clfold_alloc(PIECE);

    if (!piece) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory to verify the call");
    }
    for (size_t done = 0, bytes; done < total; done += bytes) {
        bytes = total - done < PIECE ? total - done : PIECE;
        clfold_status status =
            clfold_read(site, request->queue, request->in, from + done, bytes, piece,
                        num_wait, num_wait ? request->wait : NULL);
        if (status) {
            clfold_free(piece);
            return status;
        }
        clfold_host_fold_add(fold, piece, bytes / size);
        num_wait = 0;
    }
    clfold_free(piece);
    return CLFOLD_OK;
}

/* ---- Another computation ----------------------------------------------------------- */

#define MOST_RESULT (sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS)

/* The result of the same reduction by other means. */
struct expectation {
    bool by_host; /* else by algorithm "serial" */
    struct host_fold fold;
    unsigned char result[MOST_RESULT];
};

bool clfold_request_verifiable(const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;

    return request->job.operation == CLFOLD_REDUCE && request->job.segments.width == 0 &&
           !request->job.offsets && !monoid->in_part && !monoid->count_at &&
           (clfold_host_folds(monoid) || monoid->accuracy == CLFOLD_REPRODUCIBLE ||
            (clfold_monoid_has_text(monoid) && !monoid->type_name && !monoid->stores));
}

static clfold_status find_and_run(struct request *request, const struct site *site,
                                  clfold_context *context, struct plan *plan,
                                  unsigned char result[MOST_RESULT], cl_event *done)
{
    size_t size = clfold_monoid_written_size(request->job.monoid);
    struct program *program;
    clfold_status status = clfold_request_find(request, site, context, plan, &program);

    if (status || (status = clfold_run(request, site, context, plan, program, done))) {
        return status;
    }
    status = clfold_read(site, request->queue, request->out, request->out_offset * size,
                         size, result, 1, done);
    if (status) {
        clfold_log_call(site->log, clReleaseEvent(*done), "clReleaseEvent");
    }
    return status;
}

static clfold_status fold_serially(unsigned char result[MOST_RESULT],
                                   const struct request *asked, const struct site *site,
                                   clfold_context *context)
{
    struct request request = *asked;
    struct block *block;
    cl_event done;
    struct plan plan;
    clfold_status status =
        clfold_scratch_lend(&context->scratch, site, NULL, true, SCRATCH_PLAIN,
                            clfold_monoid_written_size(asked->job.monoid), &block);

    if (status) {
        return status;
    }
    request.job.algorithm = SERIAL;
    request.job.out_offset = request.out_offset = 0;
    request.named = true;
    request.out = block->mem;
    status = find_and_run(&request, site, context, &plan, result, &done);
    if (status) {
        clfold_scratch_drop(&context->scratch, site->log, block);
        return status;
    }
    clfold_log_call(site->log, clReleaseEvent(done), "clReleaseEvent");
    return clfold_scratch_give(&context->scratch, site, block, NULL);
}

static clfold_status fold_by_host(struct host_fold *fold, const struct request *request,
                                  const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;
    unsigned char cells[MOST_RESULT];
    const void *init;
    clfold_status status = get_init(site, request, cells, &init);

    if (status) {
        return status;
    }
    clfold_host_fold_init(fold, monoid->op, monoid->type, monoid->in, init);
    return fold_input(fold, site, request);
}

/* Half of a float's digits: an operator of the caller's may lose as many. */
static bool agrees(const struct monoid *monoid, clfold_type type, const unsigned char *a,
                   const unsigned char *b)
{
    const struct scalar *scalar = clfold_scalar(type);

    if (!scalar->is_float || monoid->accuracy == CLFOLD_REPRODUCIBLE) {
        return memcmp(a, b, scalar->size) == 0;
    }
    double x = clfold_number_read(type, a).real, y = clfold_number_read(type, b).real;
    double u = sqrt(clfold_number_range(type).u);
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= u * fmax(fabs(x), fabs(y));
}

/* A reduction's result, scalar by scalar as it is written. */
static clfold_status compare_serial(const struct monoid *monoid, const struct site *site,
                                    const unsigned char *serial,
                                    const unsigned char *result)
{
    uint32_t num = monoid->out ? monoid->num_out : clfold_monoid_num_results(monoid);

    for (uint32_t k = 0; k < num; ++k) {
        clfold_type type =
            monoid->out ? monoid->out : clfold_monoid_result_type(monoid, k);
        size_t at = monoid->out ? k * clfold_scalar(type)->size
                                : clfold_monoid_out_offset(monoid, k);
        char ours[40], theirs[40];
        if (!agrees(monoid, type, serial + at, result + at)) {
            clfold_number_print(ours, sizeof(ours), type,
                                clfold_number_read(type, serial + at));
            clfold_number_print(theirs, sizeof(theirs), type,
                                clfold_number_read(type, result + at));
            return clfold_fail(site, CLFOLD_ERROR_DATA,
                               "verify: %s is %s, and %s by algorithm \"serial\"",
                               monoid->out ? "result"
                                           : clfold_monoid_result_name(monoid, k),
                               theirs, ours);
        }
    }
    return CLFOLD_OK;
}

static clfold_status expect(struct expectation *expectation,
                            const struct request *request, const struct site *site,
                            clfold_context *context)
{
    expectation->by_host = clfold_host_folds(request->job.monoid);
    return expectation->by_host
               ? fold_by_host(&expectation->fold, request, site)
               : fold_serially(expectation->result, request, site, context);
}

clfold_status clfold_request_verify(struct request *request, const struct site *site,
                                    clfold_context *context, cl_event *event)
{
    unsigned char result[MOST_RESULT];
    struct expectation expectation;
    struct plan plan;
    cl_event done = NULL;
    clfold_status status;

    if ((status = check_readable(site, "in", request->in)) ||
        (status = check_readable(site, "out", request->out))) {
        return status;
    }
    if (request->behind_all && (status = clFinish(request->queue))) {
        return clfold_fail_call(site, status, "verify: clFinish");
    }
    /* The input first: the output may overwrite it. */
    if ((status = expect(&expectation, request, site, context)) ||
        (status = find_and_run(request, site, context, &plan, result, &done))) {
        return status;
    }
    status = expectation.by_host
                 ? clfold_host_fold_compare(&expectation.fold, site, &plan, result)
                 : compare_serial(request->job.monoid, site, expectation.result, result);
    if (event && status == CLFOLD_OK) {
        *event = done;
    } else {
        clfold_log_call(site->log, clReleaseEvent(done), "clReleaseEvent");
    }
    return status;
}
