/* Every call of the library in one form, a row each, so that what holds for all of them
 * is tested once. A new operation is a row here. */
#ifndef CLFOLD_TESTS_CALLS_H
#define CLFOLD_TESTS_CALLS_H

#include <clfold/clfold.h>

/* The arguments of a call; it uses those that it has a parameter for. */
struct call {
    clfold_context *context;
    cl_command_queue queue;
    const clfold_fold *fold;
    cl_mem in;
    size_t in_offset;
    cl_mem out;
    size_t out_offset, count;
    cl_uint num_wait;
    const cl_event *wait;
    cl_event *event;
    void *result;
    size_t result_size;
};

enum {
    HAS_OUT = 1,    /* a buffer for the output, a wait list and an event */
    HAS_ONE = 4,    /* one result of all elements */
    HAS_ITEMS = 8,  /* a result for each element */
    HAS_FIRST = 16, /* a result that no element is part of */
    HAS_OPERATOR = 32,
    HAS_PLACE = 128 /* it may write where it reads */
};

struct call_row {
    const char *name; /* "clfold_reduce" */
    clfold_operation operation;
    unsigned has;
    clfold_status (*make)(const struct call *call);
};

enum {
    CALL_REDUCE,
    CALL_REDUCE_HOST,
    CALL_INCLUSIVE_SCAN,
    CALL_EXCLUSIVE_SCAN,
    CALL_MAP,    /* of the fold without its operator */
    CALL_SELECT, /* likewise, of two elements in three */
    NUM_CALLS
};
extern const struct call_row call_rows[NUM_CALLS];

/* The fold as the operation takes it: a map and a select have no operator. */
clfold_fold fold_for(clfold_operation operation, const clfold_fold *fold);

/* The calls that have all of `has`. */
#define for_calls(row, needs)                                                            \
    for (const struct call_row *row = call_rows; row < call_rows + NUM_CALLS; ++row)     \
        if ((row->has & (needs)) == (needs))

#endif
