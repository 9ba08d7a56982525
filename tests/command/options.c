/* The command line: which options the commands take, what they say, and the help. */
#include "count.h"
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

static struct options options;
static struct message message;

enum { MOST_WORDS = 24, MOST_TEXT = 4096 };

/* Reads the words of a line, which may be in single quotes. */
static bool read_line(const char *line)
{
    static char words[MOST_TEXT];
    char *argv[MOST_WORDS + 1] = { (char *)"clfold" };
    int argc = 1;

    strcpy(words, line);
    for (char *at = words; *(at += strspn(at, " "));) {
        const bool is_quoted = *at == '\'';
        assert_true(argc < MOST_WORDS);
        argv[argc++] = at += is_quoted;
        at += strcspn(at, is_quoted ? "'" : " ");
        at += *at ? (*at = '\0', 1) : 0;
    }
    message.text[0] = '\0';
    return options_read(&options, argc, argv, &message);
}

#define PRINT_LINE(line, format)                                                         \
    do {                                                                                 \
        va_list arguments;                                                               \
        va_start(arguments, format);                                                     \
        assert_true(vsnprintf(line, sizeof(line), format, arguments) < MOST_TEXT);       \
        va_end(arguments);                                                               \
    } while (0)

MESSAGE_PRINTF(1, 2)
static void check_read(const char *format, ...)
{
    char line[MOST_TEXT];

    PRINT_LINE(line, format);
    if (!read_line(line)) {
        fail_msg("\"%s\" is refused: %s", line, message.text);
    }
}

MESSAGE_PRINTF(2, 3)
static void check_refused(const char *part, const char *format, ...)
{
    char line[MOST_TEXT];

    PRINT_LINE(line, format);
    if (read_line(line)) {
        fail_msg("\"%s\" is read; it should say \"%s\"", line, part);
    }
    if (!strstr(message.text, part)) {
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", line, message.text, part);
    }
}

/* ---- Which options there are ---- */

static const struct {
    const char *name, *operands;
} commands[] = {
    { "devices", "" },     { "reduce", "x" },
    { "scan", "x y.npy" }, { "map", "x y.npy" },
    { "explain", "scan" }, { "ladder", "" },
    { "trace", "" },       { "bench", "" },
    { "tune", "" },        { "check-fold", "--combine=a" },
    { "cache", "list" },   { "help", "" },
};
#define NUM_COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* A name may stand again, for other commands or with other values. */
static const struct known {
    const char *name, *commands;
    const char *good;  /* NULL: it takes no value */
    const char *wrong; /* values, and the empty one is wrong as well */
    const char *part;  /* of what is said of them */
} known[] = {
    { .name = "version", .commands = "" },
    { .name = "probe", .commands = "devices" },
    { .name = "json",
      .commands = "devices reduce scan map explain ladder trace bench cache" },
    { .name = "profile", .commands = "reduce scan map" },
    { "op", "reduce", "prod", "Sum and MAX mul, moment a",
      ": the operators are add mul min max min-max arg-min" },
    { "op", "explain", "affine", "SUM and MAX mul, mean product",
      ": the operators are add mul min max min-max arg-min" },
    { "op", "ladder tune", "sum", "SUM and MAX mul, moments affine mean matrix-2x2",
      ": the operators are add mul min max min-max arg-min" },
    { "op", "scan", "prod", "avg and MAX mul, mean arg-min min-max",
      ": the operators are add mul min max bit-and" },
    { "op", "trace", "prod", "avg and MAX mul, mean arg-min min-max moments affine",
      ": the operators are add mul min max bit-and" },
    { "op", "bench", "reduce", "add", ": the operations are reduce, scan, all" },
    { "acc", "reduce scan explain", "f64", "float f3 F32 f321 bool",
      ": the types are i8 u8" },
    { "raw", "reduce scan map", "u8", "float i7", ": the types are i8 u8" },
    { "text", "reduce scan map", "f16", "float i7", ": the types are i8 u8" },
    { "type", "map explain ladder trace check-fold", "f64", "float i7",
      ": the types are i8 u8" },
    { "out", "reduce scan map explain", "f64", "float i7", ": the types are i8 u8" },
    { "types", "bench tune", "u8:u64,f32",
      "f31 f32, ,f32 f32: u8:u64:u64 u8:f3x,f32 all,f32 "
      "an-over-long-name-of-no-type-at-all",
      ": a list of types" },
    { "folds", "bench", "min,add", "sum add,,min", ": a list of add min max" },
    { .name = "inclusive", .commands = "scan explain" },
    { .name = "exclusive", .commands = "scan explain" },
    { "length", "explain tune", "100", "0 -1 2^64 1.5 x", ": a count is a number" },
    { "stride", "explain tune", "100", "0 -1 2^64 1.5 x", ": a count is a number" },
    { .name = "map", .commands = "tune" },
    { "accuracy", "reduce scan explain tune", "compensated",
      "exact Compensated compensate compensated,reproducible",
      ": the accuracies are " ACCURACY_NAMES },
    { "init", "reduce scan", "1", "1x 0x1p3 one", ": is not a valid number" },
    { "algorithm", "reduce", "reduce6",
      "best reduce7 reduce-1 Auto reduce__tiles chained",
      ": the kernels are " REDUCE_ALGORITHM_NAMES },
    { "kernel", "reduce", "reduce6", "best reduce7 reduce-1 Auto reduce__tiles chained",
      ": the kernels are " REDUCE_ALGORITHM_NAMES },
    { "algorithm", "scan explain", "chained", "best reduce6 single_group_",
      ": the algorithms are " SCAN_ALGORITHM_NAMES },
    { "kernel", "explain", "auto", "best reduce6 single_group_",
      ": the algorithms are " SCAN_ALGORITHM_NAMES },
    { "algorithm", "trace", "chained", "best auto back single-group reduce_then_scan",
      ": the algorithms are scan_lookback scan_chained" },
    { "count", "explain trace tune check-fold", "2^20", "-1 2^64 1.5 1e x",
      ": a count is a number" },
    { "seed", "check-fold", "2", "-1 2^64 1.5 1e x", ": a count is a number" },
    { "memory", "reduce scan map", "64Mi", "0 -1 2^64 1.5 64M x",
      ": a limit in bytes is a number" },
    { "min", "ladder bench", "1000", "-1 2^64 1.5 1e x", ": a count is a number" },
    { "max", "ladder bench", "1e9", "-1 2^64 1.5 1e x", ": a count is a number" },
    { "seconds", "bench tune", "1.5", "-1 1x 1s nan x 1e9", ": a number from" },
    { "device", "reduce scan map explain ladder trace bench tune check-fold", "cpu", "",
      "needs an index, gpu, cpu or a part of a name" },
    { .name = "no-cache",
      .commands = "reduce scan map explain ladder trace bench check-fold" },
    { .name = "quiet",
      .commands = "reduce scan map explain ladder trace bench tune check-fold" },
    { "separator", "reduce scan map", ";", "ab 5 z + - . # \" \\n \xa7",
      ": a separator is one character" },
    { "skip", "reduce scan map", "2", "-1 2^64 1.5 x", ": a count is a number" },
    { "column", "reduce scan map", "3",
      "0 -1 00 18446744073709551616 =", ": a column is a number from 1" },
    { "missing", "reduce scan map", "skip", "NaN zero skip,",
      ": is not one of skip, nan and error" },
    { "output", "reduce", "r.npy", "", "needs a file" },
    { "csv", "ladder", "a", "-", "needs a file" },
    { "svg", "ladder trace bench", "b", "-", "needs a file" },
    { "against", "bench", "b", "-", "needs a file" },
    { "file", "tune", "f", "-", "needs a file" },
    { .name = "show", .commands = "tune" },
    { .name = "reset", .commands = "tune" },
};
#define NUM_KNOWN (sizeof(known) / sizeof(known[0]))

static bool in_list(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || !at[length])) {
            return true;
        }
    }
    return false;
}

/* Of operators of the user's, and of loads and results: most say something with one of
 * these only. */
static const char operator_options[] = "combine identity cuts commutative";
static const char fold_options[] =
    "components type-name type-size source partial arg arg-file fold";
static const char load_options[] = "load stream in-scalars result out-scalars axis";
static const char store_options[] = "store out-length";

static bool takes(size_t command, const char *option)
{
    bool found =
        (in_list(operator_options, option) &&
         in_list("reduce scan explain check-fold", commands[command].name)) ||
        (in_list(fold_options, option) &&
         in_list("reduce scan map explain check-fold", commands[command].name)) ||
        (in_list(load_options, option) &&
         in_list("reduce scan map explain", commands[command].name)) ||
        (in_list(store_options, option) &&
         in_list("scan map explain", commands[command].name));

    for (size_t i = 0; i < NUM_KNOWN; i++) {
        found = found || (strcmp(known[i].name, option) == 0 &&
                          in_list(known[i].commands, commands[command].name));
    }
    return found;
}

/* Whether the command takes the name for the start of another option's. */
static bool takes_start(size_t command, const char *name)
{
    bool found = false;

    for (size_t i = 0; i < NUM_KNOWN; i++) {
        found = found || (strncmp(known[i].name, name, strlen(name)) == 0 &&
                          takes(command, known[i].name));
    }
    return found;
}

static bool needs_text(const struct known *one)
{
    return in_list("separator skip column missing", one->name);
}

/* One command's option, after a line that is right. */
static void check_option(const char *line, const struct known *one)
{
    const char *const needs = needs_text(one) ? " --text=u8" : "";
    char part[64], wrong[512];

    if (!one->good) {
        check_read("%s --%s", line, one->name);
        snprintf(part, sizeof(part), "--%s takes no value", one->name);
        check_refused(part, "%s --%s=1", line, one->name);
        return;
    }
    check_read("%s --%s=%s%s", line, one->name, one->good, needs);
    check_read("%s --%s %s%s", line, one->name, one->good, needs);
    if (*needs) {
        snprintf(part, sizeof(part), "--%s goes with --text only", one->name);
        check_refused(part, "%s --%s %s", line, one->name, one->good);
        check_refused(part, "%s --%s %s --raw u8", line, one->name, one->good);
    }
    snprintf(part, sizeof(part), "--%s needs a value", one->name);
    check_refused(part, "%s --%s", line, one->name);
    snprintf(part, sizeof(part), "--%s ", one->name);
    const char *rest = one->wrong;
    do {
        const size_t length = strcspn(rest, " ");
        snprintf(wrong, sizeof(wrong), "%.*s", (int)length, rest);
        check_refused(one->part, "%s --%s=%s", line, one->name, wrong);
        assert_memory_equal(message.text, part, strlen(part));
        assert_non_null(strstr(message.text, wrong));
        rest += length + (rest[length] == ' ');
    } while (*wrong);
}

/* Each command takes its options and refuses all others. */
static void each_option(void **state)
{
    char line[64], part[64];

    (void)state;
    for (size_t c = 0; c < NUM_COMMANDS; c++) {
        snprintf(line, sizeof(line), "%s %s", commands[c].name, commands[c].operands);
        for (size_t i = 0; i < NUM_KNOWN; i++) {
            const char *const name = known[i].name;
            if (in_list(known[i].commands, commands[c].name)) {
                check_option(line, &known[i]);
            } else if (!takes(c, name) && !takes_start(c, name)) {
                snprintf(part, sizeof(part), "no option --%s", name);
                check_refused(part, "%s --%s", line, name);
            }
        }
    }
}

static void check_pair(size_t command, const struct known *one, const struct known *other)
{
    static const char exclusive[] =
        "raw/text inclusive/exclusive show/reset show/seconds show/op show/types "
        "show/count reset/seconds reset/op reset/types reset/count reset/device "
        "length/stride map/op map/accuracy map/length map/stride show/accuracy "
        "show/length show/stride show/map reset/accuracy reset/length reset/stride "
        "reset/map";
    const struct known *const both[] = { one, other };
    char line[256], pair[2][64];

    snprintf(line, sizeof(line), "%s %s", commands[command].name,
             commands[command].operands);
    for (int i = 0; i < 2; i++) {
        snprintf(line + strlen(line), 64, both[i]->good ? " --%s=%s" : " --%s",
                 both[i]->name, both[i]->good);
        snprintf(pair[i], sizeof(pair[i]), "%s/%s", both[i]->name, both[1 - i]->name);
    }
    for (int i = 0; i < 2; i++) {
        if (needs_text(both[i]) && strcmp(both[1 - i]->name, "raw") == 0) {
            check_refused("goes with --text only", "%s", line);
            return;
        }
        if (needs_text(both[i]) && !strstr(line, " --text=")) {
            strcat(line, " --text=u8");
        }
    }
    if (!in_list(exclusive, pair[0]) && !in_list(exclusive, pair[1])) {
        check_read("%s", line);
        return;
    }
    check_refused(" does not go with --", "%s", line);
    assert_non_null(strstr(message.text, one->name));
    assert_non_null(strstr(message.text, other->name));
}

/* Any two of a command's options, in either order, and each one twice. */
static void each_pair(void **state)
{
    (void)state;
    for (size_t c = 0; c < NUM_COMMANDS; c++) {
        for (size_t i = 0; i < NUM_KNOWN * NUM_KNOWN; i++) {
            const struct known *const one = &known[i / NUM_KNOWN];
            const struct known *const other = &known[i % NUM_KNOWN];
            if (in_list(one->commands, commands[c].name) &&
                in_list(other->commands, commands[c].name)) {
                check_pair(c, one, other);
            }
        }
    }
}

/* The least and the greatest value, and one beyond each. */
static void each_bound(void **state)
{
#define COUNT_MAX    "18446744073709551615"
#define COUNT_BEYOND "18446744073709551616"
    static const struct {
        const char *option, *good, *beyond;
    } bounds[] = {
        { "explain scan --count", "0", "-1" },
        { "explain scan --count", COUNT_MAX, COUNT_BEYOND },
        { "reduce x --memory", "1", "0" },
        { "scan x - --memory", COUNT_MAX, COUNT_BEYOND },
        { "trace --count", "1", "0" },
        { "trace --count", COUNT_MAX, COUNT_BEYOND },
        { "tune --count", "1", "0" },
        { "tune --count", COUNT_MAX, COUNT_BEYOND },
        { "ladder --min", "1", "0" },
        { "ladder --min", "33554432", "33554433" },
        { "ladder --max", "131072", "131071" },
        { "ladder --min 1 --max", "1", "0" },
        { "ladder --max", COUNT_MAX, COUNT_BEYOND },
        { "bench --min", "1", "0" },
        { "bench --min", COUNT_MAX, COUNT_BEYOND },
        { "bench --max", "1", "0" },
        { "bench --max", COUNT_MAX, COUNT_BEYOND },
        { "bench --seconds", "0", "-0.001" },
        { "bench --seconds", "3600", "3600.001" },
        { "tune --seconds", "0.001", "0.0009" },
        { "tune --seconds", "86400", "86400.001" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        check_read("%s %s", bounds[i].option, bounds[i].good);
        check_refused(bounds[i].beyond, "%s %s", bounds[i].option, bounds[i].beyond);
    }
}

/* ---- What a line says as a whole ---- */

static void show_name(FILE *text, const char *name, const char *value)
{
    if (value) {
        fprintf(text, " %s=%s", name, value);
    }
}

static void show_number(FILE *text, const char *name, double number)
{
    if (number != 0) {
        fprintf(text, " %s=%.15g", name, number);
    }
}

static void show_types(FILE *text, const struct type_list *types)
{
    for (size_t i = 0; i < types->num; i++) {
        fprintf(text, "%s%s:%s", i > 0 ? "," : " types=", type_name(types->each[i].in),
                type_name(types->each[i].type));
    }
}

/* All that was read and is not 0, in one line. */
static char *show(void)
{
    static const char *const operations[] = {
        [CLFOLD_REDUCE] = " reduce",
        [CLFOLD_INCLUSIVE_SCAN] = " inclusive",
        [CLFOLD_EXCLUSIVE_SCAN] = " exclusive",
        [CLFOLD_MAP] = " map",
    };
    static const char *const formats[] = {
        [FORMAT_RAW] = "raw", [FORMAT_TEXT] = "text", [FORMAT_NPY] = NULL
    };
    const struct options *const o = &options;
    size_t size;
    char *line;
    FILE *const text = open_memstream(&line, &size);

    assert_non_null(text);
    fprintf(text, "%s%s", o->action ? commands[o->action - 1].name : "clfold",
            o->operation ? operations[o->operation] : "");
    show_name(text, "op", o->op ? options_op(o) : NULL);
    show_name(text, "acc", o->acc ? type_name(o->acc) : NULL);
    show_name(text, "type", o->element ? type_name(o->element) : NULL);
    show_types(text, &o->types);
    show_number(text, "accuracy", o->accuracy);
    show_name(text, "algorithm", o->algorithm);
    show_name(text, "init", o->init);
    if (o->axis.is_given) {
        fprintf(text, " axis=%d", o->axis.axis);
    }
    show_name(text, "file", o->file);
    show_name(text, "column", o->text_form.column);
    show_number(text, "field", (double)o->text_form.field);
    show_number(text, "missing", o->text_form.missing);
    show_number(text, "skip", (double)o->text_form.skip);
    show_number(text, "separator", o->text_form.separator);
    fputs(o->quiet ? " quiet" : "", text);
    show_name(text, "format", formats[o->format]);
    show_name(text, "out", o->out);
    show_name(text, "out_format", formats[o->out_format]);
    show_name(text, "device", o->device);
    show_number(text, "count", (double)o->count);
    show_number(text, "memory", (double)o->memory);
    show_number(text, "min", (double)o->min);
    show_number(text, "max", (double)o->max);
    show_number(text, "seconds", o->seconds);
    show_name(text, "csv", o->csv);
    show_name(text, "svg", o->svg);
    show_name(text, "against", o->against);
    show_number(text, "bench_operation", o->bench.operation);
    show_number(text, "bench_folds", o->bench.folds);
    show_types(text, &o->bench.types);
    fprintf(text, "%s%s%s%s%s%s%s%s", o->bench.all_types ? " all_types" : "",
            o->json ? " json" : "", o->profile ? " profile" : "",
            o->probe ? " probe" : "", o->show ? " show" : "", o->reset ? " reset" : "",
            o->help ? " help" : "", o->version ? " version" : "");
    assert_int_equal(fclose(text), 0);
    return line;
}

static void lines(void **state)
{
    static const struct {
        const char *line, *shown;
    } cases[] = {
        { "--version", "clfold version" },
        { "-V", "clfold version" },
        { "-Vh", "clfold version" },
        { "-h", "clfold help" },
        { "help", "clfold help" },
        { "help --help", "help help" },
        { "help help", "help help" },
        { "help reduce", "reduce help" },
        { "help -- tune", "tune help" },
        { "--help", "clfold help" },
        { "devices", "devices" },
        { "devices --json", "devices json" },
        { "devices --probe", "devices probe" },

        { "reduce x.npy", "reduce reduce op=add file=x.npy" },
        { "reduce --op=max - --acc=u64 --raw=u8 --device=gpu --json",
          "reduce reduce op=max acc=u64 type=u8 file=- format=raw device=gpu json" },
        { "reduce --text i8 --text=f16 --kernel reduce-tiles x --profile",
          "reduce reduce op=add type=f16 algorithm=reduce_tiles file=x format=text "
          "profile" },
        { "reduce --accuracy compensated x", "reduce reduce op=add accuracy=1 file=x" },
        { "scan --accuracy=reproducible --accuracy deterministic x y.npy",
          "scan inclusive op=add file=x out=y.npy" },
        { "reduce --axis 0 --output y.npy x",
          "reduce reduce op=add axis=0 file=x out=y.npy" },
        { "reduce --axis 0 x",
          "reduce reduce op=add axis=0 file=x out=- out_format=text" },
        { "reduce --output - x", "reduce reduce op=add file=x out=-" },
        { "scan --column ==2 --text f32 --missing nan x y.npy",
          "scan inclusive op=add type=f32 file=x column===2 missing=2 format=text "
          "out=y.npy" },
        { "scan --axis -1 x y.npy", "scan inclusive op=add axis=-1 file=x out=y.npy" },
        { "scan --axis=2147483647 x y.npy",
          "scan inclusive op=add axis=2147483647 file=x out=y.npy" },
        { "reduce --kernel=reduce1 --algorithm=reduce6 x",
          "reduce reduce op=add algorithm=reduce6 file=x" },
        { "reduce --algorithm=reduce6 --kernel=reduce1 x",
          "reduce reduce op=add algorithm=reduce1 file=x" },
        { "reduce --kernel=reduce1 --algorithm=auto x", "reduce reduce op=add file=x" },
        { "reduce --op mean --acc f64 --raw u8 x",
          "reduce reduce op=mean acc=f64 type=u8 file=x format=raw" },
        { "reduce --op mean --op sum --acc i8 x", "reduce reduce op=add acc=i8 file=x" },
        { "reduce --init 1e999 x", "reduce reduce op=add init=1e999 file=x" },
        { "scan --op sum a b.npy", "scan inclusive op=add file=a out=b.npy" },
        { "explain reduce --op prod", "explain reduce op=mul type=f32 count=67108864" },
        { "ladder --op sum", "ladder op=add type=i32 min=131072 max=33554432" },
        { "tune --op prod", "tune op=mul seconds=90" },
        { "reduce --op add -- --json", "reduce reduce op=add file=--json" },
        { "reduce --memory 64Mi x", "reduce reduce op=add file=x memory=67108864" },

        { "reduce --text i8 --separator \\t --skip 1Ki --column 12 --quiet x",
          "reduce reduce op=add type=i8 file=x column=12 field=12 skip=1024 separator=9 "
          "quiet format=text" },
        { "scan --separator=, --column a=b --column 1e3 x y.npy --text f32",
          "scan inclusive op=add type=f32 file=x column=1e3 separator=44 format=text "
          "out=y.npy" },
        { "reduce --column 2 --column=x2 --text u8 x",
          "reduce reduce op=add type=u8 file=x column=x2 format=text" },

        { "scan a.npy b.npy", "scan inclusive op=add file=a.npy out=b.npy" },
        { "scan - --exclusive --op=max --init -7 --acc=i16 x.txt --algorithm "
          "then-propagate --raw=u8 --device=gpu --json --profile",
          "scan exclusive op=max acc=i16 type=u8 algorithm=scan_then_propagate init=-7 "
          "file=- format=raw out=x.txt out_format=text device=gpu json profile" },
        { "scan --inclusive --inclusive a .bin",
          "scan inclusive op=add file=a out=.bin out_format=raw" },
        /* standard output takes the format of the input */
        { "scan a -", "scan inclusive op=add file=a out=-" },
        { "scan --raw u8 a.npy -",
          "scan inclusive op=add type=u8 file=a.npy format=raw out=- out_format=raw" },
        { "scan a.bin - --text=f32",
          "scan inclusive op=add type=f32 file=a.bin format=text out=- "
          "out_format=text" },
        /* standard output by its other name, and what is written into as it is */
        { "scan a /dev/stdout", "scan inclusive op=add file=a out=-" },
        { "scan --raw u8 a /dev/null", "scan inclusive op=add type=u8 file=a format=raw "
                                       "out=/dev/null out_format=raw" },
        /* what may be right for the type that an .npy file tells is not refused before */
        { "scan --init -1 a b.npy", "scan inclusive op=add init=-1 file=a out=b.npy" },
        { "scan --init=1.5 a b.npy", "scan inclusive op=add init=1.5 file=a out=b.npy" },
        { "scan --init 1e999 a b.npy",
          "scan inclusive op=add init=1e999 file=a out=b.npy" },

        { "map a b.npy", "map map file=a out=b.npy" },
        { "map --type f64 --raw u8 --json --memory 1Ki --profile --device 1 --quiet a "
          "b.txt",
          "map map acc=f64 type=u8 file=a quiet format=raw out=b.txt out_format=text "
          "device=1 memory=1024 json profile" },
        { "explain map", "explain map type=f32 count=67108864" },
        { "explain map --algorithm map-tiles --acc f64 --out f16",
          "explain map acc=f64 type=f32 algorithm=map_tiles count=67108864" },
        { "explain reduce", "explain reduce op=add type=f32 count=67108864" },
        { "explain --type=u8 --acc=u64 --op=max reduce --count=64Ki --kernel=reduce6 "
          "--device=1 --json",
          "explain reduce op=max acc=u64 type=u8 algorithm=reduce6 device=1 count=65536 "
          "json" },
        { "explain reduce --algorithm reduce_tiles --count 0",
          "explain reduce op=add type=f32 algorithm=reduce_tiles" },
        { "explain scan", "explain inclusive op=add type=f32 count=67108864" },
        /* the algorithm's name may come before the operation whose it is */
        { "explain --algorithm single-group --exclusive scan",
          "explain exclusive op=add type=f32 algorithm=scan_single_group "
          "count=67108864" },

        { "ladder", "ladder op=add type=i32 min=131072 max=33554432" },
        { "ladder --type=f64 --op max --min 1000 --max=1e6 --device gpu --csv a --svg b "
          "--json",
          "ladder op=max type=f64 device=gpu min=1000 max=1000000 csv=a svg=b json" },

        { "trace",
          "trace inclusive op=add type=f32 algorithm=scan_lookback count=16777216" },
        { "trace --count=1e6 --type i8 --op bit-xor --algorithm chained --device cpu "
          "--svg a --json",
          "trace inclusive op=bit-xor type=i8 algorithm=scan_chained device=cpu "
          "count=1000000 svg=a json" },

        { "bench", "bench min=1048576 max=67108864 seconds=1" },
        { "bench --op=scan --folds add,arg-min --types=f32,u8:u64 --min=2^10 --max 1e6 "
          "--seconds=0.25 --device cpu --json --svg a",
          "bench device=cpu min=1024 max=1000000 seconds=0.25 svg=a bench_operation=2 "
          "bench_folds=9 types=f32:f32,u8:u64 json" },
        { "bench --against a", "bench min=1048576 max=67108864 seconds=1 against=a" },
        { "bench --types all --seconds 0", "bench min=1048576 max=67108864 all_types" },
        /* one bound alone moves the other */
        { "bench --max 2^14", "bench min=16384 max=16384 seconds=1" },
        { "bench --max 2^22", "bench min=1048576 max=4194304 seconds=1" },
        { "bench --min 2^28", "bench min=268435456 max=268435456 seconds=1" },
        { "bench --min 5", "bench min=5 max=67108864 seconds=1" },

        { "tune", "tune op=add seconds=90" },
        { "tune --device cpu --seconds 1.5 --file=f --op max --types=u8:u64,f32,i16:i16 "
          "--count 2^20",
          "tune op=max types=u8:u64,f32:f32,i16:i16 file=f device=cpu count=1048576 "
          "seconds=1.5" },
        /* each pair of types is tuned once, where it stands first */
        { "tune --types f32,u8,f32:f32,u8:u64,u8,f32",
          "tune op=add types=f32:f32,u8:u8,u8:u64 seconds=90" },
        { "tune --show --device=1 --file f",
          "tune op=add file=f device=1 seconds=90 show" },
        { "tune --reset --file f", "tune op=add file=f seconds=90 reset" },
        { "tune --sho", "tune op=add seconds=90 show" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_read("%s", cases[i].line);
        char *const shown = show();
        assert_string_equal(shown, cases[i].shown);
        free(shown);
    }
}

/* What no single option's value tells. */
static void refused(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        { "", "no command was given; see clfold --help" },
        { "fold", "no command fold" },
        { "''", "no command ;" },
        { "--json", "no option --json, or it is not unique; see clfold --help" },
        { "-x", "no option -x; see clfold --help" },
        { "reduce -V", "no option -V; see clfold reduce --help" },
        { "--version=1", "--version takes no value" },
        { "help fold", "no command fold; see clfold --help" },
        { "help ''", "help takes one COMMAND at most, and got an empty name" },
        { "help --json", "no option --json" },
        { "help reduce scan", "help takes one COMMAND at most, and got 2" },
        { "--help=x", "--help takes no value" },
        { "devices x", "devices takes no argument, and got x" },
        { "ladder x", "ladder takes no argument, and got x" },
        { "trace x", "trace takes no argument, and got x" },
        { "bench x", "bench takes no argument, and got x" },
        { "tune x y", "tune takes no argument, and got x; see clfold tune --help" },
        { "reduce", "one FILE, and got 0" },
        { "reduce a b", "one FILE, and got 2" },
        { "scan", "scan takes IN and OUT, and got 0" },
        { "scan a.npy", "IN and OUT, and got 1" },
        { "reduce ''",
          "reduce takes one FILE, and got an empty name; see clfold reduce --help" },
        { "scan '' a.npy", "IN and OUT, and got an empty name" },
        { "explain ''", "and got an empty name" },
        { "scan a.npy b.npy c.npy", "IN and OUT, and got 3" },
        { "cache", "cache takes one of list, verify and clear, and got 0" },
        { "cache remove", "and got remove" },
        { "cache clear --json", "--json goes with cache list, not with cache clear" },
        { "explain", "explain takes one operation, reduce, scan or map, and got 0" },
        { "explain ladder", "and got ladder" },
        { "explain reduce x", "and got 2" },
        { "reduce --bad a", "no option --bad" },
        { "reduce -x a", "no option -x" },
        { "ladder --m 1", "no option --m, or it is not unique" },
        { "trace --window 8", "no option --window" },

        { "scan a b", "OUT b: its name must end in .npy" },
        { "scan a ''", "scan takes IN and OUT, and got an empty name" },
        { "scan a npy", "OUT npy: " },
        { "scan a b.npy.gz", "OUT b.npy.gz: " },
        { "scan a b.NPY", "OUT b.NPY: " },
        { "scan a /dev/nothing", "OUT /dev/nothing: its name must end" },
        { "map", "map takes IN and OUT, and got 0" },
        { "map a b", "OUT b: its name must end in .npy" },
        { "map --json a -", "--json and OUT - both go to" },
        { "map --op add a b.npy", "no option --op" },
        { "map --combine a a b.npy", "no option --combine" },
        { "map --init 1 a b.npy", "no option --init" },
        { "reduce --json --output - a", "--json and --output - both go to" },
        { "reduce --json --axis 0 a", "--json with --axis needs --output" },
        { "reduce --text i32 --missing nan a", "--missing nan needs a type of floats" },
        { "scan --text u8 --missing nan a -", "--missing nan needs a type of floats" },
        { "map --text u8 --missing nan a -", "--missing nan needs a type of floats" },
        { "scan --json a -", "--json and OUT - both go to" },
        { "scan --json a /dev/stdout", "--json and OUT - both go to" },
        { "scan --op arg-min a b.npy", "--op arg-min: the operators are " SCAN_OP_NAMES },
        { "trace --op affine", "--op affine: the operators are " TRACE_OP_NAMES },
        { "bench --folds moments", "--folds moments: a list of add" },
        { "check-fold --op affine", "no option --op" },
        /* of a type that is known, and of one that the file will tell */
        { "scan --init 1.5 --raw i8 a b.npy",
          "--init 1.5: is not a valid number of type i64" },
        { "reduce --init 1.5 --raw i8 a",
          "--init 1.5: is not a valid number of type i64" },
        { "reduce --init -1 --op max --raw u8 a",
          "--init -1: is out of the range of u8" },
        { "reduce --init 1 --op arg-min a", "--init does not go with --op arg-min" },
        { "reduce --init 1 --op min-max a", "--init does not go with --op min-max" },
        { "reduce --init 1 --op mean a", "--init does not go with --op mean" },
        { "reduce --init 1 --op moments a", "--init does not go with --op moments" },
        { "scan --init 1 --op affine a b.npy", "--init does not go with --op affine" },
        { "reduce --op affine --raw 8 a", "--raw 8: a number of bytes goes with" },
        { "reduce --op moments --acc i32 a",
          "--acc i32 does not go with --op moments, which folds in f32 or f64" },
        { "scan --op moments --acc f16 a b.npy", "--acc f16 does not go with --op" },
        { "explain reduce --op moments --acc i8", "--acc i8 does not go with --op" },
        { "reduce --op mean --acc f32 a",
          "--acc f32 does not go with --op mean, which folds in f64" },
        { "reduce --acc i64 --op=mean a", "--acc i64 does not go with --op mean" },
        { "scan --init -1 --text u8 a b.npy", "--init -1: is out of the range of u64" },
        { "scan --init 128 --acc i8 a b.npy", "--init 128: is out of the range of i8" },
        { "scan --init 300 --op max --raw u8 a b.npy",
          "--init 300: is out of the range of u8" },
        { "scan --init 1e40 --text f32 a b.npy",
          "--init 1e40: is out of the range of f32" },

        { "explain reduce --exclusive", "go with explain scan" },
        { "explain --inclusive reduce", "go with explain scan" },
        { "explain map --exclusive", "go with explain scan, not with explain map" },
        { "explain map --op add", "--op add: a map has no operator" },
        { "explain map --accuracy compensated",
          "--accuracy compensated: a map has no operator" },
        { "explain map --kernel serial",
          "--kernel serial: the algorithms are auto map_tiles" },
        { "explain map --out u8",
          "--out: f32 cannot be written as out u8: floats need a float type" },
        { "explain scan --out u8", "--out: f32 cannot be written as out u8" },
        { "explain --kernel=single-group reduce",
          "--kernel single-group: the kernels are auto reduce_tiles" },

        { "ladder --min 9 --max 8", "--min 9 is more than --max 8" },
        { "ladder --min 2^26", "--min 67108864 is more than --max 33554432" },
        { "ladder --csv a --svg a", "name one file, a" },
        { "ladder --type f32 --op bit-or", "--op bit-or does not go with --type f32" },
        { "trace --op bit-or", "--op bit-or does not go with --type f32" },

        { "bench --min 9 --max 8", "--min 9 is more than --max 8" },
        { "bench --types i32:f64", "--types i32:f64: i32 is not folded in f64 here" },
        { "bench --types u64:u8", "--types u64:u8: u64 is not folded in u8 here" },
        { "bench --op scan --folds arg-min", "leave no case" },
        { "bench --folds segmented", "a list of add min max arg-min" },

        { "tune --s 1", "no option --s, or it is not unique" },
        { "tune --show --reset", "--show does not go with --reset" },
        { "tune --count 1 --show", "--count does not go with --show" },
        { "tune --length 3 --stride 3", "--length does not go with --stride" },
        { "explain scan --stride 3 --length 3", "--length does not go with --stride" },
        { "tune --map --op max", "--op does not go with --map" },
        { "tune --map --length 3", "--length does not go with --map" },
        { "tune --reset --map", "--map does not go with --reset" },
        { "reduce --text u8 --raw u8 a", "--raw does not go with --text" },
        { "scan --inclusive --exclusive a b.npy",
          "--inclusive does not go with --exclusive" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_refused(cases[i].part, "%s", cases[i].line);
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
    check_read("%s", line);
    assert_int_equal(options.types.num, LIST_MOST_TYPES);
    for (int i = 0; i < LIST_MOST_TYPES; i++) {
        assert_int_equal(options.types.each[i].in, 1 + i / CLFOLD_F64);
        assert_int_equal(options.types.each[i].type, 1 + i % CLFOLD_F64);
    }
}

/* An operator of the user's, in any order of its options; errors name them. */
static void operators(void **state)
{
    static const struct {
        const char *line, *part;
    } cases[] = {
        { "reduce --combine 'a + (b' x", "--combine: a bracket that is not closed" },
        { "reduce --identity 0 x", "--identity goes with --combine only" },
        { "reduce --partial x",
          "--partial goes with --combine, --load or --result only" },
        { "map --arg 'int m=1' x y.npy",
          "--arg goes with --load, --result or --store only" },
        { "check-fold --arg 'int m=1'", "--arg goes with --combine only" },
        { "scan --source x x y.npy",
          "--source goes with --combine, --load, --result, --store or --type-name "
          "only" },
        { "reduce --combine a --stream y=y.npy x",
          "--stream goes with --load or --result only" },
        { "reduce --result '(item' x", "--result: a bracket that is not closed" },
        { "scan --result 'item;' x y.npy", "--result: a semicolon at character 5" },
        { "map --result '' x y.npy", "--result: is empty" },
        { "map --store 'out[i] = (x;' x y.npy", "--store: a bracket that is not closed" },
        { "scan --store '' x y.npy", "--store: is empty" },
        { "map --store x --result x x y.npy", "--result does not go with --store" },
        { "scan --out-length 4 x y.npy", "--out-length goes with --store only" },
        { "map --result x --out-scalars 5 x y.npy",
          "--out-scalars: 5 is not from 1 to 4" },
        { "map --result x --out-scalars 0 x y.npy", "--out-scalars 0: a count" },
        { "map --out-scalars 2 x y.npy",
          "--out-scalars goes with --result or --store only" },
        { "map --components 'int a, b' --result item.a --out-scalars 1 x y.npy",
          "--out-scalars: is 1, but out is 0" },
        { "map --raw f32 --out u8 x y.npy", "--out: f32 cannot be written as out u8" },
        { "reduce --op moments --out u64 x", "--out: f64 cannot be written as out u64" },
        { "reduce --op mean --out f32 x", "--out does not go with --op mean" },
        { "reduce --op mean --result item x", "--result does not go with --op mean" },
        { "map --type-name t --type-size 4 --type f32 x y.npy",
          "--type does not go with --type-name" },
        { "map --components 'int a' --type f32 x y.npy",
          "--type does not go with --components" },
        { "map --type-name t --type-size 4 --out u8 x y.npy",
          "--out: u8 is given with type_name, which needs a result" },
        { "map --type-name t x y.npy", "--type-name needs --type-size" },
        { "map --type-name t --type-size 4 x y.txt", "y.txt: only the source knows" },
        { "map --raw 4 x y.npy", "--raw 4: a number of bytes goes with --components" },
        { "map --components 'int a; int b' --raw 4 x y.npy",
          "--raw 4: an element has 8 bytes" },
        { "reduce --combine a --in-scalars 2 x", "--in-scalars goes with --load only" },
        { "reduce --load x --identity 0 x", "--identity goes with --combine only" },
        { "reduce --load x --stream y x", "--stream y: is not of the form NAME=FILE" },
        { "reduce --load x --in-scalars 5 x", "--in-scalars: 5 is not from 1 to 4" },
        { "reduce --load x --in-scalars 2^32 x", "--in-scalars: 4294967295 is not from" },
        { "reduce --load x --in-scalars 0 x", "--in-scalars 0: a count" },
        { "scan --load 'x; y' x y.npy", "--load: a semicolon at character 2" },
        { "reduce --load x --arg 'int x=1' x", "args[0]: the name x is reserved" },
        { "reduce --load x --op bit-or --raw f32 x",
          "BIT_OR folds integers only, but type is f32" },
        { "check-fold --combine a --load x", "no option --load" },
        { "reduce --combine a --type-name t x", "--type-name needs --type-size" },
        { "reduce --combine a --type-name t --type-size 0 x", "--type-size 0: a count" },
        { "reduce --combine a --type-name t --type-size 257 --output r.npy x",
          "--type-size: 257 is not from 1 to 256" },
        { "reduce --combine a --type-name t --type-size 4 --output r.txt x",
          "r.txt: only the source knows" },
        { "reduce --combine a --type-size 4 x", "--type-size goes with --type-name" },
        { "reduce --combine a --components 'int a' --type-name t --type-size 4 x",
          "--type-name does not go with --components" },
        { "reduce --combine a --components 'int a' --acc i64 x",
          "--acc does not go with --components" },
        { "reduce --combine a --init 1 x", "--init does not go with --combine" },
        { "scan --op add --combine a x y.npy", "--op does not go with --combine" },
        { "scan --exclusive --combine a x y.npy", "--exclusive needs --identity" },
        { "reduce --combine a --arg m x", "--arg m: is not of the form TYPE" },
        { "reduce --combine a --raw 0 x", ": the types are i8 u8" },
        { "reduce --combine a --raw 4097 x", ": the types are i8 u8" },
        { "explain map --combine a", "--combine: a map has no operator" },
        { "explain reduce --components 'int a'",
          "--components goes with --combine only" },
        { "explain scan --type-name t --type-size 4 --load x",
          "--type-name goes with --combine only" },
        { "explain reduce --store 'out[0] = item;'",
          "--store goes with scans and maps only" },
        { "explain scan --load '(x'", "--load: a bracket that is not closed" },
        { "explain map --stream y=y.npy", "--stream goes with --load, --result or" },
        { "explain scan --exclusive --combine a", "--exclusive needs --identity" },
        { "explain reduce --op max --combine a", "--op does not go with --combine" },
        { "check-fold", "check-fold needs --combine or --fold" },
        { "check-fold --combine a x", "check-fold takes no argument" },
        { "reduce --output r x", "--output r: its name must end in .npy" },
    };

    (void)state;
    check_read("reduce --identity 0 --combine 'a + b' --commutative --acc f64 x");
    assert_string_equal(options.fold.combine, "a + b");
    assert_true(options.fold.commutative);
    check_read("scan --combine '{ a.x, b.y }' --components 'int x; uint y' --raw 8 x -");
    assert_int_equal(options.raw_size, 8);
    check_read(
        "reduce --combine a --arg 'int m=1' --arg-file t=t.npy --arg 'half h=2' x");
    assert_int_equal(options.fold.args.num, 3);
    assert_int_equal(options.fold.args.kinds[1], ARG_FILE);
    assert_int_equal(options.fold.args.kinds[2], ARG_VALUE);
    check_read(
        "reduce --op max --load 'x * y' --stream y=y.npy --in-scalars 1 --init 2 x");
    assert_string_equal(options.fold.load, "x * y");
    assert_int_equal(options.fold.args.kinds[0], ARG_STREAM);
    assert_int_equal(options.fold.in_scalars, 1);
    check_read("scan --exclusive --load x --combine a --identity 0 x y.npy");
    check_read("reduce --result '{ item, n }' --out f16 --out-scalars 2 --stream y=y x");
    assert_string_equal(options.fold.result, "{ item, n }");
    assert_int_equal(options.fold.out, CLFOLD_F16);
    assert_int_equal(options.fold.out_scalars, 2);
    check_read("scan --store 'out[0].y = 1;' --out-scalars 2 --out-length 2^40 x y.npy");
    assert_string_equal(options.fold.store, "out[0].y = 1;");
    assert_int_equal(options.fold.out_length, (size_t)1 << 40);
    check_read(
        "reduce --combine a --type-name t --type-size 4 --result item.x --out u8 x");
    check_read("map --components 'int a; int b' --raw 8 --out f64 x y.txt");
    check_read("map --type-name t --type-size 4 --source /dev/null --raw 4 x -");
    check_read("explain scan --combine a --components 'int a; uint b' --type f64");
    check_read(
        "explain map --components 'int a; uint b' --load '{ 1, x }' --in-scalars 1 "
        "--type f64 --store 'out[0].a = item.a;'");
    assert_int_equal(options.element, CLFOLD_F64);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_refused(cases[i].part, "%s", cases[i].line);
    }
}

/* ---- Help ---- */

/* Says nothing twice, by its long lines and by the forms of a count. */
static void check_once(const char *help)
{
    const char *const forms = strstr(help, COUNT_FORMS);

    assert_true(!forms || !strstr(forms + 1, COUNT_FORMS));
    for (const char *line = help, *end; *line; line = end) {
        char text[128];
        end = line + strcspn(line, "\n") + 1;
        assert_true((size_t)(end - line) < sizeof(text));
        snprintf(text, sizeof(text), "%.*s", (int)(end - line), line);
        if (end - line > 40 && strstr(end, text)) {
            fail_msg("the help says twice: %s", text);
        }
    }
}

/* It fits 80 columns and lists the options that the command takes, and no others. */
static void check_help(enum action action)
{
    bool listed[NUM_KNOWN] = { 0 }, letter = false, version = false;
    size_t size;
    char *help;
    FILE *const stream = open_memstream(&help, &size);

    assert_non_null(stream);
    options_help(stream, action);
    assert_int_equal(fclose(stream), 0);
    check_once(help);
    for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64];
        assert_true(strlen(line) <= 80);
        letter = letter || strncmp(line, "  -h, --help ", 13) == 0;
        version = version || strncmp(line, "  -V, --version ", 16) == 0;
        if (sscanf(line, "  --%63[a-z-]", name) != 1 || !action) {
            continue;
        }
        if (!takes(action - 1, name)) {
            fail_msg("%s --help has --%s", commands[action - 1].name, name);
        }
        for (size_t i = 0; i < NUM_KNOWN; i++) {
            listed[i] = listed[i] || strcmp(known[i].name, name) == 0;
        }
    }
    assert_true(letter);
    assert_int_equal(version, !action);
    for (size_t i = 0; i < NUM_KNOWN; i++) {
        if (action && takes(action - 1, known[i].name) && !listed[i]) {
            fail_msg("%s --help lacks --%s", commands[action - 1].name, known[i].name);
        }
    }
    free(help);
}

static void helps(void **state)
{
    static const char *const usages[ACTIONS] = {
        "Usage: clfold devices [--probe] [--json]\n       clfold reduce [options] FILE\n",
        "Usage: clfold devices [--probe] [--json]\n\nLists",
        "Usage: clfold reduce [options] FILE\n\nFolds",
        "Usage: clfold scan [options] IN OUT\n\nWrites",
        "Usage: clfold map [options] IN OUT\n\nWrites",
        "Usage: clfold explain reduce|scan|map [options]\n\nPrints",
        "Usage: clfold ladder [options]\n\nTimes",
        "Usage: clfold trace [options]\n\nScans",
        "Usage: clfold bench [options]\n\nTimes",
        "Usage: clfold tune [options]\n       clfold tune --show | --reset",
        "Usage: clfold check-fold [options]\n\nDraws",
        "Usage: clfold cache list|verify|clear [--json]\n\nThe first",
        "Usage: clfold help [COMMAND]\n\nPrints",
    };
    static const char *const spellings[] = { "-h", "--help", "--hel" };
    char begin[128] = "";

    (void)state;
    for (enum action action = ACTION_NONE; action < ACTIONS; action++) {
        for (int i = 0; i < 3; i++) {
            check_read("%s %s", action ? commands[action - 1].name : "", spellings[i]);
            assert_true(options.help);
            assert_int_equal(options.action, action);
        }
        FILE *const stream = fmemopen(begin, sizeof(begin), "w");
        assert_non_null(stream);
        options_help(stream, action);
        (void)fclose(stream);
        assert_memory_equal(begin, usages[action], strlen(usages[action]));
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
                check_read("%.*s", (int)(line.end - command), command);
                num++;
            }
        }
        assert_true(num > 0);
    }
}

/* ---- What is made of the options ---- */

static void init_values(void **state)
{
    struct options wish = { .action = ACTION_SCAN };
    clfold_fold fold = { .op = CLFOLD_ADD, .type = CLFOLD_I16 };
    clfold_arg_value value;

    (void)state;
    assert_true(options_init(&wish, &fold, &value, &message));
    assert_null(fold.init);
    wish.init = "-3";
    assert_true(options_init(&wish, &fold, &value, &message));
    assert_int_equal(value.value.i16, -3);
    assert_ptr_equal(fold.init, &value.value);
    assert_int_equal(fold.init_size, 2);
    fold.type = CLFOLD_F64;
    assert_true(options_init(&wish, &fold, &value, &message));
    assert_true(value.value.f64 == -3);
    assert_int_equal(fold.init_size, 8);
    fold.type = CLFOLD_U32;
    assert_false(options_init(&wish, &fold, &value, &message));
    assert_string_equal(message.text, "--init -3: is out of the range of u32");
}

static void check_fold(const struct options *wish, clfold_type element, clfold_type type,
                       clfold_type in)
{
    const clfold_fold fold = options_fold(wish, element);

    assert_int_equal(fold.op, wish->op);
    assert_int_equal(fold.type, type);
    assert_int_equal(fold.in, in);
    assert_ptr_equal(fold.algorithm, wish->algorithm);
}

static void folds(void **state)
{
    const struct options sum = { .op = CLFOLD_ADD };
    const struct options mean = { .op = CLFOLD_ADD, .mean = true };
    const struct options moments = { .op = CLFOLD_MOMENTS };
    const struct options affine = { .op = CLFOLD_AFFINE };
    struct options max = { .op = CLFOLD_MAX, .algorithm = "reduce_then_scan" };

    (void)state;
    check_fold(&sum, CLFOLD_U8, CLFOLD_U64, CLFOLD_U8);
    check_fold(&sum, CLFOLD_F32, CLFOLD_F32, 0);
    check_fold(&max, CLFOLD_U8, CLFOLD_U8, 0);
    check_fold(&mean, CLFOLD_I8, CLFOLD_F64, CLFOLD_I8);
    check_fold(&mean, CLFOLD_F64, CLFOLD_F64, 0);
    check_fold(&moments, CLFOLD_U8, CLFOLD_F64, CLFOLD_U8);
    check_fold(&moments, CLFOLD_F16, CLFOLD_F32, CLFOLD_F16);
    check_fold(&moments, CLFOLD_F32, CLFOLD_F32, 0);
    check_fold(&affine, CLFOLD_I8, CLFOLD_I8, 0);
    max.acc = CLFOLD_F64;
    check_fold(&max, CLFOLD_U8, CLFOLD_F64, CLFOLD_U8);
    max.fold.load = "x"; /* which sees numbers, though max folds them as they are */
    check_fold(&max, CLFOLD_F64, CLFOLD_F64, CLFOLD_F64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option), cmocka_unit_test(each_pair),
        cmocka_unit_test(each_bound),  cmocka_unit_test(lines),
        cmocka_unit_test(refused),     cmocka_unit_test(most_types),
        cmocka_unit_test(operators),   cmocka_unit_test(helps),
        cmocka_unit_test(init_values), cmocka_unit_test(folds),
        cmocka_unit_test(examples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
