/*
 * Takes the totals of tiles one after the other, in the association that scan_tiles.cl
 * draws. kept[CLFOLD_BEFORE] is the anchor, what comes before the block, if has_before;
 * kept[CLFOLD_PARTIAL] the fold of the block's tiles so far. One work-item does.
 *
 *   CLFOLD_ANCHOR = 4     t0   t1   t2   t3    | t4   t5
 *   partial               t0   01   012        | t4   45
 *   before                a    a    a    a0123 | b    b       a = init, if there is one
 */

/* Takes the total of tile t, the next. */
static void clfold_take(clfold_room_pointer room, ulong t, clfold_item total)
{
    const bool is_first = t % CLFOLD_ANCHOR == 0;

    if ((t + 1) % CLFOLD_ANCHOR == 0) {
        if (!is_first)
            room->kept[CLFOLD_BEFORE] = clfold_taken(
                room->has_before ? clfold_combine(room->kept[CLFOLD_BEFORE],
                                                  room->kept[CLFOLD_PARTIAL])
                                 : room->kept[CLFOLD_PARTIAL]);
        room->kept[CLFOLD_BEFORE] = clfold_taken(
            room->has_before || !is_first
                ? clfold_combine(room->kept[CLFOLD_BEFORE], total)
                : total);
        room->has_before = true;
    } else
        room->kept[CLFOLD_PARTIAL] = clfold_taken(
            is_first ? total : clfold_combine(room->kept[CLFOLD_PARTIAL], total));
}

/* The prefix of tile t, once all tiles before it are taken. */
static clfold_item clfold_prefix(clfold_room_pointer room, ulong t)
{
    clfold_item prefix = room->kept[CLFOLD_BEFORE];

    if (t % CLFOLD_ANCHOR != 0)
        prefix = room->has_before ? clfold_combine(prefix, room->kept[CLFOLD_PARTIAL])
                                  : room->kept[CLFOLD_PARTIAL];
    return prefix;
}

/* Takes tile t by its total in kept[CLFOLD_OWN], and sets what its last item is. */
static void clfold_take_own(clfold_room_pointer room, ulong t, bool has_prefix,
                            bool is_last)
{
    clfold_take(room, t, room->kept[CLFOLD_OWN]);
    if (!is_last)
        room->kept[CLFOLD_NEXT] = clfold_prefix(room, t + 1);
    else if (has_prefix)
        room->kept[CLFOLD_NEXT] =
            clfold_combine(room->kept[CLFOLD_PREFIX], room->kept[CLFOLD_OWN]);
    else
        room->kept[CLFOLD_NEXT] = room->kept[CLFOLD_OWN];
}
