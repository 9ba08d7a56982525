/* The command line: each option of the table, by the table itself, and what whole lines
 * mean. The lines are in options.txt. */
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

/* ---- Each row of the table ---- */

/* What a command needs besides options. */
static const char operands_of[ACTIONS][24] = {
    [ACTION_REDUCE] = "x",
    [ACTION_SCAN] = "x y.npy",
    [ACTION_MAP] = "x y.npy",
    [ACTION_SELECT] = "x y.npy --where=x",
    [ACTION_UNIQUE] = "x y.npy",
    [ACTION_RLE] = "x y.npy z.npy",
    [ACTION_UNRLE] = "x y.npy z.npy",
    [ACTION_EXPLAIN] = "scan",
    [ACTION_CHECK_FOLD] = "--combine=a",
    [ACTION_PREDICT] = "x",
    [ACTION_CACHE] = "list",
};

/* Of a kind of value: one that is right, others that are wrong, as is the empty one, and
 * what is said of them. Those of an algorithm depend on the command. */
struct value {
    const char *good, *wrong, *part;
};
#define OP_PART   ": the operators are add mul min max "
#define TYPE_PART ": the types are i8 u8"
#define COUNTS    "-1 2^64 1.5 1e x"
static const struct value values[VALUE_KINDS] = {
    [VALUE_NONE] = { .good = "" },
    [VALUE_TEXT] = { .good = "1" },
    [VALUE_ARG] = { .good = "'int m=1'" },
    [VALUE_ARG_FILE] = { .good = "t=t.npy" },
    [VALUE_STREAM] = { .good = "t=t.npy" },
    [VALUE_DEVICE] = { "cpu", "", "needs an index, gpu, cpu or a part of a name" },
    [VALUE_PATH] = { "a", "-", "needs a file" },
    [VALUE_FOLD] = { "/dev/null", "-", "needs a file" },
    [VALUE_OUT] = { "r.npy", "", "needs a file" },
    [VALUE_OP] = { "sum", "SUM and MAX mul, moments affine mean matrix-2x2", OP_PART },
    [VALUE_REDUCE_OP] = { "prod", "Sum and MAX mul, moment a", OP_PART },
    [VALUE_EXPLAIN_OP] = { "affine", "SUM and MAX mul, mean product", OP_PART },
    [VALUE_SCAN_OP] = { "prod", "avg and MAX mul, mean arg-min min-max",
                        OP_PART "bit-and" },
    [VALUE_TRACE_OP] = { "prod", "avg and MAX mul, mean arg-min min-max moments affine",
                         OP_PART "bit-and" },
    [VALUE_BENCH_OP] = { "reduce", "add", ": the operations are reduce, scan, all" },
    [VALUE_TYPE] = { "f64", "float f3 F32 f321 i7 bool", TYPE_PART },
    [VALUE_RAW] = { "u8", "float i7 0 4097", TYPE_PART },
    [VALUE_TYPES] = { "u8:u64,f32", "f31 f32, ,f32 f32: u8:u64:u64 u8:f3x,f32 all,f32",
                      ": a list of types" },
    [VALUE_BENCH_TYPES] = { "u8:u64,f32",
                            "f31 f32, ,f32 u8:f3x,f32 "
                            "an-over-long-name-of-no-type-at-all",
                            ": a list of types" },
    [VALUE_BENCH_FOLDS] = { "min,add", "sum add,,min moments segmented",
                            ": a list of add min max" },
    [VALUE_ACCURACY] = { "compensated",
                         "exact Compensated compensate compensated,reproducible",
                         ": the accuracies are " ACCURACY_NAMES },
    [VALUE_COUNT] = { "2^20", COUNTS, ": a count is a number" },
    [VALUE_BYTES] = { "64Mi", COUNTS " 64M", ": a limit in bytes is a number" },
    [VALUE_SECONDS] = { "1.5", "-1 1x 1s nan x 1e9", ": a number from" },
    [VALUE_SEPARATOR] = { ";", "ab 5 z + - . # \" \\n \xa7",
                          ": a separator is one character" },
    [VALUE_COLUMN] = { "3", "0 -1 00 18446744073709551616 =",
                       ": a column is a number from 1" },
    [VALUE_MISSING] = { "skip", "NaN zero skip,", ": is not one of skip, nan and error" },
    [VALUE_AXIS] = { "-1", "x 1.5 2147483648 1,2", ": an axis is a whole number" },
    [VALUE_SET] = { "n=2^20",
                    "n n= =3 n=-1 n=x "
                    "a_name_that_is_longer_than_any_parameter=3",
                    ": is not NAME=N" },
    [VALUE_BLOCK] = { "32,14", "0 1025 32, 32,14,2,1 x",
                      ": one to three numbers from 1 to 1024" },
    [VALUE_MODEL] = { "thesis", "Thesis none terms,thesis", ": the models are terms" },
    [VALUE_CACHE] = { "16", "on 15 49 -1 16.5", ": a cache is off, or KiB" },
    [VALUE_BY] = { "offsets:u64:1Ki",
                   "flags rows:u8 keys:bool keys: flags:u8: keys:u8:1 offsets:u32:x "
                   "offsets:u32:1:1 keys:f32x",
                   ": is not flags:TYPE, keys:TYPE or " },
};
static const struct value algorithms[ACTIONS] = {
    [ACTION_REDUCE] = { "reduce6", "best reduce7 reduce-1 Auto reduce__tiles chained",
                        ": the kernels are " REDUCE_ALGORITHM_NAMES },
    [ACTION_SCAN] = { "chained", "best reduce6 single_group_",
                      ": the algorithms are " SCAN_ALGORITHM_NAMES },
    [ACTION_EXPLAIN] = { "auto", "best reduce6 single_group_",
                         ": the algorithms are " SCAN_ALGORITHM_NAMES },
    [ACTION_TRACE] = { "chained", "best auto back single-group reduce_then_scan",
                       ": the algorithms are scan_lookback scan_chained" },
};

/* Options that take another value than those of their kind; NULL: none with these
 * operands, so options.txt has some. */
static const struct special {
    const char *name, *good;
} specials[] = {
    { "where", NULL },     { "keep", NULL },
    { "same", NULL },      { "fold", NULL },
    { "type-name", NULL }, { "calibrate", NULL },
    { "axis", "-1" },      { "components", "'int a'" },
    { "type-size", NULL }, { "out-scalars", "1" },
    { "in-scalars", "1" }, { "output", "-" },
    { "csv", "b" },        { "source", "/dev/null" },
};

static const struct special *special_of(const char *name)
{
    for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++) {
        if (strcmp(specials[i].name, name) == 0) {
            return &specials[i];
        }
    }
    return NULL;
}

static const struct value *value_of(enum action action, const struct option_row *row)
{
    return row->kind == VALUE_ALGORITHM ? &algorithms[action] : &values[row->kind];
}

static const char *good_of(enum action action, const struct option_row *row)
{
    const struct special *const special = special_of(row->name);
    /* of a scan, with --combine only, which the table does not say */
    const bool is_text = action == ACTION_EXPLAIN && strcmp(row->name, "components") == 0;

    return is_text ? NULL : special ? special->good : value_of(action, row)->good;
}

static const struct option_row *row_of(enum action action, const char *name)
{
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->commands >> action & 1 && strcmp(row->name, name) == 0) {
            return row;
        }
    }
    return NULL;
}

/* The row's option after a line; `good` is a value with which both are right, or NULL. */
static void check_values(const char *line, enum action action,
                         const struct option_row *row, const char *good)
{
    const bool is_count = row->kind == VALUE_COUNT || row->kind == VALUE_BYTES;
    const char *const name = row->name;
    const struct value *const value = value_of(action, row);
    const char *rest = value->wrong;
    char part[64], wrong[64];

    snprintf(part, sizeof(part), "--%s %s", name,
             row->kind ? "needs a value" : "takes no value");
    check(part, "%s --%s%s", line, name, row->kind ? "" : "=1");
    if (good) {
        if (*good && *good != '\'') {
            check(NULL, "%s --%s=%s", line, name, good);
        }
        check(NULL, "%s --%s %s", line, name, good);
    }
    if (is_count) {
        check(row->least > 0 ? value->part : NULL, "%s --%s 0", line, name);
    }
    snprintf(part, sizeof(part), "--%s ", name);
    for (bool more = rest; more; more = *wrong) { /* the last is empty */
        const size_t length = strcspn(rest, " ");
        snprintf(wrong, sizeof(wrong), "%.*s", (int)length, rest);
        check(value->part, "%s --%s=%s", line, name, wrong);
        assert_memory_equal(message.text, part, strlen(part));
        assert_non_null(strstr(message.text, wrong));
        rest += length + (rest[length] == ' ');
    }
}

/* Adds the option, after what it needs. */
static void add_option(char *line, enum action action, const struct option_row *row)
{
    const char *const good = good_of(action, row), *rest = row->needs;
    char word[LIST_WORD];

    while (list_next(&rest, word)) {
        const struct option_row *const needed = row_of(action, word);
        if (needed) {
            add_option(line, action, needed);
            break;
        }
    }
    sprintf(line + strlen(line), " --%s %s", row->name, good ? good : "t");
}

/* The row's option, without what it needs and with any of it. */
static void check_row(enum action action, const struct option_row *row)
{
    const char *const name = row->name, *const operands = operands_of[action];
    const char *rest = row->needs, *const good = good_of(action, row);
    char line[512], part[64], word[LIST_WORD], given[LIST_WORD + 2];
    bool is_free = !rest;

    snprintf(part, sizeof(part), "--%s goes with ", name);
    while (list_next(&rest, word)) {
        snprintf(given, sizeof(given), "--%s", word);
        is_free = is_free || strstr(operands, given);
    }
    snprintf(line, sizeof(line), "%s %s", command_rows[action].name, operands);
    if (is_free) {
        check_values(line, action, row, good);
        return;
    }
    check(part, "%s --%s %s", line, name, good ? good : "4");
    for (rest = row->needs; list_next(&rest, word);) {
        assert_true(!row_of(action, word) || strstr(message.text, word));
    }
    for (rest = row->needs; list_next(&rest, word);) {
        const struct option_row *const needed = row_of(action, word);
        if (needed) {
            snprintf(line, sizeof(line), "%s %s", command_rows[action].name, operands);
            add_option(line, action, needed);
            check_values(line, action, row, good_of(action, needed) ? good : NULL);
        }
    }
}

/* Each command takes its options, has one row of a name, and rejects all others. */
static void each_option(void **state)
{
    /* so that none comes or goes unseen */
    static const int num_of[ACTIONS] = { 2,  3,  44, 44, 31, 31, 30, 13, 14,
                                         42, 12, 10, 13, 14, 19, 9,  2,  1 };
    char part[64];

    (void)state;
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        int num = 0;
        for (const struct option_row *row = option_rows; row->name; row++) {
            const struct option_row *const own = row_of(action, row->name);
            bool is_begin = false; /* of one that the command has */
            for (const struct option_row *r = option_rows; r->name; r++) {
                is_begin =
                    is_begin || (r->commands >> action & 1 &&
                                 strncmp(r->name, row->name, strlen(row->name)) == 0);
            }
            if (row->commands >> action & 1) {
                assert_ptr_equal(own, row);
                num++;
                check_row(action, row);
            } else if (!is_begin) {
                snprintf(part, sizeof(part), "no option --%s,", row->name);
                check(part, "%s %s --%s", command_rows[action].name, operands_of[action],
                      row->name);
            }
        }
        if (num != num_of[action]) {
            fail_msg("%s has %d options", command_rows[action].name, num);
        }
    }
}

/* ---- Two options ---- */

static bool has_name(const char *list, const struct option_row *row)
{
    char word[LIST_WORD];

    while (list_next(&list, word)) {
        if (strcmp(word, row->name) == 0) {
            return true;
        }
    }
    return false;
}

static void check_pair(enum action action, const struct option_row *one,
                       const struct option_row *other)
{
    const char *const good = good_of(action, one), *const second = good_of(action, other);
    const bool is_exclusive =
        has_name(one->excludes, other) || has_name(other->excludes, one);
    char part[64];

    check(is_exclusive ? " does not go with --" : NULL, "%s %s --%s %s --%s %s",
          command_rows[action].name, operands_of[action], one->name, good, other->name,
          second);
    snprintf(part, sizeof(part), "--%s", one->name);
    assert_true(!is_exclusive || strstr(message.text, part));
}

/* Texts are checked as a whole, and may be wrong together. */
static bool is_plain(const struct option_row *row)
{
    return !row->needs && !row->letter && !special_of(row->name) &&
           value_rows[row->kind].name != value_rows[VALUE_TEXT].name;
}

/* Any two of a command's options, in either order: the table says which do not go
 * together, and options.txt says it of those that are not plain. */
static void each_pair(void **state)
{
    /* of pairs that do not go together, and of options that another one needs */
    static const int num_of[ACTIONS][2] = {
        [ACTION_REDUCE] = { 22, 33 }, [ACTION_SCAN] = { 17, 34 },
        [ACTION_MAP] = { 5, 25 },     [ACTION_SELECT] = { 5, 28 },
        [ACTION_UNIQUE] = { 4, 23 },  [ACTION_RLE] = { 1, 4 },
        [ACTION_UNRLE] = { 1, 4 },    [ACTION_EXPLAIN] = { 13, 44 },
        [ACTION_TUNE] = { 23, 0 },    [ACTION_CHECK_FOLD] = { 1, 11 },
        [ACTION_PREDICT] = { 7, 0 },
    };

    (void)state;
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        int num_excluded = 0, num_needed = 0;
        for (const struct option_row *one = option_rows; one->name; one++) {
            for (const struct option_row *other = option_rows; other->name; other++) {
                if (!(one->commands & other->commands & 1U << action)) {
                    continue;
                }
                num_excluded += has_name(one->excludes, other);
                num_needed += has_name(one->needs, other);
                if (is_plain(one) && is_plain(other)) {
                    check_pair(action, one, other);
                }
            }
        }
        if (num_excluded != num_of[action][0] || num_needed != num_of[action][1]) {
            fail_msg("%s has %d pairs that do not go together, and %d needs",
                     command_rows[action].name, num_excluded, num_needed);
        }
    }
}

/* ---- What lines say as a whole ---- */

static const char *type_shown(clfold_type type)
{
    return type ? type_name(type) : NULL;
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
        "device,csv,svg,against,combine,load,result,store,write,by,where,same,also,"
        "also_format,lengths,lengths_format,lengths_type";
    const char *const *const words =
        LIST(char *const, o->op ? options_op(o) : NULL, type_shown(o->acc),
             type_shown(o->element), o->algorithm, o->init, o->file, o->text_form.column,
             formats[o->format], o->out, formats[o->out_format], o->device, o->csv,
             o->svg, o->against, fold->combine, fold->load, fold->result, fold->store,
             type_shown(fold->out), o->by.text, fold->keep, fold->same, o->also,
             formats[o->also_format], o->lengths, formats[o->lengths_format],
             type_shown(o->lengths_type));
    const char *number_names =
        "operation,accuracy,axis,field,missing,skip,separator,count,memory,min,max,bench,"
        "folds,all_types,seed,rows,columns,help,version,raw_size,args,last_arg,in_"
        "scalars,"
        "out_scalars,out_length,commutative,partial,json,profile,quiet,no_cache,probe,"
        "show,"
        "reset,maps,milliseconds";
    const size_t *const numbers = LIST(
        size_t, o->operation, o->accuracy, (size_t)o->axis.axis, o->text_form.field,
        o->text_form.missing, o->text_form.skip, (size_t)o->text_form.separator, o->count,
        o->memory, o->min, o->max, o->bench.operation, o->bench.folds, o->bench.all_types,
        o->seed, o->rows, o->columns, o->help, o->version, o->raw_size, fold->args.num,
        fold->args.num ? fold->args.kinds[fold->args.num - 1] : 0, fold->in_scalars,
        fold->out_scalars, fold->out_length, fold->commutative, fold->partial, o->json,
        o->profile, o->quiet, o->no_cache, o->probe, o->show, o->reset, o->maps,
        (size_t)(1000 * o->seconds));
    const struct type_list *const types = o->types.num ? &o->types : &o->bench.types;
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
    for (size_t i = 0; i < types->num; i++) {
        fprintf(text, " %s:%s", type_name(types->each[i].in),
                type_name(types->each[i].type));
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
    static const struct rows_kind kinds[] = { { "line", show_line, false, false } };

    (void)state;
    rows_check_file(ROWS, kinds, 1);
}

/* Each command counts its operands, and an empty name is not one. */
static void operands(void **state)
{
    static const char *const names[] = { "", " a.npy", " a.npy b.npy" };

    (void)state;
    for (enum action action = ACTION_NONE + 1; action < ACTION_HELP; action++) {
        const struct command_row *const command = &command_rows[action];
        const int num = command->num_operands, most = num + command->num_optional;
        char part[160];
        const int length = snprintf(part, sizeof(part), "%s takes %s, and got ",
                                    command->name, command->operands);
        char *const got = part + length;
        const size_t rest = sizeof(part) - (size_t)length;

        assert_in_range(length, 1, sizeof(part) - 32);
        snprintf(got, rest, most > 0 ? "%d" : "x", most + 1);
        check(part, "%s %s x", command->name, operands_of[action]);
        if (num > 0) {
            snprintf(got, rest, "an empty name; see clfold ");
            check(part, "%s ''%s", command->name, names[num - 1]);
            snprintf(got, rest, "%d; see", num - 1);
            check(part, "%s%s", command->name, names[num - 1]);
        }
    }
}

/* Every pair of types there is, and all of them again. */
static void most_types(void **state)
{
    char line[ROWS_LINE] = "tune --types ";

    (void)state;
    for (int i = 0; i < 2 * LIST_MOST_TYPES; i++) {
        const int pair = i % LIST_MOST_TYPES;
        sprintf(line + strlen(line), "%s%s:%s", i > 0 ? "," : "",
                type_name(1 + (clfold_type)(pair / CLFOLD_F64)),
                type_name(1 + (clfold_type)(pair % CLFOLD_F64)));
    }
    check(NULL, "%s", line);
    assert_int_equal(options.types.num, LIST_MOST_TYPES);
    for (int i = 0; i < LIST_MOST_TYPES; i++) {
        assert_int_equal(options.types.each[i].in, 1 + i / CLFOLD_F64);
        assert_int_equal(options.types.each[i].type, 1 + i % CLFOLD_F64);
    }
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
    snprintf(text, sizeof(text), "Usage: clfold %s ", action ? command->name : "devices");
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

TEST_MAIN("options", NULL, NULL, cmocka_unit_test(each_option),
          cmocka_unit_test(each_pair), cmocka_unit_test(lines),
          cmocka_unit_test(operands), cmocka_unit_test(most_types),
          cmocka_unit_test(helps), cmocka_unit_test(examples))
