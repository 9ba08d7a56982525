/*
 * reduce_then_scan: folds each tile, turns the totals into prefixes, and scans each tile
 * with its prefix: three launches, every element read twice and written once.
 *
 *   tiles      0    1  | 2    3  | 4    5       neighbours, one group's
 *   fold       t0   t1   t2   t3   t4   t5      clfold_scan_aggregates
 *   prefixes   i    it0  i01  ...               clfold_scan_prefixes
 *   scan       out  out  out  ...               clfold_scan_tiles
 *
 * needs: contract.cl, count.cl, segments.cl, scan_prefixes.cl, scan_tiles.cl
 * needs: tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_scan_aggregates(CLFOLD_SCAN_PARAMS, global clfold_item *items CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, CLFOLD_TILE, lead, 0);
    const ulong first = get_group_id(0) * each;

    for (ulong t = first; t < min(first + each, num_runs); ++t) {
        const clfold_run r = clfold_nth_tile(t, CLFOLD_TILES);
        clfold_tile_aggregate(in, in_offset + r.begin, r.begin, (uint)r.items,
                              room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            items[clfold_item_place(t, 1, runs)] = clfold_tile_total(room, (uint)r.items);
    }
}

CLFOLD_KERNEL void
clfold_scan_tiles(CLFOLD_SCAN_PARAMS, global const clfold_item *items, CLFOLD_OUT_PARAMS,
                  uint has_init CLFOLD_WITH)
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
        if (get_local_id(0) == 0) {
            const ulong place = clfold_item_place(t, 1, runs);
            room->prefix = items[place];
            room->next = items[place + 1];
        }
        clfold_tile_load(in, from, r.begin, (uint)r.items, room CLFOLD_PASS);
        clfold_tile_scan(in, from, r.begin, (uint)r.items,
                         t + 1 < stop ? from + r.items : from, out, out_offset + r.begin,
                         r.number > 0 || has_init, stream != 0, ahead, room CLFOLD_PASS);
    }
}
