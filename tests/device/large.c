/*
 * More elements than 32 bits can count: 2^32 + 12,345 bytes, whose greatest lies past
 * 2^32, twice. By the policy's algorithm and three rungs, one of each way to number
 * elements; last a scan in their place. It takes minutes and 5 GiB; the test of the
 * policy's algorithm seconds.
 */
#include "one_context.h"
#include "test.h"

#include "base/system.h"
#include "ops/internal.h"

#include <unistd.h>

#define COUNT  ((size_t)(UINT64_C(1) << 32) + 12345)
#define PERIOD ((size_t)1000003) /* a prime: it meets all groups in all places */
#define PIECE  (32 * PERIOD)     /* written at a time */

#define GREATEST 255
static const size_t greatest_at[] = { ((size_t)1 << 32) + 7008,
                                      ((size_t)1 << 32) + 11000 };

static cl_mem in;
static uint64_t total;

/* 0 to 198 */
static unsigned char element(size_t i)
{
    uint64_t k = i % PERIOD;

    return (unsigned char)((k * UINT64_C(0x9e3779b97f4a7c15) >> 33) % 199);
}

/* Partial results take up to an eighth of the input; and PoCL can be told to show more
 * than there is. */
static void need_memory(void)
{
    const uint64_t need = COUNT + COUNT / 4;
    const uint64_t here =
        (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    cl_ulong most = 0, all = 0;

    clGetDeviceInfo(device.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(most), &most, NULL);
    clGetDeviceInfo(device.id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(all), &all, NULL);
    if (most < COUNT || all < need || here < need) {
        fprintf(stderr,
                "skipped: the input is %zu bytes, the device's largest buffer %llu, its "
                "memory %llu, the machine's %llu\n",
                COUNT, (unsigned long long)most, (unsigned long long)all,
                (unsigned long long)here);
        close_context(NULL);
        exit(EXIT_SKIP);
    }
}

static void write_input(void)
{
    const unsigned char greatest = GREATEST;
    unsigned char *piece = malloc(PIECE);

    assert_non_null(piece);
    for (size_t i = 0; i < PIECE; ++i) {
        piece[i] = element(i);
    }
    for (size_t at = 0; at < COUNT; at += PIECE) {
        const size_t size = COUNT - at < PIECE ? COUNT - at : PIECE;
        write_buffer(in, at, size, piece);
        for (size_t i = 0; i < size; ++i) {
            total += piece[i];
        }
    }
    free(piece);
    for (size_t k = 0; k < 2; ++k) {
        total += (uint64_t)(GREATEST - element(greatest_at[k]));
        write_buffer(in, greatest_at[k], 1, &greatest);
    }
}

static void fold(clfold_op op, clfold_type type, const char *algorithm, void *result,
                 size_t size)
{
    const clfold_fold call = {
        .op = op, .type = type, .in = CLFOLD_U8, .algorithm = algorithm
    };
    const uint64_t begin = clfold_clock_ns();

    assert_ok(clfold_reduce_host(ctx, device.queue, &call, in, 0, COUNT, result, size));
    print_message("%s by %s: %.2f s\n", op == CLFOLD_ADD ? "sum" : "arg-max",
                  algorithm ? algorithm : "policy",
                  (double)(clfold_clock_ns() - begin) / 1e9);
    /* Scratch of hundreds of megabytes. */
    clfold_context_trim(ctx);
}

/* In reduce6's usual groups a work-item of a CPU loads each byte from another page. In
 * these the lane that takes the greatest begins its last stage past 2^32. */
static const struct debug few_lanes = { .group_size = 4, .max_groups = 3 };

static void test_algorithm(void **state)
{
    const char *algorithm = *state;
    bool is_strided = algorithm && strcmp(algorithm, "reduce6") == 0;
    cl_ulong sum = 0;
    clfold_indexed where = { 0 };

    clfold_context_override(ctx, is_strided ? &few_lanes : NULL);
    fold(CLFOLD_ADD, CLFOLD_U64, algorithm, &sum, sizeof(sum));
    if (sum != total) {
        fail_msg("sum %llu instead of %llu", (unsigned long long)sum,
                 (unsigned long long)total);
    }
    /* A sum shows elements that are lost or counted twice; an index is staged by those
     * that fold many items in sequence. */
    if (algorithm && !is_strided) {
        return;
    }
    fold(CLFOLD_ARG_MAX, CLFOLD_U8, algorithm, &where, sizeof(where));
    if (where.index != greatest_at[0] || where.value.u8 != GREATEST) {
        fail_msg("greatest %d at %llu instead of %d at %zu", where.value.u8,
                 (unsigned long long)where.index, GREATEST, greatest_at[0]);
    }
}

/* Running sums, modulo 256, in place: an element that is wrong or left out shows from
 * there on. This must be the last test. */
static void test_scan(void **state)
{
    const clfold_fold call = { .op = CLFOLD_ADD, .type = CLFOLD_U8 };
    unsigned char *piece = malloc(PIECE), *elements = malloc(PERIOD);
    unsigned char sum = 0;
    size_t k = 0;

    assert_non_null(piece);
    assert_non_null(elements);
    for (size_t i = 0; i < PERIOD; ++i) {
        elements[i] = element(i);
    }
    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &call, in, 0, in, 0, COUNT));
    for (size_t at = 0; at < COUNT; at += PIECE) {
        size_t size = COUNT - at < PIECE ? COUNT - at : PIECE;
        load_buffer(in, at, size, piece);
        for (size_t i = 0; i < size; ++i) {
            bool is_greatest = at + i == greatest_at[0] || at + i == greatest_at[1];
            sum = (unsigned char)(sum + (is_greatest ? GREATEST : elements[k]));
            k = k + 1 < PERIOD ? k + 1 : 0;
            if (piece[i] != sum) {
                fail_msg("item %zu is %d instead of %d", at + i, piece[i], sum);
            }
        }
    }
    free(elements);
    free(piece);
}

static int open_device(void **state)
{
    cl_int status = open_context(state);

    if (status == CLFOLD_OK) {
        need_memory();
        in = clCreateBuffer(device.context, CL_MEM_READ_WRITE, COUNT, NULL, &status);
    }
    if (status == CL_SUCCESS) {
        write_input();
    }
    return status;
}

static int close_device(void **state)
{
    if (in) {
        clReleaseMemObject(in);
    }
    return close_context(state);
}

/* One rung of each way to number elements: a work-item has one, or two, or a stride. */
int main(int argc, char **argv)
{
#define RUNG(rung)                                                                       \
    {                                                                                    \
        .name = rung, .test_func = test_algorithm, .initial_state = rung                 \
    }
    const struct CMUnitTest tests[] = {
        { .name = "policy", .test_func = test_algorithm },
        RUNG("reduce0"),
        RUNG("reduce3"),
        RUNG("reduce6"),
        cmocka_unit_test(test_scan),
    };

    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("large", tests, open_device, close_device);
}
