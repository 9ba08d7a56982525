/* The calls that users make. */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>

void clfold_call_fail(struct call *call, clfold_status status, const char *sentence)
{
    if (!call->status) {
        call->status = clfold_set_error(call->context, status, call->name, sentence);
    }
}

bool clfold_call_check(struct call *call, cl_int error, const char *function)
{
    char sentence[100];

    if (error != CL_SUCCESS) {
        snprintf(sentence, sizeof(sentence), "%s failed", function);
        clfold_call_fail(call, error, sentence);
    }
    return error == CL_SUCCESS;
}

/* ---- Its own checks and memory ----------------------------------------------------- */

/* What a call on parts cannot do; NULL: nothing of it is asked for. */
static const char *find_lack(const struct call *call)
{
    const clfold_segments *segments = call->fold.segments;

    return call->fold.part ? "part is given, but the call itself finds each rank's part"
           : call->fold.count_at.mem
               ? "count_at is given, but counts are exchanged before the call runs"
           : call->fold.flags & CLFOLD_REVERSE
               ? "flags has CLFOLD_REVERSE, and scans from the right stay on one rank"
           : segments && !is_scan(call)
               ? "segments are given, and reductions of segments stay on one rank"
           : segments && segments->by != CLFOLD_BY_FLAGS && segments->by != CLFOLD_BY_KEYS
               ? "segments are rows, columns or by offsets, and only those by flags and "
                 "keys cross ranks"
           : call->fold.equal && call->fold.num_args == MAX_ARGS
               ? "num_args is 8, and beside an equal ranks have room for 7"
               : NULL;
}

cl_mem clfold_call_buffer(struct call *call, size_t size, void *data)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_int error;
    cl_mem mem = clCreateBuffer(call->device_context, flags, size, data, &error);

    return clfold_call_check(call, error, "clCreateBuffer") ? mem : NULL;
}

static void allocate(struct call *call)
{
    const size_t carry = call->layout.carry_size;

    call->slots = calloc(NUM_SLOTS, slot_size(call));
    call->packed = malloc(CLFOLD_MPI_GROUP * carry);
    if (!call->slots || !call->packed) {
        clfold_call_fail(call, CL_OUT_OF_HOST_MEMORY, "no memory for the items of ranks");
    }
    if (clfold_call_check(call,
                          clGetCommandQueueInfo(call->queue, CL_QUEUE_CONTEXT,
                                                sizeof(call->device_context),
                                                &call->device_context, NULL),
                          "clGetCommandQueueInfo")) {
        call->carry = clfold_call_buffer(call, carry, NULL);
        call->spare = clfold_call_buffer(call, SPARE_BYTES, NULL);
    }
}

static void finish(struct call *call)
{
    cl_mem mems[] = { call->carry, call->spare, call->before, call->key };

    for (size_t k = 0; k < sizeof(mems) / sizeof(mems[0]); ++k) {
        if (mems[k]) {
            clReleaseMemObject(mems[k]);
        }
    }
    free(call->slots);
    free(call->packed);
}

/* ---- This rank's own part ---------------------------------------------------------- */

static bool has_result(const struct call *call)
{
    return is_scan(call) || call->everywhere || call->root == call->ranks->rank;
}

/* What can be known to fail before ranks meet. */
static void check(struct call *call)
{
    const bool is_later = call->ranks->rank > 0 || call->count == 0;
    const bool by_keys = is_by(call, CLFOLD_BY_KEYS);
    const clfold_part part = { .first = is_later,
                               .whole = UINT64_MAX,
                               .carry_at = { call->carry, 0 },
                               .key_at = { by_keys ? call->spare : NULL, 0 } };
    clfold_fold fold = call->fold;
    const bool to_out = has_result(call);

    fold.part = &part;
    if (!call->status) {
        call->status = clfold_check_call(
            call->context, call->operation, call->queue, &fold, call->in, call->in_offset,
            to_out ? call->out : call->spare, to_out ? call->out_offset : 0, call->count,
            call->num_wait, call->wait);
    }
    if (!call->status && call->num_wait > 0) {
        clfold_call_check(call, clWaitForEvents(call->num_wait, call->wait),
                          "clWaitForEvents");
    }
}

static void start(struct call *call, const clfold_fold *fold)
{
    const char *lack;

    if (!fold || !call->context || !call->queue) {
        clfold_call_fail(call, CLFOLD_ERROR_ARGUMENT,
                         !fold            ? "fold is NULL"
                         : !call->context ? "context is NULL"
                                          : "queue is NULL");
        return;
    }
    call->fold = *fold;
    call->status = clfold_fold_layout(fold, &call->layout);
    if (call->status) {
        return;
    }
    if (call->root < 0 || call->root >= call->ranks->num) {
        char sentence[100];
        snprintf(sentence, sizeof(sentence), "root is %d, but there are %d ranks",
                 call->root, call->ranks->num);
        clfold_call_fail(call, CLFOLD_ERROR_ARGUMENT, sentence);
    } else if ((lack = find_lack(call))) {
        clfold_call_fail(call, CLFOLD_ERROR_UNSUPPORTED, lack);
    } else {
        clfold_item_prepare(call);
        allocate(call);
        check(call);
    }
}

/* The call itself, after the items before it, which are all that a reduction has left. */
static void end(struct call *call, struct item *item, cl_event *event)
{
    const bool has_before = is_scan(call) ? call->part.first > 0 : call->part.whole > 0;
    const bool has_some = has_before || call->count > 0;
    clfold_fold fold = call->fold;

    /* An item is missing only if a rank has failed, which says so itself. */
    if (call->status || (has_before && !item->exists)) {
        return;
    }
    if (!has_result(call)) {
        if (event) {
            clfold_call_check(call,
                              clEnqueueMarkerWithWaitList(call->queue, 0, NULL, event),
                              "clEnqueueMarkerWithWaitList");
        }
        return;
    }
    if (item->exists) {
        call->before = clfold_call_buffer(call, call->layout.carry_size, item->bytes);
        call->part.carry_at.mem = call->before;
    }
    call->part.key_at.mem = call->key;
    if (!is_scan(call)) {
        call->part.first = call->part.whole;
        call->count = 0;
    }
    if (has_some) {
        fold.part = &call->part;
    } else {
        fold.total_out = (clfold_place){ NULL, 0 };
    }
    if (!call->status) {
        call->status =
            (call->operation == CLFOLD_REDUCE           ? clfold_reduce
             : call->operation == CLFOLD_INCLUSIVE_SCAN ? clfold_inclusive_scan
                                                        : clfold_exclusive_scan)(
                call->context, call->queue, &fold, call->in, call->in_offset, call->out,
                call->out_offset, call->count, 0, NULL, event);
    }
}

/* ---- The steps --------------------------------------------------------------------- */

/* Returns a failure of MPI's. */
static int meet(struct call *call, MPI_Comm comm, const clfold_fold *fold,
                cl_event *event)
{
    int error = clfold_ranks_find(&call->ranks, comm);

    if (error) {
        return error;
    }
    start(call, fold);
    if ((error = clfold_agree(call)) || call->status) {
        return error;
    }
    if (call->has_key) {
        call->key = clfold_call_buffer(call, sizeof(call->key_before), call->key_before);
    }
    struct item *const item = slot(call, NUM_SLOTS - 1);
    /* Nothing comes after the last rank's scan. */
    if (!is_scan(call) || call->ranks->rank < call->ranks->num - 1) {
        clfold_item_make(call, item);
    }
    if ((error = clfold_items_join(call, item))) {
        return error;
    }
    end(call, item, event);
    return clfold_share(call);
}

static clfold_status run(struct call *call, MPI_Comm comm, const clfold_fold *fold,
                         cl_event *event)
{
    char sentence[MPI_MAX_ERROR_STRING + 100];
    int error, length;

    if (event) {
        *event = NULL;
    }
    int joins_two = 0;
    if (comm == MPI_COMM_NULL || (MPI_Comm_test_inter(comm, &joins_two), joins_two)) {
        return clfold_set_error(call->context, CLFOLD_ERROR_ARGUMENT, call->name,
                                joins_two ? "comm is an intercommunicator"
                                          : "comm is MPI_COMM_NULL");
    }
    error = meet(call, comm, fold, event);
    if (error) {
        MPI_Error_string(error, sentence, &length);
        call->status =
            clfold_set_error(call->context, CLFOLD_ERROR_MPI, call->name, sentence);
    }
    if (call->status && event && *event) {
        clReleaseEvent(*event);
        *event = NULL;
    }
    finish(call);
    return call->status;
}

#define PARAMS                                                                           \
    cl_command_queue queue, const clfold_fold *fold, cl_mem in, size_t in_offset,        \
        cl_mem out, size_t out_offset, size_t count, cl_uint num_wait,                   \
        const cl_event *wait, cl_event *event
#define CALL(function, kind, to_all, at)                                                 \
    struct call call = { .name = function,                                               \
                         .operation = kind,                                              \
                         .everywhere = to_all,                                           \
                         .root = at,                                                     \
                         .context = context,                                             \
                         .queue = queue,                                                 \
                         .in = in,                                                       \
                         .in_offset = in_offset,                                         \
                         .out = out,                                                     \
                         .out_offset = out_offset,                                       \
                         .count = count,                                                 \
                         .num_wait = num_wait,                                           \
                         .wait = wait };                                                 \
                                                                                         \
    return run(&call, comm, fold, event)

clfold_status clfold_mpi_reduce(clfold_context *context, MPI_Comm comm, int root, PARAMS)
{
    CALL("clfold_mpi_reduce", CLFOLD_REDUCE, false, root);
}

clfold_status clfold_mpi_allreduce(clfold_context *context, MPI_Comm comm, PARAMS)
{
    CALL("clfold_mpi_allreduce", CLFOLD_REDUCE, true, 0);
}

clfold_status clfold_mpi_inclusive_scan(clfold_context *context, MPI_Comm comm, PARAMS)
{
    CALL("clfold_mpi_inclusive_scan", CLFOLD_INCLUSIVE_SCAN, true, 0);
}

clfold_status clfold_mpi_exclusive_scan(clfold_context *context, MPI_Comm comm, PARAMS)
{
    CALL("clfold_mpi_exclusive_scan", CLFOLD_EXCLUSIVE_SCAN, true, 0);
}
