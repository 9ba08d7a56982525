#include "base/host.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

const char *clfold_environment(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] != '\0' ? value : NULL;
}

void clfold_host_print_environment(struct text *text, const char *const *prefixes)
{
    const char *last = "", *next;

    /* Few variables match, so each is looked for in turn. */
    do {
        next = NULL;
        for (char **at = environ; at && *at; ++at) {
            if (clfold_text_begins(*at, prefixes) && strcmp(*at, last) > 0 &&
                (!next || strcmp(*at, next) < 0)) {
                next = *at;
            }
        }
        if (next) {
            clfold_text_print(text, "%s\n", next);
            last = next;
        }
    } while (next);
}

bool clfold_host_is_off(const char *name)
{
    const char *value = getenv(name);

    return value && value[0] != '1';
}

/* Lines of CLFOLD_HOST_CPUS that are the same at each start, on any architecture. */
static bool is_lasting(const char *line)
{
    static const char *const names[] = {
        "vendor_id",       "cpu family",  "model",    "stepping",     "flags",
        "CPU implementer", "CPU variant", "CPU part", "CPU revision", "CPU architecture",
        "Features",        "isa",         "uarch",    "cpu\t",        "revision",
        "Model Name",      NULL,
    };

    return clfold_text_begins(line, names);
}

void clfold_host_print_cpu(struct text *text, const char *name)
{
    enum { MOST = 16 << 10 }; /* the first CPU's lines, of many */
    char *bytes = clfold_alloc(MOST + 1), *line, *end;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = 1;
    size_t length = 0;

    if (!bytes) {
        text->failed = true;
    }
    while (file >= 0 && bytes && length < MOST && got > 0) {
        got = read(file, bytes + length, MOST - length);
        length += got > 0 ? (size_t)got : 0;
    }
    for (line = bytes; line && *line != '\0' && *line != '\n'; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if (is_lasting(line)) {
            clfold_text_append(text, line, (size_t)(end - line));
        }
    }
    if (file >= 0) {
        close(file);
    }
    clfold_free(bytes);
}

void clfold_host_print_model(struct text *text, const char *name)
{
    /* of x86 and ARM */
    static const char *const names[] = { "vendor_id",  "CPU implementer",
                                         "cpu family", "CPU architecture",
                                         "model",      "CPU part" };
    const char *before = "CPU ";
    struct text lines = { 0 };

    clfold_host_print_cpu(&lines, name);
    for (size_t i = 0; i < CLFOLD_LENGTH(names); ++i) {
        for (const char *line = lines.bytes; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            const char *at = line;
            if (clfold_text_take(&at, names[i]) && *(at += strspn(at, " \t")) == ':') {
                at += 1 + strspn(at + 1, " \t");
                clfold_text_print(text, "%s%.*s", before, (int)strcspn(at, "\n"), at);
                before = " ";
            }
        }
    }
    text->failed |= lines.failed;
    clfold_text_finish(&lines);
}
