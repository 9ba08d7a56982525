/*
 * Puts a prefix in front of a tile's results, one at a time: the part of tile_item for
 * scan_then_propagate.
 *
 * needs: contract.cl, element.cl, tile_item_scan.cl
 */
static void clfold_tile_propagate(global CLFOLD_OUT *out, ulong out_begin, uint count,
                                  bool stream, clfold_room_pointer room CLFOLD_WITH)
{
    const uint stop = CLFOLD_EXCLUSIVE ? count : count - 1;

    /* The one that is the prefix itself stands apart: with a condition in the loop
     * Intel's compiler (2026.2) wrote the last struct of 64 bytes elsewhere, too. */
    if (CLFOLD_EXCLUSIVE)
        clfold_store(room->prefix, out, out_begin);
    for (uint j = CLFOLD_EXCLUSIVE; j < stop; ++j)
        clfold_store(clfold_combine(room->prefix,
                                    clfold_fetch(out, out_begin + j) CLFOLD_PASS),
                     out, out_begin + j);
    if (!CLFOLD_EXCLUSIVE)
        clfold_store(room->next, out, out_begin + stop);
}
