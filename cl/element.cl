/*
 * An element as texts of the fold's see it:
 *
 *   in         ... s ...          the buffer; a text may read any of it
 *   x          the element        as its scalars, or as the components
 *
 * `i` counts from in_offset, which is clfold_origin in the buffer.
 */
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
