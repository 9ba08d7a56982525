#include "ops/segments.h"

/* ---- Segments ---------------------------------------------------------------------- */

/* Rows may end with a shorter one; columns fill blocks. */
static clfold_status check_shape(const struct site *site, const clfold_segments *segments,
                                 uint64_t count)
{
    bool are_columns = segments->by == CLFOLD_BY_COLUMNS;
    size_t block;

    if (segments->length == 0 || (are_columns && segments->columns == 0)) {
        return REJECT(site, "segments: %s is 0, but it is the %s",
                      segments->length ? "columns" : "length",
                      segments->length ? "number of columns"
                      : are_columns    ? "length of a column"
                                       : "length of a row");
    }
    if (are_columns &&
        (!clfold_size_mul(segments->columns, segments->length, &block) ? count > 0
                                                                       : count % block)) {
        return REJECT(site,
                      "count %llu is not a multiple of segments: columns %zu * "
                      "length %zu",
                      (unsigned long long)count, segments->columns, segments->length);
    }
    return CLFOLD_OK;
}

/* Flags, keys or offsets. Of the offsets that a reduction by flags or keys finds there
 * are as many as there may be: each segment has an element. */
static void set_heads(struct request *request, const clfold_segments *given)
{
    struct job *job = &request->job;
    const bool are_offsets = given->by == CLFOLD_BY_OFFSETS;
    const bool found = !are_offsets && !job->use.way;
    const uint64_t most =
        given->num > 0 && given->num < job->count ? given->num : job->count;

    job->segments = (struct segments){
        .by = given->by,
        .type = given->type,
        .num = are_offsets ? given->num + 1 : (size_t)job->count,
        .num_offsets = are_offsets ? given->num + 1
                       : found     ? most + 1
                                   : 0,
        .found = found,
        .finds_bad = clfold_given(request, FACET_BAD_OUT),
        .lists = clfold_given(request, FACET_KEYS_OUT) ||
                 clfold_given(request, FACET_LENGTHS_OUT),
    };
    if (found) {
        job->use.offsets = job->count < UINT32_MAX ? CLFOLD_U32 : CLFOLD_U64;
    }
}

clfold_status clfold_segments_set(struct request *request, const clfold_segments *given)
{
    struct segments *segments = &request->job.segments;
    const uint64_t count = request->job.count;
    clfold_status status;

    if (given->by <= CLFOLD_BY_OFFSETS) {
        set_heads(request, given);
        if (given->by == CLFOLD_BY_OFFSETS && given->num == 0 && count > 0 &&
            !atomic_exchange(&request->context->has_no_num, true)) {
            clfold_log(request->site->log, CLFOLD_LOG_WARNING,
                       "%s: segments: num is 0, so there are no segments (logged once)",
                       request->site->who);
        }
        return CLFOLD_OK;
    }
    if ((status = check_shape(request->site, given, count))) {
        return status;
    }
    segments->given =
        count == 0 ? (struct rows){ 1, 1 }
                   : (struct rows){ given->columns ? given->columns : 1, given->length };
    segments->rows = segments->given;
    /* Longer rows than there are elements are as long as those: products stay small. */
    if (count > 0 && segments->rows.width == 1 && segments->rows.length > count) {
        segments->rows.length = count;
    }
    return CLFOLD_OK;
}

/* ---- Parts ------------------------------------------------------------------------- */

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
static clfold_status check_texts(const struct request *request)
{
    const struct monoid *monoid = request->job.monoid;
    const struct uses *loads = &monoid->loads, *writes = &monoid->writes,
                      *keeps = &monoid->keeps;

    if (loads->in || writes->in || keeps->in) {
        return REJECT(request->site,
                      "part: %s uses in, but a part does not have the other "
                      "elements",
                      loads->in    ? "load"
                      : writes->in ? "result"
                                   : "keep");
    }
    if (request->whole == 0 && (loads->n || writes->n || keeps->n)) {
        return REJECT(request->site, "part: whole is 0, but %s uses n",
                      loads->n    ? "load"
                      : writes->n ? "result"
                                  : "keep");
    }
    return CLFOLD_OK;
}

/* Where the part lies. */
static clfold_status check_range(const struct request *request)
{
    const struct rows *rows = &request->job.segments.given;
    const uint64_t first = request->first, whole = request->whole;
    const uint64_t count = request->job.count, end = first + count;
    const uint64_t block = rows->width * rows->length;

    if (end < count || (whole > 0 && end > whole)) {
        return clfold_fail(request->site, CLFOLD_ERROR_RANGE,
                           "part: first %llu + count %llu is past the whole of %llu",
                           (unsigned long long)first, (unsigned long long)count,
                           (unsigned long long)whole);
    }
    if (rows->width > 0 && (first % block > 0 || (count % block > 0 && end != whole))) {
        return REJECT(request->site,
                      "part: first %llu and count %llu cut a row or column",
                      (unsigned long long)first, (unsigned long long)count);
    }
    return CLFOLD_OK;
}

clfold_status clfold_part_check(const struct request *request)
{
    clfold_status status;

    if (!clfold_given(request, FACET_PART)) {
        return CLFOLD_OK;
    }
    status = check_texts(request);
    return status ? status : check_range(request);
}
