/*
 * One select on the device against a serial loop on the host, as trial.h has the other
 * operations: elements lie between others that would show in the result, results between
 * bytes that must stay, as must those past the last that is kept.
 */
#ifndef CLFOLD_TESTS_SELECT_TRIAL_H
#define CLFOLD_TESTS_SELECT_TRIAL_H

#include "trial.h"

/* Whether element i of n is kept; of runs, whether one starts there. */
typedef bool keeps_fn(const unsigned char *elements, size_t i, size_t n);

/* The same of the items of a scan: up to element i, and before it. */
typedef bool keeps_item_fn(const void *item, const void *prev,
                           const unsigned char *elements, size_t i);

/* A condition, which sees the ulong `level` as an argument, and the same on the host. */
struct condition {
    const char *text;
    keeps_fn *keeps;
    bool are_runs;             /* the text is the fold's `same` */
    bool scans;                /* the fold's operator stays, and if this is not NULL: */
    keeps_item_fn *keeps_item; /* in place of `keeps` */
};

/* `level` of 256 elements, at random places. */
extern const struct condition keep_by_index, scan_by_index;

struct select_trial {
    const struct subject *subject; /* without its operator, unless the condition scans */
    struct condition condition;
    const char *algorithm; /* NULL: the policy's */
    struct debug plan;
    size_t count, in_offset, out_offset;
    bool count_at; /* the count stands in memory, and the call says */
    size_t spare;  /* so many more; 0: memory may say more than the call */
    cl_ulong level;
    bool rest, lengths; /* they are wanted, where the fold allows it */
    bool init;          /* of a scan: the value of the element before the first */
    size_t first;       /* elements of a larger select before, where the fold allows it */
    bool tight;         /* buffers end with the last element */
    bool disorder;      /* on a queue out of order, if the device has one */
    bool unknown;       /* any results are right */
    bool may_refuse;    /* what the fold, the tile or the device cannot do */
    uint64_t seed;      /* of the data */
};

/* Makes the call, and compares all that is written. Where something is otherwise, `why`
 * gets a sentence. Sets the context's override. */
enum trial_end select_trial_run(const struct select_trial *trial, char *why,
                                size_t why_size);

#endif
