/*
 * What operators are given by scans: neighbours only, in order, each once; and where
 * folds may stop. None of these commutes, and each is compared with a loop on the host:
 *
 *   interval   first and last index, and whether only neighbours were ever joined
 *   bicyclic   (a, b)(c, d) = (a + c - min(b, c), b + d - min(b, c)): matched brackets
 *   matrix     2 x 2 of u32, four components
 *   segments   (value, head) with `cuts`: heads at the ends of tiles, everywhere,
 *              nowhere, by lot, and so rare that a segment is many tiles long
 *
 * Affine maps: limited.c and lookback.c.
 */
#include "held_up.h"
#include "lookback.h"
#include "test.h"
#include "trial.h"

#define MOST 40000

/* ---- Operators --------------------------------------------------------------------- */

/* Indices begin here, so that no lane of nothing is a neighbour of one. */
#define FIRST_INDEX 1000

static void interval_join(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;
    const cl_uint joined = x[2] && y[2] && y[0] == x[1] + 1;

    memcpy(out, (cl_uint[]){ x[0], y[1], joined }, 3 * sizeof(*x));
}

static void interval_fill(void *elements, size_t count, uint64_t seed)
{
    (void)seed;
    for (cl_uint i = 0, *at = elements; i < count; ++i, at += 3) {
        at[0] = at[1] = FIRST_INDEX + i;
        at[2] = 1;
    }
}

/* Before the first one. */
static void interval_init(void *init, uint64_t seed)
{
    (void)seed;
    memcpy(init, (cl_uint[]){ FIRST_INDEX - 1, FIRST_INDEX - 1, 1 }, 3 * sizeof(cl_uint));
}

static void bicyclic_join(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b, met = x[1] < y[0] ? x[1] : y[0];

    memcpy(out, (cl_uint[]){ x[0] + y[0] - met, x[1] + y[1] - met }, 2 * sizeof(*x));
}

static void bicyclic_init(void *init, uint64_t seed)
{
    (void)seed;
    memcpy(init, (cl_uint[]){ 5, 3 }, 2 * sizeof(cl_uint));
}

/* An opening bracket, a closing one, or a few of both; long runs of each. */
static void bicyclic_fill(void *elements, size_t count, uint64_t seed)
{
    for (cl_uint i = 0, *at = elements; i < count; ++i, at += 2) {
        const cl_uint bits = (cl_uint)(next_random(&seed) >> 40);
        const bool opens = (bits & 7) != 0 ? i / 300 % 2 : bits & 8;
        at[0] = (bits & 0x70) == 0 ? bits >> 8 & 3 : !opens;
        at[1] = (bits & 0x70) == 0 ? bits >> 10 & 3 : opens;
    }
}

static void matrix_join(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;

    memcpy(out,
           (cl_uint[]){ x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
                        x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3] },
           4 * sizeof(*x));
}

/* Odd values on the diagonal and even ones elsewhere: no product loses information. */
static void matrix_fill(void *elements, size_t count, uint64_t seed)
{
    for (cl_uint i = 0, *at = elements; i < 4 * count; ++i) {
        at[i] = (cl_uint)(next_random(&seed) >> 20) << 1 | (i % 4 % 3 == 0);
    }
}

static void matrix_init(void *init, uint64_t seed)
{
    (void)seed;
    memcpy(init, (cl_uint[]){ 3, 2, 4, 5 }, 4 * sizeof(cl_uint));
}

static const cl_uint nothing[] = { 0, 0 }, unit[] = { 1, 0, 0, 1 };

static const struct subject subjects[] = {
    { .fold = { .name = "interval",
                .components = "uint first; uint last; uint joined",
                .combine = "{ a.first, b.last, b.first - a.last == 1 ? a.joined & "
                           "b.joined : a.joined & ~a.joined }" },
      .size = 3 * sizeof(cl_uint),
      .combine = interval_join,
      .fill = interval_fill,
      .fill_init = interval_init },
    { .fold = { .name = "bicyclic",
                .components = "uint a; uint b",
                .combine = "{ a.a + b.a - min(a.b, b.a), a.b + b.b - min(a.b, b.a) }",
                .identity = "{ 0, 0 }" },
      .size = sizeof(nothing),
      .identity = nothing,
      .combine = bicyclic_join,
      .fill = bicyclic_fill,
      .fill_init = bicyclic_init },
    { .fold = { .name = "matrix", .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_U32 },
      .size = sizeof(unit),
      .identity = unit,
      .combine = matrix_join,
      .fill = matrix_fill,
      .fill_init = matrix_init },
};
#define NUM_SUBJECTS (sizeof(subjects) / sizeof(subjects[0]))

/* PoCL 3.1's compiler, in LLVM 15's InstCombine, dies of look-back over a group's tiles
 * with some of these operators. No policy has those tiles on a CPU: there the tile before
 * it, a vector's, is scanned. */
static bool kills_compiler(const struct debug *plan, const char *algorithm)
{
    return device.is_pocl && plan->tile == TILE_GROUP && may_look_back(algorithm);
}

/*
 * Each subject meets each tile, strategy and kind of scan: scan_chained is the kernel of
 * scan_lookback, so one subject has it instead. Each tile by each strategy: scan_bits.c.
 * Matrices are left to a group's tiles, since those by tile_vector take rusticl a minute
 * to build; a vector's of four components: cover.c.
 */
static void test_subject(void **state)
{
    size_t s = (size_t)(uintptr_t)*state;
    const struct subject *subject = &subjects[s];

    for (size_t turn = 0; turn < SCAN_TILES; ++turn) {
        size_t a = (s + turn) % (SCAN_ALGORITHMS - 1);
        const char *algorithm = scan_algorithms[a == 4 ? a + s % 2 : a];
        size_t t = subject->size < sizeof(unit) ? turn : turn | 1;
        t -= kills_compiler(&scan_tiles[t], algorithm);
        if (!policy_has_tile(scan_tiles[t].tile) ||
            !device_takes(&device, s * SCAN_TILES + turn)) {
            continue;
        }
        bool exclusive = (s / 2 + turn) % 2;
        size_t tile = scan_tile_size(t);
        const size_t counts[] = {
            0,        1,
            2,        tile - 1,
            tile,     tile + 1,
            2 * tile, 5 * tile + 3,
            2003,     !scan_tiles[t].tile_elements ? MOST : 70 * tile
        };
        /* Nothing is scanned by a single group, a program more for the others. */
        for (size_t c = a > 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
            bool needs_init = exclusive && !subject->identity;
            const struct trial scan = {
                .subject = subject,
                .operation = scan_of(exclusive),
                .init = c % 2 || needs_init ? INIT_HOST : INIT_NONE,
                .plan = scan_tiles[t],
                .algorithm = algorithm,
                .disorder = c % 3 == 2,
                .count = counts[c],
                .in_offset = c * 5 % 18,
                .out_offset = c * 7 % 17,
                .seed = s,
            };
            trial_check(&scan, NULL);
        }
    }
}

/* ---- Cuts -------------------------------------------------------------------------- */

static cl_uint elements[MOST][2];

static cl_float as_real(cl_uint bits)
{
    cl_float real;

    memcpy(&real, &bits, sizeof(real));
    return real;
}

static cl_uint as_bits(cl_float real)
{
    cl_uint bits;

    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static void segment_join(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;

    memcpy(out, (cl_uint[]){ y[1] ? y[0] : x[0] + y[0], x[1] | y[1] }, 2 * sizeof(*x));
}

static void segment_join_f32(void *out, const void *a, const void *b)
{
    const cl_uint *x = a, *y = b;

    memcpy(out,
           (cl_uint[]){ y[1] ? y[0] : as_bits(as_real(x[0]) + as_real(y[0])),
                        y[1] ? y[1] : x[1] },
           2 * sizeof(*x));
}

static const cl_uint nothing_f32[] = { 0x80000000 /* -0.0 */, 0 };

/* By the number of the type; the head of f32 is a float as well. */
static const struct subject segments[] = {
    { .fold = { .name = "segments of u32",
                .components = "uint v; uint f",
                .combine = "{ b.f != 0 ? b.v : a.v + b.v, a.f | b.f }",
                .identity = "{ 0, 0 }",
                .cuts = "b.f != 0" },
      .size = sizeof(nothing),
      .identity = nothing,
      .combine = segment_join },
    { .fold = { .name = "segments of f32",
                .components = "float v; float f",
                .combine = "{ b.f != 0 ? b.v : a.v + b.v, b.f != 0 ? b.f : a.f }",
                .identity = "{ -0.0f, 0 }",
                .cuts = "b.f != 0" },
      .size = sizeof(nothing),
      .identity = nothing_f32,
      .combine = segment_join_f32 },
};

enum heads {
    NO_HEADS,
    ALL_HEADS,
    TILE_HEADS,   /* each tile's first */
    BEFORE_HEADS, /* each tile's last */
    BEHIND_HEADS, /* each tile's second */
    RANDOM_HEADS,
    RARE_HEADS, /* a segment is many tiles long */
    NUM_HEADS
};

static bool is_head(enum heads heads, size_t i, size_t tile, uint64_t *random)
{
    switch (heads) {
    case ALL_HEADS:
        return true;
    case TILE_HEADS:
        return i % tile == 0;
    case BEFORE_HEADS:
        return i % tile == tile - 1;
    case BEHIND_HEADS:
        return i % tile == 1;
    case RANDOM_HEADS:
        return (next_random(random) >> 20) % 11 == 0;
    case RARE_HEADS:
        return (next_random(random) >> 20) % (9 * tile) == 0;
    default:
        return false;
    }
}

static void make_segments(bool is_real, enum heads heads, size_t tile, bool rounds)
{
    uint64_t random = heads;

    for (size_t i = 0; i < MOST; ++i) {
        const bool head = is_head(heads, i, tile, &random);
        const cl_uint value = (cl_uint)(next_random(&random) >> 40);
        const cl_float real =
            rounds ? (cl_float)value * 0x1.1p-9F : (cl_float)(value % 64);
        elements[i][0] = is_real ? as_bits(real) : value;
        elements[i][1] = is_real && head ? as_bits(1) : head;
    }
}

/* Folds of tiles, which reduce_then_scan has, and look-backs are what may stop at a head:
 * both on each tile, and in turn one of the two that never stop. Each strategy meets both
 * types and both kinds of scan, each tile too. */
static void test_segments(void **state)
{
    static const cl_uint inits[][2] = { { 11, 0 }, { 0x41300000 /* 11.0 */, 0 } };

    (void)state;
    for (size_t k = 0; k < 3 * SCAN_TILES * NUM_HEADS; ++k) {
        const size_t turn = k / NUM_HEADS, t = turn / 3, a = turn % 3, real = turn % 2;
        const size_t tile = scan_tile_size(t);
        const char *const algorithms[] = { "reduce_then_scan", "scan_lookback",
                                           (t + t / 2) % 2 ? "scan_then_propagate"
                                                           : "scan_single_group" };
        const size_t counts[] = { tile + 1,
                                  !scan_tiles[t].tile_elements ? MOST : 70 * tile + 5 };
        if (!policy_has_tile(scan_tiles[t].tile) || !device_takes(&device, turn)) {
            continue;
        }
        make_segments(real, (enum heads)(k % NUM_HEADS), tile, false);
        for (size_t c = 0; c < 4; ++c) {
            const struct trial scan = { .subject = &segments[real],
                                        .elements = elements,
                                        .init = c % 2 ? INIT_HOST : INIT_NONE,
                                        .init_value = inits[real],
                                        .plan = scan_tiles[t],
                                        .algorithm = algorithms[a],
                                        .operation = scan_of((t / 2 + a) % 2),
                                        .count = counts[c / 2],
                                        .out_offset = c == 3 ? 16 : 0 };
            trial_check(&scan, NULL);
        }
    }
}

/* Sums that round have the same bits by every strategy, whether its folds stop or not. */
static void test_bits(void **state)
{
    static cl_uint first[MOST][2];
    static const char *const algorithms[] = { "scan_single_group", "reduce_then_scan",
                                              "scan_lookback", "scan_then_propagate" };

    (void)state;
    for (size_t k = 0; k < 2 * NUM_HEADS; ++k) {
        const size_t t = k / NUM_HEADS;
        make_segments(true, (enum heads)(k % NUM_HEADS), scan_tile_size(t), true);
        for (size_t a = 0; a < (t == 0 ? 3 : 4); ++a) {
            const struct trial scan = { .subject = &segments[1],
                                        .elements = elements,
                                        .plan = scan_tiles[t],
                                        .algorithm = algorithms[a],
                                        .operation = scan_of(t == 0),
                                        .unknown = a == 0,
                                        .expected = a > 0 ? first : NULL,
                                        .count = MOST };
            trial_check(&scan, a == 0 ? first : NULL);
        }
    }
}

/* Tiles of one head each, of which every second one never publishes its prefix: look-back
 * ends at once where the total before a tile cuts off all before it, and goes on to the
 * next prefix where there are no heads. */
static void test_lookback_stops(void **state)
{
    enum { TILE = 16, TILES = 10 };
    struct {
        struct held_up head;
        clfold_tile_trace records[TILES];
    } trace;
    cl_int status;
    cl_mem mem =
        clCreateBuffer(device.context, CL_MEM_READ_WRITE, sizeof(trace), NULL, &status);

    (void)state;
    assert_int_equal(status, CL_SUCCESS);
    if (device.ends_loops) {
        print_message("%s: scans do not look back\n", device.name);
        clReleaseMemObject(mem);
        skip();
    }
    for (size_t k = 0; k < 2 * 2; ++k) {
        const struct trial scan = { .subject = &segments[0],
                                    .elements = elements,
                                    .operation = CLFOLD_INCLUSIVE_SCAN,
                                    .plan = { .tile = k / 2 ? TILE_GROUP : TILE_VECTOR,
                                              .tile_elements = TILE,
                                              .group_size = 4,
                                              .max_groups = TILES,
                                              .spins = 1,
                                              .trace = mem },
                                    .algorithm = "scan_lookback",
                                    .count = TILES * TILE };
        cl_uint depths = 0;
        make_segments(false, k % 2 ? TILE_HEADS : NO_HEADS, TILE, false);
        memset(&trace, 0, sizeof(trace));
        trace.head.block_every = 2;
        trace.head.num_tiles = TILES;
        write_buffer(mem, 0, sizeof(trace), &trace);
        trial_check(&scan, NULL);
        assert_int_equal(clEnqueueReadBuffer(device.queue, mem, CL_TRUE, 0, sizeof(trace),
                                             &trace, 0, NULL, NULL),
                         CL_SUCCESS);
        for (size_t t = 2; t < TILES; t += 2) {
            assert_true(trace.records[t].started > 0 || trace.records[t].prefix > 0);
            depths += trace.records[t].depth;
        }
        print_message("depth of %u over %d tiles %s heads\n", depths, TILES / 2 - 1,
                      k % 2 ? "with" : "without");
        assert_true(k % 2 ? depths == 0 : depths >= TILES / 2 - 1);
    }
    clReleaseMemObject(mem);
}

/* An argument is a pattern of test names. */
int main(int argc, char **argv)
{
    struct CMUnitTest tests[NUM_SUBJECTS + 3] = {
        [NUM_SUBJECTS] = cmocka_unit_test(test_segments),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_lookback_stops),
    };

    for (size_t s = 0; s < NUM_SUBJECTS; ++s) {
        tests[s] = (struct CMUnitTest){ .name = subjects[s].fold.name,
                                        .test_func = test_subject,
                                        .initial_state = (void *)(uintptr_t)s };
    }
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests_name("scan_order", tests, open_context, close_context);
}
