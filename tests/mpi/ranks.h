/*
 * The program of these tests runs on all ranks of mpirun: each makes every test, and rank
 * 0 prints. A test fails on all ranks at once, by assert_all; where one ends by itself,
 * all are aborted, and nobody waits for it.
 */
#ifndef CLFOLD_TESTS_RANKS_H
#define CLFOLD_TESTS_RANKS_H

#include "one_context.h"
#include "test.h"

#include <clfold/mpi.h>

#define MAX_RANKS 16
#define SUM_U32   .op = CLFOLD_ADD, .type = CLFOLD_U32

extern int rank, num_ranks;
extern cl_mem some,
    spare; /* 100,000 U32 of bytes COLOUR, and room for scans, in U32 or moments */

/* All ranks call it, and fail if `ok` is false on one, with the words of the first. */
__attribute__((format(printf, 2, 3))) void assert_all(bool ok, const char *format, ...);

enum { REDUCE, ALLREDUCE, INCLUSIVE, EXCLUSIVE, NUM_KINDS };

/* The arguments of a call. */
struct rank_call {
    int kind, root;
    clfold_context *context;
    MPI_Comm comm;
    cl_command_queue queue;
    const clfold_fold *fold;
    cl_mem in, out;
    size_t in_offset, out_offset, count;
    cl_uint num_wait;
    const cl_event *wait;
    cl_event *event;
};

/* Those of the device's queue, and of all ranks. */
struct rank_call rank_call(int kind, const clfold_fold *fold, cl_mem in, cl_mem out,
                           size_t count);
clfold_status make_rank_call(const struct rank_call *call);

/* One that succeeds on all ranks. */
void assert_call(const struct rank_call *call);

void read_bytes(cl_mem mem, size_t size, void *data);

/* All kinds of calls of sums give what they should. */
void assert_ranks_work(MPI_Comm comm);

/* clang-format off */
#define TESTS(test)                                                                      \
    test(test_subjects) test(test_heads) test(test_events) test(test_threads)            \
    test(test_communicators) test(test_traffic) test(test_arguments)                     \
    test(test_failing_device) test(test_failing_memory) test(test_devices)               \
    test(test_death)
#define DECLARE(name) void name(void);
TESTS(DECLARE)
/* clang-format on */

#endif
