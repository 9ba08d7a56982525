/* The commands. They print to standard output; the caller checks that it took it. */
#ifndef CLFOLD_COMMAND_COMMANDS_H
#define CLFOLD_COMMAND_COMMANDS_H

#include "message.h"
#include "options.h"

bool command_devices(const struct options *options, struct message *message);
bool command_reduce(const struct options *options, struct message *message);
/* map, select and the like, too */
bool command_scan(const struct options *options, struct message *message);
bool command_explain(const struct options *options, struct message *message);
bool command_check_fold(const struct options *options, struct message *message);
bool command_predict(const struct options *options, struct message *message);
/* predict --calibrate: prints a device's file. */
bool calibrate(const struct options *options, struct message *message);
bool command_cache(const struct options *options, struct message *message);

#endif
