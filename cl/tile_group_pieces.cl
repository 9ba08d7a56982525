/*
 * A piece's segments by a group: each work-item takes a short one, and then all of them
 * together each of those that are long.
 *
 * needs: contract.cl, element.cl, fold_run.cl, offsets.cl, share.cl, tile.cl
 * names: CLFOLD_NUMBERS, CLFOLD_STAGE_LIMIT, clfold_combine_stage
 */
#if CLFOLD_NUMBERS
#define CLFOLD_FEW 0u /* numbers are folded many at once */
#define CLFOLD_FOLD_FEW(first, num)
#else
#define CLFOLD_FEW min(32u, CLFOLD_STAGE_LIMIT)
#define CLFOLD_FOLD_FEW(first, num)                                                      \
    total = clfold_fold_few(in, in_offset, first, num CLFOLD_PASS)

/* The fold of a few elements, from the first on. */
static clfold_item clfold_fold_few(global const CLFOLD_IN *in, ulong in_offset,
                                   ulong first, uint num CLFOLD_WITH)
{
    clfold_stage total = clfold_load(in, in_offset + first, 0 CLFOLD_PASS);

    for (uint j = 1; j < num; ++j)
        total = clfold_combine_stage(
            total, clfold_load(in, in_offset + first, j CLFOLD_PASS) CLFOLD_PASS);
    return clfold_empty(total, first CLFOLD_PASS);
}
#endif

/* Long segments: how many, and which. */
typedef local uint *clfold_list;
#define CLFOLD_LIST(longs) local uint longs[CLFOLD_GROUP_SIZE + 1]

static void clfold_take_piece(global const CLFOLD_IN *in, ulong in_offset,
                              clfold_spot from, clfold_spot to, CLFOLD_OFFSETS_PARAMS,
                              uint ahead, global clfold_item *open,
                              global clfold_item *begun, global CLFOLD_OUT *out,
                              ulong out_offset, clfold_memory memory,
                              clfold_list longs, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const uint l = (uint)get_local_id(0);
    const ulong last = min(to.segment + 1, num);

    for (ulong block = from.segment; block < last; block += CLFOLD_GROUP_SIZE) {
        const ulong s = block + l;
        if (l == 0)
            longs[0] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (s < last) {
            const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
            if (share.items > CLFOLD_FEW)
                longs[1 + atomic_inc(longs)] = l;
            else {
                clfold_item total;
                CLFOLD_NEAR(s);
                if (share.items > 0)
                    CLFOLD_FOLD_FEW(share.first, (uint)share.items);
                clfold_keep_share(total, s, share, open, begun, out, out_offset,
                                  CLFOLD_INIT_ARGS CLFOLD_PASS);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < longs[0]; ++k) {
            const ulong s = block + longs[1 + k];
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
