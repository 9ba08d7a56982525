/*
 * How a select writes whose condition is on the items of a scan: the scan runs twice, and
 * find_heads.cl between.
 *
 *   in        a  b  c  d  e  f ...
 *   items     s0 s1 s2 s3 s4 s5 ...     of both scans, bit for bit
 *   flags     0 -1 -1  0  0 -1 ...      the first writes, a byte each
 *   places       0  1        2 ...      a number for 32 elements, and their bits
 *   out       s1 s2 s5                  the second writes
 *
 * Where a result or a store sees no item, write_kept.cl is in place of the second scan.
 *
 * needs: contract.cl, element.cl, write.cl
 * needs if CLFOLD_TILE_VECTOR: tile_vector_write.cl, vectors.cl
 */
/* How many are kept before bit k of the word of element i: at most as many as there are
 * elements, whatever is in memory. */
static ulong clfold_kept_before_bit(ulong i, uint k CLFOLD_WITH)
{
    const uint word = clfold_kept_bits[clfold_kept_bits_at + i / 32];

    return min(clfold_kept_before[clfold_kept_before_at + i / 32], i / 32 * 32) +
           popcount(word & ((1u << k) - 1));
}

/* The first scan's part: the flag of element i, which is at s. */
static char clfold_flag_of(clfold_item y, clfold_item before, global const CLFOLD_IN *s,
                           ulong i CLFOLD_WITH)
{
    const CLFOLD_VALUE item = clfold_value_of(y);
#if CLFOLD_KEEPS_PREV
    const CLFOLD_VALUE prev = clfold_value_of(before);
#endif
#if CLFOLD_KEEPS_X
    const CLFOLD_X x = clfold_x_of(s);
#endif
    const clfold_kept kept = CLFOLD_KEEP_CALL(item, prev, x, s, i);

    return kept.kept;
}

static void clfold_emit(clfold_item y, clfold_item before, global const CLFOLD_IN *s,
                        ulong i, global CLFOLD_OUT *out, ulong index CLFOLD_WITH)
{
    if (!clfold_has_places) {
        clfold_heads[clfold_heads_at + i] =
            clfold_flag_of(y, before, s, i CLFOLD_PASS);
        return;
    }
    const ulong at = clfold_kept_before_bit(i, i % 32 CLFOLD_PASS);
    const bool holds = clfold_kept_bits[clfold_kept_bits_at + i / 32] >> i % 32 & 1;

    if (holds)
        clfold_emit_items(y, before, s, i, out, clfold_out_begin + at CLFOLD_PASS);
    else if (clfold_has_rest)
        clfold_emit_items(y, before, s, i, clfold_rest,
                          clfold_rest_at + i - at CLFOLD_PASS);
}

#if CLFOLD_ITEM16

static char16 clfold_flags16_of(clfold_item16 y, clfold_item16 before,
                                global const CLFOLD_IN *s, ulong i CLFOLD_WITH)
{
    const CLFOLD_VALUE16 item = clfold_value16_of(y);
#if CLFOLD_KEEPS_PREV
    const CLFOLD_VALUE16 prev = clfold_value16_of(before);
#endif
#if CLFOLD_KEEPS_X
    const CLFOLD_X16 x = clfold_x16_of(s);
#endif
    const clfold_kept16 kept = CLFOLD_KEEP_CALL16(item, prev, x, s, i);

    return kept.kept;
}

/* Elements of the output, of 16 that there are: those of `lanes`, from `at` on. */
static void clfold_put_lanes(const clfold_cells16 *made, uint lanes,
                             global CLFOLD_OUT *out, ulong at)
{
    union { CLFOLD_CELL16 v[CLFOLD_OUT_SCALARS];
            CLFOLD_OUT s[CLFOLD_OUT_SCALARS][16]; } cells;

    for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
        cells.v[n] = made->cells[n];
    ulong to = at;
    for (uint rest = lanes; rest != 0; rest &= rest - 1, ++to) {
        const uint k = 31 - clz(rest & -rest);
        for (uint n = 0; n < CLFOLD_OUT_SCALARS; ++n)
            out[to * CLFOLD_OUT_SCALARS + n] = cells.s[n][k];
    }
}

static void clfold_emit16(clfold_item16 y, clfold_item16 before,
                          global const CLFOLD_IN *s, ulong i, global CLFOLD_OUT *out,
                          ulong index, bool stream CLFOLD_WITH)
{
    if (!clfold_has_places) {
        vstore16(clfold_flags16_of(y, before, s, i CLFOLD_PASS), 0,
                 clfold_heads + clfold_heads_at + i);
        return;
    }
    global const uint *words = clfold_kept_bits + clfold_kept_bits_at + i / 32;
    const uint lanes = (uint)((words[0] | (ulong)words[1] << 32) >> i % 32) & 0xffff;
    const ulong at = clfold_kept_before_bit(i, i % 32 CLFOLD_PASS);

    if (lanes == 0 && !clfold_has_rest)
        return;
    clfold_cells16 made;
    clfold_make16(y, before, s, i, &made CLFOLD_PASS);
    clfold_put_lanes(&made, lanes, out, clfold_out_begin + at);
    if (clfold_has_rest)
        clfold_put_lanes(&made, ~lanes & 0xffff, clfold_rest, clfold_rest_at + i - at);
}

#endif
