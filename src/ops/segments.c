#include "ops/segments.h"

#include "ops/check.h"
#include "plan/scalar.h"

static clfold_status check_tail(const struct site *site, const clfold_segments *segments)
{
    const struct later later[] = {
        { segments->num_at.mem || segments->num_at.offset, "num_at" },
        { segments->keys_out.mem || segments->keys_out.offset, "keys_out" },
        { segments->lengths_out.mem || segments->lengths_out.offset, "lengths_out" },
        { segments->num_out.mem || segments->num_out.offset, "num_out" },
    };

    clfold_status status =
        clfold_check_reserved(site, "segments", segments->reserved,
                              sizeof(segments->reserved) / sizeof(segments->reserved[0]));

    return status ? status
                  : clfold_check_later(site, "segments", later,
                                       sizeof(later) / sizeof(later[0]));
}

clfold_status clfold_check_heads(const struct site *site, const clfold_segments *segments)
{
    const struct scalar *type = clfold_scalar(segments->type);
    const char *name = clfold_heads_name(segments->by);
    const bool are_offsets = segments->by == CLFOLD_BY_OFFSETS;

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
    if (segments->length != 0 || (!are_offsets && segments->num != 0)) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: %s is %zu, but belongs to segments that are given "
                           "in another way than by %s",
                           segments->length ? "length" : "num",
                           segments->length ? segments->length : segments->num, name);
    }
    if (segments->num == SIZE_MAX) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE, "segments: num %zu overflows",
                           segments->num);
    }
    return check_tail(site, segments);
}

/* Rows and columns come without a buffer; columns fill blocks. */
static clfold_status check_shape(const struct site *site, const clfold_segments *segments,
                                 uint64_t count)
{
    bool are_rows = segments->by == CLFOLD_BY_LENGTH;
    size_t block;

    if (segments->type || segments->mem || segments->offset) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: type %u, mem %p and offset %zu must be 0: rows and "
                           "columns have no buffer",
                           segments->type, (void *)segments->mem, segments->offset);
    }
    if (segments->num == 0) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: num is 0, but it is the %s",
                           are_rows ? "length of a row" : "number of columns");
    }
    if (are_rows) {
        return segments->length == 0
                   ? CLFOLD_OK
                   : clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                                 "segments: length is %zu, but rows have num elements, "
                                 "and length belongs to CLFOLD_BY_STRIDE",
                                 segments->length);
    }
    if (segments->length == 0) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: length is 0, but it is the length of a column");
    }
    if (!clfold_size_mul(segments->num, segments->length, &block) ? count > 0
                                                                  : count % block) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "count %llu is not a multiple of segments: num %zu * length "
                           "%zu",
                           (unsigned long long)count, segments->num, segments->length);
    }
    return CLFOLD_OK;
}

clfold_status clfold_check_segments(const struct site *site,
                                    const clfold_segments *segments, uint64_t count,
                                    struct segments *out)
{
    clfold_status status;

    *out = (struct segments){ 0 };
    if (!segments) {
        return CLFOLD_OK;
    }
    if (segments->by < CLFOLD_BY_FLAGS || segments->by > CLFOLD_BY_STRIDE) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT,
                           "segments: by %u is not a valid way", segments->by);
    }
    if (segments->by <= CLFOLD_BY_OFFSETS) {
        return CLFOLD_OK; /* no rows or columns */
    }
    if ((status = check_tail(site, segments)) ||
        (status = check_shape(site, segments, count))) {
        return status;
    }
    /* Longer ones than there are elements are as long as those: products stay small. */
    *out = segments->by == CLFOLD_BY_LENGTH
               ? (struct segments){ 1, segments->num }
               : (struct segments){ segments->num, segments->length };
    if (count == 0) {
        *out = (struct segments){ 1, 1 };
    } else if (out->width == 1 && out->length > count) {
        out->length = count;
    }
    return CLFOLD_OK;
}
