#include <clfold/experimental.h>
#include "tune_file.h"

#include "verdicts.h"

#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first one says why a file is ignored; those of calls come later. An error fails the
 * call, which reports it. */
static void keep_warning(void *user, int level, const char *text)
{
    struct tune_context *const context = user;

    if (level > CLFOLD_LOG_ERROR && context->warning[0] == '\0') {
        snprintf(context->warning, sizeof(context->warning), "%s", text);
    }
}

bool tune_context_open(struct tune_context *context, const struct session *session,
                       const char *file, struct message *message)
{
    static const char ignored[] = " is ignored: ";
    const clfold_context_params params = { .log = keep_warning,
                                           .user = context,
                                           .tuning_file = file,
                                           .load_verdict = verdicts_load,
                                           .save_verdict = verdicts_save };

    *context = (struct tune_context){ 0 };
    const clfold_status status = clfold_context_create(&context->clfold, session->cl,
                                                       session->device->id, &params);
    if (status != CLFOLD_OK) {
        return session_refuse(status, message);
    }
    if (context->warning[0] == '\0') {
        return true;
    }
    const char *const why = strstr(context->warning, ignored);
    message_set(message, "%s", why ? why + strlen(ignored) : context->warning);
    tune_context_close(context);
    return false;
}

void tune_context_close(struct tune_context *context)
{
    clfold_context_destroy(&context->clfold);
}

bool tune_context_serves(clfold_context *context, clfold_operation operation,
                         const clfold_fold *fold, size_t count)
{
    clfold_report report;

    return context &&
           clfold_explain(context, operation, fold, count, NULL, &report) == CLFOLD_OK &&
           strcmp(report.policy, "tuned") == 0;
}

bool tune_context_row(clfold_context *context, clfold_operation operation,
                      const clfold_fold *fold, size_t count, clfold_tuning_row *row,
                      struct message *message)
{
    const clfold_status status =
        clfold_explain_tuning(context, operation, fold, count, row);

    return status == CLFOLD_OK || session_refuse(status, message);
}

bool tune_file_find(const struct options *options, char path[PLACE_SIZE],
                    struct message *message)
{
    if (options->file) {
        return (size_t)snprintf(path, PLACE_SIZE, "%s", options->file) < PLACE_SIZE ||
               message_set(message, "--file %.100s...: the name is too long",
                           options->file);
    }
    return place_find(path, "XDG_DATA_HOME", ".local/share", "clfold/tuning") ||
           message_set(message, "neither $XDG_DATA_HOME nor $HOME is set; name "
                                "the tuning file with --file");
}

static bool refuse(const char *path, int error, struct message *message)
{
    char why[CLFOLD_FILE_WHY];

    clfold_file_why(error, why);
    return message_set(message, "%.4000s: %s", path,
                       error == EFBIG ? "it is longer than any tuning file" : why);
}

bool tune_file_read(const char *path, bool must_be, const struct session *session,
                    char **text, struct tune_context *context, struct message *message)
{
    size_t length;
    const int error = clfold_file_read(path, TUNE_FILE, text, &length);
    struct message why;

    *context = (struct tune_context){ 0 };
    if (error == ENOENT && !must_be) {
        return true;
    }
    if (error != 0) {
        return refuse(path, error, message);
    }
    if (tune_context_open(context, session, path, &why)) {
        return true;
    }
    clfold_free(*text);
    *text = NULL;
    return message_set(message, "%.4000s: %.4000s", path, why.text);
}

bool tune_file_show(const char *path, const struct session *session,
                    struct message *message)
{
    /* the key is any fold's */
    const clfold_fold sum = clfold_builtin(CLFOLD_ADD, CLFOLD_I32);
    struct tune_context context;
    clfold_tuning_row mine = { 0 };
    struct tune_row row;
    char *text;
    size_t rows = 0, serving = 0;

    if (!tune_file_read(path, false, session, &text, &context, message)) {
        return false;
    }
    if (!text) {
        printf("%s: nothing is tuned, there is no such file\n", path);
        return true;
    }
    const bool done =
        tune_context_row(context.clfold, CLFOLD_REDUCE, &sum, 1, &mine, message);
    const char *at = text + strlen(TUNE_FIRST);
    while (done && tune_row_next(&at, &row)) {
        /* the whole key, or its first words */
        const size_t length = strlen(row.key);
        const bool serves = strncmp(row.key, mine.device, length) == 0 &&
                            strchr(" ;", mine.device[length]);
        printf("%-6s  %s  %s%s%s\n", serves ? "serves" : "-", row.calls, row.numbers,
               serves ? "" : "  on ", serves ? "" : row.key);
        rows++;
        serving += serves;
    }
    if (done) {
        printf("%s: %zu row%s, %zu for %s\n", path, rows, rows == 1 ? "" : "s", serving,
               mine.device);
    }
    tune_context_close(&context);
    clfold_free(text);
    return done;
}

bool tune_file_reset(const char *path, struct message *message)
{
    const size_t magic = strlen(TUNE_FIRST) - 2; /* of any version */
    char *text;
    size_t length;
    const int error = clfold_file_read(path, TUNE_FILE, &text, &length);

    if (error == ENOENT) {
        printf("%s: there was no such file\n", path);
        return true;
    }
    if (error != 0) {
        return refuse(path, error, message);
    }
    /* A damaged one is to be removed too, but it must once have been one. */
    const bool is_tuning = strncmp(text, TUNE_FIRST, magic) == 0;
    clfold_free(text);
    if (!is_tuning) {
        return message_set(message, "%.4000s: is not a tuning file, and was not removed",
                           path);
    }
    if (unlink(path) != 0) {
        return refuse(path, errno, message);
    }
    printf("%s: removed\n", path);
    return true;
}
