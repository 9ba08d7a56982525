/* The row by which a call runs, as text. */
#include <clfold/experimental.h>
#include "ops/check.h"
#include "ops/request.h"

#include <string.h>

/* The numbers of the best candidate, for people and files. A policy's group may be larger
 * than the device's. */
static clfold_status numbers_of_job(const struct job *job, const struct site *site,
                                    const struct tuning_fold *fold,
                                    struct tuned_numbers *numbers)
{
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    uint32_t num;
    clfold_status status = clfold_plan_candidates(job, site, candidates, &num);

    if (status) {
        return status;
    }
    struct policy policy = candidates[0].policy;
    if (policy.group_size > job->device->max_group_size) {
        policy.group_size = job->device->max_group_size;
    }
    clfold_numbers_of(numbers, clfold_tuning_family(fold), &policy);
    return CLFOLD_OK;
}

static clfold_status print_row(clfold_context *context, const struct site *site,
                               struct job *job, char *text, size_t size)
{
    char key[CLFOLD_KEY_SIZE], whole[CLFOLD_TUNING_LINE];
    struct tuned_numbers numbers;
    struct tuning_fold row;
    clfold_status status;
    size_t length;

    /* Not by an algorithm that is named. */
    if ((status = clfold_check_count(site, job->monoid, job->count)) ||
        (status = clfold_plan_choose(job, site, NULL))) {
        return status;
    }
    if (!clfold_tuning_fold(&row, job)) {
        return clfold_fail(site, CLFOLD_ERROR_UNSUPPORTED,
                           "a tuning file has rows for built-in operators without a "
                           "load, a result or segments by flags, keys or offsets, and "
                           "for maps of a number to a number");
    }
    if (!text) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "text is NULL");
    }
    job->tuned = clfold_context_row(context, job);
    if ((status = numbers_of_job(job, site, &row, &numbers))) {
        return status;
    }
    clfold_device_key(&context->caps, key);
    length = clfold_tuning_print(whole, key, &row, &numbers);
    if (length >= size) {
        return clfold_fail(site, CLFOLD_ERROR_RANGE,
                           "size %zu is less than the %zu bytes of the text", size,
                           length + 1);
    }
    memcpy(text, whole, length + 1);
    return CLFOLD_OK;
}

clfold_status clfold_tuning_text(clfold_context *context, clfold_operation operation,
                                 const clfold_fold *fold, size_t count, char *text,
                                 size_t size)
{
    struct site site = clfold_site(context, fold, "clfold_tuning_text");
    struct request request = { .job = { .operation = operation, .count = count } };
    clfold_status status = clfold_request_fold(&request, &site, context, fold);

    if (status == CLFOLD_OK) {
        status = print_row(context, &site, &request.job, text, size);
        clfold_request_finish(&request, context);
    }
    return status;
}
