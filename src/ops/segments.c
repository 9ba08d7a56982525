#include "ops/segments.h"

#include "ops/check.h"

static clfold_status check_later(const struct site *site, const clfold_segments *segments)
{
    const struct later later[] = {
        { segments->by == CLFOLD_BY_FLAGS, "by CLFOLD_BY_FLAGS" },
        { segments->by == CLFOLD_BY_KEYS, "by CLFOLD_BY_KEYS" },
        { segments->by == CLFOLD_BY_OFFSETS, "by CLFOLD_BY_OFFSETS" },
        { segments->num_at.mem || segments->num_at.offset, "num_at" },
        { segments->keys_out.mem || segments->keys_out.offset, "keys_out" },
        { segments->lengths_out.mem || segments->lengths_out.offset, "lengths_out" },
        { segments->num_out.mem || segments->num_out.offset, "num_out" },
    };

    return clfold_check_later(site, "segments", later, sizeof(later) / sizeof(later[0]));
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
    if ((status = clfold_check_reserved(site, "segments", segments->reserved,
                                        sizeof(segments->reserved) /
                                            sizeof(segments->reserved[0]))) ||
        (status = check_later(site, segments)) ||
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
