/* The file that `clfold tune` keeps, as the library loads it and the command shows,
 * rewrites and removes it. */
#ifndef CLFOLD_COMMAND_TUNE_FILE_H
#define CLFOLD_COMMAND_TUNE_FILE_H

#include "options.h"
#include "place.h"
#include "session.h"
#include "tune_row.h"

/* A context of its own that has loaded a tuning file. */
struct tune_context {
    clfold_context *clfold;
    char warning[1024]; /* of the library; "": none */
};

/* `file` "": none. False, with the library's reason as the sentence: it would be ignored.
 * The context must not be moved. */
bool tune_context_open(struct tune_context *context, const struct session *session,
                       const char *file, struct message *message);

/* Whether a row of the file serves such calls. NULL: there is no context. */
bool tune_context_serves(clfold_context *context, clfold_operation operation,
                         const clfold_fold *fold, size_t count);

/* The row by which such a call runs on a context. */
bool tune_context_row(clfold_context *context, clfold_operation operation,
                      const clfold_fold *fold, size_t count, clfold_tuning_row *row,
                      struct message *message);

/* A zeroed context too. */
void tune_context_close(struct tune_context *context);

/* The file that the options name, or the user's own. */
bool tune_file_find(const struct options *options, char path[PLACE_SIZE],
                    struct message *message);

/* Reads the whole file, to be freed by clfold_free, and opens a context that has loaded
 * it. Without a file *text is NULL and there is no context, or if `must_be` that is a
 * failure. A file that the library would ignore is rejected. */
bool tune_file_read(const char *path, bool must_be, const struct session *session,
                    char **text, struct tune_context *context, struct message *message);

/* Prints the rows. */
bool tune_file_show(const char *path, const struct session *session,
                    struct message *message);

/* Removes it, unless it belongs to another process. */
bool tune_file_reset(const char *path, struct message *message);

#endif
