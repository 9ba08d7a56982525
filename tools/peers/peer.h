/*
 * What the programs beside clfold share, so that they differ in nothing but how they
 * fold: options, data, clock, check of the result, and what they print. A program gives a
 * struct peer to peer_main, or loops to peer_loops_main.
 *
 *     peer_NAME --op reduce|scan|segments|map|rows|offsets-LENGTHS|
 *                    select-PERCENT|partition|unique-LENGTHS|rle-LENGTHS|by-keys-LENGTHS
 *               --type f32|i32|f64|i64 --count N
 *               [--operator add|dual|affine|squares|dot|above] [--rounds N]
 *               [--device SEL] [--serve]
 *
 * prints one line of JSON: the median of the rounds, and whether the result was right; or
 * why there is none, in a sentence under "failed", "no_device", "unsupported" or "wrong".
 *
 * With --serve it is asked round by round, so that several programs can take turns. After
 * a first line with "ready" each line "round" on its standard input is answered by one
 * with "seconds", and "end", or the input's end, by one that says "ok".
 *
 * A round is a call that is not timed, since a program that has just slept is slow, and
 * one that is, from enqueue to finish. Each call takes the next set of buffers; all sets
 * together are 512 MiB or more, or 256, so that caches do not flatter.
 */
#ifndef CLFOLD_PEERS_PEER_H
#define CLFOLD_PEERS_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum peer_type { PEER_F32, PEER_I32, PEER_F64, PEER_I64, PEER_TYPES };

/* Scans are inclusive, and one of segments starts anew at each; a map writes an item for
 * each element; rows, and segments by offsets, are folded to one item each. A select
 * keeps the elements above job->above, a partition the others as well; unique keeps the
 * first of each run of equal ones, and rle also has the runs' lengths; by keys each run
 * of equal keys is added up. What these have is in the output, each with room for all:
 *
 *     0           what is kept, or the sums
 *     also_at     the others, the lengths as uint64_t, or the sums' keys as uint32_t
 *     num_at      how many are kept, as uint64_t
 */
enum peer_op {
    PEER_REDUCE,
    PEER_SCAN,
    PEER_SEGMENTS,
    PEER_MAP,
    PEER_ROWS,
    PEER_OFFSETS,
    PEER_SELECT, /* these and what follows: of plain elements only */
    PEER_PARTITION,
    PEER_UNIQUE,
    PEER_RLE,
    PEER_KEYS,
    PEER_OPS
};
/* Elements in a row and in a segment; the last may have fewer. */
enum { PEER_ROW = 1000, PEER_SEGMENT = 100 };

/*
 * Items of two operators are pairs x, y of scalars:
 *
 *     dual      the product of dual numbers x + y e, where e * e = 0: a product and its
 *               derivative; commutative
 *     affine    the map v -> x v + y, after the maps before it; not commutative
 *
 * Both have the identity 1, 0. All others add scalars: `add` the elements x themselves,
 * `squares` their squares, `above` 1 for each element above 40, and `dot` the products of
 * x and the y at its place: its input has all x, and after them all y. What a op b is,
 * and what is added, in the words of C and OpenCL C alike:
 */
enum peer_operator {
    PEER_ADD,
    PEER_DUAL,
    PEER_AFFINE,
    PEER_SQUARES,
    PEER_DOT,
    PEER_ABOVE,
    PEER_OPERATORS
};
#define PEER_DUAL_OF    a.x *b.x, a.x *b.y + a.y *b.x
#define PEER_AFFINE_OF  a.x *b.x, a.y *b.x + b.y
#define PEER_SQUARES_OF x *x
#define PEER_DOT_OF     x *y
#define PEER_ABOVE_OF   x > 40 ? 1 : 0

/* As a string. */
#define PEER_TEXT(...)  PEER_TEXT_(__VA_ARGS__)
#define PEER_TEXT_(...) #__VA_ARGS__

struct peer_job {
    enum peer_op op;
    const char *op_name;
    enum peer_operator combine;
    enum peer_type type;
    size_t count, item;         /* item: bytes */
    size_t in_bytes, out_bytes; /* of a set */
    size_t flags_at; /* PEER_SEGMENTS: in the input, in bytes: a byte for each element, 1
                      * where a segment starts and else 0. PEER_OFFSETS: there the input
                      * has where each segment begins, as uint32_t, and then the count.
                      * PEER_KEYS: a uint32_t for each element */
    size_t segments; /* PEER_OFFSETS: how many */
    int above;       /* PEER_SELECT, PEER_PARTITION */
    size_t also_at, num_at; /* in the output, in bytes */
    bool leaves_empty;      /* some of these have no elements */
    size_t sets;
    const char *device; /* as the user selects it, or NULL */
};

/* A failure ends the program by peer_fail. */
struct peer {
    const char *name;
    bool reorders; /* it folds to one in any order, so the operator must be commutative */
    /* Makes the sets, each with a copy of `data` as its input. */
    void (*open)(const struct peer_job *job, const void *data);
    void (*call)(size_t set); /* returns when it is done */
    /* The set's output. */
    void (*read)(size_t set, void *to);
    void (*close)(void);
};

int peer_main(int argc, char **argv, const struct peer *peer);

/* Of count > 0 elements of one type. */
typedef void peer_loop(const void *in, void *out, size_t count);

struct peer_loops {
    peer_loop *of[PEER_OPS];
};

/* For a loop of segments: the flags of its input, and where each segment begins, then the
 * count. For one of segments by offsets: these, and how many segments there are. */
extern const unsigned char *peer_flags;
extern const size_t *peer_offsets;
extern const uint32_t *peer_ends;
extern size_t peer_segments;
/* And for one that selects: the keys, and the places of the output. */
extern const uint32_t *peer_keys;
extern int peer_above;
extern void *peer_also;
extern uint64_t *peer_num;

/* On the host's memory. */
int peer_loops_main(int argc, char **argv, const char *name, bool reorders,
                    struct peer_loops loops[PEER_OPERATORS][PEER_TYPES]);

/* Where it runs: the device's name, and its number among OpenCL's, or -1. */
void peer_runs_on(const char *device, int index);

/* One sentence, and the program ends. */
__attribute__((noreturn, format(printf, 1, 2))) void peer_fail(const char *format, ...);
/* The same, under that key: "no_device", "unsupported". */
__attribute__((noreturn, format(printf, 2, 3))) void peer_end(const char *key,
                                                              const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
