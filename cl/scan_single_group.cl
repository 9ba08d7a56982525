/*
 * scan_single_group: one group goes from tile to tile with the prefix. It reads and
 * writes each element once and needs one launch: for small counts.
 *
 *   tiles     0 ---> 1 ---> 2 ---> 3
 *   prefix   init   i0     i01    i012
 *
 * Where a work-item must not go on for long, several launches each take some tiles, and
 * hand on what is kept in `state`.
 */

/* Goes on from tile t to the next; work-item 0 does. */
static void clfold_advance(clfold_room_pointer room, ulong t, clfold_item total,
                           bool has_init)
{
    const bool has_prefix = t > 0 || has_init;
    const bool has_anchor = t >= CLFOLD_ANCHOR || has_init;

    if ((t + 1) % CLFOLD_ANCHOR == 0) {
        room->kept[CLFOLD_PREFIX] =
            has_prefix ? clfold_combine(room->kept[CLFOLD_PREFIX], total) : total;
        room->kept[CLFOLD_BEFORE] = room->kept[CLFOLD_PREFIX];
    } else {
        room->kept[CLFOLD_PARTIAL] =
            t % CLFOLD_ANCHOR == 0 ? total
                                   : clfold_combine(room->kept[CLFOLD_PARTIAL], total);
        room->kept[CLFOLD_PREFIX] = has_anchor ? clfold_combine(
                                                     room->kept[CLFOLD_BEFORE],
                                                     room->kept[CLFOLD_PARTIAL])
                                               : room->kept[CLFOLD_PARTIAL];
    }
}

kernel __attribute__((reqd_work_group_size(CLFOLD_GROUP_SIZE, 1, 1))) void
clfold_scan_single_group(CLFOLD_SCAN_PARAMS, ulong first, global clfold_item *state,
                         CLFOLD_OUT_PARAMS, CLFOLD_TOTAL_PARAMS, CLFOLD_INIT_PARAMS)
{
    CLFOLD_TILE_ROOM(room);

    if (get_local_id(0) == 0) {
        CLFOLD_INIT_GET
        room->kept[CLFOLD_PREFIX] = init;
        room->kept[CLFOLD_BEFORE] = init;
        if (first > 0) {
            for (uint k = 0; k < CLFOLD_NUM_KEPT; ++k)
                room->kept[k] = state[k];
        } else if (num_tiles == 0 && has_total)
            clfold_finish(init, !clfold_init_from, total_out, total_index);
    }
    for (ulong t = first; t < min(first + run, num_tiles); ++t) {
        const ulong begin = clfold_tile_begin(t, lead);
        const uint size = clfold_tile_count(t, lead, count);
        clfold_tile_scan(in, in_offset + begin, begin, size, in_offset + begin, out,
                         out_offset + begin, t > 0 || clfold_init_from, stream != 0,
                         room);
        if (get_local_id(0) == 0) {
            const clfold_item total = clfold_tile_total(room, size);
            if (t + 1 == num_tiles && has_total)
                clfold_store(t > 0 || clfold_init_from
                                 ? clfold_combine(room->kept[CLFOLD_PREFIX], total)
                                 : total,
                             total_out, total_index);
            clfold_advance(room, t, total, clfold_init_from != 0);
        }
    }
    if (get_local_id(0) == 0 && first + run < num_tiles) {
        for (uint k = 0; k < CLFOLD_NUM_KEPT; ++k)
            state[k] = room->kept[k];
    }
}
