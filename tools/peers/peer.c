#include "peer.h"

#include "../clfold/clock.h"

#include <inttypes.h>
#include <math.h>
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
    [PEER_OFFSETS] = { "offsets-", false, 0 }, /* and the lengths */
    [PEER_SELECT] = { "select-", false, 0 },   /* and the share */
    [PEER_PARTITION] = { "partition", false, 0 },
    [PEER_UNIQUE] = { "unique-", false, 0 }, /* these have lengths, too */
    [PEER_RLE] = { "rle-", false, 0 },
    [PEER_KEYS] = { "by-keys-", false, 0 },
};

/* Of values from -50 to 50, that percentage. */
static const struct {
    const char *name;
    int above;
} shares[] = { { "1", 49 }, { "50", 0 }, { "99", -50 } };

static bool has_runs(enum peer_op op)
{
    return op == PEER_OFFSETS || op > PEER_PARTITION;
}

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

static uint32_t hash_of(uint64_t i)
{
    uint32_t x = (uint32_t)(i ^ i >> 32) * 2654435761U + 20261122U;

    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    x = (x ^ x >> 12) * 0x297a2d39U;
    return x ^ x >> 15;
}

/*
 * Whole numbers from -50 to 50 without a pattern. Their sums, of any part in any order,
 * stay so small that floats hold them exactly: every association gives the same bits, and
 * one item that is left out shows, which no bound for rounding errors could promise.
 */
static int value_of(uint64_t i)
{
    return (int)((uint64_t)hash_of(i) * 101 >> 32) - 50;
}

/* Of a run of elements, which differs from the one before it. */
static int run_value(size_t run)
{
    return (value_of(run) & ~1) | (int)(run & 1);
}

/* Lengths of segments by offsets and of runs: of number i, by u, which is from 0 to below
 * 1. */
enum lengths { BY_1, BY_3, BY_0_3, BY_4, BY_8, BY_64, BY_1000, BY_PARETO, LENGTHS };
static const char *const length_names[LENGTHS] = { "1", "3",  "0-3",  "4",
                                                   "8", "64", "1000", "pareto" };

static size_t length_of(enum lengths lengths, size_t i)
{
    const double u = (double)hash_of(i) / 4294967296.0;

    switch (lengths) {
    case BY_1:
        return 1;
    case BY_3:
        return 3;
    case BY_0_3:
        return (size_t)(4 * u);
    case BY_4: /* geometric, with these means */
    case BY_8:
        return 1 + (size_t)(log(1 - u) / log(1 - 1.0 / (lengths == BY_4 ? 4 : 8)));
    case BY_64:
        return 64;
    case BY_1000:
        return 1000;
    default:
        return 1 / (1 - u) < 1e6 ? (size_t)(1 / (1 - u)) : 1000000;
    }
}

/* Where each begins, and then the count. */
static uint32_t *offsets;

/* Puts them to `to`, unless that is NULL. Returns how many segments there are. */
static size_t put_offsets(struct peer_job *job, enum lengths lengths, uint32_t *to)
{
    size_t num = 0;

    for (size_t at = 0; at < job->count; num++) {
        const size_t left = job->count - at, length = length_of(lengths, num);
        job->leaves_empty |= length == 0;
        at += length < left ? length : left;
        if (to) {
            to[num + 1] = (uint32_t)at;
        }
    }
    return num;
}

static void make_offsets(struct peer_job *job, enum lengths lengths)
{
    if (job->count > UINT32_MAX) {
        peer_fail("--count %zu: offsets are of u32", job->count);
    }
    job->segments = put_offsets(job, lengths, NULL);
    offsets = calloc(job->segments + 1, sizeof(*offsets));
    if (!offsets) {
        peer_fail("no memory for %zu offsets", job->segments + 1);
    }
    put_offsets(job, lengths, offsets);
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
    for (size_t run = 0; job->op > PEER_PARTITION && run < job->segments; run++) {
        for (size_t i = offsets[run]; i < offsets[run + 1]; i++) {
            if (job->op == PEER_KEYS) {
                ((uint32_t *)data)[job->flags_at / 4 + i] = (uint32_t)run;
            } else {
                put_scalar(data, job->type, i, run_value(run));
            }
        }
    }
    if (job->op == PEER_OFFSETS) {
        memcpy((char *)data + job->flags_at, offsets,
               (job->segments + 1) * sizeof(*offsets));
    }
    if ((double)(most - least) > types[job->type].exact) {
        peer_fail("--count %zu: not all sums of its data are exact in %s", job->count,
                  types[job->type].name);
    }
    return data;
}

/* Whether the item at that place is this one. `what`, number i, is what it is of. */
static void check_item(const struct peer_job *job, const void *items, size_t at,
                       struct pair fold, const char *what, size_t i)
{
    const size_t components = operators[job->combine].components;
    const double x = scalar_of(items, job->type, at * components);
    const double y =
        components == 2 ? scalar_of(items, job->type, at * components + 1) : 0;

    if (x == (double)fold.x && y == (double)fold.y) {
        return;
    }
    if (components == 1) {
        peer_end("wrong", "%s %zu is %.17g and not %.17g", what, i, x, (double)fold.x);
    }
    peer_end("wrong", "%s %zu is (%.17g, %.17g) and not (%.17g, %.17g)", what, i, x, y,
             (double)fold.x, (double)fold.y);
}

static void check_number(const char *what, size_t i, uint64_t number, uint64_t right)
{
    if (number != right) {
        peer_end("wrong", "%s %zu is %" PRIu64 " and not %" PRIu64, what, i, number,
                 right);
    }
}

static void check_select(const struct peer_job *job, const void *items)
{
    const char *const also = (const char *)items + job->also_at;
    size_t num = 0;
    uint64_t found;

    for (size_t i = 0; i < job->count && job->op <= PEER_PARTITION; i++) {
        const struct pair value = { value_of(i), 0 };
        if (value.x > job->above) {
            check_item(job, items, num, value, "what is kept as number", num);
            num++;
        } else if (job->op == PEER_PARTITION) {
            check_item(job, also, i - num, value, "the other of number", i - num);
        }
    }
    for (; job->op > PEER_PARTITION && num < job->segments; num++) {
        const uint32_t first = offsets[num], end = offsets[num + 1];
        struct pair value = { job->op == PEER_KEYS ? 0 : run_value(num), 0 };
        for (uint32_t i = first; job->op == PEER_KEYS && i < end; i++) {
            value.x += value_of(i);
        }
        check_item(job, items, num, value, "what is kept as number", num);
        if (job->op == PEER_RLE) {
            check_number("the length of run", num, ((const uint64_t *)also)[num],
                         end - first);
        } else if (job->op == PEER_KEYS) {
            check_number("the key of sum", num, ((const uint32_t *)also)[num], num);
        }
    }
    memcpy(&found, (const char *)items + job->num_at, sizeof(found));
    check_number("how many are kept of", job->count, found, num);
}

static void check_offsets(const struct peer_job *job, const void *items)
{
    for (size_t part = 0; part < job->segments; part++) {
        struct pair fold = identity_of(job);
        for (size_t i = offsets[part]; i < offsets[part + 1]; i++) {
            fold = combine(job, fold, item_of(job, i));
        }
        check_item(job, items, part, fold, "the fold of segment", part);
    }
}

static void check(const struct peer *peer, const struct peer_job *job, size_t set)
{
    const size_t part = ops[job->op].part;
    const bool writes_all = ops[job->op].writes_all;
    void *items = malloc(job->out_bytes);
    struct pair fold = identity_of(job);

    if (!items) {
        peer_fail("no memory to check %zu items", job->count);
    }
    peer->read(set, items);
    if (job->op == PEER_OFFSETS) {
        check_offsets(job, items);
    } else if (job->op > PEER_OFFSETS) {
        check_select(job, items);
    }
    for (size_t i = 0; i < job->count && job->op < PEER_OFFSETS; i++) {
        fold = combine(job, i % part == 0 ? identity_of(job) : fold, item_of(job, i));
        if (!writes_all && (i + 1) % part != 0 && i + 1 < job->count) {
            continue;
        }
        check_item(job, items, writes_all ? i : i / part, fold,
                   writes_all ? "item" : "the fold of items up to", i);
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
           job->op_name, operators[job->combine].name);
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
            "peer_%s: %s%s%s; usage: --op reduce|scan|segments|map|rows|"
            "offsets-LENGTHS|select-1|select-50|select-99|partition|unique-LENGTHS|"
            "rle-LENGTHS|by-keys-LENGTHS, where LENGTHS is 1, 3, 0-3, 4, 8, 64, 1000 or "
            "pareto, "
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

/* Whether it is that operation, or begins as one that goes on. */
static bool is_op(const char *text, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && (name[length - 1] == '-' || !text[length]);
}

static void read_job(struct peer_job *job, const struct options *options,
                     const struct peer *peer)
{
    const char *name = options->combine ? options->combine : operators[PEER_ADD].name;
    size_t op = 0, type = 0, combine = 0, lengths = 0, share = 0;

    while (op < PEER_OPS && (!options->op || !is_op(options->op, ops[op].name))) {
        op++;
    }
    const bool by_offsets = op == PEER_OFFSETS;
    const char *const rest =
        options->op && op < PEER_OPS ? options->op + strlen(ops[op].name) : "";
    while (op < PEER_OPS && has_runs((enum peer_op)op) && lengths < LENGTHS &&
           strcmp(rest, length_names[lengths]) != 0) {
        lengths++;
    }
    while (op == PEER_SELECT && share < 3 && strcmp(rest, shares[share].name) != 0) {
        share++;
    }
    if (op == PEER_OPS || lengths == LENGTHS || share == 3 ||
        (op > PEER_PARTITION && lengths == BY_0_3)) {
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
    job->op_name = options->op;
    job->combine = (enum peer_operator)combine;
    job->type = (enum peer_type)type;
    job->item = types[type].size * operators[combine].components;
    job->count = read_number(peer, "--count", options->count, SIZE_MAX / 64);
    job->device = options->device;
    job->flags_at = job->count * job->item * operators[combine].inputs;
    job->in_bytes = job->flags_at + (op == PEER_SEGMENTS ? job->count
                                     : op == PEER_KEYS   ? 4 * job->count
                                                         : 0);
    if (has_runs(job->op)) {
        make_offsets(job, (enum lengths)lengths);
        job->in_bytes += by_offsets ? (job->segments + 1) * sizeof(*offsets) : 0;
    }
    job->out_bytes = by_offsets ? job->segments
                     : ops[op].writes_all || op > PEER_OFFSETS
                         ? job->count
                         : (job->count - 1) / ops[op].part + 1;
    job->out_bytes *= job->item;
    if (op > PEER_OFFSETS) {
        const size_t also[PEER_OPS] = {
            [PEER_PARTITION] = job->item, [PEER_RLE] = 8, [PEER_KEYS] = 4
        };
        job->above = op == PEER_SELECT ? shares[share].above : 0;
        job->also_at = (job->out_bytes + 7) / 8 * 8;
        job->num_at = (job->also_at + also[op] * job->count + 7) / 8 * 8;
        job->out_bytes = job->num_at + sizeof(uint64_t);
    }
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
    if (job.op > PEER_OFFSETS && job.combine != PEER_ADD) {
        peer_end("unsupported", "selects are of plain elements");
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
    free(offsets);
    return fflush(stdout) == 0 ? 0 : 1;
}
