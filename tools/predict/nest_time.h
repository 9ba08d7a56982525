/*
 * How long launches take, from their counts and a device's numbers: each part of the
 * device is busy for a time, and the longest of these binds.
 *
 *   memory   bytes past L2 / bandwidth, or what is under way / latency, if that is less
 *   L2       bytes of sectors past L1 / its bandwidth
 *   L1       passes / (units * clock)
 *   local    passes of the banks / (units * clock)
 *   issue    instructions / (units * issue * clock)
 *   latency  rounds of loads, barriers and local steps, one after the other
 *   items    of a CPU: what its work-items do / units
 *
 * A CPU has memory, items and hops only. And the same by Hong and Kim's model of 2009,
 * and by the formulas of the thesis.
 */
#ifndef CLFOLD_PREDICT_NEST_TIME_H
#define CLFOLD_PREDICT_NEST_TIME_H

#include "device_file.h"
#include "nest_count.h"

/* How many groups a unit of a device holds at once: occupancy. */
struct fit {
    int64_t groups;     /* on a unit; 0: not even one */
    int64_t sub_groups; /* in these */
    const char *limit;  /* "registers", ...: what binds */
};

/* Groups of `num_items` work-items with so many registers each and bytes of local memory.
 * registers 0: not known, and no limit. */
struct fit fit_groups(const struct device *device, int64_t num_items, int64_t registers,
                      int64_t local_bytes);

enum time_term {
    TERM_MEMORY,
    TERM_L2,
    TERM_L1,
    TERM_LOCAL,
    TERM_ISSUE,
    TERM_LATENCY,
    TERM_ITEMS,
    TERM_HOPS,
    TIME_TERMS
};
extern const char *const time_term_names[TIME_TERMS];

struct launch_time {
    struct fit fit;
    double instructions;       /* of sub-groups */
    bool are_told;             /* by the nest; else by weights */
    double regions;            /* that work-items pass, between barriers */
    double operations;         /* of work-items, with accesses, branches and turns */
    double fetched, past_l2;   /* bytes */
    double bandwidth;          /* GB/s of loads that is reached */
    double under_way;          /* bytes, of a unit */
    double tail;               /* by which the last groups lengthen throughputs */
    double terms[TIME_TERMS];  /* seconds, with the tail, of one of `times` */
    bool is_known[TIME_TERMS]; /* false: the device has no number for it */
    enum time_term binds;
    double waves, times; /* one after the other */
    double seconds;      /* of all of them, with what launches cost */
};

/* Instructions that a thing counted is taken for, where no compiler tells: an operation,
 * an access and its address, ... From two kernels of one GPU, see docs/predict.md. */
struct instruction_weights {
    double simple, slow, access, branch, turn, barrier;
};
extern const struct instruction_weights instruction_weights;

/* `is_later`: not the first of its call. Seconds are 0 if not one group fits. */
struct launch_time time_launch(const struct nest *nest, const struct nest_launch *launch,
                               const struct device *device, bool is_later);

/* One crossing of the link; below 0: the device's file does not tell. */
double time_transfer(const struct device *device, uint64_t bytes);

/* A whole nest: all its launches, and the transfers that are known. */
struct nest_time {
    double launches, transfers, seconds;
    bool has_unknown; /* a transfer that is not known */
    int misfit;       /* the launch of which no group fits, or NEST_NONE */
};
struct nest_time time_nest(const struct nest *nest, const struct nest_counts *counts,
                           const struct device *device);

/* ---- Hong and Kim, and the thesis -------------------------------------------------- */

struct hong_kim_device {
    double clock, bandwidth, latency; /* GHz, GB/s, cycles */
    double departure_coalesced, departure_uncoalesced, issue_cycles, units;
};

/* Of a work-item, but for the last four. */
struct hong_kim_program {
    double compute, uncoalesced, coalesced, barriers;
    double uncoalesced_each, coalesced_each; /* transactions of an access */
    double bytes;                            /* of a sub-group's transaction */
    double groups, groups_of_unit, sub_groups_of_group;
};

struct hong_kim {
    double memory_latency, departure, mwp, cwp, compute_cycles, memory_cycles, rounds;
    double cycles_without_barriers, barrier_cycles, cycles, seconds;
};

struct hong_kim hong_kim(const struct hong_kim_device *device,
                         const struct hong_kim_program *program);

/* Formulas (1) to (10) of the thesis, as they stand. */
struct thesis {
    double iterations;                       /* (1) of a work-item */
    double segment[NEST_MOST_ACCESSES];      /* (2) bytes; 0: a local access */
    double stride[NEST_MOST_ACCESSES];       /* (3) bytes */
    double transactions[NEST_MOST_ACCESSES]; /* (4), (5) */
    bool is_coalesced[NEST_MOST_ACCESSES];
    double registers_of_item, registers, local; /* (6), (8) */
    double reduction_items;                     /* (7), of the one group of its kernel */
    int reduction_steps;     /* in which a sub-group turns 32 values into one */
    double reduction_values; /* which the host folds */
    double extra;            /* (9), (10) */
    double arithmetic, reciprocals, branches;
    struct hong_kim_program program; /* of one wave */
};

/* `cached`: with the cache, where (5) does not hold. */
struct thesis thesis_count(const struct nest *nest, const struct nest_launch *launch,
                           const struct device *device, bool cached);

/* What Hong and Kim need of it; false: the file does not tell all. */
bool hong_kim_device_of(const struct device *device, struct hong_kim_device *out);

#endif
