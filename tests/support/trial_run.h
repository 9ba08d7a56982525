/* A trial while it runs: its buffers, trial_store.c, the call, trial_call.c, the host's
 * side, trial_loop.c, and what compares both, trial.c. */
#ifndef CLFOLD_TESTS_TRIAL_RUN_H
#define CLFOLD_TESTS_TRIAL_RUN_H

#include "sums.h"
#include "trial.h"

/*
 * A buffer, what it held before, and what after:
 *
 *   front elements | count elements, or one more | ZONE elements, unless it is tight
 *
 * Over memory of the host it has LINE bytes at the end as well, so that `shift` fits.
 */
struct store {
    unsigned char *before, *after, *host;
    size_t element, front, bytes, shift;
    cl_mem_flags flags;
    bool is_on_host;
    cl_mem mem; /* NULL: the call has none */
};

#define MOST_STORES 14
#define MOST_BLOCKS (2 * MOST_STORES + 10)
struct run {
    const struct trial *trial;
    size_t in_size, item, result; /* bytes of an element, an item and a result */
    struct store in, out, init, total, heads, number, counted, bad;
    struct store keys, lengths, told; /* of segments that are found, and how many */
    struct store rest;                /* of a select */
    struct store carries, last_keys;  /* of parts, two of each */
    cl_ulong *want_lengths;
    unsigned char *want_keys, *want_rest;
    size_t num_found, bound, room; /* how many, and for how many there is room */
    unsigned char *starts;      /* 1 where a segment starts, by flags, keys or offsets */
    size_t num_heads;           /* flags, keys or offsets */
    cl_ulong wrong[2];          /* the first wrong offset: its index and value */
    unsigned char *expected;    /* results */
    unsigned char *row, *items; /* a segment's elements and items */
    unsigned char last[MAX_ITEM]; /* the total */
    double *magnitudes, last_magnitude;
    size_t num;                      /* results */
    size_t begin, end;               /* those that this process writes */
    const unsigned char *want_total; /* NULL: it is not known */
    bool has_total;
    double *own_magnitudes; /* of a segment's items */
    struct sum_data data;   /* of a sum that is promised more than a plain one, and */
    struct prefix *sums;    /* if it is compensated, its items, and the total */
    clfold_report report;
    struct store *stores[MOST_STORES]; /* all of the above */
    void *blocks[MOST_BLOCKS];
    size_t num_stores, num_blocks;
    bool lacks_memory;
};

/* Makes buffers, and fills them; *failed of a call gets what failed, if the library did
 * not. */
bool run_init(struct run *run, const struct trial *trial);
clfold_status run_call(struct run *run, const char **failed);
void run_finish(struct run *run);
cl_int store_download(const struct store *store, cl_command_queue queue);

/* All but the `count` elements from `from` on is as it was, and so are the bytes beside a
 * buffer over memory of the host. */
bool store_kept(const struct store *store, size_t from, size_t count);

static inline size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline unsigned char *store_at(const struct store *store, unsigned char *bytes,
                                      size_t index)
{
    return bytes + (store->front + index) * store->element;
}

/* Elements, and a value to begin with. */
void run_fill(struct run *run);

/* The most flags, keys or offsets; and these, which say where segments start. */
size_t run_most_heads(const struct trial *trial);
void run_cut(struct run *run);

/* What the loop on the host gives: run->expected, and the total. Returns false where
 * there is nothing to fold. */
bool run_expect(struct run *run);

/* Whether the data round; a bound of the roundings that an element goes through. */
bool run_rounds(const struct trial *trial);
double run_depth(const struct run *run);

/* Another call that must have the same bits, if there is one: of a scan by another
 * strategy on the same tile, of segments by another number of groups. And whether it has
 * them. */
bool trial_twin(const struct trial *trial, struct trial *twin);
bool run_same_bits(const struct run *run, const struct run *twin, size_t *at);

/* Where results lie after the call, and the total. */
const struct store *run_out(const struct run *run);
const unsigned char *run_total(const struct run *run);

#endif
