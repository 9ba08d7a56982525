/* Files that are read and replaced whole, also where that fails: on a file system that
 * has files without a name, and as if on one that has none. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "replace.h"
#include "test.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char template[] = "clfold-file-XXXXXX";
static char folder[sizeof(template)];
static char name[64];

#ifndef O_TMPFILE
#define O_TMPFILE 0
#endif
static bool rejects_unnamed, has_unnamed; /* what openat does; what the folder has */

/* In place of the C library's. */
int openat(int at, const char *path, int flags, ...)
{
    const bool is_unnamed = O_TMPFILE && (flags & O_TMPFILE) == O_TMPFILE;
    va_list rest;

    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT || is_unnamed ? (mode_t)va_arg(rest, int) : 0;
    va_end(rest);
    if (is_unnamed && rejects_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, at, path, flags, mode);
}

static int replace_file(const char *to, const char *bytes, size_t length)
{
    struct replacement r;
    int error = replace_begin(&r, to);

    if (error == 0 && (error = clfold_file_write(r.file, bytes, length)) == 0) {
        error = replace_commit(&r);
    }
    replace_finish(&r);
    return error;
}

static void write_old(const char *text)
{
    assert_int_equal(replace_file(name, text, strlen(text)), 0);
}

static void assert_content(const char *text)
{
    char *bytes;
    size_t length;

    assert_int_equal(clfold_file_read(name, 1 << 20, &bytes, &length), 0);
    assert_int_equal(length, strlen(text));
    assert_string_equal(bytes, text);
    clfold_free(bytes);
}

/* Files in the folder: nothing half written stays. */
static int files(void)
{
    DIR *dir = opendir(folder);
    int num = 0;

    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        num += entry->d_name[0] != '.';
    }
    closedir(dir);
    return num;
}

static void test_replace(void **state)
{
    struct stat status;

    (void)state;
    write_old("one");
    assert_content("one");
    assert_int_equal(chmod(name, 0640), 0);
    write_old("");
    assert_content("");
    assert_int_equal(stat(name, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(files(), 1);
    if (geteuid() == 0) { /* which alone gives files away */
        assert_int_equal(chown(name, 65534, 65533), 0);
        write_old("two");
        assert_int_equal(stat(name, &status), 0);
        assert_true(status.st_uid == 65534 && status.st_gid == 65533);
        assert_int_equal(unlink(name), 0);
    }
}

static void test_limit(void **state)
{
    char *bytes;
    size_t length;

    (void)state;
    write_old("12345678");
    assert_int_equal(clfold_file_read(name, 8, &bytes, &length), 0);
    assert_int_equal(length, 8);
    clfold_free(bytes);
    assert_int_equal(clfold_file_read(name, 7, &bytes, &length), EFBIG);
    assert_null(bytes);
}

static void test_no_file(void **state)
{
    char *bytes, other[96], why[CLFOLD_FILE_WHY];
    size_t length;

    (void)state;
    snprintf(other, sizeof(other), "%s/none", folder);
    assert_int_equal(clfold_file_read(other, 8, &bytes, &length), ENOENT);
    assert_int_equal(clfold_file_read(folder, 8, &bytes, &length), EISDIR);
    assert_int_equal(replace_file(folder, "x", 1), EISDIR);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(clfold_file_read(other, 8, &bytes, &length), CLFOLD_FILE_KIND);
    assert_int_equal(replace_file(other, "x", 1), CLFOLD_FILE_KIND);
    assert_int_equal(unlink(other), 0);
    snprintf(other, sizeof(other), "%s/none/file", folder);
    assert_int_equal(replace_file(other, "x", 1), ENOENT);
    assert_int_equal(replace_file("", "x", 1), ENOENT);
    snprintf(other, sizeof(other), "%s/", folder);
    assert_int_equal(replace_file(other, "x", 1), EISDIR);
    clfold_file_why(CLFOLD_FILE_KIND, why);
    assert_string_equal(why, "not a regular file");
    clfold_file_why(CLFOLD_FILE_OWNER, why);
    assert_string_equal(why, "replacing it would change its owner or group");
    clfold_file_why(ENOENT, why);
    assert_string_equal(why, "No such file or directory");
}

/* A file left by an earlier process with the same number does no harm. */
static void test_left(void **state)
{
    char left[96];

    (void)state;
    write_old("old");
    snprintf(left, sizeof(left), "%s/clfold.%ld.0.part", folder, (long)getpid());
    FILE *file = fopen(left, "w");
    assert_non_null(file);
    fclose(file);
    write_old("new");
    assert_content("new");
    assert_int_equal(unlink(left), 0);
}

/* A process that is killed while it writes leaves the old file or none, and nothing
 * beside it, as far as there are files without a name. */
static void test_killed(void **state)
{
    int status;

    (void)state;
    for (int old = 0; old < 2; old++) {
        unlink(name);
        if (old) {
            write_old("old");
        }
        const pid_t child = fork();
        if (child == 0) {
            struct replacement r;
            if (replace_begin(&r, name) == 0 && write(r.file, "new", 3) == 3) {
                kill(getpid(), SIGKILL);
            }
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        const int parts = files() - old;
        if (parts > 0) {
            char part[96];
            snprintf(part, sizeof(part), "%s/clfold.%ld.0.part", folder, (long)child);
            assert_int_equal(unlink(part), 0);
        }
        if (old) {
            assert_content("old");
        } else {
            write_old("");
        }
        assert_int_equal(parts, !has_unnamed);
    }
}

/* A file that has come to a free place since is replaced. */
static void test_taken(void **state)
{
    struct replacement r;

    (void)state;
    unlink(name);
    assert_int_equal(replace_begin(&r, name), 0);
    assert_int_equal(write(r.file, "new", 3), 3);
    write_old("old");
    assert_int_equal(replace_commit(&r), 0);
    replace_finish(&r);
    assert_content("new");
    assert_int_equal(files(), 1);
}

/* All of several files are replaced, or none: the last one's place is a folder then. */
static void test_several(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct replacement r[2], *const all[] = { &r[0], &r[1] };
        const bool fails = turn % 2, has_old = turn / 2;
        char other[96];
        int num = 2;
        unlink(name);
        if (has_old) {
            write_old("old");
        }
        snprintf(other, sizeof(other), "%s/other", folder);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(replace_begin(&r[i], i ? other : name), 0);
            assert_int_equal(write(r[i].file, "new", 3), 3);
        }
        assert_int_equal(fails ? mkdir(other, 0700) : 0, 0);
        assert_int_equal(replace_commit_all(all, &num), fails ? EISDIR : 0);
        assert_int_equal(num, fails ? 1 : 2);
        replace_finish(&r[0]);
        replace_finish(&r[1]);
        assert_int_equal(fails ? rmdir(other) : unlink(other), 0);
        assert_int_equal(files(), has_old || !fails);
        if (files() > 0) {
            assert_content(fails ? "old" : "new");
        }
    }
}

/* A folder whose path has hardly room for a name. */
static void test_long_path(void **state)
{
    char part[NAME_MAX + 1], path[PATH_MAX] = "", *bytes;
    size_t length;
    const int home = open(".", O_RDONLY);

    (void)state;
    assert_true(home >= 0);
    memset(part, 'x', NAME_MAX);
    part[NAME_MAX] = '\0';
    assert_int_equal(chdir(folder), 0);
    for (size_t left; (left = PATH_MAX - strlen(path)) > 4;) {
        part[left - 3 < NAME_MAX ? left - 3 : NAME_MAX - 1] = '\0';
        strcat(strcat(path, part), "/");
        assert_int_equal(mkdir(path, 0777), 0);
    }
    memset(path + strlen(path), 'y', PATH_MAX - 1 - strlen(path));
    assert_int_equal(replace_file(path, "deep", 4), 0);
    assert_int_equal(clfold_file_read(path, 8, &bytes, &length), 0);
    assert_memory_equal(bytes, "deep", 5);
    clfold_free(bytes);
    assert_int_equal(unlink(path), 0);
    for (char *slash; (slash = strrchr(path, '/'));) {
        *slash = '\0';
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(fchdir(home), 0);
    close(home);
}

/* As another user, unless it is one already. False where this user cannot become one. */
static bool become(uid_t user)
{
    return geteuid() != 0 || seteuid(user) == 0;
}

/* `error` where the folder, or the file in it, has these permissions. */
static void check_protected(mode_t of_folder, mode_t of_file, int error)
{
    const uid_t user = geteuid();
    int replaced;

    write_old("old");
    assert_int_equal(chmod(name, of_file), 0);
    assert_int_equal(chmod(folder, of_folder), 0);
    if (!become(65534)) {
        chmod(folder, 0755);
        print_message("# root may write everywhere here\n");
        skip();
    }
    replaced = replace_file(name, "new", 3);
    if (user == 0) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(replaced, error);
    assert_content("old");
    assert_int_equal(files(), 1);
    assert_int_equal(unlink(name), 0);
}

/* A file's own permissions count as a folder's do. */
static void test_no_permission(void **state)
{
    (void)state;
    check_protected(0555, 0666, EACCES);
    check_protected(0777, 0444, EACCES);
    if (geteuid() == 0) {
        check_protected(0777, 0666, CLFOLD_FILE_OWNER);
    }
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, template);
    if (!mkdtemp(folder)) {
        return 1;
    }
    const int file = openat(AT_FDCWD, folder, O_TMPFILE | O_RDWR, 0600);
    has_unnamed = file >= 0;
    if (has_unnamed) {
        close(file);
    }
    snprintf(name, sizeof(name), "%s/file", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(name);
    return rmdir(folder);
}

/* With an argument as where files without a name cannot be had. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),       cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_file),       cmocka_unit_test(test_left),
        cmocka_unit_test(test_several),       cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_no_permission), cmocka_unit_test(test_killed),
        cmocka_unit_test(test_taken),
    };

    (void)argv;
    rejects_unnamed = argc > 1;
    return cmocka_run_group_tests_name("replace", tests, make_folder, remove_folder);
}
