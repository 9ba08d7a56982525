#include "base/file.h"

#include "base/memory.h"
#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void clfold_file_why(int error, char why[CLFOLD_FILE_WHY])
{
    if (strerror_r(error, why, CLFOLD_FILE_WHY) != 0) {
        snprintf(why, CLFOLD_FILE_WHY, "error %d", error);
    }
}

/* ---- Reading ----------------------------------------------------------------------- */

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

/* A byte more than the limit is asked for, since the file may grow meanwhile. */
static int read_open(int file, size_t limit, char **bytes, size_t *length)
{
    struct stat status;
    int error;

    if (fstat(file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    }
    if ((uintmax_t)status.st_size > limit) {
        return EFBIG;
    }
    *bytes = clfold_alloc(limit + 2);
    if (!*bytes) {
        return ENOMEM;
    }
    error = read_bytes(file, *bytes, limit + 1, length);
    if (error == 0 && *length > limit) {
        error = EFBIG;
    }
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
    /* A pipe that nobody writes would be waited for. */
    int file = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;

    *bytes = NULL;
    *length = 0;
    if (file < 0) {
        return errno;
    }
    error = read_open(file, limit, bytes, length);
    close(file);
    return error;
}

/* ---- Replacing --------------------------------------------------------------------- */

static int write_bytes(int file, const char *bytes, size_t length)
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
    return fsync(file) == 0 ? 0 : errno;
}

/* The permissions of what is replaced; *there false: of nothing. */
static int old_mode(const char *name, mode_t *mode, bool *there)
{
    struct stat status;

    *there = stat(name, &status) == 0;
    if (!*there) {
        return errno == ENOENT ? 0 : errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    }
    *mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    return 0;
}

/* Two threads, or what an earlier process left, may want one name. */
#define MOST_NAMES 100

static int open_beside(const char *name, mode_t mode, char *beside, size_t size)
{
    int file = -1;

    for (int i = 0; file < 0 && i < MOST_NAMES; ++i) {
        snprintf(beside, size, "%s.%ld.%d.part", name, (long)getpid(), i);
        file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file < 0 && errno != EEXIST) {
            break;
        }
    }
    return file;
}

/* *file is a new one, and `beside` its name, unless this fails. */
static int begin(const char *name, char *beside, size_t size, int *file)
{
    mode_t mode = 0666;
    bool there;
    int error = old_mode(name, &mode, &there);

    if (error != 0) {
        return error;
    }
    *file = open_beside(name, mode, beside, size);
    if (*file < 0) {
        return errno;
    }
    /* The mode of a new file is the user's choice, that of a replaced one is known. */
    if (there && fchmod(*file, mode) != 0) {
        error = errno;
        close(*file);
        unlink(beside);
    }
    return error;
}

static int end(int file, int error)
{
    return close(file) != 0 && error == 0 ? errno : error;
}

static int replace(const char *name, char *beside, size_t size, const char *bytes,
                   size_t length)
{
    int file, error = begin(name, beside, size, &file);

    if (error != 0) {
        return error;
    }
    error = end(file, write_bytes(file, bytes, length));
    if (error == 0 && rename(beside, name) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(beside);
    }
    return error;
}

static int check(const char *name, char *beside, size_t size)
{
    int file, error = begin(name, beside, size, &file);

    if (error == 0) {
        error = end(file, 0);
        unlink(beside);
    }
    return error;
}

/* A name beside the file's. */
static char *room_beside(const char *name, size_t *size)
{
    *size = strlen(name) + 64;
    return clfold_alloc(*size);
}

int clfold_file_replace(const char *name, const char *bytes, size_t length)
{
    size_t size;
    char *beside = room_beside(name, &size);
    int error = beside ? replace(name, beside, size, bytes, length) : ENOMEM;

    clfold_free(beside);
    return error;
}

int clfold_file_check(const char *name)
{
    size_t size;
    char *beside = room_beside(name, &size);
    int error = beside ? check(name, beside, size) : ENOMEM;

    clfold_free(beside);
    return error;
}
