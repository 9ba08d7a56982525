/* clfold_trace: a look-back scan whose program records what its tiles did. */
#include <clfold/experimental.h>
#include "ops/chain.h"
#include "ops/check.h"
#include "ops/request.h"

/* The number of tiles of the scan; rejects a scan that is not a look-back. Builds the
 * traced program first, since tiles change if it does not build. */
static clfold_status count_tiles(clfold_context *context, const struct site *site,
                                 const clfold_fold *fold, const struct request *asked,
                                 size_t *num_tiles)
{
    struct request request = *asked;
    struct planned planned;
    clfold_status status;

    if ((status = clfold_request_fold(&request, site, context, fold))) {
        return status;
    }
    if (!(status = clfold_facets_check(site, request.bits | FACET_BIT(TRAIT_TRACE))) &&
        !(status =
              clfold_check_count(site, request.job.monoid, (size_t)request.job.count)) &&
        request.job.count > 0) {
        if (!clfold_looks_back(request.job.algorithm)) {
            status = UNSUPPORTED(site, "algorithm \"%s\" does not look back",
                                 clfold_algorithm_name(request.job.algorithm));
        } else if (!(status = clfold_request_find(&request, &planned))) {
            *num_tiles = (size_t)clfold_plan_main(&planned.plan)->cut.num_runs;
        }
    }
    clfold_request_finish(&request, context);
    return status;
}

clfold_status clfold_trace(clfold_context *context, cl_command_queue queue,
                           const clfold_fold *fold, cl_mem in, size_t in_offset,
                           cl_mem out, size_t out_offset, size_t count,
                           clfold_tile_trace *tiles, size_t capacity, size_t *num_tiles)
{
    struct site site = clfold_site(context, fold, "clfold_trace");
    struct request request = {
        .job = { .operation = CLFOLD_INCLUSIVE_SCAN, .count = count, .traced = true },
        .queue = queue,
        .in = in,
        .in_offset = in_offset,
        .out = out,
        .out_offset = out_offset,
    };
    cl_event scanned = NULL;
    clfold_fold named;
    size_t num = 0;
    cl_int status;

    if (!context || !fold || !num_tiles) {
        return REJECT(&site, "%s is NULL",
                      !context ? "context"
                      : !fold  ? "fold"
                               : "num_tiles");
    }
    named = *fold;
    if (!named.algorithm) {
        named.algorithm = clfold_algorithm_name(SCAN_LOOKBACK);
    }
    if ((status = count_tiles(context, &site, &named, &request, &num))) {
        return status;
    }
    *num_tiles = num;
    if (count == 0 || (!tiles && capacity == 0)) {
        return CLFOLD_OK;
    }
    if (!tiles || capacity < num) {
        return clfold_fail(&site, tiles ? CLFOLD_ERROR_RANGE : CLFOLD_ERROR_ARGUMENT,
                           tiles ? "capacity %zu is less than the %zu tiles"
                                 : "tiles is NULL, but capacity is %zu",
                           capacity, num);
    }
    request.trace = clCreateBuffer(context->context, CL_MEM_WRITE_ONLY,
                                   num * sizeof(*tiles), NULL, &status);
    if (status != CL_SUCCESS) {
        return clfold_fail_call(&site, status, "clCreateBuffer");
    }
    status = clfold_call(&request, &site, context, &named, &scanned);
    if (status == CLFOLD_OK) {
        status = clfold_read(&request, request.trace, 0, num * sizeof(*tiles), tiles,
                             &scanned);
    }
    CLFOLD_RELEASE(site.log, Event, scanned);
    CLFOLD_RELEASE(site.log, MemObject, request.trace);
    return status;
}
