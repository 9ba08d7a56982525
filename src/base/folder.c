#include "base/folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- The folder -------------------------------------------------------------------- */

static int open_folder(const char *path)
{
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Creates the folder and its parents, for the user alone, as the XDG specification asks.
 */
static int make_folders(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);

    if (length >= sizeof(part)) {
        return ENAMETOOLONG;
    }
    for (size_t i = 1; i <= length; ++i) {
        i += strcspn(path + i, "/");
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, S_IRWXU) != 0 && errno != EEXIST) {
            return errno;
        }
    }
    return 0;
}

static int check_owner(int file)
{
    struct stat status;

    if (fstat(file, &status) != 0) {
        return errno;
    }
    return status.st_uid != geteuid()             ? CLFOLD_FILE_FOREIGN
           : status.st_mode & (S_IWGRP | S_IWOTH) ? CLFOLD_FILE_SHARED
                                                  : 0;
}

int clfold_folder_open(struct folder *folder, const char *path, int make)
{
    int error;

    folder->file = open_folder(path);
    if (folder->file < 0 && errno == ENOENT && make) {
        if ((error = make_folders(path))) {
            return error;
        }
        folder->file = open_folder(path);
    }
    if (folder->file < 0) {
        return errno;
    }
    error = check_owner(folder->file);
    if (error) {
        clfold_folder_close(folder);
    }
    return error;
}

void clfold_folder_close(struct folder *folder)
{
    if (folder->file >= 0) {
        close(folder->file);
        folder->file = -1;
    }
}

/* ---- Files ------------------------------------------------------------------------- */

int clfold_folder_look(const struct folder *folder, const char *name, size_t limit,
                       char **bytes, size_t *length)
{
    /* Opening a pipe without a writer would block. */
    int file = openat(folder->file, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error;

    *bytes = NULL;
    *length = 0;
    if (file < 0) {
        return errno;
    }
    error = check_owner(file);
    error = error ? error : clfold_file_read_open(file, limit, bytes, length);
    close(file);
    return error;
}

int clfold_folder_read(const struct folder *folder, const char *name, size_t limit,
                       char **bytes, size_t *length)
{
    const int error = clfold_folder_look(folder, name, limit, bytes, length);

    if (error == 0) {
        /* If the use cannot be noted, on a read-only file system, nothing can be removed
         * either. */
        (void)utimensat(folder->file, name, NULL, AT_SYMLINK_NOFOLLOW);
    }
    return error;
}

/* Another thread, or a file left by an earlier process, may have the name. */
#define MOST_NAMES 100
#define PART_END   ".part"

static int open_part(const struct folder *folder, const char *name,
                     char part[CLFOLD_FOLDER_NAME], int *file)
{
    int error = EEXIST;

    for (int i = 0; error == EEXIST && i < MOST_NAMES; ++i) {
        snprintf(part, CLFOLD_FOLDER_NAME, "%s.%ld.%d" PART_END, name, (long)getpid(), i);
        *file = openat(folder->file, part,
                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       S_IRUSR | S_IWUSR);
        error = *file >= 0 ? 0 : errno;
    }
    return error;
}

int clfold_folder_write(const struct folder *folder, const char *name, const char *bytes,
                        size_t length)
{
    char part[CLFOLD_FOLDER_NAME];
    int file, error = open_part(folder, name, part, &file);

    if (error) {
        return error;
    }
    error = clfold_file_write(file, bytes, length);
    if (close(file) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && renameat(folder->file, part, folder->file, name) != 0) {
        error = errno;
    }
    if (error) {
        unlinkat(folder->file, part, 0);
    }
    return error;
}

int clfold_folder_remove(const struct folder *folder, const char *name)
{
    return unlinkat(folder->file, name, 0) == 0 || errno == ENOENT ? 0 : errno;
}

/* ---- The list ---------------------------------------------------------------------- */

enum kind { OF_OTHERS, WHOLE, PART };

static enum kind kind_of(const char *name)
{
    const char *end = name + strspn(name, "0123456789abcdef");
    size_t length = strlen(CLFOLD_FOLDER_END);

    if (end - name != CLFOLD_FOLDER_DIGITS || strlen(name) >= CLFOLD_FOLDER_NAME ||
        strncmp(end, CLFOLD_FOLDER_END, length) != 0) {
        return OF_OTHERS;
    }
    const char *last = strrchr(end, '.');
    return end[length] == '\0'                                 ? WHOLE
           : end[length] == '.' && strcmp(last, PART_END) == 0 ? PART
                                                               : OF_OTHERS;
}

/* Lists, as struct folder_file, the files and, if `parts` is set, those that are being
 * written. */
static int read_list(const struct folder *folder, DIR *dir, bool parts, struct text *list)
{
    struct dirent *entry;
    struct stat status;
    int error = 0;

    while (error == 0 && (errno = 0, entry = readdir(dir))) {
        const char *name = entry->d_name;
        enum kind kind = kind_of(name);
        if (kind == OF_OTHERS || (kind == PART && !parts)) {
            continue;
        }
        /* Another process may have removed it. */
        if (fstatat(folder->file, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode)) {
            struct folder_file file = { .size = (uint64_t)status.st_size,
                                        .used = (int64_t)status.st_mtim.tv_sec,
                                        .fine = (int64_t)status.st_mtim.tv_nsec };
            strcpy(file.name, name); /* as kind_of has checked */
            clfold_text_append(list, (const char *)&file, sizeof(file));
            error = list->failed ? ENOMEM : 0;
        }
    }
    return error ? error : errno;
}

static int by_use(const void *a, const void *b)
{
    const struct folder_file *x = a, *y = b;

    if (x->used != y->used) {
        return x->used < y->used ? 1 : -1;
    }
    return x->fine != y->fine ? (x->fine < y->fine ? 1 : -1) : strcmp(x->name, y->name);
}

/* To be freed, as clfold_folder_list's. */
static int get_list(const struct folder *folder, bool parts, struct folder_file **files,
                    size_t *num)
{
    /* Opened again, since threads share the position of the first one. */
    int file = openat(folder->file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
    DIR *dir = file >= 0 ? fdopendir(file) : NULL;
    struct text list = { 0 };

    *files = NULL;
    *num = 0;
    if (!dir) {
        error = errno;
        if (file >= 0) {
            close(file);
        }
        return error;
    }
    error = read_list(folder, dir, parts, &list);
    closedir(dir);
    if (error) {
        clfold_text_finish(&list);
    } else if (list.length > 0) {
        *files = (struct folder_file *)(void *)list.bytes;
        *num = list.length / sizeof(**files);
        qsort(*files, *num, sizeof(**files), by_use);
    }
    return error;
}

int clfold_folder_list(const struct folder *folder, struct folder_file **files,
                       size_t *num)
{
    return get_list(folder, false, files, num);
}

/* Seconds. A part that is older was left by a process that died. */
#define LONGEST_WRITE 600

int clfold_folder_shrink(const struct folder *folder, uint64_t limit, size_t *removed)
{
    int64_t now = (int64_t)time(NULL);
    uint64_t sum = 0;
    size_t num = 0, num_files;
    struct folder_file *files;
    int error = get_list(folder, true, &files, &num_files), failed;

    for (size_t i = 0; i < num_files; ++i) {
        const struct folder_file *file = &files[i];
        bool is_part = kind_of(file->name) == PART;
        bool is_left = is_part && (limit == 0 || now - file->used > LONGEST_WRITE);

        sum += is_part ? 0 : file->size;
        if (!is_left && (is_part || sum <= limit)) {
            continue;
        }
        failed = clfold_folder_remove(folder, file->name);
        error = error ? error : failed;
        num += failed == 0;
    }
    clfold_free(files);
    if (removed) {
        *removed = num;
    }
    return error;
}
