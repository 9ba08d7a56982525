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

static const struct {
    const char *name;
    size_t components, inputs;
    bool commutative;
} operators[PEER_OPERATORS] = {
    [PEER_ADD] = { "add", 1, 1, true },        [PEER_DUAL] = { "dual", 2, 1, true },
    [PEER_AFFINE] = { "affine", 2, 1, false }, [PEER_SQUARES] = { "squares", 1, 1, true },
    [PEER_DOT] = { "dot", 1, 2, true },        [PEER_ABOVE] = { "above", 1, 1, true },
};

static const struct {
    const char *name;
    bool writes_all; /* an item for each element */
    size_t part;     /* how many elements begin with the identity and are folded */
} ops[PEER_OPS] = {
    [PEER_REDUCE] = { "reduce", false, SIZE_MAX },
    [PEER_SCAN] = { "scan", true, SIZE_MAX },
    [PEER_SEGMENTS] = { "segments", true, PEER_SEGMENT },
    [PEER_MAP] = { "map", true, 1 },
    [PEER_ROWS] = { "rows", false, PEER_ROW },
};

static char device_name[MAX_TEXT];
static int device_index = -1;

void peer_runs_on(const char *device, int index)
{
    snprintf(device_name, sizeof(device_name), "%s", device);
    device_index = index;
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

void peer_end(const char *key, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_line(key, format, arguments);
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

/* An item, or what items fold to; of a scalar y is 0. */
struct pair {
    int64_t x, y;
};

/* An element: x and y of a pair, or of the two inputs. Of a pair the first is 1 or -1, so
 * that products stay there, and the second is such a whole number: what was said of sums
 * goes for all operators. Squares grow, so most of them are 0. */
static struct pair element_of(const struct peer_job *job, uint64_t i)
{
    const int value = value_of(i), sign = value_of(3 * i + 1) < 0 ? -1 : 1;

    switch (job->combine) {
    case PEER_DUAL:
    case PEER_AFFINE:
        return (struct pair){ sign, value };
    case PEER_DOT:
        return (struct pair){ value, sign };
    case PEER_SQUARES:
        return (struct pair){ value / 45, 0 };
    default:
        return (struct pair){ value, 0 };
    }
}

/* What is folded for it. */
static struct pair item_of(const struct peer_job *job, uint64_t i)
{
    const struct pair e = element_of(job, i);

    switch (job->combine) {
    case PEER_SQUARES:
        return (struct pair){ e.x * e.x, 0 };
    case PEER_DOT:
        return (struct pair){ e.x * e.y, 0 };
    case PEER_ABOVE:
        return (struct pair){ e.x > 40, 0 };
    default:
        return e;
    }
}

static struct pair identity_of(const struct peer_job *job)
{
    return (struct pair){ operators[job->combine].components == 2, 0 };
}

/* a op b, apart from what the peers have. */
static struct pair combine(const struct peer_job *job, struct pair a, struct pair b)
{
    switch (job->combine) {
    case PEER_DUAL:
        return (struct pair){ a.x * b.x, a.x * b.y + a.y * b.x };
    case PEER_AFFINE:
        return (struct pair){ a.x * b.x, a.y * b.x + b.y };
    default:
        return (struct pair){ a.x + b.x, 0 };
    }
}

static void put_scalar(void *items, enum peer_type type, size_t i, int64_t value)
{
    switch (type) {
    case PEER_F32:
        ((float *)items)[i] = (float)value;
        break;
    case PEER_I32:
        ((int32_t *)items)[i] = (int32_t)value;
        break;
    case PEER_F64:
        ((double *)items)[i] = (double)value;
        break;
    default:
        ((int64_t *)items)[i] = value;
        break;
    }
}

/* A number that no i64 rounds to is not among the sums. */
static double scalar_of(const void *items, enum peer_type type, size_t i)
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

static void *make_data(const struct peer_job *job)
{
    const size_t components = operators[job->combine].components;
    const size_t inputs = operators[job->combine].inputs;
    void *data = malloc(job->in_bytes);
    struct pair fold = identity_of(job);
    int64_t least = 0, most = 0;

    if (!data) {
        peer_fail("no memory for %zu items", job->count);
    }
    for (size_t i = 0; i < job->count; i++) {
        const struct pair element = element_of(job, i);
        put_scalar(data, job->type, i * components, element.x);
        if (components == 2 || inputs == 2) {
            put_scalar(data, job->type, inputs == 2 ? job->count + i : i * 2 + 1,
                       element.y);
        }
        if (job->op == PEER_SEGMENTS) {
            ((unsigned char *)data)[job->flags_at + i] = i % PEER_SEGMENT == 0;
        }
        fold = combine(job, fold, item_of(job, i));
        /* Of pairs this is the sum of all items so far, each with a sign. What a part of
         * the items folds to is the difference of two such sums, but for its sign. */
        const int64_t sum = components == 2 ? fold.x * fold.y : fold.x;
        least = sum < least ? sum : least;
        most = sum > most ? sum : most;
    }
    if ((double)(most - least) > types[job->type].exact) {
        peer_fail("--count %zu: not all sums of its data are exact in %s", job->count,
                  types[job->type].name);
    }
    return data;
}

static void check(const struct peer *peer, const struct peer_job *job, size_t set)
{
    const size_t components = operators[job->combine].components;
    const size_t part = ops[job->op].part;
    const bool writes_all = ops[job->op].writes_all;
    void *items = malloc(job->out_bytes);
    struct pair fold = identity_of(job);

    if (!items) {
        peer_fail("no memory to check %zu items", job->count);
    }
    peer->read(set, items);
    for (size_t i = 0; i < job->count; i++) {
        fold = combine(job, i % part == 0 ? identity_of(job) : fold, item_of(job, i));
        if (!writes_all && (i + 1) % part != 0 && i + 1 < job->count) {
            continue;
        }
        const size_t at = (writes_all ? i : i / part) * components;
        const double x = scalar_of(items, job->type, at);
        const double y = components == 2 ? scalar_of(items, job->type, at + 1) : 0;
        if (x == (double)fold.x && y == (double)fold.y) {
            continue;
        }
        const char *const what = writes_all ? "item" : "the fold of items up to";
        if (components == 1) {
            peer_end("wrong", "%s %zu is %.17g and not %.17g", what, i, x,
                     (double)fold.x);
        }
        peer_end("wrong", "%s %zu is (%.17g, %.17g) and not (%.17g, %.17g)", what, i, x,
                 y, (double)fold.x, (double)fold.y);
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
    double seconds[MAX_ROUNDS] = { 0 };
    size_t set = 0;

    for (size_t i = 0; i < rounds; i++) {
        seconds[i] = run_round(peer, job, &set);
    }
    check(peer, job, set);
    const double median = clock_median(seconds, rounds);
    const double bytes =
        (double)job->in_bytes + (ops[job->op].writes_all ? (double)job->out_bytes : 0);
    printf("{\"peer\": \"%s\", \"op\": \"%s\", \"operator\": \"%s\", ", peer->name,
           ops[job->op].name, operators[job->combine].name);
    printf("\"type\": \"%s\", \"count\": %zu, \"device\": ", types[job->type].name,
           job->count);
    put_text(device_name);
    printf(", \"sets\": %zu, \"rounds\": %zu, \"seconds\": %.9f, \"gbps\": %.3f, ",
           job->sets, rounds, median, bytes / median / 1e9);
    printf("\"ok\": true}\n");
}

/* ---- Options ----------------------------------------------------------------------- */

struct options {
    const char *op, *combine, *type, *count, *rounds, *device;
    bool serve;
};

__attribute__((noreturn)) static void usage(const struct peer *peer, const char *what,
                                            const char *value)
{
    fprintf(stderr,
            "peer_%s: %s%s%s; usage: --op reduce|scan|segments|map|rows "
            "--type f32|i32|f64|i64 --count N "
            "[--operator add|dual|affine|squares|dot|above] [--rounds N] [--device SEL] "
            "[--serve]\n",
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
        { "--op", &options->op },         { "--operator", &options->combine },
        { "--type", &options->type },     { "--count", &options->count },
        { "--rounds", &options->rounds }, { "--device", &options->device },
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
    const char *name = options->combine ? options->combine : operators[PEER_ADD].name;
    size_t op = 0, type = 0, combine = 0;

    while (op < PEER_OPS && (!options->op || strcmp(options->op, ops[op].name) != 0)) {
        op++;
    }
    if (op == PEER_OPS) {
        usage(peer, "--op", options->op ? options->op : "is missing");
    }
    while (type < PEER_TYPES &&
           (!options->type || strcmp(options->type, types[type].name) != 0)) {
        type++;
    }
    if (type == PEER_TYPES) {
        usage(peer, "--type", options->type ? options->type : "is missing");
    }
    while (combine < PEER_OPERATORS && strcmp(name, operators[combine].name) != 0) {
        combine++;
    }
    if (combine == PEER_OPERATORS) {
        usage(peer, "--operator", name);
    }
    job->op = (enum peer_op)op;
    job->combine = (enum peer_operator)combine;
    job->type = (enum peer_type)type;
    job->item = types[type].size * operators[combine].components;
    job->count = read_number(peer, "--count", options->count, SIZE_MAX / 64);
    job->device = options->device;
    job->flags_at = job->count * job->item * operators[combine].inputs;
    job->in_bytes = job->flags_at + (op == PEER_SEGMENTS ? job->count : 0);
    job->out_bytes =
        ops[op].writes_all ? job->count : (job->count - 1) / ops[op].part + 1;
    job->out_bytes *= job->item;
    const double sets = ALL_SETS_BYTES / (double)(job->in_bytes + job->out_bytes);
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
    if (peer->reorders && !ops[job.op].writes_all &&
        !operators[job.combine].commutative) {
        peer_end("unsupported", "it reduces in any order, and %s does not commute",
                 operators[job.combine].name);
    }
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
