#include "calls.h"

clfold_fold fold_for(clfold_operation operation, const clfold_fold *fold)
{
    clfold_fold own = *fold;

    if (operation == CLFOLD_MAP || operation == CLFOLD_SELECT) {
        own.op = 0;
    }
    if (operation == CLFOLD_SELECT) {
        own.keep = "i % 3 > 0";
    }
    return own;
}

#define ENQUEUE(name, operation)                                                         \
    static clfold_status enqueue_##name(const struct call *call)                         \
    {                                                                                    \
        const clfold_fold none = { 0 };                                                  \
        const clfold_fold fold = fold_for(operation, call->fold ? call->fold : &none);   \
                                                                                         \
        return clfold_##name(call->context, call->queue, call->fold ? &fold : NULL,      \
                             call->in, call->in_offset, call->out, call->out_offset,     \
                             call->count, call->num_wait, call->wait, call->event);      \
    }

ENQUEUE(reduce, CLFOLD_REDUCE)
ENQUEUE(inclusive_scan, CLFOLD_INCLUSIVE_SCAN)
ENQUEUE(exclusive_scan, CLFOLD_EXCLUSIVE_SCAN)
ENQUEUE(map, CLFOLD_MAP)
ENQUEUE(select, CLFOLD_SELECT)

static clfold_status reduce_host(const struct call *call)
{
    return clfold_reduce_host(call->context, call->queue, call->fold, call->in,
                              call->in_offset, call->count, call->result,
                              call->result_size);
}

const struct call_row call_rows[NUM_CALLS] = {
    [CALL_REDUCE] = { "clfold_reduce", CLFOLD_REDUCE,
                      HAS_OUT | HAS_PLACE | HAS_ONE | HAS_OPERATOR, enqueue_reduce },
    [CALL_REDUCE_HOST] = { "clfold_reduce_host", CLFOLD_REDUCE, HAS_ONE | HAS_OPERATOR,
                           reduce_host },
    [CALL_INCLUSIVE_SCAN] = { "clfold_inclusive_scan", CLFOLD_INCLUSIVE_SCAN,
                              HAS_OUT | HAS_PLACE | HAS_ITEMS | HAS_OPERATOR,
                              enqueue_inclusive_scan },
    [CALL_EXCLUSIVE_SCAN] = { "clfold_exclusive_scan", CLFOLD_EXCLUSIVE_SCAN,
                              HAS_OUT | HAS_PLACE | HAS_ITEMS | HAS_FIRST | HAS_OPERATOR,
                              enqueue_exclusive_scan },
    [CALL_MAP] = { "clfold_map", CLFOLD_MAP, HAS_OUT | HAS_PLACE | HAS_ITEMS,
                   enqueue_map },
    [CALL_SELECT] = { "clfold_select", CLFOLD_SELECT, HAS_OUT, enqueue_select },
};
