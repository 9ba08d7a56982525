/* Loads: what is folded is made of the element, its neighbours, its index, streams and
 * arguments. */
#include "subjects_of_text.h"

#include "base/number.h"

static cl_float half_at(const void *halves, size_t i)
{
    cl_half x;

    memcpy(&x, (const unsigned char *)halves + 2 * i, 2);
    return (cl_float)clfold_half_to_double(x);
}

/* The u32 before element i, or after it, if there is one. */
static cl_uint u32_at(const unsigned char *e, size_t i, size_t n)
{
    return i < n ? u32_of(e, i) : 0;
}

/* The greatest, at its first place. */
struct place {
    cl_ulong index;
    cl_uint value, none;
};

COMBINE(join_place, struct place,
        y->value > x->value || (y->value == x->value && y->index < x->index) ? *y : *x);
SAME(same_place, struct place, x->index == y->index && x->value == y->value);
COMBINE(add_u64, cl_ulong, x[0] + y[0]);
COMBINE(or_u8, cl_uchar, x[0] | y[0]);

WRITE(write_byte, cl_uchar, (cl_uchar)u32_of(item, 0));
LOAD(load_dot, cl_float, f32_of(e, i) * stream_y[STREAM_LAG + i]);
LOAD(load_count, cl_ulong, f32_of(e, i) > 1);
LOAD(load_index, cl_ulong, (cl_ulong)i *(n - i));
LOAD(load_five, cl_uint,
     u32_of(e, i) * 4 - u32_at(e, i - 1, n) - u32_at(e, i + 1, n) - u32_at(e, i - 7, n) -
         u32_at(e, i + 7, n));
LOAD(load_hash, cl_uint, FACTOR, e[i]);
LOAD(load_colour, cl_uint,
     e[3 * i] + 3u * e[3 * i + 1] + 7u * e[3 * i + 2] + (cl_uint)(i * (n - i)));
LOAD(load_pair, cl_uint, e[2 * i], e[2 * i + 1]);
LOAD(load_tuple, cl_uint, u32_of(e, 2 * i + 1), u32_of(e, 2 * i) + 1);
LOAD(load_streams, cl_float,
     half_at(e, i) * half_at(stream_h, STREAM_LAG + i) + stream_w[STREAM_LAG + i]);
LOAD(load_place, struct place, { i, u32_of(e, i) % 100, 0 });
LOAD(load_truth, cl_uchar, f32_of(e, i) > 3);
LOAD(load_table, cl_uint, table_value(u32_of(e, i) & 15));
LOAD(load_ratio, cl_uint, 1000000 / (u32_of(e, i) + 1));
LOAD(load_next, cl_uint, u32_of(e, i) + 1);
LOAD(load_padded, struct padded,
     { ((const struct padded *)(const void *)e)[i].sum +
           ((const struct padded *)(const void *)e)[i].last,
       ((const struct padded *)(const void *)e)[i].last * 2 });

static void draw_truth(void *init, uint64_t seed)
{
    *(cl_uchar *)init = next_random(&seed) >> 40 & 1;
}

#define ON_U64 .size = 8, .identity = zeros, .combine = add_u64

const struct subject load_subjects[] = {
    SUBJECT(FOLD(.name = "dot", SUM_OF(CLFOLD_F32), .load = "x * y", ARGS(ARG_Y, 1)),
            ON_F32, .load = load_dot),
    SUBJECT(FOLD(.name = "count by a predicate", SUM_OF(CLFOLD_U64), .in = CLFOLD_F32,
                 .load = "to_u64(x > 1 ? 1 : 0)"),
            ON_U64, .in_size = 4, .load = load_count, .is_real = true, .most = 4),
    SUBJECT(FOLD(.name = "indices", SUM_OF(CLFOLD_U64), .in = CLFOLD_U8,
                 .load = "i * (n - i)"),
            ON_U64, .in_size = 1, .load = load_index, BYTES),
    SUBJECT(FOLD(.name = "five points", .combine = "a + b", .identity = "0",
                 .type = CLFOLD_U32, .flags = CLFOLD_COMMUTATIVE,
                 .source = "#define AT(k) ((k) < n ? in[k] : 0)\n",
                 .load = CLFOLD_HERE "x * 4 - AT(i - 1) - AT(i + 1) -\n"
                                     "AT(i - 7) - AT(i + 7)"),
            ON_U32, .load = load_five, .reads_others = true, WORDS),
    SUBJECT(FOLD(.name = "hash", .in = CLFOLD_U8, PAIRS, .load = "{ factor, to_u32(x) }",
                 ARGS(ARG_FACTOR, 1)),
            ON_PAIRS, .in_size = 1, .load = load_hash, BYTES),
    SUBJECT(FOLD(.name = "colours", SUM, .in = CLFOLD_U8, .in_scalars = 3,
                 .load = "to_u32(x.x) + 3 * to_u32(x.y) + 7 * to_u32(x.z) +\n"
                         "to_u32(i * (n - i))",
                 .out = CLFOLD_U8),
            ON_U32, .in_size = 3, .load = load_colour, BYTES, .write = write_byte,
            .out_size = 1),
    SUBJECT(FOLD(.name = "pairs without a load", .in = CLFOLD_U8, .in_scalars = 2,
                 .components = "uint a; uint b", MAPS),
            .size = 8, .in_size = 2, .combine = join_maps, .load = load_pair, BYTES),
    SUBJECT(FOLD(.name = "built-in tuple", .op = CLFOLD_AFFINE, .type = CLFOLD_U32,
                 .load = "{ x.b, x.a + 1 }"),
            ON_PAIRS, .load = load_tuple, WORDS),
    SUBJECT(FOLD(.name = "struct", PADDED, .load = "{ x.sum + x.last, x.last * 2 }"),
            ON_PADDED, .load = load_padded, WORDS),
    SUBJECT(FOLD(.name = "opaque", .in = CLFOLD_U8, .type_name = "map", .type_size = 8,
                 .source = CLFOLD_HERE "typedef struct { uint a, b; } map;\n"
                                       "map join(map a, map b)\n{\n"
                                       "    map c = { a.a * b.a, a.b * b.a + b.b };\n"
                                       "    return c;\n}\n"
                                       "map of(uint a, uint b)\n{\n"
                                       "    map c = { a, b };\n    return c;\n}\n",
                 .combine = "join(a, b)", .load = "of(factor, x)", ARGS(ARG_FACTOR, 1)),
            .size = 8, .in_size = 1, .combine = join_maps, .load = load_hash, BYTES),
    SUBJECT(FOLD(.name = "streams", SUM_OF(CLFOLD_F32), .in = CLFOLD_F16,
                 .load = "x * h + to_f32(w)", ARGS(ARG_H, 2)),
            .size = 4, .in_size = 2, .identity = zeros, .combine = add_f32,
            .load = load_streams, .word = 2, .least = 0x6400, /* 1024 to 1027 */
            .most = 0x6403),
    SUBJECT(FOLD(.name = "place of the greatest", .op = CLFOLD_ARG_MAX,
                 .type = CLFOLD_U32, .load = "x % 100"),
            .size = 16, .in_size = 4, .combine = join_place, .same = same_place,
            .load = load_place, WORDS),
    SUBJECT(FOLD(.name = "any above 3", .op = CLFOLD_LOGICAL_OR, .type = CLFOLD_U8,
                 .in = CLFOLD_F32, .load = "to_u8(x > 3 ? 1 : 0)"),
            .size = 1, .in_size = 4, .identity = zeros, .combine = or_u8,
            .load = load_truth, .is_real = true, .most = 4, .fill_init = draw_truth),
    SUBJECT(FOLD(.name = "table", SUM, .load = "table[x & 15]", ARGS(ARG_TABLE, 1)),
            ON_U32, .load = load_table, WORDS),
    SUBJECT(
        FOLD(.name = "ratio", SUM, .load = "1000000 / (x + 1)", .flags = CLFOLD_PARTIAL),
        ON_U32, .load = load_ratio, .most = 1000),
    SUBJECT(FOLD(.name = "scalar by text", .type = CLFOLD_U32, .combine = "a + b",
                 .load = "x + 1"),
            .size = 4, .combine = add_u32, .load = load_next, WORDS),
    { .size = 0 },
};
