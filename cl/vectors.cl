/*
 * Elements as vectors of 16: how they are loaded, and asked for ahead.
 *
 * Loads are vload16 at element alignment, so any offset and any address works, and
 * association does not depend on either. Where memory is the limit, an unaligned one is
 * as fast as an aligned one.
 *
 * needs: contract.cl, count.cl, element.cl
 * needs if CLFOLD_TEXT_SEGMENTS: text_segments.cl
 */
/* 16 scalars at any address. */
#if CLFOLD_IN_STRUCT
#elif CLFOLD_LOADS_32
/* Where a line takes one load and one add, a core has more than a page of lines under
 * way, and a Zen 4 then reads more slowly; with loads of 32 bytes fewer lines are. See
 * docs/performance.md. The loads are volatile, or the compiler would join them. */
typedef volatile ulong4 clfold_32_bytes __attribute__((aligned(sizeof(CLFOLD_IN))));

typedef char clfold_loads_are_whole[sizeof(CLFOLD_IN16) == 32 * CLFOLD_LOADS_32 ? 1 : -1];

static CLFOLD_IN16 clfold_load_32(global const CLFOLD_IN *from)
{
    union { CLFOLD_IN16 v; ulong4 parts[CLFOLD_LOADS_32]; } r;

#pragma unroll
    for (uint k = 0; k < CLFOLD_LOADS_32; ++k)
        r.parts[k] = ((global const clfold_32_bytes *)from)[k];
    return r.v;
}
#define CLFOLD_VLOAD16(k, from) clfold_load_32((from) + 16 * (k))
#elif CLFOLD_BUILTINS
/* PoCL's vload16 is two loads, and shuffles load their part of one again. */
typedef CLFOLD_IN16 clfold_in16_anywhere __attribute__((aligned(sizeof(CLFOLD_IN))));
#define CLFOLD_VLOAD16(k, from) (((global const clfold_in16_anywhere *)(from))[k])
#else
#define CLFOLD_VLOAD16(k, from) vload16(k, from)
#endif

/* The even and the odd ones of two vectors, in place. */
#define CLFOLD_PART(type16, x, y)                                                        \
    do {                                                                                 \
        const type16 clfold_even = (type16)((x).even, (y).even);                         \
        y = (type16)((x).odd, (y).odd);                                                  \
        x = clfold_even;                                                                 \
    } while (0)
#define CLFOLD_JOIN_NAMES(a, b) a##b
#if CLFOLD_SCALARS > 1 || CLFOLD_COMPONENTS > 1
/*
 * Vectors of 16 tuples side by side become one vector a component, in place.
 *
 *   two      a0 b0 a1 b1 ... a7 b7     .even of both: a0 a1 ... a15
 *            a8 b8 a9 b9 ... a15 b15   .odd of both:  b0 b1 ... b15
 *   four     the same twice, since a and c are the even ones of a, b, c, d
 *   three    a0 b0 c0 a1 ... a5, b5 c5 a6 ... b10, c10 a11 ... c15: every third
 */
#define CLFOLD_PARTS_1(type16, s)
#define CLFOLD_PARTS_2(type16, s) CLFOLD_PART(type16, s[0], s[1])
#define CLFOLD_PARTS_3(type16, s)                                                        \
    do {                                                                                 \
        const type16 x = s[0], y = s[1], z = s[2];                                       \
        s[0] = (type16)(x.s0369, x.scf, y.s258b, y.se, z.s147a, z.sd);                   \
        s[1] = (type16)(x.s147a, x.sd, y.s0369, y.scf, z.s258b, z.se);                   \
        s[2] = (type16)(x.s258b, x.se, y.s147a, y.sd, z.s0369, z.scf);                   \
    } while (0)
#define CLFOLD_PARTS_4(type16, s)                                                        \
    do {                                                                                 \
        CLFOLD_PART(type16, s[0], s[1]);                                                 \
        CLFOLD_PART(type16, s[2], s[3]);                                                 \
        CLFOLD_PART(type16, s[0], s[2]);                                                 \
        CLFOLD_PART(type16, s[1], s[3]);                                                 \
    } while (0)
#define CLFOLD_PARTS_OF(num)         CLFOLD_JOIN_NAMES(CLFOLD_PARTS_, num)
#define CLFOLD_PARTS(num, type16, s) CLFOLD_PARTS_OF(num)(type16, s)
#else
#define CLFOLD_PARTS(num, type16, s)
#endif

/* A member of 16 structs. */
#define CLFOLD_GATHER(type16, s, name)                                                   \
    (type16)((s)[0].name, (s)[1].name, (s)[2].name, (s)[3].name, (s)[4].name,            \
             (s)[5].name, (s)[6].name, (s)[7].name, (s)[8].name, (s)[9].name,            \
             (s)[10].name, (s)[11].name, (s)[12].name, (s)[13].name, (s)[14].name,       \
             (s)[15].name)

/* The positions of 16 elements. */
static uint16 clfold_places(uint j)
{
    return j + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* The lanes one by one. */
typedef struct {
    union { $stage16 v; $stage s[16]; } $name;
} clfold_lanes;

/* The scalars of 16 elements, a vector each. Not in a loop: PoCL 3.1 keeps it, and the
 * vectors in memory. */
#define CLFOLD_READ_1(s, from) s[0] = CLFOLD_VLOAD16(0, from)
#define CLFOLD_READ_2(s, from)                                                           \
    CLFOLD_READ_1(s, from);                                                              \
    s[1] = CLFOLD_VLOAD16(1, from)
#define CLFOLD_READ_3(s, from)                                                           \
    CLFOLD_READ_2(s, from);                                                              \
    s[2] = CLFOLD_VLOAD16(2, from)
#define CLFOLD_READ_4(s, from)                                                           \
    CLFOLD_READ_3(s, from);                                                              \
    s[3] = CLFOLD_VLOAD16(3, from)
#define CLFOLD_READ_OF(num) CLFOLD_JOIN_NAMES(CLFOLD_READ_, num)
#define CLFOLD_READ16(s, from)                                                           \
    CLFOLD_IN16 s[CLFOLD_SCALARS];                                                       \
    CLFOLD_READ_OF(CLFOLD_SCALARS)(s, from);                                             \
    CLFOLD_PARTS(CLFOLD_SCALARS, CLFOLD_IN16, s)

#if (CLFOLD_LOADS_X && !CLFOLD_LOAD_LANES) ||                                            \
    (CLFOLD_WRITES_X && !CLFOLD_WRITE_LANES) || (CLFOLD_KEEPS_X && !CLFOLD_KEEP_LANES)

/* 16 elements as texts of the fold's see them. */
static CLFOLD_X16 clfold_x16_of(global const CLFOLD_IN *from)
{
    CLFOLD_X16 x;

    CLFOLD_READ16(s, from);
#if CLFOLD_X_ITEM
    $x = convert_$result16($wide_load);
#else
    CLFOLD_FILL_X16(x, s);
#endif
    return x;
}

#endif

#if CLFOLD_LOAD || CLFOLD_WRITES || CLFOLD_SELECTS

/* A stream's: CLFOLD_VLOAD_FROM(float, y). */
#define CLFOLD_VLOAD_FROM(type, from) vload16(0, from)

/* The indices of 16 elements. */
static ulong16 clfold_indices(ulong i)
{
    return i + (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

#endif

#if CLFOLD_TEXT_SEGMENTS

typedef struct {
    ulong16 segment, rank;
} clfold_segment16;

#if CLFOLD_TEXT_OFFSETS

/* As clfold_segment_of, from one segment that starts in the 16 to the next. Of many empty
 * ones each lane finds its own. */
static clfold_segment16 clfold_segment16_of(ulong i CLFOLD_WITH)
{
    const clfold_segment first = clfold_segment_of(i CLFOLD_PASS);
    const ulong num = clfold_true_num(clfold_num_segments CLFOLD_PASS);
    const int16 lanes = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    int16 over = 0, start = 0; /* segments after the first; where the last of them is */
    clfold_segment16 r;
    uint more = 16;

    for (ulong s = first.segment + 1; s < num && more > 0; ++s, --more) {
        const ulong at = clfold_start_of(s CLFOLD_PASS);
        if (at >= i + 16)
            break;
        const int16 behind = lanes >= (int)(at - i);
        over -= behind;
        start = behind ? (int)(at - i) : start;
    }
    r.segment = first.segment + convert_ulong16(over);
    r.rank = convert_ulong16(lanes - start) + (convert_ulong16(over == 0) & first.rank);
    if (more == 0) {
        union { ulong16 v; ulong s[16]; } segments, ranks;
        ulong near = first.segment;
        for (uint k = 0; k < 16; ++k) {
            const clfold_segment own = clfold_segment_from(near, i + k CLFOLD_PASS);
            segments.s[k] = near = own.segment;
            ranks.s[k] = own.rank;
        }
        r.segment = segments.v;
        r.rank = ranks.v;
    }
    return r;
}

#else

/* As clfold_segment_of. Where no more than one row or line of columns ends in 16
 * elements, there is no division of vectors. */
static clfold_segment16 clfold_segment16_of(ulong i CLFOLD_WITH)
{
    const ulong line = clfold_width == 1 ? clfold_length : clfold_width;
    clfold_segment16 r;

    if (line >= 16) {
        const clfold_segment first = clfold_segment_of(i CLFOLD_PASS);
        const ulong at = clfold_width == 1 ? first.rank : first.segment % clfold_width;
        const ulong16 over = as_ulong16(clfold_indices(at) >= line);
        const ulong16 places = clfold_indices(at) - (over & line);
        if (clfold_width == 1) {
            r.rank = places;
            r.segment = first.segment - over;
        } else {
            const ulong16 down = first.rank - over;
            const ulong16 next = as_ulong16(down >= clfold_length);
            r.rank = down & ~next;
            r.segment = first.segment - at + (next & clfold_width) + places;
        }
    } else {
        const ulong16 is = clfold_indices(i);
        const ulong16 rest = is % (clfold_width * clfold_length);
        r.rank = rest / clfold_width;
        r.segment = is / (clfold_width * clfold_length) * clfold_width +
                    rest % clfold_width;
    }
    return r;
}

#endif

#endif

/* 16 elements of the tile that starts at `begin`, from position j on. */
#if CLFOLD_LOAD_LANES

/* Elements of 16 of one segment. */
#define CLFOLD_SAME(k)                                                                   \
    const clfold_segment own##k = { segments.s[0], ranks.s[0] + k };                     \
    const clfold_stage x##k = clfold_load_own(in, begin, j + k, own##k CLFOLD_PASS)
#define CLFOLD_SAME_4(k, l, m, n)                                                        \
    CLFOLD_SAME(k);                                                                      \
    CLFOLD_SAME(l);                                                                      \
    CLFOLD_SAME(m);                                                                      \
    CLFOLD_SAME(n)
#define CLFOLD_SAME_16(m)                                                                \
    x0.m, x1.m, x2.m, x3.m, x4.m, x5.m, x6.m, x7.m, x8.m, x9.m, x10.m, x11.m, x12.m,     \
        x13.m, x14.m, x15.m

static clfold_stage16 clfold_load16(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    clfold_lanes lanes;
    clfold_stage16 r;

#if CLFOLD_LOADS_SEGMENT
    union { ulong16 v; ulong s[16]; } segments, ranks;
    const ulong i = begin + j - clfold_origin;
    const clfold_segment16 owns = clfold_segment16_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS);
    segments.v = owns.segment;
    ranks.v = owns.rank;
    if (segments.s[0] == segments.s[15] && ranks.s[15] == ranks.s[0] + 15) {
        /* Not by lanes in memory, which are read back late. */
        CLFOLD_SAME_4(0, 1, 2, 3);
        CLFOLD_SAME_4(4, 5, 6, 7);
        CLFOLD_SAME_4(8, 9, 10, 11);
        CLFOLD_SAME_4(12, 13, 14, 15);
        r.$name = ($stage16)(CLFOLD_SAME_16($name));
        return r;
    }
    /* Not as vectors, for compilers make gathers then: in[segment] took 5 times as long.
     */
#pragma clang loop unroll(disable) vectorize(disable)
    for (uint k = 0; k < 16; ++k) {
        const clfold_segment own = { segments.s[k], ranks.s[k] };
        const clfold_stage x = clfold_load_own(in, begin, j + k, own CLFOLD_PASS);
        lanes.$name.s[k] = x.$name;
    }
#else
#pragma unroll
    for (uint k = 0; k < 16; ++k) {
        const clfold_stage x = clfold_load(in, begin, j + k CLFOLD_PASS);
        lanes.$name.s[k] = x.$name;
    }
#endif
    r.$name = lanes.$name.v;
    return r;
}

#else

static clfold_stage16 clfold_load16(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    global const CLFOLD_IN *from = in + (begin + j) * CLFOLD_SCALARS;
    clfold_stage16 r;

#if CLFOLD_LOAD
#if CLFOLD_LOADS_X
    const CLFOLD_X16 x = clfold_x16_of(from);
#endif
    const ulong i = begin + j - clfold_origin;
#if CLFOLD_LOADS_SEGMENT
    const clfold_segment16 own = clfold_segment16_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS);
#endif
    const clfold_loaded16 l = CLFOLD_LOAD_CALL16(x, from, i);
    r.$name = convert_$stage16($wide_loaded);
#else
#if !CLFOLD_IN_STRUCT
    CLFOLD_READ16(s, from);
#endif
    r.$name = convert_$stage16($wide_load);
#endif
    return r;
}

#endif

#if !CLFOLD_OPAQUE

static clfold_lanes clfold_lanes_of(clfold_stage16 x)
{
    clfold_lanes lanes;

    lanes.$name.v = x.$name;
    return lanes;
}

static clfold_stage clfold_lane(const clfold_lanes *lanes, uint i)
{
    clfold_stage x;

    x.$name = lanes->$name.s[i];
    return x;
}

#endif

#if CLFOLD_PREFETCH

/* Asks for the lines of so many bytes. An invalid address is harmless. */
static void clfold_ask_bytes(ulong address, uint bytes)
{
#pragma unroll
    for (uint b = 0; b < bytes; b += 64)
        __builtin_prefetch((const void *)(address + b), 0, 3);
}

/* Asks for `num` elements, 16 or more, from `at` on. */
static void clfold_ask(global const CLFOLD_IN *in, ulong at, uint num CLFOLD_WITH)
{
#if CLFOLD_READS_IN
    clfold_ask_bytes((ulong)(in + at * CLFOLD_SCALARS),
                     num * sizeof(CLFOLD_IN) * CLFOLD_SCALARS);
#endif
    CLFOLD_ASK_STREAMS(at - clfold_origin, num)
}

#else
static void clfold_ask(global const CLFOLD_IN *in, ulong at, uint num CLFOLD_WITH)
{
}
#endif
