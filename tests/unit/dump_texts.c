/* dump_texts FOLDER: writes every program text, each for one -cl-std in turn, for lint to
 * compile. The first line of a file says which, and whether the text wants sub-groups:
 * "// -cl-std=CL2.0 sub-groups". */
#include "every_text.h"
#include "plan/policy.h"

#include <stdio.h>
#include <string.h>

static const char *const standards[] = { "CL1.2", "CL2.0", "CL3.0" };

struct dump {
    const char *folder;
    int written, failed;
};

static void write_text(void *user, const char *name, const char *text)
{
    struct dump *dump = user;

    const size_t num = sizeof(standards) / sizeof(standards[0]);
    const char *standard = standards[(size_t)dump->written % num];
    char path[4096];

    char line[64];

    snprintf(line, sizeof(line), "#define CLFOLD_GROUP_SCAN %d\n", GROUP_SCAN_SUB_GROUP);
    bool sub_groups = strstr(text, line) != NULL;
    /* Sub-groups and atomics with a scope came with 2.0. */
    if ((sub_groups || strstr(text, "#define CLFOLD_MEMORY 1\n")) &&
        standard == standards[0]) {
        standard = standards[1];
    }

    snprintf(path, sizeof(path), "%s/%s_%s.cl", dump->folder, name, standard);
    FILE *file = fopen(path, "w");
    if (!file || fprintf(file, "// -cl-std=%s%s\n%s", standard,
                         sub_groups ? " sub-groups" : "", text) < 0) {
        dump->failed = 1;
    }
    if (file && fclose(file) != 0) {
        dump->failed = 1;
    }
    ++dump->written;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: dump_texts FOLDER\n");
        return 2;
    }
    struct dump dump = { .folder = argv[1] };
    every_text(write_text, &dump);
    if (dump.failed) {
        fprintf(stderr, "dump_texts: cannot write to %s\n", argv[1]);
        return 1;
    }
    printf("%d texts\n", dump.written);
    return 0;
}
