#include "machine.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 512, LINE = 256, VALUE = 64 };

/* Keys of /proc/cpuinfo, on x86 and on ARM, and the word before each value. */
static const struct {
    const char *key, *word;
} facts[] = {
    { "vendor_id", ", " },
    { "cpu family", " family " },
    { "model", " model " },
    { "stepping", " stepping " },
    { "model name", ", " },
    { "CPU implementer", ", implementer " },
    { "CPU variant", " variant " },
    { "CPU part", " part " },
    { "CPU revision", " revision " },
};
enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

static FILE *open_file(const char *root, const char *name)
{
    char path[PATH];

    snprintf(path, sizeof(path), "%s%s", root, name);
    return fopen(path, "r");
}

/* What comes first needs no word before it but its own. */
static void add(struct text *text, const char *word, const char *value)
{
    if (*value) {
        word += text->length == 0 ? strspn(word, ",; ") : 0;
        clfold_text_print(text, "%s%s", word, value);
    }
}

/* "key<tab>: value" */
static void read_fact(char values[FACTS][VALUE], char *line)
{
    char *const colon = strchr(line, ':');

    if (!colon) {
        return;
    }
    const char *const value = colon + 1 + strspn(colon + 1, " ");
    *colon = '\0';
    line[strcspn(line, "\t")] = '\0';
    for (int i = 0; i < FACTS; i++) {
        if (!*values[i] && strcmp(line, facts[i].key) == 0) {
            snprintf(values[i], VALUE, "%.*s", (int)strcspn(value, "\n"), value);
        }
    }
}

/* Of several processors the first one's. */
static void add_processors(struct text *text, const char *root)
{
    FILE *const file = open_file(root, "/proc/cpuinfo");
    char values[FACTS][VALUE] = { "" }, line[LINE], num_text[VALUE];
    size_t num = 0;

    while (file && fgets(line, sizeof(line), file)) {
        num += strncmp(line, "processor\t", 10) == 0;
        read_fact(values, line);
    }
    if (file) {
        fclose(file);
    }
    for (int i = 0; i < FACTS; i++) {
        add(text, facts[i].word, values[i]);
    }
    if (num > 0) {
        snprintf(num_text, sizeof(num_text), "%zu CPU%s", num, num == 1 ? "" : "s");
        add(text, ", ", num_text);
    }
}

/* The first line of a file, or "". */
static void read_line(char line[LINE], const char *root, const char *name)
{
    FILE *const file = open_file(root, name);

    if (!file || !fgets(line, LINE, file)) {
        line[0] = '\0';
    }
    line[strcspn(line, "\n")] = '\0';
    if (file) {
        fclose(file);
    }
}

static bool add_cache(struct text *text, const char *root, int index)
{
    static const char *const names[] = { "level", "type", "size" };
    char parts[3][LINE], name[PATH], cache[3 * LINE];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu0/cache/index%d/%s",
                 index, names[i]);
        read_line(parts[i], root, name);
    }
    const char *const kind = strcmp(parts[1], "Data") == 0          ? "d"
                             : strcmp(parts[1], "Instruction") == 0 ? "i"
                                                                    : "";
    snprintf(cache, sizeof(cache), "L%s%s %s", parts[0], kind, parts[2]);
    if (*parts[0] && *parts[2]) {
        add(text, ", ", cache);
    }
    return *parts[0] != '\0';
}

/* "always [madvise] never" */
static void add_huge_pages(struct text *text, const char *root)
{
    char line[LINE];

    read_line(line, root, "/sys/kernel/mm/transparent_hugepage/enabled");
    char *const chosen = strchr(line, '[');
    if (chosen) {
        chosen[strcspn(chosen, "]")] = '\0';
        add(text, ", huge pages ", chosen + 1);
    }
}

void machine_print(struct text *text, const char *root)
{
    struct text memory = { 0 };

    add_processors(text, root);
    for (int index = 0; add_cache(&memory, root, index); index++) {
    }
    add_huge_pages(&memory, root);
    add(text, "; ", memory.bytes ? memory.bytes : "");
    clfold_text_finish(&memory);
}
