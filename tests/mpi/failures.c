/* One rank that fails makes all fail, with the same status and a sentence that names it;
 * and the next call works. */
#include "alloc_spy.h"
#include "clspy.h"
#include "ranks.h"

#include "base/memory.h"

#include <signal.h>

static const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };

/* The libraries under test take all memory by clfold_alloc, see meson.build. */
void *spied_calloc(size_t num, size_t size);

void *spied_calloc(size_t num, size_t size)
{
    return clfold_alloc(num * size);
}

/* All ranks failed alike, with these words. Returns the status. */
static clfold_status assert_alike(const struct rank_call *call, clfold_status status,
                                  const char *what, const char *words)
{
    int range[2] = { status, -status };

    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    assert_all(range[0] == -range[1], "%s: %s", what, clfold_status_name(status));
    if (status) {
        const char *name = clfold_status_name(status);
        const char *told = clfold_last_error();
        const char *end = strstr(told, name);
        assert_all(strstr(told, words) && end && !strstr(end + 1, name),
                   "%s: \"%s\" does not say \"%s\"", what, told, words);
        assert_all(!call->event || !*call->event, "%s: an event", what);
    }
    return status;
}

static cl_mem in, out;

static void make_buffers(void)
{
    in = coloured_buffer(1000);
    out = coloured_buffer(8000);
    clFinish(device.queue);
}

static void release_buffers(void)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ---- Arguments --------------------------------------------------------------------- */

/* What one rank gives. `call` has room for what is pointed to. */
struct bad {
    clfold_status status;
    const char *words;
    int kind;
    struct rank_call call; /* what is not 0 counts */
    clfold_fold fold;      /* likewise, if it has an op */
    enum { NO_CONTEXT = 1, NO_QUEUE, NO_FOLD, NO_IN, SAME_OUT } lack;
};

#define SUM .op = CLFOLD_ADD, .type = CLFOLD_U32

void test_arguments(void)
{
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 2 };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .length = 2,
                                      .columns = 2 };
    make_buffers();
    const clfold_segments offsets = { CLFOLD_BY_OFFSETS, CLFOLD_U32, .mem = in,
                                      .num = 2 };
    const clfold_segments flags = { CLFOLD_BY_FLAGS, CLFOLD_U8, .mem = in };
    const clfold_segments late = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = in, .offset = 997 };
    const clfold_part part = { .first = 0 };
    const struct bad cases[] = {
        { CLFOLD_ERROR_ARGUMENT, "fold is NULL", ALLREDUCE, .lack = NO_FOLD },
        { CLFOLD_ERROR_ARGUMENT, "queue is NULL", INCLUSIVE, .lack = NO_QUEUE },
        { CLFOLD_ERROR_ARGUMENT, "context is NULL", EXCLUSIVE, .lack = NO_CONTEXT },
        { CLFOLD_ERROR_ARGUMENT, "in is", REDUCE, .lack = NO_IN },
        { CLFOLD_ERROR_OVERLAP, "out", INCLUSIVE, .lack = SAME_OUT },
        { CLFOLD_ERROR_RANGE, "in", INCLUSIVE, .call = { .in_offset = 247 } },
        { CLFOLD_ERROR_RANGE, "out", EXCLUSIVE, .call = { .out_offset = 1997 } },
        { CLFOLD_ERROR_RANGE, "in", ALLREDUCE, .call = { .count = 251 } },
        { CLFOLD_ERROR_ARGUMENT, "num_wait", ALLREDUCE, .call = { .num_wait = 1 } },
        { CLFOLD_ERROR_ARGUMENT, "root is -1", REDUCE, .call = { .root = -1 } },
        { CLFOLD_ERROR_ARGUMENT, "root is 99", REDUCE, .call = { .root = 99 } },
        { CLFOLD_ERROR_ARGUMENT, "op", REDUCE,
          .fold = { .op = 999, .type = CLFOLD_U32 } },
        { CLFOLD_ERROR_ARGUMENT, "args", REDUCE, .fold = { SUM, .num_args = 1 } },
        { CLFOLD_ERROR_ARGUMENT, "args", REDUCE, .fold = { SUM, .num_args = 99 } },
        { CLFOLD_ERROR_ARGUMENT, "store", INCLUSIVE,
          .fold = { SUM, .store = "out[i] = item;" } },
        { CLFOLD_ERROR_ARGUMENT, "in", ALLREDUCE, .fold = { SUM, .load = "in[i]" } },
        { CLFOLD_ERROR_RANGE, "segments", EXCLUSIVE, .fold = { SUM, .segments = &late } },
        { CLFOLD_ERROR_UNSUPPORTED, "rows", INCLUSIVE,
          .fold = { SUM, .segments = &rows } },
        { CLFOLD_ERROR_UNSUPPORTED, "columns", EXCLUSIVE,
          .fold = { SUM, .segments = &columns } },
        { CLFOLD_ERROR_UNSUPPORTED, "offsets", INCLUSIVE,
          .fold = { SUM, .segments = &offsets } },
        { CLFOLD_ERROR_UNSUPPORTED, "segments", ALLREDUCE,
          .fold = { SUM, .segments = &flags } },
        { CLFOLD_ERROR_UNSUPPORTED, "part is", ALLREDUCE,
          .fold = { SUM, .part = &part } },
        { CLFOLD_ERROR_UNSUPPORTED, "count_at is", INCLUSIVE,
          .fold = { SUM, .count_at = { in, 0 } } },
        { CLFOLD_ERROR_UNSUPPORTED, "", EXCLUSIVE,
          .fold = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .accuracy = CLFOLD_REPRODUCIBLE } },
    };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        const struct bad *bad = &cases[k];
        const int who = (int)k % num_ranks;
        cl_event event = (cl_event)in;
        struct rank_call call = rank_call(bad->kind, &sum, in, out, 4);
        char words[100];
        call.event = &event;
        if (rank == who) {
            call.in_offset += bad->call.in_offset;
            call.out_offset += bad->call.out_offset;
            call.count += bad->call.count;
            call.num_wait = bad->call.num_wait;
            call.root = bad->call.root;
            call.fold = bad->lack == NO_FOLD ? NULL : bad->fold.op ? &bad->fold : &sum;
            call.context = bad->lack == NO_CONTEXT ? NULL : ctx;
            call.queue = bad->lack == NO_QUEUE ? NULL : device.queue;
            call.in = bad->lack == NO_IN ? NULL : in;
            call.out = bad->lack == SAME_OUT ? in : out;
            call.out_offset += bad->lack == SAME_OUT;
        }
        snprintf(words, sizeof(words), "rank %d: ", who);
        const clfold_status status = make_rank_call(&call);
        assert_alike(&call, status, bad->words, words);
        assert_all(status == bad->status && strstr(clfold_last_error(), bad->words),
                   "%s: %s", bad->words, clfold_last_error());
    }
    struct rank_call call = rank_call(ALLREDUCE, &sum, in, out, 4);
    call.comm = MPI_COMM_NULL;
    assert_all(make_rank_call(&call) == CLFOLD_ERROR_ARGUMENT &&
                   strstr(clfold_last_error(), "comm is MPI_COMM_NULL"),
               "no communicator: %s", clfold_last_error());
    release_buffers();
    assert_ranks_work(MPI_COMM_WORLD);
}

/* ---- Differences ------------------------------------------------------------------- */

/* One rank's fold or call is another: all say what differs. */
void test_differences(void)
{
    static const cl_uint seven = 7, eight = 8;
    const clfold_arg args[] = { CLFOLD_VALUE("uint", k, seven),
                                CLFOLD_VALUE("int", k, seven),
                                CLFOLD_VALUE("uint", k, eight) };
    make_buffers();
    const clfold_segments flags = { CLFOLD_BY_FLAGS, CLFOLD_U8, .mem = in };
    const clfold_segments keys = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = in };
    const struct {
        const char *words; /* NULL: it may differ */
        clfold_fold one, other;
        int kind, other_kind, other_root;
    } cases[] = {
        { "call is", { SUM }, { SUM }, INCLUSIVE, EXCLUSIVE, 0 },
        { "call is", { SUM }, { SUM }, REDUCE, ALLREDUCE, 0 },
        { "root is", { SUM }, { SUM }, REDUCE, REDUCE, 1 },
        { "op is", { SUM }, { .op = CLFOLD_MAX, .type = CLFOLD_U32 }, 0, 0, 0 },
        { "type is", { SUM }, { .op = CLFOLD_ADD, .type = CLFOLD_I32 }, 0, 0, 0 },
        { "load is", { SUM, .load = "x + 1" }, { SUM, .load = "x + 2" }, 1, 1, 0 },
        { "load is", { SUM, .load = "x + 1" }, { SUM }, 1, 1, 0 },
        { "init is", { SUM, .init = &seven, .init_size = 4 }, { SUM }, 1, 1, 0 },
        { "init is",
          { SUM, .init = &seven, .init_size = 4 },
          { SUM, .init = &eight, .init_size = 4 },
          INCLUSIVE,
          INCLUSIVE,
          0 },
        { "args is",
          { SUM, .load = "x + k", .num_args = 1, .args = args },
          { SUM, .load = "x + k", .num_args = 1, .args = args + 1 },
          INCLUSIVE,
          INCLUSIVE,
          0 },
        { NULL,
          { SUM, .load = "x + k", .num_args = 1, .args = args },
          { SUM, .load = "x + k", .num_args = 1, .args = args + 2 },
          INCLUSIVE,
          INCLUSIVE,
          0 },
        { "segments is",
          { SUM, .segments = &flags },
          { SUM, .segments = &keys },
          INCLUSIVE,
          INCLUSIVE,
          0 },
        { NULL, { SUM, .algorithm = "serial" }, { SUM }, INCLUSIVE, INCLUSIVE, 0 },
    };

    for (size_t k = 0; num_ranks > 1 && k < sizeof(cases) / sizeof(cases[0]); ++k) {
        const int who = (int)k % num_ranks;
        const bool is_other = rank == who;
        cl_event event = (cl_event)in;
        struct rank_call call =
            rank_call(is_other ? cases[k].other_kind : cases[k].kind,
                      is_other ? &cases[k].other : &cases[k].one, in, out, 4);
        char words[100];
        call.root = is_other ? cases[k].other_root : 0;
        call.event = cases[k].words ? &event : NULL;
        snprintf(words, sizeof(words), "rank %d: ", who > 0 ? who : 1);
        const clfold_status status = make_rank_call(&call);
        assert_alike(&call, status, words, words);
        assert_all(cases[k].words ? status == CLFOLD_ERROR_ARGUMENT &&
                                        strstr(clfold_last_error(), cases[k].words)
                                  : status == CLFOLD_OK,
                   "%s: %s", cases[k].words, clfold_last_error());
    }
    release_buffers();
    assert_ranks_work(MPI_COMM_WORLD);
}

/* ---- A device or memory that fails ------------------------------------------------- */

/* Each OpenCL call of a rank in turn, or each block of memory. Returns whether there was
 * one of the number. */
static bool fail_once(const struct rank_call *call, int who, uint64_t number, bool memory)
{
    char words[64], what[200];
    int fired = false;

    if (rank == who && memory) {
        alloc_spy_arm(number);
    } else if (rank == who) {
        clspy_arm(NULL, number, 0);
    }
    const clfold_status status = make_rank_call(call);
    snprintf(what, sizeof(what), "block %d", (int)number);
    if (rank == who && memory) {
        fired = alloc_spy_disarm();
    } else if (rank == who) {
        const struct clspy_shot shot = clspy_disarm();
        fired = shot.fired;
        snprintf(what, sizeof(what), "call %d, %s", (int)number, shot.function);
    }
    MPI_Bcast(&fired, 1, MPI_INT, who, MPI_COMM_WORLD);
    MPI_Bcast(what, sizeof(what), MPI_CHAR, who, MPI_COMM_WORLD);
    snprintf(words, sizeof(words), "rank %d: ", who);
    assert_alike(call, status, what, words);
    assert_all(fired || !status, "%s", clfold_last_error());
    clFinish(device.queue);
    if (call->event && *call->event) {
        clReleaseEvent(*call->event);
    }
    return fired;
}

/* The last rank alone has elements, or all have. */
static void fail_each(int kind, const clfold_fold *fold, int who, bool all, bool memory)
{
    cl_event event = NULL;
    struct rank_call call =
        rank_call(kind, fold, in, out, all || rank == num_ranks - 1 ? 100 : 0);
    uint64_t number = 1;

    call.event = &event;
    assert_all(make_rank_call(&call) == CLFOLD_OK, "%s", clfold_last_error());
    clReleaseEvent(event);
    clFinish(device.queue);
    const struct clspy_live before = clspy_live();
    const int64_t blocks = alloc_spy_live();
    while (fail_once(&call, who, number, memory)) {
        assert_all(!strchr(clspy_leaks(&before), '+') && alloc_spy_live() <= blocks,
                   "leaks: %s, %d blocks", clspy_leaks(&before),
                   (int)(alloc_spy_live() - blocks));
        if (number++ % 16 == 0) {
            assert_ranks_work(MPI_COMM_WORLD);
        }
    }
    assert_all(number > (memory ? 1 : 20), "only %d could fail", (int)number);
    assert_ranks_work(MPI_COMM_WORLD);
}

static void fail_all(bool memory)
{
    make_buffers();
    const clfold_segments keys = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = in };
    const clfold_fold by_keys = { SUM, .segments = &keys };
    const clfold_fold least = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_U32 };

    assert_ranks_work(MPI_COMM_WORLD);
    fail_each(ALLREDUCE, &least, num_ranks - 1, false, memory);
    fail_each(REDUCE, &sum, 0, true, memory);
    fail_each(INCLUSIVE, &by_keys, num_ranks / 2, true, memory);
    release_buffers();
}

void test_failing_device(void)
{
    fail_all(false);
}

/* As well where a communicator's first call makes what it keeps. */
void test_failing_memory(void)
{
    MPI_Comm comm;

    fail_all(true);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    make_buffers();
    struct rank_call call = rank_call(ALLREDUCE, &sum, in, out, 4);
    call.comm = comm;
    alloc_spy_arm(rank == num_ranks - 1);
    const clfold_status status = make_rank_call(&call);
    alloc_spy_disarm();
    assert_all(status == CLFOLD_ERROR_MPI, "%s", clfold_status_name(status));
    assert_ranks_work(comm);
    MPI_Comm_free(&comm);
    release_buffers();
}

/* ---- Other processes and devices --------------------------------------------------- */

static int num_lines;

static void count_line(void *user, int level, const char *message)
{
    (void)user;
    (void)level;
    num_lines += strstr(message, "different devices") != NULL;
}

/* launch.py gives each rank a device of its own: sums of floats warn, once. */
void test_devices(void)
{
    const char *const mixed = getenv("CLFOLD_TEST_MIXED");
    const clfold_context_params params = { .log = count_line };
    const clfold_fold floats = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_context *own = NULL;

    make_buffers();
    assert_ok(device_context(&own, &device, &params));
    for (int k = 0; k < 4; ++k) {
        struct rank_call call =
            rank_call(k == 1 ? EXCLUSIVE : ALLREDUCE, k < 1 ? &sum : &floats, in, out, 4);
        call.context = own;
        const clfold_status status = make_rank_call(&call);
        assert_all(status == CLFOLD_OK, "%s", clfold_last_error());
        assert_all(num_lines == (mixed && k > 0 && rank == 0), "%d lines", num_lines);
    }
    clfold_context_destroy(&own);
    release_buffers();
}

/* launch.py kills a rank so, and wants all to end. */
void test_death(void)
{
    if (getenv("CLFOLD_TEST_DEATH")) {
        assert_ranks_work(MPI_COMM_WORLD);
        if (rank == num_ranks - 1) {
            raise(SIGKILL);
        }
        assert_ranks_work(MPI_COMM_WORLD);
    }
}
