/*
 * read_limit: how fast this machine reads a file's numbers from memory, and whether
 * another program folded them right. Does not use OpenCL or clfold.
 */
#include "native.h"

#include "../clfold/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EXIT_DONE, EXIT_FAILED, EXIT_USAGE };
enum { MAX_RUNS = 1001, ALIGNMENT = 64, NUMBER_TEXT = 40 };

static const char help[] =
    "Usage: read_limit --type TYPE [options] FILE\n"
    "\n"
    "Reads FILE, raw numbers in this machine's byte order, into memory, folds them in a\n"
    "native loop on all cores, and prints the result and the median time of the loop.\n"
    "\n"
    "  --type TYPE     u8 i32 i64 u64 f32 f64\n"
    "  --op OP         add (the default) or max\n"
    "  --acc TYPE      the result's type; default: for add i64 or u64 for integers,\n"
    "                  otherwise the type of the numbers\n"
    "  --runs N        how many runs the median is of; default 9\n"
    "  --json          one object: op, type, acc, count, result, seconds, gbps\n"
    "  --check VALUE   prints nothing; exit status 0 if VALUE is the result, exactly "
    "for\n"
    "                  integers and max, within rounding for sums of floats; 1 if not\n"
    "  --help          this text\n";

static const struct {
    const char *name;
    size_t size;
    enum type wide;
    bool is_float;
} types[NUM_TYPES] = {
    [TYPE_U8] = { "u8", 1, TYPE_U64, false },
    [TYPE_I32] = { "i32", 4, TYPE_I64, false },
    [TYPE_I64] = { "i64", 8, TYPE_I64, false },
    [TYPE_U64] = { "u64", 8, TYPE_U64, false },
    [TYPE_F32] = { "f32", 4, TYPE_F64, true },
    [TYPE_F64] = { "f64", 8, TYPE_F64, true },
};

struct options {
    const char *file, *check, *type, *op, *acc, *runs;
    bool json, help;
    struct fold fold;
    size_t num_runs;
};

struct data {
    void *bytes;
    size_t count;
};

static int complain(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int complain(int status, const char *format, ...)
{
    va_list arguments;

    fputs("read_limit: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return status;
}

static bool find_type(const char *name, enum type *type)
{
    for (int i = 0; i < NUM_TYPES; i++) {
        if (strcmp(name, types[i].name) == 0) {
            *type = (enum type)i;
            return true;
        }
    }
    return false;
}

static int read_arguments(struct options *options, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **value;
    } takes_value[] = {
        { "--type", &options->type },   { "--op", &options->op },
        { "--acc", &options->acc },     { "--runs", &options->runs },
        { "--check", &options->check },
    };
    const size_t num = sizeof(takes_value) / sizeof(takes_value[0]);

    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < num && strcmp(argv[i], takes_value[k].name) != 0) {
            k++;
        }
        if (k < num) {
            if (++i == argc) {
                return complain(EXIT_USAGE, "%s needs a value", takes_value[k].name);
            }
            *takes_value[k].value = argv[i];
        } else if (strcmp(argv[i], "--json") == 0) {
            options->json = true;
        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options->help = true;
        } else if (argv[i][0] == '-') {
            return complain(EXIT_USAGE, "unknown option %s; see --help", argv[i]);
        } else if (options->file) {
            return complain(EXIT_USAGE, "one FILE only: %s after %s", argv[i],
                            options->file);
        } else {
            options->file = argv[i];
        }
    }
    return EXIT_DONE;
}

static int read_options(struct options *options, int argc, char **argv)
{
    struct fold *const fold = &options->fold;
    const int status = read_arguments(options, argc, argv);
    char *end;

    if (status || options->help) {
        return status;
    }
    if (!options->file || !options->type) {
        return complain(EXIT_USAGE, "%s is missing; see --help",
                        options->file ? "--type" : "FILE");
    }
    if (!find_type(options->type, &fold->type)) {
        return complain(EXIT_USAGE, "--type %s: unknown type; see --help", options->type);
    }
    fold->max = options->op && strcmp(options->op, "max") == 0;
    if (options->op && !fold->max && strcmp(options->op, "add") != 0) {
        return complain(EXIT_USAGE, "--op %s is neither add nor max", options->op);
    }
    fold->acc =
        types[fold->type].is_float || fold->max ? fold->type : types[fold->type].wide;
    if (options->acc &&
        (!find_type(options->acc, &fold->acc) ||
         (fold->acc != fold->type && fold->acc != types[fold->type].wide))) {
        return complain(EXIT_USAGE, "--acc %s cannot hold the result of %s", options->acc,
                        options->type);
    }
    options->num_runs = 9;
    if (options->runs) {
        const unsigned long runs = strtoul(options->runs, &end, 10);
        if (options->runs[0] == '-' || *end || runs < 1 || runs > MAX_RUNS) {
            return complain(EXIT_USAGE, "--runs %s is not from 1 to %d", options->runs,
                            MAX_RUNS);
        }
        options->num_runs = (size_t)runs;
    }
    return EXIT_DONE;
}

/* A value as clfold prints it: all of the text, and read as the result's type, since a
 * float's digits are as many as that type needs. */
static bool parse_value(const char *text, enum type type, struct total *value)
{
    char *end = NULL;

    *value = (struct total){ 0 };
    errno = 0;
    if (type == TYPE_F32) {
        value->real = (double)strtof(text, &end);
    } else if (type == TYPE_F64) {
        value->real = strtod(text, &end);
    } else if (type == TYPE_I32 || type == TYPE_I64) {
        value->integer = (uint64_t)strtoll(text, &end, 10);
    } else {
        value->integer = strtoull(text, &end, 10);
        if (strchr(text, '-')) {
            return false;
        }
    }
    if (end == text || *end) {
        return false;
    }
    return types[type].is_float ||
           (errno != ERANGE && exact_wrap(type, value->integer) == value->integer);
}

static void print_value(char text[NUMBER_TEXT], enum type type, const struct total *value)
{
    const uint64_t integer = exact_wrap(type, value->integer);

    if (types[type].is_float) {
        snprintf(text, NUMBER_TEXT, "%.17g", value->real);
    } else if (type == TYPE_I32 || type == TYPE_I64) {
        snprintf(text, NUMBER_TEXT, "%" PRId64, (int64_t)integer);
    } else {
        snprintf(text, NUMBER_TEXT, "%" PRIu64, integer);
    }
}

static int read_data(struct data *data, const struct options *options)
{
    const size_t size = types[options->fold.type].size;
    const char *const name = options->file;
    struct stat info;
    FILE *file = fopen(name, "rb");
    size_t bytes;

    if (!file || fstat(fileno(file), &info) != 0) {
        complain(EXIT_FAILED, "%s: %s", name, strerror(errno));
        goto fail;
    }
    if (!S_ISREG(info.st_mode)) {
        complain(EXIT_FAILED, "%s: not a regular file", name);
        goto fail;
    }
    if (info.st_size == 0 || (uintmax_t)info.st_size % size != 0) {
        complain(EXIT_FAILED, "%s: %jd bytes are not one or more numbers of %zu bytes",
                 name, (intmax_t)info.st_size, size);
        goto fail;
    }
    bytes = (size_t)info.st_size;
    /* aligned_alloc wants a multiple of the alignment */
    data->bytes = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);
    if (!data->bytes) {
        complain(EXIT_FAILED, "%s: no memory for %zu bytes", name, bytes);
        goto fail;
    }
    loop_touch(data->bytes, bytes);
    if (fread(data->bytes, 1, bytes, file) != bytes) {
        complain(EXIT_FAILED, "%s: %s", name,
                 ferror(file) ? strerror(errno) : "became shorter");
        goto fail;
    }
    data->count = bytes / size;
    fclose(file);
    return EXIT_DONE;

fail:
    if (file) {
        fclose(file);
    }
    return EXIT_FAILED;
}

/* The median's time; the first call, which starts the threads, does not count. */
static double time_loop(const struct options *options, const struct data *data,
                        struct total *result)
{
    double seconds[MAX_RUNS] = { 0 };

    *result = loop_fold(&options->fold, data->bytes, data->count);
    for (size_t i = 0; i < options->num_runs; i++) {
        const double start = clock_now();
        *result = loop_fold(&options->fold, data->bytes, data->count);
        seconds[i] = clock_now() - start;
    }
    return clock_median(seconds, options->num_runs);
}

static void measure(const struct options *options, const struct data *data)
{
    const struct fold *const fold = &options->fold;
    const char *const op = fold->max ? "max" : "add";
    struct total result;
    const double seconds = time_loop(options, data, &result);
    const double bytes = (double)data->count * (double)types[fold->type].size;
    char text[NUMBER_TEXT];

    print_value(text, fold->acc, &result);
    if (options->json) {
        /* JSON has no words for NaN and infinity. */
        const char *const quote = strpbrk(text, "in") ? "\"" : "";
        printf("{ \"op\": \"%s\", \"type\": \"%s\", \"acc\": \"%s\", \"count\": %zu, "
               "\"result\": %s%s%s, \"seconds\": %.9f, \"gbps\": %.3f }\n",
               op, types[fold->type].name, types[fold->acc].name, data->count, quote,
               text, quote, seconds, bytes / seconds / 1e9);
    } else {
        printf("%s of %zu %s: %s, %.6f s, %.1f GB/s\n", op, data->count,
               types[fold->type].name, text, seconds, bytes / seconds / 1e9);
    }
}

/* The loop is also compared with the serial fold, since a limit of a wrong loop means
 * nothing. It does not support nan and infinity, so data with these is not compared. */
static int check(const struct options *options, const struct data *data,
                 const struct total *value)
{
    const struct fold *const fold = &options->fold;
    const struct exact exact = exact_fold(fold, data->bytes, data->count);
    const struct total loop = loop_fold(fold, data->bytes, data->count);
    char text[NUMBER_TEXT], loop_text[NUMBER_TEXT];

    print_value(text, fold->acc, &exact.total);
    print_value(loop_text, fold->acc, &loop);
    if (!exact_agrees(&exact, fold, data->count, value)) {
        return complain(EXIT_FAILED, "%s: --check %s is not the %s, %s", options->file,
                        options->check, fold->max ? "maximum" : "sum", text);
    }
    if (exact.finite && !exact_agrees(&exact, fold, data->count, &loop)) {
        return complain(EXIT_FAILED, "%s: the native loop gives %s, and true is %s",
                        options->file, loop_text, text);
    }
    return EXIT_DONE;
}

int main(int argc, char **argv)
{
    struct options options = { 0 };
    struct data data = { 0 };
    struct total value;
    int status = read_options(&options, argc, argv);

    if (status) {
        return status;
    }
    if (options.help) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (options.check && !parse_value(options.check, options.fold.acc, &value)) {
        return complain(EXIT_USAGE, "--check %s is no value of %s", options.check,
                        types[options.fold.acc].name);
    }
    status = read_data(&data, &options);
    if (status == EXIT_DONE) {
        if (options.check) {
            status = check(&options, &data, &value);
        } else {
            measure(&options, &data);
        }
    }
    free(data.bytes);
    if (fflush(stdout) != 0) {
        return complain(EXIT_FAILED, "standard output: %s", strerror(errno));
    }
    return status;
}
