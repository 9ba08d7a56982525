/* The buffers of `clfold bench`: every page of every set is written before anything is
 * timed. A page that is first touched in a timed round would count as memory's time. */
#include "bench.h"

#include "test.h"

enum { COUNT = 5003, MOST_BYTES = COUNT * 8 };

static struct bench bench;

/* Returns the first byte that is not what it should be; `bytes` if all are right. */
static size_t find_wrong(cl_mem mem, const unsigned char *expected, size_t bytes)
{
    static unsigned char found[BENCH_MOST_SETS * 64 + MOST_BYTES];
    size_t at = 0;

    assert_true(bytes <= sizeof(found));
    assert_int_equal(clEnqueueReadBuffer(bench.session.queue, mem, CL_TRUE, 0, bytes,
                                         found, 0, NULL, NULL),
                     CL_SUCCESS);
    while (at < bytes && found[at] == expected[at]) {
        at++;
    }
    return at;
}

static void check(const struct bench_case *one)
{
    static unsigned char elements[MOST_BYTES], spoilt[BENCH_MOST_SETS * 64 + MOST_BYTES];
    const bool scans = one->operation != CLFOLD_REDUCE;
    const size_t bytes = COUNT * bench_in_size(one);
    struct bench_buffers buffers;
    struct message message;

    bench_data_make(one, COUNT, 0, COUNT, elements);
    memset(spoilt, 0xa5, sizeof(spoilt));
    assert_true(bench_roofline_open(&bench.roofline, &bench.session, scans, &message));
    assert_true(bench_buffers_open(&buffers, &bench, one, COUNT, &message));
    assert_int_equal(buffers.sets.num, BENCH_MOST_SETS);
    for (size_t i = 0; i < buffers.sets.num; i++) {
        assert_int_equal(find_wrong(buffers.in[i], elements, bytes), bytes);
        if (scans) {
            assert_int_equal(find_wrong(buffers.out[i], spoilt, buffers.out_bytes),
                             buffers.out_bytes);
        }
    }
    if (!scans) {
        const size_t all = buffers.sets.num * buffers.result_bytes;
        assert_int_equal(find_wrong(buffers.results, spoilt, all), all);
    }
    bench_buffers_close(&buffers);
    bench_roofline_close(&bench.roofline);
}

static void reductions(void **state)
{
    (void)state;
    check(&(struct bench_case){ CLFOLD_REDUCE, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 });
}

static void scans(void **state)
{
    (void)state;
    check(
        &(struct bench_case){ CLFOLD_INCLUSIVE_SCAN, BENCH_ADD, CLFOLD_F32, CLFOLD_F32 });
    check(
        &(struct bench_case){ CLFOLD_INCLUSIVE_SCAN, BENCH_MAX, CLFOLD_I64, CLFOLD_I64 });
}

static int open_session(void **state)
{
    struct message message;

    (void)state;
    if (!session_open(&bench.session, getenv("CLFOLD_TEST_DEVICE"), false, &message)) {
        print_error("%s\n", message.text);
        return -1;
    }
    return 0;
}

static int close_session(void **state)
{
    (void)state;
    session_close(&bench.session);
    return 0;
}

TEST_MAIN("bench_buffers", open_session, close_session, cmocka_unit_test(reductions),
          cmocka_unit_test(scans))
