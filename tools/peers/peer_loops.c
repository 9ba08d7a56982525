/* Loops on the host as a peer: its memory, and the call of the type's loop. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

static const struct peer_job *job;
static peer_loop *loop; /* of the operation, operator and type */
static size_t *offsets;
static struct set {
    void *in, *out;
} * sets;

const unsigned char *peer_flags;
const size_t *peer_offsets;
const uint32_t *peer_ends;
size_t peer_segments;
const uint32_t *peer_keys;
int peer_above;
void *peer_also;
uint64_t *peer_num;

/* With every page touched. */
static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, (bytes / ALIGNMENT + 1) * ALIGNMENT);

    if (!memory) {
        peer_fail("no memory for %zu bytes", bytes);
    }
    memset(memory, 0, bytes);
    return memory;
}

static void make_offsets(size_t count)
{
    const size_t num = (count - 1) / PEER_SEGMENT + 1;

    offsets = allocate((num + 1) * sizeof(*offsets));
    for (size_t i = 0; i < num; i++) {
        offsets[i] = i * PEER_SEGMENT;
    }
    offsets[num] = count;
    peer_offsets = offsets;
}

static void open_sets(const struct peer_job *new_job, const void *data)
{
    job = new_job;
    sets = calloc(job->sets, sizeof(*sets));
    if (!sets) {
        peer_fail("no memory for %zu sets", job->sets);
    }
    for (size_t i = 0; i < job->sets; i++) {
        sets[i].in = allocate(job->in_bytes);
        sets[i].out = allocate(job->out_bytes);
        memcpy(sets[i].in, data, job->in_bytes);
    }
    make_offsets(job->count);
    peer_segments = job->segments;
    peer_above = job->above;
    peer_runs_on("host", -1);
}

static void call(size_t set)
{
    peer_flags = (const unsigned char *)sets[set].in + job->flags_at;
    peer_keys = peer_ends = (const uint32_t *)(const void *)peer_flags;
    peer_also = (char *)sets[set].out + job->also_at;
    peer_num = (uint64_t *)(void *)((char *)sets[set].out + job->num_at);
    loop(sets[set].in, sets[set].out, job->count);
}

static void read_out(size_t set, void *to)
{
    memcpy(to, sets[set].out, job->out_bytes);
}

static void close_sets(void)
{
    for (size_t i = 0; i < job->sets; i++) {
        free(sets[i].in);
        free(sets[i].out);
    }
    free(sets);
    free(offsets);
}

static struct peer_loops (*all_loops)[PEER_TYPES];

static void open_loops(const struct peer_job *new_job, const void *data)
{
    loop = all_loops[new_job->combine][new_job->type].of[new_job->op];
    open_sets(new_job, data);
}

int peer_loops_main(int argc, char **argv, const char *name, bool reorders,
                    struct peer_loops loops[PEER_OPERATORS][PEER_TYPES])
{
    const struct peer peer = { name, reorders, open_loops, call, read_out, close_sets };

    all_loops = loops;
    return peer_main(argc, argv, &peer);
}
