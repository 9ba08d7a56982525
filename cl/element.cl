/*
 * An element as texts of the fold's see it, and what is folded of it:
 *
 *   in         ... s ...          the buffer; a text may read any of it
 *   x          the element        as its scalars, or as the components
 *   l          a load's values    of x, i, the streams at i, ...
 *   stage      the components     of these, or of the scalars
 *
 * `i` counts from in_offset, which is clfold_origin in the buffer. Segments are rows, or
 * blocks of clfold_width columns of clfold_length elements each, or begin at offsets:
 *
 *   width 3, length 2     0  1  2     segment   rank   0  0  0
 *                         0  1  2                      1  1  1
 *                         3  4  5                      0  0  0
 *
 * needs: contract.cl
 * names: CLFOLD_FILL_X, CLFOLD_KEEPS_X, CLFOLD_LOADS_SEGMENT, CLFOLD_LOADS_X
 * names: CLFOLD_LOAD_CALL, CLFOLD_LOAD_INDEX, CLFOLD_REVERSE, CLFOLD_TEXT_OFFSETS
 * names: CLFOLD_TEXT_SEGMENTS, CLFOLD_WRITES_X, CLFOLD_X, CLFOLD_X_ITEM, clfold_loaded
 */
#if CLFOLD_TEXT_OFFSETS

static ulong clfold_start_of(ulong s CLFOLD_WITH)
{
    return clfold_offsets[clfold_offsets_at + s];
}

/* Segment s is near what follows, but not past it. */
#define CLFOLD_NEAR(s) clfold_near = (s)
#else
#define CLFOLD_NEAR(s)
#endif

#if CLFOLD_TEXT_SEGMENTS

typedef struct {
    ulong segment, rank;
} clfold_segment;

#if CLFOLD_TEXT_OFFSETS

/* The last segment that starts at i or before, by steps that double, and then by halves.
 * Elements past the last offset are of the last segment. */
static clfold_segment clfold_segment_of(ulong i CLFOLD_WITH)
{
    ulong low = clfold_near, step = 1, high;
    clfold_segment r;

    while (low + step < clfold_num_segments &&
           clfold_start_of(low + step CLFOLD_PASS) <= i) {
        low += step;
        step *= 2;
    }
    high = min(low + step, clfold_num_segments);
    while (low + 1 < high) {
        const ulong middle = low + (high - low) / 2;
        if (clfold_start_of(middle CLFOLD_PASS) <= i)
            low = middle;
        else
            high = middle;
    }
    r.segment = low;
    r.rank = i - clfold_start_of(low CLFOLD_PASS);
    return r;
}

#else

static clfold_segment clfold_segment_of(ulong i CLFOLD_WITH)
{
    const ulong block = i / (clfold_width * clfold_length);
    const ulong rest = i - block * (clfold_width * clfold_length);
    clfold_segment r;

    r.rank = clfold_width == 1 ? rest : rest / clfold_width;
    r.segment = block * clfold_width + rest - r.rank * clfold_width;
    return r;
}

#endif

#endif

#if CLFOLD_LOADS_X || CLFOLD_WRITES_X || CLFOLD_KEEPS_X

static CLFOLD_X clfold_x_of(global const CLFOLD_IN *s)
{
    CLFOLD_X x;

#if CLFOLD_X_ITEM
    $x = convert_$result($load);
#else
    CLFOLD_FILL_X(x, s);
#endif
    return x;
}

#endif

#if CLFOLD_LOADS_SEGMENT
#define CLFOLD_OWN_PARAM , const clfold_segment CLFOLD_OWN
#define CLFOLD_OWN_OF(i) , clfold_segment_of(CLFOLD_LOAD_INDEX(i) CLFOLD_PASS)
#else
#define CLFOLD_OWN_PARAM
#define CLFOLD_OWN_OF(i)
#endif

#if CLFOLD_REVERSE

/* Where the element at `at` is, if a scan takes the last of each segment first. The last
 * row may be short. */
static ulong clfold_mirrored(ulong at CLFOLD_WITH)
{
    const ulong i = at - clfold_origin;
#if CLFOLD_TEXT_SEGMENTS
    const ulong rank = clfold_segment_of(i CLFOLD_PASS).rank;
    const ulong length =
        clfold_width == 1 ? min(clfold_length, clfold_n - (i - rank)) : clfold_length;

    return at + (length - 1 - 2 * rank) * clfold_width;
#else
    return clfold_origin + clfold_n - 1 - i;
#endif
}
#define CLFOLD_AT(at) clfold_mirrored(at CLFOLD_PASS)
#define CLFOLD_OWN    before_mirror
#else
#define CLFOLD_AT(at) (at)
#define CLFOLD_OWN    own
#endif

/* The element at position j, counted from element `begin`, of segment `own`. */
static clfold_stage clfold_load_own(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_OWN_PARAM CLFOLD_WITH)
{
    const ulong at = CLFOLD_AT(begin + j);
    global const CLFOLD_IN *s = in + at * CLFOLD_SCALARS;
    clfold_stage r;

#if CLFOLD_LOAD
    const ulong i = at - clfold_origin;
#if CLFOLD_REVERSE && CLFOLD_LOADS_SEGMENT
    const clfold_segment own = clfold_segment_of(i CLFOLD_PASS);
#endif
#if CLFOLD_LOADS_X
    const CLFOLD_X x = clfold_x_of(s);
#endif
    const clfold_loaded l = CLFOLD_LOAD_CALL(x, s, i);
    r.$name = convert_$stage($loaded);
#else
    r.$name = convert_$stage($load);
#endif
    return r;
}

static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong begin,
                                uint j CLFOLD_WITH)
{
    return clfold_load_own(in, begin,
                           j CLFOLD_OWN_OF(begin + j - clfold_origin) CLFOLD_PASS);
}
