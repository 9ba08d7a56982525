#include "peer.h"

#include "../clfold/clock.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SETS = 256, MAX_ROUNDS = 1001, MAX_TEXT = 512 };
static const double ALL_SETS_BYTES = 512.0 * 1024 * 1024;

static const struct {
    const char *name;
    size_t size;
    double exact; /* all whole numbers up to it are */
} types[PEER_TYPES] = {
    [PEER_F32] = { "f32", 4, 16777216.0 },
    [PEER_I32] = { "i32", 4, 2147483647.0 },
    [PEER_F64] = { "f64", 8, 9007199254740992.0 },
    [PEER_I64] = { "i64", 8, 9007199254740992.0 },
};

static char device_name[MAX_TEXT];
static int device_index = -1;

void peer_runs_on(const char *device, int index)
{
    snprintf(device_name, sizeof(device_name), "%s", device);
    device_index = index;
}

size_t peer_out_bytes(const struct peer_job *job)
{
    return job->scan ? job->count * job->item : job->item;
}

/* ---- Output ------------------------------------------------------------------------ */

static void put_text(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ') {
            printf("\\u%04x", c);
        } else {
            printf(c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    putchar('"');
}

/* One line. */
__attribute__((format(printf, 2, 0))) static void
print_line(const char *key, const char *format, va_list arguments)
{
    char text[MAX_TEXT];

    vsnprintf(text, sizeof(text), format, arguments);
    printf("{\"%s\": ", key);
    put_text(text);
    printf("}\n");
    fflush(stdout);
}

void peer_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line("failed", format, arguments);
    va_end(arguments);
    exit(1);
}

void peer_no_device(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line("no_device", format, arguments);
    va_end(arguments);
    exit(1);
}

__attribute__((noreturn, format(printf, 1, 2))) static void is_wrong(const char *format,
                                                                     ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line("wrong", format, arguments);
    va_end(arguments);
    exit(1);
}

/* ---- The data ---------------------------------------------------------------------- */

/*
 * Whole numbers from -50 to 50 without a pattern. Their sums, of any part in any order,
 * stay so small that floats hold them exactly: every association gives the same bits, and
 * one item that is left out shows, which no bound for rounding errors could promise.
 */
static int value_of(uint64_t i)
{
    uint32_t x = (uint32_t)(i ^ i >> 32) * 2654435761U + 20261122U;

    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    x = (x ^ x >> 12) * 0x297a2d39U;
    x ^= x >> 15;
    return (int)((uint64_t)x * 101 >> 32) - 50;
}

static void *make_data(const struct peer_job *job)
{
    void *data = malloc(job->count * job->item);
    int64_t sum = 0, least = 0, most = 0;

    if (!data) {
        peer_fail("no memory for %zu items", job->count);
    }
    for (size_t i = 0; i < job->count; i++) {
        const int value = value_of(i);
        sum += value;
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
        switch (job->type) {
        case PEER_F32:
            ((float *)data)[i] = (float)value;
            break;
        case PEER_I32:
            ((int32_t *)data)[i] = value;
            break;
        case PEER_F64:
            ((double *)data)[i] = value;
            break;
        default:
            ((int64_t *)data)[i] = value;
            break;
        }
    }
    if ((double)(most - least) > types[job->type].exact) {
        peer_fail("--count %zu: not all sums of its data are exact in %s", job->count,
                  types[job->type].name);
    }
    return data;
}

/* A number that no i64 rounds to is not among the sums. */
static double item_of(const void *items, enum peer_type type, size_t i)
{
    switch (type) {
    case PEER_F32:
        return (double)((const float *)items)[i];
    case PEER_I32:
        return ((const int32_t *)items)[i];
    case PEER_F64:
        return ((const double *)items)[i];
    default:
        return (double)((const int64_t *)items)[i];
    }
}

static void check(const struct peer *peer, const struct peer_job *job, size_t set)
{
    void *items = malloc(peer_out_bytes(job));
    int64_t sum = 0;

    if (!items) {
        peer_fail("no memory to check %zu items", job->count);
    }
    peer->read(set, items);
    for (size_t i = 0; i < job->count; i++) {
        sum += value_of(i);
        if (!job->scan && i + 1 < job->count) {
            continue;
        }
        const double found = item_of(items, job->type, job->scan ? i : 0);
        if (found != (double)sum) {
            is_wrong("%s %zu is %.17g and not %.17g",
                     job->scan ? "item" : "the sum of items up to", i, found,
                     (double)sum);
        }
    }
    free(items);
}

/* ---- Rounds ------------------------------------------------------------------------ */

static double run_round(const struct peer *peer, const struct peer_job *job, size_t *set)
{
    *set = (*set + 1) % job->sets;
    peer->call(*set);
    *set = (*set + 1) % job->sets;
    const double begin = clock_now();
    peer->call(*set);
    return clock_now() - begin;
}

static void serve(const struct peer *peer, const struct peer_job *job)
{
    char line[16];
    size_t set = 0;

    printf("{\"ready\": true, \"device\": ");
    put_text(device_name);
    printf(", \"index\": %d, \"sets\": %zu}\n", device_index, job->sets);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n") != 0) {
        if (strcmp(line, "round\n") != 0) {
            peer_fail("asked for %s", line);
        }
        printf("{\"seconds\": %.9f}\n", run_round(peer, job, &set));
        fflush(stdout);
    }
    check(peer, job, set);
    printf("{\"ok\": true}\n");
}

static void run_alone(const struct peer *peer, const struct peer_job *job, size_t rounds)
{
    const double items = (double)job->count * (double)job->item;
    double seconds[MAX_ROUNDS] = { 0 };
    size_t set = 0;

    for (size_t i = 0; i < rounds; i++) {
        seconds[i] = run_round(peer, job, &set);
    }
    check(peer, job, set);
    const double median = clock_median(seconds, rounds);
    printf("{\"peer\": \"%s\", \"op\": \"%s\", \"type\": \"%s\", \"count\": %zu, ",
           peer->name, job->scan ? "scan" : "reduce", types[job->type].name, job->count);
    printf("\"device\": ");
    put_text(device_name);
    printf(", \"sets\": %zu, \"rounds\": %zu, \"seconds\": %.9f, \"gbps\": %.3f, ",
           job->sets, rounds, median, items * (job->scan ? 2 : 1) / median / 1e9);
    printf("\"ok\": true}\n");
}

/* ---- Options ----------------------------------------------------------------------- */

struct options {
    const char *op, *type, *count, *rounds, *device;
    bool serve;
};

__attribute__((noreturn)) static void usage(const struct peer *peer, const char *what,
                                            const char *value)
{
    fprintf(stderr,
            "peer_%s: %s%s%s; usage: --op reduce|scan --type f32|i32|f64|i64 --count N "
            "[--rounds N] [--device SEL] [--serve]\n",
            peer->name, what, value ? " " : "", value ? value : "");
    exit(2);
}

static void read_options(struct options *options, const struct peer *peer, int argc,
                         char **argv)
{
    const struct {
        const char *name;
        const char **value;
    } takes_value[] = {
        { "--op", &options->op },         { "--type", &options->type },
        { "--count", &options->count },   { "--rounds", &options->rounds },
        { "--device", &options->device },
    };
    const size_t num = sizeof(takes_value) / sizeof(takes_value[0]);

    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < num && strcmp(argv[i], takes_value[k].name) != 0) {
            k++;
        }
        if (k < num && i + 1 < argc) {
            *takes_value[k].value = argv[++i];
        } else if (strcmp(argv[i], "--serve") == 0) {
            options->serve = true;
        } else {
            usage(peer, k < num ? "no value for" : "unknown option", argv[i]);
        }
    }
}

static size_t read_number(const struct peer *peer, const char *option, const char *text,
                          size_t most)
{
    char *end = NULL;
    const unsigned long long number = text ? strtoull(text, &end, 10) : 0;

    if (!text || text[0] == '-' || *end || number < 1 || number > most) {
        usage(peer, option, text ? text : "is missing");
    }
    return (size_t)number;
}

static void read_job(struct peer_job *job, const struct options *options,
                     const struct peer *peer)
{
    size_t type = 0;

    if (!options->op ||
        (strcmp(options->op, "reduce") != 0 && strcmp(options->op, "scan") != 0)) {
        usage(peer, "--op", options->op ? options->op : "is missing");
    }
    while (type < PEER_TYPES &&
           (!options->type || strcmp(options->type, types[type].name) != 0)) {
        type++;
    }
    if (type == PEER_TYPES) {
        usage(peer, "--type", options->type ? options->type : "is missing");
    }
    job->scan = strcmp(options->op, "scan") == 0;
    job->type = (enum peer_type)type;
    job->item = types[type].size;
    job->count = read_number(peer, "--count", options->count, SIZE_MAX / 64);
    job->device = options->device;
    const double set = (double)(job->count * job->item + peer_out_bytes(job));
    const double sets = ALL_SETS_BYTES / set;
    job->sets = sets > MAX_SETS ? MAX_SETS : (size_t)sets + (sets > (double)(size_t)sets);
}

int peer_main(int argc, char **argv, const struct peer *peer)
{
    struct options options = { 0 };
    struct peer_job job = { 0 };

    read_options(&options, peer, argc, argv);
    read_job(&job, &options, peer);
    const size_t rounds =
        read_number(peer, "--rounds", options.rounds ? options.rounds : "9", MAX_ROUNDS);
    void *data = make_data(&job);
    peer->open(&job, data);
    free(data);
    peer->call(0);
    check(peer, &job, 0);
    if (options.serve) {
        serve(peer, &job);
    } else {
        run_alone(peer, &job, rounds);
    }
    peer->close();
    return fflush(stdout) == 0 ? 0 : 1;
}
