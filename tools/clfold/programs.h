/*
 * Where the command keeps built programs: the folder clfold/programs of $XDG_CACHE_HOME,
 * or of ~/.cache. Without it, each process builds again.
 */
#ifndef CLFOLD_COMMAND_PROGRAMS_H
#define CLFOLD_COMMAND_PROGRAMS_H

#include "place.h"

/* False: there is no such place. */
bool programs_find(char path[PLACE_SIZE]);

/* From now on none are kept, nor loaded. */
void programs_disable(void);

/* The folder for a context's params; NULL: none, since it is disabled or cannot be made.
 * `path` has its name. */
const char *programs_folder(char path[PLACE_SIZE]);

#endif
