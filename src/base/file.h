/* Files that are read whole, and why they cannot be. */
#ifndef CLFOLD_BASE_FILE_H
#define CLFOLD_BASE_FILE_H

#include <stddef.h>

/* A function here returns 0, or one of the system's error numbers: ENOENT where there is
 * no such file, EFBIG where it has more than `limit` bytes. Or one of these, which the
 * system does not have. */
enum {
    CLFOLD_FILE_KIND = -1, /* not a regular file */
    CLFOLD_FILE_OWNER = -2 /* replacing it would change its owner or group */
};

/* Reads all of a regular file. *bytes is to be freed by clfold_free, and ends in a NUL
 * that is not counted; on failure it is NULL. */
int clfold_file_read(const char *name, size_t limit, char **bytes, size_t *length);

#define CLFOLD_FILE_WHY 128

/* "No such file or directory". */
void clfold_file_why(int error, char why[CLFOLD_FILE_WHY]);

#endif
