#include "tune_file.h"

#include "base/file.h"
#include "base/memory.h"
#include "ops/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tune_file_find(const struct options *options, char path[PLACE_SIZE],
                    struct message *message)
{
    if (options->file) {
        return (size_t)snprintf(path, PLACE_SIZE, "%s", options->file) < PLACE_SIZE ||
               message_set(message, "--file %.100s...: the name is too long",
                           options->file);
    }
    return place_find(path, "XDG_DATA_HOME", ".local/share", "clfold/tuning") ||
           message_set(message, "there is no $XDG_DATA_HOME and no $HOME: "
                                "--file says where the tuning is to be kept");
}

static bool refuse(const char *path, int error, struct message *message)
{
    char why[CLFOLD_FILE_WHY];

    clfold_file_why(error, why);
    return message_set(message, "%.4000s: %s", path,
                       error == EFBIG ? "it is longer than any tuning file" : why);
}

bool tune_file_read(const char *path, bool must_be, const struct session *session,
                    char **text, size_t *length, struct tuning *rows,
                    struct message *message)
{
    const int error = clfold_file_read(path, CLFOLD_TUNING_LIMIT, text, length);
    char why[CLFOLD_TUNING_WHY] = "there is no memory for its rows";

    *rows = (struct tuning){ 0 };
    if (error == ENOENT && !must_be) {
        return true;
    }
    if (error != 0) {
        return refuse(path, error, message);
    }
    if (clfold_context_rows(session->context, *text, *length, rows, why) == CLFOLD_OK) {
        return true;
    }
    clfold_free(*text);
    *text = NULL;
    return message_set(message, "%.4000s: %s; remove the file to tune anew", path, why);
}

/* The row as the file has it, and "serves" in front if it does. */
static void show_row(const struct tuning_reader *reader, bool serves)
{
    char fold[CLFOLD_TUNING_FOLD], numbers[CLFOLD_TUNING_NUMBERS];

    clfold_tuning_print_fold(fold, &reader->row.fold);
    clfold_tuning_print_numbers(numbers, &reader->row.numbers);
    printf("%-6s  %s  %s%s%s\n", serves ? "serves" : "-", fold, numbers,
           serves ? "" : "  on ", serves ? "" : reader->key);
}

bool tune_file_show(const char *path, const struct session *session,
                    struct message *message)
{
    struct tuning_reader reader;
    struct tuning serving;
    char key[CLFOLD_DEVICE_KEY], *text;
    size_t length, rows = 0;

    if (!tune_file_read(path, true, session, &text, &length, &serving, message)) {
        return false;
    }
    clfold_context_key(session->context, key);
    clfold_tuning_begin(&reader, text, length);
    while (clfold_tuning_next(&reader)) {
        show_row(&reader, strcmp(reader.key, key) == 0);
        rows++;
    }
    printf("%s: %zu row%s, %zu for %s\n", path, rows, rows == 1 ? "" : "s", serving.num,
           key);
    clfold_tuning_finish(&serving);
    clfold_free(text);
    return true;
}

bool tune_file_reset(const char *path, struct message *message)
{
    static const char first[] = "clfold tuning ";
    char *text;
    size_t length;
    const int error = clfold_file_read(path, CLFOLD_TUNING_LIMIT, &text, &length);

    if (error == ENOENT) {
        printf("%s: there was none\n", path);
        return true;
    }
    if (error != 0) {
        return refuse(path, error, message);
    }
    /* A damaged one is to be removed too, but it must once have been one. */
    const bool is_tuning = strncmp(text, first, strlen(first)) == 0;
    clfold_free(text);
    if (!is_tuning) {
        return message_set(message, "%.4000s: is no tuning file, and stays", path);
    }
    if (unlink(path) != 0) {
        return refuse(path, errno, message);
    }
    printf("%s: removed\n", path);
    return true;
}
