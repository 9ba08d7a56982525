/* Where a user's files are, by the XDG Base Directory Specification. */
#ifndef CLFOLD_COMMAND_PLACE_H
#define CLFOLD_COMMAND_PLACE_H

#include <stdbool.h>

enum { PLACE_SIZE = 4096 };

/* "$VARIABLE/REST", else "~/UNDER_HOME/REST". False: there is no such place. */
bool place_find(char path[PLACE_SIZE], const char *variable, const char *under_home,
                const char *rest);

/* Makes the folders in which `path` is; errno says why not. */
bool place_make_folders(char path[PLACE_SIZE]);

#endif
