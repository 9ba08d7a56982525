/*
 * scan_single_group: one group goes from tile to tile with the prefix. It reads and
 * writes each element once and needs one launch: for small counts.
 *
 *   tiles     0 ---> 1 ---> 2 ---> 3
 *   prefix   init   i0     i01    i012
 *
 * Where a work-item must not run for long, several launches each take some tiles, and
 * pass on the state of the next tile's prefix in `state`.
 *
 * needs: contract.cl, result.cl, scan_tiles.cl, scan_totals.cl, tile_scan.cl
 * names: CLFOLD_ANCHOR
 */
CLFOLD_KERNEL void
clfold_scan_single_group(CLFOLD_SCAN_PARAMS, ulong first, global clfold_item *state,
                         CLFOLD_OUT_PARAMS, CLFOLD_TOTAL_PARAMS,
                         CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    CLFOLD_SHARED(clfold_running, so_far);

    if (get_local_id(0) == 0) {
        const clfold_item init = clfold_init(CLFOLD_INIT_ARGS);
        room->folds_next = false;
        room->prefix = init;
        so_far->before = init;
        so_far->has_before = first >= CLFOLD_ANCHOR || clfold_init_from;
        if (first > 0) {
            room->prefix = state[0];
            so_far->partial = state[1];
            so_far->before = state[2];
        } else if (num_tiles == 0)
            clfold_finish(init, !clfold_init_from, has_total, total_out,
                          total_index CLFOLD_PASS);
    }
    for (ulong t = first; t < min(first + run, num_tiles); ++t) {
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        const bool has_prefix = t > 0 || clfold_init_from;
        clfold_tile_aggregate(in, in_offset + begin, begin, size, room CLFOLD_PASS);
        clfold_tile_sync();
        if (get_local_id(0) == 0) {
            const bool is_last = t + 1 == num_tiles;
            clfold_take_own(so_far, room, t, clfold_tile_total(room, size), has_prefix,
                            is_last CLFOLD_PASS);
            if (is_last)
                clfold_finish(room->next, false, has_total, total_out,
                              total_index CLFOLD_PASS);
        }
        clfold_tile_sync();
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + begin, out,
                         out_offset + begin, has_prefix, stream != 0, ahead,
                         room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            room->prefix = room->next;
    }
    if (get_local_id(0) == 0 && first + run < num_tiles) {
        state[0] = room->prefix;
        state[1] = so_far->partial;
        state[2] = so_far->before;
    }
}
