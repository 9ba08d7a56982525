/*
 * What is folded for an element: its scalars, or what a text of the fold's makes of it.
 *
 *   l          the text's values  of x, i, the streams at i, ...
 *   stage      the components     of these
 *
 * needs: contract.cl, element.cl
 * names: CLFOLD_LOADS_X, CLFOLD_LOAD_CALL, CLFOLD_X, clfold_loaded
 */

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
