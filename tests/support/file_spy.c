#define _GNU_SOURCE /* RTLD_NEXT */
#include "file_spy.h"

#include "clspy.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Thread_local uint64_t left; /* calls until the one that fails; 0: unarmed */
static _Thread_local int code;
static _Thread_local const char *failed;

void file_spy_arm(uint64_t number, int error)
{
    left = number;
    code = error;
    failed = NULL;
}

const char *file_spy_disarm(void)
{
    left = 0;
    return failed;
}

static const char *replaced, *replacement;

void file_spy_replace(const char *name, const char *by)
{
    replaced = name;
    replacement = by;
}

static int fails(const char *function)
{
    if (left == 0 || clspy_inside() || --left > 0) {
        return 0;
    }
    failed = function;
    errno = code;
    return 1;
}

static void *next(const char *function)
{
    void *found = dlsym(RTLD_NEXT, function);

    if (!found) {
        abort();
    }
    return found;
}

#define FORWARD(type, name, parameters, arguments, failure)                              \
    type name parameters                                                                 \
    {                                                                                    \
        static type(*real) parameters;                                                   \
        if (!real) {                                                                     \
            *(void **)&real = next(#name);                                               \
        }                                                                                \
        return fails(#name) ? (failure) : real arguments;                                \
    }

FORWARD(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), -1)
FORWARD(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size),
        -1)
FORWARD(int, fsync, (int file), (file), -1)
FORWARD(int, fstat, (int file, struct stat *status), (file, status), -1)
FORWARD(int, fstatat, (int folder, const char *name, struct stat *status, int flags),
        (folder, name, status, flags), -1)
FORWARD(int, mkdir, (const char *name, mode_t mode), (name, mode), -1)
FORWARD(int, renameat, (int from, const char *old, int to, const char *new),
        (from, old, to, new), -1)
FORWARD(int, unlinkat, (int folder, const char *name, int flags), (folder, name, flags),
        -1)
FORWARD(int, utimensat,
        (int folder, const char *name, const struct timespec times[2], int flags),
        (folder, name, times, flags), -1)
FORWARD(DIR *, fdopendir, (int file), (file), NULL)
FORWARD(struct dirent *, readdir, (DIR * dir), (dir), NULL)

/* The file is closed all the same, as Linux does it. */
int close(int file)
{
    static int (*real)(int file);

    if (!real) {
        *(void **)&real = next("close");
    }
    int status = real(file);
    return fails("close") ? -1 : status;
}

static int open_next(const char *function, int folder, const char *name, int flags,
                     mode_t mode)
{
    static int (*real)(int folder, const char *name, int flags, ...);

    if (!real) {
        *(void **)&real = next("openat");
    }
    return fails(function) ? -1 : real(folder, name, flags, mode);
}

/* A mode follows the flags where a file may be made. */
#define TAKE_MODE(mode, flags)                                                           \
    mode_t mode = 0;                                                                     \
    if ((flags)&O_CREAT) {                                                               \
        va_list args;                                                                    \
        va_start(args, flags);                                                           \
        mode = va_arg(args, mode_t);                                                     \
        va_end(args);                                                                    \
    }

int openat(int folder, const char *name, int flags, ...)
{
    TAKE_MODE(mode, flags)
    return open_next("openat", folder, name, flags, mode);
}

int open(const char *name, int flags, ...)
{
    TAKE_MODE(mode, flags)
    bool other = replaced && strcmp(name, replaced) == 0;
    return open_next("open", AT_FDCWD, other ? replacement : name, flags, mode);
}
