/*
 * Creates or replaces a file as a whole:
 *
 *     folder/  name             the old file, until the commit
 *              (no name)        the new one, to be written; linked to `name`, or beside
 *                               it and renamed if there is an old one
 *              clfold.1.0.part  or the new one, where the file system has none without a
 *                               name; renamed to `name`
 *
 * At any time there is the old file or the new one, after a failure the old one. Several
 * are replaced together or not at all, unless the process is killed between two names, or
 * the file system has no hard links. A file without a name is gone with its process, even
 * if that is killed. The name beside is short, so any name that the system takes can be
 * replaced. An old file keeps its owner, group and permissions; one that the user may not
 * write, or whose owner or group could not be kept, is rejected. A link stays too: its
 * target is replaced.
 */
#ifndef CLFOLD_COMMAND_REPLACE_H
#define CLFOLD_COMMAND_REPLACE_H

#include <limits.h>
#include <stddef.h>

enum { REPLACEMENT_NAME = 48, REPLACEMENT_MOST = 3 };

struct replacement {
    int folder;
    int file; /* the new one, to be written and read; -1: the caller has closed it */
    int held; /* the new one once more, if it has no name yet; else -1 */
    char path[PATH_MAX], *last; /* the folder's, and in it the last part of the name */
    /* names of the new one, and of the old one while the new one has its place; "" */
    char beside[REPLACEMENT_NAME], old[REPLACEMENT_NAME];
};

/* Functions here return what those of base/file.h do. If this one fails, there is nothing
 * to finish. */
int replace_begin(struct replacement *r, const char *name);

/* Only opens the folder, and finds the last part of the name. */
int replace_find(struct replacement *r, const char *name);

/* The caller has written and closed the file. */
int replace_commit(struct replacement *r);

/* The same of all, in this order, or of none: *num becomes how many went well. */
int replace_commit_all(struct replacement *const *all, int *num);

/* Removes what was not committed. */
void replace_finish(struct replacement *r);

#endif
