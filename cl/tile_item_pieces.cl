/*
 * A piece's segments by one work-item, one after the other.
 *
 * needs: contract.cl, fold_run.cl, offsets.cl, tile.cl
 */
typedef private uint *clfold_piece_room; /* not used */
#define CLFOLD_PIECE_ROOM(memory, room)                                                  \
    CLFOLD_TILE_MEMORY(memory);                                                          \
    private uint room[1]

static void clfold_take_piece(CLFOLD_PIECE_PARAMS, clfold_memory memory,
                              clfold_piece_room room, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    for (ulong s = from.segment; s < min(to.segment + 1, num); ++s) {
        const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
        CLFOLD_NEAR(s);
        clfold_fold_run(in, in_offset, share.first, share.first + share.items, ahead,
                        memory CLFOLD_PASS);
        clfold_keep_share(memory[CLFOLD_KEPT], s, share, open, begun, out, out_offset,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
    }
}
