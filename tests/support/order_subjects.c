/*
 * What operators are given by scans: neighbours only, in order, each once; and where
 * folds may stop. None of these commutes:
 *
 *   interval   first and last index, and whether only neighbours were ever joined
 *   bicyclic   (a, b)(c, d) = (a + c - min(b, c), b + d - min(b, c)): matched brackets
 *   matrix     2 x 2 of u32, four components
 *   segments   (value, head) with `cuts`: heads at the ends of tiles, everywhere,
 *              nowhere, by lot, and so rare that a segment is many tiles long
 */
#include "subjects_of_text.h"

/* Indices begin here, so that no lane of nothing is a neighbour of one. */
#define FIRST_INDEX 1000

/* A value to begin with. A semicolon follows. */
#define INIT(name, type, ...)                                                            \
    static void name(void *init, uint64_t seed)                                          \
    {                                                                                    \
        const type r[] = { __VA_ARGS__ };                                                \
        (void)seed;                                                                      \
        memcpy(init, r, sizeof(r));                                                      \
    }                                                                                    \
    struct subject

#define MET (x[1] < y[0] ? x[1] : y[0])

COMBINE(interval_join, cl_uint, x[0], y[1], x[2] && y[2] && y[0] == x[1] + 1);
COMBINE(bicyclic_join, cl_uint, x[0] + y[0] - MET, x[1] + y[1] - MET);
COMBINE(matrix_join, cl_uint, x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3],
        x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]);
COMBINE(segment_join, cl_uint, y[1] ? y[0] : x[0] + y[0], x[1] | y[1]);
COMBINE(segment_join_f32, cl_float, y[1] != 0 ? y[0] : x[0] + y[0],
        y[1] != 0 ? y[1] : x[1]);

INIT(interval_init, cl_uint, FIRST_INDEX - 1, FIRST_INDEX - 1, 1); /* before the first */
INIT(bicyclic_init, cl_uint, 5, 3);
INIT(matrix_init, cl_uint, 3, 2, 4, 5);
INIT(segments_init, cl_uint, 11, 0);
INIT(segments_init_f32, cl_float, 11, 0);

static void interval_fill(void *elements, size_t count, uint64_t seed)
{
    (void)seed;
    for (cl_uint i = 0, *at = elements; i < count; ++i, at += 3) {
        at[0] = at[1] = FIRST_INDEX + i;
        at[2] = 1;
    }
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

/* Odd values on the diagonal and even ones elsewhere: no product loses information. */
static void matrix_fill(void *elements, size_t count, uint64_t seed)
{
    for (cl_uint i = 0, *at = elements; i < 4 * count; ++i) {
        at[i] = (cl_uint)(next_random(&seed) >> 20) << 1 | (i % 4 % 3 == 0);
    }
}

static const cl_uint unit[] = { 1, 0, 0, 1 };

/* ---- Cuts -------------------------------------------------------------------------- */

static cl_uint as_bits(cl_float real)
{
    cl_uint bits;

    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static const cl_uint nothing_f32[] = { 0x80000000 /* -0.0 */, 0 };

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

void fill_segments(cl_uint (*elements)[2], size_t count, bool is_real, enum heads heads,
                   size_t tile, bool rounds)
{
    uint64_t random = heads;

    for (size_t i = 0; i < count; ++i) {
        const bool head = is_head(heads, i, tile, &random);
        const cl_uint value = (cl_uint)(next_random(&random) >> 40);
        const cl_float real =
            rounds ? (cl_float)value * 0x1.1p-9F : (cl_float)(value % 64);
        elements[i][0] = is_real ? as_bits(real) : value;
        elements[i][1] = is_real && head ? as_bits(1) : head;
    }
}

static void segments_fill(void *to, size_t count, uint64_t seed)
{
    fill_segments(to, count, false, (enum heads)(seed % NUM_HEADS),
                  16 + seed / NUM_HEADS % 100, false);
}

static void segments_fill_f32(void *to, size_t count, uint64_t seed)
{
    fill_segments(to, count, true, (enum heads)(seed % NUM_HEADS),
                  16 + seed / NUM_HEADS % 100, false);
}

const struct subject order_subjects[] = {
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
      .size = 2 * sizeof(cl_uint),
      .identity = zeros,
      .combine = bicyclic_join,
      .fill = bicyclic_fill,
      .fill_init = bicyclic_init },
    { .fold = { .name = "matrix of u32", .op = CLFOLD_MATRIX_2X2, .type = CLFOLD_U32 },
      .size = sizeof(unit),
      .identity = unit,
      .combine = matrix_join,
      .fill = matrix_fill,
      .fill_init = matrix_init },
    { .fold = { .name = "segments of u32",
                .components = "uint v; uint f",
                .combine = "{ b.f != 0 ? b.v : a.v + b.v, a.f | b.f }",
                .identity = "{ 0, 0 }",
                .cuts = "b.f != 0" },
      .size = 2 * sizeof(cl_uint),
      .identity = zeros,
      .combine = segment_join,
      .fill = segments_fill,
      .fill_init = segments_init },
    { .fold = { .name = "segments of f32",
                .components = "float v; float f",
                .combine = "{ b.f != 0 ? b.v : a.v + b.v, b.f != 0 ? b.f : a.f }",
                .identity = "{ -0.0f, 0 }",
                .cuts = "b.f != 0" },
      .size = 2 * sizeof(cl_uint),
      .identity = nothing_f32,
      .combine = segment_join_f32,
      .fill = segments_fill_f32,
      .fill_init = segments_init_f32 },
    { .size = 0 },
};
