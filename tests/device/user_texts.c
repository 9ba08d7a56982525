/*
 * Texts of the caller's: lengths that are rejected, where a compiler's error is, what
 * explain says of bytes and widths, arguments of a call, and how many programs are kept.
 * What they give: trials.c. What else is rejected: rejections.c.
 */
#include <clfold/experimental.h>
#include "one_context.h"
#include "test.h"

#include "base/platform.h"
#include "ops/context.h"

#define COUNT 1000

static cl_mem in, out;

static clfold_status reduce(const clfold_fold *fold, size_t count)
{
    return call_operation(CLFOLD_REDUCE, fold, in, 0, out, 0, count);
}

/* ---- Rejected ---------------------------------------------------------------------- */

#define U32(...)                                                                         \
    {                                                                                    \
        .type = CLFOLD_U32, __VA_ARGS__                                                  \
    }
#define PAIR(...)                                                                        \
    {                                                                                    \
        .components = "uint x; uint y", __VA_ARGS__                                      \
    }

/* A text as long as may be, and one more; as many operators, words and brackets. */
static void test_limits(void **state)
{
    enum { BYTES = 64 << 10, OPERATORS = 1000, TOKENS = 2000, DEPTH = 64 };
    static char text[BYTES + 2];
    const clfold_fold fold = U32(.combine = text);
    clfold_layout layout;

    for (size_t more = 0; more < 2; ++more) {
        const char *const words[] = { "combine has 65537 bytes; the limit is 65536",
                                      "more than 1000 operators, commas and brackets",
                                      "more than 64 open brackets",
                                      "more than 2000 words, numbers and operators",
                                      "more than 2000 words, numbers and operators" };
        for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); ++k) {
            size_t depth = DEPTH + more;
            memset(text, 0, sizeof(text));
            if (k == 0) {
                memset(text, 'a', BYTES + more);
            } else if (k == 1) {
                for (size_t i = 0; i < OPERATORS + more; ++i) {
                    strcat(text, i % 2 ? "a >>" : "-");
                }
                strcat(text, "b");
            } else if (k > 2) {
                for (size_t i = 0; i < TOKENS - 1 + more; ++i) {
                    strcat(text, k == 3 ? "sizeof " : "1.5f ");
                }
                strcat(text, k == 3 ? "a" : "'a'");
            } else {
                memset(text, '(', depth);
                text[depth] = 'a';
                memset(text + depth + 1, ')', depth);
            }
            if (more) {
                assert_refused(clfold_fold_layout(&fold, &layout), CLFOLD_ERROR_ARGUMENT,
                               words[k]);
            } else {
                assert_ok(clfold_fold_layout(&fold, &layout));
            }
        }
    }
}

/* Texts that only look wrong run. */
static void test_accepted(void **state)
{
    const struct {
        cl_uint x, y;
    } words = { 1, 2 };
    const clfold_arg arg = CLFOLD_VALUE("pair", w, words);
    const cl_uint three[3] = { 1, 2, 3 };
    const clfold_arg image = CLFOLD_VALUE("image_t", w, three);
    const clfold_fold folds[] = {
        PAIR(.combine = "b"),
        PAIR(.combine = "{ a.x, b.y, } // the end, of all"),
        PAIR(.combine = CLFOLD_HERE "{ max(a.x, b.x), (a.y, b.y) }"),
        PAIR(.combine = "{ a.x ? a.x, b.x : b.x, b.y }", .flags = CLFOLD_PARTIAL),
        PAIR(.source = "#define BOTH a.x, b.y", .combine = "{ BOTH }"),
        PAIR(.source = "#define IDENTITY { 0, 0 }\n", .combine = "b",
             .identity = "IDENTITY"),
        U32(.combine = "{ b }"),
        U32(.combine = "a + b + w.x",
            .source = "typedef struct { uint x, y, z; } image_t;", .args = &image,
            .num_args = 1),
        U32(.combine = "a<=b ? b:a"),
        U32(.combine = "a + b + w.x", .source = "typedef struct { uint x, y; } pair;",
            .args = &arg, .num_args = 1),
        { .type_name = "uint2", .type_size = 8, .combine = "(uint2)(a.x, b.y)" },
        { .type_name = "pair",
          .type_size = 8,
          .source = "typedef struct { uint x, y; } pair;",
          .combine = "{ a.x, b.y }" },
    };

    for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); ++i) {
        if (reduce(&folds[i], 4)) {
            fail_msg("%zu: %s", i, clfold_last_error());
        }
    }
}

/* ---- Where an error is ------------------------------------------------------------- */

static void test_places(void **state)
{
    char here[32];
    const int line = __LINE__ + 1;
    const clfold_fold named = U32(.combine = CLFOLD_HERE "a + (b * c)");
    const struct {
        const char *place, *words;
        clfold_fold fold;
    } cases[] = {
        { "combine:1:10", "'c'", U32(.combine = "a + (b * c)") },
        { "combine:2:5", "'z'", PAIR(.combine = "{ a.x,\n  a.z }") },
        { "identity:1:1", "'nothing'", U32(.combine = "a + b", .identity = "nothing") },
        { "source:2:18", "'z'",
          U32(.combine = "f(a) + b", .source = "uint f(uint x)\n{ return x * 2 + z; }") },
        { "type_size:1:",
          "type_size_is_the_sizeof_type_name",
          { .type_name = "float", .type_size = 2, .combine = "a" } },
        { "load:1:", "'q'", U32(.op = CLFOLD_ADD, .load = "x * q") },
        { "result:1:1", "'z'", U32(.op = CLFOLD_ADD, .result = "z + item") },
        { here, "'c'", named },
    };

    snprintf(here, sizeof(here), "user_texts.c:%d:10", line);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        clfold_status status = reduce(&cases[i].fold, COUNT);
        if (status != CLFOLD_ERROR_BUILD ||
            !strstr(clfold_last_error(), cases[i].place) ||
            !strstr(clfold_last_error(), cases[i].words)) {
            fail_msg("%s: \"%s\"", cases[i].place, clfold_last_error());
        }
    }
}

/* ---- Widths ------------------------------------------------------------------------ */

static unsigned warnings;

static void count_warning(void *user, int level, const char *message)
{
    (void)user;
    warnings += level == CLFOLD_LOG_WARNING && strstr(message, "runs on scalars: ");
}

static const cl_uint factor = 31;
static clfold_arg stream[] = { CLFOLD_STREAM(CLFOLD_F32, y, NULL, 0) };
static const clfold_arg value[] = { CLFOLD_VALUE("uint", factor, factor) };
#define SUM(...) .op = CLFOLD_ADD, .type = CLFOLD_F32, __VA_ARGS__
#define STREAM   .args = stream, .num_args = 1
#define PAIRS    CLFOLD_INCLUSIVE_SCAN, 8

/* One number is converted to what is written at both widths, and arguments and literals
 * are by name; then CPUs run on vectors. Bytes and shorts beside numbers are promoted as
 * C does it. */
static const struct {
    clfold_operation operation;
    size_t bytes;    /* that an element is, if a text reads it, and of streams */
    const char *why; /* it runs on scalars; NULL: it does not */
    clfold_fold fold;
} width_cases[] = {
    /* A flag of 1 chooses as a scalar, and its sign in a vector. */
    { PAIRS,
      "combine gives",
      { .components = "int x; int f",
        .combine = "{ b.f ? b.x : a.x + b.x, a.f | b.f }" } },
    { PAIRS,
      NULL,
      { .components = "int x; int f",
        .combine = "{ pick(truth(b.f), b.x, a.x + b.x), a.f | b.f }" } },
    { CLFOLD_INCLUSIVE_SCAN,
      16,
      "it does not compile for vectors: ",
      { .components = "long y; int x", .combine = "{ b.y, (int)(b.x + b.y) }" } },
    { PAIRS,
      "it is CLFOLD_PARTIAL",
      { .components = "int x; int y",
        .combine = "{ b.x, b.y }",
        .flags = CLFOLD_PARTIAL } },
    { PAIRS,
      "its type has no vectors",
      { .type_name = "int2", .type_size = 8, .combine = "b" } },
    { PAIRS, NULL, { SUM(.load = "x * y", STREAM) } },
    { CLFOLD_INCLUSIVE_SCAN, 4, NULL, { SUM(.load = "y", STREAM) } },
    { CLFOLD_INCLUSIVE_SCAN, 0, NULL, { SUM(.load = "to_f32(i)") } },
    { CLFOLD_INCLUSIVE_SCAN,
      4,
      "load gives 1 as a scalar and -1 in a vector",
      { .op = CLFOLD_ADD, .type = CLFOLD_I32, .in = CLFOLD_F32, .load = "x > 0" } },
    { CLFOLD_MAP, 4, NULL, { .type = CLFOLD_U32, .out = CLFOLD_F32, .result = "item" } },
    { CLFOLD_MAP,
      4,
      NULL,
      { .type = CLFOLD_U32, .out = CLFOLD_U8, .result = "item >> 4" } },
    { CLFOLD_MAP, 1, NULL, { .type = CLFOLD_F32, .in = CLFOLD_U8, .load = "x" } },
    { CLFOLD_MAP,
      2,
      NULL,
      { .type = CLFOLD_U64, .in = CLFOLD_U16, .load = "x", .result = "3" } },
    { CLFOLD_MAP,
      4,
      NULL,
      { .type = CLFOLD_F32,
        .result = "to_f32(factor) * item",
        .args = value,
        .num_args = 1 } },
    { CLFOLD_MAP, 4, NULL, { .type = CLFOLD_F32, .result = "item * to_f32(2)" } },
    { CLFOLD_MAP, 1, NULL, { .type = CLFOLD_U8, .result = "item + 3" } },
    { CLFOLD_MAP,
      2,
      NULL,
      { .type = CLFOLD_I16, .result = "(item + x) / 2 == '7' ? 1 : -x" } },
    { CLFOLD_MAP,
      2,
      NULL,
      { .type = CLFOLD_U32,
        .in = CLFOLD_U8,
        .in_scalars = 2,
        .load = "x.x > 3 ? x.y : 7" } },
    { CLFOLD_MAP,
      4,
      "result gives 1 as a scalar and 255 in a vector",
      { .type = CLFOLD_F32, .out = CLFOLD_U8, .result = "x > 0" } },
};

/* Explain counts what is read, also of rows, and says at which widths it runs. What
 * differs is logged, once; a program that does not build has a warning of its own. */
static void test_widths(void **state)
{
    const clfold_context_params params = { .log = count_warning };
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .length = 2 };
    clfold_context *const plain = ctx;
    unsigned differ = 0;

    assert_ok(clfold_context_create(&ctx, device.context, device.id, &params));
    warnings = 0;
    for (size_t i = 0; i < sizeof(width_cases) / sizeof(width_cases[0]); ++i) {
        const clfold_operation operation = width_cases[i].operation;
        const char *const why = width_cases[i].why;
        clfold_fold fold = width_cases[i].fold;
        clfold_report report;
        for (int turn = 0; turn < 2; ++turn) {
            assert_ok(call_operation(operation, &fold, in, 0, out, 0, COUNT / 4));
        }
        assert_ok(clfold_explain(ctx, operation, &fold, COUNT, NULL, &report));
        const bool is_group = strstr(report.reason, "tile_group by");
        const bool is_unknown = is_group || fold.type_name || fold.flags & CLFOLD_PARTIAL;
        if (!is_group && (!strstr(report.reason, why ? why : "tile_vector by") ||
                          (why && !strstr(report.reason, "tile_item by")))) {
            fail_msg("%zu: \"%s\"", i, report.reason);
        }
        differ += !is_group && why && strstr(why, " gives");
        assert_int_equal(warnings, differ);
        assert_int_equal(report.widths, is_unknown ? CLFOLD_WIDTHS_UNKNOWN
                                        : why      ? CLFOLD_WIDTHS_DIFFER
                                                   : CLFOLD_WIDTHS_AGREE);
        assert_int_equal(report.bytes_read, COUNT * width_cases[i].bytes);
        fold.segments = &rows;
        assert_ok(clfold_explain(ctx, operation, &fold, COUNT, NULL, &report));
        assert_int_equal(report.bytes_read, COUNT * width_cases[i].bytes);
    }
    clfold_context_destroy(&ctx);
    ctx = plain;
}

/* A fold that reads no elements has results without `in`. */
static void test_unread(void **state)
{
    const clfold_fold sum = { SUM(.load = "to_f32(i)") };
    cl_float last = 0;

    assert_ok(call_operation(CLFOLD_INCLUSIVE_SCAN, &sum, NULL, 0, out, 0, 16));
    load_buffer(out, 15 * sizeof(last), sizeof(last), &last);
    assert_true(last == 120);
}

/* A driver that copies structs with gaps wrongly has none of them. */
static void test_gaps(void **state)
{
    const clfold_fold gap = { .components = "uchar x; uint y",
                              .combine = "{ b.x, a.y + b.y }" };
    const clfold_status status = reduce(&gap, 4);

    if (!clfold_platform_miscopies(ctx->caps.facts.platform)) {
        assert_ok(status);
        return;
    }
    assert_refused(status, CLFOLD_ERROR_UNSUPPORTED, "leave a gap before y");
}

/* ---- Arguments and programs -------------------------------------------------------- */

static cl_uint result_of(clfold_context *context, const clfold_fold *fold)
{
    cl_uint result = 0;

    assert_ok(clfold_reduce_host(context, device.queue, fold, in, 0, COUNT, &result, 4));
    return result;
}

/* Built, or loaded from the tests' folder. */
static uint64_t builds(clfold_context *context)
{
    clfold_stats stats;

    assert_ok(clfold_context_stats(context, &stats));
    return stats.builds + stats.disk_hits;
}

/* A value is not a part of the program. */
static void test_values(void **state)
{
    cl_uint m = 7;
    const clfold_arg arg = CLFOLD_VALUE("uint", m, m);
    const clfold_fold fold = U32(.combine = "(a + b) % m", .flags = CLFOLD_PARTIAL,
                                 .args = &arg, .num_args = 1);
    uint64_t before;

    assert_int_equal(result_of(ctx, &fold), COUNT % 7);
    before = builds(ctx);
    m = 11;
    assert_int_equal(result_of(ctx, &fold), COUNT % 11);
    assert_int_equal(builds(ctx), before);
}

/* Of many texts the last are kept, and trim keeps none. */
static void test_programs(void **state)
{
    enum { MOST = 3, TEXTS = 5 };
    const clfold_context_params params = { .max_programs = MOST };
    clfold_context *own;
    char text[TEXTS][32];
    uint64_t before;

    assert_ok(clfold_context_create(&own, device.context, device.id, &params));
    for (unsigned i = 0; i < TEXTS; ++i) {
        const clfold_fold fold = U32(.combine = text[i], .flags = CLFOLD_PARTIAL);
        snprintf(text[i], sizeof(text[i]), "a + b + %u * 0", i);
        assert_int_equal(result_of(own, &fold), COUNT);
    }
    const clfold_fold first = U32(.combine = text[0], .flags = CLFOLD_PARTIAL);
    const clfold_fold last = U32(.combine = text[TEXTS - 1], .flags = CLFOLD_PARTIAL);
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    before = builds(own);
    assert_true(before >= TEXTS);
    assert_int_equal(result_of(own, &last), COUNT);
    assert_int_equal(builds(own), before);
    assert_int_equal(result_of(own, &first), COUNT);
    assert_int_equal(builds(own), before + 1);
    assert_int_equal(result_of(own, &sum), COUNT);
    clfold_context_trim(own);
    before = builds(own);
    assert_int_equal(result_of(own, &sum), COUNT);
    assert_int_equal(builds(own), before);
    assert_int_equal(result_of(own, &first), COUNT);
    assert_int_equal(builds(own), before);
    clfold_context_destroy(&own);
}

/* ---- The group --------------------------------------------------------------------- */

static int set_up(void **state)
{
    static cl_uint values[2 * COUNT];
    const int failed = open_context(state);

    for (size_t i = 0; i < 2 * COUNT; ++i) {
        values[i] = 1;
    }
    in = copied_buffer(values, sizeof(values));
    out = coloured_buffer(sizeof(values));
    stream[0].mem = in;
    return failed;
}

static int tear_down(void **state)
{
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return close_context(state);
}

TEST_MAIN("user_texts", set_up, tear_down, cmocka_unit_test(test_places),
          cmocka_unit_test(test_widths), cmocka_unit_test(test_unread),
          cmocka_unit_test(test_values), cmocka_unit_test(test_programs),
          cmocka_unit_test(test_gaps), cmocka_unit_test(test_limits),
          cmocka_unit_test(test_accepted))
