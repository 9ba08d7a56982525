/*
 * The inclusive scan of 16 lanes, anew where a stretch of them begins. `here` is a lane's
 * place in its stretch, at most `most`. Results of lanes that take nothing are not used,
 * so the operator sees only elements.
 *
 *   stretches      a1 a2 b0 b1 b2 c0 c1 ...
 *   here            0  1  0  1  2  0  1
 *   by 1            1 12 b0 01 12 c0 01             where here >= 1
 *   by 2            1 12 b0 01 02 c0 01             where here >= 2, and so on
 *
 * needs: contract.cl, vectors.cl
 */
#if !CLFOLD_NUMBERS

/* c ? a : b, where c is a relation. */
static clfold_stage16 clfold_choose16(int16 c, clfold_stage16 a, clfold_stage16 b)
{
    clfold_stage16 r;

    r.$name = !!convert_$mask16(c) ? a.$name : b.$name;
    return r;
}

static clfold_stage16 clfold_scan_stretches(clfold_stage16 own, int16 here,
                                            uint most CLFOLD_WITH)
{
    clfold_stage16 x = own, y;

    if (most >= 1) {
        y.$name = x.$name.s00123456789abcde;
        x = clfold_choose16(here >= 1, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (most >= 2) {
        y.$name = x.$name.s010123456789abcd;
        x = clfold_choose16(here >= 2, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (most >= 4) {
        y.$name = x.$name.s01230123456789ab;
        x = clfold_choose16(here >= 4, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    if (most >= 8) {
        y.$name = x.$name.s0123456701234567;
        x = clfold_choose16(here >= 8, clfold_combine_stage16(y, x CLFOLD_PASS), x);
    }
    return x;
}

/* The lanes' places, where a stretch begins at 0 and at each lane of `heads`, which are
 * relations. */
static int16 clfold_stretch_places(int16 heads)
{
    const int16 lane = as_int16(clfold_places(0));
    int16 first = heads & lane;

    first = max(first, first.s00123456789abcde);
    first = max(first, first.s010123456789abcd);
    first = max(first, first.s01230123456789ab);
    first = max(first, first.s0123456701234567);
    return lane - first;
}

#endif
