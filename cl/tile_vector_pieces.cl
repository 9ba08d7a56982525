/*
 * A piece's segments by one work-item: windows of short ones, and else one after the
 * other, by vectors of 16. What is left past these is a vector of which only the first
 * lanes count:
 *
 *   a b c d | e  of 16 lanes        abcd   e f g h      f, g and h are the next one's
 *
 * So lengths decide little by branches, which cost more than the folds. Where elements
 * are numbers, segments are taken one after the other.
 *
 * needs: contract.cl, element.cl, fold_run.cl, offsets.cl, tile_vector.cl
 * needs: tile_vector_windows.cl, vector_stretches.cl, vectors.cl
 * needs if CLFOLD_NUMBERS: tile_item_pieces.cl
 */
#if !CLFOLD_NUMBERS

/* The fold of the first `num` lanes, in order; num from 1 to 16. */
static clfold_stage clfold_join_first(clfold_stage16 lanes, uint num CLFOLD_WITH)
{
    const int16 rights = (int16)(1, 3, 5, 7, 9, 11, 13, 15, 1, 3, 5, 7, 9, 11, 13, 15);
    clfold_stage16 x = lanes;
    clfold_stage total;

    for (uint level = 0, n = num; level < 4; ++level, n = (n + 1) / 2) {
        clfold_stage16 left;
        left.$name = ($stage16)(x.$name.even, x.$name.even);
        x = clfold_choose16(rights < (int)n, clfold_pairs(x, x, false CLFOLD_PASS),
                            left);
    }
    total.$name = x.$name.s0;
    return total;
}

/* The fold of `num` elements from `begin` on, at most a tile, of which `most` may be
 * loaded. */
static clfold_stage clfold_fold_segment(global const CLFOLD_IN *in, ulong begin, uint num,
                                        ulong most, uint ahead CLFOLD_WITH)
{
    const uint whole = num / 16 * 16, rest = num % 16;
    clfold_stage16 x;
    clfold_stage total, end;

    if (whole > 0)
        total = clfold_fold_vectors(in, begin, whole, ahead CLFOLD_PASS);
    if (rest == 0)
        return total;
    if (whole + 16 <= most)
        x = clfold_load16(in, begin, whole CLFOLD_PASS);
    else {
        clfold_lanes lanes;
        for (uint k = 0; k < 16; ++k) {
            const clfold_stage y =
                clfold_load(in, begin, whole + min(k, rest - 1) CLFOLD_PASS);
            lanes.$name.s[k] = y.$name;
        }
        x.$name = lanes.$name.v;
    }
    end = clfold_join_first(x, rest CLFOLD_PASS);
    return whole > 0 ? clfold_combine_stage(total, end CLFOLD_PASS) : end;
}

typedef private uint *clfold_piece_room; /* not used */
#define CLFOLD_PIECE_ROOM(memory, room)                                                  \
    CLFOLD_TILE_MEMORY(memory);                                                          \
    private uint room[1]

static void clfold_take_piece(CLFOLD_PIECE_PARAMS, clfold_memory memory,
                              clfold_piece_room room, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong last = min(to.segment + 1, num);
    ulong next = from.segment;

    for (ulong s = from.segment; s < last;) {
        const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
        CLFOLD_NEAR(s);
#if CLFOLD_WINDOWS
        if (s >= next && !share.begun) {
            const uint ended =
                clfold_take_window(in, in_offset, s, to.segment, CLFOLD_OFFSETS, out,
                                   out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
            next = s + max(ended, CLFOLD_MANY);
            if (ended > 0) {
                s += ended;
                continue;
            }
        }
#endif
        if (share.items > CLFOLD_TILE)
            clfold_fold_run(in, in_offset, share.first, share.first + share.items, ahead,
                            memory CLFOLD_PASS);
        else if (share.items > 0)
            memory[CLFOLD_KEPT] = clfold_empty(
                clfold_fold_segment(in, in_offset + share.first, (uint)share.items,
                                    count - share.first, ahead CLFOLD_PASS),
                share.first CLFOLD_PASS);
        clfold_keep_share(memory[CLFOLD_KEPT], s, share, open, begun, out, out_offset,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
        ++s;
    }
}

#endif
