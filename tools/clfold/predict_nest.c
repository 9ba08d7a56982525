#include "predict_nest.h"

#include "predict_texts.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static bool refuse(struct message *message, const char *name,
                   const struct nest_error *error)
{
    return error->line == 0 ? message_set(message, "%.4000s: %s", name, error->text)
                            : message_set(message, "%.4000s:%d:%d: %s", name, error->line,
                                          error->column, error->text);
}

/* *owned is to be freed. */
static bool find_text(const char *name, bool is_device, struct predict_text *text,
                      char **owned, struct message *message)
{
    const char *const ending = strrchr(name, '.');
    char why[CLFOLD_FILE_WHY];

    *owned = NULL;
    if (ending && strcmp(ending, is_device ? ".device" : ".nest") == 0) {
        const int error = clfold_file_read(name, MOST_BYTES, owned, &text->size);
        text->text = *owned;
        clfold_file_why(error, why);
        return error == 0 || message_set(message, "%.4000s: %s", name, why);
    }
    if (ending && !is_device && (ending[1] == 'f' || ending[1] == 'F')) {
        return message_set(message,
                           "%.4000s: is Fortran, of which clfold-nest makes a .nest file",
                           name);
    }
    for (const struct predict_text *row = predict_texts; row->name; row++) {
        if (row->is_device == is_device && strcmp(row->name, name) == 0) {
            *text = *row;
            return true;
        }
    }
    return message_set(message,
                       is_device
                           ? "there is no device %.200s; clfold predict --calibrate "
                             "> FILE.device measures one, and --help names others"
                           : "there is no nest %.200s; see clfold predict --help",
                       name);
}

bool predict_device(struct device *device, const char *name, struct message *message)
{
    struct nest_error error = { 0 };
    struct predict_text text = { 0 };
    char *owned;

    if (!find_text(name, true, &text, &owned, message)) {
        return false;
    }
    const bool done = device_read(device, text.text, text.size, &error);
    clfold_free(owned);
    return done || refuse(message, name, &error);
}

bool predict_nest(struct predict_nest *nest, const char *name,
                  const struct nest_lanes *lanes, const struct nest_setting *settings,
                  int num_settings, struct message *message)
{
    struct nest_error error = { 0 };
    struct predict_text text = { 0 };
    char *owned;

    *nest = (struct predict_nest){ .name = name };
    if (!find_text(name, false, &text, &owned, message)) {
        return false;
    }
    nest->nest = nest_read(text.text, text.size, &error);
    clfold_free(owned);
    return (nest->nest && nest_count(&nest->counts, nest->nest, lanes, settings,
                                     num_settings, &error)) ||
           refuse(message, name, &error);
}

void predict_nest_finish(struct predict_nest *nest)
{
    nest_counts_finish(&nest->counts);
    free(nest->nest);
    *nest = (struct predict_nest){ 0 };
}

struct nest_lanes predict_lanes(const struct device *device)
{
    return (struct nest_lanes){ .width = (int)device_number(device, DEVICE_WIDTH),
                                .banks = (int)device_number(device, DEVICE_BANKS) };
}

const char *predict_tiles(const struct device *device)
{
    return device_is_cpu(device) ? "reduce_tiles_vector" : "reduce_tiles";
}

bool predict_time(const struct predict_nest *nest, const struct device *device,
                  struct nest_time *time, struct message *message)
{
    *time = time_nest(nest->nest, &nest->counts, device);
    if (time->misfit == NEST_NONE) {
        return true;
    }
    const struct nest_launch *const launch = &nest->counts.launches[time->misfit];
    return message_set(
        message, "%s: a unit of %s holds no group of %s, by its %s", nest->name,
        device->name, nest->nest->kernels[launch->kernel].name,
        time_launch(nest->nest, launch, device, time->misfit > 0).fit.limit);
}
