#include "ranks.h"

int rank, num_ranks;
static bool is_together; /* the test has ended on all ranks */

void assert_all(bool ok, const char *format, ...)
{
    const int mine = ok ? num_ranks : rank;
    char words[1000];
    va_list list;
    int first;

    va_start(list, format);
    vsnprintf(words, sizeof(words), format, list);
    va_end(list);
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first < num_ranks) {
        MPI_Bcast(words, sizeof(words), MPI_CHAR, first, MPI_COMM_WORLD);
        is_together = true;
        fail_msg("rank %d: %s", first, words);
    }
}

struct rank_call rank_call(int kind, const clfold_fold *fold, cl_mem in, cl_mem out,
                           size_t count)
{
    return (struct rank_call){ .kind = kind,
                               .context = ctx,
                               .comm = MPI_COMM_WORLD,
                               .queue = device.queue,
                               .fold = fold,
                               .in = in,
                               .out = out,
                               .count = count };
}

clfold_status make_rank_call(const struct rank_call *call)
{
    clfold_status (*const calls[])(clfold_context *, MPI_Comm, cl_command_queue,
                                   const clfold_fold *, cl_mem, size_t, cl_mem, size_t,
                                   size_t, cl_uint, const cl_event *, cl_event *) = {
        [ALLREDUCE] = clfold_mpi_allreduce,
        [INCLUSIVE] = clfold_mpi_inclusive_scan,
        [EXCLUSIVE] = clfold_mpi_exclusive_scan,
    };

    return call->kind == REDUCE
               ? clfold_mpi_reduce(call->context, call->comm, call->root, call->queue,
                                   call->fold, call->in, call->in_offset, call->out,
                                   call->out_offset, call->count, call->num_wait,
                                   call->wait, call->event)
               : calls[call->kind](call->context, call->comm, call->queue, call->fold,
                                   call->in, call->in_offset, call->out, call->out_offset,
                                   call->count, call->num_wait, call->wait, call->event);
}

void read_bytes(cl_mem mem, size_t size, void *data)
{
    if (device.disorder) {
        clFinish(device.disorder);
    }
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, size, data, 0, NULL, NULL),
        CL_SUCCESS);
}

/* Each rank has two elements, its number in `comm` plus 1. */
void assert_ranks_work(MPI_Comm comm)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    int me, num;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &num);
    const cl_uint x = (cl_uint)me + 1, all = (cl_uint)(num * (num + 1));
    const cl_uint before = x * (x - 1), both[2] = { x, x };
    cl_mem in = copied_buffer(both, sizeof(both));
    for (int kind = 0; kind < NUM_KINDS; ++kind) {
        cl_mem out = coloured_buffer(sizeof(both));
        cl_uint told[2] = { 0 };
        struct rank_call call = rank_call(kind, &sum, in, out, 2);
        call.comm = comm;
        const clfold_status status = make_rank_call(&call);
        read_bytes(out, sizeof(told), told);
        assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
        assert_all(kind == REDUCE      ? me > 0 || told[0] == all
                   : kind == ALLREDUCE ? told[0] == all
                   : kind == INCLUSIVE
                       ? told[0] == before + x && told[1] == before + 2 * x
                       : told[0] == before && told[1] == before + x,
                   "call %d: %u, %u", kind, told[0], told[1]);
        clReleaseMemObject(out);
    }
    clReleaseMemObject(in);
}

/* ---- The program ------------------------------------------------------------------- */

struct rank_test {
    void (*run)(void);
};

static void run(void **state)
{
    const struct rank_test *test = *state;

    test->run();
    is_together = true;
}

static int end(void **state)
{
    (void)state;
    if (!is_together) {
        fprintf(stderr, "rank %d failed alone\n", rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    is_together = false;
    return 0;
}

#define RANK_TEST(name)                                                                  \
    {                                                                                    \
#name, run, NULL, end, &(struct rank_test)                                       \
        {                                                                                \
            name                                                                         \
        }                                                                                \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        RANK_TEST(test_subjects),       RANK_TEST(test_heads),
        RANK_TEST(test_long_part),      RANK_TEST(test_events),
        RANK_TEST(test_threads),        RANK_TEST(test_communicators),
        RANK_TEST(test_traffic),        RANK_TEST(test_arguments),
        RANK_TEST(test_differences),    RANK_TEST(test_failing_device),
        RANK_TEST(test_failing_memory), RANK_TEST(test_devices),
        RANK_TEST(test_death),
    };
    int level;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    if (num_ranks > MAX_RANKS || (rank > 0 && !freopen("/dev/null", "w", stdout))) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    filter_tests(argc, argv);
    const int failed =
        cmocka_run_group_tests_name("ranks", tests, open_context, close_context);
    fflush(stdout);
    MPI_Finalize();
    return failed;
}
