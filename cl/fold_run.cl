/*
 * The fold of a run of neighbouring elements, by a group, tile by tile from the left.
 * Where CLFOLD_PREFETCH is 1, an element is prefetched when the one `ahead` elements
 * before it is folded: a multiple of 16, at most a tile.
 *
 * needs: contract.cl, tile.cl
 */

/* The fold of elements first to stop - 1, counted from in_offset. Work-item 0 finds the
 * result in memory[CLFOLD_KEPT], if there are any. */
static void clfold_fold_run(global const CLFOLD_IN *in, ulong in_offset, ulong first,
                            ulong stop, uint ahead, clfold_memory memory CLFOLD_WITH)
{
    for (ulong begin = first; begin < stop; begin += CLFOLD_TILE) {
        const uint size = (uint)min((ulong)CLFOLD_TILE, stop - begin);
        clfold_tile_fold(in, in_offset + begin, begin, size, ahead, memory CLFOLD_PASS);
        if (get_local_id(0) == 0) {
            if (begin == first)
                memory[CLFOLD_KEPT] = memory[0];
            else
                memory[CLFOLD_KEPT] =
                    clfold_combine(memory[CLFOLD_KEPT], memory[0] CLFOLD_PASS);
        }
    }
}
