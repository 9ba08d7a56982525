#include "commands.h"
#include "record.h"
#include "session.h"
#include "types.h"

#include <string.h>

static void describe(const struct options *options, const struct session *session,
                     const clfold_fold *fold, size_t count, const clfold_report *report,
                     struct record *record)
{
    record_add_text(record, "device", strdup(session->device_name));
    record_add_text(record, "type", strdup(type_name(options->element)));
    record_add_text(record, "acc", strdup(type_name(fold->type)));
    if (fold->out) {
        record_add_text(record, "out", strdup(type_name(fold->out)));
    }
    if (options->operation != CLFOLD_MAP) {
        record_add_text(record, "op", strdup(op_name(fold->op)));
        record_add_text(record, "accuracy", strdup(accuracy_name(fold->accuracy)));
    }
    if (fold->op && options->operation != CLFOLD_REDUCE) {
        record_add_text(record, "kind", strdup(scan_kind(options->operation)));
    }
    record_add(record, "count", FIELD_NUMBER, true, count);
    if (fold->segments) {
        record_add(record, options->rows ? "rows_of" : "columns", FIELD_NUMBER, true,
                   fold->segments->num);
    }
    record_add_text(record, "algorithm", strdup(report->algorithm));
    record_add(record, "tile", FIELD_NUMBER, true, report->tile);
    record_add(record, "group_size", FIELD_NUMBER, true, report->group_size);
    record_add(record, "groups", FIELD_NUMBER, true, report->num_groups);
    record_add(record, "items", FIELD_NUMBER, true, report->items);
    record_add(record, "launches", FIELD_NUMBER, true, report->num_launches);
    record_add(record, "scratch", FIELD_BYTES, true, report->scratch_bytes);
    record_add(record, "bytes_read", FIELD_BYTES, true, report->bytes_read);
    record_add(record, "bytes_written", FIELD_BYTES, true, report->bytes_written);
    record_add_text(record, "why", strdup(report->reason));
}

static bool explain(const struct options *options, const struct session *session,
                    struct message *message)
{
    clfold_fold fold = options_fold(options, options->element);
    clfold_report report = { 0 };
    struct record record = { 0 };
    clfold_segments segments;
    size_t count = options->count;
    bool done = true;

    if (!options->acc) {
        session_choose_type(session, &fold);
    }
    fold.out = options->fold.out;
    fold.segments = options_segments(options, &segments, &count) ? &segments : NULL;
    /* what clfold reduce would say */
    if (options->operation == CLFOLD_REDUCE && count == 0 && !fold.segments &&
        !op_takes_nothing(options->op)) {
        return message_set(message, "--count 0: %s needs at least one number",
                           op_name(options->op));
    }
    const clfold_status status =
        clfold_explain(session->context, options->operation, &fold, count, NULL, &report);
    if (status != CLFOLD_OK) {
        return session_refuse(status, message);
    }
    describe(options, session, &fold, count, &report, &record);
    if (options->json) {
        json_object *const object = record_json(&record);
        done = json_print(object, object != NULL, message);
    } else {
        record_print(&record);
    }
    record_finish(&record);
    return done;
}

bool command_explain(const struct options *options, struct message *message)
{
    struct session session;
    const bool done = session_open(&session, options->device, false, message) &&
                      explain(options, &session, message);

    session_close(&session);
    return done;
}
