#include "base/lines.h"

#include <stdlib.h>
#include <string.h>

/* A name in a program's directives, which is not NUL-terminated, and a line of it. */
struct place {
    const char *name;
    size_t length;
    unsigned long line;
};

/* Whether the text at `at` is a directive; then *place is where the next line is. */
static bool take_directive(const char *at, struct place *place)
{
    char *end;

    if (strncmp(at, "#line ", 6) != 0) {
        return false;
    }
    place->line = strtoul(at + 6, &end, 10);
    if (strncmp(end, " \"", 2) == 0) {
        place->name = end + 2;
        place->length = strcspn(place->name, "\"\n");
    }
    return true;
}

/* What line `number` of the program, from 1 on, is called; no name: nothing does. */
static struct place place_of(const char *program, unsigned long number)
{
    struct place place = { NULL, 0, 0 };
    const char *at = program;

    for (unsigned long i = 1; i < number; ++i) {
        const char *end = strchr(at, '\n');
        if (!end) {
            return (struct place){ NULL, 0, 0 };
        }
        if (!take_directive(at, &place)) {
            ++place.line;
        }
        at = end + 1;
    }
    return place;
}

static bool names_file(const char *program, const char *name, size_t length)
{
    for (const char *at = program; (at = strstr(at, "#line ")) != NULL; ++at) {
        struct place place = { NULL, 0, 0 };
        take_directive(at, &place);
        if (place.length == length && memcmp(place.name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

/* Appends the place at the beginning of a line of the log, if it is one of the whole
 * program; returns its length there. */
static size_t append_place(struct text *text, const char *program, const char *line)
{
    size_t length = strcspn(line, ": \t\n");
    char *end;
    unsigned long number;
    struct place place;

    if (length == 0 || line[length] != ':' ||
        (number = strtoul(line + length + 1, &end, 10)) == 0 || *end != ':' ||
        names_file(program, line, length)) {
        return 0;
    }
    place = place_of(program, number);
    if (!place.name) {
        return 0;
    }
    clfold_text_append(text, place.name, place.length);
    clfold_text_print(text, ":%lu", place.line);
    return (size_t)(end - line);
}

void clfold_lines_append(struct text *text, const char *program, const char *log)
{
    while (*log != '\0') {
        size_t taken = append_place(text, program, log);
        size_t rest = strcspn(log + taken, "\n");
        rest += log[taken + rest] == '\n';
        clfold_text_append(text, log + taken, rest);
        log += taken + rest;
    }
}

const char *clfold_lines_error(const char *log)
{
    const char *error = strstr(log, "error: ");

    while (error && error > log && error[-1] != '\n') {
        --error;
    }
    return error ? error : log;
}
