/* verify_every: the host folds the input too, and compares. */
#include "base/memory.h"
#include "ops/host_fold.h"
#include "ops/read.h"
#include "ops/request.h"

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

clfold_status clfold_request_verify(struct request *request, const struct site *site,
                                    clfold_context *context, cl_event *event)
{
    const struct monoid *monoid = request->job.monoid;
    size_t size = clfold_monoid_out_size(monoid);
    unsigned char result[sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS];
    unsigned char cells[sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS];
    const void *init;
    struct host_fold fold;
    struct plan plan;
    struct program *program;
    cl_event done = NULL;
    clfold_status status;

    if ((status = check_readable(site, "in", request->in)) ||
        (status = check_readable(site, "out", request->out))) {
        return status;
    }
    if (request->behind_all && (status = clFinish(request->queue))) {
        return clfold_fail_call(site, status, "verify: clFinish");
    }
    if ((status = get_init(site, request, cells, &init))) {
        return status;
    }
    clfold_host_fold_init(&fold, monoid->op, monoid->type, monoid->in, init);
    /* The input first: the output may overwrite it. */
    if ((status = fold_input(&fold, site, request)) ||
        (status = clfold_request_find(request, site, context, &plan, &program)) ||
        (status = clfold_run(request, site, context, &plan, program, &done))) {
        return status;
    }
    status = clfold_read(site, request->queue, request->out, request->out_offset * size,
                         size, result, 1, &done);
    if (status == CLFOLD_OK) {
        status = clfold_host_fold_compare(&fold, site, &plan, result);
    }
    if (event && status == CLFOLD_OK) {
        *event = done;
    } else {
        clfold_log_call(site->log, clReleaseEvent(done), "clReleaseEvent");
    }
    return status;
}
