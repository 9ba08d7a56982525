#include "ops/segments.h"

#include "ops/check.h"
#include "plan/scalar.h"

clfold_status clfold_check_heads(const struct site *site, const clfold_segments *segments)
{
    const struct scalar *type = clfold_scalar(segments->type);
    const char *name = clfold_way_name(segments->by);
    const bool are_offsets = segments->by == CLFOLD_BY_OFFSETS;

    if (segments->by > CLFOLD_BY_OFFSETS) {
        return CLFOLD_OK;
    }
    if (!type) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: type %u of the %s is not a valid type",
                           segments->type, name);
    }
    if ((are_offsets && segments->type != CLFOLD_U32 && segments->type != CLFOLD_U64) ||
        (segments->by == CLFOLD_BY_FLAGS && type->is_float)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: type %s, but %s are %s",
                           clfold_scalar_name(segments->type), name,
                           are_offsets ? "u32 or u64" : "integers");
    }
    if (segments->num == SIZE_MAX) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE, "segments: num %zu overflows",
                           segments->num);
    }
    return CLFOLD_OK;
}

/* Rows may end with a shorter one; columns fill blocks. */
static clfold_status check_shape(const struct site *site, const clfold_segments *segments,
                                 uint64_t count)
{
    bool are_columns = segments->by == CLFOLD_BY_COLUMNS;
    size_t block;

    if (segments->length == 0 || (are_columns && segments->columns == 0)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: %s is 0, but it is the %s",
                           segments->length ? "columns" : "length",
                           segments->length ? "number of columns"
                           : are_columns    ? "length of a column"
                                            : "length of a row");
    }
    if (are_columns &&
        (!clfold_size_mul(segments->columns, segments->length, &block) ? count > 0
                                                                       : count % block)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "count %llu is not a multiple of segments: columns %zu * "
                           "length %zu",
                           (unsigned long long)count, segments->columns,
                           segments->length);
    }
    return CLFOLD_OK;
}

/* Flags, keys or offsets. Of the offsets that a reduction by flags or keys finds there
 * are as many as there may be: each segment has an element. */
static void set_heads(struct request *request, const clfold_segments *given)
{
    struct job *job = &request->job;
    const bool are_offsets = given->by == CLFOLD_BY_OFFSETS;
    const uint64_t most =
        given->num > 0 && given->num < job->count ? given->num : job->count;

    job->segments = (struct segments){
        .by = given->by,
        .type = given->type,
        .num = are_offsets ? given->num + 1 : (size_t)job->count,
        .num_offsets = are_offsets      ? given->num + 1
                       : job->use.found ? most + 1
                                        : 0,
        .finds_bad = clfold_given(request, FACET_BAD_OUT),
        .lists = clfold_given(request, FACET_KEYS_OUT) ||
                 clfold_given(request, FACET_LENGTHS_OUT),
    };
    if (job->use.found) {
        job->use.offsets = job->count < UINT32_MAX ? CLFOLD_U32 : CLFOLD_U64;
    }
}

clfold_status clfold_segments_set(struct request *request, const struct site *site,
                                  clfold_context *context, const clfold_segments *given)
{
    struct segments *segments = &request->job.segments;
    const uint64_t count = request->job.count;
    clfold_status status;

    if (given->by <= CLFOLD_BY_OFFSETS) {
        set_heads(request, given);
        if (given->by == CLFOLD_BY_OFFSETS && given->num == 0 && count > 0 &&
            !atomic_exchange(&context->has_no_num, true)) {
            clfold_log(site->log, CLFOLD_LOG_WARNING,
                       "%s: segments: num is 0, so there are no segments (logged once)",
                       site->who);
        }
        return CLFOLD_OK;
    }
    if ((status = check_shape(site, given, count))) {
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
