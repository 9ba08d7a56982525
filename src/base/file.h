/* Files that are read whole, and why they cannot be. */
#ifndef CLFOLD_BASE_FILE_H
#define CLFOLD_BASE_FILE_H

#include <stddef.h>

/* A function here returns 0, or one of the system's error numbers: ENOENT where there is
 * no such file, EFBIG where it has more than `limit` bytes. Or one of these, which the
 * system does not have. */
enum {
    CLFOLD_FILE_KIND = -1,    /* not a regular file */
    CLFOLD_FILE_OWNER = -2,   /* replacing it would change its owner or group */
    CLFOLD_FILE_FOREIGN = -3, /* another user's */
    CLFOLD_FILE_SHARED = -4   /* a folder that other users can write */
};

/* Reads all of a regular file. *bytes is to be freed by clfold_free, and ends in a NUL
 * that is not counted; on failure it is NULL. */
int clfold_file_read(const char *name, size_t limit, char **bytes, size_t *length);

/* The same of a file that is open, and stays open. */
int clfold_file_read_open(int file, size_t limit, char **bytes, size_t *length);

/* Writes all, to where it stays. */
int clfold_file_write(int file, const char *bytes, size_t length);

#define CLFOLD_FILE_WHY 128

/* "No such file or directory". */
void clfold_file_why(int error, char why[CLFOLD_FILE_WHY]);

#endif
