/* Folds whose operator, load or result is a text of the caller's, and what they are on
 * the host. All are exact; most do not commute. Each table ends with one of size 0. */
#ifndef CLFOLD_TESTS_SUBJECTS_OF_TEXT_H
#define CLFOLD_TESTS_SUBJECTS_OF_TEXT_H

#include "trial.h"

#include <string.h>

extern const struct subject operator_subjects[], load_subjects[], result_subjects[];

/* Operators that show which neighbours were joined, and where folds stopped. */
extern const struct subject order_subjects[];

enum heads {
    NO_HEADS,
    ALL_HEADS,
    TILE_HEADS,   /* each tile's first */
    BEFORE_HEADS, /* each tile's last */
    BEHIND_HEADS, /* each tile's second */
    RANDOM_HEADS,
    RARE_HEADS, /* a segment is many tiles long */
    NUM_HEADS
};
/* Elements of one of the last two, of tiles of that size; sums that round, or not. */
void fill_segments(cl_uint (*elements)[2], size_t count, bool is_real, enum heads heads,
                   size_t tile, bool rounds);

/* Conditions of selects, each with its fold. */
#define NUM_SELECT_SUBJECTS 36
extern const struct select_subject {
    const struct subject *subject;
    struct condition condition;
} select_subjects[NUM_SELECT_SUBJECTS];

/* Elements as they are, by their type. */
const struct subject *plain_subject(clfold_type type);

/* Arguments by number, so that those of a fold are neighbours. */
enum {
    ARG_Y,
    ARG_FACTOR,
    ARG_H,
    ARG_W,
    ARG_TABLE,
    ARG_M,
    ARG_PRIMES,
    ARG_ONES,
    NUM_ARGS
};
extern clfold_arg subject_args[NUM_ARGS];

/* Streams begin STREAM_LAG elements into their buffers. */
#define MOST_ELEMENTS 5000
#define STREAM_LAG    3
#define FACTOR        31u
#define MODULUS       65521u
extern cl_float stream_y[];
extern cl_half stream_h[];
extern cl_uchar stream_w[];

void subject_args_init(void);
void subject_args_finish(void);

extern const cl_ulong zeros[2];
extern const cl_uint one_0[2];

/* `out`, of a type, of a and b as x and y. A semicolon follows each of these macros. */
#define COMBINE(name, type, ...)                                                         \
    static inline void name(void *out, const void *a, const void *b)                     \
    {                                                                                    \
        const type *x = a, *y = b;                                                       \
        const type r[] = { __VA_ARGS__ };                                                \
        memcpy(out, r, sizeof(r));                                                       \
    }                                                                                    \
    struct subject
#define SAME(name, type, is_same)                                                        \
    static inline bool name(const void *a, const void *b)                                \
    {                                                                                    \
        const type *x = a, *y = b;                                                       \
        return is_same;                                                                  \
    }                                                                                    \
    struct subject

COMBINE(add_u32, cl_uint, x[0] + y[0]);
COMBINE(add_f32, cl_float, x[0] + y[0]);
COMBINE(join_maps, cl_uint, x[0] * y[0], x[1] * y[0] + y[1]); /* x -> a x + b */

/* Sum, and the last; with padding. */
struct padded {
    cl_ulong sum;
    cl_uint last;
};
COMBINE(join_padded, struct padded, { x->sum + y->sum, y->last });
SAME(same_padded, struct padded, x->sum == y->sum && x->last == y->last);

static inline cl_uint u32_of(const void *elements, size_t i)
{
    cl_uint x;

    memcpy(&x, (const unsigned char *)elements + 4 * i, 4);
    return x;
}

static inline cl_float f32_of(const void *elements, size_t i)
{
    cl_float x;

    memcpy(&x, (const unsigned char *)elements + 4 * i, 4);
    return x;
}

static inline cl_uint table_value(cl_uint i) /* of 16 */
{
    return i * i + 1;
}

/* What is folded for element i of n of e. */
#define LOAD(name, type, ...)                                                            \
    static void name(void *out, const unsigned char *e, size_t i, size_t n)              \
    {                                                                                    \
        const type r[] = { __VA_ARGS__ };                                                \
        (void)e, (void)i, (void)n;                                                       \
        memcpy(out, r, sizeof(r));                                                       \
    }                                                                                    \
    struct subject
/* What is written for it. */
#define WRITE(name, type, ...)                                                           \
    static void name(void *out, const void *item, const void *prev,                      \
                     const unsigned char *e, size_t i, size_t n)                         \
    {                                                                                    \
        const type r[] = { __VA_ARGS__ };                                                \
        (void)item, (void)prev, (void)e, (void)i, (void)n;                               \
        memcpy(out, r, sizeof(r));                                                       \
    }                                                                                    \
    struct subject

#define SUBJECT(...)                                                                     \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
#define FOLD(...)        .fold = { __VA_ARGS__ }
#define ARGS(first, num) .args = subject_args + (first), .num_args = (num)
#define WORDS            .most = UINT32_MAX
#define BYTES            .word = 1, .most = 255
#define SUM_OF(scalar)   .op = CLFOLD_ADD, .type = (scalar)
#define SUM              SUM_OF(CLFOLD_U32)
#define MAPS             .combine = "{ a.a * b.a, a.b * b.a + b.b }"
#define PAIRS            .components = "uint a; uint b", MAPS, .identity = "{ 1, 0 }"
#define PADDED                                                                           \
    .components = "ulong sum; uint last", .combine = "{ a.sum + b.sum, b.last }"
/* The host's side of them. */
#define ON_U32 .size = 4, .identity = zeros, .combine = add_u32
#define ON_F32                                                                           \
    .size = 4, .identity = zeros, .combine = add_f32, .most = 4, .is_real = true
#define ON_PAIRS .size = 8, .identity = one_0, .combine = join_maps
#define ON_PADDED                                                                        \
    .size = sizeof(struct padded), .combine = join_padded, .same = same_padded

#endif
