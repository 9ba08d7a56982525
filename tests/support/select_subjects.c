/* Selects: conditions on all that a text sees, each with a fold that has it. */
#include "subjects_of_text.h"

/* Whether element i of n of e is kept. */
#define KEEPS(name, holds)                                                               \
    static bool name(const unsigned char *e, size_t i, size_t n)                         \
    {                                                                                    \
        (void)n;                                                                         \
        return holds;                                                                    \
    }                                                                                    \
    struct subject

KEEPS(above_2, f32_of(e, i) > 2);
KEEPS(is_odd, e[i] & 1);
KEEPS(is_some, u32_of(e, i) != 0);
KEEPS(is_sum_even, (u32_of(e, 2 * i) + u32_of(e, 2 * i + 1) + n) % 2 == 0);
KEEPS(is_long, u32_of(e, 4 * i) < u32_of(e, 4 * i + 3));
KEEPS(rises, i == 0 || u32_of(e, i - 1) < u32_of(e, i));
KEEPS(is_above_y, f32_of(e, i) > stream_y[STREAM_LAG + i]);
KEEPS(is_large, u32_of(e, i) % 16 > 5);
KEEPS(is_last_some, ((const struct padded *)(const void *)e)[i].last > 2);

LOAD(load_quotient, cl_uint, u32_of(e, i));
LOAD(load_i, cl_ulong, i);
LOAD(load_sixteenth, cl_uint, u32_of(e, i) % 16);
WRITE(write_quotient, cl_uint, 1000000 / u32_of(item, 0));

static const struct subject floats = { FOLD(.name = "floats", .type = CLFOLD_F32),
                                       .size = 4, .most = 4, .is_real = true };
static const struct subject bytes = { FOLD(.name = "bytes", .type = CLFOLD_U8), .size = 1,
                                      BYTES };
static const struct subject words = { FOLD(.name = "words", .type = CLFOLD_U32),
                                      .size = 4, .most = 7 };
static const struct subject indices = { FOLD(.name = "places", .type = CLFOLD_U64,
                                             .in = CLFOLD_F32, .load = "i"),
                                        .size = 8,
                                        .in_size = 4,
                                        .most = 4,
                                        .is_real = true,
                                        .load = load_i };
static const struct subject quotients = { FOLD(.name = "quotients", .type = CLFOLD_U32,
                                               .result = "1000000 / item",
                                               .flags = CLFOLD_PARTIAL),
                                          .size = 4, .most = 3, .load = load_quotient,
                                          .write = write_quotient };
static const struct subject sixteenths = { FOLD(.name = "sixteenths", .type = CLFOLD_U32,
                                                .load = "x % 16"),
                                           .size = 4, WORDS, .load = load_sixteenth };
static const struct subject pairs = { FOLD(.name = "pairs", .components = "uint a, b"),
                                      .size = 8, WORDS };
static const struct subject stored = { FOLD(.name = "stored", .type = CLFOLD_F32,
                                            .store = "out[at] = item;"),
                                       .size = 4, .most = 4, .is_real = true };
static const struct subject opaque = {
    FOLD(.name = "vectors", .type_name = "uint4", .type_size = 16), .size = 16, WORDS
};
static const struct subject padded = {
    FOLD(.name = "padded", .components = "ulong sum; uint last"),
    .size = sizeof(struct padded), .most = 7, .same = same_padded
};
static const struct subject with_stream = { FOLD(.name = "with a stream",
                                                 .type = CLFOLD_F32, ARGS(ARG_Y, 1)),
                                            .size = 4, .most = 20, .is_real = true };

/* Runs of elements with the same key. */
#define STARTS(name, key)                                                                \
    static bool name(const unsigned char *e, size_t i, size_t n)                         \
    {                                                                                    \
        const size_t before = i > 0 ? i - 1 : 0, here = i;                               \
        (void)n;                                                                         \
        i = before;                                                                      \
        const cl_uint a = (key);                                                         \
        i = here;                                                                        \
        return i == 0 || a != (key);                                                     \
    }                                                                                    \
    struct subject

STARTS(starts_floats, (cl_uint)f32_of(e, i));
STARTS(starts_bytes, e[i]);
STARTS(starts_words, u32_of(e, i) / 4);
STARTS(starts_sixteenths, (u32_of(e, i) % 16 > 5));
STARTS(starts_pairs, u32_of(e, 2 * i) >> 31);
STARTS(starts_opaque, u32_of(e, 4 * i) % 3);
STARTS(starts_padded, ((const struct padded *)(const void *)e)[i].last);

/* By items of a scan. */
#define BY_ITEM(name, holds)                                                             \
    static bool name(const void *item, const void *prev, const unsigned char *e,         \
                     size_t i)                                                           \
    {                                                                                    \
        (void)item, (void)prev, (void)e, (void)i;                                        \
        return holds;                                                                    \
    }                                                                                    \
    struct subject

BY_ITEM(is_third, u32_of(item, 0) % 3 == 0);
BY_ITEM(crosses, (u32_of(item, 0) ^ u32_of(prev, 0)) & 4);
BY_ITEM(grows, u32_of(e, i) > 3 && u32_of(item, 0) > u32_of(prev, 0));
BY_ITEM(is_inside, *(const cl_uchar *)item);
BY_ITEM(is_64, *(const cl_uchar *)item & 64);
BY_ITEM(is_odd_map, (u32_of(item, 0) ^ u32_of(prev, 1)) & 1);
BY_ITEM(is_above, f32_of(item, 0) > 2);
BY_ITEM(is_above_stream, f32_of(item, 0) > 100 * stream_y[STREAM_LAG + i]);
BY_ITEM(is_some_padded, ((const struct padded *)item)->last > 2);

static const cl_float least_f32 = -CL_INFINITY;
COMBINE(xor_u8, cl_uchar, x[0] ^ y[0]);
COMBINE(most_f32, cl_float, x[0] < y[0] ? y[0] : x[0]);
COMBINE(last_u8, cl_uchar, y[0] | (x[0] & 0));
LOAD(load_parity, cl_uchar, e[i] & 1);

static const struct subject sums = { FOLD(.name = "sums", SUM), ON_U32, WORDS };
static const struct subject sum_stored = {
    FOLD(.name = "stored sums", SUM, .store = "out[at] = item;"), ON_U32, WORDS
};
static const struct subject parities = { FOLD(.name = "parities", .op = CLFOLD_BIT_XOR,
                                              .type = CLFOLD_U8, .in = CLFOLD_U8,
                                              .load = "x & (uchar)1"),
                                         .size = 1,
                                         BYTES,
                                         .load = load_parity,
                                         .identity = zeros,
                                         .combine = xor_u8 };
static const struct subject lasts = { FOLD(.name = "lasts", .type = CLFOLD_U8,
                                           .combine = "b"),
                                      .size = 1, BYTES, .combine = last_u8 };
static const struct subject maps = { FOLD(.name = "maps", PAIRS), ON_PAIRS, WORDS };
static const struct subject most = { FOLD(.name = "most", .op = CLFOLD_MAX,
                                          .type = CLFOLD_F32),
                                     .size = 4,
                                     .most = 4,
                                     .is_real = true,
                                     .identity = &least_f32,
                                     .combine = most_f32 };
static const struct subject sum_of_stream = {
    FOLD(.name = "sums and a stream", SUM_OF(CLFOLD_F32), ARGS(ARG_Y, 1)), ON_F32
};
static const struct subject sums_of_padded = { FOLD(.name = "sums of structs", PADDED,
                                                    .identity = "{ 0, 0 }"),
                                               ON_PADDED, .identity = zeros, .most = 7 };

static void fill_flat(void *elements, size_t count, uint64_t seed)
{
    unsigned char *e = elements;

    for (size_t i = 0; i < count; ++i) {
        e[i] = (unsigned char)(i / (1 + seed % 700));
    }
}

static const struct subject flat = { FOLD(.name = "long runs", .type = CLFOLD_U8),
                                     .size = 1, .fill = fill_flat };

const struct select_subject select_subjects[NUM_SELECT_SUBJECTS] = {
    { &floats, { "x > 2", .keeps = above_2 } },
    { &floats, { "item > 2.0f", .keeps = above_2 } },
    { &bytes, { "to_i32(x) & 1", .keeps = is_odd } },
    { &bytes, { "x & 1", .keeps = is_odd } },
    { &words, { "x", .keeps = is_some } },
    { &words, { "(x != 0) & (to_u32(i) < to_u32(n))", .keeps = is_some } },
    { &words, { "i == 0 || in[i - 1] < x", .keeps = rises } },
    { &indices, { "x > 2", .keeps = above_2 } },
    { &quotients, { "x != 0", .keeps = is_some } },
    { &sixteenths, { "item > 5", .keeps = is_large } },
    { &pairs, { "(x.a + x.b + to_u32(n)) % 2 == 0", .keeps = is_sum_even } },
    { &pairs, { "(item.a + item.b + to_u32(n)) % 2 == 0", .keeps = is_sum_even } },
    { &stored, { "x > 2", .keeps = above_2 } },
    { &opaque, { "x.x < x.w", .keeps = is_long } },
    { &padded, { "x.last > 2", .keeps = is_last_some } },
    { &padded, { "item.last > 2", .keeps = is_last_some } },
    { &with_stream, { "x > y", .keeps = is_above_y } },
    { &floats, { "a == b", .keeps = starts_floats, .are_runs = true } },
    { &bytes, { "!(a != b)", .keeps = starts_bytes, .are_runs = true } },
    { &bytes, { "a + 1 == b + 1", .keeps = starts_bytes, .are_runs = true } },
    { &words,
      { "to_u32(a) / 4 == to_u32(b) / 4", .keeps = starts_words, .are_runs = true } },
    { &sixteenths,
      { "(a > 5) == (b > 5)", .keeps = starts_sixteenths, .are_runs = true } },
    { &pairs, { "(a.a >> 31) == (b.a >> 31)", .keeps = starts_pairs, .are_runs = true } },
    { &opaque, { "a.x % 3 == b.x % 3", .keeps = starts_opaque, .are_runs = true } },
    { &padded, { "a.last == b.last", .keeps = starts_padded, .are_runs = true } },
    { &flat, { "a == b", .keeps = starts_bytes, .are_runs = true } },
    { &sums, { "item % 3u == 0", .scans = true, .keeps_item = is_third } },
    { &sums, { "(item ^ prev) & 4", .scans = true, .keeps_item = crosses } },
    { &sums, { "x > 3 && item > prev", .scans = true, .keeps_item = grows } },
    { &parities, { "to_i32(item)", .scans = true, .keeps_item = is_inside } },
    { &lasts, { "to_u32(item) & 64", .scans = true, .keeps_item = is_64 } },
    { &maps, { "(item.a ^ prev.b) & 1", .scans = true, .keeps_item = is_odd_map } },
    { &most, { "item > 2.0f", .scans = true, .keeps_item = is_above } },
    { &sum_stored, { "item % 3 == 0", .scans = true, .keeps_item = is_third } },
    { &sum_of_stream,
      { "item > 100 * y", .scans = true, .keeps_item = is_above_stream } },
    { &sums_of_padded, { "item.last > 2", .scans = true, .keeps_item = is_some_padded } },
};

const struct subject *plain_subject(clfold_type type)
{
    static struct subject subjects[LAST_TYPE + 1];

    subjects[type] = (struct subject){ .fold = { .name = name_of(type), .type = type },
                                       .size = size_of(type),
                                       .most = UINT32_MAX };
    return &subjects[type];
}
