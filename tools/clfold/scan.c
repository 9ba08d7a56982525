#include "commands.h"
#include "folding.h"
#include "record.h"
#include "results.h"
#include "types.h"

#include <stdio.h>
#include <string.h>

static bool print_json(const struct folding *f, struct message *message)
{
    struct record record = record_begin();
    const char *const kind = scan_kind(f->operation);

    if (kind) {
        record_add_text(&record, "op", f->op);
        record_add_text(&record, "kind", kind);
    }
    record_add_text(&record, "type", folding_type(f, f->input.type));
    if (kind) {
        record_add_text(&record, "acc", folding_type(f, f->fold.type));
    }
    if (!kind || f->user.converts) {
        record_add_text(&record, "out", folding_out(f));
    }
    record_add_number(&record, "count", f->count);
    if (f->operation == CLFOLD_SELECT) {
        record_add_number(&record, "kept", f->num_kept);
    }
    record_add_number(&record, "pieces", f->pieces);
    record_add_text(&record, "algorithm", f->report.algorithm);
    record_add_text(&record, "device", f->session.device_name);
    record_add_seconds(&record, f->seconds);
    return record_print_json(&record, message);
}

bool command_scan(const struct options *options, struct message *message)
{
    struct folding f = { 0 };
    struct results results = { .options = options };
    bool done;

    done = results_check(options, message) && folding_open(&f, options, message) &&
           results_run(&results, &f, message);
    if (done && options->profile) {
        profile_print(&f.session.profile);
    }
    done = done && (!options->json || print_json(&f, message));
    results_finish(&results);
    folding_close(&f);
    return done;
}
