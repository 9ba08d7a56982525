/*
 * scan_rows: scans each row tile by tile, for rows that are long enough for one. Where
 * there are many rows a group takes whole ones, from tile to tile with the prefix, as
 * scan_single_group does; else tiles are folded, the folds become prefixes, and each tile
 * is scanned with its prefix, as by reduce_then_scan. Both have the same bits: a row's
 * tiles begin at its first element, and CLFOLD_ANCHOR is 1.
 *
 * needs: contract.cl, result.cl, scan_tiles.cl, scan_totals.cl, segment_prefixes.cl
 * needs: segments.cl, tile_scan.cl
 */
CLFOLD_KERNEL void
clfold_rows_aggregates(global const CLFOLD_IN *in, ulong in_offset, CLFOLD_CUT_PARAMS,
                       ulong num_runs, ulong each, uint ahead,
                       global clfold_item *items CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong first = get_group_id(0) * each;

    for (ulong i = first; i < min(first + each, num_runs); ++i) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        clfold_tile_aggregate(in, in_offset + r.begin, r.begin, (uint)r.items,
                              room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            items[clfold_item_place(i, CLFOLD_CUT)] =
                clfold_tile_total(room, (uint)r.items);
    }
}

CLFOLD_KERNEL void
clfold_rows_tiles(global const CLFOLD_IN *in, ulong in_offset, CLFOLD_CUT_PARAMS,
                  ulong num_runs, ulong each, uint ahead,
                  global const clfold_item *items, CLFOLD_OUT_PARAMS, CLFOLD_TOTAL_PARAMS,
                  CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    const ulong first = get_group_id(0) * each;

    if (get_local_id(0) == 0)
        room->folds_next = false;
    for (ulong i = first; i < min(first + each, num_runs); ++i) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        const ulong from = in_offset + r.begin;
        if (get_local_id(0) == 0) {
            const ulong place = clfold_item_place(i, CLFOLD_CUT);
            room->prefix = items[place];
            room->next = items[place + 1];
        }
        clfold_tile_load(in, from, r.begin, (uint)r.items, room CLFOLD_PASS);
        clfold_tile_scan(in, from, r.begin, (uint)r.items, from + r.items, out,
                         out_offset + r.begin, r.number > 0 || clfold_init_from,
                         stream != 0, ahead, room CLFOLD_PASS);
    }
}

/* `each` rows a group, whose tiles are the runs. */
CLFOLD_KERNEL void
clfold_scan_rows(global const CLFOLD_IN *in, ulong in_offset, CLFOLD_CUT_PARAMS,
                 ulong num_runs, ulong each, uint ahead, global const clfold_item *items,
                 CLFOLD_OUT_PARAMS, CLFOLD_TOTAL_PARAMS, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_SHARED(clfold_room, room);
    CLFOLD_SHARED(clfold_running, so_far);
    const ulong first = get_group_id(0) * each * runs;

    if (get_local_id(0) == 0) {
        room->folds_next = false;
        if (num_runs == 0 && has_total)
            clfold_finish(clfold_init(CLFOLD_INIT_ARGS), !clfold_init_from,
                          has_total, total_out, total_index CLFOLD_PASS);
    }
    for (ulong i = first; i < min(first + each * runs, num_runs); ++i) {
        const clfold_run r = clfold_nth_run(i, CLFOLD_CUT);
        const ulong from = in_offset + r.begin;
        const uint size = (uint)r.items;
        if (get_local_id(0) == 0 && r.number == 0) {
            const clfold_item init = clfold_init(CLFOLD_INIT_ARGS);
            room->prefix = init;
            so_far->before = init;
            so_far->has_before = clfold_init_from;
        }
        clfold_tile_aggregate(in, from, r.begin, size, room CLFOLD_PASS);
        clfold_tile_sync();
        if (get_local_id(0) == 0) {
            const bool is_last = r.number + 1 == runs || i + 1 == num_runs;
            clfold_take_own(so_far, room, r.number, clfold_tile_total(room, size),
                            r.number > 0 || clfold_init_from, is_last CLFOLD_PASS);
            if (i + 1 == num_runs && has_total)
                clfold_store(room->next, total_out, total_index);
        }
        clfold_tile_sync();
        clfold_tile_scan(in, from, r.begin, size, from + size, out, out_offset + r.begin,
                         r.number > 0 || clfold_init_from, stream != 0, ahead,
                         room CLFOLD_PASS);
        if (get_local_id(0) == 0)
            room->prefix = room->next;
    }
}
