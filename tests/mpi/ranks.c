#include "ranks.h"

int rank, num_ranks;
cl_mem some, spare;
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

#define PLACES c->in, c->in_offset, c->out, c->out_offset, c->count
#define EVENTS c->num_wait, c->wait, c->event
#define CALL(name)                                                                       \
    clfold_mpi_##name(c->context, c->comm, c->queue, c->fold, PLACES, EVENTS)

clfold_status make_rank_call(const struct rank_call *c)
{
    return c->kind == REDUCE ? clfold_mpi_reduce(c->context, c->comm, c->root, c->queue,
                                                 c->fold, PLACES, EVENTS)
           : c->kind == ALLREDUCE ? CALL(allreduce)
           : c->kind == INCLUSIVE ? CALL(inclusive_scan)
                                  : CALL(exclusive_scan);
}

void assert_call(const struct rank_call *call)
{
    const clfold_status status = make_rank_call(call);

    assert_all(status == CLFOLD_OK, "call %d: %s", call->kind, clfold_last_error());
}

void read_bytes(cl_mem mem, size_t size, void *data)
{
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, size, data, 0, NULL, NULL),
        CL_SUCCESS);
}

/* Each rank has two elements, its number in `comm` plus 1. */
void assert_ranks_work(MPI_Comm comm)
{
    const clfold_fold sum = { SUM_U32 };
    int me, num;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &num);
    const cl_uint x = (cl_uint)me + 1, all = (cl_uint)(num * (num + 1));
    const cl_uint both[2] = { x, x }, upto = x * x;
    cl_mem in = copied_buffer(both, sizeof(both)), out = coloured_buffer(sizeof(both));
    for (int kind = 0; kind < NUM_KINDS; ++kind) {
        struct rank_call call = rank_call(kind, &sum, in, out, 2);
        cl_uint told[2];
        call.comm = comm;
        assert_call(&call);
        read_bytes(out, sizeof(told), told);
        assert_all(kind == REDUCE      ? me > 0 || told[0] == all
                   : kind == ALLREDUCE ? told[0] == all
                   : kind == INCLUSIVE ? told[0] == upto && told[1] == upto + x
                                       : told[0] == upto - x && told[1] == upto,
                   "call %d: %u, %u", kind, told[0], told[1]);
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- The program ------------------------------------------------------------------- */

struct rank_test {
    void (*run)(void);
};

static void run(void **state)
{
    const struct rank_test *test = *state;

    test->run();
    assert_ranks_work(MPI_COMM_WORLD);
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

static int begin_all(void **state)
{
    const int status = open_context(state);

    some = coloured_buffer(400000);
    spare = coloured_buffer(1600000);
    return status;
}

static int end_all(void **state)
{
    clReleaseMemObject(some);
    clReleaseMemObject(spare);
    return close_context(state);
}

/* clang-format off */
#define RANK_TEST(name) { #name, run, NULL, end, &(struct rank_test){ name } },
/* clang-format on */

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { TESTS(RANK_TEST) };
    int level;

    device_no_vectors();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    if (num_ranks > MAX_RANKS || (rank > 0 && !freopen("/dev/null", "w", stdout))) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    filter_tests(argc, argv);
    const int failed = cmocka_run_group_tests_name("ranks", tests, begin_all, end_all);
    fflush(stdout);
    MPI_Finalize();
    return failed;
}
