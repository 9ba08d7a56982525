#include "options_table.h"

#include <stdlib.h>
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

/* One that leaves no gap gets a line of its own. */
static void print_term(FILE *stream, const char *term, const char *words,
                       const char *initial)
{
    enum { COLUMN = 20 };
    const int length = (int)strlen(term) + 2;
    char *text = NULL;
    size_t size = 0;
    FILE *const made = open_memstream(&text, &size);

    if (made) {
        fprintf(made, "  %s%s%*s%s%s%s", term, length + 2 > COLUMN ? "\n" : "",
                length + 2 > COLUMN ? COLUMN : COLUMN - length, "", words,
                initial ? "; default: " : "", initial ? initial : "");
        if (fclose(made) == 0) {
            fill(stream, text);
        }
    }
    free(text);
}

static void print_option(FILE *stream, const struct option_row *row)
{
    const char *const value = value_rows[row->kind].name;
    const char letter[] = { '-', row->letter, ',', ' ', '\0' };
    char term[64];

    snprintf(term, sizeof(term), "%s--%s%s%s", row->letter ? letter : "", row->name,
             value ? " " : "", value ? value : "");
    print_term(stream, term, row->help, row->initial);
}

static void print_commands(FILE *stream)
{
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        const struct command_row *const row = &command_rows[action];
        fprintf(stream, "  %-12s%s\n", row->name, row->summary);
    }
    for (const struct view_row *row = view_rows; row->name; row++) {
        fprintf(stream, "  %-12s%s\n", row->name, row->summary);
    }
    putc('\n', stream);
}

static void print_variables(FILE *stream, enum action action)
{
    bool any = false;

    for (const struct variable_row *row = variable_rows; row->name; row++) {
        if (!action || row->commands >> action & 1) {
            fputs(any ? "" : "\nEnvironment:\n", stream);
            print_term(stream, row->name, row->help, NULL);
            any = true;
        }
    }
}

/* In the form that help2man and the completion read. */
void options_help(FILE *stream, enum action action)
{
    const struct command_row *const command = &command_rows[action];
    const char *notes[VALUE_KINDS];
    const size_t num_notes = option_notes(action, notes);

    fprintf(stream, "Usage: clfold %s%s%s\n\n", command->name, action ? " " : "",
            command->usage);
    fill(stream, command->about);
    putc('\n', stream);
    if (!action) {
        print_commands(stream);
    }
    fputs("Options:\n", stream);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1) {
            print_option(stream, row);
        }
    }
    for (size_t i = 0; i < num_notes; i++) {
        putc('\n', stream);
        fill(stream, notes[i]);
    }
    fputs(*command->notes ? "\n" : "", stream);
    fill(stream, command->notes);
    print_variables(stream, action);
    fputs("\nExamples:\n", stream);
    fill(stream, command->examples);
}
