/*
 * A piece's segments by one work-item. Where 16 neighbours are very short, each is folded
 * as if it had the most elements of these, and their results are a vector. Others are
 * folded by vectors of 16, and what is left past these is a vector of which only the
 * first lanes count:
 *
 *   segments     ab c . def         lanes  a c . d      the first elements
 *                                          b     e      chosen where there is another
 *                                                f
 *   a b c d | e  of 16 lanes        abcd   e f g h      f, g and h are the next one's
 *
 * So lengths decide little by branches, which cost more than the folds. Where elements
 * are numbers, segments are taken one after the other.
 *
 * needs: contract.cl, element.cl, fold_run.cl, offsets.cl, result.cl, share.cl
 * needs: tile_vector.cl, vectors.cl, write.cl
 * needs if CLFOLD_ITEM16: tile_vector_write.cl
 * needs if CLFOLD_NUMBERS: tile_item_pieces.cl
 * names: CLFOLD_NUMBERS, clfold_combine_stage
 * names if CLFOLD_ITEM16: clfold_combine16, clfold_identity
 */
#if !CLFOLD_NUMBERS

/* Elements of a segment that is very short. */
#define CLFOLD_FEW 4u

/* The fold of the first `num` lanes, in order; num from 1 to 16. */
static clfold_stage clfold_join_first(clfold_stage16 lanes, uint num CLFOLD_WITH)
{
    const int16 rights = (int16)(1, 3, 5, 7, 9, 11, 13, 15, 1, 3, 5, 7, 9, 11, 13, 15);
    clfold_stage16 x = lanes;
    clfold_stage total;

    for (uint level = 0; level < 4; ++level, num = (num + 1) / 2) {
        clfold_stage16 left;
        left.$name = ($stage16)(x.$name.even, x.$name.even);
        x = clfold_choose16(rights < (int)num, clfold_pairs(x, x, false CLFOLD_PASS),
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

typedef union {
    uint16 v;
    uint s[16];
} clfold_positions;

/* The fold of `length` elements, CLFOLD_FEW at most, without a branch; of none it is any
 * element's. */
static clfold_stage clfold_fold_few(global const CLFOLD_IN *in, ulong begin, uint first,
                                    uint length, uint last CLFOLD_WITH)
{
    clfold_stage total = clfold_load(in, begin, min(first, last) CLFOLD_PASS);

#pragma unroll
    for (uint k = 1; k < CLFOLD_FEW; ++k) {
        const clfold_stage y = clfold_combine_stage(
            total, clfold_load(in, begin, min(first + k, last) CLFOLD_PASS) CLFOLD_PASS);
        total.$name = k < length ? y.$name : total.$name;
    }
    return total;
}

/* As clfold_reduce_end(), of 16 segments from s on, whose positions count from `base`. */
static void clfold_end_16(clfold_stage16 x, ulong base, clfold_positions lengths, ulong s,
                          global CLFOLD_OUT *out, ulong out_offset,
                          CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
#if CLFOLD_ITEM16
    clfold_item16 y, none;

    y.$name = convert_$item16(x.$name)$plus_base;
    if (clfold_init_from) {
        none = clfold_spread(clfold_init(CLFOLD_INIT_ARGS));
        y.$name = !!convert_$choice16(lengths.v == 0) ? none.$name : y.$name;
        y = clfold_combine16(none, y CLFOLD_PASS);
    }
#if CLFOLD_HAS_IDENTITY
    else
        none = clfold_spread(clfold_identity(CLFOLD_PASS_ONLY));
#endif
    y.$name = !!convert_$choice16(lengths.v == 0) ? none.$name : y.$name;
    clfold_emit_items16(y, y, 0, s, out, out_offset + s, false CLFOLD_PASS);
#else
    const clfold_lanes lanes = clfold_lanes_of(x);

    for (uint k = 0; k < 16; ++k)
        clfold_reduce_end(clfold_empty(clfold_lane(&lanes, k), base CLFOLD_PASS),
                          lengths.s[k] == 0, s + k, out, out_offset + s + k,
                          CLFOLD_INIT_ARGS CLFOLD_PASS);
#endif
}

/* 16 segments from s on, if all are very short; returns whether they are. */
static bool clfold_take_16(global const CLFOLD_IN *in, ulong in_offset, ulong s,
                           CLFOLD_OFFSETS_PARAMS, global CLFOLD_OUT *out,
                           ulong out_offset, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong start = offsets[offsets_at + s];
    const ulong16 ends =
        convert_ulong16(vload16(0, offsets + offsets_at + s + 1)) - start;
    const uint span = (uint)min(ends.sf, (ulong)(16 * CLFOLD_FEW + 1));
    const uint16 stops = convert_uint16(ends);
    uint16 begins = stops.s00123456789abcde;
    clfold_stage16 x;

    begins.s0 = 0;
    const clfold_positions at = { begins }, lengths = { stops - begins };
    if (start > count || span > min(count - start, (ulong)(16 * CLFOLD_FEW)) ||
        any(lengths.v > CLFOLD_FEW))
        return false;
    if (span > 0) {
        clfold_lanes lanes;
#ifdef __clang__
#pragma clang loop vectorize(disable) unroll(disable)
#endif
        for (uint k = 0; k < 16; ++k) {
            const clfold_stage y =
                clfold_fold_few(in, in_offset + start, at.s[k], lengths.s[k],
                                span - 1 CLFOLD_PASS);
            lanes.$name.s[k] = y.$name;
        }
        x.$name = lanes.$name.v;
    }
    clfold_end_16(x, start, lengths, s, out, out_offset, CLFOLD_INIT_ARGS CLFOLD_PASS);
    return true;
}

typedef private uint *clfold_list; /* not used */
#define CLFOLD_LIST(longs) private uint longs[1]

static void clfold_take_piece(global const CLFOLD_IN *in, ulong in_offset,
                              clfold_spot from, clfold_spot to, CLFOLD_OFFSETS_PARAMS,
                              uint ahead, global clfold_item *open,
                              global clfold_item *begun, global CLFOLD_OUT *out,
                              ulong out_offset, clfold_memory memory,
                              clfold_list longs, CLFOLD_INIT_PARAMS CLFOLD_WITH)
{
    const ulong last = min(to.segment + 1, num);
    ulong next = from.segment;

    for (ulong s = from.segment; s < last;) {
        const clfold_share share = clfold_share_of(s, from, to, CLFOLD_OFFSETS);
        if (s >= next && !share.begun && s + 16 <= to.segment) {
            next = s + 16;
            if (clfold_take_16(in, in_offset, s, CLFOLD_OFFSETS, out, out_offset,
                               CLFOLD_INIT_ARGS CLFOLD_PASS)) {
                s = next;
                continue;
            }
        }
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
