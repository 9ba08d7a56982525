/*
 * Writes what a select by a scan's items keeps, where what is written is not made of
 * items: in place of a second scan. `run` words of 32 elements are a group's. Neighbours
 * write neighbours; a lone work-item takes a word at a time.
 *
 * needs: contract.cl, count.cl, element.cl, emit_kept.cl, write.cl
 */
/* Elements that a work-item takes at once. */
#define CLFOLD_WORD_STEP (CLFOLD_GROUP_SIZE == 1 ? 32 : 1)

/* Writes `lanes` of the 32 elements from i on, from `index` on. No item is used. */
static void clfold_put_word_of(uint lanes, global const CLFOLD_IN *in, ulong begin,
                               ulong i, global CLFOLD_OUT *out, ulong index CLFOLD_WITH)
{
    const clfold_item none =
        clfold_empty(clfold_load(in, begin, 0 CLFOLD_PASS), 0 CLFOLD_PASS);
    ulong to = index;

    for (uint rest = lanes; rest != 0; rest &= rest - 1, ++to) {
        const uint k = 31 - clz(rest & -rest);
        clfold_emit_items(none, none, in + (begin + k) * CLFOLD_SCALARS, i + k, out,
                          to CLFOLD_PASS);
    }
}

CLFOLD_KERNEL void clfold_write_kept(global const CLFOLD_IN *in, ulong in_offset,
                                     global CLFOLD_OUT *out, ulong out_offset,
                                     ulong most_count, ulong num_words,
                                     ulong run CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong first = get_group_id(0) * run * 32;
    const ulong stop = min(min(first / 32 + run, num_words) * 32, count);

    for (ulong i = first + get_local_id(0) * CLFOLD_WORD_STEP; i < stop;
         i += CLFOLD_GROUP_SIZE * CLFOLD_WORD_STEP) {
        const ulong at = clfold_kept_before_bit(i, i % 32 CLFOLD_PASS);
        const uint word = clfold_kept_bits[clfold_kept_bits_at + i / 32] >> i % 32;
        const uint all = CLFOLD_WORD_STEP == 1    ? 1
                         : stop - i < 32          ? (1u << (stop - i)) - 1
                                                  : ~0u;
        clfold_put_word_of(word & all, in, in_offset + i, i, out,
                           clfold_out_begin + at CLFOLD_PASS);
        if (clfold_has_rest)
            clfold_put_word_of(~word & all, in, in_offset + i, i, clfold_rest,
                               clfold_rest_at + i - at CLFOLD_PASS);
    }
}
