/*
 * What becomes of the folds of runs: they go to scratch, to be folded again, or where
 * each segment is one run, to the output.
 *
 * needs: contract.cl, write.cl
 * names: CLFOLD_COUNT_AT
 */
static void clfold_keep(clfold_item total, bool empty, ulong i, bool is_last,
                        global clfold_item *to, global CLFOLD_OUT *out, ulong out_offset,
                        CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    if (is_last)
        clfold_reduce_end(total, empty, i, out, out_offset + i,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    else if (!CLFOLD_COUNT_AT || !empty)
        to[i] = total;
}
