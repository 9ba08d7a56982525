#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void clfold_file_why(int error, char why[CLFOLD_FILE_WHY])
{
    static const char *const own[] = {
        [-CLFOLD_FILE_KIND] = "not a regular file",
        [-CLFOLD_FILE_OWNER] = "replacing it would change its owner or group",
        [-CLFOLD_FILE_FOREIGN] = "it belongs to another user",
        [-CLFOLD_FILE_SHARED] = "other users can write to it",
    };

    if (error < 0) {
        strcpy(why, own[-error]);
    } else if (strerror_r(error, why, CLFOLD_FILE_WHY) != 0) {
        snprintf(why, CLFOLD_FILE_WHY, "error %d", error);
    }
}

/* Fills `bytes` from the file; less than `size` where it ends before. */
static int read_bytes(int file, char *bytes, size_t size, size_t *length)
{
    ssize_t got = 1;

    *length = 0;
    while (*length < size && got != 0) {
        got = read(file, bytes + *length, size - *length);
        if (got < 0 && errno != EINTR) {
            return errno;
        }
        *length += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* A byte more than the file has is asked for, since it may grow meanwhile. Some files, as
 * those of /proc, say that they have none. */
int clfold_file_read_open(int file, size_t limit, char **bytes, size_t *length)
{
    struct stat status;
    int error;

    if (fstat(file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return S_ISDIR(status.st_mode) ? EISDIR : CLFOLD_FILE_KIND;
    }
    if ((uintmax_t)status.st_size > limit) {
        return EFBIG;
    }
    if (status.st_size > 0) {
        limit = (size_t)status.st_size;
    }
    *bytes = clfold_alloc(limit + 2);
    if (!*bytes) {
        return ENOMEM;
    }
    error = read_bytes(file, *bytes, limit + 1, length);
    error = error == 0 && *length > limit ? EFBIG : error;
    if (error != 0) {
        clfold_free(*bytes);
        *bytes = NULL;
        return error;
    }
    (*bytes)[*length] = '\0';
    return 0;
}

int clfold_file_read(const char *name, size_t limit, char **bytes, size_t *length)
{
    /* Opening a pipe without a writer would block. */
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

    *bytes = NULL;
    *length = 0;
    if (file < 0) {
        return errno;
    }
    error = clfold_file_read_open(file, limit, bytes, length);
    close(file);
    return error;
}

int clfold_file_write(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t put = write(file, bytes, length);
        if (put < 0 && errno != EINTR) {
            return errno;
        }
        bytes += put > 0 ? put : 0;
        length -= put > 0 ? (size_t)put : 0;
    }
    /* Some failures show only when the bytes go to where they stay. */
    while (fsync(file) != 0) {
        if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}
