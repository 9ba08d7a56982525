/* help [COMMAND] --help: prints what clfold [COMMAND] --help prints, for help2man. Runs
 * while clfold is built, also where that is built for another machine. */
#include "options_table.h"

#include <string.h>

int main(int argc, char **argv)
{
    enum action action = ACTION_NONE;

    while (argc > 2 && action < ACTIONS &&
           strcmp(command_rows[action].name, argv[1]) != 0) {
        action++;
    }
    if (action == ACTIONS) {
        return 2;
    }
    options_help(stdout, action);
    return fflush(stdout) == 0 ? 0 : 1;
}
