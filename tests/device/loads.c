/*
 * Loads: what is folded is made of the element, its neighbours, its index, streams and
 * arguments; by built-in operators and the caller's, in every operation, by every
 * algorithm, on every tile, against a loop on the host. All are exact.
 */
#include "ways.h"
#include "host_ops.h"
#include "one_context.h"
#include "test.h"

#include "base/half.h"

/* ---- Operators on the host --------------------------------------------------------- */

static void add_u64(void *out, const void *a, const void *b)
{
    cl_ulong x, y;

    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    x += y;
    memcpy(out, &x, 8);
}

static void most_u64(void *out, const void *a, const void *b)
{
    cl_ulong x, y;

    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    memmove(out, x > y ? a : b, 8);
}

static void or_u8(void *out, const void *a, const void *b)
{
    *(unsigned char *)out = *(const unsigned char *)a | *(const unsigned char *)b;
}

/* The greatest, at its first place. */
struct place {
    cl_ulong index;
    cl_uint value, none;
};

static void combine_place(void *out, const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    bool is_y = y->value > x->value || (y->value == x->value && y->index < x->index);

    memmove(out, is_y ? y : x, sizeof(*x));
}

static bool same_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return x->index == y->index && x->value == y->value;
}

/* ---- Streams and tables ------------------------------------------------------------ */

#define NUM        5000 /* elements at most */
#define STREAM_LAG 3    /* elements before a stream's first */

static cl_float reals[NUM + STREAM_LAG];
static cl_uchar bytes[NUM + STREAM_LAG];
static cl_half halves[NUM + STREAM_LAG];
static cl_uint table[16];
static const cl_uint factor = 31;
static clfold_arg args[6];

#define LOAD(name) static void name(void *out, const unsigned char *e, size_t i, size_t n)
#define GIVE(type, ...)                                                                  \
    do {                                                                                 \
        const type r = __VA_ARGS__;                                                      \
        (void)e, (void)i, (void)n;                                                       \
        memcpy(out, &r, sizeof(r));                                                      \
    } while (0)

LOAD(load_dot)
{
    GIVE(cl_float, f32_of(e, i) * reals[STREAM_LAG + i]);
}
LOAD(load_count)
{
    GIVE(cl_ulong, f32_of(e, i) > 1);
}
LOAD(load_square)
{
    GIVE(cl_ulong, (cl_ulong)i * i);
}
LOAD(load_rest)
{
    GIVE(cl_ulong, n - i);
}
LOAD(load_three)
{
    GIVE(cl_uint, (i > 0 ? u32_of(e, i - 1) : 0) + 2 * u32_of(e, i) +
                      (i + 1 < n ? u32_of(e, i + 1) : 0));
}
LOAD(load_five)
{
    GIVE(cl_uint, u32_of(e, i) * 4 - (i > 0 ? u32_of(e, i - 1) : 0) -
                      (i + 1 < n ? u32_of(e, i + 1) : 0) -
                      (i > 6 ? u32_of(e, i - 7) : 0) -
                      (i + 7 < n ? u32_of(e, i + 7) : 0));
}
LOAD(load_hash)
{
    GIVE(struct { cl_uint a[2]; }, { { factor, e[i] } });
}
LOAD(load_colour)
{
    GIVE(cl_uint, e[3 * i] + 3u * e[3 * i + 1] + 7u * e[3 * i + 2]);
}
LOAD(load_pair)
{
    GIVE(struct { cl_uint a[2]; }, { { e[2 * i], e[2 * i + 1] } });
}
LOAD(load_tuple)
{
    GIVE(struct { cl_uint a[2]; }, { { u32_of(e, 2 * i + 1), u32_of(e, 2 * i) + 1 } });
}
LOAD(load_mixed)
{
    const struct padded *x = (const struct padded *)(const void *)e + i;
    GIVE(struct padded, { x->sum + x->last, x->last * 2 });
}
LOAD(load_half)
{
    cl_half x;

    memcpy(&x, e + 2 * i, 2);
    GIVE(cl_float, (cl_float)(clfold_half_to_double(x) *
                              clfold_half_to_double(halves[STREAM_LAG + i])));
}
LOAD(load_bytes)
{
    GIVE(cl_ulong, (cl_ulong)bytes[STREAM_LAG + i] * u32_of(e, i));
}
LOAD(load_place)
{
    GIVE(struct place, { i, u32_of(e, i) % 100, 0 });
}
LOAD(load_truth)
{
    GIVE(cl_uchar, f32_of(e, i) > 3);
}
LOAD(load_table)
{
    GIVE(cl_uint, table[u32_of(e, i) & 15]);
}
LOAD(load_ratio)
{
    GIVE(cl_uint, 1000000 / (u32_of(e, i) + 1));
}
LOAD(load_positive)
{
    GIVE(cl_uint, f32_of(e, i) > 0);
}
LOAD(load_next)
{
    GIVE(cl_uint, u32_of(e, i) + 1);
}

static const cl_ulong zero;
static const cl_uint one_0[2] = { 1, 0 };

/* ---- The folds --------------------------------------------------------------------- */

#define REAL .is_real = true, .least = 0, .most = 4
#define U32  .size = 4, .identity = &zero, .combine = add_u32
#define U64  .size = 8, .identity = &zero, .combine = add_u64

static const struct subject subjects[] = {
    { .fold = { .name = "dot",
                .op = CLFOLD_ADD,
                .type = CLFOLD_F32,
                .load = "x * y",
                .args = args,
                .num_args = 1 },
      .size = 4,
      .identity = &zero,
      .combine = add_f32,
      .load = load_dot,
      REAL },
    { .fold = { .name = "count by a predicate",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U64,
                .in = CLFOLD_F32,
                .load = "to_u64(x > 1 ? 1 : 0)" },
      U64,
      .in_size = 4,
      .load = load_count,
      REAL },
    { .fold = { .name = "squares of indices",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U64,
                .load = "i * i" },
      U64,
      .load = load_square },
    { .fold = { .name = "what is left",
                .op = CLFOLD_MAX,
                .type = CLFOLD_U64,
                .in = CLFOLD_U8,
                .load = "n - i" },
      .size = 8,
      .in_size = 1,
      .word = 1,
      .identity = &zero,
      .combine = most_u64,
      .load = load_rest },
    { .fold = { .name = "three points",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .load = CLFOLD_HERE "(i > 0 ? in[i - 1] : 0) + 2 * x +\n"
                                    "(i + 1 < n ? in[i + 1] : 0)" },
      U32,
      .load = load_three,
      .reads_others = true,
      .most = UINT32_MAX },
    { .fold = { .name = "five points",
                .combine = "a + b",
                .identity = "0",
                .type = CLFOLD_U32,
                .flags = CLFOLD_COMMUTATIVE,
                .source = "#define AT(k) ((k) < n ? in[k] : 0)\n",
                .load = "x * 4 - AT(i - 1) - AT(i + 1) - AT(i - 7) - AT(i + 7)" },
      U32,
      .load = load_five,
      .reads_others = true,
      .most = UINT32_MAX },
    { .fold = { .name = "hash",
                .in = CLFOLD_U8,
                .components = "uint a; uint b",
                .combine = "{ a.a * b.a, a.b * b.a + b.b }",
                .identity = "{ 1, 0 }",
                .load = "{ factor, to_u32(x) }",
                .args = args + 1,
                .num_args = 1 },
      .size = 8,
      .in_size = 1,
      .identity = one_0,
      .combine = combine_affine,
      .load = load_hash,
      .word = 1,
      .most = 255 },
    { .fold = { .name = "colours",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .in = CLFOLD_U8,
                .in_scalars = 3,
                .load = "to_u32(x.x) + 3 * to_u32(x.y) + 7 * to_u32(x.z)" },
      U32,
      .in_size = 3,
      .load = load_colour,
      .word = 1,
      .most = 255 },
    { .fold = { .name = "pairs without a load",
                .in = CLFOLD_U8,
                .in_scalars = 2,
                .components = "uint a; uint b",
                .combine = "{ a.a * b.a, a.b * b.a + b.b }" },
      .size = 8,
      .in_size = 2,
      .combine = combine_affine,
      .load = load_pair,
      .word = 1,
      .most = 255 },
    { .fold = { .name = "built-in tuple",
                .op = CLFOLD_AFFINE,
                .type = CLFOLD_U32,
                .load = "{ x.b, x.a + 1 }" },
      .size = 8,
      .identity = one_0,
      .combine = combine_affine,
      .load = load_tuple,
      .most = UINT32_MAX },
    { .fold = { .name = "struct",
                .components = "ulong sum; uint last",
                .combine = "{ a.sum + b.sum, b.last }",
                .identity = NULL,
                .load = "{ x.sum + x.last, x.last * 2 }" },
      .size = 16,
      .combine = combine_padded,
      .same = same_padded,
      .load = load_mixed,
      .most = UINT32_MAX },
    { .fold = { .name = "opaque",
                .in = CLFOLD_U8,
                .type_name = "map",
                .type_size = 8,
                .source = CLFOLD_HERE "typedef struct { uint a, b; } map;\n"
                                      "map join(map a, map b)\n{\n"
                                      "    map c = { a.a * b.a, a.b * b.a + b.b };\n"
                                      "    return c;\n}\n"
                                      "map of(uint a, uint b)\n{\n"
                                      "    map c = { a, b };\n    return c;\n}\n",
                .combine = "join(a, b)",
                .load = "of(factor, x)",
                .args = args + 1,
                .num_args = 1 },
      .size = 8,
      .in_size = 1,
      .combine = combine_affine,
      .load = load_hash,
      .word = 1,
      .most = 255 },
    { .fold = { .name = "halves",
                .op = CLFOLD_ADD,
                .type = CLFOLD_F32,
                .in = CLFOLD_F16,
                .load = "x * h",
                .args = args + 2,
                .num_args = 1 },
      .size = 4,
      .in_size = 2,
      .identity = &zero,
      .combine = add_f32,
      .load = load_half,
      .word = 2,
      .least = 0x6400, /* 1024 to 1027 */
      .most = 0x6403 },
    { .fold = { .name = "bytes of a stream",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U64,
                .in = CLFOLD_U32,
                .load = "to_u64(w) * to_u64(x)",
                .args = args + 3,
                .num_args = 1 },
      U64,
      .in_size = 4,
      .load = load_bytes,
      .most = UINT32_MAX },
    { .fold = { .name = "place of the greatest",
                .op = CLFOLD_ARG_MAX,
                .type = CLFOLD_U32,
                .load = "x % 100" },
      .size = 16,
      .in_size = 4,
      .combine = combine_place,
      .same = same_place,
      .load = load_place,
      .most = UINT32_MAX },
    { .fold = { .name = "any above 3",
                .op = CLFOLD_LOGICAL_OR,
                .type = CLFOLD_U8,
                .in = CLFOLD_F32,
                .load = "to_u8(x > 3 ? 1 : 0)" },
      .size = 1,
      .in_size = 4,
      .identity = &zero,
      .combine = or_u8,
      .load = load_truth,
      REAL },
    { .fold = { .name = "table",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .load = "table[x & 15]",
                .args = args + 4,
                .num_args = 1 },
      U32,
      .load = load_table,
      .most = UINT32_MAX },
    { .fold = { .name = "ratio",
                .op = CLFOLD_ADD,
                .type = CLFOLD_U32,
                .load = "1000000 / (x + 1)",
                .flags = CLFOLD_PARTIAL },
      U32,
      .load = load_ratio,
      .most = 1000 },
    { .fold = { .name = "relation as a number",
                .op = CLFOLD_ADD,
                .type = CLFOLD_I32,
                .in = CLFOLD_F32,
                .load = "x > 0" },
      U32,
      .load = load_positive,
      .differs = true,
      REAL },
    { .fold = { .name = "scalar by text",
                .type = CLFOLD_U32,
                .combine = "a + b",
                .load = "x + 1" },
      .size = 4,
      .combine = add_u32,
      .load = load_next,
      .most = UINT32_MAX },
};
#define NUM_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

static void test_subject(void **state)
{
    size_t which = (size_t)(uintptr_t)*state;

    ways_check(&subjects[which], (unsigned)which);
}

static void test_segments(void **state)
{
    size_t which = (size_t)(uintptr_t)*state;

    /* In segments Intel's compiler takes minutes for the one without a load. */
    if (!subjects[which].fold.load) {
        skip();
    }
    ways_check_segments(&subjects[which], (unsigned)which);
}

/* ---- What is rejected, and said ---------------------------------------------------- */

static cl_mem in, out, stream;

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

static void test_rejected(void **state)
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
    rejects(CLFOLD_ERROR_ARGUMENT, "args belongs to", scan(&fold, in, out, 16));
    fold =
        (clfold_fold){ .type = CLFOLD_F32, .combine = "a + b", .args = y, .num_args = 1 };
    rejects(CLFOLD_ERROR_ARGUMENT, "y is a stream, which only a load, a result and",
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
            const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .num = o };
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

/* ---- The tests --------------------------------------------------------------------- */

static int set_up(void **state)
{
    if (open_context(state)) {
        return -1;
    }
    for (size_t i = 0; i < NUM + STREAM_LAG; ++i) {
        reals[i] = (cl_float)(i * 7 % 5);
        bytes[i] = (cl_uchar)(i * i % 251);
        halves[i] = i % 3 ? 0x3c00 : 0x4000; /* 1, 2 */
    }
    for (cl_uint i = 0; i < 16; ++i) {
        table[i] = i * i + 1;
    }
    in = copied_buffer(reals, 512);
    out = copied_buffer(reals, 512);
    stream = copied_buffer(reals, 256);
    const clfold_arg all[] = {
        CLFOLD_STREAM(CLFOLD_F32, y, copied_buffer(reals, sizeof(reals)), STREAM_LAG),
        CLFOLD_VALUE("uint", factor, factor),
        CLFOLD_STREAM(CLFOLD_F16, h, copied_buffer(halves, sizeof(halves)), STREAM_LAG),
        CLFOLD_STREAM(CLFOLD_U8, w, copied_buffer(bytes, sizeof(bytes)), STREAM_LAG),
        CLFOLD_BUFFER("global const uint *", table, copied_buffer(table, sizeof(table))),
    };
    memcpy(args, all, sizeof(all));
    return 0;
}

static int tear_down(void **state)
{
    for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); ++i) {
        if (args[i].mem) {
            clReleaseMemObject(args[i].mem);
        }
    }
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseMemObject(stream);
    return close_context(state);
}

/* The loads of even numbers, of odd ones, all in segments, or all; or tests by a
 * pattern of names. */
int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    const bool is_even = strcmp(part, "even") == 0, is_odd = strcmp(part, "odd") == 0;
    const bool in_segments = strcmp(part, "segments") == 0;
    struct CMUnitTest tests[NUM_SUBJECTS + 2];

    tests[0] = (struct CMUnitTest)cmocka_unit_test(test_rejected);
    tests[1] = (struct CMUnitTest)cmocka_unit_test(test_report);
    for (size_t i = 0; i < NUM_SUBJECTS; ++i) {
        const bool is_out = (is_even && i % 2 == 1) || (is_odd && i % 2 == 0);
        tests[2 + i] =
            (struct CMUnitTest){ .name = is_out ? "left out" : subjects[i].fold.name,
                                 .test_func = in_segments ? test_segments : test_subject,
                                 .initial_state = (void *)(uintptr_t)i };
    }
    if (is_even || is_odd) {
        cmocka_set_skip_filter("left out");
    } else if (argc > 1 + in_segments) {
        cmocka_set_test_filter(argv[1 + in_segments]);
    }
    return cmocka_run_group_tests_name("loads", tests, set_up, tear_down);
}
