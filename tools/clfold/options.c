#include "options.h"

#include "options_table.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* ---- The options of a command ---- */

/* Above all characters, so that optopt shows whether an option is known. */
enum { FIRST_VALUE = 256 };

/* Always false. `found` is '?' or ':', as getopt_long returns them. */
static bool refuse(enum action action, int found, const char *word,
                   const struct option *known, struct message *message)
{
    char hint[64];

    snprintf(hint, sizeof(hint), "clfold %s%s--help", command_rows[action].name,
             action ? " " : "");
    for (; known->name; known++) {
        if (known->val == optopt) {
            return message_set(message, "--%s %s; see %s", known->name,
                               found == ':' ? "needs a value" : "takes no value", hint);
        }
    }
    if (optopt) {
        return message_set(message, "there is no option -%c; see %s", optopt, hint);
    }
    return message_set(message, "there is no option %.200s, or it is not unique; see %s",
                       word, hint);
}

/* The first of the names that is given; false: none is. */
static bool find_given(const bool given[OPTION_MOST_ROWS], const char *names,
                       char word[LIST_WORD])
{
    while (list_next(&names, word)) {
        for (size_t i = 0; option_rows[i].name; i++) {
            if (given[i] && strcmp(option_rows[i].name, word) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool check_pairs(const bool given[OPTION_MOST_ROWS], struct message *message)
{
    char word[LIST_WORD];

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        if (given[i] && find_given(given, row->excludes, word)) {
            return message_set(message, "--%s does not go with --%s", word, row->name);
        }
        if (given[i] && row->needs && !find_given(given, row->needs, word)) {
            return message_set(message, "--%s goes with %s%s only", row->name,
                               strchr(row->needs, ',') ? "one of " : "--", row->needs);
        }
    }
    return true;
}

/* ---- Fold files ---- */

/* The row of an option that a fold file may have, by the word at its start: the
 * command's, or another's. */
static const struct option_row *fold_row(enum action action, const char *word,
                                         size_t length)
{
    const size_t begin = offsetof(struct options, fold);
    const struct option_row *found = NULL;

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        if (row->member >= begin && row->member < begin + sizeof(struct fold_texts) &&
            strlen(row->name) == length && strncmp(row->name, word, length) == 0 &&
            (!found || row->commands >> action & 1)) {
            found = row;
        }
    }
    return found;
}

/* A line, and those that go on with it. They are cut out of the text. */
static bool read_fold_line(struct options *options, char *line, unsigned number,
                           bool given[OPTION_MOST_ROWS], struct message *message)
{
    const size_t length = strcspn(line, " \t\n");
    const struct option_row *const row = fold_row(options->action, line, length);
    char place[64];

    if (!row) {
        return message_set(
            message, "--fold %.4096s:%u:1: %.*s is not an option of a fold",
            options->fold_file, number, (int)(length < 60 ? length : 60), line);
    }
    char *const value = line + length + strspn(line + length, " \t\n");
    if ((row->kind == VALUE_NONE) != !*value) {
        return message_set(message, "--fold %.4096s:%u:%zu: %s %s", options->fold_file,
                           number, length + 1, row->name,
                           *value ? "takes no value" : "needs a value");
    }
    given[row - option_rows] = true;
    snprintf(place, sizeof(place), ":%u:%zu", number, (size_t)(value - line) + 1);
    return option_read(row, value, options, message) ||
           message_prefix(message, place + 1);
}

static bool read_fold_file(struct options *options, bool given[OPTION_MOST_ROWS],
                           struct message *message)
{
    static char text[64 * 1024];
    FILE *const file = fopen(options->fold_file, "r");
    unsigned number = 1;
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    const bool read = file && !ferror(file);

    if (!read) {
        message_set(message, "--fold %.4096s: %s", options->fold_file, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    if (length == sizeof(text) - 1 || strlen(text) != length) {
        return message_set(message,
                           "--fold %.4096s: is not a text of less than %zu bytes",
                           options->fold_file, sizeof(text));
    }
    for (char *line = text, *end; read && *line; line = end) {
        unsigned lines = 1;
        for (end = line + strcspn(line, "\n"); *end && (end[1] == ' ' || end[1] == '\t');
             end += 1 + strcspn(end + 1, "\n")) {
            lines++;
        }
        if (*end) {
            *end++ = '\0';
        }
        for (size_t last = strlen(line); last > 0 && strchr(" \t\r\n", line[last - 1]);) {
            line[--last] = '\0';
        }
        if (*line && *line != '#' &&
            !read_fold_line(options, line, number, given, message)) {
            return false;
        }
        number += lines;
    }
    return read;
}

/* Reads all options of options->action; the operands follow from optind on. */
static bool read_options(struct options *options, int argc, char **argv,
                         struct message *message)
{
    const enum action action = options->action;
    struct option known[OPTION_MOST_ROWS] = { 0 };
    bool given[OPTION_MOST_ROWS] = { 0 };
    size_t num_known = 0;
    /* +: stops at the command, whose options are its own */
    char letters[OPTION_MOST_ROWS + 3], *letter = stpcpy(letters, action ? ":" : "+:");
    int found, row_of[FIRST_VALUE] = { 0 };

    for (size_t i = 0; option_rows[i].name; i++) {
        const struct option_row *const row = &option_rows[i];
        if (row->commands >> action & 1) {
            known[num_known++] = (struct option){
                .name = row->name,
                .has_arg = row->kind == VALUE_NONE ? no_argument : required_argument,
                .val = FIRST_VALUE + (int)i,
            };
            if (row->letter) {
                *letter++ = row->letter;
                row_of[(unsigned char)row->letter] = FIRST_VALUE + (int)i;
            }
            if (row->initial && !option_read(row, row->initial, options, message)) {
                return false;
            }
        }
    }
    *letter = '\0';
    optind = 0; /* glibc and musl: begin anew */
    opterr = 0;
    while ((found = getopt_long(argc, argv, letters, known, NULL)) != -1) {
        if (found < FIRST_VALUE && row_of[found]) {
            found = row_of[found];
        }
        if (found < FIRST_VALUE) {
            return refuse(action, found, argv[optind - 1], known, message);
        }
        given[found - FIRST_VALUE] = true;
        if (!option_read(&option_rows[found - FIRST_VALUE], optarg, options, message)) {
            return false;
        }
        if (options->help || options->version) {
            return true;
        }
        if (option_rows[found - FIRST_VALUE].kind == VALUE_FOLD &&
            !read_fold_file(options, given, message)) {
            return false;
        }
    }
    return check_pairs(given, message);
}

bool options_refuse_operands(enum action action, const char *got, struct message *message)
{
    const struct command_row *const command = &command_rows[action];

    return message_set(message, "%s takes %s, and got %.200s; see clfold %s --help",
                       command->name, command->operands, got, command->name);
}

bool options_read_action(struct options *options, const char *name,
                         struct message *message)
{
    options->action = command_find(name);
    return options->action < ACTIONS ||
           message_set(message, "there is no command %.200s; see clfold --help", name);
}

static bool read_command(struct options *options, int argc, char **argv,
                         struct message *message)
{
    char num[16];

    if (!read_options(options, argc, argv, message)) {
        return false;
    }
    if (options->help) {
        return true;
    }
    argc -= optind;
    argv += optind;
    const struct command_row *const command = &command_rows[options->action];
    const int most = command->num_operands + command->num_optional;
    if (argc < command->num_operands || argc > most) {
        snprintf(num, sizeof(num), "%d", argc);
        return options_refuse_operands(options->action, most > 0 ? num : argv[0],
                                       message);
    }
    for (int i = 0; i < argc; i++) {
        if (!*argv[i]) {
            return options_refuse_operands(options->action, "an empty name", message);
        }
    }
    return options_check(options, argv, message);
}

bool options_read(struct options *options, int argc, char **argv, struct message *message)
{
    *options = (struct options){ 0 };
    if (!read_options(options, argc, argv, message)) {
        return false;
    }
    if (options->help || options->version) {
        return true;
    }
    if (optind >= argc) {
        return message_set(message, "no command was given; see clfold --help");
    }
    return options_read_action(options, argv[optind], message) &&
           read_command(options, argc - optind, argv + optind, message);
}
