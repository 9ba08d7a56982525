/*
 * Compares the operator's two widths on random lanes; one work-item.
 *
 *   a, b      16 lanes each, any values of their types, with many that are small,
 *             extreme or equal
 *   combined  once as vectors, and lane by lane
 *   out       how many components differ | the first one's number | as a scalar, its bits
 *             | in a vector
 *
 * Integers must be equal, floats within 16 units in the last place or both NaN: built-in
 * functions may round in another way in vectors.
 *
 * needs: contract.cl, vectors.cl
 * needs if CLFOLD_HEADS: heads.cl
 */
#define CLFOLD_ROUNDS 64
#define CLFOLD_ULPS   16

static ulong clfold_random(ulong *state)
{
    ulong bits = *state += 0x9e3779b97f4a7c15ul;

    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ul;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebul;
    return bits ^ bits >> 31;
}

/* An integer: one of four kinds. */
static ulong clfold_draw_bits(ulong *state)
{
    const ulong bits = clfold_random(state);
    const uint kind = (uint)clfold_random(state) % 4;

    return kind == 0   ? bits
           : kind == 1 ? bits % 2
           : kind == 2 ? bits % 16
                       : bits % 3 - 1;
}

/* A float: mostly of a middle size, some whole, zero or infinite, some of any bits. */
static float clfold_draw_real(ulong *state)
{
    const ulong bits = clfold_random(state);
    const uint kind = (uint)clfold_random(state) % 16;
    const float middle = (float)((int)(bits >> 40) - (1 << 23)) * 0x1p-20f;

    return kind < 8    ? middle
           : kind < 14 ? rint(middle)
           : kind == 14 ? (bits % 2 ? INFINITY : -0.0f)
                        : as_float((uint)bits);
}

#define CLFOLD_DRAW_char(state)   ((char)clfold_draw_bits(state))
#define CLFOLD_DRAW_uchar(state)  ((uchar)clfold_draw_bits(state))
#define CLFOLD_DRAW_short(state)  ((short)clfold_draw_bits(state))
#define CLFOLD_DRAW_ushort(state) ((ushort)clfold_draw_bits(state))
#define CLFOLD_DRAW_int(state)    ((int)clfold_draw_bits(state))
#define CLFOLD_DRAW_uint(state)   ((uint)clfold_draw_bits(state))
#define CLFOLD_DRAW_long(state)   ((long)clfold_draw_bits(state))
#define CLFOLD_DRAW_ulong(state)  clfold_draw_bits(state)
#define CLFOLD_DRAW_half(state)   convert_half(clfold_draw_real(state))
#define CLFOLD_DRAW_float(state)  clfold_draw_real(state)
#define CLFOLD_DRAW_double(state) ((double)clfold_draw_real(state))

/* Bits by which values are compared; floats in their order. */
#define CLFOLD_ORDERED(bits, ones) ((bits) < 0 ? (long)(ones) - (bits) : (long)(bits))
#define CLFOLD_BITS_char(x)   ((long)(x))
#define CLFOLD_BITS_uchar(x)  ((long)(x))
#define CLFOLD_BITS_short(x)  ((long)(x))
#define CLFOLD_BITS_ushort(x) ((long)(x))
#define CLFOLD_BITS_int(x)    ((long)(x))
#define CLFOLD_BITS_uint(x)   ((long)(x))
#define CLFOLD_BITS_long(x)   (x)
#define CLFOLD_BITS_ulong(x)  ((long)(x))
#define CLFOLD_BITS_half(x)   CLFOLD_ORDERED(as_short(x), SHRT_MIN)
#define CLFOLD_BITS_float(x)  CLFOLD_ORDERED(as_int(x), INT_MIN)
#define CLFOLD_BITS_double(x) CLFOLD_ORDERED(as_long(x), LONG_MIN)

static bool clfold_is_far(long x, long y, uint ulps)
{
    return x > y ? (ulong)x - (ulong)y > ulps : (ulong)y - (ulong)x > ulps;
}

/* Compares component `number`; `ulps` is 0 for integers. */
#define CLFOLD_COMPARE(type, name, number, ulps)                                         \
    if (clfold_is_far(CLFOLD_BITS_##type(s.name), CLFOLD_BITS_##type(v.name), ulps) &&   \
        !(s.name != s.name && v.name != v.name) && out[0]++ == 0) {                      \
        out[1] = number;                                                                 \
        out[2] = (ulong)CLFOLD_BITS_##type(s.name);                                      \
        out[3] = (ulong)CLFOLD_BITS_##type(v.name);                                      \
    }

/* Where the numbers of what a load, a result and a condition give begin. */
#define CLFOLD_OF_LOAD   8
#define CLFOLD_OF_RESULT 16
#define CLFOLD_OF_KEEP   24

#if CLFOLD_COMPARE_LOADED
static void clfold_compare_loaded(ulong *state, global ulong *out CLFOLD_WITH);
#endif
#if CLFOLD_COMPARE_WRITTEN
static void clfold_compare_written(ulong *state, global ulong *out CLFOLD_WITH);
#endif
#if CLFOLD_COMPARE_KEPT
static void clfold_compare_kept(ulong *state, global ulong *out CLFOLD_WITH);
#endif

CLFOLD_KERNEL void clfold_widths(global ulong *out CLFOLD_WITH)
{
    ulong state = 1;

    out[0] = 0;
    for (uint round = 0; round < CLFOLD_ROUNDS; ++round) {
#if CLFOLD_COMPARE_LOADED
        clfold_compare_loaded(&state, out CLFOLD_PASS);
#endif
#if CLFOLD_COMPARE_WRITTEN
        clfold_compare_written(&state, out CLFOLD_PASS);
#endif
#if CLFOLD_COMPARE_KEPT
        clfold_compare_kept(&state, out CLFOLD_PASS);
#endif
#if !CLFOLD_OPAQUE
        clfold_lanes a, b;
        for (uint k = 0; k < 16; ++k) {
            a.$name.s[k] = CLFOLD_DRAW_$stage(&state);
            b.$name.s[k] = CLFOLD_DRAW_$stage(&state);
#if CLFOLD_HEADS
            a.clfold_head.s[k] = -(a.clfold_head.s[k] & 1);
            b.clfold_head.s[k] = -(b.clfold_head.s[k] & 1);
#endif
        }
        clfold_stage16 x, y;
        x.$name = a.$name.v;
        y.$name = b.$name.v;
        const clfold_lanes together =
            clfold_lanes_of(clfold_combine_stage16(x, y CLFOLD_PASS));
        for (uint k = 0; k < 16; ++k) {
            const clfold_stage v = clfold_lane(&together, k);
            const clfold_stage s = clfold_combine_stage(
                clfold_lane(&a, k), clfold_lane(&b, k) CLFOLD_PASS);
            CLFOLD_COMPARE($stage, $name, $k, $ulps)
        }
#endif
    }
}
