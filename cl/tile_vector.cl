/*
 * A tile is one work-item's: explicit vectors of 16, no barrier, no local memory. For CPU
 * devices, where a work-group runs on one thread and vectors are what the hardware has.
 *
 * needs: contract.cl, element.cl, vectors.cl
 * needs if CLFOLD_HEADS: heads.cl
 * needs if CLFOLD_NUMBERS: item_numbers.cl
 */

/* As in a group's tile, but private: the result, and an item for the strategy. */
typedef private clfold_item *clfold_memory;
#define CLFOLD_TILE_MEMORY(memory) private clfold_item memory[2]
#define CLFOLD_KEPT 1

#if !CLFOLD_NUMBERS

/*
 * Neighbours are combined, in order. No segment starts in them if they are `plain`.
 *
 *   x  x0 x1 x2 x3 ... x15    y  y0 y1 ... y15
 *      x0x1 x2x3 ... x14x15 y0y1 ... y14y15     (x0x1: x0 op x1)
 */
static clfold_stage16 clfold_pairs(clfold_stage16 x, clfold_stage16 y,
                                   bool plain CLFOLD_WITH)
{
    clfold_stage16 left, right;

    left.$name = ($stage16)(x.$name.even, y.$name.even);
    right.$name = ($stage16)(x.$name.odd, y.$name.odd);
#if CLFOLD_RARE && CLFOLD_HEADS
    if (plain) {
        clfold_stage16 both = clfold_usual_stage16(left, right CLFOLD_PASS);
        both.clfold_head = 0;
        return both;
    }
#endif
    return clfold_combine_stage16(left, right CLFOLD_PASS);
}

/* Folds the lanes, in order. The upper lanes repeat the lower ones, so the operator sees
 * nothing but elements. */
static clfold_stage clfold_join(clfold_stage16 lanes CLFOLD_WITH)
{
    clfold_stage16 x = clfold_pairs(lanes, lanes, false CLFOLD_PASS);
    clfold_stage total;

    x = clfold_pairs(x, x, false CLFOLD_PASS);
    x = clfold_pairs(x, x, false CLFOLD_PASS);
    x = clfold_pairs(x, x, false CLFOLD_PASS);
    total.$name = x.$name.s0;
    return total;
}

#if CLFOLD_COMMUTATIVE

/* The elements from begin on, a multiple of 16 and at least 16 of them. Lane j of four
 * accumulators takes every 64th element: four chains hide the latency of a float add. If
 * `ahead` is not 0 and CLFOLD_PREFETCH is 1, elements are asked for that much ahead. */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count, uint ahead CLFOLD_WITH)
{
    clfold_stage16 x = clfold_load16(in, begin, 0 CLFOLD_PASS);
    uint i = 16;

    if (count >= 128) {
        clfold_stage16 y = clfold_load16(in, begin, 16 CLFOLD_PASS);
        clfold_stage16 z = clfold_load16(in, begin, 32 CLFOLD_PASS);
        clfold_stage16 w = clfold_load16(in, begin, 48 CLFOLD_PASS);
        for (i = 64; i + 64 <= count; i += 64) {
            if (ahead > 0)
                clfold_ask(in, begin + i + ahead, 64 CLFOLD_PASS);
            x = clfold_extend_stage16(x, clfold_load16(in, begin, i CLFOLD_PASS)
                                             CLFOLD_PASS);
            y = clfold_extend_stage16(y, clfold_load16(in, begin, i + 16 CLFOLD_PASS)
                                             CLFOLD_PASS);
            z = clfold_extend_stage16(z, clfold_load16(in, begin, i + 32 CLFOLD_PASS)
                                             CLFOLD_PASS);
            w = clfold_extend_stage16(w, clfold_load16(in, begin, i + 48 CLFOLD_PASS)
                                             CLFOLD_PASS);
        }
        x = clfold_combine_stage16(clfold_combine_stage16(x, y CLFOLD_PASS),
                                   clfold_combine_stage16(z, w CLFOLD_PASS) CLFOLD_PASS);
    }
    for (; i < count; i += 16)
        x = clfold_extend_stage16(x, clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS);
    return clfold_join(x CLFOLD_PASS);
}

#else

/* 64 elements in order, as 16 lanes of 4 neighbours each. */
static clfold_stage16 clfold_fold_64(global const CLFOLD_IN *in, ulong begin,
                                     uint j CLFOLD_WITH)
{
    const clfold_stage16 x =
        clfold_pairs(clfold_load16(in, begin, j CLFOLD_PASS),
                     clfold_load16(in, begin, j + 16 CLFOLD_PASS), true CLFOLD_PASS);
    const clfold_stage16 y =
        clfold_pairs(clfold_load16(in, begin, j + 32 CLFOLD_PASS),
                     clfold_load16(in, begin, j + 48 CLFOLD_PASS), true CLFOLD_PASS);

    return clfold_pairs(x, y, true CLFOLD_PASS);
}

/* 256 elements in order, as 16 lanes of 16 neighbours each: for 15 vector combines, where
 * reordering would take 16. */
static clfold_lanes clfold_fold_256(global const CLFOLD_IN *in, ulong begin,
                                    uint j CLFOLD_WITH)
{
    const clfold_stage16 x =
        clfold_pairs(clfold_fold_64(in, begin, j CLFOLD_PASS),
                     clfold_fold_64(in, begin, j + 64 CLFOLD_PASS), true CLFOLD_PASS);
    const clfold_stage16 y =
        clfold_pairs(clfold_fold_64(in, begin, j + 128 CLFOLD_PASS),
                     clfold_fold_64(in, begin, j + 192 CLFOLD_PASS), true CLFOLD_PASS);

    return clfold_lanes_of(clfold_pairs(x, y, true CLFOLD_PASS));
}

/* The first element that the fold of `count` needs, a multiple of 16 like `count`: a cut
 * makes all before it irrelevant, and so does a segment's start. Of cuts it checks the
 * elements first, since that is cheap, then the fold of 16, since the bits are the same
 * only if that cuts. */
static uint clfold_last_cut(global const CLFOLD_IN *in, ulong begin,
                            uint count CLFOLD_WITH)
{
#if CLFOLD_HEADS
    for (uint i = count; i > 16; i -= 16)
        if (clfold_any_head(begin + i - 16 - clfold_origin CLFOLD_PASS))
            return i - 16;
#elif CLFOLD_CUTS
    for (uint i = count; i > 16; i -= 16) {
        const clfold_stage16 x = clfold_load16(in, begin, i - 16 CLFOLD_PASS);
        if (clfold_any_cuts(x CLFOLD_PASS) &&
            clfold_cuts(clfold_join(x CLFOLD_PASS) CLFOLD_PASS))
            return i - 16;
    }
#endif
    return 0;
}

/* The elements from begin on, a multiple of 16 and at least 16 of them, in order: a left
 * fold of trees over 16 neighbours. */
static clfold_stage clfold_fold_vectors(global const CLFOLD_IN *in, ulong begin,
                                        uint count, uint ahead CLFOLD_WITH)
{
    uint i = clfold_last_cut(in, begin, count CLFOLD_PASS);
    clfold_stage total = clfold_join(clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS);

    i += 16;
#if CLFOLD_RARE && CLFOLD_HEADS && CLFOLD_BUILTINS
    /* All lanes are the same. clang for x86 keeps a number and its head in one register
     * for integers, to and from which each step would take as long as three additions. */
    clfold_stage16 totals, lane;
    totals.$name = ($stage16)(total.$name);
    for (; i + 256 <= count; i += 256) {
        const clfold_lanes lanes = clfold_fold_256(in, begin, i CLFOLD_PASS);
        for (uint k = 0; k < 16; ++k) {
            lane.$name = ($stage16)(lanes.$name.s[k]);
            lane.clfold_head = 0;
            totals = clfold_usual_stage16(totals, lane CLFOLD_PASS);
        }
    }
    total.$name = totals.$name.s0;
#else
    for (; i + 256 <= count; i += 256) {
        const clfold_lanes lanes = clfold_fold_256(in, begin, i CLFOLD_PASS);
        for (uint k = 0; k < 16; ++k)
            total = clfold_combine_stage(total, clfold_lane(&lanes, k) CLFOLD_PASS);
    }
#endif
    for (; i < count; i += 16)
        total = clfold_combine_stage(
            total,
            clfold_join(clfold_load16(in, begin, i CLFOLD_PASS) CLFOLD_PASS) CLFOLD_PASS);
    return total;
}

#endif

#endif

/* The fold of elements begin to begin + count - 1, for 1 <= count <= CLFOLD_TILE. `index`
 * is what `begin` counts from in_offset. The result is left in memory[0]. */
static void clfold_tile_fold(global const CLFOLD_IN *in, ulong begin, ulong index,
                             uint count, uint ahead, clfold_memory memory CLFOLD_WITH)
{
#if CLFOLD_NUMBERS
    memory[0].$name = clfold_take_run(in, begin, count CLFOLD_PASS);
#else
    uint i = count / 16 * 16;
    clfold_stage total;

    if (i > 0)
        total = clfold_fold_vectors(in, begin, i, ahead CLFOLD_PASS);
    else
        total = clfold_load(in, begin, i++ CLFOLD_PASS);
    for (; i < count; ++i)
        total = clfold_combine_stage(total,
                                     clfold_load(in, begin, i CLFOLD_PASS) CLFOLD_PASS);
    memory[0] = clfold_empty(total, index CLFOLD_PASS);
#endif
}

#if !CLFOLD_SCAN

/* The fold of the first `num` items. */
static void clfold_tile_fold_items(global const clfold_item *items, uint num,
                                   clfold_memory memory CLFOLD_WITH)
{
    for (uint i = 0; i < num; ++i)
        memory[0] = i == 0 ? items[0] : clfold_combine(memory[0], items[i] CLFOLD_PASS);
}

#endif
