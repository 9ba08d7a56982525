/* What a work-group does by a fold, as text for the caller's own kernels. */
#include <clfold/experimental.h>
#include "ops/check.h"
#include "ops/request.h"
#include "plan/assemble.h"
#include "plan/user_text.h"

#include <string.h>

#define MOST_PREFIX 32

static clfold_status check_names(const struct site *site, const clfold_context *context,
                                 const char *prefix, size_t group_size)
{
    const size_t length = prefix ? clfold_name_length(prefix) : 0;

    if (length == 0 || length > MOST_PREFIX || prefix[length] != '\0') {
        return REJECT(site,
                      "prefix \"%.*s\" is not a name of 1 to %d letters, digits and _",
                      2 * MOST_PREFIX, prefix ? prefix : "(NULL)", MOST_PREFIX);
    }
    if (group_size == 0 || group_size > context->caps.facts.max_group_size) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "group_size %zu is not 1 to %zu, the device's most",
                           group_size, context->caps.facts.max_group_size);
    }
    return CLFOLD_OK;
}

clfold_status clfold_hand_text(const struct site *site, struct text *whole, char *text,
                               size_t size, size_t *needed)
{
    clfold_status status = CLFOLD_OK;

    if (!text != (size == 0)) {
        status =
            REJECT(site, "text is %s, but size is %zu", text ? "given" : "NULL", size);
    } else if (whole->failed) {
        status = clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "the text needs memory");
    } else if (text && size <= whole->length) {
        status = clfold_fail(site, CLFOLD_ERROR_RANGE,
                             "size %zu is less than the %zu bytes of the text", size,
                             whole->length + 1);
    } else if (text) {
        memcpy(text, whole->bytes, whole->length + 1);
    }
    if (needed && (status == CLFOLD_OK || status == CLFOLD_ERROR_RANGE)) {
        *needed = whole->length + 1;
    }
    clfold_text_finish(whole);
    return status;
}

clfold_status clfold_group_text(clfold_context *context, const clfold_fold *fold,
                                const char *prefix, size_t group_size, char *text,
                                size_t size, size_t *needed)
{
    struct site site = clfold_site(context, fold, "clfold_group_text");
    struct request request = { .job = { .operation = CLFOLD_INCLUSIVE_SCAN } };
    clfold_status status = clfold_request_fold(&request, &site, context, fold);
    struct text whole = { 0 };

    if (status == CLFOLD_OK) {
        if (!(status =
                  clfold_facets_check(&site, request.bits | FACET_BIT(TRAIT_GROUP))) &&
            !(status = check_names(&site, context, prefix, group_size))) {
            clfold_assemble_group(&whole, request.job.monoid, (uint32_t)group_size,
                                  context->caps.facts.platform, prefix);
            status = clfold_hand_text(&site, &whole, text, size, needed);
        }
        clfold_request_finish(&request, context);
    }
    return status;
}
