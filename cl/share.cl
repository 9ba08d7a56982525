/*
 * The fold of a piece's share of a segment is the result, or an item of the segment that
 * is open at the piece's end, or of that which has begun before.
 *
 * needs: contract.cl, offsets.cl, write.cl
 */
/* Of segment s. */
static void clfold_keep_share(clfold_item total, ulong s, clfold_share share,
                              global clfold_item *open, global clfold_item *begun,
                              global CLFOLD_OUT *out, ulong out_offset,
                              CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    if (!share.open && !share.begun)
        clfold_reduce_end(total, share.items == 0, s, out, out_offset + s,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else if (share.items > 0)
        *(share.open ? open : begun) = total;
}
