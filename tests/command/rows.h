/*
 * Rows of a text file: inputs, and what is made of them.
 *
 *     [count]
 *     7 007 -> = 7
 *     1.5 '' -> none
 *
 * The rows of a section are for one function. It says whether it takes an input, and
 * shows what it made of it, which is all that stands after "= ", or *, the input itself;
 * or why it rejects it, where the words after the arrow are a part. A line that begins
 * with four blanks goes on with the one before, and one that begins with a hash is a
 * comment. \n, \t, \r, \v, \f, \\ and \x7f are as in C.
 */
#ifndef CLFOLD_COMMAND_ROWS_H
#define CLFOLD_COMMAND_ROWS_H

#include "test.h"

enum { ROWS_LINE = 8192, ROWS_WORDS = 64 };

struct rows_kind {
    const char *name;
    /* `words` is what stands after the name: [number f32 f64] */
    bool (*show)(char shown[ROWS_LINE], const char *words, const char *input);
    bool is_list;  /* each word of a row is an input */
    bool is_whole; /* rows have whole sentences */
};

/* Cuts a line into words, which may be in single quotes. Returns how many. */
static inline int rows_cut(char *line, char *words[ROWS_WORDS])
{
    int num = 0;

    while (*(line += strspn(line, " "))) {
        const bool is_quoted = *line == '\'';
        assert_true(num < ROWS_WORDS);
        words[num++] = line += is_quoted;
        line += strcspn(line, is_quoted ? "'" : " ");
        line += *line ? (*line = '\0', 1) : 0;
    }
    return num;
}

static inline void rows_unescape(char *text)
{
    static const char letters[] = "n\nt\tr\rv\vf\f\\\\";
    char *to = text;

    while (*text) {
        const char *const letter =
            *text == '\\' && text[1] ? strchr(letters, text[1]) : NULL;
        if (letter) {
            *to++ = letter[1];
            text += 2;
        } else if (*text == '\\' && text[1] == 'x') {
            *to++ = (char)strtoul((char[]){ text[2], text[3], '\0' }, NULL, 16);
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

/* Returns whether it is as `said`. */
static inline bool rows_check(const struct rows_kind *kind, const char *words,
                              const char *input, const char *said)
{
    static char shown[ROWS_LINE];
    const bool is_taken = *said == '=';
    const char *const whole =
        strcmp(said, "= *") == 0 ? input : said + strspn(said, "= ");

    *shown = '\0';
    if (kind->show(shown, words, input) == is_taken &&
        (is_taken         ? strcmp(shown, whole) == 0
         : kind->is_whole ? strcmp(shown, said) == 0
                          : strstr(shown, said) != NULL)) {
        return true;
    }
    print_error("%s %s: \"%s\" gives \"%s\", and not \"%s\"\n", kind->name, words, input,
                shown, said);
    return false;
}

/* All rows of the file; every kind has some. */
static inline void rows_check_file(const char *path, const struct rows_kind *kinds,
                                   size_t num)
{
    static char text[64 * 1024], words[64], *inputs[ROWS_WORDS];
    FILE *const file = fopen(path, "r");
    const struct rows_kind *kind = NULL;
    int num_rows[16] = { 0 }, num_wrong = 0;

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    assert_true(feof(file));
    fclose(file);
    for (char *cut; (cut = strstr(text, "\n    "));) {
        memmove(cut, cut + 4, strlen(cut + 4) + 1);
    }
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *const arrow = strstr(line, " ->");
        char name[32];
        int end = 0;
        if (*line == '#') {
            continue;
        }
        if (!arrow && sscanf(line, "[%31[^] ]%n", name, &end) == 1) {
            snprintf(words, sizeof(words), "%.*s", (int)strcspn(line + end, "]"),
                     line + end);
            for (kind = kinds; kind < kinds + num && strcmp(kind->name, name) != 0;) {
                kind++;
            }
            assert_true(kind < kinds + num);
            continue;
        }
        assert_true(arrow && kind);
        *arrow = '\0';
        char *const said = arrow + 3 + (arrow[3] == ' ');
        rows_unescape(said);
        int num_inputs = 1;
        inputs[0] = line;
        if (kind->is_list) {
            num_inputs = rows_cut(line, inputs);
        }
        for (int i = 0; i < num_inputs; i++) {
            rows_unescape(inputs[i]);
            num_wrong += !rows_check(kind, words + (*words == ' '), inputs[i], said);
        }
        num_rows[kind - kinds] += num_inputs;
    }
    for (size_t i = 0; i < num; i++) {
        assert_true(num_rows[i] > 0);
    }
    assert_int_equal(num_wrong, 0);
}

#endif
