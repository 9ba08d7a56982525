/*
 * Results: what is written is made of the item, the one before it, the element, its
 * index, streams and arguments; into another type or number of scalars, or scattered; and
 * maps. By built-in operators and the caller's, in every operation, by every algorithm,
 * on every tile, against a loop on the host. All are exact.
 */
#include "ways.h"
#include "host_ops.h"
#include "one_context.h"
#include "test.h"

#include "base/half.h"

/* ---- Operators on the host --------------------------------------------------------- */

static void combine_int(void *out, const void *a, const void *b)
{
    cl_int x, y;

    memcpy(&x, a, 4);
    memcpy(&y, b, 4);
    x = x > y ? x : y;
    memcpy(out, &x, 4);
}

/* ---- What is written --------------------------------------------------------------- */

#define NUM 5000 /* elements at most */

static cl_float reals[NUM];
static const cl_uint factor = 31;
static clfold_arg args[2];

static void load_affine(void *out, const unsigned char *e, size_t i, size_t n)
{
    const cl_uint r[2] = { factor, e[i] };

    (void)n;
    memcpy(out, r, sizeof(r));
}

static void load_byte(void *out, const unsigned char *e, size_t i, size_t n)
{
    const cl_float x = e[i];

    (void)n;
    memcpy(out, &x, sizeof(x));
}

static void load_square(void *out, const unsigned char *e, size_t i, size_t n)
{
    const cl_float x = f32_of(e, i) * f32_of(e, i);

    (void)n;
    memcpy(out, &x, sizeof(x));
}

#define WRITE(name)                                                                      \
    static void name(void *out, const void *item, const void *prev,                      \
                     const unsigned char *e, size_t i, size_t n)
#define GIVE(type, ...)                                                                  \
    do {                                                                                 \
        const type r = __VA_ARGS__;                                                      \
        (void)item, (void)prev, (void)e, (void)i, (void)n;                               \
        memcpy(out, &r, sizeof(r));                                                      \
    } while (0)

struct two_u32 {
    cl_uint a, b;
};
struct three_u8 {
    cl_uchar a, b, c;
};
struct four_f32 {
    cl_float a, b, c, d;
};

WRITE(write_double)
{
    GIVE(cl_uint, 2 * u32_of(item, 0) + (cl_uint)i);
}
WRITE(write_doubled)
{
    GIVE(cl_float, (cl_float)(u32_of(item, 0) % 32 << 1));
}
WRITE(write_less)
{
    GIVE(cl_float, f32_of(item, 0) - (cl_float)factor);
}
WRITE(write_mean)
{
    GIVE(cl_float, f32_of(item, 0) / (cl_float)(i + 1));
}
WRITE(write_step)
{
    GIVE(cl_uint, u32_of(item, 0) * factor + u32_of(prev, 0));
}
WRITE(write_second)
{
    GIVE(cl_uint, u32_of(item, 1));
}
WRITE(write_swapped)
{
    GIVE(struct two_u32, { u32_of(item, 1) ^ (cl_uint)n, u32_of(item, 0) });
}
WRITE(write_both)
{
    GIVE(struct two_u32, { u32_of(item, 1) ^ u32_of(e, 2 * i), u32_of(prev, 0) });
}
WRITE(write_byte)
{
    GIVE(cl_uchar, (cl_uchar)u32_of(item, 0));
}
WRITE(write_wide)
{
    GIVE(cl_ulong, u32_of(item, 0));
}
WRITE(write_half)
{
    GIVE(cl_half, clfold_double_to_half(f32_of(item, 0)));
}
WRITE(write_bytes)
{
    GIVE(struct three_u8, { (cl_uchar)u32_of(item, 0), (cl_uchar)(u32_of(item, 0) >> 8),
                            (cl_uchar)u32_of(e, i) });
}
WRITE(write_four)
{
    GIVE(struct four_f32, { f32_of(item, 0), f32_of(prev, 0), f32_of(e, i), reals[i] });
}
WRITE(write_others)
{
    GIVE(cl_uint, u32_of(item, 0) - (i > 0 ? u32_of(e, i - 1) : 0));
}
WRITE(write_last)
{
    const struct padded *x = item;

    GIVE(cl_uint, x->last + (cl_uint)x->sum);
}
WRITE(write_mixed)
{
    const struct padded *x = item, *y = prev;
    struct padded r = { x->sum - y->sum, x->last + y->last };

    (void)e, (void)i, (void)n;
    memset(out, 0, sizeof(r));
    memcpy(out, &r, sizeof(r));
}
WRITE(write_flag)
{
    GIVE(cl_uchar, f32_of(item, 0) > 40);
}
WRITE(write_dot)
{
    GIVE(cl_float, f32_of(item, 0) * reals[i]);
}
WRITE(write_signed)
{
    GIVE(cl_long, (cl_int)u32_of(item, 0));
}
WRITE(write_words)
{
    GIVE(cl_uint, u32_of(item, 0) + u32_of(item, 3));
}

static void combine_words(void *out, const void *a, const void *b)
{
    cl_uint r[4];

    r[0] = u32_of(a, 0) * u32_of(b, 0);
    for (size_t k = 1; k < 4; ++k) {
        r[k] = u32_of(a, k) * u32_of(b, 0) + u32_of(b, k);
    }
    memcpy(out, r, sizeof(r));
}

static size_t place_back(size_t i, size_t n)
{
    return n - 1 - i;
}

/* ---- The folds --------------------------------------------------------------------- */

static const cl_uint zero_u32, one_0[2] = { 1, 0 };
static const cl_float zero_f32;
static const cl_int least_i32 = INT32_MIN;
static const struct padded nothing;

#define STREAM .args = args, .num_args = 1
#define FACTOR .args = args + 1, .num_args = 1
#define SUM    .op = CLFOLD_ADD, .type = CLFOLD_U32
#define SUMS   .size = 4, .identity = &zero_u32, .combine = add_u32, .most = UINT32_MAX
#define REALS                                                                            \
    .size = 4, .identity = &zero_f32, .combine = add_f32, .most = 5, .is_real = true
#define PAIRS(names)                                                                     \
    .components = names, .combine = "{ a.a * b.a, a.b * b.a + b.b }",                    \
    .identity = "{ 1, 0 }"

static const struct subject subjects[] = {
    { .fold = { .name = "own type", SUM, .result = "2 * item + to_u32(i)" },
      SUMS,
      .write = write_double },
    { .fold = { .name = "running mean",
                .op = CLFOLD_ADD,
                .type = CLFOLD_F32,
                .result = "item / to_f32(i + 1)" },
      REALS,
      .write = write_mean },
    { .fold = { .name = "step", SUM, .result = "item * factor + prev", FACTOR },
      SUMS,
      .write = write_step,
      .writes_of_element = true },
    { .fold = { .name = "second of two",
                PAIRS("uint a; uint b"),
                .in = CLFOLD_U8,
                .load = "{ factor, to_u32(x) }",
                .out = CLFOLD_U32,
                .result = "item.b",
                FACTOR },
      .size = 8,
      .in_size = 1,
      .word = 1,
      .most = 255,
      .identity = one_0,
      .combine = combine_affine,
      .load = load_affine,
      .write = write_second,
      .out_size = 4 },
    { .fold = { .name = "swapped",
                PAIRS("uint a, b"),
                .result = "{ item.b ^ to_u32(n), "
                          "item.a }" },
      .size = 8,
      .identity = one_0,
      .combine = combine_affine,
      .most = UINT32_MAX,
      .write = write_swapped },
    { .fold = { .name = "bytes of sums", SUM, .out = CLFOLD_U8 },
      SUMS,
      .write = write_byte,
      .out_size = 1 },
    { .fold = { .name = "wide sums", SUM, .out = CLFOLD_U64 },
      SUMS,
      .write = write_wide,
      .out_size = 8 },
    { .fold = { .name = "halves",
                .op = CLFOLD_ADD,
                .type = CLFOLD_F32,
                .load = "x * x",
                .out = CLFOLD_F16,
                .result = "item" },
      REALS,
      .load = load_square,
      .write = write_half,
      .out_size = 2 },
    { .fold = { .name = "three bytes",
                SUM,
                .out = CLFOLD_U8,
                .out_scalars = 3,
                .result =
                    "{ to_u8(item & 255), to_u8(item >> 8 & 255), to_u8(x & 255) }" },
      SUMS,
      .write = write_bytes,
      .out_size = 3,
      .writes_of_element = true },
    { .fold = { .name = "four of all",
                .op = CLFOLD_ADD,
                .type = CLFOLD_F32,
                .out_scalars = 4,
                .result = "{ item, prev, x, y }",
                STREAM },
      REALS,
      .write = write_four,
      .out_size = 16,
      .writes_of_element = true },
    { .fold = { .name = "neighbour", SUM, .result = "item - (i > 0 ? in[i - 1] : 0)" },
      SUMS,
      .write = write_others,
      .reads_others = true,
      .writes_of_element = true },
    { .fold = { .name = "struct to scalar",
                .components = "ulong sum; uint last",
                .combine = "{ a.sum + b.sum, b.last }",
                .identity = "{ 0, 0 }",
                .out = CLFOLD_U32,
                .result = "item.last + to_u32(item.sum)" },
      .size = sizeof(struct padded),
      .identity = &nothing,
      .combine = combine_padded,
      .most = 1000,
      .same = same_padded,
      .write = write_last,
      .out_size = 4 },
    { .fold = { .name = "struct to struct",
                .components = "ulong sum; uint last",
                .combine = "{ a.sum + b.sum, b.last }",
                .identity = "{ 0, 0 }",
                .result = "{ item.sum - prev.sum, item.last + prev.last }" },
      .size = sizeof(struct padded),
      .identity = &nothing,
      .combine = combine_padded,
      .most = 1000,
      .same = same_padded,
      .write = write_mixed,
      .writes_of_element = true },
    { .fold = { .name = "signed",
                .op = CLFOLD_MAX,
                .type = CLFOLD_I32,
                .out = CLFOLD_I64 },
      .size = 4,
      .identity = &least_i32,
      .combine = combine_int,
      .most = UINT32_MAX,
      .write = write_signed,
      .out_size = 8 },
    { .fold = { .name = "opaque",
                .type_name = "struct words",
                .type_size = 16,
                .source = "struct words { uint x[4]; };\n"
                          "struct words join(struct words a, struct words b)\n{\n"
                          "    for (int k = 1; k < 4; ++k)\n"
                          "        a.x[k] = a.x[k] * b.x[0] + b.x[k];\n"
                          "    a.x[0] *= b.x[0];\n    return a;\n}\n",
                .combine = "join(a, b)",
                .out = CLFOLD_U32,
                .result = "item.x[0] + item.x[3]" },
      .size = 16,
      .combine = combine_words,
      .most = UINT32_MAX,
      .write = write_words,
      .out_size = 4 },
    { .fold = { .name = "before pairs",
                PAIRS("uint a, b"),
                .result = "{ item.b ^ x.a, prev.a }" },
      .size = 8,
      .identity = one_0,
      .combine = combine_affine,
      .most = UINT32_MAX,
      .write = write_both,
      .writes_of_element = true },
    { .fold = { .name = "backwards",
                SUM,
                .store = "if (n > 0)\n    out[n - 1 - i] = item;" },
      SUMS,
      .reads_others = true,
      .place = place_back,
      .writes_of_element = true },
    { .fold = { .name = "map", .type = CLFOLD_U32, .result = "2 * x + to_u32(i)" },
      .size = 4,
      .most = UINT32_MAX,
      .is_map = true,
      .write = write_double },
    { .fold = { .name = "map with prev",
                .type = CLFOLD_U32,
                .result = "item + prev + to_u32(i)" },
      .size = 4,
      .most = UINT32_MAX,
      .is_map = true,
      .write = write_double },
    { .fold = { .name = "map to flags",
                .type = CLFOLD_F32,
                .out = CLFOLD_U8,
                .load = "x * x",
                .result = "to_u8(item > 40 ? 1 : 0)" },
      .size = 4,
      .most = 20,
      .is_real = true,
      .is_map = true,
      .load = load_square,
      .write = write_flag,
      .out_size = 1 },
    { .fold = { .name = "map of streams",
                .type = CLFOLD_F32,
                .result = "item * y",
                STREAM },
      .size = 4,
      .most = 20,
      .is_real = true,
      .is_map = true,
      .write = write_dot },
    { .fold = { .name = "map of pairs",
                .components = "uint a, b",
                .result = "{ item.b ^ to_u32(n), item.a }" },
      .size = 8,
      .most = UINT32_MAX,
      .is_map = true,
      .write = write_swapped },
    { .fold = { .name = "map backwards",
                .type = CLFOLD_U32,
                .store = "out[n - 1 - i] = item;" },
      .size = 4,
      .most = UINT32_MAX,
      .is_map = true,
      .reads_others = true,
      .place = place_back },
    { .fold = { .name = "converted mean",
                SUM,
                .out = CLFOLD_F32,
                .result = "(item % 32u) << 1" },
      SUMS,
      .write = write_doubled,
      .out_size = 4 },
    { .fold = { .name = "map with an argument",
                .type = CLFOLD_F32,
                .in = CLFOLD_U8,
                .load = "x",
                .result = "item - to_f32(factor)",
                FACTOR },
      .size = 4,
      .in_size = 1,
      .most = 255,
      .is_real = true,
      .is_map = true,
      .load = load_byte,
      .write = write_less },
    { .fold = { .name = "conversion", .type = CLFOLD_U32, .out = CLFOLD_U64 },
      .size = 4,
      .most = UINT32_MAX,
      .is_map = true,
      .write = write_wide,
      .out_size = 8 },
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

    if (subjects[which].is_map) {
        skip();
    }
    ways_check_segment_scans(&subjects[which], (unsigned)which);
}

/* ---- What is rejected -------------------------------------------------------------- */

static cl_mem in, out;

static void test_rejected(void **state)
{
    const clfold_segments rows = { .by = CLFOLD_BY_LENGTH, .num = 4 };
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
          { .type = CLFOLD_U32, .segments = &rows },
          CLFOLD_ERROR_ARGUMENT,
          "segments is given" },
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
    if (open_context(state)) {
        return -1;
    }
    for (size_t i = 0; i < NUM; ++i) {
        reals[i] = (cl_float)(i % 7) - 2;
    }
    in = copied_buffer(reals, 512);
    out = copied_buffer(reals, 512);
    const clfold_arg all[] = {
        CLFOLD_STREAM(CLFOLD_F32, y, copied_buffer(reals, sizeof(reals)), 0),
        CLFOLD_VALUE("uint", factor, factor),
    };
    memcpy(args, all, sizeof(all));
    return 0;
}

static int tear_down(void **state)
{
    clReleaseMemObject(args[0].mem);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    return close_context(state);
}

/* All of one segment, all "segments", or tests by a pattern of names. */
int main(int argc, char **argv)
{
    const bool in_segments = argc > 1 && strcmp(argv[1], "segments") == 0;
    struct CMUnitTest tests[NUM_SUBJECTS + 4] = {
        cmocka_unit_test(test_rejected),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_widths),
    };

    for (size_t i = 0; i < NUM_SUBJECTS; ++i) {
        tests[4 + i] =
            (struct CMUnitTest){ .name = subjects[i].fold.name,
                                 .test_func = in_segments ? test_segments : test_subject,
                                 .initial_state = (void *)(uintptr_t)i };
    }
    if (argc > 1 + in_segments) {
        cmocka_set_test_filter(argv[1 + in_segments]);
    }
    return cmocka_run_group_tests_name("results", tests, set_up, tear_down);
}
