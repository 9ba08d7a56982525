/* Kept programs without a device: a folder of entries, also where processes die and other
 * users write; and the keys of entries. Where a context's operations on files fail:
 * fault/test_fault.c. */
#define _GNU_SOURCE /* mkdtemp, setgroups */
#include "../../tools/clfold/random.h"
#include "file_spy.h"
#include "test.h"
#include "write_file.h"

#include "base/entry.h"
#include "base/file.h"
#include "base/folder.h"
#include "base/host.h"
#include "base/memory.h"
#include "device/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ENTRY(digit) "000000000000000" digit CLFOLD_FOLDER_END
#define NAME         "0123456789abcdef" CLFOLD_FOLDER_END

static char root[] = "clfold-kept-XXXXXX";
static char path[64];
static struct folder folder;

/* ---- Entries ----------------------------------------------------------------------- */

/* An entry of this key and program. */
static char *new_entry(const char *key, const char *program, size_t *length)
{
    size_t size = strlen(program);
    unsigned char *at;
    char *bytes = clfold_entry_create(key, strlen(key), size, &at, length);

    assert_non_null(bytes);
    memcpy(at, program, size);
    clfold_entry_seal(bytes, *length);
    return bytes;
}

/* Each bit of each byte that is flipped shows, and so does every length. */
static void test_entry(void **state)
{
    struct entry entry;
    size_t length;
    char *bytes = new_entry("a key\n", "and a program", &length);

    assert_null(clfold_entry_read(&entry, bytes, length));
    assert_int_equal(entry.key_length, 6);
    assert_memory_equal(entry.key, "a key\n", 6);
    assert_int_equal(entry.program_length, 13);
    assert_memory_equal(entry.program, "and a program", 13);
    for (size_t i = 0; i < 8 * length; ++i) {
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
        assert_non_null(clfold_entry_read(&entry, bytes, length));
        bytes[i / 8] = (char)(bytes[i / 8] ^ 1 << i % 8);
    }
    for (size_t i = 0; i < length; ++i) {
        assert_non_null(clfold_entry_read(&entry, bytes, i));
    }
    assert_null(clfold_entry_read(&entry, bytes, length));
    clfold_free(bytes);
}

/* ---- Keys -------------------------------------------------------------------------- */

/* A fact that differs in nothing else makes another key, and so does a text. */
static void test_key(void **state)
{
    const char *const values[] = { "p", "", "1\n", "1", "\n", "p\ndevice, 0: " };
    enum { VALUES = sizeof(values) / sizeof(values[0]), KEYS = 6 * 6 * 6 };
    char names[KEYS][CLFOLD_ENTRY_NAME];

    assert_int_equal(VALUES * VALUES * VALUES, KEYS);
    for (int k = 0; k < KEYS; ++k) {
        struct text text = { 0 };
        clfold_archive_print_fact(&text, "platform", values[k % VALUES]);
        clfold_archive_print_fact(&text, "device", values[k / VALUES % VALUES]);
        clfold_archive_print_fact(&text, "driver", values[k / VALUES / VALUES]);
        clfold_entry_name(names[k], text.bytes, text.length);
        clfold_text_finish(&text);
        for (int j = 0; j < k; ++j) {
            assert_string_not_equal(names[j], names[k]);
        }
    }
}

static void assert_text(struct text *text, const char *expected)
{
    assert_false(text->failed);
    assert_string_equal(text->bytes ? text->bytes : "", expected);
    clfold_text_finish(text);
}

static void test_environment(void **state)
{
    const char *const prefixes[] = { "KEPT_", "OTHER_KEPT", NULL };
    struct text text = { 0 };

    clfold_host_print_environment(&text, prefixes);
    assert_text(&text, "");
    assert_int_equal(setenv("KEPT_B", "2", 1), 0);
    assert_int_equal(setenv("OTHER_KEPT", "", 1), 0);
    assert_int_equal(setenv("NOT_KEPT_C", "3", 1), 0);
    assert_int_equal(setenv("KEPT_A", "1=1", 1), 0);
    clfold_host_print_environment(&text, prefixes);
    assert_text(&text, "KEPT_A=1=1\nKEPT_B=2\nOTHER_KEPT=\n");
    assert_true(clfold_host_is_off("KEPT_B"));
    assert_true(clfold_host_is_off("OTHER_KEPT"));
    assert_false(clfold_host_is_off("KEPT_A"));
    assert_false(clfold_host_is_off("KEPT_C"));
    unsetenv("KEPT_A");
    unsetenv("KEPT_B");
    unsetenv("OTHER_KEPT");
    unsetenv("NOT_KEPT_C");
}

/* Of a key what changes at each start is left out, and so are all CPUs but the first. A
 * model is as the system of an x86, of an ARM and of none of these names it. */
static void test_cpu(void **state)
{
    static const struct {
        const char *cpus, *facts, *model; /* NULL: any */
    } cases[] = {
        { "processor\t: 0\nvendor_id\t: A\nmodel\t\t: 17\ncpu MHz\t\t: 2596.153\n"
          "flags\t\t: fpu avx512f\nbogomips\t: 5192.30\n\nprocessor\t: 1\n"
          "vendor_id\t: B\n",
          "vendor_id\t: A\nmodel\t\t: 17\nflags\t\t: fpu avx512f\n", NULL },
        { "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n"
          "model name\t: AMD EPYC\n\nprocessor\t: 1\nvendor_id\t: B\n",
          NULL, "CPU AuthenticAMD 25 97" },
        { "processor\t: 0\nFeatures\t: fp\nCPU implementer\t: 0x41\n"
          "CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n",
          NULL, "CPU 0x41 8 0xd0c" },
        { "processor\t: 0\nmodel name\t: x", NULL, "" },
        { "", "", "" },
    };
    struct text text = { 0 };
    char file[96];

    snprintf(file, sizeof(file), "%s/cpus", root);
    clfold_host_print_cpu(&text, file);
    assert_text(&text, "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        write_file(file, cases[i].cpus, strlen(cases[i].cpus));
        if (cases[i].facts) {
            clfold_host_print_cpu(&text, file);
            assert_text(&text, cases[i].facts);
        }
        if (cases[i].model) {
            clfold_host_print_model(&text, file);
            assert_text(&text, cases[i].model);
        }
    }
    unlink(file);
#if defined(__linux__)
    clfold_host_print_cpu(&text, CLFOLD_HOST_CPUS);
    assert_true(text.length > 0);
    clfold_text_finish(&text);
#endif
}

/* ---- The folder -------------------------------------------------------------------- */

static int put(const char *name, const char *content)
{
    return clfold_folder_write(&folder, name, content, strlen(content));
}

static void assert_holds(const char *name, const char *content)
{
    char *bytes;
    size_t length;

    assert_int_equal(clfold_folder_read(&folder, name, 1 << 20, &bytes, &length), 0);
    assert_int_equal(length, strlen(content));
    assert_string_equal(bytes, content);
    clfold_free(bytes);
}

static size_t files(void)
{
    struct folder_file *list;
    size_t num;

    assert_int_equal(clfold_folder_list(&folder, &list, &num), 0);
    clfold_free(list);
    return num;
}

static void test_files(void **state)
{
    char *bytes;
    size_t length;
    struct stat status;

    assert_int_equal(clfold_folder_read(&folder, NAME, 9, &bytes, &length), ENOENT);
    assert_int_equal(put(NAME, "one"), 0);
    assert_holds(NAME, "one");
    assert_int_equal(fstatat(folder.file, NAME, &status, 0), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(put(NAME, ""), 0);
    assert_holds(NAME, "");
    assert_int_equal(put(NAME, "three"), 0);
    assert_int_equal(clfold_folder_read(&folder, NAME, 4, &bytes, &length), EFBIG);
    assert_int_equal(files(), 1);
    assert_int_equal(clfold_folder_remove(&folder, NAME), 0);
    assert_int_equal(clfold_folder_remove(&folder, NAME), 0);
    assert_int_equal(files(), 0);
    /* A link is not followed, a pipe does not block. */
    assert_int_equal(symlinkat("/etc/passwd", folder.file, NAME), 0);
    assert_int_equal(clfold_folder_read(&folder, NAME, 9, &bytes, &length), ELOOP);
    assert_int_equal(put(NAME, "one"), 0);
    assert_holds(NAME, "one");
    assert_int_equal(clfold_folder_remove(&folder, NAME), 0);
    assert_int_equal(mkfifoat(folder.file, NAME, 0600), 0);
    assert_int_equal(clfold_folder_read(&folder, NAME, 9, &bytes, &length),
                     CLFOLD_FILE_KIND);
    assert_int_equal(clfold_folder_remove(&folder, NAME), 0);
}

static void set_used(const char *name, time_t seconds)
{
    const struct timespec times[2] = { { seconds, 0 }, { seconds, 0 } };

    assert_int_equal(utimensat(folder.file, name, times, 0), 0);
}

/* The least recently used go first; a file that is read is used. Others stay. */
static void test_shrink(void **state)
{
    static const char *const names[] = { ENTRY("a"), ENTRY("b"), ENTRY("c"), ENTRY("d") };
    static const char *const others[] = { "notes.clfold", "clfold.1.0.part", NAME "2",
                                          "0123456789abcdeF" CLFOLD_FOLDER_END };
    enum { OTHERS = sizeof(others) / sizeof(others[0]) };
    const time_t now = time(NULL);
    struct folder_file *list;
    char *bytes;
    size_t num;

    for (int i = 0; i < 4; ++i) {
        assert_int_equal(put(names[i], "1234567890"), 0);
        set_used(names[i], now - 1000 + i);
    }
    for (int i = 0; i < OTHERS; ++i) {
        assert_int_equal(put(others[i], "1234567890"), 0);
        set_used(others[i], now - 9999);
    }
    assert_int_equal(put(ENTRY("a") ".1.0.part", "being written"), 0);
    assert_int_equal(put(ENTRY("b") ".2.0.part", "left"), 0);
    set_used(ENTRY("b") ".2.0.part", now - 3600);
    assert_int_equal(clfold_folder_shrink(&folder, 40, &num), 0);
    assert_int_equal(num, 1); /* what was left */
    assert_int_equal(clfold_folder_look(&folder, ENTRY("b"), 99, &bytes, &num), 0);
    clfold_free(bytes);
    assert_holds(ENTRY("a"), "1234567890");
    assert_int_equal(clfold_folder_shrink(&folder, 29, &num), 0);
    assert_int_equal(num, 2);
    assert_int_equal(clfold_folder_list(&folder, &list, &num), 0);
    assert_int_equal(num, 2);
    assert_string_equal(list[0].name, ENTRY("a"));
    assert_string_equal(list[1].name, ENTRY("d"));
    assert_int_equal(list[0].size, 10);
    clfold_free(list);
    assert_int_equal(clfold_folder_shrink(&folder, 0, &num), 0);
    assert_int_equal(num, 3);
    assert_int_equal(files(), 0);
    for (int i = 0; i < OTHERS; ++i) {
        assert_holds(others[i], "1234567890");
        assert_int_equal(clfold_folder_remove(&folder, others[i]), 0);
    }
}

/* Whichever operation fails, an old file is whole until the new one takes its place, and
 * no part of one is left. */
static void test_failures(void **state)
{
    const char *failed, *last = "";
    uint64_t number = 0;

    do {
        size_t num;
        assert_int_equal(put(NAME, "old"), 0);
        file_spy_arm(++number, ENOSPC);
        const int unwritten = put(NAME, "new");
        const int unshrunk = unwritten ? 0 : clfold_folder_shrink(&folder, 2, NULL);
        failed = file_spy_disarm();
        if (failed) {
            last = failed;
            /* A file that cannot be looked at counts as removed by another process. */
            if (unwritten + unshrunk != ENOSPC && strcmp(failed, "fstatat") != 0) {
                fail_msg("%s failed, and nobody said so", failed);
            }
            assert_holds(NAME, unwritten ? "old" : "new");
        }
        assert_int_equal(clfold_folder_shrink(&folder, 0, &num), 0);
        assert_int_equal(num, failed ? 1 : 0);
    } while (failed);
    assert_string_equal(last, "unlinkat");
    assert_true(number > 10);
}

/* Folders above are made, for the user alone. */
static void test_open(void **state)
{
    struct folder other;
    struct stat status;
    char deep[128], file[128];

    snprintf(deep, sizeof(deep), "%s/x/y//z/", root);
    assert_int_equal(clfold_folder_open(&other, deep, 0), ENOENT);
    assert_int_equal(clfold_folder_open(&other, deep, 1), 0);
    clfold_folder_close(&other);
    clfold_folder_close(&other);
    assert_int_equal(stat(deep, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    assert_int_equal(chmod(deep, 0720), 0);
    assert_int_equal(clfold_folder_open(&other, deep, 1), CLFOLD_FILE_SHARED);
    assert_int_equal(chmod(deep, 0702), 0);
    assert_int_equal(clfold_folder_open(&other, deep, 1), CLFOLD_FILE_SHARED);
    assert_int_equal(chmod(deep, 0755), 0);
    assert_int_equal(clfold_folder_open(&other, deep, 1), 0);
    clfold_folder_close(&other);
    snprintf(file, sizeof(file), "%s/file", root);
    close(open(file, O_WRONLY | O_CREAT, 0600));
    assert_int_equal(clfold_folder_open(&other, file, 1), ENOTDIR);
    unlink(file);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(rmdir(deep), 0);
        deep[strlen(deep) - (i == 1 ? 3 : 2)] = '\0';
    }
}

#define NOBODY 65534

/* In a process of another user's. */
static int as_nobody(void (*work)(void))
{
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
            _exit(99);
        }
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Exits with the number of what is not as it should be. */
static void be_nobody(void)
{
    struct folder other;
    char *bytes;
    size_t length;

    if (clfold_folder_open(&other, path, 1) != EACCES || chmod(path, 0777) == 0) {
        _exit(1);
    }
    /* One that was opened by root: files are root's own. */
    if (clfold_folder_read(&folder, NAME, 99, &bytes, &length) != EACCES) {
        _exit(2);
    }
    if (clfold_folder_open(&other, "/", 1) != CLFOLD_FILE_FOREIGN) {
        _exit(3);
    }
}

/* Of two users, neither takes the other's folder, nor a file of the other's in it. */
static void test_users(void **state)
{
    struct folder other;
    char *bytes;
    size_t length;

    if (geteuid() != 0) {
        print_message("needs root, to be two users\n");
        skip();
    }
    assert_int_equal(put(NAME, "root's"), 0);
    assert_int_equal(as_nobody(be_nobody), 0);
    assert_int_equal(fchownat(folder.file, NAME, NOBODY, NOBODY, 0), 0);
    assert_int_equal(clfold_folder_read(&folder, NAME, 99, &bytes, &length),
                     CLFOLD_FILE_FOREIGN);
    assert_int_equal(clfold_folder_remove(&folder, NAME), 0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    assert_int_equal(clfold_folder_open(&other, path, 1), CLFOLD_FILE_FOREIGN);
    assert_int_equal(chown(path, 0, 0), 0);
}

/* ---- Processes that die ------------------------------------------------------------ */

enum { WRITERS = 8, KEYS = 8, ROUNDS = 30 };

/* Writes and reads entries until it is killed; every entry that it reads is whole. Exits
 * with a number if one is not. */
static void write_on(uint64_t seed)
{
    uint64_t state = seed;
    static char program[50000];

    alarm(60); /* where the test has failed and nobody ends it */
    for (;;) {
        uint64_t at = next_random(&state);
        char key[16], name[CLFOLD_FOLDER_NAME], *bytes;
        size_t length;
        struct entry entry;

        snprintf(key, sizeof(key), "key %d", (int)(at % KEYS));
        clfold_entry_name(name, key, strlen(key));
        strcat(name, CLFOLD_FOLDER_END);
        if (at >> 8 & 1) {
            memset(program, 'a' + (int)(at >> 9 & 15), sizeof(program) - 1);
            program[at >> 16 & 32767] = '\0';
            bytes = new_entry(key, program, &length);
            clfold_folder_write(&folder, name, bytes, length);
            clfold_free(bytes);
        } else if (at >> 9 & 31) {
            int error =
                clfold_folder_read(&folder, name, sizeof(program) * 2, &bytes, &length);
            if (error == 0 && clfold_entry_read(&entry, bytes, length)) {
                _exit(1);
            }
            if (error != 0 && error != ENOENT) {
                _exit(2);
            }
            clfold_free(bytes);
        } else if (clfold_folder_shrink(&folder, 100000, NULL)) {
            _exit(3);
        }
    }
}

static void test_killed(void **state)
{
    uint64_t draws = 1;
    pid_t children[WRITERS];
    struct folder_file *list;
    size_t num;
    int status;

    for (int round = 0; round < ROUNDS; ++round) {
        for (int c = 0; c < WRITERS; ++c) {
            if ((children[c] = fork()) == 0) {
                write_on((uint64_t)(round * WRITERS + c));
            }
            assert_true(children[c] > 0);
        }
        usleep(10000 + (useconds_t)(next_random(&draws) % 10000));
        for (int c = 0; c < WRITERS; ++c) {
            kill(children[c], SIGKILL);
            assert_int_equal(waitpid(children[c], &status, 0), children[c]);
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        }
    }
    assert_int_equal(clfold_folder_list(&folder, &list, &num), 0);
    assert_true(num > 0);
    for (size_t i = 0; i < num; ++i) {
        struct entry entry;
        char *bytes;
        size_t length;
        assert_int_equal(
            clfold_folder_read(&folder, list[i].name, 1 << 20, &bytes, &length), 0);
        assert_null(clfold_entry_read(&entry, bytes, length));
        clfold_free(bytes);
    }
    clfold_free(list);
    assert_int_equal(clfold_folder_shrink(&folder, 0, NULL), 0);
}

/* ------------------------------------------------------------------------------------ */

static int begin(void **state)
{
    if (!mkdtemp(root)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/folder", root);
    return clfold_folder_open(&folder, path, 1);
}

static int end(void **state)
{
    clfold_folder_close(&folder);
    return rmdir(path) || rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry),       cmocka_unit_test(test_key),
        cmocka_unit_test(test_environment), cmocka_unit_test(test_cpu),
        cmocka_unit_test(test_open),        cmocka_unit_test(test_files),
        cmocka_unit_test(test_shrink),      cmocka_unit_test(test_users),
        cmocka_unit_test(test_failures),    cmocka_unit_test(test_killed),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
