/* verify_every: the input is folded again by serial folds of pieces, and results are
 * compared. */
#include "base/number.h"
#include "ops/chain.h"
#include "ops/request.h"
#include "ops/run.h"
#include "plan/scalar.h"

#include <math.h>

#define MOST_RESULT (sizeof(cl_ulong) * CLFOLD_MAX_COMPONENTS)

/* The result by serial folds. */
struct expectation {
    unsigned char result[MOST_RESULT];
    double depth; /* times that an element is combined on its way, at most */
    double terms; /* of a sum of floats: the sum of their magnitudes; else 0 */
};

/* A sum of floats whose terms are the elements. */
static bool sums_floats(const struct monoid *monoid)
{
    return monoid->op == CLFOLD_ADD && clfold_monoid_is_plain(monoid) &&
           clfold_scalar(monoid->type)->is_float;
}

/* Whether rounding leaves nothing to compare, or may leave the type's range. */
static bool is_too_rough(const struct monoid *monoid)
{
    const struct scalar *type = clfold_scalar(monoid->type);

    return type && type->is_float &&
           (monoid->op == CLFOLD_MUL ||
            (monoid->op == CLFOLD_ADD && monoid->type == CLFOLD_F16));
}

/* Half of an epsilon; 0: exact. */
static double rounding_of(clfold_type type)
{
    return !clfold_is_float(type) ? 0
           : type == CLFOLD_F16   ? 0x1p-11
           : type == CLFOLD_F32   ? 0x1p-24
                                  : 0x1p-53;
}

/* The coarsest of what is folded. */
static double rounding_in(const struct monoid *monoid)
{
    double most = 0;

    for (uint32_t k = 0; k < monoid->num_components; ++k) {
        most = fmax(most, rounding_of(monoid->components[k].item));
    }
    return most;
}

bool clfold_request_verifiable(const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
    const bool is_opaque = monoid->type_name && monoid->accuracy != CLFOLD_REPRODUCIBLE;

    return request->job.operation == CLFOLD_REDUCE &&
           request->job.segments.rows.width == 0 && request->job.algorithm != SERIAL &&
           !request->job.use.offsets &&
           !(request->bits & (FACET_BIT(FACET_PART) | FACET_BIT(FACET_COUNT_AT))) &&
           !monoid->stores && !is_opaque && !is_too_rough(monoid) &&
           (!monoid->out || (monoid->result &&
                             (clfold_is_float(monoid->out) || rounding_in(monoid) == 0)));
}

/* ---- Folds ------------------------------------------------------------------------- */

static clfold_status find_and_run(struct request *request, struct planned *planned,
                                  unsigned char result[MOST_RESULT], cl_event *done)
{
    size_t size = clfold_monoid_written_size(request->job.monoid);
    clfold_status status = clfold_request_find(request, planned);

    if (status || (status = clfold_run(request, planned, done))) {
        return status;
    }
    status = clfold_read(request, request->out, request->out_offset * size, size, result,
                         done);
    if (status) {
        CLFOLD_RELEASE(request->site->log, Event, *done);
    }
    return status;
}

/* All but the terms. */
static clfold_status fold_in_pieces(struct expectation *expectation,
                                    const struct request *asked)
{
    struct scratch *scratch = &asked->context->scratch;
    struct request request = *asked;
    struct planned planned;
    struct block *block;
    cl_event done;
    clfold_status status =
        clfold_scratch_lend(scratch, asked->site, NULL, true, SCRATCH_PLAIN,
                            clfold_monoid_written_size(asked->job.monoid), &block);

    if (status) {
        return status;
    }
    request.job.algorithm = SERIAL_PIECES;
    request.job.out_offset = request.out_offset = 0;
    request.named = true;
    request.out = block->mem;
    status = find_and_run(&request, &planned, expectation->result, &done);
    if (status) {
        clfold_scratch_drop(scratch, asked->site->log, block);
        return status;
    }
    CLFOLD_RELEASE(asked->site->log, Event, done);
    expectation->depth = (double)clfold_plan_main(&planned.plan)->cut.run +
                         (double)clfold_plan_main(&planned.plan)->cut.num_runs;
    return clfold_scratch_give(scratch, asked->site, block, NULL);
}

/* The same of the elements' magnitudes. */
static clfold_status sum_terms(double *sum, const struct request *asked)
{
    const struct monoid *monoid = asked->job.monoid;
    const clfold_fold fold = {
        .op = CLFOLD_ADD,
        .type = monoid->type,
        .in = monoid->in,
        .load = monoid->type == CLFOLD_F32 ? "fabs(to_f32(x))" : "fabs(to_f64(x))",
    };
    struct request request = {
        .job = { .operation = CLFOLD_REDUCE, .count = asked->job.count },
        .queue = asked->queue,
        .in_order = asked->in_order,
        .in = asked->in,
        .in_offset = asked->in_offset,
    };
    struct expectation terms;
    clfold_status status =
        clfold_request_fold(&request, asked->site, asked->context, &fold);

    if (status) {
        return status;
    }
    status = fold_in_pieces(&terms, &request);
    *sum = status ? 0 : clfold_number_read(monoid->type, terms.result).real;
    clfold_request_finish(&request, request.context);
    return status;
}

static clfold_status expect(struct expectation *expectation,
                            const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
    clfold_status status = fold_in_pieces(expectation, request);

    expectation->terms = 0;
    return status == CLFOLD_OK && sums_floats(monoid) &&
                   monoid->accuracy != CLFOLD_REPRODUCIBLE
               ? sum_terms(&expectation->terms, request)
               : status;
}

/* ---- Comparison -------------------------------------------------------------------- */

/* Half of a float's digits, or what the folds may have lost if that is more: an operator
 * of the caller's may lose as many. In sums terms may cancel. */
static bool agrees(const struct monoid *monoid, clfold_type type,
                   const struct expectation *expectation, struct host_number x,
                   struct host_number y)
{
    const bool is_chosen =
        clfold_monoid_is_plain(monoid) && monoid->op != CLFOLD_ADD && !monoid->combine;
    const double folded = rounding_in(monoid), gap = fabs(x.real - y.real);
    const double half = sqrt(fmax(folded, rounding_of(type)));
    const double scale = expectation->terms + fmax(fabs(x.real), fabs(y.real));

    if (clfold_number_is_same(type, x, y)) {
        return true;
    }
    if (!clfold_scalar(type)->is_float || is_chosen ||
        monoid->accuracy == CLFOLD_REPRODUCIBLE) {
        return false;
    }
    return isinf(expectation->terms) ||
           (isfinite(gap) && gap <= fmax(half, expectation->depth * folded) * scale);
}

/* A reduction's result, scalar by scalar as it is written. */
static clfold_status check(const struct monoid *monoid, const struct site *site,
                           const struct expectation *expectation,
                           const unsigned char *result)
{
    uint32_t num = monoid->out ? monoid->num_out : clfold_monoid_num_results(monoid);

    for (uint32_t k = 0; k < num; ++k) {
        const clfold_type type =
            monoid->out ? monoid->out : clfold_monoid_result_type(monoid, k);
        const size_t at = monoid->out ? k * clfold_scalar(type)->size
                                      : clfold_monoid_out_offset(monoid, k);
        const struct host_number ours =
            clfold_number_read(type, expectation->result + at);
        const struct host_number theirs = clfold_number_read(type, result + at);
        if (!agrees(monoid, type, expectation, ours, theirs)) {
            char expected[40], found[40];
            clfold_number_print(expected, sizeof(expected), type, ours);
            clfold_number_print(found, sizeof(found), type, theirs);
            return clfold_fail(site, CLFOLD_ERROR_DATA,
                               "verify: %s is %s, and %s by serial folds of pieces",
                               monoid->out ? "result"
                                           : clfold_monoid_result_name(monoid, k),
                               found, expected);
        }
    }
    return CLFOLD_OK;
}

/* Before anything is written. */
static clfold_status check_readable(const struct site *site, cl_mem out)
{
    cl_mem_flags flags = 0;
    cl_int status = clGetMemObjectInfo(out, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);

    if (status != CL_SUCCESS) {
        return clfold_fail_call(site, status, "verify: clGetMemObjectInfo");
    }
    if (flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)) {
        return REJECT(site,
                      "out %p must be readable by the host, since verify_every reads it",
                      (void *)out);
    }
    return CLFOLD_OK;
}

clfold_status clfold_request_verify(struct request *request, cl_event *event)
{
    const struct site *site = request->site;
    unsigned char result[MOST_RESULT];
    struct expectation expectation;
    struct planned planned;
    cl_event done = NULL;
    clfold_status status;

    if ((status = check_readable(site, request->out))) {
        return status;
    }
    if (request->behind_all && (status = clFinish(request->queue))) {
        return clfold_fail_call(site, status, "verify: clFinish");
    }
    /* The serial folds first: the output may overwrite the input. */
    if ((status = expect(&expectation, request)) ||
        (status = find_and_run(request, &planned, result, &done))) {
        return status;
    }
    status = check(request->job.monoid, site, &expectation, result);
    if (event && status == CLFOLD_OK) {
        *event = done;
    } else {
        CLFOLD_RELEASE(site->log, Event, done);
    }
    return status;
}
