/*
 * What the command keeps in the folder $XDG_CACHE_HOME, or ~/.cache: built programs in
 * clfold/programs. Without it, each process builds again.
 */
#ifndef CLFOLD_COMMAND_PROGRAMS_H
#define CLFOLD_COMMAND_PROGRAMS_H

#include <stdbool.h>

enum { PLACE_SIZE = 4096 };

/* A path in that folder. False: there is no such place. */
bool place_find(char path[PLACE_SIZE], const char *rest);

/* From now on no programs are kept, nor loaded. */
void programs_disable(void);

/* The folder for a context's params; NULL: none, since it is disabled or cannot be made.
 * `path` has its name. */
#define PROGRAMS "clfold/programs"
const char *programs_folder(char path[PLACE_SIZE]);

#endif
