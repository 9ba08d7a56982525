/*
 * Makes offsets of flags or keys, for reductions: segment s of reduce_offsets.cl is from
 * offset s to the next.
 *
 *   keys      5  5  6  6  6 | 6  6  7  8  8 | 8  9          groups
 *   bits      1  0  1  0  0 | 0  0  1  1  0 | 0  1          clfold_find_heads
 *   counts        2         |       2       |  1
 *   before        0         |       2       |  4     5      clfold_count_heads
 *   offsets    0  2            7  8            11   12      clfold_put_offsets
 *   keys_out   5  6            7  8            9            clfold_put_lists
 *   lengths    2  5            1  3            1
 *
 * Flags and keys are read once, in vectors; the bits, 32 in a word, are few bytes. A
 * group takes `run` words. counts[0] becomes how many segments there are, and the counts
 * of the groups follow. Offsets past the bound, `num`, are left out but for the one that
 * ends the last segment. Words past the true count have no bits. A select that
 * scans gets no offsets, but for each word how many elements are kept before it.
 *
 * needs: contract.cl, count.cl, heads.cl
 */
#if CLFOLD_GROUP_SIZE == 1

#if CLFOLD_TILE_VECTOR
/* As clfold_mask16, but faster where element i has one before it. */
static CLFOLD_MASK16 clfold_inner16(ulong i CLFOLD_WITH)
{
#if CLFOLD_WAY == 2 && !CLFOLD_KEY_EQUAL
    if (i > 0) {
        global const CLFOLD_KEY_CELL *from = clfold_heads + clfold_heads_at + i;
        return CLFOLD_READ_KEY16(0, from - 1) != CLFOLD_READ_KEY16(0, from);
    }
#endif
    return clfold_mask16(i CLFOLD_PASS);
}
#endif

/* The bits of the word of `num` elements from i on. */
static uint clfold_head_word(ulong i, uint num CLFOLD_WITH)
{
    uint word = 0, j = 0;

#if CLFOLD_TILE_VECTOR
    const uint16 lanes = (uint16)(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
                                  8192, 16384, 32768);
    uint16 bits = 0;
    for (; j + 16 <= num; j += 16)
        bits |= convert_uint16(clfold_inner16(i + j CLFOLD_PASS)) & lanes << j;
    bits |= bits.s89abcdef89abcdef;
    bits |= bits.s4567456745674567;
    bits |= bits.s2323232323232323;
    word = bits.s0 | bits.s1;
#endif
    for (; j < num; ++j)
        word |= (uint)(clfold_head(i + j CLFOLD_PASS) & 1) << j;
    return word;
}

#endif

CLFOLD_KERNEL void clfold_find_heads(ulong most_count, ulong num_words, ulong run,
                                     global uint *bits, ulong bits_at,
                                     global ulong *counts CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    const ulong first = get_group_id(0) * run, stop = min(first + run, num_words);

#if CLFOLD_GROUP_SIZE == 1
    ulong found = 0;

    for (ulong w = first; w < stop; ++w) {
        const ulong left = count - min(count, w * 32);
        const uint word =
            clfold_head_word(w * 32, (uint)min((ulong)32, left) CLFOLD_PASS);
        bits[bits_at + w] = word;
        found += popcount(word);
    }
    counts[1 + get_group_id(0)] = found;
#else
    /* Neighbours read neighbours, and each work-item keeps a word. */
    local uint words[CLFOLD_GROUP_SIZE];
    local uint found;
    const uint l = (uint)get_local_id(0);

    if (l == 0)
        found = 0;
    for (ulong w = first; w < stop; w += CLFOLD_GROUP_SIZE) {
        words[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint r = 0; r < 32; ++r) {
            const uint j = r * CLFOLD_GROUP_SIZE + l;
            const ulong i = w * 32 + j;
            if (i < min(count, stop * 32) && clfold_head(i CLFOLD_PASS))
                atomic_or(&words[j / 32], 1u << j % 32);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (w + l < stop) {
            bits[bits_at + w + l] = words[l];
            atomic_add(&found, popcount(words[l]));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        counts[1 + get_group_id(0)] = found;
#endif
}

/* By one group: each work-item adds up some neighbours' counts, of `num_runs`. */
CLFOLD_KERNEL void clfold_count_heads(ulong most_count, ulong num, ulong num_runs,
                                      global ulong *counts,
                                      global CLFOLD_OFFSET *offsets, ulong offsets_at,
                                      uint has_total, global ulong *total_out,
                                      ulong total_index CLFOLD_WITH)
{
    const ulong count = clfold_true_count(most_count CLFOLD_PASS);
    local ulong sums[CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);
    const ulong each = (num_runs + CLFOLD_GROUP_SIZE - 1) / CLFOLD_GROUP_SIZE;
    const ulong first = min(l * each, num_runs), stop = min(first + each, num_runs);
    ulong sum = 0;

    for (ulong g = first; g < stop; ++g)
        sum += counts[1 + g];
    sums[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        ulong all = 0;
        for (uint k = 0; k < CLFOLD_GROUP_SIZE; ++k) {
            const ulong next = all + sums[k];
            sums[k] = all;
            all = next;
        }
        counts[0] = all;
        if (!CLFOLD_FINDS_PLACES && all <= num)
            offsets[offsets_at + all] = (CLFOLD_OFFSET)count;
        if (has_total)
            total_out[total_index] = all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong before = sums[l];
    for (ulong g = first; g < stop; ++g) {
        const ulong next = before + counts[1 + g];
        counts[1 + g] = before;
        before = next;
    }
}

#if CLFOLD_FINDS_PLACES

/* Writes how many there are before the word at element i, which is what a select that
 * scans finds places by. */
static void clfold_put_word(uint word, ulong i, ulong s, ulong num, ulong room,
                            global CLFOLD_OFFSET *offsets, ulong offsets_at)
{
    if (i / 32 < num)
        offsets[offsets_at + i / 32] = s;
}

#else

/* Writes the offsets of a word at element i, the first of which is of segment s. Where
 * there is `room` for that before the next group's, eight at once: the last may be of no
 * bit, and are overwritten. */
static void clfold_put_word(uint word, ulong i, ulong s, ulong num, ulong room,
                            global CLFOLD_OFFSET *offsets, ulong offsets_at)
{
    uint rest = word;
    ulong to = s;

    if (word != 0 && s + 8 <= min(room, num)) {
#pragma unroll
        for (uint k = 0; k < 8; ++k) {
            offsets[offsets_at + s + k] = (CLFOLD_OFFSET)(i + 31 - clz(rest & -rest));
            rest &= rest - 1;
        }
        to += 8;
    }
    for (; rest != 0 && to <= num; rest &= rest - 1) {
        offsets[offsets_at + to] = (CLFOLD_OFFSET)(i + 31 - clz(rest & -rest));
        ++to;
    }
}

#endif

CLFOLD_KERNEL void clfold_put_offsets(ulong num_words, ulong run, ulong num,
                                      global const uint *bits, ulong bits_at,
                                      global const ulong *counts,
                                      global CLFOLD_OFFSET *offsets,
                                      ulong offsets_at CLFOLD_WITH)
{
    const ulong first = get_group_id(0) * run, stop = min(first + run, num_words);
    /* At most one for each element before, whatever is in memory. */
    ulong s = first < stop ? min(counts[1 + get_group_id(0)], first * 32) : 0;

#if CLFOLD_GROUP_SIZE == 1
    const ulong next = stop < num_words ? counts[2 + get_group_id(0)] : counts[0];

    for (ulong w = first; w < stop; ++w) {
        const uint word = bits[bits_at + w];
        clfold_put_word(word, w * 32, s, num, next, offsets, offsets_at);
        s += popcount(word);
    }
#else
    local uint sums[2][CLFOLD_GROUP_SIZE];
    const uint l = (uint)get_local_id(0);

    for (ulong w = first; w < stop; w += CLFOLD_GROUP_SIZE) {
        const uint word = w + l < stop ? bits[bits_at + w + l] : 0;
        uint k = 0;
        sums[0][l] = popcount(word);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint step = 1; step < CLFOLD_GROUP_SIZE; step *= 2) {
            sums[1 - k][l] = sums[k][l] + (l >= step ? sums[k][l - step] : 0);
            k = 1 - k;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (w + l < stop)
            clfold_put_word(word, (w + l) * 32, s + sums[k][l] - popcount(word), num, 0,
                            offsets, offsets_at);
        s += sums[k][CLFOLD_GROUP_SIZE - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
}

#if !CLFOLD_FINDS_PLACES

/* A group takes `run` segments. Keys are copied bit by bit. */
CLFOLD_KERNEL void clfold_put_lists(ulong count, ulong run, ulong num,
                                    global const ulong *counts,
                                    global const CLFOLD_OFFSET *offsets, ulong offsets_at,
                                    uint has_keys, global CLFOLD_KEY_BITS *keys,
                                    ulong keys_at, uint has_lengths,
                                    global ulong *lengths, ulong lengths_at CLFOLD_WITH)
{
    global const CLFOLD_KEY_BITS *from =
        (global const CLFOLD_KEY_BITS *)clfold_heads + clfold_heads_at;
    const ulong first = get_group_id(0) * run;
    const ulong stop = min(first + run, num > 0 ? min(num, counts[0]) : 0);

    for (ulong s = first + get_local_id(0); s < stop; s += CLFOLD_GROUP_SIZE) {
        const ulong start = min((ulong)offsets[offsets_at + s], count - 1);
        if (has_keys)
            keys[keys_at + s] = from[start];
        if (has_lengths)
            lengths[lengths_at + s] = offsets[offsets_at + s + 1] - start;
    }
}

#endif
