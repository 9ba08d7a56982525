/*
 * The elements of a tile that are kept, one by one, by one work-item.
 *
 *   in        x0  x1  x2  x3  x4  x5         kept: x0 x3 x4
 *   out[p]    x0  x1  x2  x3  x4  -          each goes where the next one that is kept
 *   p          0   1   1   1   2   3         will, so that no branch depends on it
 *
 * A tile's share says how many there are, so nothing is written past its part; the others
 * likewise.
 *
 * needs: contract.cl, counts.cl, element.cl, keep.cl
 * names: CLFOLD_KEEPS_RUNS, CLFOLD_MAKES_ALL
 */
/* How many of elements j to count - 1 are kept, and `so_far`; `index` is element 0's. */
static clfold_num_kept clfold_count_lone(clfold_num_kept so_far,
                                         global const CLFOLD_IN *in, ulong begin,
                                         ulong index, uint j, uint count CLFOLD_WITH)
{
    ulong kept = so_far.kept, start = 0;

#if CLFOLD_KEEPS_RUNS
    start = so_far.start;
#endif
    for (; j < count; ++j) {
        const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
        const bool holds = clfold_holds(e, in, begin, j CLFOLD_PASS);
        kept += holds;
        start = holds ? index + j : start;
    }
    return clfold_kept_of(kept, start);
}

/* Writes those of a tile of `count`, the first one as its p, and the others. */
static void clfold_select_lone(global const CLFOLD_IN *in, ulong begin, ulong index,
                               uint j, uint count, uint p, ulong start,
                               clfold_share share, global CLFOLD_OUT *out CLFOLD_WITH)
{
    for (; j < count; ++j) {
        const clfold_stage e = clfold_load(in, begin, j CLFOLD_PASS);
        const bool holds = clfold_holds(e, in, begin, j CLFOLD_PASS);
        if (CLFOLD_MAKES_ALL ? p < share.kept : holds)
            clfold_put_element(e, in, begin, j, out, share.at + p CLFOLD_PASS);
        if (clfold_has_rest && (CLFOLD_MAKES_ALL ? j - p < count - share.kept : !holds))
            clfold_put_element(e, in, begin, j, clfold_rest,
                               share.rest + j - p CLFOLD_PASS);
        if (CLFOLD_KEEPS_RUNS && holds)
            clfold_put_length(share.at + p, index + j - start CLFOLD_PASS);
        start = holds ? index + j : start;
        p += holds;
    }
}
