/* Sums of floats that are promised more than a plain one: data that are hard for them,
 * and what must come out. */
#ifndef CLFOLD_TESTS_SUMS_H
#define CLFOLD_TESTS_SUMS_H

#include "binned_model.h"
#include "oracle.h"

enum sum_kind {
    CANCELLING, /* pairs that cancel, some but for their last bits */
    ASCENDING,  /* each greater than all before, so that bins change */
    NARROW,     /* numbers of one size */
    WHOLE,      /* whose plain sum is exact */
    ZEROS,      /* of both signs */
    INFINITE,
    OPPOSED, /* infinities of both signs */
    NOT_A_NUMBER,
    /* For reproducible sums alone. */
    WIDE,         /* of every size */
    FULL,         /* whose first parts are as large as they get */
    TIED,         /* sums half-way between floats, with or without a rest far below */
    TINY,         /* normal and subnormal ones, up to bin 2 */
    HIDDEN,       /* subnormal ones among others of bin 2, which cancel */
    SUBNORMAL,    /* nothing else */
    UNDERFLOWING, /* whose sum is subnormal */
    HUGE_ONES,    /* whose plain sum overflows on the way */
    OVERFLOWING,
    NUM_KINDS
};

/* `count` elements, and a value to begin with. */
struct sum_data {
    struct pair pair;
    size_t count;
    enum sum_kind kind;
    unsigned spread; /* of numbers that cancel: 0 to 3 */
    bool is_exact;   /* for a reproducible sum */
};

/* By a seed, of an accuracy. */
struct sum_data sum_data_of(struct pair pair, uint32_t accuracy, size_t count,
                            uint64_t seed);

double draw_term(uint64_t *state, int least, int binades);

/* Element i is about x. Returns what it is. */
double put_term(clfold_type type, void *elements, size_t i, double x);

/* And a value to begin with, which is large beside a sum that cancels. */
void fill_sum(const struct sum_data *data, void *elements, void *init, uint64_t seed);

/* A sum on its way: `plain` is rounded at each step. */
struct prefix {
    struct exact exact;
    double magnitude, plain;
    bool any;
};

void prefix_add(struct prefix *prefix, double x, clfold_type type);

/* What clfold.h promises of a compensated sum that an element reaches through at most
 * `depth` additions. */
double prefix_bound(const struct prefix *prefix, clfold_type type, double depth);

/* Whether a compensated sum is within its bound, and what plain sums have exactly, or is
 * no number, as they do. */
bool prefix_agrees(const struct prefix *prefix, const struct sum_data *data, double depth,
                   double is);

#endif
