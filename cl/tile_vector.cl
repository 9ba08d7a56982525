/*
 * A tile is one work-item's: explicit vectors of 16, no barrier, no local memory. For CPU
 * devices, where a work-group runs on one thread and vectors are what the hardware has.
 *
 * Loads are vload16 at element alignment, so any offset and any address is right, and
 * association does not depend on either. An unaligned vload16 is as fast as an aligned
 * one where the memory is the limit (2^26 floats, PoCL 3.1 and Intel's CPU runtime:
 * within 3 %).
 */

/* As a group's tile has it, but private: the result, and an item for the strategy. */
typedef private clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory) private clfold_item memory[2]
#define CLFOLD_KEPT 1

/* 16 scalars at any address. PoCL's vload16 is of two loads, and what shuffles take of
 * one of them is loaded once more. */
#if CLFOLD_BUILTINS
typedef CLFOLD_IN16 clfold_in16_anywhere __attribute__((aligned(sizeof(CLFOLD_IN))));
#define CLFOLD_VLOAD16(k, from) (((global const clfold_in16_anywhere *)(from))[k])
#else
#define CLFOLD_VLOAD16(k, from) vload16(k, from)
#endif

#if CLFOLD_SCALARS > 1

/* x0 x1 ... x15, y0 y1 ... y15 become x0 x2 ... y14, x1 x3 ... y15. */
static void clfold_part(CLFOLD_IN16 *x, CLFOLD_IN16 *y)
{
    const CLFOLD_IN16 even = (CLFOLD_IN16)(x->even, y->even);

    *y = (CLFOLD_IN16)(x->odd, y->odd);
    *x = even;
}

#endif

/*
 * 16 elements of the tile that starts at `begin`, from position j on, component by
 * component.
 *
 *   two scalars:   a0 b0 a1 b1 ... a7 b7     .even of both: a0 a1 ... a15
 *                  a8 b8 a9 b9 ... a15 b15   .odd of both:  b0 b1 ... b15
 *   four scalars:  the same twice, since a and c are the even ones of a, b, c, d
 */
static clfold_stage16 clfold_load16(global const CLFOLD_IN *in, ulong begin, uint j)
{
    global const CLFOLD_IN *from = in + (begin + j) * CLFOLD_SCALARS;
    CLFOLD_IN16 s[CLFOLD_SCALARS];
    clfold_stage16 r;

    /* Not in a loop: PoCL 3.1 keeps it, and the vectors in memory. */
    s[0] = CLFOLD_VLOAD16(0, from);
#if CLFOLD_SCALARS > 1
    s[1] = CLFOLD_VLOAD16(1, from);
    clfold_part(&s[0], &s[1]);
#endif
#if CLFOLD_SCALARS > 2
    s[2] = CLFOLD_VLOAD16(2, from);
    s[3] = CLFOLD_VLOAD16(3, from);
    clfold_part(&s[2], &s[3]);
    clfold_part(&s[0], &s[2]);
    clfold_part(&s[1], &s[3]);
#endif
#define CLFOLD_PLACES                                                                    \
    (j + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#define CLFOLD_LOAD16(k, name, stage, item, result)                                      \
    r.name = convert_##stage##16(CLFOLD_LOAD16_##k(s, CLFOLD_PLACES));
    CLFOLD_EACH(CLFOLD_LOAD16)
    return r;
}

/*
 * Combines neighbours, in order: 32 elements become 16.
 *
 *   x  x0 x1 x2 x3 ... x15    y  y0 y1 ... y15
 *      x0x1 x2x3 ... x14x15 y0y1 ... y14y15     (x0x1: x0 op x1)
 */
static clfold_stage16 clfold_pairs(clfold_stage16 x, clfold_stage16 y)
{
    clfold_stage16 left, right;
#define CLFOLD_PAIRS(k, name, stage, item, result)                                       \
    left.name = (stage##16)(x.name.even, y.name.even);                                   \
    right.name = (stage##16)(x.name.odd, y.name.odd);
    CLFOLD_EACH(CLFOLD_PAIRS)
    return clfold_combine_stage16(left, right);
}

/* Folds the lanes, in order. The upper lanes repeat the lower ones, so the operator sees
 * nothing but elements. */
static clfold_stage clfold_join(clfold_stage16 x)
{
    clfold_stage total;

    x = clfold_pairs(x, x);
    x = clfold_pairs(x, x);
    x = clfold_pairs(x, x);
    x = clfold_pairs(x, x);
#define CLFOLD_FIRST_LANE(k, name, stage, item, result) total.name = x.name.s0;
    CLFOLD_EACH(CLFOLD_FIRST_LANE)
    return total;
}

/* The lanes one by one. */
#define CLFOLD_LANES_MEMBER(k, name, stage, item, result)                                \
    union {                                                                              \
        stage##16 v;                                                                     \
        stage s[16];                                                                     \
    } name;
typedef struct {
    CLFOLD_EACH(CLFOLD_LANES_MEMBER)
} clfold_lanes;

static clfold_lanes clfold_lanes_of(clfold_stage16 x)
{
    clfold_lanes lanes;
#define CLFOLD_LANES_SET(k, name, stage, item, result) lanes.name.v = x.name;
    CLFOLD_EACH(CLFOLD_LANES_SET)
    return lanes;
}

static clfold_stage clfold_lane(const clfold_lanes *lanes, uint i)
{
    clfold_stage x;
#define CLFOLD_LANE_GET(k, name, stage, item, result) x.name = lanes->name.s[i];
    CLFOLD_EACH(CLFOLD_LANE_GET)
    return x;
}

/* Asks for the 64 elements that lie CLFOLD_AHEAD bytes behind those at j: for every
 * second line of 64 bytes, since cores fetch its neighbour too; 64 bytes are but one.
 * Addresses past the buffer's end do no harm. Not in a loop, whose rounds some devices
 * count. */
#if CLFOLD_AHEAD
#define CLFOLD_AHEAD_LINE(k)                                                             \
    if ((k) < sizeof(CLFOLD_IN) * CLFOLD_SCALARS)                                        \
        __builtin_prefetch((const void *)(at + CLFOLD_AHEAD + 64 * (k)), 0, 3);
#define CLFOLD_AHEAD_LINES(k)                                                            \
    CLFOLD_AHEAD_LINE(k)                                                                 \
    CLFOLD_AHEAD_LINE((k) + 2)                                                           \
    CLFOLD_AHEAD_LINE((k) + 4)                                                           \
    CLFOLD_AHEAD_LINE((k) + 6)

static void clfold_ask_64(global const CLFOLD_IN *in, ulong begin, uint j)
{
    const ulong at = (ulong)(in + (begin + j) * CLFOLD_SCALARS);

    CLFOLD_AHEAD_LINES(0)
    CLFOLD_AHEAD_LINES(8)
    CLFOLD_AHEAD_LINES(16)
    CLFOLD_AHEAD_LINES(24)
}
#else
#define clfold_ask_64(in, begin, j)
#endif

#if CLFOLD_COMMUTATIVE

/*
 * The elements from begin on, a multiple of 16 and at least 16 of them. Lane j of four
 * accumulators takes every 64th element: four chains hide the latency of a float add.
 *
 * What each part is worth: share of the best read of the same run, an OpenCL or an OpenMP
 * sum, PoCL 3.1 | Intel's CPU runtime 2026.2, 2 cores of an AMD EPYC (Zen 5, 32 MiB of
 * L3, 75 to 88 GB/s), 2^26 items, 1 GiB of buffers in turn, medians of 5 processes of 9
 * rounds (the last two rows: of one process), 2026-11-22.
 *
 *                          add f32     add f64    u8 in u64    min f32     arg-min f32
 *   all of it            0.98 | 0.97 1.00 | 0.95 0.91 | 0.95 1.00 | 0.96  1.01 | 0.99
 *   no prefetch          1.00 | 1.00 1.03 | 1.02 0.88 | 0.89 0.97 | 1.01  0.97 | 0.97
 *   extend = combine        as all      as all    as all      as all      0.89 | 0.91
 *   neither               as above    as above   0.89 | 0.90 0.98 | 0.94  0.84 | 0.86
 *
 * and without prefetch of the sums
 *
 *   2 accumulators       0.98 | 0.98 0.87 | 0.96 0.97 | 0.97 0.99 | 0.96  0.99 | 0.99
 *   8 accumulators       0.98 | 0.98 0.99 | 0.98 0.95 | 0.98 0.86 | 0.81  0.96 | 0.96
 *
 * Runs differ by 5 in a hundred. Prefetch 1, 2, 4 or 8 KiB ahead differ by less but for 1
 * KiB with min on Intel's runtime, 0.79; so do tiles of 16, 64 and 256 KiB, and 32, 256
 * and 512 groups.
 *
 * While memory gives all it has, these cores foresee a plain read, and each instruction
 * that asks once more costs; while others take half of it, asking gains. The table asks
 * for each line. Share of the OpenCL read for f32, f64, i32, i64, five processes in turn,
 * PoCL | Intel's runtime at 84 GB/s, and PoCL at 45:
 *
 *   no prefetch        0.99 0.95 1.01 0.96 | 0.98 0.97 0.98 0.98   0.91 0.88 0.96 0.88
 *   each line          0.95 0.95 0.95 0.93 | 0.95 0.94 0.96 0.91   0.98 1.00 0.98 0.99
 *   every second one   0.99 0.98 1.00 0.98 | 0.96 0.98 0.97 0.97   not seen
 */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count)
{
    clfold_stage16 x = clfold_load16(in, begin, 0);
    uint i = 16;

    if (count >= 128) {
        clfold_stage16 y = clfold_load16(in, begin, 16);
        clfold_stage16 z = clfold_load16(in, begin, 32);
        clfold_stage16 w = clfold_load16(in, begin, 48);
        for (i = 64; i + 64 <= count; i += 64) {
            clfold_ask_64(in, begin, i);
            x = clfold_extend_stage16(x, clfold_load16(in, begin, i));
            y = clfold_extend_stage16(y, clfold_load16(in, begin, i + 16));
            z = clfold_extend_stage16(z, clfold_load16(in, begin, i + 32));
            w = clfold_extend_stage16(w, clfold_load16(in, begin, i + 48));
        }
        x = clfold_combine_stage16(clfold_combine_stage16(x, y),
                                   clfold_combine_stage16(z, w));
    }
    for (; i < count; i += 16)
        x = clfold_extend_stage16(x, clfold_load16(in, begin, i));
    return clfold_join(x);
}

#else

/* 64 elements in order, as 16 lanes of 4 neighbours each. */
static clfold_stage16 clfold_fold_64(global const CLFOLD_IN *in, ulong begin, uint j)
{
    clfold_ask_64(in, begin, j);

    clfold_stage16 x =
        clfold_pairs(clfold_load16(in, begin, j), clfold_load16(in, begin, j + 16));
    clfold_stage16 y =
        clfold_pairs(clfold_load16(in, begin, j + 32), clfold_load16(in, begin, j + 48));

    return clfold_pairs(x, y);
}

/* 256 elements in order, as 16 lanes of 16 neighbours each: for 15 vector combines, where
 * reordering would take 16. */
static clfold_lanes clfold_fold_256(global const CLFOLD_IN *in, ulong begin, uint j)
{
    clfold_stage16 x = clfold_pairs(clfold_fold_64(in, begin, j),
                                    clfold_fold_64(in, begin, j + 64));
    clfold_stage16 y = clfold_pairs(clfold_fold_64(in, begin, j + 128),
                                    clfold_fold_64(in, begin, j + 192));

    return clfold_lanes_of(clfold_pairs(x, y));
}

#if CLFOLD_CUTS

/* From where on the fold of `count` elements must be known, a multiple of 16 as `count`:
 * what cuts takes no account of what is before it. Elements are asked first, since that
 * is cheap, then the fold of 16, since only where that cuts are the bits the same. */
static uint clfold_last_cut(global const CLFOLD_IN *in, ulong begin, uint count)
{
    for (uint i = count; i > 16; i -= 16) {
        const clfold_stage16 x = clfold_load16(in, begin, i - 16);
        if (clfold_any_cuts(x) && clfold_cuts(clfold_join(x)))
            return i - 16;
    }
    return 0;
}

#else
#define clfold_last_cut(in, begin, count) 0u
#endif

/* The elements from begin on, a multiple of 16 and at least 16 of them, in order: a left
 * fold of trees over 16 neighbours. */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count)
{
    uint i = clfold_last_cut(in, begin, count);
    clfold_stage total = clfold_join(clfold_load16(in, begin, i));

    i += 16;
    for (; i + 256 <= count; i += 256) {
        const clfold_lanes lanes = clfold_fold_256(in, begin, i);
        for (uint k = 0; k < 16; ++k)
            total = clfold_combine_stage(total, clfold_lane(&lanes, k));
    }
    for (; i < count; i += 16)
        total = clfold_combine_stage(total, clfold_join(clfold_load16(in, begin, i)));
    return total;
}

#endif

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. The result is left in memory[0]. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, clfold_memory memory)
{
    uint i = count / 16 * 16;
    clfold_stage total;

    if (i > 0)
        total = clfold_fold_vectors(in, begin, i);
    else
        total = clfold_load(in, begin, i++);
    for (; i < count; ++i)
        total = clfold_combine_stage(total, clfold_load(in, begin, i));
    memory[0] = clfold_empty(total, index);
}

#ifndef CLFOLD_SCAN

/* The fold of the first `num` items. */
static void clfold_tile_fold_items(global const clfold_item *items, uint num,
                                   clfold_memory memory)
{
    for (uint i = 0; i < num; ++i)
        memory[0] = i == 0 ? items[0] : clfold_combine(memory[0], items[i]);
}

#endif
