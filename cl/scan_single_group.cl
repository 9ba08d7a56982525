/*
 * scan_single_group: a group goes from tile to tile of a segment with the prefix. It
 * reads and writes each element once and needs one launch: for small counts, and where
 * there are many rows, of which a group takes some.
 *
 *   tiles     0 ---> 1 ---> 2 ---> 3 | 0 ---> 1 ---> 2 ---> 3
 *   prefix   init   i0     i01    i012 init   i0    ...
 *
 * Where a work-item must not run for long, several launches each take some tiles of a
 * whole input, CLFOLD_RESUMES, and pass on the state of the next tile's prefix.
 *
 * needs: contract.cl, count.cl, segments.cl, element.cl, scan_tiles.cl, scan_totals.cl
 * needs: tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_scan_single_group(CLFOLD_SCAN_PARAMS, ulong first, global clfold_item *state,
                         CLFOLD_OUT_PARAMS, CLFOLD_TOTAL_PARAMS,
                         CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    CLFOLD_SHARED(clfold_running, so_far);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num_runs = clfold_true_runs(most_num_runs, count, CLFOLD_TILE, lead, 0);
    const ulong begin = first + get_group_id(0) * each;
    const ulong stop = min(begin + each, num_runs);

    if (get_local_id(0) == 0) {
        room->folds_next = false;
        if (num_runs == 0 && first == 0)
            clfold_finish(clfold_init(CLFOLD_INIT_ARGS), !clfold_init_from, has_total,
                          total_out, total_index CLFOLD_PASS);
#if CLFOLD_RESUMES
        if (first > 0) {
            room->prefix = state[0];
            so_far->partial = state[1];
            so_far->before = state[2];
            so_far->has_before = first >= CLFOLD_ANCHOR || clfold_init_from;
        }
#endif
    }
    for (ulong t = begin; t < stop; ++t) {
        const clfold_run r = clfold_nth_tile(t, CLFOLD_TILES);
        const ulong from = in_offset + r.begin;
        const uint size = (uint)r.items;
        const bool has_prefix = r.number > 0 || clfold_init_from;
        if (get_local_id(0) == 0 && r.number == 0) {
            const clfold_item init = clfold_init(CLFOLD_INIT_ARGS);
            room->prefix = init;
            so_far->before = init;
            so_far->has_before = clfold_init_from;
        }
        clfold_tile_aggregate(in, from, r.begin, size, room CLFOLD_PASS);
        clfold_tile_sync();
        if (get_local_id(0) == 0) {
            const bool is_end = t + 1 == num_runs;
            clfold_take_own(so_far, room, r.number, clfold_tile_total(room, size),
                            has_prefix, is_end || r.number + 1 == runs CLFOLD_PASS);
            if (is_end)
                clfold_finish(room->next, false, has_total, total_out,
                              total_index CLFOLD_PASS);
        }
        clfold_tile_sync();
        clfold_tile_scan(in, from, r.begin, size, t + 1 < stop ? from + size : from, out,
                         out_offset + r.begin, has_prefix, stream != 0, ahead,
                         room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            room->prefix = room->next;
    }
#if CLFOLD_RESUMES
    if (get_local_id(0) == 0 && stop < num_runs) {
        state[0] = room->prefix;
        state[1] = so_far->partial;
        state[2] = so_far->before;
    }
#endif
}
