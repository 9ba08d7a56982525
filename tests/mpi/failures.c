/* One rank that fails makes all fail, with the same status and a sentence that names it;
 * and the next call works. */
#include "alloc_spy.h"
#include "clspy.h"
#include "ranks.h"

#include "base/memory.h"

#include <signal.h>

static const clfold_fold sum = { SUM_U32 };

/* The library under test takes all memory by clfold_alloc, see meson.build. */
void *spied_calloc(size_t num, size_t size);

void *spied_calloc(size_t num, size_t size)
{
    return clfold_alloc(num * size);
}

/* All ranks got the same status, and if it is a failure, who failed and no event. */
static void assert_alike(const struct rank_call *call, clfold_status status, int who,
                         const char *what)
{
    const char *told = clfold_last_error();
    int range[2] = { status, -status };
    char name[32];

    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    assert_all(range[0] == -range[1], "%s: %s", what, clfold_status_name(status));
    snprintf(name, sizeof(name), ": rank %d: ", who);
    const char *end = strstr(told, clfold_status_name(status));
    assert_all(!status || (strstr(told, name) && end && !strchr(end, ' ')), "%s: %s",
               what, told);
    assert_all(!status || !call->event || !*call->event, "%s: an event", what);
}

/* ---- Arguments, and folds that differ ---------------------------------------------- */

enum { NO_CONTEXT = 1, NO_QUEUE, NO_FOLD, NO_IN, IN_IS_OUT };

/* What one rank gives, and the others. */
struct odd {
    clfold_status status;
    const char *words;
    int kind;
    clfold_fold fold, other; /* without op: sum */
    int lack;
    bool is_all;           /* ALLREDUCE */
    struct rank_call more; /* is added */
};

/* clang-format off */
#define CASE(code, text, k, ...) { .status = code, .words = text, .kind = k, __VA_ARGS__ }
/* clang-format on */
#define BAD(...)  CASE(CLFOLD_ERROR_ARGUMENT, __VA_ARGS__)
#define LACK(...) CASE(CLFOLD_ERROR_UNSUPPORTED, __VA_ARGS__)
#define PAST(...) CASE(CLFOLD_ERROR_RANGE, __VA_ARGS__)

static void check_odd(const struct odd *odd, int who)
{
    const bool differs = strstr(odd->words, "not the same") != NULL, is_odd = rank == who;
    const clfold_fold *fold = is_odd ? &odd->fold : &odd->other;
    cl_event event = (cl_event)some;
    struct rank_call call = rank_call(odd->kind + (is_odd && odd->is_all),
                                      fold->type ? fold : &sum, some, spare, 4);

    if (differs && num_ranks == 1) {
        return;
    }
    call.event = odd->status ? &event : NULL;
    if (is_odd) {
        call.in_offset = odd->more.in_offset;
        call.out_offset = odd->more.out_offset + (odd->lack == IN_IS_OUT);
        call.count += odd->more.count;
        call.num_wait = odd->more.num_wait;
        call.root = odd->more.root;
        call.context = odd->lack == NO_CONTEXT ? NULL : ctx;
        call.queue = odd->lack == NO_QUEUE ? NULL : device.queue;
        call.fold = odd->lack == NO_FOLD ? NULL : call.fold;
        call.in = odd->lack == NO_IN ? NULL : some;
        call.out = odd->lack == IN_IS_OUT ? some : spare;
    }
    const clfold_status status = make_rank_call(&call);
    assert_alike(&call, status, differs && who == 0 ? 1 : who, odd->words);
    assert_all(status == odd->status &&
                   (!status || strstr(clfold_last_error(), odd->words)),
               "%s: %s", odd->words, clfold_last_error());
}

void test_arguments(void)
{
    static const cl_uint seven = 7, eight = 8;
    const clfold_arg args[] = { CLFOLD_VALUE("uint", k, seven),
                                CLFOLD_VALUE("uint", k, eight),
                                CLFOLD_VALUE("int", k, seven) };
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 2 };
    const clfold_segments columns = { .by = CLFOLD_BY_COLUMNS,
                                      .length = 2,
                                      .columns = 2 };
    const clfold_segments offsets = { CLFOLD_BY_OFFSETS, CLFOLD_U32, .mem = some,
                                      .num = 2 };
    const clfold_segments flags = { CLFOLD_BY_FLAGS, CLFOLD_U8, .mem = some };
    const clfold_segments keys = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = some };
    const clfold_segments late = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = some,
                                   .offset = 399997 };
    const clfold_part part = { .first = 0 };
    const clfold_fold x1 = { SUM_U32, .load = "x + 1" },
                      x2 = { SUM_U32, .load = "x + 2" };
    const clfold_fold init7 = { SUM_U32, .init = &seven, .init_size = 4 };
    const clfold_fold init8 = { SUM_U32, .init = &eight, .init_size = 4 };
#define WITH_ARG SUM_U32, .load = "x + k", .num_args = 1, .args = args
    const clfold_fold uint7 = { WITH_ARG }, uint8 = { WITH_ARG + 1 };
    const clfold_fold int7 = { WITH_ARG + 2 };
    const clfold_fold by_flags = { SUM_U32, .segments = &flags };
    const clfold_fold by_keys = { SUM_U32, .segments = &keys };
    const struct odd cases[] = {
        BAD("fold is NULL", ALLREDUCE, .lack = NO_FOLD),
        BAD("queue is NULL", INCLUSIVE, .lack = NO_QUEUE),
        BAD("context is NULL", EXCLUSIVE, .lack = NO_CONTEXT),
        BAD("in is", REDUCE, .lack = NO_IN),
        CASE(CLFOLD_ERROR_OVERLAP, "out", INCLUSIVE, .lack = IN_IS_OUT),
        BAD("num_wait", ALLREDUCE, .more = { .num_wait = 1 }),
        BAD("root is -1", REDUCE, .more = { .root = -1 }),
        BAD("root is 99", REDUCE, .more = { .root = 99 }),
        BAD("op", REDUCE, .fold = { .op = 999, .type = CLFOLD_U32 }),
        BAD("args", REDUCE, .fold = { SUM_U32, .num_args = 1 }),
        BAD("args", REDUCE, .fold = { SUM_U32, .num_args = 99 }),
        BAD("store", INCLUSIVE, .fold = { SUM_U32, .store = "out[i] = item;" }),
        BAD("in", ALLREDUCE, .fold = { SUM_U32, .load = "in[i]" }),
        PAST("in", INCLUSIVE, .more = { .in_offset = 99997 }),
        PAST("in", ALLREDUCE, .more = { .count = 99997 }),
        PAST("out", EXCLUSIVE, .more = { .out_offset = 399997 }),
        PAST("segments", EXCLUSIVE, .fold = { SUM_U32, .segments = &late }),
        LACK("rows", INCLUSIVE, .fold = { SUM_U32, .segments = &rows }),
        LACK("columns", EXCLUSIVE, .fold = { SUM_U32, .segments = &columns }),
        LACK("offsets", INCLUSIVE, .fold = { SUM_U32, .segments = &offsets }),
        LACK("segments", ALLREDUCE, .fold = by_flags),
        LACK("part is", ALLREDUCE, .fold = { SUM_U32, .part = &part }),
        LACK("count_at is", INCLUSIVE, .fold = { SUM_U32, .count_at = { some, 0 } }),
        LACK("CLFOLD_REVERSE", INCLUSIVE, .fold = { SUM_U32, .flags = CLFOLD_REVERSE }),
        BAD("call is not the same", REDUCE, .is_all = true),
        BAD("root is not the same", REDUCE, .more = { .root = 1 }),
        BAD("op is not the same", REDUCE,
            .fold = { .op = CLFOLD_MAX, .type = CLFOLD_U32 }),
        BAD("type is not the same", REDUCE,
            .fold = { .op = CLFOLD_ADD, .type = CLFOLD_I32 }),
        BAD("load is not the same", INCLUSIVE, .fold = x1, .other = x2),
        BAD("load is not the same", INCLUSIVE, .other = x1),
        BAD("init is not the same", INCLUSIVE, .fold = init7),
        BAD("init is not the same", ALLREDUCE, .fold = init7, .other = init8),
        BAD("args is not the same", INCLUSIVE, .fold = uint7, .other = int7),
        BAD("segments is not the same", INCLUSIVE, .fold = by_flags, .other = by_keys),
        CASE(CLFOLD_OK, "", INCLUSIVE, .fold = uint7, .other = uint8),
        CASE(CLFOLD_OK, "", INCLUSIVE, .fold = { SUM_U32, .algorithm = "serial" }),
    };
    const struct rank_call nowhere = { .fold = &sum,
                                       .context = ctx,
                                       .comm = MPI_COMM_NULL };

    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); ++k) {
        check_odd(&cases[k], (int)k % num_ranks);
    }
    assert_refused(make_rank_call(&nowhere), CLFOLD_ERROR_ARGUMENT,
                   "comm is MPI_COMM_NULL");
}

/* ---- A device or memory that fails ------------------------------------------------- */

/* Each OpenCL call of a rank in turn, or each block of memory. Returns whether there was
 * one of this number. */
static bool fail_once(const struct rank_call *call, int who, uint64_t number, bool memory)
{
    struct clspy_shot shot = { .function = "malloc" };
    char what[100];

    if (rank == who && memory) {
        alloc_spy_arm(number);
    } else if (rank == who) {
        clspy_arm(NULL, number, 0);
    }
    const clfold_status status = make_rank_call(call);
    if (rank == who && memory) {
        shot.fired = alloc_spy_disarm();
    } else if (rank == who) {
        shot = clspy_disarm();
    }
    int fired = shot.fired;
    snprintf(what, sizeof(what), "number %d, %s", (int)number, shot.function);
    MPI_Bcast(&fired, 1, MPI_INT, who, MPI_COMM_WORLD);
    assert_alike(call, status, who, what);
    assert_all(fired || !status, "%s", clfold_last_error());
    clFinish(device.queue);
    if (*call->event) {
        clReleaseEvent(*call->event);
    }
    return fired;
}

/* The last rank alone has elements, or all have. */
static void fail_each(int kind, const clfold_fold *fold, int who, bool all, bool memory)
{
    const size_t count = all || rank == num_ranks - 1 ? 100 : 0;
    struct rank_call call = rank_call(kind, fold, some, spare, count);
    uint64_t number = 1;
    cl_event event = NULL;

    call.event = &event;
    fail_once(&call, who, UINT32_MAX, memory); /* it builds */
    const struct clspy_live before = clspy_live();
    const int64_t blocks = alloc_spy_live();
    while (fail_once(&call, who, number, memory)) {
        const char *leaks = clspy_leaks(&before);
        const int more = (int)(alloc_spy_live() - blocks);
        assert_all(!strchr(leaks, '+') && more <= 0, "leaks: %s, %d blocks", leaks, more);
        if (number++ % 16 == 0) {
            assert_ranks_work(MPI_COMM_WORLD);
        }
    }
    assert_all(number > (memory ? 1 : 20), "only %d could fail", (int)number);
    assert_ranks_work(MPI_COMM_WORLD);
}

static void fail_all(bool memory)
{
    const clfold_segments keys = { CLFOLD_BY_KEYS, CLFOLD_U8, .mem = some };
    const clfold_fold by_keys = { SUM_U32, .segments = &keys };
    const clfold_fold least = { .op = CLFOLD_ARG_MIN, .type = CLFOLD_U32 };

    assert_ranks_work(MPI_COMM_WORLD);
    fail_each(ALLREDUCE, &least, num_ranks - 1, false, memory);
    fail_each(REDUCE, &sum, 0, true, memory);
    fail_each(INCLUSIVE, &by_keys, num_ranks / 2, true, memory);
}

void test_failing_device(void)
{
    fail_all(false);
}

/* Also where a communicator's first call makes what it keeps. */
void test_failing_memory(void)
{
    struct rank_call call = rank_call(ALLREDUCE, &sum, some, spare, 4);

    fail_all(true);
    MPI_Comm_dup(MPI_COMM_WORLD, &call.comm);
    alloc_spy_arm(rank == num_ranks - 1);
    const clfold_status status = make_rank_call(&call);
    alloc_spy_disarm();
    assert_all(status == CLFOLD_ERROR_MPI, "%s", clfold_status_name(status));
    assert_ranks_work(call.comm);
    MPI_Comm_free(&call.comm);
}

/* ---- Other processes and devices --------------------------------------------------- */

static int num_lines;

static void count_line(void *user, int level, const char *message)
{
    (void)user;
    num_lines += level == CLFOLD_LOG_WARNING && strstr(message, "different devices");
}

/* launch.py gives each rank a device of its own: sums of floats warn, once. */
void test_devices(void)
{
    const bool is_mixed = getenv("CLFOLD_TEST_MIXED") != NULL;
    const clfold_context_params params = { .log = count_line };
    const clfold_fold floats = { .op = CLFOLD_ADD, .type = CLFOLD_F32 };
    clfold_context *own = NULL;

    assert_ok(device_context(&own, &device, &params));
    for (int k = 0; k < 4; ++k) {
        struct rank_call call = rank_call(k % 2 ? EXCLUSIVE : ALLREDUCE,
                                          k < 1 ? &sum : &floats, some, spare, 4);
        call.context = own;
        assert_call(&call);
        assert_all(num_lines == (is_mixed && k > 0 && rank == 0), "%d lines", num_lines);
    }
    clFinish(device.queue);
    clfold_context_destroy(&own);
}

/* launch.py has a rank killed, and wants all to end. */
void test_death(void)
{
    if (getenv("CLFOLD_TEST_DEATH") && rank == num_ranks - 1) {
        raise(SIGKILL);
    }
}
