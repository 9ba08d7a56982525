/*
 * An element as texts of the fold's see it, and what is folded of it:
 *
 *   in         ... s ...          the buffer; a text may read any of it
 *   x          the element        as its scalars, or as the components
 *   l          a load's values    of x, i, the streams at i, ...
 *   stage      the components     of these, or of the scalars
 *
 * `i` counts from in_offset, which is clfold_origin in the buffer. Segments are rows, or
 * blocks of clfold_width columns of clfold_length elements each:
 *
 *   width 3, length 2     0  1  2     segment   rank   0  0  0
 *                         0  1  2                      1  1  1
 *                         3  4  5                      0  0  0
 *
 * needs: contract.cl
 * names: CLFOLD_FILL_X, CLFOLD_LOADS_X, CLFOLD_LOAD_CALL, CLFOLD_TEXT_SEGMENTS
 * names: CLFOLD_WRITES_X, CLFOLD_X, CLFOLD_X_ITEM, clfold_loaded
 */
#if CLFOLD_TEXT_SEGMENTS

typedef struct {
    ulong segment, rank;
} clfold_segment;

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

#if CLFOLD_LOADS_X || CLFOLD_WRITES_X

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

/* The element at position j, counted from element `begin` of the buffer. */
static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong begin,
                                uint j CLFOLD_WITH)
{
    global const CLFOLD_IN *s = in + (begin + j) * CLFOLD_SCALARS;
    clfold_stage r;

#if CLFOLD_LOAD
    const ulong i = begin + j - clfold_origin;
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
