/* Files that are read and replaced whole, also where that fails. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "clfold-file-XXXXXX";
static char name[64];

static void write_old(const char *text)
{
    assert_int_equal(clfold_file_replace(name, text, strlen(text)), 0);
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
    assert_int_equal(clfold_file_check(name), 0);
    assert_content("");
    assert_int_equal(files(), 1);
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
    assert_int_equal(clfold_file_replace(folder, "x", 1), EISDIR);
    assert_int_equal(mkfifo(other, 0600), 0);
    assert_int_equal(clfold_file_read(other, 8, &bytes, &length), EINVAL);
    assert_int_equal(clfold_file_replace(other, "x", 1), EINVAL);
    assert_int_equal(clfold_file_check(other), EINVAL);
    assert_int_equal(unlink(other), 0);
    snprintf(other, sizeof(other), "%s/none/file", folder);
    assert_int_equal(clfold_file_replace(other, "x", 1), ENOENT);
    assert_int_equal(clfold_file_check(other), ENOENT);
    clfold_file_why(ENOENT, why);
    assert_string_equal(why, "No such file or directory");
}

/* What an earlier process of the same number left does not stand in the way. */
static void test_left(void **state)
{
    char left[96];

    (void)state;
    write_old("old");
    snprintf(left, sizeof(left), "%s.%ld.0.part", name, (long)getpid());
    FILE *file = fopen(left, "w");
    assert_non_null(file);
    fclose(file);
    write_old("new");
    assert_content("new");
    assert_int_equal(unlink(left), 0);
}

/* A limit on files is what a full disk is: some bytes arrive, and then no more. */
static void test_no_space(void **state)
{
    struct rlimit old, limit;
    int error;

    (void)state;
    write_old("old");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = old;
    limit.rlim_cur = 5;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    error = clfold_file_replace(name, "0123456789", 10);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(error, EFBIG);
    assert_content("old");
    assert_int_equal(files(), 1);
}

static void test_no_permission(void **state)
{
    const uid_t user = geteuid();
    int replaced, checked;

    (void)state;
    write_old("old");
    assert_int_equal(chmod(folder, 0555), 0);
    if (user == 0 && seteuid(65534) != 0) {
        chmod(folder, 0755);
        print_message("# root may write everywhere here\n");
        skip();
    }
    replaced = clfold_file_replace(name, "new", 3);
    checked = clfold_file_check(name);
    if (user == 0) {
        assert_int_equal(seteuid(0), 0);
    }
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(replaced, EACCES);
    assert_int_equal(checked, EACCES);
    assert_content("old");
    assert_int_equal(files(), 1);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replace),  cmocka_unit_test(test_limit),
        cmocka_unit_test(test_no_file),  cmocka_unit_test(test_left),
        cmocka_unit_test(test_no_space), cmocka_unit_test(test_no_permission),
    };

    return cmocka_run_group_tests_name("file", tests, make_folder, remove_folder);
}
