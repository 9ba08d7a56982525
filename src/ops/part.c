#include "ops/part.h"

void clfold_part_set(struct request *request, const clfold_part *part, bool is_lifted)
{
    request->first = part->first;
    request->whole = part->whole;
    if (part->first > 0 && request->places[FACET_CARRY_AT].mem) {
        request->carry = (struct init){ .at = part->carry_at, .is_carry = true };
    }
    if (part->first > 0 && !is_lifted) {
        request->init = request->carry;
        request->bits &= ~FACET_BIT(FACET_INIT_AT);
    }
}

/* What the texts use. */
static clfold_status check_texts(const struct request *request, const struct site *site)
{
    const struct monoid *monoid = request->job.monoid;
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes,
                      *keeps = &monoid->keeps;

    if (loads->in || writes->in || keeps->in) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "part: %s uses in, but a part does not have the other "
                           "elements",
                           loads->in    ? "load"
                           : writes->in ? "result"
                                        : "keep");
    }
    if (request->whole == 0 && (loads->n || writes->n || keeps->n)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "part: whole is 0, but %s uses n",
                           loads->n    ? "load"
                           : writes->n ? "result"
                                       : "keep");
    }
    return CLFOLD_OK;
}

/* Where the part lies. */
static clfold_status check_range(const struct request *request, const struct site *site)
{
    const struct rows *rows = &request->job.segments.given;
    const uint64_t first = request->first, whole = request->whole;
    const uint64_t count = request->job.count, end = first + count;
    const uint64_t block = rows->width * rows->length;

    if (end < count || (whole > 0 && end > whole)) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "part: first %llu + count %llu is past the whole of %llu",
                           (unsigned long long)first, (unsigned long long)count,
                           (unsigned long long)whole);
    }
    if (rows->width > 0 && (first % block > 0 || (count % block > 0 && end != whole))) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "part: first %llu and count %llu cut a row or column",
                           (unsigned long long)first, (unsigned long long)count);
    }
    return CLFOLD_OK;
}

clfold_status clfold_part_check(const struct request *request, const struct site *site)
{
    clfold_status status;

    if (!clfold_given(request, FACET_PART)) {
        return CLFOLD_OK;
    }
    status = check_texts(request, site);
    return status ? status : check_range(request, site);
}
