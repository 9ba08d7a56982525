/*
 * reduce_offsets: out[s] = init op the elements of segment s, where segments are given by
 * offsets.
 *
 * A group takes pieces of elements and ends (offsets.cl). It finishes segments that lie
 * in one, and leaves an item of the segment that is open at its end, and one of that
 * which began before. A second launch finishes these, each where it ends:
 *
 *   pieces of 5   a b c | d  .  e f g h i  .  j | k |      segments abc, defghij, k
 *   open          d             efghi
 *   begun                                     j
 *   out           abc                         d op efghi op j, k
 *
 * What is combined with what depends on the length of pieces, which does not depend on
 * how many groups there are.
 *
 * needs: contract.cl, count.cl, offsets.cl, tile.cl, tile_pieces.cl, partials.cl
 */
CLFOLD_KERNEL void
clfold_reduce_offsets(global const CLFOLD_IN *in, ulong in_offset, CLFOLD_MOST_PARAMS,
                      ulong run, ulong num_runs, ulong each, uint ahead,
                      global clfold_item *items, global CLFOLD_OUT *out, ulong out_offset,
                      CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_PIECE_ROOM(memory, room);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num = clfold_true_num(most_num CLFOLD_PASS);
    const ulong begin = get_group_id(0) * each, stop = min(begin + each, num_runs);
    clfold_spot from = clfold_nth_spot(min(begin * run, count + num), CLFOLD_OFFSETS);

    for (ulong p = begin; p < stop; ++p) {
        const clfold_spot to =
            clfold_nth_spot(min((p + 1) * run, count + num), CLFOLD_OFFSETS);
        clfold_take_piece(in, in_offset, from, to, CLFOLD_OFFSETS, ahead, items + p,
                          items + num_runs + p, out, out_offset, memory, room,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
        from = to;
    }
}

/* A group for each piece: finishes the segment that ends in it and has begun before, of
 * the items of the pieces from there on. */
CLFOLD_KERNEL void
clfold_join_pieces(CLFOLD_MOST_PARAMS, ulong run, ulong num_runs,
                   global const clfold_item *items, global CLFOLD_OUT *out,
                   ulong out_offset, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    CLFOLD_TILE_MEMORY(memory);
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong num = clfold_true_num(most_num CLFOLD_PASS);
    const ulong p = get_group_id(0);
    const clfold_spot from = clfold_nth_spot(min(p * run, count + num), CLFOLD_OFFSETS);
    const clfold_spot to =
        clfold_nth_spot(min((p + 1) * run, count + num), CLFOLD_OFFSETS);
    const ulong s = from.segment;
    uint pieces = 0, more = 0;

    if (p < num_runs && s < to.segment) {
        const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
        pieces = share.begun ? (uint)(p - (share.start + s) / run) : 0;
        more = share.items > 0;
    }
    clfold_tile_fold_items(items + p - pieces, pieces, memory CLFOLD_PASS);
    if (get_local_id(0) == 0 && pieces > 0) {
        clfold_item total = memory[0];
        if (more)
            total = clfold_combine(total, clfold_taken(items[num_runs + p]) CLFOLD_PASS);
        clfold_reduce_end(total, false, s, out, out_offset + s,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}
