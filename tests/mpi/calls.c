/* How calls are made: events, threads, communicators; and what they send. */
#include "ranks.h"

#include <pthread.h>
#include <time.h>

static const clfold_fold sum = { SUM_U32 };
static const cl_uint each = COLOUR * 0x1010101u; /* element of `some` */

/* ---- Events ------------------------------------------------------------------------ */

static void *open_gate(void *gate)
{
    const struct timespec time = { .tv_nsec = 20000000 };

    nanosleep(&time, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

/* The elements come late, after an event of the user's that another thread sets; and the
 * result is there when the call's event is. */
static void check_events(int kind, cl_command_queue queue)
{
    const cl_uint x[2] = { 7, (cl_uint)rank }, n = (cl_uint)num_ranks;
    const cl_uint before = x[1] * 7 + x[1] * (x[1] - 1) / 2;
    const cl_uint right = kind < INCLUSIVE    ? n * 7 + n * (n - 1) / 2
                          : kind == INCLUSIVE ? before + 7
                                              : before;
    cl_mem in = coloured_buffer(sizeof(x)), out = coloured_buffer(sizeof(x));
    cl_event written, done = NULL;
    cl_uint told = 0;
    pthread_t thread;
    cl_int error;

    clFinish(device.queue);
    cl_event gate = clCreateUserEvent(device.context, &error);
    error |=
        clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, sizeof(x), x, 1, &gate, &written);
    error |= pthread_create(&thread, NULL, open_gate, gate);
    assert_all(error == CL_SUCCESS, "no gate");
    struct rank_call call = rank_call(kind, &sum, in, out, 2);
    call.queue = queue;
    call.num_wait = 1;
    call.wait = &written;
    call.event = &done;
    assert_call(&call);
    error = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &told, 1, &done, NULL);
    assert_all(done && !error, "call %d: no event", kind);
    assert_all(told == right || (kind == REDUCE && rank > 0), "call %d: %u, not %u", kind,
               told, right);
    pthread_join(thread, NULL);
    clReleaseEvent(gate);
    clReleaseEvent(written);
    clReleaseEvent(done);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

void test_events(void)
{
    for (int kind = 0; kind < NUM_KINDS; ++kind) {
        check_events(kind, device.queue);
        if (device.disorder) {
            check_events(kind, device.disorder);
        }
    }
}

/* ---- Threads ----------------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    MPI_Comm comm;
    cl_command_queue queue;
    cl_mem out;
    int wrong;
};

static void *work(void *argument)
{
    struct worker *me = argument;

    for (int round = 0; round < 40; ++round) {
        const bool is_scan = round % 2;
        struct rank_call call =
            rank_call(is_scan ? INCLUSIVE : ALLREDUCE, &sum, some, me->out, 1);
        cl_uint told = 0;
        call.comm = me->comm;
        call.queue = me->queue;
        me->wrong += make_rank_call(&call) != CLFOLD_OK;
        clEnqueueReadBuffer(me->queue, me->out, CL_TRUE, 0, 4, &told, 0, NULL, NULL);
        me->wrong += told != each * (cl_uint)(is_scan ? rank + 1 : num_ranks);
    }
    return NULL;
}

/* Two at the same time, each with a communicator, if MPI lets them. */
void test_threads(void)
{
    struct worker workers[2] = { { 0 } };
    int level, failed = 0;

    MPI_Query_thread(&level);
    const int num = level == MPI_THREAD_MULTIPLE ? 2 : 0;
    for (struct worker *w = workers; w < workers + num; ++w) {
        MPI_Comm_dup(MPI_COMM_WORLD, &w->comm);
        w->queue = device_queue(&device, 0);
        w->out = coloured_buffer(4);
        clFinish(device.queue);
        failed |= pthread_create(&w->thread, NULL, work, w);
    }
    for (struct worker *w = workers; w < workers + num; ++w) {
        pthread_join(w->thread, NULL);
        MPI_Comm_free(&w->comm);
        clReleaseCommandQueue(w->queue);
        clReleaseMemObject(w->out);
        failed += w->wrong;
    }
    assert_all(failed == 0, "%d are wrong", failed);
}

/* ---- What is sent ------------------------------------------------------------------ */

enum { EXSCAN, ALL_REDUCE, GATHER, BCAST, NUM_COUNTED };
static struct counts {
    size_t calls[NUM_COUNTED], bytes[NUM_COUNTED];
} counts;
static _Atomic int live_comms;

static void count(int what, int num, MPI_Datatype type)
{
    int size;

    PMPI_Type_size(type, &size);
    ++counts.calls[what];
    counts.bytes[what] += (size_t)num * (size_t)size;
}

/* MPI's function counts, or does something else first. */
#define INSTEAD(name, first, params, args)                                               \
    int MPI_##name params                                                                \
    {                                                                                    \
        first;                                                                           \
        return PMPI_##name args;                                                         \
    }

INSTEAD(Exscan, count(EXSCAN, num, type),
        (const void *in, void *out, int num, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (in, out, num, type, op, comm))
INSTEAD(Allreduce, count(ALL_REDUCE, num, type),
        (const void *in, void *out, int num, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (in, out, num, type, op, comm))
INSTEAD(Iallgather, count(GATHER, num, type),
        (const void *in, int num, MPI_Datatype type, void *out, int out_num,
         MPI_Datatype out_type, MPI_Comm comm, MPI_Request *request),
        (in, num, type, out, out_num, out_type, comm, request))
INSTEAD(Bcast, count(BCAST, num, type),
        (void *data, int num, MPI_Datatype type, int root, MPI_Comm comm),
        (data, num, type, root, comm))
INSTEAD(Comm_dup, ++live_comms, (MPI_Comm comm, MPI_Comm *out), (comm, out))
INSTEAD(Comm_split, live_comms += color != MPI_UNDEFINED,
        (MPI_Comm comm, int color, int key, MPI_Comm *out), (comm, color, key, out))
INSTEAD(Comm_free, --live_comms, (MPI_Comm * comm), (comm))

/*
 * A call whose carry has c bytes sends from each rank, whatever the data and their
 * number, after the communicator's first call:
 *
 *     MPI_Exscan       1 of 24 bytes
 *     MPI_Allreduce    2, of 48 and 8 bytes
 *     MPI_Iallgather   L of c + 2 bytes
 *     MPI_Bcast        L - T of c + 2 bytes
 *
 * where L is the number of levels of groups that a rank is in, and T is 1 for ranks in
 * the top group, else 0. Up to 256 ranks L and T are 1 for all: 82 + c bytes in 4 calls.
 */
static struct counts formula(size_t carry)
{
    size_t levels = 1, num = (size_t)num_ranks, me = (size_t)rank;

    while (num > CLFOLD_MPI_GROUP && me % CLFOLD_MPI_GROUP == 0) {
        me /= CLFOLD_MPI_GROUP;
        num = (num - 1) / CLFOLD_MPI_GROUP + 1;
        ++levels;
    }
    const size_t below = levels - (num <= CLFOLD_MPI_GROUP);
    return (struct counts){ { 1, 2, levels, below },
                            { 24, 56, levels * (carry + 2), below * (carry + 2) } };
}

void test_traffic(void)
{
    static const clfold_fold folds[] = { { SUM_U32 },
                                         { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 } };
    static const size_t sizes[] = { 0, 1, 100000 }; /* of the last part */

    assert_ranks_work(MPI_COMM_WORLD);
    for (int k = 0; k < 2 * 3 * NUM_KINDS; ++k) {
        const clfold_fold *fold = &folds[k % 2];
        const size_t last = sizes[k / 2 % 3];
        clfold_layout layout;
        assert_ok(clfold_fold_layout(fold, &layout));
        const struct rank_call call =
            rank_call(k / 6, fold, some, spare, rank == num_ranks - 1 ? last : 1);
        const struct counts right = formula(layout.carry_size);
        counts = (struct counts){ { 0 }, { 0 } };
        const clfold_status status = make_rank_call(&call);
        const struct counts made = counts;
        cl_uint told, num = (cl_uint)(num_ranks - 1 + (int)last);
        assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
        read_bytes(spare, sizeof(told), &told);
        assert_all(k / 6 != ALLREDUCE || k % 2 || told == each * num, "sum: %u", told);
        for (int c = 0; c < NUM_COUNTED; ++c) {
            assert_all(made.calls[c] == right.calls[c] && made.bytes[c] == right.bytes[c],
                       "case %d, function %d: %zu of %zu bytes", k, c, made.calls[c],
                       made.bytes[c]);
        }
    }
}

/* ---- Communicators ----------------------------------------------------------------- */

/* Others than MPI_COMM_WORLD: one rank, the same in reversed order, two halves. What
 * calls keep with one is freed with it. */
void test_communicators(void)
{
    assert_ranks_work(MPI_COMM_SELF);
    for (int k = 0; k < 4; ++k) {
        const int before = live_comms;
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, k < 2 ? 0 : rank % 2, k % 2 ? rank : -rank, &comm);
        assert_ranks_work(comm);
        assert_ranks_work(comm);
        const int with = live_comms;
        MPI_Comm_free(&comm);
        assert_all(with > before + 1 && live_comms == before, "%d, %d, %d communicators",
                   before, with, live_comms);
    }
}
