/*
 * What is folded for an element, by a text of the fold's:
 *
 *   in         ... s ...          the buffer; a text may read any of it
 *   x          the element        as its scalars, or as the components
 *   l          the text's values  of x, i, the streams at i, ...
 *   stage      the components     of these
 *
 * `i` counts from in_offset, which is clfold_origin in the buffer; the position j counts
 * from the tile's first element.
 */
static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong begin,
                                uint j CLFOLD_WITH)
{
    global const CLFOLD_IN *s = in + (begin + j) * CLFOLD_SCALARS;
    const ulong i = begin + j - clfold_origin;
    clfold_stage r;

#if CLFOLD_READS_X
    CLFOLD_X x;
#if CLFOLD_X_ITEM
    $x = convert_$result($load);
#else
    CLFOLD_FILL_X(x, s);
#endif
#endif
    const clfold_loaded l = CLFOLD_LOAD_CALL(x, s, i);
    r.$name = convert_$stage($loaded);
    return r;
}
