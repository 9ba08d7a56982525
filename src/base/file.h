/* Files that are read and replaced whole. */
#ifndef CLFOLD_BASE_FILE_H
#define CLFOLD_BASE_FILE_H

#include <stddef.h>

/* A function here returns 0, or one of the system's error numbers: ENOENT where there is
 * no such file, EFBIG where it has more than `limit` bytes. */

/* Reads all of a regular file. *bytes is to be freed by clfold_free, and ends in a NUL
 * that is not counted; on failure it is NULL. */
int clfold_file_read(const char *name, size_t limit, char **bytes, size_t *length);

/*
 * Puts a file of these bytes in the place of what bears the name, if anything does. It is
 * written beside it and renamed, so there is at any time the old file or the new one, and
 * after a failure the old one. Permissions stay; a link gives way to the file.
 */
int clfold_file_replace(const char *name, const char *bytes, size_t length);

/* Whether that could be done now, as far as can be told before. Leaves nothing. */
int clfold_file_check(const char *name);

#define CLFOLD_FILE_WHY 128

/* "No such file or directory". */
void clfold_file_why(int error, char why[CLFOLD_FILE_WHY]);

#endif
