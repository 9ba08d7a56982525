/* A context's rows of tuning: loading them, those of calls, and showing them. */
#include <clfold/experimental.h>
#include "base/file.h"
#include "base/host.h"
#include "base/memory.h"
#include "ops/check.h"
#include "ops/request.h"

#include <errno.h>
#include <string.h>

/* A bad file is rejected as a whole; then the defaults serve. */
static clfold_status take(clfold_context *context, struct tuning *tuning,
                          const char *name, const char *text, size_t length)
{
    char key[CLFOLD_KEY_SIZE], why[CLFOLD_TUNING_WHY];
    clfold_status status =
        clfold_tuning_key(&context->caps, key)
            ? clfold_tuning_read(tuning, text, length, key, &context->caps.facts, why)
            : CL_OUT_OF_HOST_MEMORY;

    if (status == CLFOLD_ERROR_DATA) {
        clfold_log(&context->log, CLFOLD_LOG_WARNING,
                   "the tuning file %.300s is ignored: %s", name, why);
        status = CLFOLD_OK;
    }
    return status;
}

clfold_status clfold_tuning_load(clfold_context *context, const struct site *site,
                                 const char *name)
{
    const char *file = name ? name : clfold_environment(CLFOLD_TUNING_VARIABLE);
    const char *own = clfold_tuning_own; /* a CPU's name takes time, so not in vain */
    clfold_status status = CLFOLD_OK;
    char *text = NULL, why[CLFOLD_FILE_WHY];
    size_t length;
    int error = 0;

    if (strchr(own, '\n')[1] != '\0') {
        status = take(context, &context->own, "of the library", own, strlen(own));
    }
    if (status == CLFOLD_OK && file && file[0] != '\0') {
        error = clfold_file_read(file, CLFOLD_TUNING_LIMIT, &text, &length);
        status = error == 0        ? take(context, &context->file, file, text, length)
                 : error == ENOMEM ? CL_OUT_OF_HOST_MEMORY
                                   : CLFOLD_OK;
    }
    if (error != 0 && status == CLFOLD_OK) {
        clfold_file_why(error, why);
        clfold_log(&context->log, CLFOLD_LOG_WARNING,
                   "the tuning file %.300s cannot be read: %s", file, why);
    }
    clfold_free(text);
    return status ? clfold_fail(site, status, "no memory for a tuning file") : CLFOLD_OK;
}

const struct tuned_numbers *clfold_context_row(const clfold_context *context,
                                               const struct job *job)
{
    if (context->file.num + context->own.num == 0) {
        return NULL;
    }
    const struct tuning_call call = clfold_tuning_call(job);
    const struct tuned_numbers *numbers = clfold_tuning_find(&context->file, &call);
    return numbers ? numbers : clfold_tuning_find(&context->own, &call);
}

/* The numbers of the best candidate. A policy's group may be larger than the device's. */
static clfold_status explain(clfold_context *context, const struct site *site,
                             struct job *job, clfold_tuning_row *out)
{
    struct candidate candidates[CLFOLD_MAX_CANDIDATES];
    clfold_status status;
    uint32_t num;

    /* Not by an algorithm that is named. */
    if ((status = clfold_check_count(site, job->monoid, job->count)) ||
        (status = clfold_plan_choose(job, site, NULL))) {
        return status;
    }
    if (!out) {
        return REJECT(site, "out is NULL");
    }
    job->tuned = clfold_context_row(context, job);
    if ((status = clfold_plan_candidates(job, site, candidates, &num))) {
        return status;
    }
    const struct policy *policy = &candidates[0].policy;
    const struct tuning_call call = clfold_tuning_call(job);
    const uint64_t most = job->device->max_group_size;
    clfold_tuning_row row = {
        .operation = clfold_tuning_name(call.operation),
        .tile = clfold_tile_name(policy->tile),
        .element_bytes = call.element,
        .count_class = call.count_class,
        .tile_bytes = policy->tile_bytes,
        .group_size = policy->group_size < most ? policy->group_size : most,
        .groups = policy->groups,
        .lane_bytes = policy->lane_bytes,
        .anchor = policy->anchor,
        .ahead_bytes = policy->ahead_bytes,
        .stream_bytes = policy->stream_bytes,
    };
    if (!clfold_tuning_key(&context->caps, row.device)) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for a CPU's name");
    }
    *out = row;
    return CLFOLD_OK;
}

clfold_status clfold_explain_tuning(clfold_context *context, clfold_operation operation,
                                    const clfold_fold *fold, size_t count,
                                    clfold_tuning_row *out)
{
    struct site site = clfold_site(context, fold, "clfold_explain_tuning");
    struct request request = { .job = { .operation = operation, .count = count } };
    clfold_status status = clfold_request_fold(&request, &site, context, fold);

    if (status == CLFOLD_OK) {
        status = explain(context, &site, &request.job, out);
        clfold_request_finish(&request, context);
    }
    return status;
}
