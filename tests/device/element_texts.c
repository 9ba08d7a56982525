/*
 * Texts of loads and results: what explain says of bytes and widths. What they give:
 * trials.c. What is rejected: rejections.c.
 */
#include "one_context.h"
#include "test.h"

static cl_mem in, out, stream;

/* A fold that reads no elements has results without `in`. */
static void test_unread(void **state)
{
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "to_f32(i)" };
    cl_float last = 0;

    (void)state;
    assert_ok(clfold_inclusive_scan(ctx, device.queue, &sum, NULL, 0, out, 0, 16, 0, NULL,
                                    NULL));
    load_buffer(out, 15 * sizeof(last), sizeof(last), &last);
    assert_true(last == 120);
}

/* Explain and launches count what a load reads. */
static void test_report(void **state)
{
    const clfold_arg y[] = { CLFOLD_STREAM(CLFOLD_F32, y, stream, 0) };
    const struct {
        clfold_fold fold;
        size_t bytes; /* an element */
        const char *reason;
    } cases[] = {
        { { .op = CLFOLD_ADD,
            .type = CLFOLD_F32,
            .load = "x * y",
            .args = y,
            .num_args = 1 },
          8,
          "" },
        { { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "y", .args = y, .num_args = 1 },
          4,
          "" },
        { { .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "to_f32(i)" }, 0, "" },
        { { .op = CLFOLD_ADD, .type = CLFOLD_I32, .in = CLFOLD_F32, .load = "x > 0" },
          4,
          "load gives 1 as a scalar and -1 in a vector" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        clfold_report report;
        assert_ok(
            call_operation(CLFOLD_INCLUSIVE_SCAN, &cases[i].fold, in, 0, out, 0, 16));
        for (clfold_operation o = CLFOLD_REDUCE; o <= CLFOLD_EXCLUSIVE_SCAN; ++o) {
            const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = o };
            clfold_fold fold = cases[i].fold;
            fold.segments = &rows;
            assert_ok(clfold_explain(ctx, o, &fold, 64, NULL, &report));
            assert_int_equal(report.bytes_read, 64 * cases[i].bytes);
        }
        assert_ok(clfold_explain(ctx, CLFOLD_REDUCE, &cases[i].fold, 64, NULL, &report));
        assert_int_equal(report.bytes_read, 64 * cases[i].bytes);
        if (strstr(report.reason, "tile_group by") == NULL &&
            !strstr(report.reason, cases[i].reason)) {
            fail_msg("%s", report.reason);
        }
    }
}

/* To the host the size is that of what is written. */
static void test_host(void **state)
{
    const clfold_fold mean = { .op = CLFOLD_ADD,
                               .type = CLFOLD_U32,
                               .load = "to_u32(i)",
                               .out = CLFOLD_F32,
                               .result = "to_f32(item) / to_f32(n)" };
    cl_float found = 0;

    (void)state;
    assert_ok(
        clfold_reduce_host(ctx, device.queue, &mean, in, 0, 101, &found, sizeof(found)));
    assert_true(found == 50);
}

/* One number is converted to what is written at both widths, and arguments and literals
 * are by name; then CPUs run on vectors. */
static void test_widths(void **state)
{
    static const cl_uint factor = 31;
    static const clfold_arg args[] = { CLFOLD_VALUE("uint", factor, factor) };
    static const struct {
        clfold_fold fold;
        const char *why; /* it runs on scalars; NULL: it does not */
    } cases[] = {
        { { .type = CLFOLD_U32, .out = CLFOLD_F32, .result = "item" }, NULL },
        { { .type = CLFOLD_U32, .out = CLFOLD_U8, .result = "item >> 4" }, NULL },
        { { .type = CLFOLD_F32, .in = CLFOLD_U8, .load = "x" }, NULL },
        { { .type = CLFOLD_U64, .in = CLFOLD_U16, .load = "x", .result = "3" }, NULL },
        { { .type = CLFOLD_F32,
            .result = "to_f32(factor) * item",
            .args = args,
            .num_args = 1 },
          NULL },
        { { .type = CLFOLD_F32, .result = "item * to_f32(2)" }, NULL },
        /* bytes and shorts beside numbers, promoted as C does it */
        { { .type = CLFOLD_U8, .result = "item + 3" }, NULL },
        { { .type = CLFOLD_I16, .result = "(item + x) / 2 == '7' ? 1 : -x" }, NULL },
        { { .type = CLFOLD_U32,
            .in = CLFOLD_U8,
            .in_scalars = 2,
            .load = "x.x > 3 ? x.y : 7" },
          NULL },
        { { .type = CLFOLD_F32, .out = CLFOLD_U8, .result = "x > 0" },
          "result gives 1 as a scalar and 255 in a vector" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        const clfold_fold *const fold = &cases[i].fold;
        clfold_report report;
        assert_ok(clfold_map(ctx, device.queue, fold, in, 0, out, 0, 64, 0, NULL, NULL));
        assert_ok(clfold_explain(ctx, CLFOLD_MAP, fold, 64, NULL, &report));
        if (!strstr(report.reason, "tile_group by") &&
            !strstr(report.reason, cases[i].why ? cases[i].why : "tile_vector by")) {
            fail_msg("%s: %s", fold->result ? fold->result : fold->load, report.reason);
        }
    }
}

/* ---- The tests --------------------------------------------------------------------- */

static int set_up(void **state)
{
    static cl_float reals[128];

    if (open_context(state)) {
        return -1;
    }
    for (size_t i = 0; i < 128; ++i) {
        reals[i] = (cl_float)(i % 7) - 2;
    }
    in = copied_buffer(reals, 512);
    out = copied_buffer(reals, 512);
    stream = copied_buffer(reals, 256);
    return 0;
}

static int tear_down(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(stream);
    return close_context(state);
}

TEST_MAIN("element_texts", set_up, tear_down, cmocka_unit_test(test_report),
          cmocka_unit_test(test_host), cmocka_unit_test(test_widths),
          cmocka_unit_test(test_unread))
