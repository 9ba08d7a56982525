/* A context's tuning file: loading it, and its rows for calls. */
#include "base/file.h"
#include "base/host.h"
#include "base/memory.h"
#include "ops/context.h"

#include <errno.h>

/* Takes the rows of the text. A bad file is rejected as a whole; then the defaults serve.
 */
static clfold_status take(clfold_context *context, const struct site *site,
                          const char *name, const char *text, size_t length)
{
    char key[CLFOLD_KEY_SIZE], why[CLFOLD_TUNING_WHY];
    clfold_status status;

    clfold_device_key(&context->caps, key);
    status = clfold_tuning_read(&context->tuning, text, length, key, &context->caps.facts,
                                why);
    if (status == CLFOLD_ERROR_DATA) {
        clfold_log(&context->log, CLFOLD_LOG_WARNING,
                   "the tuning file %.300s is ignored: %s", name, why);
        return CLFOLD_OK;
    }
    return status == CLFOLD_OK
               ? CLFOLD_OK
               : clfold_fail(site, status, "no memory for a tuning file's rows");
}

clfold_status clfold_tuning_load(clfold_context *context, const struct site *site,
                                 const char *name)
{
    const char *file = name ? name : clfold_environment(CLFOLD_TUNING_VARIABLE);
    char *text, why[CLFOLD_FILE_WHY];
    size_t length;
    clfold_status status;
    int error;

    if (!file || file[0] == '\0') {
        return CLFOLD_OK;
    }
    error = clfold_file_read(file, CLFOLD_TUNING_LIMIT, &text, &length);
    if (error == ENOMEM) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for a tuning file");
    }
    if (error != 0) {
        clfold_file_why(error, why);
        clfold_log(&context->log, CLFOLD_LOG_WARNING,
                   "the tuning file %.300s cannot be read: %s", file, why);
        return CLFOLD_OK;
    }
    status = take(context, site, file, text, length);
    clfold_free(text);
    return status;
}

const struct tuned_numbers *clfold_context_row(const clfold_context *context,
                                               const struct job *job)
{
    struct tuning_fold fold;

    return context->tuning.num > 0 && clfold_tuning_fold(&fold, job)
               ? clfold_tuning_find(&context->tuning, &fold)
               : NULL;
}
