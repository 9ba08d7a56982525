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

/*
 * The numbers. What counts depend on:
 *   width              work-items of a sub-group
 *   banks              of local memory, 4 bytes wide
 * Speeds:
 *   units, clock       GHz, which all cycles are of
 *   issue              instructions of sub-groups that a unit begins in a cycle
 *   replays            1: an access that banks serve again is issued again
 *   bandwidth, latency of memory: GB/s, cycles
 *   store_bandwidth    of its stores, if that is another
 *   l2, l2_bandwidth, l2_latency   bytes, bytes a cycle, cycles
 *   local_latency, alu_latency, barrier   cycles
 *   call, launch       microseconds, once, and for each launch after the first
 *   link, link_latency between host and device: GB/s, microseconds
 * A CPU, which runs a group's work-items one after the other between two barriers:
 *   region             ns for a work-item to pass from one barrier to the next
 *   operation          ns for each operation, access, branch and turn
 *   lone_operation     the same in groups of one work-item, if that is another
 * What limits groups on a unit:
 *   sub_groups, groups, registers, most_registers   of 4 bytes; of a work-item
 *   register_parts, register_unit   parts of the unit, and what is given at once
 *   registers_by_group 1: groups take whole units, 0: sub-groups do
 *   sub_group_unit     sub-groups are rounded up to it for registers
 *   local, local_unit, local_reserved   bytes; the last are of each group
 * Hong and Kim's: departure_coalesced, departure_uncoalesced, issue_cycles.
 */
#define DEVICE_LIST(X)                                                                   \
    X(WIDTH, width), X(BANKS, banks), X(UNITS, units), X(CLOCK, clock), X(ISSUE, issue), \
        X(REPLAYS, replays), X(BANDWIDTH, bandwidth),                                    \
        X(STORE_BANDWIDTH, store_bandwidth), X(LATENCY, latency), X(L2, l2),             \
        X(L2_BANDWIDTH, l2_bandwidth), X(L2_LATENCY, l2_latency),                        \
        X(LOCAL_LATENCY, local_latency), X(ALU_LATENCY, alu_latency),                    \
        X(BARRIER, barrier), X(CALL, call), X(LAUNCH, launch), X(LINK, link),            \
        X(LINK_LATENCY, link_latency), X(REGION, region), X(OPERATION, operation),       \
        X(LONE_OPERATION, lone_operation), X(SUB_GROUPS, sub_groups), X(GROUPS, groups), \
        X(REGISTERS, registers), X(REGISTER_PARTS, register_parts),                      \
        X(REGISTER_UNIT, register_unit), X(REGISTERS_BY_GROUP, registers_by_group),      \
        X(SUB_GROUP_UNIT, sub_group_unit), X(MOST_REGISTERS, most_registers),            \
        X(LOCAL, local), X(LOCAL_UNIT, local_unit), X(LOCAL_RESERVED, local_reserved),   \
        X(DEPARTURE_COALESCED, departure_coalesced),                                     \
        X(DEPARTURE_UNCOALESCED, departure_uncoalesced), X(ISSUE_CYCLES, issue_cycles)

#define DEVICE_ENUMERATOR(NUMBER, name) DEVICE_##NUMBER
enum device_number { DEVICE_LIST(DEVICE_ENUMERATOR), DEVICE_NUMBERS };

enum { DEVICE_TEXT = 128 };

struct device {
    char name[DEVICE_TEXT];
    struct device_value {
        bool is_known;
        double value;
        char source[DEVICE_TEXT]; /* "nominal: the data sheet" */
    } numbers[DEVICE_NUMBERS];
};

extern const char *const device_number_names[DEVICE_NUMBERS];

bool device_read(struct device *device, const char *text, size_t size,
                 struct nest_error *error);

bool device_knows(const struct device *device, enum device_number number);

/* Whose terms of time are those of CPUs. */
bool device_is_cpu(const struct device *device);

/* 0 where it is not known. */
double device_number(const struct device *device, enum device_number number);

#endif
