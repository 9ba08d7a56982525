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

static clfold_status map(const struct call *call)
{
    const clfold_fold none = { 0 };
    clfold_fold fold = fold_for(CLFOLD_MAP, call->fold ? call->fold : &none);

    return clfold_map(call->context, call->queue, call->fold ? &fold : NULL, call->in,
                      call->in_offset, call->out, call->out_offset, call->count,
                      call->num_wait, call->wait, call->event);
}

static clfold_status select_some(const struct call *call)
{
    const clfold_fold none = { 0 };
    clfold_fold fold = fold_for(CLFOLD_SELECT, call->fold ? call->fold : &none);

    return clfold_select(call->context, call->queue, call->fold ? &fold : NULL, call->in,
                         call->in_offset, call->out, call->out_offset, call->count,
                         call->num_wait, call->wait, call->event);
}

static clfold_status reduce_host(const struct call *call)
{
    return clfold_reduce_host(call->context, call->queue, call->fold, call->in,
                              call->in_offset, call->count, call->result,
                              call->result_size);
}

const struct call_row call_rows[NUM_CALLS] = {
    [CALL_REDUCE] = { "clfold_reduce", CLFOLD_REDUCE,
                      HAS_OUT | HAS_PLACE | HAS_ONE | HAS_OPERATOR, reduce },
    [CALL_REDUCE_HOST] = { "clfold_reduce_host", CLFOLD_REDUCE, HAS_ONE | HAS_OPERATOR,
                           reduce_host },
    [CALL_INCLUSIVE_SCAN] = { "clfold_inclusive_scan", CLFOLD_INCLUSIVE_SCAN,
                              HAS_OUT | HAS_PLACE | HAS_ITEMS | HAS_OPERATOR,
                              inclusive_scan },
    [CALL_EXCLUSIVE_SCAN] = { "clfold_exclusive_scan", CLFOLD_EXCLUSIVE_SCAN,
                              HAS_OUT | HAS_PLACE | HAS_ITEMS | HAS_FIRST | HAS_OPERATOR,
                              exclusive_scan },
    [CALL_MAP] = { "clfold_map", CLFOLD_MAP, HAS_OUT | HAS_PLACE | HAS_ITEMS, map },
    [CALL_SELECT] = { "clfold_select", CLFOLD_SELECT, HAS_OUT, select_some },
};
