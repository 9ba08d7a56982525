/* How calls are made: events, threads, communicators; and what they send. */
#include "ranks.h"

#include <pthread.h>
#include <time.h>

#ifndef CLFOLD_MPI_GROUP
#define CLFOLD_MPI_GROUP 256
#endif

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };

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
    const cl_uint x[3] = { (cl_uint)rank, 0, 1 }, n = (cl_uint)num_ranks;
    const cl_uint upto = (cl_uint)(rank * (rank + 3) / 2) + 1;
    const cl_uint right = kind < INCLUSIVE    ? n * (n + 1) / 2
                          : kind == INCLUSIVE ? upto
                                              : upto - 1;
    cl_event gate, written, done = NULL;
    cl_uint told[3] = { 0 };
    pthread_t thread;
    cl_int error;

    cl_mem in = coloured_buffer(sizeof(x)), out = coloured_buffer(sizeof(told));
    clFinish(device.queue);
    gate = clCreateUserEvent(device.context, &error);
    error |=
        clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, sizeof(x), x, 1, &gate, &written);
    assert_all(error == CL_SUCCESS && pthread_create(&thread, NULL, open_gate, gate) == 0,
               "no gate");
    struct rank_call call = rank_call(kind, &sum, in, out, 3);
    call.queue = queue;
    call.num_wait = 1;
    call.wait = &written;
    call.event = &done;
    const clfold_status status = make_rank_call(&call);
    assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
    assert_all(done && clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(told), told, 1,
                                           &done, NULL) == CL_SUCCESS,
               "call %d: no event", kind);
    assert_all(told[kind < INCLUSIVE ? 0 : 2] == right || (kind == REDUCE && rank > 0),
               "call %d: %u, not %u", kind, told[kind < INCLUSIVE ? 0 : 2], right);
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
    MPI_Comm comm;
    cl_command_queue queue;
    cl_mem in, out;
    int wrong;
};

static void *work(void *argument)
{
    struct worker *me = argument;
    const cl_uint mine = COLOUR * 0x1010101u * 2;

    for (int round = 0; round < 40; ++round) {
        struct rank_call call =
            rank_call(round % 2 ? ALLREDUCE : INCLUSIVE, &sum, me->in, me->out, 2);
        cl_uint told[2] = { 0 };
        call.comm = me->comm;
        call.queue = me->queue;
        me->wrong += make_rank_call(&call) != CLFOLD_OK;
        clEnqueueReadBuffer(me->queue, me->out, CL_TRUE, 0, sizeof(told), told, 0, NULL,
                            NULL);
        me->wrong += round % 2 ? told[0] != mine * (cl_uint)num_ranks
                               : told[1] != mine * (cl_uint)(rank + 1);
    }
    return NULL;
}

/* Two at the same time, each with a communicator. */
void test_threads(void)
{
    struct worker workers[2] = { { 0 } };
    pthread_t threads[2];
    int level, failed = 0;

    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[k].comm);
        workers[k].queue = device_queue(&device, 0);
        workers[k].in = coloured_buffer(8);
        workers[k].out = coloured_buffer(8);
    }
    clFinish(device.queue);
    for (int k = 0; k < 2; ++k) {
        failed |= pthread_create(&threads[k], NULL, work, &workers[k]);
    }
    for (int k = 0; k < 2 && !failed; ++k) {
        pthread_join(threads[k], NULL);
    }
    assert_all(!failed && workers[0].wrong + workers[1].wrong == 0, "%d and %d are wrong",
               workers[0].wrong, workers[1].wrong);
    for (int k = 0; k < 2; ++k) {
        MPI_Comm_free(&workers[k].comm);
        clReleaseCommandQueue(workers[k].queue);
        clReleaseMemObject(workers[k].in);
        clReleaseMemObject(workers[k].out);
    }
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

int MPI_Exscan(const void *from, void *to, int num, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm)
{
    count(EXSCAN, num, type);
    return PMPI_Exscan(from, to, num, type, op, comm);
}

int MPI_Allreduce(const void *from, void *to, int num, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    count(ALL_REDUCE, num, type);
    return PMPI_Allreduce(from, to, num, type, op, comm);
}

int MPI_Iallgather(const void *from, int num, MPI_Datatype type, void *to, int to_num,
                   MPI_Datatype to_type, MPI_Comm comm, MPI_Request *request)
{
    count(GATHER, num, type);
    return PMPI_Iallgather(from, num, type, to, to_num, to_type, comm, request);
}

int MPI_Bcast(void *data, int num, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(BCAST, num, type);
    return PMPI_Bcast(data, num, type, root, comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    ++live_comms;
    return PMPI_Comm_dup(comm, out);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *out)
{
    live_comms += color != MPI_UNDEFINED;
    return PMPI_Comm_split(comm, color, key, out);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    --live_comms;
    return PMPI_Comm_free(comm);
}

/*
 * A call whose carry has c bytes sends from each of n ranks, whatever the data and their
 * number, after the communicator's first call:
 *
 *     MPI_Exscan       1 of 24 bytes
 *     MPI_Allreduce    2 of 48 + 8 bytes
 *     MPI_Iallgather   L of c + 2 bytes each
 *     MPI_Bcast        L - T of c + 2 bytes each
 *
 * where L is the number of levels of groups that a rank is in, and T is 1 for ranks in the
 * top group, else 0. Up to 256 ranks L and T are 1 for all: 82 + c bytes in 4 calls.
 */
static struct counts formula(size_t carry)
{
    size_t levels = 1, num = (size_t)num_ranks, me = (size_t)rank;

    while (num > CLFOLD_MPI_GROUP && me % CLFOLD_MPI_GROUP == 0) {
        me /= CLFOLD_MPI_GROUP;
        num = (num - 1) / CLFOLD_MPI_GROUP + 1;
        ++levels;
    }
    const size_t hands = levels - (num <= CLFOLD_MPI_GROUP);
    return (struct counts){ { 1, 2, levels, hands },
                            { 24, 56, levels * (carry + 2), hands * (carry + 2) } };
}

void test_traffic(void)
{
    static const clfold_fold folds[] = {
        { .op = CLFOLD_ADD, .type = CLFOLD_U32 },
        { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32 },
        { .op = CLFOLD_ADD, .type = CLFOLD_F32, .accuracy = CLFOLD_COMPENSATED },
    };
    static const size_t sizes[] = { 0, 1, 1000, 100000 };
    cl_mem in = coloured_buffer(400000), out = coloured_buffer(1600000);

    assert_ranks_work(MPI_COMM_WORLD);
    for (size_t k = 0; k < sizeof(folds) / sizeof(folds[0]); ++k) {
        clfold_layout layout;
        assert_ok(clfold_fold_layout(&folds[k], &layout));
        const struct counts right = formula(layout.carry_size);
        for (int kind = 0; kind < NUM_KINDS; ++kind) {
            for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); ++s) {
                struct rank_call call = rank_call(kind, &folds[k], in, out,
                                                  rank == num_ranks - 1 ? sizes[s] : 1);
                counts = (struct counts){ { 0 }, { 0 } };
                const clfold_status status = make_rank_call(&call);
                const struct counts made = counts;
                assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
                for (int c = 0; c < NUM_COUNTED; ++c) {
                    assert_all(made.calls[c] == right.calls[c] &&
                                   made.bytes[c] == right.bytes[c],
                               "call %d, function %d: %zu of %zu bytes", kind, c,
                               made.calls[c], made.bytes[c]);
                }
            }
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- Communicators ----------------------------------------------------------------- */

/* Others than MPI_COMM_WORLD: the same in reversed order, two halves, one rank. What calls
 * keep with one is freed with it. */
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
    assert_ranks_work(MPI_COMM_WORLD);
}
