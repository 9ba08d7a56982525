#include "buffer.h"
#include "commands.h"
#include "record.h"
#include "session.h"
#include "types.h"
#include "user_fold.h"

#include <clfold/experimental.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of the user's, which the library compares at two widths. */
static bool has_texts(const clfold_fold *fold)
{
    return fold->combine || fold->load || fold->result || fold->store || fold->keep ||
           fold->same;
}

static void describe(const struct options *options, const struct session *session,
                     const clfold_fold *fold, size_t count, const clfold_report *report,
                     struct record *record)
{
    static const char *const widths[] = { [CLFOLD_WIDTHS_UNKNOWN] = "unknown",
                                          [CLFOLD_WIDTHS_AGREE] = "agree",
                                          [CLFOLD_WIDTHS_DIFFER] = "differ" };
    const char *const item = fold->components ? fold->components : fold->type_name;
    const bool are_numbers = options_folds_numbers(options);

    record_add_text(record, "device", session->device_name);
    record_add_text(record, "type",
                    are_numbers ? clfold_type_name(options->element) : item);
    record_add_text(record, "acc", item ? item : clfold_type_name(fold->type));
    if (fold->out) {
        record_add_text(record, "out", clfold_type_name(fold->out));
    }
    if (operation_folds(options->operation)) {
        record_add_text(record, "op",
                        fold->combine ? "the operator" : clfold_op_name(fold->op));
        record_add_text(record, "accuracy", accuracy_name(fold->accuracy));
    }
    if (scan_kind(options->operation)) {
        record_add_text(record, "kind", scan_kind(options->operation));
    }
    record_add_number(record, "count", count);
    if (options->by.text) {
        record_add_text(record, "by", options->by.text);
    } else if (fold->segments) {
        record_add_number(record, options->rows ? "rows_of" : "columns",
                          options->rows ? fold->segments->length
                                        : fold->segments->columns);
    }
    record_add_text(record, "algorithm", report->algorithm);
    record_add_number(record, "tile", report->tile);
    record_add_number(record, "group_size", report->group_size);
    record_add_number(record, "groups", report->num_groups);
    record_add_number(record, "items", report->items);
    record_add_number(record, "launches", report->num_launches);
    record_add_number(record, "scratch", report->scratch_bytes);
    record_add_number(record, "bytes_read", report->bytes_read);
    record_add_number(record, "bytes_written", report->bytes_written);
    if (has_texts(fold)) {
        record_add_text(record, "widths", widths[report->widths]);
    }
    record_add_text(record, "why", report->reason);
}

/* Whether texts run on vectors shows when a program is built. */
static clfold_status build_and_explain(const struct options *options,
                                       const struct session *session,
                                       const clfold_fold *fold, size_t count,
                                       clfold_report *report)
{
    const clfold_status status =
        has_texts(fold)
            ? clfold_prepare(session->context, options->operation, fold, count, NULL)
            : CLFOLD_OK;

    return status != CLFOLD_OK ? status
                               : clfold_explain(session->context, options->operation,
                                                fold, count, NULL, report);
}

/* Lets cpp write what it leaves of the text, with no macros of its own. */
static bool print_resolved(const char *text, struct message *message)
{
    fflush(stdout);
    FILE *const cpp = popen("cpp -undef -nostdinc -fdirectives-only -P -", "w");
    if (cpp) {
        fputs(text, cpp);
    }
    const int status = cpp ? pclose(cpp) : -1;
    return status == 0 || message_set(message, "cpp failed");
}

/* The program of each stage; a stage may have that of the first. */
static bool print_texts(const struct options *options, const struct session *session,
                        const struct user_fold *user, const clfold_fold *fold,
                        size_t count, struct message *message)
{
    bool done = true;
    char *first = NULL;

    if (options->resolved && system("command -v cpp >/dev/null 2>&1") != 0) {
        return message_set(message, "--resolved needs the program cpp, and there is none "
                                    "in PATH");
    }
    for (uint32_t stage = 0; done; ++stage) {
        char *text = NULL;
        size_t size;
        clfold_status status =
            clfold_explain_text(session->context, options->operation, fold, count, NULL,
                                stage, NULL, 0, &size);
        if (stage > 0 && status == CLFOLD_ERROR_RANGE) {
            break;
        }
        if (status == CLFOLD_OK && !(text = malloc(size))) {
            done = message_set(message, "out of memory");
            break;
        }
        if (status == CLFOLD_OK) {
            status = clfold_explain_text(session->context, options->operation, fold,
                                         count, NULL, stage, text, size, NULL);
        }
        if (status != CLFOLD_OK) {
            done = session_refuse_fold(session, user, status, message);
        } else if (first && strcmp(first, text) == 0) {
            printf("// stage %u has the program of stage 0\n", stage);
        } else {
            printf("// stage %u\n", stage);
            done = options->resolved ? print_resolved(text, message)
                                     : fputs(text, stdout) >= 0;
        }
        if (first) {
            free(text);
        } else {
            first = text;
        }
    }
    free(first);
    return done;
}

static bool explain(const struct options *options, struct session *session,
                    const struct user_fold *user, struct message *message)
{
    clfold_fold fold = user->fold;
    clfold_report report = { 0 };
    struct record record;
    clfold_segments segments;
    size_t count = options->count;

    fold.segments = options_segments(options, &segments, &count) ? &segments : NULL;
    /* what clfold reduce would say */
    if (options->operation == CLFOLD_REDUCE && count == 0 && !fold.segments &&
        !(fold.combine ? fold.identity != NULL : op_takes_nothing(fold.op))) {
        return message_set(message, "--count 0: %s needs at least one number",
                           fold.combine ? "the operator" : clfold_op_name(fold.op));
    }
    session_watch(session);
    const clfold_status status =
        build_and_explain(options, session, &fold, count, &report);
    session_unwatch(session);
    if (status != CLFOLD_OK) {
        return session_refuse_fold(session, user, status, message);
    }
    if (options->prints_text) {
        return print_texts(options, session, user, &fold, count, message);
    }
    record = record_begin();
    describe(options, session, &fold, count, &report, &record);
    return (options->json ? record_print_json : record_print)(&record, message);
}

bool command_explain(const struct options *options, struct message *message)
{
    clfold_fold basis =
        options_fold(options, options_folds_numbers(options) ? options->element : 0);
    struct session session = { 0 };
    struct user_fold user = { 0 };
    cl_mem streams[FOLD_MOST_ARGS] = { NULL };
    bool done = session_open(&session, options->device, false, message);

    if (done && !options->acc) {
        session_choose_type(&session, &basis);
    }
    done = done && user_fold_init(&user, &options->fold, &basis, message) &&
           user_fold_load(&user, &session, NULL, message) &&
           user_fold_create_streams(&user, &session, 1, streams, message);
    user_fold_set_streams(&user, streams);
    done = done && explain(options, &session, &user, message);
    buffer_release(streams, FOLD_MOST_ARGS);
    user_fold_finish(&user);
    session_close(&session);
    return done;
}
