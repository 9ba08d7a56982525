/*
 * What becomes of folds: those of runs go to scratch, to be folded again, or where each
 * segment is one run, to the output.
 *
 * needs: contract.cl, element.cl, write.cl
 */
/* As clfold_finish(), but writes, for segment i. */
static void clfold_finish_out(clfold_item total, bool empty, ulong i,
                              global CLFOLD_OUT *out, ulong index CLFOLD_WITH)
{
    const clfold_item y = clfold_or_identity(total, empty CLFOLD_PASS);

    if (!empty)
        clfold_carry_store(total CLFOLD_PASS);
    if (CLFOLD_HAS_IDENTITY || !empty)
        clfold_emit_items(y, y, 0, i, out, index CLFOLD_PASS);
}

/* The end of a reduction, by the work-item that has the total of the elements: combines
 * it with init, and writes the result of segment i. */
static void clfold_reduce_end(clfold_item total, bool empty, ulong i,
                              global CLFOLD_OUT *out, ulong out_index,
                              CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    clfold_item init = clfold_init(CLFOLD_INIT_ARGS);
    const bool has_none = empty && !clfold_init_from;

    if (clfold_init_from)
        init = empty ? init : clfold_combine(init, total CLFOLD_PASS);
    else if (!empty)
        init = total;
    clfold_finish_out(init, has_none, i, out, out_index CLFOLD_PASS);
}

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
