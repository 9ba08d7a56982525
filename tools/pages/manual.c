/* manual NAME: prints the manual page clfold or clfold-COMMAND, in mdoc(7), from
 * the table of options. Runs while clfold is built. */
#include "options_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Of the version, so that a page depends on nothing else. */
#define DATE "November 23, 2026"
_Static_assert(CLFOLD_VERSION == 100, "a new version has a new DATE");

/* ---- Words ---- */

/* So that roff takes each character for itself, and terminals show ASCII. */
static void print_escaped(const char *bytes, size_t length)
{
    static const char special[] = "\\-^~'`\"";
    static const char *const names[] = { "\\e",   "\\-",   "\\(ha", "\\(ti",
                                         "\\(aq", "\\(ga", "\\(dq" };

    for (size_t i = 0; i < length; i++) {
        const char *const found = strchr(special, bytes[i]);
        if (found) {
            fputs(names[found - special], stdout);
        } else {
            /* a full stop at the begin of a line would make it a request */
            printf("%s%c", i == 0 && bytes[i] == '.' ? "\\&" : "", bytes[i]);
        }
    }
}

/* Options are bold, and names are not hyphenated. */
static void print_word(const char *word, size_t length)
{
    const bool is_option = length > 2 && word[0] == '-' && word[1] == '-';
    const size_t bold = is_option ? strspn(word, "-abcdefghijklmnopqrstuvwxyz") : 0;

    if (strcspn(word, "_-") < length) {
        fputs("\\%", stdout);
    }
    if (is_option) {
        fputs("\\fB", stdout);
        print_escaped(word, bold);
        fputs("\\fR", stdout);
    }
    print_escaped(word + bold, length - bold);
}

/* Lines of up to 80 characters; a sentence begins a new one. The last stays open. */
static void fill_words(const char *words, const char *end)
{
    enum { COLUMNS = 60 }; /* and room for what is escaped */
    size_t at = 0;

    while (words < end) {
        const size_t length = strcspn(words, " \n");
        if (at > 0) {
            const bool breaks = strchr(".?!", words[-2]) || at + 1 + length > COLUMNS;
            putchar(breaks ? '\n' : ' ');
            at = breaks ? 0 : at + 1;
        }
        print_word(words, length);
        at += length;
        words += length;
        words += strspn(words, " \n");
    }
}

static void print_words(const char *words, const char *end)
{
    fill_words(words, end);
    putchar('\n');
}

static void print_sentence(const char *sentence)
{
    print_words(sentence, sentence + strlen(sentence));
}

/* ---- Texts of the table ---- */

/* Starts a list that is as wide as its terms, and no wider than is good to read. */
static void begin_terms(const char *text)
{
    struct text_line line;
    int width = 0;

    do {
        text = text_line_read(text, &line);
        width = line.term_length > width ? line.term_length : width;
    } while (line.term);
    printf(".Bl -tag -width %dn -offset 2n -compact\n", width < 16 ? width : 8);
}

static void print_text(const char *text)
{
    enum { START, WORDS, TERMS, GAP } before = START;

    while (*text) {
        struct text_line line;
        const char *const next = text_line_read(text, &line);
        if (before == TERMS && !line.term) {
            puts(".El");
        }
        if (line.term) {
            if (before != TERMS) {
                begin_terms(text);
            }
            fputs(".It Cm ", stdout);
            print_escaped(line.term, (size_t)line.term_length);
            putchar('\n');
            print_words(line.words, line.end);
            before = TERMS;
        } else if (line.words == line.end) {
            before = before == START ? START : GAP;
        } else if (line.words > text) {
            fputs(".Dl \"", stdout); /* which keeps a comma between blanks */
            print_escaped(line.words, (size_t)(line.end - line.words));
            puts("\"");
            before = GAP;
        } else {
            if (before == WORDS || before == GAP) {
                puts(".Pp");
            }
            print_words(line.words, line.end);
            before = WORDS;
        }
        text = next;
    }
    if (before == TERMS) {
        puts(".El");
    }
}

/* ---- Synopsis ---- */

/* "--file" "FILE" "reduce|scan" "|" as macros; in brackets a word of small letters stands
 * for others. */
static void print_token(const char *token, size_t length, bool in_brackets)
{
    if (*token == '-') {
        fputs("Fl ", stdout);
        token++;
        length--;
    } else if (isupper((unsigned char)*token) || in_brackets) {
        fputs("Ar ", stdout);
    } else if (*token != '|') {
        fputs("Cm ", stdout);
    }
    for (const char *const end = token + length; token < end; token++) {
        if (*token == '|' && length > 1) {
            fputs(" | ", stdout);
        } else {
            print_escaped(token, 1);
        }
    }
}

/* One line of a usage. */
static void print_usage(const char *name, const char *usage)
{
    const char *const end = usage + strcspn(usage, "\n");
    bool in_brackets = false;

    printf(".Nm clfold\n%s%s%s", *name ? ".Cm " : "", name, *name ? "\n" : "");
    while (usage < end) {
        const bool opens = *usage == '[';
        usage += opens;
        in_brackets = in_brackets || opens;
        const size_t token = strcspn(usage, " ]\n");
        fputs(opens ? ".Op " : in_brackets ? " " : *usage == '|' ? "" : ".", stdout);
        print_token(usage, token, in_brackets);
        usage += token;
        in_brackets = in_brackets && *usage != ']';
        usage += *usage == ']';
        usage += *usage == ' ';
        fputs(in_brackets ? "" : "\n", stdout);
    }
}

static void print_synopsis(enum action action)
{
    static const char other[] = "\n       clfold ";
    const struct command_row *const command = &command_rows[action];

    puts(".Sh SYNOPSIS");
    for (enum action each = ACTION_NONE + 1; !action && each < ACTIONS; each++) {
        print_usage(command_rows[each].name, command_rows[each].usage);
    }
    print_usage(command->name, command->usage);
    for (const char *at = command->usage; (at = strstr(at, other)); at++) {
        print_usage("", at + strlen(other));
    }
}

/* ---- Sections ---- */

static void print_commands(void)
{
    puts(".Pp\nThe commands are:\n.Bl -tag -width 8n -offset 2n -compact");
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        printf(".It Cm %s\n", command_rows[action].name);
        print_sentence(command_rows[action].summary);
    }
    puts(".El");
}

static void print_options(enum action action)
{
    const char *notes[VALUE_KINDS];
    const size_t num_notes = option_notes(action, notes);

    puts(".Sh OPTIONS\n.Bl -tag -width Ds");
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1) {
            const char *const value = value_rows[row->kind].name;
            char letter[] = "Fl h , ";
            letter[3] = row->letter;
            printf(".It %sFl \\-%s%s%s\n", row->letter ? letter : "", row->name,
                   value ? " Ar " : "", value ? value : "");
            fill_words(row->help, row->help + strlen(row->help));
            fputs(row->initial ? "; default: " : "", stdout);
            print_sentence(row->initial ? row->initial : "");
        }
    }
    puts(".El");
    for (size_t i = 0; i < num_notes; i++) {
        puts(".Pp");
        print_text(notes[i]);
    }
}

static void print_variables(enum action action)
{
    bool any = false;

    for (const struct variable_row *row = variable_rows; row->name; row++) {
        if (!action || row->commands >> action & 1) {
            fputs(any ? "" : ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", stdout);
            printf(".It Ev %s\n", row->name);
            print_sentence(row->help);
            any = true;
        }
    }
    fputs(any ? ".El\n" : "", stdout);
}

/* The first command after `last` by the alphabet, which is the order of references. */
static const char *next_command(const char *last)
{
    const char *next = NULL;

    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        const char *const name = command_rows[action].name;
        if (strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0)) {
            next = name;
        }
    }
    return next;
}

static void print_see_also(enum action action)
{
    puts(".Sh SEE ALSO");
    if (action) {
        puts(".Xr clfold 1");
    } else {
        const char *next;
        for (const char *name = next_command(""); name; name = next) {
            next = next_command(name);
            printf(".Xr clfold-%s 1%s\n", name, next ? " ," : "");
        }
    }
}

static void print_page(enum action action, const char *name)
{
    static const char about[] = "reductions and scans on OpenCL devices";
    const struct command_row *const command = &command_rows[action];

    fputs(".\\\" Made from the command's table of options.\n.Dd " DATE "\n.Dt ", stdout);
    for (const char *at = name; *at; at++) {
        putchar(toupper((unsigned char)*at));
    }
    printf(" 1\n.Os clfold %d.%d.%d\n.Sh NAME\n.Nm %s\n.Nd %s\n", CLFOLD_VERSION / 10000,
           CLFOLD_VERSION / 100 % 100, CLFOLD_VERSION % 100, name,
           action ? command->summary : about);
    print_synopsis(action);
    puts(".Sh DESCRIPTION");
    print_text(command->about);
    if (!action) {
        print_commands();
    }
    print_options(action);
    if (*command->notes) {
        puts(".Sh NOTES");
        print_text(command->notes);
    }
    print_variables(action);
    puts(".Sh EXIT STATUS\n" EXIT_STATUSES ".");
    if (command->examples) {
        puts(".Sh EXAMPLES");
        print_text(command->examples);
    }
    print_see_also(action);
}

int main(int argc, char **argv)
{
    char name[64];

    for (enum action action = ACTION_NONE; argc == 2 && action < ACTIONS; action++) {
        snprintf(name, sizeof(name), "clfold%s%s", action ? "-" : "",
                 command_rows[action].name);
        if (strcmp(name, argv[1]) == 0) {
            print_page(action, name);
            return fflush(stdout) == 0 ? 0 : 1;
        }
    }
    fputs("manual takes one name, clfold or clfold-COMMAND\n", stderr);
    return 2;
}
