/*
 * A device, as a text file describes it: a number a line, with where it comes from.
 *
 *   name NVIDIA A100 40 GB
 *   width 32 queried
 *   bandwidth 1555 nominal   GB/s, the data sheet
 *
 * Sources are measured (on such a device, by this project), queried (from its driver) and
 * nominal (a data sheet or a paper, named after it). What no line says is unknown, and a
 * prediction leaves out what would need it, and says so.
 */
#ifndef CLFOLD_PREDICT_DEVICE_FILE_H
#define CLFOLD_PREDICT_DEVICE_FILE_H

#include "nest.h"

#include <stdio.h>

enum device_number {
    /* what counts depend on */
    DEVICE_WIDTH, /* work-items of a sub-group */
    DEVICE_BANKS, /* of local memory, 4 bytes wide */
    /* speeds */
    DEVICE_UNITS,
    DEVICE_CLOCK,         /* GHz, which all cycles are of */
    DEVICE_ISSUE,         /* instructions of sub-groups a unit begins in a cycle */
    DEVICE_REPLAYS,       /* 1: an access that banks serve again is issued again */
    DEVICE_BANDWIDTH,     /* of memory, GB/s */
    DEVICE_LATENCY,       /* of it, cycles */
    DEVICE_L2,            /* bytes */
    DEVICE_L2_BANDWIDTH,  /* bytes a cycle */
    DEVICE_L2_LATENCY,    /* cycles */
    DEVICE_LOCAL_LATENCY, /* cycles */
    DEVICE_ALU_LATENCY,   /* cycles */
    DEVICE_BARRIER,       /* cycles */
    DEVICE_CALL,          /* microseconds, once */
    DEVICE_LAUNCH,        /* microseconds, for each launch after the first */
    /* what limits groups on a unit */
    DEVICE_SUB_GROUPS,
    DEVICE_GROUPS,
    DEVICE_REGISTERS, /* of 4 bytes */
    DEVICE_REGISTER_PARTS,
    DEVICE_REGISTER_UNIT,
    DEVICE_REGISTERS_BY_GROUP, /* 1: groups take whole units, 0: sub-groups do */
    DEVICE_SUB_GROUP_UNIT,     /* sub-groups are rounded up to it for registers */
    DEVICE_MOST_REGISTERS,     /* of a work-item */
    DEVICE_LOCAL,              /* bytes */
    DEVICE_LOCAL_UNIT,
    DEVICE_LOCAL_RESERVED, /* bytes of each group */
    /* Hong and Kim's */
    DEVICE_DEPARTURE_COALESCED,
    DEVICE_DEPARTURE_UNCOALESCED,
    DEVICE_ISSUE_CYCLES,
    DEVICE_NUMBERS
};

enum { DEVICE_TEXT = 128 };

struct device_value {
    bool is_known;
    double value;
    char source[DEVICE_TEXT]; /* "nominal: the data sheet" */
};

struct device {
    char name[DEVICE_TEXT];
    struct device_value numbers[DEVICE_NUMBERS];
};

extern const char *const device_number_names[DEVICE_NUMBERS];

bool device_read(struct device *device, const char *text, size_t size,
                 struct nest_error *error);

/* 0 where it is not known. */
double device_number(const struct device *device, enum device_number number);

#endif
