/* What is told of machines whose files are made up. */
#include "machine.h"

#include "write_file.h"

#include <sys/stat.h>
#include <unistd.h>

#define CACHE "/sys/devices/system/cpu/cpu0/cache/index"
#define PAGES "/sys/kernel/mm/transparent_hugepage/enabled"

enum { PATH = 256 };

struct file {
    const char *name, *bytes;
};

static char root[32];

static void check(const char *expected, const struct file *files)
{
    char path[PATH];
    struct text text = { 0 };

    assert_non_null(mkdtemp(strcpy(root, "clfold-machine-XXXXXX")));
    for (; files->name; files++) {
        snprintf(path, sizeof(path), "%s%s", root, files->name);
        for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(path, 0700); /* which may be there */
            *slash = '/';
        }
        write_file(path, files->bytes, strlen(files->bytes));
    }
    machine_print(&text, root);
    assert_string_equal(text.bytes ? text.bytes : "", expected);
    clfold_text_finish(&text);
    snprintf(path, sizeof(path), "rm -r %s", root);
    assert_int_equal(system(path), 0);
}
#define CHECK(expected, ...) check(expected, (struct file[]){ __VA_ARGS__{ NULL, NULL } })

static void whole(void **state)
{
    char flags[2000];

    (void)state;
    memset(flags, 'f', sizeof(flags));
    memcpy(flags + sizeof(flags) - 11, "\nmodel\t: 9\n", 11);
    flags[sizeof(flags) - 1] = '\0';
    CHECK("AuthenticAMD family 26 model 2 stepping 1, AMD EPYC 9: 2, 2 CPUs; L1d 48K, "
          "L2 1024K, L3 32M, huge pages madvise",
          { "/proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\n"
                             "cpu family\t: 26\nmodel\t\t: 2\n"
                             "model name\t: AMD EPYC 9: 2\nstepping\t: 1\n"
                             "flags\t\t: fpu model\npower management:\n\n"
                             "processor\t: 1\nvendor_id\t: other\nmodel\t\t: 7\n" },
          { CACHE "0/level", "1\n" }, { CACHE "0/type", "Data\n" },
          { CACHE "0/size", "48K\n" }, { CACHE "1/level", "1\n" },
          { CACHE "1/type", "Instruction\n" }, { CACHE "2/level", "2\n" },
          { CACHE "2/type", "Unified\n" }, { CACHE "2/size", "1024K\n" },
          { CACHE "3/level", "3\n" }, { CACHE "3/size", "32M\n" },
          { CACHE "5/level", "5\n" }, { CACHE "5/size", "5M\n" },
          { PAGES, "always [madvise] never\n" }, );
    /* lines may be long */
    CHECK("model 9", { "/proc/cpuinfo", flags }, );
}

static void parts(void **state)
{
    (void)state;
    CHECK("", );
    CHECK("", { "/proc/cpuinfo", "" }, { PAGES, "" }, );
    CHECK("huge pages always", { PAGES, "[always] madvise never\n" }, );
    CHECK("L1i 32K", { CACHE "0/level", "1\n" }, { CACHE "0/type", "Instruction\n" },
          { CACHE "0/size", "32K\n" }, );
    CHECK("implementer 0x41 variant 0x3 part 0xd0c revision 1, 1 CPU",
          { "/proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n"
                             "CPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
                             "CPU revision\t: 1\n" }, );
    CHECK("Hygon, 1 CPU", { "/proc/cpuinfo", "model name\t: Hygon\nprocessor\t: 0" }, );
}

TEST_MAIN("machine", NULL, NULL, cmocka_unit_test(whole), cmocka_unit_test(parts))
