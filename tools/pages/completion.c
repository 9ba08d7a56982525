/* completion FILE: prints what bash completes after clfold, from the table of
 * options, as a function that FILE goes by, and FILE. Runs while clfold is built. */
#include "options_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void print_commands(void)
{
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        printf("%s%s", action > ACTION_NONE + 1 ? " " : "", command_rows[action].name);
    }
}

/* One for each operand of a usage: "reduce|scan", "FILE", "[COMMAND]"; none for the EXPR
 * of "--where EXPR". */
static void print_operands(const char *usage)
{
    bool is_value = false;
    size_t length;

    for (; *usage && *usage != '\n'; usage += length + (usage[length] == ' ')) {
        length = strcspn(usage, " \n");
        if (strncmp(usage, "[COMMAND]", length) == 0) {
            fputs(" '", stdout);
            print_commands();
            putchar('\'');
        } else if (isupper((unsigned char)*usage) && !is_value) {
            fputs(" '*'", stdout);
        } else if (islower((unsigned char)*usage)) {
            fputs(" '", stdout);
            for (size_t i = 0; i < length; i++) {
                putchar(usage[i] == '|' ? ' ' : usage[i]);
            }
            putchar('\'');
        }
        is_value = *usage == '-';
    }
}

/* [--types]='i8,u8' */
static void print_values(const struct option_row *row)
{
    const struct value_row *const value = &value_rows[row->kind];
    const char *words = row->words ? row->words : value->words ? value->words : "";
    const bool is_list = strcmp(value->name, "LIST") == 0;

    printf(" [--%s]='", row->name);
    for (; *words; words++) {
        putchar(is_list && *words == ' ' ? ',' : *words);
    }
    putchar('\'');
}

static void print_command(enum action action)
{
    printf("    '%s')\n        options='", command_rows[action].name);
    const char *gap = "";
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1) {
            printf("%s--%s", gap, row->name);
            gap = " ";
        }
    }
    fputs("'\n        operands=(", stdout);
    if (action) {
        print_operands(command_rows[action].usage);
    } else {
        fputs(" '", stdout);
        print_commands();
        putchar('\'');
    }
    fputs(" )\n        values=(", stdout);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1 && row->kind != VALUE_NONE) {
            print_values(row);
        }
    }
    puts(" )\n        ;;");
}

int main(int argc, char **argv)
{
    FILE *const file = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (!file) {
        fputs("completion takes one file\n", stderr);
        return 2;
    }
    puts("# shellcheck shell=bash\n"
         "# Made from the command's table of options.\n"
         "\n"
         "# Sets what there is after the command $1.\n"
         "_clfold_command() {\n"
         "    options='' operands=() values=()\n"
         "    case $1 in");
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        print_command(action);
    }
    puts("    esac\n"
         "}\n");
    for (int c = getc(file); c != EOF; c = getc(file)) {
        putchar(c);
    }
    return fclose(file) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
