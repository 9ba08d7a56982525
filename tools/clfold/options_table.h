/* The commands and their options, as the parser, the help and the errors take them. */
#ifndef CLFOLD_COMMAND_OPTIONS_TABLE_H
#define CLFOLD_COMMAND_OPTIONS_TABLE_H

#include "options.h"

/* Of a value: what is read, and the member of struct options that takes it. */
enum value_kind {
    VALUE_NONE,      /* bool, which becomes true */
    VALUE_TEXT,      /* const char *, whatever it says */
    VALUE_DEVICE,    /* the same, and not empty */
    VALUE_PATH,      /* a file, and not standard output */
    VALUE_OUT,       /* either */
    VALUE_REDUCE_OP, /* clfold_op, or mean */
    VALUE_SCAN_OP,   /* clfold_op, each of other names */
    VALUE_EXPLAIN_OP,
    VALUE_TYPE,      /* clfold_type */
    VALUE_ALGORITHM, /* const char *: a name, checked when the operation is known */
    VALUE_ACCURACY,  /* uint32_t */
    VALUE_COUNT,     /* size_t, `least` or more */
    VALUE_BYTES,     /* the same */
    VALUE_SEPARATOR, /* char */
    VALUE_COLUMN,    /* const char *, a column of a text */
    VALUE_MISSING,   /* enum missing */
    VALUE_AXIS,      /* struct axis_option */
    VALUE_BY,        /* struct by_option */
    VALUE_RAW,       /* clfold_type, or bytes of an element */
    VALUE_ARG,       /* struct fold_args */
    VALUE_ARG_FILE,  /* the same */
    VALUE_STREAM,    /* the same */
    VALUE_FOLD,      /* a file with lines for struct fold_texts */
    VALUE_KINDS
};

/* In help, the name of a value and a sentence on it, or NULL; and for errors the words
 * that it may be, or NULL. */
struct value_row {
    const char *name, *note, *words;
};
extern const struct value_row value_rows[VALUE_KINDS];

struct option_row {
    const char *name;
    enum value_kind kind;
    size_t member;       /* its offset in struct options */
    unsigned commands;   /* that have it: a bit each, 1 << ACTION_SCAN */
    const char *initial; /* the value that stands where none is given, or NULL */
    size_t least;
    const char *excludes; /* "op,count", or NULL */
    const char *needs;    /* the options without which it says nothing, or NULL */
    const char *help;     /* which is broken into lines */
    char letter;          /* of the short form, which takes no value, or 0 */
};

/* In the order of the help. A command has one row of a name at most. */
enum { OPTION_MOST_ROWS = 128 };
extern const struct option_row
    option_rows[OPTION_MOST_ROWS]; /* after the last: no name */

/* Reads a value into the options. */
bool option_read(const struct option_row *row, const char *text, struct options *options,
                 struct message *message);

/* Checks a command line whose options are read. */
bool options_check(struct options *options, char **operands, struct message *message);
bool options_read_action(struct options *options, const char *name,
                         struct message *message);
/* Always false. */
bool options_refuse_operands(enum action action, const char *got,
                             struct message *message);

/* The notes on the values that a command's options take, each once, although several
 * kinds of value may have it. Returns how many there are. */
size_t option_notes(enum action action, const char *notes[VALUE_KINDS]);

struct command_row {
    const char *name;
    const char *usage;    /* what follows the name */
    const char *summary;  /* for clfold --help */
    const char *operands; /* as the error calls them */
    int num_operands;
    const char *about, *notes; /* before and after the options */
    int num_optional;          /* operands that may follow the others */
    const char *examples;      /* what it is for, and on a line that is indented, how */
};
extern const struct command_row command_rows[ACTIONS];
/* ACTIONS: there is none. */
enum action command_find(const char *name);

/* Programs of their own, clfold-NAME. */
struct view_row {
    const char *name, *usage, *summary;
};
extern const struct view_row view_rows[]; /* after the last: no name */
bool view_find(const char *name);

/* What the environment tells the commands. */
struct variable_row {
    const char *name;
    unsigned commands; /* as those of an option */
    const char *help;
};
extern const struct variable_row variable_rows[]; /* after the last: no name */

/*
 * Texts of the table have lines of any length, which help and manual pages break. After
 * two spaces and more stands a term, then a gap, then words on it:
 *
 *     "  barriers   of the whole group"
 *
 * or, where there is no gap, what a user may type.
 */
struct text_line {
    const char *term; /* or NULL */
    int term_length;
    const char *words, *end;
};

/* Returns the next line. */
const char *text_line_read(const char *text, struct text_line *line);

#endif
