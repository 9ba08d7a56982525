/* The command line: each option of the table, and what whole lines mean. */
#include "list.h"
#include "options.h"
#include "options_table.h"
#include "types.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* argv[1]: the samples. */
static const char *samples_path;
static struct options options;
static struct message message;

enum { MOST_WORDS = 24, MOST_TEXT = 8192 };

/* Reads a line, whose words may be in single quotes. It must be rejected with a message
 * that has the part in it, or, where that is NULL, be read. */
MESSAGE_PRINTF(2, 3)
static void check(const char *part, const char *format, ...)
{
    char line[MOST_TEXT], words[MOST_TEXT], *argv[MOST_WORDS + 1] = { (char *)"clfold" };
    int argc = 1;
    va_list arguments;

    va_start(arguments, format);
    assert_true(vsnprintf(line, sizeof(line), format, arguments) < MOST_TEXT);
    va_end(arguments);
    for (char *at = strcpy(words, line); *(at += strspn(at, " "));) {
        const bool is_quoted = *at == '\'';
        assert_true(argc < MOST_WORDS);
        argv[argc++] = at += is_quoted;
        at += strcspn(at, is_quoted ? "'" : " ");
        at += *at ? (*at = '\0', 1) : 0;
    }
    message.text[0] = '\0';
    if (options_read(&options, argc, argv, &message) != !part ||
        (part && !strstr(message.text, part))) {
        fail_msg("\"%s\" gives \"%s\" and should give \"%s\"", line, message.text,
                 part ? part : "");
    }
}

/* ---- Each row of the table ---- */

/* All options of each command, in any order, and operands that are right. */
#define OPERATORS " combine identity cuts commutative"
#define TEXTS     " components type-name type-size source partial arg arg-file fold"
#define LOADS     TEXTS " load result out out-scalars stream in-scalars"
#define STORES    " store out-length"
#define READING   " raw text separator skip column missing memory profile"
#define ALWAYS    " device json no-cache quiet help"
static const struct command {
    const char *name, *operands, *options;
} commands[ACTIONS] = {
    { "", "", "version help" },
    { "devices", "", "probe json help" },
    { "reduce", "x",
      "op acc accuracy init algorithm kernel axis flags keys offsets keys-out "
      "lengths-out "
      "output" OPERATORS LOADS READING ALWAYS },
    { "scan", "x y.npy",
      "op acc accuracy inclusive exclusive init algorithm axis flags keys "
      "offsets" OPERATORS LOADS STORES READING ALWAYS },
    { "map", "x y.npy", "type offsets" LOADS STORES READING ALWAYS },
    { "select", "x y.npy --where=x", "type where keep rest" LOADS READING ALWAYS },
    { "unique", "x y.npy", "type same lengths" LOADS READING ALWAYS },
    { "rle", "x y.npy z.npy", READING ALWAYS },
    { "unrle", "x y.npy z.npy", "lengths-type" READING ALWAYS },
    { "explain", "scan",
      "op type acc accuracy length columns by inclusive exclusive count algorithm "
      "kernel where keep same" OPERATORS LOADS STORES ALWAYS },
    { "ladder", "", "op type predict min max csv svg" ALWAYS },
    { "trace", "", "op type count algorithm svg" ALWAYS },
    { "bench", "", "op folds types min max seconds svg against" ALWAYS },
    { "tune", "",
      "op types accuracy length columns map count seconds device file show reset quiet "
      "help" },
    { "check-fold", "--combine=a",
      "type count seed device no-cache quiet help" OPERATORS TEXTS },
    { "predict", "x", "device set block cache model calibrate explain json help" },
    { "cache", "list", "json help" },
    { "help", "", "help" },
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
    [VALUE_TEXT] = { .good = "1" },
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

/* Texts of the user's own, and what takes part of a text file: a value that is right
 * (NULL: the samples have one), and options of which it needs one. */
static const struct text {
    const char *name, *good, *needs;
} texts[] = {
    { "combine", "a", "" },
    { "load", "x", "" },
    { "result", "item", "" },
    { "store", "x", "" },
    { "where", NULL, "" },
    { "keep", NULL, "" },
    { "same", NULL, "" },
    { "rest", "r.npy", "" },
    { "lengths", "r.npy", "" },
    { "out", "f64", "" },
    { "axis", "-1", "" },
    { "output", "r.npy", "" },
    { "flags", "a", "output" },
    { "keys", "a", "output" },
    { "offsets", "a", "output" },
    { "keys-out", NULL, "keys" },
    { "lengths-out", NULL, "flags keys" },
    { "csv", "b", "" },
    { "fold", NULL, "" },
    { "type-name", NULL, "combine" },
    { "type-size", NULL, "type-name" },
    { "identity", "0", "combine" },
    { "cuts", "a", "combine" },
    { "components", "'int a'", "combine" },
    { "commutative", "", "combine" },
    { "out-length", "5", "store" },
    { "out-scalars", "1", "result store" },
    { "in-scalars", "1", "load" },
    { "partial", "", "combine load result store" },
    { "arg", "'int m=1'", "combine load result store" },
    { "arg-file", "t=t.npy", "combine load result store" },
    { "stream", "t=t.npy", "load result store" },
    { "source", "/dev/null", "combine load result store" },
    { "separator", ";", "text" },
    { "skip", "2", "text" },
    { "column", "3", "text" },
    { "missing", "skip", "text" },
    { "calibrate", NULL, "" },
};

static const struct text *text_of(const char *name)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(texts[i].name, name) == 0) {
            return &texts[i];
        }
    }
    return NULL;
}

static bool has(enum action action, const char *name)
{
    return list_has_word(commands[action].options, name);
}

static const struct value *value_of(enum action action, const struct option_row *row)
{
    return row->kind == VALUE_ALGORITHM ? &algorithms[action] : &values[row->kind];
}

static const char *good_of(enum action action, const struct option_row *row)
{
    const struct text *const text = text_of(row->name);

    return text ? text->good : row->kind ? value_of(action, row)->good : "";
}

/* The row's option after a line that is right. */
static void check_values(const char *line, enum action action,
                         const struct option_row *row)
{
    const bool is_count = row->kind == VALUE_COUNT || row->kind == VALUE_BYTES;
    const char *const name = row->name, *const good = good_of(action, row);
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
    if (is_count && !list_has_word("seed skip", name) &&
        !(action == ACTION_EXPLAIN && strcmp(name, "count") == 0)) {
        check(value->part, "%s --%s 0", line, name);
    } else if (is_count) {
        check(NULL, "%s --%s 0", line, name);
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

/* The row's option, without what it needs and with any of it. */
static void check_row(enum action action, const struct option_row *row)
{
    const char *const name = row->name, *const good = good_of(action, row);
    const struct text *const text = text_of(name);
    /* those of maps are what is written, scans and maps have their OUT, and a select has
     * its condition */
    const bool is_map =
        action == ACTION_MAP || action == ACTION_SELECT || action == ACTION_UNIQUE;
    const bool is_free =
        (is_map && list_has_word("components type-name", name)) ||
        (action == ACTION_SELECT && row->needs && strstr(row->needs, "where")) ||
        (action != ACTION_REDUCE && list_has_word("flags keys offsets", name));
    const char *rest = text && !is_free ? text->needs : "";
    char line[256], part[64], word[LIST_WORD];
    int length = snprintf(line, sizeof(line), "%s %s", commands[action].name,
                          commands[action].operands);

    if (!*rest) {
        check_values(line, action, row);
        return;
    }
    snprintf(part, sizeof(part), "--%s goes with ", name);
    for (int next; sscanf(rest, "%31s%n", word, &next) == 1; rest += next) {
        if (has(action, word)) {
            const struct text *const other = text_of(word);
            line[length] = '\0';
            if (action != ACTION_CHECK_FOLD) {
                check(part, "%s --%s %s", line, name, good ? good : "4");
                assert_non_null(strstr(message.text, word));
            }
            sprintf(line + length, " --%s %s", word,
                    !other        ? "f32"
                    : other->good ? other->good
                                  : "t");
            check_values(line, action, row);
        }
    }
}

/* Each command takes its options and rejects all others. */
static void each_option(void **state)
{
    char word[LIST_WORD];

    (void)state;
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        const struct command *const command = &commands[action];
        size_t num = 0;
        for (const struct option_row *row = option_rows; row->name; row++) {
            const bool is_listed = has(action, row->name);
            if (row->commands >> action & 1) {
                num++;
                assert_true(is_listed);
                check_row(action, row);
            } else if (!is_listed && !strstr(command->options, row->name)) {
                snprintf(word, sizeof(word), "no option --%s,", row->name);
                check(word, "%s %s --%s", command->name, command->operands, row->name);
            }
        }
        const char *rest = command->options;
        for (int next; sscanf(rest, "%31s%n", word, &next) == 1; rest += next) {
            num--;
        }
        if (num != 0) {
            fail_msg("%s lacks an option", command->name);
        }
    }
}

/* ---- Two options ---- */

static const char exclusive[] =
    "raw/text inclusive/exclusive length/columns "
    "by/length by/columns map/op map/accuracy map/length map/columns "
    "show/seconds show/op show/types show/count show/accuracy show/length show/columns "
    "show/map reset/seconds reset/op reset/types reset/count reset/device reset/accuracy "
    "reset/length reset/columns reset/map reset/show explain/json";

static void check_pair(enum action action, const struct option_row *one,
                       const struct option_row *other)
{
    const char *const good = good_of(action, one), *const second = good_of(action, other);
    char pair[64], turned[64], part[64];

    snprintf(pair, sizeof(pair), "%s/%s", one->name, other->name);
    snprintf(turned, sizeof(turned), "%s/%s", other->name, one->name);
    const bool is_exclusive =
        list_has_word(exclusive, pair) || list_has_word(exclusive, turned);
    check(is_exclusive ? " does not go with --" : NULL, "%s %s --%s%s%s --%s%s%s",
          commands[action].name, commands[action].operands, one->name, *good ? "=" : "",
          good, other->name, *second ? "=" : "", second);
    snprintf(part, sizeof(part), "--%s", one->name);
    assert_true(!is_exclusive || strstr(message.text, part));
}

/* Any two of a command's options, in either order. */
static void each_pair(void **state)
{
    (void)state;
    for (enum action action = ACTION_NONE + 1; action < ACTIONS; action++) {
        for (const struct option_row *one = option_rows; one->name; one++) {
            for (const struct option_row *other = option_rows; other->name; other++) {
                if (one->commands & other->commands & 1U << action &&
                    !text_of(one->name) && !text_of(other->name) && !one->letter &&
                    !other->letter) {
                    check_pair(action, one, other);
                }
            }
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
static void show(char *line, size_t size)
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
    FILE *const text = fmemopen(line, size, "w");
    char name[LIST_WORD];

    assert_non_null(text);
    fputs(o->action ? commands[o->action].name : "clfold", text);
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

/* In the file of samples, a line that begins with a blank goes on with the one before.
 * Each is one of the command, " -> ", and after "= " what it says, or, where it is
 * rejected, a part of the message. */
static void samples(void **state)
{
    char text[32 * 1024], shown[512];
    FILE *const file = fopen(samples_path, "r");
    int num = 0;

    (void)state;
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    assert_true(feof(file));
    fclose(file);
    for (char *cut; (cut = strstr(text, "\n    "));) {
        memmove(cut, cut + 4, strlen(cut + 4) + 1);
    }
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *const arrow = strstr(line, " -> "), *const said = arrow + 4;
        assert_non_null(arrow);
        *arrow = '\0';
        const bool is_read = strncmp(said, "= ", 2) == 0;
        check(is_read ? NULL : said, "%s", line);
        if (is_read) {
            show(shown, sizeof(shown));
            assert_string_equal(shown, said + 2);
        }
        num++;
    }
    assert_true(num > 100);
}

/* Each command counts its operands, and an empty name is not one. */
static void operands(void **state)
{
    static const char *const names[] = { "", " a.npy", " a.npy b.npy" };

    (void)state;
    for (enum action action = ACTION_NONE + 1; action < ACTION_HELP; action++) {
        const struct command *const command = &commands[action];
        const int num = command_rows[action].num_operands;
        const int most = num + command_rows[action].num_optional;
        char part[160];
        const int length = snprintf(part, sizeof(part), "%s takes %s, and got ",
                                    command->name, command_rows[action].operands);
        char *const got = part + length;
        const size_t rest = sizeof(part) - (size_t)length;

        assert_in_range(length, 1, sizeof(part) - 32);
        snprintf(got, rest, most > 0 ? "%d" : "x", most + 1);
        check(part, "%s %s x", command->name, command->operands);
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
    char line[MOST_TEXT] = "tune --types ";

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
static void join_words(char out[2 * MOST_TEXT], const char *text)
{
    assert_true(strlen(text) + 1 < 2 * MOST_TEXT);
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
    char words[2 * MOST_TEXT];

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
    char words[2 * MOST_TEXT], text[64], help[2 * MOST_TEXT];
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
            check(NULL, "%s %s", commands[action].name, spellings[i]);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option), cmocka_unit_test(each_pair),
        cmocka_unit_test(samples),     cmocka_unit_test(operands),
        cmocka_unit_test(most_types),  cmocka_unit_test(helps),
        cmocka_unit_test(examples),
    };

    assert_int_equal(argc, 2);
    samples_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
