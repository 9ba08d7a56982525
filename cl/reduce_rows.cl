/*
 * reduce_rows: folds each row, a result a row, for rows that are long enough for a tile.
 *
 *   rows       . . . . . . . . . . . . .|. . . . . . . .      count may end inside a row
 *   runs       . . . . . .|. . . . . .|.|. . . . . .|. .      tile by tile, by a group
 *   partials       p0          p1      p2    p3      p4       clfold_reduce_rows
 *   out                 p0 op p1 op p2      p3 op p4          clfold_segment_partials
 *
 * A group takes `each` neighbouring runs. Many rows are one run each, and go out at once.
 *
 * needs: contract.cl, fold_run.cl, segment_partials.cl, segments.cl, tile.cl
 */
CLFOLD_KERNEL void
clfold_reduce_rows(global const CLFOLD_IN *in, ulong in_offset, CLFOLD_CUT_PARAMS,
                   ulong num_runs, ulong each, uint ahead, global clfold_item *partials,
                   uint is_last, global CLFOLD_OUT *out, ulong out_offset,
                   CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong first = get_group_id(0) * each;

    for (ulong i = first; i < min(first + each, num_runs); ++i) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        clfold_fold_run(in, in_offset, r.begin, r.begin + r.items, ahead,
                        memory CLFOLD_PASS);
        if (get_local_id(0) == 0)
            clfold_keep(memory[CLFOLD_KEPT], i, is_last != 0, partials, out,
                        out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}
