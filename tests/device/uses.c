/*
 * What scans are good for: the applications that Blelloch lists in "Prefix Sums and Their
 * Applications" (1990), each a short case next to a loop on the host. Integers must be
 * equal; floats have a tolerance of their own, stated where it is used.
 */
#include "../../tools/clfold/random.h"
#include "one_context.h"
#include "test.h"

#include <inttypes.h>
#include <math.h>

#define MOST 100003

/* Many tiles with a rest, and in another program a part of a tile, two elements, and one.
 * A driver changes nothing of these, so they run on PoCL. */
static const size_t sizes[] = { MOST, 1000, 2, 1 };

static uint64_t seed;

static cl_uint draw(void)
{
    return (cl_uint)next_random(&seed);
}

/* From -1 to 1. */
static cl_float draw_real(void)
{
    return (cl_float)((double)(next_random(&seed) >> 40) * 0x1p-23 - 1);
}

/* Buffers of the case that runs; released after it. */
static cl_mem uploads[8];
static size_t num_uploads;

static cl_mem upload(const void *data, size_t bytes)
{
    return uploads[num_uploads++] = copied_buffer(data, bytes);
}

static void release_uploads(void)
{
    while (num_uploads > 0) {
        clReleaseMemObject(uploads[--num_uploads]);
    }
}

/* Results of `size` bytes: one of a reduction, `num` of a scan. Texts that cannot run on
 * vectors would go unnoticed otherwise. */
static void run(clfold_operation operation, const clfold_fold *fold, cl_mem in,
                size_t num, void *results, size_t size)
{
    const size_t bytes = (operation == CLFOLD_REDUCE ? 1 : num) * size;
    cl_mem out = coloured_buffer(bytes);
    clfold_report report;

    assert_ok(call_operation(operation, fold, in, 0, out, 0, num));
    assert_int_equal(
        clEnqueueReadBuffer(device.queue, out, CL_TRUE, 0, bytes, results, 0, NULL, NULL),
        CL_SUCCESS);
    clReleaseMemObject(out);
    assert_ok(clfold_explain(ctx, operation, fold, num, NULL, &report));
    if (report.widths == CLFOLD_WIDTHS_DIFFER) {
        fail_msg("%s", report.reason);
    }
}

static void check(size_t i, int64_t found, int64_t expected)
{
    if (found != expected) {
        fail_msg("result %zu is %" PRId64 ", not %" PRId64, i, found, expected);
    }
}

static void check_real(size_t i, double found, double expected, double error)
{
    if (!(fabs(found - expected) <= error)) {
        fail_msg("result %zu is %.9g, not %.9g", i, found, expected);
    }
}

/* ---- Text -------------------------------------------------------------------------- */

/* The first difference decides. */
static void compare_strings(size_t num)
{
    static cl_uchar a[MOST], b[MOST];
    cl_int found;

    for (size_t i = 0; i < num; ++i) {
        a[i] = b[i] = (cl_uchar)draw();
    }
    for (int num_changes = 0; num_changes < 4; ++num_changes) {
        const clfold_arg y = CLFOLD_STREAM(CLFOLD_U8, y, upload(b, num), 0);
        const clfold_fold first = { .type = CLFOLD_I32,
                                    .in = CLFOLD_U8,
                                    .load = "to_i32(x) - to_i32(y)",
                                    .combine = "pick(truth(a), a, b)",
                                    .identity = "0",
                                    .args = &y,
                                    .num_args = 1 };
        const int expected = memcmp(a, b, num);
        run(CLFOLD_REDUCE, &first, upload(a, num), num, &found, sizeof(found));
        assert_int_equal((found > 0) - (found < 0), (expected > 0) - (expected < 0));
        release_uploads();
        b[(uint64_t)draw() * num >> 32] += 77;
    }
}

/* Where a match of ab*c ends. A letter is a function on three states, a byte for each:
 * 0 outside, 1 after ab*, 2 after ab*c. */
static void match_expression(size_t num)
{
    static const cl_uint states[] = { 0x010101, 0x000100, 0x000200, 0 }; /* a, b, c, d */
    static const cl_uchar letters[] = "abbbbbcd";
    static cl_uchar text[MOST];
    static cl_uint found[MOST];
    const clfold_arg functions =
        CLFOLD_BUFFER("global const uint *", functions, upload(states, sizeof(states)));
    const clfold_fold composition = { .type = CLFOLD_U32,
                                      .in = CLFOLD_U8,
                                      .load = "functions[x - 'a']",
                                      .combine =
                                          "(b >> (a & 255) * 8 & 255) |\n"
                                          "(b >> (a >> 8 & 255) * 8 & 255) << 8 |\n"
                                          "(b >> (a >> 16 & 255) * 8 & 255) << 16",
                                      .identity = "0x020100",
                                      .flags = CLFOLD_PARTIAL, /* the table is short */
                                      .args = &functions,
                                      .num_args = 1 };
    bool is_inside = false;

    for (size_t i = 0; i < num; ++i) {
        text[i] = letters[draw() % 8];
    }
    run(CLFOLD_INCLUSIVE_SCAN, &composition, upload(text, num), num, found, 4);
    for (size_t i = 0; i < num; ++i) {
        const bool is_match = text[i] == 'c' && is_inside;
        is_inside = text[i] == 'a' || (text[i] == 'b' && is_inside);
        check(i, found[i] & 255, is_match ? 2 : is_inside);
    }
}

/* Of a tree's nodes, by its Euler tour: one step down for each bracket that opens. */
static void find_depths(size_t num)
{
    static cl_uchar tour[MOST];
    static cl_int found[MOST];
    const clfold_fold depth = { .op = CLFOLD_ADD,
                                .type = CLFOLD_I32,
                                .in = CLFOLD_U8,
                                .load = "to_i32(x) == '(' ? 1 : -1" };
    cl_int expected = 0;

    for (size_t i = 0; i < num; ++i) {
        tour[i] = expected == 0 || draw() % 2 ? '(' : ')';
        expected += tour[i] == '(' ? 1 : -1;
    }
    run(CLFOLD_INCLUSIVE_SCAN, &depth, upload(tour, num), num, found, 4);
    expected = 0;
    for (size_t i = 0; i < num; ++i) {
        expected += tour[i] == '(' ? 1 : -1;
        check(i, found[i], expected);
    }
}

/* ---- Numbers ----------------------------------------------------------------------- */

/* Of integers of `num` words, the lowest first. A word kills a carry, 0, passes it on, 1,
 * or makes one, 2. */
static void add_integers(size_t num)
{
    static cl_uint a[MOST], b[MOST], found[MOST];
    cl_ulong sum = 0;

    for (size_t i = 0; i < num; ++i) {
        a[i] = draw();
        b[i] = draw() % 64 ? ~a[i] : draw() % 2 * draw(); /* carries go far */
    }
    const clfold_arg y = CLFOLD_STREAM(CLFOLD_U32, y, upload(b, num * 4), 0);
    const clfold_fold carries = {
        .type = CLFOLD_U32,
        .load = "to_u32(x + y < x ? 2 : x + y == 0xffffffff ? 1 : 0)",
        .combine = "pick(b == 1, a, b)",
        .identity = "1",
        .args = &y,
        .num_args = 1
    };
    run(CLFOLD_EXCLUSIVE_SCAN, &carries, upload(a, num * 4), num, found, 4);
    for (size_t i = 0; i < num; ++i) {
        sum = (sum >> 32) + a[i] + b[i];
        check(i, (cl_uint)(a[i] + b[i] + (found[i] == 2)), (cl_uint)sum);
    }
}

/* By Horner's rule, as maps y -> v y + c; and as a dot product with the powers of v, all
 * modulo 2^32. The coefficient of the highest power comes first. */
static void evaluate_polynomial(size_t num)
{
    static cl_uint coefficients[MOST], powers[MOST];
    const cl_uint v = draw() | 1;
    cl_uint horner[2], dot, expected = 0;

    for (size_t i = 0; i < num; ++i) {
        coefficients[i] = draw();
        expected = expected * v + coefficients[i];
    }
    const cl_mem in = upload(coefficients, num * 4);
    const clfold_arg value = CLFOLD_VALUE("uint", v, v);
    clfold_fold fold = { .op = CLFOLD_AFFINE,
                         .type = CLFOLD_U32,
                         .in = CLFOLD_U32,
                         .load = "{ v, x }",
                         .args = &value,
                         .num_args = 1 };
    run(CLFOLD_REDUCE, &fold, in, num, horner, sizeof(horner));
    check(0, horner[1], expected);

    fold.op = CLFOLD_MUL;
    fold.load = "v";
    run(CLFOLD_EXCLUSIVE_SCAN, &fold, NULL, num, powers, 4);
    const clfold_arg table =
        CLFOLD_BUFFER("global const uint *", powers, upload(powers, num * 4));
    fold.op = CLFOLD_ADD;
    fold.load = "x * powers[n - 1 - i]";
    fold.flags = CLFOLD_PARTIAL; /* of n and i */
    fold.args = &table;
    run(CLFOLD_REDUCE, &fold, in, num, &dot, 4);
    check(1, dot, expected);
}

/* x[i] = a[i] x[i - 1] + b[i] as maps, and x[i] = a[i] x[i - 1] + b[i] x[i - 2], whose
 * last two terms are a row that a matrix moves on:
 *
 *     (x[i - 1] x[i - 2])  a[i] 1  =  (x[i] x[i - 1])
 *                          b[i] 0
 */
static void solve_recurrences(size_t num)
{
    static cl_uint a[MOST], b[MOST], first[MOST][2], second[MOST][4];
    const cl_uint map[2] = { 0, draw() }, row[4] = { draw(), draw(), 0, 0 };
    cl_uint x = map[1], newer = row[0], older = row[1];

    for (size_t i = 0; i < num; ++i) {
        a[i] = draw() | 1;
        b[i] = draw();
    }
    const cl_mem in = upload(a, num * 4);
    const clfold_arg y = CLFOLD_STREAM(CLFOLD_U32, y, upload(b, num * 4), 0);
    clfold_fold fold = { .op = CLFOLD_AFFINE,
                         .type = CLFOLD_U32,
                         .in = CLFOLD_U32,
                         .load = "{ x, y }",
                         .init = map,
                         .init_size = sizeof(map),
                         .args = &y,
                         .num_args = 1 };
    run(CLFOLD_INCLUSIVE_SCAN, &fold, in, num, first, sizeof(*first));
    fold.op = CLFOLD_MATRIX_2X2;
    fold.load = "{ x, 1, y, 0 }";
    fold.init = row;
    fold.init_size = sizeof(row);
    run(CLFOLD_INCLUSIVE_SCAN, &fold, in, num, second, sizeof(*second));
    for (size_t i = 0; i < num; ++i) {
        const cl_uint newest = a[i] * newer + b[i] * older;
        older = newer;
        newer = newest;
        x = a[i] * x + b[i];
        check(i, first[i][1], x);
        check(i, second[i][0], newest);
    }
}

/* ---- A tridiagonal system ---------------------------------------------------------- */

/* lower[i] x[i - 1] + middle[i] x[i] + upper[i] x[i + 1] = right[i] */
static cl_float lower[MOST], middle[MOST], upper[MOST], right[MOST];

/* pivots[i + 1] = p[i] / p[i - 1], where the determinants p[i] = middle[i] p[i - 1] -
 * lower[i] upper[i - 1] p[i - 2] are a recurrence as above. They overflow, and only their
 * ratio counts, so each product is divided by its greatest entry. */
static void find_pivots(size_t num, cl_float *pivots)
{
    static cl_float products[MOST][4];
    const clfold_arg args[] = {
        CLFOLD_STREAM(CLFOLD_F32, lower, upload(lower, num * 4), 0),
        CLFOLD_STREAM(CLFOLD_F32, middle, upload(middle, num * 4), 0)
    };
    const clfold_fold determinants = {
        .type_name = "float4",
        .type_size = 16,
        .source = "float4 times(float4 a, float4 b)\n{\n"
                  "    float4 c = a.xxzz * b.xyxy + a.yyww * b.zwzw, d = fabs(c);\n"
                  "    return c / fmax(fmax(d.x, d.y), fmax(d.z, d.w));\n}\n",
        .combine = "times(a, b)",
        .in = CLFOLD_F32,
        .in_scalars = 1,
        .load = "(float4)(middle, 1, i > 0 ? -lower * in[i - 1] : 0, 0)",
        .args = args,
        .num_args = 2
    };

    run(CLFOLD_INCLUSIVE_SCAN, &determinants, upload(upper, num * 4), num, products, 16);
    pivots[0] = 1;
    for (size_t i = 0; i < num; ++i) {
        pivots[i + 1] = products[i][0] / products[i][1];
    }
}

/* x from the pivots: forwards, and with `i` counted from the end backwards. */
static void substitute(size_t num, const cl_float *pivots, cl_float (*x)[2])
{
    static cl_float y[MOST][2];
    const cl_mem by = upload(pivots, (num + 1) * 4);
    const clfold_arg forwards[] = { CLFOLD_STREAM(CLFOLD_F32, l, upload(lower, num * 4),
                                                  0),
                                    CLFOLD_STREAM(CLFOLD_F32, before, by, 0) };
    clfold_fold fold = { .op = CLFOLD_AFFINE,
                         .type = CLFOLD_F32,
                         .in = CLFOLD_F32,
                         .load = "{ -l / before, x }",
                         .args = forwards,
                         .num_args = 2 };

    run(CLFOLD_INCLUSIVE_SCAN, &fold, upload(right, num * 4), num, y, sizeof(*y));
    const clfold_arg backwards[] = {
        CLFOLD_BUFFER("global const float *", upper, upload(upper, num * 4)),
        CLFOLD_BUFFER("global const float2 *", y, upload(y, num * 8))
    };
    fold.load = "{ -upper[n - 1 - i] / in[n - i], y[n - 1 - i].y / in[n - i] }";
    fold.flags = CLFOLD_PARTIAL; /* of n and i */
    fold.args = backwards;
    run(CLFOLD_INCLUSIVE_SCAN, &fold, by, num, x, sizeof(*x));
}

/* Without pivoting, next to Thomas' algorithm in double. The middle is at least 1.25
 * times the others together, so |x| is at most 2, and errors fade: 1e-5 is far above
 * those of f32. */
static void solve_tridiagonal(size_t num)
{
    static cl_float pivots[MOST + 1], x[MOST][2];
    static double pivot[MOST], y[MOST];
    double expected = 0;

    for (size_t i = 0; i < num; ++i) {
        lower[i] = i > 0 ? draw_real() : 0;
        upper[i] = i + 1 < num ? draw_real() : 0;
        middle[i] = 3.5f + draw_real();
        right[i] = draw_real();
        const double factor = i > 0 ? (double)lower[i] / pivot[i - 1] : 0;
        pivot[i] = (double)middle[i] - (i > 0 ? factor * (double)upper[i - 1] : 0);
        y[i] = (double)right[i] - (i > 0 ? factor * y[i - 1] : 0);
    }
    find_pivots(num, pivots);
    substitute(num, pivots, x);
    for (size_t i = num; i-- > 0;) {
        expected = (y[i] - (double)upper[i] * expected) / pivot[i];
        check_real(i, (double)x[num - 1 - i][1], expected, 1e-5);
    }
}

/* ---- Places ------------------------------------------------------------------------ */

/* Positions of what is kept; the scatter is the host's. */
static void delete_marked(size_t num)
{
    static cl_uint elements[MOST], places[MOST], kept[MOST];
    const clfold_fold positions = { .op = CLFOLD_ADD,
                                    .type = CLFOLD_U32,
                                    .load = "to_u32(x % 3 == 0 ? 0 : 1)" };
    size_t next = 0;

    for (size_t i = 0; i < num; ++i) {
        elements[i] = draw();
    }
    run(CLFOLD_EXCLUSIVE_SCAN, &positions, upload(elements, num * 4), num, places, 4);
    for (size_t i = 0; i < num; ++i) {
        if (elements[i] % 3 != 0) {
            assert_true(places[i] < num);
            kept[places[i]] = elements[i];
        }
    }
    for (size_t i = 0; i < num; ++i) {
        if (elements[i] % 3 != 0) {
            check(next, kept[next], elements[i]);
            ++next;
        }
    }
}

/* A stable sort of bytes, bit by bit: elements whose bit is 0 go before the others. Next
 * to a sort by counting. */
static void sort_radix(size_t num)
{
    static cl_uint keys[MOST], moved[MOST], zeros[MOST], sorted[MOST];
    size_t first[257] = { 0 };

    for (size_t i = 0; i < num; ++i) {
        keys[i] = (cl_uint)i << 8 | draw() % 256;
        ++first[keys[i] % 256 + 1];
    }
    for (int key = 1; key < 256; ++key) {
        first[key] += first[key - 1];
    }
    for (size_t i = 0; i < num; ++i) {
        sorted[first[keys[i] % 256]++] = keys[i];
    }
    for (cl_uint bit = 0; bit < 8; ++bit) {
        const clfold_arg shift = CLFOLD_VALUE("uint", bit, bit);
        const clfold_fold split = { .op = CLFOLD_ADD,
                                    .type = CLFOLD_U32,
                                    .load = "1 - (x >> bit & 1)",
                                    .args = &shift,
                                    .num_args = 1 };
        run(CLFOLD_EXCLUSIVE_SCAN, &split, upload(keys, num * 4), num, zeros, 4);
        release_uploads();
        const size_t num_zeros = zeros[num - 1] + !(keys[num - 1] >> bit & 1);
        for (size_t i = 0; i < num; ++i) {
            const bool is_zero = !(keys[i] >> bit & 1);
            const size_t place = is_zero ? zeros[i] : num_zeros + i - zeros[i];
            assert_true(place < num);
            moved[place] = keys[i];
        }
        memcpy(keys, moved, num * 4);
    }
    for (size_t i = 0; i < num; ++i) {
        check(i, keys[i], sorted[i]);
    }
}

/* Which element a place belongs to, if each takes 0 to 3: sums say where an element's
 * places begin, and a maximum spreads its number over them. */
static void allot_places(size_t num)
{
    static cl_uint wanted[MOST], begins[MOST], owners[3 * MOST];
    const clfold_fold sum = { .op = CLFOLD_ADD, .type = CLFOLD_U32 };
    const clfold_fold most = { .op = CLFOLD_MAX, .type = CLFOLD_U32 };
    size_t num_places = 0, place = 0;

    for (size_t i = 0; i < num; ++i) {
        wanted[i] = i == 0 ? 2 : draw() % 4;
        num_places += wanted[i];
    }
    run(CLFOLD_EXCLUSIVE_SCAN, &sum, upload(wanted, num * 4), num, begins, 4);
    memset(owners, 0, sizeof(owners));
    for (size_t i = 0; i < num; ++i) {
        if (wanted[i] > 0) {
            assert_true(begins[i] < num_places);
            owners[begins[i]] = (cl_uint)i;
        }
    }
    run(CLFOLD_INCLUSIVE_SCAN, &most, upload(owners, num_places * 4), num_places, owners,
        4);
    for (size_t i = 0; i < num; ++i) {
        for (cl_uint k = 0; k < wanted[i]; ++k, ++place) {
            check(place, owners[place], (int64_t)i);
        }
    }
}

/* Runs of equal neighbours, counted from 0. */
static void number_segments(size_t num)
{
    static cl_uchar elements[MOST];
    static cl_uint found[MOST];
    const clfold_fold numbers = { .op = CLFOLD_ADD,
                                  .type = CLFOLD_U32,
                                  .in = CLFOLD_U8,
                                  .load = "i > 0 && x != in[i - 1] ? 1 : 0" };
    cl_uint expected = 0;

    for (size_t i = 0; i < num; ++i) {
        elements[i] = (cl_uchar)(draw() % 3);
    }
    run(CLFOLD_INCLUSIVE_SCAN, &numbers, upload(elements, num), num, found, 4);
    for (size_t i = 0; i < num; ++i) {
        expected += i > 0 && elements[i] != elements[i - 1];
        check(i, found[i], expected);
    }
}

/* The steepest line of sight from the first point to those before each. A division of
 * f32 may be off by 2.5 units in the last place, as OpenCL allows. */
static void find_sight(size_t num)
{
    static cl_float heights[MOST], found[MOST];
    double steepest = 0;

    for (size_t i = 0; i < num; ++i) {
        heights[i] = (i > 0 ? heights[i - 1] : 100) + draw_real();
    }
    const clfold_arg eye = CLFOLD_VALUE("float", eye, heights[0]);
    const clfold_fold sight = { .op = CLFOLD_MAX,
                                .type = CLFOLD_F32,
                                .load = "(x - eye) / to_f32(max(i, (ulong)1))",
                                .args = &eye,
                                .num_args = 1 };
    run(CLFOLD_EXCLUSIVE_SCAN, &sight, upload(heights, num * 4), num, found, 4);
    assert_true(isinf(found[0]) && found[0] < 0);
    for (size_t i = 1; i < num; ++i) {
        check_real(i, (double)found[i], steepest, 3 * 0x1p-23 * fabs(steepest));
        steepest = fmax(steepest, (double)(heights[i] - heights[0]) / (double)i);
    }
}

/* ---- The table --------------------------------------------------------------------- */

static const struct use {
    const char *name;
    void (*run)(size_t num);
} uses[] = {
    { "compare strings", compare_strings },
    { "match an expression", match_expression },
    { "find depths in a tree", find_depths },
    { "add long integers", add_integers },
    { "evaluate a polynomial", evaluate_polynomial },
    { "solve recurrences", solve_recurrences },
    { "solve a tridiagonal system", solve_tridiagonal },
    { "delete marked elements", delete_marked },
    { "sort by radix", sort_radix },
    { "allot places", allot_places },
    { "number segments", number_segments },
    { "find the line of sight", find_sight },
};
#define NUM_USES (sizeof(uses) / sizeof(uses[0]))

static void test_use(void **state)
{
    const struct use *use = &uses[(uintptr_t)*state];

    for (size_t i = 0;
         i < (device_takes_all(&device) ? sizeof(sizes) / sizeof(sizes[0]) : 1); ++i) {
        seed = sizes[i];
        use->run(sizes[i]);
        release_uploads();
    }
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_USES];

    for (size_t i = 0; i < NUM_USES; ++i) {
        tests[i] = (struct CMUnitTest){ .name = uses[i].name,
                                        .test_func = test_use,
                                        .initial_state = (void *)(uintptr_t)i };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("uses", tests, open_context, close_context);
}
