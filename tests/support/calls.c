#include "calls.h"

#define ENQUEUE(name)                                                                    \
    static clfold_status name(const struct call *call)                                   \
    {                                                                                    \
        return clfold_##name(call->context, call->queue, call->fold, call->in,           \
                             call->in_offset, call->out, call->out_offset, call->count,  \
                             call->num_wait, call->wait, call->event);                   \
    }

ENQUEUE(reduce)
ENQUEUE(inclusive_scan)
ENQUEUE(exclusive_scan)

static clfold_status reduce_host(const struct call *call)
{
    return clfold_reduce_host(call->context, call->queue, call->fold, call->in,
                              call->in_offset, call->count, call->result,
                              call->result_size);
}

const struct call_row call_rows[NUM_CALLS] = {
    [CALL_REDUCE] = { "clfold_reduce", CLFOLD_REDUCE, HAS_OUT | HAS_ONE, reduce },
    [CALL_REDUCE_HOST] = { "clfold_reduce_host", CLFOLD_REDUCE, HAS_RESULT | HAS_ONE,
                           reduce_host },
    [CALL_INCLUSIVE_SCAN] = { "clfold_inclusive_scan", CLFOLD_INCLUSIVE_SCAN,
                              HAS_OUT | HAS_ITEMS, inclusive_scan },
    [CALL_EXCLUSIVE_SCAN] = { "clfold_exclusive_scan", CLFOLD_EXCLUSIVE_SCAN,
                              HAS_OUT | HAS_ITEMS | HAS_FIRST, exclusive_scan },
};
