/*
 * Takes the totals of tiles one after the other, in the association that scan_tiles.cl
 * draws: `before` is the anchor, what comes before the block, if has_before; `partial`
 * the fold of the block's tiles so far. For one work-item.
 *
 *   CLFOLD_ANCHOR = 4     t0   t1   t2   t3    | t4   t5
 *   partial               t0   01   012        | t4   45
 *   before                a    a    a    a0123 | b    b       a = init, if there is one
 *
 * needs: contract.cl, segments.cl, tile_scan.cl
 */
typedef struct {
    clfold_item before, partial;
    uint has_before;
} clfold_running;

typedef CLFOLD_SPACE clfold_running *clfold_running_pointer;

/* Takes the total of tile t, the next. One place combines, here and below, since PoCL 3.1
 * crashes where long operators are in many. */
static void clfold_take(clfold_running_pointer so_far, ulong t,
                        clfold_item total CLFOLD_WITH)
{
    const bool is_first = t % CLFOLD_ANCHOR == 0;
    const bool is_last = (t + 1) % CLFOLD_ANCHOR == 0;
    bool has = is_last ? so_far->has_before : !is_first;
    clfold_item x = clfold_taken(is_last ? so_far->before : so_far->partial);

    /* The end of a block: before op partial, then op total. */
#pragma unroll 1
    for (uint step = is_last && !is_first ? 0 : 1; step < 2; ++step) {
        const clfold_item next = clfold_taken(step == 0 ? so_far->partial : total);
        x = has ? clfold_combine(x, next CLFOLD_PASS) : next;
        has = true;
    }
    if (is_last) {
        so_far->before = clfold_taken(x);
        so_far->has_before = true;
    } else
        so_far->partial = clfold_taken(x);
}

/* The prefix of tile t, once all tiles before it are taken. */
static clfold_item clfold_prefix(clfold_running_pointer so_far, ulong t CLFOLD_WITH)
{
    clfold_item prefix = so_far->before;

    if (t % CLFOLD_ANCHOR != 0)
        prefix = so_far->has_before ? clfold_combine(prefix, so_far->partial CLFOLD_PASS)
                                    : so_far->partial;
    return prefix;
}

/* Takes tile t, with its prefix in the room and its total in `own`, and sets its last
 * item: prefix op own for the last tile, else the next one's prefix. */
static void clfold_take_own(clfold_running_pointer so_far, clfold_room_pointer room,
                            ulong t, clfold_item own, bool has_prefix,
                            bool is_last CLFOLD_WITH)
{
    clfold_take(so_far, t, own CLFOLD_PASS);
    const bool has_partial = is_last || (t + 1) % CLFOLD_ANCHOR != 0;
    const bool has_before = is_last ? has_prefix : so_far->has_before != 0;
    const clfold_item right = clfold_taken(is_last ? own : so_far->partial);
    clfold_item next = clfold_taken(is_last ? room->prefix : so_far->before);

    if (has_partial)
        next = has_before ? clfold_combine(next, right CLFOLD_PASS) : right;
    room->next = clfold_taken(next);
}
