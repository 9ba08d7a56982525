#include "commands.h"
#include "folding.h"
#include "record.h"
#include "results.h"
#include "types.h"

#include <stdio.h>
#include <string.h>

static bool print_json(const struct folding *f, struct message *message)
{
    json_object *const object = json_object_new_object();
    const bool is_scan = scan_kind(f->operation);
    char seconds[32];

    snprintf(seconds, sizeof(seconds), "%.9f", f->seconds);
    const bool complete =
        object && (!is_scan || json_put(object, "op", json_object_new_string(f->op))) &&
        (!is_scan ||
         json_put(object, "kind", json_object_new_string(scan_kind(f->operation)))) &&
        json_put(object, "type",
                 json_object_new_string(folding_type(f, f->input.type))) &&
        (!is_scan || json_put(object, "acc",
                              json_object_new_string(folding_type(f, f->fold.type)))) &&
        ((is_scan && !f->user.converts) ||
         json_put(object, "out", json_object_new_string(folding_out(f)))) &&
        json_put(object, "count", json_object_new_uint64(f->count)) &&
        (f->operation != CLFOLD_SELECT ||
         json_put(object, "kept", json_object_new_uint64(f->num_kept))) &&
        json_put(object, "pieces", json_object_new_uint64(f->pieces)) &&
        json_put(object, "algorithm", json_object_new_string(f->report.algorithm)) &&
        json_put(object, "device", json_object_new_string(f->session.device_name)) &&
        json_put(object, "seconds", json_object_new_double_s(f->seconds, seconds));
    return json_print(object, complete, message);
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
