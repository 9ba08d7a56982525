/*
 * scan_then_propagate: scans each tile by itself, turns the totals into prefixes, and
 * combines each tile's results with its prefix: three launches, every element read and
 * written twice.
 *
 *   tiles        0    1  | 2    3  | 4    5       runs of tiles, one a group
 *   scan         l0   l1   l2   l3   l4   l5      clfold_scan_locals: out, and totals
 *   prefixes     i    it0  i01  ...               clfold_scan_prefixes
 *   propagate    i l0 ...                         clfold_scan_propagate: out
 *
 * needs: contract.cl, scan_prefixes.cl, scan_tiles.cl, tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_scan_locals(CLFOLD_SCAN_PARAMS, global clfold_item *items,
                   CLFOLD_OUT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong first = get_group_id(0) * run;
    const ulong stop = min(first + run, num_tiles);

    if (get_local_id(0) == 0)
        room->folds_next = false;
    for (ulong t = first; t < stop; ++t) {
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        const ulong next = t + 1 < stop ? clfold_tile_begin(t + 1, lead) : begin;
        clfold_tile_aggregate(in, in_offset + begin, begin, size, room CLFOLD_PASS);
        clfold_tile_sync();
        if (get_local_id(0) == 0) {
            items[t] = clfold_tile_total(room, size);
            room->next = items[t];
        }
        clfold_tile_sync();
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + next, out,
                         out_offset + begin, false, stream != 0, ahead, room CLFOLD_PASS);
    }
}

CLFOLD_KERNEL void
clfold_scan_propagate(ulong count, ulong lead, ulong num_tiles, ulong run,
                      global const clfold_item *items, CLFOLD_OUT_PARAMS,
                      uint has_init CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong first = get_group_id(0) * run;

    /* Without init the first tile is complete. */
    for (ulong t = has_init ? first : max(first, (ulong)1);
         t < min(first + run, num_tiles); ++t) {
        if (get_local_id(0) == 0)
            clfold_keep_prefixes(items, t, room);
        clfold_tile_propagate(out, out_offset + clfold_tile_begin(t, lead),
                              clfold_tile_count(t, lead, count), stream != 0,
                              room CLFOLD_PASS);
    }
}
