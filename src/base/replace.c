#define _GNU_SOURCE /* O_PATH */
#include "base/replace.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Without it a folder that may be written and not read cannot be opened. */
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* The path that a name leads to, link by link: a rename would take a link's place. */
static int follow_links(const char *name, char path[PATH_MAX])
{
    enum { MOST_LINKS = 40 };
    char target[PATH_MAX];
    ssize_t length;

    if (strlen(name) >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    strcpy(path, name);
    for (int i = 0; (length = readlink(path, target, sizeof(target))) >= 0; ++i) {
        const char *slash = strrchr(path, '/');
        size_t folder = target[0] != '/' && slash ? (size_t)(slash - path) + 1 : 0;
        if (i == MOST_LINKS) {
            return ELOOP;
        }
        if (folder + (size_t)length >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        memcpy(path + folder, target, (size_t)length);
        path[folder + (size_t)length] = '\0';
    }
    /* Not a link. Any other error shows when the path is opened. */
    return 0;
}

/* Cuts the path in two. */
static int open_folder(struct replacement *r)
{
    char *slash = strrchr(r->path, '/');
    const char *folder = !slash ? "." : slash == r->path ? "/" : r->path;

    r->last = slash ? slash + 1 : r->path;
    if (r->last[0] == '\0') {
        return slash ? EISDIR : ENOENT;
    }
    if (slash) {
        *slash = '\0';
    }
    r->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return r->folder >= 0 ? 0 : errno;
}

/* A rename checks only the folder's permissions, so this checks the file's. */
static int check_old(const struct replacement *r, struct stat *old, bool *there)
{
    *there = fstatat(r->folder, r->last, old, 0) == 0;
    if (!*there) {
        return errno == ENOENT ? 0 : errno;
    }
    if (!S_ISREG(old->st_mode)) {
        return S_ISDIR(old->st_mode) ? EISDIR : CLFOLD_FILE_KIND;
    }
    return faccessat(r->folder, r->last, W_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* Another thread, or a file left by an earlier process, may have the name. */
#define MOST_NAMES 100

static int open_beside(struct replacement *r, mode_t mode)
{
    int error = EEXIST;

    for (int i = 0; error == EEXIST && i < MOST_NAMES; ++i) {
        snprintf(r->beside, sizeof(r->beside), "clfold.%ld.%d.part", (long)getpid(), i);
        r->file =
            openat(r->folder, r->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        error = r->file >= 0 ? 0 : errno;
    }
    if (error != 0) {
        r->beside[0] = '\0';
    }
    return error;
}

/* Sets the owner only if it differs: some file systems reject every change. */
static int keep_owner(int file, const struct stat *old)
{
    struct stat now;

    if (fstat(file, &now) != 0) {
        return errno;
    }
    if ((now.st_uid == old->st_uid && now.st_gid == old->st_gid) ||
        fchown(file, old->st_uid, old->st_gid) == 0) {
        return 0;
    }
    return errno == EPERM ? CLFOLD_FILE_OWNER : errno;
}

static int keep_mode(int file, const struct stat *old)
{
    return fchmod(file, old->st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) == 0 ? 0 : errno;
}

int clfold_replace_begin(struct replacement *r, const char *name)
{
    struct stat old;
    bool there;
    int error;

    *r = (struct replacement){ .folder = -1, .file = -1 };
    /* At no time may more users open the new file than the old one. */
    if ((error = follow_links(name, r->path)) || (error = open_folder(r)) ||
        (error = check_old(r, &old, &there)) ||
        (error = open_beside(r, there ? S_IRUSR | S_IWUSR : 0666)) ||
        (there &&
         ((error = keep_owner(r->file, &old)) || (error = keep_mode(r->file, &old))))) {
        clfold_replace_finish(r);
    }
    return error;
}

int clfold_replace_commit(struct replacement *r)
{
    if (renameat(r->folder, r->beside, r->folder, r->last) != 0) {
        return errno;
    }
    r->beside[0] = '\0';
    return 0;
}

void clfold_replace_finish(struct replacement *r)
{
    if (r->file >= 0) {
        close(r->file);
    }
    if (r->beside[0]) {
        unlinkat(r->folder, r->beside, 0);
    }
    if (r->folder >= 0) {
        close(r->folder);
    }
    *r = (struct replacement){ .folder = -1, .file = -1 };
}

/* ---- At once ----------------------------------------------------------------------- */

int clfold_file_replace(const char *name, const char *bytes, size_t length)
{
    struct replacement r;
    int error = clfold_replace_begin(&r, name);

    if (error != 0) {
        return error;
    }
    error = clfold_file_write(r.file, bytes, length);
    if (close(r.file) != 0 && error == 0) {
        error = errno;
    }
    r.file = -1;
    if (error == 0) {
        error = clfold_replace_commit(&r);
    }
    clfold_replace_finish(&r);
    return error;
}

int clfold_file_check(const char *name)
{
    struct replacement r;
    int error = clfold_replace_begin(&r, name);

    if (error == 0) {
        clfold_replace_finish(&r);
    }
    return error;
}
