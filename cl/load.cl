/*
 * What is folded for an element, by a text of the fold's:
 *
 *   l          the text's values  of x, i, the streams at i, ...
 *   stage      the components     of these
 *
 * The position j counts from the tile's first element.
 */
static clfold_stage clfold_load(global const CLFOLD_IN *in, ulong begin,
                                uint j CLFOLD_WITH)
{
    global const CLFOLD_IN *s = in + (begin + j) * CLFOLD_SCALARS;
    const ulong i = begin + j - clfold_origin;
    clfold_stage r;

#if CLFOLD_LOADS_X
    const CLFOLD_X x = clfold_x_of(s);
#endif
    const clfold_loaded l = CLFOLD_LOAD_CALL(x, s, i);
    r.$name = convert_$stage($loaded);
    return r;
}
