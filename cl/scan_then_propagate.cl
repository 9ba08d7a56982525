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
 * needs: contract.cl, count.cl, segments.cl, scan_prefixes.cl, scan_tiles.cl
 * needs: tile_propagate.cl, tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_scan_locals(CLFOLD_SCAN_PARAMS, global clfold_item *items,
                   CLFOLD_OUT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, CLFOLD_TILE, lead, 0);
    const ulong first = get_group_id(0) * each;
    const ulong stop = min(first + each, num_runs);

    if (get_local_id(0) == 0)
        room->folds_next = false;
    for (ulong t = first; t < stop; ++t) {
        const clfold_run r = clfold_nth_tile(t, CLFOLD_TILES);
        const ulong from = in_offset + r.begin;
        const uint size = (uint)r.items;
        clfold_tile_aggregate(in, from, r.begin, size, room CLFOLD_PASS);
        clfold_tile_sync();
        if (get_local_id(0) == 0) {
            const clfold_item total = clfold_tile_total(room, size);
            items[clfold_item_place(t, 1, runs)] = total;
            room->next = total;
        }
        clfold_tile_sync();
        clfold_tile_scan(in, from, r.begin, size, t + 1 < stop ? from + size : from, out,
                         out_offset + r.begin, false, stream != 0, ahead,
                         room CLFOLD_PASS);
    }
}

CLFOLD_KERNEL void
clfold_scan_propagate(CLFOLD_BOUNDS_PARAMS, ulong each, global const clfold_item *items,
                      CLFOLD_OUT_PARAMS, uint has_init CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, CLFOLD_TILE, lead, 0);
    const ulong first = get_group_id(0) * each;

    /* Without init the first tile is complete. */
    for (ulong t = has_init ? first : max(first, (ulong)1);
         t < min(first + each, num_runs); ++t) {
        const clfold_run r = clfold_nth_tile(t, CLFOLD_TILES);
        if (get_local_id(0) == 0) {
            const ulong place = clfold_item_place(t, 1, runs);
            room->prefix = items[place];
            room->next = items[place + 1];
        }
        clfold_tile_propagate(out, out_offset + r.begin, (uint)r.items, stream != 0,
                              room CLFOLD_PASS);
    }
}
