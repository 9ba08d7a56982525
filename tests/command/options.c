/* The command line: what lines mean, and which values are none. The lines are in
 * options.txt. */
#include "list.h"
#include "options.h"
#include "options_table.h"
#include "rows.h"
#include "types.h"

static struct options options;
static struct message message;

static bool read_line(const char *line)
{
    static char words[ROWS_LINE];
    char *argv[1 + ROWS_WORDS] = { (char *)"clfold" };

    strcpy(words, line);
    message.text[0] = '\0';
    return options_read(&options, 1 + rows_cut(words, argv + 1), argv, &message);
}

/* The line must be rejected with a message that has the part in it, or, where that is
 * NULL, be read. */
MESSAGE_PRINTF(2, 3)
static void check(const char *part, const char *format, ...)
{
    char line[ROWS_LINE];
    va_list arguments;

    va_start(arguments, format);
    assert_true(vsnprintf(line, sizeof(line), format, arguments) < ROWS_LINE);
    va_end(arguments);
    if (read_line(line) != !part || (part && !strstr(message.text, part))) {
        fail_msg("\"%s\" gives \"%s\" and should give \"%s\"", line, message.text,
                 part ? part : "");
    }
}

/* ---- Options ---- */

/* What a command needs besides options. */
static const char *operands_of(enum action action)
{
    static const char *const names[] = { "", " x", " x y.npy", " x y.npy z.npy" };

    return action == ACTION_EXPLAIN ? " scan" : names[command_rows[action].num_operands];
}

/* Whether the command has it, or one of which it is the beginning. */
static bool has_option(enum action action, const char *name, bool as_beginning)
{
    const struct option_row *row = option_rows;

    while (row->name && (!(row->commands >> action & 1) ||
                         strncmp(row->name, name, strlen(name)) != 0 ||
                         (!as_beginning && strcmp(row->name, name) != 0))) {
        row++;
    }
    return row->name;
}

/* How many commands have the row and an option that it names, over its names: one at
 * least for each. */
static int count_names(const struct option_row *row, const char *names)
{
    char word[LIST_WORD];
    int all = 0;

    while (list_next(&names, word)) {
        const int before = all;
        for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
            all += row->commands >> action & 1 && has_option(action, word, false);
        }
        if (all == before) {
            fail_msg("no command has --%s and --%s", row->name, word);
        }
    }
    return all;
}

/* Each command has its options, which take a value or none, and rejects all others. Most
 * names in excludes and needs have no line in options.txt: these totals hold them. */
static void each_option(void **state)
{
    char part[64];
    int excludes = 0, needs = 0;

    (void)state;
    for (const struct option_row *row = option_rows; row->name; row++) {
        const char *const name = row->name;
        excludes += count_names(row, row->excludes);
        needs += count_names(row, row->needs);
        for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
            const char *const command = command_rows[action].name;
            if (row->commands >> action & 1) {
                snprintf(part, sizeof(part), "--%s %s", name,
                         row->kind ? "needs a value" : "takes no value");
                check(part, "%s%s --%s%s", command, operands_of(action), name,
                      row->kind ? "" : "=1");
            } else if (!has_option(action, name, true)) {
                snprintf(part, sizeof(part), "no option --%s,", name);
                check(part, "%s%s --%s", command, operands_of(action), name);
            }
        }
    }
    assert_int_equal(excludes, 34);
    assert_int_equal(needs, 35);
}

/* Of the option at the end of the section's line: what is said of a value names both. */
static bool show_value(char shown[ROWS_LINE], const char *words, const char *input)
{
    char line[ROWS_LINE];

    snprintf(line, sizeof(line), "%s=%s", words, input);
    const bool done = read_line(line);
    strcpy(shown, done ? input : message.text);
    snprintf(line, sizeof(line), "%s ", strrchr(words, ' ') + 1);
    if (!done && (strncmp(shown, line, strlen(line)) != 0 || !strstr(shown, input))) {
        fail_msg("%s=%s: %s", words, input, shown);
    }
    return done;
}

/* ---- What lines say as a whole ---- */

static const char *type_shown(clfold_type type)
{
    return type ? clfold_type_name(type) : NULL;
}

/* An array, which clang-format does not take to pieces. */
#define LIST(type, ...)                                                                  \
    (const type[])                                                                       \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }

/* All that was read and is not 0, in one line. */
static void show(char line[ROWS_LINE])
{
    static const char *const formats[] = {
        [FORMAT_RAW] = "raw", [FORMAT_TEXT] = "text", [FORMAT_NPY] = NULL
    };
    const struct options *const o = &options;
    const struct fold_texts *const fold = &o->fold;
    const char *word_names =
        "op,acc,type,algorithm,init,file,column,format,out,out_format,"
        "device,combine,load,result,store,write,by,where,same,also,"
        "also_format,lengths,lengths_format,lengths_type";
    const char *const *const words =
        LIST(char *const, o->op ? options_op(o) : NULL, type_shown(o->acc),
             type_shown(o->element), o->algorithm, o->init, o->file, o->text_form.column,
             formats[o->format], o->outs[OUT_RESULTS].path,
             formats[o->outs[OUT_RESULTS].format], o->device, fold->combine, fold->load,
             fold->result, fold->store, type_shown(fold->out), o->by.text, fold->keep,
             fold->same, o->outs[OUT_ALSO].path, formats[o->outs[OUT_ALSO].format],
             o->lengths, formats[o->lengths_format], type_shown(o->lengths_type));
    const char *number_names =
        "operation,accuracy,axis,field,missing,skip,separator,count,memory,seed,"
        "rows,columns,help,version,raw_size,args,last_arg,in_"
        "scalars,"
        "out_scalars,out_length,commutative,partial,json,profile,quiet,no_cache,probe";
    const size_t *const numbers = LIST(
        size_t, o->operation, o->accuracy, (size_t)o->axis.axis, o->text_form.field,
        o->text_form.missing, o->text_form.skip, (size_t)o->text_form.separator, o->count,
        o->memory, o->seed, o->rows, o->columns, o->help, o->version, o->raw_size,
        fold->args.num, fold->args.num ? fold->args.kinds[fold->args.num - 1] : 0,
        fold->in_scalars, fold->out_scalars, fold->out_length, fold->commutative,
        fold->partial, o->json, o->profile, o->quiet, o->no_cache, o->probe);
    FILE *const text = fmemopen(line, ROWS_LINE, "w");
    char name[LIST_WORD];

    assert_non_null(text);
    fputs(o->action ? command_rows[o->action].name : "clfold", text);
    for (size_t i = 0; list_next(&word_names, name); i++) {
        if (words[i]) {
            fprintf(text, " %s=%s", name, words[i]);
        }
    }
    for (size_t i = 0; list_next(&number_names, name); i++) {
        if (numbers[i]) {
            fprintf(text, " %s=%zu", name, numbers[i]);
        }
    }
    (void)fclose(text);
}

static bool show_line(char shown[ROWS_LINE], const char *words, const char *input)
{
    (void)words;
    const bool done = read_line(input);
    if (done) {
        show(shown);
    } else {
        strcpy(shown, message.text);
    }
    return done;
}

static void lines(void **state)
{
    static const struct rows_kind kinds[] = { { "line", show_line, false, false },
                                              { "value", show_value, true, false } };

    (void)state;
    rows_check_file(ROWS, kinds, 2);
}

/* ---- Help ---- */

/* Puts one blank between the words of a text, and one after each. */
static void join_words(char out[2 * ROWS_LINE], const char *text)
{
    assert_true(strlen(text) + 1 < 2 * ROWS_LINE);
    while (*(text += strspn(text, " \n"))) {
        const size_t length = strcspn(text, " \n");
        out = (char *)memcpy(out, text, length) + length;
        *out++ = ' ';
        text += length;
    }
    *out = '\0';
}

/* The words of `text` stand in the help, and once if they are many; returns where. */
static const char *check_said(const char *help, const char *text)
{
    char words[2 * ROWS_LINE];

    join_words(words, text);
    words[strlen(words) - (*words != '\0')] = '\0';
    const char *const place = strstr(help, words);
    if (!place || (strlen(words) > 40 && strstr(place + 1, words))) {
        fail_msg("the help has none, or two, of: %s", words);
    }
    return place;
}

/* The help fits 80 columns, and has each option that the command takes, in the order of
 * the table, and no other. */
static void check_help(enum action action)
{
    const struct command_row *const command = &command_rows[action];
    const char *said[VALUE_KINDS + 4] = { command->usage, command->about, command->notes,
                                          command->examples };
    const size_t num_said = 4 + option_notes(action, said + 4);
    char words[2 * ROWS_LINE], text[64], help[2 * ROWS_LINE];
    FILE *const stream = fmemopen(help, sizeof(help), "w");
    int num = 0;

    assert_non_null(stream);
    options_help(stream, action);
    assert_int_equal(fclose(stream), 0);
    join_words(words, help);
    snprintf(text, sizeof(text), "Usage: clfold %s ", action ? command->name : "COMMAND");
    assert_memory_equal(help, text, strlen(text));
    for (size_t i = 0; i < num_said; i++) {
        assert_true(i == 2 || *said[i]);
        check_said(words, said[i]);
    }
    const char *at = words;
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1) {
            const char letter[] = { '-', row->letter, ',', ' ', '\0' };
            snprintf(text, sizeof(text), "%s--%s ", row->letter ? letter : "", row->name);
            at = check_said(check_said(at, text), row->help);
            num++;
        }
    }
    for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 80);
        num -= strncmp(line, "  -", 3) == 0 && strstr(line, " --");
    }
    assert_int_equal(num, 0);
}

static void helps(void **state)
{
    static const char *const spellings[] = { "-h", "--help", "--hel" };

    (void)state;
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        for (int i = 0; i < 3; i++) {
            check(NULL, "%s %s", command_rows[action].name, spellings[i]);
            assert_true(options.help);
            assert_int_equal(options.action, action);
        }
        check_help(action);
    }
}

/* The commands among them are right: what a line has after its last "clfold". */
static void examples(void **state)
{
    (void)state;
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        const char *text = command_rows[action].examples;
        int num = 0;

        assert_non_null(text);
        while (*text) {
            struct text_line line;
            const char *const begin = text, *command = NULL;
            text = text_line_read(begin, &line);
            for (const char *at = begin; *begin == ' ' && at < line.end; at++) {
                command = strncmp(at, "clfold ", 7) == 0 ? at + 7 : command;
            }
            if (command) {
                check(NULL, "%.*s", (int)(line.end - command), command);
                num++;
            }
        }
        assert_true(num > 0);
    }
}

TEST_MAIN("options", NULL, NULL, cmocka_unit_test(each_option), cmocka_unit_test(lines),
          cmocka_unit_test(helps), cmocka_unit_test(examples))
