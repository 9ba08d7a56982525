/* help [COMMAND] --help: prints what clfold [COMMAND] --help prints, for help2man. Runs
 * while clfold is built, also where that is built for another machine. */
#include "options_table.h"

int main(int argc, char **argv)
{
    const enum action action = argc > 2 ? command_find(argv[1]) : ACTION_NONE;

    if (action == ACTIONS) {
        return 2;
    }
    options_help(stdout, action);
    return fflush(stdout) == 0 ? 0 : 1;
}
