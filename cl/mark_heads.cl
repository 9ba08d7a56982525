/*
 * Makes the bits of heads.cl of offsets, in two launches before a scan's: the bits are
 * cleared, and set. An offset outside the data sets none. Others need no bits.
 *
 *   offsets   0 3 3 9            the segments 0 to 2, one that is empty, and 3 to 8
 *   bits      1 0 0 1 0 0 0 0 0 1 ...
 *
 * A group takes `run` words or offsets. After the words it keeps which of its offsets is
 * the first that descends or is past the end, and one more launch finds the first of all.
 *
 * needs: contract.cl, count.cl
 */
#define CLFOLD_NO_OFFSET (~0u)

/* Which offsets mark an element of the call, and which one. The words have room for all
 * of these, and the last of them for none. */
#if CLFOLD_IN_PART
#define CLFOLD_MARKS(at, n, num_words)                                                   \
    ((at) >= clfold_first && (at) - clfold_first < ((num_words) - 1) * 32)
#define CLFOLD_MARKED(at) ((at) - clfold_first)
#else
#define CLFOLD_MARKS(at, n, num_words) ((at) < (n))
#define CLFOLD_MARKED(at)              (at)
#endif

CLFOLD_KERNEL void clfold_clear_heads(ulong num_words, ulong run,
                                      global uint *heads CLFOLD_WITH)
{
    const ulong first = get_group_id(0) * run;

    for (ulong w = first + get_local_id(0); w < min(first + run, num_words);
         w += CLFOLD_GROUP_SIZE)
        heads[w] = 0;
}

CLFOLD_KERNEL void clfold_mark_heads(global const CLFOLD_OFFSET *offsets,
                                     ulong offsets_at, ulong most_num, ulong most_n,
                                     ulong run, global uint *heads,
                                     ulong num_words CLFOLD_WITH)
{
    local uint bad;
    /* There is one more offset than segments. */
    const ulong num = most_num > 0 ? clfold_true_num(most_num - 1 CLFOLD_PASS) + 1 : 0;
    const ulong n = num > 0 ? clfold_true_count(most_n CLFOLD_PASS) : 0;
    const ulong first = get_group_id(0) * run;
    ulong word = 0;
    uint bits = 0; /* of the word, which are set together */

    if (get_local_id(0) == 0)
        bad = CLFOLD_NO_OFFSET;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong k = first + get_local_id(0); k < min(first + run, num);
         k += CLFOLD_GROUP_SIZE) {
        const ulong at = offsets[offsets_at + k];
        const ulong before = k > 0 ? offsets[offsets_at + k - 1] : 0;
        if (at > n || at < before)
            atomic_min(&bad, (uint)(k - first));
        /* Segments may be empty, in long rows: one of equal offsets marks. */
        if (num_words == 0 || !CLFOLD_MARKS(at, n, num_words) || (k > 0 && at == before))
            continue;
        if (CLFOLD_MARKED(at) / 32 != word && bits != 0) {
            atomic_or(heads + word, bits);
            bits = 0;
        }
        word = CLFOLD_MARKED(at) / 32;
        bits |= 1u << CLFOLD_MARKED(at) % 32;
    }
    if (bits != 0)
        atomic_or(heads + word, bits);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        heads[num_words + get_group_id(0)] = bad;
}

/* By one group. bad[bad_out] and the next: the first such offset's index, its value. */
CLFOLD_KERNEL void clfold_find_bad(global const CLFOLD_OFFSET *offsets, ulong offsets_at,
                                   ulong num, ulong run, global const uint *heads,
                                   ulong num_words, global ulong *bad,
                                   ulong bad_out CLFOLD_WITH)
{
    local uint least;
    global const uint *firsts = heads + num_words;

    if (get_local_id(0) == 0)
        least = CLFOLD_NO_OFFSET;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint g = get_local_id(0); g * run < num; g += CLFOLD_GROUP_SIZE)
        if (firsts[g] != CLFOLD_NO_OFFSET)
            atomic_min(&least, g);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0 && num > 0) {
        const bool is_bad = least != CLFOLD_NO_OFFSET;
        const ulong k = is_bad ? least * run + firsts[least] : ~(ulong)0;
        bad[bad_out] = k;
        bad[bad_out + 1] = is_bad ? offsets[offsets_at + min(k, num - 1)] : 0;
    }
}
