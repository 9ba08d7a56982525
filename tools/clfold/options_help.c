#include "options_table.h"

#include "base/text.h"

#include <string.h>

/* Breaks one line of `text` and returns the next. What follows a term is indented:
 *
 *     name     text text text
 *              text text
 */
static const char *fill_line(FILE *stream, const char *text)
{
    enum { COLUMNS = 80 };
    struct text_line line;
    const char *const next = text_line_read(text, &line);
    const int indent = (int)(line.words - text);
    int at = fprintf(stream, "%.*s", indent, text);

    for (text = line.words; text < line.end; text += *text == ' ') {
        const int length = (int)strcspn(text, " \n");
        if (at > indent && at + 1 + length > COLUMNS) {
            fprintf(stream, "\n%*s", indent, "");
            at = indent;
        }
        at += fprintf(stream, "%s%.*s", at > indent ? " " : "", length, text);
        text += length;
    }
    putc('\n', stream);
    return next;
}

static void fill(FILE *stream, const char *text)
{
    while (*text) {
        text = fill_line(stream, text);
    }
}

static void print_option(FILE *stream, const struct option_row *row)
{
    enum { COLUMN = 18 };
    const char *const value = value_rows[row->kind].name;
    struct text text = { 0 };
    char head[64], letter[] = { '-', row->letter, ',', ' ', '\0' };
    const int length =
        snprintf(head, sizeof(head), "  %s--%s%s%s", row->letter ? letter : "", row->name,
                 value ? " " : "", value ? value : "");

    /* one that leaves no gap gets a line of its own */
    clfold_text_print(&text, "%s%s%*s%s%s%s", head, length + 2 > COLUMN ? "\n" : "",
                      length + 2 > COLUMN ? COLUMN : COLUMN - length, "", row->help,
                      row->initial ? "; default: " : "",
                      row->initial ? row->initial : "");
    fill(stream, text.failed ? head : text.bytes);
    clfold_text_finish(&text);
}

static void print_command(FILE *stream, bool usage, const char *name, const char *words,
                          const char *summary)
{
    if (usage) {
        fprintf(stream, "clfold %s %.*s\n       ", name, (int)strcspn(words, "\n"),
                words);
    } else {
        fprintf(stream, "  %-12s%s\n", name, summary);
    }
}

static void print_commands(FILE *stream, bool usage)
{
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        const struct command_row *const row = &command_rows[action];
        if (!view_find(row->name)) {
            print_command(stream, usage, row->name, row->usage, row->summary);
        }
    }
    for (const struct view_row *row = view_rows; row->name; row++) {
        print_command(stream, usage, row->name, row->usage, row->summary);
    }
}

void options_help(FILE *stream, enum action action)
{
    const struct command_row *const command = &command_rows[action];
    const char *notes[VALUE_KINDS];
    const size_t num_notes = option_notes(action, notes);

    fputs("Usage: ", stream);
    if (!action) {
        print_commands(stream, true);
    }
    fprintf(stream, "clfold %s%s%s\n\n", command->name, action ? " " : "",
            command->usage);
    fill(stream, command->about);
    putc('\n', stream);
    if (!action) {
        print_commands(stream, false);
        putc('\n', stream);
    }
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1) {
            print_option(stream, row);
        }
    }
    fputs(num_notes > 0 || *command->notes ? "\n" : "", stream);
    for (size_t i = 0; i < num_notes; i++) {
        fill(stream, notes[i]);
    }
    fill(stream, command->notes);
    fputs(action ? "" : "Exit status: " EXIT_STATUSES ".\n", stream);
    if (command->examples) {
        fputs("\nExamples:\n", stream);
        fill(stream, command->examples);
    }
}
