#include "trace_states.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct trace_span trace_span(const struct trace_records *records)
{
    struct trace_span span = { UINT64_MAX, 0, false };

    for (size_t i = 0; i < records->num; i++) {
        const clfold_tile_trace *const tile = &records->tiles[i];
        span.begin = tile->started < span.begin ? tile->started : span.begin;
        span.end = tile->prefix > span.end ? tile->prefix : span.end;
    }
    /* A tile has three records, and cycles pass between them. */
    span.steps = records->num > 0 && span.end - span.begin < 3 * (uint64_t)records->num;
    return span;
}

char trace_flag(const struct trace_records *records, size_t tile, uint64_t time)
{
    if (records->tiles[tile].prefix <= time) {
        return 'P';
    }
    return records->publishes && records->tiles[tile].aggregate <= time ? 'A' : 'X';
}

bool trace_folds(const struct trace_records *records, size_t tile, size_t other)
{
    return (records->tiles[tile].folded >> (tile - other - 1) & 1) != 0;
}

/* ---- The moment ---- */

struct event {
    uint64_t time;
    size_t tile;
    char flag; /* from then on */
};

static int compare(const void *a, const void *b)
{
    const struct event *const left = a, *const right = b;

    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    if (left->tile != right->tile) {
        return left->tile < right->tile ? -1 : 1;
    }
    /* A comes before P */
    return (left->flag > right->flag) - (left->flag < right->flag);
}

static size_t list_events(const struct trace_records *records, struct event *events)
{
    size_t num = 0;

    for (size_t i = 0; i < records->num; i++) {
        const clfold_tile_trace *const tile = &records->tiles[i];
        if (records->publishes && tile->aggregate <= tile->prefix) {
            events[num++] = (struct event){ tile->aggregate, i, 'A' };
        }
        events[num++] = (struct event){ tile->prefix, i, 'P' };
    }
    qsort(events, num, sizeof(events[0]), compare);
    return num;
}

/* First by neighbours that differ and states that are there; then by how near half of the
 * tiles are done, since what differs stands in the middle then. */
static size_t rate(const char *flags, size_t num)
{
    size_t changes = 0, done = 0;
    bool has[256] = { false };

    for (size_t i = 0; i < num; i++) {
        changes += i > 0 && flags[i] != flags[i - 1];
        done += flags[i] == 'P';
        has[(unsigned char)flags[i]] = true;
    }
    const size_t kinds = (size_t)has['P'] + has['A'] + has['X'];
    const size_t off = 2 * done > num ? 2 * done - num : num - 2 * done;
    return (changes + kinds) * (num + 1) + num - off;
}

/* The tiles around one that has changed, if they are better than what was found. */
static void look_around(const char *flags, size_t num_tiles, size_t tile, uint64_t time,
                        struct trace_snapshot *best, size_t *rating)
{
    const size_t num = best->num;
    size_t first = tile + 1 > num ? tile + 1 - num : 0;

    for (; first <= tile && first + num <= num_tiles; first++) {
        const size_t rated = rate(flags + first, num);
        if (rated > *rating) {
            *rating = rated;
            best->first = first;
            best->time = time;
        }
    }
}

bool trace_choose(const struct trace_records *records, size_t most,
                  struct trace_snapshot *snapshot)
{
    struct event *const events = malloc((2 * records->num + 1) * sizeof(*events));
    char *const flags = malloc(records->num + 1);
    size_t rating = 0;

    *snapshot =
        (struct trace_snapshot){ .num = records->num < most ? records->num : most };
    if (!events || !flags) {
        free(events);
        free(flags);
        return false;
    }
    memset(flags, 'X', records->num + 1);
    const size_t num = list_events(records, events);
    for (size_t i = 0, next; i < num; i = next) {
        /* What happens at one time shows at once. */
        for (next = i; next < num && events[next].time == events[i].time; next++) {
            flags[events[next].tile] = events[next].flag;
        }
        for (size_t k = i; k < next; k++) {
            look_around(flags, records->num, events[k].tile, events[i].time, snapshot,
                        &rating);
        }
    }
    free(events);
    free(flags);
    return true;
}

/* ---- Tables ---- */

static int width_of(const char *text, int width)
{
    return (int)strlen(text) > width ? (int)strlen(text) : width;
}

void trace_write_rows(FILE *to, const struct trace_row *rows, size_t num)
{
    static const char aggregate[] = "aggregate", prefix[] = "inclusive prefix";
    int aggregate_width = (int)strlen(aggregate), prefix_width = (int)strlen(prefix);

    for (size_t i = 0; i < num; i++) {
        aggregate_width = width_of(rows[i].aggregate, aggregate_width);
        prefix_width = width_of(rows[i].prefix, prefix_width);
    }
    fprintf(to, "%8s %4s  %*s  %*s\n", "tile", "flag", aggregate_width, aggregate,
            prefix_width, prefix);
    for (size_t i = 0; i < num; i++) {
        fprintf(to, "%8zu %4c  %*s  %*s\n", rows[i].tile, rows[i].flag, aggregate_width,
                rows[i].flag == 'X' ? "-" : rows[i].aggregate, prefix_width,
                rows[i].flag == 'P' ? rows[i].prefix : "-");
    }
}

size_t trace_bucket(uint32_t depth)
{
    size_t bucket = 0;

    while (bucket < 32 && UINT64_C(1) << bucket < depth) {
        bucket++;
    }
    return depth == 0 ? 0 : bucket + 1;
}

void trace_bucket_text(char out[48], size_t bucket)
{
    if (bucket <= 2) {
        snprintf(out, 48, "%zu", bucket);
    } else {
        snprintf(out, 48, "%" PRIu64 "-%" PRIu64, (UINT64_C(1) << (bucket - 2)) + 1,
                 UINT64_C(1) << (bucket - 1));
    }
}

static void add(struct trace_figure *figure, uint32_t value)
{
    figure->total += value;
    figure->most = value > figure->most ? value : figure->most;
}

static void finish(struct trace_figure *figure, size_t num)
{
    figure->mean = num > 0 ? (double)figure->total / (double)num : 0;
}

struct trace_figures trace_figures(const struct trace_records *records)
{
    struct trace_figures figures = { 0 };

    for (size_t i = 0; i < records->num; i++) {
        const clfold_tile_trace *const tile = &records->tiles[i];
        figures.buckets[trace_bucket(tile->depth)]++;
        add(&figures.depth, tile->depth);
        add(&figures.polls, tile->polls);
        add(&figures.fallbacks, tile->fallbacks);
    }
    finish(&figures.depth, records->num);
    finish(&figures.polls, records->num);
    finish(&figures.fallbacks, records->num);
    return figures;
}
