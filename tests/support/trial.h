/*
 * One call on the device against a serial loop on the host: any operation, operator,
 * algorithm and tile, any place of input and output, rows and columns. All tests that
 * compare results, and what breaks kernels on purpose, run it: a wrong result is an
 * answer here, no failure.
 */
#ifndef CLFOLD_TESTS_TRIAL_H
#define CLFOLD_TESTS_TRIAL_H

#include "calls.h"
#include "one_context.h"
#include "oracle.h"

#include "ops/internal.h"

#include <string.h>

/* The next random number below `num`. */
static inline size_t draw(uint64_t *seed, size_t num)
{
    return (size_t)((next_random(seed) >> 20) % num);
}

/* Bytes of an element, an item or a result, at most. */
#define MAX_ITEM 256

/* A fold of the caller's, and what it is on the host. */
struct subject {
    clfold_fold fold; /* without init, places, segments, and algorithm */
    size_t size;      /* of an item, and of elements and results unless these say so */
    size_t in_size;   /* 0: as size */
    size_t out_size;  /* 0: as size */
    const void *identity; /* NULL: there is none */
    void (*combine)(void *out, const void *a, const void *b);
    /* What is folded for element i of n; NULL: the element. */
    void (*load)(void *out, const unsigned char *elements, size_t i, size_t n);
    /* What is written for it; NULL: the item. Where an element is used there are no
     * reductions. */
    void (*write)(void *out, const void *item, const void *prev,
                  const unsigned char *elements, size_t i, size_t n);
    bool writes_of_element;
    size_t (*place)(size_t i, size_t n); /* where a store puts it; NULL: at i */
    bool is_map;                         /* no operator, and only CLFOLD_MAP */
    bool reads_others; /* than its own element, so that it cannot be in place */
    bool differs;      /* at 16 lanes, so it runs on scalars */
    /* Elements, and a value to begin with. NULL: words of `word` bytes (0: 4) from
     * `least` to `most`, floats of these values if `is_real`; and the first of these. */
    void (*fill)(void *elements, size_t count, uint64_t seed);
    void (*fill_init)(void *init, uint64_t seed);
    uint32_t least, most;
    size_t word;
    bool is_real;
    bool (*same)(const void *a, const void *b); /* of items; NULL: byte for byte */
    void (*print)(const void *item, char *text, size_t size); /* NULL: its bytes */
};

/* Whether element i of n is kept; of runs, whether one starts there. And the same of the
 * items of a scan: up to element i, and before it. */
typedef bool keeps_fn(const unsigned char *elements, size_t i, size_t n);
typedef bool keeps_item_fn(const void *item, const void *prev,
                           const unsigned char *elements, size_t i);

/* What a select keeps: a text, which sees the ulong `level`, and the same on the host. */
struct condition {
    const char *text;
    keeps_fn *keeps;
    bool are_runs;             /* the text is the fold's `same` */
    bool scans;                /* the fold's operator stays, and if this is not NULL: */
    keeps_item_fn *keeps_item; /* in place of `keeps` */
};

/* `level` of 256 elements, at random places; of a scan's items. */
extern const struct condition keep_by_index, scan_by_index;

enum init_from { INIT_NONE, INIT_HOST, INIT_DEVICE };
enum total_to { TOTAL_NONE, TOTAL_APART, TOTAL_BEHIND /* out[count] */ };

/* Where segments start that flags, keys or offsets tell apart. */
enum cuts {
    CUT_MIXED,      /* lengths from 1 to some 100, and with offsets empty ones */
    CUT_NOWHERE,    /* but at element 0 */
    CUT_EVERYWHERE, /* at each element */
    CUT_AT_TILES,   /* at multiples of 16 and beside them */
    CUT_DRAWN,      /* lengths by next_length() */
    CUT_OFTEN,      /* at one element in four */
    NUM_CUTS
};

/* The bound of a reduction by flags or keys, beside the true number of segments. */
enum bound { BOUND_NONE, BOUND_BELOW, BOUND_AT, BOUND_ABOVE, NUM_BOUNDS };

/* Lengths that are hard to cut evenly, in stretches of one law each: empty ones, short
 * ones, one of each beside tiles, and by a power law up to `most`. `seed` and `most` are
 * given. */
struct lengths {
    uint64_t seed;
    size_t most, law, left;
};
size_t next_length(struct lengths *lengths);

/* The zero of a field is the plainest. */
struct trial {
    const struct subject *subject; /* NULL: the operator `op` on `pair` */
    clfold_op op;
    struct pair pair;
    clfold_operation operation;
    bool reverse;          /* a scan from the right */
    const char *algorithm; /* NULL: the policy's */
    struct debug plan;
    size_t count, in_offset, out_offset;
    size_t width, length; /* of segments: rows have width 1; 0: there are none */
    uint32_t by;          /* or segments by CLFOLD_BY_FLAGS, ...; 0: there are none */
    clfold_type head_type;
    enum cuts cut;
    size_t empty; /* segments in a row that are, by offsets */
    bool loose;   /* keys are the same that are so without two bits: the fold's `equal` */
    bool num_at;  /* how many segments there are, by offsets, stands in memory, and */
    size_t more;  /* the call says so many more; 0: memory may say more than the call */
    bool count_at; /* how many elements there are stands in memory, and the call */
    size_t spare;  /* says so many more; 0: memory may say more than the call */
    bool bad;      /* some offsets are out of order or past the end */
    bool tells;    /* bad_out tells the first of these, or that there is none */
    /* Of a reduction by flags or keys. */
    enum bound bound; /* what the call says of how many segments there are, and */
    bool lists;       /* it writes how many, and each one's length and, by keys, key */
    /* Of a select, which has a subject, without its operator unless the condition scans.
     * It writes how many are kept and, with `lists`, the length of each run. */
    const struct condition *condition;
    cl_ulong level;
    bool rest;     /* what is not kept is written, too */
    size_t first;  /* elements of a larger input before, where the fold allows it */
    size_t parts;  /* the call is made in so many, cut by the seed; 0: whole */
    bool in_place; /* both at in_offset; elements and results are of one size */
    bool zones;    /* 64 elements more before both */
    bool tight;    /* buffers end with the last element */
    bool disorder; /* on a queue out of order, if the device has one */
    bool nan;      /* among the elements, where the buffer's type has one */
    /* A sum of floats by `op` whose data round: plain ones of a scan or of segments that
     * offsets tell apart have the same bits by another call, and all are within their
     * bounds. These alone may be promised more. */
    bool rounds;
    uint32_t accuracy;
    bool mirrored; /* the elements come from the last to the first */
    /* Buffers over memory of the host that begins so many bytes past a multiple of 64;
     * with `host` false, the driver's own. */
    bool host;
    size_t in_shift, out_shift;
    enum init_from init;
    enum total_to total;
    /* Rounding data, each item within the bound of this number of roundings; 0: exact, or
     * as many as the plan needs. */
    double depth;
    uint64_t seed;        /* of the data, where these are not given: */
    const void *elements; /* `count` of them */
    const void *init_value;
    const void *expected; /* results, instead of what the loop gives */
    bool unknown;         /* the loop is not run: any results are right */
    bool may_refuse;      /* what the fold, the tile or the device cannot do */
};

#define MOST_CUTS 16

/* Processes that make each call together, with `parts` parts, and part `rank` is this
 * one's. It has its own elements alone, and what it writes is compared. */
struct ranks {
    size_t rank;
    /* A reduction's result is for rank `root`; past the last: for all. */
    clfold_status (*make)(const struct call *call, clfold_operation operation,
                          size_t root);
};
extern const struct ranks *trial_ranks; /* NULL: there is this process alone */

enum trial_end { TRIAL_WRONG, TRIAL_RIGHT, TRIAL_REFUSED };

static inline clfold_operation scan_of(bool exclusive)
{
    return exclusive ? CLFOLD_EXCLUSIVE_SCAN : CLFOLD_INCLUSIVE_SCAN;
}

static inline bool trial_reduces(const struct trial *trial)
{
    return trial->operation == CLFOLD_REDUCE;
}

static inline bool trial_scans(const struct trial *trial)
{
    return trial->operation == CLFOLD_INCLUSIVE_SCAN ||
           trial->operation == CLFOLD_EXCLUSIVE_SCAN;
}

static inline bool trial_selects(const struct trial *trial)
{
    return trial->operation == CLFOLD_SELECT;
}

static inline bool trial_is_by(const struct trial *trial, const char *algorithm)
{
    return trial->algorithm && strcmp(trial->algorithm, algorithm) == 0;
}

/* Whether the call finds its segments by itself. */
static inline bool trial_finds(const struct trial *trial)
{
    return trial_reduces(trial) && trial->by && trial->by < CLFOLD_BY_OFFSETS;
}

/* "operation=exclusive_scan op=arg_min in=u8 type=u64 count=100 ...": all fields that are
 * not plain. And what such words say; returns what is wrong with them, or NULL. */
void trial_print(const struct trial *trial, char *text, size_t size);
const char *trial_read(struct trial *trial, const char *words);

/* Makes a trial that comes out wrong as plain as it gets in so many seconds. */
void trial_shrink(struct trial *trial, unsigned seconds);

/*
 * Makes the call, and compares results, total and status. The input lies between elements
 * that would show in the result, and must stay as it was unless it is in place; results
 * lie between bytes that must stay, and so does init. Where something is otherwise, `why`
 * gets a sentence. `results`, if not NULL, gets the results, and the total after them.
 * Sets the context's override.
 */
enum trial_end trial_run(const struct trial *trial, void *results, char *why,
                         size_t why_size);

/* The same for a test, which it fails with the sentence. Returns false where the call was
 * refused. */
bool trial_check(const struct trial *trial, void *results);

/* What the call may say more, by the trial's seed, if its count is in memory; as far as
 * streams go. */
size_t trial_spare(const struct trial *trial);

/* Bytes of an element, and of a result. */
size_t trial_element_size(const struct trial *trial);
size_t trial_result_size(const struct trial *trial);

/* `count` elements as a subject has them. */
void subject_fill(const struct subject *subject, unsigned char *elements, size_t count,
                  uint64_t seed);

/* Affine maps of u32, x -> a x + b, the first applied first; CLFOLD_AFFINE. And by text,
 * with constant maps, some of which are drawn, as cuts. */
extern const struct subject affine, affine_with_cuts;

/* The algorithms of scans that take tiles. */
#define SCAN_ALGORITHMS 6
extern const char *const scan_algorithms[SCAN_ALGORITHMS];

/* The tiles on which operators of the caller's are tried: the policy's, and a small one
 * of each kind, the group's of lanes that are no power of two. */
#define NUM_TRIAL_TILES 4
extern const struct debug trial_tiles[NUM_TRIAL_TILES];

#endif
