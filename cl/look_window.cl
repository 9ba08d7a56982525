/*
 * Reads what CLFOLD_WINDOW tiles have published, together. CLFOLD_LOOKERS says by which
 * work-items:
 *
 *   0 one           which first reads a word of each slot, so that the reads are under
 *                   way at once
 *   1 a sub-group   the first, a tile by each of its work-items
 *   2 a warp        the same in PTX, on NVIDIA's devices, which offer no sub-groups
 *
 *   tiles                 8   9  10  11  12  13  14   pos = 14
 *   clfold_look_down          <- X   A   A   A        3 have totals, 10 is missing
 *   clfold_fetch_window   A   A  -->                  from tile 8 on, once they are there
 *
 * needs: contract.cl, memory.cl, descriptor.cl, shared.cl
 * names: CLFOLD_ANCHOR, CLFOLD_CUTS_ITEM, CLFOLD_LOOKERS, CLFOLD_WINDOW
 * names: clfold_cuts_item
 */
#if CLFOLD_LOOKERS == 2

#define CLFOLD_IS_LOOKING          (get_local_id(0) < CLFOLD_WARP)
#define CLFOLD_LANE                ((uint)get_local_id(0))
#define CLFOLD_LANES               min(CLFOLD_WARP, (uint)CLFOLD_WINDOW)
#define CLFOLD_LEAST(x)            clfold_least(x)
#define CLFOLD_BROADCAST(x, lane)  clfold_broadcast(x, lane)
#define CLFOLD_WINDOW_SYNC()       clfold_warp_sync()

#define CLFOLD_WARP 32u

static uint clfold_least(uint x)
{
    uint other;

#pragma unroll
    for (uint step = CLFOLD_WARP / 2; step > 0; step /= 2) {
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;"
                     : "=r"(other)
                     : "r"(x), "r"(step)
                     : "memory");
        x = min(x, other);
    }
    return x;
}

static uint clfold_broadcast(uint x, uint lane)
{
    uint y;

    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;"
                 : "=r"(y)
                 : "r"(x), "r"(lane)
                 : "memory");
    return y;
}

static void clfold_warp_sync(void)
{
    asm volatile("bar.warp.sync 0xffffffff;" : : : "memory");
}

#elif CLFOLD_LOOKERS == 1
#define CLFOLD_IS_LOOKING          (get_sub_group_id() == 0)
#define CLFOLD_LANE                get_sub_group_local_id()
#define CLFOLD_LANES               min(get_sub_group_size(), (uint)CLFOLD_WINDOW)
#define CLFOLD_LEAST(x)            sub_group_reduce_min((uint)(x))
#define CLFOLD_BROADCAST(x, lane)  sub_group_broadcast((uint)(x), lane)
#define CLFOLD_WINDOW_SYNC()       sub_group_barrier(CLK_LOCAL_MEM_FENCE)
#else
#define CLFOLD_IS_LOOKING          (get_local_id(0) == 0)
#define CLFOLD_LANE                0u
#define CLFOLD_LANES               ((uint)CLFOLD_WINDOW)
#define CLFOLD_BROADCAST(x, lane)  (x)
#endif

/* What a look finds, besides CLFOLD_AGGREGATE and CLFOLD_RUNNING. */
#define CLFOLD_MISSING 0
#define CLFOLD_STOP    4 /* nothing before the tile counts */
#define CLFOLD_LOW     5 /* the walk reached its end */

/* What a look at tile x finds, and the item of it. Running tiles of other blocks are only
 * useful at the end of a block. */
static uint clfold_look_at(clfold_word_pointer slots, ulong x, uint epoch, bool in_block,
                           clfold_item *item CLFOLD_WITH)
{
    const clfold_slot_words running = clfold_see(slots, x, CLFOLD_RUNNING);
    const clfold_slot_words total = clfold_see(slots, x, CLFOLD_AGGREGATE);

    if ((in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
        clfold_was_there(&running, CLFOLD_RUNNING, epoch, item))
        return CLFOLD_RUNNING;
    if (!clfold_was_there(&total, CLFOLD_AGGREGATE, epoch, item))
        return CLFOLD_MISSING;
#if CLFOLD_CUTS_ITEM
    if (clfold_cuts_item(*item CLFOLD_PASS))
        return CLFOLD_STOP;
#endif
    return CLFOLD_AGGREGATE;
}

#if CLFOLD_LOOKERS

/* Looks at the tiles below pos, down to `low`: how many have totals in a row, and what
 * the next one is. `item` is what this work-item saw. */
static uint clfold_look_down(clfold_word_pointer slots, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found, clfold_item *item CLFOLD_WITH)
{
    const uint lane = CLFOLD_LANE;
    const uint lanes = CLFOLD_LANES;

    *found = CLFOLD_LOW;
    if (lane < lanes && lane < pos - low)
        *found = clfold_look_at(slots, pos - 1 - lane, epoch, in_block, item CLFOLD_PASS);
    const uint good =
        CLFOLD_LEAST(*found == CLFOLD_AGGREGATE ? lanes : min(lane, lanes));
    if (good < lanes)
        *found = CLFOLD_BROADCAST(*found, good);
    return good;
}

/* Leaves what the last look saw in the window: the totals, forward, and in the last place
 * the item at which the walk ended. Returns how many totals; that place is free, since
 * the walk ended before it. */
static uint clfold_keep(CLFOLD_SPACE clfold_item *window, uint good, clfold_item item)
{
    const uint lane = CLFOLD_LANE;

    if (lane < good)
        window[good - 1 - lane] = clfold_taken(item);
    else if (lane == good)
        window[CLFOLD_LANES - 1] = clfold_taken(item);
    CLFOLD_WINDOW_SYNC();
    return good;
}

/* Reads the totals of tiles x to x + num - 1 into the window; returns how many are there.
 */
static uint clfold_fetch_window(CLFOLD_SPACE clfold_item *window,
                                clfold_word_pointer slots, ulong x, uint num, uint epoch)
{
    const uint lane = CLFOLD_LANE;
    bool there = true;
    clfold_item item;

    if (lane < num) {
        there = clfold_look(slots, x + lane, CLFOLD_AGGREGATE, epoch, &item);
        if (there)
            window[lane] = item;
    }
    const uint good = CLFOLD_LEAST(there ? CLFOLD_LANES : lane);
    CLFOLD_WINDOW_SYNC();
    return good;
}

#else

/* The same from the word that was read: a slot of one word is there or not, and only
 * longer ones are read again. */
static uint clfold_found(clfold_word_pointer slots, ulong x, uint epoch, bool in_block,
                         clfold_word total, clfold_word running,
                         clfold_item *item CLFOLD_WITH)
{
    const bool ends = (in_block || (x + 1) % CLFOLD_ANCHOR == 0) &&
                      clfold_is_tagged(running, epoch, CLFOLD_RUNNING);
    const bool there = clfold_is_tagged(total, epoch, CLFOLD_AGGREGATE);
    clfold_packed packed;

    if (!ends && !there)
        return CLFOLD_MISSING;
    if (CLFOLD_ITEM_WORDS > 1 || CLFOLD_CUTS_ITEM)
        return clfold_look_at(slots, x, epoch, in_block, item CLFOLD_PASS);
    packed.halves[0] = (clfold_half)(ends ? running : total);
    *item = packed.item;
    return ends ? CLFOLD_RUNNING : CLFOLD_AGGREGATE;
}

static uint clfold_look_down(clfold_word_pointer slots, ulong low, ulong pos, uint epoch,
                             bool in_block, uint *found, clfold_item *item CLFOLD_WITH)
{
    const uint num = (uint)min((ulong)CLFOLD_WINDOW, pos - low);
    clfold_word totals[CLFOLD_WINDOW], runnings[CLFOLD_WINDOW];
    uint good = 0;

    /* Below `low` reads the lowest again, which is safe. */
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        const ulong x = pos - low > k ? pos - 1 - k : low;
        totals[k] = clfold_read(clfold_slot_of(slots, x, CLFOLD_AGGREGATE));
        runnings[k] = clfold_read(clfold_slot_of(slots, x, CLFOLD_RUNNING));
    }
    *found = CLFOLD_AGGREGATE;
#pragma unroll
    for (uint k = 0; k < CLFOLD_WINDOW; ++k) {
        if (good == k && k < num) {
            *found = clfold_found(slots, pos - 1 - k, epoch, in_block, totals[k],
                                  runnings[k], item CLFOLD_PASS);
            good += *found == CLFOLD_AGGREGATE;
        }
    }
    if (good == num && num < CLFOLD_WINDOW)
        *found = CLFOLD_LOW;
    return good;
}

/* Tiles whose totals are under way at once: one if totals are long, since there are
 * registers for no more. */
#define CLFOLD_FETCHED (CLFOLD_ITEM_WORDS > 2 ? 1 : CLFOLD_WINDOW)

static uint clfold_fetch_window(CLFOLD_SPACE clfold_item *window,
                                clfold_word_pointer slots, ulong x, uint num, uint epoch)
{
    clfold_slot_words totals[CLFOLD_FETCHED];
    clfold_item item;
    uint good = 0;

    for (uint from = 0; from < num && good == from; from += CLFOLD_FETCHED) {
        /* Past `num` reads the last again, which is safe. */
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k)
            totals[k] =
                clfold_see(slots, x + min(from + k, num - 1), CLFOLD_AGGREGATE);
#pragma unroll
        for (uint k = 0; k < CLFOLD_FETCHED; ++k) {
            if (good == from + k && good < num &&
                clfold_was_there(&totals[k], CLFOLD_AGGREGATE, epoch, &item)) {
                window[good] = clfold_taken(item);
                ++good;
            }
        }
    }
    return good;
}

/* Totals are fetched on the way forward. */
static uint clfold_keep(CLFOLD_SPACE clfold_item *window, uint good, clfold_item item)
{
    window[CLFOLD_LANES - 1] = clfold_taken(item);
    return 0;
}

#define CLFOLD_WINDOW_SYNC()

#endif
