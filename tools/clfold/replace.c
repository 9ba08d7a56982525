#define _GNU_SOURCE /* O_PATH, O_TMPFILE */
#include "replace.h"

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

enum { HELD = 32 };

/* Where this process finds the new file, if it has no name yet. */
static void replace_held(const struct replacement *r, char path[HELD])
{
    snprintf(path, HELD, "/proc/self/fd/%d", r->held);
}

static void close_both(struct replacement *r)
{
    if (r->file >= 0) {
        close(r->file);
    }
    if (r->held >= 0) {
        close(r->held);
    }
    r->file = r->held = -1;
}

/* Another thread, or a file left by an earlier process, may have the name. */
#define MOST_NAMES 100

/* Calls `make` with one name after another, until there was no file of that name. */
static int make_beside(struct replacement *r, char name[REPLACEMENT_NAME],
                       int (*make)(struct replacement *r, mode_t), mode_t mode)
{
    int error = EEXIST;

    for (int i = 0; error == EEXIST && i < MOST_NAMES; ++i) {
        snprintf(name, REPLACEMENT_NAME, "clfold.%ld.%d.part", (long)getpid(), i);
        error = make(r, mode);
    }
    if (error != 0) {
        name[0] = '\0';
    }
    return error;
}

static int open_beside(struct replacement *r, mode_t mode)
{
    r->file = openat(r->folder, r->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return r->file >= 0 ? 0 : errno;
}

/* A file without a name, which ends with the process. False where the file system has
 * none, or where there is no /proc by which it gets a name later. */
static bool open_unnamed(struct replacement *r, mode_t mode)
{
#ifdef O_TMPFILE
    char path[HELD];

    r->file = openat(r->folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    /* The caller closes the file before it gets its name. */
    r->held = r->file >= 0 ? fcntl(r->file, F_DUPFD_CLOEXEC, 0) : -1;
    replace_held(r, path);
    if (r->held >= 0 && access(path, F_OK) == 0) {
        return true;
    }
    close_both(r);
#else
    (void)r;
    (void)mode;
#endif
    return false;
}

static int open_new(struct replacement *r, mode_t mode)
{
    return open_unnamed(r, mode) ? 0 : make_beside(r, r->beside, open_beside, mode);
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

int replace_find(struct replacement *r, const char *name)
{
    *r = (struct replacement){ .folder = -1, .file = -1, .held = -1 };
    const int error = follow_links(name, r->path);
    return error ? error : open_folder(r);
}

int replace_begin(struct replacement *r, const char *name)
{
    struct stat old;
    bool there;
    int error;

    /* At no time may more users open the new file than the old one. */
    if ((error = replace_find(r, name)) || (error = check_old(r, &old, &there)) ||
        (error = open_new(r, there ? S_IRUSR | S_IWUSR : 0666)) ||
        (there &&
         ((error = keep_owner(r->file, &old)) || (error = keep_mode(r->file, &old))))) {
        replace_finish(r);
    }
    return error;
}

static int link_held(const struct replacement *r, const char *name)
{
    char path[HELD];

    replace_held(r, path);
    return linkat(AT_FDCWD, path, r->folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

static int link_beside(struct replacement *r, mode_t mode)
{
    (void)mode;
    return link_held(r, r->beside);
}

/*
 * A file without a name is linked to its place, if that is free. A link never replaces a
 * file, so an old one is replaced by a link beside it and a rename. Only a kill between
 * these two calls leaves the name beside, with the whole new file. A file that had the
 * name from the start leaves it, not complete, whenever it is killed.
 */
int replace_commit(struct replacement *r)
{
    if (r->held >= 0) {
        int error = link_held(r, r->last);
        if (error != EEXIST || (error = make_beside(r, r->beside, link_beside, 0)) != 0) {
            return error;
        }
    }
    if (renameat(r->folder, r->beside, r->folder, r->last) != 0) {
        return errno;
    }
    r->beside[0] = '\0';
    return 0;
}

static int link_old(struct replacement *r, mode_t mode)
{
    (void)mode;
    return linkat(r->folder, r->last, r->folder, r->old, 0) == 0 ? 0 : errno;
}

/* Each old file keeps a second name until the last one is replaced. */
int replace_commit_all(struct replacement *const *all, int *num)
{
    int kept[REPLACEMENT_MOST], done = 0, error = 0;

    for (; done < *num && error == 0; done += error == 0) {
        struct replacement *r = all[done];
        kept[done] = *num > 1 ? make_beside(r, r->old, link_old, 0) : 0;
        error = replace_commit(r);
    }
    *num = done;
    while (error != 0 && done-- > 0) {
        struct replacement *r = all[done];
        if (kept[done] == ENOENT) {
            unlinkat(r->folder, r->last, 0);
        } else if (kept[done] == 0) {
            renameat(r->folder, r->old, r->folder, r->last);
            r->old[0] = '\0'; /* the only one, if this fails */
        }
    }
    return error;
}

void replace_finish(struct replacement *r)
{
    close_both(r);
    if (r->beside[0]) {
        unlinkat(r->folder, r->beside, 0);
    }
    if (r->old[0]) {
        unlinkat(r->folder, r->old, 0);
    }
    if (r->folder >= 0) {
        close(r->folder);
    }
    *r = (struct replacement){ .folder = -1, .file = -1, .held = -1 };
}
