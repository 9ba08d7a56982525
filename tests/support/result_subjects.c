/* Results: what is written is made of the item, the one before it, the element, its
 * index, streams and arguments; into another type or number of scalars, or scattered; and
 * maps. */
#include "subjects_of_text.h"

#include "base/number.h"

COMBINE(most_i32, cl_int, x[0] > y[0] ? x[0] : y[0]);
COMBINE(join_four, cl_uint, x[0] * y[0], x[1] * y[0] + y[1], x[2] * y[0] + y[2],
        x[3] * y[0] + y[3]);

LOAD(load_affine, cl_uint, FACTOR, e[i]);
LOAD(load_byte, cl_float, e[i]);
LOAD(load_square, cl_float, f32_of(e, i) * f32_of(e, i));

WRITE(write_double, cl_uint, 2 * u32_of(item, 0) + (cl_uint)i);
WRITE(write_doubled, cl_float, (cl_float)(u32_of(item, 0) % 32 << 1));
WRITE(write_product, cl_float,
      (f32_of(item, 0) - (cl_float)FACTOR) * stream_y[STREAM_LAG + i]);
WRITE(write_step, cl_uint, u32_of(item, 0) * FACTOR + u32_of(prev, 0));
WRITE(write_second, cl_uint, u32_of(item, 1) ^ (cl_uint)n);
WRITE(write_swapped, cl_uint, u32_of(item, 1) ^ (cl_uint)n, u32_of(item, 0));
WRITE(write_both, cl_uint, u32_of(item, 1) ^ u32_of(e, 2 * i), u32_of(prev, 0));
WRITE(write_byte, cl_uchar, (cl_uchar)u32_of(item, 0));
WRITE(write_wide, cl_ulong, u32_of(item, 0));
WRITE(write_half, cl_half, clfold_double_to_half(f32_of(item, 0)));
WRITE(write_bytes, cl_uchar, (cl_uchar)u32_of(item, 0), (cl_uchar)(u32_of(item, 0) >> 8),
      (cl_uchar)u32_of(e, i));
WRITE(write_four, cl_float, f32_of(item, 0), f32_of(prev, 0), f32_of(e, i),
      stream_y[STREAM_LAG + i]);
WRITE(write_others, cl_uint, u32_of(item, 0) - (i > 0 ? u32_of(e, i - 1) : 0));
WRITE(write_flag, cl_uchar, f32_of(item, 0) > 40);
WRITE(write_signed, cl_long, (cl_int)u32_of(item, 0));
WRITE(write_words, cl_uint, u32_of(item, 0) + u32_of(item, 3));
WRITE(write_last, cl_uint,
      ((const struct padded *)item)->last + (cl_uint)((const struct padded *)item)->sum);
WRITE(write_change, struct padded,
      { ((const struct padded *)item)->sum - ((const struct padded *)prev)->sum,
        ((const struct padded *)item)->last + ((const struct padded *)prev)->last });

static size_t place_back(size_t i, size_t n)
{
    return n - 1 - i;
}

static const cl_int least_i32 = INT32_MIN;

#define OF_ELEMENT .writes_of_element = true
#define MAP        .is_map = true

const struct subject result_subjects[] = {
    SUBJECT(FOLD(.name = "own type", SUM, .result = "2 * item + to_u32(i)"), ON_U32,
            WORDS, .write = write_double),
    SUBJECT(
        FOLD(.name = "step", SUM, .result = "item * factor + prev", ARGS(ARG_FACTOR, 1)),
        ON_U32, WORDS, .write = write_step, OF_ELEMENT),
    SUBJECT(FOLD(.name = "second of two", PAIRS, .in = CLFOLD_U8,
                 .load = "{ factor, to_u32(x) }", .out = CLFOLD_U32,
                 .result = "item.b ^ to_u32(n)", ARGS(ARG_FACTOR, 1)),
            ON_PAIRS, .in_size = 1, BYTES, .load = load_affine, .write = write_second,
            .out_size = 4),
    SUBJECT(FOLD(.name = "bytes of sums", SUM, .out = CLFOLD_U8), ON_U32, WORDS,
            .write = write_byte, .out_size = 1),
    SUBJECT(FOLD(.name = "halves", SUM_OF(CLFOLD_F32), .load = "x * x", .out = CLFOLD_F16,
                 .result = "item"),
            ON_F32, .load = load_square, .write = write_half, .out_size = 2),
    SUBJECT(
        FOLD(.name = "three bytes", SUM, .out = CLFOLD_U8, .out_scalars = 3,
             .result = "{ to_u8(item & 255), to_u8(item >> 8 & 255), to_u8(x & 255) }"),
        ON_U32, WORDS, .write = write_bytes, .out_size = 3, OF_ELEMENT),
    SUBJECT(FOLD(.name = "four of all", SUM_OF(CLFOLD_F32), .out_scalars = 4,
                 .result = "{ item, prev, x, y }", ARGS(ARG_Y, 1)),
            ON_F32, .write = write_four, .out_size = 16, OF_ELEMENT),
    SUBJECT(FOLD(.name = "neighbour", SUM, .result = "item - (i > 0 ? in[i - 1] : 0)"),
            ON_U32, WORDS, .write = write_others, .reads_others = true, OF_ELEMENT),
    SUBJECT(FOLD(.name = "struct to scalar", PADDED, .identity = "{ 0, 0 }",
                 .out = CLFOLD_U32, .result = "item.last + to_u32(item.sum)"),
            ON_PADDED, .identity = zeros, .most = 1000, .write = write_last,
            .out_size = 4),
    SUBJECT(FOLD(.name = "struct to struct", PADDED, .identity = "{ 0, 0 }",
                 .result = "{ item.sum - prev.sum, item.last + prev.last }"),
            ON_PADDED, .identity = zeros, .most = 1000, .write = write_change,
            OF_ELEMENT),
    SUBJECT(
        FOLD(.name = "signed", .op = CLFOLD_MAX, .type = CLFOLD_I32, .out = CLFOLD_I64),
        .size = 4, .identity = &least_i32, .combine = most_i32, WORDS,
        .write = write_signed, .out_size = 8),
    SUBJECT(FOLD(.name = "opaque to scalar", .type_name = "struct words", .type_size = 16,
                 .source = "struct words { uint x[4]; };\n"
                           "struct words join(struct words a, struct words b)\n{\n"
                           "    for (int k = 1; k < 4; ++k)\n"
                           "        a.x[k] = a.x[k] * b.x[0] + b.x[k];\n"
                           "    a.x[0] *= b.x[0];\n    return a;\n}\n",
                 .combine = "join(a, b)", .out = CLFOLD_U32,
                 .result = "item.x[0] + item.x[3]"),
            .size = 16, .combine = join_four, WORDS, .write = write_words, .out_size = 4),
    SUBJECT(FOLD(.name = "before pairs", PAIRS, .result = "{ item.b ^ x.a, prev.a }"),
            ON_PAIRS, WORDS, .write = write_both, OF_ELEMENT),
    SUBJECT(
        FOLD(.name = "backwards", SUM,
             .store = "if (n > 0)\n    out[n - 1 - i] = item - (i > 0 ? in[i - 1] : 0);"),
        ON_U32, WORDS, .reads_others = true, .write = write_others, .place = place_back,
        OF_ELEMENT),
    SUBJECT(FOLD(.name = "converted mean", SUM, .out = CLFOLD_F32,
                 .result = "(item % 32u) << 1"),
            ON_U32, WORDS, .write = write_doubled, .out_size = 4),
    SUBJECT(FOLD(.name = "map", .type = CLFOLD_U32, .result = "item + prev + to_u32(i)"),
            .size = 4, WORDS, MAP, .write = write_double),
    SUBJECT(FOLD(.name = "map to flags", .type = CLFOLD_F32, .out = CLFOLD_U8,
                 .load = "x * x", .result = "to_u8(item > 40 ? 1 : 0)"),
            .size = 4, .most = 20, .is_real = true, MAP, .load = load_square,
            .write = write_flag, .out_size = 1),
    SUBJECT(FOLD(.name = "map of a stream", .type = CLFOLD_F32, .in = CLFOLD_U8,
                 .load = "x", .result = "(item - to_f32(factor)) * y", ARGS(ARG_Y, 2)),
            .size = 4, .in_size = 1, BYTES, MAP, .load = load_byte,
            .write = write_product),
    SUBJECT(FOLD(.name = "map of pairs", .components = "uint a, b",
                 .result = "{ item.b ^ to_u32(n), item.a }"),
            .size = 8, WORDS, MAP, .write = write_swapped),
    SUBJECT(FOLD(.name = "map backwards", .type = CLFOLD_U32,
                 .store = "out[n - 1 - i] = item;"),
            .size = 4, WORDS, MAP, .reads_others = true, .place = place_back),
    SUBJECT(FOLD(.name = "conversion", .type = CLFOLD_U32, .out = CLFOLD_U64), .size = 4,
            WORDS, MAP, .write = write_wide, .out_size = 8),
    { .size = 0 },
};
