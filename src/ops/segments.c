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

clfold_status clfold_check_segments(const struct site *site,
                                    const clfold_segments *segments, uint64_t count,
                                    struct segments *given, struct segments *out)
{
    clfold_status status;

    *given = *out = (struct segments){ 0 };
    if (!segments) {
        return CLFOLD_OK;
    }
    if (segments->by <= CLFOLD_BY_OFFSETS) {
        return CLFOLD_OK; /* no rows or columns */
    }
    if ((status = check_shape(site, segments, count))) {
        return status;
    }
    /* Longer ones than there are elements are as long as those: products stay small. */
    *given = *out =
        (struct segments){ segments->columns ? segments->columns : 1, segments->length };
    if (count == 0) {
        *given = *out = (struct segments){ 1, 1 };
    } else if (out->width == 1 && out->length > count) {
        out->length = count;
    }
    return CLFOLD_OK;
}
