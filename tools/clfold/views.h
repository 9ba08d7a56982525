/* Commands that are programs of their own: clfold NAME runs clfold-NAME. */
#ifndef CLFOLD_COMMAND_VIEWS_H
#define CLFOLD_COMMAND_VIEWS_H

#include "message.h"

#include <stdbool.h>

/* Runs the program if argv names one, or asks for its help, and then does not return.
 * True: the command is built in, or there is none; false: the program cannot be run. */
bool view_run(char **argv, struct message *message);

#endif
