/* verify_every on the device: every operator passes, over types, kernels, counts and
 * inits. What it must find stands in context.c and the suite fault. */
#include "fold_check.h"
#include "test.h"

static struct device device;
static clfold_context *ctx;

static void test_every_operator(void **state)
{
    static const char *const algorithms[] = { NULL, "reduce1", "reduce6" };
    const size_t counts[] = { 0, 1, 5000 };
    clfold_stats stats;
    uint64_t folds = 0;

    (void)state;
    for (clfold_op op = CLFOLD_ADD; op <= CLFOLD_MIN_MAX; ++op) {
        for (size_t t = 0; t < 4; ++t) {
            const clfold_type type =
                CLFOLD_I8 + (op * 3 + 3 * (clfold_type)t) % CLFOLD_F64;
            const clfold_type in = t % 2 ? type : CLFOLD_I16;
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
                const struct fold_case fold = {
                    .op = op,
                    .pair = { in, type },
                    .algorithm = algorithms[(op + t) % 3],
                    .count = counts[c],
                    .offset = c,
                    .init = (t + c) % 2,
                    .nan = t == 3,
                    .seed = op * 100 + t,
                };
                char why[1024];
                if (!is_folded(op, fold.pair) || !device_has(&device, type)) {
                    continue;
                }
                ++folds;
                if (!fold_check(ctx, &device, device.queue, &fold, why, sizeof(why))) {
                    fail_msg("%s", why);
                }
            }
        }
    }
    assert_true(folds > 60);
    assert_ok(clfold_context_stats(ctx, &stats));
    assert_int_equal(stats.failed_builds, 0);
}

/* Buffers that the host must not read are refused before the output is written. */
static void test_unreadable(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    const cl_mem_flags flags[] = { CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY };
    cl_int status;
    cl_mem plain = clCreateBuffer(device.context, 0, 64, NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    for (size_t i = 0; i < 2; ++i) {
        cl_mem hidden = clCreateBuffer(device.context, flags[i], 64, NULL, &status);
        assert_int_equal(status, CL_SUCCESS);
        assert_refused(clfold_reduce(ctx, device.queue, &sum, hidden, 0, plain, 0, 16, 0,
                                     NULL, NULL),
                       CLFOLD_ERROR_ARGUMENT, "in 0x");
        assert_refused(clfold_reduce(ctx, device.queue, &sum, plain, 0, hidden, 0, 16, 0,
                                     NULL, NULL),
                       CLFOLD_ERROR_ARGUMENT, "must not be read by the host");
        clReleaseMemObject(hidden);
    }
    clReleaseMemObject(plain);
}

static int open_device(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };

    (void)state;
    device_init(&device);
    return clfold_context_create(&ctx, device.context, device.id, &params);
}

static int close_device(void **state)
{
    (void)state;
    clfold_context_destroy(&ctx);
    device_finish(&device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator),
        cmocka_unit_test(test_unreadable),
    };

    return cmocka_run_group_tests_name("verify", tests, open_device, close_device);
}
