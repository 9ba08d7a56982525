/*
 * Takes the totals of tiles one after the other, in the association that scan_tiles.cl
 * draws: `before` is the anchor, what comes before the block, if has_before; `partial`
 * the fold of the block's tiles so far. For one work-item.
 *
 *   CLFOLD_ANCHOR = 4     t0   t1   t2   t3    | t4   t5
 *   partial               t0   01   012        | t4   45
 *   before                a    a    a    a0123 | b    b       a = init, if there is one
 */
typedef struct {
    clfold_item before, partial;
    uint has_before;
} clfold_running;

typedef CLFOLD_SPACE clfold_running *clfold_running_pointer;

/* Takes the total of tile t, the next. */
static void clfold_take(clfold_running_pointer so_far, ulong t, clfold_item total)
{
    const bool is_first = t % CLFOLD_ANCHOR == 0;

    if ((t + 1) % CLFOLD_ANCHOR == 0) {
        if (!is_first)
            so_far->before =
                clfold_taken(so_far->has_before
                                 ? clfold_combine(so_far->before, so_far->partial)
                                 : so_far->partial);
        so_far->before = clfold_taken(so_far->has_before || !is_first
                                          ? clfold_combine(so_far->before, total)
                                          : total);
        so_far->has_before = true;
    } else
        so_far->partial =
            clfold_taken(is_first ? total : clfold_combine(so_far->partial, total));
}

/* The prefix of tile t, once all tiles before it are taken. */
static clfold_item clfold_prefix(clfold_running_pointer so_far, ulong t)
{
    clfold_item prefix = so_far->before;

    if (t % CLFOLD_ANCHOR != 0)
        prefix = so_far->has_before ? clfold_combine(prefix, so_far->partial)
                                    : so_far->partial;
    return prefix;
}

/* Takes tile t, with its prefix in the room and its total in `own`, and sets its last
 * item. */
static void clfold_take_own(clfold_running_pointer so_far, clfold_room_pointer room,
                            ulong t, clfold_item own, bool has_prefix, bool is_last)
{
    clfold_take(so_far, t, own);
    if (!is_last)
        room->next = clfold_prefix(so_far, t + 1);
    else
        room->next = has_prefix ? clfold_combine(room->prefix, own) : own;
}
