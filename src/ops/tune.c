/* clfold_tune: a search, and its row in the file. */
#define CLFOLD_EXPERIMENTAL
#include "base/file.h"
#include "base/memory.h"
#include "base/replace.h"
#include "ops/check.h"
#include "ops/tune.h"

#include <errno.h>

static clfold_status refuse_file(const struct site *site, const char *file,
                                 const char *what, int error)
{
    char why[CLFOLD_FILE_WHY];

    if (error == ENOMEM) {
        return clfold_fail(site, CL_OUT_OF_HOST_MEMORY, "no memory for file %.300s",
                           file);
    }
    clfold_file_why(error, why);
    return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "file %.300s cannot be %s: %s", file,
                       what, why);
}

/* A file that is not there has no text, and no rows. *text is to be freed. What is no
 * tuning file is somebody else's, and stays. */
static clfold_status read_file(const struct site *site, const clfold_context *context,
                               const char *file, char **text, size_t *length,
                               struct tuning *tuning)
{
    char why[CLFOLD_TUNING_WHY];
    int error = clfold_file_read(file, CLFOLD_TUNING_LIMIT, text, length);
    clfold_status status;

    *tuning = (struct tuning){ 0 };
    if (error != 0) {
        return error == ENOENT ? CLFOLD_OK : refuse_file(site, file, "read", error);
    }
    status = clfold_context_rows(context, *text, *length, tuning, why);
    if (status == CLFOLD_OK) {
        return CLFOLD_OK;
    }
    clfold_free(*text);
    *text = NULL;
    return status == CLFOLD_ERROR_DATA
               ? clfold_fail(site, status, "file %.300s: %s", file, why)
               : clfold_fail(site, status, "no memory for the rows of %.300s", file);
}

/* The fold's row, if the file has one. */
static clfold_status find_row(const struct site *site, const clfold_context *context,
                              const char *file, const struct tuning_fold *fold,
                              struct tuned_numbers *row, bool *found)
{
    const struct tuned_numbers *of;
    struct tuning tuning;
    char *text;
    size_t length;
    clfold_status status = read_file(site, context, file, &text, &length, &tuning);

    if (status) {
        return status;
    }
    clfold_free(text);
    of = clfold_tuning_find(&tuning, fold);
    *found = of != NULL;
    if (of) {
        *row = *of;
    }
    clfold_tuning_finish(&tuning);
    return CLFOLD_OK;
}

/* Another process may have changed the file meanwhile, so it is read again. */
static clfold_status write_file(const struct site *site, const clfold_context *context,
                                const char *file, const struct tuning_fold *fold,
                                const struct tune_result *result)
{
    const struct tuned_numbers *row;
    bool decided = clfold_tune_row(result, &row);
    char key[CLFOLD_KEY_SIZE], *old;
    struct tuning tuning;
    struct text text = { 0 };
    size_t length;
    int error;
    clfold_status status = read_file(site, context, file, &old, &length, &tuning);

    if (status) {
        return status;
    }
    clfold_tuning_finish(&tuning);
    clfold_device_key(&context->caps, key);
    clfold_tuning_replace(&text, old, length, key, decided ? fold : NULL, row);
    error = text.failed ? ENOMEM
            : text.length > CLFOLD_TUNING_LIMIT
                ? EFBIG
                : clfold_file_replace(file, text.bytes, text.length);
    if (error != 0) {
        status = refuse_file(site, file, "written", error);
    }
    clfold_text_finish(&text);
    clfold_free(old);
    return status;
}

/* What cannot be written is not measured. */
static clfold_status check_file(const struct site *site, const char *file)
{
    int error;

    if (!file || !file[0]) {
        return clfold_fail(site, CLFOLD_ERROR_ARGUMENT, "file is %s",
                           file ? "empty" : "NULL");
    }
    error = clfold_file_check(file);
    return error ? refuse_file(site, file, "written", error) : CLFOLD_OK;
}

clfold_status clfold_tune(clfold_context *context, cl_command_queue queue,
                          clfold_operation operation, const clfold_fold *fold,
                          size_t count, double seconds, const char *file)
{
    struct site site = clfold_site(context, fold, "clfold_tune");
    struct tune_request request = {
        .queue = queue,
        .operation = operation,
        .fold = fold,
        .count = count,
        .seconds = seconds,
    };
    struct tuned_numbers row;
    struct tune_result result;
    const struct monoid *monoid;
    bool found;
    clfold_status status;

    if ((status = clfold_tune_check(&site, context, &request, &monoid)) ||
        (status = check_file(&site, file))) {
        return status;
    }
    const struct tuning_fold of = clfold_tuning_fold(operation, monoid, count);
    if ((status = find_row(&site, context, file, &of, &row, &found))) {
        return status;
    }
    request.previous = found ? &row : NULL;
    if ((status = clfold_tune_fold(context, &request, &result))) {
        return status;
    }
    return write_file(&site, context, file, &of, &result);
}
