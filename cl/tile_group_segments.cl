/*
 * A piece's segments by a group, where elements are numbers, which are folded many at
 * once: one segment after the other. Each work-item takes an empty one.
 *
 * needs: contract.cl, fold_run.cl, offsets.cl, tile.cl
 */
/* Segments with elements: how many, and which. */
typedef local uint *clfold_piece_room;
#define CLFOLD_PIECE_ROOM(memory, room)                                                  \
    CLFOLD_TILE_MEMORY(memory);                                                          \
    local uint room[CLFOLD_GROUP_SIZE + 1]

static void clfold_take_piece(CLFOLD_PIECE_PARAMS, clfold_memory memory,
                              clfold_piece_room room, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const ulong last = min(to.segment + 1, num);

    for (ulong block = from.segment; block < last; block += CLFOLD_GROUP_SIZE) {
        const ulong s = block + l;
        if (l == 0)
            room[0] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s < last) {
            const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
            clfold_item total;
            if (share.items > 0)
                room[1 + atomic_inc(room)] = l;
            else
                clfold_keep_share(total, s, share, open, begun, out, out_offset,
                                  CLFOLD_INIT_ARGS CLFOLD_PASS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < room[0]; ++k) {
            const ulong s = block + room[1 + k];
            const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
            CLFOLD_NEAR(s);
            clfold_fold_run(in, in_offset, share.first, share.first + share.items, ahead,
                            memory CLFOLD_PASS);
            if (l == 0)
                clfold_keep_share(memory[CLFOLD_KEPT], s, share, open, begun, out,
                                  out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
