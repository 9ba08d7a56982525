/*
 * A folder of the user's own files, which many threads and processes fill and read:
 *
 *     folder/  0123456789abcdef.clfold             whole at any time: renamed into place
 *              0123456789abcdef.clfold.123.0.part  being written, or left by a process
 *                                                  that died
 *
 * Nobody locks anything. A reader sees a whole file, the old one or the new one; of two
 * writers the later one wins. Files of any other name are neither listed nor removed.
 * Files are opened relative to the folder, never through a link, and are only the user's
 * to read. A file's time of change is its time of last use.
 */
#ifndef CLFOLD_BASE_FOLDER_H
#define CLFOLD_BASE_FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* A name is CLFOLD_FOLDER_DIGITS hexadecimal digits and an end, or such with a part's
 * numbers and end; with the NUL it is at most this long. */
#define CLFOLD_FOLDER_NAME   64
#define CLFOLD_FOLDER_DIGITS 16
#define CLFOLD_FOLDER_END    ".clfold"

struct folder {
    int file; /* open; -1: none */
};

struct folder_file {
    char name[CLFOLD_FOLDER_NAME];
    uint64_t size; /* bytes */
    int64_t used;  /* seconds since 1970 */
    int64_t fine;  /* and nanoseconds */
};

/* Functions here return what those of base/file.h do. */

/* Opens the folder. If `make` is set, creates it and those above it.
 * CLFOLD_FILE_FOREIGN and CLFOLD_FILE_SHARED: it is not the user's alone. On failure
 * there is nothing to close. */
int clfold_folder_open(struct folder *folder, const char *path, int make);

/* A closed folder is fine. */
void clfold_folder_close(struct folder *folder);

/* Reads all of a file and notes that it was used, or only looks at it. As
 * clfold_file_read. */
int clfold_folder_read(const struct folder *folder, const char *name, size_t limit,
                       char **bytes, size_t *length);
int clfold_folder_look(const struct folder *folder, const char *name, size_t limit,
                       char **bytes, size_t *length);

/* Writes a file, or replaces it; on failure the old one stays. */
int clfold_folder_write(const struct folder *folder, const char *name, const char *bytes,
                        size_t length);

int clfold_folder_remove(const struct folder *folder, const char *name);

/* Lists the files, but no parts, the one used last first. *files is to be freed by
 * clfold_free. */
int clfold_folder_list(const struct folder *folder, struct folder_file **files,
                       size_t *num);

/* Removes files, the one used least recently first, until `limit` bytes are left, and
 * what dead processes left. Counts them in *removed, which may be NULL. */
int clfold_folder_shrink(const struct folder *folder, uint64_t limit, size_t *removed);

#endif
