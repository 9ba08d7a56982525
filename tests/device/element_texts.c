/*
 * Texts of loads and results: what is rejected, where in and out may overlap, what
 * explain says of bytes and widths. What they give: folds.c.
 */
#include "one_context.h"
#include "test.h"

static cl_mem in, out, stream;

/* ---- Loads ------------------------------------------------------------------------- */

static clfold_status scan(const clfold_fold *fold, cl_mem from, cl_mem to, size_t count)
{
    return clfold_inclusive_scan(ctx, device.queue, fold, from, 0, to, 0, count, 0, NULL,
                                 NULL);
}

#define rejects(status, part, call)                                                      \
    do {                                                                                 \
        assert_int_equal(call, status);                                                  \
        if (!strstr(clfold_last_error(), part)) {                                        \
            fail_msg("\"%s\" is not in \"%s\"", part, clfold_last_error());              \
        }                                                                                \
    } while (0)

static void test_rejected_loads(void **state)
{
    clfold_arg y[] = { CLFOLD_STREAM(CLFOLD_F32, y, NULL, 0) };
    clfold_fold dot = {
        .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "x * y", .args = y, .num_args = 1
    };
    clfold_arg pointer[] = { CLFOLD_VALUE("global const float *", w, in) };
    clfold_fold fold = dot;

    (void)state;
    y[0].mem = stream;
    assert_ok(scan(&dot, in, out, 16));
    rejects(CLFOLD_ERROR_RANGE, "y holds 64 elements of f32", scan(&dot, in, out, 65));
    y[0].offset = 60;
    rejects(CLFOLD_ERROR_RANGE, "offset 60 + count 5", scan(&dot, in, out, 5));
    y[0].offset = SIZE_MAX;
    rejects(CLFOLD_ERROR_RANGE, "y: offset 18446744073709551615 + count 5 overflows",
            scan(&dot, in, out, 5));
    y[0].offset = 0;
    rejects(CLFOLD_ERROR_OVERLAP, "y", scan(&dot, in, stream, 16));
    fold.load = NULL;
    rejects(CLFOLD_ERROR_ARGUMENT, "args is for folds", scan(&fold, in, out, 16));
    fold =
        (clfold_fold){ .type = CLFOLD_F32, .combine = "a + b", .args = y, .num_args = 1 };
    rejects(CLFOLD_ERROR_ARGUMENT,
            "y is a stream, which only a load, a result, a store and a keep can use",
            scan(&fold, in, out, 16));
    fold = dot;
    y[0].element = 99;
    rejects(CLFOLD_ERROR_ARGUMENT, "element 99", scan(&fold, in, out, 16));
    y[0].element = CLFOLD_F32;
    y[0].type = "float";
    rejects(CLFOLD_ERROR_ARGUMENT, "not a buffer alone", scan(&fold, in, out, 16));
    y[0].type = NULL;
    y[0].mem = NULL;
    rejects(CLFOLD_ERROR_ARGUMENT, "not a buffer alone", scan(&fold, in, out, 16));
    y[0].mem = stream;
    fold.load = "x * (y";
    rejects(CLFOLD_ERROR_ARGUMENT, "load: a bracket that is not closed",
            scan(&fold, in, out, 16));
    fold.load = "x; y";
    rejects(CLFOLD_ERROR_ARGUMENT, "load: a semicolon", scan(&fold, in, out, 16));
    fold.load = "x * q";
    rejects(CLFOLD_ERROR_BUILD, "load:1", scan(&fold, in, out, 16));
    fold = dot;
    fold.in_scalars = 5;
    rejects(CLFOLD_ERROR_ARGUMENT, "in_scalars 5", scan(&fold, in, out, 16));
    fold = (clfold_fold){ .op = CLFOLD_ADD, .type = CLFOLD_F32, .in_scalars = 2 };
    rejects(CLFOLD_ERROR_ARGUMENT, "in_scalars is 2", scan(&fold, in, out, 16));
    fold.load = "x.x + x.y";
    rejects(CLFOLD_ERROR_RANGE, "in holds 64", scan(&fold, in, out, 65));
    fold = (clfold_fold){ .op = CLFOLD_ADD,
                          .type = CLFOLD_F32,
                          .load = "i > 0 ? x - in[i - 1] : x" };
    rejects(CLFOLD_ERROR_OVERLAP, "out", scan(&fold, in, in, 16));
    rejects(CLFOLD_ERROR_ARGUMENT, "in is NULL", scan(&fold, NULL, out, 16));
    fold.load = "x + 1";
    rejects(CLFOLD_ERROR_ARGUMENT, "in is NULL", scan(&fold, NULL, out, 16));
    fold.load = "to_f32(i)";
    assert_ok(scan(&fold, NULL, out, 16));
    fold = (clfold_fold){ .op = CLFOLD_ADD, .type = CLFOLD_F32, .in = CLFOLD_F16 };
    fold.in_scalars = 2;
    fold.load = "in[i].x";
    rejects(CLFOLD_ERROR_UNSUPPORTED, "load uses in, whose elements are 2 f16",
            scan(&fold, in, out, 16));
    /* One scalar is read as a half anywhere. */
    fold.in_scalars = 0;
    fold.load = "i > 0 ? vload_half(i - 1, in) : 0";
    assert_ok(scan(&fold, in, out, 16));
    pointer[0].value = &in;
    fold = (clfold_fold){ .op = CLFOLD_ADD, .type = CLFOLD_F32, .load = "w[i]" };
    fold.args = pointer;
    fold.num_args = 1;
    rejects(CLFOLD_ERROR_ARGUMENT, "w is a value of type global const float *",
            scan(&fold, in, out, 16));
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
        assert_ok(scan(&cases[i].fold, in, out, 16));
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

/* ---- Results ----------------------------------------------------------------------- */

static const cl_uint factor = 31;
static clfold_arg args[2];

#define STREAM .args = args, .num_args = 1
#define FACTOR .args = args + 1, .num_args = 1
#define SUM    .op = CLFOLD_ADD, .type = CLFOLD_U32
#define PAIRS(names)                                                                     \
    .components = names, .combine = "{ a.a * b.a, a.b * b.a + b.b }",                    \
    .identity = "{ 1, 0 }"

static void test_rejected_results(void **state)
{
    const cl_uint init = 1;
    const struct {
        clfold_operation operation;
        clfold_fold fold;
        clfold_status status;
        const char *part;
    } cases[] = {
        { CLFOLD_REDUCE,
          { SUM, .result = "item + x" },
          CLFOLD_ERROR_ARGUMENT,
          "result uses x, but what a reduction writes belongs to no element" },
        { CLFOLD_REDUCE,
          { SUM, .result = "item + prev" },
          CLFOLD_ERROR_ARGUMENT,
          "result uses prev" },
        { CLFOLD_REDUCE,
          { SUM, .store = "out[0] = in[0];" },
          CLFOLD_ERROR_ARGUMENT,
          "store uses in" },
        { CLFOLD_REDUCE,
          { SUM, .result = "y", STREAM },
          CLFOLD_ERROR_ARGUMENT,
          "result uses y" },
        { CLFOLD_INCLUSIVE_SCAN,
          { .type = CLFOLD_U32, .combine = "a + b", .result = "prev" },
          CLFOLD_ERROR_ARGUMENT,
          "result uses prev, of which the first element has none" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .result = "item", .store = "out[i] = item;" },
          CLFOLD_ERROR_ARGUMENT,
          "result and store are both given" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .result = "item;" },
          CLFOLD_ERROR_ARGUMENT,
          "result: a semicolon at character 5" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .store = "out[i] = (item;" },
          CLFOLD_ERROR_ARGUMENT,
          "store: a bracket that is not closed" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .result = " " },
          CLFOLD_ERROR_ARGUMENT,
          "result is empty" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .out = 99 },
          CLFOLD_ERROR_ARGUMENT,
          "out 99 is not a valid type" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .out_scalars = 5 },
          CLFOLD_ERROR_ARGUMENT,
          "out_scalars 5 is not from 1 to 4" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .out_scalars = 2 },
          CLFOLD_ERROR_ARGUMENT,
          "out_scalars is 2, but add gives 1 without a result" },
        { CLFOLD_INCLUSIVE_SCAN,
          { PAIRS("uint a, b"), .result = "item.a", .out_scalars = 2 },
          CLFOLD_ERROR_ARGUMENT,
          "out is 0: of which type they are is unknown" },
        { CLFOLD_INCLUSIVE_SCAN,
          { .op = CLFOLD_ADD, .type = CLFOLD_F32, .out = CLFOLD_I32 },
          CLFOLD_ERROR_UNSUPPORTED,
          "f32 cannot be written as out i32" },
        { CLFOLD_INCLUSIVE_SCAN,
          { .type_name = "uint2", .type_size = 8, .combine = "a + b", .out = CLFOLD_U32 },
          CLFOLD_ERROR_ARGUMENT,
          "out u32 is given with type_name" },
        { CLFOLD_INCLUSIVE_SCAN,
          { .op = CLFOLD_ARG_MAX, .type = CLFOLD_U32, .store = "out[i] = item.index;" },
          CLFOLD_ERROR_UNSUPPORTED,
          "store: elements of `out` are not structs" },
        { CLFOLD_INCLUSIVE_SCAN,
          { SUM, .result = "item", .algorithm = "scan_then_propagate" },
          CLFOLD_ERROR_UNSUPPORTED,
          "combines what is written" },
        { CLFOLD_MAP,
          { SUM, .result = "item" },
          CLFOLD_ERROR_ARGUMENT,
          "op is given, but a map has no operator" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32, .combine = "a + b" },
          CLFOLD_ERROR_ARGUMENT,
          "combine is given" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32, .init = &init, .init_size = 4 },
          CLFOLD_ERROR_ARGUMENT,
          "init is given" },
        { CLFOLD_MAP,
          { .result = "x" },
          CLFOLD_ERROR_ARGUMENT,
          "one of type, components and type_name" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32, .algorithm = "serial" },
          CLFOLD_ERROR_UNSUPPORTED,
          "which maps by map_tiles" },
        { CLFOLD_MAP,
          { .type = CLFOLD_U32, .result = "z + x" },
          CLFOLD_ERROR_BUILD,
          "result:1:1: " },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        assert_int_equal(
            call_operation(cases[i].operation, &cases[i].fold, in, 0, out, 0, 16),
            cases[i].status);
        if (!strstr(clfold_last_error(), cases[i].part)) {
            fail_msg("\"%s\" is not in \"%s\"", cases[i].part, clfold_last_error());
        }
    }
}

/* Where in and out may overlap, and how much room is wanted. */
static void test_places(void **state)
{
    const clfold_fold doubled = { .type = CLFOLD_U32, .result = "2 * x" };
    const clfold_fold others = { .type = CLFOLD_U32, .result = "in[i]" };
    const clfold_fold wide = { SUM, .out = CLFOLD_U64 };
    const clfold_fold scattered = { .type = CLFOLD_U32, .store = "out[i] = x;" };

    (void)state;
    assert_ok(call_operation(CLFOLD_MAP, &doubled, in, 0, in, 0, 16));
    assert_int_equal(call_operation(CLFOLD_MAP, &doubled, in, 0, in, 1, 16),
                     CLFOLD_ERROR_OVERLAP);
    assert_int_equal(call_operation(CLFOLD_MAP, &others, in, 0, in, 0, 16),
                     CLFOLD_ERROR_OVERLAP);
    assert_int_equal(call_operation(CLFOLD_MAP, &scattered, in, 0, in, 0, 16),
                     CLFOLD_ERROR_OVERLAP);
    assert_int_equal(call_operation(CLFOLD_INCLUSIVE_SCAN, &wide, in, 0, in, 0, 16),
                     CLFOLD_ERROR_OVERLAP);
    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &wide, in, 0, out, 0, 64));
    assert_int_equal(call_operation(CLFOLD_INCLUSIVE_SCAN, &wide, in, 0, out, 1, 64),
                     CLFOLD_ERROR_RANGE);
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
    cl_ulong wide;

    (void)state;
    assert_ok(
        clfold_reduce_host(ctx, device.queue, &mean, in, 0, 101, &found, sizeof(found)));
    assert_true(found == 50);
    assert_int_equal(
        clfold_reduce_host(ctx, device.queue, &mean, in, 0, 101, &wide, sizeof(wide)),
        CLFOLD_ERROR_ARGUMENT);
}

/* One number is converted to what is written at both widths, and arguments and literals
 * are by name; then CPUs run on vectors. */
static void test_widths(void **state)
{
    static const struct {
        clfold_fold fold;
        const char *why; /* it runs on scalars; NULL: it does not */
    } cases[] = {
        { { .type = CLFOLD_U32, .out = CLFOLD_F32, .result = "item" }, NULL },
        { { .type = CLFOLD_U32, .out = CLFOLD_U8, .result = "item >> 4" }, NULL },
        { { .type = CLFOLD_F32, .in = CLFOLD_U8, .load = "x" }, NULL },
        { { .type = CLFOLD_U64, .in = CLFOLD_U16, .load = "x", .result = "3" }, NULL },
        { { .type = CLFOLD_F32, .result = "to_f32(factor) * item", FACTOR }, NULL },
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
    args[0] = (clfold_arg)CLFOLD_STREAM(CLFOLD_F32, y, stream, 0);
    args[1] = (clfold_arg)CLFOLD_VALUE("uint", factor, factor);
    return 0;
}

static int tear_down(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(stream);
    return close_context(state);
}

TEST_MAIN("element_texts", set_up, tear_down, cmocka_unit_test(test_rejected_loads),
          cmocka_unit_test(test_report), cmocka_unit_test(test_rejected_results),
          cmocka_unit_test(test_places), cmocka_unit_test(test_host),
          cmocka_unit_test(test_widths))
