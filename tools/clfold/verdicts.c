#include "verdicts.h"

#include "output_file.h"
#include "programs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A line is a key and a verdict, both below 512 bytes. */
enum { LINE_SIZE = 2048 };

static bool find_path(char path[PLACE_SIZE])
{
    return place_find(path, "clfold/verdicts");
}

/* The folders in which `path` is. */
static bool make_folders(char path[PLACE_SIZE])
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        *at = '/';
        if (!made) {
            return false;
        }
    }
    return true;
}

/* The verdict after the key, if the line is the key's; else NULL. */
static char *value_of(char *line, const char *key)
{
    const size_t length = strlen(key);

    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, key, length) == 0 && line[length] == '\t' ? line + length + 1
                                                                   : NULL;
}

size_t verdicts_load(void *user, const char *key, void *verdict, size_t size)
{
    char path[PLACE_SIZE], line[LINE_SIZE];
    size_t found = 0;

    (void)user;
    FILE *const file = find_path(path) ? fopen(path, "r") : NULL;
    while (file && found == 0 && fgets(line, sizeof(line), file)) {
        const char *const value = value_of(line, key);
        if (value && strlen(value) <= size) {
            found = strlen(value);
            memcpy(verdict, value, found);
        }
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* All other lines of the file, and the new one. */
static void write_lines(FILE *to, FILE *from, const char *key, const char *verdict,
                        size_t size)
{
    char line[LINE_SIZE];

    while (from && fgets(line, sizeof(line), from)) {
        /* not of a key longer than the file has room for, and not empty */
        if (strchr(line, '\n') && line[0] != '\n' && !value_of(line, key)) {
            fprintf(to, "%s\n", line);
        }
    }
    fprintf(to, "%s\t%.*s\n", key, (int)size, verdict);
}

void verdicts_save(void *user, const char *key, const void *verdict, size_t size)
{
    struct output_file file;
    struct message message;
    char path[PLACE_SIZE];

    (void)user;
    if (!find_path(path) || !make_folders(path) ||
        !output_file_begin(&file, path, &message)) {
        return;
    }
    FILE *const old = fopen(path, "r");
    write_lines(file.stream, old, key, verdict, size);
    if (old) {
        fclose(old);
    }
    if (output_file_complete(&file, &message)) {
        output_file_commit(&file, &message);
    }
    output_file_finish(&file);
}
