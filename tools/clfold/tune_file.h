/* The file that `clfold tune` keeps, as it shows and removes it. */
#ifndef CLFOLD_COMMAND_TUNE_FILE_H
#define CLFOLD_COMMAND_TUNE_FILE_H

#include "options.h"
#include "place.h"
#include "session.h"

#include "plan/tuning.h"

/* The file that the options name, or the user's own. */
bool tune_file_find(const struct options *options, char path[PLACE_SIZE],
                    struct message *message);

/* All of it, to be freed by clfold_free, and the rows for the session's device. *text is
 * NULL where there is no file, unless there must be one. One that the library would
 * ignore is refused. */
bool tune_file_read(const char *path, bool must_be, const struct session *session,
                    char **text, size_t *length, struct tuning *rows,
                    struct message *message);

/* Prints the rows. */
bool tune_file_show(const char *path, const struct session *session,
                    struct message *message);

/* Removes it, unless it is somebody else's. */
bool tune_file_reset(const char *path, struct message *message);

#endif
