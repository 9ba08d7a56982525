/* Items: how a rank's part becomes one, on its device, and how several do. */
#include "call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The fold by which a part becomes an item -------------------------------------- */

/* A reduction's own; a scan's without what it writes, and for one segment. Then its args
 * are those that load and combine may use. */
void clfold_item_prepare(struct call *call)
{
    clfold_fold *fold = &call->item_fold;

    *fold = call->fold;
    if (!is_scan(call)) {
        return;
    }
    fold->result = fold->equal = fold->algorithm = NULL;
    fold->out = fold->out_scalars = 0;
    fold->total_out = (clfold_place){ NULL, 0 };
    if (fold->segments) { /* each has init, not its item */
        fold->segments = NULL;
        fold->init = NULL;
        fold->init_size = 0;
        fold->init_at = (clfold_place){ NULL, 0 };
    }
    if (!fold->combine && !fold->load) {
        fold->source = NULL;
        fold->flags = 0;
    }
    fold->num_args = 0;
    for (size_t k = 0; k < call->fold.num_args; ++k) {
        const clfold_arg *arg = &call->fold.args[k];
        if (fold->load || (fold->combine && !arg->element)) {
            call->args[fold->num_args++] = *arg;
        }
    }
    fold->args = fold->num_args > 0 ? call->args : NULL;
}

/* ---- Where its last segment starts ------------------------------------------------- */

/* The fold's `equal` as a function of two keys and its args, after its `source`; or NULL.
 * *call_text is how a load calls it. */
static char *write_equal(const clfold_fold *fold, const char **call_text)
{
    static const char *const types[] = {
        [CLFOLD_I8] = "char",    [CLFOLD_U8] = "uchar",  [CLFOLD_I16] = "short",
        [CLFOLD_U16] = "ushort", [CLFOLD_I32] = "int",   [CLFOLD_U32] = "uint",
        [CLFOLD_I64] = "long",   [CLFOLD_U64] = "ulong", [CLFOLD_F16] = "float",
        [CLFOLD_F32] = "float",  [CLFOLD_F64] = "double"
    };
    const char *key = types[fold->segments->type];
    const char *source = fold->source ? fold->source : "";
    size_t size = strlen(source) + strlen(fold->equal) + 500;

    for (size_t k = 0; k < fold->num_args; ++k) {
        size += fold->args[k].element ? 0 : strlen(fold->args[k].type) + 10;
        size += 2 * (strlen(fold->args[k].name) + 2);
    }
    char *text = malloc(size), *end = text;
    if (!text) {
        return NULL;
    }
    end += sprintf(end, "%s\nstatic bool mpi_same(%s a, %s b", source, key, key);
    for (size_t k = 0; k < fold->num_args; ++k) {
        const clfold_arg *arg = &fold->args[k];
        end += arg->element ? 0 : sprintf(end, ", %s %s", arg->type, arg->name);
    }
    end += sprintf(end, ")\n{\n    return\n%s\n;\n}\n", fold->equal);
    *call_text = ++end;
    end += sprintf(end, "mpi_same(mpi_before, x");
    for (size_t k = 0; k < fold->num_args; ++k) {
        end += fold->args[k].element ? 0 : sprintf(end, ", %s", fold->args[k].name);
    }
    strcpy(end, ")");
    return text;
}

/* The place of the last of `count` elements of x, from 1 on, that is a flag; or, if
 * `before` is given, a key that is not equal to that of `before` at the same place. 0:
 * there is none. */
static uint64_t find_last(struct call *call, cl_mem x, size_t x_offset, cl_mem before,
                          size_t before_offset, size_t count)
{
    const clfold_fold *user = &call->fold;
    const clfold_type type = user->segments->type;
    const char *name = clfold_type_name(type == CLFOLD_F16 ? CLFOLD_F32 : type);
    const char *same = before ? "mpi_before == x" : NULL;
    char load[1500], zero[20], *source = NULL;
    clfold_arg args[MAX_ARGS] = { CLFOLD_STREAM(type, mpi_before, before,
                                                before_offset) };
    clfold_fold fold = { .op = CLFOLD_MAX,
                         .type = CLFOLD_U64,
                         .in = type,
                         .load = load,
                         .args = before ? args : NULL,
                         .num_args = before != NULL };
    cl_ulong place = 0;

    if (before && user->equal) {
        if (!(source = write_equal(user, &same))) {
            clfold_call_fail(call, CL_OUT_OF_HOST_MEMORY, "no memory for a text");
            return 0;
        }
        for (size_t k = 0; k < user->num_args; ++k) {
            if (!user->args[k].element) {
                args[fold.num_args++] = user->args[k];
            }
        }
        fold.source = source;
        fold.flags = CLFOLD_PARTIAL; /* so no value is compared that is no key */
    }
    snprintf(zero, sizeof(zero), "x == to_%s(0)", name);
    snprintf(load, sizeof(load),
             "to_u64(%s ? to_%s(0) : to_%s(1)) * (to_u64(i) + to_u64(1))",
             same ? same : zero, name, name);
    const clfold_status status = clfold_reduce_host(
        call->context, call->queue, &fold, x, x_offset, count, &place, sizeof(place));
    if (status) {
        call->status = status;
    }
    free(source);
    return place;
}

/* The same of the part's segments. Its first element starts one by keys unless its key
 * is that of the element before the part. */
static uint64_t find_last_start(struct call *call)
{
    const clfold_segments *segments = call->fold.segments;
    const size_t at = segments->offset;
    const cl_mem mem = segments->mem;
    uint64_t place = 0;

    if (segments->by == CLFOLD_BY_FLAGS) {
        return find_last(call, mem, at, NULL, 0, call->count);
    }
    if (call->count > 1 &&
        (place = find_last(call, mem, at + 1, mem, at, call->count - 1)) > 0) {
        return place + 1;
    }
    return call->status ||
                   (call->has_key && find_last(call, mem, at, call->key, 0, 1) == 0)
               ? 0
               : 1;
}

/* ---- Items ------------------------------------------------------------------------- */

static void read_carry(struct call *call, cl_event *made, unsigned char *bytes)
{
    clfold_call_check(call,
                      clEnqueueReadBuffer(call->queue, call->carry, CL_TRUE, 0,
                                          call->layout.carry_size, bytes, 1, made, NULL),
                      "clEnqueueReadBuffer");
    clReleaseEvent(*made);
}

void clfold_item_make(struct call *call, struct item *item)
{
    uint64_t start = 0;
    cl_event made;

    memset(item, 0, slot_size(call));
    if (call->status || call->count == 0) {
        return;
    }
    if (call->fold.segments) {
        start = find_last_start(call);
    }
    const size_t from = start > 0 ? (size_t)start - 1 : 0;
    const clfold_part part = { .first = call->part.first + from,
                               .whole = call->part.whole,
                               .carry_out = { call->carry, 0 } };
    clfold_fold fold = call->item_fold;
    /* A scan's streams begin there, too. */
    for (size_t k = 0; is_scan(call) && k < fold.num_args; ++k) {
        call->args[k].offset += call->args[k].element ? from : 0;
    }
    fold.part = &part;
    if (!call->status) {
        call->status = clfold_reduce(call->context, call->queue, &fold, call->in,
                                     call->in_offset + from, call->spare, 0,
                                     call->count - from, 0, NULL, &made);
    }
    if (!call->status) {
        read_carry(call, &made, item->bytes);
        item->exists = true;
        item->cuts = start > 0;
    }
}

/* The fold of the first `num` slots, into `to`, which may be one of them. */
static void join(struct call *call, int num, struct item *to)
{
    const size_t size = call->layout.carry_size;
    size_t found = 0;
    bool cuts = false;
    cl_event made;

    for (int i = 0; i < num; ++i) {
        const struct item *item = slot(call, i);
        if (item->exists) {
            found = item->cuts ? 0 : found;
            cuts = cuts || item->cuts;
            memcpy(call->packed + found++ * size, item->bytes, size);
        }
    }
    memset(to, 0, slot_size(call));
    if (call->status || found == 0) {
        return;
    }
    to->exists = true;
    to->cuts = cuts;
    if (found == 1) {
        memcpy(to->bytes, call->packed, size);
        return;
    }
    cl_mem carries = clfold_call_buffer(call, found * size, call->packed);
    if (!carries) {
        return;
    }
    call->status = clfold_fold_carries(call->context, call->queue, &call->item_fold,
                                       carries, 0, call->carry, 0, found, 0, NULL, &made);
    if (!call->status) {
        read_carry(call, &made, to->bytes);
    }
    clReleaseMemObject(carries);
}

/*
 * Up, each group gathers its items, and the first rank takes all of them to the next
 * level. Down, that rank hands over what is before the group, or the fold of all.
 */
int clfold_items_join(struct call *call, struct item *mine)
{
    const struct ranks *ranks = call->ranks;
    const int bytes = (int)slot_size(call), last = ranks->num_levels - 1;
    int error, rank, num;

    for (int l = 0; l <= last; ++l) {
        MPI_Comm_rank(ranks->levels[l], &rank);
        MPI_Comm_size(ranks->levels[l], &num);
        MPI_Request request = MPI_REQUEST_NULL;
        error = MPI_Iallgather(mine, bytes, MPI_BYTE, call->slots, bytes, MPI_BYTE,
                               ranks->levels[l], &request);
        const int late = MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (error || late) {
            return error ? error : late;
        }
        if (is_scan(call)) {
            join(call, rank, slot(call, CLFOLD_MPI_GROUP + l));
        }
        if (l < last || (ranks->has_top && !is_scan(call))) {
            join(call, num, mine);
        }
    }
    if (is_scan(call) && ranks->has_top) {
        memset(mine, 0, (size_t)bytes);
    }
    for (int l = last; l >= 0; --l) {
        if (!(l == last && ranks->has_top) &&
            (error = MPI_Bcast(mine, bytes, MPI_BYTE, 0, ranks->levels[l]))) {
            return error;
        }
        if (is_scan(call)) {
            memcpy(slot(call, 0), mine, (size_t)bytes);
            memcpy(slot(call, 1), slot(call, CLFOLD_MPI_GROUP + l), (size_t)bytes);
            join(call, 2, mine);
        }
    }
    return MPI_SUCCESS;
}
