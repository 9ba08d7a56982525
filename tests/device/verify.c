/* verify_every on sums that round. That right calls of all kinds pass: trials.c; what it
 * must find: context.c and the suite fault. */
#include "trial.h"
#include "one_context.h"
#include "test.h"

#include <math.h>

#define MANY 300000

/* Sums that round: of one value many times, so that errors add up, or of terms that
 * cancel. Right results pass by every kernel. */
static void test_rounding(void **state)
{
    static unsigned char data[MANY * sizeof(cl_double)];
    static const char *const algorithms[] = { NULL,      NULL,      "reduce0",
                                              "reduce3", "reduce6", "reduce6" };
    static const struct debug plans[] = {
        { .tile = TILE_VECTOR }, { .tile = TILE_GROUP }, { .group_size = 3 },
        { .group_size = 64 },    { .group_size = 64 },   { .max_groups = 2 },
    };
    const size_t counts[] = { 2, 100, 5000, MANY };
    const struct pair pairs[] = {
        { CLFOLD_F16, CLFOLD_F32 },
        { CLFOLD_F32, CLFOLD_F32 },
        { CLFOLD_F64, CLFOLD_F32 },
        { CLFOLD_F64, CLFOLD_F64 },
    };
    const double terms[][3] = {
        { 0.1, 0.1, 0.1 },
        { -0.7, -0.7, -0.7 },
        { 1 / 3., 1 / 3., 1 / 3. },
        { 3e7, 0.7, -3e7 },
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) * 4; ++i) {
        const struct pair pair = pairs[i / 4];
        if (!device_folds(&device, pair.in, pair.type)) {
            continue;
        }
        for (size_t k = 0; k < MANY; ++k) {
            const struct number x = { 0, (long double)terms[i % 4][k % 3] };
            write_number(pair.in, x, data + k * size_of(pair.in));
        }
        for (size_t k = (i / 4 + 1) % 2; k < 4 * sizeof(plans) / sizeof(plans[0]);
             k += 2) {
            const size_t a = k / 4, c = (k + a) % 4;
            const struct trial trial = { .op = CLFOLD_ADD,
                                         .pair = pair,
                                         .operation = CLFOLD_REDUCE,
                                         .algorithm = algorithms[a],
                                         .plan = plans[a],
                                         .count = counts[c],
                                         .elements = data,
                                         .unknown = true };
            trial_check(&trial, NULL);
        }
    }
}

/* Folds by text: floats agree to half of their digits, and an
 * operator that is not associative is found. What opaque types hold is not known. */
static void test_texts(void **state)
{
    enum { COUNT = 5000 };
    static const struct {
        clfold_fold fold;
        const char *found;
    } cases[] = {
        { { .components = "float s, m", .combine = "{ a.s + b.s, fmax(a.m, b.m) }" },
          NULL },
        { { .op = CLFOLD_MOMENTS, .type = CLFOLD_F32, .in = CLFOLD_F32 }, NULL },
        { { .op = CLFOLD_AFFINE, .type = CLFOLD_U32 }, NULL },
        { { .components = "int u, v", .combine = "{ a.u + b.u, a.v - b.v }" },
          "verify: v is " },
        { { .type_name = "int", .type_size = 4, .combine = "a - b" }, NULL },
        { { .op = CLFOLD_ADD, .type = CLFOLD_F32, .accuracy = CLFOLD_COMPENSATED },
          NULL },
        { { .op = CLFOLD_ADD, .type = CLFOLD_F32, .accuracy = CLFOLD_REPRODUCIBLE },
          NULL },
    };
    static cl_float data[2 * COUNT];
    unsigned char result[32];
    double total = 0;

    for (size_t i = 0; i < 2 * COUNT; ++i) {
        data[i] = 0.1f + (cl_float)(i % 7);
        total += i < COUNT ? data[i] : 0;
    }
    cl_mem mem = copied_buffer(data, sizeof(data));
    clfold_context_override(ctx, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        size_t size = i == 1 ? 16 : i >= 4 ? 4 : 8;
        const clfold_status status = clfold_reduce_host(ctx, device.queue, &cases[i].fold,
                                                        mem, 0, COUNT, result, size);
        if (cases[i].found) {
            assert_refused(status, CLFOLD_ERROR_DATA, cases[i].found);
        } else if (status) {
            fail_msg("case %zu: %s", i, clfold_last_error());
        } else if (cases[i].fold.accuracy) {
            cl_float sum;
            memcpy(&sum, result, sizeof(sum));
            assert_true(fabs((double)sum - total) <= total * 0x1p-23);
        }
    }
    clReleaseMemObject(mem);
}

/* An output that the host must not read is rejected before it is written; the input may
 * be one. */
static void test_unreadable(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_I32 };
    const cl_mem_flags flags[] = { CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY };
    cl_int status;
    cl_mem plain = coloured_buffer(64);

    for (size_t i = 0; i < 2; ++i) {
        cl_mem hidden = clCreateBuffer(device.context, flags[i], 64, NULL, &status);
        assert_int_equal(status, CL_SUCCESS);
        assert_refused(clfold_reduce(ctx, device.queue, &sum, plain, 0, hidden, 0, 16, 0,
                                     NULL, NULL),
                       CLFOLD_ERROR_ARGUMENT, "must be readable by the host");
        assert_ok(clfold_reduce(ctx, device.queue, &sum, hidden, 0, plain, 0, 16, 0, NULL,
                                NULL));
        clReleaseMemObject(hidden);
    }
    clReleaseMemObject(plain);
}

static int open_device(void **state)
{
    const clfold_context_params params = { .verify_every = 1 };

    device_init(&device);
    return device_context(&ctx, &device, &params);
}

TEST_MAIN("verify", open_device, close_context, cmocka_unit_test(test_rounding),
          cmocka_unit_test(test_texts), cmocka_unit_test(test_unreadable))
