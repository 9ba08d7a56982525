/* The commands. They print to standard output; the caller checks that it took it. */
#ifndef CLFOLD_COMMAND_COMMANDS_H
#define CLFOLD_COMMAND_COMMANDS_H

#include "message.h"
#include "options.h"

typedef bool command_function(const struct options *options, struct message *message);

command_function command_devices, command_reduce, command_explain, command_check_fold,
    command_cache, command_scan; /* map, select and the like, too */

/* Runs the program if argv names one, or asks for its help, and then does not return.
 * True: the command is built in, or there is none; false: the program cannot be run. */
bool view_run(char **argv, struct message *message);

#endif
