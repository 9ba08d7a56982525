/* Nests and devices as a user names them, files or texts that the command carries, and
 * how long nests take. */
#ifndef CLFOLD_COMMAND_PREDICT_NEST_H
#define CLFOLD_COMMAND_PREDICT_NEST_H

#include "message.h"
#include "nest_time.h"

struct predict_nest {
    const char *name;
    struct nest *nest;
    struct nest_counts counts;
};

bool predict_device(struct device *device, const char *name, struct message *message);

/* Reads and counts. To be finished, done or not. */
bool predict_nest(struct predict_nest *nest, const char *name,
                  const struct nest_lanes *lanes, const struct nest_setting *settings,
                  int num_settings, struct message *message);
void predict_nest_finish(struct predict_nest *nest);

/* Of a sub-group that is as wide as the device's. */
struct nest_lanes predict_lanes(const struct device *device);

/* The nest of reduce_tiles as a GPU or a CPU takes it: of n elements of T bytes. */
const char *predict_tiles(const struct device *device);

/* False: a group does not fit on the device. */
bool predict_time(const struct predict_nest *nest, const struct device *device,
                  struct nest_time *time, struct message *message);

#endif
