/*
 * reduce_then_scan: folds each tile, turns the totals into prefixes, and scans each tile
 * with its prefix: three launches, every element read twice and written once.
 *
 *   tiles      0    1  | 2    3  | 4    5       runs of tiles, one a group
 *   fold       t0   t1   t2   t3   t4   t5      clfold_scan_aggregates
 *   prefixes   i    it0  i01  ...               clfold_scan_prefixes
 *   scan       out  out  out  ...               clfold_scan_tiles
 *
 * needs: contract.cl, scan_prefixes.cl, scan_tiles.cl, tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_scan_aggregates(CLFOLD_SCAN_PARAMS, global clfold_item *items CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong first = get_group_id(0) * run;

    for (ulong t = first; t < min(first + run, num_tiles); ++t) {
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        clfold_tile_aggregate(in, in_offset + begin, begin, size, room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            items[t] = clfold_tile_total(room, size);
    }
}

CLFOLD_KERNEL void
clfold_scan_tiles(CLFOLD_SCAN_PARAMS, global const clfold_item *items, CLFOLD_OUT_PARAMS,
                  uint has_init CLFOLD_WITH)
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
        if (get_local_id(0) == 0)
            clfold_keep_prefixes(items, t, room);
        clfold_tile_load(in, in_offset + begin, begin, size, room CLFOLD_PASS);
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + next, out,
                         out_offset + begin, t > 0 || has_init, stream != 0, ahead,
                         room CLFOLD_PASS);
    }
}
