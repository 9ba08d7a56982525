/*
 * A tile is one work-item's: explicit vectors of 16, no barrier, no local memory. For CPU
 * devices, where a work-group runs on one thread and vectors are what the hardware has.
 *
 * Loads are vload16 at element alignment, so any offset and any address works, and
 * association does not depend on either. An unaligned vload16 is as fast as an aligned
 * one where memory is the limit (2^26 floats, PoCL 3.1 and Intel's CPU runtime: within 3
 * %).
 */

/* As in a group's tile, but private: the result, and an item for the strategy. */
typedef private clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory) private clfold_item memory[2]
#define CLFOLD_KEPT 1

/* 16 scalars at any address. PoCL's vload16 is two loads, and shuffles load their part of
 * one again. */
#if CLFOLD_IN_STRUCT
#elif CLFOLD_BUILTINS
typedef CLFOLD_IN16 clfold_in16_anywhere __attribute__((aligned(sizeof(CLFOLD_IN))));
#define CLFOLD_VLOAD16(k, from) (((global const clfold_in16_anywhere *)(from))[k])
#else
#define CLFOLD_VLOAD16(k, from) vload16(k, from)
#endif

/*
 * Vectors of 16 tuples side by side become one vector a component, in place.
 *
 *   two      a0 b0 a1 b1 ... a7 b7     .even of both: a0 a1 ... a15
 *            a8 b8 a9 b9 ... a15 b15   .odd of both:  b0 b1 ... b15
 *   four     the same twice, since a and c are the even ones of a, b, c, d
 *   three    a0 b0 c0 a1 ... a5, b5 c5 a6 ... b10, c10 a11 ... c15: every third
 */
#define CLFOLD_PART(type16, x, y)                                                        \
    do {                                                                                 \
        const type16 clfold_even = (type16)((x).even, (y).even);                         \
        y = (type16)((x).odd, (y).odd);                                                  \
        x = clfold_even;                                                                 \
    } while (0)
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
#define CLFOLD_JOIN_NAMES(a, b)      a##b
#define CLFOLD_PARTS_OF(num)         CLFOLD_JOIN_NAMES(CLFOLD_PARTS_, num)
#define CLFOLD_PARTS(num, type16, s) CLFOLD_PARTS_OF(num)(type16, s)

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

/* 16 elements of the tile that starts at `begin`, from position j on, component by
 * component. Members of a struct differ in size, so it is loaded lane by lane. */
#if CLFOLD_LOAD_LANES

static clfold_stage16 clfold_load16(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    clfold_lanes lanes;
    clfold_stage16 r;

#pragma unroll
    for (uint k = 0; k < 16; ++k) {
        const clfold_stage x = clfold_load(in, begin, j + k CLFOLD_PASS);
        lanes.$name.s[k] = x.$name;
    }
    r.$name = lanes.$name.v;
    return r;
}

#else

/* A stream's: CLFOLD_VLOAD_FROM(float, y). */
#define CLFOLD_VLOAD_FROM(type, from) vload16(0, from)

/* The indices of 16 elements. */
static ulong16 clfold_indices(ulong i)
{
    return i + (ulong16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

static clfold_stage16 clfold_load16(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    global const CLFOLD_IN *from = in + (begin + j) * CLFOLD_SCALARS;
    clfold_stage16 r;

#if CLFOLD_LOAD && !CLFOLD_READS_X
#elif CLFOLD_IN_STRUCT
    r.$name = CLFOLD_GATHER($stage16, from, $name);
#else
    CLFOLD_IN16 s[CLFOLD_SCALARS];

    /* Not in a loop: PoCL 3.1 keeps it, and the vectors in memory. */
    s[0] = CLFOLD_VLOAD16(0, from);
#if CLFOLD_SCALARS > 1
    s[1] = CLFOLD_VLOAD16(1, from);
#endif
#if CLFOLD_SCALARS > 2
    s[2] = CLFOLD_VLOAD16(2, from);
#endif
#if CLFOLD_SCALARS > 3
    s[3] = CLFOLD_VLOAD16(3, from);
#endif
    CLFOLD_PARTS(CLFOLD_SCALARS, CLFOLD_IN16, s);
#if CLFOLD_LOAD && !CLFOLD_X_ITEM
    CLFOLD_X16 x;
    CLFOLD_FILL_X16(x, s);
#elif CLFOLD_LOAD
    CLFOLD_X16 x;
    $x = convert_$result16($wide_load);
#else
    r.$name = convert_$stage16($wide_load);
#endif
#endif
#if CLFOLD_LOAD
    const ulong i = begin + j - clfold_origin;
    const clfold_loaded16 l = CLFOLD_LOAD_CALL16(x, from, i);
    r.$name = convert_$stage16($wide_loaded);
#endif
    return r;
}

#endif

#if !CLFOLD_OPAQUE

/*
 * Combines neighbours, in order: 32 elements become 16.
 *
 *   x  x0 x1 x2 x3 ... x15    y  y0 y1 ... y15
 *      x0x1 x2x3 ... x14x15 y0y1 ... y14y15     (x0x1: x0 op x1)
 */
static clfold_stage16 clfold_pairs(clfold_stage16 x, clfold_stage16 y CLFOLD_WITH)
{
    clfold_stage16 left, right;

    left.$name = ($stage16)(x.$name.even, y.$name.even);
    right.$name = ($stage16)(x.$name.odd, y.$name.odd);
    return clfold_combine_stage16(left, right CLFOLD_PASS);
}

/* Folds the lanes, in order. The upper lanes repeat the lower ones, so the operator sees
 * nothing but elements. */
static clfold_stage clfold_join(clfold_stage16 x CLFOLD_WITH)
{
    clfold_stage total;

    x = clfold_pairs(x, x CLFOLD_PASS);
    x = clfold_pairs(x, x CLFOLD_PASS);
    x = clfold_pairs(x, x CLFOLD_PASS);
    x = clfold_pairs(x, x CLFOLD_PASS);
    total.$name = x.$name.s0;
    return total;
}

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

#define CLFOLD_ELEMENT_SIZE (sizeof(CLFOLD_IN) * CLFOLD_SCALARS)

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
#if !CLFOLD_LOAD || CLFOLD_READS_X
    clfold_ask_bytes((ulong)(in + at * CLFOLD_SCALARS), num * CLFOLD_ELEMENT_SIZE);
#endif
#if CLFOLD_LOAD
    CLFOLD_ASK_STREAMS(at - clfold_origin, num)
#endif
}

#else
static void clfold_ask(global const CLFOLD_IN *in, ulong at, uint num CLFOLD_WITH)
{
}
#endif

#if CLFOLD_OPAQUE

/* A type that has no vectors has a file that folds 16 elements at once; see below. */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count, uint ahead CLFOLD_WITH);

#elif CLFOLD_COMMUTATIVE

/*
 * The elements from begin on, a multiple of 16 and at least 16 of them. Lane j of four
 * accumulators takes every 64th element: four chains hide the latency of a float add.
 *
 * If `ahead` is not 0 and CLFOLD_PREFETCH is 1, elements are asked for that much ahead.
 */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count, uint ahead CLFOLD_WITH)
{
    clfold_stage16 x = clfold_load16(in, begin, 0 CLFOLD_PASS);
    uint i = 16;

    if (count >= 128) {
        clfold_stage16 y = clfold_load16(in, begin, 16 CLFOLD_PASS);
        clfold_stage16 z = clfold_load16(in, begin, 32 CLFOLD_PASS);
        clfold_stage16 w = clfold_load16(in, begin, 48 CLFOLD_PASS);
        for (i = 64; i + 64 <= count; i += 64) {
            if (ahead > 0)
                clfold_ask(in, begin + i + ahead, 64 CLFOLD_PASS);
            x = clfold_extend_stage16(x, clfold_load16(in, begin, i CLFOLD_PASS)
                                             CLFOLD_PASS);
            y = clfold_extend_stage16(y, clfold_load16(in, begin, i + 16 CLFOLD_PASS)
                                             CLFOLD_PASS);
            z = clfold_extend_stage16(z, clfold_load16(in, begin, i + 32 CLFOLD_PASS)
                                             CLFOLD_PASS);
            w = clfold_extend_stage16(w, clfold_load16(in, begin, i + 48 CLFOLD_PASS)
                                             CLFOLD_PASS);
        }
        x = clfold_combine_stage16(clfold_combine_stage16(x, y CLFOLD_PASS),
                                   clfold_combine_stage16(z, w CLFOLD_PASS) CLFOLD_PASS);
    }
    for (; i < count; i += 16)
        x = clfold_extend_stage16(x, clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS);
    return clfold_join(x CLFOLD_PASS);
}

#else

/* 64 elements in order, as 16 lanes of 4 neighbours each. */
static clfold_stage16 clfold_fold_64(global const CLFOLD_IN *in, ulong begin,
                                     uint j CLFOLD_WITH)
{
    clfold_stage16 x =
        clfold_pairs(clfold_load16(in, begin, j CLFOLD_PASS),
                     clfold_load16(in, begin, j + 16 CLFOLD_PASS) CLFOLD_PASS);
    clfold_stage16 y =
        clfold_pairs(clfold_load16(in, begin, j + 32 CLFOLD_PASS),
                     clfold_load16(in, begin, j + 48 CLFOLD_PASS) CLFOLD_PASS);

    return clfold_pairs(x, y CLFOLD_PASS);
}

/* 256 elements in order, as 16 lanes of 16 neighbours each: for 15 vector combines, where
 * reordering would take 16. */
static clfold_lanes clfold_fold_256(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    clfold_stage16 x =
        clfold_pairs(clfold_fold_64(in, begin, j CLFOLD_PASS),
                     clfold_fold_64(in, begin, j + 64 CLFOLD_PASS) CLFOLD_PASS);
    clfold_stage16 y =
        clfold_pairs(clfold_fold_64(in, begin, j + 128 CLFOLD_PASS),
                     clfold_fold_64(in, begin, j + 192 CLFOLD_PASS) CLFOLD_PASS);

    return clfold_lanes_of(clfold_pairs(x, y CLFOLD_PASS));
}

#if CLFOLD_CUTS

/* The first element that the fold of `count` needs, a multiple of 16 like `count`: a cut
 * makes all before it irrelevant. Checks elements first, since that is cheap, then the
 * fold of 16, since the bits are the same only if that cuts. */
static uint clfold_last_cut(global const CLFOLD_IN *in, ulong begin,
                            uint count CLFOLD_WITH)
{
    for (uint i = count; i > 16; i -= 16) {
        const clfold_stage16 x = clfold_load16(in, begin, i - 16 CLFOLD_PASS);
        if (clfold_any_cuts(x CLFOLD_PASS) &&
            clfold_cuts(clfold_join(x CLFOLD_PASS) CLFOLD_PASS))
            return i - 16;
    }
    return 0;
}

#else

static uint clfold_last_cut(global const CLFOLD_IN *in, ulong begin,
                            uint count CLFOLD_WITH)
{
    return 0;
}

#endif

/* The elements from begin on, a multiple of 16 and at least 16 of them, in order: a left
 * fold of trees over 16 neighbours. */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count, uint ahead CLFOLD_WITH)
{
    uint i = clfold_last_cut(in, begin, count CLFOLD_PASS);
    clfold_stage total = clfold_join(clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS);

    i += 16;
    for (; i + 256 <= count; i += 256) {
        const clfold_lanes lanes = clfold_fold_256(in, begin, i CLFOLD_PASS);
        for (uint k = 0; k < 16; ++k)
            total = clfold_combine_stage(total, clfold_lane(&lanes, k) CLFOLD_PASS);
    }
    for (; i < count; i += 16)
        total = clfold_combine_stage(
            total,
            clfold_join(clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS) CLFOLD_PASS);
    return total;
}

#endif

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. The result is left in memory[0]. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    uint i = count / 16 * 16;
    clfold_stage total;

    if (i > 0)
        total = clfold_fold_vectors(in, begin, i, ahead CLFOLD_PASS);
    else
        total = clfold_load(in, begin, i++ CLFOLD_PASS);
    for (; i < count; ++i)
        total = clfold_combine_stage(total,
                                     clfold_load(in, begin, i CLFOLD_PASS) CLFOLD_PASS);
    memory[0] = clfold_empty(total, index);
}

#ifndef CLFOLD_SCAN

/* The fold of the first `num` items. */
static void clfold_tile_fold_items(global const clfold_item *items, uint num,
                                   clfold_memory memory CLFOLD_WITH)
{
    for (uint i = 0; i < num; ++i)
        memory[0] = i == 0 ? items[0] : clfold_combine(memory[0], items[i] CLFOLD_PASS);
}

#endif
